//! A document as stores and the log see it.

use racun_kernel::{Issue, Issues, Stamp, Tenant};
use racun_store::Listing::{Long, Ordered, Seldom};
use racun_store::{Field, State, Unique, Value, json_length};

use super::{Document, NewDocument};
use crate::amounts::Amounts;
use crate::content::Content;
use crate::error::DocumentError;

impl Document {
    /// Bytes that a document may be long, as stored: some thousand lines of ordinary length.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// A new draft: checked, calculated, and not too long.
    ///
    /// # Errors
    /// As [`Document::priced`]; `document_too_large` under `items`.
    pub fn draft(new: NewDocument, stamp: &Stamp) -> Result<Self, DocumentError> {
        Ok(Self::priced(new, stamp)?.of_bounded_length()?)
    }

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
}

/// Names of the fields, as on the wire, in which `before` differs.
pub(super) fn changed_fields(
    before: &Document,
    content: &Content,
    amounts: &Amounts,
) -> Vec<String> {
    let totals = [
        ("total", before.amounts.total != amounts.total),
        ("total_with_tax", before.amounts.total_with_tax != amounts.total_with_tax),
    ];
    let totals = totals.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name);
    content.changes_of(&before.content).chain(totals).map(str::to_owned).collect()
}

// What no two documents share is the hidden `number_key`: the number itself, but for fiscalized
// documents, whose numbers restart each year without naming it. Takings of a place ask for the
// hidden `fiscal_premise` and `fiscal_device`: the names in the fiscal record.
racun_store::record! {
    |document: Document| in crate::table_of(document.id.kind()),
    id: document.id,
    tenant: Tenant::entity(document.entity_id),
    trashed: document.deleted_at.is_some(),
    where {
        let (content, amounts) = (&document.content, &document.amounts);
        let customer = |field: fn(&crate::Party) -> &Option<String>| {
            Value::from(content.customer.as_ref().and_then(|party| field(party).as_ref()))
        };
    }
    fields: {
        Field::id() => document.id.to_string(),
        Field::text("number").searched().listed(Ordered) => document.number(),
        Field::bool("is_draft").listed(Ordered).state(State::Beside) => document.is_draft(),
        Field::date("date").indexed().listed(Ordered) => content.date,
        Field::date("date_due").listed(Ordered).state(State::Beside) => content.date_due,
        Field::date("date_valid_till").listed(Seldom) => content.date_valid_till,
        Field::number("date_year").listed(Ordered) => content.date.year(),
        Field::text("customer_id").indexed().listed(Ordered) => content.customer_id,
        Field::text("business_unit_id").listed(Ordered) => content.business_unit_id,
        Field::text("currency_code").listed(Ordered) => content.currency.code(),
        Field::number("total").listed(Ordered) => amounts.total,
        Field::number("total_with_tax").listed(Ordered) => amounts.total_with_tax,
        Field::number("total_discount").listed(Ordered) => amounts.total_discount,
        Field::number("total_converted").listed(Seldom) => amounts.total_converted,
        Field::number("total_with_tax_converted").listed(Seldom)
            => amounts.total_with_tax_converted,
        Field::number("total_paid").listed(Ordered).state(State::Beside) => amounts.total_paid,
        Field::number("total_due").listed(Ordered) => document.total_due(),
        Field::bool("paid_in_full").listed(Ordered).state(State::Leads) => document.paid_in_full(),
        Field::text("transaction_type").listed(Ordered) => content.transaction_type.name(),
        Field::text("creation_source").listed(Ordered) => document.source.name(),
        Field::text("calculation_mode").listed(Ordered) => document.mode.name(),
        Field::text("reference").searched().listed(Seldom) => content.reference,
        Field::text("shareable_id").unique(Unique::Everywhere).listed(Seldom)
            => document.shareable_id,
        Field::map("metadata") => content.metadata,
        Field::instant("accepted_at").listed(Seldom) => document.accepted_at(),
        Field::instant("rejected_at").listed(Seldom) => document.rejected_at(),
        Field::instant("voided_at").indexed().listed(Seldom).state(State::Beside)
            => document.voided_at(),
        Field::instant("deleted_at") => document.deleted_at,
        Field::instant("created_at") => document.created_at,
        Field::instant("updated_at").listed(Ordered) => document.updated_at,
        Field::body("note", &["content", "texts", "note"]).searched().listed(Long)
            => content.texts.note,
        Field::body("customer.name", &["content", "customer", "name"]).searched().listed(Ordered)
            => customer(|party| &party.name),
        Field::body("customer.email", &["content", "customer", "email"]).searched().listed(Ordered)
            => customer(|party| &party.email),
        Field::body("customer.tax_number", &["content", "customer", "tax_number"])
            .searched()
            .listed(Ordered)
            => customer(|party| &party.tax_number),
        Field::body("customer.company_number", &["content", "customer", "company_number"])
            .searched()
            .listed(Seldom)
            => customer(|party| &party.company_number),
        Field::body("customer.city", &["content", "customer", "city"]).searched().listed(Ordered)
            => customer(|party| &party.city),
        Field::body("customer.country_code", &["content", "customer", "country_code"])
            .listed(Ordered)
            => customer(|party| &party.country_code),
        Field::body("business_unit.name", &["content", "business_unit", "name"])
            .searched()
            .listed(Ordered)
            => content.business_unit.as_ref().map(|unit| &unit.name),
        Field::body("issuer.name", &["content", "issuer", "name"]).listed(Ordered)
            => content.issuer.name,
        Field::text("number_key").unique(Unique::Tenant).hidden() => document.number_key(),
        Field::body("fiscal_premise", &["fiscal", "record", "premise"]).hidden()
            => document.fiscal_record().map(|record| &record.premise),
        Field::body("fiscal_device", &["fiscal", "record", "device"]).hidden()
            => document.fiscal_record().and_then(|record| record.device.as_ref()),
    }
}
