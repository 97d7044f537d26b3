//! An invoice, as it is frozen when it is issued and as it is sent.

use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::message::{is_line, time_text};
use crate::protective_code::CodedFacts;
use crate::tax::Figures;
use crate::{Authority, Correction, PlaceOfIssue, ProtectiveCode, Sale, Signer, SigningFailed};

/// Who issued an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// An operator with a Slovenian tax number: eight digits.
    TaxNumber(String),
    /// An operator without one.
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
    /// `SpecialTaxRulesAmount`: margin schemes, articles 97 and 101 of ZDDV-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Decimal>,
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
    pub place: PlaceOfIssue,
    /// `InvoiceNumber`.
    pub number: i64,
    /// `CustomerVATNumber`: as printed, at most 20 characters.
    pub customer_vat_number: Option<String>,
    /// `InvoiceAmount`.
    pub total: Decimal,
    /// `PaymentAmount`: what is left to pay after settled advances.
    pub payment: Decimal,
    /// `TaxesPerSeller`.
    pub taxes: TaxBreakdown,
    /// Who issued it.
    pub operator: Operator,
    /// `ProtectedID`: the ZOI.
    pub zoi: ProtectiveCode,
    /// `ReferenceInvoice` and `ReferenceSalesBook`: what it corrects.
    pub references: Vec<Correction>,
    /// `SpecialNotes`.
    pub special_notes: Option<String>,
}

/// What an invoice is issued from.
#[derive(Debug, Clone)]
pub struct IssueArguments<'a> {
    /// What the document says.
    pub sale: &'a Sale,
    /// The taxpayer's tax number: eight digits.
    pub tax_number: String,
    /// Where it is issued.
    pub place: PlaceOfIssue,
    /// Its number in the sequence of that place.
    pub number: i64,
    /// When it is issued.
    pub issued_at: OffsetDateTime,
    /// Who issues it.
    pub operator: Operator,
    /// `SpecialNotes`, checked by [`crate::furs::check_special_notes`].
    pub special_notes: Option<String>,
}

/// The buyer's number as it is printed, when FURS takes it.
pub(super) fn printed_buyer(sale: &Sale) -> Option<String> {
    let buyer = sale.buyer.as_ref().and_then(|buyer| buyer.tax_number.as_deref());
    buyer.map(str::trim).filter(|text| is_line(text, 20)).map(str::to_owned)
}

/// The taxes of `figures`.
pub(super) fn tax_breakdown(figures: Figures) -> TaxBreakdown {
    let Figures { vat, exempt, reverse_charge, margin, untaxed, .. } = figures;
    let line = |(rate, base, amount)| TaxLine { rate, base, amount };
    TaxBreakdown {
        vat: vat.into_iter().map(line).collect(),
        exempt,
        reverse_charge,
        untaxed,
        margin,
    }
}

impl Invoice {
    /// The invoice that says what the sale says, marked with its ZOI.
    ///
    /// What is to be paid is what settled advances leave of the total: the schema's "amount of the
    /// invoice for payment". A consumption tax is none of Slovenia's, so it is not stated apart. A
    /// buyer's number that is blank, longer than 20 characters or no single line is left out: the
    /// authority would refuse the invoice because of it.
    ///
    /// # Errors
    /// When the key cannot sign.
    pub fn issue(
        arguments: IssueArguments<'_>,
        signer: &dyn Signer,
    ) -> Result<Self, SigningFailed> {
        let IssueArguments { sale, tax_number, place, number, operator, special_notes, .. } =
            arguments;
        let issued_at = Authority::Furs.local(arguments.issued_at);
        let figures = Figures::of(sale);
        let (total, payment) = (figures.total.clone(), figures.payment.clone());
        let facts = CodedFacts {
            taxpayer: &tax_number,
            issued_at,
            number: &number.to_string(),
            place: &place,
            total: &total,
        };
        let zoi = facts.sign(signer)?;
        Ok(Self {
            customer_vat_number: printed_buyer(sale),
            payment,
            taxes: tax_breakdown(figures),
            references: sale.corrects.clone(),
            tax_number,
            issued_at,
            place,
            number,
            total,
            operator,
            zoi,
            special_notes,
        })
    }

    /// The digits of the code that is printed, as a QR code for one: the ZOI as a decimal number of
    /// 39 digits, the tax number, the time of issue, and the sum of all these digits modulo ten.
    ///
    /// Source: technical specification 3.2, chapter 11.
    #[must_use]
    pub fn qr(&self) -> String {
        let form = format_description!("[year repr:last_two][month][day][hour][minute][second]");
        let issued_at = time_text(self.issued_at, form);
        let digits = format!("{:039}{}{issued_at}", self.zoi.number(), self.tax_number);
        let sum: u32 = digits.chars().filter_map(|digit| digit.to_digit(10)).sum();
        format!("{digits}{}", sum % 10)
    }
}
