//! How the catalogue's types declare their stored fields: each field is named once, so that a table
//! and its values cannot fall out of step.

use racun_kernel::{Decimal, Id, Kind, Metadata, Value};
use time::OffsetDateTime;

/// A stored field's value as lists see it.
pub trait Declared {
    /// The value.
    fn declared(&self) -> Value;
}

impl<T: Declared> Declared for Option<T> {
    fn declared(&self) -> Value {
        self.as_ref().map_or(Value::Null, Declared::declared)
    }
}

impl Declared for String {
    fn declared(&self) -> Value {
        self.into()
    }
}

impl Declared for &str {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl Declared for bool {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl Declared for i32 {
    fn declared(&self) -> Value {
        i64::from(*self).into()
    }
}

impl Declared for i64 {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl Declared for Decimal {
    fn declared(&self) -> Value {
        self.into()
    }
}

impl Declared for OffsetDateTime {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl Declared for Metadata {
    fn declared(&self) -> Value {
        self.into()
    }
}

impl<K: Kind> Declared for Id<K> {
    fn declared(&self) -> Value {
        (*self).into()
    }
}

impl<K: Kind> Declared for Vec<Id<K>> {
    fn declared(&self) -> Value {
        Value::List(self.iter().map(ToString::to_string).collect())
    }
}

/// Declares a record's table and implements `Record` and `Resource` for it.
///
/// Every record has `id`, `entity_id`, `created_at` and `updated_at`. Under `fields` stand those
/// that callers filter and order by; under `unique` methods that answer a hidden value which no two
/// records of an entity may share; under `keys` methods that answer a hidden value by which records
/// are looked up; under `trash` the field that says since when it is in the trash; under `events`
/// the first part of its events' names.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $table:ident: $record:ident, $kind:path, $name:literal,
        events { $event:literal }
        fields { $($field:ident: $field_kind:ident $($how:ident)*,)* }
        unique { $($hidden:ident)* }
        $(keys { $($key:ident)* })?
        trash { $($deleted_at:ident)? }
        $(elsewhere { $bytes:ident })?
    ) => {
        $(#[$doc])*
        pub static $table: racun_kernel::Table = racun_kernel::Table {
            name: $name,
            fields: &[
                racun_kernel::Field::id(),
                $(racun_kernel::Field::column(
                    stringify!($field),
                    racun_kernel::FieldKind::$field_kind,
                )$(.$how())*,)*
                racun_kernel::Field::column("created_at", racun_kernel::FieldKind::Instant),
                racun_kernel::Field::column("updated_at", racun_kernel::FieldKind::Instant),
                $(racun_kernel::Field::column(
                    stringify!($deleted_at),
                    racun_kernel::FieldKind::Instant,
                ),)?
                $(racun_kernel::Field::column(
                    stringify!($hidden),
                    racun_kernel::FieldKind::Text,
                ).unique(racun_kernel::Unique::Tenant).hidden(),)*
                $($(racun_kernel::Field::column(
                    stringify!($key),
                    racun_kernel::FieldKind::Text,
                ).indexed().hidden(),)*)?
            ],
        };

        impl racun_kernel::Record for $record {
            fn table(&self) -> &'static racun_kernel::Table {
                &$table
            }

            fn id(&self) -> String {
                self.id.to_string()
            }

            fn tenant(&self) -> racun_kernel::Tenant {
                racun_kernel::Tenant::entity(self.entity_id)
            }

            fn values(&self) -> Vec<racun_kernel::Value> {
                use $crate::record::Declared as _;
                vec![
                    self.id.declared(),
                    $(self.$field.declared(),)*
                    self.created_at.declared(),
                    self.updated_at.declared(),
                    $(self.$deleted_at.declared(),)?
                    $(self.$hidden().declared(),)*
                    $($(self.$key().declared(),)*)?
                ]
            }

            $(fn is_trashed(&self) -> bool {
                self.$deleted_at.is_some()
            })?

            $(fn bytes_elsewhere(&self) -> i64 {
                self.$bytes
            })?
        }

        impl $crate::life_cycle::Resource for $record {
            type Kind = $kind;
            const TABLE: &'static racun_kernel::Table = &$table;
            const EVENTS: $crate::life_cycle::EventKinds = $crate::life_cycle::EventKinds {
                created: concat!($event, ".created"),
                updated: concat!($event, ".updated"),
                deleted: concat!($event, ".deleted"),
                restored: concat!($event, ".restored"),
                permanently_deleted: concat!($event, ".permanently_deleted"),
            };

            fn set_updated_at(&mut self, now: time::OffsetDateTime) {
                self.updated_at = now;
            }
        }
    };
}
pub(crate) use record;
