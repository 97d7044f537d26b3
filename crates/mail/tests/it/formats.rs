use racun_kernel::Currency;
use racun_mail::{amount, day};
use time::macros::date;

#[test]
fn amounts_and_dates_are_written_as_people_do() {
    for (value, currency, locale, expected) in [
        ("1234567.5", "EUR", "sl-SI", "1.234.567,50"),
        ("1234567.5", "EUR", "en-US", "1,234,567.50"),
        ("1234.5", "EUR", "fr-FR", "1\u{a0}234,50"),
        ("-999", "EUR", "de-DE", "-999,00"),
        ("0", "EUR", "hr-HR", "0,00"),
        ("1000", "JPY", "en-US", "1,000"),
        ("0.12345", "EUR", "en-US", "0.12345"),
        ("1", "KWD", "xx", "1,000"),
    ] {
        let currency: Currency = currency.parse().unwrap();
        let written = amount(&value.parse().unwrap(), currency, locale);
        assert_eq!(written, expected, "{value} {locale}");
    }
    for (locale, expected) in [
        ("sl-SI", "1. 2. 2026"),
        ("hr-HR", "1. 2. 2026."),
        ("de-DE", "01.02.2026"),
        ("it-IT", "01/02/2026"),
        ("nl-NL", "01-02-2026"),
        ("en-US", "February 1, 2026"),
        ("sv-SE", "2026-02-01"),
    ] {
        assert_eq!(day(date!(2026 - 02 - 01), locale), expected, "{locale}");
    }
}
