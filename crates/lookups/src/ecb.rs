//! The files of the European Central Bank: daily and 90-day rates as XML, all since 1999 as CSV.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use racun_kernel::{Decimal, calendar};
use time::Date;

use crate::code::CurrencyCode;
use crate::rates::{DayRates, FIRST_DAY};

/// Bytes of a file. All rates since 1999 are some two million as CSV and seven as XML.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Days of a file: there are some 260 in a year.
const MAX_DAYS: usize = 30_000;
/// Currencies of a day: there are some 30.
const MAX_CURRENCIES: usize = 200;
/// Units for one euro. Those of a currency before it was reformed were a few million.
const MAX_RATE: i64 = 1_000_000_000;

/// What is not such a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotRates(String);

fn not(what: impl Into<String>) -> NotRates {
    NotRates(what.into())
}

/// Reads a file as XML: one element `Cube` with a `time` for each day, in it one with `currency`
/// and `rate` for each currency.
///
/// # Errors
/// [`NotRates`] for what is no such file, or is cut: nothing of it is then believed.
pub fn read_xml(bytes: &[u8]) -> Result<Vec<DayRates>, NotRates> {
    let text = bounded(bytes)?;
    let mut reader = Reader::from_str(text);
    let mut days = Days::default();
    let (mut depth, mut is_envelope) = (0_usize, false);
    loop {
        match reader.read_event().map_err(|error| not(format!("it is no XML: {error}")))? {
            Event::Start(tag) => {
                depth += 1;
                is_envelope |= depth == 1 && tag.local_name().as_ref() == "Envelope";
                days.cube(&tag)?;
            }
            Event::Empty(tag) => days.cube(&tag)?,
            Event::End(_) => {
                depth = depth.checked_sub(1).ok_or_else(|| not("an end has no beginning"))?;
            }
            Event::DocType(_) => return Err(not("it declares a document type")),
            Event::Eof if depth == 0 && is_envelope => return days.finish(),
            Event::Eof => return Err(not("it ends within an element, or is no envelope")),
            _ => {}
        }
    }
}

/// Reads a file as CSV: a head `Date,USD,JPY,…,`, then a row for each day, with `N/A` for what was
/// not quoted. Blanks after commas and a comma at the end are as the bank writes them.
///
/// # Errors
/// [`NotRates`].
pub fn read_csv(bytes: &[u8]) -> Result<Vec<DayRates>, NotRates> {
    let text = bounded(bytes)?;
    // A file that was cut ends within a row.
    if !text.ends_with('\n') {
        return Err(not("its last row has no end"));
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let head = lines.next().ok_or_else(|| not("it is empty"))?;
    let mut columns = head.split(',').map(str::trim);
    if !columns.next().is_some_and(|first| first.eq_ignore_ascii_case("Date")) {
        return Err(not("its head does not begin with Date"));
    }
    let codes: Vec<CurrencyCode> = columns
        .filter(|name| !name.is_empty())
        .take(MAX_CURRENCIES + 1)
        .map(|name| name.parse().map_err(|_| not(format!("column {name:.20}: no currency"))))
        .collect::<Result<_, _>>()?;
    let mut days = Days::default();
    for line in lines {
        let mut cells = line.split(',').map(str::trim);
        days.begin(cells.next().unwrap_or_default())?;
        let cells: Vec<&str> = cells.take(codes.len() + 1).collect();
        if cells.len() < codes.len() || cells.get(codes.len()).is_some_and(|rest| !rest.is_empty())
        {
            return Err(not(format!("row {line:.20}: not as many cells as the head")));
        }
        for (code, cell) in codes.iter().zip(cells) {
            if cell != "N/A" {
                days.quote(*code, cell)?;
            }
        }
    }
    days.finish()
}

fn bounded(bytes: &[u8]) -> Result<&str, NotRates> {
    if bytes.len() > MAX_BYTES {
        return Err(not("it is longer than any file of rates"));
    }
    std::str::from_utf8(bytes).map_err(|_| not("it is not UTF-8"))
}

/// The days that were read so far.
#[derive(Default)]
struct Days {
    read: Vec<DayRates>,
    seen: BTreeSet<Date>,
}

impl Days {
    /// Takes an element in: a day begins, or one of its rates, or neither.
    fn cube(&mut self, tag: &BytesStart<'_>) -> Result<(), NotRates> {
        if tag.local_name().as_ref() != "Cube" {
            return Ok(());
        }
        let (mut currency, mut rate) = (None, None);
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| not(format!("it is no XML: {error}")))?;
            let value = attribute.value.as_ref();
            match attribute.key.as_ref() {
                "time" => self.begin(value)?,
                "currency" => currency = Some(value.to_owned()),
                "rate" => rate = Some(value.to_owned()),
                _ => {}
            }
        }
        match (currency, rate) {
            (None, None) => Ok(()),
            (Some(code), Some(rate)) => {
                let code = code.parse().map_err(|_| not(format!("{code:.20}: no currency")))?;
                self.quote(code, &rate)
            }
            _ => Err(not("a currency has no rate, or a rate no currency")),
        }
    }

    fn begin(&mut self, day: &str) -> Result<(), NotRates> {
        let date = calendar::parse_date(day).map_err(|_| not(format!("{day:.20}: no day")))?;
        if date < FIRST_DAY || !self.seen.insert(date) || self.seen.len() > MAX_DAYS {
            return Err(not(format!("{date}: twice, too early, or one day too many")));
        }
        self.read.push(DayRates { date, per_euro: BTreeMap::new() });
        Ok(())
    }

    fn quote(&mut self, code: CurrencyCode, rate: &str) -> Result<(), NotRates> {
        let day = self.read.last_mut().ok_or_else(|| not("a rate is of no day"))?;
        let units: Option<Decimal> = rate.parse().ok();
        let units = units.filter(|units| units.is_positive() && *units < Decimal::from(MAX_RATE));
        let units = units.ok_or_else(|| not(format!("{code} {rate:.20}: no rate")))?;
        let is_full = day.per_euro.len() >= MAX_CURRENCIES || code == CurrencyCode::EUR;
        if is_full || day.per_euro.insert(code, units).is_some() {
            return Err(not(format!("{code} of {}: twice, or one too many", day.date)));
        }
        Ok(())
    }

    /// The days with rates, the newest first.
    fn finish(mut self) -> Result<Vec<DayRates>, NotRates> {
        self.read.retain(|day| !day.per_euro.is_empty());
        if self.read.is_empty() {
            return Err(not("it has no rates"));
        }
        self.read.sort_by_key(|day| std::cmp::Reverse(day.date));
        Ok(self.read)
    }
}
