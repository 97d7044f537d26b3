//! The tests of this crate, in one binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod codes;
mod every;
mod figures;
mod files;
mod heads;
mod hybrid;
mod languages;
mod lines;
mod malice;
mod pages;
mod room;
mod sample;
mod strangers;
mod texts;
mod tools;
mod translated;

use std::sync::LazyLock;

use racun_paper::Paper;
use racun_typeset::Typesetter;

static TYPESETTER: LazyLock<Typesetter> = LazyLock::new(|| Typesetter::new().unwrap());

/// `paper` as a file.
fn set(paper: &Paper) -> Vec<u8> {
    TYPESETTER.paper(paper).unwrap()
}
