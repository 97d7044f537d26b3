//! Routes of orders and their integrations.

pub(crate) mod hooks;
mod input;
pub(crate) mod integrations;
pub(crate) mod order_routes;
mod output;

use input::OrderInputBody;
pub(crate) use output::OrderBody;
