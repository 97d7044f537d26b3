//! The tab: a running order, and every command on it.

mod choice;
mod invoicing;
mod lines;
mod moving;
mod stored;

use racun_kernel::id::{CustomerId, EntityId, PosTabId, PosTableId, UserId};
use racun_kernel::{Decimal, DocumentId, Issue, Metadata};
use racun_store::Actor;
use racun_store::{Decision, Event, EventKind, Put};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::check::not_blank;
use crate::error::{PosError, RefusedTab, TabRefusal};
use crate::events;
use crate::line::TabLine;
use crate::references::References;
use crate::totals::TabTotals;

pub use choice::LineChoice;
pub use invoicing::{InvoiceTerms, Invoiced, Part, TabInvoice};
pub use lines::{MAX_NOTE_CHARS, TabPatch};
pub use moving::{Moved, Moving};
pub use stored::TABS;

/// How long a claim keeps others off a tab: from this age on, anyone may clear it.
pub const CLAIM_TTL: Duration = Duration::minutes(5);
/// Characters that a device's name may hold.
pub const MAX_DEVICE_CHARS: usize = 100;

/// A device that takes the payment, by the name that it keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(String);

impl DeviceId {
    /// Accepts 1 to [`MAX_DEVICE_CHARS`] characters, not blank.
    ///
    /// # Errors
    /// What is wrong, at `device_id`.
    pub fn parse(text: String) -> Result<Self, PosError> {
        let text = not_blank(text, MAX_DEVICE_CHARS).map_err(|issues| issues.at("device_id"))?;
        Ok(Self(text))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A device's right to take the payment of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Which device.
    pub device: DeviceId,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    pub claimed_at: OffsetDateTime,
}

impl Claim {
    /// Whether it still keeps others off at `now`: for less than [`CLAIM_TTL`].
    #[must_use]
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        now - self.claimed_at < CLAIM_TTL
    }
}

/// Where a tab stands. Each state holds what is only true in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabState {
    /// It can be ordered on.
    Open,
    /// A device takes the payment, or did not come back from it.
    Issuing(Claim),
    /// It ended in an invoice.
    Issued {
        /// The invoice.
        invoice_id: DocumentId,
        /// When it was closed.
        #[serde(with = "time::serde::rfc3339")]
        issued_at: OffsetDateTime,
        /// What the lines came to then; missing when that could not be calculated.
        #[serde(default)]
        totals: Option<Box<TabTotals>>,
        /// By what the invoice was more than all tabs that it closed, this one the last; missing
        /// when it was made of the tab, or could not be compared.
        #[serde(default)]
        invoice_difference: Option<Decimal>,
    },
    /// It came to nothing.
    Cancelled {
        /// When.
        #[serde(with = "time::serde::rfc3339")]
        cancelled_at: OffsetDateTime,
    },
}

/// A state without what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TabStatus {
    /// See [`TabState::Open`]; so all below.
    Open,
    /// A device takes the payment.
    Issuing,
    /// It ended in an invoice.
    Issued,
    /// It came to nothing.
    Cancelled,
}

impl TabStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Open, Self::Issuing, Self::Issued, Self::Cancelled];

    /// Its name on the wire and in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Issuing => "issuing",
            Self::Issued => "issued",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A running order. It is no document: it has no number and holds no payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tab {
    /// Its id.
    pub id: PosTabId,
    /// Whose tab.
    pub entity_id: EntityId,
    /// The table that it is for.
    pub table_id: Option<PosTableId>,
    /// Where it stands.
    pub state: TabState,
    /// What was ordered, in the order of first orders; at most [`crate::MAX_LINES`].
    pub lines: Vec<TabLine>,
    /// Staff's note.
    pub note: Option<String>,
    /// The customer.
    pub customer_id: Option<CustomerId>,
    /// Who opened it; none when a program did.
    pub opened_by_user_id: Option<UserId>,
    /// Who changed it last; none when a program did.
    pub updated_by_user_id: Option<UserId>,
    /// 1 when it is opened, and one more with each change.
    pub version: i64,
    /// Its invoices, in the order in which they were issued; more than one when it was split.
    #[serde(default)]
    pub invoices: Vec<TabInvoice>,
    /// In how many equal shares it is invoiced, once one is.
    #[serde(default)]
    pub shares: Option<u32>,
    /// What the caller attached.
    pub metadata: Metadata,
    /// When it was opened.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What the closing of a tab is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reckoning {
    /// What the tab's lines come to; missing when that cannot be calculated.
    pub totals: Option<TabTotals>,
    /// What the invoice comes to, with tax.
    pub invoice_total: Option<Decimal>,
    /// What the tabs come to that the invoice closed before.
    pub closed_before: Decimal,
}

impl Reckoning {
    /// Nothing is known of what tab and invoice come to.
    #[must_use]
    pub fn unknown() -> Self {
        Self { totals: None, invoice_total: None, closed_before: Decimal::zero() }
    }

