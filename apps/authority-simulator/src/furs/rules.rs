//! What FURS checks of a message of the right form, and what it keeps of it.

use racun_fiscal::Authority;
use serde_json::Value;

use super::Transport;
use super::request::Received;
use crate::fault::Fault;
use crate::ledger::{Premise, Taken};
use crate::pki::certificate::uuid;
use crate::state::{MessageError, State};

/// Checks the message, takes it, and answers the EOR if it is an invoice.
///
/// # Errors
/// The refusal, by the table of codes of the specification.
pub fn settle(
    state: &State,
    received: Received,
    fault: Option<&Fault>,
) -> Result<Option<String>, MessageError> {
    let (tax_number, serial) = signer(state, &received)?;
    let content = received.content?;
    let (operation, body) = ["Invoice", "SalesBookInvoice", "BusinessPremise"]
        .into_iter()
        .find_map(|name| content.get(name).map(|body| (name, body)))
        .ok_or_else(|| MessageError::new("S100", "Sistemska napaka."))?;
    let numbers = (text(body, "TaxNumber"), &tax_number);
    if numbers.0.as_ref() != Some(numbers.1) {
        return Err(MessageError::new(
            "S005",
            "Davčna številka v sporočilu ni enaka davčni številki v digitalnem potrdilu.",
        ));
    }
    let transport = match received.transport {
        Transport::Json => "json",
        Transport::Soap => "soap",
    };
    let base = Taken {
        position: 0,
        authority: Authority::Furs,
        operation: String::new(),
        transport: transport.to_owned(),
        taxpayer: tax_number,
        premise: String::new(),
        device: None,
        number: None,
        numbering: None,
        message_id: received.message_id,
        sent_at: content.get("Header").and_then(|it| text(it, "DateTime")).unwrap_or_default(),
        issued_at: None,
        year: None,
        received_at: state.clock.now(),
        mark: None,
        amount: None,
        late: false,
        id: None,
        certificate: serial,
        fault: fault.map(|fault| fault.name().to_owned()),
        content: body.clone(),
    };
    match operation {
        "Invoice" => invoice(state, body, base).map(Some),
        "SalesBookInvoice" => sales_book_invoice(state, body, base).map(Some),
        _ => premise(state, body, base).map(|()| None),
    }
}

/// The tax number and serial number of who signed.
fn signer(state: &State, received: &Received) -> Result<(String, String), MessageError> {
    if let Some(refusal) = &received.signature_fault {
        return Err(refusal.clone());
    }
    let unknown = || {
        MessageError::new(
            "S004",
            "Za poslano serijsko številko v ISFU ne obstaja digitalno potrdilo.",
        )
    };
    let serial = match (&received.serial, &received.content) {
        (Some(serial), _) => serial.clone(),
        // Without a signature, what the schema says comes first.
        (None, Err(refusal)) => return Err(refusal.clone()),
        (None, Ok(_)) => return Err(unknown()),
    };
    let certificate = state.certificate(&serial).ok_or_else(unknown)?;
    if !(received.is_signed_by)(&certificate) {
        return Err(MessageError::new("S003", "Digitalni podpis ni ustrezen."));
    }
    if state.is_revoked(&serial) {
        return Err(MessageError::new("S007", "Digitalno potrdilo je preklicano."));
    }
    let now = state.clock.now();
    if !(certificate.not_before..=certificate.not_after).contains(&now) {
        return Err(MessageError::new("S008", "Digitalno potrdilo je poteklo."));
    }
    let number = certificate.tax_number().unwrap_or_default().to_owned();
    Ok((number, serial))
}

/// Checks what the text of the specification asks for and its schemas let pass: the mark is of 32
/// hexadecimal digits, numbers begin at 1, and forms of bound books are named as they are printed.
fn check_text(body: &Value, transport: &str) -> Result<(), MessageError> {
    let (code, schema) = if transport == "json" { ("S002", "JSON") } else { ("S001", "XML") };
    let refused = |what: &str| {
        MessageError::new(code, format!("Sporočilo ni v skladu s shemo {schema}: {what}"))
    };
    let mark = text(body, "ProtectedID").unwrap_or_default();
    if !mark.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(refused("ProtectedID is not hexadecimal"));
    }
    let is_zero = |own: &Value| text(own, "InvoiceNumber").is_some_and(|number| number == "0");
    let others = referred(body, "ReferenceInvoice");
    if body.get("InvoiceIdentifier").into_iter().chain(others).any(is_zero) {
        return Err(refused("InvoiceNumber is 0"));
    }
    let own = body.get("SalesBookIdentifier");
    for form in own.into_iter().chain(referred(body, "ReferenceSalesBook")) {
        check_form(form).map_err(refused)?;
    }
    Ok(())
}

