//! Portugal: series, the sub-user, and SAF-T.

mod saft;
mod series;
mod settings;

use std::sync::Arc;

use racun_access::Permission::{ManageFiscal, ReadFiscal};
use racun_application::Services;
use racun_portugal::{Portugal, PortugalError, PortugalRefusal};

use crate::route::Gate;

const TAG: &str = "Portugal";
const READ: Gate = Gate::Entity(ReadFiscal);
const MANAGE: Gate = Gate::Entity(ManageFiscal);

pub(crate) use saft::ROUTES as SAFT;
pub(crate) use series::ROUTES as SERIES;
pub(crate) use settings::ROUTES as SETTINGS;

/// The certified program, and its authority.
fn portugal(services: &Services) -> Result<Arc<dyn Portugal>, PortugalError> {
    services.portugal.clone().ok_or_else(|| PortugalRefusal::ProgramMissing.into())
}
