//! Invoices of tabs and of parts of them, and lines that go from one tab to another.

use actix_web::web;
use racun_access::Permission::Sell;
use racun_billing::Feature;
use racun_documents::TextDefaults;
use racun_kernel::{Decimal, Issue, Issues, Patch, id};
use racun_pos::{self as pos, DeviceId, InvoiceTerms, Part, PosError};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_till::{MoveOrder, TabOrder};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::TabBody;
use crate::answer::{Created, Json};
use crate::body::Convert;
use crate::body_limit::DOCUMENT;
use crate::call::EntityCall;
use crate::documents::answer::{InvoiceBody, answered};
use crate::documents::fiscal::{FinaInputBody, FursInputBody, fiscal_request};
use crate::documents::party::PartyInputBody;
use crate::documents::portugal::PtInputBody;
use crate::error::ApiError;
use crate::payments::PaymentInputBody;
use crate::request::{Body, MaybeBody, PathId};
use crate::route::{Gate, Route};
use crate::schema::nullable_number;

const TAG: &str = "Point of sale";

/// Routes of invoices of tabs, and of moving lines.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/tabs/{id}/invoice", "invoicePosTab", Gate::Entity(Sell), || {
        web::to(invoice)
    })
    .needs(Feature::Invoices)
    .read_by(&["getInvoice"])
    .about(
        TAG,
        "Issues an invoice of a tab, of some of its lines or of an equal share of it, and ends the \
         tab in it when nothing is left: both or neither.",
    )
    .takes::<InvoiceTabBody>()
    .up_to(DOCUMENT)
    .creates::<InvoiceBody>(),
    Route::post("/pos/tabs/{id}/move-lines", "movePosTabLines", Gate::Entity(Sell), || {
        web::to(move_lines)
    })
    .read_by(&["getPosTab"])
    .about(TAG, "Moves lines to another tab, and answers the tab that they left.")
    .takes::<MoveLinesBody>()
    .up_to(DOCUMENT)
    .answers::<TabBody>(),
];

/// A line of a tab, all of it or so much.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PosTabLineChoice)]
pub struct LineChoiceBody {
    /// The line.
    line_id: String,
    /// How much of it, above zero; all when absent.
    #[schema(schema_with = nullable_number)]
    quantity: Option<Decimal>,
}

impl Convert<pos::LineChoice> for LineChoiceBody {
    fn convert(self) -> pos::LineChoice {
        pos::LineChoice { line_id: self.line_id, quantity: self.quantity }
    }
}

/// One of several equal shares.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PosTabShare)]
pub struct ShareBody {
    /// Which one, from 1. Each is invoiced once, in any order.
    number: u32,
    /// How many there are, 2 to 50: the same for all of them.
    of: u32,
}

/// What a tab is invoiced with. Without `lines` and `share` all of it is.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = InvoicePosTab)]
pub struct InvoiceTabBody {
    /// The device that has the claim. Only it invoices a claimed tab.
    device_id: Option<String>,
    /// The version that the caller saw; another one refuses. Required for an unclaimed tab.
    expected_version: Option<i64>,
    /// Some lines; what is left stays on the tab, open.
    lines: Option<Vec<LineChoiceBody>>,
    /// One equal share of each line. The shares come to the tab's total, to the cent; no two differ
    /// by more than one. Once one is invoiced, the tab's lines stay as they are, and the last one
    /// ends it.
    share: Option<ShareBody>,
    /// Other tabs that the same invoice closes, whole; the device has claimed them.
    tab_ids: Option<Vec<String>>,
    /// A catalogue customer; the tab's when neither this nor `customer` is sent.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    customer_id: Patch<String>,
    /// The customer, or what differs from the catalogue's.
    #[schema(value_type = Option<PartyInputBody>)]
    #[serde(default)]
    customer: Patch<PartyInputBody>,
    /// The invoice's note; the default one when absent.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    note: Patch<String>,
    /// Payments, at most 100: recorded with the invoice, or not at all.
    #[schema(max_items = 100)]
    payments: Option<Vec<PaymentInputBody>>,
    /// Where and by whom it is issued, if FURS receives it; ignored otherwise.
    furs: Option<FursInputBody>,
    /// The same in Croatia.
    fina: Option<FinaInputBody>,
    /// In which series and by whom it is issued, in Portugal; ignored otherwise.
    pt: Option<PtInputBody>,
}

impl InvoiceTabBody {
    fn order(self) -> Result<TabOrder, ApiError> {
        let mut issues = Issues::default();
        let part = match (self.lines, self.share) {
            (None, None) => Part::Whole,
            (Some(lines), None) => Part::Lines(lines.convert()),
            (None, Some(ShareBody { number, of })) => Part::Share { number, of },
            (Some(_), Some(_)) => {
                let message = "a share is one of all lines; send lines or share";
                issues.push(Issue::new("conflicting", message).at("share"));
                Part::Whole
            }
        };
        let device = match self.device_id.map(DeviceId::parse).transpose() {
            Err(PosError::Invalid(wrong)) => issues.note(Err(wrong)),
            device => device?,
        };
        let fiscal = issues.note(fiscal_request(self.furs, self.fina, self.pt)).unwrap_or_default();
        issues.into_result(())?;
        let texts = TextDefaults { note: self.note, ..TextDefaults::default() };
        Ok(TabOrder {
            part,
            tab_ids: self.tab_ids.unwrap_or_default(),
            terms: InvoiceTerms { device, expected_version: self.expected_version },
            request: DocumentRequest {
                customer_id: self.customer_id,
                customer: self.customer.convert(),
                texts,
                ..DocumentRequest::default()
            },
            creation: Creation {
                payments: self.payments.unwrap_or_default().convert(),
                fiscal,
                ..Creation::default()
            },
        })
    }
}

/// Lines to move.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = MovePosTabLines)]
pub struct MoveLinesBody {
    /// The tab that they come to. It is open, as is the one that they leave.
    to_tab_id: String,
    /// At least one. A whole line keeps its id, so a move of whole lines that is sent again moves
    /// nothing; a part becomes a line of its own.
    lines: Vec<LineChoiceBody>,
    /// The version of the tab that they leave, as the caller saw it; another one refuses.
    expected_version: Option<i64>,
    /// The version of the tab that they come to.
    to_expected_version: Option<i64>,
    /// Names this move, in 1 to 64 characters: sent again under the same name, it moves nothing.
    move_id: Option<String>,
}

impl Convert<MoveOrder> for MoveLinesBody {
    fn convert(self) -> MoveOrder {
        MoveOrder {
            to_tab_id: self.to_tab_id,
            lines: self.lines.convert(),
            expected_version: self.expected_version,
            to_expected_version: self.to_expected_version,
            move_id: self.move_id,
        }
    }
}

async fn invoice(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: MaybeBody<InvoiceTabBody>,
) -> Result<Created<InvoiceBody>, ApiError> {
    let order = body.0.order()?;
    let task = call.run(|call| async move {
        let ports = call.ports();
        racun_till::invoice(ports, call.entity(), id.0, order).await
    });
    // What is new and names no other document has no links.
    Ok(Created(answered(&call, task.await?, Vec::new()).await))
}

async fn move_lines(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<MoveLinesBody>,
) -> Result<Json<TabBody>, ApiError> {
    let order = body.0.convert();
    let task = call.run(|call| async move {
        racun_till::move_lines(call.cx(), call.entity(), id.0, order).await
    });
    Ok(Json(task.await?.convert()))
}
