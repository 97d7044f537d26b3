//! An entity's settings: a JSON object that callers own, of which Racun knows and checks some keys.
//!
//! | Module   | Owns                                           |
//! | -------- | ---------------------------------------------- |
//! | `shape`  | what a value may be, and what is wrong with it |
//! | `known`  | the known keys and their shapes                |
//! | `change` | how a partial update merges                    |

mod change;
mod known;
mod shape;

use racun_kernel::{Decimal, Issues};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use self::shape::Property;
pub use change::passed_over;
pub(crate) use known::LANGUAGES;

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
    let mut schema = shape::object_schema(&known::SETTINGS);
    schema["type"] = "object".into();
    schema
}

/// Checks what is sent of a business unit's settings: known keys only, at every depth.
///
/// # Errors
/// All that is wrong; paths are relative to the settings.
pub fn check_unit_settings(sent: &Map<String, Json>) -> Result<(), Issues> {
    let of_units = |property: &&Property| known::OF_UNITS.contains(&property.name);
    let properties: Vec<&Property> = known::SETTINGS.iter().filter(of_units).collect();
    let mut issues = shape::unknown(&properties, sent);
    for property in properties {
        if let Some(value) = sent.get(property.name) {
            let mut wrong = Issues::default();
            wrong.extend_at(property.name, property.shape.check(value));
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

    /// The number format of documents of `kind`: `invoice`, `estimate`, `credit_note`,
    /// `advance_invoice`, `delivery_note` or `expense`.
    #[must_use]
    pub fn number_format(&self, kind: &str) -> String {
        let default = match kind {
            "credit_note" => "CN-{yyyy}-{nnnnn}",
            "advance_invoice" => "ADV-{yyyy}-{nnnnn}",
            "delivery_note" => "DN-{yyyy}-{nnnnn}",
            "expense" => "EXP-{yyyy}-{nnnnn}",
            _ => "{yyyy}-{nnnnn}",
        };
        self.text(&["number_formats", kind]).unwrap_or(default).to_owned()
    }

    /// The number format of a business unit's documents of `kind`.
    #[must_use]
    pub fn unit_number_format(&self, kind: &str) -> String {
        self.text(&["unit_number_formats", kind]).unwrap_or("{yyyy}-{u}-{nnnnn}").to_owned()
    }

    /// The formats that are set, each with its path: `number_formats` or `unit_number_formats`, and
    /// the kind. What a format may be is known to crate `documents`.
    #[must_use]
    pub fn number_formats(&self) -> Vec<([&str; 2], &str)> {
        let groups = ["number_formats", "unit_number_formats"];
        let entries = groups.into_iter().filter_map(|group| Some((group, self.object(group)?)));
        entries
            .flat_map(|(group, formats)| {
                formats.iter().filter_map(move |(kind, format)| {
                    Some(([group, kind.as_str()], format.as_str()?))
                })
            })
            .collect()
    }

    /// The first number of a fresh series of `kind`; at least 1.
    #[must_use]
    pub fn number_sequence_start(&self, kind: &str) -> i64 {
        self.whole(&["number_sequence_starts", kind]).unwrap_or(1)
    }

    /// The first number of a business unit's fresh series of `kind`; at least 1. The unit is named
    /// by its id or by its numbering index.
    #[must_use]
    pub fn unit_number_sequence_start(
        &self,
        kind: &str,
        unit_id: &str,
        numbering_index: i64,
    ) -> i64 {
        let start = |unit: &str| self.whole(&["unit_number_sequence_starts", kind, unit]);
        start(unit_id).or_else(|| start(&numbering_index.to_string())).unwrap_or(1)
    }

    /// Days from an invoice's date to the day it is due.
    #[must_use]
    pub fn default_invoice_due_days(&self) -> u32 {
        self.days("default_invoice_due_days")
    }

    /// Days from an estimate's date to the last on which it is valid.
    #[must_use]
    pub fn default_estimate_valid_days(&self) -> u32 {
        self.days("default_estimate_valid_days")
    }

    /// The text called `key` for documents in `locale`: a translation when there is one (of the
    /// locale, or else of its language), or else the plain text.
    ///
    /// A dot leads into an object: `email_defaults.invoice_subject`.
    #[must_use]
    pub fn default_text(&self, key: &str, locale: &str) -> Option<String> {
        let path: Vec<&str> = key.split('.').collect();
        let translations: Vec<&str> =
            std::iter::once("translations").chain(path.iter().copied()).collect();
        let translated = self.at(&translations).and_then(Json::as_object);
        let text = translated.and_then(|texts| translation(texts, locale));
        text.or_else(|| self.text(&path)).map(str::to_owned)
    }

    /// The calculation mode of documents that name none, when one is set.
    #[must_use]
    pub fn calculation_default_mode(&self) -> Option<String> {
        self.text(&["calculation", "default_mode"]).map(str::to_owned)
    }

    /// The tax clause of documents of `transaction_type`, such as `intra_eu_b2b`, in `locale`.
    #[must_use]
    pub fn tax_clause_default(&self, transaction_type: &str, locale: &str) -> Option<String> {
        self.default_text(&format!("tax_clause_defaults.{transaction_type}"), locale)
    }

    /// The bank accounts; each has an `id`, and a `type`, which is `iban` unless another was sent.
    #[must_use]
    pub fn bank_accounts(&self) -> Vec<Json> {
        let stored = self.at(&["bank_accounts"]).and_then(Json::as_array);
        let mut accounts = stored.cloned().unwrap_or_default();
        for account in accounts.iter_mut().filter_map(Json::as_object_mut) {
            if account.get("type").is_none_or(Json::is_null) {
                account.insert("type".to_owned(), "iban".into());
            }
        }
        accounts
    }

    fn days(&self, key: &str) -> u32 {
        let days = self.whole(&[key]).and_then(|days| u32::try_from(days).ok());
        days.unwrap_or(DEFAULT_DAYS)
    }

    fn at(&self, path: &[&str]) -> Option<&Json> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.0.get(*first)?, |value, key| value.get(key))
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str()
    }

    fn whole(&self, path: &[&str]) -> Option<i64> {
        as_whole(self.at(path)?)
    }

    fn object(&self, key: &str) -> Option<&Map<String, Json>> {
        self.at(&[key])?.as_object()
    }
}

