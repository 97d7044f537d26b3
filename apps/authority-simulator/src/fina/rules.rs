//! What CIS checks of a request, and what it keeps of it.

use jiff::civil::DateTime;
use racun_authorities::Certificate;
use racun_fiscal::Authority;
use serde_json::Value;

use super::request::Read;
use super::{Kind, analysis, restrictive};
use crate::clock::local;
use crate::fault::Fault;
use crate::ledger::{Filter, Taken};
use crate::pki::certificate::uuid;
use crate::schema::croatian;
use crate::state::{MessageError, State};

/// What the taking of a request gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// The JIR of a receipt.
    Jir(String),
    /// A message of success: code and text.
    Message(&'static str, &'static str),
    /// The codes and texts of a check.
    Checked(Vec<(String, String)>),
}

/// Checks the request, takes it, and says what is given for it.
///
/// # Errors
/// The refusal, by the table of codes of the specification.
pub fn settle(
    state: &State,
    kind: Kind,
    read: &Read,
    fault: Option<&Fault>,
) -> Result<Given, MessageError> {
    let content = read.content.as_ref().map_err(Clone::clone)?;
    let (oib, serial) = signer(state, read)?;
    let receipt = content.get("Racun").unwrap_or(&Value::Null);
    if text(receipt, "Oib") != oib {
        return Err(MessageError::new("s005", "OIB iz poruke nije jednak OIB-u iz certifikata."));
    }
    let now = state.clock.now();
    let moment = jiff::Timestamp::from_second(now.unix_timestamp()).unwrap_or_default();
    let errors = restrictive::errors(receipt, moment);
    if kind == Kind::Check {
        let mut found = [errors, analysis::remarks(receipt)].concat();
        found.sort_unstable();
        return Ok(Given::Checked(checked(&found)));
    }
    if kind == Kind::Receipt && !errors.is_empty() {
        let numbers: Vec<String> = errors.iter().map(u16::to_string).collect();
        let text = format!("Račun sadrži restriktivne greške: {}", numbers.join(", "));
        return Err(MessageError::new("s013", text));
    }
    let issued = croatian(text(receipt, "DatVrijeme")).unwrap_or_default();
    if kind != Kind::Receipt {
        check_change(state, kind, receipt, issued, local(now, Authority::Fina))?;
    }
    let jir = (kind == Kind::Receipt).then(uuid);
    state.ledger.take(taken(state, kind, read, receipt, issued, jir.clone(), serial, fault));
    Ok(match (kind, jir) {
        (_, Some(jir)) => Given::Jir(jir),
        (Kind::Means, None) => Given::Message("p001", "Uspješna prijava promjene načina plaćanja."),
        (Kind::Tip, None) => Given::Message("p002", "Uspješna prijava napojnice."),
        (_, None) => Given::Message("p005", "Uspješna prijava promjene podataka računa."),
    })
}

fn checked(errors: &[u16]) -> Vec<(String, String)> {
    if errors.is_empty() {
        return vec![("v100".to_owned(), "Poruka je ispravna.".to_owned())];
    }
    // The list of checks has the number 0 under another number.
    let number = |error: u16| if error == 178 { 105 } else { error };
    let line = |error: &u16| (format!("v{}", number(*error)), "Neispravan podatak.".to_owned());
    errors.iter().map(line).collect()
}

/// The OIB and serial number of who signed.
fn signer(state: &State, read: &Read) -> Result<(String, String), MessageError> {
    let untrusted = || {
        MessageError::new(
            "s002",
            "Certifikat nije izdan od pouzdanog izdavatelja, istekao je ili je opozvan.",
        )
    };
    let Some(der) = &read.certificate else {
        return Err(match &read.signature {
            Err(refusal) => refusal.clone(),
            Ok(()) => untrusted(),
        });
    };
    let certificate = Certificate::from_der(der).ok_or_else(untrusted)?;
    let is_in_force = (certificate.not_before..=certificate.not_after).contains(&state.clock.now());
    if !state.trust(Authority::Fina).is_issued(der)
        || !is_in_force
        || state.is_revoked(&certificate.serial)
    {
        return Err(untrusted());
    }
    let is_of_fina =
        certificate.issuer.values("2.5.4.10").any(|name| name == "Financijska agencija");
    let is_fiscal = certificate.common_name().to_lowercase().contains("fiskal");
    let oib = certificate.oib().filter(|_| is_fiscal || !is_of_fina).ok_or_else(|| {
        MessageError::new("s003", "Certifikat ne sadrži potrebne podatke: OIB i naziv 'fiskal'.")
    })?;
    read.signature.clone()?;
    Ok((oib.to_owned(), certificate.serial.clone()))
}

