//! What making and changing an entity asks for, and what is accepted; of issuers in Portugal in
//! `portugal`.

mod portugal;

use racun_kernel::calendar::is_time_zone;
use racun_kernel::{Currency, Decimal, Environment, Issue, Issues, Metadata, Patch, Stamp, text};
use serde_json::{Map, Value as Json};

use crate::country::Country;
use crate::email::{check_email, check_name};
use crate::{AccountScope, Entity, Settings};

const MAX_ADDRESS_CHARS: usize = 500;
const MAX_POST_CODE_CHARS: usize = 20;
const MAX_CITY_CHARS: usize = 100;
const MAX_COUNTRY_CHARS: usize = 100;
const MAX_LOCALE_CHARS: usize = 20;
const MAX_TIMEZONE_CHARS: usize = 100;
const MAX_NUMBER_CHARS: usize = 50;
const MAX_EMAIL_CHARS: usize = 255;
const MAX_WEBSITE_CHARS: usize = 500;
const MAX_REGION_CHARS: usize = 10;

/// What making an entity asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewEntity {
    /// Registered name; needed.
    pub name: String,
    /// Street and house number.
    pub address: Option<String>,
    /// More of the address.
    pub address_2: Option<String>,
    /// Postal code.
    pub post_code: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State, province or district.
    pub state: Option<String>,
    /// Name or code of the country; needed.
    pub country: String,
    /// ISO 3166-1 code; found by the country's name when absent.
    pub country_code: Option<String>,
    /// ISO 4217 code; the country's when absent.
    pub currency_code: Option<String>,
    /// Locale; the country's when absent.
    pub locale: Option<String>,
    /// IANA time zone; the country's when absent.
    pub timezone: Option<String>,
    /// Tax number.
    pub tax_number: Option<String>,
    /// Second tax number.
    pub tax_number_2: Option<String>,
    /// Registration number.
    pub company_number: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Web address.
    pub website: Option<String>,
    /// Region with tax rules of its own.
    pub fiscal_region_code: Option<String>,
    /// Starting capital.
    pub starting_capital: Option<Decimal>,
    /// A key's own environment, which is the only one it may name; needed from users.
    pub environment: Option<Environment>,
    /// True when absent.
    pub is_tax_subject: Option<bool>,
    /// True when absent.
    pub is_enabled: Option<bool>,
    /// As in an update.
    pub settings: Option<Map<String, Json>>,
    /// What callers attach.
    pub metadata: Option<Metadata>,
}

/// What changing an entity asks for. Null clears what may be missing, and gives the country's
/// default, or true, to what may not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityPatch {
    /// Registered name.
    pub name: Patch<String>,
    /// Street and house number.
    pub address: Patch<String>,
    /// More of the address.
    pub address_2: Patch<String>,
    /// Postal code.
    pub post_code: Patch<String>,
    /// City.
    pub city: Patch<String>,
    /// State, province or district.
    pub state: Patch<String>,
    /// Refused, but for the value that it has.
    pub country: Patch<String>,
    /// Refused, but for the value that it has.
    pub country_code: Patch<String>,
    /// ISO 4217 code.
    pub currency_code: Patch<String>,
    /// Locale.
    pub locale: Patch<String>,
    /// IANA time zone.
    pub timezone: Patch<String>,
    /// Tax number.
    pub tax_number: Patch<String>,
    /// Second tax number.
    pub tax_number_2: Patch<String>,
    /// Registration number.
    pub company_number: Patch<String>,
    /// Phone number.
    pub phone: Patch<String>,
    /// E-mail address.
    pub email: Patch<String>,
    /// Web address.
    pub website: Patch<String>,
    /// Region with tax rules of its own.
    pub fiscal_region_code: Patch<String>,
    /// Starting capital.
    pub starting_capital: Patch<Decimal>,
    /// Refused, but for the value that it has.
    pub environment: Patch<Environment>,
    /// Whether it charges value added tax.
    pub is_tax_subject: Patch<bool>,
    /// Whether it can be written to.
    pub is_enabled: Patch<bool>,
    /// What it wants to spend here in a month at most, in hundredths of its currency.
    pub spending_limit_cents: Patch<i64>,
    /// Merged by [`Settings::merged`]; null changes nothing.
    pub settings: Patch<Map<String, Json>>,
    /// What callers attach; replaced whole.
    pub metadata: Patch<Metadata>,
}

