//! What tax authorities know a user by, entity by entity: kept in the user's settings.

use racun_kernel::id::{EntityId, UserId};
use racun_kernel::{Authority, Issue, Issues, OperatorIdentity, Scope, Tenant};
use racun_store::{Context, Decision};
use serde_json::{Map, Value as Json};

use crate::account::event;
use crate::email::check_name;
use crate::events;
use crate::operator::list_operators;
use crate::permission::require;
use crate::{AccessError, Permission, USERS, User};

/// What the label is called in settings and bodies.
const LABEL: &str = "operator_label";

/// Digits of a Portuguese tax number (NIF).
const PORTUGUESE_DIGITS: usize = 9;

/// The settings' key.
fn key(authority: Authority, entity: EntityId) -> String {
    format!("{}_{entity}", authority.name())
}

/// Keeps what `authority` knows the user by in the scope's entity, in the place of what was kept.
///
/// # Errors
/// [`AccessError::Forbidden`] to viewers and operators; [`AccessError::Invalid`] for a number that
/// is none, or a blank label; [`AccessError::NotFound`] when the user is gone.
pub async fn set_operator_identity(
    cx: Context<'_>,
    user_id: UserId,
    authority: Authority,
    identity: OperatorIdentity,
) -> Result<User, AccessError> {
    require(cx.scope, Permission::WriteRecords)?;
    let (key, kept) = checked(cx.scope, authority, identity)?;
    keep(cx, user_id, key, kept).await
}

/// What Portuguese documents say of the person who issues them. What is `None` is not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortugueseOperator {
    /// Their first name.
    pub first_name: Option<String>,
    /// Their last name.
    pub last_name: Option<String>,
    /// Their tax number (NIF).
    pub tax_number: Option<String>,
}

/// Keeps what Portuguese documents of the scope's entity are to say of the user, in the place of
/// what was kept (contract 16.1).
///
/// # Errors
/// [`AccessError::Forbidden`] to viewers and operators; [`AccessError::Invalid`] for a blank name,
/// or a tax number that is not nine digits; [`AccessError::NotFound`] when the user is gone.
pub async fn set_portuguese_operator(
    cx: Context<'_>,
    user_id: UserId,
    operator: PortugueseOperator,
) -> Result<User, AccessError> {
    require(cx.scope, Permission::WriteRecords)?;
    let (key, kept) = (format!("pt_{}", cx.scope.entity()), checked_portuguese(operator)?);
    keep(cx, user_id, key, kept).await
}

/// What Portuguese documents of `entity` are to say of `user`, when they said so.
#[must_use]
pub fn portuguese_operator(user: &User, entity: EntityId) -> Option<PortugueseOperator> {
    let kept = user.settings.get(&format!("pt_{entity}"))?;
    let text = |field: &str| kept.get(field).and_then(Json::as_str).map(str::to_owned);
    Some(PortugueseOperator {
        first_name: text("operator_first_name"),
        last_name: text("operator_last_name"),
        tax_number: text("operator_tax_number"),
    })
}

/// Keeps `kept` under `key` in the user's settings; nothing under it when it is empty.
async fn keep(
    cx: Context<'_>,
    user_id: UserId,
    key: String,
    kept: Map<String, Json>,
) -> Result<User, AccessError> {
    let (at, actor) = (cx.stamp.clone(), cx.scope.principal().id());
    let change = move |mut user: User| {
        let before = user.settings.clone();
        match kept.is_empty() {
            true => drop(user.settings.remove(&key)),
            false => drop(user.settings.insert(key, Json::Object(kept))),
        }
        if user.settings == before {
            return Ok(Decision::Unchanged(user));
        }
        user.updated_at = at.now();
        let tenant = Tenant::account(user.account_id);
        let happened = event(tenant, events::user::UPDATED, &user.id, &actor, &at);
        Ok::<_, AccessError>(Decision::changed(user, vec![happened]))
    };
    cx.store.amend(&USERS, &Tenant::directory(), user_id.to_string(), change).await
}

