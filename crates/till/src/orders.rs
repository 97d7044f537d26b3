//! What tabs come to: their lines as an invoice of today has them.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_catalog::{CUSTOMERS, Customer, ITEMS, Item, Tax};
use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{Document, Line};
use racun_kernel::id::TaxId;
use racun_kernel::{Decimal, Issues, Step};
use racun_pos::{PosError, Tab, TabLine, TabTax, TabTotals};
use racun_sales::documents::{
    DocumentRequest, LineRecords, LineRequest, LineTaxRequest, Pricing, by_ids, taxes,
};
use racun_store::{Actor, Context, Record as _, StoreError};

/// A tab and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabView {
    /// The tab.
    pub tab: Tab,
    /// What it comes to: at its end, or on an invoice of today; missing when such an invoice would
    /// be refused.
    pub totals: Option<TabTotals>,
    /// What is odd about its lines, while it is open: rates of tax that the country has not.
    pub warnings: Issues,
}

/// Tabs with all that their lines name.
pub(super) struct Orders {
    /// How they are priced.
    pub pricing: Pricing,
    /// Items, those in the trash as well: an order outlives its item.
    items: BTreeMap<String, Item>,
    customers: BTreeMap<String, Customer>,
    actor: Actor,
}

impl Orders {
    /// Looks up what the lines of `tabs` name, those aside whose totals are final.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of(
        cx: Context<'_>,
        entity: &Entity,
        tabs: impl Iterator<Item = &Tab> + Clone + Send,
    ) -> Result<Self, StoreError> {
        let tenant = cx.tenant();
        let tabs = tabs.filter(|tab| tab.final_totals().is_none());
        let lines = || tabs.clone().flat_map(|tab| &tab.lines);
        let ids: BTreeSet<String> =
            lines().filter_map(|line| line.item_id).map(|id| id.to_string()).collect();
        let customers: BTreeSet<String> =
            tabs.clone().filter_map(|tab| tab.customer_id).map(|id| id.to_string()).collect();
        let needs_taxes = lines().any(needs_taxes);
        let ids: Vec<String> = ids.into_iter().collect();
        let items: Vec<Item> = cx.store.get_all(&ITEMS, &tenant, &ids).await?;
        let customers = customers.iter().map(String::as_str).collect();
        let customers: Vec<Customer> = by_ids(cx.store, &CUSTOMERS, &tenant, customers).await?;
        let taxes = if needs_taxes { taxes(cx.store, &tenant).await? } else { Vec::new() };
        let items: BTreeMap<String, Item> =
            items.into_iter().map(|item| (item.id.to_string(), item)).collect();
        let live = items.values().filter(|item| !item.is_trashed()).cloned().collect();
        let records = LineRecords::of(cx.store, &tenant, live, taxes, BTreeSet::new()).await?;
        Ok(Self {
            pricing: Pricing::new(entity, records, cx.stamp),
            items,
            customers: customers.into_iter().map(|found| (found.id.to_string(), found)).collect(),
            actor: cx.actor(),
        })
    }

    /// The tab's customer, when it is there and not in the trash.
    pub fn customer(&self, tab: &Tab) -> Option<&Customer> {
        self.customers.get(&tab.customer_id?.to_string())
    }

    /// What `tab` comes to.
    pub fn totals(&mut self, tab: &Tab) -> Option<TabTotals> {
        if let Some(totals) = tab.final_totals() {
            return Some(totals.clone());
        }
        if tab.lines.is_empty() {
            return Some(TabTotals::nothing());
        }
        self.priced(tab).map(|document| totals_of(&document))
    }

    /// `tab` as an invoice of today; `None` when such an invoice would be refused.
    fn priced(&mut self, tab: &Tab) -> Option<Document> {
        let customer = self.customer(tab).cloned();
        let request = DocumentRequest {
            customer_id: customer.as_ref().map(|customer| customer.id.to_string()).into(),
            ..DocumentRequest::default()
        };
        self.pricing.sell_to(customer);
        let priced = self.pricing.price(&self.actor, &request, self.requests(&tab.lines));
        priced.ok()
    }

    /// The tab with what it comes to.
    pub fn view(&mut self, tab: Tab) -> TabView {
        if tab.final_totals().is_some() || tab.lines.is_empty() {
            let totals = self.totals(&tab);
            return TabView { tab, totals, warnings: Issues::default() };
        }
        let document = self.priced(&tab);
        let warnings = document.as_ref().map(|document| odd_rates(&tab, document));
        let totals = document.as_ref().map(totals_of);
        TabView { tab, totals, warnings: warnings.unwrap_or_default() }
    }

    /// `lines` as an invoice is asked for them.
    pub fn requests(&self, lines: &[TabLine]) -> Vec<LineRequest> {
        lines.iter().map(|line| self.request(line)).collect()
    }

    fn request(&self, line: &TabLine) -> LineRequest {
        let discount = line.discount_percent.clone().filter(|percent| !percent.is_zero());
        let item = line.item_id.and_then(|id| self.items.get(&id.to_string()));
        let gone = item.filter(|item| item.is_trashed());
        let taxes = match (&line.tax_rates, gone) {
            (Some(rates), _) => Some(rates.iter().map(|rate| self.tax(rate)).collect()),
            (None, Some(item)) if !item.tax_ids.is_empty() => {
                let live = item.tax_ids.iter().filter(|id| self.known_tax(**id).is_some());
                Some(live.map(|id| by_id(*id)).collect())
            }
            (None, _) => None,
        };
        LineRequest {
            name: Some(line.name.clone()),
            quantity: Some(line.quantity.clone()),
            gross_price: Some(line.unit_gross_price.clone()),
            discounts: discount
                .map(|value| Discount { value, kind: DiscountKind::Percent })
                .into_iter()
                .collect(),
            item_id: item.filter(|item| !item.is_trashed()).map(|item| item.id.to_string()),
            taxes,
            ..LineRequest::default()
        }
    }

    /// One of `of` equal shares of a line: `gross` of it.
    pub fn share(&self, line: &TabLine, gross: Decimal, number: u32, of: u32) -> LineRequest {
        let mark = format!(" ({number}/{of})");
        let kept = Line::MAX_NAME_CHARS.saturating_sub(mark.chars().count());
        let name: String = line.name.chars().take(kept).collect();
        LineRequest {
            name: Some(name + &mark),
            quantity: Some(1.into()),
            gross_price: Some(gross),
            discounts: Vec::new(),
            ..self.request(line)
        }
    }

    /// A tax of a line: the catalogue's while it has that rate, else the bare rate.
    fn tax(&self, tax: &TabTax) -> LineTaxRequest {
        let today = self.pricing.today();
        let known = tax.tax_id.and_then(|id| self.known_tax(id));
        match known.filter(|known| known.rate_on(today) == Some(&tax.rate)) {
            Some(known) => by_id(known.id),
            None => LineTaxRequest { rate: Some(tax.rate.clone()), ..LineTaxRequest::default() },
        }
    }

    fn known_tax(&self, id: TaxId) -> Option<&Tax> {
        self.pricing.records().taxes.iter().find(|tax| tax.id == id)
    }
}

