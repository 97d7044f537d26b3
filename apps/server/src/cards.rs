//! The card processor: the one that settings name, and for a sandbox without one a simulator of
//! our own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;

use anyhow::{Context as _, anyhow};
use async_trait::async_trait;
use racun_card_payments::{
    Card, CardProcessor, CheckoutOrder, CheckoutSession, ConnectedAccount, ForgedWebhook, Outcome,
    PaymentOrder, ProcessorError, ProcessorEvent, ProcessorObject, SetupIntent,
};
use racun_card_simulator::{Options, Running, Simulator};
use racun_gateways::{Reach, Stripe, StripeOptions};
use racun_kernel::{Currency, Environment};
use time::OffsetDateTime;

use crate::clock;
use crate::settings::Settings;

/// Objects and events that the built-in simulator keeps of each.
const MOST_KEPT: usize = 10_000;
/// What the built-in simulator is called with: it has no secrets.
const KEY: &str = "sk_test_sandbox";
/// What it calls this server.
const CLIENT: &str = "ca_sandbox";
/// Where webhooks come in.
const WEBHOOK_PATH: &str = "/card-processor/webhook";

/// The card processor as far as this server is connected to it.
pub struct Connected {
    named: Option<Stripe>,
    reach: Reach,
    /// Where this process listens; empty in one that serves no requests.
    listening: OnceLock<SocketAddr>,
    /// The built-in simulator, started on first use.
    built_in: OnceLock<Result<BuiltIn, String>>,
}

/// The simulator, and the client that reaches it. It runs as long as the process.
struct BuiltIn {
    _simulator: Running,
    stripe: Stripe,
}

/// Connects what settings name. No call is made yet.
///
/// # Errors
/// When a setting is of no use: one line that names it.
pub fn connect(settings: &Settings) -> anyhow::Result<Connected> {
    let reach = settings.outbound.reach();
    let named = named(settings, reach)?;
    Ok(Connected { named, reach, listening: OnceLock::new(), built_in: OnceLock::new() })
}

fn named(settings: &Settings, reach: Reach) -> anyhow::Result<Option<Stripe>> {
    let own = &settings.stripe;
    let Some((key, secrets)) = own.secret_key.as_ref().zip(own.webhook_secret.as_ref()) else {
        return Ok(None);
    };
    let is_here = own.url.as_ref().is_some_and(|url| url.is_loopback());
    settings.outbound.check("RACUN__STRIPE__URL", is_here)?;
    let usual = StripeOptions::new(key.as_str(), "");
    let options = StripeOptions {
        url: own.url.as_ref().map_or(usual.url.clone(), |url| url.as_str().to_owned()),
        client_id: own.client_id.as_ref().map(|id| id.as_str().to_owned()),
        webhook_secrets: secrets.texts(),
        reach,
        ..usual
    };
    let stripe = Stripe::new(&options).map_err(|reason| anyhow!(reason));
    stripe.map(Some).context("settings RACUN__STRIPE__…")
}

impl Connected {
    /// Notes where this process listens, so that the built-in simulator reaches it.
    pub fn listens_at(&self, address: SocketAddr) {
        self.listening.get_or_init(|| address);
    }

    /// Who takes cards for entities of `environment`.
    fn of(&self, environment: Environment) -> Result<&Stripe, ProcessorError> {
        if let Some(named) = self.named.as_ref().filter(|named| named.serves(environment)) {
            return Ok(named);
        }
        if environment == Environment::Live {
            return Err(ProcessorError::NotConnected);
        }
        let start = || BuiltIn::start(self.reach, self.listening.get().copied());
        match self.built_in.get_or_init(start) {
            Ok(built_in) => Ok(&built_in.stripe),
            Err(reason) => Err(ProcessorError::NoAnswer(format!(
                "the built-in simulator does not run: {reason}"
            ))),
        }
    }
}

/// Where this process is reached from this machine that listens at `address`.
fn webhook_url(address: SocketAddr) -> String {
    let host: IpAddr = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    format!("http://{}{WEBHOOK_PATH}", SocketAddr::new(host, address.port()))
}

