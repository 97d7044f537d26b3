//! A report that is being filled, by single facts or by whole groups of them.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};
use time::Date;

use super::facts::{SaleLine, SaleTax, Seller, is_money};
use super::report::{
    MoneyBack, MoneyOfKind, OperatorTakings, PaymentTakings, Refunds, TakenBack, Takings, Totals,
};

/// A report that is being filled.
#[derive(Debug, Clone)]
pub struct Ledger {
    date: Date,
    currency: Currency,
    voided: Decimal,
    /// Invoices, net and gross.
    sales: BTreeMap<Option<Seller>, [Decimal; 3]>,
    /// Base and amount.
    taxes: BTreeMap<Decimal, [Decimal; 2]>,
    untaxed: Decimal,
    /// Quantity and total.
    categories: BTreeMap<Option<String>, [Decimal; 2]>,
    /// Invoices and total.
    payments: BTreeMap<String, [Decimal; 2]>,
    /// Of that, what moved on the day.
    on_the_day: BTreeMap<String, [Decimal; 1]>,
    /// All that came in on the day.
    received: BTreeMap<String, [Decimal; 1]>,
    /// Credit notes and total of what went out on the day.
    given_back: BTreeMap<String, [Decimal; 2]>,
    returned: BTreeMap<String, [Decimal; 1]>,
    tips: BTreeMap<String, [Decimal; 1]>,
    /// Documents, net and gross.
    refunds: [Decimal; 3],
    refund_taxes: BTreeMap<Decimal, [Decimal; 2]>,
    refund_untaxed: Decimal,
    taken_back: [Decimal; 3],
    refunds_taken_back: [Decimal; 3],
}

fn nothing<const N: usize>() -> [Decimal; N] {
    std::array::from_fn(|_| Decimal::zero())
}

fn add_all<const N: usize>(sums: &mut [Decimal; N], figures: [&Decimal; N]) {
    sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
}

/// Adds `figures` to those of `key`, which may be new.
fn add<K: Ord, const N: usize>(
    sums: &mut BTreeMap<K, [Decimal; N]>,
    key: K,
    figures: [&Decimal; N],
) {
    add_all(sums.entry(key).or_insert_with(nothing), figures);
}

impl Ledger {
    /// A report without figures.
    #[must_use]
    pub fn new(date: Date, currency: Currency) -> Self {
        Self {
            date,
            currency,
            voided: Decimal::zero(),
            sales: BTreeMap::new(),
            taxes: BTreeMap::new(),
            untaxed: Decimal::zero(),
            categories: BTreeMap::new(),
            payments: BTreeMap::new(),
            on_the_day: BTreeMap::new(),
            received: BTreeMap::new(),
            given_back: BTreeMap::new(),
            returned: BTreeMap::new(),
            tips: BTreeMap::new(),
            refunds: nothing(),
            refund_taxes: BTreeMap::new(),
            refund_untaxed: Decimal::zero(),
            taken_back: nothing(),
            refunds_taken_back: nothing(),
        }
    }

    /// Adds so many invoices that were voided before the day was over, or closed.
    pub fn void(&mut self, invoices: &Decimal) {
        self.voided += invoices;
    }

    /// Adds so many invoices that `seller` issued.
    pub fn sell(
        &mut self,
        seller: Option<Seller>,
        invoices: &Decimal,
        net: &Decimal,
        gross: &Decimal,
    ) {
        add(&mut self.sales, seller, [invoices, net, gross]);
    }

    /// Adds what was taxed at a rate.
    pub fn tax(&mut self, tax: &SaleTax) {
        add(&mut self.taxes, tax.rate.clone(), [&tax.base, &tax.amount]);
    }

    /// Adds what was sold without tax.
    pub fn untaxed(&mut self, base: &Decimal) {
        self.untaxed += base;
    }

    /// Adds what was sold of a category.
    pub fn line(&mut self, line: &SaleLine) {
        add(&mut self.categories, line.category.clone(), [&line.quantity, &line.total]);
    }

    /// Adds what so many other invoices of the day were paid in the way `kind`, whenever that was.
    pub fn pay(&mut self, kind: &str, invoices: &Decimal, total: &Decimal) {
        add(&mut self.payments, kind.to_owned(), [invoices, total]);
    }

