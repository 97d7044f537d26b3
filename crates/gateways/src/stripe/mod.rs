//! Stripe, a card processor.
//!
//! | Module    | Owns                                                                |
//! | --------- | ------------------------------------------------------------------- |
//! | `client`  | calls to its REST interface                                         |
//! | `form`    | what is sent                                                        |
//! | `answer`  | what its answers say                                                |
//! | `amount`  | amounts as it counts them                                           |
//! | `options` | how it is called, and whom a key serves                            |
//! | `webhook` | what it tells by webhooks, and whether it was Stripe                |
//!
//! The interface is public (<https://docs.stripe.com/api>). Simulators speak it, too.

mod amount;
mod answer;
mod client;
mod form;
mod options;
mod webhook;

use std::collections::BTreeMap;

use async_trait::async_trait;
use racun_card_payments::{
    Card, CardProcessor, CheckoutOrder, CheckoutSession, ConnectedAccount, ForgedWebhook, Happened,
    Outcome, PaymentOrder, ProcessorError, ProcessorEvent, ProcessorObject, SessionPurpose,
    SetupIntent,
};
use racun_kernel::{Currency, Environment};
use ring::hmac;
use time::OffsetDateTime;
use url::Url;

use answer::Problem;
use client::{Call, Client};
use form::Form;
use options::{MARK, Serves};

pub use options::StripeOptions;

/// Stripe, by one key.
pub struct Stripe {
    client: Client,
    client_id: Option<String>,
    webhook_keys: Vec<hmac::Key>,
    serves: Serves,
}

impl Stripe {
    /// A client of Stripe. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, the URL is none, or the key has signs that no header has.
    pub fn new(options: &StripeOptions) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(options)?,
            client_id: options.client_id.clone(),
            webhook_keys: options.webhook_secrets.iter().map(|one| webhook::key(one)).collect(),
            serves: Serves::of(&options.secret_key),
        })
    }

    /// The least that a card is charged in `currency`, whatever the key.
    #[must_use]
    pub fn least(currency: Currency) -> i64 {
        amount::minimum(currency)
    }

    fn client(&self, environment: Environment) -> Result<&Client, ProcessorError> {
        match self.serves.includes(environment) {
            true => Ok(&self.client),
            false => Err(ProcessorError::NotConnected),
        }
    }

    fn client_id(&self) -> Result<&str, ProcessorError> {
        self.client_id.as_deref().ok_or(ProcessorError::NotConnected)
    }
}

/// A part of a path.
fn segment(name: &str) -> Result<String, ProcessorError> {
    answer::id(name).ok_or_else(|| answer::missing(name))
}

/// `amount` with its currency, as Stripe has them.
fn money(amount: i64, currency: Currency) -> Result<(String, String), ProcessorError> {
    let written = amount::written(amount, currency).filter(|amount| *amount > 0);
    let written = written.ok_or_else(|| ProcessorError::Refused {
        code: Some("parameter_invalid_integer".to_owned()),
        message: format!("it takes no such amount in {currency}"),
    })?;
    Ok((written.to_string(), currency.code().to_ascii_lowercase()))
}

fn session_form(
    order: &CheckoutOrder,
    metadata: &BTreeMap<String, String>,
) -> Result<Form, ProcessorError> {
    let mut form = Form::default();
    let under = match &order.purpose {
        SessionPurpose::Setup => {
            form.add("mode", "setup");
            "setup_intent_data"
        }
        SessionPurpose::Payment { amount, currency, description } => {
            let (amount, currency) = money(*amount, *currency)?;
            form.add("mode", "payment");
            form.add("line_items[0][quantity]", "1");
            form.add("line_items[0][price_data][currency]", &currency);
            form.add("line_items[0][price_data][unit_amount]", &amount);
            form.add("line_items[0][price_data][product_data][name]", description);
            form.add("payment_intent_data[description]", description);
            "payment_intent_data"
        }
    };
    form.add("payment_method_types[0]", "card");
    form.add_some("customer", order.customer.as_deref());
    form.add("success_url", &order.success_url);
    form.add("cancel_url", &order.cancel_url);
    form.add_metadata("metadata", metadata);
    form.add_metadata(&format!("{under}[metadata]"), metadata);
    Ok(form)
}

#[async_trait]
impl CardProcessor for Stripe {
    fn serves(&self, environment: Environment) -> bool {
        self.serves.includes(environment)
    }

    fn minimum(&self, currency: Currency) -> i64 {
        Self::least(currency)
    }

