//! What a handler runs a use case with.

use std::future::{Future, Ready, ready};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use actix_web::dev::{Extensions, Payload, ServiceRequest};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use racun_access::{AccountScope, Caller, Entity};
use racun_application::Services;
use racun_delivery::printing::PrintPdf;
use racun_fiscalization::{Fiscal, OutsideServices, Ports};
use racun_kernel::{Scope, Stamp};
use racun_store::{Context, Store};
use serde::Serialize;

use crate::answer::{self, Page};
use crate::error::ApiError;
use crate::guards::Guards;
use crate::process::Process;

/// A request: the services, who makes it as far as the gate found out, and one stamp for all that
/// it does. A clone shares everything with its original.
///
/// `By` is the [`Scope`] of a request in an entity, an `AccountScope`, the `Caller` who is logged
/// in, or `()` on a route open to all.
pub(crate) struct Call<By = Scope> {
    services: Data<Services>,
    process: Data<Process>,
    asked: Arc<Asked<By>>,
}

struct Asked<By> {
    by: By,
    guards: Guards,
    stamp: OnceLock<Stamp>,
    fiscal: OnceLock<Option<Fiscal>>,
}

impl<By> Clone for Call<By> {
    fn clone(&self) -> Self {
        let (services, process) = (self.services.clone(), self.process.clone());
        Self { services, process, asked: Arc::clone(&self.asked) }
    }
}

/// A [`Call`] with the entity's record.
#[derive(Clone)]
pub(crate) struct EntityCall {
    call: Call,
    entity: Arc<Entity>,
}

impl<By> Deref for Call<By> {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl Deref for EntityCall {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

impl Call {
    /// What use cases take.
    pub fn cx(&self) -> Context<'_> {
        Context::new(self.store(), &self.asked.by, self.stamp())
    }

    /// What use cases take that may tell a tax authority, or ask VIES.
    pub fn ports(&self) -> Ports<'_> {
        Ports::with_services(self.cx(), self.outside_services())
    }

    /// Who acts, and in which entity.
    pub fn scope(&self) -> &Scope {
        self.by()
    }
}

impl<By: 'static> Call<By> {
    /// Where everything is kept.
    pub fn store(&self) -> &dyn Store {
        &*self.services.store
    }

    /// Who makes the request.
    pub fn by(&self) -> &By {
        &self.asked.by
    }

    /// When, from the first time that it is asked for: after the body has arrived.
    pub fn stamp(&self) -> &Stamp {
        self.asked.stamp.get_or_init(|| self.services.stamp())
    }

    /// What fiscalizing takes; `None` where private keys cannot be kept.
    pub fn fiscal(&self) -> Option<&Fiscal> {
        self.asked.fiscal.get_or_init(|| self.services.fiscal()).as_ref()
    }

    /// The services outside that making a document may call.
    pub fn outside_services(&self) -> OutsideServices<'_> {
        OutsideServices {
            fiscal: self.fiscal(),
            vat: Some(&*self.services.vat_registry),
            portugal: self.services.portugal.as_deref(),
        }
    }

    /// Who sets documents as PDF.
    pub fn press(&self) -> &dyn PrintPdf {
        &*self.services.press
    }

    /// The process, and the runtime that use cases run on.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// What the operator allows callers.
    pub fn guards(&self) -> &Guards {
        &self.asked.guards
    }

    /// Computes what takes long, off the threads that serve requests; see [`Process::compute`].
    pub async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        self.process.compute(compute).await
    }

    /// Runs a use case to its end, even when the client hangs up; see [`Process::run`].
    ///
    /// It is boxed: a future has room for all that it may hold at once, which are tens of kilobytes
    /// for a use case, and each hand that passes it on would copy them.
    ///
    /// # Errors
    /// What the use case answers. A panic in it goes on in the caller.
    pub async fn run<T, E, F>(&self, use_case: impl FnOnce(Self) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.process.run(Box::pin(use_case(self.clone()))).await
    }

    /// The same request with `services`.
    pub fn on(self, services: Services) -> Self {
        Self { services: Data::new(services), ..self }
    }

    /// Puts a page together on the threads that are there for it; see [`answer::page`]. It is boxed
    /// as in [`Self::run`].
    ///
    /// # Errors
    /// What `put_together` answers. A panic in it goes on in the caller.
    pub async fn page<T, F>(&self, put_together: impl FnOnce(Self) -> F) -> Result<Page, ApiError>
    where
        F: Future<Output = Result<T, ApiError>> + Send + 'static,
        T: Serialize,
    {
        answer::page(Box::pin(put_together(self.clone()))).await
    }
}

impl EntityCall {
    /// The entity.
    pub fn entity(&self) -> &Entity {
        &self.entity
    }

    /// As [`Call::run`].
    ///
    /// # Errors
    /// As [`Call::run`].
    pub async fn run<T, E, F>(&self, use_case: impl FnOnce(Self) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.call.run(|_| use_case(self.clone())).await
    }

    /// As [`Call::page`].
    ///
    /// # Errors
    /// As [`Call::page`].
    pub async fn page<T, F>(&self, put_together: impl FnOnce(Self) -> F) -> Result<Page, ApiError>
    where
        F: Future<Output = Result<T, ApiError>> + Send + 'static,
        T: Serialize,
    {
        self.call.page(|_| put_together(self.clone())).await
    }
}

/// What the application has for the handler of `request`.
///
/// # Errors
/// When it was put together without it: a mistake in the program.
pub(crate) fn given<T: 'static>(request: &HttpRequest) -> Result<Data<T>, ApiError> {
    let name = std::any::type_name::<T>();
    let missing = || ApiError::internal(format!("the application has no {name}"));
    request.app_data::<Data<T>>().cloned().ok_or_else(missing)
}

/// Gives `services` to the handler of `request`, in the place of those that it had.
pub(crate) fn give(services: Services, request: &mut ServiceRequest) {
    let mut data = Extensions::new();
    data.insert(Data::new(services));
    request.add_data_container(Rc::new(data));
}

/// What the gate found out about a request.
fn found<T: Clone + 'static>(request: &HttpRequest) -> Result<T, ApiError> {
    let missing = || ApiError::internal("the route's gate lets in who is not known to it");
    request.extensions().get::<T>().cloned().ok_or_else(missing)
}

/// Who may make a request.
pub(crate) trait Asks: Clone + Send + Sync + 'static {
    /// Who made `request`.
    ///
    /// # Errors
    /// When the gate of the route does not find that out: a mistake in the program.
    fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        found(request)
    }
}

impl Asks for Scope {}

impl Asks for AccountScope {}

impl Asks for Caller {}

impl Asks for () {
    fn of(_: &HttpRequest) -> Result<Self, ApiError> {
        Ok(())
    }
}

impl<By: Asks> FromRequest for Call<By> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let call = || {
            let (services, process) = (given(request)?, given(request)?);
            let guards = request.app_data::<Guards>().copied().unwrap_or_default();
            let (stamp, fiscal) = (OnceLock::new(), OnceLock::new());
            let asked = Arc::new(Asked { by: By::of(request)?, guards, stamp, fiscal });
            Ok(Self { services, process, asked })
        };
        ready(call())
    }
}

impl FromRequest for EntityCall {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let call = Call::from_request(request, payload).into_inner();
        let with = |call| Ok(Self { call, entity: Arc::new(found(request)?) });
        ready(call.and_then(with))
    }
}
