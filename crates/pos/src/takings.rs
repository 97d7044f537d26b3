//! Daily takings: what the invoices of a day come to.
//!
//! [`takings`] defines the report, of plain facts. A store that adds up by itself fills a [`Ledger`]
//! with whole groups instead of single sales, and must come to the same.
//!
//! - Counted are the invoices that were issued under the day's date. Voided ones are counted apart,
//!   and nothing else of them is in the report.
//! - All money is in the currency of the report. An invoice in another currency counts with what it
//!   was converted to; where nobody said at which rate, it is counted and its money is left out.
//! - Payments are those of the counted invoices, whenever they were made. What one invoice was paid
//!   in one way is added up, then converted once.
//! - Totals by category and by operator are with tax, as what is in the drawer. The tax of the totals
//!   is what lies between net and gross, so these three always agree; the amounts by rate are the
//!   invoices' own, each rounded, and may miss it by that.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};
use time::Date;

/// An invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// Its id.
    pub invoice: String,
    /// Whether it was declared void.
    pub is_voided: bool,
    /// How its money becomes money of the report.
    pub exchange: Exchange,
    /// Before tax, in the report's currency; zero when nobody knows, as all money here.
    pub net: Decimal,
    /// With tax.
    pub gross: Decimal,
    /// Its taxes.
    pub taxes: Vec<SaleTax>,
    /// What was sold; no headings.
    pub lines: Vec<SaleLine>,
    /// Who issued it, when it was a person.
    pub seller: Option<Seller>,
}

/// A tax of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleTax {
    /// Percent.
    pub rate: Decimal,
    /// What is taxed.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

/// A line of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleLine {
    /// Its category's name.
    pub category: Option<String>,
    /// How many.
    pub quantity: Decimal,
    /// With tax.
    pub total: Decimal,
}

/// A person who issued invoices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seller {
    /// Their user's id.
    pub user: String,
    /// Their name, when they gave one.
    pub name: Option<String>,
    /// Their e-mail address.
    pub email: String,
}

/// A payment of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// The invoice's id.
    pub invoice: String,
    /// How: `cash`.
    pub kind: String,
    /// How much, in the invoice's currency.
    pub amount: Decimal,
}

/// How money of an invoice becomes money of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchange {
    /// It is in the report's currency.
    Same,
    /// One unit of it is this much.
    At(Decimal),
    /// Nobody said.
    Unknown,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takings {
    /// The day.
    pub date: Date,
    /// The currency of all money in it.
    pub currency: Currency,
    /// What all invoices come to.
    pub totals: Totals,
    /// By the way of paying, in the order of its name.
    pub by_payment_type: Vec<PaymentTakings>,
    /// By tax rate, lowest first.
    pub by_tax_rate: Vec<SaleTax>,
    /// By category, in the order of its name; what has none comes last.
    pub by_category: Vec<SaleLine>,
    /// By operator, in the order of their labels; what no person issued comes last.
    pub by_operator: Vec<OperatorTakings>,
}

/// What all invoices of the day come to. Numbers of invoices are whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Invoices that stand.
    pub invoices: Decimal,
    /// Invoices that were voided.
    pub voided: Decimal,
    /// Before tax.
    pub net: Decimal,
    /// `gross` less `net`.
    pub tax: Decimal,
    /// With tax.
    pub gross: Decimal,
}

/// What was paid in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentTakings {
    /// How: `cash`.
    pub kind: String,
    /// Invoices of which at least a part was paid so.
    pub invoices: Decimal,
    /// How much.
    pub total: Decimal,
}

/// What one person sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorTakings {
    /// Their name, or their e-mail address when they gave none or two have the same.
    pub operator: Option<String>,
    /// Invoices.
    pub invoices: Decimal,
    /// With tax.
    pub total: Decimal,
}

/// What `sales`, all issued under the date `date`, and their `payments` come to in `currency`.
///
/// This is what the figures of the report mean. Drafts, and what is in the trash, are no facts.
#[must_use]
pub fn takings(date: Date, currency: Currency, sales: &[Sale], payments: &[Paid]) -> Takings {
    let mut ledger = Ledger::new(date, currency);
    let one = Decimal::from(1);
    let mut counted = BTreeMap::new();
    for sale in sales {
        if sale.is_voided {
            ledger.void(&one);
            continue;
        }
        counted.insert(&sale.invoice, &sale.exchange);
        ledger.sell(sale.seller.clone(), &one, &sale.net, &sale.gross);
        sale.taxes.iter().for_each(|tax| ledger.tax(tax));
        sale.lines.iter().for_each(|line| ledger.line(line));
    }
    let mut paid: BTreeMap<_, Decimal> = BTreeMap::new();
    for payment in payments {
        let amount = paid.entry((&payment.kind, &payment.invoice)).or_insert_with(Decimal::zero);
        *amount += &payment.amount;
    }
    for ((kind, invoice), amount) in paid {
        if let Some(exchange) = counted.get(invoice) {
            ledger.pay(kind, &one, &exchange.convert(&amount, currency));
        }
    }
    ledger.close()
}