/// The settings' key and value.
fn checked(
    scope: &Scope,
    authority: Authority,
    identity: OperatorIdentity,
) -> Result<(String, Map<String, Json>), Issues> {
    let OperatorIdentity { number, label } = identity;
    let mut issues = Issues::default();
    let mut kept = Map::new();
    if let Some(number) = number {
        let checked = authority.check_number(&number).map_err(Issues::from);
        issues.collect(authority.number_field(), checked);
        kept.insert(authority.number_field().to_owned(), number.into());
    }
    if let Some(label) = label {
        issues.collect(LABEL, check_name(&label));
        kept.insert(LABEL.to_owned(), label.into());
    }
    issues.into_result((key(authority, scope.entity()), kept))
}

fn checked_portuguese(operator: PortugueseOperator) -> Result<Map<String, Json>, Issues> {
    let PortugueseOperator { first_name, last_name, tax_number } = operator;
    let (mut issues, mut kept) = (Issues::default(), Map::new());
    for (field, name) in [("operator_first_name", first_name), ("operator_last_name", last_name)] {
        if let Some(name) = name {
            issues.collect(field, check_name(&name));
            kept.insert(field.to_owned(), name.into());
        }
    }
    if let Some(number) = tax_number {
        let are_digits = number.bytes().all(|byte| byte.is_ascii_digit());
        if number.len() != PORTUGUESE_DIGITS || !are_digits {
            let message = "expected a Portuguese tax number: nine digits";
            issues.push(Issue::new("invalid_value", message).at("operator_tax_number"));
        }
        kept.insert("operator_tax_number".to_owned(), number.into());
    }
    issues.into_result(kept)
}

impl User {
    /// What is odd about what authorities know the user by: tax numbers that cannot be.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        for authority in [Authority::Furs, Authority::Fina] {
            let prefix = format!("{}_", authority.name());
            let field = authority.number_field();
            for (key, kept) in self.settings.iter().filter(|(key, _)| key.starts_with(&prefix)) {
                let number = kept.get(field).and_then(Json::as_str);
                if let Some(issue) = authority.warning(number) {
                    found.push(issue.at(field).at(key.as_str()).at("settings"));
                }
            }
        }
        found
    }
}

/// What `authority` knows `user` by in `entity`, when they said so.
pub(crate) fn operator_identity(
    user: &User,
    entity: EntityId,
    authority: Authority,
) -> Option<OperatorIdentity> {
    let kept = user.settings.get(&key(authority, entity))?;
    let text = |field: &str| kept.get(field).and_then(Json::as_str).map(str::to_owned);
    Some(OperatorIdentity { number: text(authority.number_field()), label: text(LABEL) })
}

/// Who may take over a till of the entity and told `authority` who they are: their names and what
/// it knows them by, by name.
///
/// # Errors
/// When the store fails.
pub async fn list_operator_identities(
    cx: Context<'_>,
    authority: Authority,
) -> Result<Vec<(String, OperatorIdentity)>, AccessError> {
    require(cx.scope, Permission::ReadFiscal)?;
    let operators = list_operators(cx).await?;
    let ids: Vec<String> = operators.iter().map(|operator| operator.user_id.to_string()).collect();
    let users: Vec<User> = cx.store.get_all(&USERS, &Tenant::directory(), &ids).await?;
    let told = operators.into_iter().filter_map(|operator| {
        let user = users.iter().find(|user| user.id == operator.user_id)?;
        Some((operator.name, operator_identity(user, cx.scope.entity(), authority)?))
    });
    Ok(told.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_their_authority() {
        for (authority, text, accepted) in [
            (Authority::Furs, "12345678", true),
            (Authority::Furs, "1234567", false),
            (Authority::Furs, "01234567", false),
            (Authority::Furs, "SI12345678", false),
            (Authority::Furs, "１２３４５６７８", false),
            // The worked example of the authority's page on the OIB.
            (Authority::Fina, "69435151530", true),
            (Authority::Fina, "69435151531", false),
            (Authority::Fina, "6943515153", false),
            (Authority::Fina, "HR69435151530", false),
            (Authority::Fina, "", false),
        ] {
            assert_eq!(authority.check_number(text).is_ok(), accepted, "{authority:?} {text}");
        }
    }
}
