//! Keeping in the catalogue what a document was made with: `save_customer` and `save_item`; and
//! marking what a certified document names, which then stays.
//!
//! All is written in the document's own commit, so a refused document leaves nothing behind.

use racun_access::{ENTITIES, Entity, Permission, permits};
use racun_catalog::events::{customer, item};
use racun_catalog::{
    CUSTOMERS, Customer, CustomerInput, ITEMS, Item, ItemEInvoicing, ItemInput, ItemRules,
    ItemTranslations, Named, References, Resource, Vies, contradictions,
};
use racun_documents::{Content, NewLine, Party};
use racun_fiscalization::certified::is_portugal;
use racun_kernel::id::{CustomerId, ItemId};
use racun_kernel::{Issue, Issues, Patch, Stamp, Tenant, vat_number};
use racun_store::{Actor, Event, Held, Many, One, Put, StoreError, UnitBuilder, Writes};
use time::Date;

use super::gather::ResolvedReferences;
use super::lines::LineRequest;
use super::request::DocumentRequest;

/// What a document's commit writes into the catalogue.
pub(super) struct CatalogueWrites {
    puts: Vec<Put>,
    events: Vec<Event>,
    refresh: Option<(CustomerId, CustomerInput)>,
    newcomer: Option<Newcomer>,
    told: Option<Told>,
    /// The customer's record, when it does not say what VIES says, or is to be marked.
    untold: Option<CustomerId>,
    /// Whether the document is certified, so that what it names is marked.
    certifies: bool,
    /// The items that are to be marked.
    sold: Vec<ItemId>,
    actor: Actor,
}

/// What VIES says of the number that a document's customer has.
struct Told {
    country_code: Option<String>,
    key: String,
    vies: Vies,
}

impl Told {
    /// What was found out of the number of `party`, where VIES said something.
    fn of(gathered: &ResolvedReferences, party: Option<&Party>) -> Option<Self> {
        let party = party?;
        let vies = gathered.finding_of(party)?.vies()?;
        let key = vat_number::key(party.tax_number.as_deref()?);
        Some(Self { country_code: party.country_code.clone(), key, vies })
    }

    /// Whether the record `customer` has that number, and says less of it.
    fn is_news_to(&self, customer: &Customer) -> bool {
        let said = customer.vies.as_ref();
        customer.country_code == self.country_code
            && customer.tax_number.as_deref().is_some_and(|own| vat_number::key(own) == self.key)
            && said.is_none_or(|said| said.checked_at < self.vies.checked_at)
    }

    /// Writes it into the record that has the number.
    fn note(told: Option<&Self>, customer: &mut Customer) {
        if let Some(told) = told.filter(|told| told.is_news_to(customer)) {
            customer.vies = Some(told.vies.clone());
        }
    }
}

/// A customer whom the catalogue does not know, unless it does by the time of the unit.
struct Newcomer {
    customer: Customer,
    /// What is to be said of a customer who is known already.
    refresh: Option<CustomerInput>,
    /// Whether the e-mail address tells who it is.
    by_email: bool,
}

impl Newcomer {
    /// The one among `found` who it is: by the tax number; where the e-mail address tells, by that,
    /// of the same name first; by name and address. Of several the eldest. A certified document
    /// says the name of its customer, so with `is_named` the address alone is not enough.
    fn known<'a>(&self, found: &'a [Customer], is_named: bool) -> Option<&'a Customer> {
        let own = &self.customer;
        let rank = |known: &Customer| {
            let is_called = known.is_called_as(own);
            let by_email = self.by_email && known.is_written_to_as(own);
            match known.is_same_as(own) {
                true if own.tax_key().is_some() && own.tax_key() == known.tax_key() => Some(0),
                _ if by_email && is_called => Some(1),
                _ if by_email && !is_named => Some(2),
                true => Some(3),
                false => None,
            }
        };
        let ranked = found.iter().filter_map(|known| Some((rank(known)?, known)));
        let first = ranked.min_by_key(|(rank, known)| (*rank, known.created_at, known.id));
        first.map(|(_, known)| known)
    }
}

/// The customers of the catalogue that a unit holds for a document: the record to refresh, or the
/// records that a new customer may equal.
#[derive(Default)]
pub(super) struct HeldCustomers {
    own: Option<One<Customer>>,
    same: Vec<Many<Customer>>,
    items: Option<Many<Item>>,
}

/// [`HeldCustomers`] as they were found.
pub(super) struct FoundCustomers {
    own: Option<Customer>,
    same: Vec<Customer>,
    items: Vec<Item>,
}

impl HeldCustomers {
    /// Holds the record `id`.
    pub(super) fn own(unit: &mut UnitBuilder<'_>, id: impl ToString) -> Self {
        Self { own: Some(unit.hold(&CUSTOMERS, id)), ..Self::default() }
    }

