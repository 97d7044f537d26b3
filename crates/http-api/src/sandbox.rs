//! The test clock of an account's sandbox.

use actix_web::web;
use racun_access::{AccountScope, get_test_clock};
use racun_kernel::calendar::{parse_instant, to_millisecond};
use racun_sales::recurring::{Advanced, advance_clock};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::Json;
use crate::body::Convert;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};

const TAG: &str = "Sandbox";

/// Routes of the sandbox.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/sandbox/clock", "getTestClock", Gate::Account, || web::to(get))
        .about(
            TAG,
            "Answers what the recurring invoices of the account's sandbox entities take for now.",
        )
        .may_lack()
        .answers::<ClockBody>(),
    Route::post("/sandbox/clock", "advanceTestClock", Gate::Account, || web::to(advance))
        .about(
            TAG,
            "Moves that clock ahead; recurring invoices that become due on the way are made, in \
             the order of time, before it answers. The requests' own time goes on as it does.",
        )
        .explained(
            "All else that waits keeps real time: orders with a delay and those that are tried \
             again, bills of subscriptions and their next attempts, notices of what is overdue. \
             Process an order at once by `POST /orders/{id}/process`.",
        )
        .may_lack()
        .takes::<AdvanceBody>()
        .answers::<AdvancedBody>(),
];

/// Body of `POST /sandbox/clock`.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = AdvanceTestClock)]
struct AdvanceBody {
    /// Until when: not before what the clock shows, at most two years after it. The same instant
    /// again does nothing, or what is left of a call that was cut off.
    #[schema(format = DateTime)]
    advance_to: String,
}

/// The test clock.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TestClock)]
struct ClockBody {
    /// What it shows: real time, until it is moved ahead and after real time has passed it.
    #[schema(format = DateTime)]
    now: String,
}

/// What moving the test clock did.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AdvancedTestClock)]
struct AdvancedBody {
    /// What it shows.
    #[schema(format = DateTime)]
    now: String,
    /// Invoices made of recurring ones.
    invoices_generated: usize,
    /// Invoices that could not be made; `last_error` of the recurring invoices says why.
    generations_failed: usize,
}

impl Convert<AdvancedBody> for Advanced {
    fn convert(self) -> AdvancedBody {
        AdvancedBody {
            now: self.now.convert(),
            invoices_generated: self.report.done,
            generations_failed: self.report.failed(),
        }
    }
}

async fn get(call: Call<AccountScope>) -> Result<Json<ClockBody>, ApiError> {
    let now = get_test_clock(call.store(), call.by(), call.stamp()).await?;
    Ok(Json(ClockBody { now: now.convert() }))
}

async fn advance(
    call: Call<AccountScope>,
    body: Body<AdvanceBody>,
) -> Result<Json<AdvancedBody>, ApiError> {
    let to = parse_instant(&body.0.advance_to).map_err(|issue| issue.at("advance_to"))?;
    let task = call.run(|call| async move {
        let to = to_millisecond(to);
        advance_clock(call.store(), call.outside_services(), call.by(), to, call.stamp()).await
    });
    Ok(Json(task.await?.convert()))
}
