//! The envelope (ovojnica) in which banks and UJP, the payments administration of Slovenia, carry
//! an e-SLOG invoice to a budget user.
//!
//! Its schema, `icl_eb_envelope_einvoice.xsd` of the Bank Association of Slovenia, is not public.
//! The structure is that which three open implementations write alike. `eddress` is its own
//! spelling.

use racun_kernel::PaymentReference;
use racun_kernel::calendar::format_date;
use racun_kernel::vat_number::compact;
use time::OffsetDateTime;

use super::rules;
use super::segments::Segments;
use crate::facts::{Account, Facts, Party};
use crate::finding::Verdict;
use crate::model::Model;
use crate::specification::Specification;
use crate::write::Written;

/// A file of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attached<'a> {
    /// Its name within the package.
    pub name: &'a str,
    /// `xml` for the e-SLOG file, `pdf` for how it looks.
    pub kind: &'a str,
    /// Its length in bytes.
    pub bytes: usize,
}

/// What UJP wants beside e-SLOG, with what e-SLOG says.
#[must_use]
pub fn judge_ujp(facts: &Facts) -> Verdict {
    let of_eslog = super::judge(facts);
    Verdict::of(rules::of_ujp(facts).into_iter().chain(of_eslog.findings().to_vec()).collect())
}

/// The document as the e-SLOG in a package for UJP, when its rules let it leave.
///
/// UJP wants a number of the buyer in an official register (BT-47, `0199`). Of one without a
/// company number that is its tax number, by which the tax authority has it.
///
/// # Errors
/// The verdict of [`judge_ujp`], which is not valid.
pub fn write_ujp(facts: &Facts) -> Result<Written, Verdict> {
    let verdict = judge_ujp(facts);
    if !verdict.is_valid() {
        return Err(verdict);
    }
    let mut facts = facts.clone();
    if let Some(customer) = &mut facts.customer
        && rules::is_missing(customer.company_number.as_deref())
    {
        let number = customer.tax_number.as_deref().map(compact);
        let bare = number.map(|number| number.trim_start_matches("SI").to_owned());
        customer.company_number = bare;
    }
    super::write(&facts)
}

/// The envelope of the document with `attached`, made at `now` in the entity's zone.
///
/// # Errors
/// The verdict of [`judge_ujp`], when it is not valid.
pub fn envelope(
    facts: &Facts,
    attached: &[Attached<'_>],
    now: OffsetDateTime,
) -> Result<String, Verdict> {
    let verdict = judge_ujp(facts);
    let sides = (facts.accounts.first(), facts.customer.as_ref());
    let (Some(from), Some(customer)) = sides else { return Err(verdict) };
    let Some(to) = customer.account.as_ref().filter(|_| verdict.is_valid()) else {
        return Err(verdict);
    };
    let receiver = receiver(customer);
    let (seller, buyer) = ((&facts.issuer, from), (&receiver, to));
    let schema = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                  xsi:noNamespaceSchemaLocation=\"icl_eb_envelope_einvoice.xsd\"";
    Ok(Segments::document(&format!("envelope {schema}"), |xml| {
        xml.group("sender", |xml| side(xml, "sender", seller));
        xml.group("receiver", |xml| side(xml, "receiver", buyer));
        xml.group("doc_data", |xml| {
            xml.leaf("doc_type", "0002");
            xml.leaf("doc_type_ver", "01");
            xml.leaf("doc_id", &facts.number);
            xml.leaf("external_doc_id", &facts.number);
            let (hour, minute, second) = now.to_hms();
            let day = format_date(now.date());
            xml.leaf("timestamp", format!("{day}T{hour:02}:{minute:02}:{second:02}"));
        });
        xml.group("payment_data", |xml| payment(xml, facts, seller, buyer));
        xml.group("attachments", |xml| attachments(xml, attached));
    }))
}

/// The customer as its routing names it, where that does.
fn receiver(customer: &Party) -> Party {
    Party {
        name: rules::routed_name(customer).map(str::to_owned).or_else(|| customer.name.clone()),
        tax_number: rules::routed_identifier(customer)
            .map(str::to_owned)
            .or_else(|| customer.tax_number.clone()),
        ..customer.clone()
    }
}

/// A party and its account.
type Side<'a> = (&'a Party, &'a Account);

fn side(xml: &mut Segments, role: &str, (party, account): Side<'_>) {
    address(xml, party);
    let number = party.tax_number.as_ref().or(party.company_number.as_ref());
    xml.some(&format!("{role}_identifier"), number.map(|number| number.trim()));
    xml.group(&format!("{role}_eddress"), |xml| {
        xml.leaf(&format!("{role}_agent"), agent(account));
        xml.leaf(&format!("{role}_mailbox"), mailbox(account));
    });
}

fn address(xml: &mut Segments, party: &Party) {
    xml.some("name", party.name.as_deref().map(str::trim));
    xml.some("country", party.country_code.as_deref().map(str::to_ascii_uppercase));
    xml.some("address", party.address.as_deref().map(str::trim));
    let town = [&party.post_code, &party.city].into_iter().flatten().map(|part| part.trim());
    xml.leaf("address", town.collect::<Vec<&str>>().join(" "));
}

/// A BIC of 11 characters: one of 8 is the head office's.
fn agent(account: &Account) -> String {
    let bic = account.bic.as_deref().unwrap_or_default().trim().to_ascii_uppercase();
    if bic.len() == 8 { bic + "XXX" } else { bic }
}

fn mailbox(account: &Account) -> String {
    let signs = account.number.chars().filter(|sign| !sign.is_whitespace());
    signs.map(|sign| sign.to_ascii_uppercase()).collect()
}

fn payment(xml: &mut Segments, facts: &Facts, seller: Side<'_>, buyer: Side<'_>) {
    xml.leaf("payment_method", "0");
    for (role, side) in [("creditor", seller), ("debtor", buyer)] {
        xml.group(role, |xml| {
            address(xml, side.0);
            xml.leaf("identification", "");
            xml.leaf(&format!("{role}_agent"), agent(side.1));
            xml.leaf(&format!("{role}_account"), mailbox(side.1));
        });
    }
    let model = Model::of(facts, Specification::En16931);
    let due = facts.date_due.unwrap_or(facts.date);
    xml.leaf("requested_execution_date", format_date(due));
    xml.leaf("amount", model.invoice.totals.due);
    xml.leaf("currency", facts.currency);
    let reference = facts.reference.as_deref().map(PaymentReference::parse);
    let reference = match reference {
        Some(Ok(Some(reference))) => reference,
        _ => PaymentReference::slovenian(&facts.number),
    };
    xml.group("remittance_information", |xml| {
        xml.leaf("creditor_structured_reference", reference);
        xml.leaf("additional_remittance_information", &facts.number);
    });
    xml.leaf("purpose", "OTHR");
}

fn attachments(xml: &mut Segments, attached: &[Attached<'_>]) {
    // The digest is one of zeros where the file is not sealed, as banks accept it.
    xml.leaf("hash", "0".repeat(40));
    xml.leaf("size", attached.iter().map(|one| one.bytes).sum::<usize>());
    xml.leaf("count", attached.len());
    for one in attached {
        xml.group("attachment", |xml| {
            xml.leaf("filename", one.name);
            xml.leaf("size", one.bytes);
            xml.leaf("type", one.kind);
        });
    }
}
