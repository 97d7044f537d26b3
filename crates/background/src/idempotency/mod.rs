//! A request that is sent again is carried out once.
//!
//! A caller names a request by a key. In the commit that makes the request's effect, a
//! [`KeyedRequest`] is stored under the account and the key; the answer is stored with it before it
//! is sent. The same request with the same key gets the stored answer. A process
//! may die between the two commits: then the effect is there without an answer, and `subjects` say
//! what it was.
//!
//! | Module | Owns                                                                          |
//! | ------ | ----------------------------------------------------------------------------- |
//! | `once` | the store that a keyed request works on, which stores key and effect together |

mod once;

use racun_kernel::id::AccountId;
use racun_kernel::{CannotOpen, Reseal, Tenant};
use racun_store::{
    Clause, Field, ListQuery, Operator, Put, PutKind, Record, Store, StoreError, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

pub use once::{Once, Passed};

/// For how long a key names a request.
pub const KEPT: Duration = Duration::days(30);

/// A request that was carried out, by the key that names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyedRequest {
    /// Whose key it is: two accounts may use the same.
    pub account_id: AccountId,
    /// The digest of the key.
    pub key: String,
    /// The digest of all that tells the request from another: method, path, query, entity, body.
    pub fingerprint: String,
    /// The ids of what its effect made or changed, those of events first.
    pub subjects: Vec<String>,
    /// When it was begun.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// What it was answered; `None` until that is known.
    pub answer: Option<KeptAnswer>,
}

/// An answer that is given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// Its status.
    pub status: u16,
    /// The headers that belong to its body, by name.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: KeptBody,
}

/// The body of an answer that is given again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptBody {
    /// As it was sent.
    Plain(String),
    /// Sealed by the vault: it shows a secret, or is no text.
    Sealed(String),
    /// Not kept: it needs a vault, and there is none.
    Withheld,
}

impl std::fmt::Debug for KeptBody {
    /// Says which sort it is, not what is in it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain(..)",
            Self::Sealed(_) => "Sealed(..)",
            Self::Withheld => "Withheld",
        })
    }
}

racun_store::record! {
    /// Where keyed requests are kept: with their account.
    pub static KEYED_REQUESTS: KeyedRequest = "keyed_requests";
    |request|
    id: request.key,
    tenant: Tenant::account(request.account_id),
    fields: {
        Field::instant("created_at") => request.created_at,
    }
}

/// What an answer is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerTo {
    /// To an effect, which is stored under the key already.
    Effect,
    /// To a request that had none: it was refused, or there was nothing to do.
    Nothing,
}

/// What a key says about a request that is sent with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStatus {
    /// It names none yet: the request is to be carried out.
    New,
    /// It names another request.
    Conflict,
    /// It names this one, which was answered so.
    Answered(KeptAnswer),
    /// It names this one, whose effect is there; its answer is not known.
    Unanswered(KeyedRequest),
}

impl KeyedRequest {
    /// A request that is begun at `now`.
    #[must_use]
    pub const fn new(
        account_id: AccountId,
        key: String,
        fingerprint: String,
        now: OffsetDateTime,
    ) -> Self {
        let created_at = now;
        Self { account_id, key, fingerprint, subjects: Vec::new(), created_at, answer: None }
    }

    /// What `held`, which is stored under the key of this request, says about it.
    #[must_use]
    pub fn judge(&self, held: Option<Self>) -> KeyStatus {
        match held.filter(|held| held.holds_at(self.created_at)) {
            None => KeyStatus::New,
            Some(held) if held.fingerprint != self.fingerprint => KeyStatus::Conflict,
            Some(Self { answer: Some(answer), .. }) => KeyStatus::Answered(answer),
            Some(held) => KeyStatus::Unanswered(held),
        }
    }

