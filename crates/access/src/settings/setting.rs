//! The settings that Racun reads. What each may be and means is declared among the known ones.

use super::key::{Group, Key, List, Localized};

/// What is numbered, as settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbered {
    /// Invoices.
    Invoice,
    /// Estimates.
    Estimate,
    /// Credit notes.
    CreditNote,
    /// Advance invoices.
    AdvanceInvoice,
    /// Delivery notes.
    DeliveryNote,
    /// Expenses.
    Expense,
}

impl Numbered {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Invoice,
        Self::Estimate,
        Self::CreditNote,
        Self::AdvanceInvoice,
        Self::DeliveryNote,
        Self::Expense,
    ];

    /// What settings call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NUMBER_FORMATS.of(self).name()
    }
}

/// One key for each [`Numbered`], in their order.
#[derive(Clone, Copy)]
pub struct EachNumbered<T: ?Sized>([Key<T>; 6]);

impl<T: ?Sized> EachNumbered<T> {
    /// The key for `kind`.
    #[must_use]
    pub const fn of(&self, kind: Numbered) -> Key<T> {
        let [invoice, estimate, credit_note, advance_invoice, delivery_note, expense] = self.0;
        match kind {
            Numbered::Invoice => invoice,
            Numbered::Estimate => estimate,
            Numbered::CreditNote => credit_note,
            Numbered::AdvanceInvoice => advance_invoice,
            Numbered::DeliveryNote => delivery_note,
            Numbered::Expense => expense,
        }
    }
}

