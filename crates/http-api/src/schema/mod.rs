//! Schemas: how routes name those of their bodies, and those that no type has.

mod settings;

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{KnownFormat, Ref, RefOr, SchemaFormat};

pub(crate) use settings::{SETTINGS, settings, settings_schema};

/// Schemas by name.
pub(crate) type Collected = BTreeMap<String, RefOr<Schema>>;

/// Writes a type and all that it refers to into the schemas, and answers the reference to it.
pub(crate) type Described = fn(&mut Collected) -> RefOr<Schema>;

/// The [`Described`] of `T`.
pub(crate) fn described<T: ToSchema>(schemas: &mut Collected) -> RefOr<Schema> {
    let mut referred = Vec::new();
    T::schemas(&mut referred);
    schemas.extend(referred);
    schemas.insert(T::name().into_owned(), T::schema());
    Ref::from_schema_name(T::name()).into()
}

/// Whether two routes answer the same body. Types are compared by their names in the description.
#[cfg(test)]
pub(crate) fn same_body(one: Option<Described>, other: Option<Described>) -> bool {
    let name = |described: Described| match described(&mut Collected::new()) {
        RefOr::Ref(reference) => Some(reference.ref_location),
        RefOr::T(_) => None,
    };
    let (one, other) = (one.and_then(name), other.and_then(name));
    one.is_some() && one == other
}

/// The names of the properties of a body that is described as an object.
pub(crate) fn properties(described: Described) -> Vec<String> {
    let mut schemas = Collected::new();
    let RefOr::Ref(reference) = described(&mut schemas) else { return Vec::new() };
    let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
    match schemas.remove(name) {
        Some(RefOr::T(Schema::Object(object))) => object.properties.into_keys().collect(),
        _ => Vec::new(),
    }
}

/// A JSON number with its own digits, never a binary approximation.
pub(crate) fn number() -> Schema {
    ObjectBuilder::new().schema_type(Type::Number).build().into()
}

/// The same, or null.
pub(crate) fn nullable_number() -> Schema {
    let either = SchemaType::from_iter([Type::Number, Type::Null]);
    ObjectBuilder::new().schema_type(either).build().into()
}

/// The bytes of a file, in a form or an answer.
pub(crate) fn file() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .build()
        .into()
}