/// The text for `locale` among `texts`, or one of the same language.
fn translation<'a>(texts: &'a Map<String, Json>, locale: &str) -> Option<&'a str> {
    let language = |locale: &str| locale.split('-').next().unwrap_or_default().to_owned();
    let wanted = language(locale);
    let related = || texts.iter().find(|(key, text)| language(key) == wanted && text.is_string());
    let exact = texts.get(locale).filter(|text| text.is_string());
    exact.or_else(|| related().map(|(_, text)| text))?.as_str()
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
        assert_eq!(empty.number_format("invoice"), "{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format("estimate"), "{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format("credit_note"), "CN-{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format("advance_invoice"), "ADV-{yyyy}-{nnnnn}");
        assert_eq!(empty.number_format("delivery_note"), "DN-{yyyy}-{nnnnn}");
        assert_eq!(empty.unit_number_format("invoice"), "{yyyy}-{u}-{nnnnn}");
        assert_eq!(empty.number_sequence_start("invoice"), 1);
        assert_eq!(empty.unit_number_sequence_start("invoice", "unit_x", 3), 1);
        assert_eq!(empty.default_invoice_due_days(), 30);
        assert_eq!(empty.default_estimate_valid_days(), 30);
        assert_eq!(empty.calculation_default_mode(), None);
        assert!(empty.bank_accounts().is_empty() && empty.as_map().is_empty());
    }

    #[test]
    fn what_is_set_wins_over_the_default() {
        let set = settings(json!({
            "number_formats": {"invoice": "R-{nnn}", "estimate": null},
            "number_sequence_starts": {"invoice": 42},
            "unit_number_sequence_starts": {"invoice": {"unit_a": 7, "3": 9}},
            "default_invoice_due_days": 0,
            "calculation": {"default_mode": "b2c_gross_discount"},
            "bank_accounts": [{"iban": "SI56"}, {"type": "other", "account_number": "1"}],
        }));
        assert_eq!(set.number_format("invoice"), "R-{nnn}");
        assert_eq!(set.number_format("estimate"), "{yyyy}-{nnnnn}");
        assert_eq!(set.number_formats(), [(["number_formats", "invoice"], "R-{nnn}")]);
        assert_eq!(set.number_sequence_start("invoice"), 42);
        assert_eq!(set.unit_number_sequence_start("invoice", "unit_a", 3), 7);
        assert_eq!(set.unit_number_sequence_start("invoice", "unit_b", 3), 9);
        assert_eq!(set.default_invoice_due_days(), 0);
        assert_eq!(set.calculation_default_mode().as_deref(), Some("b2c_gross_discount"));
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
            ("default_invoice_note", "de-DE", Some("Notiz")),
            ("default_invoice_note", "de", Some("Notiz")),
            ("default_invoice_note", "de-AT", Some("Notiz")),
            ("default_invoice_note", "it-IT", Some("plain")),
            ("default_invoice_note", "sl-SI", Some("plain")),
            ("document_footer", "sl-SI", Some("footer")),
            ("receipt_note", "sl-SI", None),
        ] {
            assert_eq!(set.default_text(key, locale).as_deref(), text, "{key} {locale}");
        }
        assert_eq!(set.tax_clause_default("export", "sl-SI").as_deref(), Some("izvoz"));
        assert_eq!(set.tax_clause_default("export", "de-DE").as_deref(), Some("plain clause"));
        assert_eq!(set.tax_clause_default("domestic", "de-DE"), None);
    }
}
