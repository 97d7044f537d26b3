//! Taxes.

use std::collections::BTreeMap;

use racun_kernel::calendar::{midnight, to_millisecond};
use racun_kernel::id::{self, EntityId, TaxId};
use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch, Stamp, vat_rates};
use racun_store::{Actor, Context, StoreError, Writes};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime, UtcOffset};

use crate::check::{Check, MAX_TEXT_CHARS, not_blank, required, text};
use crate::error::CatalogError;
use crate::life_cycle::{Trashable, happened, updated};
use crate::record::record;

/// A rate, and from when on it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxRate {
    /// Percent.
    pub rate: Decimal,
    /// The first instant at which it holds.
    #[serde(with = "time::serde::rfc3339")]
    pub valid_from: OffsetDateTime,
}

/// A tax whose rate may change with time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tax {
    /// Its id.
    pub id: TaxId,
    /// Whose tax.
    pub entity_id: EntityId,
    /// Its name.
    pub name: String,
    /// The caller's own name for it, by which lines may choose it; unique outside the trash.
    pub classification: Option<String>,
    /// Whether it is the entity's default. At most one is.
    pub is_default: bool,
    /// Its rates, newest first; at least one.
    pub tax_rates: Vec<TaxRate>,
    /// Portuguese exemption code (SAF-T PT, `TaxExemptionCode`).
    pub pt_exemption_code: Option<String>,
    /// Portuguese exemption reason (SAF-T PT, `TaxExemptionReason`).
    pub pt_exemption_reason: Option<String>,
    /// What the caller attached.
    pub metadata: Metadata,
    /// Since when it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

record! {
    /// Where taxes are kept.
    TAXES: Tax, id::Tax, "taxes",
    events { tax }
    fields {
        name: text searched,
        classification: text searched,
        is_default: bool,
        pt_exemption_code: text searched,
        pt_exemption_reason: text searched,
        metadata: map,
    }
    unique { live_classification default_slot }
    trash { deleted_at }
}

impl Tax {
    /// Characters that a name may hold.
    pub const MAX_NAME_CHARS: usize = 100;
    /// Characters that a classification may hold.
    pub const MAX_CLASSIFICATION_CHARS: usize = 50;
    /// Rates that one tax may have.
    pub const MAX_RATES: usize = 100;

    /// The rate that holds on `date`: the newest that is valid from its midnight (UTC) or earlier.
    #[must_use]
    pub fn rate_on(&self, date: Date) -> Option<&Decimal> {
        let in_force = |rate: &&TaxRate| rate.valid_from <= midnight(date);
        self.tax_rates.iter().find(in_force).map(|rate| &rate.rate)
    }

    /// What is odd about it in an entity of `country`: rates of VAT that the country has not at the
    /// end of the time in which they hold, or while they do. Other taxes have rates of their own:
    /// the Croatian consumption tax.
    #[must_use]
    pub fn warnings(&self, country: Option<&str>) -> Issues {
        let mut found = Issues::default();
        let is_called = |name: &str| {
            self.classification.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        let Some(country) = country.filter(|_| !is_called("pnp")) else { return found };
        let mut end = self.updated_at.date();
        for (n, rate) in self.tax_rates.iter().enumerate() {
            let begin = rate.valid_from.date();
            if let Some(issue) = vat_rates::warning(country, &rate.rate, end.max(begin)) {
                found.push(issue.at("rate").at(n).at("tax_rates"));
            }
            end = end.min(begin.previous_day().unwrap_or(begin));
        }
        found
    }

    /// A classification in the trash is free for others.
    fn live_classification(&self) -> Option<String> {
        self.classification.clone().filter(|_| self.deleted_at.is_none())
    }

    /// The one place that the entity's default tax holds.
    fn default_slot(&self) -> Option<&'static str> {
        self.is_default.then_some(DEFAULT_SLOT)
    }
}

impl Trashable for Tax {
    /// A tax in the trash is not the default, and does not come back as it.
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>) {
        self.deleted_at = at;
        self.is_default = false;
    }
}

/// A rate as a caller sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxRateInput {
    /// Percent, 0 to 100.
    pub rate: Decimal,
    /// From when on; since 1970-01-01T00:00:00.000Z when missing.
    pub valid_from: Option<OffsetDateTime>,
}

/// What a caller says of a tax. A new one needs `tax_rates`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxInput {
    /// The rate and a percent sign when missing: `9.5%`.
    pub name: Patch<String>,
    /// At least one; no two from the same instant.
    pub tax_rates: Patch<Vec<TaxRateInput>>,
    /// False when missing. True takes it from the tax that is the default now.
    pub is_default: Patch<bool>,
    /// At most [`Tax::MAX_CLASSIFICATION_CHARS`] characters.
    pub classification: Patch<String>,
    /// Portuguese exemption code.
    pub pt_exemption_code: Patch<String>,
    /// Portuguese exemption reason.
    pub pt_exemption_reason: Patch<String>,
    /// What the caller attaches; replaces all that was attached.
    pub metadata: Patch<BTreeMap<String, String>>,
}

