//! An invoice, as it is frozen when it is issued and as it is sent.

use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Correction, Mark, Place};

/// Who issued an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Somebody with a Slovenian tax number: eight digits.
    TaxNumber(String),
    /// Somebody without one.
    Foreign,
}

/// A tax by rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxLine {
    /// Percent.
    pub rate: Decimal,
    /// What is taxed.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

/// `TaxesPerSeller`: the taxes of an invoice. What is `None` is not sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxBreakdown {
    /// `VAT`: one entry per rate.
    pub vat: Vec<TaxLine>,
    /// `ExemptVATTaxableAmount`.
    pub exempt: Option<Decimal>,
    /// `ReverseVATTaxableAmount`: article 76a of ZDDV-1.
    pub reverse_charge: Option<Decimal>,
    /// `NontaxableAmount`.
    pub untaxed: Option<Decimal>,
}

/// An invoice to FURS: signs are those of the message, so a credit note is negative.
///
/// It never changes once it is issued; repetitions send the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// The taxpayer's tax number: eight digits.
    pub tax_number: String,
    /// `IssueDateTime`: to the second, with the offset of Europe/Ljubljana.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// Premise, device, and what its number is of.
    pub place: Place,
    /// `InvoiceNumber`.
    pub number: i64,
    /// `CustomerVATNumber`: as printed, at most 20 characters.
    pub customer_vat_number: Option<String>,
    /// `InvoiceAmount`.
    pub total: Decimal,
    /// `PaymentAmount`.
    pub payment: Decimal,
    /// `TaxesPerSeller`.
    pub taxes: TaxBreakdown,
    /// Who issued it.
    pub operator: Operator,
    /// `ProtectedID`: the ZOI.
    pub zoi: Mark,
    /// `ReferenceInvoice`: what it corrects.
    pub references: Vec<Correction>,
    /// `SpecialNotes`.
    pub special_notes: Option<String>,
}
