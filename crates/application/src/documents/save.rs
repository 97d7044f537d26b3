//! Keeping in the catalogue what a document was made with: `save_customer` and `save_item`.
//!
//! Both are written in the document's own commit, so a refused document leaves nothing behind.

use racun_access::{ENTITIES, Entity, Permission, permits};
use racun_catalog::{
    CUSTOMERS, Customer, CustomerInput, Item, ItemClassification, ItemEInvoicing, ItemInput,
    ItemRules, ItemTranslations, References, Resource,
};
use racun_documents::{Classification, Content, NewLine, Party};
use racun_kernel::id::{AccountId, CustomerId, EntityId};
use racun_kernel::{
    Event, Issue, Issues, Load, Patch, Put, Scope, Stamp, StoreError, Stored, Tenant,
};
use time::Date;

use super::gather::Gathered;
use super::request::{DocumentRequest, LineRequest};
use crate::convert::{account_in_catalog, ujp_in_catalog};

/// What a document's commit writes into the catalogue.
pub(super) struct Savings {
    puts: Vec<Put>,
    events: Vec<Event>,
    refresh: Option<(CustomerId, CustomerInput)>,
    newcomer: Option<Newcomer>,
    act: Act,
}

/// A customer whom the catalogue does not know, unless it does by the time of the unit.
struct Newcomer {
    customer: Customer,
    /// What is to be said of a customer who is known already.
    refresh: Option<CustomerInput>,
}

/// Who does it, and when.
#[derive(Clone)]
struct Act {
    account_id: AccountId,
    entity_id: EntityId,
    actor: String,
    stamp: Stamp,
}

impl Act {
    fn event(&self, kind: &'static str, subject: String) -> Event {
        let (tenant, actor) = (Tenant::entity(self.entity_id), self.actor.clone());
        Event::new(tenant, kind, subject, actor, &self.stamp)
    }
}

impl Savings {
    /// Decides what to keep of a document's customer and lines, and gives both the ids of their new
    /// records.
    pub(super) fn of(
        scope: &Scope,
        request: &DocumentRequest,
        gathered: &Gathered,
        content: &mut Content,
        lines: Option<&mut Vec<NewLine>>,
        stamp: &Stamp,
    ) -> Result<Self, Issues> {
        let act = Act {
            account_id: scope.account(),
            entity_id: scope.entity(),
            actor: scope.principal().id(),
            stamp: stamp.clone(),
        };
        let (puts, events) = (Vec::new(), Vec::new());
        let mut savings = Self { puts, events, refresh: None, newcomer: None, act };
        if !permits(scope.principal(), scope.role(), Permission::WriteRecords) {
            return savings.nothing(request);
        }
        let mut issues = Issues::default();
        let customer = savings.save_customer(request, content);
        issues.collect("customer", customer);
        if let Some(lines) = lines {
            let items = savings.save_items(request, gathered, lines);
            issues.collect("items", items);
        }
        issues.into_result(savings)
    }

    /// Keeps nothing, for whoever may not write into the catalogue: operators sell and no more.
    fn nothing(self, request: &DocumentRequest) -> Result<Self, Issues> {
        let refused =
            || Issue::new("not_permitted", "an operator's token keeps nothing; send false");
        let mut issues = Issues::default();
        let customer = request.customer.value();
        if customer.is_some_and(|customer| customer.save_customer == Some(true)) {
            issues.push(refused().at("save_customer").at("customer"));
        }
        let items = request.items.iter().flatten().enumerate();
        for (n, _) in items.filter(|(_, item)| item.save_item) {
            issues.push(refused().at("save_item").at(n).at("items"));
        }
        issues.into_result(self)
    }

    /// The rows to hold: the record to refresh, or the records that a new customer may equal.
    pub(super) fn loads(&self) -> Vec<Load> {
        let tenant = Tenant::entity(self.act.entity_id);
        let load = |(id, _): &(CustomerId, _)| Load::One {
            table: &CUSTOMERS,
            tenant: tenant.clone(),
            id: id.to_string(),
        };
        let refreshed = self.refresh.iter().map(load);
        let newcomer = self.newcomer.as_ref().map(|newcomer| {
            known_loads(&newcomer.customer, self.act.account_id, self.act.entity_id)
        });
        refreshed.chain(newcomer.into_iter().flatten()).collect()
    }

