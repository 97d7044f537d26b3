//! The settings that Racun knows, and what each may be.

use racun_kernel::iban::BANK_ACCOUNTS;

use super::value_type::Property;
use super::value_type::ValueType::{
    self, Bool, Each, Form, List, Localized, Object, OneOf, Text, Whole,
};

const TEMPLATES: &[&str] =
    &["modern", "classic", "condensed", "minimal", "fashion", "timeless_modern_full_data"];

const MAX_NOTE_CHARS: usize = 10_000;
const MAX_TERMS_CHARS: usize = 500;
const MAX_FOOTER_CHARS: usize = 500;
const MAX_SIGNATURE_CHARS: usize = 1000;
const MAX_SUBJECT_CHARS: usize = 500;
const MAX_BODY_CHARS: usize = 2000;
const MAX_CLAUSE_CHARS: usize = 2000;
const MAX_FORMAT_CHARS: usize = 100;
const MAX_LABEL_CHARS: usize = 255;
const MAX_DAYS: i64 = 3650;
/// Nine digits, as a number format holds them.
const MAX_START: i64 = 999_999_999;
const MAX_BANK_ACCOUNTS: usize = 50;
const MAX_THRESHOLDS: usize = 10;

const fn optional(name: &'static str, value_type: ValueType) -> Property {
    Property::optional(name, value_type)
}

const fn required(name: &'static str, value_type: ValueType) -> Property {
    Property::required(name, value_type)
}

/// A setting that a business unit may have instead of its entity's (`BusinessUnitSettings`).
const fn of_units(name: &'static str, value_type: ValueType) -> Property {
    Property::optional(name, value_type).of_units()
}

