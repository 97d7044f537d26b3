//! A stand-in for a service provider of the network of electronic invoices.
//!
//! It serves tests, demonstrations and the sandbox: it speaks the REST interface that
//! `racun-gateways` calls, checks what it is sent by the rules of Peppol BIS, keeps a ledger of
//! what it delivered, takes no document twice under one key, and goes wrong on command.
//!
//! | Module   | Owns                                                       |
//! | -------- | ---------------------------------------------------------- |
//! | `party`  | identifiers that stand for each outcome                    |
//! | `ledger` | accounts, and documents with what became of them           |
//! | `fault`  | what goes wrong, and when                                  |
//! | `serve`  | the interface, over plain HTTP on the loopback interface   |
//! | `notice` | telling what became of a document                          |
//!
//! Nothing is kept when it ends. Its references say by themselves what becomes of a document, so a
//! sandbox that outlives it is answered the same by the next one.

mod fault;
mod ledger;
mod notice;
mod party;
mod serve;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use fault::{Fault, Operation, When};
pub use ledger::{Account, Delivery, Fate};
pub use notice::Notices;

/// How the simulator is to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens; port 0 stands for any free one.
    pub listen: SocketAddr,
    /// How many documents the ledger keeps; older ones are forgotten.
    pub most_kept: usize,
    /// Whether the ledger keeps the documents themselves, to be judged by others.
    pub keeps_files: bool,
    /// Whom it tells what became of a document.
    pub notices: Option<Notices>,
}

impl Default for Options {
    /// A free port of the loopback interface, all documents noted and no files kept, no notices.
    fn default() -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self { listen, most_kept: usize::MAX, keeps_files: false, notices: None }
    }
}

/// The simulator.
pub struct Simulator;

impl Simulator {
    /// Starts it, in tasks of the current runtime of tokio.
    ///
    /// # Errors
    /// When the address is not free.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub fn start(options: &Options) -> io::Result<Running> {
        let listener = std::net::TcpListener::bind(options.listen)?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let state = Arc::new(serve::State::new(options));
        let mut tasks = JoinSet::new();
        tasks.spawn(serve::run(Arc::clone(&state), listener));
        Ok(Running { url: format!("http://{address}"), state, _tasks: tasks })
    }
}

/// A simulator that runs. It stops when this is dropped.
pub struct Running {
    /// The base of its interface.
    pub url: String,
    state: Arc<serve::State>,
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

    /// The accounts that were opened, in their order.
    #[must_use]
    pub fn accounts(&self) -> Vec<Account> {
        self.state.ledger.accounts()
    }

    /// The documents that it took, in their order.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.state.ledger.deliveries()
    }

    /// How often a document came under a key that it had taken before.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.state.ledger.repeats()
    }
}
