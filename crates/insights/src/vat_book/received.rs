//! Which columns of KPR a purchase fills.
//!
//! | Purchase      | Taxed by a rate              | The entity owes it    | Neither               |
//! | ------------- | ---------------------------- | --------------------- | --------------------- |
//! | domestic      | 8, and 18, 19, 20; 21 at 8 % | 9                     | 14                    |
//! | of the Union  | 8, and 18, 19, 20            | 10 goods, 11 services | 10 goods, 11 services |
//! | third country | 8, and 18, 19, 20            | 8 goods, 9 services   | 8 goods, 9 services   |
//!
//! Tax that may not be deducted is put in 17. Purchases of real estate and of other fixed assets
//! (12, 13, 15, 16) are not told apart: expenses do not say what they are.
//!
//! An expense may be dated ahead, and the authority takes no day after today in P2, P4 and P5, so
//! that one is left out until then.

use racun_kernel::Decimal;
use racun_kernel::vat_number::compact;
use time::Date;

use super::{
    BookKind, BookRow, DOUBTFUL_NUMBER, Entry, MARGIN, NO_COLUMN, Placed, VatBook, column_of,
};
use crate::amounts::cents;
use crate::facts::{Bought, Named, Said, Sale, TaxPart};
use crate::period::TaxPeriod;

const BASE: u8 = 8;
const OWED: u8 = 9;
const UNION_GOODS: u8 = 10;
const UNION_SERVICES: u8 = 11;
const EXEMPT: u8 = 14;
const NOT_DEDUCTED: u8 = 17;
const DEDUCTED: [u8; 3] = [18, 19, 20];
const FLAT_RATE: u8 = 21;

const IN_FUTURE: Said = (
    "date_in_future",
    "dated or received after the day on which this is made, which the authority refuses (P2, P4, \
     P5): correct the day, or make the book again then",
);
const NO_SUPPLIER_NUMBER: Said = (
    "supplier_without_number",
    "the supplier has no tax number: invoices of suppliers who are not identified for VAT are not \
     entered; set it where there is one",
);
const OWED_BY_BUYER: Said = (
    "tax_owed_by_buyer",
    "the tax is owed by you and is not on the document: enter it in KIR (P17 to P25), and in KPR \
     (P18 to P20) as far as it may be deducted",
);
const IMPORTED: Said = (
    "import_tax",
    "goods from outside the Union without tax: enter the tax on their import by the customs \
     declaration",
);
const UNKNOWN_LINES: Said = (
    "classification_unknown",
    "bought from abroad by lines that are said to be neither goods nor services: they stand with \
     services; set classification",
);
const NO_DOCUMENT_NUMBER: Said = (
    "document_number_missing",
    "the supplier's number of the document is missing: its id stands in its place",
);

impl VatBook {
    /// The book of what was received in `period`, as it is made on the day `made_on`.
    #[must_use]
    pub fn received<'a>(
        period: TaxPeriod,
        made_on: Date,
        bought: impl IntoIterator<Item = &'a Bought>,
    ) -> Self {
        let mut book = Self::begin(BookKind::Received, period);
        let of_period = bought.into_iter().filter(|bought| period.contains(bought.booked_on()));
        let mut of_period: Vec<&Bought> = of_period.collect();
        let key = |bought: &Bought| (bought.booked_on(), bought.date, bought.number.clone());
        of_period.sort_by_key(|bought| key(bought));
        for bought in of_period {
            let is_ahead = bought.date > made_on || bought.booked_on() > made_on;
            let row = if is_ahead { Err(IN_FUTURE) } else { book.received_row(bought) };
            match row {
                Ok(row) => book.rows.push(row),
                Err(why) => book.left_out.note(why, &bought.id, name_of(bought)),
            }
        }
        book
    }

    fn received_row(&mut self, bought: &Bought) -> Result<BookRow, Said> {
        let name = name_of(bought);
        let entry = Entry {
            id: &bought.id,
            number: name,
            is_voided: bought.is_voided,
            is_converted: bought.is_converted,
            sign: 1,
        };
        let number = bought.partner.union_number();
        let foreign_number = foreign_number(bought);
        if number.is_none() && foreign_number.is_none() {
            return Err(NO_SUPPLIER_NUMBER);
        }
        let parts = bought.parts.iter().map(|part| place(bought.purchase, part));
        let columns = self.columns(&entry, parts)?;
        if bought.number.is_none() {
            self.warnings.note(NO_DOCUMENT_NUMBER, &bought.id, name);
        }
        if number.as_ref().is_some_and(|number| !number.can_be) {
            self.warnings.note(DOUBTFUL_NUMBER, &bought.id, name);
        }
        Ok(BookRow {
            document: Named { id: bought.id.clone(), number: name.to_owned() },
            booked_on: bought.booked_on(),
            received_on: Some(bought.booked_on()),
            date: bought.date,
            partner: bought.partner.line(),
            number,
            foreign_number,
            columns,
        })
    }
}

