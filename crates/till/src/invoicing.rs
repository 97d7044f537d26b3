//! Invoicing tabs: the invoice, its number, the report to a tax authority and the new state of the
//! tabs are one commit, so there is never one without the others.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_documents::{Document, DocumentError, InvoicedTab};
use racun_fiscalization::Ports;
use racun_kernel::id::PosTabId;
use racun_kernel::{Issue, Issues, Patch};
use racun_pos::{InvoiceTerms, Invoiced, Part, TABS, Tab, TabLine, TabTotals, deal};
use racun_sales::Error;
use racun_sales::documents::{Beside, Creation, DocumentRequest, LineRequest, TabSale};
use racun_store::{Decision, Held, One, StoreError, Writes};

use super::gather;
use super::orders::{Orders, explained, totals_of};

/// Tabs that one invoice may join.
const MAX_JOINED: usize = 20;
/// How often a command is retried when tabs change between its reads and its decision.
const ATTEMPTS: usize = 5;

/// What a tab is invoiced with.
#[derive(Debug, Clone)]
pub struct TabOrder {
    /// How much of the tab.
    pub part: Part,
    /// Other tabs that the same invoice closes, whole, `ptab_…`.
    pub tab_ids: Vec<String>,
    /// Who invoices, and what they saw.
    pub terms: InvoiceTerms,
    /// Customer and texts. The tab's customer when it names none.
    pub request: DocumentRequest,
    /// Payments, and the fiscalization request. Never a draft.
    pub creation: Creation,
}

/// Issues an invoice of the tab `id`, or of a part of it, and of the other tabs that `order` joins.
/// In the same commit the tabs end in it; what is left of the tab stays open.
///
/// # Errors
/// What [`Tab::pick`] refuses, with the tab; what is wrong with the order, by path; what
/// [`racun_sales::documents::create`] refuses. Nothing is then written.
pub async fn invoice<'a>(
    ports: impl Into<Ports<'a>>,
    entity: &Entity,
    id: PosTabId,
    order: TabOrder,
) -> Result<Document, Error> {
    let ports = ports.into();
    let others = joined(id, &order)?;
    let sale = Sale { ports, entity, order: &order };
    let mut attempt = 1;
    loop {
        match sale.issue(id, &others).await {
            Err(Error::Document(DocumentError::ChangedMeanwhile)) if attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(Error::Pos(refusal)) => {
                return Err(explained(ports.cx, entity, refusal).await.into());
            }
            done => return done,
        }
    }
}

/// The other tabs of `order`.
fn joined(id: PosTabId, order: &TabOrder) -> Result<Vec<PosTabId>, Issues> {
    let mut issues = Issues::default();
    issues.note(order.part.check());
    if order.tab_ids.len() > MAX_JOINED {
        let message = format!("an invoice joins at most {MAX_JOINED} other tabs");
        issues.push(Issue::new("too_many", message).at("tab_ids"));
    }
    if !order.tab_ids.is_empty() && order.part != Part::Whole {
        let message = "tabs are joined whole; leave lines and share out";
        issues.push(Issue::new("conflicting", message).at("tab_ids"));
    }
    let mut named = BTreeSet::from([id]);
    let mut others = Vec::with_capacity(order.tab_ids.len());
    for (n, text) in order.tab_ids.iter().enumerate() {
        let at = |code, message: String| Issue::new(code, message).at(n).at("tab_ids");
        match text.parse::<PosTabId>() {
            Err(wrong) => issues.push(at("invalid_id", wrong.to_string())),
            Ok(other) if !named.insert(other) => {
                let message = "the tab is invoiced already by this request; name it once";
                issues.push(at("duplicate", message.to_owned()));
            }
            Ok(other) => others.push(other),
        }
    }
    issues.into_result(others)
}

/// A tab as it was read, with what is invoiced of it.
struct Picked {
    tab: Tab,
    part: Part,
    terms: InvoiceTerms,
    requests: Vec<LineRequest>,
    totals: TabTotals,
}

struct Sale<'a> {
    ports: Ports<'a>,
    entity: &'a Entity,
    order: &'a TabOrder,
}

