//! An order becomes its document: the document, its number, payments and the order's new state are
//! one commit.
//!
//! An invoice that is made again is first tried: what refuses its end or the new one leaves all as
//! it is. Then the money on it is taken back, it ends, and the new one is made with the order's
//! state. Of one that credit notes gave back in part, a credit note gives back the rest, and one
//! that they gave back in full stays as it is. A run that dies in between is followed by one that
//! goes on: each step is left out where it was made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use racun_access::Entity;
use racun_documents::{Document, DocumentError, DocumentKind};
use racun_fiscalization::{Ports, TaxAuthority};
use racun_kernel::PaymentType;
use racun_kernel::id::OrderId;
use racun_orders::{INTEGRATIONS, Integration, Making, Moved, ORDERS, Order};
use racun_records::get_document;
use racun_sales::documents::{self, Beside, Voiding};
use racun_sales::payments::PaymentPorts;
use racun_settlement::NewPayment;
use racun_store::{Context, Decision, Held, Writes};

use crate::document::{creation, request};
use crate::error::ShopError;
use crate::money::{self, Ending};
use crate::orders::{get, replaced};
use crate::trial::Trial;

/// How often an order is looked at again when it changes between its reads and the decision.
const ATTEMPTS: usize = 5;

/// What processing takes.
#[derive(Clone, Copy)]
pub struct Processing<'a> {
    /// What making documents takes.
    pub ports: Ports<'a>,
    /// The authority that may have to receive how documents are paid.
    pub authority: &'a Arc<dyn TaxAuthority>,
}

impl<'a> Processing<'a> {
    const fn payments(self) -> PaymentPorts<'a> {
        let Ports { cx, portugal, .. } = self.ports;
        PaymentPorts { cx, authority: Some(self.authority), portugal }
    }
}

/// Processes the order `id`: makes its invoice or estimate by the rules of its integration, makes
/// it again when it changed, or records its payment, and answers the order. One that has what it
/// should have stays as it is. What refuses that is noted on the order (`failed`, with `error`),
/// and no error.
///
/// # Errors
/// [`racun_orders::OrderError::NotFound`]; a cancelled order, or one in the trash; what says
/// nothing of the order, such as the store's failure. Then nothing is noted.
pub async fn process(by: Processing<'_>, entity: &Entity, id: OrderId) -> Result<Order, ShopError> {
    let cx = by.ports.cx;
    let mut attempt = 1;
    loop {
        let order = get(cx, id).await?;
        let integration: Integration = cx.one(&INTEGRATIONS, order.order_integration_id).await?;
        let run = Run { by, entity, order: &order, integration: &integration };
        let made = match run.make().await {
            Ok(()) => return Ok(get(cx, id).await?),
            Err(error @ ShopError::Order(_)) => return Err(error),
            Err(error) if error.is_of_the_moment() => Err(error),
            Err(refused) => run.failed(&refused).await,
        };
        match made {
            Err(ShopError::Sales(racun_sales::Error::Document(
                DocumentError::ChangedMeanwhile,
            ))) if attempt < ATTEMPTS => attempt += 1,
            made => return made,
        }
    }
}

/// One look at an order, and what is made of it.
#[derive(Clone, Copy)]
struct Run<'a> {
    by: Processing<'a>,
    entity: &'a Entity,
    order: &'a Order,
    integration: &'a Integration,
}

