//! HUB3, the bar code of Croatian payment slips, by the specification of 2012 with the euro.

use super::Transfer;
use super::text::cut;

/// The bytes of a HUB3 code, in UTF-8; `None` when it cannot ask for `transfer`: its account is not
/// in Croatia, or it is not in euros.
///
/// The symbol is PDF417, which is what the specification has and apps of banks read, although the
/// interface calls it `hub3_qr`.
#[must_use]
pub fn hub3(transfer: &Transfer) -> Option<Vec<u8>> {
    let iban = transfer.account().filter(|iban| iban.starts_with("HR"))?;
    let cents = transfer.cents(15)?;
    let payee = cut(&transfer.payee.name, 25);
    if payee.is_empty() {
        return None;
    }
    let reference = transfer.reference.as_ref().filter(|own| own.is_of("HR"));
    let (model, reference) = reference.map_or(("HR99", ""), |own| (own.head(), own.rest()));
    let lines = [
        "HRVHUB30",
        "EUR",
        &cents,
        &cut(&transfer.payer.name, 30),
        &cut(&transfer.payer.street, 27),
        &cut(&transfer.payer.town, 27),
        &payee,
        &cut(&transfer.payee.street, 25),
        &cut(&transfer.payee.town, 27),
        &iban,
        model,
        reference,
        transfer.code(),
        &cut(&transfer.purpose, 35),
    ];
    Some(lines.join("\n").into_bytes())
}