/// All known keys but those that have endpoints of their own, with what they mean and what holds
/// when they are absent. A key without a default leaves out what it is for.
pub(super) static SETTINGS: [Property; 45] = [
    of_units("pdf_template", OneOf(TEMPLATES))
        .means("How PDFs look; `modern` when absent. Always `classic` in Portugal."),
    optional("number_formats", Object(&FORMATS)).means(
        "Formats of numbers by kind of document, of `{yyyy}` or `{yy}` and `{nnnnn}`, as \
             many digits as there are n. Absent: `{yyyy}-{nnnnn}`, with `CN-`, `ADV-`, `DN-` \
             and `EXP-` before it for credit notes, advance invoices, delivery notes and \
             expenses.",
    ),
    optional("unit_number_formats", Object(&FORMATS)).means(
        "The same for documents of business units, with `{u}` for the unit's index; \
             `{yyyy}-{u}-{nnnnn}` when absent.",
    ),
    optional("number_sequence_starts", Object(&STARTS))
        .means("The first number of a fresh series, by kind; 1 when absent."),
    optional("unit_number_sequence_starts", Object(&UNIT_STARTS))
        .means("The same for business units: by kind, then by the unit's id or numbering index."),
    of_units("primary_color", Form(is_color, "#RGB or #RRGGBB in hexadecimal digits"))
        .means("The colour of documents: `#RGB` or `#RRGGBB`."),
    of_units("logo_scale_percent", Whole(30, 100))
        .means("Percent of the logo's size in the template; 100 when absent."),
    optional("has_logo", Bool)
        .means("Whether documents show the entity's logo; uploading one sets it."),
    optional("has_signature", Bool)
        .means("Whether documents show the entity's signature; uploading one sets it."),
    optional("default_invoice_due_days", Whole(0, MAX_DAYS))
        .means("Days from an invoice's date to its due date; 30 when absent."),
    optional("default_estimate_valid_days", Whole(0, MAX_DAYS))
        .means("Days for which an estimate is valid; 30 when absent."),
    optional("email", Text(MAX_LABEL_CHARS)).means("Where answers to mails go."),
    of_units("email_defaults", Object(&EMAIL_DEFAULTS)).means(
        "Subjects and texts of mails by kind of document, with `{placeholders}`. Absent: \
             Racun's own in Slovenian, Croatian, German or English, by the document's locale.",
    ),
    of_units("default_invoice_note", Text(MAX_NOTE_CHARS))
        .means("Note of invoices that are sent none."),
    of_units("default_invoice_payment_terms", Text(MAX_TERMS_CHARS))
        .means("Payment terms of invoices that are sent none."),
    of_units("default_estimate_note", Text(MAX_NOTE_CHARS))
        .means("Note of estimates that are sent none."),
    of_units("default_estimate_payment_terms", Text(MAX_TERMS_CHARS))
        .means("Payment terms of estimates that are sent none."),
    of_units("default_credit_note_note", Text(MAX_NOTE_CHARS))
        .means("Note of credit notes that are sent none."),
    of_units("default_credit_note_payment_terms", Text(MAX_TERMS_CHARS))
        .means("Payment terms of credit notes that are sent none."),
    of_units("default_advance_invoice_note", Text(MAX_NOTE_CHARS))
        .means("Note of advance invoices that are sent none."),
    of_units("default_delivery_note_note", Text(MAX_NOTE_CHARS))
        .means("Note of delivery notes that are sent none."),
    of_units("document_footer", Text(MAX_FOOTER_CHARS)).means(
        "Footer of documents that are sent none. In all texts of documents `{entity_name}` and \
             other variables of mails stand for what the document says, when it is shown.",
    ),
    of_units("default_document_signature", Text(MAX_SIGNATURE_CHARS))
        .means("Signature of documents that are sent none."),
    of_units("translations", Object(&TRANSLATIONS))
        .means("The texts above in other languages, by locale."),
    optional("calculation", Object(&CALCULATION))
        .means("`default_mode`: how documents are calculated that name no mode."),
    optional("pt", Object(&PORTUGAL)).means("Operator of documents in Portugal."),
    optional("tax_rules", Object(&TAX_RULES)).means(
        "`eu`: `vies_validate_vat`, whether VIES is asked for customers' VAT numbers (true \
             when absent); `auto_reverse_charge`, whether taxes that the customer owes are so; \
             `auto_remove_tax_export`, whether sales outside the Union have none; \
             `require_gross_prices`. False when absent.",
    ),
    of_units("tax_clause_defaults", Object(&TAX_CLAUSES))
        .means("Tax clauses by kind of transaction, of documents that are sent none."),
    optional("overdue_notifications", Object(&OVERDUE_NOTIFICATIONS))
        .means("Mails about overdue invoices; off when absent. They are kept and not sent yet."),
    optional("payment_reminders", Object(&PAYMENT_REMINDERS))
        .means("Texts of payment reminders; Racun's own when absent."),
    optional("upn_qr", Object(&UPN_QR))
        .means("The UPN QR code of Slovenia on documents; off when absent."),
    optional("epc_qr", Object(&EPC_QR)).means("The EPC QR code on documents; off when absent."),
    optional("hub3_qr", Object(&HUB3_QR))
        .means("The HUB3 bar code of Croatia on documents; off when absent."),
    of_units(BANK_ACCOUNTS, List(MAX_BANK_ACCOUNTS, &Object(&BANK_ACCOUNT)))
        .means("Accounts that customers pay to. Racun gives each an `id`."),
    optional("eslog_validation_enabled", Bool).means(
        "Whether documents of entities in Slovenia are checked for e-SLOG when they are issued or \
             changed; false when absent. They are issued all the same.",
    ),
    optional("ujp_validation_with_eslog_enabled", Bool).means(
        "Whether invoices and credit notes that are checked for e-SLOG are checked for UJP, too; \
             false when absent.",
    ),
    optional("xrechnung", Object(&SWITCH)).means(
        "`enabled`: whether entities in Germany issue invoices and credit notes only when they \
             are valid as XRechnung, unless a request says otherwise; false when absent.",
    ),
    optional("zugferd", Object(&SWITCH)).means("The same for ZUGFeRD."),
    optional("e_invoicing", Object(&E_INVOICING)).means(
        "Whether documents are sent as electronic invoices, and whether when they are issued; \
             false when absent. Ignored here: it has an endpoint of its own.",
    ),
    of_units("delivery_note_hide_prices", Bool)
        .means("Whether delivery notes hide prices; false when absent."),
    of_units("credit_note_negative_values", Bool)
        .means("Whether credit notes show values below zero; false when absent."),
    of_units("show_payment_amounts", Bool)
        .means("Whether documents show what was paid and is due; true when absent."),
    optional("receipt_note", Text(MAX_NOTE_CHARS))
        .means("Note of receipts, after that of the document."),
    optional("receipt_footer", Text(MAX_FOOTER_CHARS))
        .means("Footer of receipts; that of the document when absent."),
    optional("receipt_signature", Text(MAX_SIGNATURE_CHARS))
        .means("Signature of receipts; that of the document when absent."),
];

