//! VAT categories, UNCL 5305: which one a line has, and the breakdown, BG-23.
//!
//! | Sale            | Rate above 0 | The customer owes it | Neither                        |
//! | --------------- | ------------ | -------------------- | ------------------------------ |
//! | domestic        | S            | AE                   | E; Z where the tax is `zero`   |
//! | intra-EU to B2B | S            | K goods, AE services | K goods, AE services           |
//! | intra-EU to B2C | S            | AE                   | E; Z where the tax is `zero`   |
//! | third country   | S            | AE                   | G goods, O services            |
//!
//! Sources: Directive 2006/112/EC, Articles 44, 138, 146, 194 to 196; EN 16931-1, table of VAT
//! categories; codes of the reasons by the VATEX list.

use en16931::invoice::{Code, LineVat, VatBreakdown};
use racun_kernel::{Decimal, Step};

use super::{TOO_FINE, fatal, item_path};
use crate::decimals;
use crate::facts::{Facts, Priced, Sale, Sells};
use crate::finding::Finding;
use crate::specification::Specification;

/// A VAT category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Standard rate, reduced ones among them.
    S,
    /// Zero rated.
    Z,
    /// Exempt.
    E,
    /// Reverse charge.
    AE,
    /// Supply of goods to another member state.
    K,
    /// Export of goods.
    G,
    /// Outside the scope of VAT.
    O,
}

impl Category {
    /// Its code: BT-118, BT-151.
    pub const fn code(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::Z => "Z",
            Self::E => "E",
            Self::AE => "AE",
            Self::K => "K",
            Self::G => "G",
            Self::O => "O",
        }
    }

    /// Why no VAT is charged, where the category says it: BT-121 and BT-120.
    const fn reason(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::S | Self::Z | Self::E => None,
            Self::AE => Some(("VATEX-EU-AE", "Reverse charge")),
            Self::K => Some(("VATEX-EU-IC", "Intra-Community supply")),
            Self::G => Some(("VATEX-EU-G", "Export outside the EU")),
            Self::O => Some(("VATEX-EU-O", "Not subject to VAT")),
        }
    }
}

/// How a line is taxed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Treatment {
    /// Its category.
    pub category: Category,
    /// Its rate; 0 in all categories but S.
    pub rate: Decimal,
}

impl Treatment {
    /// BG-30 of a line, or the same of a document level allowance. O has no rate (BR-O-05).
    pub fn term(&self) -> LineVat {
        let rate = Some(&self.rate).filter(|_| self.category != Category::O);
        LineVat {
            category: Code::new(self.category.code()),
            rate: rate.and_then(decimals::percentage),
        }
    }
}

/// How the element `place` of `items` is taxed.
pub fn treatment(line: &Priced, place: usize, sale: Sale, found: &mut Vec<Finding>) -> Treatment {
    if line.taxes.len() > 1 {
        let message = "an electronic invoice has one VAT rate for each line, and no other tax: \
                       leave one tax on the line";
        found.push(fatal("BR-CO-04", item_path(place, "taxes"), message));
    }
    let tax = line.taxes.first();
    let is_owed = tax.is_some_and(|tax| tax.reverse_charge);
    let charged = tax.filter(|tax| !tax.reverse_charge && tax.rate.is_positive());
    if let Some(tax) = charged {
        return Treatment { category: Category::S, rate: tax.rate.clone() };
    }
    let is_zero = tax
        .and_then(|tax| tax.classification.as_deref())
        .is_some_and(|name| name.eq_ignore_ascii_case("zero"));
    let category = match (sale, line.sells, is_owed) {
        (Sale::IntraEuB2b, Some(Sells::Goods), _) => Category::K,
        (_, _, true) | (Sale::IntraEuB2b, Some(Sells::Services), _) => Category::AE,
        (Sale::ThirdCountry, Some(Sells::Goods), _) => Category::G,
        (Sale::ThirdCountry, Some(Sells::Services), _) => Category::O,
        (Sale::IntraEuB2b | Sale::ThirdCountry, ..) => {
            found.push(undecided(sale, place));
            Category::E
        }
        _ if is_zero => Category::Z,
        _ => Category::E,
    };
    Treatment { category, rate: Decimal::zero() }
}

fn undecided(sale: Sale, place: usize) -> Finding {
    let message = match sale {
        Sale::ThirdCountry => {
            "without VAT, goods leave the Union as an export (G) and services are outside the \
             scope (O): say product or service"
        }
        _ => {
            "without VAT, goods go to another member state exempt (K) and services by reverse \
             charge (AE): say product or service, or mark the tax as reverse_charge"
        }
    };
    fatal("BR-CO-04", item_path(place, "classification"), message)
}

/// A group of the breakdown while lines are added.
pub struct Group {
    /// How its lines are taxed.
    pub treatment: Treatment,
    /// What its lines come to: BT-116.
    pub base: Decimal,
    /// Why they are exempt, as a line says it.
    pub reason: Option<String>,
}

/// BG-23 of `groups`. The taxes are the document's (BT-117), never calculated here.
///
/// KoSIT's BR-DE-14 wants a rate for every group, O among them, which CEN's rules leave open.
pub fn breakdown(
    groups: &[Group],
    facts: &Facts,
    specification: Specification,
    found: &mut Vec<Finding>,
) -> Vec<VatBreakdown> {
    let clause = super::paragraphs(facts.texts.tax_clause.as_deref());
    let group_term = |group: &Group| {
        let category = group.treatment.category;
        let tax = charged(facts, &group.treatment);
        let path = || vec![Step::from("currency_code")];
        let mut money = |money: &Decimal| {
            decimals::amount(money).unwrap_or_else(|| {
                found.push(fatal("BR-DEC-19", path(), TOO_FINE));
                en16931::InvoiceAmount::ZERO
            })
        };
        let has_rate = category != Category::O || specification == Specification::XRechnung;
        let rate = decimals::percentage(&group.treatment.rate).filter(|_| has_rate);
        let is_free = !matches!(category, Category::S | Category::Z);
        let standard = category.reason();
        let stated = group.reason.clone().or_else(|| clause.clone()).filter(|_| is_free);
        VatBreakdown {
            taxable_amount: money(&group.base),
            tax_amount: money(&tax),
            category: Code::new(category.code()),
            rate,
            exemption_reason: stated.or_else(|| Some(standard?.1.to_owned())),
            exemption_reason_code: standard.map(|(code, _)| Code::new(code)),
        }
    };
    groups.iter().map(group_term).collect()
}

/// The document's tax of a group.
fn charged(facts: &Facts, treatment: &Treatment) -> Decimal {
    if treatment.category != Category::S {
        return Decimal::zero();
    }
    let taxes = facts.totals.taxes.iter();
    let of_rate = taxes.filter(|tax| !tax.reverse_charge && tax.rate == treatment.rate);
    of_rate.map(|tax| &tax.amount).sum()
}
