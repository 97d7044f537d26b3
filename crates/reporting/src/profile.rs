//! What an entity in Slovenia says of its taxes and its bookkeeping: `settings.slovenia`.

use racun_access::{Entity, change_own_setting};
use racun_insights::{Accounts, Basis, LedgerFormat};
use racun_kernel::spelling::suggestion;
use racun_kernel::{Decimal, Issue, Issues};
use racun_store::Context;
use serde_json::{Map, Value as Json, json};

use crate::ReportError;

/// The key of the settings.
const KEY: &str = "slovenia";

/// The properties that are read here, by their names, which are written nowhere else. Others, such
/// as the preferred format, are kept for those who call: each format has a path of its own.
mod property {
    pub(super) const BUSINESS_FORM: &str = "business_form";
    pub(super) const REGIME: &str = "income_tax_regime";
    pub(super) const RESIDENCY: &str = "tax_residency";
    pub(super) const YEARLY: &str = "yearly_reporting";
    pub(super) const ACTIVITIES: &str = "activity_codes";
    pub(super) const REGISTRATION: &str = "registration_number";
    pub(super) const BASIS: &str = "normiranec_insurance_basis";
    pub(super) const WITHHELD: &str = "default_withholding_tax_amount";
    pub(super) const PAID_ABROAD: &str = "default_foreign_tax_credit_amount";
    pub(super) const EXPORTS: &str = "accounting_exports";
    pub(super) const ACCOUNTS: &str = "konto_mappings";
}

const SOLE_TRADER: &str = "sp";
const FLAT_RATE: &str = "normirani";
const RESIDENT: &str = "resident";

const FORMS: [&str; 4] = [SOLE_TRADER, "doo", "dno", "club"];
const REGIMES: [&str; 2] = [FLAT_RATE, "dejanski"];
const VAT_PROFILES: [&str; 3] = ["standard", "special_vat_identified", "non_vat_subject"];
const RESIDENCIES: [&str; 2] = [RESIDENT, "non_resident"];
const ACCOUNTING: [&str; 3] = ["records", "single_entry", "double_entry"];
const BASES: [&str; 2] = [Basis::FullTime.name(), Basis::Other.name()];
const FORMATS: [&str; 3] =
    [LedgerFormat::Vod.name(), LedgerFormat::Vasco.name(), LedgerFormat::Minimax.name()];

/// Activities of a profile.
const MOST_ACTIVITIES: usize = 20;
/// Characters of a registration number.
const MOST_CHARS: usize = 50;

/// Refuses entities that are not in Slovenia.
pub(crate) fn must_be_slovenian(entity: &Entity) -> Result<(), ReportError> {
    match entity.country_code.as_deref() {
        Some("SI") => Ok(()),
        _ => Err(ReportError::OtherCountry("Slovenia")),
    }
}

/// A profile as it is stored: an object of known properties, or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile(Map<String, Json>);

impl Profile {
    /// The profile of `entity`.
    #[must_use]
    pub fn of(entity: &Entity) -> Self {
        let stored = entity.settings.as_map().get(KEY).and_then(Json::as_object);
        Self(stored.cloned().unwrap_or_default())
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        let (last, groups) = path.split_last()?;
        let group = groups.iter().try_fold(&self.0, |map, key| map.get(*key)?.as_object());
        group?.get(*last)?.as_str()
    }

    /// The accounts that it names, the usual ones for the others.
    #[must_use]
    pub fn accounts(&self) -> Accounts {
        let exports = self.0.get(property::EXPORTS).and_then(Json::as_object);
        let named = exports.and_then(|exports| exports.get(property::ACCOUNTS)?.as_object());
        let named = named.into_iter().flatten();
        let named = named.filter_map(|(key, account)| Some((key.as_str(), account.as_str()?)));
        Accounts::named(named).unwrap_or_default()
    }

    /// How the sole trader is insured, when it says so.
    #[must_use]
    pub fn basis(&self) -> Option<Basis> {
        Basis::from_name(self.text(&[property::YEARLY, property::BASIS])?)
    }

