//! Routes of orders and their integrations.

pub(crate) mod hooks;
mod input;
pub(crate) mod integrations;
pub(crate) mod order_routes;
mod output;
pub(crate) mod platforms;
mod sync;

use input::OrderInputBody;
pub(crate) use output::OrderBody;