    async fn set_up(
        &self,
        environment: Environment,
        customer: Option<&str>,
        name: &str,
        idempotency_key: &str,
    ) -> Result<SetupIntent, ProcessorError> {
        let client = self.client(environment)?;
        let metadata = self.serves.marked(environment, &BTreeMap::new());
        let customer = match customer {
            Some(customer) => customer.to_owned(),
            None => {
                let mut form = Form::of(&[("name", name)]);
                form.add_metadata("metadata", &metadata);
                let key = format!("{idempotency_key}-customer");
                let made = client.ask(Call::post("/v1/customers", form).keyed(&key)).await?;
                answer::made(&made).ok_or_else(answer::nonsense)?
            }
        };
        let mut form = Form::of(&[
            ("customer", &customer),
            ("payment_method_types[0]", "card"),
            ("usage", "off_session"),
        ]);
        form.add_metadata("metadata", &metadata);
        let call = Call::post("/v1/setup_intents", form).keyed(idempotency_key);
        answer::setup_intent(&client.ask(call).await?, customer).ok_or_else(answer::nonsense)
    }

    async fn attach(
        &self,
        environment: Environment,
        customer: &str,
        payment_method: &str,
    ) -> Result<Card, ProcessorError> {
        let client = self.client(environment)?;
        let method = format!("/v1/payment_methods/{}", segment(payment_method)?);
        let form = Form::of(&[("customer", customer)]);
        let card = match client.ask(Call::post(format!("{method}/attach"), form)).await {
            Ok(body) => answer::card(&body).ok_or_else(answer::nonsense)?.0,
            Err(ProcessorError::Refused { code, message }) => {
                // A setup intent attaches the card by itself.
                let known = client.ask(Call::get(method)).await;
                let known = known.ok().and_then(|body| answer::card(&body));
                let own = known.filter(|(_, owner)| owner.as_deref() == Some(customer));
                own.ok_or(ProcessorError::Refused { code, message })?.0
            }
            Err(error) => return Err(error),
        };
        let path = format!("/v1/customers/{}", segment(customer)?);
        let form = Form::of(&[("invoice_settings[default_payment_method]", &card.id)]);
        client.ask(Call::post(path, form)).await?;
        Ok(card)
    }

    async fn chosen(
        &self,
        environment: Environment,
        customer: &str,
    ) -> Result<Option<Card>, ProcessorError> {
        let client = self.client(environment)?;
        let path = format!("/v1/customers/{}", segment(customer)?);
        let body = client.ask(Call::get(path)).await?;
        let Some(method) = answer::default_method(&body).ok_or_else(answer::nonsense)? else {
            return Ok(None);
        };
        let body = client.ask(Call::get(format!("/v1/payment_methods/{method}"))).await?;
        answer::card_at_most(&body).ok_or_else(answer::nonsense)
    }

    async fn checkout(
        &self,
        environment: Environment,
        order: &CheckoutOrder,
    ) -> Result<CheckoutSession, ProcessorError> {
        let client = self.client(environment)?;
        let form = session_form(order, &self.serves.marked(environment, &order.metadata))?;
        let call = Call::post("/v1/checkout/sessions", form)
            .keyed(&order.idempotency_key)
            .on_behalf(order.account.as_deref());
        answer::session(&client.ask(call).await?).ok_or_else(answer::nonsense)
    }

    async fn expire(
        &self,
        environment: Environment,
        account: Option<&str>,
        session: &str,
    ) -> Result<(), ProcessorError> {
        let client = self.client(environment)?;
        let path = format!("/v1/checkout/sessions/{}", segment(session)?);
        let call = Call::post(format!("{path}/expire"), Form::default()).on_behalf(account);
        let refusal = match client.ask(call).await {
            Ok(_) => return Ok(()),
            Err(refusal @ ProcessorError::Refused { .. }) => refusal,
            Err(error) => return Err(error),
        };
        // One that is done, or ended before, cannot be ended.
        match client.ask(Call::get(path).on_behalf(account)).await {
            Ok(body) if answer::is_over(&body) => Ok(()),
            Ok(_) | Err(ProcessorError::Refused { .. }) => Err(refusal),
            Err(error) => Err(error),
        }
    }

    async fn portal(
        &self,
        environment: Environment,
        customer: &str,
        return_url: &str,
    ) -> Result<String, ProcessorError> {
        let client = self.client(environment)?;
        let form = Form::of(&[("customer", customer), ("return_url", return_url)]);
        let body = client.ask(Call::post("/v1/billing_portal/sessions", form)).await?;
        answer::portal(&body).ok_or_else(answer::nonsense)
    }

    async fn charge(
        &self,
        environment: Environment,
        order: &PaymentOrder,
    ) -> Result<Outcome, ProcessorError> {
        let client = self.client(environment)?;
        let (amount, currency) = money(order.amount, order.currency)?;
        let mut form = Form::of(&[
            ("amount", &amount),
            ("currency", &currency),
            ("customer", &order.customer),
            ("payment_method", &order.payment_method),
            ("payment_method_types[0]", "card"),
            ("off_session", "true"),
            ("confirm", "true"),
            ("description", &order.description),
        ]);
        form.add_metadata("metadata", &self.serves.marked(environment, &order.metadata));
        let call = Call::post("/v1/payment_intents", form).keyed(&order.idempotency_key);
        match client.exchange(call).await? {
            (200 | 201, body) => answer::outcome(&body).ok_or_else(answer::nonsense),
            (402, body) => match Problem::read(&body) {
                Some(problem) if problem.is_decline() => Ok(problem.into_outcome()),
                Some(problem) => Err(answer::refused(problem)),
                None => Err(answer::silent(402)),
            },
            // It says nothing of the card, as a wrong key does not.
            (403, _) => Err(answer::forbidden()),
            (status, body) => Err(answer::failure(status, &body)),
        }
    }

