//! Routes of an entity's account at the card processor.

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadRecords, WriteRecords};
use racun_access::{self as access, AccessError, Caller, Forbidden};
use racun_billing::Feature;
use racun_card_payments::ProcessorError;
use racun_kernel::Environment;
use racun_sales::card_payments::{self as application, CardError, Returned};
use racun_store::Context;

use super::body::{
    AuthorizeBody, AuthorizedBody, ChargeBody, ConnectBody, ConsentBody, InvoiceObjectBody,
    PaymentAppBody, PaymentAppInputBody,
};
use super::services;
use crate::answer::{Json, Page};
use crate::body::{Convert, ListBody};
use crate::call::{Call, EntityCall};
use crate::documents::answer::{InvoiceBody, answered};
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathText, Query};
use crate::route::{Gate, LIST, Route};

const TAG: &str = "Payment app";
const SETTINGS: &str = "/payment-app/settings";
const INVOICES: &str = "/payment-app/invoices";
const READER: &[&str] = &["getPaymentAppSettings"];

/// Routes of accounts at the card processor.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(application::BACK, "authorizePaymentApp", Gate::SignedIn, || web::to(authorize))
        .about(TAG, "Answers the page of the card processor on which a seller consents.")
        .explained(
            "Who opens `redirect_url` within half an hour and consents is led back; then \
             /payment-app/connect gives an entity the account. In the sandbox the page leads back \
             at once, as if consent had been given.",
        )
        .takes::<AuthorizeBody>()
        .answers::<AuthorizedBody>(),
    Route::get(application::BACK, "finishPaymentAppConsent", Gate::Open, || web::to(consented))
        .about(TAG, "Takes what the card processor leads back with.")
        .linked()
        .page(),
    Route::post("/payment-app/connect", "connectPaymentApp", Gate::SignedIn, || web::to(connect))
        .about(TAG, "Gives an entity the account whose owner consented.")
        .explained(
            "By an admin of the entity, who asked for the consent, once. An entity has one \
             account, and an account serves one entity: 409, unless `force` replaces what is \
             there.",
        )
        .takes_with::<ConnectBody>(&["state", "entity_id"])
        .may_lack()
        .answers::<PaymentAppBody>(),
    Route::get(SETTINGS, "getPaymentAppSettings", Gate::Entity(ReadRecords), || web::to(get))
        .about(TAG, "Answers the entity's account, and what is done with what it takes.")
        .answers::<PaymentAppBody>(),
    Route::patch(SETTINGS, "updatePaymentAppSettings", Gate::Entity(ManageEntity), || {
        web::to(update)
    })
    .read_by(READER)
    .about(TAG, "Changes what is sent of the settings.")
    .explained(
        "With `auto_invoice_enabled` what the account takes becomes an issued and paid invoice by \
         itself, but for what pays an invoice of the entity. What refuses it is kept: see \
         /payment-app/invoices.",
    )
    .takes::<PaymentAppInputBody>()
    .answers::<PaymentAppBody>(),
    Route::post(INVOICES, "invoiceCardPayment", Gate::Entity(WriteRecords), || web::to(invoice))
        .needs(Feature::Invoices)
        .read_by(&["getInvoice"])
        .about(TAG, "Makes an issued and paid invoice of what the account took.")
        .explained(
            "Its total is what was taken, tax included. A payment or invoice of the processor is \
             invoiced once: again answers the same invoice. What paid an invoice of the entity and \
             could not be recorded is tried again.",
        )
        .takes::<InvoiceObjectBody>()
        .answers::<InvoiceBody>(),
    Route::get(INVOICES, "listCardPayments", Gate::Entity(ReadRecords), || web::to(list))
        .about(TAG, "Lists what the account took, and what became of it.")
        .reads(LIST)
        .answers::<ListBody<ChargeBody>>(),
    Route::get("/payment-app/invoices/{id}", "getCardPayment", Gate::Entity(ReadRecords), || {
        web::to(get_charge)
    })
    .about(TAG, "Answers what became of a payment or invoice of the card processor.")
    .answers::<ChargeBody>(),
    Route::post(
        "/payment-app/disconnect",
        "disconnectPaymentApp",
        Gate::Entity(ManageEntity),
        || web::to(disconnect),
    )
    .read_by(READER)
    .about(TAG, "Gives the entity's account up. Settings and what it took stay.")
    .explained("Pages on which somebody could pay are ended first.")
    .answers::<PaymentAppBody>(),
];

