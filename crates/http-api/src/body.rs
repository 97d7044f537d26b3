//! How bodies are declared: each field once, with its conversion to or from the domain's type.

use std::borrow::Cow;
use std::collections::BTreeMap;

use racun_kernel::calendar::format_instant;
use racun_kernel::{Decimal, DocumentId, Id, Kind, Metadata, Patch};
use racun_store::{Page, Pagination};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use time::OffsetDateTime;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// From a domain's value to its form on the wire, or back.
pub(crate) trait Convert<T> {
    /// The other form.
    fn convert(self) -> T;
}

macro_rules! same_on_the_wire {
    ($($kind:ty),*) => {$(
        impl Convert<$kind> for $kind {
            fn convert(self) -> $kind {
                self
            }
        }
    )*};
}
same_on_the_wire!(String, bool, i32, i64, Decimal, Map<String, Json>, BTreeMap<String, String>);

impl<A: Convert<B>, B> Convert<Option<B>> for Option<A> {
    fn convert(self) -> Option<B> {
        self.map(Convert::convert)
    }
}

impl<A: Convert<B>, B> Convert<Vec<B>> for Vec<A> {
    fn convert(self) -> Vec<B> {
        self.into_iter().map(Convert::convert).collect()
    }
}

impl<A: Convert<B>, B> Convert<Patch<B>> for Patch<A> {
    fn convert(self) -> Patch<B> {
        self.map(Convert::convert)
    }
}

impl<K: Kind> Convert<String> for Id<K> {
    fn convert(self) -> String {
        self.to_string()
    }
}

impl Convert<String> for DocumentId {
    fn convert(self) -> String {
        self.to_string()
    }
}

impl Convert<String> for OffsetDateTime {
    fn convert(self) -> String {
        format_instant(self)
    }
}

impl Convert<BTreeMap<String, String>> for Metadata {
    fn convert(self) -> BTreeMap<String, String> {
        self.entries().clone()
    }
}

/// A page of a list. It describes itself under its rows' name, for there are as many such schemas
/// as kinds of rows.
#[derive(Debug, Serialize)]
pub struct ListBody<T> {
    /// The rows.
    data: Vec<T>,
    /// The position of the page in its list.
    pagination: PaginationBody,
}

/// The position of a page in its list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Pagination)]
struct PaginationBody {
    /// Rows in all pages; -1 when it was not asked for.
    total: i64,
    /// For the page after this one.
    #[schema(required = true)]
    next_cursor: Option<String>,
    /// For the page before this one.
    #[schema(required = true)]
    prev_cursor: Option<String>,
    /// Whether a page follows.
    has_more: bool,
}

impl<T> ListBody<T> {
    /// The page, of rows that are bodies already.
    pub(crate) fn of(page: Page<T>) -> Self {
        let Pagination { total, next_cursor, prev_cursor, has_more } = page.pagination;
        let pagination = PaginationBody { total, next_cursor, prev_cursor, has_more };
        Self { data: page.rows, pagination }
    }
}

impl<A: Convert<B>, B> Convert<ListBody<B>> for Page<A> {
    fn convert(self) -> ListBody<B> {
        ListBody::of(Page { rows: self.rows.convert(), pagination: self.pagination })
    }
}

/// All rows of a list that has no pages; described like [`ListBody`].
#[derive(Debug, Serialize)]
pub struct AllBody<T> {
    /// The rows.
    data: Vec<T>,
}

/// All rows of a list that is a bare array.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ArrayBody<T>(Vec<T>);

impl<T: ToSchema> PartialSchema for ArrayBody<T> {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(Ref::from_schema_name(T::name())).into()
    }
}

