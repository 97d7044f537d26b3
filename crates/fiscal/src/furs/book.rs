//! An invoice that was written by hand on a form of a bound book (vezana knjiga računov, VKR) while
//! the device did not work, as it is frozen when it is entered and as it is sent.
//!
//! Source: technical specification 3.2, chapter 4 (`SalesBookInvoice`); it has neither a ZOI nor an
//! operator.

use racun_kernel::{Decimal, Issue, Issues};
use serde::{Deserialize, Serialize};
use time::Date;

use super::TaxBreakdown;
use super::invoice::{printed_buyer, tax_breakdown};
use crate::tax::Figures;
use crate::{Correction, Sale};

/// `SalesBookIdentifier`: which form of which book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SalesBook {
    /// `InvoiceNumber`: the number of the invoice, 1 to 20 digits without leading zeros.
    pub invoice_number: String,
    /// `SetNumber`: the set of copies in the book, two digits.
    pub set_number: String,
    /// `SerialNumber`: the book's, 12 characters as in `5001-0001018`.
    pub serial_number: String,
}

impl SalesBook {
    /// Checks that FURS takes it.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn check(&self) -> Result<(), Issues> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut issues = Issues::default();
        let mut expect = |is_right: bool, field: &str, message: &str| {
            if !is_right {
                issues.push(Issue::new("invalid_value", message).at(field));
            }
        };
        let number = &self.invoice_number;
        let is_number =
            (1..=20).contains(&number.len()) && digits(number) && !number.starts_with('0');
        expect(is_number, "invoice_number", "expected 1 to 20 digits without leading zeros");
        let set = &self.set_number;
        expect(set.len() == 2 && digits(set), "set_number", "expected two digits, as in 03");
        let (book, serial) = self.serial_number.split_once('-').unwrap_or_default();
        let is_serial = (book.len(), serial.len()) == (4, 7) && digits(book) && digits(serial);
        expect(is_serial, "serial_number", "expected 12 characters, as in 5001-0001018");
        issues.into_result(())
    }
}

/// An invoice of a bound book to FURS: signs are those of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookInvoice {
    /// The taxpayer's tax number: eight digits.
    pub tax_number: String,
    /// `IssueDate`: the day on the form.
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
    /// `ReferenceInvoice`: what it corrects.
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