impl TaxInput {
    /// The new tax that this describes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_tax(self, entity_id: EntityId, stamp: &Stamp) -> Result<Tax, Issues> {
        let mut tax = Tax {
            id: stamp.id(),
            entity_id,
            name: String::new(),
            classification: None,
            is_default: false,
            tax_rates: Vec::new(),
            pt_exemption_code: None,
            pt_exemption_reason: None,
            metadata: Metadata::default(),
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.replace(&mut tax, stamp.now())?;
        Ok(tax)
    }

    /// Makes `tax` what this says, and gives what it does not say its default. Metadata that it
    /// does not say stays.
    ///
    /// # Errors
    /// All that is wrong, by path; `tax` is then of no use.
    pub fn replace(self, tax: &mut Tax, now: OffsetDateTime) -> Result<(), Issues> {
        let mut check = Check::default();
        let rates = match self.tax_rates {
            Patch::Value(sent) => rates(sent),
            Patch::Absent | Patch::Null => Err(required("at least one rate is needed").into()),
        };
        tax.tax_rates = check.keep("tax_rates", rates).unwrap_or_default();
        tax.name = match self.name {
            Patch::Value(name) => {
                check.keep("name", not_blank(name, Tax::MAX_NAME_CHARS)).unwrap_or_default()
            }
            Patch::Absent | Patch::Null => default_name(tax, now),
        };
        tax.is_default = matches!(self.is_default, Patch::Value(true));
        for (field, sent, kept, max) in [
            (
                "classification",
                self.classification,
                &mut tax.classification,
                Tax::MAX_CLASSIFICATION_CHARS,
            ),
            (
                "pt_exemption_code",
                self.pt_exemption_code,
                &mut tax.pt_exemption_code,
                MAX_TEXT_CHARS,
            ),
            (
                "pt_exemption_reason",
                self.pt_exemption_reason,
                &mut tax.pt_exemption_reason,
                MAX_TEXT_CHARS,
            ),
        ] {
            *kept = None;
            check.optional(field, sent, kept, text(max));
        }
        check.metadata(self.metadata, &mut tax.metadata);
        check.finish()
    }

    /// Takes over into `tax` the two properties that an update may change.
    ///
    /// # Errors
    /// All that is wrong, by path, `not_updatable` for every other property that is sent; `tax` is
    /// then of no use.
    pub fn apply(self, tax: &mut Tax) -> Result<(), Issues> {
        let mut check = Check::default();
        for (field, is_absent) in [
            ("name", self.name.is_absent()),
            ("classification", self.classification.is_absent()),
            ("pt_exemption_code", self.pt_exemption_code.is_absent()),
            ("pt_exemption_reason", self.pt_exemption_reason.is_absent()),
            ("metadata", self.metadata.is_absent()),
        ] {
            if !is_absent {
                let message = "only tax_rates and is_default can be updated; replace the tax (PUT) \
                               to change it";
                check.refuse(Issue::new("not_updatable", message).at(field));
            }
        }
        let rates = match self.tax_rates {
            Patch::Absent => Ok(tax.tax_rates.clone()),
            Patch::Null => Err(required("at least one rate is needed").into()),
            Patch::Value(sent) => rates(sent),
        };
        tax.tax_rates = check.keep("tax_rates", rates).unwrap_or_default();
        self.is_default.apply_or(&mut tax.is_default, false);
        check.finish()
    }
}

/// The rates that were sent, newest first.
fn rates(sent: Vec<TaxRateInput>) -> Result<Vec<TaxRate>, Issues> {
    if sent.is_empty() {
        return Err(required("at least one rate is needed").into());
    }
    if sent.len() > Tax::MAX_RATES {
        return Err(Issue::new("too_many", format!("at most {} rates", Tax::MAX_RATES)).into());
    }
    let mut issues = Issues::default();
    let mut rates: Vec<TaxRate> = Vec::new();
    for (n, TaxRateInput { rate, valid_from }) in sent.into_iter().enumerate() {
        if !is_percentage(&rate) {
            issues.push(not_a_percentage().at("rate").at(n));
        }
        let valid_from = valid_from.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let Some(valid_from) = valid_from.checked_to_offset(UtcOffset::UTC).map(to_millisecond)
        else {
            let message = "expected an instant within the years 0001 to 9999, in UTC";
            issues.push(Issue::new("out_of_range", message).at("valid_from").at(n));
            continue;
        };
        if rates.iter().any(|earlier| earlier.valid_from == valid_from) {
            let message = "another rate is valid from the same instant";
            issues.push(Issue::new("duplicate", message).at("valid_from").at(n));
        }
        rates.push(TaxRate { rate, valid_from });
    }
    rates.sort_by_key(|rate| std::cmp::Reverse(rate.valid_from));
    issues.into_result(rates)
}

