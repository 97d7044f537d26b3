//! Routes of expenses.

use actix_web::web;
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_documents::expense::Expense;
use racun_einvoicing::Unreadable;
use racun_kernel::{Issue, id};
use racun_sales::expenses::ReceivedFile;
use racun_sales::{expenses as application, payments};
use racun_settlement::NewPayment;
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::answer::ExpenseBody;
use super::input::{ExpensePatchBody, NewExpenseBody};
use crate::answer::{self, Created, Json, NoContent};
use crate::body::{Convert, ListBody};
use crate::body_limit::{DOCUMENT, RECORD};
use crate::call::{Call, EntityCall};
use crate::error::{ApiError, Kind};
use crate::payments::{ExpensePaymentBody, PaymentBody};
use crate::request::{Body, Form, MaybeBody, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::schema::file;

const TAG: &str = "Expenses";

/// Routes of expenses.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/expenses", "createExpense", Gate::Entity(WriteRecords), || web::to(create))
        .read_by(&["getExpense"])
        .about(TAG, "Makes an expense: entered in the books with the next number, or a draft.")
        .takes::<NewExpenseBody>()
        .up_to(DOCUMENT)
        .creates::<ExpenseBody>(),
    Route::post("/expenses/custom", "createCustomExpense", Gate::Entity(WriteRecords), || {
        web::to(create_custom)
    })
    .read_by(&["getExpense"])
    .about(TAG, "Makes an expense with totals that are kept as given, those of its items too.")
    .takes::<NewExpenseBody>()
    .up_to(DOCUMENT)
    .creates::<ExpenseBody>(),
    Route::post("/expenses/import", "importExpense", Gate::Entity(WriteRecords), || {
        web::to(import)
    })
    .read_by(&["getExpense"])
    .about(TAG, "Makes a draft of a received electronic invoice, and keeps the file with it.")
    .explained(
        "UBL 2.1, CII, e-SLOG 2.0, or a PDF that holds one (ZUGFeRD, Factur-X), of 10 MiB at most. \
         The supplier is the catalogue's, by tax number or else name and address, or a new one. \
         It is judged by the specification that it names. What does not add up is refused with the \
         numbers of the rules that it breaks; a document type declaration and credit notes are \
         refused. A line whose quantity and price do not come to its amount, which EN 16931 and \
         XRechnung allow, becomes one of its amount, and its description says what was written. A \
         due date ahead of the date, and an e-mail address that is none, are left out.",
    )
    .takes_form::<ImportForm>(&["file"])
    .up_to(MAX_FORM)
    .creates::<ExpenseBody>(),
    Route::get("/expenses", "listExpenses", Gate::Entity(ReadRecords), || web::to(list))
        .about(TAG, "Lists expenses.")
        .reads(LIST)
        .answers::<ListBody<ExpenseBody>>(),
    Route::get("/expenses/{id}", "getExpense", Gate::Entity(ReadRecords), || web::to(get))
        .about(TAG, "Answers an expense.")
        .answers::<ExpenseBody>(),
    Route::patch("/expenses/{id}", "updateExpense", Gate::Entity(WriteRecords), || web::to(update))
        .read_by(&["getExpense"])
        .about(TAG, "Changes what is sent of an expense.")
        .takes::<ExpensePatchBody>()
        .up_to(DOCUMENT)
        .answers::<ExpenseBody>(),
    Route::delete("/expenses/{id}", "deleteExpense", Gate::Entity(WriteRecords), || {
        web::to(delete)
    })
    .about(TAG, "Deletes a draft."),
    Route::post("/expenses/{id}/finalize", "finalizeExpense", Gate::Entity(WriteRecords), || {
        web::to(finalize)
    })
    .read_by(&["getExpense"])
    .about(TAG, "Enters a draft in the books: gives it the next number.")
    .takes::<CommandBody>()
    .answers::<ExpenseBody>(),
    Route::post("/expenses/{id}/void", "voidExpense", Gate::Entity(WriteRecords), || web::to(void))
        .read_by(&["getExpense"])
        .about(TAG, "Declares an expense void; its number stays taken.")
        .takes::<CommandBody>()
        .answers::<ExpenseBody>(),
    Route::post(
        "/expenses/{id}/payments",
        "createExpensePayment",
        Gate::Entity(WriteRecords),
        || web::to(pay),
    )
    .read_by(&["getPayment"])
    .about(TAG, "Records a payment of an expense; its totals follow.")
    .takes_with::<ExpensePaymentBody>(&["amount"])
    .up_to(RECORD)
    .creates::<PaymentBody>(),
];

/// Bytes of a form with an invoice.
const MAX_FORM: usize = racun_einvoicing::MAX_BYTES + 64 * 1024;

