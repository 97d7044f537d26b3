//! EPC QR, by EPC069-12 of the European Payments Council, version 002.

use super::Transfer;
use super::text::cut;

/// Characters of the payee's name.
const MAX_NAME: usize = 70;
/// Characters of the text.
const MAX_TEXT: usize = 140;
/// Digits of the greatest amount, 999999999.99, in cents.
const CENT_DIGITS: usize = 11;
/// Bytes of the code.
const MAX_BYTES: usize = 331;

/// The bytes of an EPC QR code, in UTF-8; `None` when it cannot ask for `transfer`.
///
/// An RF reference is carried as such; other references are in the text.
#[must_use]
pub fn epc(transfer: &Transfer) -> Option<Vec<u8>> {
    let iban = transfer.account()?;
    let cents = transfer.cents(CENT_DIGITS)?;
    let (whole, fraction) = cents.split_at(cents.len() - 2);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let name = cut(&transfer.payee.name, MAX_NAME);
    if name.is_empty() {
        return None;
    }
    let bic: String = transfer.bic.iter().flat_map(|bic| bic.chars()).collect();
    let bic = bic.trim().to_ascii_uppercase();
    let is_bic =
        matches!(bic.len(), 8 | 11) && bic.bytes().all(|sign| sign.is_ascii_alphanumeric());
    let bic = if is_bic { bic } else { String::new() };
    let (structured, mut text) = match &transfer.reference {
        Some(reference) if reference.is_of("RF") => (reference.to_string(), String::new()),
        Some(reference) if !reference.rest().is_empty() => (
            String::new(),
            cut(&format!("{} {}", reference.readable(), transfer.purpose), MAX_TEXT),
        ),
        _ => (String::new(), cut(&transfer.purpose, MAX_TEXT)),
    };
    let mut name = name;
    loop {
        let lines = [
            "BCD",
            "002",
            "1",
            "SCT",
            &bic,
            &name,
            &iban,
            &format!("EUR{whole}.{fraction}"),
            "",
            &structured,
            &text,
        ];
        let code = lines.join("\n");
        let code = code.trim_end_matches('\n');
        if code.len() <= MAX_BYTES {
            return Some(code.as_bytes().to_vec());
        }
        // Letters beyond ASCII take more than a byte, so texts of full length may be too long.
        if text.pop().is_none() && name.pop().is_none() {
            return None;
        }
    }
}
