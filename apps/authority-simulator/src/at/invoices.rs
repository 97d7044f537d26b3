//! The service of invoices.

use racun_portugal::invoice_ws::NAMESPACE;
use racun_portugal::{Number, Region, buyer_number, is_nif};
use roxmltree::Node;
use serde_json::Value;

use super::caller::Caller;
use crate::fault::Fault;
use crate::register::{AtRefused, Kept, Reported};
use crate::schema::{self, at};
use crate::soap::escaped;
use crate::state::{MessageError, State};

/// What a report that breaks a rule is answered.
const WRONG: &str = "-50";
/// Cents by which the tax of a document may be off what its lines come to.
const ROUNDING: i64 = 100;

/// The body of the answer; `None` of what is no request.
pub fn answer(
    state: &State,
    element: Node<'_, '_>,
    caller: Result<Caller, MessageError>,
    fault: Option<&Fault>,
) -> Option<String> {
    let (operation, name, parts) = [
        ("invoice", "RegisterInvoice", at::INVOICE),
        ("status", "ChangeInvoiceStatus", at::CHANGE),
    ]
    .into_iter()
    .find(|(_, name, _)| element.has_tag_name((NAMESPACE, format!("{name}Request").as_str())))?;
    let outcome = match fault {
        Some(Fault::Code(code, text)) => Err(MessageError::new(code, text.clone())),
        _ => caller.and_then(|caller| {
            let asked = schema::xml(element, NAMESPACE, parts)
                .map_err(|invalid| MessageError::new("-1", invalid.to_string()))?;
            let kept = &mut state.at.kept();
            match operation {
                "invoice" => register(state, &caller, asked, kept),
                _ => change(state, &caller, &asked, kept),
            }
        }),
    };
    let (code, text) = match outcome {
        Ok(()) => ("0".to_owned(), "Operação efetuada com sucesso.".to_owned()),
        Err(MessageError { code, text }) => {
            state.at.kept().refuse(AtRefused {
                operation: operation.to_owned(),
                received_at: state.clock.now(),
                code: code.clone(),
                text: text.clone(),
            });
            (code, text)
        }
    };
    let text: String = text.chars().take(256).collect();
    let now = state.clock.local_in(Region::Mainland.zone()).strftime("%Y-%m-%dT%H:%M:%S");
    Some(format!(
        "<ns:{name}Response xmlns:ns=\"{NAMESPACE}\"><ns:Response>\
         <ns:CodigoResposta>{}</ns:CodigoResposta><ns:Mensagem>{}</ns:Mensagem>\
         <ns:DataOperacao>{now}</ns:DataOperacao></ns:Response></ns:{name}Response>",
        escaped(&code),
        escaped(&text)
    ))
}

fn wrong(text: impl Into<String>) -> MessageError {
    MessageError::new(WRONG, text)
}

fn check_issuer(caller: &Caller, asked: &Value) -> Result<(), MessageError> {
    let issuer = asked["TaxRegistrationNumber"].as_str().unwrap_or_default();
    if issuer == caller.nif {
        return Ok(());
    }
    Err(wrong(format!("O NIF {issuer} não é o do utilizador autenticado.")))
}

fn register(
    state: &State,
    caller: &Caller,
    asked: Value,
    kept: &mut Kept,
) -> Result<(), MessageError> {
    check_issuer(caller, &asked)?;
    let invoice = asked["InvoiceData"].clone();
    let text = |name: &str| invoice[name].as_str().unwrap_or_default().to_owned();
    let (number, atcud) = (text("InvoiceNo"), text("ATCUD"));
    check_series(state, caller, &invoice, kept)?;
    check_buyer(&invoice)?;
    check_sums(&invoice)?;
    let today = state.clock.local_in(Region::Mainland.zone()).date().to_string();
    if text("InvoiceDate") > today {
        return Err(wrong("A data do documento é posterior à data atual."));
    }
    let key = (caller.nif.clone(), number.clone());
    let before = kept.reported.get(&key);
    if before.is_some_and(|before| before.content != invoice) {
        return Err(wrong(format!("O documento {number} já foi registado com outros dados.")));
    }
    let received_at = before.map_or_else(|| state.clock.now(), |before| before.received_at);
    let times = before.map_or(1, |before| before.times + 1);
    let status = before.map_or_else(
        || invoice["DocumentStatus"]["InvoiceStatus"].as_str().unwrap_or_default().to_owned(),
        |before| before.status.clone(),
    );
    let (taxpayer, excerpt) = (caller.nif.clone(), text("HashCharacters"));
    let content = invoice;
    let reported =
        Reported { taxpayer, number, atcud, status, excerpt, received_at, times, content };
    kept.report(reported);
    Ok(())
}

