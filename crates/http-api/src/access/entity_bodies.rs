//! Bodies of entities.

use std::collections::BTreeMap;

use racun_access::{CountryRules, Entity, EntityPatch, NewEntity, passed_over};
use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use validator::Validate;

use super::EnvironmentBody;
use crate::body::Convert;
use crate::schema::{nullable_number, settings};
use crate::warning::WarningBody;

/// Body of `POST /entities`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = NewEntity)]
pub(super) struct NewEntityBody {
    /// Its registered name.
    name: String,
    /// Street and house number.
    #[schema(max_length = 500)]
    address: Option<String>,
    /// More of the address.
    #[schema(max_length = 500)]
    address_2: Option<String>,
    /// Postal code.
    #[schema(max_length = 20)]
    post_code: Option<String>,
    /// City.
    #[schema(max_length = 100)]
    city: Option<String>,
    /// State, province or district.
    #[schema(max_length = 100)]
    state: Option<String>,
    /// Name or code of the country; never changes.
    #[schema(max_length = 100)]
    country: String,
    /// ISO 3166-1 code; found by the country's name when absent; never changes.
    #[schema(max_length = 2)]
    country_code: Option<String>,
    /// ISO 4217 code; the country's when absent.
    #[schema(max_length = 3)]
    currency_code: Option<String>,
    /// Locale; the country's when absent.
    #[schema(max_length = 20)]
    locale: Option<String>,
    /// IANA time zone; the country's when absent.
    #[schema(max_length = 100)]
    timezone: Option<String>,
    /// Tax number.
    #[schema(max_length = 50)]
    tax_number: Option<String>,
    /// Second tax number.
    #[schema(max_length = 50)]
    tax_number_2: Option<String>,
    /// Registration number.
    #[schema(max_length = 50)]
    company_number: Option<String>,
    /// Phone number.
    #[schema(max_length = 50)]
    phone: Option<String>,
    /// E-mail address.
    #[schema(max_length = 255)]
    email: Option<String>,
    /// Web address.
    #[schema(max_length = 500)]
    website: Option<String>,
    /// Region with tax rules of its own.
    #[schema(max_length = 10)]
    fiscal_region_code: Option<String>,
    /// Starting capital, in the currency.
    #[schema(schema_with = nullable_number)]
    starting_capital: Option<Decimal>,
    /// Whether its documents are real; never changes. A key's own when absent; needed from a
    /// session.
    environment: Option<EnvironmentBody>,
    /// Whether it charges value added tax; true when absent.
    is_tax_subject: Option<bool>,
    /// Whether it can be written to; true when absent.
    is_enabled: Option<bool>,
    /// Merged key by key: a key that is not sent stays.
    #[schema(schema_with = settings)]
    settings: Option<Map<String, Value>>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    metadata: Option<BTreeMap<String, String>>,
}

impl NewEntityBody {
    /// What making an entity asks for.
    ///
    /// # Errors
    /// What is wrong with the metadata; the rest is checked with the entity.
    pub(super) fn parse(self) -> Result<NewEntity, Issues> {
        let mut issues = Issues::default();
        let metadata = self.metadata.map(Metadata::checked).transpose();
        let metadata = issues.collect("metadata", metadata).flatten();
        issues.into_result(NewEntity {
            name: self.name,
            address: self.address,
            address_2: self.address_2,
            post_code: self.post_code,
            city: self.city,
            state: self.state,
            country: self.country,
            country_code: self.country_code,
            currency_code: self.currency_code,
            locale: self.locale,
            timezone: self.timezone,
            tax_number: self.tax_number,
            tax_number_2: self.tax_number_2,
            company_number: self.company_number,
            phone: self.phone,
            email: self.email,
            website: self.website,
            fiscal_region_code: self.fiscal_region_code,
            starting_capital: self.starting_capital,
            environment: self.environment.convert(),
            is_tax_subject: self.is_tax_subject,
            is_enabled: self.is_enabled,
            settings: self.settings,
            metadata,
        })
    }
}

