//! Pages look as they did: of all templates the first ones, of those for A4 one that goes on and a
//! credit note that is void, too; and one with a bar code. The PNG files beside this file, at 40
//! dpi.
//!
//! After a wanted change, look at the new pages and store them:
//! `RACUN_STORE_PAGES=1 cargo test -p racun-typeset pages`.

use std::path::PathBuf;

use image::GrayImage;
use racun_paper::{Banner, PaperKind, State, Template};

use crate::sample::{hub3, invoice, plain_invoice};
use crate::set;
use crate::tools::{page, page_in_color};

/// Pixels on each side of the parts that are compared.
const PART: u32 = 12;
/// By how much of 255 a part may differ on average: readers draw edges of letters differently.
const MOST: u32 = 40;

fn stored(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/pages");
    folder.join(format!("{name}.png"))
}

/// The mean of a part of `picture`.
fn mean(picture: &GrayImage, left: u32, top: u32) -> u32 {
    let (right, bottom) = ((left + PART).min(picture.width()), (top + PART).min(picture.height()));
    let pixels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let values: Vec<u32> = pixels.map(|(x, y)| picture.get_pixel(x, y).0[0].into()).collect();
    values.iter().sum::<u32>() / u32::try_from(values.len()).unwrap().max(1)
}

/// A page looks as the picture `name` does, which is stored again where that is wanted.
fn check(name: &str, now: &GrayImage) {
    let stored = stored(name);
    if std::env::var_os("RACUN_STORE_PAGES").is_some() {
        std::fs::create_dir_all(stored.parent().unwrap()).unwrap();
        now.save(&stored).unwrap();
    }
    let before = image::open(&stored).unwrap().into_luma8();
    let (across, down) = before.dimensions();
    let is_near = |a: u32, b: u32| a.abs_diff(b) <= 2;
    assert!(is_near(across, now.width()) && is_near(down, now.height()), "{name}");
    let parts = (0..down.min(now.height()) / PART)
        .flat_map(|y| (0..across.min(now.width()) / PART).map(move |x| (x * PART, y * PART)));
    let other = parts
        .filter(|(x, y)| mean(&before, *x, *y).abs_diff(mean(now, *x, *y)) > MOST)
        .collect::<Vec<_>>();
    assert!(other.is_empty(), "{name} looks different at {other:?}, in pixels");
}

#[test]
fn first_pages_look_as_they_did() {
    for template in Template::ALL {
        let mut paper = invoice(template, 8);
        paper.primary_color = Some("#7a1f3d".to_owned());
        check(template.name(), &page(&set(&paper), 1, 40));
    }
}

/// The templates that are no receipts.
fn of_a4() -> impl Iterator<Item = Template> {
    Template::ALL.into_iter().filter(|template| !template.is_receipt())
}

#[test]
fn pages_that_go_on_look_as_they_did() {
    for template in of_a4() {
        // They begin with the head of the table and what is brought over, and end with what goes
        // over.
        let name = format!("{}_goes_on", template.name());
        check(&name, &page(&set(&plain_invoice(template, 120)), 2, 40));
    }
}

#[test]
fn void_credit_notes_look_as_they_did() {
    for template in of_a4() {
        let mut paper = plain_invoice(template, 5);
        paper.kind = PaperKind::CreditNote;
        paper.title = "Dobropis".to_owned();
        paper.banners = vec![Banner { state: State::Void, text: "Stornirano".to_owned() }];
        paper.payment = None;
        let name = format!("{}_void_credit_note", template.name());
        check(&name, &page(&set(&paper), 1, 40));
    }
}

#[test]
fn a_page_with_a_bar_code_looks_as_it_did() {
    let mut paper = plain_invoice(Template::Minimal, 3);
    paper.payment.as_mut().unwrap().codes = vec![hub3()];
    check("bar_code", &page(&set(&paper), 1, 40));
}

/// How many pixels of the first page of `template` are green, where the issuer's colour is `color`.
fn green(template: Template, color: Option<&str>) -> usize {
    let mut paper = plain_invoice(template, 5);
    paper.primary_color = color.map(str::to_owned);
    let page = page_in_color(&set(&paper), 1, 40);
    let is_green = |[red, green, blue]: [u8; 3]| green > red.max(blue).saturating_add(40);
    page.pixels().filter(|pixel| is_green(pixel.0)).count()
}

#[test]
fn each_a4_template_shows_the_colour_of_the_issuer() {
    for template in of_a4() {
        assert_eq!(green(template, None), 0, "{template:?} has green of its own");
        let found = green(template, Some("#00ff00"));
        assert!(found >= 20, "{template:?}: {found} green pixels");
    }
}
