//! Pages of the processor on which somebody pays a document.
//!
//! ```text
//! making ─► open ─► paid
//!    │        │      ▲
//!    ▼        ▼      │
//!  ended ◄─ outdated ┘
//! ```
//!
//! A page is stored before the processor is asked for it, under the key that a repeat has, too.

use racun_kernel::id::{CardSessionId, EntityId};
use racun_kernel::{Currency, DocumentId, Tenant};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::{CardRefusal, CheckoutSession};

/// Pages that one document may have, those that are over and unpaid for [`FORGOTTEN_AFTER`] apart.
pub const MAX_SESSIONS: usize = 50;
/// For how long a page is kept that is over and was not paid: a bank may take its time.
pub const FORGOTTEN_AFTER: Duration = Duration::days(30);
/// For how long a page that is being made may be asked for again under its key.
const MAKING: Duration = Duration::hours(12);
/// A page that ends sooner is not given to anybody any more.
const LEAST_LEFT: Duration = Duration::minutes(10);

/// Where a page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// The processor is being asked for it.
    Making,
    /// Somebody can pay there.
    Open,
    /// It asks for another amount than is due; the processor is to end it.
    Outdated,
    /// It takes no payment.
    Ended,
    /// Somebody paid there.
    Paid,
}

impl SessionState {
    /// Its name in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Making => "making",
            Self::Open => "open",
            Self::Outdated => "outdated",
            Self::Ended => "ended",
            Self::Paid => "paid",
        }
    }
}

/// What is to be paid, how and where it leads back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOrder {
    /// The document.
    pub document_id: DocumentId,
    /// The account that takes the money.
    pub account: String,
    /// How much, in the currency's smallest unit.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
    /// What for, as the page says it.
    pub description: String,
    /// Where the person goes who paid.
    pub success_url: String,
    /// Where who did not.
    pub cancel_url: String,
}

impl SessionOrder {
    /// Whether a page for `self` serves who asks for `other`: texts may differ.
    fn serves(&self, other: &Self) -> bool {
        let asked = |order: &Self| (order.amount, order.currency, order.account.clone());
        asked(self) == asked(other)
    }
}

/// A page on which somebody pays a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaySession {
    /// Its id, and the key that makes it once.
    pub id: CardSessionId,
    /// Whose document.
    pub entity_id: EntityId,
    /// What is paid there.
    #[serde(flatten)]
    pub order: SessionOrder,
    /// Where it stands.
    pub state: SessionState,
    /// The processor's id of it: `cs_…`.
    pub session: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// Until when it can be used.
    #[serde(with = "time::serde::rfc3339::option")]
    pub expires_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What is done when somebody wants to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionChoice {
    /// The page.
    pub session: PaySession,
    /// Whether it is new.
    pub is_new: bool,
    /// Pages that serve no longer: as they were, and as they are.
    pub outdated: Vec<(PaySession, PaySession)>,
    /// Pages that are forgotten.
    pub forgotten: Vec<PaySession>,
}

impl PaySession {
    /// A page that the processor is to be asked for.
    #[must_use]
    pub fn new(
        id: CardSessionId,
        entity_id: EntityId,
        order: SessionOrder,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            entity_id,
            order,
            state: SessionState::Making,
            session: None,
            url: None,
            expires_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    fn to(self, state: SessionState, now: OffsetDateTime) -> Self {
        Self { state, updated_at: now, ..self }
    }

    /// Whether it can be given to somebody who wants to pay.
    fn is_usable(&self, now: OffsetDateTime) -> bool {
        match self.state {
            SessionState::Making => self.created_at + MAKING > now,
            SessionState::Open => self.expires_at.is_some_and(|at| at > now + LEAST_LEFT),
            SessionState::Outdated | SessionState::Ended | SessionState::Paid => false,
        }
    }

    /// Whether it is over for so long that nothing is heard of it any more.
    fn is_forgotten(&self, now: OffsetDateTime) -> bool {
        self.state == SessionState::Ended && self.updated_at + FORGOTTEN_AFTER < now
    }

    /// It serves no longer. One whose address was given to no one is over at once.
    fn outdated(self, now: OffsetDateTime) -> Self {
        match self.state {
            SessionState::Making => self.to(SessionState::Ended, now),
            SessionState::Open if self.expires_at.is_none_or(|at| at <= now) => {
                self.to(SessionState::Ended, now)
            }
            SessionState::Open => self.to(SessionState::Outdated, now),
            SessionState::Outdated | SessionState::Ended | SessionState::Paid => self,
        }
    }

    /// The processor made it. One that is over by then stays so.
    #[must_use]
    pub fn made(self, made: &CheckoutSession, now: OffsetDateTime) -> Self {
        if !matches!(self.state, SessionState::Making | SessionState::Open) {
            return self;
        }
        let open = Self {
            session: Some(made.id.clone()),
            url: Some(made.url.clone()),
            expires_at: Some(made.expires_at),
            ..self.clone()
        };
        if open == self { self } else { open.to(SessionState::Open, now) }
    }

    /// It takes no payment any more.
    #[must_use]
    pub fn ended(self, now: OffsetDateTime) -> Self {
        match self.state {
            SessionState::Ended | SessionState::Paid => self,
            _ => self.to(SessionState::Ended, now),
        }
    }

    /// Somebody paid there.
    #[must_use]
    pub fn paid(self, now: OffsetDateTime) -> Self {
        if self.state == SessionState::Paid { self } else { self.to(SessionState::Paid, now) }
    }
}

/// The page on which `order` is paid, beside all that its document had so far: one that serves, or
/// `new`. All that can be paid for another amount is outdated.
///
/// # Errors
/// [`CardRefusal::TooManySessions`].
pub fn choose(
    mut sessions: Vec<PaySession>,
    new: PaySession,
    now: OffsetDateTime,
) -> Result<SessionChoice, CardRefusal> {
    let serves = |own: &PaySession| own.is_usable(now) && own.order.serves(&new.order);
    let found = sessions.iter().position(serves).map(|place| sessions.remove(place));
    let (forgotten, others): (Vec<_>, Vec<_>) =
        sessions.into_iter().partition(|own| own.is_forgotten(now));
    if found.is_none() && others.len() >= MAX_SESSIONS {
        return Err(CardRefusal::TooManySessions { most: MAX_SESSIONS });
    }
    let changes = others.into_iter().map(|own| (own.clone(), own.outdated(now)));
    let is_live = |own: &PaySession| own.state == SessionState::Outdated;
    let outdated = changes.filter(|(before, after)| before != after || is_live(after)).collect();
    let is_new = found.is_none();
    Ok(SessionChoice { session: found.unwrap_or(new), is_new, outdated, forgotten })
}

racun_store::record! {
    /// Where pages are kept on which documents are paid.
    ///
    /// The hidden field `own_id` is the id, by which an event finds the page of whichever entity.
    pub static CARD_SESSIONS: PaySession = "card_sessions";
    |session|
    id: session.id,
    tenant: Tenant::entity(session.entity_id),
    fields: {
        Field::id() => session.id,
        Field::text("document_id").indexed() => session.order.document_id,
        Field::text("state") => session.state.name(),
        Field::instant("created_at") => session.created_at,
        Field::instant("updated_at") => session.updated_at,
        Field::text("own_id").unique(Unique::Everywhere).hidden() => session.id,
    }
}

#[cfg(test)]
mod tests {
    use racun_kernel::DocumentKind;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-20 08:00 UTC);

