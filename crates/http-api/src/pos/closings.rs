//! Closings of days at the point of sale.

use actix_web::web;
use racun_access::Permission::{ReadTill, Sell};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Decimal, id};
use racun_pos as pos;
use racun_till::closings as application;
use serde::Serialize;
use utoipa::ToSchema;

use super::takings::{MoneyBody, TakingsBody};
use crate::answer::{self, Created, Json};
use crate::body::{Convert, ListBody, input};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::schema::{nullable_number, number};
const TAG: &str = "Point of sale";

/// Routes of closings.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/reports/closings", "closePosDay", Gate::Entity(Sell), || web::to(close))
        .read_by(&["getPosClosing"])
        .about(
            TAG,
            "Closes a day, once for the entity and for each premise and device: freezes its \
             takings under the next number of that place, with the cash that was counted. What \
             comes to any closed day afterwards is carried over into the next closing.",
        )
        .takes_with::<NewClosingBody>(&["counted_cash"])
        .creates::<ClosingBody>(),
    Route::get("/pos/reports/closings", "listPosClosings", Gate::Entity(ReadTill), || {
        web::to(list)
    })
    .about(TAG, "Lists closings.")
    .reads(LIST)
    .answers::<ListBody<ClosingBody>>(),
    Route::get("/pos/reports/closings/{id}", "getPosClosing", Gate::Entity(ReadTill), || {
        web::to(get)
    })
    .about(TAG, "Answers a closing, which never changes.")
    .answers::<ClosingBody>(),
];

input! {
    /// A day to close.
    NewClosingBody as ClosePosDay into pos::NewClosing {
        /// The day, `YYYY-MM-DD`; today in the entity's time zone when absent. A day to come is
        /// refused.
        date: String,
        /// Closes this business premise instead of the entity.
        business_premise_name: String,
        /// Closes this device of the premise.
        electronic_device_name: String,
        /// The cash that the previous closing left in the drawer; 0 when absent.
        opening_cash: Decimal => nullable_number,
        /// The cash that is in the drawer.
        counted_cash: Decimal => nullable_number,
        /// A note of at most 10,000 characters.
        note: String,
    }
}

/// The closing of a day: its takings as they were, and the cash that was counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosClosing)]
pub(crate) struct ClosingBody {
    /// Its id.
    id: String,
    /// Whose.
    entity_id: String,
    /// Its place among the closings of the same entity, premise or device: 1, 2, 3, without gaps.
    number: i64,
    /// The day.
    #[schema(format = Date)]
    date: String,
    /// The business premise; null when the entity was closed.
    #[schema(required = true)]
    business_premise_name: Option<String>,
    /// The device; null when the entity or the whole premise was closed.
    #[schema(required = true)]
    electronic_device_name: Option<String>,
    /// The cash that the previous closing left in the drawer.
    #[schema(schema_with = number)]
    opening_cash: Decimal,
    /// What came to closed days since the previous closing; null when nothing did.
    #[schema(required = true)]
    carried_over: Option<CarriedOverBody>,
    /// `opening_cash`, the cash that was carried over, and the cash of the day, tips included.
    #[schema(schema_with = number)]
    expected_cash: Decimal,
    /// The cash that was in the drawer.
    #[schema(schema_with = number)]
    counted_cash: Decimal,
    /// `counted_cash` less `expected_cash`: below zero when something is missing.
    #[schema(schema_with = number)]
    difference: Decimal,
    /// The caller's note.
    #[schema(required = true)]
    note: Option<String>,
    /// The day's takings, as they were.
    report: TakingsBody,
    /// The person who closed; null when a program did.
    #[schema(required = true)]
    closed_by_user_id: Option<String>,
    /// Their name, or their e-mail address when they gave none.
    #[schema(required = true)]
    closed_by: Option<String>,
    /// When it was closed.
    created_at: String,
}

/// What came to closed days since the previous closing: later sales, refunds, voids, changes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CarriedOver)]
struct CarriedOverBody {
    /// The closing before this one.
    closing_id: String,
    /// Its day.
    #[schema(format = Date)]
    date: String,
    /// Invoices.
    #[schema(schema_with = number)]
    invoices: Decimal,
    /// Their gross.
    #[schema(schema_with = number)]
    gross: Decimal,
    /// Gross less what was given back and voided.
    #[schema(schema_with = number)]
    turnover: Decimal,
    /// Money that moved, in less out.
    net_by_payment_type: Vec<MoneyBody>,
    /// Of that and of tips, notes and coins.
    #[schema(schema_with = number)]
    cash: Decimal,
    /// The same of each day that changed, in their order.
    days: Vec<CarriedDayBody>,
}

/// What came to one closed day since the previous closing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CarriedDay)]
struct CarriedDayBody {
    /// The closing of the day.
    closing_id: String,
    /// The day.
    #[schema(format = Date)]
    date: String,
    /// Invoices.
    #[schema(schema_with = number)]
    invoices: Decimal,
    /// Their gross.
    #[schema(schema_with = number)]
    gross: Decimal,
    /// Gross less what was given back and voided.
    #[schema(schema_with = number)]
    turnover: Decimal,
    /// Money that moved, in less out.
    net_by_payment_type: Vec<MoneyBody>,
    /// Of that and of tips, notes and coins.
    #[schema(schema_with = number)]
    cash: Decimal,
}

impl Convert<CarriedDayBody> for pos::CarriedDay {
    fn convert(self) -> CarriedDayBody {
        CarriedDayBody {
            closing_id: self.closing_id.to_string(),
            date: format_date(self.date),
            invoices: self.invoices,
            gross: self.gross,
            turnover: self.turnover,
            net_by_payment_type: self.net_by_payment_type.convert(),
            cash: self.cash,
        }
    }
}

impl Convert<CarriedOverBody> for pos::CarriedOver {
    fn convert(self) -> CarriedOverBody {
        let CarriedDayBody {
            closing_id,
            date,
            invoices,
            gross,
            turnover,
            net_by_payment_type,
            cash,
        } = self.sum.convert();
        let days = self.days.convert();
        CarriedOverBody {
            closing_id,
            date,
            invoices,
            gross,
            turnover,
            net_by_payment_type,
            cash,
            days,
        }
    }
}

impl Convert<ClosingBody> for pos::Closing {
    fn convert(self) -> ClosingBody {
        ClosingBody {
            id: self.id.to_string(),
            entity_id: self.entity_id.to_string(),
            number: self.number,
            date: format_date(self.date),
            business_premise_name: self.place.premise,
            electronic_device_name: self.place.device,
            opening_cash: self.opening_cash,
            carried_over: self.carried_over.convert(),
            expected_cash: self.expected_cash,
            counted_cash: self.counted_cash,
            difference: self.difference,
            note: self.note,
            report: self.report.convert(),
            closed_by_user_id: self.closed_by_user_id.map(|id| id.to_string()),
            closed_by: self.closed_by,
            created_at: format_instant(self.closed_at),
        }
    }
}

async fn close(
    call: EntityCall,
    body: Body<NewClosingBody>,
) -> Result<Created<ClosingBody>, ApiError> {
    let new = body.0.convert();
    let task =
        call.run(|call| async move { application::close(call.cx(), call.entity(), new).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = application::list(call.cx(), &raw).await?;
        Ok::<ListBody<ClosingBody>, _>(page.convert())
    });
    page.await
}

async fn get(call: Call, id: PathId<id::PosClosing>) -> Result<Json<ClosingBody>, ApiError> {
    Ok(Json(application::get(call.cx(), id.0).await?.convert()))
}
