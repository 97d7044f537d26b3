//! The log as an entity's members read it.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::{API_KEYS, ApiKey, USERS, User};
use racun_kernel::{Issues, Tenant};
use racun_store::{
    ACTIVITIES, Activity, ActorType, Clause, Context, ListQuery, Operator, Page, RawQuery,
    StoreError,
};

/// Fields by which the log is filtered with a parameter of their own, too.
pub const FILTERS: [&str; 3] = ["resource_type", "resource_id", "action"];

/// Why the log is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivitiesError {
    /// The query cannot be understood.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An entry, and the current name of its actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The entry.
    pub activity: Activity,
    /// The person's name, or else e-mail address; the key's name. `None` for jobs and for whom is
    /// gone.
    pub actor: Option<String>,
}

/// The page of the entity's log that `raw` asks for, newest first unless it says otherwise, of
/// entries whose [`FILTERS`] have these values, where there are any.
///
/// # Errors
/// [`ActivitiesError`].
pub async fn list(
    cx: Context<'_>,
    raw: &RawQuery,
    filters: [Option<String>; 3],
) -> Result<Page<Labelled>, ActivitiesError> {
    let mut query = ListQuery::parse(&ACTIVITIES, raw)?;
    for (name, value) in FILTERS.into_iter().zip(filters) {
        let clause = |text: String| Clause::on(&ACTIVITIES, name, Operator::In(vec![text.into()]));
        query.clauses.extend(value.map(clause));
    }
    let page = cx.store.page::<Activity>(&ACTIVITIES, &cx.tenant(), &query).await?;
    let labels = labels(cx, &page.rows).await?;
    let rows = page.rows.into_iter().map(|activity| {
        let actor = activity.actor_id.as_ref().and_then(|id| labels.get(id).cloned());
        Labelled { activity, actor }
    });
    Ok(Page { rows: rows.collect(), pagination: page.pagination })
}

/// What those are called who did `activities`, by their ids.
async fn labels(
    cx: Context<'_>,
    activities: &[Activity],
) -> Result<BTreeMap<String, String>, StoreError> {
    let ids = |kind: ActorType| -> Vec<String> {
        let of_kind = activities.iter().filter(|activity| activity.actor_type == kind);
        let ids: BTreeSet<&String> = of_kind.filter_map(|one| one.actor_id.as_ref()).collect();
        ids.into_iter().cloned().collect()
    };
    let users: Vec<User> =
        cx.store.get_all(&USERS, &Tenant::directory(), &ids(ActorType::User)).await?;
    let name = |user: User| (user.id.to_string(), user.name.unwrap_or(user.email));
    let mut labels: BTreeMap<String, String> = users.into_iter().map(name).collect();
    let keys = ids(ActorType::ApiKey);
    for owner in [cx.scope.tenant(), Tenant::account(cx.scope.account())] {
        let found: Vec<ApiKey> = cx.store.get_all(&API_KEYS, &owner, &keys).await?;
        labels.extend(found.into_iter().map(|key| (key.id.to_string(), key.name)));
    }
    Ok(labels)
}
