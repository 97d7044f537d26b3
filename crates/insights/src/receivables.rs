//! What customers owe: by how late it is, and one customer's statement.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};
use time::Date;

use crate::stats::overdue_bucket;

/// A document that is not settled on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenItem {
    /// The customer in the catalogue; `None` for who is not kept there.
    pub customer_id: Option<String>,
    /// The customer's name on the document.
    pub name: Option<String>,
    /// The document's date.
    pub date: Date,
    /// The document's currency.
    pub currency: Currency,
    /// Until when it is to be paid; `None` for what is never late.
    pub due: Option<Date>,
    /// What is open of it, below zero where it is owed to the customer.
    pub amount: Decimal,
    /// The same in the entity's currency; `None` when no rate is known.
    pub converted: Option<Decimal>,
}

/// Sums by how late they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buckets {
    /// `current`, `1-30`, `31-60`, `61-90`, `90+`.
    pub by_age: [Decimal; 5],
}

impl Buckets {
    /// The names of the sums.
    pub const NAMES: [&str; 5] = ["current", "1-30", "31-60", "61-90", "90+"];

    fn none() -> Self {
        Self { by_age: std::array::from_fn(|_| Decimal::zero()) }
    }

    fn add(&mut self, bucket: &str, amount: &Decimal) {
        for (name, sum) in Self::NAMES.iter().zip(&mut self.by_age) {
            if *name == bucket {
                *sum += amount;
            }
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> Decimal {
        self.by_age.iter().sum()
    }
}

/// What a customer owes in a currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgedCustomer {
    /// The customer in the catalogue.
    pub customer_id: Option<String>,
    /// Its name, on the last of the documents that names it.
    pub name: Option<String>,
    /// The currency.
    pub currency: Currency,
    /// What is open.
    pub buckets: Buckets,
}

/// What is owed on a day, by customer and age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aging {
    /// The day.
    pub date: Date,
    /// By name; who is not in the catalogue by the name on documents.
    pub customers: Vec<AgedCustomer>,
    /// All of it in the entity's currency.
    pub total: Buckets,
    /// Open documents whose amount in the entity's currency is not known, so that they are not in
    /// `total`.
    pub not_converted: usize,
}

/// A customer by the id in the catalogue, or else by the name; and the currency.
type CustomerKey = (Option<String>, Option<String>, &'static str);

/// What is owed on a day, added up document by document.
#[derive(Debug)]
pub struct AgingFold {
    day: Date,
    /// Each with the date of the document that names it.
    customers: BTreeMap<CustomerKey, (Date, AgedCustomer)>,
    total: Buckets,
    not_converted: usize,
}

impl AgingFold {
    /// Nothing is owed yet on `day`.
    #[must_use]
    pub fn new(day: Date) -> Self {
        Self { day, customers: BTreeMap::new(), total: Buckets::none(), not_converted: 0 }
    }

    /// Counts what is open of a document.
    pub fn add(&mut self, item: OpenItem) {
        let bucket = overdue_bucket(item.due, self.day);
        match &item.converted {
            Some(converted) => self.total.add(bucket, converted),
            None => self.not_converted += 1,
        }
        let name = if item.customer_id.is_some() { None } else { item.name.clone() };
        let key = (item.customer_id.clone(), name, item.currency.code());
        let (named_on, customer) = self.customers.entry(key).or_insert_with(|| {
            let customer = AgedCustomer {
                customer_id: item.customer_id.clone(),
                name: None,
                currency: item.currency,
                buckets: Buckets::none(),
            };
            (item.date, customer)
        });
        if item.name.is_some() && (customer.name.is_none() || *named_on <= item.date) {
            (*named_on, customer.name) = (item.date, item.name);
        }
        customer.buckets.add(bucket, &item.amount);
    }

    /// What is owed: customers of whom something is open, if only in one of the ages.
    #[must_use]
    pub fn finish(self) -> Aging {
        let customers = self.customers.into_values().map(|(_, customer)| customer);
        let is_open = |one: &AgedCustomer| one.buckets.by_age.iter().any(|sum| !sum.is_zero());
        let mut customers: Vec<AgedCustomer> = customers.filter(is_open).collect();
        customers.sort_by(|a, b| {
            let key = |one: &AgedCustomer| {
                (one.name.clone(), one.customer_id.clone(), one.currency.code())
            };
            key(a).cmp(&key(b))
        });
        Aging { date: self.day, customers, total: self.total, not_converted: self.not_converted }
    }
}

impl Aging {
    /// What is open of `items` on `day`.
    #[must_use]
    pub fn of(items: impl IntoIterator<Item = OpenItem>, day: Date) -> Self {
        let mut fold = AgingFold::new(day);
        items.into_iter().for_each(|item| fold.add(item));
        fold.finish()
    }
}

/// What changed what a customer owes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// When.
    pub date: Date,
    /// What it is.
    pub kind: MovementKind,
    /// Its id.
    pub id: String,
    /// The document's number, or the payment's reference.
    pub reference: Option<String>,
    /// Above zero for what makes the customer owe more.
    pub amount: Decimal,
}

/// Sorts of movements, in the order in which they stand on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovementKind {
    /// An invoice.
    Invoice,
    /// A credit note.
    CreditNote,
    /// The void of one of them.
    Void,
    /// Money of the customer.
    Payment,
    /// Money that was given back.
    Refund,
}

impl MovementKind {
    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::CreditNote => "credit_note",
            Self::Void => "void",
            Self::Payment => "payment",
            Self::Refund => "refund",
        }
    }
}

/// A customer's account over some days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// What was owed before it.
    pub opening_balance: Decimal,
    /// What changed it, each with the balance behind it.
    pub movements: Vec<(Movement, Decimal)>,
    /// What is owed at its end.
    pub closing_balance: Decimal,
}

impl Statement {
    /// The statement of `from` to `to` of all that ever changed the account; what is later is
    /// passed over.
    #[must_use]
    pub fn of(from: Date, to: Date, movements: impl IntoIterator<Item = Movement>) -> Self {
        let mut opening_balance = Decimal::zero();
        let mut within = Vec::new();
        for movement in movements {
            if movement.date < from {
                opening_balance += &movement.amount;
            } else if movement.date <= to {
                within.push(movement);
            }
        }
        within.sort_by(|a, b| {
            let key = |one: &Movement| (one.date, one.kind, one.reference.clone(), one.id.clone());
            key(a).cmp(&key(b))
        });
        let mut balance = opening_balance.clone();
        let movements = within.into_iter().map(|movement| {
            balance += &movement.amount;
            (movement, balance.clone())
        });
        let movements: Vec<_> = movements.collect();
        Self { from, to, opening_balance, movements, closing_balance: balance }
    }
}