    /// Says how much money of what was paid moved on the day.
    pub fn pay_on_the_day(&mut self, kind: &str, total: &Decimal) {
        add(&mut self.on_the_day, kind.to_owned(), [total]);
    }

    /// Adds money that came in on the day, for whatever.
    pub fn receive(&mut self, kind: &str, total: &Decimal) {
        add(&mut self.received, kind.to_owned(), [total]);
    }

    /// Adds what was given beyond that on the day.
    pub fn tip(&mut self, kind: &str, total: &Decimal) {
        add(&mut self.tips, kind.to_owned(), [total]);
    }

    /// Adds money that went out on the day, of so many other credit notes.
    pub fn give_back(&mut self, kind: &str, credit_notes: &Decimal, total: &Decimal) {
        add(&mut self.given_back, kind.to_owned(), [credit_notes, total]);
    }

    /// Adds money of what was voided on the day.
    pub fn return_by_voiding(&mut self, kind: &str, total: &Decimal) {
        add(&mut self.returned, kind.to_owned(), [total]);
    }

    /// Adds so many credit notes of the day; fewer than none take away.
    pub fn refund(&mut self, credit_notes: &Decimal, net: &Decimal, gross: &Decimal) {
        add_all(&mut self.refunds, [credit_notes, net, gross]);
    }

    /// Adds what was given back of a rate.
    pub fn refund_tax(&mut self, tax: &SaleTax) {
        add(&mut self.refund_taxes, tax.rate.clone(), [&tax.base, &tax.amount]);
    }

    /// Adds what was given back without tax.
    pub fn refund_untaxed(&mut self, base: &Decimal) {
        self.refund_untaxed += base;
    }

    /// Adds so many invoices that were counted before and voided on the day.
    pub fn take_back(&mut self, invoices: &Decimal, net: &Decimal, gross: &Decimal) {
        add_all(&mut self.taken_back, [invoices, net, gross]);
    }

    /// Adds so many credit notes that were counted before and voided on the day.
    pub fn take_refund_back(&mut self, credit_notes: &Decimal, net: &Decimal, gross: &Decimal) {
        add_all(&mut self.refunds_taken_back, [credit_notes, net, gross]);
    }

    /// The report.
    #[must_use]
    pub fn close(self) -> Takings {
        let sum = |n: usize| self.sales.values().map(|figures| &figures[n]).sum::<Decimal>();
        let (invoices, net, gross) = (sum(0), sum(1), sum(2));
        let paid: Decimal = self.payments.values().map(|[_, total]| total).sum();
        let (unpaid, tax) = (&gross - &paid, &gross - &net);
        let [
            paid_on_other_days,
            received_for_others,
            returned_by_voiding,
            net_by_payment_type,
            tips,
        ] = self.money();
        let totals = Totals { invoices, voided: self.voided, net, tax, gross };
        let payment =
            |(kind, [invoices, total]): (_, [_; 2])| PaymentTakings { kind, invoices, total };
        let back = |(kind, [count, total]): (_, [_; 2])| MoneyBack { kind, count, total };
        let line =
            |(category, [quantity, total]): (_, [_; 2])| SaleLine { category, quantity, total };
        let mut by_category: Vec<SaleLine> = self.categories.into_iter().map(line).collect();
        by_category.sort_by_key(|line| line.category.is_none());
        let TakenBack { count, net, tax, gross } = documents(self.refunds);
        let mut by_tax_rate = by_rate(self.refund_taxes, self.refund_untaxed);
        // What was taken away again leaves nothing of its rate.
        by_tax_rate.retain(|tax| !tax.base.is_zero() || !tax.amount.is_zero());
        Takings {
            date: self.date,
            currency: self.currency,
            totals,
            by_payment_type: self.payments.into_iter().map(payment).collect(),
            by_tax_rate: by_rate(self.taxes, self.untaxed),
            by_category,
            by_operator: by_operator(self.sales),
            unpaid,
            refunds: Refunds {
                count,
                net,
                tax,
                gross,
                by_payment_type: self.given_back.into_iter().map(back).collect(),
                by_tax_rate,
                voided_later: documents(self.refunds_taken_back),
            },
            voided_later: documents(self.taken_back),
            paid_on_other_days,
            received_for_others,
            returned_by_voiding,
            net_by_payment_type,
            tips,
        }
    }

