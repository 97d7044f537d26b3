//! Whether the process lives, whether it can serve, and what it is.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use racun_access::{MasterKeyError, MasterKeyRecord};
use racun_kernel::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::route::{Gate, Route};
use crate::services::Services;

/// Until a store that does not answer counts as not available.
const PING_TIME: Duration = Duration::from_secs(2);

/// Routes of health.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/health/live", "getLiveness", Gate::Open, || web::to(live))
        .about("Health", "Whether the process lives.")
        .answers::<LivenessBody>()
        .unlimited(),
    Route::get("/health/ready", "getReadiness", Gate::Open, || web::to(ready))
        .about("Health", "Whether the process can serve; 503 when it cannot.")
        .answers::<ReadinessBody>()
        .tells_when_unavailable()
        .unlimited(),
    Route::get("/health", "getHealth", Gate::Open, || web::to(health))
        .about("Health", "What runs, since when, and how it is.")
        .answers::<HealthBody>()
        .unlimited(),
];

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// It works.
    Ok,
    /// It does not answer.
    Unavailable,
    /// It answers reads, and has no room for writes.
    StorageFull,
    /// Secrets in the store are sealed under a master key that this process was not given.
    MasterKeyMissing,
}

/// Answer of `GET /health/live`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Liveness)]
pub struct LivenessBody {
    status: HealthStatus,
}

/// Answer of `GET /health/ready`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Readiness)]
pub struct ReadinessBody {
    status: HealthStatus,
    checks: ChecksBody,
    /// What the operator does about it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Answer of `GET /health`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Health)]
pub struct HealthBody {
    status: HealthStatus,
    version: &'static str,
    uptime_seconds: u64,
    checks: ChecksBody,
}

/// How each part is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HealthChecks)]
pub struct ChecksBody {
    database: HealthStatus,
    queue: HealthStatus,
}

impl ChecksBody {
    /// Jobs wait in the store, so the queue is as well as the store is.
    async fn run(services: &Services) -> Self {
        let ping = tokio::time::timeout(PING_TIME, services.store.ping()).await;
        let store = match ping {
            Ok(Ok(())) => HealthStatus::Ok,
            Ok(Err(StoreError::Full)) => HealthStatus::StorageFull,
            Ok(Err(_)) | Err(_) => HealthStatus::Unavailable,
        };
        Self { database: store, queue: store }
    }
}

async fn live() -> web::Json<LivenessBody> {
    web::Json(LivenessBody { status: HealthStatus::Ok })
}

async fn ready(services: web::Data<Services>) -> HttpResponse {
    let checks = ChecksBody::run(&services).await;
    let message = missing_key(&services).await;
    let status = match (checks.database, &message) {
        (HealthStatus::Ok, Some(_)) => HealthStatus::MasterKeyMissing,
        (status, _) => status,
    };
    let code = match status {
        HealthStatus::Ok => StatusCode::OK,
        HealthStatus::Unavailable | HealthStatus::StorageFull | HealthStatus::MasterKeyMissing => {
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    HttpResponse::build(code).json(ReadinessBody { status, checks, message })
}

/// What to do about a master key that another process brought to the store after this one, which
/// has none, began: it cannot open what that one seals.
async fn missing_key(services: &Services) -> Option<String> {
    if services.vault.is_some() {
        return None;
    }
    let found = tokio::time::timeout(PING_TIME, MasterKeyRecord::find(&*services.store)).await;
    let record = found.ok()?.ok()??;
    Some(MasterKeyError::Missing(record.current).to_string())
}

async fn health(services: web::Data<Services>) -> web::Json<HealthBody> {
    let checks = ChecksBody::run(&services).await;
    web::Json(HealthBody {
        status: checks.database,
        version: services.version,
        uptime_seconds: services.started.elapsed().as_secs(),
        checks,
    })
}