/// Refuses operators, whose tokens are for tills.
fn refuse_operators(caller: &Caller) -> Result<(), ApiError> {
    match caller {
        Caller::Operator { .. } => Err(AccessError::from(Forbidden::PosOperatorScope).into()),
        Caller::User { .. } | Caller::AccountKey(_) | Caller::EntityKey(_) => Ok(()),
    }
}

async fn authorize(
    call: Call<Caller>,
    body: MaybeBody<AuthorizeBody>,
) -> Result<Json<AuthorizedBody>, ApiError> {
    refuse_operators(call.by())?;
    let own = call.by().environment();
    let environment = body.0.environment.map(Convert::convert).or(own);
    let environment = environment.unwrap_or(Environment::Live);
    let asked = (environment, call.by().principal().id());
    let vault = call.vault.clone();
    let (vault, base) = (vault.as_deref(), &call.public_url);
    let made = application::authorize(vault, &*call.cards, base, asked, call.stamp()).await?;
    Ok(Json(AuthorizedBody { redirect_url: made.redirect_url, state: made.state }))
}

async fn consented(call: Call<()>, query: Query) -> Result<Json<ConsentBody>, ApiError> {
    if let Some(error) = query.one("error")? {
        let code = error.chars().take(100).collect();
        let message = "consent was not given".to_owned();
        return Err(CardError::from(ProcessorError::Refused { code: Some(code), message }).into());
    }
    let (Some(state), Some(code)) = (query.one("state")?, query.one("code")?) else {
        return Err(CardError::BadConsent.into());
    };
    let (state, code) = (state.to_owned(), code.to_owned());
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        let (vault, cards) = (vault.as_deref(), &*call.cards);
        let returned = Returned { state: &state, code: &code };
        let consent =
            application::consented(call.store(), vault, cards, returned, call.stamp()).await?;
        Ok::<_, CardError>(ConsentBody::of(consent, state))
    });
    Ok(Json(task.await?))
}

async fn connect(
    call: Call<Caller>,
    body: Body<ConnectBody>,
) -> Result<Json<PaymentAppBody>, ApiError> {
    refuse_operators(call.by())?;
    let (state, entity_id, force) = body.0.named()?;
    let task = call.run(|call| async move {
        let store = call.store();
        let (scope, entity) = access::open_entity(store, call.by(), &entity_id).await?;
        access::authorize(&scope, &entity, ManageEntity)?;
        let cx = Context::new(store, &scope, call.stamp());
        let asked_by = call.by().principal().id();
        let vault = call.vault.clone();
        let outside = (vault.as_deref(), &*call.cards);
        let asked = (state.as_str(), asked_by.as_str());
        let made = application::connect(cx, &entity, outside, asked, force).await?;
        Ok::<_, ApiError>(made)
    });
    Ok(Json(task.await?.convert()))
}

async fn get(call: EntityCall) -> Result<Json<PaymentAppBody>, ApiError> {
    Ok(Json(application::get(call.cx(), call.entity()).await?.convert()))
}

async fn update(
    call: EntityCall,
    body: Body<PaymentAppInputBody>,
) -> Result<Json<PaymentAppBody>, ApiError> {
    let input = body.0.convert();
    let task =
        call.run(|call| async move { application::update(call.cx(), call.entity(), input).await });
    Ok(Json(task.await?.convert()))
}

async fn invoice(
    call: EntityCall,
    body: Body<InvoiceObjectBody>,
) -> Result<Json<InvoiceBody>, ApiError> {
    let InvoiceObjectBody { object_id, note } = body.0;
    let task = call.run(|call| async move {
        let (cx, services) = (call.cx(), services(&call));
        application::invoice(cx, services, call.entity(), &object_id, note).await
    });
    Ok(Json(answered(&call, task.await?, Vec::new()).await))
}

async fn list(call: Call, query: Query) -> Result<Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page: ListBody<ChargeBody> = application::charges(call.cx(), &raw).await?.convert();
        Ok(page)
    });
    page.await
}

async fn get_charge(call: Call, id: PathText) -> Result<Json<ChargeBody>, ApiError> {
    Ok(Json(application::charge(call.cx(), &id.0).await?.convert()))
}

async fn disconnect(call: EntityCall) -> Result<Json<PaymentAppBody>, ApiError> {
    let task = call.run(|call| async move {
        application::disconnect(call.cx(), call.entity(), &*call.cards).await
    });
    Ok(Json(task.await?.convert()))
}