/// Whether `rate` lies between 0 and 100.
pub(crate) fn is_percentage(rate: &Decimal) -> bool {
    !rate.is_negative() && *rate <= Decimal::from(100)
}

/// The issue of a rate that is not one.
pub(crate) fn not_a_percentage() -> Issue {
    Issue::new("out_of_range", "expected a percentage from 0 to 100")
}

/// The name of a tax without one: the rate that holds now, else the newest.
fn default_name(tax: &Tax, now: OffsetDateTime) -> String {
    let rate = tax.rate_on(now.date()).or_else(|| tax.tax_rates.first().map(|newest| &newest.rate));
    rate.map(|rate| format!("{rate}%")).unwrap_or_default()
}

/// What [`Tax::default_slot`] answers for the default tax.
const DEFAULT_SLOT: &str = "default";

/// How often a decision about the default tax is taken again because another request made a default
/// tax in the meantime. Each time one request of those that compete has succeeded.
const MAX_DEFAULT_RACES: usize = 100;

/// Adds a tax. As the default it takes the place of the one that was.
///
/// # Errors
/// [`CatalogError::Invalid`]; [`CatalogError::Conflict`] when the classification is taken; and when
/// the store fails.
pub async fn create_tax(cx: Context<'_>, input: TaxInput) -> Result<Tax, CatalogError> {
    let tax = input.into_tax(cx.scope.entity(), cx.stamp)?;
    decide_with_default(cx, None, move |_, former, actor| {
        let events = happened(actor, &tax, |kinds| kinds.created);
        let writes = Writes::default().insert(&tax).events(events);
        Ok((tax.clone(), displace(former, &tax, writes, actor)?))
    })
    .await
}

/// Changes a tax's rates, and whether it is the default.
///
/// # Errors
/// [`CatalogError::NotFound`], [`crate::RefusalReason::InTrash`], [`CatalogError::Invalid`], and
/// when the store fails.
pub async fn update_tax(cx: Context<'_>, id: TaxId, input: TaxInput) -> Result<Tax, CatalogError> {
    let change = move |tax: &mut Tax| input.clone().apply(tax);
    change_tax(cx, id, change).await
}

/// Replaces all of a tax but its id; documents that were issued keep what they copied.
///
/// # Errors
/// As [`update_tax`], and [`CatalogError::Conflict`] when the classification is taken.
pub async fn replace_tax(cx: Context<'_>, id: TaxId, input: TaxInput) -> Result<Tax, CatalogError> {
    let now = cx.now();
    let change = move |tax: &mut Tax| input.clone().replace(tax, now);
    change_tax(cx, id, change).await
}

async fn change_tax(
    cx: Context<'_>,
    id: TaxId,
    change: impl Fn(&mut Tax) -> Result<(), Issues> + Clone + Send + 'static,
) -> Result<Tax, CatalogError> {
    decide_with_default(cx, Some(id), move |before, former, actor| {
        let before = before.ok_or_else(|| CatalogError::NotFound { id: id.to_string() })?;
        let (tax, writes) = updated(actor, &before, |tax| Ok(change(tax)?))?;
        let writes = displace(former, &tax, writes, actor)?;
        Ok((tax, writes))
    })
    .await
}

/// `writes`, before which the `former` default gives way when `tax` is the default now.
fn displace(
    former: Option<Tax>,
    tax: &Tax,
    writes: Writes,
    actor: &Actor,
) -> Result<Writes, CatalogError> {
    if let Some(former) = former.filter(|former| tax.is_default && former.id != tax.id) {
        let give_way = |former: &mut Tax| {
            former.is_default = false;
            Ok(())
        };
        let (_, first) = updated(actor, &former, give_way)?;
        return Ok(first.and(writes));
    }
    Ok(writes)
}

/// Shows `decide` the tax `id`, when one is named, and the default tax, and commits what it
/// decides.
///
/// Holding the default tax keeps two requests that displace it apart, but there may be none to
/// hold. Then the second of two new defaults finds the slot taken, and decides again on what is
/// there now.
async fn decide_with_default(
    cx: Context<'_>,
    id: Option<TaxId>,
    decide: impl Fn(Option<Tax>, Option<Tax>, &Actor) -> Result<(Tax, Writes), CatalogError>
    + Clone
    + Send
    + 'static,
) -> Result<Tax, CatalogError> {
    for _ in 0..MAX_DEFAULT_RACES {
        let decide = decide.clone();
        let mut unit = cx.unit();
        let former = unit.hold_where(&TAXES, "default_slot", DEFAULT_SLOT);
        let named = id.map(|id| unit.hold(&TAXES, id));
        let decided = unit
            .decide(move |held| decide(held.find(named)?, held.all(former)?.pop(), held.actor()));
        match decided.await {
            Err(CatalogError::Store(StoreError::Duplicate { field: "default_slot", .. })) => {}
            decided => return decided,
        }
    }
    Err(StoreError::Unavailable("too many requests change the default tax".to_owned()).into())
}
