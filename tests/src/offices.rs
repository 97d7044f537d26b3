//! The tax authorities, simulated, with the settings that point `racun` at them.

use std::fs;
use std::time::Duration;

use racun_authority_simulator::{Fault, Filter, Options, Running, Simulator, Taken, When};
use racun_fiscal::Authority;
use reqwest::Url;
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::server::Settings;

/// Until a port listens, or does not any more.
const PATIENCE: Duration = Duration::from_secs(10);

/// How messages to FURS are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// XML.
    Soap,
    /// JSON.
    Json,
}

/// How long documents wait before they are sent again, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// After the first attempt.
    pub initial: u32,
    /// At most.
    pub max: u32,
}

/// Both authorities, each with faults and a ledger of its own.
pub struct Offices {
    furs: Running,
    fina: Running,
    folder: TempDir,
}

impl Offices {
    /// Opens both, in tasks of the current runtime of tokio.
    ///
    /// # Panics
    /// When they cannot be.
    #[must_use]
    pub fn open() -> Self {
        let start = || Simulator::start(&Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let (furs, fina) = (start(), start());
        let folder = TempDir::new().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        for (name, office) in [("furs.pem", &furs), ("fina.pem", &fina)] {
            let written = fs::write(folder.path().join(name), &office.ca_pem);
            written.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        Self { furs, fina, folder }
    }

    /// The office of `authority`.
    #[must_use]
    pub const fn of(&self, authority: Authority) -> &Running {
        match authority {
            Authority::Furs => &self.furs,
            Authority::Fina => &self.fina,
        }
    }

    /// The settings that point a server at them, with a timeout of one second.
    #[must_use]
    pub fn settings(&self, transport: Transport, retries: Retries) -> Settings {
        let transport = match transport {
            Transport::Soap => "soap",
            Transport::Json => "json",
        };
        let file = |name: &str| self.folder.path().join(name).to_string_lossy().into_owned();
        let Retries { initial, max } = retries;
        [
            ("FURS__TEST__URL", self.furs.furs_url.clone()),
            ("FURS__TEST__CA_FILE", file("furs.pem")),
            ("FURS__TEST__TRANSPORT", transport.to_owned()),
            ("FURS__TEST__TIMEOUT_SECONDS", "1".to_owned()),
            ("FINA__TEST__URL", self.fina.fina_url.clone()),
            ("FINA__TEST__CA_FILE", file("fina.pem")),
            ("FINA__TEST__TIMEOUT_SECONDS", "1".to_owned()),
            ("FISCALIZATION__RETRY__INITIAL_SECONDS", initial.to_string()),
            ("FISCALIZATION__RETRY__MAX_SECONDS", max.to_string()),
        ]
        .map(|(name, value)| (format!("RACUN__{name}"), value))
        .into()
    }

    /// Lets `fault` happen to everything that `authority` is asked from now on, on new connections
    /// as on those that stand.
    pub async fn break_down(&self, authority: Authority, fault: &Fault) {
        let office = self.of(authority);
        // Connections that stand are closed by this, or the fault might miss who keeps one.
        plan(office, Fault::Refuse, When::default());
        self.listens(authority, false).await;
        if *fault != Fault::Refuse {
            office.clear_faults();
            plan(office, fault.clone(), When::default());
            self.listens(authority, true).await;
        }
    }

    /// Ends all that goes wrong at `authority`.
    pub async fn mend(&self, authority: Authority) {
        self.of(authority).clear_faults();
        self.listens(authority, true).await;
    }

    /// Plans a fault that concerns requests, for all of them or as `when` says.
    ///
    /// # Panics
    /// When it cannot happen like that.
    pub fn plan(&self, authority: Authority, fault: Fault, when: When) {
        plan(self.of(authority), fault, when);
    }

    /// What `authority` took of invoices issued in `premise`, in order.
    #[must_use]
    pub fn invoices(&self, authority: Authority, premise: &str) -> Vec<Taken> {
        self.of(authority).taken(&Filter {
            operation: Some("invoice".to_owned()),
            premise: Some(premise.to_owned()),
            ..Filter::default()
        })
    }

    /// Ends when connections are taken, or no longer, as `expected` says.
    async fn listens(&self, authority: Authority, expected: bool) {
        let url = match authority {
            Authority::Furs => &self.furs.furs_url,
            Authority::Fina => &self.fina.fina_url,
        };
        let port = Url::parse(url).ok().and_then(|url| url.port()).unwrap_or_default();
        let wait = async {
            while TcpStream::connect(("127.0.0.1", port)).await.is_ok() != expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, wait).await;
        assert!(waited.is_ok(), "{authority:?} does not become what it is told to be");
    }
}

fn plan(office: &Running, fault: Fault, when: When) {
    office.add_fault(fault, when).unwrap_or_else(|error| panic!("{error}"));
}
