//! The one table of who may do what.

use racun_kernel::{Principal, Role, Scope};

use crate::{AccessError, Entity, Forbidden};

/// A kind of operation, as far as roles tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Reading what a till works with: documents, payments, customers, suppliers, items, taxes,
    /// categories, units, tables, tabs, business premises and devices, and who its operators are.
    ReadTill,
    /// Selling: making and issuing documents, recording payments, using tabs, closing a day, and
    /// handing the till over to another operator.
    Sell,
    /// Having a PIN: setting and removing one's own; with [`Permission::ManagePeople`] anybody's.
    SetPin,
    /// Reading all other records, reports and exports.
    ReadRecords,
    /// Making and changing documents and master data, moving them to the trash and back, sending.
    WriteRecords,
    /// Permanently deleting what is in the trash.
    EraseRecords,
    /// Deleting business units.
    DeleteUnits,
    /// Reading the entity and its settings.
    ReadEntity,
    /// Changing the entity and its settings, and webhooks.
    ManageEntity,
    /// Reading fiscal settings and the public data of certificates, the internal act included.
    ReadFiscal,
    /// Changing what tax authorities receive: fiscal settings, certificates, premises, devices.
    ManageFiscal,
    /// Reading who belongs to the entity and who is invited.
    ReadPeople,
    /// Inviting and removing people, and changing their roles.
    ManagePeople,
    /// Reading, making and deleting the entity's API keys.
    ManageKeys,
    /// Reading the entity's subscription, the plans there are, and what they allow.
    ReadBilling,
    /// Choosing plans, and where bills are sent.
    ManageBilling,
    /// Reading what is still to be done for the entity, and what was given up.
    ReadJobs,
    /// Restarting jobs that were given up.
    RetryJobs,
    /// Reading webhooks, and the log of what was posted to them.
    ReadWebhooks,
    /// Reading the log of requests, in which is what all callers sent.
    ReadRequests,
}

impl Permission {
    /// Whether an operation of this kind changes anything.
    #[must_use]
    pub const fn writes(self) -> bool {
        match self {
            Self::ReadTill
            | Self::ReadRecords
            | Self::ReadEntity
            | Self::ReadFiscal
            | Self::ReadBilling
            | Self::ReadPeople
            | Self::ReadWebhooks
            | Self::ReadRequests
            | Self::ReadJobs => false,
            Self::Sell
            | Self::SetPin
            | Self::WriteRecords
            | Self::EraseRecords
            | Self::DeleteUnits
            | Self::ManageEntity
            | Self::ManageFiscal
            | Self::ManagePeople
            | Self::ManageKeys
            | Self::ManageBilling
            | Self::RetryJobs => true,
        }
    }
}

/// Whether `principal` in `role` may do what `permission` says.
///
/// An entity key belongs to no user. It has an editor's permissions on records, and none on people,
/// keys or fiscal settings; it may sell and hand a till over, because many tills have no other
/// token. An operator has, at a till only, the permissions of their role in the entity. Jobs have
/// an editor's.
#[must_use]
pub fn permits(principal: Principal, role: Role, permission: Permission) -> bool {
    use Permission::{
        DeleteUnits, EraseRecords, ManageBilling, ManageEntity, ManageFiscal, ManageKeys,
        ManagePeople, ReadBilling, ReadEntity, ReadFiscal, ReadJobs, ReadPeople, ReadRecords,
        ReadRequests, ReadTill, ReadWebhooks, RetryJobs, Sell, SetPin, WriteRecords,
    };
    let (least, with_entity_key, at_till) = match permission {
        ReadTill => (Role::Viewer, true, true),
        Sell => (Role::Editor, true, true),
        SetPin => (Role::Editor, false, true),
        ReadRecords | ReadEntity => (Role::Viewer, true, false),
        ReadFiscal | ReadPeople => (Role::Viewer, false, false),
        WriteRecords => (Role::Editor, true, false),
        ReadBilling => (Role::Editor, false, false),
        EraseRecords | DeleteUnits | ManageEntity | ManageFiscal | ManagePeople | ManageKeys
        | ManageBilling | ReadJobs | RetryJobs | ReadWebhooks | ReadRequests => {
            (Role::Admin, false, false)
        }
    };
    let reached = match principal {
        Principal::EntityKey(_) => with_entity_key,
        Principal::Operator(_) => at_till,
        Principal::User(_) | Principal::AccountKey(_) | Principal::System => true,
    };
    reached && role >= least
}

