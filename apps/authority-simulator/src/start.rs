//! Starting and stopping.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use racun_authorities::portugal::ProgramPublicKey;
use racun_fiscal::Authority;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::danger::ClientCertVerifier;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::at::{self, Checked};
use crate::authority::SimulatedAuthority;
use crate::clock::Clock;
use crate::control;
use crate::fault::{Fault, When};
use crate::keys;
use crate::ledger::{Filter, Gaps, Premise, Refused, Taken};
use crate::pki::{Identity, Taxpayer, TaxpayerError, WantedTaxpayer, from_pem};
use crate::register::{AtRefused, KnownSeries, Reported};
use crate::server::{Server, bind};
use crate::state::{Memory, State};

/// How the simulator is to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where FURS listens.
    pub furs: SocketAddr,
    /// Where CIS listens.
    pub fina: SocketAddr,
    /// Where AT listens.
    pub at: SocketAddr,
    /// Where the control interface listens.
    pub control: SocketAddr,
    /// Further issuers of taxpayers' certificates, for both authorities: PEM, any number.
    pub trust_pem: String,
    /// The simulator's time at the start; the machine's when missing.
    pub now: Option<OffsetDateTime>,
    /// How long each answer is held back.
    pub delay: Duration,
    /// How many messages the ledger keeps; older ones are forgotten.
    pub most_kept: usize,
    /// Whether what it never heard of is believed: an unknown premise counts as open, and an
    /// unknown receipt as reported. For a sandbox that outlives the simulator, which keeps nothing
    /// when it ends.
    pub is_forgetful: bool,
}

impl Default for Options {
    /// Free ports of the loopback interface, no other issuers trusted, everything remembered.
    fn default() -> Self {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            furs: free,
            fina: free,
            at: free,
            control: free,
            trust_pem: String::new(),
            now: None,
            delay: Duration::ZERO,
            most_kept: usize::MAX,
            is_forgetful: false,
        }
    }
}

/// Why the simulator did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address is not free.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The further issuers are of no use.
    #[error("the trusted certificates are of no use: {0}")]
    Trust(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// All authorities.
pub struct Simulator;

impl Simulator {
    /// Starts them, in tasks of the current runtime of tokio.
    ///
    /// # Errors
    /// When an address is not free or `trust_pem` is of no use.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub fn start(options: &Options) -> Result<Running, StartError> {
        let provider = Arc::new(ring::default_provider());
        let clock = Arc::new(Clock::default());
        if let Some(now) = options.now {
            clock.set(now);
        }
        let more = from_pem(&options.trust_pem).map_err(StartError::Trust)?;
        let memory = Memory { most: options.most_kept, is_forgetful: options.is_forgetful };
        let state = State::new(clock, &more, memory, &provider).map_err(StartError::Trust)?;
        state.set_delay(u64::try_from(options.delay.as_millis()).unwrap_or(u64::MAX));
        let state = Arc::new(state);

        let mut tasks = JoinSet::new();
        let mut serve = |authority, address| -> Result<SocketAddr, StartError> {
            let (listener, address) = listen(address)?;
            let pki = &state.pki;
            let chain: Vec<&Identity> = match authority {
                SimulatedAuthority::Furs | SimulatedAuthority::At => {
                    vec![&pki.server, pki.issuing()]
                }
                // CIS sends its own certificate alone.
                SimulatedAuthority::Fina => vec![&pki.server],
            };
            let server = Arc::new(Server {
                tls: tls(&state, authority, &provider, &chain)?,
                wrong_tls: tls(&state, authority, &provider, &[&pki.wrong_server])?,
                state: Arc::clone(&state),
                authority,
            });
            tasks.spawn(server.run(listener));
            Ok(address)
        };
        let furs = serve(SimulatedAuthority::Furs, options.furs)?;
        let fina = serve(SimulatedAuthority::Fina, options.fina)?;
        let at = serve(SimulatedAuthority::At, options.at)?;
        let (listener, control) = listen(options.control)?;
        tasks.spawn(control::run(Arc::clone(&state), listener));
        Ok(Running {
            furs_url: format!("https://localhost:{}", furs.port()),
            fina_url: format!("https://localhost:{}/FiskalizacijaServiceTest", fina.port()),
            at_url: format!("https://localhost:{}", at.port()),
            control_url: format!("http://{control}"),
            ca_pem: state.pki.ca_pem(),
            state,
            _tasks: tasks,
        })
    }
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let listen = || {
        let listener = bind(address)?.listen(1_024)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listen().map_err(|source| StartError::Listen { address, source })
}

fn tls(
    state: &State,
    authority: SimulatedAuthority,
    provider: &Arc<CryptoProvider>,
    chain: &[&Identity],
) -> Result<Arc<ServerConfig>, StartError> {
    let builder = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()?;
    let builder = match authority {
        SimulatedAuthority::Furs => {
            let verifier: Arc<dyn ClientCertVerifier> = state.trust(Authority::Furs).clone();
            builder.with_client_cert_verifier(verifier)
        }
        // Of who made a program AT knows more than a sandbox has: here it asks for none.
        SimulatedAuthority::Fina | SimulatedAuthority::At => builder.with_no_client_auth(),
    };
    let certificates =
        chain.iter().map(|identity| CertificateDer::from(identity.der.clone())).collect();
    let key = chain.first().map(|identity| identity.key.pkcs8.clone()).unwrap_or_default();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key));
    Ok(Arc::new(builder.with_single_cert(certificates, key)?))
}

