//! What else is wrong with a body that was refused: its handler is tried on what is left of it.
//!
//! A body is refused before its handler runs, domains check only what handlers hand them, and one
//! check waits for another. So that the answer lists everything, the handler runs again on the body
//! without what was refused, until it finds nothing further. What only follows from what was left
//! out is not told.
//!
//! **Nothing is changed.** The handler is given a store that decides units and commits none; a unit
//! that would be committed ends the trial. Messages to a tax authority, a mail server or another
//! receiver are always stored first, so none leaves; VIES and the authority of Portugal are not
//! asked. A handler that committed
//! something before it refused is not tried. The gate, which counts requests, is not passed again.
//!
//! **The cost is bounded**: by the number of trials, of issues and of bytes, by a time for all of
//! them, and by how many requests are tried at once. Routes that check or hash passwords, PINs and
//! tokens are not tried ([`Route::is_rehearsed`]): a guess is made once, and so is a hash.

use std::num::NonZero;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use actix_web::body::BoxBody;
use actix_web::dev::{Service as _, ServiceFactory as _, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage as _, HttpRequest};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use racun_application::Services;
use racun_catalog::{NoAnswer, VatAnswer, VatQuery, VatRegistry};
use racun_kernel::{Environment, Issues};
use racun_portugal::{Patience, Portugal, Program, SubUser, Unanswered, invoice_ws, series_ws};
use racun_store::{Read, Refusal, Rows, Store, StoreDecorator, StoreError, TransactError, Unit};
use tokio::sync::Semaphore;

use crate::answer;
use crate::call::give;
use crate::error::ApiError;
use crate::limits::RequestLimits;
use crate::request::{Again, Came, Left, MOST_ISSUES};
use crate::route::Route;

/// How often a handler is tried on what is left of one body.
const MOST_TRIALS: usize = 8;

/// Lets as many refused requests be tried at once as there are processors.
static TURNS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, NonZero::get)));

/// How far a request is whose handler may be tried.
#[derive(Default)]
struct Progress {
    /// Whether its handler is only tried from now on.
    is_trial: AtomicBool,
    /// Whether its handler committed something.
    has_committed: AtomicBool,
}

/// A store that commits until its request's handler is only tried; then units are decided, and
/// nothing is committed.
struct TrialStore {
    store: Arc<dyn Store>,
    progress: Arc<Progress>,
}

#[async_trait]
impl StoreDecorator for TrialStore {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        if !self.progress.is_trial.load(Ordering::Acquire) {
            let outcome = self.store.transact(unit).await;
            if outcome.is_ok() {
                self.progress.has_committed.store(true, Ordering::Release);
            }
            return outcome;
        }
        let (decide, is_good) = (unit.decide, Arc::new(AtomicBool::new(false)));
        let noted = Arc::clone(&is_good);
        unit.decide = Box::new(move |loaded| {
            decide(loaded)?;
            noted.store(true, Ordering::Release);
            Err(Refusal)
        });
        let outcome = self.store.transact(unit).await;
        if is_good.load(Ordering::Acquire) {
            return Err(TransactError::Store(StoreError::Unavailable("a trial".to_owned())));
        }
        outcome
    }
}

/// The register of VAT numbers, which is not asked for a request whose handler is only tried.
struct TrialRegistry {
    registry: Arc<dyn VatRegistry>,
    progress: Arc<Progress>,
}

#[async_trait]
impl VatRegistry for TrialRegistry {
    async fn ask(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
        if self.progress.is_trial.load(Ordering::Acquire) {
            return Err(NoAnswer { reason: "a trial".to_owned() });
        }
        self.registry.ask(query).await
    }
}

/// The authority of Portugal, which is not asked for a request whose handler is only tried.
struct TrialPortugal {
    portugal: Arc<dyn Portugal>,
    progress: Arc<Progress>,
}

