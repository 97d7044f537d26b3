//! A card processor in memory: what it was asked, and what it tells when a test says so.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use racun_card_payments::{
    Card, CardProcessor, CheckoutOrder, CheckoutSession, ConnectedAccount, ForgedWebhook, Outcome,
    PaymentOrder, ProcessorError, ProcessorEvent, ProcessorObject, SetupIntent,
};
use racun_kernel::{Currency, Environment};
use time::OffsetDateTime;
use time::macros::datetime;

/// What [`Scripted`] keeps.
#[derive(Default)]
pub struct Kept {
    /// What it says to the next requests, in the place of an answer.
    pub failures: Vec<ProcessorError>,
    /// The pages that were made, each key once.
    pub sessions: Vec<CheckoutOrder>,
    /// The pages that were ended.
    pub expired: Vec<String>,
    /// The payments that were asked for, each key once, with what became of them.
    pub payments: Vec<(PaymentOrder, Outcome)>,
    /// Accounts that were given up.
    pub disconnected: Vec<String>,
    /// The card that each customer pays with.
    pub chosen: BTreeMap<String, Card>,
    /// Payments and invoices of connected accounts, by id.
    pub objects: BTreeMap<String, ProcessorObject>,
    told: Vec<(Environment, ProcessorEvent)>,
}

/// The least that it charges.
const LEAST: i64 = 50;

/// A card processor in memory. The card `pm_declined` is declined; all others pay. The code
/// `acct_…` connects the account of that name.
#[derive(Default)]
pub struct Scripted(Mutex<Kept>);

impl Scripted {
    /// What it keeps.
    pub fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The body of a webhook that tells `event`; its signature is `good`.
    pub fn tell(&self, environment: Environment, event: ProcessorEvent) -> String {
        let mut kept = self.kept();
        kept.told.push((environment, event));
        (kept.told.len() - 1).to_string()
    }

    /// Makes `card` the one that `customer` pays with, as on the processor's page.
    pub fn choose(&self, customer: &str, card: &str) -> Card {
        let card = Card { id: card.to_owned(), brand: "visa".to_owned(), last4: "4242".to_owned() };
        self.kept().chosen.insert(customer.to_owned(), card.clone());
        card
    }

    fn fails(&self) -> Result<(), ProcessorError> {
        self.kept().failures.pop().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl CardProcessor for Scripted {
    fn serves(&self, _: Environment) -> bool {
        true
    }

    fn minimum(&self, _: Currency) -> i64 {
        LEAST
    }

    async fn set_up(
        &self,
        _: Environment,
        customer: Option<&str>,
        name: &str,
        key: &str,
    ) -> Result<SetupIntent, ProcessorError> {
        self.fails()?;
        let customer = customer.map_or_else(|| format!("cus_{name}"), str::to_owned);
        Ok(SetupIntent { customer, client_secret: format!("seti_secret_{key}") })
    }

    async fn attach(&self, _: Environment, who: &str, card: &str) -> Result<Card, ProcessorError> {
        self.fails()?;
        if card == "pm_missing" {
            let code = Some("resource_missing".to_owned());
            return Err(ProcessorError::Refused { code, message: "no such card".to_owned() });
        }
        Ok(self.choose(who, card))
    }

    async fn chosen(&self, _: Environment, who: &str) -> Result<Option<Card>, ProcessorError> {
        self.fails()?;
        Ok(self.kept().chosen.get(who).cloned())
    }

    async fn checkout(
        &self,
        _: Environment,
        order: &CheckoutOrder,
    ) -> Result<CheckoutSession, ProcessorError> {
        self.fails()?;
        let mut kept = self.kept();
        let is_same = |known: &CheckoutOrder| known.idempotency_key == order.idempotency_key;
        let n = kept.sessions.iter().position(is_same).unwrap_or_else(|| {
            kept.sessions.push(order.clone());
            kept.sessions.len() - 1
        });
        let expires_at = datetime!(2026-11-21 08:00 UTC);
        let url = format!("https://pay.example/cs_{n}");
        Ok(CheckoutSession { id: format!("cs_{n}"), url, expires_at })
    }

    async fn expire(
        &self,
        _: Environment,
        _: Option<&str>,
        session: &str,
    ) -> Result<(), ProcessorError> {
        self.fails()?;
        self.kept().expired.push(session.to_owned());
        Ok(())
    }

    async fn portal(
        &self,
        _: Environment,
        customer: &str,
        back: &str,
    ) -> Result<String, ProcessorError> {
        self.fails()?;
        Ok(format!("https://pay.example/portal/{customer}?back={back}"))
    }

    async fn charge(
        &self,
        _: Environment,
        order: &PaymentOrder,
    ) -> Result<Outcome, ProcessorError> {
        self.fails()?;
        let mut kept = self.kept();
        let is_same = |known: &PaymentOrder| known.idempotency_key == order.idempotency_key;
        if let Some((_, outcome)) = kept.payments.iter().find(|(known, _)| is_same(known)) {
            return Ok(outcome.clone());
        }
        let payment = format!("pi_{}", kept.payments.len());
        let outcome = match order.payment_method == "pm_declined" {
            true => Outcome::Declined {
                payment: Some(payment),
                code: "card_declined".to_owned(),
                message: "Your card was declined.".to_owned(),
            },
            false => Outcome::Succeeded { payment },
        };
        kept.payments.push((order.clone(), outcome.clone()));
        Ok(outcome)
    }

    async fn consent_page(
        &self,
        _: Environment,
        state: &str,
        back: &str,
    ) -> Result<String, ProcessorError> {
        Ok(format!("{back}?code=acct_1&state={state}"))
    }

    async fn connect(
        &self,
        _: Environment,
        code: &str,
    ) -> Result<ConnectedAccount, ProcessorError> {
        self.fails()?;
        Ok(ConnectedAccount { id: code.to_owned(), name: Some("Ana's shop".to_owned()) })
    }

    async fn disconnect(&self, _: Environment, account: &str) -> Result<(), ProcessorError> {
        self.fails()?;
        self.kept().disconnected.push(account.to_owned());
        Ok(())
    }

    async fn object(
        &self,
        _: Environment,
        _: &str,
        id: &str,
    ) -> Result<ProcessorObject, ProcessorError> {
        self.fails()?;
        let found = self.kept().objects.get(id).cloned();
        found.ok_or_else(|| ProcessorError::Refused {
            code: Some("resource_missing".to_owned()),
            message: format!("No such object: {id}"),
        })
    }

    fn read_webhook(
        &self,
        signature: Option<&str>,
        body: &[u8],
        _: OffsetDateTime,
    ) -> Result<(Environment, ProcessorEvent), ForgedWebhook> {
        let n: Option<usize> = std::str::from_utf8(body).ok().and_then(|text| text.parse().ok());
        let told = n.and_then(|n| self.kept().told.get(n).cloned());
        told.filter(|_| signature == Some("good")).ok_or(ForgedWebhook)
    }
}