static FORMATS: [Property; 6] = [
    optional("invoice", Text(MAX_FORMAT_CHARS)),
    optional("estimate", Text(MAX_FORMAT_CHARS)),
    optional("credit_note", Text(MAX_FORMAT_CHARS)),
    optional("advance_invoice", Text(MAX_FORMAT_CHARS)),
    optional("delivery_note", Text(MAX_FORMAT_CHARS)),
    optional("expense", Text(MAX_FORMAT_CHARS)),
];

static STARTS: [Property; 6] = [
    optional("invoice", Whole(1, MAX_START)),
    optional("estimate", Whole(1, MAX_START)),
    optional("credit_note", Whole(1, MAX_START)),
    optional("advance_invoice", Whole(1, MAX_START)),
    optional("delivery_note", Whole(1, MAX_START)),
    optional("expense", Whole(1, MAX_START)),
];

/// By kind; then by the unit's id or numbering index.
static UNIT_STARTS: [Property; 6] = [
    optional("invoice", Each(&Whole(1, MAX_START))),
    optional("estimate", Each(&Whole(1, MAX_START))),
    optional("credit_note", Each(&Whole(1, MAX_START))),
    optional("advance_invoice", Each(&Whole(1, MAX_START))),
    optional("delivery_note", Each(&Whole(1, MAX_START))),
    optional("expense", Each(&Whole(1, MAX_START))),
];

static EMAIL_DEFAULTS: [Property; 10] = [
    optional("invoice_subject", Text(MAX_SUBJECT_CHARS)),
    optional("invoice_body", Text(MAX_BODY_CHARS)),
    optional("estimate_subject", Text(MAX_SUBJECT_CHARS)),
    optional("estimate_body", Text(MAX_BODY_CHARS)),
    optional("credit_note_subject", Text(MAX_SUBJECT_CHARS)),
    optional("credit_note_body", Text(MAX_BODY_CHARS)),
    optional("advance_invoice_subject", Text(MAX_SUBJECT_CHARS)),
    optional("advance_invoice_body", Text(MAX_BODY_CHARS)),
    optional("delivery_note_subject", Text(MAX_SUBJECT_CHARS)),
    optional("delivery_note_body", Text(MAX_BODY_CHARS)),
];

pub(super) static TRANSLATIONS: [Property; 16] = [
    optional("default_invoice_note", Localized(MAX_NOTE_CHARS)),
    optional("default_invoice_payment_terms", Localized(MAX_TERMS_CHARS)),
    optional("default_estimate_note", Localized(MAX_NOTE_CHARS)),
    optional("default_estimate_payment_terms", Localized(MAX_TERMS_CHARS)),
    optional("default_credit_note_note", Localized(MAX_NOTE_CHARS)),
    optional("default_credit_note_payment_terms", Localized(MAX_TERMS_CHARS)),
    optional("default_advance_invoice_note", Localized(MAX_NOTE_CHARS)),
    optional("default_delivery_note_note", Localized(MAX_NOTE_CHARS)),
    optional("document_footer", Localized(MAX_FOOTER_CHARS)),
    optional("default_document_signature", Localized(MAX_SIGNATURE_CHARS)),
    optional("receipt_note", Localized(MAX_NOTE_CHARS)),
    optional("receipt_footer", Localized(MAX_FOOTER_CHARS)),
    optional("receipt_signature", Localized(MAX_SIGNATURE_CHARS)),
    optional("email_defaults", Object(&EMAIL_TRANSLATIONS)),
    optional("payment_reminders", Object(&REMINDER_TRANSLATIONS)),
    optional("tax_clause_defaults", Object(&CLAUSE_TRANSLATIONS)),
];