    /// What is stored under the key of this request.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find(&self, store: &dyn Store) -> Result<Option<Self>, StoreError> {
        store.get(&KEYED_REQUESTS, &self.tenant(), &self.key).await
    }

    /// Stores `answer` as that of this request, where the key is free or names its effect. Answers
    /// what the key says about the request then: [`KeyStatus::Answered`] with `answer`, or with the
    /// one that another process stored before. Nothing is stored where the key names another
    /// request, nor where it names an effect and `answer` is not to an effect: then a twin in
    /// another process made it, and its answer is the one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn answer(
        &self,
        store: &dyn Store,
        answer: KeptAnswer,
        to: AnswerTo,
    ) -> Result<KeyStatus, StoreError> {
        let request = self.clone();
        let mut unit = store.unit(self.tenant());
        let before = unit.hold(&KEYED_REQUESTS, &self.key);
        unit.decide(move |held| {
            let before: Option<Self> = held.find(before)?;
            let status = request.judge(before.clone());
            let is_free = match &status {
                KeyStatus::New => true,
                KeyStatus::Unanswered(_) => to == AnswerTo::Effect,
                KeyStatus::Conflict | KeyStatus::Answered(_) => false,
            };
            if !is_free {
                return Ok((status, Writes::default()));
            }
            let subjects = before.as_ref().map(|before| before.subjects.clone());
            let subjects = subjects.unwrap_or_default();
            let after = Self { answer: Some(answer.clone()), subjects, ..request };
            Ok((KeyStatus::Answered(answer), Writes::default().put(after.put(before.as_ref()))))
        })
        .await
    }

    /// Whose secret a sealed answer is, to the vault.
    #[must_use]
    pub fn seal_owner(&self) -> String {
        format!("keyed_request {} {}", self.account_id, self.key)
    }

    /// The same with a sealed answer under another key of the vault.
    ///
    /// # Errors
    /// When the answer cannot be opened.
    pub fn resealed(mut self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let owner = self.seal_owner();
        if let Some(KeptAnswer { body: KeptBody::Sealed(sealed), .. }) = &mut self.answer {
            *sealed = reseal(&owner, sealed)?;
        }
        Ok(self)
    }

    /// The same without a sealed answer, which cannot be opened.
    pub fn without_sealed(mut self) -> Self {
        if let Some(KeptAnswer { body: body @ KeptBody::Sealed(_), .. }) = &mut self.answer {
            *body = KeptBody::Withheld;
        }
        self
    }

    fn holds_at(&self, now: OffsetDateTime) -> bool {
        now - self.created_at < KEPT
    }

    /// Stores it in the place of `before`. Keys are not counted.
    fn put(&self, before: Option<&Self>) -> Put {
        let put = match before {
            Some(before) => Put::update(before, self),
            None => Put::insert(self),
        };
        Put { live_delta: 0, trash_delta: 0, ..put }
    }

    /// This request with what `writes` make as its subjects; `None` when they are no effect yet.
    ///
    /// An effect records an event or takes a number. What is written without either is a step
    /// on the way to it: a guess of a PIN that is counted, a name that is reserved, an attempt that
    /// is recorded before a message is sent to an authority.
    fn with_effect(&self, writes: &Writes) -> Option<Self> {
        if writes.events.is_empty() && !writes.takes_number {
            return None;
        }
        let mut subjects: Vec<String> = Vec::new();
        let told = writes.events.iter().map(|event| &event.subject);
        let made = writes.puts.iter().filter(|put| put.kind == PutKind::Insert);
        for subject in told.chain(made.map(|put| &put.id)) {
            if subjects.len() < MOST_SUBJECTS && !subjects.contains(subject) {
                subjects.push(subject.clone());
            }
        }
        Some(Self { subjects, ..self.clone() })
    }
}

/// Subjects that are kept of a request.
const MOST_SUBJECTS: usize = 16;

/// Rows that one sweep removes.
const SWEPT: usize = 100;

