//! An order becomes its document: the document, its number, payments and the order's new state are
//! one commit.

use racun_access::Entity;
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, Stage};
use racun_fiscalization::Ports;
use racun_kernel::PaymentType;
use racun_kernel::id::OrderId;
use racun_orders::{INTEGRATIONS, Integration, Making, ORDERS, Order, OrderError};
use racun_records::get_document;
use racun_sales::documents::{self, Beside, Voiding};
use racun_store::{Held, Put};

use crate::document::{creation, request};
use crate::error::ShopError;
use crate::orders::{get, replaced};

/// How often an order is looked at again when it changes between its reads and the decision.
const ATTEMPTS: usize = 5;

/// Processes the order `id`: makes its invoice or estimate by the rules of its integration, or
/// makes it again when it changed, and answers the order. One that has what it should have stays as
/// it is. What refuses the document is noted on the order (`failed`, with `error`), and no error.
///
/// # Errors [`OrderError::NotFound`]; a cancelled order, or one in the trash; what says nothing of
/// the order, such as the store's failure. Then nothing is noted.
pub async fn process(ports: Ports<'_>, entity: &Entity, id: OrderId) -> Result<Order, ShopError> {
    let mut attempt = 1;
    loop {
        let order = get(ports.cx, id).await?;
        let integration: Integration =
            ports.cx.one(&INTEGRATIONS, order.order_integration_id).await?;
        let run = Run { ports, entity, order: &order, integration: &integration };
        match run.make().await {
            Err(ShopError::Sales(racun_sales::Error::Document(
                DocumentError::ChangedMeanwhile,
            ))) if attempt < ATTEMPTS => attempt += 1,
            Err(error @ ShopError::Order(_)) => return Err(error),
            Err(error) if error.is_of_the_moment() => return Err(error),
            Err(refused) => return run.failed(&refused).await,
            Ok(()) => return Ok(get(ports.cx, id).await?),
        }
    }
}

/// One look at an order, and what is made of it.
struct Run<'a> {
    ports: Ports<'a>,
    entity: &'a Entity,
    order: &'a Order,
    integration: &'a Integration,
}

impl Run<'_> {
    async fn make(&self) -> Result<(), ShopError> {
        match self.order.making(self.integration)? {
            Making::Nothing => Ok(()),
            Making::Estimate => self.document(DocumentKind::Estimate, None).await,
            Making::Invoice { paid } => self.document(DocumentKind::Invoice, paid).await,
            Making::Reissue { paid } => {
                self.end_invoice().await?;
                self.document(DocumentKind::Invoice, paid).await
            }
        }
    }

    /// Makes the document, and notes it on the order in the same commit.
    async fn document(
        &self,
        kind: DocumentKind,
        paid: Option<PaymentType>,
    ) -> Result<(), ShopError> {
        let is_invoice = kind == DocumentKind::Invoice;
        let mut request = request(self.order, self.integration);
        if !is_invoice {
            request.linked_documents = None;
        }
        let creation = creation(self.ports.cx, self.integration, paid).await?;
        let seen = self.order.clone();
        let beside = Beside::new(move |unit| {
            let order = unit.hold(&ORDERS, seen.id);
            move |document: &Document, held: &Held| {
                let before: Order = held.one(order)?;
                if before != seen {
                    return Err(DocumentError::ChangedMeanwhile.into());
                }
                let (id, customer) = (document.id.to_string(), document.content.customer_id);
                let actor = held.actor();
                let after = before.clone().processed(&id, is_invoice, customer, actor);
                Ok(replaced(&before, after, actor).1)
            }
        });
        documents::create_beside(self.ports, self.entity, kind, request, creation, beside).await?;
        Ok(())
    }

    /// Voids the invoice that is made again; where the law wants it, a credit note takes it back.
    /// One that a run before this one voided stays as it is.
    async fn end_invoice(&self) -> Result<(), ShopError> {
        let Some(id) = &self.order.invoice_id else { return Ok(()) };
        let Ok(id) = id.parse::<DocumentId>() else { return Ok(()) };
        let invoice = get_document(self.ports.cx, id).await.map_err(racun_sales::Error::from)?;
        if matches!(invoice.stage, Stage::Voided(..)) || invoice.deleted_at.is_some() {
            return Ok(());
        }
        let voiding = Voiding { reason: Some(WHY.to_owned()), ..Voiding::default() };
        documents::void(self.ports, self.entity, id, voiding).await?;
        Ok(())
    }

    /// Notes on the order why its document was refused.
    async fn failed(&self, refused: &ShopError) -> Result<Order, ShopError> {
        let (cx, why) = (self.ports.cx, refused.to_string());
        let mut unit = cx.unit();
        let order = unit.hold(&ORDERS, self.order.id);
        let noted = unit.decide(move |held| {
            let before: Order = held.one(order)?;
            let failed = before.clone().failed(&why, held.actor());
            Ok::<_, OrderError>(failed.written(|after| Put::update(&before, after)))
        });
        Ok(noted.await?)
    }
}

/// Why an invoice is voided that is made again.
const WHY: &str = "the order changed";