impl NewEntity {
    /// The entity, checked in whole.
    ///
    /// # Errors
    /// All that is wrong with the input.
    pub(crate) fn into_entity(self, scope: &AccountScope, stamp: &Stamp) -> Result<Entity, Issues> {
        let mut issues = Issues::default();
        let country = issues.collect("country", check_country(&self.country));
        let found = country.and_then(|()| self.find_country(&mut issues));
        let environment = self.environment.or(scope.environment).unwrap_or_else(|| {
            let message =
                "say which: sandbox for trial documents, live for real ones; it never changes";
            issues.push(Issue::new("required", message).at("environment"));
            Environment::Sandbox
        });
        if !scope.reaches(environment) {
            let message = "a key makes entities of its own environment only";
            issues.push(Issue::new("environment_mismatch", message).at("environment"));
        }
        let code = self.currency_code.as_deref();
        let currency = code.and_then(|code| issues.collect("currency_code", read_currency(code)));
        let sent = self.settings.unwrap_or_default();
        let settings = issues.collect("settings", Settings::default().merged(sent, stamp));
        let default = |of: fn(Country) -> &'static str| found.map_or("", of).to_owned();
        let entity = Entity {
            id: stamp.id(),
            account_id: scope.account,
            environment,
            name: self.name,
            address: self.address,
            address_2: self.address_2,
            post_code: self.post_code,
            city: self.city,
            state: self.state,
            country: self.country,
            country_code: found.map(|country| country.code.to_owned()),
            currency: currency.unwrap_or_else(|| default_currency(found)),
            locale: self.locale.unwrap_or_else(|| default(|country| country.locale)),
            timezone: self.timezone.unwrap_or_else(|| default(|country| country.timezone)),
            tax_number: self.tax_number,
            tax_number_2: self.tax_number_2,
            company_number: self.company_number,
            phone: self.phone,
            email: self.email,
            website: self.website,
            fiscal_region_code: self.fiscal_region_code,
            starting_capital: self.starting_capital,
            is_tax_subject: self.is_tax_subject.unwrap_or(true),
            is_enabled: self.is_enabled.unwrap_or(true),
            is_subscribed: false,
            spending_limit_cents: None,
            email_sender: None,
            settings: settings.unwrap_or_default(),
            metadata: self.metadata.unwrap_or_default(),
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        check(&entity, &mut issues);
        issues.into_result(entity)
    }

    /// The country by its code, or else by its name.
    fn find_country(&self, issues: &mut Issues) -> Option<Country> {
        let (path, found, message) = match self.country_code.as_deref() {
            Some(code) => {
                let message = "expected a country's ISO 3166-1 code, such as SI";
                ("country_code", Country::with_code(code), message)
            }
            None => {
                let message = "not a country that is known by this name; send country_code too";
                ("country", Country::named(&self.country), message)
            }
        };
        if found.is_none() {
            issues.push(Issue::new("unknown_country", message).at(path));
        }
        found
    }
}

impl EntityPatch {
    /// `entity` with the changes, checked in whole.
    ///
    /// # Errors
    /// All that is wrong with the result, and fields that never change.
    pub(crate) fn apply(self, mut entity: Entity, stamp: &Stamp) -> Result<Entity, Issues> {
        let mut issues = self.unchangeable(&entity);
        if self.name == Patch::Null {
            issues.push(Issue::new("required", "an entity has a name").at("name"));
        }
        let home = entity.country_code.as_deref().and_then(Country::with_code);
        let currency = self.currency_code.try_map(|code| read_currency(&code));
        let currency = issues.collect("currency_code", currency).unwrap_or_default();
        currency.apply_or(&mut entity.currency, default_currency(home));
        if let Patch::Value(sent) = self.settings {
            let merged = issues.collect("settings", entity.settings.merged(sent, stamp));
            entity.settings = merged.unwrap_or_default();
        }
        let default = |of: fn(Country) -> &'static str| home.map_or("", of).to_owned();
        self.locale.apply_or(&mut entity.locale, default(|country| country.locale));
        self.timezone.apply_or(&mut entity.timezone, default(|country| country.timezone));
        let name = entity.name.clone();
        self.name.apply_or(&mut entity.name, name);
        self.address.apply(&mut entity.address);
        self.address_2.apply(&mut entity.address_2);
        self.post_code.apply(&mut entity.post_code);
        self.city.apply(&mut entity.city);
        self.state.apply(&mut entity.state);
        self.tax_number.apply(&mut entity.tax_number);
        self.tax_number_2.apply(&mut entity.tax_number_2);
        self.company_number.apply(&mut entity.company_number);
        self.phone.apply(&mut entity.phone);
        self.email.apply(&mut entity.email);
        self.website.apply(&mut entity.website);
        self.fiscal_region_code.apply(&mut entity.fiscal_region_code);
        self.starting_capital.apply(&mut entity.starting_capital);
        self.is_tax_subject.apply_or(&mut entity.is_tax_subject, true);
        self.is_enabled.apply_or(&mut entity.is_enabled, true);
        self.spending_limit_cents.apply(&mut entity.spending_limit_cents);
        self.metadata.apply_or(&mut entity.metadata, Metadata::default());
        check(&entity, &mut issues);
        issues.into_result(entity)
    }