/// Checks a message about a receipt that was reported before.
fn check_change(
    state: &State,
    kind: Kind,
    receipt: &Value,
    issued: DateTime,
    now: DateTime,
) -> Result<(), MessageError> {
    let (late, other, most_days) = match kind {
        Kind::Means => ("s007", "s008", 0),
        Kind::Tip => ("s009", "s010", 2),
        _ => ("s011", "s012", 0),
    };
    let age = now.date().since((jiff::Unit::Day, issued.date())).map(|age| age.get_days());
    let is_in_time = match kind {
        Kind::Tip => age.is_ok_and(|days| days <= most_days),
        _ => age.is_ok_and(|days| days == 0),
    };
    if !is_in_time {
        let text = match kind {
            Kind::Tip => "Račun je stariji od dva dana.",
            _ => "Datum izdavanja računa nije jednak trenutnom datumu.",
        };
        return Err(MessageError::new(late, text));
    }
    let number = receipt.get("BrRac").unwrap_or(&Value::Null);
    let known = state.ledger.taken(&Filter {
        authority: Some(Authority::Fina),
        operation: Some("invoice".to_owned()),
        taxpayer: Some(text(receipt, "Oib").to_owned()),
        premise: Some(text(number, "OznPosPr").to_owned()),
        device: Some(text(number, "OznNapUr").to_owned()),
        number: Some(text(number, "BrOznRac").to_owned()),
        ..Filter::default()
    });
    let is_believed = known.is_empty() && state.is_forgetful;
    if is_believed || known.iter().any(|taken| original(&taken.content) == original(receipt)) {
        return Ok(());
    }
    let text = match kind {
        Kind::Tip => {
            "Podaci za račun u poruci napojnice razlikuju se od podataka fiskaliziranog računa ili \
             račun nije fiskaliziran."
        }
        _ => {
            "Podaci za račun u poruci promjene podataka računa razlikuju se od podataka \
             fiskaliziranog računa ili račun nije fiskaliziran."
        }
    };
    Err(MessageError::new(other, text))
}

/// The receipt without what a message about it adds. All else must be as in a message by which it
/// was taken, `NakDost` too.
fn original(receipt: &Value) -> Value {
    const ADDED: [&str; 3] =
        ["PromijenjeniNacinPlac", "PromijenjeniOibPrimateljaRacuna", "Napojnica"];
    let mut receipt = receipt.clone();
    if let Some(fields) = receipt.as_object_mut() {
        fields.retain(|name, _| !ADDED.contains(&name.as_str()));
    }
    receipt
}

#[expect(clippy::too_many_arguments, reason = "a row of the ledger is made of all of them")]
fn taken(
    state: &State,
    kind: Kind,
    read: &Read,
    receipt: &Value,
    issued: DateTime,
    id: Option<String>,
    certificate: String,
    fault: Option<&Fault>,
) -> Taken {
    let number = receipt.get("BrRac").unwrap_or(&Value::Null);
    let header = read.content.as_ref().ok().and_then(|content| content.get("Zaglavlje"));
    let operation = match kind {
        Kind::Change | Kind::Means => "change",
        Kind::Tip => "tip",
        Kind::Receipt | Kind::Check | Kind::Echo => "invoice",
    };
    let numbering = if text(receipt, "OznSlijed") == "P" { "premise" } else { "device" };
    Taken {
        position: 0,
        authority: Authority::Fina,
        operation: operation.to_owned(),
        transport: "soap".to_owned(),
        taxpayer: text(receipt, "Oib").to_owned(),
        premise: text(number, "OznPosPr").to_owned(),
        device: Some(text(number, "OznNapUr").to_owned()),
        number: Some(text(number, "BrOznRac").to_owned()),
        numbering: Some(numbering.to_owned()),
        message_id: read.message_id.clone(),
        sent_at: header.map(|it| text(it, "DatumVrijeme").to_owned()).unwrap_or_default(),
        issued_at: Some(text(receipt, "DatVrijeme").to_owned()),
        year: Some(issued.year()),
        received_at: state.clock.now(),
        mark: Some(text(receipt, "ZastKod").to_owned()),
        amount: Some(text(receipt, "IznosUkupno").to_owned()),
        late: matches!(text(receipt, "NakDost"), "true" | "1"),
        id,
        certificate,
        fault: fault.map(|fault| fault.name().to_owned()),
        content: receipt.clone(),
    }
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}
