//! Integrations.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadRecords};
use racun_kernel::{Patch, id};
use racun_orders::{Integration, IntegrationInput, SourceKind, Trigger};
use racun_shop::integrations::{self as shop, Secrets};

use super::sync::SyncBody;
use crate::answer::{Created, Json, NoContent};
use crate::body::{Convert, ListBody, answer, names};
use crate::call::Call;
use crate::error::ApiError;
use crate::payments::PaymentTypeBody;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};

const TAG: &str = "Order integrations";
const MANAGE: Gate = Gate::Entity(ManageEntity);

/// Where a shop's webhooks go, and how they are proved.
const HOOKS: &str = "A shop on Shopify or WooCommerce posts its orders to \
                     `/order-integrations/{id}/webhooks/shopify`, or `…/woocommerce`. What is not \
                     signed with `webhook_secret` is refused: set it to the one that the shop \
                     shows, or give the shop the one that is answered once here.";

/// Routes of integrations.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/order-integrations", "createOrderIntegration", MANAGE, || web::to(create))
        .about(TAG, "Adds a source of orders.")
        .explained(HOOKS)
        .takes_with::<IntegrationInputBody>(&["name"])
        .creates::<IntegrationBody>()
        .shows_secret(),
    Route::get("/order-integrations", "listOrderIntegrations", Gate::Entity(ReadRecords), || {
        web::to(list)
    })
    .about(TAG, "Lists sources of orders.")
    .reads(LIST)
    .answers::<ListBody<IntegrationBody>>(),
    Route::get(
        "/order-integrations/{id}",
        "getOrderIntegration",
        Gate::Entity(ReadRecords),
        || web::to(get),
    )
    .about(TAG, "Answers a source of orders.")
    .answers::<IntegrationBody>(),
    Route::patch("/order-integrations/{id}", "updateOrderIntegration", MANAGE, || web::to(update))
        .read_by(&["getOrderIntegration"])
        .about(TAG, "Changes what is sent of a source of orders.")
        .takes::<IntegrationInputBody>()
        .answers::<IntegrationBody>(),
    Route::delete("/order-integrations/{id}", "deleteOrderIntegration", MANAGE, || web::to(delete))
        .about(TAG, "Removes a source of orders; its orders stay.")
        .explained(
            "When the owner of its shop on Shopify consents again, it is there again with its \
             rules, so that no order comes twice.",
        ),
];

names! {
    /// The platform of a shop.
    SourceBody as OrderSource of SourceKind { Manual, Shopify, Woocommerce }
}
names! {
    /// What lets an order be processed by itself.
    TriggerBody as OrderTrigger of Trigger { Created, Paid, Fulfilled }
}

/// What is said of an integration, its secrets in plain text.
struct Said {
    input: IntegrationInput,
    secrets: Secrets,
}

/// What a caller says of a source of orders.
#[derive(Debug, serde::Deserialize, utoipa::ToSchema, validator::Validate)]
#[schema(as = OrderIntegrationInput)]
pub struct IntegrationInputBody {
    /// Its name, for people.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    name: Patch<String>,
    /// The platform; `manual` when absent. It stays.
    #[serde(default)]
    #[schema(value_type = Option<SourceBody>)]
    source: Patch<SourceBody>,
    /// Whether it takes orders and processes them; true when absent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_active: Patch<bool>,
    /// Whether orders are processed by themselves; false when absent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    auto_process: Patch<bool>,
    /// When they are; `paid` when absent.
    #[serde(default)]
    #[schema(value_type = Option<TriggerBody>)]
    auto_process_on: Patch<TriggerBody>,
    /// Seconds that they wait after that, at most 30 days; 0 when absent.
    #[serde(default)]
    #[schema(value_type = Option<u32>)]
    auto_process_delay_seconds: Patch<u32>,
    /// Whether the invoice is voided and made again when an order changes after it was processed;
    /// false when absent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    auto_reissue_on_update: Patch<bool>,
    /// How a paid order was paid, where its own method does not say.
    #[serde(default)]
    #[schema(value_type = Option<PaymentTypeBody>)]
    default_payment_type: Patch<PaymentTypeBody>,
    /// Whether an invoice is mailed to the address that the order has; false when absent.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    send_invoice_email: Patch<bool>,
    /// Whether an estimate is.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    send_estimate_email: Patch<bool>,
    /// Whether such a mail has the PDF.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    attach_pdf_to_email: Patch<bool>,
    /// Whether an unpaid order by bank transfer gets an invoice at once, and no estimate.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    issue_invoice_for_bank: Patch<bool>,
    /// Whether an order with an estimate gets its invoice when it is paid and fulfilled.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    issue_invoice_on_complete: Patch<bool>,
    /// Language of mails, one of the 18 locales.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    locale: Patch<String>,
    /// The business unit that issues its documents.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    business_unit_id: Patch<String>,
    /// The premise that fiscalizes them.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    business_premise_id: Patch<String>,
    /// The device that does.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    electronic_device_id: Patch<String>,
    /// The shop's address at the platform.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    shop_domain: Patch<String>,
    /// The secret that the shop's webhooks are signed with, at most 255 characters. One is made
    /// when it is absent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    webhook_secret: Patch<String>,
    /// What opens the shop's orders at its platform, where its owner did not consent by
    /// `/order-integrations/shopify/authorize`: an access token of Shopify's Admin API, or consumer
    /// key and secret of WooCommerce with a colon between them. It is never answered.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    access_token: Patch<String>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    metadata: Patch<BTreeMap<String, String>>,
}

