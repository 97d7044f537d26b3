//! A stand-in for a card processor: it speaks the part of Stripe's interface that `racun-gateways`
//! calls.
//!
//! It serves tests, demonstrations and the sandbox. It makes customers, sessions and payments, has
//! pages on which a person pays with a test card or consents, takes no request twice under one
//! key, tells by signed webhooks what happened, and goes wrong on command. No money moves.
//!
//! | Module    | Owns                                                                |
//! | --------- | ------------------------------------------------------------------- |
//! | `cards`   | cards that stand for each outcome                                   |
//! | `ledger`  | customers, cards, sessions, payments, accounts; answers by key      |
//! | `desk`    | one request with the ledger: new ids, what it finds and tells       |
//! | `api`     | the interface for programs                                          |
//! | `page`    | the pages for people                                                |
//! | `webhook` | telling what happened                                               |
//! | `fault`   | what goes wrong, and when                                           |
//! | `form`    | forms, and texts in HTML                                            |
//! | `state`   | what connections share, requests and answers                        |
//! | `serve`   | both over plain HTTP on the loopback interface                      |
//!
//! Nothing is kept when it ends. Ids of customers, cards and accounts say by themselves what they
//! are, so a sandbox that outlives it is served the same by the next one.

mod api;
mod cards;
mod desk;
mod fault;
mod form;
mod ledger;
mod page;
mod serve;
mod state;
mod webhook;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use fault::{Fault, Operation, When};
pub use ledger::{Event, Payment};
use state::State;
pub use webhook::signature;

/// How the simulator is to start.
#[derive(Clone)]
pub struct Options {
    /// Where it listens: an address of the loopback interface; port 0 stands for any free one.
    pub listen: SocketAddr,
    /// How many objects, answers by key and events are kept of each; older ones are forgotten.
    pub most_kept: usize,
    /// Where it posts webhooks, by plain HTTP: an address of this machine; `None`: nowhere.
    pub webhook_url: Option<String>,
    /// What it signs them with.
    pub webhook_secret: String,
    /// How long it waits before it posts one again that was not taken; one wait for each repeat.
    pub retry_delays: Vec<Duration>,
    /// What time it is, in seconds since 1970.
    pub clock: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("listen", &self.listen)
            .field("webhook_url", &self.webhook_url)
            .finish_non_exhaustive()
    }
}

impl Default for Options {
    /// A free port of the loopback interface, 10,000 kept, no webhooks, the system's time.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            most_kept: 10_000,
            webhook_url: None,
            webhook_secret: "whsec_sandbox".to_owned(),
            retry_delays: [100, 1_000, 5_000, 30_000].map(Duration::from_millis).to_vec(),
            clock: Arc::new(serve::system_time),
        }
    }
}

/// The simulator.
pub struct Simulator;

impl Simulator {
    /// Starts it, in tasks of the current runtime of tokio.
    ///
    /// # Errors
    /// When the address is not free or not of the loopback interface.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub fn start(options: &Options) -> io::Result<Running> {
        if !options.listen.ip().is_loopback() {
            return Err(io::Error::other("it has no secrets, so it listens on loopback"));
        }
        let listener = std::net::TcpListener::bind(options.listen)?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let url = format!("http://{}", listener.local_addr()?);
        let mut tasks = JoinSet::new();
        let (courier, queue) = webhook::queue();
        let state = Arc::new(State::new(options, url.clone(), courier));
        tasks.spawn(webhook::run(options.clone(), queue));
        tasks.spawn(serve::run(Arc::clone(&state), listener));
        Ok(Running { url, state, _tasks: tasks })
    }
}

/// What a person enters on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// The number of a test card.
    pub number: String,
    /// Their name.
    pub name: String,
    /// Their address for mail.
    pub email: String,
    /// Their country: ISO 3166-1 alpha-2.
    pub country: String,
    /// Whether they confirm the payment when their bank asks.
    pub confirms: bool,
}

impl Payer {
    /// Somebody with the card `number`, who confirms what the bank asks.
    #[must_use]
    pub fn with(number: &str) -> Self {
        Self {
            number: number.to_owned(),
            name: "Jenny Rosen".to_owned(),
            email: "jenny@example.com".to_owned(),
            country: "SI".to_owned(),
            confirms: true,
        }
    }
}

/// An invoice that a connected account made at the processor, and that was paid there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PaidInvoice {
    /// Whose it is: `acct_…`.
    pub account: String,
    /// The total, in the currency's smallest unit.
    pub total: i64,
    /// In which currency: `eur`.
    pub currency: String,
    /// What for.
    pub description: String,
    /// Who paid.
    pub name: Option<String>,
    /// Their address for mail.
    pub email: Option<String>,
    /// Their country.
    pub country: Option<String>,
    /// What the seller gave it.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

/// A simulator that runs. It stops when this is dropped.
pub struct Running {
    /// The base of its interface.
    pub url: String,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

impl Running {
    /// Plans a fault.
    pub fn add_fault(&self, fault: Fault, when: When) {
        self.state.faults.add(fault, when);
    }

    /// Forgets all faults.
    pub fn clear_faults(&self) {
        self.state.faults.clear();
    }

    /// The payments that it was asked for, in their order, with what became of them.
    #[must_use]
    pub fn payments(&self) -> Vec<Payment> {
        self.state.ledger().payments()
    }

    /// What it told, or would have told, in its order.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.state.ledger().events()
    }

    /// Posts the event `id` again, signed at the present time. False where there is none.
    #[must_use]
    pub fn replay(&self, id: &str) -> bool {
        self.state.replay(id)
    }

    /// Where a person is sent who pays, or gives a card, on the page at `url`.
    ///
    /// # Errors
    /// What the page says instead.
    pub fn pay(&self, url: &str, payer: &Payer) -> Result<String, String> {
        page::pay(&self.state, url, payer)
    }

    /// What a client's page does with the secret of a setup intent: gives the card `number`, whose
    /// id is answered.
    ///
    /// # Errors
    /// What it says instead.
    pub fn give_card(&self, client_secret: &str, number: &str) -> Result<String, String> {
        api::give_card(&self.state, client_secret, number)
    }

    /// Where a seller is sent who consents, as `name`, on the page at `url`.
    ///
    /// # Errors
    /// What the page says instead.
    pub fn consent(&self, url: &str, name: &str) -> Result<String, String> {
        page::consent(&self.state, url, Some(name))
    }

    /// Where a seller is sent who does not consent on the page at `url`.
    ///
    /// # Errors
    /// What the page says instead.
    pub fn refuse_consent(&self, url: &str) -> Result<String, String> {
        page::consent(&self.state, url, None)
    }

    /// Notes that a connected account made an invoice that was paid, and tells it.
    #[must_use]
    pub fn add_invoice(&self, invoice: &PaidInvoice) -> String {
        api::add_invoice(&self.state, invoice)
    }

    /// Lets a connected account take its consent back, and tells it.
    pub fn take_back(&self, account: &str) {
        api::take_back(&self.state, account);
    }
}
