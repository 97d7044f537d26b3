//! The job that processes an order when its time has come.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::enter_as_system;
use racun_background::clock::Clock;
use racun_background::jobs::{Ending, Handler, Job, JobKind, Outcome};
use racun_catalog::VatRegistry;
use racun_fiscalization::{Fiscal, OutsideServices, Ports, TaxAuthority};
use racun_kernel::id::{AccountId, OrderId, OrderIntegrationId};
use racun_orders::{INTEGRATIONS, Integration, ORDERS, Order};
use racun_portugal::Portugal;
use racun_store::{Context, Store, StoreError};

use crate::orders::retry_failed;
use crate::processing::{Processing, process};

/// Processes orders that are due, and makes due what failed of an integration that changed.
pub struct OrderHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What fiscalizing takes.
    pub fiscal: Option<Fiscal>,
    /// The authority that may have to receive how documents are paid.
    pub authority: Arc<dyn TaxAuthority>,
    /// The register of VAT numbers.
    pub vat: Arc<dyn VatRegistry>,
    /// Who certifies documents in Portugal; `None` where they cannot be.
    pub portugal: Option<Arc<dyn Portugal>>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for OrderHandler {
    fn kind(&self) -> JobKind {
        JobKind::OrderProcessing
    }

    /// What is not due, or no longer, is done: a change of the order leaves a job of its own.
    async fn run(&self, job: &Job) -> Outcome {
        match self.attempt(job).await {
            Ok(()) => Outcome::Ends(Ending::Done),
            Err(error) => Outcome::Ends(Ending::Failed { error, wait: None }),
        }
    }
}

impl OrderHandler {
    async fn attempt(&self, job: &Job) -> Result<(), String> {
        let (Ok(account), Some(entity)) = (job.payload.parse::<AccountId>(), job.entity_id) else {
            return Err("a job names no account".to_owned());
        };
        let (store, stamp) = (&*self.store, (self.stamp)());
        let entered = enter_as_system(store, account, entity).await;
        let (scope, entity) = entered.map_err(|error| error.to_string())?;
        let cx = Context::new(store, &scope, &stamp);
        if let Ok(integration) = job.subject.parse::<OrderIntegrationId>() {
            return retry_failed(cx, integration).await.map_err(|error| error.to_string());
        }
        let id = job.subject.parse::<OrderId>().map_err(|_| "a job names no order".to_owned())?;
        if !is_due(cx, id).await.map_err(|error| error.to_string())? {
            return Ok(());
        }
        let (fiscal, portugal) = (self.fiscal.as_ref(), self.portugal.as_deref());
        let services = OutsideServices { fiscal, vat: Some(&*self.vat), portugal };
        let ports = Ports::with_services(cx, services);
        let by = Processing { ports, authority: &self.authority };
        process(by, &entity, id).await.map(drop).map_err(|error| error.to_string())
    }
}

/// Whether the order `id` is due, and its integration still processes orders by itself.
async fn is_due(cx: Context<'_>, id: OrderId) -> Result<bool, StoreError> {
    let Some(order) = cx.get::<Order>(&ORDERS, id).await? else { return Ok(false) };
    if order.process_after.is_none_or(|at| at > cx.now()) {
        return Ok(false);
    }
    let rules: Option<Integration> = cx.get(&INTEGRATIONS, order.order_integration_id).await?;
    Ok(rules.is_some_and(|rules| order.wants_processing(&rules)))
}