impl BuiltIn {
    fn start(reach: Reach, listening: Option<SocketAddr>) -> Result<Self, String> {
        let mut bytes = [0; 32];
        clock::entropy().fill(&mut bytes);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let webhook_secret = format!("whsec_{hex}");
        let options = Options {
            most_kept: MOST_KEPT,
            webhook_url: listening.map(webhook_url),
            webhook_secret: webhook_secret.clone(),
            ..Options::default()
        };
        let simulator = Simulator::start(&options).map_err(|error| error.to_string())?;
        let options = StripeOptions {
            url: simulator.url.clone(),
            client_id: Some(CLIENT.to_owned()),
            reach,
            ..StripeOptions::new(KEY, &webhook_secret)
        };
        let stripe = Stripe::new(&options)?;
        tracing::info!(
            url = simulator.url,
            "the sandbox's card processor is simulated in this process"
        );
        Ok(Self { _simulator: simulator, stripe })
    }
}

#[async_trait]
impl CardProcessor for Connected {
    fn serves(&self, environment: Environment) -> bool {
        // Asked inside decisions, which start nothing.
        let is_named = self.named.as_ref().is_some_and(|named| named.serves(environment));
        is_named || environment == Environment::Sandbox
    }

    fn minimum(&self, currency: Currency) -> i64 {
        Stripe::least(currency)
    }

    async fn set_up(
        &self,
        environment: Environment,
        customer: Option<&str>,
        name: &str,
        idempotency_key: &str,
    ) -> Result<SetupIntent, ProcessorError> {
        self.of(environment)?.set_up(environment, customer, name, idempotency_key).await
    }

    async fn attach(
        &self,
        environment: Environment,
        customer: &str,
        payment_method: &str,
    ) -> Result<Card, ProcessorError> {
        self.of(environment)?.attach(environment, customer, payment_method).await
    }

    async fn chosen(
        &self,
        environment: Environment,
        customer: &str,
    ) -> Result<Option<Card>, ProcessorError> {
        self.of(environment)?.chosen(environment, customer).await
    }

    async fn checkout(
        &self,
        environment: Environment,
        order: &CheckoutOrder,
    ) -> Result<CheckoutSession, ProcessorError> {
        self.of(environment)?.checkout(environment, order).await
    }

    async fn expire(
        &self,
        environment: Environment,
        account: Option<&str>,
        session: &str,
    ) -> Result<(), ProcessorError> {
        self.of(environment)?.expire(environment, account, session).await
    }

    async fn portal(
        &self,
        environment: Environment,
        customer: &str,
        return_url: &str,
    ) -> Result<String, ProcessorError> {
        self.of(environment)?.portal(environment, customer, return_url).await
    }

    async fn charge(
        &self,
        environment: Environment,
        order: &PaymentOrder,
    ) -> Result<Outcome, ProcessorError> {
        self.of(environment)?.charge(environment, order).await
    }

    async fn consent_page(
        &self,
        environment: Environment,
        state: &str,
        back: &str,
    ) -> Result<String, ProcessorError> {
        self.of(environment)?.consent_page(environment, state, back).await
    }

    async fn connect(
        &self,
        environment: Environment,
        code: &str,
    ) -> Result<ConnectedAccount, ProcessorError> {
        self.of(environment)?.connect(environment, code).await
    }