    /// Its activities.
    #[must_use]
    pub fn activity_codes(&self) -> Vec<String> {
        let yearly = self.0.get(property::YEARLY).and_then(Json::as_object);
        let codes = yearly.and_then(|yearly| yearly.get(property::ACTIVITIES)?.as_array());
        let codes = codes.into_iter().flatten().filter_map(Json::as_str);
        codes.map(str::to_owned).collect()
    }

    fn amount(&self, name: &str) -> Option<Decimal> {
        let Json::Number(amount) = self.0.get(property::YEARLY)?.get(name)? else { return None };
        amount.as_str().parse().ok()
    }

    /// What is usually withheld of its income in a year.
    #[must_use]
    pub fn withholding_tax(&self) -> Option<Decimal> {
        self.amount(property::WITHHELD)
    }

    /// What it usually pays abroad in a year.
    #[must_use]
    pub fn foreign_tax_credit(&self) -> Option<Decimal> {
        self.amount(property::PAID_ABROAD)
    }

    /// Its registration number.
    #[must_use]
    pub fn registration_number(&self) -> Option<&str> {
        self.text(&[property::YEARLY, property::REGISTRATION])
    }

    /// Whether the yearly file is for it: a resident sole trader with flat-rate expenses.
    #[must_use]
    pub fn exports_yearly(&self) -> bool {
        self.text(&[property::BUSINESS_FORM]) == Some(SOLE_TRADER)
            && self.text(&[property::REGIME]) == Some(FLAT_RATE)
            && self.text(&[property::RESIDENCY]) == Some(RESIDENT)
    }

    /// The profile of `entity` as it is answered: with the exports that it supports. All of them
    /// are of Slovenia.
    #[must_use]
    pub fn answered(&self, entity: &Entity) -> Json {
        let mut answered = self.0.clone();
        let is_here = must_be_slovenian(entity).is_ok();
        let formats = LedgerFormat::ALL.map(LedgerFormat::name);
        let names = formats.into_iter().chain(["kir", "kpr"]);
        let mut supported: Map<String, Json> =
            names.map(|name| (name.to_owned(), json!(is_here))).collect();
        let is_yearly = is_here && self.exports_yearly();
        supported.insert("yearly_normirani".to_owned(), json!(is_yearly));
        answered.insert("supported_exports".to_owned(), Json::Object(supported));
        Json::Object(answered)
    }

    /// The profile after the partial update `changes`: properties of objects one by one, and null
    /// removes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    fn merged(mut self, changes: &Map<String, Json>) -> Result<Self, Issues> {
        check(changes)?;
        merge(&mut self.0, changes);
        Ok(self)
    }
}

/// Changes the profile of the entity that `cx` acts in.
///
/// # Errors
/// All that is wrong with `changes`; who may not manage the entity; the store's failure.
pub async fn change_profile(
    cx: Context<'_>,
    changes: Map<String, Json>,
) -> Result<Profile, ReportError> {
    check(&changes)?;
    let change = move |stored: Option<&Json>| {
        let stored = stored.and_then(Json::as_object).cloned().unwrap_or_default();
        Ok(Json::Object(Profile(stored).merged(&changes)?.0))
    };
    Ok(Profile::of(&change_own_setting(cx, KEY, change).await?))
}

fn merge(into: &mut Map<String, Json>, changes: &Map<String, Json>) {
    for (key, value) in changes {
        match value {
            Json::Null => {
                into.remove(key);
            }
            Json::Object(changes) => {
                let inner = into.entry(key.clone()).or_insert_with(|| json!({}));
                if let Some(inner) = inner.as_object_mut() {
                    merge(inner, changes);
                }
            }
            other => {
                into.insert(key.clone(), other.clone());
            }
        }
    }
}

/// What a property may be.
enum Form {
    OneOf(&'static [&'static str]),
    Text,
    Amount,
    Activities,
    Accounts,
    Object(&'static [(&'static str, Form)]),
}

static YEARLY: [(&str, Form); 6] = [
    (property::ACTIVITIES, Form::Activities),
    (property::REGISTRATION, Form::Text),
    ("accounting_type", Form::OneOf(&ACCOUNTING)),
    (property::BASIS, Form::OneOf(&BASES)),
    (property::WITHHELD, Form::Amount),
    (property::PAID_ABROAD, Form::Amount),
];

