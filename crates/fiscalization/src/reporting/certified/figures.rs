//! What a document comes to in euros: amounts that were converted and rounded one by one, made to
//! agree with each other to the cent.

use std::cmp::Reverse;

use racun_documents::{Document, LineTaxDetail, TaxAmounts};
use racun_kernel::{Currency, Decimal, Issue, Issues};
use racun_portugal::saft::SaftPayment;
use racun_portugal::{Level, Region, TaxTotal};
use time::Date;

/// A document's amounts in euros, none with a sign. The lines of a tax come to its base, the bases
/// to the total before tax, that and the taxes to the total: of whatever currency it is.
///
/// SAF-T, the QR code and the authority are told these, and nothing else.
pub(super) struct Figures {
    /// The total before tax.
    pub net: Decimal,
    /// All taxes.
    pub tax: Decimal,
    /// The total with tax, which is signed.
    pub gross: Decimal,
    /// What each line comes to before tax, in the order of the content; zero of headings.
    pub lines: Vec<Decimal>,
    /// The taxes, in the order of the document's.
    pub taxes: Vec<TaxTotal>,
}

impl Figures {
    /// Those of `document`, taxed in `region`.
    ///
    /// # Errors
    /// An issue at `exchange_rate` where it has none in euros.
    pub fn of(document: &Document, region: Region) -> Result<Self, Issues> {
        let is_own = document.content.currency == Currency::EUR;
        let amounts = &document.amounts;
        let rate = document.content.exchange_rate.as_ref();
        let converts = rate.is_some_and(|rate| rate.quote_currency == Currency::EUR)
            && amounts.total_with_tax_converted.is_some();
        if !is_own && !converts {
            let message = "documents in Portugal are signed in euros: send an exchange_rate to EUR";
            return Err(Issue::new("required", message).at("exchange_rate").into());
        }
        let euros = |own: &Decimal, converted: Option<&Decimal>| match converted {
            _ if is_own => own.abs(),
            Some(converted) => converted.abs(),
            None => Decimal::zero(),
        };
        let net = euros(&amounts.total, amounts.total_converted.as_ref());
        let gross = euros(&amounts.total_with_tax, amounts.total_with_tax_converted.as_ref());
        let day = day_of(document);
        let total = |own: &TaxAmounts| TaxTotal {
            region,
            level: level(&own.tax.rate, own.tax.reverse_charge, region, day),
            base: euros(&own.tax.base, own.base_converted.as_ref()),
            tax: euros(&own.tax.amount, own.amount_converted.as_ref()),
        };
        let lines = document.content.lines.iter();
        let lines = lines.map(|line| euros(&line.total, line.total_converted.as_ref()));
        let mut figures = Self {
            tax: &gross - &net,
            net,
            gross,
            lines: lines.collect(),
            taxes: amounts.taxes.iter().map(total).collect(),
        };
        if !is_own {
            figures.settle(document);
        }
        Ok(figures)
    }

    /// Lets what was rounded apart come to the totals.
    fn settle(&mut self, document: &Document) {
        let Self { net, tax, lines, taxes, .. } = self;
        agree(taxes.iter_mut().map(|own| &mut own.base), net);
        let charged = taxes.iter_mut().filter(|own| own.level != Level::Ise);
        agree(charged.map(|own| &mut own.tax), tax);
        for (own, total) in document.amounts.taxes.iter().zip(taxes) {
            let of_tax = document.content.lines.iter().zip(lines.iter_mut());
            let of_tax = of_tax.filter(|(line, _)| line.taxes.first().is_some_and(is_of(own)));
            agree(of_tax.map(|(_, amount)| amount), &total.base);
        }
    }

    /// `paid`, in the currency of `document`, in euros. What pays all of it comes to the total.
    pub fn paid(&self, document: &Document, mut paid: Vec<SaftPayment>) -> Vec<SaftPayment> {
        let Some(rate) = &document.content.exchange_rate else { return paid };
        if document.content.currency == Currency::EUR {
            return paid;
        }
        let sum: Decimal = paid.iter().map(|own| &own.amount).sum();
        for own in &mut paid {
            own.amount = rate.convert(&own.amount);
        }
        if sum == document.amounts.total_with_tax {
            agree(paid.iter_mut().map(|own| &mut own.amount), &self.gross);
        }
        paid
    }
}

/// Whether a tax of a line is one of those that `total` adds up.
fn is_of(total: &TaxAmounts) -> impl Fn(&LineTaxDetail) -> bool {
    move |own: &LineTaxDetail| {
        let total = &total.tax;
        (own.tax_id, own.reverse_charge) == (total.tax_id, total.reverse_charge)
            && own.rate == total.rate
    }
}

/// The day whose rates a document has.
pub(super) fn day_of(document: &Document) -> Date {
    document.content.date_service.unwrap_or(document.content.date)
}

/// The level of a tax of a document of `day`.
pub(super) fn level(tax_rate: &Decimal, is_reverse: bool, region: Region, day: Date) -> Level {
    if is_reverse { Level::Ise } else { Level::of(region, tax_rate, day) }
}

/// Lets `amounts` come to `total`: the largest ones, the first of equals, take a cent each more or
/// less, and none falls below zero. What rounding does not explain, more than a cent for each,
/// stays as it is.
fn agree<'a>(amounts: impl Iterator<Item = &'a mut Decimal>, total: &Decimal) {
    let mut amounts: Vec<&mut Decimal> = amounts.collect();
    let (cent, zero) = (Currency::EUR.minor_unit(), Decimal::zero());
    let sum: Decimal = amounts.iter().map(|own| &**own).sum();
    let mut left = total - &sum;
    let most = &cent * &Decimal::from(i64::try_from(amounts.len()).unwrap_or(i64::MAX));
    if left.is_zero() || left.abs() > most {
        return;
    }
    let step = if left.is_negative() { -&cent } else { cent };
    amounts.sort_by_key(|own| Reverse((**own).clone()));
    for own in amounts {
        let after = &*own + &step;
        if left.is_zero() || after < zero {
            return;
        }
        *own = after;
        left -= &step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(amounts: &str, total: &str) -> String {
        let mut amounts: Vec<Decimal> =
            amounts.split(' ').map(|own| own.parse().unwrap()).collect();
        agree(amounts.iter_mut(), &total.parse().unwrap());
        let texts: Vec<String> = amounts.iter().map(|own| own.padded(2)).collect();
        texts.join(" ")
    }

    #[test]
    fn the_largest_amounts_take_the_cents_that_rounding_left() {
        for (amounts, total, expected) in [
            ("0.86 0.86 0.86", "2.59", "0.87 0.86 0.86"),
            ("0.86 0.87 0.86", "2.57", "0.85 0.86 0.86"),
            ("5.00 0.01 7.00", "12.00", "5.00 0.01 6.99"),
            ("0.00 0.00", "0.01", "0.01 0.00"),
            ("1.00 2.00", "3.00", "1.00 2.00"),
            ("1.00 2.00", "3.03", "1.00 2.00"),
            ("0.01 0.00", "-0.01", "0.00 0.00"),
        ] {
            assert_eq!(agreed(amounts, total), expected, "{amounts} to {total}");
        }
    }
}
