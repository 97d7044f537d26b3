//! The clock that work in the background is given.

use std::sync::Arc;

use racun_kernel::Stamp;

/// What time it is, and where ids come from.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;