    async fn consent_page(
        &self,
        environment: Environment,
        state: &str,
        back: &str,
    ) -> Result<String, ProcessorError> {
        let page = format!("{}/oauth/authorize", self.client(environment)?.connect());
        let query = [
            ("response_type", "code"),
            ("client_id", self.client_id()?),
            ("scope", "read_write"),
            ("state", state),
            ("redirect_uri", back),
        ];
        let url = Url::parse_with_params(&page, query);
        url.map(String::from).map_err(|error| ProcessorError::NoAnswer(error.to_string()))
    }

    async fn connect(
        &self,
        environment: Environment,
        code: &str,
    ) -> Result<ConnectedAccount, ProcessorError> {
        let client = self.client(environment)?;
        self.client_id()?;
        let form = Form::of(&[("grant_type", "authorization_code"), ("code", code)]);
        let body = client.ask(Call::post("/oauth/token", form).at_connect()).await?;
        let id = answer::connected(&body).ok_or_else(answer::nonsense)?;
        // The code is spent: without its name the account is connected, too.
        let known = client.ask(Call::get(format!("/v1/accounts/{id}"))).await;
        let name = known.ok().and_then(|body| answer::account_name(&body));
        Ok(ConnectedAccount { id, name })
    }

    async fn disconnect(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<(), ProcessorError> {
        let client = self.client(environment)?;
        let form = Form::of(&[("client_id", self.client_id()?), ("stripe_user_id", account)]);
        match client.exchange(Call::post("/oauth/deauthorize", form).at_connect()).await? {
            (200 | 201, _) => Ok(()),
            (status, body) => match Problem::read(&body) {
                Some(problem) if problem.is_no_connection() => Ok(()),
                _ => Err(answer::failure(status, &body)),
            },
        }
    }

    async fn object(
        &self,
        environment: Environment,
        account: &str,
        id: &str,
    ) -> Result<ProcessorObject, ProcessorError> {
        let client = self.client(environment)?;
        let name = segment(id)?;
        let ask = |path| client.ask(Call::get(path).on_behalf(Some(account)));
        let read = match &name {
            name if name.starts_with("pi_") => {
                let expand = "expand%5B0%5D=customer&expand%5B1%5D=latest_charge";
                let body = ask(format!("/v1/payment_intents/{name}?{expand}")).await?;
                answer::payment(&body)
            }
            name if name.starts_with("in_") => {
                answer::invoice(&ask(format!("/v1/invoices/{name}")).await?)
            }
            other => return Err(answer::missing(other)),
        };
        read.filter(|object| object.id == name).ok_or_else(answer::nonsense)
    }

    fn read_webhook(
        &self,
        signature: Option<&str>,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<(Environment, ProcessorEvent), ForgedWebhook> {
        let signature = signature.ok_or(ForgedWebhook)?;
        let is_signed = |key| webhook::is_signed(key, signature, body, now);
        if !self.webhook_keys.iter().any(is_signed) {
            return Err(ForgedWebhook);
        }
        let told = webhook::read(body).ok_or(ForgedWebhook)?;
        let own = if told.is_live { Environment::Live } else { Environment::Sandbox };
        let mut event = told.event;
        let mark = marked(&mut event.happened);
        Ok(match self.serves {
            Serves::Both => (mark.unwrap_or(own), event),
            // A live endpoint of connected accounts hears of their test payments, too.
            Serves::Only(environment) if own != environment => {
                (environment, ProcessorEvent { happened: Happened::Other, ..event })
            }
            Serves::Only(environment) => (environment, event),
        })
    }
}

/// The environment that the metadata of an event say, which is taken out of them.
fn marked(happened: &mut Happened) -> Option<Environment> {
    let metadata = match happened {
        Happened::SessionCompleted { metadata, .. }
        | Happened::PaymentSucceeded { metadata, .. }
        | Happened::PaymentFailed { metadata, .. }
        | Happened::CardReady { metadata, .. }
        | Happened::CardChosen { metadata, .. } => metadata,
        Happened::InvoicePaid { .. } | Happened::Disconnected | Happened::Other => return None,
    };
    let mark = metadata.remove(MARK)?;
    [Environment::Live, Environment::Sandbox].into_iter().find(|known| known.name() == mark)
}
