//! What handlers work with: the store, the tax authorities, the vault, the clock, randomness, and
//! the runtime that finishes writes.

use std::future::Future;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use actix_web::dev::{Extensions, ServiceRequest};
use actix_web::web::Data;
use racun_access::PinKey;
use racun_billing::Catalogue;
use racun_catalog::{FileStorage, VatRegistry};
use racun_delivery::printing::PrintPdf;
use racun_delivery::webhooks::Webhooks;
use racun_exports::Spreadsheets;
use racun_fiscal::{Authorities, Retry, TestCertificates};
use racun_fiscalization::Fiscal;
use racun_fiscalization::TaxAuthority;
use racun_kernel::{Entropy, Stamp, Vault};
use racun_mail::Mailer;
use racun_store::Store;
use racun_webhooks::{Courier, Schedule};
use serde::Serialize;
use time::OffsetDateTime;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use crate::answer::Page;
use crate::cors::Origins;
use crate::error::ApiError;
use crate::guards::Guards;
use crate::limits::{ANSWERS, BODIES, FORMS, Network, RateLimiter, Room};
use crate::storage::Storage;

/// What handlers work with. A clone shares everything with its original.
#[derive(Clone)]
pub struct Services {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Who has to hear of a payment's change of type; `NoAuthority` where nothing is fiscalized.
    pub tax_authority: Arc<dyn TaxAuthority>,
    /// Who reads certificates, and tells the authorities that fiscalize.
    pub authorities: Arc<dyn Authorities>,
    /// The issuer of certificates for entities of the sandbox; `None` where there is none.
    pub test_certificates: Option<Arc<dyn TestCertificates>>,
    /// What keeps private keys unreadable at rest; `None` where the server was given no master key,
    /// and can keep none.
    pub vault: Option<Arc<dyn Vault>>,
    /// How long a document waits before it is sent again to a tax authority that gave no answer.
    pub fiscal_retry: Retry,
    /// Who posts to receivers of events.
    pub courier: Arc<dyn Courier>,
    /// When deliveries of events are tried.
    pub webhook_schedule: Schedule,
    /// Who carries mail.
    pub mailer: Arc<dyn Mailer>,
    /// Where the bytes of files are.
    pub files: Arc<dyn FileStorage>,
    /// The register of VAT numbers (VIES).
    pub vat_registry: Arc<dyn VatRegistry>,
    /// Who writes exports as XLSX.
    pub spreadsheets: Arc<dyn Spreadsheets>,
    /// Who sets documents as PDF.
    pub press: Arc<dyn PrintPdf>,
    /// The base of links to this server: `https://invoices.example.com`, without a slash at its
    /// end.
    pub public_url: Arc<str>,
    /// Whose pages may ask, beside the server's own.
    pub origins: Arc<Origins>,
    /// Seconds for which browsers shall come by TLS alone, as `Strict-Transport-Security` says it;
    /// `None` sends nothing. Subdomains may be of other servers, and are not named.
    pub hsts_seconds: Option<u32>,
    /// The white labels that there are, and what they sell.
    pub white_labels: Arc<Catalogue>,
    /// What time it is.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
    /// Where ids and secrets come from.
    pub entropy: Arc<dyn Entropy>,
    /// What PINs are kept under; `None` where the server was given no master key, and has no PINs.
    pub pins: Option<PinKey>,
    /// The proxies whose `X-Forwarded-For` is believed, for all that looks at addresses: limits,
    /// keys bound to addresses, log-ins and events.
    pub trusted_proxies: Arc<[Network]>,
    /// What counts requests; `None` where they are not limited.
    pub rate_limiter: Option<RateLimiter>,
    /// What the operator allows callers.
    pub guards: Guards,
    /// How much accounts store, and may.
    pub storage: Storage,
    /// The version that `GET /health` answers.
    pub version: &'static str,
    /// Since when the process runs.
    pub started: Instant,
    /// The runtime that use cases run on: the process's own, not that of one worker.
    pub runtime: Handle,
}

/// How many processors there are.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The threads on which pages are put together: rows read, answers written. That takes tens of
/// milliseconds of a large page, in which neither what answers requests nor what runs use cases may
/// stand still.
static PAGES: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let built =
        builder.worker_threads(processors()).thread_name("racun-pages").enable_all().build();
    built.expect("the system has threads")
});

/// Lets as many long computations run at once as there are processors.
static PROCESSORS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(processors()));

