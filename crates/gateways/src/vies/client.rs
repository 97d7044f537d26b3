//! Calls to the Commission's REST interface.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use racun_catalog::{NoAnswer, VatAnswer, VatQuery};
use racun_kernel::vat_number::VatNumber;
use reqwest::Client as HttpClient;
use reqwest::header::ACCEPT;
use serde_json::json;
use tokio::time::{Instant, timeout};
use url::Url;

use super::answer::{self, BAD_REQUESTER, Said};
use super::rest::Rest;
use super::turns::Turns;
use crate::caller;
use crate::egress::{Guard, Reach};

/// An answer has less than 2 KiB; a longer one is none of VIES.
const MAX_BODY_BYTES: usize = 32 * 1_024;
/// For so long the answer to one call is that to others who ask the same: documents that are made
/// at once ask once.
const FRESH: Duration = Duration::from_secs(60);
/// Answers that are remembered so.
const MOST_FRESH: usize = 1_000;

/// The key of a check: the number, and the one that asks.
type CheckKey = (VatNumber, Option<VatNumber>);

/// Calls VIES.
pub(super) struct Client {
    http: HttpClient,
    guard: Guard,
    url: Url,
    patience: Duration,
    turns: Turns,
    rest: Rest,
    fresh: Mutex<HashMap<CheckKey, (Instant, VatAnswer)>>,
}

impl Client {
    /// A client of the interface at `base`.
    pub fn new(base: &str, reach: Reach, patience: Duration) -> Result<Self, String> {
        let guard = caller::guard(reach);
        let url = format!("{}/check-vat-number", base.trim_end_matches('/'));
        let url = guard.read(&url).map_err(|refused| refused.to_string())?;
        let http = caller::client(&guard, patience)?;
        let (turns, rest, fresh) = (Turns::default(), Rest::default(), Mutex::default());
        Ok(Self { http, guard, url, patience, turns, rest, fresh })
    }

    /// Asks VIES within the patience, unless it answered the same a moment ago.
    ///
    /// # Errors
    /// [`NoAnswer`].
    pub async fn ask(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
        match timeout(self.patience, self.in_turn(query)).await {
            Ok(answered) => answered,
            Err(_) => {
                self.rest.failed();
                Err(silence())
            }
        }
    }

    async fn in_turn(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
        let question = (query.number.clone(), query.requester.clone());
        let _turn = self.turns.take(query.asker).await;
        if let Some(answer) = self.remembered(&question) {
            return Ok(answer);
        }
        if self.rest.is_on() {
            return Err(NoAnswer { reason: "it did not answer a moment ago".to_owned() });
        }
        let mut said = self.call(&query.number, query.requester.as_ref()).await?;
        if let (Said::Nothing(code), Some(_)) = (&said, &query.requester)
            && code == BAD_REQUESTER
        {
            // The number that is asked for is none the worse for it.
            said = self.call(&query.number, None).await?;
        }
        match said {
            Said::Verdict(answer) => {
                self.remember(question, &answer);
                Ok(answer)
            }
            Said::Nothing(reason) => Err(NoAnswer { reason }),
        }
    }

    /// One call. Who is silent, or talks nonsense, is soon not called for a while.
    async fn call(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<Said, NoAnswer> {
        if self.guard.check_reach(&self.url).is_err() {
            return Err(NoAnswer { reason: "this server calls no other machine".to_owned() });
        }
        let mut body = json!({ "countryCode": number.state(), "vatNumber": number.number() });
        if let Some(own) = requester {
            body["requesterMemberStateCode"] = own.state().into();
            body["requesterNumber"] = own.number().into();
        }
        let request = self.http.post(self.url.clone()).header(ACCEPT, "application/json");
        let exchange = async {
            let answer = request.json(&body).send().await?;
            let status = answer.status().as_u16();
            Ok::<_, reqwest::Error>((status, caller::whole(answer, MAX_BODY_BYTES).await?))
        };
        let read = match exchange.await {
            Ok((status, Some(body))) => answer::read(status, &body, number),
            Ok((_, None)) => None,
            Err(error) => {
                tracing::warn!(error = %error.without_url(), "VIES cannot be asked");
                self.rest.failed();
                return Err(silence());
            }
        };
        match read {
            Some(said) => {
                self.rest.answered();
                Ok(said)
            }
            None => {
                tracing::warn!("VIES answered what is no answer");
                self.rest.failed();
                Err(NoAnswer { reason: "what it said is no answer".to_owned() })
            }
        }
    }

    fn remembered(&self, question: &CheckKey) -> Option<VatAnswer> {
        let fresh = self.lock();
        let (at, answer) = fresh.get(question)?;
        (at.elapsed() < FRESH).then(|| answer.clone())
    }

    fn remember(&self, question: CheckKey, answer: &VatAnswer) {
        let mut fresh = self.lock();
        if fresh.len() >= MOST_FRESH {
            fresh.retain(|_, (at, _)| at.elapsed() < FRESH);
        }
        if fresh.len() < MOST_FRESH {
            fresh.insert(question, (Instant::now(), answer.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CheckKey, (Instant, VatAnswer)>> {
        // No code that can panic runs under the lock.
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn silence() -> NoAnswer {
    NoAnswer { reason: "it does not answer".to_owned() }
}