/// The code of the document is that of a series which the authority knows.
fn check_series(
    state: &State,
    caller: &Caller,
    invoice: &Value,
    kept: &Kept,
) -> Result<(), MessageError> {
    let text = |name: &str| invoice[name].as_str().unwrap_or_default();
    let number: Number = text("InvoiceNo").parse().map_err(|_| wrong("InvoiceNo inválido."))?;
    let (code, sequence) = text("ATCUD").split_once('-').unwrap_or_default();
    if sequence != number.digits() {
        return Err(wrong("O ATCUD não corresponde ao número do documento."));
    }
    let series = number.series().to_ascii_uppercase();
    let key = (caller.nif.clone(), series, text("InvoiceType").to_owned());
    match kept.series.get(&key) {
        Some(known) if known.validation == code && known.state != "N" => Ok(()),
        None if state.is_forgetful => Ok(()),
        _ => Err(wrong("A série do documento não foi comunicada com este código de validação.")),
    }
}

fn check_buyer(invoice: &Value) -> Result<(), MessageError> {
    let text = |name: &str| invoice[name].as_str().unwrap_or_default();
    let (number, country) = (text("CustomerTaxID"), text("CustomerTaxIDCountry"));
    let is_known = country != "PT" || is_nif(number) || number == buyer_number(None);
    if is_known {
        Ok(())
    } else {
        Err(wrong(format!("O NIF {number} do adquirente é inválido.")))
    }
}

/// The sums of the document are those of its lines.
fn check_sums(invoice: &Value) -> Result<(), MessageError> {
    let totals = &invoice["DocumentTotals"];
    let [tax, net, gross] =
        ["TaxPayable", "NetTotal", "GrossTotal"].map(|name| cents(&totals[name]));
    if net + tax != gross {
        return Err(wrong("O total com imposto não é a soma do total e do imposto."));
    }
    let lines = invoice["LineSummary"].as_array().cloned().unwrap_or_default();
    let sum: i64 = lines.iter().map(|line| cents(&line["Amount"])).sum();
    let taxed =
        |line: &Value| cents(&line["Amount"]) * cents(&line["Tax"]["TaxPercentage"]) / 10_000;
    let tax_of_lines: i64 = lines.iter().map(taxed).sum();
    if (sum - net).abs() > ROUNDING || (tax_of_lines - tax).abs() > ROUNDING {
        return Err(wrong("Os totais não correspondem às linhas."));
    }
    let is_free = |line: &Value| cents(&line["Tax"]["TaxPercentage"]) == 0;
    if lines.iter().any(|line| is_free(line) != line["TaxExemptionCode"].is_string()) {
        return Err(wrong("O motivo de isenção falta, ou não é esperado."));
    }
    Ok(())
}

/// An amount with two decimals, in cents.
fn cents(value: &Value) -> i64 {
    value.as_str().unwrap_or_default().replace('.', "").parse().unwrap_or_default()
}

fn change(
    state: &State,
    caller: &Caller,
    asked: &Value,
    kept: &mut Kept,
) -> Result<(), MessageError> {
    check_issuer(caller, asked)?;
    let number = asked["InvoiceHeader"]["InvoiceNo"].as_str().unwrap_or_default().to_owned();
    let status = asked["InvoiceStatus"]["InvoiceStatus"].as_str().unwrap_or_default().to_owned();
    let key = (caller.nif.clone(), number);
    match kept.reported.get_mut(&key) {
        Some(known) => {
            known.status = status;
            Ok(())
        }
        None if state.is_forgetful => Ok(()),
        None => Err(wrong("O documento não foi registado.")),
    }
}