impl Run<'_> {
    async fn make(&self) -> Result<(), ShopError> {
        let ports = self.by.ports;
        match self.order.making(self.integration)? {
            Making::Nothing => Ok(()),
            Making::Estimate => {
                self.document(ports, DocumentKind::Estimate, Vec::new(), None).await
            }
            Making::Invoice { paid } => {
                self.document(ports, DocumentKind::Invoice, by_shop(paid), None).await
            }
            Making::Reissue { paid } => self.reissue(paid).await,
            Making::Payment { paid } => self.pay(paid).await,
        }
    }

    /// Makes the document, and notes it on the order in the same commit; sets `tried` when that is
    /// decided.
    async fn document(
        &self,
        ports: Ports<'_>,
        kind: DocumentKind,
        payments: Vec<NewPayment>,
        tried: Option<Arc<AtomicBool>>,
    ) -> Result<(), ShopError> {
        let mut request = request(self.order, self.integration);
        if kind != DocumentKind::Invoice {
            request.linked_documents = None;
        }
        let creation = creation(ports.cx, self.integration, payments).await?;
        let seen = self.order.clone();
        let beside = Beside::new(move |unit| {
            let order = unit.hold(&ORDERS, seen.id);
            move |document: &Document, held: &Held| {
                let before: Order = held.one(order)?;
                if before != seen {
                    return Err(DocumentError::ChangedMeanwhile.into());
                }
                if let Some(tried) = tried {
                    tried.store(true, Ordering::Release);
                }
                let (customer, actor) = (document.content.customer_id, held.actor());
                let after = before.clone().processed(document.id, customer, actor);
                Ok(replaced(&before, after, actor).1)
            }
        });
        documents::create_beside(ports, self.entity, kind, request, creation, beside).await?;
        Ok(())
    }

    /// Makes another invoice in the place of the one that there is. What the shop took is on the
    /// new one; where it took nothing yet, what a person recorded goes there.
    async fn reissue(&self, paid: Option<PaymentType>) -> Result<(), ShopError> {
        let (ports, cx) = (self.by.ports, self.by.ports.cx);
        let Some(id) = self.order.invoice_id else {
            return self.document(ports, DocumentKind::Invoice, by_shop(paid), None).await;
        };
        let old = get_document(cx, id).await.map_err(racun_sales::Error::from)?;
        let moved = match paid {
            Some(_) => Vec::new(),
            None => money::moved(cx, self.order, &old).await?,
        };
        let payments = match paid {
            Some(_) => by_shop(paid),
            None => money::again(cx, &moved, &self.order.content.total_with_tax).await?,
        };
        let ending = money::ending(cx, self.entity, &old, &moved).await?;
        self.try_out(&old, ending, payments.clone()).await?;
        let order = self.noting(moved.clone()).await?;
        let run = Run { order: &order, ..*self };
        run.end(&old, ending, paid, &moved).await?;
        run.document(ports, DocumentKind::Invoice, payments, None).await
    }

    /// Notes on the order what moves, before anything does; answers the order.
    async fn noting(&self, moved: Vec<Moved>) -> Result<Order, ShopError> {
        match self.order.moving == moved {
            true => Ok(self.order.clone()),
            false => self.note(|order, _, _| order.moves(moved)).await,
        }
    }

    /// Whether `old` would end, and the new invoice be made. Nothing is written.
    async fn try_out(
        &self,
        old: &Document,
        ending: Ending,
        payments: Vec<NewPayment>,
    ) -> Result<(), ShopError> {
        let ports = self.by.ports;
        let (trial, flag) = Trial::of_one(ports.cx.store);
        let tried = Ports { cx: Context { store: &trial, ..ports.cx }, ..ports };
        let made = self.document(tried, DocumentKind::Invoice, payments, Some(flag)).await;
        trial.outcome(made)?;
        if ending != Ending::Ended {
            let trial = Trial::of_all(ports.cx.store);
            let tried = Ports { cx: Context { store: &trial, ..ports.cx }, ..ports };
            let ended = self.carry_out(tried, old, ending).await;
            // Receipts are voided with their payments, which go back before the invoice ends.
            trial.outcome(ended).or_else(|refused| match refused.is_for_a_receipt() {
                true if ending == Ending::Voided => Ok(()),
                _ => Err(refused),
            })?;
        }
        Ok(())
    }

    /// Ends the invoice that is made again, if a run before this one did not. What was paid on it
    /// goes back, where the new one is paid, and what receipts say always.
    async fn end(
        &self,
        old: &Document,
        ending: Ending,
        paid: Option<PaymentType>,
        moved: &[Moved],
    ) -> Result<(), ShopError> {
        let (by, id) = (self.by, old.id);
        if ending == Ending::Voided {
            let all = paid.is_some() || !moved.is_empty();
            money::take_back(by.payments(), self.entity, id, all).await?;
        }
        self.carry_out(by.ports, old, ending).await?;
        let most = paid.is_none().then(|| moved.iter().map(|one| &one.amount).sum());
        money::pay_back(by.payments(), self.entity, self.order, id, most).await
    }

    async fn carry_out(
        &self,
        ports: Ports<'_>,
        old: &Document,
        ending: Ending,
    ) -> Result<(), ShopError> {
        match ending {
            Ending::Ended => {}
            Ending::Voided | Ending::VoidedByCredit => {
                documents::void(ports, self.entity, old.id, voiding()).await?;
            }
            Ending::GivenBack => {
                documents::give_back(ports, self.entity, old.id).await?;
            }
        }
        Ok(())
    }

    /// Records what the shop took, and notes on the order that its invoice has it.
    async fn pay(&self, paid: PaymentType) -> Result<(), ShopError> {
        if let Some(id) = self.order.invoice_id {
            money::pay(self.by.payments(), self.entity, self.order, id, paid).await?;
        }
        self.note(|order, _, held| order.paid_up(held.actor())).await?;
        Ok(())
    }

    /// Notes on the order why it was refused.
    async fn failed(&self, refused: &ShopError) -> Result<Order, ShopError> {
        let why = refused.to_string();
        self.note(move |order, rules, held| order.failed(&why, rules, held.actor())).await
    }

    /// Notes what `change` says on the order, if it is still the one that was seen.
    async fn note(
        &self,
        change: impl FnOnce(Order, &Integration, &Held) -> Decision<Order> + Send + 'static,
    ) -> Result<Order, ShopError> {
        let (seen, rules) = (self.order.clone(), self.integration.clone());
        let mut unit = self.by.ports.cx.unit();
        let order = unit.hold(&ORDERS, seen.id);
        let noted = unit.decide(move |held| {
            let before: Order = held.one(order)?;
            if before != seen {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            let after = change(before.clone(), &rules, held);
            Ok::<(Order, Writes), racun_sales::Error>(replaced(&before, after, held.actor()))
        });
        Ok(noted.await?)
    }
}

/// The payment of a document that the shop took the money of, by `paid`.
fn by_shop(paid: Option<PaymentType>) -> Vec<NewPayment> {
    paid.map(NewPayment::new).into_iter().collect()
}

fn voiding() -> Voiding {
    Voiding { reason: Some(WHY.to_owned()), ..Voiding::default() }
}

/// Why an invoice is voided that is made again.
const WHY: &str = "the order changed";
