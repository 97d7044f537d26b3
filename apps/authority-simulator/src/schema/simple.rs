//! Types of values.

use jiff::civil::{Date, DateTime};

/// A type of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simple {
    /// A text of so many characters.
    Text(usize, usize),
    /// Letters and digits of ASCII, at most 20.
    Label,
    /// Digits, at most 20, the first not 0, but for 0 itself.
    Number,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// True or false.
    Truth,
    /// A UUID, in lower case or in any.
    Uuid {
        /// Whether upper case is allowed.
        any_case: bool,
    },
    /// A tax number of Slovenia: eight digits, a number in JSON.
    TaxNumber,
    /// A decimal number of so many digits before the point and after it, a number in JSON.
    Decimal {
        /// Digits before the point.
        whole: usize,
        /// Digits after the point.
        fraction: usize,
    },
    /// A whole number of so many digits, a number in JSON.
    Whole(usize),
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DDTHH:MM:SS`, without a zone.
    DateTime,
    /// `dd.MM.yyyyTHH:mm:ss`.
    CroatianDateTime,
    /// An amount with exactly two decimals: so many digits before the point.
    Amount(usize),
    /// Eleven digits.
    Oib,
    /// Eleven digits or nothing.
    OibOrNothing,
    /// 32 hexadecimal digits in lower case.
    Mark,
}

impl Simple {
    /// Whether it is a number in JSON.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::TaxNumber | Self::Decimal { .. } | Self::Whole(_))
    }

    /// What is wrong with `text` as such a value.
    pub fn fault(self, text: &str) -> Option<String> {
        let is_good = match self {
            Self::Text(least, most) => (least..=most).contains(&text.chars().count()),
            Self::Label => {
                (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
            }
            Self::Number => {
                (1..=20).contains(&text.len())
                    && is_digits(text)
                    && (text == "0" || !text.starts_with('0'))
            }
            Self::OneOf(values) => values.contains(&text),
            Self::Truth => matches!(text, "true" | "false" | "1" | "0"),
            Self::Uuid { any_case } => is_uuid(text, any_case),
            Self::TaxNumber => text.len() == 8 && is_digits(text) && !text.starts_with('0'),
            Self::Decimal { whole, fraction } => is_decimal(text, whole, fraction),
            Self::Whole(digits) => text.len() <= digits && is_digits(text),
            Self::Date => text.len() == 10 && Date::strptime("%Y-%m-%d", text).is_ok(),
            Self::DateTime => {
                text.len() == 19 && DateTime::strptime("%Y-%m-%dT%H:%M:%S", text).is_ok()
            }
            Self::CroatianDateTime => croatian(text).is_some(),
            Self::Amount(whole) => is_amount(text, whole),
            Self::Oib => is_oib(text),
            Self::OibOrNothing => text.is_empty() || is_oib(text),
            Self::Mark => text.len() == 32 && text.bytes().all(|byte| is_hex(byte, false)),
        };
        (!is_good).then(|| format!("{text:?} is not {}", self.wanted()))
    }

    fn wanted(self) -> String {
        match self {
            Self::Text(least, most) => format!("a text of {least} to {most} characters"),
            Self::Label => "1 to 20 letters and digits".to_owned(),
            Self::Number => "a number of 1 to 20 digits without leading zeros".to_owned(),
            Self::OneOf(values) => format!("one of {values:?}"),
            Self::Truth => "true or false".to_owned(),
            Self::Uuid { any_case: true } => "a UUID".to_owned(),
            Self::Uuid { any_case: false } => "a UUID in lower case".to_owned(),
            Self::TaxNumber => "a tax number of 8 digits".to_owned(),
            Self::Decimal { whole, fraction } => {
                format!("a decimal of at most {whole} digits and {fraction} decimals")
            }
            Self::Whole(digits) => format!("a whole number of at most {digits} digits"),
            Self::Date => "a date YYYY-MM-DD".to_owned(),
            Self::DateTime => "a time YYYY-MM-DDTHH:MM:SS".to_owned(),
            Self::CroatianDateTime => "a time dd.MM.yyyyTHH:mm:ss".to_owned(),
            Self::Amount(_) => "an amount with two decimals".to_owned(),
            Self::Oib => "an OIB of 11 digits".to_owned(),
            Self::OibOrNothing => "an OIB of 11 digits, or empty".to_owned(),
            Self::Mark => "32 hexadecimal digits in lower case".to_owned(),
        }
    }
}

/// A time as CIS writes it.
pub fn croatian(text: &str) -> Option<DateTime> {
    let read = DateTime::strptime("%d.%m.%YT%H:%M:%S", text).ok();
    read.filter(|_| text.len() == 19)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hex(byte: u8, any_case: bool) -> bool {
    byte.is_ascii_hexdigit() && (any_case || !byte.is_ascii_uppercase())
}

fn is_oib(text: &str) -> bool {
    text.len() == 11 && is_digits(text)
}

fn is_uuid(text: &str, any_case: bool) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_group = |group: &&str| group.bytes().all(|byte| is_hex(byte, any_case));
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_group)
}

/// The digits before and after the point of an unsigned number; `None` when there are others.
fn halves(text: &str) -> Option<(&str, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    (is_digits(whole) && is_digits(fraction)).then_some((whole, fraction))
}

fn is_decimal(text: &str, most_whole: usize, most_fraction: usize) -> bool {
    halves(text).is_some_and(|(whole, fraction)| {
        whole.trim_start_matches('0').len() <= most_whole
            && fraction.trim_end_matches('0').len() <= most_fraction
    })
}

fn is_amount(text: &str, most_whole: usize) -> bool {
    text.contains('.')
        && halves(text)
            .is_some_and(|(whole, fraction)| whole.len() <= most_whole && fraction.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_their_type_says() {
        const AMOUNT: Simple = Simple::Decimal { whole: 14, fraction: 2 };
        let table: &[(Simple, &[&str], &[&str])] = &[
            (Simple::Text(1, 3), &["a", "čšž"], &["", "abcd"]),
            (Simple::Label, &["BP1", "a"], &["", "BP-1", "č", "aaaaaaaaaaaaaaaaaaaaa"]),
            (Simple::Number, &["0", "1", "99999999999999999999"], &["", "01", "-1", "1a"]),
            (Simple::OneOf(&["B", "C"]), &["B"], &["b", "BC", ""]),
            (Simple::Truth, &["true", "0"], &["True", "", "yes"]),
            (
                Simple::Uuid { any_case: false },
                &["24be947e-8d46-4918-8e87-65f27781fd9d"],
                &["24BE947E-8d46-4918-8e87-65f27781fd9d", "24be947e8d4649188e8765f27781fd9d", "x"],
            ),
            (
                Simple::Uuid { any_case: true },
                &["24BE947E-8d46-4918-8e87-65f27781fd9d"],
                &["24be947g-8d46-4918-8e87-65f27781fd9d"],
            ),
            (Simple::TaxNumber, &["10039856"], &["01003985", "1003985", "100398561", "SI100398"]),
            (
                AMOUNT,
                &["19.15", "-0.5", "100", "66.700", "99999999999999.99"],
                &["19.155", "1,5", "", ".5", "1e2", "100000000000000", "--1", "1."],
            ),
            (Simple::Whole(4), &["0", "9999"], &["10000", "-1", "1.5"]),
            (Simple::Date, &["2026-02-28"], &["2026-02-29", "2026-2-28", "28.02.2026"]),
            (
                Simple::DateTime,
                &["2026-04-25T10:30:00"],
                &["2026-04-25T10:30:00Z", "2026-04-25 10:30:00", "2026-04-25T24:30:00"],
            ),
            (
                Simple::CroatianDateTime,
                &["20.11.2026T16:04:26"],
                &["20.11.2026 16:04:26", "2026-11-20T16:04:26", "32.11.2026T16:04:26"],
            ),
            (Simple::Amount(15), &["153.10", "-0.05", "+1.00"], &["153.1", "153", "1.000", ""]),
            (Simple::Oib, &["12345678903"], &["", "1234567890", "1234567890a"]),
            (Simple::OibOrNothing, &["12345678903", ""], &["1"]),
            (
                Simple::Mark,
                &["7e46dc0478b9f51a06ad3069abba1ce3"],
                &["7E46dc0478b9f51a06ad3069abba1ce3", "7e46"],
            ),
        ];
        for (simple, good, bad) in table {
            for text in *good {
                assert_eq!(simple.fault(text), None);
            }
            for text in *bad {
                assert!(simple.fault(text).is_some(), "{simple:?} took {text:?}");
            }
        }
    }
}
