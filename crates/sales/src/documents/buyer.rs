//! The customer of a document, and what kind of sale its VAT number makes it.

use racun_access::Entity;
use racun_catalog::Customer;
use racun_documents::{Content, DocumentKind, NumberCheck, Party, TransactionType, ViesData};
use racun_fiscalization::Ports;
use racun_kernel::{Patch, Stamp};

use super::gather::ResolvedReferences;
use super::request::{CustomerRequest, DocumentRequest};
use super::texts::default_texts;
use crate::error::Error;
use crate::vat::{Finding, Inquiry, StoredCheck, document_data, treatment};

/// The customer that a new document of `request` has, or one that was `before`.
pub(super) fn buyer(
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    before: Option<&Content>,
) -> Option<Party> {
    let base = match before {
        Some(before) if request.customer_id.is_absent() => before.customer.clone(),
        Some(_) | None => gathered.customer.as_ref().map(party_of_customer),
    };
    customer(request, base)
}

/// The customer of the document: `base` with what the request writes over it.
pub(super) fn customer(request: &DocumentRequest, base: Option<Party>) -> Option<Party> {
    match &request.customer {
        Patch::Absent => base,
        Patch::Null => None,
        Patch::Value(CustomerRequest { party, .. }) => {
            Some(party.clone().onto(base.unwrap_or_default()))
        }
    }
}

/// The customer `customer` of the catalogue, as a document keeps it.
pub(super) fn party_of_customer(customer: &Customer) -> Party {
    Party {
        name: Some(customer.name.clone()),
        email: customer.email.clone(),
        tax_number: customer.tax_number.clone(),
        company_number: customer.company_number.clone(),
        peppol_id: customer.peppol_id.clone(),
        peppol_scheme_id: customer.peppol_scheme_id.clone(),
        bank_accounts: customer.bank_accounts.clone(),
        is_end_consumer: Some(customer.is_end_consumer),
        ujp: customer.ujp.clone(),
        ..Party::default()
    }
    .with_postal_address(customer.postal_address())
}

/// What is known of the VAT number of `customer`, where a sale of `entity` rests on it. VIES is
/// asked when it has to be, unless `check` refuses what is to be made.
///
/// # Errors
/// What `check` refuses; the store's failure. The silence of VIES is none.
pub(super) async fn find_out(
    ports: Ports<'_>,
    entity: &Entity,
    customer: Option<&Party>,
    check: impl FnOnce() -> Result<(), Error> + Send,
) -> Result<Option<Finding>, Error> {
    let Some(inquiry) = Inquiry::of_sale(entity, customer) else { return Ok(None) };
    let before = match inquiry.known(ports.cx).await? {
        StoredCheck::Enough(finding) => return Ok(Some(*finding)),
        StoredCheck::Ask(before) => before.map(|before| *before),
    };
    check()?;
    Ok(Some(inquiry.ask(ports.cx, ports.vat, before).await))
}

/// What a document says of its customer's number, as it was found out.
pub(super) fn check_on_document(vies: &ViesData) -> NumberCheck {
    NumberCheck {
        valid: vies.vies_valid,
        warning: vies.warning.clone(),
        checked_at: vies.checked_at,
        consultation_number: vies.consultation_number.clone(),
    }
}

/// Makes the sale one of the kind `sold`. The default clause of the kind before gives way to that
/// of this one.
pub(super) fn sold_as(
    kind: DocumentKind,
    entity: &Entity,
    content: &mut Content,
    sold: TransactionType,
) {
    let unit = content.business_unit.as_ref();
    let of = |sold| default_texts(kind, entity, unit, sold);
    let (before, now) = (of(content.transaction_type), of(sold));
    if content.texts.tax_clause == before.texts.tax_clause {
        content.texts.tax_clause = now.texts.tax_clause;
        let translated = &mut content.translations.tax_clause;
        if *translated == before.translations.tax_clause {
            *translated = now.translations.tax_clause;
        }
    }
    content.transaction_type = sold;
}

/// `content` of a draft that is issued, with what was found out of its customer's number. Its taxes
/// stay as they were drafted and seen.
pub(super) fn rechecked(
    kind: DocumentKind,
    entity: &Entity,
    mut content: Content,
    finding: &Finding,
    stamp: &Stamp,
) -> Content {
    let customer = content.customer.as_ref().filter(|customer| finding.is_of(customer));
    let Some(customer) = customer else { return content };
    let check = Some(&finding.check);
    let treatment = treatment(entity, Some(customer), check);
    let (before, sold) = (content.transaction_type, treatment.transaction_type);
    content.vies = document_data(treatment, Some(customer), check, stamp);
    if sold == before {
        return content;
    }
    let drafted = format!("the draft was made as {}: its taxes stay as drafted", before.name());
    if let Some(vies) = &mut content.vies {
        let said = vies.warning.take().map(|warning| format!("{warning}; {drafted}"));
        vies.warning = Some(said.unwrap_or(drafted));
    }
    sold_as(kind, entity, &mut content, sold);
    content
}