/// A simulator that runs. It stops when this is dropped.
pub struct Running {
    /// Where FURS is, without a path.
    pub furs_url: String,
    /// Where CIS is, the whole endpoint.
    pub fina_url: String,
    /// Where AT is, without a path.
    pub at_url: String,
    /// Where the control interface is.
    pub control_url: String,
    /// What a client has to trust, for TLS and for the signers of answers: PEM.
    pub ca_pem: String,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

impl Running {
    /// Issues a taxpayer's certificate, which is known from then on.
    ///
    /// # Errors
    /// When no P12 file can be made of it.
    pub fn issue(&self, wanted: &WantedTaxpayer) -> Result<Taxpayer, TaxpayerError> {
        self.state.issue(wanted)
    }

    /// Revokes a certificate, by its decimal serial number.
    pub fn revoke(&self, serial: &str) {
        self.state.revoke(serial);
    }

    /// Plans a fault.
    ///
    /// # Errors
    /// When it cannot happen like that, as text.
    pub fn add_fault(&self, fault: Fault, when: When) -> Result<(), String> {
        self.state.faults.add(fault, when)
    }

    /// Forgets all faults.
    pub fn clear_faults(&self) {
        self.state.faults.clear(None);
    }

    /// Holds each answer back for so long.
    pub fn set_delay(&self, delay: Duration) {
        self.state.set_delay(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
    }

    /// The simulator's time.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.state.clock.now()
    }

    /// Sets the simulator's time, from where it goes on.
    pub fn set_now(&self, now: OffsetDateTime) {
        self.state.clock.set(now);
    }

    /// What was taken, in order.
    #[must_use]
    pub fn taken(&self, filter: &Filter) -> Vec<Taken> {
        self.state.ledger.taken(filter)
    }

    /// What was refused, in order.
    #[must_use]
    pub fn refused(&self) -> Vec<Refused> {
        self.state.ledger.refused()
    }

    /// Each sequence with what is missing or doubled in it.
    #[must_use]
    pub fn gaps(&self, filter: &Filter) -> Vec<Gaps> {
        self.state.ledger.gaps(filter)
    }

    /// The premises that FURS knows.
    #[must_use]
    pub fn premises(&self) -> Vec<Premise> {
        self.state.ledger.premises()
    }

    /// AT's service of series.
    #[must_use]
    pub fn series_url(&self) -> String {
        format!("{}{}", self.at_url, at::SERIES_PATH)
    }

    /// AT's service of invoices.
    #[must_use]
    pub fn invoices_url(&self) -> String {
        format!("{}{}", self.at_url, at::INVOICES_PATH)
    }

    /// AT's public key, under which passwords go: PEM.
    #[must_use]
    pub const fn authority_key_pem(&self) -> &'static str {
        keys::AUTHORITY_PUBLIC
    }

    /// The private key of the program that is certified in sandboxes: PEM.
    #[must_use]
    pub const fn program_key_pem(&self) -> &'static str {
        keys::PROGRAM
    }

    /// Certifies another program: its public key, PEM.
    ///
    /// # Errors
    /// When it is no key of 1024 bits, as text.
    pub fn certify_program(&self, pem: &str) -> Result<(), String> {
        let key = ProgramPublicKey::from_pem(pem).map_err(|error| error.to_string())?;
        self.state.at.set_program(key);
        Ok(())
    }

    /// Sets the password of a sub-user of AT. Any is taken where none is set.
    pub fn set_password(&self, user: &str, password: &str) {
        self.state.at.kept().set_password(user, password);
    }

    /// The series that AT knows.
    #[must_use]
    pub fn series(&self) -> Vec<KnownSeries> {
        self.state.at.kept().known()
    }

    /// The invoices that were reported to AT, in the order in which they came.
    #[must_use]
    pub fn reported(&self) -> Vec<Reported> {
        self.state.at.kept().reports()
    }

    /// What AT refused, in order.
    #[must_use]
    pub fn refused_by_at(&self) -> Vec<AtRefused> {
        self.state.at.kept().refusals()
    }

    /// Checks the chains of a file of SAF-T by the public key of the certified program.
    ///
    /// # Errors
    /// When it is no such file, as text.
    pub fn check_saft(&self, file: &[u8]) -> Result<Checked, String> {
        at::check_saft(file, &self.state.at.program())
    }
}
