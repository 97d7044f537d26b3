//! Series of documents in Portugal.

use actix_web::web;
use racun_fiscalization::certified::series::{self, Desk};
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Issues, id};
use racun_portugal::{NewSeries, PT_SERIES, PtSeries, Purpose, SeriesChange, SeriesStatus};
use racun_store::ListQuery;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::{MANAGE, READ, TAG, portugal};
use crate::answer::{Created, Json};
use crate::body::{Convert, ListBody, names};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{LIST, Route};
use crate::scalar::Day;

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/fiscalization/pt/atcud-series", "createAtcudSeries", MANAGE, || web::to(create))
        .read_by(&["getAtcudSeries"])
        .about(TAG, "Makes a series of documents, and registers it with the authority.")
        .explained(
            "Without `validation_code` the series is registered with the authority, or in the \
             sandbox with its simulator, and the code is theirs. One series of a type is active, \
             besides those for recovered documents. An identifier is used once for a type, \
             capitals aside; invoices and advance invoices are of one type.",
        )
        .takes::<NewAtcudSeriesBody>()
        .creates::<AtcudSeriesBody>(),
    Route::get("/fiscalization/pt/atcud-series", "listAtcudSeries", READ, || web::to(list))
        .about(TAG, "Lists series, closed ones included.")
        .reads(LIST)
        .answers::<ListBody<AtcudSeriesBody>>(),
    Route::get("/fiscalization/pt/atcud-series/{id}", "getAtcudSeries", READ, || web::to(get))
        .about(TAG, "Answers a series.")
        .answers::<AtcudSeriesBody>(),
    Route::patch("/fiscalization/pt/atcud-series/{id}", "updateAtcudSeries", MANAGE, || {
        web::to(patch)
    })
    .read_by(&["getAtcudSeries"])
    .about(TAG, "Changes a series before its first document, or closes it.")
    .takes::<AtcudSeriesChangeBody>()
    .answers::<AtcudSeriesBody>(),
    Route::post("/fiscalization/pt/atcud-series/{id}/close", "closeAtcudSeries", MANAGE, || {
        web::to(close)
    })
    .read_by(&["getAtcudSeries"])
    .about(TAG, "Closes a series, for good, and tells the authority where it registered it.")
    .answers::<AtcudSeriesBody>(),
];

names! {
    /// For which documents a series is.
    PurposeBody as AtcudDocumentType of Purpose {
        Invoice,
        InvoiceReceipt,
        AdvanceInvoice,
        CreditNote,
        DebitNote,
        Estimate,
        DeliveryNote,
        Payment
    }
}

names! {
    /// Whether documents can be issued in a series.
    SeriesStatusBody as AtcudSeriesStatus of SeriesStatus { Active, Closed }
}

/// A new series.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = NewAtcudSeries)]
struct NewAtcudSeriesBody {
    /// For which documents: `invoice` (FT), `invoice_receipt` (FR, paid when it is issued),
    /// `advance_invoice` (FT), `credit_note` (NC), `estimate` (OR), `delivery_note` (GT), `payment`
    /// (RG) or `debit_note` (ND), which the authority knows and no document here is.
    document_type: String,
    /// What it is called: letters, digits and the signs `.`, `_` and `-` between them.
    #[schema(min_length = 1, max_length = 35)]
    series_code: String,
    /// The authority's code for it; registered with the authority when absent.
    #[schema(min_length = 8, max_length = 32)]
    validation_code: Option<String>,
    /// The first number, such as `FT 2026A/00001`: it tells how many digits numbers have.
    #[schema(max_length = 100)]
    first_number: Option<String>,
    /// The first day on which documents may be dated, `YYYY-MM-DD`.
    #[schema(value_type = String)]
    start_date: Day,
    /// Whether documents are recovered in it that were written by hand.
    #[serde(default)]
    is_manual: bool,
    /// The first number; 1 when absent.
    #[schema(minimum = 1)]
    initial_sequence: Option<i64>,
}

impl NewAtcudSeriesBody {
    fn parse(self) -> Result<NewSeries, Issues> {
        let document_type = Purpose::from_name(&self.document_type)
            .ok_or_else(|| series::unknown_type(&self.document_type))?;
        Ok(NewSeries {
            document_type,
            series_code: self.series_code,
            validation_code: self.validation_code,
            first_number: self.first_number,
            start_date: self.start_date.0,
            is_manual: self.is_manual,
            initial_sequence: self.initial_sequence,
        })
    }
}

/// What becomes of a series.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = AtcudSeriesChange)]
struct AtcudSeriesChangeBody {
    /// Another code of the authority, before the first document.
    validation_code: Option<String>,
    /// Another first day, `YYYY-MM-DD`, before the first document.
    #[schema(value_type = Option<String>)]
    start_date: Option<Day>,
    /// `closed` closes it, for good.
    status: Option<SeriesStatusBody>,
}

