//! Looking up what a request names: one read per kind of thing, and only for what is named.

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit, CUSTOMERS, Customer};
use racun_documents::{Content, NumberCheck, Party};
use racun_fiscalization::certified;
use racun_kernel::calendar::local_date;
use racun_kernel::{ExchangeRate, Stamp, Tenant};
use racun_store::{Store, StoreError};
use time::Date;

use super::line_records::{LineRecords, live};
use super::rates::{self, RateBefore, RateRequest};
use super::request::DocumentRequest;
use crate::vat::Finding;

/// What a request names, looked up; what is missing here does not exist, or is in the trash.
#[derive(Debug, Clone)]
pub(super) struct ResolvedReferences {
    /// The entity that issues.
    pub entity: Entity,
    /// Today, where the entity is.
    pub today: Date,
    /// The customer of `customer_id`.
    pub customer: Option<Customer>,
    /// The unit of `business_unit_id`.
    pub unit: Option<BusinessUnit>,
    /// What the lines name.
    pub records: LineRecords,
    /// What was found out of the customer's VAT number, where the sale rests on it.
    pub finding: Option<Finding>,
    /// The rate of exchange where the request gives none and needs one.
    pub rate: Option<ExchangeRate>,
}

impl ResolvedReferences {
    /// Dates `request` on `date`, while it is `today` where the document is issued: the rate of
    /// exchange is of that date, too.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn redate(
        &mut self,
        store: &dyn Store,
        request: &mut DocumentRequest,
        date: Date,
        today: Date,
    ) -> Result<(), StoreError> {
        let is_same = request.date.unwrap_or(self.today) == date && self.today == today;
        (request.date, self.today) = (Some(date), today);
        if !is_same {
            self.rate = rates::find(store, &self.entity, &asked(request), None, today).await?;
        }
        Ok(())
    }

    /// What was found out of the VAT number of `customer`.
    pub fn check_of(&self, customer: Option<&Party>) -> Option<&NumberCheck> {
        self.finding_of(customer?).map(|finding| &finding.check)
    }

    /// The same with the answer that it rests on.
    pub fn finding_of(&self, customer: &Party) -> Option<&Finding> {
        self.finding.as_ref().filter(|finding| finding.is_of(customer))
    }
}

/// What `request` names; `before` is the content that it changes, if it does not make a document.
///
/// # Errors
/// When the store fails.
pub(super) async fn gather(
    store: &dyn Store,
    entity: &Entity,
    request: &DocumentRequest,
    before: Option<&Content>,
    stamp: &Stamp,
) -> Result<ResolvedReferences, StoreError> {
    let tenant = Tenant::entity(entity.id);
    let lines = request.items.as_deref().unwrap_or_default();
    let assigned = request.category_assignments.iter();
    let assigned = assigned.filter_map(|a| a.financial_category_id.as_deref()).collect();
    let records = LineRecords::gather(store, &tenant, lines, assigned).await?;
    let customer = match request.customer_id.value() {
        Some(id) => live(store.get(&CUSTOMERS, &tenant, id).await?),
        None => None,
    };
    let unit = match unit_id(request) {
        Some(id) => live(store.get(&BUSINESS_UNITS, &tenant, id).await?),
        None => None,
    };
    let (entity, today) = (entity.clone(), today(entity, stamp));
    let asked = asked(request);
    let rate = rates::find(store, &entity, &asked, before.map(RateBefore::of), today).await?;
    let finding = None;
    Ok(ResolvedReferences { entity, today, customer, unit, records, finding, rate })
}

/// Today, where the entity is.
pub fn today(entity: &Entity, stamp: &Stamp) -> Date {
    local_date(stamp.now(), zone(entity)).unwrap_or_else(|| stamp.now().date())
}

/// The zone in which the days of `entity` begin: the one that it chose; in Portugal that of the
/// region in which it is established, whose clock documents there are dated by.
pub fn zone(entity: &Entity) -> &str {
    match certified::is_portugal(entity) {
        true => certified::home(entity).zone(),
        false => &entity.timezone,
    }
}

fn asked(request: &DocumentRequest) -> RateRequest<'_> {
    RateRequest {
        code: request.currency_code.as_deref(),
        rate: &request.exchange_rate,
        date: request.date,
    }
}

/// The unit that a request names, by `business_unit_id` or inside `business_unit`.
pub(super) fn unit_id(request: &DocumentRequest) -> Option<&str> {
    let inline = || request.business_unit.as_ref().and_then(|unit| unit.id.as_ref());
    request.business_unit_id.value().or_else(inline).map(String::as_str)
}
