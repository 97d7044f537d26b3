//! VAT by rate, category and kind of sale, and sales within the Union by buyer, for any country.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use time::Date;

use crate::category::Category;
use crate::facts::{Findings, Said, Sale, Sold, SoldKind, TaxPart, UnionNumber};

const ADVANCE: Said = (
    "advance_invoice",
    "advance invoices are not counted: the invoices that use them are, in full",
);
const NOT_CONVERTED: Said = (
    "no_exchange_rate",
    "the document is in another currency and has no rate of exchange: set exchange_rate",
);
const UNKNOWN_LINES: Said = (
    "classification_unknown",
    "sold to another country by lines that are said to be neither goods nor services: set \
     classification; until then they count as exempt",
);
const NO_NUMBER: Said = (
    "buyer_number_missing",
    "sold to a business in another member state without its VAT number: it is in no row of the \
     recapitulative statement",
);
const MARGIN: Said =
    ("margin_scheme", "taxed by the margin: base and tax of the margin are not on the document");

/// What was sold in a span of days, and its tax. Credit notes count against it; voided documents
/// not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatOverview {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// Base and tax, by kind of sale, category and rate.
    pub rates: Vec<VatRow>,
    /// Before tax, in all.
    pub base: Decimal,
    /// The tax in all.
    pub tax: Decimal,
    /// Sales to businesses in other member states, by their numbers: the figures of the
    /// recapitulative statement (Directive 2006/112/EC, Article 264). What is taxed by the margin
    /// is not among them.
    pub recapitulative: Vec<UnionBuyer>,
    /// Documents that count.
    pub documents: usize,
    /// Voided documents of these days.
    pub voided: usize,
    /// Documents of these days that do not count, by why.
    pub left_out: Findings,
    /// What is odd about those that count.
    pub warnings: Findings,
}

/// A rate of one category in one kind of sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatRow {
    /// The kind of sale.
    pub kind: Sale,
    /// The VAT category.
    pub category: Category,
    /// Percent; 0 where the document charges no tax.
    pub rate: Decimal,
    /// Before tax.
    pub base: Decimal,
    /// The tax.
    pub tax: Decimal,
}

/// A business in another member state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionBuyer {
    /// Its number.
    pub number: UnionNumber,
    /// Its name on the last document.
    pub name: Option<String>,
    /// Goods that it bought, before tax.
    pub goods: Decimal,
    /// Services.
    pub services: Decimal,
    /// What is known to be neither.
    pub unknown: Decimal,
}

impl VatOverview {
    /// The overview of `from` to `to`, both included.
    #[must_use]
    pub fn of<'a>(from: Date, to: Date, sold: impl IntoIterator<Item = &'a Sold>) -> Self {
        let of_days = sold.into_iter().filter(|sold| (from..=to).contains(&sold.date));
        let mut of_days: Vec<&Sold> = of_days.collect();
        of_days.sort_by(|a, b| (a.date, &a.number).cmp(&(b.date, &b.number)));
        let mut sums = Sums::default();
        for sold in of_days {
            let why = match sold.kind {
                _ if sold.is_voided => {
                    sums.voided += 1;
                    None
                }
                SoldKind::Advance => Some(ADVANCE),
                _ if !sold.is_converted => Some(NOT_CONVERTED),
                SoldKind::Invoice => {
                    sums.add(sold, &Decimal::from(1));
                    None
                }
                SoldKind::CreditNote => {
                    sums.add(sold, &Decimal::from(-1));
                    None
                }
            };
            if let Some(why) = why {
                sums.left_out.note(why, &sold.id, &sold.number);
            }
        }
        sums.finish(from, to)
    }
}

/// Sums that are not finished.
#[derive(Debug, Default)]
struct Sums {
    rows: BTreeMap<(Sale, Category, Decimal), (Decimal, Decimal)>,
    buyers: BTreeMap<(String, String), UnionBuyer>,
    documents: usize,
    voided: usize,
    left_out: Findings,
    warnings: Findings,
}

impl Sums {
    fn add(&mut self, sold: &Sold, sign: &Decimal) {
        self.documents += 1;
        for part in &sold.parts {
            let says = part.is_margin.then_some(MARGIN).or_else(|| unknown(sold.sale, part));
            if let Some(says) = says {
                self.warnings.note(says, &sold.id, &sold.number);
            }
            let rate = if part.is_taxed() { part.rate.clone() } else { Decimal::zero() };
            let mut tax = part.tax.clone();
            for (category, base) in Category::of(sold.sale, part) {
                let row =
                    self.rows.entry((sold.sale, category, rate.clone())).or_insert_with(nothing);
                row.0 += &(&base * sign);
                row.1 += &(&std::mem::replace(&mut tax, Decimal::zero()) * sign);
            }
            if is_recapitulated(sold.sale, part) {
                self.bought(sold, part, sign);
            }
        }
    }

    fn bought(&mut self, sold: &Sold, part: &TaxPart, sign: &Decimal) {
        let partner = sold.partner.as_ref();
        let Some(number) = partner.and_then(crate::facts::Partner::union_number) else {
            self.warnings.note(NO_NUMBER, &sold.id, &sold.number);
            return;
        };
        let key = (number.state.clone(), number.number.clone());
        let zero = Decimal::zero;
        let buyer = self.buyers.entry(key).or_insert_with(|| UnionBuyer {
            number,
            name: None,
            goods: zero(),
            services: zero(),
            unknown: zero(),
        });
        buyer.name = partner.and_then(|partner| partner.name.clone()).or(buyer.name.take());
        buyer.goods += &(&part.goods * sign);
        buyer.services += &(&part.services * sign);
        buyer.unknown += &(&part.unknown() * sign);
    }

    fn finish(self, from: Date, to: Date) -> VatOverview {
        let row =
            |((kind, category, rate), (base, tax))| VatRow { kind, category, rate, base, tax };
        let rates: Vec<VatRow> = self.rows.into_iter().map(row).collect();
        VatOverview {
            from,
            to,
            base: rates.iter().map(|row| &row.base).sum(),
            tax: rates.iter().map(|row| &row.tax).sum(),
            rates,
            recapitulative: self.buyers.into_values().collect(),
            documents: self.documents,
            voided: self.voided,
            left_out: self.left_out,
            warnings: self.warnings,
        }
    }
}

fn nothing() -> (Decimal, Decimal) {
    (Decimal::zero(), Decimal::zero())
}

/// Whether `part` of a document of the kind `sale` is in the recapitulative statement. What is
/// taxed by the margin is taxed where its seller is (Directive 2006/112/EC, Article 139(3)).
fn is_recapitulated(sale: Sale, part: &TaxPart) -> bool {
    sale == Sale::UnionBusiness && !part.is_taxed() && !part.is_margin
}

fn unknown(sale: Sale, part: &TaxPart) -> Option<Said> {
    let hangs_on_lines = matches!(sale, Sale::UnionBusiness | Sale::Abroad) && !part.is_taxed();
    (hangs_on_lines && !part.unknown().is_zero()).then_some(UNKNOWN_LINES)
}
