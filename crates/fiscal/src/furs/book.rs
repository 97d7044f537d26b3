//! An invoice that was written by hand on a form of a bound book (vezana knjiga računov, VKR) while
//! the device did not work, as it is frozen when it is entered and as it is sent.
//!
//! Source: technical specification 3.2, chapter 4 (`SalesBookInvoice`); it has neither a ZOI nor an
//! operator.

use racun_kernel::{Decimal, SalesBook};
use serde::{Deserialize, Serialize};
use time::Date;

use super::TaxBreakdown;
use super::invoice::{printed_buyer, tax_breakdown};
use crate::tax::Figures;
use crate::{Correction, Sale};

/// An invoice of a bound book to FURS: signs are those of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookInvoice {
    /// The taxpayer's tax number: eight digits.
    pub tax_number: String,
    /// `IssueDate`: the day on the form.
    #[serde(with = "racun_kernel::calendar::date")]
    pub issued_on: Date,
    /// Which form.
    pub book: SalesBook,
    /// `BusinessPremiseID`.
    pub premise: String,
    /// `CustomerVATNumber`: as printed, at most 20 characters.
    pub customer_vat_number: Option<String>,
    /// `InvoiceAmount`.
    pub total: Decimal,
    /// `PaymentAmount`: what is left to pay after settled advances.
    pub payment: Decimal,
    /// `TaxesPerSeller`.
    pub taxes: TaxBreakdown,
    /// `ReferenceSalesBook` and `ReferenceInvoice`: what it corrects.
    pub references: Vec<Correction>,
}

impl BookInvoice {
    /// What the form of `book`, written on the day `issued_on` in `premise`, says of `sale`.
    #[must_use]
    pub fn of(
        sale: &Sale,
        tax_number: String,
        premise: String,
        book: SalesBook,
        issued_on: Date,
    ) -> Self {
        let figures = Figures::of(sale);
        Self {
            tax_number,
            issued_on,
            book,
            premise,
            customer_vat_number: printed_buyer(sale),
            total: figures.total.clone(),
            payment: figures.payment.clone(),
            taxes: tax_breakdown(figures),
            references: sale.corrects.clone(),
        }
    }
}
