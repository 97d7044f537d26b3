//! What kind of sale a document is, for tax, by the countries of both sides.

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
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Domestic,
        Self::IntraEuB2b,
        Self::IntraEuB2c,
        Self::ThirdCountryB2b,
        Self::ThirdCountryB2c,
        Self::Export,
    ];

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

    /// The kind called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What was found out of a customer's VAT number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberCheck {
    /// Whether the number is valid; `None` when VIES gave no answer.
    pub valid: Option<bool>,
    /// Why the answer is not certain, or why the sale is none to a business.
    pub warning: Option<String>,
    /// When VIES was asked, or the number was looked at.
    pub checked_at: OffsetDateTime,
    /// The number by which VIES remembers that it was asked, when it gave one.
    pub consultation_number: Option<String>,
}

impl NumberCheck {
    /// That VIES was not asked.
    #[must_use]
    pub fn skipped(why: impl Into<String>, at: OffsetDateTime) -> Self {
        let warning = Some(why.into());
        Self { valid: None, warning, checked_at: at, consultation_number: None }
    }
}

/// What VIES had to say of the customer's tax number: `ViesDocumentData` of the interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViesData {
    /// The kind of sale that follows.
    pub transaction_type: TransactionType,
    /// Whether the customer owes the tax.
    pub reverse_charge_applies: bool,
    /// Whether the number is valid; `None` when VIES gave no answer.
    pub vies_valid: Option<bool>,
    /// Why the answer is not certain, or why the sale is none to a business.
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
    /// The number by which VIES remembers that it was asked, when it gave one.
    #[serde(default)]
    pub consultation_number: Option<String>,
}

impl ViesData {
    /// What a document says of a sale that rests on the number `tax_number` of a customer in
    /// `country`, of which this `check` found out something.
    #[must_use]
    pub fn new(
        treatment: TaxTreatment,
        check: NumberCheck,
        country: Option<String>,
        tax_number: Option<String>,
    ) -> Self {
        Self {
            transaction_type: treatment.transaction_type,
            reverse_charge_applies: treatment.reverse_charge_applies,
            vies_valid: check.valid,
            warning: check.warning,
            skipped: check.valid.is_none(),
            checked_at: check.checked_at,
            country_code: country,
            tax_number,
            consultation_number: check.consultation_number,
        }
    }
}

/// Member states of the European Union as of 2026; Greece also by `EL`, its code in VAT numbers,
/// and Northern Ireland by `XI`, for goods there are sold as within the Union.
const EU: [&str; 29] = [
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "EL", "HU", "IE", "IT",
    "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE", "XI",
];

/// Whether the country of this code is a member of the European Union, or Northern Ireland.
#[must_use]
pub fn is_eu(country_code: &str) -> bool {
    EU.contains(&country_code.to_ascii_uppercase().as_str())
}

/// The two sides of a sale, as far as its kind depends on them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sides<'a> {
    /// The issuer's country, two letters.
    pub issuer_country: Option<&'a str>,
    /// Whether the issuer is registered for VAT.
    pub issuer_is_tax_subject: bool,
    /// The customer's country, two letters.
    pub customer_country: Option<&'a str>,
    /// The customer's tax number, when it has one.
    pub customer_tax_number: Option<&'a str>,
    /// Whether the customer buys for itself, not for a business.
    pub customer_is_end_consumer: bool,
    /// Whether the number is valid in the Union; `None` when VIES gave no answer.
    pub number_is_valid: Option<bool>,
}

/// The kind of a sale, and what follows for its tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxTreatment {
    /// The kind of sale.
    pub transaction_type: TransactionType,
    /// Whether the customer owes the tax.
    pub reverse_charge_applies: bool,
    /// Whether it rests on a tax number that only VIES could confirm.
    pub rests_on_tax_number: bool,
}

/// The code of a country in capitals; Greece by its own code.
fn iso(code: &str) -> Option<String> {
    match code.trim().to_ascii_uppercase().as_str() {
        "" => None,
        "EL" => Some("GR".to_owned()),
        code => Some(code.to_owned()),
    }
}

