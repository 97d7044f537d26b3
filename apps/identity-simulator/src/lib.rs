//! A stand-in for an OpenID provider, for tests and trials.
//!
//! It speaks what `racun-gateways` calls: discovery, keys, the authorization endpoint and the token
//! endpoint of OpenID Connect Core 1.0, with PKCE. It checks what it is sent, gives out each code
//! once, and goes wrong on command. Everybody signs in as the person that they name, so it is for
//! this machine alone.
//!
//! | Module   | Owns                                                       |
//! | -------- | ---------------------------------------------------------- |
//! | `person` | people that stand for what a provider may know of one      |
//! | `codes`  | codes that were given out, and how they are redeemed       |
//! | `signer` | the key, and tokens                                        |
//! | `fault`  | what goes wrong                                            |
//! | `serve`  | the interface, over plain HTTP on the loopback interface   |

mod codes;
mod fault;
mod person;
mod serve;
mod signer;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use fault::Fault;

/// How the simulator is to start.
#[derive(Clone)]
pub struct Options {
    /// Where it listens; port 0 stands for any free one.
    pub listen: SocketAddr,
    /// What the client is called.
    pub client_id: String,
    /// What it proves itself by; `None` for a client without a secret.
    pub client_secret: Option<String>,
    /// What time it is, in seconds since 1970.
    pub clock: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl Default for Options {
    /// A free port of the loopback interface, the client `racun` with the secret `sandbox`, and the
    /// system's time.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            client_id: "racun".to_owned(),
            client_secret: Some("sandbox".to_owned()),
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
    /// When the address is not free, or the system has no random numbers.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub fn start(options: &Options) -> io::Result<Running> {
        let listener = std::net::TcpListener::bind(options.listen)?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let url = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(serve::State::new(options, url.clone())?);
        let mut tasks = JoinSet::new();
        tasks.spawn(serve::run(Arc::clone(&state), listener));
        Ok(Running { url, state, _tasks: tasks })
    }
}

/// A simulator that runs. It stops when this is dropped.
pub struct Running {
    /// The issuer, and the base of its interface.
    pub url: String,
    state: Arc<serve::State>,
    _tasks: JoinSet<()>,
}

impl Running {
    /// Plans that the next request or token that `fault` concerns goes wrong.
    pub fn add_fault(&self, fault: Fault) {
        self.state.faults.add(fault);
    }

    /// Signs with another key from now on.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn rotate(&self) -> io::Result<()> {
        self.state.rotate()
    }

    /// How often the keys were asked for.
    #[must_use]
    pub fn key_requests(&self) -> usize {
        self.state.key_requests()
    }

    /// What a browser is sent back to when `person` signs in at the address `url`, where
    /// applications send people: the address with code and state.
    ///
    /// # Errors
    /// Why the provider shows the person an error instead.
    pub fn sign_in(&self, url: &str, person: &str) -> Result<String, String> {
        self.state.authorize(url, person)
    }
}
