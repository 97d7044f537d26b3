//! UPN QR, by the instructions of the Bank Association of Slovenia (2017).

use racun_kernel::text::in_fours;

use super::text::{cut_latin_2, to_latin_2};
use super::{Side, Transfer};

/// Characters of names, streets and towns.
const MAX_SIDE: usize = 33;
/// Characters of the purpose.
const MAX_PURPOSE: usize = 42;

/// The fields of a UPN slip as they are in its code.
struct Fields {
    payer: [String; 3],
    cents: String,
    code: String,
    purpose: String,
    due: String,
    iban: String,
    reference: String,
    payee: [String; 3],
}

fn side(side: &Side) -> [String; 3] {
    [&side.name, &side.street, &side.town].map(|text| cut_latin_2(text, MAX_SIDE))
}

fn fields(transfer: &Transfer) -> Option<Fields> {
    let iban = transfer.account().filter(|iban| iban.starts_with("SI"))?;
    let reference = transfer.reference.as_ref();
    let reference = reference.filter(|own| own.is_of("SI") || own.is_of("RF"));
    let payee = side(&transfer.payee);
    let purpose = cut_latin_2(&transfer.purpose, MAX_PURPOSE);
    if payee[0].is_empty() || purpose.is_empty() {
        return None;
    }
    let due = transfer
        .due
        .map(|due| format!("{:02}.{:02}.{:04}", due.day(), u8::from(due.month()), due.year()));
    Some(Fields {
        payer: side(&transfer.payer),
        cents: transfer.cents(11)?,
        code: transfer.code().to_owned(),
        purpose,
        due: due.unwrap_or_default(),
        iban,
        reference: reference.map_or_else(|| "SI99".to_owned(), ToString::to_string),
        payee,
    })
}

/// The bytes of a UPN QR code, in ISO 8859-2; `None` when it cannot ask for `transfer`: its account
/// is not in Slovenia, or it is not in euros.
#[must_use]
pub fn upn(transfer: &Transfer) -> Option<Vec<u8>> {
    let Fields { payer, cents, code, purpose, due, iban, reference, payee } = fields(transfer)?;
    let lines = [
        "UPNQR", "", "", "", "", &payer[0], &payer[1], &payer[2], &cents, "", "", &code, &purpose,
        &due, &iban, &reference, &payee[0], &payee[1], &payee[2],
    ];
    // The sum counts the characters of all lines and the line feed of each.
    let sum = lines.iter().map(|line| line.chars().count() + 1).sum::<usize>();
    to_latin_2(&format!("{}\n{sum:03}\n", lines.join("\n")))
}

/// What a slip shows beside the code, as printed: payer, purpose code and purpose, due date,
/// amount, IBAN, reference, payee.
#[must_use]
pub fn upn_slip(transfer: &Transfer) -> Option<[String; 8]> {
    let Fields { payer, cents, code, purpose, due, iban, reference, payee } = fields(transfer)?;
    let written = |side: [String; 3]| {
        let lines: Vec<String> = side.into_iter().filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    };
    let own = transfer.reference.as_ref().filter(|own| own.to_string() == reference);
    let reference = own.map_or(reference, racun_kernel::PaymentReference::readable);
    Some([
        written(payer),
        code,
        purpose,
        due,
        amount(&cents),
        in_fours(&iban),
        reference,
        written(payee),
    ])
}

/// `***1.628,45` of the cents.
fn amount(cents: &str) -> String {
    let (whole, fraction) = cents.split_at(cents.len() - 2);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let mut text = "***".to_owned();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n) % 3 == 0 {
            text.push('.');
        }
        text.push(digit);
    }
    format!("{text},{fraction}")
}