    /// Holds what tells whether the catalogue knows the customer `party` already.
    pub(super) fn same_as(unit: &mut UnitBuilder<'_>, party: &Party) -> Self {
        let actor = unit.by();
        let customer = customer_input(party).into_customer(actor.entity_id(), actor.stamp());
        customer.map_or_else(|_| Self::default(), |customer| Self::known(unit, &customer, false))
    }

    /// Holds the entity, so that of two that come at once one waits for the other, and who has the
    /// same tax number or name; with `by_email`, the same e-mail address.
    fn known(unit: &mut UnitBuilder<'_>, customer: &Customer, by_email: bool) -> Self {
        let (account, entity) = (unit.by().scope().account(), unit.by().entity_id());
        let _parent: One<Entity> = unit.hold_of(Tenant::account(account), &ENTITIES, entity);
        let email = customer.email_key().filter(|_| by_email);
        let keys = [
            ("tax_key", customer.tax_key()),
            ("name_key", customer.name_key()),
            ("email_key", email),
        ];
        let same = keys
            .into_iter()
            .filter_map(|(field, value)| Some(unit.hold_where(&CUSTOMERS, field, value?)));
        Self { same: same.collect(), ..Self::default() }
    }

    /// What is there.
    pub(super) fn read(self, held: &Held) -> Result<FoundCustomers, StoreError> {
        let mut same = Vec::new();
        for customers in self.same {
            same.extend(held.all(customers)?);
        }
        Ok(FoundCustomers { own: held.find(self.own)?, same, items: held.all(self.items)? })
    }
}

impl CatalogueWrites {
    /// Decides what to keep of a document's customer and lines, and gives both the ids of their new
    /// records.
    pub(super) fn of(
        actor: &Actor,
        request: &DocumentRequest,
        gathered: &ResolvedReferences,
        content: &mut Content,
        lines: Option<&mut Vec<NewLine>>,
    ) -> Result<Self, Issues> {
        let mut catalogue = Self {
            puts: Vec::new(),
            events: Vec::new(),
            refresh: None,
            newcomer: None,
            told: None,
            untold: None,
            certifies: is_portugal(&gathered.entity),
            sold: Vec::new(),
            actor: actor.clone(),
        };
        let named = gathered.customer.as_ref().filter(|own| Some(own.id) == content.customer_id);
        if catalogue.certifies {
            catalogue.untold = named.filter(|own| !own.is_certified).map(|own| own.id);
            let lines = lines.iter().flat_map(|lines| lines.iter());
            catalogue.sold = lines.filter_map(|line| unmarked(gathered, line.item_id?)).collect();
        }
        let scope = catalogue.actor.scope();
        if !permits(scope.principal(), scope.role(), Permission::WriteRecords) {
            let checked = catalogue.check_named(named, content.customer.as_ref());
            checked.map_err(|issues| issues.at("customer"))?;
            return catalogue.nothing(request);
        }
        catalogue.told = Told::of(gathered, content.customer.as_ref());
        let news =
            |own: &&Customer| catalogue.told.as_ref().is_some_and(|told| told.is_news_to(own));
        catalogue.untold = named.filter(news).map(|own| own.id).or(catalogue.untold);
        let mut issues = Issues::default();
        let customer = catalogue.save_customer(request, content);
        issues.collect("customer", customer);
        issues.collect("customer", catalogue.check_named(named, content.customer.as_ref()));
        if let Some(lines) = lines {
            let items = catalogue.save_items(request, gathered, lines);
            issues.collect("items", items);
        }
        issues.into_result(catalogue)
    }