impl TrialPortugal {
    fn check(&self) -> Result<(), Unanswered> {
        match self.progress.is_trial.load(Ordering::Acquire) {
            true => Err(Unanswered { reason: "a trial".to_owned() }),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Portugal for TrialPortugal {
    fn program(&self, environment: Environment) -> Option<Program> {
        self.portugal.program(environment)
    }

    fn test_user(&self, environment: Environment, nif: &str) -> Option<SubUser> {
        self.portugal.test_user(environment, nif)
    }

    async fn series(
        &self,
        environment: Environment,
        user: &SubUser,
        request: &series_ws::Request,
        patience: Patience,
    ) -> Result<series_ws::SeriesReply, Unanswered> {
        self.check()?;
        // A registration changes something.
        self.progress.has_committed.store(true, Ordering::Release);
        self.portugal.series(environment, user, request, patience).await
    }

    async fn invoice(
        &self,
        environment: Environment,
        user: &SubUser,
        body: &str,
        patience: Patience,
    ) -> Result<invoice_ws::InvoiceReply, Unanswered> {
        self.check()?;
        self.progress.has_committed.store(true, Ordering::Release);
        self.portugal.invoice(environment, user, body, patience).await
    }
}

/// Lets the handler of `route` be tried, should the body of `request` be refused.
pub(crate) fn prepare(route: &Route, request: &mut ServiceRequest) {
    if !route.is_rehearsed() {
        return;
    }
    let Some(services) = request.app_data::<Data<Services>>().cloned() else { return };
    let progress = Arc::<Progress>::default();
    let store = TrialStore { store: Arc::clone(&services.store), progress: Arc::clone(&progress) };
    let registry = Arc::clone(&services.vat_registry);
    let vat_registry = Arc::new(TrialRegistry { registry, progress: Arc::clone(&progress) });
    let portugal = services.portugal.clone().map(|portugal| -> Arc<dyn Portugal> {
        Arc::new(TrialPortugal { portugal, progress: Arc::clone(&progress) })
    });
    give(Services { vat_registry, portugal, ..services.with(Arc::new(store)) }, request);
    request.extensions_mut().insert(progress);
}

/// Runs the handler of `route`, behind `next`, and tells all that is wrong with a body that it
/// refuses.
///
/// # Errors
/// As actix hands them on; what is refused is an answer.
pub(crate) async fn run(
    route: &Route,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let answer = answer::written(next.call(request).await?).await;
    let came = answer.request().extensions_mut().remove::<Came>();
    let progress = answer.request().extensions_mut().remove::<Arc<Progress>>();
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    let error = error.filter(|error| !error.issues().is_empty()).cloned();
    let (Some(mut error), Some(progress), Some(Came(left, _room))) = (error, progress, came) else {
        return Ok(answer);
    };
    if progress.has_committed.load(Ordering::Acquire) {
        return Ok(answer);
    }
    progress.is_trial.store(true, Ordering::Release);
    let (http, _) = answer.into_parts();
    let limits = http.app_data::<RequestLimits>().copied().unwrap_or_default();
    let trials = tell_all(route, &http, left, &mut error);
    // Trials that take too long end; the answer tells the issues found by then.
    let _ = tokio::time::timeout(limits.trial_time, trials).await;
    Ok(ServiceResponse::from_err(error, http))
}

/// Adds to `error` what else the handler of `route` refuses of the body of `http`, of which `left`
/// is left.
async fn tell_all(route: &Route, http: &HttpRequest, mut left: Left, error: &mut ApiError) {
    // The semaphore is never closed, so there is always a turn.
    let _turn = TURNS.acquire().await;
    // A body that does not fit is tried as it is left by then, and without more from there on.
    let mut refused = if left.is_whole() { error.issues().clone() } else { Issues::default() };
    let mut is_checked = left.is_whole();
    for _ in 0..MOST_TRIALS {
        if error.issues().len() >= MOST_ISSUES || is_checked && !left.widen(&refused, route) {
            break;
        }
        http.extensions_mut().insert(Again(left.clone()));
        let found = AssertUnwindSafe(further(route, http.clone())).catch_unwind().await;
        let Ok(found) = found else {
            tracing::error!("a handler panicked while it was tried on what is left of a body");
            break;
        };
        if found.is_empty() {
            break;
        }
        refused = Issues::default();
        found.iter().take(MOST_ISSUES).for_each(|issue| refused.push(issue.clone()));
        error.add_issues(&left.of_what_came(&refused, route), MOST_ISSUES);
        is_checked = true;
    }
}

/// The issues that the handler of `route` finds in what is left of the body of `http`.
async fn further(route: &Route, http: HttpRequest) -> Issues {
    let Ok(handler) = (route.handler)().new_service(()).await else { return Issues::default() };
    let request = ServiceRequest::from_request(http);
    let answer = handler.call(request).await;
    let answer = answer.as_ref().ok().and_then(|answer| answer.response().error());
    let error = answer.and_then(|error| error.as_error::<ApiError>());
    error.map(|error| error.issues().clone()).unwrap_or_default()
}
