//! What events tell of: resources as a request for them would be answered.

use async_trait::async_trait;
use racun_access::Entity;
use racun_billing::{Catalogue, Subscription};
use racun_card_payments::events::card_payment as cards;
use racun_card_payments::{Charge, PaymentApp};
use racun_catalog::{self as catalog, CatalogError, Customer, Item, Tax};
use racun_delivery::webhooks::Renderer;
use racun_documents::expense::Expense;
use racun_documents::recurrence::RecurringInvoice;
use racun_documents::{Document, DocumentError};
use racun_einvoicing::network::{Enrollment, Submission};
use racun_kernel::Scope;
use racun_orders::{Integration, Order};
use racun_sales::billing::LabelSource;
use racun_sales::documents as application;
use racun_settlement::Payment;
use racun_store::{Logged, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::billing::plan::SubscriptionBody;
use crate::body::Convert;
use crate::cards::body::{ChargeBody, PaymentAppBody};
use crate::catalog::customers::CustomerBody;
use crate::catalog::items::ItemBody;
use crate::catalog::taxes::TaxBody;
use crate::documents::answer::AnyDocumentBody;
use crate::e_invoicing::supplier::SupplierBody;
use crate::e_invoicing::{EnrollmentBody, SubmissionBody};
use crate::expenses::ExpenseBody;
use crate::orders::OrderBody;
use crate::orders::integrations::IntegrationBody;
use crate::payments::PaymentBody;
use crate::recurring::RecurringBody;

/// Renders the resources of this interface.
pub struct Resources {
    /// Where the white labels come from that subscriptions are answered with.
    pub white_labels: LabelSource,
}

#[async_trait]
impl Renderer for Resources {
    async fn render(
        &self,
        store: &dyn Store,
        logged: &Logged,
        place: Option<&(Scope, Entity)>,
    ) -> Result<Option<String>, StoreError> {
        let kind = logged.activity.kind.as_str();
        let Some((resource, _)) = kind.rsplit_once('.') else { return Ok(None) };
        match resource {
            "customer" => body::<Customer, CustomerBody>(logged),
            "tax" => body::<Tax, TaxBody>(logged),
            "payment" if kind == cards::FAILED.name() => body::<Charge, ChargeBody>(logged),
            "payment" => body::<Payment, PaymentBody>(logged),
            "expense" => body::<Expense, ExpenseBody>(logged),
            "recurring_invoice" => body::<RecurringInvoice, RecurringBody>(logged),
            "payment_app" => body::<PaymentApp, PaymentAppBody>(logged),
            "order" => body::<Order, OrderBody>(logged),
            "order_integration" => body::<Integration, IntegrationBody>(logged),
            "e_invoicing.submission" => body::<Submission, SubmissionBody>(logged),
            "e_invoicing.enrollment" => body::<Enrollment, EnrollmentBody>(logged),
            "e_invoicing.supplier" => supplier(logged, place),
            "white_label_subscription" => {
                subscription(&*self.white_labels.read(store).await?, logged)
            }
            "item" => item(store, logged, place).await,
            "invoice" | "estimate" | "credit_note" | "advance_invoice" | "delivery_note" => {
                document(store, logged, place).await
            }
            _ => Ok(None),
        }
    }
}

/// The record as it was left.
fn record<A: DeserializeOwned>(logged: &Logged) -> Result<Option<A>, StoreError> {
    let Some(snapshot) = &logged.snapshot else { return Ok(None) };
    serde_json::from_str(snapshot).map(Some).map_err(|error| unreadable(logged, error))
}

fn unreadable(logged: &Logged, reason: impl ToString) -> StoreError {
    StoreError::Corrupt {
        table: "activities",
        id: logged.activity.id.to_string(),
        reason: reason.to_string(),
    }
}

fn text(logged: &Logged, body: &impl Serialize) -> Result<Option<String>, StoreError> {
    serde_json::to_string(body).map(Some).map_err(|error| unreadable(logged, error))
}

fn body<A: DeserializeOwned + Convert<B>, B: Serialize>(
    logged: &Logged,
) -> Result<Option<String>, StoreError> {
    match record::<A>(logged)? {
        Some(record) => text(logged, &record.convert()),
        None => Ok(None),
    }
}

/// The entity as the earlier generation answers it.
fn supplier(
    logged: &Logged,
    place: Option<&(Scope, Entity)>,
) -> Result<Option<String>, StoreError> {
    let (Some(enrollment), Some((_, entity))) = (record::<Enrollment>(logged)?, place) else {
        return Ok(None);
    };
    text(logged, &SupplierBody::of(entity, &enrollment))
}

fn subscription(labels: &Catalogue, logged: &Logged) -> Result<Option<String>, StoreError> {
    let Some(subscription) = record::<Subscription>(logged)? else { return Ok(None) };
    let label = labels.by_slug(&subscription.white_label);
    text(logged, &SubscriptionBody::of(&subscription, label, logged.activity.created_at))
}

async fn item(
    store: &dyn Store,
    logged: &Logged,
    place: Option<&(Scope, Entity)>,
) -> Result<Option<String>, StoreError> {
    let (Some(item), Some((scope, entity))) = (record::<Item>(logged)?, place) else {
        return Ok(None);
    };
    let taxes = catalog::taxes_of_items(store, &scope.tenant(), std::slice::from_ref(&item)).await;
    let taxes = taxes.map_err(|error| match error {
        CatalogError::Store(error) => error,
        other => unreadable(logged, other),
    })?;
    text(logged, &ItemBody::at(item, &taxes, entity, logged.activity.created_at))
}

async fn document(
    store: &dyn Store,
    logged: &Logged,
    place: Option<&(Scope, Entity)>,
) -> Result<Option<String>, StoreError> {
    let Some(document) = record::<Document>(logged)? else { return Ok(None) };
    let mut links = Vec::new();
    if let Some((scope, _)) = place {
        let found = application::relations_of(store, scope, &[document.id]).await;
        links = found.map_err(|error| match error {
            DocumentError::Store(error) => error,
            other => unreadable(logged, other),
        })?;
    }
    text(logged, &AnyDocumentBody::of(document, links.convert()))
}
