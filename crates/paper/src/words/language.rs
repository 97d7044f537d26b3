//! The languages, and how numbers, money and dates are written in their locales.

use racun_kernel::{Currency, Decimal};
use time::Date;

/// A blank at which no line ends.
const FIXED_BLANK: &str = "\u{a0}";

/// A language of documents with the locale that writes its numbers and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(usize);

/// How a locale writes.
struct Writing {
    code: &'static str,
    locale: &'static str,
    /// Between whole and fraction.
    point: &'static str,
    /// Between groups of three digits.
    group: &'static str,
    /// Whole digits from which on groups are parted.
    least_grouped: usize,
    /// `d` and `m` as short as they are, `D` and `M` with two digits, `y` with four.
    date: &'static str,
    /// Whether the currency stands before the amount, and what is between.
    currency_first: Option<&'static str>,
}

const fn writing(
    code: &'static str,
    locale: &'static str,
    (point, group, least_grouped): (&'static str, &'static str, usize),
    date: &'static str,
) -> Writing {
    Writing { code, locale, point, group, least_grouped, date, currency_first: None }
}

/// 1.234,50.
const DOTS: (&str, &str, usize) = (",", ".", 4);
/// 1 234,50.
const BLANKS: (&str, &str, usize) = (",", FIXED_BLANK, 4);
/// 1234,50 and 12 345,50.
const LATE_BLANKS: (&str, &str, usize) = (",", FIXED_BLANK, 5);

/// By the Unicode Common Locale Data Repository, with two digits for days and months of numeric
/// dates where people expect them on documents.
const WRITINGS: [Writing; 18] = [
    Writing { currency_first: Some(""), ..writing("en", "en-US", (".", ",", 4), "M/D/y") },
    writing("de", "de-DE", DOTS, "D.M.y"),
    writing("sl", "sl-SI", DOTS, "d. m. y"),
    writing("it", "it-IT", DOTS, "D/M/y"),
    writing("fr", "fr-FR", BLANKS, "D/M/y"),
    writing("es", "es-ES", (",", ".", 5), "D/M/y"),
    // Portugal wants dashes on invoices (Despacho 8632/2014).
    writing("pt", "pt-PT", LATE_BLANKS, "D-M-y"),
    Writing { currency_first: Some(FIXED_BLANK), ..writing("nl", "nl-NL", DOTS, "D-M-y") },
    writing("pl", "pl-PL", LATE_BLANKS, "D.M.y"),
    writing("hr", "hr-HR", DOTS, "D. M. y."),
    writing("sv", "sv-SE", BLANKS, "y-M-D"),
    writing("fi", "fi-FI", BLANKS, "d.m.y"),
    writing("et", "et-EE", LATE_BLANKS, "D.M.y"),
    writing("bg", "bg-BG", LATE_BLANKS, "d.M.y г."),
    writing("cs", "cs-CZ", BLANKS, "d. m. y"),
    writing("sk", "sk-SK", BLANKS, "d. m. y"),
    writing("nb", "nb-NO", BLANKS, "D.M.y"),
    writing("is", "is-IS", DOTS, "d.m.y"),
];

impl Language {
    /// How many there are.
    pub const COUNT: usize = WRITINGS.len();

