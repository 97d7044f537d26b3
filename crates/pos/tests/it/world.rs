//! What a test works with: a tab in memory, its accepted appends, and what commands may name.

use std::collections::BTreeSet;

use racun_kernel::id::{CustomerId, EntityId, ItemId, PosTableId, TaxId, UserId};
use racun_kernel::{Decimal, DocumentId, Issue, Issues, Metadata, Patch, Principal, Stamp};
use racun_pos::{
    Actor, AppendId, DeviceId, InvoiceStage, InvoiceTerms, Invoiced, LineInput, Naming, Part,
    PosError, PosTable, Reckoning, ReferencedItem, References, Tab, TabPatch, TabRefusal,
    TabTotals,
};
use racun_store::Decision;
use racun_store::testing::stamp;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use ulid::Ulid;

pub const START: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

pub fn entity() -> EntityId {
    EntityId::new(Ulid::from_parts(1, 1))
}

pub fn user() -> UserId {
    UserId::new(Ulid::from_parts(1, 2))
}

pub fn item(n: u128) -> ItemId {
    ItemId::new(Ulid::from_parts(1, n))
}

pub fn tax(n: u128) -> TaxId {
    TaxId::new(Ulid::from_parts(1, n))
}

pub fn table_id(n: u128) -> PosTableId {
    PosTableId::new(Ulid::from_parts(1, n))
}

pub fn customer(n: u128) -> CustomerId {
    CustomerId::new(Ulid::from_parts(1, n))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Items 1 to 9 at 2.50, tax 1, customer 1, and table 1.
pub fn references() -> References {
    let referenced =
        |n| ReferencedItem { name: format!("Item {n}"), unit_gross_price: decimal("2.5") };
    References {
        items: (1..10).map(|n| (item(n), referenced(n))).collect(),
        taxes: BTreeSet::from([tax(1)]),
        customer: Some(customer(1)),
        table: Some(table(1)),
    }
}

pub fn table(n: u128) -> PosTable {
    PosTable {
        id: table_id(n),
        entity_id: entity(),
        label: format!("Table {n}"),
        sort_order: 0,
        is_active: true,
        metadata: Metadata::default(),
        deleted_at: None,
        created_at: START,
        updated_at: START,
    }
}

/// A line of `quantity` of item `n`.
pub fn line(n: u128, quantity: &str) -> LineInput {
    let item_id = Some(item(n).to_string());
    LineInput { item_id, quantity: Some(decimal(quantity)), ..LineInput::default() }
}

pub fn patch(expected_version: i64) -> TabPatch {
    TabPatch {
        expected_version,
        items: Patch::Absent,
        note: Patch::Absent,
        customer_id: Patch::Absent,
        table_id: Patch::Absent,
        metadata: Patch::Absent,
    }
}

pub fn device(name: &str) -> DeviceId {
    DeviceId::parse(name.to_owned()).unwrap()
}

/// A result as a word: `ok`, a refusal's code, or issues as `path=code`.
pub fn word<T>(result: &Result<T, PosError>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(PosError::Tab(refused)) => refusal(refused.reason).to_owned(),
        Err(PosError::Table(refusal)) => refusal.code().to_owned(),
        Err(PosError::Invoice(issue)) => codes(&issue.clone().into()),
        Err(PosError::Invalid(issues)) => codes(issues),
        Err(PosError::NotFound { .. }) => "not_found".to_owned(),
        Err(PosError::DayClosed(_) | PosError::ClosedMeanwhile) => panic!("no day is closed here"),
        Err(PosError::Store(error)) => panic!("there is no store: {error}"),
    }
}

fn refusal(reason: TabRefusal) -> &'static str {
    match reason {
        TabRefusal::AlreadyClaimed => "already_claimed",
        TabRefusal::NotClaimant => "not_claimant",
        TabRefusal::NotClaimed => "not_claimed",
        TabRefusal::StaleVersion { .. } => "stale_version",
        TabRefusal::Issued => "tab_issued",
        TabRefusal::ShareInvoiced { .. } => "share_invoiced",
        TabRefusal::SharesOutstanding { .. } => "shares_outstanding",
        TabRefusal::IssuedOtherwise => "tab_issued_otherwise",
        TabRefusal::Cancelled => "tab_cancelled",
    }
}

fn codes(issues: &Issues) -> String {
    let code = |issue: &Issue| {
        let text = issue.to_string();
        format!("{}={}", text.split(": ").next().unwrap(), issue.code)
    };
    issues.iter().map(code).collect::<Vec<_>>().join(" ")
}