/// Body of `PATCH /entities/{id}`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = UpdateEntity)]
pub(super) struct UpdateEntityBody {
    /// Its registered name.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    name: Patch<String>,
    /// Street and house number.
    #[schema(value_type = Option<String>, max_length = 500)]
    #[serde(default)]
    address: Patch<String>,
    /// More of the address.
    #[schema(value_type = Option<String>, max_length = 500)]
    #[serde(default)]
    address_2: Patch<String>,
    /// Postal code.
    #[schema(value_type = Option<String>, max_length = 20)]
    #[serde(default)]
    post_code: Patch<String>,
    /// City.
    #[schema(value_type = Option<String>, max_length = 100)]
    #[serde(default)]
    city: Patch<String>,
    /// State, province or district.
    #[schema(value_type = Option<String>, max_length = 100)]
    #[serde(default)]
    state: Patch<String>,
    /// Name or code of the country; never changes.
    #[schema(value_type = Option<String>, max_length = 100)]
    #[serde(default)]
    country: Patch<String>,
    /// ISO 3166-1 code; found by the country's name when absent; never changes.
    #[schema(value_type = Option<String>, max_length = 2)]
    #[serde(default)]
    country_code: Patch<String>,
    /// ISO 4217 code; the country's when absent.
    #[schema(value_type = Option<String>, max_length = 3)]
    #[serde(default)]
    currency_code: Patch<String>,
    /// Locale; the country's when absent.
    #[schema(value_type = Option<String>, max_length = 20)]
    #[serde(default)]
    locale: Patch<String>,
    /// IANA time zone; the country's when absent.
    #[schema(value_type = Option<String>, max_length = 100)]
    #[serde(default)]
    timezone: Patch<String>,
    /// Tax number.
    #[schema(value_type = Option<String>, max_length = 50)]
    #[serde(default)]
    tax_number: Patch<String>,
    /// Second tax number.
    #[schema(value_type = Option<String>, max_length = 50)]
    #[serde(default)]
    tax_number_2: Patch<String>,
    /// Registration number.
    #[schema(value_type = Option<String>, max_length = 50)]
    #[serde(default)]
    company_number: Patch<String>,
    /// Phone number.
    #[schema(value_type = Option<String>, max_length = 50)]
    #[serde(default)]
    phone: Patch<String>,
    /// E-mail address.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    email: Patch<String>,
    /// Web address.
    #[schema(value_type = Option<String>, max_length = 500)]
    #[serde(default)]
    website: Patch<String>,
    /// Region with tax rules of its own.
    #[schema(value_type = Option<String>, max_length = 10)]
    #[serde(default)]
    fiscal_region_code: Patch<String>,
    /// Starting capital, in the currency.
    #[schema(schema_with = nullable_number)]
    #[serde(default)]
    starting_capital: Patch<Decimal>,
    /// Whether its documents are real; never changes.
    #[schema(value_type = Option<EnvironmentBody>)]
    #[serde(default)]
    environment: Patch<EnvironmentBody>,
    /// Whether it charges value added tax; true when absent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_tax_subject: Patch<bool>,
    /// Whether it can be written to; true when absent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_enabled: Patch<bool>,
    /// Merged key by key: a key that is not sent stays.
    #[schema(schema_with = settings)]
    #[serde(default)]
    settings: Patch<Map<String, Value>>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    #[serde(default)]
    metadata: Patch<BTreeMap<String, String>>,
}

impl UpdateEntityBody {
    /// What changing an entity asks for.
    ///
    /// # Errors
    /// What is wrong with the metadata; the rest is checked with the entity.
    pub(super) fn parse(self) -> Result<EntityPatch, Issues> {
        let mut issues = Issues::default();
        let metadata = issues.collect("metadata", self.metadata.try_map(Metadata::checked));
        let metadata = metadata.unwrap_or_default();
        issues.into_result(EntityPatch {
            name: self.name,
            address: self.address,
            address_2: self.address_2,
            post_code: self.post_code,
            city: self.city,
            state: self.state,
            country: self.country,
            country_code: self.country_code,
            currency_code: self.currency_code,
            locale: self.locale,
            timezone: self.timezone,
            tax_number: self.tax_number,
            tax_number_2: self.tax_number_2,
            company_number: self.company_number,
            phone: self.phone,
            email: self.email,
            website: self.website,
            fiscal_region_code: self.fiscal_region_code,
            starting_capital: self.starting_capital,
            environment: self.environment.convert(),
            is_tax_subject: self.is_tax_subject,
            is_enabled: self.is_enabled,
            spending_limit_cents: Patch::Absent,
            settings: self.settings,
            metadata,
        })
    }
}

/// Body of `PATCH /entities/{id}/spending-limit`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = SetSpendingLimit)]
pub(super) struct SpendingLimitBody {
    /// Hundredths of the entity's currency in a month; null for no limit.
    #[schema(value_type = Option<i64>, required = true, minimum = 0)]
    #[serde(default)]
    spending_limit_cents: Patch<i64>,
}

impl SpendingLimitBody {
    /// What setting the limit asks for.
    ///
    /// # Errors
    /// When nothing is said.
    pub(super) fn parse(self) -> Result<EntityPatch, Issue> {
        if self.spending_limit_cents.is_absent() {
            let message = "send the limit in hundredths of the currency, or null for none";
            return Err(Issue::new("required", message).at("spending_limit_cents"));
        }
        let spending_limit_cents = self.spending_limit_cents;
        Ok(EntityPatch { spending_limit_cents, ..EntityPatch::default() })
    }
}