/// Accepts an operation in `entity`, which `scope` was entered with.
///
/// A disabled entity can be read, and [`Permission::ManageEntity`] reaches it so that it can be
/// enabled again; [`crate::change_entity`] refuses every other change.
///
/// # Errors
/// [`Forbidden::InsufficientRole`] or [`Forbidden::PosOperatorScope`], then
/// [`Forbidden::EntityDisabled`].
pub fn authorize(
    scope: &Scope,
    entity: &Entity,
    permission: Permission,
) -> Result<(), AccessError> {
    require(scope, permission)?;
    let reaches_disabled = !permission.writes() || permission == Permission::ManageEntity;
    if entity.is_enabled || reaches_disabled {
        Ok(())
    } else {
        Err(Forbidden::EntityDisabled.into())
    }
}

/// Accepts what `scope` permits, of an entity that may be disabled.
pub(crate) fn require(scope: &Scope, permission: Permission) -> Result<(), AccessError> {
    if permits(scope.principal(), scope.role(), permission) {
        Ok(())
    } else if let Principal::Operator(_) = scope.principal() {
        Err(Forbidden::PosOperatorScope.into())
    } else {
        Err(Forbidden::InsufficientRole.into())
    }
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    /// `viewer editor admin account-key entity-key job operator viewer's-operator`, `x` where it
    /// may.
    fn row(permission: Permission) -> String {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let user = Principal::User(stamp.id());
        let cells = [
            permits(user, Role::Viewer, permission),
            permits(user, Role::Editor, permission),
            permits(user, Role::Admin, permission),
            permits(Principal::AccountKey(stamp.id()), Role::Admin, permission),
            permits(Principal::EntityKey(stamp.id()), Role::Editor, permission),
            permits(Principal::System, Role::Editor, permission),
            permits(Principal::Operator(stamp.id()), Role::Admin, permission),
            permits(Principal::Operator(stamp.id()), Role::Viewer, permission),
        ];
        cells.map(|may| if may { "x" } else { "-" }).join(" ")
    }

    #[test]
    fn the_permission_table_is_this() {
        // viewer, editor, admin, account key, entity key, job, an admin as operator, a viewer as
        // one
        for (permission, expected) in [
            (Permission::ReadTill, "x x x x x x x x"),
            (Permission::Sell, "- x x x x x x -"),
            (Permission::SetPin, "- x x x - x x -"),
            (Permission::ReadRecords, "x x x x x x - -"),
            (Permission::WriteRecords, "- x x x x x - -"),
            (Permission::EraseRecords, "- - x x - - - -"),
            (Permission::DeleteUnits, "- - x x - - - -"),
            (Permission::ReadEntity, "x x x x x x - -"),
            (Permission::ManageEntity, "- - x x - - - -"),
            (Permission::ReadFiscal, "x x x x - x - -"),
            (Permission::ManageFiscal, "- - x x - - - -"),
            (Permission::ReadPeople, "x x x x - x - -"),
            (Permission::ManagePeople, "- - x x - - - -"),
            (Permission::ManageKeys, "- - x x - - - -"),
            (Permission::ReadBilling, "- x x x - x - -"),
            (Permission::ManageBilling, "- - x x - - - -"),
            (Permission::ReadJobs, "- - x x - - - -"),
            (Permission::RetryJobs, "- - x x - - - -"),
            (Permission::ReadWebhooks, "- - x x - - - -"),
            (Permission::ReadRequests, "- - x x - - - -"),
        ] {
            assert_eq!(row(permission), expected, "{permission:?}");
        }
    }
}
