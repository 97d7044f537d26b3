//! One declaration of a record: its table, its fields, and the value of each.

use racun_kernel::{Classification, Currency, Decimal, DocumentId, Id, Kind, Metadata};
use time::{Date, OffsetDateTime};

use crate::Value;

/// A type whose values lists filter and order by.
pub trait Declared {
    /// The value as lists see it.
    fn declared(&self) -> Value;
}

impl<T: Declared + ?Sized> Declared for &T {
    fn declared(&self) -> Value {
        (**self).declared()
    }
}

impl<T: Declared> Declared for Option<T> {
    fn declared(&self) -> Value {
        self.as_ref().map_or(Value::Null, Declared::declared)
    }
}

impl Declared for Value {
    fn declared(&self) -> Value {
        self.clone()
    }
}

impl Declared for str {
    fn declared(&self) -> Value {
        self.into()
    }
}

impl Declared for Vec<String> {
    fn declared(&self) -> Value {
        Value::List(self.clone())
    }
}

impl<K: Kind> Declared for Vec<Id<K>> {
    fn declared(&self) -> Value {
        Value::List(self.iter().map(ToString::to_string).collect())
    }
}

impl<K: Kind> Declared for Id<K> {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl Declared for DocumentId {
    fn declared(&self) -> Value {
        self.to_string().into()
    }
}

impl Declared for Currency {
    fn declared(&self) -> Value {
        self.code().into()
    }
}

impl Declared for Classification {
    fn declared(&self) -> Value {
        self.name().into()
    }
}

/// Types that a value takes a reference of.
macro_rules! by_reference {
    ($($type:ty)*) => {
        $(impl Declared for $type {
            fn declared(&self) -> Value {
                self.into()
            }
        })*
    };
}
by_reference!(String Decimal Metadata);

/// Types that a value takes a copy of, some of them as another number.
macro_rules! by_copy {
    ($($type:ty as $number:ty),*) => {
        $(impl Declared for $type {
            fn declared(&self) -> Value {
                <$number>::from(*self).into()
            }
        })*
    };
}
by_copy!(bool as bool, Date as Date, OffsetDateTime as OffsetDateTime, i64 as i64);
by_copy!(i32 as i64, u32 as i64, u16 as i64, u8 as i64);

/// Declares a record: implements [`Record`](crate::Record) for a type and makes its
/// [`Table`](crate::Table).
///
/// Each field stands beside its value, so that a table and its values cannot differ in order or
/// number. Between the bars stands the name of the record in all expressions that follow. Under
/// `where` may stand statements that the values have in common.
///
/// ```
/// use racun_kernel::id::{EntityId, ItemId};
/// use racun_kernel::Tenant;
/// use racun_store::{Field, Record as _, Value, record};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Thing {
///     id: ItemId,
///     entity_id: EntityId,
///     name: Option<String>,
///     #[serde(with = "time::serde::rfc3339")]
///     created_at: time::OffsetDateTime,
/// }
///
/// record! {
///     /// Where things are kept: with their entity.
///     pub static THINGS: Thing = "things";
///     |thing|
///     id: thing.id,
///     tenant: Tenant::entity(thing.entity_id),
///     fields: {
///         Field::id() => thing.id,
///         Field::text("name").searched() => thing.name,
///         Field::instant("created_at") => thing.created_at,
///     }
/// }
///
/// let thing = Thing {
///     id: ItemId::new(1_u128.into()),
///     entity_id: EntityId::new(2_u128.into()),
///     name: Some("Žaga".to_owned()),
///     created_at: time::OffsetDateTime::UNIX_EPOCH,
/// };
/// assert_eq!(thing.value("name"), Value::from("Žaga"));
/// let body = serde_json::to_string(&thing)?;
/// let kept = (THINGS.refill)(&body)?;
/// assert_eq!((kept.values, kept.search.as_str()), (thing.values(), "zaga"));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// A type that is kept in several tables names that of a record after its own name, and declares
/// the tables from its constant `FIELDS`: `|document: Document| in document.kind().table(), id: …`.
#[macro_export]
macro_rules! record {
    (
        $(#[$doc:meta])*
        $visibility:vis static $table:ident: $record:ty = $name:literal;
        |$this:ident| $($rest:tt)*
    ) => {
        $(#[$doc])*
        $visibility static $table: $crate::Table =
            $crate::Table::new::<$record>($name, <$record>::FIELDS);

        $crate::record! { |$this: $record| in &$table, $($rest)* }
    };
    (
        |$this:ident: $record:ty| in $table:expr,
        id: $id:expr,
        tenant: $tenant:expr,
        $(trashed: $trashed:expr,)?
        $(charged_bytes: |$own:ident| $bytes:expr,)?
        $(where { $($given:tt)* })?
        fields: { $($field:expr => $value:expr),+ $(,)? }
    ) => {
        impl $record {
            /// The declared fields.
            pub(crate) const FIELDS: &'static [$crate::Field] = &[$($field),+];
        }

        impl $crate::Record for $record {
            fn table(&self) -> &'static $crate::Table {
                let $this = self;
                let _ = $this;
                $table
            }

            fn id(&self) -> String {
                let $this = self;
                let _ = $this;
                ($id).to_string()
            }

            fn tenant(&self) -> $crate::Tenant {
                let $this = self;
                let _ = $this;
                $tenant
            }

            fn values(&self) -> Vec<$crate::Value> {
                use $crate::Declared as _;
                let $this = self;
                $($($given)*)?
                vec![$(($value).declared()),+]
            }

            $(fn is_trashed(&self) -> bool {
                let $this = self;
                $trashed
            })?

            $(fn charged_bytes(&self, $own: i64) -> i64 {
                let $this = self;
                let _ = $this;
                $bytes
            })?
        }
    };
}