/// The identifiers of the documents that `body` refers to under `name`.
fn referred<'a>(body: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let (inner, all) = (format!("{name}Identifier"), body.get(name).and_then(Value::as_array));
    all.into_iter().flatten().filter_map(move |own| own.get(&inner))
}

/// Checks the identifier of a form of a bound book, of which the schemas know only the lengths: a
/// number without leading zeros, a set of two digits, and a serial number as in `5001-0001018`.
fn check_form(form: &Value) -> Result<(), &'static str> {
    let [number, set, serial] = ["InvoiceNumber", "SetNumber", "SerialNumber"]
        .map(|name| text(form, name).unwrap_or_default());
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if number.starts_with('0') || !digits(&number) {
        return Err("InvoiceNumber is no number");
    }
    if set == "00" || !digits(&set) {
        return Err("SetNumber is no number of a set");
    }
    let (book, serial) = serial.split_once('-').unwrap_or_default();
    if (book.len(), serial.len()) != (4, 7) || !digits(book) || !digits(serial) {
        return Err("SerialNumber is none of a book");
    }
    Ok(())
}

fn invoice(state: &State, body: &Value, base: Taken) -> Result<String, MessageError> {
    check_text(body, &base.transport)?;
    let identifier = body.get("InvoiceIdentifier").unwrap_or(&Value::Null);
    let premise = text(identifier, "BusinessPremiseID").unwrap_or_default();
    check_premise(state, &base.taxpayer, &premise)?;
    let issued_at = text(body, "IssueDateTime");
    let numbering = match text(body, "NumberingStructure").as_deref() {
        Some("C") => "premise",
        _ => "device",
    };
    let eor = uuid();
    state.ledger.take(Taken {
        operation: "invoice".to_owned(),
        premise,
        device: text(identifier, "ElectronicDeviceID"),
        number: text(identifier, "InvoiceNumber"),
        numbering: Some(numbering.to_owned()),
        year: year(issued_at.as_deref()),
        issued_at,
        mark: text(body, "ProtectedID"),
        amount: text(body, "InvoiceAmount"),
        late: matches!(text(body, "SubsequentSubmit").as_deref(), Some("true" | "1")),
        id: Some(eor.clone()),
        ..base
    });
    Ok(eor)
}

fn sales_book_invoice(state: &State, body: &Value, base: Taken) -> Result<String, MessageError> {
    check_text(body, &base.transport)?;
    let premise = text(body, "BusinessPremiseID").unwrap_or_default();
    check_premise(state, &base.taxpayer, &premise)?;
    let issued_at = text(body, "IssueDate");
    let identifier = body.get("SalesBookIdentifier").unwrap_or(&Value::Null);
    let eor = uuid();
    state.ledger.take(Taken {
        operation: "sales_book".to_owned(),
        premise,
        number: text(identifier, "InvoiceNumber"),
        year: year(issued_at.as_deref()),
        issued_at,
        amount: text(body, "InvoiceAmount"),
        id: Some(eor.clone()),
        ..base
    });
    Ok(eor)
}

/// Keeps a premise. What is closed stays closed; closing may be repeated.
fn premise(state: &State, body: &Value, base: Taken) -> Result<(), MessageError> {
    let name = text(body, "BusinessPremiseID").unwrap_or_default();
    let closes = body.get("ClosingTag").is_some();
    let known = state.ledger.premise(&base.taxpayer, &name);
    if !closes && known.is_some_and(|known| known.is_closed) {
        return Err(not_open(&name));
    }
    state.ledger.put_premise(Premise {
        taxpayer: base.taxpayer.clone(),
        premise: name.clone(),
        is_closed: closes,
        content: body.clone(),
    });
    state.ledger.take(Taken { operation: "premise".to_owned(), premise: name, ..base });
    Ok(())
}

fn check_premise(state: &State, taxpayer: &str, premise: &str) -> Result<(), MessageError> {
    match state.ledger.premise(taxpayer, premise) {
        Some(known) if !known.is_closed => Ok(()),
        None if state.is_forgetful => Ok(()),
        _ => Err(not_open(premise)),
    }
}

fn not_open(premise: &str) -> MessageError {
    let text = format!("Poslovni prostor {premise} ni prijavljen ali je zaprt.");
    MessageError::new("S006", text)
}

fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn year(date: Option<&str>) -> Option<i16> {
    date?.get(..4)?.parse().ok()
}
