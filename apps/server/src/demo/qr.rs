//! A receipt's code, drawn with characters of half a line each.

use std::io::{IsTerminal as _, stdout};

use anyhow::Context as _;
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};
use racun_fiscal::Authority;

/// Black on white, whatever the terminal's colours: readers want dark modules on light ground.
const COLOURS: [&str; 2] = ["\x1b[30;107m", "\x1b[0m"];
/// Light modules around the code.
const QUIET: i32 = 4;

/// The lines of the code that `authority` wants on receipts, with its quiet zone of four modules.
///
/// # Errors
/// When `text` does not fit the code.
pub(super) fn lines(authority: Authority, text: &str) -> anyhow::Result<Vec<String>> {
    let code = code(authority, text)?;
    let [before, after] = if stdout().is_terminal() { COLOURS } else { [""; 2] };
    let around = -QUIET..code.size() + QUIET;
    // Two rows in a line; what lies beyond the code is light.
    let line = |y: i32| {
        let half = |x| match (code.get_module(x, y), code.get_module(x, y + 1)) {
            (false, false) => ' ',
            (true, false) => '▀',
            (false, true) => '▄',
            (true, true) => '█',
        };
        let halves: String = around.clone().map(half).collect();
        format!("{before}{halves}{after}")
    };
    Ok(around.clone().step_by(2).map(line).collect())
}

fn code(authority: Authority, text: &str) -> anyhow::Result<QrCode> {
    let (version, level) = match authority {
        // 60 digits, in the smallest version that holds them, with corrections of level M.
        Authority::Furs => (Some(Version::new(2)), QrCodeEcc::Medium),
        // An address; level L is enough.
        Authority::Fina => (None, QrCodeEcc::Low),
    };
    let (least, most) = (version.unwrap_or(Version::MIN), version.unwrap_or(Version::MAX));
    let segments = QrSegment::make_segments(text);
    let code = QrCode::encode_segments_advanced(&segments, level, least, most, None, false);
    code.context("the receipt's code is too long to be drawn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slovenian_codes_are_of_the_version_and_level_that_furs_asks_for() {
        let digits = "223175087923687075112234402528973166755123456781508151013514";
        let code = code(Authority::Furs, digits).unwrap();
        assert_eq!((code.version().value(), code.error_correction_level()), (2, QrCodeEcc::Medium));
        let lines = lines(Authority::Furs, digits).unwrap();
        // 25 modules and the quiet zone; two rows in a line.
        assert_eq!(lines.len(), 17);
        assert!(lines.iter().all(|line| line.chars().count() == 33), "{lines:#?}");
        assert!(lines[..2].iter().all(|line| line.trim().is_empty()), "{lines:#?}");
        assert!(lines[2].starts_with("    █▀▀▀▀▀█ "), "no finder in {}", lines[2]);
        assert!(super::code(Authority::Furs, &digits.repeat(2)).is_err());
    }

    #[test]
    fn croatian_codes_take_an_address() {
        let address = "https://porezna.gov.hr/rn?jir=01234567-89ab-4cde-8f01-23456789abcd\
                       &datv=20261121_1920&izn=-1140";
        let lines = lines(Authority::Fina, address).unwrap();
        assert!(lines.len() > 17 && lines[2].starts_with("    █▀▀▀▀▀█ "), "{lines:#?}");
    }
}
