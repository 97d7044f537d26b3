//! The schema of an entity's settings, as `access` declares them.

use serde_json::{Value as Json, json};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Ref, RefOr};

/// The schema's name.
pub(crate) const SETTINGS: &str = "EntitySettings";

/// What settings are as a whole.
const MEANING: &str = "An entity's settings. Answered as they were set: a default acts, but is not \
                       shown. Sent, they are merged key by key, and null removes a key. Keys that \
                       Racun does not know are kept as they are; those that look like a slip of \
                       a known one are refused.";

/// A reference to the settings.
pub(crate) fn settings() -> RefOr<Schema> {
    Ref::from_schema_name(SETTINGS).into()
}

/// The settings' schema.
pub(crate) fn settings_schema() -> Json {
    let mut schema = racun_access::settings_schema();
    schema["description"] = MEANING.into();
    json!(schema)
}
