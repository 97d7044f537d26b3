//! An entity's settings: a JSON object that callers own, of which Racun knows and checks some keys.
//!
//! | Module       | Owns                                           |
//! | ------------ | ---------------------------------------------- |
//! | `value_type` | what a value may be, and what is wrong with it |
//! | `known`      | the known keys and their types                 |
//! | `change`     | how a partial update merges                    |
//! | `key`        | typed keys, found among the known ones         |
//! | `setting`    | the keys that Racun reads                      |

mod change;
mod key;
mod known;
pub mod setting;
mod value_type;

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Issues};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use self::setting::Numbered;
use self::value_type::Property;
pub use change::passed_over;
pub use key::{Group, Key, List, Localized, SettingValue};

/// Days in which an invoice is due, and an estimate valid, when nothing else is said.
const DEFAULT_DAYS: u32 = 30;

/// An entity's settings.
///
/// Unknown keys are kept as they are. Defaults are answered by the methods and never stored, so
/// that a better default reaches everyone who did not choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(Map<String, Json>);

/// The keys that Racun knows, with what their values may be, as a JSON schema.
#[must_use]
pub fn settings_schema() -> Json {
    let mut schema = value_type::object_schema(&known::SETTINGS);
    schema["type"] = "object".into();
    schema
}

/// Checks what is sent of a business unit's settings: known keys only, at every depth.
///
/// # Errors
/// All that is wrong; paths are relative to the settings.
pub fn check_unit_settings(sent: &Map<String, Json>) -> Result<(), Issues> {
    let properties: Vec<&Property> =
        known::SETTINGS.iter().filter(|property| property.is_of_units).collect();
    let mut issues = value_type::unknown(&properties, sent);
    for property in properties {
        if let Some(value) = sent.get(property.name) {
            let mut wrong = Issues::default();
            wrong.extend_at(property.name, property.value_type.check(value));
            issues.extend_elsewhere(&wrong);
        }
    }
    issues.into_result(())
}

impl From<Map<String, Json>> for Settings {
    /// Settings that were checked where they were stored: a business unit's, which share the texts.
    fn from(settings: Map<String, Json>) -> Self {
        Self(settings)
    }
}

impl Settings {
    /// The settings as stored: without defaults.
    #[must_use]
    pub const fn as_map(&self) -> &Map<String, Json> {
        &self.0
    }

    /// The settings with `value` under `key`, which has an endpoint of its own.
    pub(crate) fn with_own(&self, key: &str, value: Json) -> Self {
        let mut settings = self.0.clone();
        settings.insert(key.to_owned(), value);
        Self(settings)
    }

    /// What the settings say under `key`; `None` where they do not.
    #[must_use]
    pub fn get<T: SettingValue + ?Sized>(&self, key: Key<T>) -> Option<T::Read<'_>> {
        key.of(&self.0)
    }

    /// The number format of documents of `kind`.
    #[must_use]
    pub fn number_format(&self, kind: Numbered) -> &str {
        self.get(setting::NUMBER_FORMATS.of(kind)).unwrap_or(match kind {
            Numbered::Invoice | Numbered::Estimate => "{yyyy}-{nnnnn}",
            Numbered::CreditNote => "CN-{yyyy}-{nnnnn}",
            Numbered::AdvanceInvoice => "ADV-{yyyy}-{nnnnn}",
            Numbered::DeliveryNote => "DN-{yyyy}-{nnnnn}",
            Numbered::Expense => "EXP-{yyyy}-{nnnnn}",
        })
    }

    /// The number format of a business unit's documents of `kind`.
    #[must_use]
    pub fn unit_number_format(&self, kind: Numbered) -> &str {
        self.get(setting::UNIT_NUMBER_FORMATS.of(kind)).unwrap_or("{yyyy}-{u}-{nnnnn}")
    }

    /// The first number of a fresh series of `kind`; at least 1.
    #[must_use]
    pub fn number_sequence_start(&self, kind: Numbered) -> i64 {
        self.get(setting::NUMBER_SEQUENCE_STARTS.of(kind)).unwrap_or(1)
    }

    /// The first number of a business unit's fresh series of `kind`; at least 1. The unit is named
    /// by its id or by its numbering index.
    #[must_use]
    pub fn unit_number_sequence_start(
        &self,
        kind: Numbered,
        unit_id: &str,
        numbering_index: i64,
    ) -> i64 {
        let starts = self.get(setting::UNIT_NUMBER_SEQUENCE_STARTS.of(kind));
        let start = |unit: &str| as_whole(starts?.get(unit)?);
        start(unit_id).or_else(|| start(&numbering_index.to_string())).unwrap_or(1)
    }

    /// Days from an invoice's date to the day it is due.
    #[must_use]
    pub fn default_invoice_due_days(&self) -> u32 {
        self.days(setting::DEFAULT_INVOICE_DUE_DAYS)
    }

    /// Days from an estimate's date to the last on which it is valid.
    #[must_use]
    pub fn default_estimate_valid_days(&self) -> u32 {
        self.days(setting::DEFAULT_ESTIMATE_VALID_DAYS)
    }

    /// The text `key` for documents in `locale`: a translation when there is one (of the locale, or
    /// else of its language), or else the plain text.
    #[must_use]
    pub fn text(&self, key: Key<Localized>, locale: &str) -> Option<String> {
        key.in_locale(&self.0, locale).map(str::to_owned)
    }

    /// The translations of the text `key`, by locale.
    #[must_use]
    pub fn translations(&self, key: Key<Localized>) -> BTreeMap<String, String> {
        key.translations(&self.0)
    }

    /// The bank accounts; each has an `id`, and a `type`, which is `iban` unless another was sent.
    #[must_use]
    pub fn bank_accounts(&self) -> Vec<Json> {
        let stored = self.get(setting::BANK_ACCOUNTS);
        let mut accounts = stored.map(<[Json]>::to_vec).unwrap_or_default();
        for account in accounts.iter_mut().filter_map(Json::as_object_mut) {
            if account.get("type").is_none_or(Json::is_null) {
                account.insert("type".to_owned(), "iban".into());
            }
        }
        accounts
    }

    fn days(&self, key: Key<i64>) -> u32 {
        self.get(key).and_then(|days| u32::try_from(days).ok()).unwrap_or(DEFAULT_DAYS)
    }
}