    async fn disconnect(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<(), ProcessorError> {
        self.of(environment)?.disconnect(environment, account).await
    }

    async fn object(
        &self,
        environment: Environment,
        account: &str,
        id: &str,
    ) -> Result<ProcessorObject, ProcessorError> {
        self.of(environment)?.object(environment, account, id).await
    }

    fn read_webhook(
        &self,
        signature: Option<&str>,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<(Environment, ProcessorEvent), ForgedWebhook> {
        let built_in = self.built_in.get().and_then(|started| started.as_ref().ok());
        let known = self.named.iter().chain(built_in.map(|built_in| &built_in.stripe));
        let mut read = known.map(|stripe| stripe.read_webhook(signature, body, now));
        read.find(Result::is_ok).unwrap_or(Err(ForgedWebhook))
    }
}

#[cfg(test)]
mod tests {
    use racun_card_simulator::signature;

    use super::*;

    const NOW: i64 = 1_795_000_000;

    fn with_key(key: &str) -> Connected {
        let options = StripeOptions {
            url: "http://127.0.0.1:1".to_owned(),
            reach: Reach::ThisMachine,
            ..StripeOptions::new(key, "whsec_named")
        };
        Connected { named: Some(Stripe::new(&options).unwrap()), ..nothing() }
    }

    fn nothing() -> Connected {
        Connected {
            named: None,
            reach: Reach::ThisMachine,
            listening: OnceLock::new(),
            built_in: OnceLock::new(),
        }
    }

    #[tokio::test]
    async fn a_sandbox_without_a_key_has_the_simulator_and_live_entities_nothing() {
        let connected = nothing();
        assert!(connected.serves(Environment::Sandbox) && !connected.serves(Environment::Live));
        assert!(connected.built_in.get().is_none(), "looking starts nothing");
        let refused = connected.set_up(Environment::Live, None, "Ana", "k").await;
        assert_eq!(refused, Err(ProcessorError::NotConnected));
        assert!(connected.built_in.get().is_none());
        let made = connected.set_up(Environment::Sandbox, None, "Ana", "k").await;
        assert!(made.is_ok(), "{made:?}");
    }

    #[tokio::test]
    async fn a_key_serves_its_environment_and_the_simulator_the_sandbox_beside_a_live_one() {
        let live = with_key("sk_live_1");
        assert!(live.serves(Environment::Live) && live.serves(Environment::Sandbox));
        assert!(live.set_up(Environment::Sandbox, None, "Ana", "k").await.is_ok());
        let lost = live.set_up(Environment::Live, None, "Ana", "k").await;
        assert!(matches!(lost, Err(ProcessorError::NoAnswer(_))), "it is called: {lost:?}");
        let sandbox = with_key("rk_test_1");
        assert!(sandbox.serves(Environment::Sandbox) && !sandbox.serves(Environment::Live));
        let lost = sandbox.set_up(Environment::Sandbox, None, "Ana", "k").await;
        assert!(matches!(lost, Err(ProcessorError::NoAnswer(_))), "{lost:?}");
        assert!(sandbox.built_in.get().is_none());
        let both = with_key("another");
        assert!(both.serves(Environment::Sandbox) && both.serves(Environment::Live));
    }

    #[tokio::test]
    async fn a_webhook_is_of_the_processor_whose_secret_signed_it() {
        let connected = with_key("sk_live_1");
        assert!(connected.set_up(Environment::Sandbox, None, "Ana", "k").await.is_ok());
        let now = OffsetDateTime::from_unix_timestamp(NOW).unwrap();
        let body = r#"{"id":"evt_1","type":"x","livemode":true,"data":{"object":{}}}"#;
        let read = |secret: &str| {
            let signature = signature(secret, NOW, body);
            let read = connected.read_webhook(Some(&signature), body.as_bytes(), now);
            read.map(|(environment, _)| environment)
        };
        assert_eq!(read("whsec_named"), Ok(Environment::Live));
        for forged in ["", "whsec_sandbox", "whsec_other"] {
            assert_eq!(read(forged), Err(ForgedWebhook), "{forged}");
        }
    }

    #[test]
    fn the_simulator_reaches_the_server_on_this_machine() {
        for (listens, expected) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/card-processor/webhook"),
            ("0.0.0.0:80", "http://127.0.0.1:80/card-processor/webhook"),
            ("[::]:8080", "http://[::1]:8080/card-processor/webhook"),
        ] {
            assert_eq!(webhook_url(listens.parse().unwrap()), expected);
        }
    }
}