/// Runs `work` on the threads that put pages together; it ends with its caller.
///
/// # Errors
/// When it does not run. A panic in it goes on in the caller.
pub(crate) async fn on_threads_of_pages<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, ApiError> {
    // Dropped together with the caller, which ends what is left of it.
    let mut tasks = JoinSet::new();
    tasks.spawn_on(work.in_current_span(), PAGES.handle());
    match tasks.join_next().await {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
        None => Err(ApiError::internal("nothing was put together")),
    }
}

impl Services {
    /// The same on `store`.
    pub(crate) fn with(&self, store: Arc<dyn Store>) -> Self {
        Self { store, ..self.clone() }
    }

    /// Gives them to the handler of `request`, in the place of those that it had.
    pub(crate) fn give(self, request: &mut ServiceRequest) {
        let mut data = Extensions::new();
        data.insert(Data::new(self));
        request.add_data_container(Rc::new(data));
    }

    /// The stamp of one request: its time, and the source of what it makes.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::new((self.clock)(), Arc::clone(&self.entropy))
    }

    /// What fiscalizing takes; `None` where private keys cannot be kept.
    #[must_use]
    pub fn fiscal(&self) -> Option<Fiscal> {
        let (authorities, retry) = (Arc::clone(&self.authorities), self.fiscal_retry);
        let vault = self.vault.clone()?;
        Some(Fiscal { authorities, vault, retry })
    }

    /// What webhooks take.
    #[must_use]
    pub fn webhooks(&self) -> Webhooks {
        let (vault, courier) = (self.vault.clone(), Arc::clone(&self.courier));
        let (schedule, events) = (self.webhook_schedule.clone(), racun_application::events());
        Webhooks { vault, courier, schedule, events }
    }

    /// Runs a use case to its end, even when the client hangs up.
    ///
    /// actix drops a handler whose connection was reset. What changes state therefore runs in a
    /// task of its own, on the process's runtime, and the handler merely waits for it.
    ///
    /// # Errors
    /// What the use case answers. A panic in it goes on in the caller.
    pub async fn run<T, E, F>(&self, use_case: impl FnOnce(Self) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        let task = self.runtime.spawn(use_case(self.clone()).in_current_span());
        match task.await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Puts a page together, to the last byte of its answer, on the threads that are there for it.
    /// When the client hangs up, it is given up.
    ///
    /// # Errors
    /// What `put_together` answers. A panic in it goes on in the caller.
    pub async fn page<T, F>(&self, put_together: impl FnOnce(Self) -> F) -> Result<Page, ApiError>
    where
        F: Future<Output = Result<T, ApiError>> + Send + 'static,
        T: Serialize,
    {
        let body = put_together(self.clone());
        let written = async move {
            let text = serde_json::to_vec(&body.await?).map_err(ApiError::internal)?;
            Ok(Page(text))
        };
        on_threads_of_pages(written).await?
    }

    /// Computes what takes long, such as a password's hash, off the threads that serve requests and
    /// no more of it at once than there are processors.
    ///
    /// A panic in it goes on in the caller.
    pub async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // The semaphore is never closed, so there is always a turn. The work keeps it: a caller
        // that gives up ends neither the work nor its turn.
        let turn = PROCESSORS.acquire().await;
        let work = move || {
            let _turn = turn;
            compute()
        };
        match self.runtime.spawn_blocking(work).await {
            Ok(value) => value,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

/// How much a request may take.
#[derive(Debug, Clone, Copy)]
pub struct RequestLimits {
    /// Until the whole body has arrived.
    pub body_time: Duration,
    /// Until the answer.
    pub request_time: Duration,
    /// Lists, files and uploads of one token that are under way at once, until their answers are
    /// written.
    pub heavy_per_token: usize,
    /// For how long one more waits for one of them to end.
    pub heavy_patience: Duration,
    /// The room of JSON bodies while they arrive.
    pub bodies: &'static Room,
    /// The places of forms while they arrive.
    pub forms: &'static Room,
    /// The room of large answers until they are written.
    pub answers: &'static Room,
}

impl RequestLimits {
    /// Nesting that a JSON body may have.
    pub const MAX_JSON_DEPTH: usize = 127;
}

impl Default for RequestLimits {
    /// 15 seconds, 30 seconds; 4 heavy requests, and a second for one more; the process's rooms.
    fn default() -> Self {
        Self {
            body_time: Duration::from_secs(15),
            request_time: Duration::from_secs(30),
            heavy_per_token: 4,
            heavy_patience: Duration::from_secs(1),
            bodies: &BODIES,
            forms: &FORMS,
            answers: &ANSWERS,
        }
    }
}