/// Which rules and formats documents of an entity follow, by its country.
#[derive(Serialize, ToSchema)]
#[schema(as = CountryRules)]
pub(super) struct CountryRulesBody {
    /// What the country has: `furs`, `fina`, `upn_qr`, …
    features: Vec<&'static str>,
    /// Taxes that one line may bear.
    max_taxes_per_item: u8,
}

/// A legal entity that issues documents.
#[derive(Serialize, ToSchema)]
#[schema(as = Entity)]
pub(super) struct EntityBody {
    /// Its id.
    id: String,
    /// The account that owns it.
    account_id: String,
    /// Whether its documents are real.
    environment: EnvironmentBody,
    /// Its registered name.
    name: String,
    /// Street and house number.
    #[schema(required = true)]
    address: Option<String>,
    /// More of the address.
    #[schema(required = true)]
    address_2: Option<String>,
    /// Postal code.
    #[schema(required = true)]
    post_code: Option<String>,
    /// City.
    #[schema(required = true)]
    city: Option<String>,
    /// State, province or district.
    #[schema(required = true)]
    state: Option<String>,
    /// The country as its creator wrote it.
    country: String,
    /// The country's ISO 3166-1 code, in capitals.
    #[schema(required = true)]
    country_code: Option<String>,
    /// The currency of documents that name none.
    currency_code: String,
    /// The locale of documents that name none.
    locale: String,
    /// Where its days begin and end.
    timezone: String,
    /// Tax number.
    #[schema(required = true)]
    tax_number: Option<String>,
    /// Second tax number.
    #[schema(required = true)]
    tax_number_2: Option<String>,
    /// Registration number.
    #[schema(required = true)]
    company_number: Option<String>,
    /// Phone number.
    #[schema(required = true)]
    phone: Option<String>,
    /// E-mail address.
    #[schema(required = true)]
    email: Option<String>,
    /// Web address.
    #[schema(required = true)]
    website: Option<String>,
    /// Region with tax rules of its own.
    #[schema(required = true)]
    fiscal_region_code: Option<String>,
    /// Starting capital, in the currency.
    #[schema(required = true, schema_with = nullable_number)]
    starting_capital: Option<Decimal>,
    /// Whether it charges value added tax.
    is_tax_subject: bool,
    /// Whether it can be written to.
    is_enabled: bool,
    /// What it wants to spend here in a month at most, in hundredths of its currency; null for no
    /// limit.
    #[schema(required = true)]
    spending_limit_cents: Option<i64>,
    /// Its settings, as they were set; defaults act unseen. `furs` and `fina` are those of
    /// fiscalization, to be changed by their own operations.
    #[schema(required = true, schema_with = settings)]
    settings: Map<String, Value>,
    /// Which rules and formats its documents follow.
    country_rules: CountryRulesBody,
    /// What callers attached.
    metadata: BTreeMap<String, String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
    /// What is odd about it: a tax number or an IBAN that cannot be; and about what was sent:
    /// settings that have operations of their own.
    warnings: Vec<WarningBody>,
}

impl EntityBody {
    /// The same with `value` among the settings.
    pub(super) fn with_setting(mut self, key: &str, value: Value) -> Self {
        self.settings.insert(key.to_owned(), value);
        self
    }

    /// The same as the answer to the settings `sent`: with warnings of those that have operations
    /// of their own.
    pub(super) fn answering(mut self, sent: Option<&Map<String, Value>>) -> Self {
        if let Some(sent) = sent {
            let passed_over = passed_over(sent, &self.settings).at("settings");
            let further: Vec<WarningBody> = passed_over.convert();
            self.warnings.extend(further);
        }
        self
    }
}

impl Convert<EntityBody> for Entity {
    fn convert(self) -> EntityBody {
        let CountryRules { features, max_taxes_per_item } = self.country_rules();
        let warnings = self.warnings().convert();
        EntityBody {
            id: self.id.convert(),
            account_id: self.account_id.convert(),
            environment: self.environment.convert(),
            name: self.name,
            address: self.address,
            address_2: self.address_2,
            post_code: self.post_code,
            city: self.city,
            state: self.state,
            country: self.country,
            country_code: self.country_code,
            currency_code: self.currency.to_string(),
            locale: self.locale,
            timezone: self.timezone,
            tax_number: self.tax_number,
            tax_number_2: self.tax_number_2,
            company_number: self.company_number,
            phone: self.phone,
            email: self.email,
            website: self.website,
            fiscal_region_code: self.fiscal_region_code,
            starting_capital: self.starting_capital,
            is_tax_subject: self.is_tax_subject,
            is_enabled: self.is_enabled,
            spending_limit_cents: self.spending_limit_cents,
            settings: self.settings.as_map().clone(),
            country_rules: CountryRulesBody { features, max_taxes_per_item },
            metadata: self.metadata.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
            warnings,
        }
    }
}