fn name_of(bought: &Bought) -> &str {
    bought.number.as_deref().unwrap_or(&bought.id)
}

/// What stands for the number of a supplier outside the Union: its number behind the code of its
/// country, or that code alone (rule on P7DS).
fn foreign_number(bought: &Bought) -> Option<String> {
    const MOST: usize = 25;
    if bought.purchase != Sale::Abroad {
        return None;
    }
    let country = bought.partner.country.as_deref().filter(|code| code.len() == 2)?;
    let country = country.to_ascii_uppercase();
    let number = compact(bought.partner.tax_number.as_deref().unwrap_or_default());
    let bare = number.strip_prefix(&country).unwrap_or(&number);
    Some(format!("{country}{bare}").chars().take(MOST).collect())
}

fn place(purchase: Sale, part: &TaxPart) -> Result<Placed, Said> {
    if part.is_margin {
        return Ok(Placed::nowhere(MARGIN));
    }
    if part.is_taxed() {
        return taxed(part);
    }
    let whole = |column| Placed::at([(column, part.base.clone())]);
    Ok(match (purchase, part.reverse_charge) {
        (Sale::Domestic | Sale::UnionConsumer, true) => whole(OWED).with(OWED_BY_BUYER),
        (Sale::Domestic | Sale::UnionConsumer, false) => whole(EXEMPT),
        (Sale::UnionBusiness, _) => apart(part, UNION_GOODS, UNION_SERVICES, OWED_BY_BUYER),
        (Sale::Abroad, _) => {
            let odd = if part.goods.is_zero() { OWED_BY_BUYER } else { IMPORTED };
            apart(part, BASE, OWED, odd)
        }
    })
}

fn taxed(part: &TaxPart) -> Result<Placed, Said> {
    let column = match column_of(&part.rate, DEDUCTED) {
        Some(column) => column,
        None if part.rate == Decimal::from(8) => FLAT_RATE,
        None => return Err(NO_COLUMN),
    };
    let deducted = cents(&(&part.tax * &part.deductible.percent()));
    let kept = &part.tax - &deducted;
    let mut columns = vec![(BASE, part.base.clone())];
    let taxes = [(column, deducted), (NOT_DEDUCTED, kept)];
    columns.extend(taxes.into_iter().filter(|(_, tax)| !tax.is_zero()));
    Ok(Placed::at(columns))
}

/// Goods in one column and the rest in another.
fn apart(part: &TaxPart, goods: u8, services: u8, odd: Said) -> Placed {
    let rest = &part.base - &part.goods;
    let columns = [(goods, part.goods.clone()), (services, rest)];
    let filled = columns.into_iter().filter(|(_, amount)| !amount.is_zero());
    let odd = if part.unknown().is_zero() { odd } else { UNKNOWN_LINES };
    Placed::at(filled.collect::<Vec<_>>()).with(odd)
}