impl Sides<'_> {
    /// Decides the kind of a sale by contract 26.1.
    ///
    /// A tax number inside the Union of which VIES gave no answer is believed, as the contract
    /// decides; the document then says that the check was skipped. A side whose country is not
    /// known counts as domestic.
    #[must_use]
    pub fn treatment(self) -> TaxTreatment {
        use TransactionType::{Domestic, IntraEuB2b, IntraEuB2c, ThirdCountryB2b, ThirdCountryB2c};
        let treatment = |transaction_type, reverse_charge_applies| TaxTreatment {
            transaction_type,
            reverse_charge_applies,
            rests_on_tax_number: false,
        };
        let countries = self.issuer_country.and_then(iso).zip(self.customer_country.and_then(iso));
        let Some((from, mut to)) = countries.filter(|(from, to)| from != to) else {
            return treatment(Domestic, false);
        };
        let taxed = self.issuer_is_tax_subject;
        let number = self.customer_tax_number.filter(|number| !number.trim().is_empty());
        // VIES knows who sells and buys goods in Northern Ireland by numbers of their own.
        let is_northern = |number: &str| number.trim().to_ascii_uppercase().starts_with("XI");
        if to == "GB" && number.is_some_and(is_northern) {
            "XI".clone_into(&mut to);
        }
        if is_eu(&from) && is_eu(&to) {
            let rests_on_tax_number = taxed && number.is_some();
            let to_business = rests_on_tax_number && self.number_is_valid.unwrap_or(true);
            let kind = if to_business { IntraEuB2b } else { IntraEuB2c };
            return TaxTreatment { rests_on_tax_number, ..treatment(kind, to_business) };
        }
        let to_business = taxed && number.is_some() && !self.customer_is_end_consumer;
        let kind = if to_business { ThirdCountryB2b } else { ThirdCountryB2c };
        treatment(kind, taxed && is_eu(&from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransactionType::{Domestic, IntraEuB2b, IntraEuB2c, ThirdCountryB2b, ThirdCountryB2c};

    /// A taxed Slovenian issuer, and a German business with a number.
    const TO_GERMANY: Sides<'static> = Sides {
        issuer_country: Some("SI"),
        issuer_is_tax_subject: true,
        customer_country: Some("DE"),
        customer_tax_number: Some("DE129273398"),
        customer_is_end_consumer: false,
        number_is_valid: Some(true),
    };

    fn check(sides: Sides<'_>, expected: TransactionType, reverse: bool) {
        let treatment = sides.treatment();
        let found = (treatment.transaction_type, treatment.reverse_charge_applies);
        assert_eq!(found, (expected, reverse), "{sides:?}");
    }

    #[test]
    fn sales_at_home_or_to_an_unknown_country_are_domestic() {
        for to in [Some("SI"), Some("si"), Some(" SI "), Some(""), None] {
            check(Sides { customer_country: to, ..TO_GERMANY }, Domestic, false);
        }
        check(Sides { issuer_country: None, ..TO_GERMANY }, Domestic, false);
        let greek = Sides { issuer_country: Some("GR"), ..TO_GERMANY };
        check(Sides { customer_country: Some("EL"), ..greek }, Domestic, false);
    }

    #[test]
    fn inside_the_union_what_vies_says_of_the_number_decides() {
        for is_consumer in [false, true] {
            let sides = Sides { customer_is_end_consumer: is_consumer, ..TO_GERMANY };
            check(sides, IntraEuB2b, true);
            check(Sides { number_is_valid: Some(false), ..sides }, IntraEuB2c, false);
            check(Sides { number_is_valid: None, ..sides }, IntraEuB2b, true);
            check(Sides { customer_tax_number: None, ..sides }, IntraEuB2c, false);
            check(Sides { customer_tax_number: Some(" "), ..sides }, IntraEuB2c, false);
        }
        check(Sides { customer_country: Some("EL"), ..TO_GERMANY }, IntraEuB2b, true);
    }

    #[test]
    fn northern_ireland_is_within_the_union_by_its_numbers() {
        let northern = Sides {
            customer_country: Some("GB"),
            customer_tax_number: Some("xi 123456789"),
            ..TO_GERMANY
        };
        check(northern, IntraEuB2b, true);
        assert!(northern.treatment().rests_on_tax_number, "VIES is asked");
        check(Sides { number_is_valid: Some(false), ..northern }, IntraEuB2c, false);
        check(
            Sides { customer_tax_number: Some("GB123456789"), ..northern },
            ThirdCountryB2b,
            true,
        );
    }

    #[test]
    fn outside_the_union_the_number_is_believed_and_the_end_consumer_too() {
        let swiss = Sides {
            customer_country: Some("CH"),
            customer_tax_number: Some("CHE-123.456.789"),
            number_is_valid: None,
            ..TO_GERMANY
        };
        check(swiss, ThirdCountryB2b, true);
        check(Sides { customer_tax_number: None, ..swiss }, ThirdCountryB2c, true);
        check(Sides { customer_is_end_consumer: true, ..swiss }, ThirdCountryB2c, true);
        let from_serbia = Sides { issuer_country: Some("RS"), ..TO_GERMANY };
        check(from_serbia, ThirdCountryB2b, false);
        check(Sides { customer_country: Some("GB"), ..swiss }, ThirdCountryB2b, true);
    }

    #[test]
    fn an_issuer_without_vat_sells_without_reverse_charge() {
        let sides = Sides { issuer_is_tax_subject: false, ..TO_GERMANY };
        check(sides, IntraEuB2c, false);
        check(Sides { customer_country: Some("CH"), ..sides }, ThirdCountryB2c, false);
        check(Sides { customer_country: Some("SI"), ..sides }, Domestic, false);
        assert!(!sides.treatment().rests_on_tax_number, "VIES is not asked");
    }

    #[test]
    fn only_a_number_inside_the_union_is_asked_for() {
        let rests = |sides: Sides<'_>| sides.treatment().rests_on_tax_number;
        assert!(rests(TO_GERMANY));
        assert!(rests(Sides { number_is_valid: Some(false), ..TO_GERMANY }));
        assert!(!rests(Sides { customer_country: Some("CH"), ..TO_GERMANY }));
        assert!(!rests(Sides { customer_country: Some("SI"), ..TO_GERMANY }));
        assert!(!rests(Sides { customer_tax_number: None, ..TO_GERMANY }));
    }
}