    /// Refuses a certified document that names the record `own` otherwise than the record says, and
    /// does not refresh it.
    fn check_named(&self, own: Option<&Customer>, said: Option<&Party>) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let (Some(own), Some(said)) = (own, said) else { return Ok(()) };
        if self.certifies && self.refresh.is_none() {
            let said = Named { name: said.name.as_deref(), number: said.tax_number.as_deref() };
            contradictions(own.named(), said).into_iter().for_each(|issue| issues.push(issue));
        }
        issues.into_result(())
    }

    /// Saves nothing, for callers without write access to the catalogue: operators only sell.
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

    /// Holds the record to refresh, or the records that a new customer may equal.
    pub(super) fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldCustomers {
        let customers = match (&self.refresh, &self.newcomer, &self.untold) {
            (Some((id, _)), ..) => HeldCustomers::own(unit, id),
            (None, Some(newcomer), _) => {
                HeldCustomers::known(unit, &newcomer.customer, newcomer.by_email)
            }
            (None, None, Some(id)) => HeldCustomers::own(unit, id),
            (None, None, None) => HeldCustomers::default(),
        };
        let sold = self.sold.iter().map(|id| (&ITEMS, id.to_string()));
        let items = (!self.sold.is_empty()).then(|| unit.hold_each(sold));
        HeldCustomers { items, ..customers }
    }

    /// The customer of the catalogue who is the document's, when it is one who was to be added.
    ///
    /// # Errors
    /// At `customer`: another name or number of one whom certified documents name.
    pub(super) fn recognise(
        &mut self,
        found: &FoundCustomers,
    ) -> Result<Option<CustomerId>, Issues> {
        let Some(newcomer) = self.newcomer.take() else { return Ok(None) };
        let known = newcomer.known(&found.same, self.certifies);
        let Newcomer { mut customer, refresh, .. } = newcomer;
        let Some(known) = known else {
            Told::note(self.told.as_ref(), &mut customer);
            customer.is_certified |= self.certifies;
            self.events.push(self.actor.event(customer::CREATED, customer.id));
            self.puts.push(Put::insert(&customer));
            return Ok(None);
        };
        // Who is called otherwise is found by the e-mail address, and stays as the record has them.
        let refresh =
            refresh.filter(|_| known.is_same_as(&customer) || known.is_called_as(&customer));
        self.refreshed(known.clone(), refresh)?;
        Ok(Some(known.id))
    }

    /// What to write.
    ///
    /// # Errors
    /// As [`CatalogueWrites::recognise`].
    pub(super) fn writes(mut self, found: &FoundCustomers) -> Result<Writes, Issues> {
        let refresh = self.refresh.take().map(|(id, input)| (id, Some(input)));
        if let Some((id, input)) = refresh.or(self.untold.map(|id| (id, None))) {
            let mut all = found.own.iter().chain(&found.same);
            if let Some(own) = all.find(|customer| customer.id == id) {
                self.refreshed(own.clone(), input)?;
            }
        }
        for before in found.items.iter().filter(|item| !item.is_certified) {
            let after = Item { is_certified: true, ..before.clone() };
            self.puts.push(Put::update(before, &after));
        }
        Ok(Writes::default().puts(self.puts).events(self.events))
    }

    /// Takes over into the record `before` what the document says of its customer, when that is
    /// wanted, and what VIES says; and marks it.
    fn refreshed(&mut self, before: Customer, input: Option<CustomerInput>) -> Result<(), Issues> {
        let mut after = before.clone();
        if let Some(input) = input {
            input.apply(&mut after).map_err(|issues| issues.at("customer"))?;
        }
        Told::note(self.told.as_ref(), &mut after);
        if after != before {
            after.set_updated_at(self.actor.now());
            self.events.push(self.actor.event(customer::UPDATED, after.id));
        }
        // A mark is no change for those who look at the record.
        after.is_certified |= self.certifies;
        if after != before {
            self.puts.push(Put::update(&before, &after));
        }
        Ok(())
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
                let customer = input.into_customer(self.actor.entity_id(), self.actor.stamp())?;
                content.customer_id = Some(customer.id);
                let by_email = request.finds_customer_by_email;
                self.newcomer = Some(Newcomer { customer, refresh, by_email });
                Ok(())
            }
        }
    }

    fn save_items(
        &mut self,
        request: &DocumentRequest,
        gathered: &ResolvedReferences,
        lines: &mut [NewLine],
    ) -> Result<(), Issues> {
        let requests = request.items.as_deref().unwrap_or_default();
        let stamp = self.actor.stamp().clone();
        for mut item in new_items(&gathered.entity, gathered.today, requests, lines, &stamp)? {
            item.is_certified |= self.certifies;
            self.events.push(self.actor.event(item::CREATED, item.id));
            self.puts.push(Put::insert(&item));
        }
        Ok(())
    }
}

/// The item `id`, while no certified document sells it.
fn unmarked(gathered: &ResolvedReferences, id: ItemId) -> Option<ItemId> {
    let item = gathered.records.items.get(&id.to_string());
    item.filter(|item| !item.is_certified).map(|item| item.id)
}

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
        classification: line.classification.map_or(Patch::Absent, Patch::Value),
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

/// The catalogue's customer as the document shows it. Fields that only documents have stay behind.
fn customer_input(party: &Party) -> CustomerInput {
    let text = |text: &Option<String>| Patch::from(text.clone());
    CustomerInput {
        name: party.name.clone().map_or(Patch::Absent, Patch::Value),
        tax_number: text(&party.tax_number),
        company_number: text(&party.company_number),
        peppol_id: text(&party.peppol_id),
        peppol_scheme_id: text(&party.peppol_scheme_id),
        email: text(&party.email),
        bank_accounts: Patch::from(party.bank_accounts.clone()),
        is_end_consumer: party.is_end_consumer.map_or(Patch::Absent, Patch::Value),
        ujp: Patch::from(party.ujp.clone()),
        ..CustomerInput::default()
    }
    .with_postal_address(party.postal_address())
}
