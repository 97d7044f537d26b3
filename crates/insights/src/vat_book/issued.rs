//! Which columns of KIR a document fills.
//!
//! | Sale            | Taxed by a rate   | The buyer owes it       | Neither                |
//! | --------------- | ----------------- | ----------------------- | ---------------------- |
//! | domestic        | 7, and 14, 15, 16 | 8 (article 76.a ZDDV-1) | 9 (articles 42 and 44) |
//! | intra-EU to B2B | 7, and 14, 15, 16 | 10                      | 10                     |
//! | intra-EU to B2C | 7, and 14, 15, 16 | 9                       | 9                      |
//! | third country   | 7, and 14, 15, 16 | 7 goods, 27 services    | 7 goods, 27 services   |
//!
//! Exported goods are supplied in Slovenia (box 11 of DDV-O), so they stand in 7; 27 is for what is
//! supplied elsewhere. What is not known to be goods is put in 27, with a warning.
//!
//! A document is in the book of its date. Where an invoice's supply lies in another period, a
//! warning names it, for ledgers post it by the day of the supply.

use super::{
    BookKind, BookRow, DOUBTFUL_NUMBER, Entry, MARGIN, NO_COLUMN, Placed, VatBook, column_of,
};
use crate::facts::{Named, Said, Sale, Sold, SoldKind, TaxPart};
use crate::period::TaxPeriod;

const BASE: u8 = 7;
const REVERSE_CHARGE: u8 = 8;
const EXEMPT: u8 = 9;
const UNION: u8 = 10;
const TAXES: [u8; 3] = [14, 15, 16];
const ELSEWHERE: u8 = 27;

const ADVANCE: Said = (
    "advance_invoice",
    "advance invoices are no part of this book: enter the tax on the advance by hand, and subtract \
     it from the invoice that uses it",
);
const UNKNOWN_LINES: Said = (
    "classification_unknown",
    "sold outside the Union by lines that are said to be neither goods nor services: they stand in \
     P27; set classification to product where goods were exported (P7)",
);
const NO_NUMBER: Said = (
    "buyer_number_missing",
    "sold to a business in another member state without its VAT number: P6 and P6DS are empty",
);
const SUPPLIED_ELSEWHEN: Said = (
    "supplied_in_other_period",
    "the book goes by the date of the document, and the supply lies outside the period, where \
     ledgers and the tax on it may belong: check in which period it is declared",
);
const BUYER_AT_HOME: Said = (
    "buyer_of_slovenia",
    "sold within the Union to a buyer with a Slovenian number: the authority warns of P10 with SI",
);

impl VatBook {
    /// The book of what was issued in `period`.
    #[must_use]
    pub fn issued<'a>(period: TaxPeriod, sold: impl IntoIterator<Item = &'a Sold>) -> Self {
        let mut book = Self::begin(BookKind::Issued, period);
        let of_period = sold.into_iter().filter(|sold| period.contains(sold.date));
        let mut of_period: Vec<&Sold> = of_period.collect();
        of_period.sort_by(|a, b| (a.date, &a.number).cmp(&(b.date, &b.number)));
        for sold in of_period {
            let row = match sold.kind {
                SoldKind::Advance => Err(ADVANCE),
                SoldKind::Invoice => book.issued_row(sold, 1),
                SoldKind::CreditNote => book.issued_row(sold, -1),
            };
            match row {
                Ok(row) => book.rows.push(row),
                Err(why) => book.left_out.note(why, &sold.id, &sold.number),
            }
        }
        book
    }

    fn issued_row(&mut self, sold: &Sold, sign: i64) -> Result<BookRow, Said> {
        let entry = Entry {
            id: &sold.id,
            number: &sold.number,
            is_voided: sold.is_voided,
            is_converted: sold.is_converted,
            sign,
        };
        let parts = sold.parts.iter().map(|part| place(sold.sale, part));
        let columns = self.columns(&entry, parts)?;
        let number = sold.partner.as_ref().and_then(crate::facts::Partner::union_number);
        let in_union = columns.contains_key(&UNION);
        let odd = match &number {
            Some(number) if !number.can_be => Some(DOUBTFUL_NUMBER),
            Some(number) if in_union && number.state == "SI" => Some(BUYER_AT_HOME),
            None if in_union => Some(NO_NUMBER),
            Some(_) | None => None,
        };
        let is_outside = sold.supplied_on.is_some_and(|day| !self.period.contains(day));
        let is_standing = sold.kind == SoldKind::Invoice && !sold.is_voided;
        let supplied = (is_standing && is_outside).then_some(SUPPLIED_ELSEWHEN);
        for odd in odd.into_iter().chain(supplied) {
            self.warnings.note(odd, &sold.id, &sold.number);
        }
        Ok(BookRow {
            document: Named { id: sold.id.clone(), number: sold.number.clone() },
            booked_on: sold.date,
            received_on: None,
            date: sold.date,
            partner: sold.partner.as_ref().map(crate::facts::Partner::line).unwrap_or_default(),
            number,
            foreign_number: None,
            columns,
        })
    }
}

fn place(sale: Sale, part: &TaxPart) -> Result<Placed, Said> {
    if part.is_margin {
        return Ok(Placed::nowhere(MARGIN));
    }
    if part.is_taxed() {
        let column = column_of(&part.rate, TAXES).ok_or(NO_COLUMN)?;
        return Ok(Placed::at([(BASE, part.base.clone()), (column, part.tax.clone())]));
    }
    let whole = |column| Placed::at([(column, part.base.clone())]);
    Ok(match (sale, part.reverse_charge) {
        (Sale::Domestic, true) => whole(REVERSE_CHARGE),
        (Sale::Domestic, false) | (Sale::UnionConsumer, _) => whole(EXEMPT),
        (Sale::UnionBusiness, _) => whole(UNION),
        (Sale::Abroad, _) => abroad(part),
    })
}

fn abroad(part: &TaxPart) -> Placed {
    let elsewhere = &part.base - &part.goods;
    let columns = [(BASE, part.goods.clone()), (ELSEWHERE, elsewhere)];
    let filled = columns.into_iter().filter(|(_, amount)| !amount.is_zero());
    let placed = Placed::at(filled.collect::<Vec<_>>());
    if part.unknown().is_zero() { placed } else { placed.with(UNKNOWN_LINES) }
}
