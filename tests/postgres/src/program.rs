//! The programs that tests have as judges of what Racun writes.

use std::process::Command;

use crate::binaries::{in_path, install};

/// Programs, and Debian's packages that they are of.
const PACKAGES: [(&str, &str); 10] = [
    ("xmlsec1", "xmlsec1"),
    ("xmllint", "libxml2-utils"),
    ("openssl", "openssl"),
    ("qpdf", "qpdf"),
    ("psql", "postgresql-client"),
    ("pg_dump", "postgresql-client"),
    ("pdftotext", "poppler-utils"),
    ("pdftoppm", "poppler-utils"),
    ("pdfinfo", "poppler-utils"),
    ("pdfdetach", "poppler-utils"),
];

/// The command `program`, installed when it is not there and we may.
///
/// # Panics
/// When it is not there: a test without its judge has failed.
#[must_use]
pub fn program(program: &str) -> Command {
    let package = PACKAGES.iter().find(|(name, _)| *name == program).map_or(program, |it| it.1);
    let find = || in_path(program);
    let found = find().or_else(|| install(package, find).ok().flatten());
    let found = found.unwrap_or_else(|| panic!("{program} is needed; install package {package}"));
    Command::new(found)
}
