//! Countries: their ISO 3166-1 codes and names, what an entity there starts with, and which rules
//! and formats its documents follow.

use std::sync::LazyLock;

use racun_kernel::text::fold;
use racun_kernel::{Currency, Issue};

/// One country a line, tab separated: code, currency, locale, time zone, and names parted by `|`:
/// the English one of ISO 3166-1 first, then others and local ones.
///
/// Codes, names and zones are those of ISO 3166-1 and of the time zone database's `zone.tab`, with
/// the capital's zone where a country has several. Kosovo has no code in ISO 3166-1; `XK`, from the
/// range reserved for users, is what the European Union writes.
const TABLE: &str = include_str!("countries.tsv");

/// The member states of the European Union.
const EUROPEAN_UNION: &str =
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK";

/// A country, and what an entity there starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Country {
    /// Two capitals.
    pub code: &'static str,
    /// The three letters of its currency.
    currency: &'static str,
    /// One of the 18 locales; `en-US` where its own is none of them.
    pub locale: &'static str,
    /// IANA name.
    pub timezone: &'static str,
    names: &'static str,
}

/// The table, read once: each document looks a country up.
static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let country = |line: &'static str| {
        let mut parts = line.split('\t');
        Some(Country {
            code: parts.next()?,
            currency: parts.next()?,
            locale: parts.next()?,
            timezone: parts.next()?,
            names: parts.next()?,
        })
    };
    TABLE.lines().filter_map(country).collect()
});

impl Country {
    fn all() -> impl Iterator<Item = Self> {
        COUNTRIES.iter().copied()
    }

    /// The country with this code, in capitals or not.
    pub fn with_code(code: &str) -> Option<Self> {
        Self::all().find(|country| country.code.eq_ignore_ascii_case(code))
    }

    /// The country that people call `name`: its code, its English name or a local one.
    pub fn named(name: &str) -> Option<Self> {
        let name = fold(name.trim());
        let is_called = |country: &Self| country.names.split('|').any(|own| fold(own) == name);
        Self::with_code(&name).or_else(|| Self::all().find(is_called))
    }

    /// Its currency.
    pub fn currency(self) -> Currency {
        self.currency.parse().unwrap_or(Currency::EUR)
    }
}

/// The locale of the country that people call `country`: its name or its code.
///
/// # Errors
/// `unknown_country`.
pub fn locale_of_country(country: &str) -> Result<String, Issue> {
    let found = Country::named(country).map(|country| country.locale.to_owned());
    let message = "not a country that is known; send its ISO 3166-1 code, such as SI";
    found.ok_or_else(|| Issue::new("unknown_country", message))
}

/// The code in capitals of the country that `code` names, or else `name`; `None` without either.
/// `EL`, which VAT numbers write for Greece, is `GR`. `XI`, which they write for Northern Ireland,
/// stays: goods that are sold there are sold within the Union.
///
/// # Errors
/// `unknown_country`, at `country_code` or `country`.
pub fn country_code(code: Option<&str>, name: Option<&str>) -> Result<Option<String>, Issue> {
    let given = |text: Option<&'_ str>| {
        text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (found, field) = match (given(code), given(name)) {
        (Some(code), _) if code.eq_ignore_ascii_case("EL") => return Ok(Some("GR".to_owned())),
        (Some(code), _) if code.eq_ignore_ascii_case("XI") => return Ok(Some("XI".to_owned())),
        (Some(code), _) => (Country::with_code(&code), "country_code"),
        (None, Some(name)) => (Country::named(&name), "country"),
        (None, None) => return Ok(None),
    };
    let message = "not a country that is known; send its ISO 3166-1 code, such as SI";
    let unknown = || Issue::new("unknown_country", message).at(field);
    found.map(|country| Some(country.code.to_owned())).ok_or_else(unknown)
}

/// The code in capitals of the country of a party, as [`country_code`] reads it; `None` also where
/// it names one that is not known.
pub fn known_country(code: Option<&str>, name: Option<&str>) -> Option<String> {
    country_code(code, name).ok().flatten()
}

/// Which rules and formats documents of an entity follow, by its country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountryRules {
    /// Names of what the country has: `furs`, `fina`, `upn_qr`, …
    pub features: Vec<&'static str>,
    /// Taxes that one line may bear.
    pub max_taxes_per_item: u8,
}