    /// What was paid on other days, what was received for other documents, what went back by
    /// voiding, and what came in less what went out, and tips. Types of which nothing moved are
    /// left out of the first two and the last.
    fn money(&self) -> [Vec<MoneyOfKind>; 5] {
        let mut other_days: BTreeMap<String, [Decimal; 1]> = BTreeMap::new();
        for (kind, [_, total]) in self.payments.iter().filter(|(kind, _)| is_money(kind)) {
            add(&mut other_days, kind.clone(), [total]);
        }
        let (mut others, mut net) = (self.received.clone(), self.received.clone());
        for (kind, [total]) in &self.on_the_day {
            add(&mut other_days, kind.clone(), [&-total]);
            add(&mut others, kind.clone(), [&-total]);
        }
        for (kind, [_, total]) in &self.given_back {
            add(&mut net, kind.clone(), [&-total]);
        }
        for (kind, [total]) in &self.returned {
            add(&mut net, kind.clone(), [&-total]);
        }
        let list = |sums: BTreeMap<String, [Decimal; 1]>| -> Vec<MoneyOfKind> {
            sums.into_iter().map(|(kind, [total])| MoneyOfKind { kind, total }).collect()
        };
        let some = |sums| {
            let mut rows = list(sums);
            rows.retain(|row| !row.total.is_zero());
            rows
        };
        [
            some(other_days),
            some(others),
            list(self.returned.clone()),
            list(net),
            some(self.tips.clone()),
        ]
    }
}

fn documents([count, net, gross]: [Decimal; 3]) -> TakenBack {
    TakenBack { count, tax: &gross - &net, net, gross }
}

/// What is taxed by rate; what is untaxed is at rate 0, so that the parts come to all.
fn by_rate(mut taxes: BTreeMap<Decimal, [Decimal; 2]>, untaxed: Decimal) -> Vec<SaleTax> {
    if !untaxed.is_zero() {
        add(&mut taxes, Decimal::zero(), [&untaxed, &Decimal::zero()]);
    }
    let tax = |(rate, [base, amount]): (_, [_; 2])| SaleTax { rate, base, amount };
    taxes.into_iter().map(tax).collect()
}

/// Who an entry is of: a person, also one whose name changed on the way; else a label.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Person(String),
    Label(String),
    Unknown,
}

fn by_operator(sales: BTreeMap<Option<Seller>, [Decimal; 3]>) -> Vec<OperatorTakings> {
    let mut people: BTreeMap<Entry, (Option<Seller>, [Decimal; 2])> = BTreeMap::new();
    for (seller, [invoices, _, gross]) in sales {
        let entry = match seller.as_ref().map(|seller| (&seller.user, &seller.label)) {
            Some((Some(user), _)) => Entry::Person(user.clone()),
            Some((None, Some(label))) => Entry::Label(label.clone()),
            Some((None, None)) | None => Entry::Unknown,
        };
        let person = people.entry(entry).or_insert_with(|| (None, nothing()));
        person.0 = seller;
        add_all(&mut person.1, [&invoices, &gross]);
    }
    let sellers = people.values().filter_map(|(seller, _)| seller.as_ref());
    let mut bearers: BTreeMap<String, u32> = BTreeMap::new();
    for name in sellers.filter_map(|seller| seller.name.clone()) {
        *bearers.entry(name).or_default() += 1;
    }
    let label = |seller: &Seller| {
        let own = seller.name.clone().filter(|name| bearers.get(name) == Some(&1));
        seller.label.clone().or(own).or_else(|| seller.email.clone())
    };
    let entry = |(seller, [invoices, total]): (Option<Seller>, [_; 2])| OperatorTakings {
        operator: seller.as_ref().and_then(label),
        user: seller.and_then(|seller| seller.user),
        invoices,
        total,
    };
    let mut entries: Vec<OperatorTakings> = people.into_values().map(entry).collect();
    let order = |row: &OperatorTakings| {
        (row.operator.is_none(), row.operator.clone(), row.user.is_none(), row.user.clone())
    };
    entries.sort_by_key(order);
    entries
}