macro_rules! each_numbered {
    ($how:ident $group:literal) => {
        EachNumbered([
            Key::$how(&[$group, "invoice"]),
            Key::$how(&[$group, "estimate"]),
            Key::$how(&[$group, "credit_note"]),
            Key::$how(&[$group, "advance_invoice"]),
            Key::$how(&[$group, "delivery_note"]),
            Key::$how(&[$group, "expense"]),
        ])
    };
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $how:ident $path:expr;)+) => {
        $($(#[$doc])* pub const $name: Key<$value> = Key::$how(&$path);)+
    };
}

/// Formats of numbers.
pub const NUMBER_FORMATS: EachNumbered<str> = each_numbered!(text "number_formats");
/// Formats of numbers of business units.
pub const UNIT_NUMBER_FORMATS: EachNumbered<str> = each_numbered!(text "unit_number_formats");
/// First numbers of fresh series.
pub const NUMBER_SEQUENCE_STARTS: EachNumbered<i64> =
    each_numbered!(whole "number_sequence_starts");
/// First numbers of fresh series of business units, by the unit's id or numbering index.
pub const UNIT_NUMBER_SEQUENCE_STARTS: EachNumbered<Group> =
    each_numbered!(group "unit_number_sequence_starts");

keys! {
    /// Whether documents show the logo.
    HAS_LOGO: bool = flag ["has_logo"];
    /// Whether documents show the signature.
    HAS_SIGNATURE: bool = flag ["has_signature"];
    /// Days from an invoice's date to its due date.
    DEFAULT_INVOICE_DUE_DAYS: i64 = whole ["default_invoice_due_days"];
    /// Days for which an estimate is valid.
    DEFAULT_ESTIMATE_VALID_DAYS: i64 = whole ["default_estimate_valid_days"];
    /// Where answers to mails go.
    EMAIL: str = text ["email"];
    /// Bank accounts.
    BANK_ACCOUNTS: List = list [racun_kernel::iban::BANK_ACCOUNTS];
    /// First numbers of fresh series of business units, by kind.
    UNIT_STARTS_BY_KIND: Group = group ["unit_number_sequence_starts"];
    /// Texts in other languages.
    TRANSLATIONS: Group = group ["translations"];
    /// First name of who issues documents in Portugal.
    PT_OPERATOR_FIRST_NAME: str = text ["pt", "operator_first_name"];
    /// Their last name.
    PT_OPERATOR_LAST_NAME: str = text ["pt", "operator_last_name"];
    /// Their tax number.
    PT_OPERATOR_TAX_NUMBER: str = text ["pt", "operator_tax_number"];
    /// How documents are calculated that name no mode.
    CALCULATION_DEFAULT_MODE: str = text ["calculation", "default_mode"];
    /// Whether delivery notes hide prices.
    DELIVERY_NOTE_HIDE_PRICES: bool = flag ["delivery_note_hide_prices"];

    /// How documents look.
    PDF_TEMPLATE: str = text ["pdf_template"];
    /// The colour of documents.
    PRIMARY_COLOR: str = text ["primary_color"];
    /// How large the logo is.
    LOGO_SCALE_PERCENT: i64 = whole ["logo_scale_percent"];
    /// Whether credit notes show values below zero.
    CREDIT_NOTE_NEGATIVE_VALUES: bool = flag ["credit_note_negative_values"];
    /// Whether documents show what was paid and what is due.
    SHOW_PAYMENT_AMOUNTS: bool = flag ["show_payment_amounts"];
    /// Whether documents have a UPN QR code.
    UPN_QR_ENABLED: bool = flag ["upn_qr", "enabled"];
    /// The code alone, or the whole slip.
    UPN_QR_DISPLAY_MODE: str = text ["upn_qr", "display_mode"];
    /// The purpose in the UPN QR code.
    UPN_QR_PURPOSE_CODE: str = text ["upn_qr", "purpose_code"];
    /// Whether documents have an EPC QR code.
    EPC_QR_ENABLED: bool = flag ["epc_qr", "enabled"];
    /// Whether documents have a HUB3 code.
    HUB3_QR_ENABLED: bool = flag ["hub3_qr", "enabled"];
    /// The purpose in the HUB3 code.
    HUB3_QR_PURPOSE_CODE: str = text ["hub3_qr", "purpose_code"];
    /// The model of references in the HUB3 code.
    HUB3_QR_REFERENCE_MODEL: str = text ["hub3_qr", "reference_model"];
    /// Whether documents are checked for e-SLOG.
    ESLOG_VALIDATION_ENABLED: bool = flag ["eslog_validation_enabled"];
    /// Whether they are checked for UJP, too.
    UJP_VALIDATION_ENABLED: bool = flag ["ujp_validation_with_eslog_enabled"];
    /// Whether documents are issued only when they are valid as XRechnung.
    XRECHNUNG_ENABLED: bool = flag ["xrechnung", "enabled"];
    /// The same as ZUGFeRD.
    ZUGFERD_ENABLED: bool = flag ["zugferd", "enabled"];
    /// Whether documents are sent as electronic invoices.
    E_INVOICING_ENABLED: bool = flag ["e_invoicing", "enabled"];
    /// Whether they are sent when they are issued.
    E_INVOICING_AUTO_SEND: bool = flag ["e_invoicing", "auto_send"];
    /// Note of receipts.
    RECEIPT_NOTE: Localized = localized ["receipt_note"];
    /// Footer of receipts.
    RECEIPT_FOOTER: Localized = localized ["receipt_footer"];
    /// Signature of receipts.
    RECEIPT_SIGNATURE: Localized = localized ["receipt_signature"];

    /// Whether VIES is asked for customers' VAT numbers.
    VIES_VALIDATE_VAT: bool = flag ["tax_rules", "eu", "vies_validate_vat"];
    /// Whether taxes that the customer owes are so.
    AUTO_REVERSE_CHARGE: bool = flag ["tax_rules", "eu", "auto_reverse_charge"];
    /// Whether sales outside the Union have no taxes.
    AUTO_REMOVE_TAX_EXPORT: bool = flag ["tax_rules", "eu", "auto_remove_tax_export"];
    /// Whether prices must be gross.
    REQUIRE_GROSS_PRICES: bool = flag ["tax_rules", "eu", "require_gross_prices"];

    /// Note of invoices.
    INVOICE_NOTE: Localized = localized ["default_invoice_note"];
    /// Payment terms of invoices.
    INVOICE_PAYMENT_TERMS: Localized = localized ["default_invoice_payment_terms"];
    /// Note of estimates.
    ESTIMATE_NOTE: Localized = localized ["default_estimate_note"];
    /// Payment terms of estimates.
    ESTIMATE_PAYMENT_TERMS: Localized = localized ["default_estimate_payment_terms"];
    /// Note of credit notes.
    CREDIT_NOTE_NOTE: Localized = localized ["default_credit_note_note"];
    /// Payment terms of credit notes.
    CREDIT_NOTE_PAYMENT_TERMS: Localized = localized ["default_credit_note_payment_terms"];
    /// Note of advance invoices.
    ADVANCE_INVOICE_NOTE: Localized = localized ["default_advance_invoice_note"];
    /// Note of delivery notes.
    DELIVERY_NOTE_NOTE: Localized = localized ["default_delivery_note_note"];
    /// Footer of documents.
    DOCUMENT_FOOTER: Localized = localized ["document_footer"];
    /// Signature of documents.
    DOCUMENT_SIGNATURE: Localized = localized ["default_document_signature"];

    /// Tax clause of domestic sales.
    CLAUSE_DOMESTIC: Localized = localized ["tax_clause_defaults", "domestic"];
    /// Tax clause of sales to businesses elsewhere in the Union.
    CLAUSE_INTRA_EU_B2B: Localized = localized ["tax_clause_defaults", "intra_eu_b2b"];
    /// Tax clause of sales to consumers elsewhere in the Union.
    CLAUSE_INTRA_EU_B2C: Localized = localized ["tax_clause_defaults", "intra_eu_b2c"];
    /// Tax clause of sales to businesses outside the Union.
    CLAUSE_THIRD_COUNTRY_B2B: Localized = localized ["tax_clause_defaults", "3w_b2b"];
    /// Tax clause of sales to consumers outside the Union.
    CLAUSE_THIRD_COUNTRY_B2C: Localized = localized ["tax_clause_defaults", "3w_b2c"];
    /// Tax clause of exports, as they were called before.
    CLAUSE_EXPORT: Localized = localized ["tax_clause_defaults", "export"];

    /// Texts of mails with documents.
    EMAIL_DEFAULTS: Group = group ["email_defaults"];
    /// Subject of mails with invoices.
    INVOICE_SUBJECT: Localized = localized ["email_defaults", "invoice_subject"];
    /// Text of mails with invoices.
    INVOICE_BODY: Localized = localized ["email_defaults", "invoice_body"];
    /// Subject of mails with estimates.
    ESTIMATE_SUBJECT: Localized = localized ["email_defaults", "estimate_subject"];
    /// Text of mails with estimates.
    ESTIMATE_BODY: Localized = localized ["email_defaults", "estimate_body"];
    /// Subject of mails with credit notes.
    CREDIT_NOTE_SUBJECT: Localized = localized ["email_defaults", "credit_note_subject"];
    /// Text of mails with credit notes.
    CREDIT_NOTE_BODY: Localized = localized ["email_defaults", "credit_note_body"];
    /// Subject of mails with advance invoices.
    ADVANCE_INVOICE_SUBJECT: Localized = localized ["email_defaults", "advance_invoice_subject"];
    /// Text of mails with advance invoices.
    ADVANCE_INVOICE_BODY: Localized = localized ["email_defaults", "advance_invoice_body"];
    /// Subject of mails with delivery notes.
    DELIVERY_NOTE_SUBJECT: Localized = localized ["email_defaults", "delivery_note_subject"];
    /// Text of mails with delivery notes.
    DELIVERY_NOTE_BODY: Localized = localized ["email_defaults", "delivery_note_body"];

    /// Texts of mails about overdue invoices.
    OVERDUE_NOTIFICATIONS: Group = group ["overdue_notifications"];
    /// Texts of payment reminders.
    PAYMENT_REMINDERS: Group = group ["payment_reminders"];
    /// Subject of payment reminders.
    REMINDER_SUBJECT: Localized = localized ["payment_reminders", "email_subject"];
    /// Text of payment reminders.
    REMINDER_BODY: Localized = localized ["payment_reminders", "email_body"];
    /// How to pay.
    PAYMENT_INSTRUCTIONS: Localized = localized ["payment_reminders", "payment_instructions"];
}