impl CountryRules {
    /// The rules of the country with this code in capitals; the plainest when it is not known.
    pub(crate) fn of(code: Option<&str>) -> Self {
        let code = code.unwrap_or_default();
        let is_member = EUROPEAN_UNION.split(' ').any(|member| member == code);
        let features = match code {
            "SI" => "furs eslog upn_qr epc_qr eu_tax_rules tax_clause_defaults e_invoicing",
            "HR" => "fina hub3_qr epc_qr eu_tax_rules tax_clause_defaults",
            "US" => "us_tax_rate_lookup",
            "CA" => "tax_number_2",
            _ if is_member => "eu_tax_rules tax_clause_defaults epc_qr e_invoicing",
            _ => "",
        };
        Self {
            features: features.split_ascii_whitespace().collect(),
            // In Croatia the consumption tax on drinks stands beside VAT.
            max_taxes_per_item: if matches!(code, "CA" | "HR") { 2 } else { 1 },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use racun_kernel::calendar::is_time_zone;

    use super::*;
    use racun_kernel::text::LOCALES;

    #[test]
    fn every_line_of_the_table_is_sound() {
        let countries: Vec<Country> = Country::all().collect();
        assert_eq!(countries.len(), 250);
        assert_eq!(countries.len(), TABLE.lines().count());
        let codes: BTreeSet<_> = countries.iter().map(|country| country.code).collect();
        assert_eq!(codes.len(), countries.len(), "no code twice");
        let mut names = BTreeSet::new();
        for country in &countries {
            assert!(
                country.code.len() == 2 && country.code.bytes().all(|b| b.is_ascii_uppercase())
            );
            assert!(country.currency.parse::<Currency>().is_ok(), "{}", country.code);
            assert!(LOCALES.contains(&country.locale), "{}", country.code);
            assert!(is_time_zone(country.timezone), "{}", country.timezone);
            for name in country.names.split('|') {
                assert!(!name.is_empty() && names.insert(fold(name)), "{name} twice");
                assert_eq!(Country::named(name).map(|found| found.code), Some(country.code));
            }
        }
    }

    #[test]
    fn countries_are_found_by_what_people_call_them() {
        for (name, code) in [
            ("Slovenia", "SI"),
            (" slovenija ", "SI"),
            ("HRVATSKA", "HR"),
            ("Österreich", "AT"),
            ("ÖSTERREICH", "AT"),
            ("Deutschland", "DE"),
            ("Italia", "IT"),
            ("Czech Republic", "CZ"),
            ("United Kingdom", "GB"),
            ("USA", "US"),
            ("Bosna i Hercegovina", "BA"),
            ("si", "SI"),
        ] {
            assert_eq!(Country::named(name).map(|country| country.code), Some(code), "{name}");
        }
        for name in ["", "Atlantis", "Slo", "ZZ"] {
            assert_eq!(Country::named(name), None, "{name}");
        }
    }

    #[test]
    fn a_code_wins_over_a_name_and_what_is_unknown_is_named() {
        for (code, name, expected) in [
            (None, Some("Slovenia"), Some("SI")),
            (Some("de"), Some("Slovenia"), Some("DE")),
            (Some(" "), Some("Deutschland"), Some("DE")),
            (Some("EL"), None, Some("GR")),
            (Some("xi"), None, Some("XI")),
            (None, Some(""), None),
            (None, None, None),
        ] {
            let found = country_code(code, name).unwrap();
            assert_eq!(found.as_deref(), expected, "{code:?} {name:?}");
        }
        for (code, name, field) in
            [(Some("ZZ"), Some("Slovenia"), "country_code"), (None, Some("Atlantis"), "country")]
        {
            let issue = country_code(code, name).unwrap_err();
            assert_eq!((issue.code, issue.path), ("unknown_country", vec![field.into()]));
        }
    }

    #[test]
    fn defaults_and_rules_follow_the_country() {
        for (code, currency, locale, timezone, features) in [
            ("si", "EUR", "sl-SI", "Europe/Ljubljana", 7),
            ("HR", "EUR", "hr-HR", "Europe/Zagreb", 5),
            ("AT", "EUR", "de-DE", "Europe/Vienna", 4),
            ("PL", "PLN", "pl-PL", "Europe/Warsaw", 4),
            ("US", "USD", "en-US", "America/New_York", 1),
            ("CA", "CAD", "en-US", "America/Toronto", 1),
            ("CH", "CHF", "de-DE", "Europe/Zurich", 0),
            ("RS", "RSD", "en-US", "Europe/Belgrade", 0),
        ] {
            let country = Country::with_code(code).unwrap();
            assert_eq!(country.currency().code(), currency, "{code}");
            assert_eq!((country.locale, country.timezone), (locale, timezone), "{code}");
            let rules = CountryRules::of(Some(country.code));
            assert_eq!(rules.features.len(), features, "{code} {:?}", rules.features);
        }
        assert_eq!(CountryRules::of(Some("CA")).max_taxes_per_item, 2);
        assert_eq!(CountryRules::of(Some("HR")).max_taxes_per_item, 2);
        assert_eq!(CountryRules::of(None).max_taxes_per_item, 1);
    }
}
