//! The keys of an entity's settings, with what they mean and what holds when they are absent.

use serde_json::{Value as Json, json};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Ref, RefOr};

/// The schema's name.
pub(super) const NAME: &str = "EntitySettings";

/// What keys mean. A key without a default leaves out what it is for.
pub(super) const MEANINGS: [(&str, &str); 44] = [
    ("pdf_template", "How PDFs look."),
    (
        "number_formats",
        "Formats of numbers by kind of document, of `{yyyy}` or `{yy}` and `{nnnnn}`, as many \
         digits as there are n. Absent: `{yyyy}-{nnnnn}`, with `CN-`, `ADV-`, `DN-` and `EXP-` \
         before it for credit notes, advance invoices, delivery notes and expenses.",
    ),
    (
        "unit_number_formats",
        "The same for documents of business units, with `{u}` for the unit's index; \
         `{yyyy}-{u}-{nnnnn}` when absent.",
    ),
    ("number_sequence_starts", "The first number of a fresh series, by kind; 1 when absent."),
    (
        "unit_number_sequence_starts",
        "The same for business units: by kind, then by the unit's id or numbering index.",
    ),
    ("primary_color", "The colour of documents: `#RGB` or `#RRGGBB`."),
    ("logo_scale_percent", "How large the logo is."),
    ("has_logo", "Whether documents show the logo."),
    ("has_signature", "Whether documents show the signature."),
    ("default_invoice_due_days", "Days from an invoice's date to its due date; 30 when absent."),
    ("default_estimate_valid_days", "Days for which an estimate is valid; 30 when absent."),
    ("email", "Where answers to mails go."),
    (
        "email_defaults",
        "Subjects and texts of mails by kind of document, with `{placeholders}`. Absent: Racun's \
         own in Slovenian, Croatian, German or English, by the document's locale.",
    ),
    ("default_invoice_note", "Note of invoices that are sent none."),
    ("default_invoice_payment_terms", "Payment terms of invoices that are sent none."),
    ("default_estimate_note", "Note of estimates that are sent none."),
    ("default_estimate_payment_terms", "Payment terms of estimates that are sent none."),
    ("default_credit_note_note", "Note of credit notes that are sent none."),
    ("default_credit_note_payment_terms", "Payment terms of credit notes that are sent none."),
    ("default_advance_invoice_note", "Note of advance invoices that are sent none."),
    ("default_delivery_note_note", "Note of delivery notes that are sent none."),
    ("document_footer", "Footer of documents that are sent none."),
    ("default_document_signature", "Signature of documents that are sent none."),
    ("translations", "The texts above in other languages, by locale."),
    ("calculation", "`default_mode`: how documents are calculated that name no mode."),
    ("pt", "Operator of documents in Portugal."),
    (
        "tax_rules",
        "`eu`: `vies_validate_vat`, whether VIES is asked for customers' VAT numbers (true when \
         absent); `auto_reverse_charge`, whether taxes that the customer owes are so; \
         `auto_remove_tax_export`, whether sales outside the Union have none; \
         `require_gross_prices`. False when absent.",
    ),
    ("tax_clause_defaults", "Tax clauses by kind of transaction, of documents that are sent none."),
    (
        "overdue_notifications",
        "Mails about overdue invoices; off when absent. They are kept and not sent yet.",
    ),
    ("payment_reminders", "Texts of payment reminders; Racun's own when absent."),
    ("upn_qr", "The UPN QR code of Slovenia on documents; off when absent."),
    ("epc_qr", "The EPC QR code on documents; off when absent."),
    ("hub3_qr", "The HUB3 bar code of Croatia on documents; off when absent."),
    ("bank_accounts", "Accounts that customers pay to. Racun gives each an `id`."),
    ("eslog_validation_enabled", "Whether documents are checked for e-SLOG."),
    ("ujp_validation_with_eslog_enabled", "Whether they are checked for UJP, too."),
    ("xrechnung", "Whether documents come as XRechnung; off when absent."),
    ("zugferd", "Whether documents come as ZUGFeRD; off when absent."),
    ("delivery_note_hide_prices", "Whether delivery notes hide prices; false when absent."),
    (
        "credit_note_negative_values",
        "Whether credit notes show values below zero; false when absent.",
    ),
    ("show_payment_amounts", "Whether documents show what was paid."),
    ("receipt_note", "Note of receipts."),
    ("receipt_footer", "Footer of receipts."),
    ("receipt_signature", "Signature of receipts."),
];

/// What settings are as a whole.
const MEANING: &str = "An entity's settings. Answered as they were set: a default acts, but is not \
                       shown. Sent, they are merged key by key, and null removes a key. Keys that \
                       Racun does not know are kept as they are; those that look like a slip of \
                       a known one are refused.";

/// A reference to the settings.
pub(crate) fn settings() -> RefOr<Schema> {
    Ref::from_schema_name(NAME).into()
}

/// The settings' schema.
pub(super) fn schema() -> Json {
    let mut schema = racun_access::settings_schema();
    for (key, meaning) in MEANINGS {
        schema["properties"][key]["description"] = meaning.into();
    }
    schema["description"] = MEANING.into();
    json!(schema)
}
