//! The taxes that a new entity starts with.

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Patch, Stamp};
use racun_store::Put;

use crate::tax::{TaxInput, TaxRateInput};

/// VAT rates in tenths of a percent by country, the default first, 0 for exempt and zero-rated
/// sales last; on the mainland, and without parking rates. The autonomous regions of Portugal are
/// named as ISO 3166-2 does: the Azores, and Madeira.
///
/// Source: the European Commission's table of VAT rates in the member states (Directive
/// 2006/112/EC, articles 96 to 99) with the changes up to 2026: Slovakia 23/19/5 from 2025, Estonia
/// 24 and 13 from 2025, Romania 21 and 11 from August 2025 (Law 141/2025), Lithuania 12 in place of
/// 9 from 2026 (Law XV-287), Finland 13.5 in place of 14 from 2026. Slovenia: ZDDV-1, article 41;
/// Croatia: Zakon o PDV-u, article 38; Germany: UStG § 12; Austria: UStG § 10; Italy: DPR 633/1972,
/// article 16; Portugal: CIVA, article 18.
const VAT_RATES: [(&str, &[i64]); 29] = [
    ("AT", &[200, 100, 130, 0]),
    ("BE", &[210, 120, 60, 0]),
    ("BG", &[200, 90, 0]),
    ("CY", &[190, 90, 50, 30, 0]),
    ("CZ", &[210, 120, 0]),
    ("DE", &[190, 70, 0]),
    ("DK", &[250, 0]),
    ("EE", &[240, 130, 90, 0]),
    ("ES", &[210, 100, 40, 0]),
    ("FI", &[255, 135, 100, 0]),
    ("FR", &[200, 100, 55, 21, 0]),
    ("GR", &[240, 130, 60, 0]),
    ("HR", &[250, 130, 50, 0]),
    ("HU", &[270, 180, 50, 0]),
    ("IE", &[230, 135, 90, 48, 0]),
    ("IT", &[220, 100, 50, 40, 0]),
    ("LT", &[210, 120, 50, 0]),
    ("LU", &[170, 140, 80, 30, 0]),
    ("LV", &[210, 120, 50, 0]),
    ("MT", &[180, 120, 70, 50, 0]),
    ("NL", &[210, 90, 0]),
    ("PL", &[230, 80, 50, 0]),
    ("PT", &[230, 130, 60]),
    ("PT-20", &[160, 90, 40]),
    ("PT-30", &[220, 120, 40]),
    ("RO", &[210, 110, 0]),
    ("SE", &[250, 120, 60, 0]),
    ("SI", &[220, 95, 50, 0]),
    ("SK", &[230, 190, 50, 0]),
];

/// The taxes of a new entity in the country `country_code` (two letters, in either case), or in a
/// region with rates of its own (`PT-20`); the first is the default. None where the rates are not
/// known.
#[must_use]
pub fn default_taxes(country_code: &str) -> Vec<TaxInput> {
    let country = VAT_RATES.iter().find(|(code, _)| code.eq_ignore_ascii_case(country_code));
    let rates = country.map_or(&[][..], |(_, rates)| rates);
    let tax = |(n, tenths): (usize, &i64)| TaxInput {
        tax_rates: Patch::Value(vec![TaxRateInput {
            rate: Decimal::new(*tenths, 1),
            valid_from: None,
        }]),
        is_default: Patch::Value(n == 0),
        ..TaxInput::default()
    };
    rates.iter().enumerate().map(tax).collect()
}

/// The rows of [`default_taxes`], to be written in the commit that creates the entity. They write
/// no events, because no webhook of an entity can exist before the entity does.
#[must_use]
pub fn default_tax_puts(entity_id: EntityId, country_code: &str, stamp: &Stamp) -> Vec<Put> {
    let taxes = default_taxes(country_code).into_iter();
    taxes
        .filter_map(|tax| tax.into_tax(entity_id, stamp).ok())
        .map(|tax| Put::insert(&tax))
        .collect()
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::macros::datetime;

    use super::*;

    fn names(country_code: &str) -> String {
        let stamp = stamp(datetime!(2026-11-20 08:30 UTC));
        let taxes = default_taxes(country_code).into_iter();
        let name = |tax: TaxInput| {
            let tax = tax.into_tax(stamp.id(), &stamp).unwrap();
            format!("{}{}", tax.name, if tax.is_default { "*" } else { "" })
        };
        taxes.map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_country_starts_with_its_rates_and_one_default() {
        for (country, expected) in [
            ("SI", "22%* 9.5% 5% 0%"),
            ("si", "22%* 9.5% 5% 0%"),
            ("HR", "25%* 13% 5% 0%"),
            ("DE", "19%* 7% 0%"),
            ("AT", "20%* 10% 13% 0%"),
            ("IT", "22%* 10% 5% 4% 0%"),
            ("PT", "23%* 13% 6%"),
            ("PT-20", "16%* 9% 4%"),
            ("PT-30", "22%* 12% 4%"),
            ("FI", "25.5%* 13.5% 10% 0%"),
            ("US", ""),
            ("", ""),
        ] {
            assert_eq!(names(country), expected, "{country}");
        }
    }

    #[test]
    fn every_country_has_a_default_and_no_rate_twice() {
        let stamp = stamp(datetime!(2026-11-20 08:30 UTC));
        for (country, rates) in VAT_RATES {
            let mut distinct = rates.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), rates.len(), "{country}");
            assert_eq!(default_tax_puts(stamp.id(), country, &stamp).len(), rates.len());
            assert_eq!(names(country).matches('*').count(), 1, "{country}");
        }
    }
}