    /// What is sent of the fields that never change, and is not what they are.
    fn unchangeable(&self, entity: &Entity) -> Issues {
        let code = |code: &String| Some(code.to_ascii_uppercase()) == entity.country_code;
        let same = [
            ("country", is_same(&self.country, |country| *country == entity.country)),
            ("country_code", is_same(&self.country_code, code)),
            ("environment", is_same(&self.environment, |sent| *sent == entity.environment)),
        ];
        let mut issues = Issues::default();
        for (path, _) in same.into_iter().filter(|(_, is_same)| !is_same) {
            let message = "this never changes; make another entity instead";
            issues.push(Issue::new("not_updatable", message).at(path));
        }
        issues
    }
}

fn is_same<T>(sent: &Patch<T>, is_stored: impl Fn(&T) -> bool) -> bool {
    match sent {
        Patch::Absent => true,
        Patch::Null => false,
        Patch::Value(value) => is_stored(value),
    }
}

fn check_country(country: &str) -> Result<(), Issues> {
    if country.trim().is_empty() {
        return Err(Issue::new("required", "expected a country's name, such as Slovenia").into());
    }
    text::check(country, MAX_COUNTRY_CHARS).map_err(Issues::from)
}

fn read_currency(code: &str) -> Result<Currency, Issues> {
    code.to_ascii_uppercase().parse().map_err(|error: racun_kernel::UnknownCurrency| {
        Issue::new("unknown_currency", error.to_string()).into()
    })
}

fn default_currency(country: Option<Country>) -> Currency {
    country.map_or(Currency::EUR, Country::currency)
}

/// Adds what is wrong with the fields of `entity`.
fn check(entity: &Entity, issues: &mut Issues) {
    issues.collect("name", check_name(&entity.name));
    let texts = [
        ("address", &entity.address, MAX_ADDRESS_CHARS),
        ("address_2", &entity.address_2, MAX_ADDRESS_CHARS),
        ("post_code", &entity.post_code, MAX_POST_CODE_CHARS),
        ("city", &entity.city, MAX_CITY_CHARS),
        ("state", &entity.state, MAX_CITY_CHARS),
        ("tax_number", &entity.tax_number, MAX_NUMBER_CHARS),
        ("tax_number_2", &entity.tax_number_2, MAX_NUMBER_CHARS),
        ("company_number", &entity.company_number, MAX_NUMBER_CHARS),
        ("phone", &entity.phone, MAX_NUMBER_CHARS),
        ("email", &entity.email, MAX_EMAIL_CHARS),
        ("website", &entity.website, MAX_WEBSITE_CHARS),
        ("fiscal_region_code", &entity.fiscal_region_code, MAX_REGION_CHARS),
    ];
    for (path, text, max) in texts {
        let text = text.as_deref().unwrap_or_default();
        issues.collect(path, text::check(text, max).map_err(Issues::from));
    }
    if let Some(email) = entity.email.as_deref().filter(|email| !email.is_empty()) {
        issues.collect("email", check_email(email).map_err(Issues::from));
    }
    // Without a country there is no default, and what is wrong is said there.
    if !entity.locale.is_empty() || entity.country_code.is_some() {
        issues.collect("locale", check_locale(&entity.locale));
    }
    if !entity.timezone.is_empty() || entity.country_code.is_some() {
        issues.collect("timezone", check_timezone(&entity.timezone));
    }
    if entity.spending_limit_cents.is_some_and(|limit| limit < 0) {
        let message = "a limit is not below zero; send null for none";
        issues.push(Issue::new("out_of_range", message).at("spending_limit_cents"));
    }
    if entity.starting_capital.as_ref().is_some_and(Decimal::is_negative) {
        let message = "a starting capital is not below zero";
        issues.push(Issue::new("out_of_range", message).at("starting_capital"));
    }
    if entity.country_code.as_deref() == Some("PT") {
        for issue in portugal::check(entity).iter() {
            issues.push(issue.clone());
        }
    }
}

/// Accepts a language tag: letters, then parts of letters and digits behind hyphens.
fn check_locale(locale: &str) -> Result<(), Issues> {
    let mut parts = locale.split('-');
    let language = parts.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&language.len())
        && language.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        });
    if is_tag && locale.len() <= MAX_LOCALE_CHARS {
        return Ok(());
    }
    Err(Issue::new("invalid_value", "expected a locale such as sl-SI").into())
}

fn check_timezone(zone: &str) -> Result<(), Issues> {
    if zone.len() <= MAX_TIMEZONE_CHARS && is_time_zone(zone) {
        return Ok(());
    }
    Err(Issue::new("unknown_timezone", "expected an IANA time zone, such as Europe/Ljubljana")
        .into())
}

#[cfg(test)]
mod tests;
