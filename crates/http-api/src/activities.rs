//! Routes of the log of what happened.

use actix_web::web::{self};
use racun_access::Permission::ReadRecords;
use racun_background::activities::{self, FILTERS, Labelled};
use racun_store::Page;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer;
use crate::body::{Convert, ListBody};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::{Gate, LIST, Parameter, Route};
/// Routes of the log.
pub(crate) const ROUTES: &[Route] =
    &[Route::get("/activities", "listActivities", Gate::Entity(ReadRecords), || web::to(list))
        .about(
            "Activities",
            "Lists what happened in the entity, newest first. Entries never change.",
        )
        .reads(LIST)
        .reads_also(PLAIN)
        .answers::<ListBody<ActivityBody>>()];

const PLAIN: &[Parameter] = &[
    Parameter::text(
        FILTERS[0],
        "Only what happened to such resources: Invoice, Customer, Payment.",
    ),
    Parameter::text(FILTERS[1], "Only what happened to the resource with this id."),
    Parameter::text(FILTERS[2], "Only what was done so: created, updated, voided."),
];

/// Something that happened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Activity)]
struct ActivityBody {
    /// Its id.
    id: String,
    /// The entity it happened in.
    entity_id: String,
    /// What sort of resource it happened to: `Invoice`, `Customer`, `Payment`.
    resource_type: String,
    /// The resource's id.
    resource_id: String,
    /// What was done: `created`, `updated`, `deleted`, `voided`.
    action: String,
    /// The kind of actor: `user`, `system`, `api_key`, `cron` or `webhook`.
    actor_type: String,
    /// The id of the person or key.
    #[schema(required = true)]
    actor_id: Option<String>,
    /// What the person or key is called now.
    #[schema(required = true)]
    actor_label: Option<String>,
    /// What else is known.
    details: DetailsBody,
    /// What is not as it was.
    #[schema(required = true)]
    changes: Option<ChangesBody>,
    /// When.
    created_at: String,
}

/// What else is known of something that happened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityDetails)]
struct DetailsBody {
    /// Its name, as receivers of events know it: `invoice.created`.
    event: String,
}

/// What is not as it was.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityChanges)]
struct ChangesBody {
    /// The names of the fields; no values.
    fields: Vec<String>,
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let filter = |name| query.one(name).map(|value| value.map(str::to_owned));
    let filters = [filter(FILTERS[0])?, filter(FILTERS[1])?, filter(FILTERS[2])?];
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = activities::list(call.cx(), &raw, filters).await?;
        let entity = call.scope().entity().to_string();
        let rows = page.rows.into_iter().map(|row| body(row, entity.clone())).collect();
        Ok(ListBody::of(Page { rows, pagination: page.pagination }))
    });
    page.await
}

fn body(Labelled { activity, actor }: Labelled, entity_id: String) -> ActivityBody {
    ActivityBody {
        id: activity.id.to_string(),
        entity_id,
        resource_type: activity.resource_type,
        resource_id: activity.resource_id,
        action: activity.action,
        actor_type: activity.actor_type.name().to_owned(),
        actor_id: activity.actor_id,
        actor_label: actor,
        details: DetailsBody { event: activity.kind },
        changes: (!activity.fields.is_empty()).then_some(ChangesBody { fields: activity.fields }),
        created_at: activity.created_at.convert(),
    }
}
