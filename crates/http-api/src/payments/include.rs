//! What a payment names, answered with it when that is asked for.

use racun_documents::Document;
use racun_documents::expense::Expense;
use racun_kernel::calendar::format_midnight;
use racun_kernel::id::ExpenseId;
use racun_kernel::{Decimal, Issue};
use racun_sales::payments::{self as application, Related};
use racun_settlement::Payment;
use racun_store::Context;
use serde::Serialize;
use utoipa::ToSchema;

use super::body::PaymentBody;
use crate::body::Convert;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::Parameter;
use crate::schema::{nullable_number, number};

/// The query parameter that asks for what payments name.
pub(super) const INCLUDE: Parameter = Parameter::text(
    "include",
    "What to answer with a payment, comma separated: Invoice, CreditNote, AdvanceInvoice, \
     Expense, AppliedToExpense.",
);

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

/// Something that a payment may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Invoice,
    CreditNote,
    AdvanceInvoice,
    Expense,
    AppliedToExpense,
}

/// What a request wants answered with its payments.
pub(super) struct Include(Vec<Relation>);

impl Include {
    /// What `query` asks for.
    ///
    /// # Errors
    /// When that is nothing that a payment names.
    pub fn of(query: &Query) -> Result<Self, ApiError> {
        let asked = query.one(INCLUDE.name)?.unwrap_or_default();
        let names = asked.split(',').map(str::trim).filter(|name| !name.is_empty());
        let relations: Result<_, Issue> = names.map(relation).collect();
        Ok(Self(relations.map_err(|issue| issue.at(INCLUDE.name))?))
    }

    /// What `payments` name, as far as it may be asked for.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn related(
        &self,
        cx: Context<'_>,
        payments: &[Payment],
    ) -> Result<Related, ApiError> {
        if self.0.is_empty() {
            return Ok(Related::default());
        }
        Ok(application::related(cx, payments).await?)
    }

    /// `payment` with what is asked for.
    pub fn with(&self, payment: &Payment, related: &Related) -> PaymentBody {
        let document = |asked: Relation, id: &Option<String>| {
            let named = |document: &&Document| Some(document.id.to_string()) == *id;
            let found = || related.documents.iter().find(named).map(Convert::convert);
            self.0.contains(&asked).then(found)
        };
        let expense = |asked: Relation, id: Option<ExpenseId>| {
            let named = |expense: &&Expense| Some(expense.id) == id;
            let found = || related.expenses.iter().find(named).map(Convert::convert);
            self.0.contains(&asked).then(found)
        };
        let mut body: PaymentBody = payment.clone().convert();
        body.invoice = document(Relation::Invoice, &payment.invoice_id);
        body.credit_note = document(Relation::CreditNote, &payment.credit_note_id);
        body.advance_invoice = document(Relation::AdvanceInvoice, &payment.advance_invoice_id);
        body.expense = expense(Relation::Expense, payment.expense_id);
        body.applied_to_expense =
            expense(Relation::AppliedToExpense, payment.applied_to_expense_id);
        body
    }
}

fn relation(name: &str) -> Result<Relation, Issue> {
    match name {
        "Invoice" => Ok(Relation::Invoice),
        "CreditNote" => Ok(Relation::CreditNote),
        "AdvanceInvoice" => Ok(Relation::AdvanceInvoice),
        "Expense" => Ok(Relation::Expense),
        "AppliedToExpense" => Ok(Relation::AppliedToExpense),
        _ => {
            let message = "expected names out of Invoice, CreditNote, AdvanceInvoice, Expense and \
                           AppliedToExpense, comma separated";
            Err(Issue::new("invalid_value", message))
        }
    }
}