/// A bare rate needs no record.
fn needs_taxes(line: &TabLine) -> bool {
    let is_named = |taxes: &Vec<TabTax>| taxes.iter().any(|tax| tax.tax_id.is_some());
    line.tax_rates.as_ref().is_none_or(is_named)
}

fn by_id(id: TaxId) -> LineTaxRequest {
    LineTaxRequest { tax_id: Some(id.to_string()), ..LineTaxRequest::default() }
}

/// What `invoice` comes to, as a tab says it.
pub(super) fn totals_of(invoice: &Document) -> TabTotals {
    let amounts = &invoice.amounts;
    let mut totals = TabTotals {
        net: amounts.total.clone(),
        gross: amounts.total_with_tax.clone(),
        discount: amounts.total_discount.clone(),
        ..TabTotals::nothing()
    };
    for tax in &amounts.taxes {
        totals.add_tax(&tax.tax.rate, &tax.tax.base, &tax.tax.amount);
    }
    totals
}

/// Warnings of `document`, the invoice of `tab`, about rates that lines of the tab name themselves.
fn odd_rates(tab: &Tab, document: &Document) -> Issues {
    let mut found = Issues::default();
    for mut issue in document.warnings().iter().cloned() {
        let [Step::Key(items), Step::Index(n), taxes @ Step::Key(_), ..] = &mut *issue.path else {
            continue;
        };
        let names_rates = tab.lines.get(*n).is_some_and(|line| line.tax_rates.is_some());
        if items == "items" && names_rates {
            *taxes = Step::from("tax_rates");
            found.push(issue);
        }
    }
    found
}

/// What a command answered, a refusal as well, with what the tab comes to.
pub(super) async fn shown(
    cx: Context<'_>,
    entity: &Entity,
    answer: Result<Tab, PosError>,
) -> Result<TabView, PosError> {
    match answer {
        Ok(tab) => {
            let mut orders = Orders::of(cx, entity, std::iter::once(&tab)).await?;
            Ok(orders.view(tab))
        }
        Err(refusal) => Err(explained(cx, entity, refusal).await),
    }
}

/// A refusal with what its tab comes to, as far as that can be read.
pub(super) async fn explained(cx: Context<'_>, entity: &Entity, refusal: PosError) -> PosError {
    let PosError::Tab(mut refused) = refusal else { return refusal };
    let orders = Orders::of(cx, entity, std::iter::once(&refused.tab)).await;
    refused.totals = orders.ok().and_then(|mut orders| orders.totals(&refused.tab));
    PosError::Tab(refused)
}
