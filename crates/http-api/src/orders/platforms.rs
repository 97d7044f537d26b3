//! Routes to the platforms of shops: consent, and earlier orders.

use actix_web::web;
use racun_access::Permission::ManageEntity;
use racun_kernel::id;
use racun_shop::{self as shop, Resumed, SyncRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::input::instant_schema;
use super::integrations::IntegrationBody;
use super::sync::SyncBody;
use crate::answer::Json;
use crate::body::Convert;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathId, Query};
use crate::route::{Gate, Route};
use crate::scalar::Instant;

const TAG: &str = "Order integrations";

/// Routes to platforms.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/order-integrations/shopify/authorize",
        "authorizeShopify",
        Gate::Entity(ManageEntity),
        || web::to(authorize),
    )
    .about(TAG, "Answers the page on which the owner of a shop on Shopify consents.")
    .explained(
        "Who opens `redirect_url` within half an hour and consents makes an integration of that \
         name, and the shop posts its orders to it from then on. A shop has one integration, so \
         that no order comes twice: where the entity has one of this shop, it takes orders again, \
         with the name and the rules that it has, also one that was deleted. In the sandbox the \
         page leads back at once, as if consent had been given.",
    )
    .takes_with::<AuthorizeBody>(&["shop_domain", "name"])
    .answers::<RedirectBody>(),
    Route::get(shop::BACK, "finishShopifyConsent", Gate::Open, || web::to(consented))
        .about(
            TAG,
            "Takes what Shopify leads back with: the shop's integration is made, or opened again.",
        )
        .linked()
        .page(),
    Route::post(
        "/order-integrations/shopify/resume-install",
        "resumeShopifyInstall",
        Gate::Entity(ManageEntity),
        || web::to(resume),
    )
    .about(TAG, "Goes on with the installation of a shop on Shopify that was interrupted.")
    .explained(
        "Where the shop's owner consented, the shop is told to post its orders, and the \
         integration is answered. Else `redirect_url` is the page of consent.",
    )
    .takes::<ResumeBody>()
    .answers::<ResumedBody>(),
    Route::post(
        "/order-integrations/{id}/sync",
        "syncOrderIntegration",
        Gate::Entity(ManageEntity),
        || web::to(sync),
    )
    .about(TAG, "Reads a page of a shop's earlier orders, or with `resumable` all of them.")
    .explained(
        "Pages are read in the order of the platform; `next_cursor` begins the next one. With \
         `resumable` a job reads them, and the integration's `sync` says how far it came. An order \
         that is here already is taken only where it changed since. The shop is opened by the \
         consent of its owner, or by an `access_token` that the integration was given. In the \
         sandbox shops are simulated: one whose name begins with `long` has 600 orders, with \
         `empty` none; `away` does not answer, `closed` refuses; all others have three. A token \
         opens each of them, unless it begins with `wrong`.",
    )
    .takes::<SyncInputBody>()
    .answers::<SyncBody>(),
];

/// Which shop is to consent.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = AuthorizeShopify)]
struct AuthorizeBody {
    /// The shop: `my-shop.myshopify.com`.
    shop_domain: String,
    /// The integration's name, for people, where a new one is made.
    name: String,
}

/// Where to go.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderConsent)]
struct RedirectBody {
    /// The page on which the owner consents.
    redirect_url: String,
}

/// Whose installation goes on.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = ResumeShopifyInstall)]
struct ResumeBody {
    /// The shop: `my-shop.myshopify.com`.
    shop: String,
}

/// What an installation needs, or came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ResumedShopifyInstall)]
struct ResumedBody {
    /// The page on which the owner consents; null where that was done.
    #[schema(required = true)]
    redirect_url: Option<String>,
    /// What the shop posts its orders to; null before the owner consents.
    #[schema(required = true)]
    integration: Option<IntegrationBody>,
}

/// Which earlier orders are to be read; all of them where nothing is said.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = SyncOrders)]
struct SyncInputBody {
    /// Those that changed since: an instant.
    #[schema(schema_with = instant_schema)]
    updated_since: Option<Instant>,
    /// Those that changed until then.
    #[schema(schema_with = instant_schema)]
    updated_until: Option<Instant>,
    /// Where to begin: the `next_cursor` of the page before.
    cursor: Option<String>,
    /// Orders of a page, 1 to 250; 100 when absent.
    limit: Option<u32>,
    /// Whether a job reads all pages; false when absent.
    resumable: Option<bool>,
}

async fn authorize(call: Call, body: Body<AuthorizeBody>) -> Result<Json<RedirectBody>, ApiError> {
    let AuthorizeBody { shop_domain, name } = body.0;
    let vault = call.vault.clone();
    let named = (name, shop_domain.as_str());
    let page = shop::authorize(call.cx(), vault.as_deref(), &*call.shops, &call.public_url, named)?;
    Ok(Json(RedirectBody { redirect_url: page }))
}

async fn consented(call: Call<()>, query: Query) -> Result<Json<IntegrationBody>, ApiError> {
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        let (vault, shops) = (vault.as_deref(), &*call.shops);
        let came = (&*call.public_url, query.pairs());
        shop::consented(call.store(), vault, shops, call.stamp(), came).await
    });
    Ok(Json(task.await?.convert()))
}

async fn resume(call: Call, body: Body<ResumeBody>) -> Result<Json<ResumedBody>, ApiError> {
    let domain = body.0.shop;
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        let (vault, base) = (vault.as_deref(), &*call.public_url);
        shop::resume(call.cx(), vault, &*call.shops, base, &domain).await
    });
    Ok(Json(match task.await? {
        Resumed::Consent(page) => ResumedBody { redirect_url: Some(page), integration: None },
        Resumed::Installed(made) => {
            ResumedBody { redirect_url: None, integration: Some((*made).convert()) }
        }
    }))
}

async fn sync(
    call: Call,
    id: PathId<id::OrderIntegration>,
    body: MaybeBody<SyncInputBody>,
) -> Result<Json<SyncBody>, ApiError> {
    let SyncInputBody { updated_since, updated_until, cursor, limit, resumable } = body.0;
    let request = SyncRequest {
        since: updated_since.map(Convert::convert),
        until: updated_until.map(Convert::convert),
        cursor,
        limit,
        resumable: resumable.unwrap_or(false),
    };
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        shop::sync(call.cx(), vault.as_deref(), &*call.shops, id.0, request).await
    });
    Ok(Json(task.await?.convert()))
}