static EXPORTS: [(&str, Form); 2] =
    [("preferred_format", Form::OneOf(&FORMATS)), (property::ACCOUNTS, Form::Accounts)];

static PROPERTIES: [(&str, Form); 6] = [
    (property::BUSINESS_FORM, Form::OneOf(&FORMS)),
    (property::REGIME, Form::OneOf(&REGIMES)),
    ("vat_profile", Form::OneOf(&VAT_PROFILES)),
    (property::RESIDENCY, Form::OneOf(&RESIDENCIES)),
    (property::YEARLY, Form::Object(&YEARLY)),
    (property::EXPORTS, Form::Object(&EXPORTS)),
];

fn check(changes: &Map<String, Json>) -> Result<(), Issues> {
    check_object(&PROPERTIES, changes)
}

fn check_object(
    properties: &[(&'static str, Form)],
    sent: &Map<String, Json>,
) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (key, value) in sent {
        let Some((_, form)) = properties.iter().find(|(name, _)| name == key) else {
            let known: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
            let advice = suggestion(key, &known).map_or_else(
                || format!("there are {}", known.join(", ")),
                |near| format!("did you mean {near:?}?"),
            );
            let message = format!("no such property {key:?}; {advice}");
            issues.push(Issue::new("unknown_field", message).at(key.as_str()));
            continue;
        };
        if !value.is_null() {
            issues.collect(key.as_str(), check_value(form, value));
        }
    }
    issues.into_result(())
}

fn check_value(form: &Form, value: &Json) -> Result<(), Issues> {
    let refused = |code, message: String| Err(Issues::from(Issue::new(code, message)));
    match (form, value) {
        (Form::OneOf(names), Json::String(name)) if names.contains(&name.as_str()) => Ok(()),
        (Form::OneOf(names), _) => {
            refused("invalid_value", format!("expected one of {}", names.join(", ")))
        }
        (Form::Text, Json::String(text)) => {
            Ok(racun_kernel::text::check(text, MOST_CHARS).map_err(Issues::from)?)
        }
        (Form::Text, _) => refused("invalid_type", "expected text".to_owned()),
        (Form::Amount, Json::Number(number)) => {
            let amount = number.as_str().parse::<Decimal>();
            match amount {
                Ok(amount) if !amount.is_negative() && amount.fits_scale(2) => Ok(()),
                _ => refused(
                    "out_of_range",
                    "expected an amount of at least 0 with at most 2 decimals".to_owned(),
                ),
            }
        }
        (Form::Amount, _) => refused("invalid_type", "expected a number".to_owned()),
        (Form::Activities, Json::Array(codes)) if codes.len() <= MOST_ACTIVITIES => {
            let mut issues = Issues::default();
            for (n, code) in codes.iter().enumerate() {
                if !code.as_str().is_some_and(is_activity) {
                    let message = "expected an activity such as 62.010";
                    issues.push(Issue::new("invalid_value", message).at(n));
                }
            }
            issues.into_result(())
        }
        (Form::Activities, Json::Array(_)) => {
            refused("too_many", format!("at most {MOST_ACTIVITIES}"))
        }
        (Form::Activities, _) => refused("invalid_type", "expected an array".to_owned()),
        (Form::Accounts, Json::Object(accounts)) => {
            let named = accounts.iter().filter(|(_, account)| !account.is_null());
            let named = named.map(|(key, account)| (&**key, account.as_str().unwrap_or_default()));
            Accounts::named(named).map(|_| ())
        }
        (Form::Object(properties), Json::Object(sent)) => check_object(properties, sent),
        (Form::Accounts | Form::Object(_), _) => {
            refused("invalid_type", "expected an object".to_owned())
        }
    }
}

/// Whether `text` is a code of the classification of activities: `dd.ddd`.
fn is_activity(text: &str) -> bool {
    let digits =
        |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(class, rest)| digits(class, 2) && digits(rest, 3))
}
