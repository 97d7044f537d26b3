//! What a payment names, answered with it when that is asked for.

use racun_documents::expense::Expense;
use racun_documents::{Document, DocumentId};
use racun_kernel::Issue;
use racun_kernel::id::ExpenseId;
use racun_sales::payments::{self as application, Related};
use racun_settlement::Payment;
use racun_store::Context;

use super::body::PaymentBody;
use crate::body::Convert;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::Parameter;

/// The query parameter that asks for what payments name.
pub(super) const INCLUDE: Parameter = Parameter::text(
    "include",
    "What to answer with a payment, comma separated: Invoice, CreditNote, AdvanceInvoice, \
     Expense, AppliedToExpense.",
);

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
        let document = |asked: Relation, id: Option<DocumentId>| {
            let named = |document: &&Document| Some(document.id) == id;
            let found = || related.documents.iter().find(named).map(Convert::convert);
            self.0.contains(&asked).then(found)
        };
        let expense = |asked: Relation, id: Option<ExpenseId>| {
            let named = |expense: &&Expense| Some(expense.id) == id;
            let found = || related.expenses.iter().find(named).map(Convert::convert);
            self.0.contains(&asked).then(found)
        };
        let mut body: PaymentBody = payment.clone().convert();
        body.invoice = document(Relation::Invoice, payment.invoice_id);
        body.credit_note = document(Relation::CreditNote, payment.credit_note_id);
        body.advance_invoice = document(Relation::AdvanceInvoice, payment.advance_invoice_id);
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