    /// The customer of the catalogue who is the document's, when it is one who was to be added;
    /// given the rows of [`Savings::loads`].
    pub(super) fn recognise(
        &mut self,
        held: &[Vec<Stored>],
    ) -> Result<Option<CustomerId>, StoreError> {
        let Some(Newcomer { customer, refresh }) = self.newcomer.take() else { return Ok(None) };
        // The first row is the entity's.
        let rows = held.iter().skip(1).flatten();
        let known: Vec<Customer> =
            rows.map(|row| row.read(&CUSTOMERS)).collect::<Result<_, _>>()?;
        let same = known.into_iter().filter(|known| known.is_same_as(&customer));
        let Some(known) = same.min_by_key(|known| (known.created_at, known.id)) else {
            self.events.push(self.act.event("customer.created", customer.id.to_string()));
            self.puts.push(Put::insert(&customer));
            return Ok(None);
        };
        let id = known.id;
        if let Some(input) = refresh {
            self.refreshed(known, input);
        }
        Ok(Some(id))
    }

    /// What to write, given the rows of [`Savings::loads`].
    pub(super) fn writes(
        mut self,
        held: &[Vec<Stored>],
    ) -> Result<(Vec<Put>, Vec<Event>), StoreError> {
        if let Some((id, input)) = self.refresh.take() {
            let own = held.iter().flatten().find(|row| row.id == id.to_string());
            if let Some(row) = own {
                self.refreshed(row.read(&CUSTOMERS)?, input);
            }
        }
        Ok((self.puts, self.events))
    }

    /// Takes over into the record `before` what the document says of its customer.
    fn refreshed(&mut self, before: Customer, input: CustomerInput) {
        let mut after = before.clone();
        // The document's own checks passed, which are at least as strict.
        if input.apply(&mut after).is_ok() && after != before {
            after.set_updated_at(self.act.stamp.now());
            self.puts.push(Put::update(&before, &after));
            self.events.push(self.act.event("customer.updated", after.id.to_string()));
        }
    }

    fn save_customer(
        &mut self,
        request: &DocumentRequest,
        content: &mut Content,
    ) -> Result<(), Issues> {
        let (Some(asked), Some(party)) = (request.customer.value(), &content.customer) else {
            return Ok(());
        };
        let input = customer_input(party);
        match (content.customer_id, asked.save_customer) {
            (_, Some(false)) | (Some(_), None) => Ok(()),
            (Some(id), Some(true)) => {
                self.refresh = Some((id, input));
                Ok(())
            }
            (None, None) if party.name.as_deref().is_none_or(|name| name.trim().is_empty()) => {
                Ok(())
            }
            (None, asked) => {
                let refresh = (asked == Some(true)).then(|| input.clone());
                let customer = input.into_customer(self.act.entity_id, &self.act.stamp)?;
                content.customer_id = Some(customer.id);
                self.newcomer = Some(Newcomer { customer, refresh });
                Ok(())
            }
        }
    }

    fn save_items(
        &mut self,
        request: &DocumentRequest,
        gathered: &Gathered,
        lines: &mut [NewLine],
    ) -> Result<(), Issues> {
        let requests = request.items.as_deref().unwrap_or_default();
        let stamp = self.act.stamp.clone();
        for item in new_items(&gathered.entity, gathered.today, requests, lines, &stamp)? {
            self.events.push(self.act.event(ITEM_CREATED, item.id.to_string()));
            self.puts.push(Put::insert(&item));
        }
        Ok(())
    }
}

/// What a unit holds to find out whether the catalogue knows the customer `party` already: the
/// entity, so that of two that come at once one waits for the other, and who has the same tax
/// number or name.
pub(super) fn newcomer_loads(scope: &Scope, party: &Party, stamp: &Stamp) -> Vec<Load> {
    let customer = customer_input(party).into_customer(scope.entity(), stamp);
    customer.map_or_else(
        |_| Vec::new(),
        |customer| known_loads(&customer, scope.account(), scope.entity()),
    )
}

