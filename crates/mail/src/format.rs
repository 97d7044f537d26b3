//! Dates and amounts as people of a language write them.

use racun_kernel::calendar::format_date;
use racun_kernel::{Currency, Decimal};
use time::Date;

/// The language of a locale: `sl` of `sl-SI`.
pub(crate) fn language(locale: &str) -> &str {
    locale.split('-').next().unwrap_or_default()
}

/// `date` as people of `locale` write it.
#[must_use]
pub fn day(date: Date, locale: &str) -> String {
    let (day, month, year) = (date.day(), u8::from(date.month()), date.year());
    match language(locale) {
        "en" => format!("{} {day}, {year}", date.month()),
        "sl" | "cs" | "sk" => format!("{day}. {month}. {year}"),
        "hr" => format!("{day}. {month}. {year}."),
        "de" | "bg" | "et" | "fi" | "nb" | "pl" | "is" => format!("{day:02}.{month:02}.{year}"),
        "it" | "fr" | "es" | "pt" => format!("{day:02}/{month:02}/{year}"),
        "nl" => format!("{day:02}-{month:02}-{year}"),
        _ => format_date(date),
    }
}

/// `value` with the decimals of `currency`, or with more when it has them, as people of `locale`
/// write it. The currency is not named.
#[must_use]
pub fn amount(value: &Decimal, currency: Currency, locale: &str) -> String {
    let text = value.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let decimals = usize::from(currency.decimals());
    let (thousands, point) = match language(locale) {
        "en" => (',', '.'),
        "fr" | "pl" | "sv" | "fi" | "et" | "bg" | "cs" | "sk" | "nb" => ('\u{a0}', ','),
        _ => ('.', ','),
    };
    let mut written = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            written.push(thousands);
        }
        written.push(digit);
    }
    if decimals > 0 || !fraction.is_empty() {
        written.push(point);
        written.push_str(&format!("{fraction:0<decimals$}"));
    }
    written
}
