//! A receipt's code, drawn with characters of half a line each.

use std::io::{IsTerminal as _, stdout};

use anyhow::Context as _;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode, Version};
use racun_fiscal::Authority;

/// Black on white, whatever the terminal's colours: readers want dark modules on light ground.
const COLOURS: [&str; 2] = ["\x1b[30;107m", "\x1b[0m"];

/// The lines of the code that `authority` wants on receipts, with its quiet zone of four modules.
///
/// # Errors
/// When `text` does not fit the code.
pub(super) fn lines(authority: Authority, text: &str) -> anyhow::Result<Vec<String>> {
    let drawn = code(authority, text)?.render::<Dense1x2>().quiet_zone(true).build();
    let [before, after] = if stdout().is_terminal() { COLOURS } else { [""; 2] };
    Ok(drawn.lines().map(|line| format!("{before}{line}{after}")).collect())
}

fn code(authority: Authority, text: &str) -> anyhow::Result<QrCode> {
    let code = match authority {
        // 60 digits, in the smallest version that holds them, with corrections of level M.
        Authority::Furs => QrCode::with_version(text, Version::Normal(2), EcLevel::M),
        // An address; level L is enough.
        Authority::Fina => QrCode::with_error_correction_level(text, EcLevel::L),
    };
    code.context("the receipt's code is too long to be drawn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slovenian_codes_are_of_the_version_and_level_that_furs_asks_for() {
        let digits = "223175087923687075112234402528973166755123456781508151013514";
        let code = code(Authority::Furs, digits).unwrap();
        assert_eq!(
            (code.version(), code.error_correction_level()),
            (Version::Normal(2), EcLevel::M)
        );
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
