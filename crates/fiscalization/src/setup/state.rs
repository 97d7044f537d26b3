//! What is stored: the settings, and premises with their devices as they are shown.

use racun_fiscal::{
    Authority, BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES, FISCAL_SETTINGS,
    FiscalError, FiscalSettings, PremiseId,
};
use racun_store::{Clause, Context, ListQuery, Operator, Order, Record, StoreError, Table};

use super::ALL_ROWS;
use super::numbers::Numbers;

/// The settings of the scope's entity for `authority`; those of who told nothing when there are
/// none.
///
/// # Errors
/// When the store fails.
pub async fn settings(cx: Context<'_>, authority: Authority) -> Result<FiscalSettings, StoreError> {
    let found = cx.get(&FISCAL_SETTINGS, authority.name()).await?;
    Ok(found.unwrap_or_else(|| FiscalSettings::new(authority, cx.scope.entity(), cx.now())))
}

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

/// A device as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceState {
    /// It.
    pub device: Device,
    /// The first number of its own sequence of this year, when it was set.
    pub starting_number: Option<i64>,
    /// The last number that was issued of its own sequence; 0 when none was.
    pub last_number: i64,
    /// The last number of the sequence that it takes numbers from: its own or its premise's.
    pub counter: i64,
}

impl DeviceState {
    /// Whether it can still be set where its own sequence of this year starts.
    #[must_use]
    pub const fn can_update_starting_number(&self) -> bool {
        self.device.is_active && self.last_number == 0
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
pub(super) async fn page<A: Record>(
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
        let settings = settings(cx, authority).await?;
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