static EMAIL_TRANSLATIONS: [Property; 10] = [
    optional("invoice_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("invoice_body", Localized(MAX_BODY_CHARS)),
    optional("estimate_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("estimate_body", Localized(MAX_BODY_CHARS)),
    optional("credit_note_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("credit_note_body", Localized(MAX_BODY_CHARS)),
    optional("advance_invoice_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("advance_invoice_body", Localized(MAX_BODY_CHARS)),
    optional("delivery_note_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("delivery_note_body", Localized(MAX_BODY_CHARS)),
];

static REMINDER_TRANSLATIONS: [Property; 3] = [
    optional("email_subject", Localized(MAX_SUBJECT_CHARS)),
    optional("email_body", Localized(MAX_BODY_CHARS)),
    optional("payment_instructions", Localized(MAX_BODY_CHARS)),
];

static CLAUSE_TRANSLATIONS: [Property; 6] = [
    optional("domestic", Localized(MAX_CLAUSE_CHARS)),
    optional("intra_eu_b2b", Localized(MAX_CLAUSE_CHARS)),
    optional("intra_eu_b2c", Localized(MAX_CLAUSE_CHARS)),
    optional("3w_b2b", Localized(MAX_CLAUSE_CHARS)),
    optional("3w_b2c", Localized(MAX_CLAUSE_CHARS)),
    optional("export", Localized(MAX_CLAUSE_CHARS)),
];

static CALCULATION: [Property; 1] =
    [optional("default_mode", OneOf(&["b2b_standard", "b2c_gross_discount"]))];

static PORTUGAL: [Property; 3] = [
    optional("operator_first_name", Form(is_name, "a name of 1 to 255 characters")),
    optional("operator_last_name", Form(is_name, "a name of 1 to 255 characters")),
    optional("operator_tax_number", Form(is_nine_digits, "nine digits")),
];

static TAX_RULES: [Property; 1] = [optional("eu", Object(&EU_TAX_RULES))];

static EU_TAX_RULES: [Property; 4] = [
    optional("vies_validate_vat", Bool),
    optional("auto_reverse_charge", Bool),
    optional("auto_remove_tax_export", Bool),
    optional("require_gross_prices", Bool),
];

static TAX_CLAUSES: [Property; 6] = [
    optional("domestic", Text(MAX_CLAUSE_CHARS)),
    optional("intra_eu_b2b", Text(MAX_CLAUSE_CHARS)),
    optional("intra_eu_b2c", Text(MAX_CLAUSE_CHARS)),
    optional("3w_b2b", Text(MAX_CLAUSE_CHARS)),
    optional("3w_b2c", Text(MAX_CLAUSE_CHARS)),
    optional("export", Text(MAX_CLAUSE_CHARS)),
];

static OVERDUE_NOTIFICATIONS: [Property; 4] = [
    optional("enabled", Bool),
    optional("threshold_days", List(MAX_THRESHOLDS, &Whole(1, MAX_DAYS))),
    optional("email_subject", Text(MAX_SUBJECT_CHARS)),
    optional("email_body", Text(MAX_BODY_CHARS)),
];

static PAYMENT_REMINDERS: [Property; 3] = [
    optional("email_subject", Text(MAX_SUBJECT_CHARS)),
    optional("email_body", Text(MAX_BODY_CHARS)),
    optional("payment_instructions", Text(MAX_BODY_CHARS)),
];

static SWITCH: [Property; 1] = [optional("enabled", Bool)];

static E_INVOICING: [Property; 2] = [optional("enabled", Bool), optional("auto_send", Bool)];

static UPN_QR: [Property; 3] = [
    required("enabled", Bool),
    optional("display_mode", OneOf(&["qr_only", "full_slip"])),
    optional("purpose_code", Form(is_purpose, "four capitals, such as OTHR")),
];

static EPC_QR: [Property; 1] = [required("enabled", Bool)];

static HUB3_QR: [Property; 3] = [
    required("enabled", Bool),
    optional("purpose_code", Form(is_purpose, "four capitals, such as OTHR")),
    optional("reference_model", Form(is_reference_model, "HR and two digits, such as HR00")).means(
        "How references are made of numbers; `HR00` when absent. A number with fewer parts than \
             the model wants, or without room for its check digits, becomes one of `HR00`; so it \
             does by models beyond `HR10`, but for `HR99`, which has none: their payees make \
             references themselves.",
    ),
];

/// EntityBankAccount of the interface, with the id that Racun gives it.
static BANK_ACCOUNT: [Property; 10] = [
    optional("id", Text(36)),
    optional("type", OneOf(&["iban", "us_domestic", "uk_domestic", "other"])),
    optional("name", Text(MAX_LABEL_CHARS)),
    optional("bank_name", Text(MAX_LABEL_CHARS)),
    optional("iban", Text(50)),
    optional("account_number", Text(50)),
    optional("bic", Text(20)),
    optional("routing_number", Text(20)),
    optional("sort_code", Text(20)),
    optional("is_default", Bool),
];

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MAX_LABEL_CHARS
}

fn is_nine_digits(text: &str) -> bool {
    text.len() == 9 && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_purpose(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|b| b.is_ascii_uppercase())
}

fn is_reference_model(text: &str) -> bool {
    let digits = text.strip_prefix("HR").unwrap_or_default();
    digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit())
}
