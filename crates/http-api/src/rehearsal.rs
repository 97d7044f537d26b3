//! What else is wrong with a body that was refused: its handler is tried on what is left of it.
//!
//! A body is refused before its handler runs, domains check only what handlers hand them, and one
//! check waits for another. So that the answer lists everything, the handler runs again on the body
//! without what was refused, until it finds nothing further, on a store that commits nothing: units
//! are decided, and what their decisions refuse is all that is taken from it. What only follows from
//! what was left out is not told. Messages to a tax authority, a mail server or another receiver are
//! always stored first, so none leaves. Only handlers behind an entity's or an account's gate are
//! tried: those before it check passwords and tokens, and a guess is not to be made twice.

use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::body::BoxBody;
use actix_web::dev::{
    Extensions, Payload, Service as _, ServiceFactory as _, ServiceRequest, ServiceResponse,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage as _, HttpRequest};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use racun_kernel::{Issues, Layer, Read, Refusal, Rows, Store, StoreError, TransactError, Unit};

use crate::error::ApiError;
use crate::request::Left;
use crate::route::{Gate, Route};
use crate::services::Services;

/// How often a handler is tried on what is left of one body.
const MOST_TRIALS: usize = 8;

/// The body as it came.
pub(crate) struct Came(pub Left);

/// What is left of it, for the handler that is tried on it.
pub(crate) struct Again(pub Left);

/// Whether the request's handler is only tried.
struct Curtain(Arc<AtomicBool>);

/// A store on which units are decided, and nothing is committed while a handler is tried.
struct Stage {
    store: Arc<dyn Store>,
    is_trial: Arc<AtomicBool>,
}

#[async_trait]
impl Layer for Stage {
    fn beneath(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        if !self.is_trial.load(Ordering::Relaxed) {
            return self.store.transact(unit).await;
        }
        let (decide, is_good) = (unit.decide, Arc::new(AtomicBool::new(false)));
        let noted = Arc::clone(&is_good);
        unit.decide = Box::new(move |loaded| {
            decide(loaded)?;
            noted.store(true, Ordering::Relaxed);
            Err(Refusal)
        });
        let outcome = self.store.transact(unit).await;
        if is_good.load(Ordering::Relaxed) {
            return Err(TransactError::Store(StoreError::Unavailable("a trial".to_owned())));
        }
        outcome
    }
}

/// Lets the handler of `route` be tried, should the body of `request` be refused.
pub(crate) fn prepare(route: &Route, request: &mut ServiceRequest) {
    let is_tried = matches!(route.gate, Gate::Account | Gate::Entity(_) | Gate::EntityInPath(_));
    if route.takes.is_none() || route.takes_form || !is_tried {
        return;
    }
    let Some(services) = request.app_data::<Data<Services>>() else { return };
    let is_trial = Arc::new(AtomicBool::new(false));
    let store = Stage { store: Arc::clone(&services.store), is_trial: Arc::clone(&is_trial) };
    let services = Services { store: Arc::new(store), ..Services::clone(services) };
    let mut data = Extensions::new();
    data.insert(Data::new(services));
    request.add_data_container(Rc::new(data));
    request.extensions_mut().insert(Curtain(is_trial));
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
    let answer = next.call(request).await?;
    let came = answer.request().extensions_mut().remove::<Came>();
    let curtain = answer.request().extensions_mut().remove::<Curtain>();
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    let error = error.filter(|error| !error.issues().is_empty()).cloned();
    let (Some(mut error), Some(Curtain(is_trial)), Some(Came(mut left))) = (error, curtain, came)
    else {
        return Ok(answer);
    };
    is_trial.store(true, Ordering::Relaxed);
    let (http, _) = answer.into_parts();
    // A body that does not fit is tried as it is left by then, and without more from there on.
    let mut refused = if left.is_whole() { error.issues().clone() } else { Issues::default() };
    let mut is_checked = left.is_whole();
    for _ in 0..MOST_TRIALS {
        if is_checked && !left.widen(&refused) {
            break;
        }
        http.extensions_mut().insert(Again(left.clone()));
        let found = AssertUnwindSafe(further(route, http.clone())).catch_unwind().await;
        refused = found.unwrap_or_default();
        if refused.is_empty() {
            break;
        }
        let news = if is_checked { left.of_what_came(&refused) } else { refused.clone() };
        error = error.with_issues(&news);
        is_checked = true;
    }
    Ok(ServiceResponse::from_err(error, http))
}

/// The issues that the handler of `route` finds in what is left of the body of `http`.
async fn further(route: &Route, http: HttpRequest) -> Issues {
    let Ok(handler) = (route.handler)().new_service(()).await else { return Issues::default() };
    let request = ServiceRequest::from_parts(http, Payload::None);
    let answer = handler.call(request).await;
    let answer = answer.as_ref().ok().and_then(|answer| answer.response().error());
    let error = answer.and_then(|error| error.as_error::<ApiError>());
    error.map(|error| error.issues().clone()).unwrap_or_default()
}