/// Removes keys of `account` that name nothing any more at `now`: up to 100 of them. Answers how
/// many.
///
/// # Errors
/// When the store fails.
pub async fn sweep(
    store: &dyn Store,
    account: AccountId,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let mut query = ListQuery::first_page(&KEYED_REQUESTS);
    (query.limit, query.count) = (SWEPT, false);
    let is_over = Operator::Lte((now - KEPT).into());
    query.clauses = vec![Clause::on(&KEYED_REQUESTS, "created_at", is_over)];
    let tenant = Tenant::account(account);
    let over = store.page::<KeyedRequest>(&KEYED_REQUESTS, &tenant, &query).await?.rows;
    if over.is_empty() {
        return Ok(0);
    }
    let mut unit = store.unit(tenant);
    let over = unit.hold_each(over.iter().map(|row| (&KEYED_REQUESTS, row.id())));
    unit.decide(move |held| {
        // A key that was used again since stays.
        let held: Vec<KeyedRequest> = held.all(over)?;
        let over = held.iter().filter(|row| !row.holds_at(now));
        let gone = |row| Put { live_delta: 0, trash_delta: 0, ..Put::delete(row) };
        let gone: Vec<Put> = over.map(gone).collect();
        Ok((gone.len(), Writes::default().puts(gone)))
    })
    .await
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::EventId;
    use racun_store::Event;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-21 12:00 UTC);

    fn request(fingerprint: &str, at: OffsetDateTime) -> KeyedRequest {
        let account = "acc_01jd0000000000000000000000".parse().unwrap();
        KeyedRequest::new(account, "key".to_owned(), fingerprint.to_owned(), at)
    }

    #[test]
    fn a_key_says_what_became_of_its_request() {
        let body = KeptBody::Plain("{}".to_owned());
        let answer = KeptAnswer { status: 201, headers: Vec::new(), body };
        let begun = request("a", NOW - Duration::seconds(1));
        let answered = KeyedRequest { answer: Some(answer.clone()), ..begun.clone() };
        let aged = |age| KeyedRequest { created_at: NOW - age, ..answered.clone() };
        for (held, fingerprint, expected) in [
            (None, "a", KeyStatus::New),
            (Some(begun.clone()), "a", KeyStatus::Unanswered(begun.clone())),
            (Some(begun), "b", KeyStatus::Conflict),
            (Some(answered.clone()), "a", KeyStatus::Answered(answer.clone())),
            (Some(answered.clone()), "b", KeyStatus::Conflict),
            (Some(aged(KEPT - Duration::SECOND)), "a", KeyStatus::Answered(answer)),
            (Some(aged(KEPT)), "a", KeyStatus::New),
            (Some(aged(KEPT)), "b", KeyStatus::New),
        ] {
            let told = format!("{held:?} {fingerprint}");
            assert_eq!(request(fingerprint, NOW).judge(held), expected, "{told}");
        }
    }

    #[test]
    fn an_effect_is_reported_or_numbered_and_names_what_it_made() {
        let wanted = request("a", NOW);
        let other = KeyedRequest { key: "made".to_owned(), ..wanted.clone() };
        let told = Event {
            id: EventId::new(1_u128.into()),
            tenant: wanted.tenant(),
            kind: racun_documents::events::invoice::CREATED,
            subject: "inv_1".to_owned(),
            actor: "usr_1".to_owned(),
            at: NOW,
            fields: Vec::new(),
            snapshot: None,
        };
        let made = Put::insert(&other);
        let changed = Put::update(&other, &other);
        for (puts, events, takes_number, subjects) in [
            (vec![], vec![], false, None),
            (vec![made.clone(), changed.clone()], vec![], false, None),
            (vec![changed.clone()], vec![told.clone()], false, Some(vec!["inv_1"])),
            (vec![made.clone()], vec![told.clone(), told], false, Some(vec!["inv_1", "made"])),
            (vec![made, changed], vec![], true, Some(vec!["made"])),
        ] {
            let writes = Writes { puts, events, takes_number };
            let found = wanted.with_effect(&writes).map(|request| request.subjects);
            let expected =
                subjects.map(|all| all.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(found, expected, "{writes:?}");
        }
    }

    #[test]
    fn a_body_is_not_printed() {
        let body = KeptBody::Plain("tok_secret".to_owned());
        assert_eq!(format!("{body:?}"), "Plain(..)");
    }
}
