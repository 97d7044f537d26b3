//! Brackets by year and basis of insurance, and the arithmetic.

use racun_kernel::{Currency, Decimal};

use crate::amounts::cents;

/// How a sole trader is insured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Full-time, as self-employed, for nine months of the year at least.
    FullTime,
    /// Anything else.
    Other,
}

impl Basis {
    /// Its name in the profile.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FullTime => "full_time_self_employed",
            Self::Other => "other",
        }
    }

    /// The basis called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::FullTime, Self::Other].into_iter().find(|basis| basis.name() == name)
    }
}

/// Up to which amount which percentage holds; the last bracket has no end.
type Brackets = &'static [(Option<i64>, i64)];

/// The rules of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The year that they are of.
    pub year: i32,
    expenses: Brackets,
    tax: Brackets,
    /// Revenue beyond which the next years cannot be taxed in this way, in euros.
    pub revenue_limit: i64,
}

/// An advance above this many euros is paid monthly, otherwise quarterly.
const MONTHLY_ABOVE: i64 = 400;

/// By first year, the latest first.
const TABLE: [(i32, Rules, Rules); 1] = [(
    2026,
    Rules {
        year: 2026,
        expenses: &[(Some(60_000), 80), (None, 0)],
        tax: &[(Some(72_000), 20), (None, 35)],
        revenue_limit: 120_000,
    },
    Rules {
        year: 2026,
        expenses: &[(Some(12_500), 80), (Some(30_000), 40), (None, 0)],
        tax: &[(Some(33_000), 20), (None, 35)],
        revenue_limit: 50_000,
    },
)];

/// What the rules are called in answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSummary {
    /// How expenses follow from revenue.
    pub normative_expense_rule: String,
    /// How the tax follows from its base.
    pub income_tax_rule: String,
    /// How the advance of the next year follows.
    pub advance_rule: String,
}

/// What a year came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearInput {
    /// Invoices before tax.
    pub invoices: Decimal,
    /// Credit notes before tax, not below zero.
    pub credit_notes: Decimal,
    /// What the trader adds to revenue.
    pub increase: Decimal,
    /// What the trader takes off it.
    pub decrease: Decimal,
    /// Months with activity, each that was begun counted whole: 1 to 12.
    pub months: i64,
}

/// The figures of a year, in euros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoValues {
    /// Invoices before tax.
    pub total_invoice_revenue: Decimal,
    /// Credit notes before tax.
    pub total_credit_note_reduction: Decimal,
    /// The one less the other, with the trader's own changes.
    pub adjusted_revenue: Decimal,
    /// Expenses by the rule.
    pub normative_expenses: Decimal,
    /// What is taxed.
    pub tax_base: Decimal,
    /// The tax on it.
    pub income_tax_amount: Decimal,
    /// The advance of the next year.
    pub advance_tax_amount: Decimal,
    /// A twelfth of it.
    pub monthly_installment_amount: Decimal,
    /// A quarter of it.
    pub quarterly_installment_amount: Decimal,
}

impl Rules {
    /// The rules of `year`, or the nearest ones that are known: their own `year` says which.
    #[must_use]
    pub fn of(year: i32, basis: Basis) -> Self {
        let known = TABLE.iter().find(|(first, ..)| *first <= year).or(TABLE.last());
        let (_, full, other) = known.unwrap_or(&TABLE[0]);
        match basis {
            Basis::FullTime => *full,
            Basis::Other => *other,
        }
    }

    /// The figures of a year.
    #[must_use]
    pub fn apply(&self, input: &YearInput) -> AutoValues {
        let adjusted =
            &(&(&input.invoices - &input.credit_notes) + &input.increase) - &input.decrease;
        let adjusted = cents(&adjusted);
        let taxed = if adjusted.is_negative() { Decimal::zero() } else { adjusted.clone() };
        let expenses = by_brackets(&taxed, self.expenses);
        let base = &taxed - &expenses;
        let months = Decimal::from(input.months.clamp(1, 12));
        let twelve = &base * &Decimal::from(12);
        let year_base = Currency::EUR.divide(&twelve, &months).unwrap_or_else(Decimal::zero);
        let advance = by_brackets(&year_base, self.tax);
        let part = |of: i64| {
            Currency::EUR.divide(&advance, &Decimal::from(of)).unwrap_or_else(Decimal::zero)
        };
        AutoValues {
            total_invoice_revenue: cents(&input.invoices),
            total_credit_note_reduction: cents(&input.credit_notes),
            income_tax_amount: by_brackets(&base, self.tax),
            monthly_installment_amount: part(12),
            quarterly_installment_amount: part(4),
            advance_tax_amount: advance,
            adjusted_revenue: adjusted,
            normative_expenses: expenses,
            tax_base: base,
        }
    }

    /// The rules in words.
    #[must_use]
    pub fn summary(&self) -> RuleSummary {
        let year = self.year;
        let words = |brackets: Brackets| {
            let word = |(until, percent): &(Option<i64>, i64)| match until {
                Some(until) => format!("{percent} % to {until} EUR"),
                None => format!("{percent} % above"),
            };
            brackets.iter().map(word).collect::<Vec<_>>().join(", ")
        };
        RuleSummary {
            normative_expense_rule: format!(
                "Rules of {year}: expenses are a share of revenue without VAT: {}.",
                words(self.expenses)
            ),
            income_tax_rule: format!("Rules of {year}: tax on the base: {}.", words(self.tax)),
            advance_rule: format!(
                "Rules of {year}: the base, as of twelve months of activity, is taxed by the same \
                 steps; an advance above {MONTHLY_ABOVE} EUR is paid monthly, otherwise quarterly."
            ),
        }
    }
}

impl AutoValues {
    /// Whether the advance is paid monthly; otherwise quarterly.
    #[must_use]
    pub fn is_paid_monthly(&self) -> bool {
        self.advance_tax_amount > Decimal::from(MONTHLY_ABOVE)
    }
}

/// What the percentages of `brackets` come to over `amount`, rounded once.
fn by_brackets(amount: &Decimal, brackets: Brackets) -> Decimal {
    let (mut from, mut sum) = (Decimal::zero(), Decimal::zero());
    for (until, percent) in brackets {
        let until = until.map_or_else(|| amount.clone(), Decimal::from);
        let end = if *amount < until { amount.clone() } else { until };
        if end > from {
            sum += &(&(&end - &from) * &Decimal::from(*percent).percent());
            from = end;
        }
    }
    cents(&sum)
}