impl Sale<'_> {
    async fn issue(&self, id: PosTabId, others: &[PosTabId]) -> Result<Document, Error> {
        let (cx, actor) = (self.ports.cx, self.ports.cx.actor());
        let tabs = self.read(id, others).await?;
        let mut orders = Orders::of(cx, self.entity, tabs.iter()).await?;
        let mut chosen = Vec::with_capacity(tabs.len());
        for (n, tab) in tabs.into_iter().enumerate() {
            let (part, terms) = if n == 0 {
                (self.order.part.clone(), self.order.terms.clone())
            } else {
                // The version that the caller saw is the first tab's.
                let terms = InvoiceTerms { expected_version: None, ..self.order.terms.clone() };
                (Part::Whole, terms)
            };
            let lines = tab.pick(&part, &terms, cx.now())?;
            chosen.push((tab, part, terms, lines));
        }
        let first = chosen.iter().map(|(tab, ..)| tab);
        let request = self.request(&mut orders, first).await?;
        let mut picked = Vec::with_capacity(chosen.len());
        for (tab, part, terms, lines) in chosen {
            let requests = self.requests(&orders, &part, &lines, &request)?;
            let priced = orders.pricing.price(&actor, &request, requests.clone())?;
            picked.push(Picked { tab, part, terms, requests, totals: totals_of(&priced) });
        }
        let sale = TabSale {
            request: &request,
            lines: picked.iter().flat_map(|picked| picked.requests.clone()).collect(),
            creation: self.order.creation.clone(),
            tabs: picked.iter().map(invoiced_tab).collect(),
            beside: Self::beside(picked),
        };
        orders.pricing.issue(self.ports, sale).await
    }

    async fn read(&self, id: PosTabId, others: &[PosTabId]) -> Result<Vec<Tab>, Error> {
        let cx = self.ports.cx;
        let ids: Vec<String> =
            std::iter::once(&id).chain(others).map(ToString::to_string).collect();
        let found: Vec<Tab> = cx.get_all(&TABS, &ids).await?;
        let mut issues = Issues::default();
        let mut tabs = Vec::with_capacity(ids.len());
        for (n, text) in ids.iter().enumerate() {
            match found.iter().find(|tab| tab.id.to_string() == *text) {
                Some(tab) => tabs.push(tab.clone()),
                None if n == 0 => return Err(StoreError::NotFound { id: text.clone() }.into()),
                None => {
                    let issue = Issue::new("not_found", "there is no such tab in this entity");
                    issues.push(issue.at(n - 1).at("tab_ids"));
                }
            }
        }
        Ok(issues.into_result(tabs)?)
    }

    /// What the invoice says, lines apart: it is for the customer of the request, else for that of
    /// the first tab that has one.
    async fn request(
        &self,
        orders: &mut Orders,
        mut tabs: impl Iterator<Item = &Tab>,
    ) -> Result<DocumentRequest, Error> {
        let mut request = self.order.request.clone();
        let customer = match request.customer_id.value() {
            Some(id) => gather::customer(self.ports.cx, Some(id)).await?,
            None if request.customer_id.is_absent() && request.customer.is_absent() => {
                let of_tab = tabs.find_map(|tab| orders.customer(tab)).cloned();
                request.customer_id = Patch::from(of_tab.as_ref().map(|of| of.id.to_string()));
                of_tab
            }
            None => None,
        };
        orders.pricing.sell_to(customer);
        Ok(request)
    }

    fn requests(
        &self,
        orders: &Orders,
        part: &Part,
        lines: &[TabLine],
        request: &DocumentRequest,
    ) -> Result<Vec<LineRequest>, Error> {
        let Part::Share { number, of } = *part else { return Ok(orders.requests(lines)) };
        let whole =
            orders.pricing.price(&self.ports.cx.actor(), request, orders.requests(lines))?;
        let grosses: Vec<_> =
            whole.content.lines.iter().map(|line| line.total_with_tax.clone()).collect();
        let dealt = deal(&grosses, of, self.entity.currency);
        let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let shares = dealt.into_iter().map(|mut shares| match shares.get_mut(place) {
            Some(share) => std::mem::replace(share, 0.into()),
            None => 0.into(),
        });
        let requests: Vec<LineRequest> = lines
            .iter()
            .zip(shares)
            .filter(|(_, gross)| !gross.is_zero())
            .map(|(line, gross)| orders.share(line, gross, number, of))
            .collect();
        if requests.is_empty() {
            let message = "this share comes to nothing; split the tab into fewer shares";
            return Err(Issues::from(Issue::new("out_of_range", message).at("share")).into());
        }
        Ok(requests)
    }

    /// Ends the tabs in the invoice, as long as they are as they were read.
    fn beside(picked: Vec<Picked>) -> Beside {
        Beside::new(move |unit| {
            let tabs = picked.into_iter().map(|picked| (unit.hold(&TABS, picked.tab.id), picked));
            let tabs: Vec<(One<Tab>, Picked)> = tabs.collect();
            move |invoice: &Document, held: &Held| {
                let actor = held.actor_by_clock();
                let mut writes = Writes::default();
                for (tab, Picked { tab: seen, part, terms, totals, .. }) in tabs {
                    let tab = held.find(tab)?.filter(|tab| *tab == seen);
                    let tab = tab.ok_or(DocumentError::ChangedMeanwhile)?;
                    let invoiced = Invoiced { invoice_id: invoice.id, totals };
                    if let Decision::Changed { record, beside, events } =
                        tab.invoice(&part, invoiced, &terms, &actor)?
                    {
                        writes = writes.put(record.put()).puts(beside).events(events);
                    }
                }
                Ok(writes)
            }
        })
    }
}

fn invoiced_tab(picked: &Picked) -> InvoicedTab {
    InvoicedTab { tab_id: picked.tab.id, gross: Some(picked.totals.gross.clone()) }
}
