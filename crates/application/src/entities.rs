//! Entities with the taxes they start with, and settings that number documents.

use racun_access::{
    AccessError, AccountScope, Caller, ENTITIES, Entity, EntityPatch, NewEntity, change_entity,
    entity_writes, setting,
};
use racun_billing::Catalogue;
use racun_catalog::default_tax_puts;
use racun_delivery::mailing::check_mail_texts;
use racun_fiscal::{Authority, FISCAL_SETTINGS, FiscalSettings};
use racun_fiscalization::certified::{self, is_portugal};
use racun_kernel::{Issue, Issues, Stamp, Tenant};
use racun_sales::billing;
use racun_sales::documents::check_number_settings;
use racun_store::{Context, Decision, Store, StoreError};
use serde_json::{Map, Value as Json};

/// Makes an entity with the taxes of its country, and with a subscription where its account's white
/// label in `catalogue` has plans; a user who makes it becomes its admin.
///
/// # Errors
/// What is wrong with the input, number formats included, or the store's failure.
pub async fn create_entity(
    store: &dyn Store,
    catalogue: &Catalogue,
    caller: &Caller,
    scope: &AccountScope,
    input: NewEntity,
    stamp: &Stamp,
) -> Result<Entity, AccessError> {
    check_texts(input.settings.as_ref())?;
    let label = billing::label_of(store, catalogue, scope.account).await?;
    let starts = |entity: &Entity| {
        label.is_some_and(|label| label.starts_with(entity.environment).is_some())
    };
    let (entity, mut puts, events) = entity_writes(caller, scope, input, starts, stamp)?;
    check_numbers(&entity, &[])?;
    let country = entity.country_code.as_deref().unwrap_or_default();
    let region = certified::home(&entity).subdivision().filter(|_| is_portugal(&entity));
    puts.extend(default_tax_puts(entity.id, region.unwrap_or(country), stamp));
    puts.extend(billing::start_puts(label, &entity, stamp));
    store.insert(puts, events).await?;
    Ok(entity)
}

/// Changes an entity.
///
/// # Errors
/// What is wrong with the input: also number formats that cannot be read, starts of sequences below
/// a number that is used, a tax number or IBAN that cannot be of an entity that fiscalizes, and
/// another tax number once documents were issued in series that the authority of Portugal knows; or
/// the store's failure.
pub async fn update_entity(cx: Context<'_>, patch: EntityPatch) -> Result<Entity, AccessError> {
    check_texts(patch.settings.value())?;
    let fiscalizes = sends_numbers(&patch) && fiscalizes(cx).await?;
    let keeps_number = !patch.tax_number.is_absent() && certified::series::has_issued(cx).await?;
    // A number used between this read and the commit only makes a start that is low take no effect.
    let used = cx.store.series(&cx.tenant()).await?;
    let (tenant, id) = (Tenant::account(cx.scope.account()), cx.scope.entity().to_string());
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let decide = move |before: Entity| {
        let decision = change_entity(before.clone(), &scope, patch, &stamp)?;
        if let Decision::Changed { record, .. } = &decision
            && record.settings != before.settings
        {
            check_numbers(record, &used)?;
        }
        if fiscalizes && let Decision::Changed { record, .. } = &decision {
            record.warnings().into_result(())?;
        }
        if keeps_number && let Decision::Changed { record, .. } = &decision {
            check_number(&before, record)?;
        }
        Ok(decision)
    };
    cx.store.amend(&ENTITIES, &tenant, id, decide).await
}

/// Accepts what is sent of settings: texts of mails use variables that there are.
fn check_texts(settings: Option<&Map<String, Json>>) -> Result<(), Issues> {
    let known = settings.map_or(Ok(()), check_mail_texts);
    known.map_err(|issues| issues.at("settings"))
}

/// Whether `patch` sends what stands on receipts: the tax number or bank accounts.
fn sends_numbers(patch: &EntityPatch) -> bool {
    let settings = patch.settings.value();
    !patch.tax_number.is_absent()
        || settings.is_some_and(|settings| settings.contains_key(setting::BANK_ACCOUNTS.name()))
}

/// Whether the entity reports its sales to a tax authority. Then its numbers must be right, and
/// wrong ones are refused; other entities get a warning.
async fn fiscalizes(cx: Context<'_>) -> Result<bool, StoreError> {
    let names = [Authority::Furs, Authority::Fina].map(|authority| authority.name().to_owned());
    let found: Vec<FiscalSettings> =
        cx.store.get_all(&FISCAL_SETTINGS, &cx.tenant(), &names).await?;
    Ok(found.iter().any(|settings| settings.enabled))
}

/// Accepts the tax number of `after`, an entity whose certified documents say that of `before`:
/// their signatures, codes and series have it, and SAF-T states one for all.
fn check_number(before: &Entity, after: &Entity) -> Result<(), Issues> {
    if before.tax_number == after.tax_number {
        return Ok(());
    }
    let message = "documents in Portugal were issued under this number, so it does not change; \
                   make another entity";
    Err(Issue::new("immutable", message).at("tax_number").into())
}

fn check_numbers(entity: &Entity, used: &[(String, i64)]) -> Result<(), Issues> {
    let mut issues = Issues::default();
    issues.collect("settings", check_number_settings(entity.settings.as_map(), used));
    issues.into_result(())
}
