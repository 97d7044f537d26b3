//! What can happen to records: the declaration of an event.

use std::fmt;

use crate::Table;

/// A kind of event, as [`events!`](crate::events) declares it.
///
/// There is no other way to make one: an event that is not declared does not compile.
#[derive(Debug, Clone, Copy)]
pub struct EventKind {
    name: &'static str,
    action: Option<&'static str>,
    table: Option<&'static Table>,
    receivers: Option<Receivers>,
}

/// Whose webhook endpoints may subscribe to a kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receivers {
    /// Those of an entity.
    Entity,
    /// Those of an account.
    Account,
}

impl EventKind {
    /// For [`events!`](crate::events): the kind `name` of events on records of `table`.
    #[doc(hidden)]
    #[must_use]
    pub const fn declare(name: &'static str, table: Option<&'static Table>) -> Self {
        Self { name, action: None, table, receivers: None }
    }

    /// For [`events!`](crate::events): the same kind, published to `receivers`.
    #[doc(hidden)]
    #[must_use]
    pub const fn to(self, receivers: Receivers) -> Self {
        Self { receivers: Some(receivers), ..self }
    }

    /// For [`events!`](crate::events): the same kind, which activities show as `action`.
    #[doc(hidden)]
    #[must_use]
    pub const fn says(self, action: &'static str) -> Self {
        Self { action: Some(action), ..self }
    }

    /// Its name in the log and for receivers: `invoice.created`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Where the records are kept that it happens to; `None` where the interface lists the event,
    /// and nothing is kept that it could happen to.
    #[must_use]
    pub const fn table(self) -> Option<&'static Table> {
        self.table
    }

    /// Who may subscribe to it. Other kinds are in the log alone.
    #[must_use]
    pub const fn receivers(self) -> Option<Receivers> {
        self.receivers
    }

    /// Whether there are endpoints that may subscribe to it.
    #[must_use]
    pub const fn is_published(self) -> bool {
        self.receivers.is_some()
    }

    /// What sort of record it happens to: `invoice`, `e_invoicing.submission`.
    #[must_use]
    pub fn resource(self) -> &'static str {
        self.name.rsplit_once('.').map_or(self.name, |(resource, _)| resource)
    }

    /// What was done, as activities show it.
    #[must_use]
    pub fn action(self) -> &'static str {
        let named = self.name.rsplit_once('.').map_or("updated", |(_, action)| action);
        self.action.unwrap_or(named)
    }
}

impl PartialEq for EventKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for EventKind {}

impl PartialEq<&str> for EventKind {
    fn eq(&self, name: &&str) -> bool {
        self.name == *name
    }
}

impl PartialEq<str> for EventKind {
    fn eq(&self, name: &str) -> bool {
        self.name == name
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares what can happen to the records of a table, once for all that write, list or publish it.
///
/// Each event becomes a constant [`EventKind`] in the module of its record, and the module's `ALL`
/// lists them in their order. `to` says whose endpoints may subscribe; without it, the event is in
/// the log alone. `says` names what activities show as the action where the name's last part does
/// not.
///
/// ```
/// # mod shop {
/// # use racun_kernel::Tenant;
/// # use racun_store::{Field, Table, record};
/// # #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// # pub struct Parcel { id: String, created_at: time::OffsetDateTime }
/// # record! {
/// #     /// Parcels.
/// #     pub static PARCELS: Parcel = "parcels";
/// #     |parcel|
/// #     id: parcel.id,
/// #     tenant: Tenant::directory(),
/// #     fields: { Field::instant("created_at") => parcel.created_at }
/// # }
/// racun_store::events! {
///     /// What happens to parcels.
///     pub mod parcel on PARCELS {
///         CREATED = "parcel.created" to Entity,
///         WEIGHED = "parcel.weighed",
///     }
/// }
/// # pub fn check() {
/// assert!(parcel::CREATED.is_published() && !parcel::WEIGHED.is_published());
/// assert_eq!(parcel::ALL, [parcel::CREATED, parcel::WEIGHED]);
/// # }
/// # }
/// # shop::check();
/// ```
#[macro_export]
macro_rules! events {
    (@table) => { None };
    (@table $table:ident) => { Some(&super::$table) };
    ($(
        $(#[$doc:meta])*
        $visibility:vis mod $record:ident $(on $table:ident)? {
            $($kind:ident = $name:literal $(to $receivers:ident)? $(says $action:literal)?),+
            $(,)?
        }
    )+) => {$(
        $(#[$doc])*
        $visibility mod $record {
            const TABLE: Option<&$crate::Table> = $crate::events!(@table $($table)?);
            $(
                #[doc = concat!("The event `", $name, "`.")]
                pub const $kind: $crate::EventKind =
                    $crate::EventKind::declare($name, TABLE)
                        $(.to($crate::Receivers::$receivers))?
                        $(.says($action))?;
            )+
            /// All of them, in the order in which they are listed.
            #[allow(dead_code, reason = "private events may not be listed anywhere")]
            pub const ALL: &[$crate::EventKind] = &[$($kind),+];
        }
    )+};
}