impl Convert<Said> for IntegrationInputBody {
    fn convert(self) -> Said {
        let input = IntegrationInput {
            name: self.name,
            source: self.source.convert(),
            is_active: self.is_active,
            auto_process: self.auto_process,
            auto_process_on: self.auto_process_on.convert(),
            auto_process_delay_seconds: self.auto_process_delay_seconds,
            auto_reissue_on_update: self.auto_reissue_on_update,
            default_payment_type: self.default_payment_type.convert(),
            send_invoice_email: self.send_invoice_email,
            send_estimate_email: self.send_estimate_email,
            attach_pdf_to_email: self.attach_pdf_to_email,
            issue_invoice_for_bank: self.issue_invoice_for_bank,
            issue_invoice_on_complete: self.issue_invoice_on_complete,
            locale: self.locale,
            business_unit_id: self.business_unit_id,
            business_premise_id: self.business_premise_id,
            electronic_device_id: self.electronic_device_id,
            shop_domain: self.shop_domain,
            webhook_secret: Patch::Absent,
            access_token: Patch::Absent,
            metadata: self.metadata,
        };
        let secrets =
            Secrets { webhook_secret: self.webhook_secret, access_token: self.access_token };
        Said { input, secrets }
    }
}

answer! {
    /// A source of orders.
    IntegrationBody as OrderIntegration from Integration {
        /// Its id.
        id: String,
        /// Whose.
        entity_id: String,
        /// Its name, for people.
        name: String,
        /// The platform.
        source: SourceBody,
        /// Whether it takes orders and processes them.
        is_active: bool,
        /// Whether orders are processed by themselves.
        auto_process: bool,
        /// When they are.
        auto_process_on: TriggerBody,
        /// Seconds that they wait after that.
        auto_process_delay_seconds: i64 => delay,
        /// Whether the invoice is made again when an order changes.
        auto_reissue_on_update: bool,
        /// How a paid order was paid, where its own method does not say.
        default_payment_type: Option<PaymentTypeBody>,
        /// Whether an invoice is to be mailed.
        send_invoice_email: bool,
        /// Whether an estimate is.
        send_estimate_email: bool,
        /// Whether such a mail has the PDF.
        attach_pdf_to_email: bool,
        /// Whether an unpaid order by bank transfer gets an invoice at once.
        issue_invoice_for_bank: bool,
        /// Whether an order with an estimate gets its invoice when it is paid and fulfilled.
        issue_invoice_on_complete: bool,
        /// Language of mails.
        locale: Option<String>,
        /// The business unit that issues its documents.
        business_unit_id: Option<String>,
        /// The premise that fiscalizes them.
        business_premise_id: Option<String>,
        /// The device that does.
        electronic_device_id: Option<String>,
        /// The shop's address at the platform.
        shop_domain: Option<String>,
        /// What the platform lets this server do.
        scopes: Option<String>,
        /// The secret of the shop's webhooks, in the answer that made it; null afterwards.
        webhook_secret: Option<String> => secret,
        /// Since when the shop posts its orders because this server had it do so.
        webhooks_at: Option<String>,
        /// How far a job came that reads its earlier orders.
        sync: Option<SyncBody>,
        /// What the caller attached.
        metadata: BTreeMap<String, String>,
        /// Since when it is deleted.
        deleted_at: Option<String>,
        /// When it was made.
        created_at: String,
        /// When it changed last.
        updated_at: String,
    }
}

/// Properties of the answer that the record does not have as they are answered.
trait ComputedProperties {
    /// Seconds, as the wire has numbers.
    fn delay(&self) -> i64;

    /// The secret, which only the answer that made it shows.
    fn secret(&self) -> Option<String>;
}

impl ComputedProperties for Integration {
    fn delay(&self) -> i64 {
        i64::from(self.auto_process_delay_seconds)
    }

    fn secret(&self) -> Option<String> {
        None
    }
}

async fn create(
    call: Call,
    body: Body<IntegrationInputBody>,
) -> Result<Created<IntegrationBody>, ApiError> {
    let Said { input, secrets } = body.0.convert();
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        shop::create(call.cx(), vault.as_deref(), input, secrets).await
    });
    let (made, secret) = task.await?;
    Ok(Created(IntegrationBody { webhook_secret: secret, ..made.convert() }))
}

async fn list(call: Call, query: Query) -> Result<Json<ListBody<IntegrationBody>>, ApiError> {
    Ok(Json(shop::list(call.cx(), &query.list()?).await?.convert()))
}

async fn get(
    call: Call,
    id: PathId<id::OrderIntegration>,
) -> Result<Json<IntegrationBody>, ApiError> {
    Ok(Json(shop::get(call.cx(), id.0).await?.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::OrderIntegration>,
    body: Body<IntegrationInputBody>,
) -> Result<Json<IntegrationBody>, ApiError> {
    let Said { input, secrets } = body.0.convert();
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        shop::update(call.cx(), vault.as_deref(), id.0, input, secrets).await
    });
    Ok(Json(task.await?.convert()))
}

async fn delete(call: Call, id: PathId<id::OrderIntegration>) -> Result<NoContent, ApiError> {
    call.run(|call| async move { shop::delete(call.cx(), id.0).await }).await?;
    Ok(NoContent)
}