    /// All of them, in the order of the interface.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self(0); Self::COUNT];
        let mut n = 0;
        while n < Self::COUNT {
            all[n] = Self(n);
            n += 1;
        }
        all
    };

    /// English, the first.
    pub const ENGLISH: Self = Self(0);

    /// The language of `code`: a language such as `sl`, or a locale such as `sl-SI`; in any case
    /// of letters.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        let is_it = |writing: &Writing| {
            writing.code.eq_ignore_ascii_case(code) || writing.locale.eq_ignore_ascii_case(code)
        };
        WRITINGS.iter().position(is_it).map(Self)
    }

    /// Its place among all.
    pub(super) const fn place(self) -> usize {
        self.0
    }

    const fn writing(self) -> &'static Writing {
        &WRITINGS[self.0]
    }

    /// Two letters.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.writing().code
    }

    /// Its locale, such as `sl-SI`.
    #[must_use]
    pub const fn locale(self) -> &'static str {
        self.writing().locale
    }

    /// A number with all its digits, and with zeros up to `least_decimals`.
    #[must_use]
    pub fn number(self, number: &Decimal, least_decimals: u8) -> String {
        let writing = self.writing();
        let text = number.to_string();
        let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut written = sign.to_owned();
        for (n, digit) in whole.chars().enumerate() {
            let left = whole.len() - n;
            if n > 0 && left % 3 == 0 && whole.len() >= writing.least_grouped {
                written.push_str(writing.group);
            }
            written.push(digit);
        }
        let zeros = usize::from(least_decimals).saturating_sub(fraction.len());
        if !fraction.is_empty() || zeros > 0 {
            written.push_str(writing.point);
            written.push_str(fraction);
            written.extend(std::iter::repeat_n('0', zeros));
        }
        written
    }

    /// An amount without its currency, at least with the currency's decimals.
    #[must_use]
    pub fn amount(self, amount: &Decimal, currency: Currency) -> String {
        self.number(amount, currency.decimals())
    }

    /// An amount with its currency.
    #[must_use]
    pub fn money(self, amount: &Decimal, currency: Currency) -> String {
        let sign = match currency.code() {
            "EUR" => "€",
            "USD" => "$",
            "GBP" => "£",
            code => code,
        };
        let number = self.amount(amount, currency);
        match self.writing().currency_first {
            None => format!("{number}{FIXED_BLANK}{sign}"),
            Some(between) => {
                let between =
                    if sign.len() == 3 && sign.is_ascii() { FIXED_BLANK } else { between };
                match number.strip_prefix('-') {
                    Some(number) => format!("-{sign}{between}{number}"),
                    None => format!("{sign}{between}{number}"),
                }
            }
        }
    }

    /// A rate or discount in percent.
    #[must_use]
    pub fn percent(self, percent: &Decimal) -> String {
        let number = self.number(percent, 0);
        if self == Self::ENGLISH { format!("{number}%") } else { format!("{number}{FIXED_BLANK}%") }
    }

    /// A date.
    #[must_use]
    pub fn date(self, date: Date) -> String {
        let (year, month, day) = date.to_calendar_date();
        let month = u8::from(month);
        let mut text = String::new();
        for sign in self.writing().date.chars() {
            match sign {
                'd' => text.push_str(&day.to_string()),
                'D' => text.push_str(&format!("{day:02}")),
                'm' => text.push_str(&month.to_string()),
                'M' => text.push_str(&format!("{month:02}")),
                'y' => text.push_str(&format!("{year:04}")),
                ' ' => text.push_str(FIXED_BLANK),
                other => text.push(other),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use racun_kernel::text::LOCALES;
    use time::Month;

    use super::*;

    fn of(code: &str) -> Language {
        Language::from_code(code).unwrap()
    }

    fn plain(text: String) -> String {
        text.replace(FIXED_BLANK, " ")
    }

    #[test]
    fn the_languages_are_those_of_the_interface() {
        let sorted = |mut locales: Vec<&'static str>| {
            locales.sort_unstable();
            locales
        };
        let own = Language::ALL.map(Language::locale).to_vec();
        assert_eq!(sorted(own), sorted(LOCALES.to_vec()));
        for language in Language::ALL {
            assert_eq!(Language::from_code(language.code()), Some(language));
            assert_eq!(Language::from_code(language.locale()), Some(language));
            assert!(language.locale().starts_with(language.code()));
        }
        assert_eq!(Language::from_code("xx"), None);
    }

    #[test]
    fn numbers_keep_every_digit_and_are_grouped_by_locale() {
        let number = |code, text: &str| plain(of(code).number(&text.parse().unwrap(), 2));
        assert_eq!(number("en", "1234567.5"), "1,234,567.50");
        assert_eq!(number("sl", "-1234.005"), "-1.234,005");
        assert_eq!(number("sl", "999"), "999,00");
        assert_eq!(number("fr", "1234.5"), "1 234,50");
        assert_eq!(number("pl", "1234.5"), "1234,50");
        assert_eq!(number("pl", "12345.5"), "12 345,50");
    }

    #[test]
    fn money_stands_beside_its_currency_as_the_locale_has_it() {
        let money = |code, amount: &str, currency: &str| {
            plain(of(code).money(&amount.parse().unwrap(), currency.parse().unwrap()))
        };
        assert_eq!(money("en", "-5", "EUR"), "-€5.00");
        assert_eq!(money("en", "5", "CHF"), "CHF 5.00");
        assert_eq!(money("sl", "1220", "EUR"), "1.220,00 €");
        assert_eq!(money("nl", "1220", "EUR"), "€ 1.220,00");
        assert_eq!(money("is", "1220", "ISK"), "1.220 ISK");
        assert_eq!(money("de", "1.5", "KWD"), "1,500 KWD");
    }

    #[test]
    fn dates_are_written_by_locale() {
        let date = Date::from_calendar_date(2026, Month::March, 4).unwrap();
        let written = Language::ALL.map(|language| plain(language.date(date)));
        assert_eq!(
            written,
            [
                "03/04/2026",
                "04.03.2026",
                "4. 3. 2026",
                "04/03/2026",
                "04/03/2026",
                "04/03/2026",
                "04-03-2026",
                "04-03-2026",
                "04.03.2026",
                "04. 03. 2026.",
                "2026-03-04",
                "4.3.2026",
                "04.03.2026",
                "4.03.2026 г.",
                "4. 3. 2026",
                "4. 3. 2026",
                "04.03.2026",
                "4.3.2026",
            ]
        );
    }
}