/// A series of documents in Portugal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AtcudSeries)]
pub(crate) struct AtcudSeriesBody {
    id: String,
    entity_id: String,
    /// For which documents it is.
    document_type: PurposeBody,
    /// The type of its documents as the authority names it: `FT` and the like.
    document_code: String,
    /// What it is called.
    series_code: String,
    /// The authority's code for it, with which the ATCUD of its documents begin.
    validation_code: String,
    /// The first number as it was given; it tells how many digits numbers have.
    #[schema(required = true)]
    first_number: Option<String>,
    /// The first day on which its documents may be dated, `YYYY-MM-DD`.
    start_date: String,
    /// Whether documents are recovered in it that were written by hand.
    is_manual: bool,
    /// The first number.
    initial_sequence: i64,
    /// The number of its last document; null while it has none.
    #[schema(required = true)]
    last_sequence: Option<i64>,
    /// The day of its last document, before which none is dated; null while it has none.
    #[schema(required = true)]
    last_date: Option<String>,
    /// Whether documents can be issued in it.
    status: SeriesStatusBody,
    /// Whether the authority's service registered it.
    is_registered: bool,
    created_at: String,
    updated_at: String,
}

impl Convert<AtcudSeriesBody> for PtSeries {
    fn convert(self) -> AtcudSeriesBody {
        let head = self.head.as_ref();
        AtcudSeriesBody {
            id: self.id.to_string(),
            entity_id: self.entity_id.to_string(),
            document_type: self.document_type.convert(),
            document_code: self.document_type.code().text().to_owned(),
            series_code: self.series_code.to_string(),
            validation_code: self.validation_code.to_string(),
            first_number: self.first_number.as_ref().map(ToString::to_string),
            start_date: format_date(self.start_date),
            is_manual: self.is_manual,
            initial_sequence: self.initial_sequence,
            last_sequence: head.map(|head| head.sequence),
            last_date: head.map(|head| format_date(head.date)),
            status: self.status.convert(),
            is_registered: self.registration.is_some(),
            created_at: format_instant(self.created_at),
            updated_at: format_instant(self.updated_at),
        }
    }
}

async fn create(
    call: EntityCall,
    body: Body<NewAtcudSeriesBody>,
) -> Result<Created<AtcudSeriesBody>, ApiError> {
    let new = body.0.parse()?;
    let task = call.run(|call| async move {
        let (portugal, vault) = (portugal(&call)?, call.vault.clone());
        series::create(desk(&call, &*portugal, vault.as_deref()), new).await
    });
    Ok(Created(task.await?.convert()))
}

fn desk<'a>(
    call: &'a EntityCall,
    portugal: &'a dyn racun_portugal::Portugal,
    vault: Option<&'a dyn racun_kernel::Vault>,
) -> Desk<'a> {
    Desk { cx: call.cx(), entity: call.entity(), portugal, vault }
}

async fn list(call: EntityCall, query: Query) -> Result<Json<ListBody<AtcudSeriesBody>>, ApiError> {
    let wanted = ListQuery::parse(&PT_SERIES, &query.list()?)?;
    Ok(Json(series::list(call.cx(), &wanted).await?.convert()))
}

async fn get(
    call: EntityCall,
    id: PathId<id::PtSeries>,
) -> Result<Json<AtcudSeriesBody>, ApiError> {
    Ok(Json(series::get(call.cx(), &id.0.to_string()).await?.convert()))
}

async fn patch(
    call: EntityCall,
    id: PathId<id::PtSeries>,
    body: Body<AtcudSeriesChangeBody>,
) -> Result<Json<AtcudSeriesBody>, ApiError> {
    let AtcudSeriesChangeBody { validation_code, start_date, status } = body.0;
    let change = SeriesChange {
        validation_code,
        start_date: start_date.map(|day| day.0),
        status: status.map(Convert::convert),
    };
    changed(&call, id, change).await
}

async fn close(
    call: EntityCall,
    id: PathId<id::PtSeries>,
) -> Result<Json<AtcudSeriesBody>, ApiError> {
    let status = Some(SeriesStatus::Closed);
    changed(&call, id, SeriesChange { status, ..SeriesChange::default() }).await
}

async fn changed(
    call: &EntityCall,
    id: PathId<id::PtSeries>,
    change: SeriesChange,
) -> Result<Json<AtcudSeriesBody>, ApiError> {
    let task = call.run(|call| async move {
        let (portugal, vault) = (portugal(&call)?, call.vault.clone());
        let id = id.0.to_string();
        series::change(desk(&call, &*portugal, vault.as_deref()), &id, change).await
    });
    Ok(Json(task.await?.convert()))
}
