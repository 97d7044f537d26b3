//! Payments in bodies.

use std::collections::BTreeMap;

use racun_kernel::calendar::{format_date, format_midnight};
use racun_kernel::{Decimal, Patch};
use racun_settlement::{NewPayment, Payment, PaymentPatch, PaymentReceipt, Tender};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::paid::{PaidDocumentBody, PaidExpenseBody};
use crate::body::{Convert, names};
use crate::scalar::Day;
use crate::schema::{nullable_number, number};

names! {
    /// How money moved.
    PaymentTypeBody as PaymentType of racun_settlement::PaymentType {
        Cash, BankTransfer, Card, CreditCard, DebitCard, Check, OnlineWallet, Coupon, Other,
        CreditNote, Advance
    }
}

/// Declares a payment as it is sent: what every payment has, and by which ids it names documents.
macro_rules! payment_input {
    ($(#[$meta:meta])* $body:ident { $($(#[$doc:meta])* $reference:ident,)* }) => {
        #[derive(Debug, Deserialize, ToSchema, Validate)]
        $(#[$meta])*
        pub struct $body {
            /// How much, above zero. Of payments that a document is made with one may leave it out:
            /// it takes what is left.
            #[schema(schema_with = nullable_number)]
            amount: Option<Decimal>,
            /// How.
            r#type: PaymentTypeBody,
            /// The day on which it was received, `YYYY-MM-DD`; today in the entity's zone when
            /// absent.
            #[schema(value_type = Option<String>)]
            date: Option<Day>,
            /// The payer's or bank's reference.
            reference: Option<String>,
            /// The caller's tag.
            tag: Option<String>,
            /// The caller's note.
            note: Option<String>,
            /// Up to 50 properties of at most 250 characters.
            metadata: Option<BTreeMap<String, String>>,
            /// What the customer gives beyond the amount, 0 or more; with money that pays an
            /// invoice or an advance invoice. It settles nothing.
            #[schema(schema_with = nullable_number)]
            tip: Option<Decimal>,
            /// The cash that is handed over, at least amount and tip; with type `cash` only.
            #[schema(schema_with = nullable_number)]
            tendered: Option<Decimal>,
            /// What is given back. It is computed: `tendered - amount - tip`; when sent, checked.
            #[schema(schema_with = nullable_number)]
            change: Option<Decimal>,
            $($(#[$doc])* $reference: Option<String>,)*
        }

        impl Convert<NewPayment> for $body {
            fn convert(self) -> NewPayment {
                NewPayment {
                    amount: self.amount,
                    date: self.date.map(|day| day.0),
                    reference: self.reference,
                    tag: self.tag,
                    note: self.note,
                    metadata: self.metadata.unwrap_or_default(),
                    tender: Tender {
                        tip: self.tip,
                        tendered: self.tendered,
                        change: self.change,
                    },
                    $($reference: self.$reference,)*
                    ..NewPayment::new(self.r#type.convert())
                }
            }
        }
    };
}

payment_input! {
    /// A payment of the document that is made. It takes no other properties.
    #[serde(deny_unknown_fields)]
    #[schema(as = CreateDocumentPayment)]
    PaymentInputBody {}
}

payment_input! {
    /// A payment of an expense.
    #[schema(as = CreateExpensePayment)]
    ExpensePaymentBody {}
}

payment_input! {
    /// A payment, and what it pays: one document or expense; with type `credit_note` an invoice and
    /// the credit note that settles it.
    #[schema(as = CreatePayment)]
    NewPaymentBody {
        /// An invoice, a credit note, an advance invoice or an expense: its prefix says which.
        document_id,
        /// An invoice.
        invoice_id,
        /// A credit note.
        credit_note_id,
        /// An advance invoice.
        advance_invoice_id,
        /// An expense.
        expense_id,
        /// Reserved for suppliers' credit notes.
        applied_to_expense_id,
    }
}

/// What to change of a payment. It stays with its documents: their ids are accepted when they are
/// those that it has.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = UpdatePayment)]
pub struct PaymentPatchBody {
    /// How much, above zero.
    #[schema(schema_with = nullable_number)]
    #[serde(default)]
    amount: Patch<Decimal>,
    /// How; neither to nor from `credit_note` and `advance`.
    #[schema(value_type = Option<PaymentTypeBody>)]
    #[serde(default)]
    r#type: Patch<PaymentTypeBody>,
    /// The day on which it was received, `YYYY-MM-DD`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    date: Patch<Day>,
    /// The payer's or bank's reference.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    reference: Patch<String>,
    /// The caller's tag.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    tag: Patch<String>,
    /// The caller's note.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    note: Patch<String>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    #[serde(default)]
    metadata: Patch<BTreeMap<String, String>>,
    /// What the customer gives beyond the amount, 0 or more; null for none.
    #[schema(schema_with = nullable_number)]
    #[serde(default)]
    tip: Patch<Decimal>,
    /// The cash that is handed over, at least amount and tip; null for unknown. A payment that gets
    /// another type than `cash` loses it.
    #[schema(schema_with = nullable_number)]
    #[serde(default)]
    tendered: Patch<Decimal>,
    /// What is given back; computed, and checked when sent.
    #[schema(schema_with = nullable_number)]
    #[serde(default)]
    change: Patch<Decimal>,
    /// Not updatable, like all below.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    document_id: Patch<String>,
    /// The invoice.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    invoice_id: Patch<String>,
    /// The credit note.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    credit_note_id: Patch<String>,
    /// The advance invoice.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    advance_invoice_id: Patch<String>,
    /// The expense.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    expense_id: Patch<String>,
    /// The expense that a supplier's credit note settles.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    applied_to_expense_id: Patch<String>,
}

impl Convert<PaymentPatch> for PaymentPatchBody {
    fn convert(self) -> PaymentPatch {
        PaymentPatch {
            amount: self.amount,
            kind: self.r#type.convert(),
            date: self.date.map(|day| day.0),
            reference: self.reference,
            tag: self.tag,
            note: self.note,
            metadata: self.metadata,
            tip: self.tip,
            tendered: self.tendered,
            change: self.change,
            document_id: self.document_id,
            invoice_id: self.invoice_id,
            credit_note_id: self.credit_note_id,
            advance_invoice_id: self.advance_invoice_id,
            expense_id: self.expense_id,
            applied_to_expense_id: self.applied_to_expense_id,
        }
    }
}

/// The receipt of a payment in Portugal. It is not signed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PtReceipt)]
pub struct PtReceiptBody {
    /// The series that it is numbered in.
    series_id: String,
    /// What that is called.
    series_code: String,
    /// The authority's code for it.
    validation_code: String,
    /// Its number: `RG 2026A/1`.
    number: String,
    /// Its place in the series.
    sequential_number: i64,
    /// The unique code, without `ATCUD:` before it.
    atcud: String,
    /// What the QR code says.
    qr_payload: String,
    /// The number of the program's certificate.
    certificate_number: u16,
    /// Its type: `RG`.
    document_code: String,
    /// The day on which it was issued, `YYYY-MM-DD`.
    issue_date: String,
    /// When it entered the system, as clocks at the establishment showed it.
    system_entry_date: String,
    /// The number of the document that was paid.
    document_number: String,
    /// Whether it is voided: the payment was deleted.
    voided: bool,
}

impl Convert<PtReceiptBody> for PaymentReceipt {
    fn convert(self) -> PtReceiptBody {
        PtReceiptBody {
            series_id: self.series_id.to_string(),
            series_code: self.series_code,
            validation_code: self.validation_code,
            number: self.number,
            sequential_number: self.sequence,
            atcud: self.atcud,
            qr_payload: self.qr,
            certificate_number: self.certificate,
            document_code: self.code,
            issue_date: format_date(self.date),
            system_entry_date: self.entered_at,
            document_number: self.document_number,
            voided: self.voided.is_some(),
        }
    }
}

/// A payment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Payment)]
pub struct PaymentBody {
    id: String,
    /// The invoice that it pays.
    #[schema(required = true)]
    invoice_id: Option<String>,
    /// The credit note that it refunds or uses.
    #[schema(required = true)]
    credit_note_id: Option<String>,
    /// The advance invoice that it pays, or out of which it is allocated.
    #[schema(required = true)]
    advance_invoice_id: Option<String>,
    /// The expense that it pays.
    #[schema(required = true)]
    expense_id: Option<String>,
    /// Reserved for suppliers' credit notes.
    #[schema(required = true)]
    applied_to_expense_id: Option<String>,
    /// In the document's currency.
    #[schema(schema_with = number)]
    amount: Decimal,
    r#type: PaymentTypeBody,
    /// What was given beyond the amount; it settles nothing.
    #[schema(schema_with = nullable_number, required = true)]
    tip: Option<Decimal>,
    /// The cash that was handed over.
    #[schema(schema_with = nullable_number, required = true)]
    tendered: Option<Decimal>,
    /// What was given back: `tendered - amount - tip`.
    #[schema(schema_with = nullable_number, required = true)]
    change: Option<Decimal>,
    /// The day on which it was received: midnight UTC.
    date: String,
    #[schema(required = true)]
    reference: Option<String>,
    #[schema(required = true)]
    tag: Option<String>,
    #[schema(required = true)]
    note: Option<String>,
    entity_id: String,
    metadata: BTreeMap<String, String>,
    /// Its receipt, in Portugal; null where none was issued.
    #[schema(required = true)]
    pt: Option<PtReceiptBody>,
    created_at: String,
    updated_at: String,
    /// Since when it is in the trash.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// The invoice, when it is included; null when there is none. So all below.
    #[serde(rename = "Invoice", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PaidDocumentBody>, required = false)]
    pub(super) invoice: Option<Option<PaidDocumentBody>>,
    /// The credit note.
    #[serde(rename = "CreditNote", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PaidDocumentBody>, required = false)]
    pub(super) credit_note: Option<Option<PaidDocumentBody>>,
    /// The advance invoice.
    #[serde(rename = "AdvanceInvoice", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PaidDocumentBody>, required = false)]
    pub(super) advance_invoice: Option<Option<PaidDocumentBody>>,
    /// The expense.
    #[serde(rename = "Expense", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PaidExpenseBody>, required = false)]
    pub(super) expense: Option<Option<PaidExpenseBody>>,
    /// The expense that a supplier's credit note settles.
    #[serde(rename = "AppliedToExpense", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PaidExpenseBody>, required = false)]
    pub(super) applied_to_expense: Option<Option<PaidExpenseBody>>,
}

impl Convert<PaymentBody> for Payment {
    fn convert(self) -> PaymentBody {
        PaymentBody {
            change: self.change(),
            id: self.id.to_string(),
            invoice_id: self.invoice_id.convert(),
            credit_note_id: self.credit_note_id.convert(),
            advance_invoice_id: self.advance_invoice_id.convert(),
            expense_id: self.expense_id.convert(),
            applied_to_expense_id: self.applied_to_expense_id.convert(),
            amount: self.amount,
            r#type: self.kind.convert(),
            tip: self.tip,
            tendered: self.tendered,
            date: format_midnight(self.date),
            reference: self.reference,
            tag: self.tag,
            note: self.note,
            entity_id: self.entity_id.to_string(),
            metadata: self.metadata.convert(),
            pt: self.receipt.map(|receipt| (*receipt).convert()),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
            deleted_at: self.deleted_at.convert(),
            invoice: None,
            credit_note: None,
            advance_invoice: None,
            expense: None,
            applied_to_expense: None,
        }
    }
}
