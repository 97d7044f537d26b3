//! What a document is posted as.

use racun_kernel::Decimal;

use super::{Account, Accounts};
use crate::amounts::cents;
use crate::facts::{Said, Sale, Sold, SoldKind, TaxPart};

/// Left or right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Debet.
    Debit,
    /// Kredit.
    Credit,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Debit => Self::Credit,
            Self::Credit => Self::Debit,
        }
    }
}

/// What a posting is of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What the buyer owes.
    Receivable,
    /// Revenue taxed by 22 percent.
    Full,
    /// Revenue taxed by 9.5 percent.
    Reduced,
    /// Revenue taxed by 5 percent.
    Special,
    /// Revenue without tax, and without the right to deduct.
    Exempt,
    /// Revenue of which the buyer in Slovenia owes the tax.
    ReverseCharge,
    /// Goods to a business in another member state.
    UnionGoods,
    /// Services to one.
    UnionServices,
    /// Exported goods.
    AbroadGoods,
    /// Services to somebody outside the Union.
    AbroadServices,
    /// Tax of 22 percent.
    FullTax,
    /// Tax of 9.5 percent.
    ReducedTax,
    /// Tax of 5 percent.
    SpecialTax,
    /// What rounding left between the total and its parts.
    Rounding,
}

/// A posting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// What it is.
    pub role: Role,
    /// The account.
    pub account: String,
    /// The side.
    pub side: Side,
    /// How much: above zero.
    pub amount: Decimal,
    /// Of a tax: what is taxed.
    pub base: Option<Decimal>,
}

const NO_ACCOUNT: Said = (
    "rate_without_account",
    "there are accounts for 22, 9.5 and 5 percent only: post the document by hand",
);
const UNKNOWN_LINES: Said = (
    "classification_unknown",
    "sold to another country by lines that are neither goods nor services: within the Union they \
     are posted as goods, otherwise as services; set classification",
);
const MARGIN: Said =
    ("margin_scheme", "taxed by the margin, which the document does not state: post it by hand");

/// Postings, and what is odd about them.
pub type Posted = (Vec<Posting>, Vec<Said>);

/// The postings of `sold`: the receivable on one side, revenue and tax on the other. Those of a
/// credit note change sides. What is zero is left out.
///
/// # Errors
/// Why the document is not posted.
pub fn postings(sold: &Sold, accounts: &Accounts) -> Result<Posted, Said> {
    let mut lines: Vec<(Role, Account, Decimal, Option<Decimal>)> = Vec::new();
    let mut odd = Vec::new();
    for part in &sold.parts {
        if part.is_margin {
            return Err(MARGIN);
        }
        if part.is_taxed() {
            let (revenue, tax) = taxed(&part.rate).ok_or(NO_ACCOUNT)?;
            lines.push((revenue.0, revenue.1, cents(&part.base), None));
            lines.push((tax.0, tax.1, cents(&part.tax), Some(cents(&part.base))));
            continue;
        }
        let (untaxed, is_unknown) = untaxed(sold.sale, part);
        if is_unknown {
            odd.push(UNKNOWN_LINES);
        }
        lines.extend(untaxed.into_iter().map(|(role, account, base)| (role, account, base, None)));
    }
    let gross = cents(&sold.gross);
    let rest = &gross - &lines.iter().map(|(_, _, amount, _)| amount).sum();
    if !rest.is_zero() {
        let account = lines.first().map_or("sales_revenue_22", |(_, account, ..)| account);
        lines.push((Role::Rounding, account, rest, None));
    }
    let receivable = (Role::Receivable, "receivables", gross, None);
    let own = if sold.kind == SoldKind::CreditNote { Side::Credit } else { Side::Debit };
    let posting = |(role, account, amount, base): (Role, Account, Decimal, Option<Decimal>)| {
        let side = if role == Role::Receivable { own } else { own.other() };
        Posting {
            role,
            account: accounts.of(account),
            side: if amount.is_negative() { side.other() } else { side },
            amount: amount.abs(),
            base,
        }
    };
    let all = std::iter::once(receivable).chain(lines);
    let filled = all.filter(|(_, _, amount, _)| !amount.is_zero());
    Ok((filled.map(posting).collect(), odd))
}

type Where = (Role, Account);

fn taxed(rate: &Decimal) -> Option<(Where, Where)> {
    let known = [
        (Decimal::from(22), (Role::Full, "sales_revenue_22"), (Role::FullTax, "sales_vat_22")),
        (
            Decimal::new(95, 1),
            (Role::Reduced, "sales_revenue_95"),
            (Role::ReducedTax, "sales_vat_95"),
        ),
        (Decimal::from(5), (Role::Special, "sales_revenue_5"), (Role::SpecialTax, "sales_vat_5")),
    ];
    known.into_iter().find(|(known, ..)| known == rate).map(|(_, revenue, tax)| (revenue, tax))
}

/// Where a part without tax is posted, and whether that is a guess.
fn untaxed(sale: Sale, part: &TaxPart) -> (Vec<(Role, Account, Decimal)>, bool) {
    let whole = |role, account| (vec![(role, account, cents(&part.base))], false);
    let goods = cents(&part.goods);
    let services = cents(&part.services);
    let is_unknown = !part.unknown().is_zero();
    let base = cents(&part.base);
    match (sale, part.reverse_charge) {
        (Sale::Domestic | Sale::UnionConsumer, true) => {
            whole(Role::ReverseCharge, "sales_revenue_reverse_charge")
        }
        (Sale::Domestic | Sale::UnionConsumer, false) => {
            whole(Role::Exempt, "sales_revenue_exempt")
        }
        (Sale::UnionBusiness, _) => {
            let parts = vec![
                (Role::UnionGoods, "sales_revenue_eu_goods", &base - &services),
                (Role::UnionServices, "sales_revenue_eu_services", services),
            ];
            (parts, is_unknown)
        }
        (Sale::Abroad, _) => {
            let rest = &base - &goods;
            let parts = vec![
                (Role::AbroadGoods, "sales_revenue_third_country_goods", goods),
                (Role::AbroadServices, "sales_revenue_third_country_services", rest),
            ];
            (parts, is_unknown)
        }
    }
}