impl<T: ToSchema> ToSchema for ArrayBody<T> {
    fn name() -> Cow<'static, str> {
        format!("{}Array", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<A: Convert<B>, B> Convert<ArrayBody<B>> for Vec<A> {
    fn convert(self) -> ArrayBody<B> {
        ArrayBody(self.convert())
    }
}

impl<T: ToSchema> PartialSchema for ListBody<T> {
    fn schema() -> RefOr<Schema> {
        let pagination = Ref::from_schema_name(PaginationBody::name());
        rows_of::<T>().property("pagination", pagination).required("pagination").into()
    }
}

impl<T: ToSchema> ToSchema for ListBody<T> {
    fn name() -> Cow<'static, str> {
        format!("{}Page", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
        schemas.push((PaginationBody::name().into_owned(), PaginationBody::schema()));
    }
}

impl<T: ToSchema> PartialSchema for AllBody<T> {
    fn schema() -> RefOr<Schema> {
        rows_of::<T>().into()
    }
}

impl<T: ToSchema> ToSchema for AllBody<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// An object with rows of `T` under `data`.
fn rows_of<T: ToSchema>() -> ObjectBuilder {
    let rows = ArrayBuilder::new().items(Ref::from_schema_name(T::name()));
    ObjectBuilder::new().schema_type(Type::Object).property("data", rows).required("data")
}

impl<T> AllBody<T> {
    /// The rows, which are bodies already.
    pub(crate) const fn of(data: Vec<T>) -> Self {
        Self { data }
    }
}

impl<A: Convert<B>, B> Convert<AllBody<B>> for Vec<A> {
    fn convert(self) -> AllBody<B> {
        AllBody::of(self.convert())
    }
}

/// Declares a body that is answered: `Body as Name from domain::Type { field: Type, … }`. What is
/// no field of the domain's type is what a method of it answers: `field: Type => method,`.
macro_rules! answer {
    (@value $record:ident $field:ident) => {
        $record.$field
    };
    (@value $record:ident $field:ident $method:ident) => {
        $method
    };
    (
        $(#[$doc:meta])*
        $body:ident as $name:ident from $domain:ty {
            $($(#[$field_doc:meta])* $field:ident: $kind:ty $(=> $method:ident)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, serde::Serialize, utoipa::ToSchema)]
        #[schema(as = $name)]
        pub struct $body {
            $($(#[$field_doc])* #[schema(required = true)] $field: $kind,)*
        }

        impl $crate::body::Convert<$body> for $domain {
            fn convert(self) -> $body {
                let record = self;
                $($(let $method = record.$method();)?)*
                $body {
                    $($field: $crate::body::Convert::convert(
                        $crate::body::answer!(@value record $field $($method)?)
                    ),)*
                }
            }
        }
    };
}
pub(crate) use answer;

/// Declares a body that is sent, every field of which may be absent, null or a value:
/// `Body as Name into domain::Type { field: Type, … }`. `=> schema` describes a type that cannot
/// describe itself.
macro_rules! input {
    (
        $(#[$doc:meta])*
        $body:ident as $name:ident into $domain:ty {
            $($(#[$field_doc:meta])* $field:ident: $kind:ty $(=> $schema:path)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, serde::Deserialize, utoipa::ToSchema, validator::Validate)]
        #[schema(as = $name)]
        pub struct $body {
            $(
                $(#[$field_doc])*
                #[serde(default)]
                #[schema(value_type = Option<$kind> $(, schema_with = $schema)?)]
                $field: racun_kernel::Patch<$kind>,
            )*
        }

        impl $crate::body::Convert<$domain> for $body {
            fn convert(self) -> $domain {
                type Domain = $domain;
                Domain { $($field: $crate::body::Convert::convert(self.$field),)* }
            }
        }
    };
}
pub(crate) use input;

/// Declares an enum of the wire with the same variants as the domain's.
macro_rules! names {
    ($(#[$doc:meta])* $body:ident as $name:ident of $domain:path { $($variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = $name)]
        pub enum $body {
            $($variant,)*
        }

        impl $crate::body::Convert<$body> for $domain {
            fn convert(self) -> $body {
                match self {
                    $(Self::$variant => $body::$variant,)*
                }
            }
        }

        impl $crate::body::Convert<$domain> for $body {
            fn convert(self) -> $domain {
                match self {
                    $(Self::$variant => <$domain>::$variant,)*
                }
            }
        }
    };
}
pub(crate) use names;
