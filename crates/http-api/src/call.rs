//! What a handler runs a use case of an entity with.

use std::future::{Future, Ready, ready};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use racun_access::Entity;
use racun_application::fiscalization::{Fiscal, Ports};
use racun_kernel::{Context, Scope, Stamp};
use serde::Serialize;

use crate::answer::Page;
use crate::error::ApiError;
use crate::services::Services;

/// A request in an entity: the services, the scope, and one stamp for all that it does. A clone
/// shares everything with its original.
#[derive(Clone)]
pub(crate) struct Call {
    services: Data<Services>,
    asked: Arc<Asked>,
}

struct Asked {
    scope: Scope,
    stamp: OnceLock<Stamp>,
    fiscal: OnceLock<Option<Fiscal>>,
}

/// A [`Call`] with the entity's record.
#[derive(Clone)]
pub(crate) struct EntityCall {
    call: Call,
    entity: Arc<Entity>,
}

impl Deref for Call {
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
        Context::new(&*self.services.store, &self.asked.scope, self.stamp())
    }

    /// What use cases take that may tell a tax authority.
    pub fn ports(&self) -> Ports<'_> {
        let fiscal = self.asked.fiscal.get_or_init(|| self.services.fiscal());
        Ports::new(self.cx(), fiscal.as_ref())
    }

    /// Who acts, and in which entity.
    pub fn scope(&self) -> &Scope {
        &self.asked.scope
    }

    /// When, from the first time that it is asked for: after the body has arrived.
    pub fn stamp(&self) -> &Stamp {
        self.asked.stamp.get_or_init(|| self.services.stamp())
    }

    /// Runs a use case to its end, even when the client hangs up meanwhile; see [`Services::run`].
    ///
    /// # Errors
    /// What the use case answers. A panic in it goes on in the caller.
    pub async fn run<T, E, F>(&self, use_case: impl FnOnce(Self) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.services.run(|_| use_case(self.clone())).await
    }

    /// Puts a page together on the threads that are there for it; see [`Services::page`].
    ///
    /// # Errors
    /// What `put_together` answers. A panic in it goes on in the caller.
    pub async fn page<T, F>(&self, put_together: impl FnOnce(Self) -> F) -> Result<Page, ApiError>
    where
        F: Future<Output = Result<T, ApiError>> + Send + 'static,
        T: Serialize,
    {
        self.services.page(|_| put_together(self.clone())).await
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

/// What the gate found out about a request.
fn found<T: Clone + 'static>(request: &HttpRequest) -> Result<T, ApiError> {
    let missing = || ApiError::internal("the route's gate lets in whoever acts in no entity");
    request.extensions().get::<T>().cloned().ok_or_else(missing)
}

impl FromRequest for Call {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let services = request.app_data::<Data<Services>>().cloned();
        let call = || {
            let missing = || ApiError::internal("the application has no services");
            let (stamp, fiscal) = (OnceLock::new(), OnceLock::new());
            let asked = Arc::new(Asked { scope: found(request)?, stamp, fiscal });
            Ok(Self { services: services.ok_or_else(missing)?, asked })
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