impl Exchange {
    /// `amount` in `currency`, rounded once; zero when nobody knows.
    #[must_use]
    pub fn convert(&self, amount: &Decimal, currency: Currency) -> Decimal {
        match self {
            Self::Same => amount.clone(),
            Self::At(rate) => currency.round(&(amount * rate)),
            Self::Unknown => Decimal::zero(),
        }
    }
}

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
    /// Quantity and total.
    categories: BTreeMap<Option<String>, [Decimal; 2]>,
    /// Invoices and total.
    payments: BTreeMap<String, [Decimal; 2]>,
}

/// Adds `figures` to those of `key`, which may be new.
fn add<K: Ord, const N: usize>(
    sums: &mut BTreeMap<K, [Decimal; N]>,
    key: K,
    figures: [&Decimal; N],
) {
    let sums = sums.entry(key).or_insert_with(|| std::array::from_fn(|_| Decimal::zero()));
    sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
}

impl Ledger {
    /// A report without figures.
    #[must_use]
    pub fn new(date: Date, currency: Currency) -> Self {
        let (sales, taxes) = (BTreeMap::new(), BTreeMap::new());
        let (categories, payments) = (BTreeMap::new(), BTreeMap::new());
        Self { date, currency, voided: Decimal::zero(), sales, taxes, categories, payments }
    }

    /// Adds so many voided invoices.
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

    /// Adds what was sold of a category.
    pub fn line(&mut self, line: &SaleLine) {
        add(&mut self.categories, line.category.clone(), [&line.quantity, &line.total]);
    }

    /// Adds what so many other invoices were paid in the way `kind`.
    pub fn pay(&mut self, kind: &str, invoices: &Decimal, total: &Decimal) {
        add(&mut self.payments, kind.to_owned(), [invoices, total]);
    }

    /// The report.
    #[must_use]
    pub fn close(self) -> Takings {
        let sum = |n: usize| self.sales.values().map(|figures| &figures[n]).sum::<Decimal>();
        let (invoices, net, gross) = (sum(0), sum(1), sum(2));
        let tax = &gross - &net;
        let totals = Totals { invoices, voided: self.voided, net, tax, gross };
        let payment =
            |(kind, [invoices, total]): (_, [_; 2])| PaymentTakings { kind, invoices, total };
        let tax = |(rate, [base, amount]): (_, [_; 2])| SaleTax { rate, base, amount };
        let line =
            |(category, [quantity, total]): (_, [_; 2])| SaleLine { category, quantity, total };
        let mut by_category: Vec<SaleLine> = self.categories.into_iter().map(line).collect();
        by_category.sort_by_key(|line| line.category.is_none());
        Takings {
            date: self.date,
            currency: self.currency,
            totals,
            by_payment_type: self.payments.into_iter().map(payment).collect(),
            by_tax_rate: self.taxes.into_iter().map(tax).collect(),
            by_category,
            by_operator: by_operator(self.sales),
        }
    }
}

/// One entry for each person, also for one whose name changed on the way.
fn by_operator(sales: BTreeMap<Option<Seller>, [Decimal; 3]>) -> Vec<OperatorTakings> {
    let mut people: BTreeMap<Option<String>, (Option<Seller>, [Decimal; 2])> = BTreeMap::new();
    for (seller, [invoices, _, gross]) in sales {
        let user = seller.as_ref().map(|seller| seller.user.clone());
        let nothing = [Decimal::zero(), Decimal::zero()];
        let person = people.entry(user).or_insert((None, nothing));
        person.0 = seller;
        person.1[0] += &invoices;
        person.1[1] += &gross;
    }
    let sellers = people.values().filter_map(|(seller, _)| seller.as_ref());
    let mut bearers: BTreeMap<String, u32> = BTreeMap::new();
    for name in sellers.filter_map(|seller| seller.name.clone()) {
        *bearers.entry(name).or_default() += 1;
    }
    let label = |seller: Seller| {
        let own = seller.name.filter(|name| bearers.get(name) == Some(&1));
        own.unwrap_or(seller.email)
    };
    let entry = |(seller, [invoices, total]): (Option<Seller>, [_; 2])| OperatorTakings {
        operator: seller.map(label),
        invoices,
        total,
    };
    let mut entries: Vec<OperatorTakings> = people.into_values().map(entry).collect();
    entries.sort_by(|a, b| {
        (a.operator.is_none(), &a.operator).cmp(&(b.operator.is_none(), &b.operator))
    });
    entries
}
