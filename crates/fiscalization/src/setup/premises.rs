//! Premises that are not registered with an authority.

use racun_access::Entity;
use racun_fiscal::{
    Authority, BusinessPremise, FISCAL_DEVICES, FISCAL_PREMISES, FiscalError, FiscalRefusal,
    MAX_PREMISES, NewPremise, PremiseId, premise_key,
};
use racun_kernel::Patch;
use racun_store::{Context, Put};

use super::check_country;
use super::numbers::probe;
pub use super::state::list;
use super::state::{PremiseState, find, page, show};

/// One premise.
///
/// # Errors
/// [`FiscalError::NotFound`]; the store's failure.
pub async fn get(cx: Context<'_>, id: PremiseId) -> Result<PremiseState, FiscalError> {
    let premise = find(cx, id).await?;
    show(cx, premise).await
}

/// Keeps a premise that is registered elsewhere, as in Croatia.
///
/// # Errors
/// All that is wrong with the input, by path; [`FiscalRefusal::OtherCountry`];
/// [`racun_fiscal::Conflict::PremiseName`]; [`FiscalRefusal::TooManyPremises`]; the store's
/// failure.
pub async fn create(
    cx: Context<'_>,
    entity: &Entity,
    authority: Authority,
    new: NewPremise,
) -> Result<BusinessPremise, FiscalError> {
    check_country(entity, authority)?;
    new.check()?;
    room(cx, authority).await?;
    insert(cx, authority, new).await
}

/// Makes the row of a new premise: an open one, or the reservation of its name.
pub(super) async fn insert(
    cx: Context<'_>,
    authority: Authority,
    new: NewPremise,
) -> Result<BusinessPremise, FiscalError> {
    let mut unit = cx.unit();
    let named = unit.hold_where(&FISCAL_PREMISES, "key", premise_key(authority, &new.name));
    unit.decide(move |held| {
        let before: Option<BusinessPremise> = held.all(named)?.pop();
        let decision = new.into_premise(authority, before.as_ref(), held.actor())?;
        Ok(decision.written(|after| Put::write(before.as_ref(), after)))
    })
    .await
}

/// Refuses one premise too many. Several that are made at once may pass it by as many.
pub(super) async fn room(cx: Context<'_>, authority: Authority) -> Result<(), FiscalError> {
    let there: Vec<BusinessPremise> =
        page(cx, &FISCAL_PREMISES, "authority", authority.name()).await?;
    if there.len() < MAX_PREMISES { Ok(()) } else { Err(FiscalRefusal::TooManyPremises.into()) }
}

/// Sets where a premise's sequence starts.
///
/// # Errors
/// [`FiscalError::NotFound`]; a number that is none; [`FiscalRefusal::PremiseClosed`];
/// [`FiscalRefusal::StartingNumberLocked`]; the store's failure.
pub async fn restart(
    cx: Context<'_>,
    id: PremiseId,
    sent: Patch<i64>,
) -> Result<PremiseState, FiscalError> {
    let place = find(cx, id).await?.place();
    let mut unit = cx.unit();
    let premise = unit.hold(&FISCAL_PREMISES, id);
    let number = unit.number(probe(cx, id.authority(), &place));
    let restarted = unit.decide(move |held| {
        let before: BusinessPremise = held.one(premise)?;
        let is_unused = held.number(&number)? == 1;
        let after = before.clone().restart(sent, is_unused, held.actor())?;
        Ok::<_, FiscalError>(after.written(|after| Put::update(&before, after)))
    });
    let premise = restarted.await?;
    show(cx, premise).await
}

/// Closes a premise that is not registered with an authority, with its devices.
///
/// # Errors
/// [`FiscalError::NotFound`]; [`FiscalRefusal::PremiseClosed`]; the store's failure.
pub async fn close(cx: Context<'_>, id: PremiseId) -> Result<BusinessPremise, FiscalError> {
    let mut unit = cx.unit();
    let premise = unit.hold(&FISCAL_PREMISES, id);
    let devices = unit.hold_where(&FISCAL_DEVICES, "premise_id", id);
    unit.decide(move |held| {
        let (before, devices): (BusinessPremise, _) = (held.one(premise)?, held.all(devices)?);
        let closed = before.clone().close(devices, held.actor())?;
        Ok(closed.written(|after| Put::update(&before, after)))
    })
    .await
}
