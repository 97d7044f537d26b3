//! What keeps a document from being written.

use std::io;

use racun_kernel::Decimal;

use super::{SaftDocument, SaftReceipt, SaftTax, State};
use crate::{Code, Status};

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum SaftError {
    /// A document, a customer or the header says what the file cannot hold.
    #[error("{of}: {field} {what}")]
    Document {
        /// Whose: a number, an id, `Header`.
        of: String,
        /// The element.
        field: &'static str,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Documents name a customer or a product that was not given.
    #[error("{field} {id} is named by documents, and was not given")]
    Missing {
        /// The element: `CustomerID` or `ProductCode`.
        field: &'static str,
        /// Its text.
        id: String,
    },
    /// A part was given after one that stands behind it, or another document than was counted.
    #[error("{field} stands before what was written already")]
    Order {
        /// The part.
        field: &'static str,
    },
    /// The documents are not those that were counted: one was voided since.
    #[error("the documents changed while the file was written; write it again")]
    Changed,
    /// The file cannot be written to.
    #[error("the file cannot be written")]
    Io(#[from] io::Error),
}

/// Refuses with the element `field` of `of`.
pub(super) fn refuse(of: &str, field: &'static str, what: &'static str) -> Result<(), SaftError> {
    Err(SaftError::Document { of: of.to_owned(), field, what })
}

/// Accepts an id, which is written as it is, or keys and references would part.
pub(super) fn check_id(
    of: &str,
    field: &'static str,
    id: &str,
    max: usize,
) -> Result<(), SaftError> {
    let is_plain = !id.is_empty() && id.len() <= max && id.trim().len() == id.len();
    if is_plain && id.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Ok(());
    }
    refuse(of, field, "is not 1 to 30 signs of ASCII, or 60 of a product")
}

fn check_amounts<'a>(
    of: &str,
    amounts: impl IntoIterator<Item = (&'static str, &'a Decimal)>,
) -> Result<(), SaftError> {
    let below = amounts.into_iter().find(|(_, amount)| amount.is_negative());
    below.map_or(Ok(()), |(field, _)| refuse(of, field, "is below zero"))
}

fn check_state(of: &str, state: &State) -> Result<(), SaftError> {
    let has_reason = state.reason.as_ref().is_some_and(|reason| !reason.trim().is_empty());
    if state.status == Status::Voided && !has_reason {
        return refuse(of, "Reason", "is missing, and the document is voided");
    }
    check_id(of, "SourceID", &state.by, 30)
}

fn check_tax(of: &str, tax: &SaftTax) -> Result<(), SaftError> {
    if tax.percent().is_negative() {
        return refuse(of, "TaxPercentage", "is below zero");
    }
    match (tax.percent().is_zero(), tax.exemption()) {
        (true, None) => refuse(of, "TaxExemptionReason", "is missing, and no tax is charged"),
        (false, Some(_)) => refuse(of, "TaxExemptionReason", "is given, and tax is charged"),
        (true, Some((code, _))) if crate::Exemption::find(code).is_none() => {
            refuse(of, "TaxExemptionCode", "is not one of the law")
        }
        _ => Ok(()),
    }
}

impl SaftDocument {
    /// Accepts a document that a file can hold.
    ///
    /// # Errors
    /// [`SaftError::Document`], with the element that is wrong.
    pub fn check(&self) -> Result<(), SaftError> {
        check_document(self)
    }
}

pub(super) fn check_document(document: &SaftDocument) -> Result<(), SaftError> {
    let of = document.number.as_str();
    if !is_document(document.code) {
        return refuse(of, "InvoiceType", "is one of receipts");
    }
    check_state(of, &document.state)?;
    check_id(of, "SourceID", &document.by, 30)?;
    check_id(of, "CustomerID", &document.customer_id, 30)?;
    let totals = [
        ("TaxPayable", &document.tax),
        ("NetTotal", &document.net),
        ("GrossTotal", &document.gross),
    ];
    check_amounts(of, totals)?;
    if &document.net + &document.tax != document.gross {
        return refuse(of, "GrossTotal", "is not what NetTotal and TaxPayable come to");
    }
    if document.lines.is_empty() {
        return refuse(of, "Line", "is missing");
    }
    for line in &document.lines {
        check_id(of, "ProductCode", &line.product_code, 60)?;
        let amounts = [
            ("Quantity", &line.quantity),
            ("UnitPrice", &line.unit_price),
            ("CreditAmount", &line.amount),
        ];
        check_amounts(of, amounts)?;
        check_amounts(of, line.discount.iter().map(|amount| ("SettlementAmount", amount)))?;
        check_tax(of, &line.tax)?;
        if matches!(document.code, Code::Nc | Code::Nd) && line.rectifies.is_empty() {
            return refuse(of, "References", "is missing, and the document rectifies another");
        }
    }
    check_amounts(of, document.payments.iter().map(|own| ("PaymentAmount", &own.amount)))?;
    check_amounts(of, document.withheld.iter().map(|own| ("WithholdingTaxAmount", &own.amount)))
}

pub(super) fn check_receipt(receipt: &SaftReceipt) -> Result<(), SaftError> {
    let of = receipt.number.as_str();
    if is_document(receipt.code) {
        return refuse(of, "PaymentType", "is not one of receipts");
    }
    check_state(of, &receipt.state)?;
    check_id(of, "SourceID", &receipt.by, 30)?;
    check_id(of, "CustomerID", &receipt.customer_id, 30)?;
    let totals =
        [("TaxPayable", &receipt.tax), ("NetTotal", &receipt.net), ("GrossTotal", &receipt.gross)];
    check_amounts(of, totals)?;
    if &receipt.net + &receipt.tax != receipt.gross {
        return refuse(of, "GrossTotal", "is not what NetTotal and TaxPayable come to");
    }
    if receipt.lines.is_empty() {
        return refuse(of, "Line", "is missing");
    }
    for line in &receipt.lines {
        check_amounts(of, [("CreditAmount", &line.amount)])?;
        match &line.tax {
            None if receipt.code == Code::Rc => {
                return refuse(of, "Tax", "is missing, and the receipt is under the cash scheme");
            }
            None => {}
            Some(tax) => check_tax(of, tax)?,
        }
    }
    check_amounts(of, receipt.payments.iter().map(|own| ("PaymentAmount", &own.amount)))
}

/// Whether `code` is a document's that is signed, which a [`SaftDocument`] is.
const fn is_document(code: Code) -> bool {
    code.is_signed()
}
