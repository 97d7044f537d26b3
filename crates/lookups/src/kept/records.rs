//! How public data are kept: in the directory, for it is the same to every entity.

use racun_kernel::id::TaxRateEstimateId;
use racun_kernel::{Tenant, calendar};
use racun_store::Field;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

use crate::company::Company;
use crate::rates::DayRates;
use crate::tax_rate::TaxRateEstimate;

/// The reference rates of a day as they are kept. They never change: what was published is what
/// documents rest on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDay {
    /// The rates.
    pub rates: DayRates,
    /// When they were fetched.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl KeptDay {
    /// The id of what is kept of `date`.
    #[must_use]
    pub fn id_of(date: Date) -> String {
        format!("rates/{}", calendar::format_date(date))
    }
}

racun_store::record! {
    /// Where reference rates are kept, by day.
    pub static RATE_DAYS: KeptDay = "rate_days";
    |day|
    id: KeptDay::id_of(day.rates.date),
    tenant: Tenant::directory(),
    fields: {
        Field::id() => KeptDay::id_of(day.rates.date),
        Field::date("date").indexed() => day.rates.date,
        Field::instant("created_at") => day.created_at,
    }
}

/// A company as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCompany {
    /// What the register says.
    pub company: Company,
    /// When it was imported last.
    #[serde(with = "time::serde::rfc3339")]
    pub imported_at: OffsetDateTime,
    /// When it was imported first.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where companies of imported registers are kept. The hidden field `words` is what a search
    /// looks into.
    pub static COMPANIES: KeptCompany = "companies";
    |kept|
    id: kept.company.key(),
    tenant: Tenant::directory(),
    fields: {
        Field::id() => kept.company.key(),
        Field::text("country_code").indexed() => kept.company.country_code,
        Field::text("name") => kept.company.name,
        Field::text("words").searched().hidden() => kept.company.words(),
        Field::instant("imported_at") => kept.imported_at,
        Field::instant("created_at") => kept.created_at,
    }
}

/// An estimated rate of tax as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTaxRate {
    /// The estimate.
    pub estimate: TaxRateEstimate,
    /// When it was imported last.
    #[serde(with = "time::serde::rfc3339")]
    pub imported_at: OffsetDateTime,
    /// When it was imported first.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl KeptTaxRate {
    /// Its id, which is the same after each import.
    #[must_use]
    pub fn id(&self) -> TaxRateEstimateId {
        let print = digest(&SHA256, self.estimate.key().as_bytes());
        let mut bits = [0; 16];
        for (to, from) in bits.iter_mut().zip(print.as_ref()) {
            *to = *from;
        }
        TaxRateEstimateId::new(Ulid::from_bytes(bits))
    }
}

racun_store::record! {
    /// Where estimated rates of tax are kept.
    pub static TAX_RATE_ESTIMATES: KeptTaxRate = "tax_rate_estimates";
    |kept|
    id: kept.id(),
    tenant: Tenant::directory(),
    fields: {
        Field::id() => kept.id(),
        Field::text("zip_code").indexed() => kept.estimate.zip_code,
        Field::text("state") => kept.estimate.state,
        Field::text("tax_region_name") => kept.estimate.tax_region_name,
        Field::instant("imported_at") => kept.imported_at,
        Field::instant("created_at") => kept.created_at,
    }
}
