//! How the catalogue's types declare their stored fields.

/// Declares a record of the catalogue, by [`racun_store::record!`], and implements `Resource` for
/// it.
///
/// Every record has `id`, `entity_id`, `created_at` and `updated_at`. Under `fields` stand those
/// that callers filter and order by; under `unique` methods that answer a hidden value which no two
/// records of an entity may share; under `keys` methods that answer a hidden value by which records
/// are looked up; under `trash` the field that says since when it is in the trash; under `events`
/// the module of `crate::events` that declares what happens to it.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $table:ident: $record:ident, $kind:path, $name:literal,
        events { $event:ident }
        fields { $($field:ident: $field_kind:ident $($how:ident)*,)* }
        unique { $($hidden:ident)* }
        $(keys { $($key:ident)* })?
        trash { $($deleted_at:ident)? }
        $(elsewhere { $bytes:ident })?
    ) => {
        racun_store::record! {
            $(#[$doc])*
            pub static $table: $record = $name;
            |record|
            id: record.id,
            tenant: racun_kernel::Tenant::entity(record.entity_id),
            $(trashed: record.$deleted_at.is_some(),)?
            $(charged_bytes: |own| own + record.$bytes,)?
            fields: {
                racun_store::Field::id() => record.id,
                $(racun_store::Field::$field_kind(stringify!($field))$(.$how())*
                    => record.$field,)*
                racun_store::Field::instant("created_at") => record.created_at,
                racun_store::Field::instant("updated_at") => record.updated_at,
                $(racun_store::Field::instant(stringify!($deleted_at)) => record.$deleted_at,)?
                $(racun_store::Field::text(stringify!($hidden))
                    .unique(racun_store::Unique::Tenant)
                    .hidden() => record.$hidden(),)*
                $($(racun_store::Field::text(stringify!($key)).indexed().hidden()
                    => record.$key(),)*)?
            }
        }

        impl $crate::life_cycle::Resource for $record {
            type Kind = $kind;
            const TABLE: &'static racun_store::Table = &$table;
            const EVENTS: $crate::life_cycle::EventKinds = $crate::life_cycle::EventKinds {
                created: $crate::events::$event::CREATED,
                updated: $crate::events::$event::UPDATED,
                deleted: $crate::events::$event::DELETED,
                restored: $crate::events::$event::RESTORED,
                permanently_deleted: $crate::events::$event::PERMANENTLY_DELETED,
            };

            fn set_updated_at(&mut self, now: time::OffsetDateTime) {
                self.updated_at = now;
            }
        }
    };
}
pub(crate) use record;
