//! Reading a request: path, query string, JSON body, form, no body.

mod body;
mod form;
mod json;
mod maybe_body;
mod nothing;
mod path;
mod query;
mod raw;
mod spool;

pub use body::Body;
pub(crate) use body::{Again, Came, SentBody, read_whole};
pub use form::Form;
pub(crate) use form::TakenParts;
pub(crate) use json::{Left, MOST_ISSUES, as_declared, unknown};
pub(crate) use maybe_body::MaybeBody;
pub(crate) use nothing::take_nothing;
pub use path::{PathId, PathText};
pub(crate) use query::FILTER;
pub use query::Query;
pub(crate) use raw::RawBody;
pub(crate) use spool::{Spooled, receive};
