//! What a payment names, as it is answered with it.

use racun_documents::Document;
use racun_documents::expense::Expense;
use racun_kernel::Decimal;
use racun_kernel::calendar::format_midnight;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Convert;
use crate::schema::{nullable_number, number};

/// The customer or supplier of what is paid.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaidParty)]
pub struct PaidPartyBody {
    #[schema(required = true)]
    name: Option<String>,
}

/// A document that a payment names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaidDocument)]
pub struct PaidDocumentBody {
    id: String,
    number: String,
    /// Midnight UTC.
    date: String,
    currency_code: String,
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    #[schema(schema_with = number)]
    total_paid: Decimal,
    #[schema(schema_with = number)]
    total_due: Decimal,
    paid_in_full: bool,
    #[schema(required = true)]
    customer: Option<PaidPartyBody>,
}

/// An expense that a payment names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaidExpense)]
pub struct PaidExpenseBody {
    id: String,
    #[schema(required = true)]
    number: Option<String>,
    #[schema(required = true)]
    supplier_document_number: Option<String>,
    /// Midnight UTC.
    #[schema(required = true)]
    date: Option<String>,
    currency_code: String,
    #[schema(schema_with = nullable_number, required = true)]
    total_with_tax: Option<Decimal>,
    #[schema(schema_with = number)]
    total_paid: Decimal,
    #[schema(schema_with = nullable_number, required = true)]
    total_due: Option<Decimal>,
    paid_in_full: bool,
    #[schema(required = true)]
    supplier: Option<PaidPartyBody>,
}

impl Convert<PaidDocumentBody> for &Document {
    fn convert(self) -> PaidDocumentBody {
        let customer = self.content.customer.as_ref();
        PaidDocumentBody {
            id: self.id.to_string(),
            number: self.number(),
            date: format_midnight(self.content.date),
            currency_code: self.content.currency.to_string(),
            total_with_tax: self.amounts.total_with_tax.clone(),
            total_paid: self.amounts.total_paid.clone(),
            total_due: self.total_due(),
            paid_in_full: self.paid_in_full(),
            customer: customer.map(|customer| PaidPartyBody { name: customer.name.clone() }),
        }
    }
}

impl Convert<PaidExpenseBody> for &Expense {
    fn convert(self) -> PaidExpenseBody {
        let supplier = self.content.supplier.as_ref();
        PaidExpenseBody {
            id: self.id.to_string(),
            number: self.number().cloned(),
            supplier_document_number: self.content.supplier_document_number.clone(),
            date: self.content.date.map(format_midnight),
            currency_code: self.content.currency.to_string(),
            total_with_tax: self.content.amounts.total_with_tax.clone(),
            total_paid: self.total_paid.clone(),
            total_due: self.total_due(),
            paid_in_full: self.paid_in_full(),
            supplier: supplier.map(|supplier| PaidPartyBody { name: supplier.name.clone() }),
        }
    }
}
