//! Which properties a body may hold: by the kind of document, and by what is done with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, PoisonError};

use racun_documents::DocumentKind;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};
use validator::{Validate, ValidationErrors};

use super::answer::DocumentBody;
use super::input::DocumentProperties;

/// What is done with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Create,
    CreateCustom,
    Update,
}

/// Whether a `kind` takes `property` for `purpose`: the table of contract 5.
///
/// What is not named here is taken of every kind, always.
fn takes(kind: DocumentKind, purpose: Purpose, property: &str) -> bool {
    use DocumentKind::{AdvanceInvoice, CreditNote, DeliveryNote, Estimate, Invoice};
    match property {
        "is_draft" | "calculation_mode" | "category_assignments" => purpose != Purpose::Update,
        "expected_total_with_tax" => purpose == Purpose::Create,
        "total" | "total_with_tax" | "total_discount" | "taxes" => purpose == Purpose::CreateCustom,
        "change_reason" => purpose == Purpose::Update,
        "date_valid_till" | "title_type" => kind == Estimate,
        "hide_prices" => kind == DeliveryNote,
        "payments" => {
            purpose != Purpose::Update && matches!(kind, AdvanceInvoice | CreditNote | Invoice)
        }
        "ujp" | "xrechnung" => matches!(kind, CreditNote | Invoice),
        "zugferd" => matches!(kind, AdvanceInvoice | CreditNote | Invoice),
        "e_invoicing" => purpose != Purpose::Update && matches!(kind, CreditNote | Invoice),
        "furs" | "fina" => purpose != Purpose::Update && kind.is_fiscal(),
        "pt" => purpose != Purpose::Update,
        "payment_terms" => kind != AdvanceInvoice,
        "linked_documents" => kind != Estimate,
        "force_linked_documents" => kind == Invoice,
        _ => true,
    }
}

/// A body: its name in the description, and which properties it takes.
pub trait AllowedProperties: 'static {
    /// Its name.
    fn name() -> Cow<'static, str>;

    /// Whether it takes `property`, which some document takes.
    fn takes(property: &str) -> bool;

    /// The properties that it takes.
    fn taken() -> &'static [&'static str] {
        static TAKEN: LazyLock<Mutex<BTreeMap<String, &'static [&'static str]>>> =
            LazyLock::new(Mutex::default);
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken.entry(Self::name().into_owned()).or_insert_with(|| {
            let names = DocumentProperties::NAMES.iter().copied();
            // Made once for each of the sixteen bodies, and kept: types borrow their names for
            // ever.
            names.filter(|name| Self::takes(name)).collect::<Vec<_>>().leak()
        })
    }
}

/// A body from which a document is made.
pub trait CreateBody: AllowedProperties {
    /// What is answered.
    type Answer: DocumentBody;

    /// Whether its totals are kept as given.
    const CUSTOM: bool;
}

/// A document to make.
pub struct Create<B>(PhantomData<fn() -> B>);

/// A document to make with totals that are kept as given.
pub struct CreateCustom<B>(PhantomData<fn() -> B>);

/// What to change of a document.
pub struct Update<B>(PhantomData<fn() -> B>);

/// A document of any kind to calculate, with all that it could be made with.
pub struct Calculate;

impl<B: DocumentBody> AllowedProperties for Create<B> {
    fn name() -> Cow<'static, str> {
        format!("Create{}", B::NAME).into()
    }

    fn takes(property: &str) -> bool {
        takes(B::KIND, Purpose::Create, property)
    }
}

impl<B: DocumentBody> CreateBody for Create<B> {
    type Answer = B;

    const CUSTOM: bool = false;
}

impl<B: DocumentBody> AllowedProperties for CreateCustom<B> {
    fn name() -> Cow<'static, str> {
        format!("CreateCustom{}", B::NAME).into()
    }

    fn takes(property: &str) -> bool {
        takes(B::KIND, Purpose::CreateCustom, property)
    }
}

impl<B: DocumentBody> CreateBody for CreateCustom<B> {
    type Answer = B;

    const CUSTOM: bool = true;
}

impl<B: DocumentBody> AllowedProperties for Update<B> {
    fn name() -> Cow<'static, str> {
        format!("Update{}", B::NAME).into()
    }

    fn takes(property: &str) -> bool {
        takes(B::KIND, Purpose::Update, property)
    }
}

impl AllowedProperties for Calculate {
    fn name() -> Cow<'static, str> {
        "CalculateDocument".into()
    }

    fn takes(property: &str) -> bool {
        DocumentKind::ALL.into_iter().any(|kind| takes(kind, Purpose::Create, property))
    }
}

/// A body that holds no property but those that `A` takes.
pub struct Allowed<A> {
    /// The properties.
    pub properties: DocumentProperties,
    allowed_by: PhantomData<fn() -> A>,
}

impl<'de, A: AllowedProperties> Deserialize<'de> for Allowed<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let properties = deserializer.deserialize_struct("Document", A::taken(), Properties)?;
        Ok(Self { properties, allowed_by: PhantomData })
    }
}

impl<A> Validate for Allowed<A> {
    fn validate(&self) -> Result<(), ValidationErrors> {
        self.properties.validate()
    }
}

impl<A: AllowedProperties> PartialSchema for Allowed<A> {
    fn schema() -> RefOr<Schema> {
        let mut schema = DocumentProperties::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.properties.retain(|property, _| A::takes(property));
        }
        schema
    }
}

impl<A: AllowedProperties> ToSchema for Allowed<A> {
    fn name() -> Cow<'static, str> {
        A::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        DocumentProperties::schemas(schemas);
    }
}

/// Hands on the properties that the reader lets through: it was given the names that are allowed.
struct Properties;

impl<'de> Visitor<'de> for Properties {
    type Value = DocumentProperties;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        DocumentProperties::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_table_names_is_a_property_that_some_body_lacks() {
        let lacks = |name: &str| {
            let purposes = [Purpose::Create, Purpose::CreateCustom, Purpose::Update];
            let kinds = DocumentKind::ALL.into_iter();
            kinds
                .flat_map(|kind| purposes.map(|purpose| (kind, purpose)))
                .any(|(kind, purpose)| !takes(kind, purpose, name))
        };
        let own = DocumentProperties::NAMES.iter().filter(|name| lacks(name)).count();
        assert_eq!(own, 23, "a name in the table is misspelt");
        assert!(!lacks("items") && !lacks("customer"));
    }
}
