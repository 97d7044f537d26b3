//! What kind of sale a document is, for tax, by the countries of both sides.

use racun_kernel::calendar;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The kinds of sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransactionType {
    /// Both sides in one country.
    #[serde(rename = "domestic")]
    Domestic,
    /// To a business in another country of the Union.
    #[serde(rename = "intra_eu_b2b")]
    IntraEuB2b,
    /// To a consumer in another country of the Union.
    #[serde(rename = "intra_eu_b2c")]
    IntraEuB2c,
    /// To a business outside the Union.
    #[serde(rename = "3w_b2b")]
    ThirdCountryB2b,
    /// To a consumer outside the Union.
    #[serde(rename = "3w_b2c")]
    ThirdCountryB2c,
    /// Former name of sales outside the Union; read, never decided.
    #[serde(rename = "export")]
    Export,
}

impl TransactionType {
    /// Its name on the wire and in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Domestic => "domestic",
            Self::IntraEuB2b => "intra_eu_b2b",
            Self::IntraEuB2c => "intra_eu_b2c",
            Self::ThirdCountryB2b => "3w_b2b",
            Self::ThirdCountryB2c => "3w_b2c",
            Self::Export => "export",
        }
    }
}

/// What VIES had to say of the customer's tax number: `ViesDocumentData` of the interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViesData {
    /// The kind of sale that follows.
    pub transaction_type: TransactionType,
    /// Whether the customer owes the tax.
    pub reverse_charge_applies: bool,
    /// Whether the number is valid; `None` when nobody could be asked.
    pub vies_valid: Option<bool>,
    /// Why the answer is not certain.
    pub warning: Option<String>,
    /// Whether the number was not checked.
    pub skipped: bool,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub checked_at: OffsetDateTime,
    /// The customer's country.
    pub country_code: Option<String>,
    /// The customer's tax number.
    pub tax_number: Option<String>,
}

impl ViesData {
    /// When the number was checked, as text.
    #[must_use]
    pub fn checked_at_text(&self) -> String {
        calendar::format_instant(self.checked_at)
    }
}

/// Member states of the European Union as of 2026; Greece also by `EL`, its code in VAT numbers.
const EU: [&str; 28] = [
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "EL", "HU", "IE", "IT",
    "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
];

/// Whether the country of this code is a member of the European Union.
#[must_use]
pub fn is_eu(country_code: &str) -> bool {
    EU.contains(&country_code.to_ascii_uppercase().as_str())
}

/// The two sides of a sale, as far as its kind depends on them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sides<'a> {
    pub issuer_country: Option<&'a str>,
    pub issuer_is_tax_subject: bool,
    pub customer_country: Option<&'a str>,
    pub customer_tax_number: Option<&'a str>,
    pub customer_is_end_consumer: bool,
}

/// The kind of a sale, and what follows for its tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The kind of sale.
    pub transaction_type: TransactionType,
    /// Whether the customer owes the tax.
    pub reverse_charge_applies: bool,
    /// Whether it rests on a tax number that only VIES could confirm.
    pub rests_on_tax_number: bool,
}

/// Decides the kind of a sale by contract 26.1.
///
/// A tax number inside the Union is believed without asking VIES, as the contract decides for the
/// case that VIES cannot be asked; the document then says that the check was skipped. A side whose
/// country is not known counts as domestic.
#[must_use]
pub fn classify(
    issuer_country: Option<&str>,
    issuer_is_tax_subject: bool,
    customer: Option<&crate::Party>,
) -> Verdict {
    let text = |text: &'_ Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let country = customer.and_then(|customer| text(&customer.country_code));
    let tax_number = customer.and_then(|customer| text(&customer.tax_number));
    decide(Sides {
        issuer_country,
        issuer_is_tax_subject,
        customer_country: country.as_deref(),
        customer_tax_number: tax_number.as_deref(),
        customer_is_end_consumer: customer.and_then(|c| c.is_end_consumer).unwrap_or(false),
    })
}

fn decide(sides: Sides<'_>) -> Verdict {
    let verdict = |transaction_type, reverse_charge_applies, rests_on_tax_number| Verdict {
        transaction_type,
        reverse_charge_applies,
        rests_on_tax_number,
    };
    let (Some(from), Some(to)) = (sides.issuer_country, sides.customer_country) else {
        return verdict(TransactionType::Domestic, false, false);
    };
    if from.eq_ignore_ascii_case(to) {
        return verdict(TransactionType::Domestic, false, false);
    }
    let taxed = sides.issuer_is_tax_subject;
    let has_number = sides.customer_tax_number.is_some();
    if is_eu(from) && is_eu(to) {
        return if taxed && has_number {
            verdict(TransactionType::IntraEuB2b, true, true)
        } else {
            verdict(TransactionType::IntraEuB2c, false, false)
        };
    }
    let reverse = taxed && is_eu(from);
    if taxed && has_number && !sides.customer_is_end_consumer {
        verdict(TransactionType::ThirdCountryB2b, reverse, false)
    } else {
        verdict(TransactionType::ThirdCountryB2c, reverse, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransactionType::{Domestic, IntraEuB2b, IntraEuB2c, ThirdCountryB2b, ThirdCountryB2c};

    #[test]
    fn the_kind_of_sale_follows_the_countries() {
        let check = |to: Option<&str>, number: Option<&str>, consumer, taxed, expected, reverse| {
            let verdict = decide(Sides {
                issuer_country: Some("SI"),
                issuer_is_tax_subject: taxed,
                customer_country: to,
                customer_tax_number: number,
                customer_is_end_consumer: consumer,
            });
            assert_eq!(
                (verdict.transaction_type, verdict.reverse_charge_applies),
                (expected, reverse),
                "to {to:?} with {number:?}"
            );
        };
        check(None, None, false, true, Domestic, false);
        check(Some("si"), Some("SI12345678"), false, true, Domestic, false);
        check(Some("DE"), Some("DE129273398"), false, true, IntraEuB2b, true);
        check(Some("DE"), Some("DE129273398"), true, true, IntraEuB2b, true);
        check(Some("DE"), None, false, true, IntraEuB2c, false);
        check(Some("DE"), Some("DE129273398"), false, false, IntraEuB2c, false);
        check(Some("RS"), Some("100000000"), false, true, ThirdCountryB2b, true);
        check(Some("RS"), Some("100000000"), true, true, ThirdCountryB2c, true);
        check(Some("CH"), None, false, true, ThirdCountryB2c, true);
        check(Some("CH"), Some("CHE1"), false, false, ThirdCountryB2c, false);
    }
}