    /// The invoice's total less what all tabs come to that it closes, this one included.
    fn difference(&self) -> Option<Decimal> {
        let (tab, invoice) = (self.totals.as_ref()?, self.invoice_total.as_ref()?);
        Some(invoice - &(&self.closed_before + &tab.gross))
    }
}

/// The invoice that a tab is to be closed with, as crate `application` found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceStage {
    /// The entity has none with this id.
    Missing,
    /// It is not issued yet.
    Draft,
    /// It stands.
    Issued,
    /// It is voided.
    Voided,
}

impl InvoiceStage {
    /// Why a tab cannot end in such an invoice.
    fn refusal(self) -> Option<Issue> {
        let (code, message) = match self {
            Self::Issued => return None,
            Self::Missing => {
                ("not_found", "there is no such invoice in this entity; issue it before closing")
            }
            Self::Draft => ("document_is_draft", "the invoice is a draft; finalize it first"),
            Self::Voided => ("document_voided", "the invoice is voided; issue another one"),
        };
        Some(Issue::new(code, message).at("invoice_id"))
    }
}

impl Tab {
    /// A new tab, on `table_id` or on none, and what happened.
    ///
    /// # Errors
    /// A table that is not there or not active, at `table_id`.
    pub fn open(
        table_id: Option<&str>,
        references: &References,
        actor: &Actor,
    ) -> Result<(Self, Vec<Event>), PosError> {
        let tab = Self {
            id: actor.stamp().id(),
            entity_id: actor.entity_id(),
            table_id: table_id.map(|id| lines::table(id, references)).transpose()?,
            state: TabState::Open,
            lines: Vec::new(),
            note: None,
            customer_id: None,
            opened_by_user_id: actor.user_id(),
            updated_by_user_id: actor.user_id(),
            version: 1,
            invoices: Vec::new(),
            shares: None,
            metadata: Metadata::default(),
            created_at: actor.now(),
            updated_at: actor.now(),
        };
        let events = vec![tab.event(events::pos_tab::OPENED, actor)];
        Ok((tab, events))
    }

    /// The state's name.
    #[must_use]
    pub const fn status(&self) -> TabStatus {
        match self.state {
            TabState::Open => TabStatus::Open,
            TabState::Issuing(_) => TabStatus::Issuing,
            TabState::Issued { .. } => TabStatus::Issued,
            TabState::Cancelled { .. } => TabStatus::Cancelled,
        }
    }

    /// Who has claimed it, whether the claim is live or not.
    #[must_use]
    pub const fn claimant(&self) -> Option<&Claim> {
        match &self.state {
            TabState::Issuing(claim) => Some(claim),
            TabState::Open | TabState::Issued { .. } | TabState::Cancelled { .. } => None,
        }
    }

    /// The table that it occupies, while it is open or being paid.
    #[must_use]
    pub const fn occupies(&self) -> Option<PosTableId> {
        match self.state {
            TabState::Open | TabState::Issuing(_) => self.table_id,
            TabState::Issued { .. } | TabState::Cancelled { .. } => None,
        }
    }

    /// The row to write in the place of the one that it was. A tab is never in the trash, so the
    /// kept counts stay.
    #[must_use]
    pub fn put(&self) -> Put {
        Put::update(self, self)
    }

    /// Gives the payment to `device`: no other device adds to the tab until it closes or releases
    /// it, or five minutes pass. A device that has the claim keeps it, and claims again after it
    /// ran out.
    ///
    /// # Errors
    /// [`TabRefusal::AlreadyClaimed`] while another device has it; for a tab that has ended.
    pub fn claim(mut self, device: DeviceId, actor: &Actor) -> Result<Decision<Self>, PosError> {
        match &self.state {
            TabState::Open => {}
            TabState::Issuing(claim) if !claim.is_live(actor.now()) => {}
            TabState::Issuing(claim) if claim.device == device => {
                return Ok(Decision::Unchanged(self));
            }
            TabState::Issuing(_) => return Err(self.refuse(TabRefusal::AlreadyClaimed)),
            TabState::Issued { .. } | TabState::Cancelled { .. } => return Err(self.ended()),
        }
        self.state = TabState::Issuing(Claim { device, claimed_at: actor.now() });
        Ok(self.changed(&[events::pos_tab::CLAIMED], actor))
    }

    /// Gives the claim back. Anyone clears one that ran out; an open tab stays as it is.
    ///
    /// # Errors
    /// [`TabRefusal::NotClaimant`] while another device has it; for a tab that has ended.
    pub fn release(mut self, device: &DeviceId, actor: &Actor) -> Result<Decision<Self>, PosError> {
        match &self.state {
            TabState::Open => return Ok(Decision::Unchanged(self)),
            TabState::Issuing(claim) if claim.device == *device || !claim.is_live(actor.now()) => {}
            TabState::Issuing(_) => return Err(self.refuse(TabRefusal::NotClaimant)),
            TabState::Issued { .. } | TabState::Cancelled { .. } => return Err(self.ended()),
        }
        self.state = TabState::Open;
        Ok(self.changed(&[events::pos_tab::RELEASED], actor))
    }

