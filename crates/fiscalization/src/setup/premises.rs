//! Lists of premises, and premises that are not registered with an authority.

use racun_access::Entity;
use racun_fiscal::{
    Authority, BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES, FiscalError,
    FiscalRefusal, MAX_PREMISES, NewPremise, PremiseId, premise_key,
};
use racun_kernel::Patch;
use racun_store::{Clause, Context, ListQuery, Operator, Order, Put, StoreError, Table};

use super::numbers::{Numbers, probe};
use super::{ALL_ROWS, DeviceState, check_country, settings};

/// A premise as it is shown: with its devices, and with what its sequence is like this year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PremiseState {
    /// It.
    pub premise: BusinessPremise,
    /// Its devices, oldest first.
    pub devices: Vec<DeviceState>,
    /// The first number of this year's sequence, when it was set.
    pub starting_number: Option<i64>,
    /// The last number that was issued of it; 0 when none was.
    pub last_number: i64,
}

impl PremiseState {
    /// Whether it can still be set where this year's sequence starts.
    #[must_use]
    pub const fn can_update_starting_number(&self) -> bool {
        self.premise.is_active && self.last_number == 0
    }
}

/// All premises of the scope's entity for `authority`, closed ones included, oldest first.
///
/// # Errors
/// When the store fails.
pub async fn list(cx: Context<'_>, authority: Authority) -> Result<Vec<PremiseState>, StoreError> {
    let premises: Vec<BusinessPremise> =
        page(cx, &FISCAL_PREMISES, "authority", authority.name()).await?;
    let devices: Vec<Device> = page(cx, &FISCAL_DEVICES, "authority", authority.name()).await?;
    let numbering = PremiseNumbering::read(cx, authority).await?;
    let real = premises.into_iter().filter(|premise| !premise.is_reservation());
    Ok(real.map(|premise| numbering.premise(premise, &devices)).collect())
}

/// One premise.
///
/// # Errors
/// [`FiscalError::NotFound`]; the store's failure.
pub async fn get(cx: Context<'_>, id: PremiseId) -> Result<PremiseState, FiscalError> {
    let premise = find(cx, id).await?;
    show(cx, premise).await
}

/// The premise `id`, unless it is a reservation only.
pub(super) async fn find(cx: Context<'_>, id: PremiseId) -> Result<BusinessPremise, FiscalError> {
    let found: Option<BusinessPremise> = cx.get(&FISCAL_PREMISES, id).await?;
    let real = found.filter(|premise| !premise.is_reservation());
    real.ok_or_else(|| FiscalError::NotFound { id: id.to_string() })
}

/// `premise` with its devices and numbers.
pub(super) async fn show(
    cx: Context<'_>,
    premise: BusinessPremise,
) -> Result<PremiseState, FiscalError> {
    let id = premise.id.to_string();
    let devices: Vec<Device> = page(cx, &FISCAL_DEVICES, "premise_id", &id).await?;
    let numbering = PremiseNumbering::read(cx, premise.authority()).await?;
    Ok(numbering.premise(premise, &devices))
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

/// Whether a number of this year was issued in a premise that is open.
pub(super) async fn any_open_is_numbered(
    cx: Context<'_>,
    authority: Authority,
) -> Result<bool, StoreError> {
    let all = list(cx, authority).await?;
    Ok(all.iter().filter(|state| state.premise.is_active).any(|state| {
        state.last_number > 0 || state.devices.iter().any(|device| device.last_number > 0)
    }))
}

/// All rows of the scope's entity whose `field` is `value`, oldest first.
async fn page<A: racun_store::Record>(
    cx: Context<'_>,
    table: &'static Table,
    field: &str,
    value: &str,
) -> Result<Vec<A>, StoreError> {
    let query = ListQuery {
        limit: ALL_ROWS,
        count: false,
        order: ["created_at", "id"].map(|name| Order::on(table, name, false)).to_vec(),
        clauses: vec![Clause::on(table, field, Operator::Equals(value.into()))],
        ..ListQuery::first_page(table)
    };
    Ok(cx.page(table, &query).await?.rows)
}

/// What premises and devices are shown by.
struct PremiseNumbering {
    numbers: Numbers,
    per_premise: bool,
}

impl PremiseNumbering {
    async fn read(cx: Context<'_>, authority: Authority) -> Result<Self, StoreError> {
        let numbers = Numbers::read(cx, authority).await?;
        let settings = settings::get(cx, authority).await?;
        let per_premise = settings.numbering == racun_fiscal::Numbering::PerPremise;
        Ok(Self { numbers, per_premise })
    }

    /// `premise` with those of `devices` that are its own.
    fn premise(&self, premise: BusinessPremise, devices: &[Device]) -> PremiseState {
        let last = self.numbers.last(&premise.place());
        let own = devices.iter().filter(|device| device.premise_id == premise.id);
        PremiseState {
            devices: own.map(|device| self.device(&premise, last, device.clone())).collect(),
            starting_number: premise.starting_number_in(self.numbers.year),
            last_number: last,
            premise,
        }
    }

    fn device(&self, premise: &BusinessPremise, of_premise: i64, device: Device) -> DeviceState {
        let own = self.numbers.last(&device.place(premise));
        DeviceState {
            counter: if self.per_premise { of_premise } else { own },
            starting_number: device.starting_number_in(self.numbers.year),
            last_number: own,
            device,
        }
    }
}
