//! The contents of the QR code.
//!
//! | Module | Owns                                                        |
//! | ------ | ----------------------------------------------------------- |
//! | `read` | a code's fields, and whether they are as the law wants them |
//!
//! Source: Portaria 195/2020; AT, "Especificações Técnicas – Código QR", 1.0 of August 2020.

mod read;

use racun_kernel::{Currency, Decimal};
use time::Date;
use time::macros::format_description;

use crate::{Atcud, Code, Hash, Level, Number, Region, Status, UNKNOWN, amount_text, buyer_number};

pub use read::{QrFields, read_qr};

/// The longest text of field S, in characters.
pub const MAX_OTHER_CHARS: usize = 65;

/// What a tax of a document comes to, in euros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxTotal {
    /// The region whose rate it is.
    pub region: Region,
    /// Which of its rates.
    pub level: Level,
    /// What it is charged on.
    pub base: Decimal,
    /// What is charged.
    pub tax: Decimal,
}

/// What a document says, as far as the code has it. Amounts are in euros; their signs do not count,
/// for a credit note's are above zero, too.
#[derive(Debug, Clone)]
pub struct QrFacts<'a> {
    /// The issuer's number, with `PT` before it or without.
    pub issuer: &'a str,
    /// The buyer's number, when it is known.
    pub buyer: Option<&'a str>,
    /// The buyer's country: ISO 3166-1 alpha-2.
    pub buyer_country: Option<&'a str>,
    /// The type of the document.
    pub code: Code,
    /// Its state when the code is made.
    pub status: Status,
    /// Its date.
    pub date: Date,
    /// Its number.
    pub number: &'a Number,
    /// Its unique code.
    pub atcud: &'a Atcud,
    /// Its taxes. Empty where it shows none: the region is then `0`.
    pub taxes: &'a [TaxTotal],
    /// What is not subject to tax.
    pub not_taxed: Option<&'a Decimal>,
    /// Stamp duty.
    pub stamp_duty: Option<&'a Decimal>,
    /// Its total with tax.
    pub total: &'a Decimal,
    /// What the buyer withholds, which does not change the total.
    pub withheld: Option<&'a Decimal>,
    /// Its signature; `None` of receipts.
    pub hash: Option<&'a Hash>,
    /// The number of the program's certificate.
    pub certificate: u16,
    /// Anything else, such as `TB;<IBAN>;<amount>`: asterisks become blanks, and what is beyond 65
    /// characters is cut.
    pub other: Option<&'a str>,
}

impl QrFacts<'_> {
    /// The text of the code: fields in the order A to S, each as its letters, a colon and its
    /// value, with asterisks between them.
    #[must_use]
    pub fn payload(&self) -> String {
        let mut text = String::with_capacity(256);
        let mut field = |key: &str, value: &str| {
            if !text.is_empty() {
                text.push('*');
            }
            text.push_str(key);
            text.push(':');
            // An asterisk inside a value would end it.
            text.extend(value.chars().map(|sign| if sign == '*' { ' ' } else { sign }));
        };
        let date = self.date.format(format_description!("[year][month][day]"));
        field("A", buyer_number(Some(self.issuer)));
        field("B", &clip(buyer_number(self.buyer), 30));
        field("C", &self.country());
        field("D", self.code.text());
        field("E", self.status.letter());
        field("F", &date.unwrap_or_default());
        field("G", self.number.as_str());
        field("H", self.atcud.as_str());
        self.spaces(&mut field);
        let mut amount = |key: &str, value: Option<&Decimal>| {
            if let Some(value) = value.filter(|value| !value.is_zero()) {
                field(key, &positive(value));
            }
        };
        amount("L", self.not_taxed);
        amount("M", self.stamp_duty);
        field("N", &positive(&self.taxes_in_all()));
        field("O", &positive(self.total));
        if let Some(withheld) = self.withheld.filter(|amount| !amount.is_zero()) {
            field("P", &positive(withheld));
        }
        field("Q", &self.hash.map_or_else(|| "0".to_owned(), Hash::excerpt));
        field("R", &self.certificate.to_string());
        if let Some(other) = self.other.filter(|other| !other.trim().is_empty()) {
            field("S", &clip(other.trim(), MAX_OTHER_CHARS));
        }
        text
    }

    fn country(&self) -> String {
        let known = |code: &&str| code.len() == 2 && code.bytes().all(|b| b.is_ascii_alphabetic());
        match (self.buyer_country.filter(known), self.buyer) {
            (Some(code), _) => code.to_ascii_uppercase(),
            // A consumer who says nothing buys in Portugal.
            (None, None) => Region::Mainland.code().to_owned(),
            (None, Some(_)) => UNKNOWN.to_owned(),
        }
    }

    /// The fields I, J and K: one space for each region that the document has taxes of.
    fn spaces(&self, field: &mut impl FnMut(&str, &str)) {
        let has = |region: &Region| self.taxes.iter().any(|tax| tax.region == *region);
        let regions: Vec<Region> = Region::ALL.into_iter().filter(has).collect();
        if regions.is_empty() {
            field("I1", "0");
        }
        for (space, region) in ["I", "J", "K"].into_iter().zip(regions) {
            field(&format!("{space}1"), region.code());
            let of = |level: Level| {
                let own = |tax: &&TaxTotal| tax.region == region && tax.level == level;
                let mut own = self.taxes.iter().filter(own).peekable();
                own.peek()?;
                let sums = own.fold((Decimal::zero(), Decimal::zero()), |(base, tax), total| {
                    (&base + &total.base, &tax + &total.tax)
                });
                Some(sums)
            };
            if let Some((base, _)) = of(Level::Ise) {
                field(&format!("{space}2"), &positive(&base));
            }
            for (level, place) in [(Level::Red, 3), (Level::Int, 5), (Level::Nor, 7)] {
                if let Some((base, tax)) = of(level) {
                    field(&format!("{space}{place}"), &positive(&base));
                    field(&format!("{space}{}", place + 1), &positive(&tax));
                }
            }
        }
    }

    /// VAT and stamp duty.
    fn taxes_in_all(&self) -> Decimal {
        let duty = self.stamp_duty.cloned().unwrap_or_else(Decimal::zero);
        let each = self.taxes.iter().map(|total| Currency::EUR.round(&total.tax));
        each.fold(Currency::EUR.round(&duty), |sum, tax| &sum + &tax)
    }
}

fn positive(amount: &Decimal) -> String {
    amount_text(&amount.abs())
}

fn clip(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}