/// A received invoice.
#[derive(ToSchema, Validate)]
#[schema(as = ImportExpenseForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct ImportForm {
    /// UBL, CII or e-SLOG as XML, or a PDF that holds one, of 10 MiB at most.
    #[schema(schema_with = file)]
    file: Vec<u8>,
}

/// What becomes of an expense is said by the path alone.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = ExpenseCommand)]
struct CommandBody {}

async fn create(
    call: EntityCall,
    body: Body<NewExpenseBody>,
) -> Result<Created<ExpenseBody>, ApiError> {
    make(&call, body.0, false).await
}

async fn create_custom(
    call: EntityCall,
    body: Body<NewExpenseBody>,
) -> Result<Created<ExpenseBody>, ApiError> {
    make(&call, body.0, true).await
}

async fn import(call: EntityCall, mut form: Form) -> Result<Created<ExpenseBody>, ApiError> {
    let sent = form.sent_file("file")?;
    let content = sent.content;
    let read = move || {
        let received = racun_einvoicing::read(&content);
        (received, content)
    };
    let (received, content) = call.compute(read).await;
    let received = received.map_err(unreadable)?;
    let (filename, media_type) = (sent.filename, sent.media_type);
    let file = ReceivedFile { received, filename, media_type, content };
    let task = call.run(|call| async move {
        application::import(call.cx(), &*call.files, call.entity(), file).await
    });
    let made = task.await?;
    Ok(Created(answered(&call, made).await?))
}

/// Why a file is no invoice.
fn unreadable(why: Unreadable) -> ApiError {
    let (code, message) = match why {
        Unreadable::TooLarge => {
            let message = "the file, or what is packed in it, has more than 10 MiB: send less";
            return ApiError::new(Kind::PayloadTooLarge, message);
        }
        Unreadable::Encoding => ("invalid_encoding", "expected XML in UTF-8 or UTF-16".to_owned()),
        Unreadable::Dtd => {
            ("dtd_not_allowed", "expected XML without a document type declaration".to_owned())
        }
        Unreadable::NotAnInvoice(reason) => {
            let reason: String = reason.chars().take(200).collect();
            ("not_an_invoice", format!("expected UBL, CII, e-SLOG or ZUGFeRD: {reason}"))
        }
    };
    Issue::new(code, message).at("file").into()
}

async fn make(
    call: &EntityCall,
    body: NewExpenseBody,
    custom: bool,
) -> Result<Created<ExpenseBody>, ApiError> {
    let (request, creation) = body.creation(custom)?;
    let task = call.run(|call| async move {
        application::create(call.cx(), call.entity(), request, creation).await
    });
    let made = task.await?;
    Ok(Created(answered(call, made).await?))
}

/// `expense`, and what is odd about it beside others.
async fn answered(call: &Call, expense: Expense) -> Result<ExpenseBody, ApiError> {
    let odd = application::warnings(call.cx(), &expense).await?;
    let body: ExpenseBody = expense.convert();
    Ok(body.warned(odd))
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = application::list(call.cx(), &raw).await?;
        Ok::<ListBody<ExpenseBody>, _>(page.convert())
    });
    page.await
}

async fn get(call: Call, id: PathId<id::Expense>) -> Result<Json<ExpenseBody>, ApiError> {
    let found = application::get(call.cx(), id.0).await?;
    Ok(Json(answered(&call, found).await?))
}

async fn update(
    call: EntityCall,
    id: PathId<id::Expense>,
    body: Body<ExpensePatchBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let request = body.0.request()?;
    let task = call.run(|call| async move {
        application::update(call.cx(), call.entity(), id.0, request).await
    });
    let changed = task.await?;
    Ok(Json(answered(&call, changed).await?))
}

async fn delete(call: Call, id: PathId<id::Expense>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { application::delete(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn finalize(
    call: EntityCall,
    id: PathId<id::Expense>,
    _body: MaybeBody<CommandBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let task =
        call.run(|call| async move { application::finalize(call.cx(), call.entity(), id.0).await });
    let changed = task.await?;
    Ok(Json(answered(&call, changed).await?))
}

async fn void(
    call: EntityCall,
    id: PathId<id::Expense>,
    _body: MaybeBody<CommandBody>,
) -> Result<Json<ExpenseBody>, ApiError> {
    let task =
        call.run(|call| async move { application::void(call.cx(), call.entity(), id.0).await });
    Ok(Json(task.await?.convert()))
}

async fn pay(
    call: EntityCall,
    id: PathId<id::Expense>,
    body: Body<ExpensePaymentBody>,
) -> Result<Created<PaymentBody>, ApiError> {
    let new = NewPayment { expense_id: Some(id.0.to_string()), ..body.0.convert() };
    let task =
        call.run(|call| async move { payments::record(call.cx(), call.entity(), new).await });
    Ok(Created(task.await?.convert()))
}