fn known_loads(customer: &Customer, account: AccountId, entity: EntityId) -> Vec<Load> {
    let parent =
        Load::One { table: &ENTITIES, tenant: Tenant::account(account), id: entity.to_string() };
    let keys = [("tax_key", customer.tax_key()), ("name_key", customer.name_key())];
    let same = keys.into_iter().filter_map(|(field, value)| {
        let (table, tenant, value) = (&CUSTOMERS, Tenant::entity(entity), value?);
        Some(Load::Where { table, tenant, field, value })
    });
    std::iter::once(parent).chain(same).collect()
}

/// What the log calls a new item.
pub(crate) const ITEM_CREATED: &str = "item.created";

/// The items to be kept of those `lines` whose `requests` ask for it; the lines get their ids.
pub(crate) fn new_items(
    entity: &Entity,
    today: Date,
    requests: &[LineRequest],
    lines: &mut [NewLine],
    stamp: &Stamp,
) -> Result<Vec<Item>, Issues> {
    let mut issues = Issues::default();
    let mut items = Vec::new();
    for (n, (asked, line)) in requests.iter().zip(lines).enumerate() {
        if !asked.save_item || line.item_id.is_some() || line.kind.is_some() {
            continue;
        }
        if let Some(item) = issues.collect(n, item(entity, today, line, stamp)) {
            line.item_id = Some(item.id);
            items.push(item);
        }
    }
    issues.into_result(items)
}

fn item(entity: &Entity, today: Date, line: &NewLine, stamp: &Stamp) -> Result<Item, Issues> {
    let text = |text: &Option<String>| text.clone().map_or(Patch::Absent, Patch::Value);
    let price =
        |price: &Option<racun_kernel::Decimal>| price.clone().map_or(Patch::Absent, Patch::Value);
    let input = ItemInput {
        name: text(&line.name),
        description: text(&line.description),
        classification: line
            .classification
            .map(item_classification)
            .map_or(Patch::Absent, Patch::Value),
        price: price(&line.price),
        gross_price: price(&line.gross_price),
        unit: text(&line.unit),
        e_invoicing: match &line.unit_code {
            Some(code) => Patch::Value(ItemEInvoicing { unit_code: Some(code.clone()) }),
            None => Patch::Absent,
        },
        translations: Patch::Value(ItemTranslations {
            name: line.translations.name.clone().unwrap_or_default(),
            description: line.translations.description.clone().unwrap_or_default(),
        }),
        ..ItemInput::default()
    };
    let rules = ItemRules {
        max_taxes_per_item: usize::from(entity.country_rules().max_taxes_per_item),
        today,
    };
    let mut item = input.into_item(entity.id, &rules, &References::default(), stamp)?;
    item.tax_ids = line.taxes.iter().filter_map(|tax| tax.tax_id).collect();
    item.financial_category_id = line.financial_category_id;
    Ok(item)
}

const fn item_classification(classification: Classification) -> ItemClassification {
    match classification {
        Classification::Product => ItemClassification::Product,
        Classification::Service => ItemClassification::Service,
        Classification::Advance => ItemClassification::Advance,
    }
}

/// The catalogue's customer as the document shows it. Fields that only documents have stay behind.
fn customer_input(party: &Party) -> CustomerInput {
    let text = |text: &Option<String>| Patch::from(text.clone());
    CustomerInput {
        name: party.name.clone().map_or(Patch::Absent, Patch::Value),
        address: text(&party.address),
        address_2: text(&party.address_2),
        post_code: text(&party.post_code),
        city: text(&party.city),
        state: text(&party.state),
        country: text(&party.country),
        country_code: text(&party.country_code),
        tax_number: text(&party.tax_number),
        company_number: text(&party.company_number),
        peppol_id: text(&party.peppol_id),
        peppol_scheme_id: text(&party.peppol_scheme_id),
        email: text(&party.email),
        bank_accounts: Patch::from(
            party
                .bank_accounts
                .as_ref()
                .map(|accounts| accounts.iter().map(account_in_catalog).collect()),
        ),
        is_end_consumer: party.is_end_consumer.map_or(Patch::Absent, Patch::Value),
        ujp: Patch::from(party.ujp.as_ref().map(ujp_in_catalog)),
        ..CustomerInput::default()
    }
}
