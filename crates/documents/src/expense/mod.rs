//! Received supplier invoices: documents of others, as an entity enters them in its books.
//!
//! | Module     | Owns                                                    |
//! | ---------- | ------------------------------------------------------- |
//! | `content`  | what an expense says, and its limits                    |
//! | `supplier` | the supplier as frozen on an expense                    |
//! | `item`     | its items                                               |
//! | `amounts`  | its totals, calculated of the items or given            |
//! | `warnings` | what is odd about it                                    |

mod amounts;
mod content;
mod item;
mod supplier;
mod warnings;

use racun_kernel::id::{EntityId, ExpenseId};
use racun_kernel::{Decimal, Issue, Issues, Stamp, Tenant};
use racun_store::{Field, StoreError, Value};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub use amounts::{ExpenseAmounts, ExpenseSummaryTax};
pub use content::{ExpenseContent, MAX_EXPENSE_ITEMS, MAX_EXPENSE_NOTE_CHARS, MAX_EXPENSE_TAXES};
pub use item::ExpenseItem;
pub use supplier::{ExpenseSupplier, MAX_EXPENSE_TEXT_CHARS};

use crate::{DocumentError, Refused, TransactionType};

/// How an expense was entered in the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedExpense {
    /// The entity's own number, where it numbers its expenses.
    pub number: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// How far an expense is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpenseStage {
    /// Being entered; supplier, date and total may be missing.
    Draft,
    /// Complete, to be paid.
    Issued(IssuedExpense),
    /// Out of effect, since when.
    Voided(IssuedExpense, #[serde(with = "time::serde::rfc3339")] OffsetDateTime),
}

/// An invoice that a supplier sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expense {
    /// Its id.
    pub id: ExpenseId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// How far it is.
    pub stage: ExpenseStage,
    /// What it says.
    pub content: ExpenseContent,
    /// The sum of its active payments.
    pub total_paid: Decimal,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// Since when it is deleted; only drafts are.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
}

impl Expense {
    /// What every expense is on the wire: its `type`.
    pub const TYPE: &'static str = "invoice";

    /// A draft of what `content` says.
    ///
    /// # Errors
    /// All that breaks a limit, by path.
    pub fn draft(
        entity_id: EntityId,
        content: ExpenseContent,
        stamp: &Stamp,
    ) -> Result<Self, Issues> {
        content.check()?;
        Ok(Self {
            id: stamp.id(),
            entity_id,
            stage: ExpenseStage::Draft,
            content,
            total_paid: Decimal::zero(),
            created_at: stamp.now(),
            updated_at: stamp.now(),
            deleted_at: None,
        })
    }

    /// The expense with other content. Content that is the same changes nothing.
    ///
    /// Whether what is paid still fits is settlement's to say.
    ///
    /// # Errors
    /// When it is voided; when the content breaks a limit or is not complete on an issued expense;
    /// issue `not_updatable` at `currency_code` when the currency is another and something is paid.
    pub fn update(self, content: ExpenseContent, stamp: &Stamp) -> Result<Self, DocumentError> {
        let mut issues = Issues::default();
        match &self.stage {
            ExpenseStage::Voided(..) => return Err(Refused::Voided.into()),
            ExpenseStage::Issued(_) => content.check_complete(&mut issues),
            ExpenseStage::Draft => {}
        }
        if content == self.content {
            return Ok(self);
        }
        if content.currency != self.content.currency && !self.total_paid.is_zero() {
            let message = "something is paid in the expense's currency; it stays";
            issues.push(Issue::new("not_updatable", message).at("currency_code"));
        }
        content.check_into(&mut issues);
        issues.into_result(())?;
        Ok(Self { content, updated_at: stamp.now(), ..self })
    }

    /// The draft as entered in the books, under the entity's own `number` where it has one.
    ///
    /// # Errors
    /// When it is no draft; issues `required` at what is missing of supplier, date and total.
    pub fn finalize(self, number: Option<String>, stamp: &Stamp) -> Result<Self, DocumentError> {
        self.must_be_draft()?;
        let mut issues = Issues::default();
        self.content.check_complete(&mut issues);
        issues.into_result(())?;
        let stage = ExpenseStage::Issued(IssuedExpense { number, at: stamp.now() });
        Ok(Self { stage, updated_at: stamp.now(), ..self })
    }

    /// The expense as voided.
    ///
    /// # Errors
    /// For drafts, and when it is voided already.
    pub fn void(self, stamp: &Stamp) -> Result<Self, DocumentError> {
        match self.stage {
            ExpenseStage::Draft => Err(Refused::Draft.into()),
            ExpenseStage::Voided(..) => Err(Refused::Voided.into()),
            ExpenseStage::Issued(issued) => {
                let stage = ExpenseStage::Voided(issued, stamp.now());
                Ok(Self { stage, updated_at: stamp.now(), ..self })
            }
        }
    }