    fn session(id: u128, amount: i64, at: OffsetDateTime) -> PaySession {
        let order = SessionOrder {
            document_id: DocumentId::new(DocumentKind::Invoice, 1_u128.into()),
            account: "acct_1".to_owned(),
            amount,
            currency: Currency::EUR,
            description: "2026-1".to_owned(),
            success_url: "https://racun.example/?paid=1".to_owned(),
            cancel_url: "https://racun.example/".to_owned(),
        };
        PaySession::new(CardSessionId::new(id.into()), EntityId::new(1_u128.into()), order, at)
    }

    fn open(id: u128, amount: i64) -> PaySession {
        let (id_there, url) = (format!("cs_{id}"), format!("https://pay.example/{id}"));
        let made = CheckoutSession { id: id_there, url, expires_at: NOW + Duration::hours(24) };
        session(id, amount, NOW).made(&made, NOW)
    }

    #[test]
    fn a_repeat_is_given_the_same_page_while_the_amount_stays() {
        for own in [open(1, 100), session(1, 100, NOW)] {
            let choice = choose(vec![own.clone()], session(2, 100, NOW), NOW).unwrap();
            assert_eq!((choice.session, choice.is_new), (own, false));
            assert!(choice.outdated.is_empty());
        }
        // It ends soon, so it is given to no one; but who has it may pay there.
        let late = NOW + Duration::hours(24) - Duration::minutes(5);
        let choice = choose(vec![open(1, 100)], session(2, 100, late), late).unwrap();
        assert!(choice.is_new);
        assert_eq!(choice.outdated[0].1.state, SessionState::Outdated);
    }

    #[test]
    fn another_amount_ends_what_can_be_paid() {
        let before = vec![open(1, 100), session(2, 100, NOW), open(3, 100).paid(NOW)];
        let choice = choose(before, session(4, 60, NOW), NOW).unwrap();
        assert!(choice.is_new);
        let states: Vec<_> = choice.outdated.iter().map(|(_, after)| after.state).collect();
        assert_eq!(states, [SessionState::Outdated, SessionState::Ended]);
        // What the processor does not know yet is sent to it again.
        let left: Vec<_> = choice.outdated.into_iter().map(|(_, after)| after).collect();
        let again = choose(left, choice.session, NOW).unwrap();
        assert_eq!(again.outdated.len(), 1);
    }

    #[test]
    fn pages_of_a_document_are_bounded_and_old_ones_are_forgotten() {
        let over = |n: usize| open(u128::try_from(n).unwrap(), 1).ended(NOW);
        let many: Vec<_> = (0..MAX_SESSIONS).map(over).collect();
        let refused = choose(many.clone(), session(99, 5, NOW), NOW);
        assert_eq!(refused, Err(CardRefusal::TooManySessions { most: MAX_SESSIONS }));
        let later = NOW + FORGOTTEN_AFTER + Duration::hours(1);
        let choice = choose(many, session(99, 5, later), later).unwrap();
        assert_eq!((choice.forgotten.len(), choice.is_new), (MAX_SESSIONS, true));
    }

    #[test]
    fn what_is_over_is_not_opened_by_a_late_answer() {
        let over = session(1, 100, NOW).ended(NOW);
        let url = "https://pay.example/1".to_owned();
        let made = CheckoutSession { id: "cs_1".to_owned(), url, expires_at: NOW };
        assert_eq!(over.clone().made(&made, NOW), over);
        assert_eq!(over.paid(NOW).ended(NOW).state, SessionState::Paid);
    }
}