/// What `principal` does in the entity of the tests.
pub fn actor(principal: Principal, stamp: Stamp) -> Actor {
    racun_store::testing::actor(entity(), principal, stamp)
}

/// A tab and its accepted appends; applies what commands decide, as a store would.
#[derive(Clone)]
pub struct World {
    pub tab: Tab,
    pub accepted: BTreeSet<String>,
    pub references: References,
    /// What happened since the last look.
    pub events: Vec<&'static str>,
    stamp: Stamp,
}

/// The id of the invoice called `inv_7` in a test.
pub fn invoice_id(name: &str) -> DocumentId {
    format!("inv_{:0>26}", name.trim_start_matches("inv_")).parse().unwrap()
}

impl World {
    /// With an open tab.
    pub fn new() -> Self {
        let stamp = stamp(START);
        let actor = actor(Principal::User(user()), stamp.clone());
        let (tab, events) = Tab::open(None, &references(), &actor).unwrap();
        let events = events.iter().map(|event| event.kind.name()).collect();
        Self { tab, accepted: BTreeSet::new(), references: references(), events, stamp }
    }

    pub fn actor(&self) -> Actor {
        self.actor_as(Principal::User(user()))
    }

    pub fn actor_as(&self, principal: Principal) -> Actor {
        actor(principal, self.stamp.clone())
    }

    pub fn pass(&mut self, time: Duration) {
        self.stamp = self.stamp.at(self.stamp.now() + time);
    }

    pub fn now(&self) -> OffsetDateTime {
        self.stamp.now()
    }

    pub fn apply(&mut self, decided: Result<Decision<Tab>, PosError>) -> Result<(), PosError> {
        match decided? {
            Decision::Unchanged(tab) => assert_eq!(tab, self.tab, "unchanged, but another tab"),
            Decision::Changed { record, beside, events } => {
                self.tab = record;
                for put in beside {
                    assert_eq!(put.table.name, "pos_appends");
                    assert!(self.accepted.insert(put.id.clone()), "{} is accepted twice", put.id);
                }
                self.events.extend(events.iter().map(|event| event.kind.name()));
            }
        }
        Ok(())
    }

    pub fn append(&mut self, lines: Vec<LineInput>, name: Option<&str>) -> Result<(), PosError> {
        let naming = match name.map(|name| AppendId::parse(name.to_owned()).unwrap()) {
            None => Naming::Unnamed,
            Some(name) if self.accepted.contains(&name.key(self.tab.id)) => Naming::Accepted,
            Some(name) => Naming::New(name),
        };
        self.apply(self.tab.clone().append(lines, naming, &self.references, &self.actor()))
    }

    pub fn replace(&mut self, patch: TabPatch) -> Result<(), PosError> {
        self.apply(self.tab.clone().replace(patch, &self.references, &self.actor()))
    }

    pub fn claim(&mut self, name: &str) -> Result<(), PosError> {
        self.apply(self.tab.clone().claim(device(name), &self.actor()))
    }

    pub fn release(&mut self, name: &str) -> Result<(), PosError> {
        self.apply(self.tab.clone().release(&device(name), &self.actor()))
    }

    pub fn close(&mut self, invoice: &str, stage: InvoiceStage) -> Result<(), PosError> {
        self.close_by(invoice, stage, Reckoning::unknown())
    }

    pub fn close_by(
        &mut self,
        invoice: &str,
        stage: InvoiceStage,
        reckoning: Reckoning,
    ) -> Result<(), PosError> {
        self.apply(self.tab.clone().close(invoice_id(invoice), stage, reckoning, &self.actor()))
    }

    /// Invoices `part`, which comes to `gross`, as the device `name` or at the tab's version.
    pub fn invoice(
        &mut self,
        part: &Part,
        invoice: &str,
        gross: &str,
        terms: &InvoiceTerms,
    ) -> Result<(), PosError> {
        let totals = TabTotals { gross: decimal(gross), ..TabTotals::nothing() };
        let invoiced = Invoiced { invoice_id: invoice_id(invoice), totals };
        self.apply(self.tab.clone().invoice(part, invoiced, terms, &self.actor()))
    }

    pub fn cancel(&mut self, expected_version: Option<i64>) -> Result<(), PosError> {
        self.apply(self.tab.clone().cancel(expected_version, &self.actor()))
    }

    /// What happened since the last look.
    pub fn happened(&mut self) -> String {
        std::mem::take(&mut self.events).join(" ")
    }
}