    /// Ends the tab in an invoice. Naming the same invoice again changes nothing; a claim that ran
    /// out is as good as a live one, for the invoice is there. When the invoice comes to something
    /// else than the tabs that it closes, the difference is noted and told.
    ///
    /// # Errors
    /// [`TabRefusal::NotClaimed`] when it is open; [`TabRefusal::IssuedOtherwise`]; when it is
    /// cancelled; [`TabRefusal::SharesOutstanding`]; and [`PosError::Invoice`] for an invoice that
    /// is not issued.
    pub fn close(
        mut self,
        invoice_id: DocumentId,
        invoice: InvoiceStage,
        reckoning: Reckoning,
        actor: &Actor,
    ) -> Result<Decision<Self>, PosError> {
        match &self.state {
            TabState::Issued { invoice_id: earlier, .. } if *earlier == invoice_id => {
                return Ok(Decision::Unchanged(self));
            }
            TabState::Issued { .. } => return Err(self.refuse(TabRefusal::IssuedOtherwise)),
            TabState::Open => return Err(self.refuse(TabRefusal::NotClaimed)),
            TabState::Cancelled { .. } => return Err(self.ended()),
            TabState::Issuing(_) => {}
        }
        if let Some(issue) = invoice.refusal() {
            return Err(PosError::Invoice(issue));
        }
        self.must_be_unshared()?;
        let (invoice_difference, issued_at) = (reckoning.difference(), actor.now());
        let totals = reckoning.totals.map(Box::new);
        self.invoices.push(TabInvoice {
            invoice_id,
            gross: totals.as_ref().map(|totals| totals.gross.clone()),
            share: None,
            at: issued_at,
        });
        let differs = invoice_difference.as_ref().is_some_and(|difference| !difference.is_zero());
        self.state = TabState::Issued { invoice_id, issued_at, totals, invoice_difference };
        let events: &[_] = if differs {
            &[events::pos_tab::ISSUED, events::pos_tab::INVOICE_DIFFERS]
        } else {
            &[events::pos_tab::ISSUED]
        };
        Ok(self.changed(events, actor))
    }

    /// Ends the tab without an invoice, claimed or not.
    ///
    /// # Errors
    /// [`TabRefusal::StaleVersion`] when `expected_version` is another one; for a tab that has
    /// ended.
    pub fn cancel(
        mut self,
        expected_version: Option<i64>,
        actor: &Actor,
    ) -> Result<Decision<Self>, PosError> {
        match self.state {
            TabState::Open | TabState::Issuing(_) => {}
            TabState::Issued { .. } | TabState::Cancelled { .. } => return Err(self.ended()),
        }
        if let Some(expected) = expected_version.filter(|expected| *expected != self.version) {
            return Err(self.refuse(TabRefusal::StaleVersion { expected }));
        }
        self.state = TabState::Cancelled { cancelled_at: actor.now() };
        Ok(self.changed(&[events::pos_tab::CANCELLED], actor))
    }

    /// The refusal of a tab that has ended.
    fn ended(self) -> PosError {
        let is_cancelled = self.status() == TabStatus::Cancelled;
        self.refuse(if is_cancelled { TabRefusal::Cancelled } else { TabRefusal::Issued })
    }

    fn refuse(self, reason: TabRefusal) -> PosError {
        PosError::Tab(Box::new(RefusedTab { reason, tab: self, totals: None }))
    }

    fn event(&self, kind: EventKind, actor: &Actor) -> Event {
        actor.event(kind, self.id)
    }

    /// The next version of it, and what happened, as a decision.
    fn changed(self, kinds: &[EventKind], actor: &Actor) -> Decision<Self> {
        let (tab, events) = self.advanced(kinds, actor);
        Decision::changed(tab, events)
    }

    /// The next version of it, and what happened.
    fn advanced(mut self, kinds: &[EventKind], actor: &Actor) -> (Self, Vec<Event>) {
        self.version += 1;
        self.updated_at = actor.now();
        self.updated_by_user_id = actor.user_id();
        let events = kinds.iter().map(|kind| self.event(*kind, actor)).collect();
        (self, events)
    }

    /// What the lines came to when the tab ended in an invoice.
    #[must_use]
    pub fn final_totals(&self) -> Option<&TabTotals> {
        match &self.state {
            TabState::Issued { totals, .. } => totals.as_deref(),
            TabState::Open | TabState::Issuing(_) | TabState::Cancelled { .. } => None,
        }
    }
}
