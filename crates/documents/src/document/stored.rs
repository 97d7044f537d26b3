//! A document as stores and the log see it.

use racun_kernel::{Event, Issue, Issues, Record, Stamp, Table, Tenant, Value, json_length};

use super::Document;
use crate::amounts::Amounts;
use crate::content::Content;

impl Document {
    /// Bytes that a document may be long, as stored: some thousand lines of ordinary length.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// The document, unless it is too long.
    ///
    /// # Errors
    /// When it is, under `items`: of what a document holds only its lines have no bound of their
    /// own.
    pub(super) fn of_bounded_length(self) -> Result<Self, Issues> {
        let bytes = json_length(&self);
        if bytes <= Self::MAX_BYTES {
            return Ok(self);
        }
        let message = format!(
            "a document holds at most {} KiB, and this one has {}; shorten the texts of its lines, \
             or make several documents",
            Self::MAX_BYTES / 1024,
            bytes.div_ceil(1024),
        );
        Err(Issue::new("document_too_large", message).at("items").into())
    }

    /// The event that `what` happened to this document, done by `actor`; `None` when there is no
    /// such event for its kind.
    #[must_use]
    pub fn event(&self, what: &str, actor: &str, stamp: &Stamp) -> Option<Event> {
        let kind = EVENTS
            .into_iter()
            .find(|name| name.split_once('.') == Some((self.id.kind().name(), what)))?;
        let (tenant, subject) = (Tenant::entity(self.entity_id), self.id.to_string());
        Some(Event::new(tenant, kind, subject, actor.to_owned(), stamp))
    }
}

/// Events of documents: those that contract 29.1 lists, and a few more for the log alone.
const EVENTS: [&str; 44] = [
    "invoice.fiscalized",
    "estimate.updated",
    "estimate.finalized",
    "credit_note.updated",
    "credit_note.fiscalized",
    "advance_invoice.updated",
    "advance_invoice.finalized",
    "advance_invoice.fiscalized",
    "delivery_note.updated",
    "delivery_note.finalized",
    "invoice.created",
    "invoice.updated",
    "invoice.finalized",
    "invoice.sent",
    "invoice.voided",
    "invoice.cancelled",
    "invoice.deleted",
    "invoice.restored",
    "invoice.paid",
    "estimate.created",
    "estimate.sent",
    "estimate.accepted",
    "estimate.rejected",
    "estimate.deleted",
    "estimate.restored",
    "credit_note.created",
    "credit_note.issued",
    "credit_note.sent",
    "credit_note.voided",
    "credit_note.deleted",
    "credit_note.restored",
    "advance_invoice.created",
    "advance_invoice.sent",
    "advance_invoice.paid",
    "advance_invoice.applied",
    "advance_invoice.voided",
    "advance_invoice.deleted",
    "advance_invoice.restored",
    "delivery_note.created",
    "delivery_note.sent",
    "delivery_note.cancelled",
    "delivery_note.voided",
    "delivery_note.deleted",
    "delivery_note.restored",
];

/// Names of the fields, as on the wire, in which `before` differs.
pub(super) fn changed_fields(
    before: &Document,
    content: &Content,
    amounts: &Amounts,
) -> Vec<String> {
    let old = &before.content;
    let fields = [
        ("date", old.date != content.date),
        ("date_due", old.date_due != content.date_due),
        ("date_valid_till", old.date_valid_till != content.date_valid_till),
        ("title_type", old.title_type != content.title_type),
        ("hide_prices", old.hide_prices != content.hide_prices),
        ("date_service", old.date_service != content.date_service),
        ("date_service_to", old.date_service_to != content.date_service_to),
        ("issuer", old.issuer != content.issuer),
        ("customer_id", old.customer_id != content.customer_id),
        ("customer", old.customer != content.customer),
        ("business_unit_id", old.business_unit_id != content.business_unit_id),
        ("business_unit", old.business_unit != content.business_unit),
        ("note", old.texts.note != content.texts.note),
        ("payment_terms", old.texts.payment_terms != content.texts.payment_terms),
        ("tax_clause", old.texts.tax_clause != content.texts.tax_clause),
        ("footer", old.texts.footer != content.texts.footer),
        ("signature", old.texts.signature != content.texts.signature),
        ("translations", old.translations != content.translations),
        ("currency_code", old.currency != content.currency),
        ("exchange_rate", old.exchange_rate != content.exchange_rate),
        ("transaction_type", old.transaction_type != content.transaction_type),
        ("reference", old.reference != content.reference),
        ("metadata", old.metadata != content.metadata),
        ("items", old.lines != content.lines),
        ("total", before.amounts.total != amounts.total),
        ("total_with_tax", before.amounts.total_with_tax != amounts.total_with_tax),
    ];
    fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name.to_owned()).collect()
}

impl Record for Document {
    fn table(&self) -> &'static Table {
        self.id.kind().table()
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn is_trashed(&self) -> bool {
        self.deleted_at.is_some()
    }

    fn values(&self) -> Vec<Value> {
        let (content, amounts) = (&self.content, &self.amounts);
        let customer = |field: fn(&crate::Party) -> &Option<String>| {
            Value::from(content.customer.as_ref().and_then(|party| field(party).as_ref()))
        };
        vec![
            self.id.to_string().into(),
            self.number().into(),
            self.is_draft().into(),
            content.date.into(),
            content.date_due.into(),
            content.date_valid_till.into(),
            i64::from(content.date.year()).into(),
            content.customer_id.into(),
            content.business_unit_id.into(),
            content.currency.code().into(),
            (&amounts.total).into(),
            (&amounts.total_with_tax).into(),
            (&amounts.total_discount).into(),
            amounts.total_converted.as_ref().into(),
            amounts.total_with_tax_converted.as_ref().into(),
            (&amounts.total_paid).into(),
            (&self.total_due()).into(),
            self.paid_in_full().into(),
            content.transaction_type.name().into(),
            self.source.name().into(),
            self.mode.name().into(),
            content.reference.as_ref().into(),
            self.shareable_id.as_ref().into(),
            (&content.metadata).into(),
            self.accepted_at().into(),
            self.rejected_at().into(),
            self.voided_at().into(),
            self.deleted_at.into(),
            self.created_at.into(),
            self.updated_at.into(),
            content.texts.note.as_ref().into(),
            customer(|party| &party.name),
            customer(|party| &party.email),
            customer(|party| &party.tax_number),
            customer(|party| &party.company_number),
            customer(|party| &party.city),
            customer(|party| &party.country_code),
            content.business_unit.as_ref().map(|unit| &unit.name).into(),
            content.issuer.name.as_ref().into(),
            self.number_key().into(),
            self.fiscal_record().map(|record| &record.premise).into(),
            self.fiscal_record().and_then(|record| record.device.as_ref()).into(),
        ]
    }
}