    /// The draft as deleted.
    ///
    /// # Errors
    /// When it is no draft, or deleted already.
    pub fn delete(self, stamp: &Stamp) -> Result<Self, DocumentError> {
        self.must_be_draft()?;
        Ok(Self { deleted_at: Some(stamp.now()), updated_at: stamp.now(), ..self })
    }

    /// The expense with what a settlement decided to be paid on it.
    #[must_use]
    pub fn paid(self, total_paid: Decimal, stamp: &Stamp) -> Self {
        Self { total_paid, updated_at: stamp.now(), ..self }
    }

    fn must_be_draft(&self) -> Result<(), DocumentError> {
        if self.deleted_at.is_some() {
            return Err(StoreError::NotFound { id: self.id.to_string() }.into());
        }
        if self.stage == ExpenseStage::Draft {
            return Ok(());
        }
        Err(Refused::NotDraft.into())
    }

    /// Whether it is not finalized yet.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.stage == ExpenseStage::Draft
    }

    /// The entity's own number.
    #[must_use]
    pub const fn number(&self) -> Option<&String> {
        match &self.stage {
            ExpenseStage::Draft => None,
            ExpenseStage::Issued(issued) | ExpenseStage::Voided(issued, _) => {
                issued.number.as_ref()
            }
        }
    }

    /// When it was voided.
    #[must_use]
    pub const fn voided_at(&self) -> Option<OffsetDateTime> {
        match self.stage {
            ExpenseStage::Voided(_, at) => Some(at),
            ExpenseStage::Draft | ExpenseStage::Issued(_) => None,
        }
    }

    /// What is left to pay: never below zero; nothing yet while the total is missing.
    #[must_use]
    pub fn total_due(&self) -> Option<Decimal> {
        let total = self.content.amounts.total_with_tax.as_ref()?;
        let due = total - &self.total_paid;
        Some(if due.is_negative() { Decimal::zero() } else { due })
    }

    /// Whether it is finalized and nothing is left to pay.
    #[must_use]
    pub fn paid_in_full(&self) -> bool {
        !self.is_draft() && self.total_due().is_some_and(|due| due.is_zero())
    }
}

racun_store::record! {
    /// Where expenses are kept.
    pub static EXPENSES: Expense = "expenses";
    |expense|
    id: expense.id,
    tenant: Tenant::entity(expense.entity_id),
    trashed: expense.deleted_at.is_some(),
    where {
        let content = &expense.content;
        let amounts = &content.amounts;
        let supplier = |field: fn(&ExpenseSupplier) -> &Option<String>| {
            Value::from(content.supplier.as_ref().and_then(|supplier| field(supplier).as_ref()))
        };
    }
    fields: {
        Field::id() => expense.id,
        Field::text("number").searched() => expense.number(),
        Field::bool("is_draft") => expense.is_draft(),
        Field::text("supplier_id").indexed() => content.supplier_id,
        Field::text("supplier_document_number").searched().indexed()
            => content.supplier_document_number,
        Field::date("date").indexed() => content.date,
        Field::date("date_received") => content.date_received,
        Field::date("date_due") => content.date_due,
        Field::date("date_service") => content.date_service,
        Field::date("date_service_to") => content.date_service_to,
        Field::text("currency_code") => content.currency.code(),
        Field::number("total") => amounts.total,
        Field::number("total_with_tax") => amounts.total_with_tax,
        Field::number("total_discount") => amounts.total_discount,
        Field::number("total_converted") => amounts.total_converted,
        Field::number("total_with_tax_converted") => amounts.total_with_tax_converted,
        Field::number("total_paid") => expense.total_paid,
        Field::number("total_due") => expense.total_due(),
        Field::bool("paid_in_full") => expense.paid_in_full(),
        Field::text("transaction_type")
            => content.transaction_type.map(TransactionType::name),
        Field::text("reference").searched() => content.reference,
        Field::text("note").searched() => content.note,
        Field::map("metadata") => content.metadata,
        Field::instant("voided_at") => expense.voided_at(),
        Field::instant("deleted_at") => expense.deleted_at,
        Field::instant("created_at") => expense.created_at,
        Field::instant("updated_at") => expense.updated_at,
        Field::body("supplier.name", &["content", "supplier", "name"]).searched()
            => supplier(|supplier| &supplier.name),
        Field::body("supplier.tax_number", &["content", "supplier", "tax_number"]).searched()
            => supplier(|supplier| &supplier.tax_number),
    }
}
