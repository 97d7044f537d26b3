//! Reading a request: headers, path, query string, JSON body, form, no body.

mod body;
mod form;
mod header;
mod json;
mod maybe_body;
mod nothing;
mod path;
mod query;
mod spool;

pub use body::Body;
pub(crate) use body::read_whole;
pub use form::Form;
pub(crate) use form::TakenParts;
pub(crate) use header::{bearer_token, single};
pub(crate) use json::{Left, MOST_ISSUES, as_declared, unknown};
pub(crate) use maybe_body::MaybeBody;
pub(crate) use nothing::take_nothing;
pub use path::{PathId, PathText};
pub(crate) use query::FILTER;
pub use query::Query;
pub(crate) use spool::{Spooled, receive};
