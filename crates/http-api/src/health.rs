//! Whether the process lives, whether it can serve, and what it is.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use racun_access::{MasterKeyError, MasterKeyRecord};
use racun_application::Services;
use racun_store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Json;
use crate::process::Process;
use crate::route::{Gate, Route};

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
    async fn run(services: &Services, process: &Process) -> Self {
        let store = Arc::clone(&services.store);
        let ping = in_time(process, async move { store.ping().await }).await;
        let store = match ping {
            Some(Ok(())) => HealthStatus::Ok,
            Some(Err(StoreError::Full)) => HealthStatus::StorageFull,
            Some(Err(_)) | None => HealthStatus::Unavailable,
        };
        Self { database: store, queue: store }
    }
}

/// The answer to `GET` of a path of health: its status and its JSON; `None` for any other path.
///
/// It asks the store on the runtime of `process`, and waits for that as long as a ping may take:
/// on a thread with a runtime of its own it answers while the others are busy.
pub async fn health_at(
    services: &Services,
    process: &Process,
    path: &str,
) -> Option<(u16, String)> {
    let json = |body: serde_json::Result<String>| body.unwrap_or_default();
    match path {
        "/health/live" => Some((200, json(serde_json::to_string(&liveness())))),
        "/health/ready" => {
            let (code, body) = readiness(services, process).await;
            Some((code.as_u16(), json(serde_json::to_string(&body))))
        }
        "/health" => Some((200, json(serde_json::to_string(&whole(services, process).await)))),
        _ => None,
    }
}

/// What `question` answers on the runtime of `process`, when it does in time.
async fn in_time<T: Send + 'static>(
    process: &Process,
    question: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let asked = process.runtime.spawn(question);
    tokio::time::timeout(PING_TIME, asked).await.ok()?.ok()
}

const fn liveness() -> LivenessBody {
    LivenessBody { status: HealthStatus::Ok }
}

async fn live() -> Json<LivenessBody> {
    Json(liveness())
}

async fn ready(services: web::Data<Services>, process: web::Data<Process>) -> HttpResponse {
    let (code, body) = readiness(&services, &process).await;
    HttpResponse::build(code).json(body)
}

async fn readiness(services: &Services, process: &Process) -> (StatusCode, ReadinessBody) {
    let checks = ChecksBody::run(services, process).await;
    let message = missing_key(services, process).await;
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
    (code, ReadinessBody { status, checks, message })
}

/// What to do about a master key that another process brought to the store after this one, which
/// has none, began: it cannot open what that one seals.
async fn missing_key(services: &Services, process: &Process) -> Option<String> {
    if services.vault.is_some() {
        return None;
    }
    let store = Arc::clone(&services.store);
    let record = in_time(process, async move { MasterKeyRecord::find(&*store).await });
    let record = record.await?.ok()??;
    Some(MasterKeyError::Missing(record.current).to_string())
}

async fn health(services: web::Data<Services>, process: web::Data<Process>) -> Json<HealthBody> {
    Json(whole(&services, &process).await)
}

async fn whole(services: &Services, process: &Process) -> HealthBody {
    let checks = ChecksBody::run(services, process).await;
    HealthBody {
        status: checks.database,
        version: process.version,
        uptime_seconds: process.started.elapsed().as_secs(),
        checks,
    }
}