/// A JSON number that is whole, whatever its digits: 30, 30.0, 3e1.
fn as_whole(value: &Json) -> Option<i64> {
    let Json::Number(number) = value else { return None };
    number.as_str().parse::<Decimal>().ok()?.to_string().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(value: Json) -> Settings {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn defaults_are_answered_and_not_stored() {
        let empty = Settings::default();
        assert_eq!(empty.number_format(Numbered::Invoice), "{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format(Numbered::Estimate), "{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format(Numbered::CreditNote), "CN-{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format(Numbered::AdvanceInvoice), "ADV-{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format(Numbered::DeliveryNote), "DN-{yyyy}-{nnnnn}");
        assert_eq!(empty.unit_number_format(Numbered::Invoice), "{yyyy}-{u}-{nnnnn}");
        assert_eq!(empty.number_sequence_start(Numbered::Invoice), 1);
        assert_eq!(empty.unit_number_sequence_start(Numbered::Invoice, "unit_x", 3), 1);
        assert_eq!(empty.default_invoice_due_days(), 30);
        assert_eq!(empty.default_estimate_valid_days(), 30);
        assert_eq!(empty.get(setting::CALCULATION_DEFAULT_MODE), None);
        for kind in Numbered::ALL {
            assert_eq!(setting::NUMBER_SEQUENCE_STARTS.of(kind).name(), kind.name());
        }
        assert!(empty.bank_accounts().is_empty() && empty.as_map().is_empty());
    }

    #[test]
    fn a_setting_overrides_the_default() {
        let set = settings(json!({
            "number_formats": {"invoice": "R-{nnn}", "estimate": null},
            "number_sequence_starts": {"invoice": 42},
            "unit_number_sequence_starts": {"invoice": {"unit_a": 7, "3": 9}},
            "default_invoice_due_days": 0,
            "calculation": {"default_mode": "b2c_gross_discount"},
            "bank_accounts": [{"iban": "SI56"}, {"type": "other", "account_number": "1"}],
        }));
        assert_eq!(set.number_format(Numbered::Invoice), "R-{nnn}");
        assert_eq!(set.number_format(Numbered::Estimate), "{yyyy}-{nnnnn}");
        assert_eq!(set.number_sequence_start(Numbered::Invoice), 42);
        assert_eq!(set.unit_number_sequence_start(Numbered::Invoice, "unit_a", 3), 7);
        assert_eq!(set.unit_number_sequence_start(Numbered::Invoice, "unit_b", 3), 9);
        assert_eq!(set.default_invoice_due_days(), 0);
        assert_eq!(set.get(setting::CALCULATION_DEFAULT_MODE), Some("b2c_gross_discount"));
        let types: Vec<_> = set.bank_accounts().iter().map(|one| one["type"].clone()).collect();
        assert_eq!(types, ["iban", "other"]);
    }

    #[test]
    fn texts_are_found_by_locale_then_language_then_plainly() {
        let set = settings(json!({
            "default_invoice_note": "plain",
            "document_footer": "footer",
            "tax_clause_defaults": {"export": "plain clause"},
            "translations": {
                "default_invoice_note": {"de-DE": "Notiz", "it-IT": null},
                "tax_clause_defaults": {"export": {"sl-SI": "izvoz"}},
            },
        }));
        for (key, locale, text) in [
            (setting::INVOICE_NOTE, "de-DE", Some("Notiz")),
            (setting::INVOICE_NOTE, "de", Some("Notiz")),
            (setting::INVOICE_NOTE, "de-AT", Some("Notiz")),
            (setting::INVOICE_NOTE, "it-IT", Some("plain")),
            (setting::INVOICE_NOTE, "sl-SI", Some("plain")),
            (setting::DOCUMENT_FOOTER, "sl-SI", Some("footer")),
            (setting::DOCUMENT_SIGNATURE, "sl-SI", None),
        ] {
            assert_eq!(set.text(key, locale).as_deref(), text, "{} {locale}", key.name());
        }
        assert_eq!(set.text(setting::CLAUSE_EXPORT, "sl-SI").as_deref(), Some("izvoz"));
        assert_eq!(set.text(setting::CLAUSE_EXPORT, "de-DE").as_deref(), Some("plain clause"));
        assert_eq!(set.text(setting::CLAUSE_DOMESTIC, "de-DE"), None);
    }
}
