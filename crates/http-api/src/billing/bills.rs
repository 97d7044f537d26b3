//! Bills of subscriptions as the operator sees them, and ends them by hand.

use actix_web::HttpRequest;
use actix_web::web;
use racun_kernel::Issue;
use racun_kernel::id::{EntityId, UsageMonthId};
use racun_sales::billing::{self, BillEnd};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::managing::{KEY, authorize};
use super::subscriptions::BillBody;
use crate::answer::Json;
use crate::body::AllBody;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};

const TAG: &str = "White labels";

/// Characters of a reference.
const MAX_REFERENCE_CHARS: usize = 255;

/// Routes by which the operator ends what no event tells: money that came by bank, and payments by
/// card of which the processor said nothing.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/operator/entities/{entity_id}/bills", "listBillsOfEntity", Gate::Open, || {
        web::to(list)
    })
    .about(TAG, "Lists what an entity's months that are over were charged, the newest first.")
    .explained(KEY)
    .checks_sender()
    .may_lack()
    .answers::<AllBody<BillBody>>(),
    Route::post(
        "/operator/entities/{entity_id}/bills/{bill_id}/end",
        "endBillOfEntity",
        Gate::Open,
        || web::to(end),
    )
    .about(TAG, "Says how the payment of a bill ended: it is paid, or a card is tried again.")
    .explained(KEY)
    .checks_sender()
    .may_lack()
    .takes::<EndInputBody>()
    .answers::<BillBody>(),
];

/// How a payment ended.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BillOutcome)]
enum OutcomeBody {
    /// The money is there. Where the white label names who invoices, the bill is invoiced.
    Paid,
    /// The payment that is under way took nothing: the card is tried again, as after a decline.
    NotPaid,
}

/// Body of `POST /operator/entities/{entity_id}/bills/{bill_id}/end`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = BillEndInput)]
struct EndInputBody {
    outcome: OutcomeBody,
    /// What the payment is known by at the processor or the bank; needed where it is paid.
    reference: Option<String>,
}

impl EndInputBody {
    fn end(self) -> Result<BillEnd, Issue> {
        let reference = self.reference.map(|text| text.trim().to_owned()).unwrap_or_default();
        match self.outcome {
            OutcomeBody::NotPaid => Ok(BillEnd::NotPaid),
            OutcomeBody::Paid if reference.is_empty() => {
                let message = "say what the payment is known by at the processor or the bank";
                Err(Issue::new("required", message).at("reference"))
            }
            OutcomeBody::Paid if reference.chars().count() > MAX_REFERENCE_CHARS => {
                let message = format!("at most {MAX_REFERENCE_CHARS} characters");
                Err(Issue::new("too_long", message).at("reference"))
            }
            OutcomeBody::Paid => Ok(BillEnd::Paid(reference)),
        }
    }
}

fn entity_of(request: &HttpRequest) -> Result<EntityId, ApiError> {
    let id = request.match_info().query("entity_id");
    id.parse().map_err(|_| ApiError::not_found(id))
}

async fn list(call: Call<()>, request: HttpRequest) -> Result<Json<AllBody<BillBody>>, ApiError> {
    authorize(&call, &request)?;
    let entity = entity_of(&request)?;
    let (bills, own) = billing::bills_of(call.store(), entity, call.stamp()).await?;
    let bills = bills.into_iter().map(|bill| BillBody::of(bill, &own.currency));
    Ok(Json(AllBody::of(bills.collect())))
}

async fn end(
    call: Call<()>,
    request: HttpRequest,
    body: Result<Body<EndInputBody>, ApiError>,
) -> Result<Json<BillBody>, ApiError> {
    authorize(&call, &request)?;
    // A wrong body is refused before a bill that is not there.
    let end = body?.0.end()?;
    let entity = entity_of(&request)?;
    let id = request.match_info().query("bill_id");
    let bill: UsageMonthId = id.parse().map_err(|_| ApiError::not_found(id))?;
    let task = call.run(move |call| async move {
        let labels = &call.white_labels;
        billing::end_bill(call.store(), labels, (entity, bill), end, call.stamp()).await
    });
    let (bill, own) = task.await?;
    Ok(Json(BillBody::of(bill, &own.currency)))
}
