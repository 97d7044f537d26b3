//! A shop's earlier orders, read page by page.
//!
//! A page is asked for by a request, or page after page by a job. After each page the job notes on
//! the integration where the next one begins, so another worker goes on there; an order that was
//! taken before is taken again without effect.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::enter_as_recipient;
use racun_background::clock::Clock;
use racun_background::jobs::{
    Ending, Handler, Job, JobKind, LeaseError, NewJob, Outcome, still_held,
};
use racun_kernel::id::OrderIntegrationId;
use racun_kernel::{Issue, Issues, Vault};
use racun_orders::platform;
use racun_orders::{
    INTEGRATIONS, Integration, OrderError, OrderRefusal, OrderSync, OrdersPage, PageRequest,
    PlatformError, ShopAccess, ShopPlatforms, SyncState, shop_domain,
};
use racun_store::{Context, Put, Store, StoreError, Writes};
use time::OffsetDateTime;

use crate::error::ShopError;
use crate::hooks::taken;

/// Orders of a page, unless the request says otherwise.
const LIMIT: u32 = 100;
/// Orders of a page at most.
const MAX_LIMIT: u32 = 250;
/// Characters of a cursor.
const MAX_CURSOR_CHARS: usize = 2_048;

/// Which earlier orders are to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// Those that changed since.
    pub since: Option<OffsetDateTime>,
    /// Those that changed until then.
    pub until: Option<OffsetDateTime>,
    /// Where to begin: what the page before answered.
    pub cursor: Option<String>,
    /// Orders of a page.
    pub limit: Option<u32>,
    /// Whether a job reads all pages.
    pub resumable: bool,
}

impl SyncRequest {
    /// The reading that it begins.
    fn begun(self, now: OffsetDateTime) -> Result<OrderSync, Issues> {
        let mut issues = Issues::default();
        let limit = self.limit.unwrap_or(LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let message = format!("a page has 1 to {MAX_LIMIT} orders");
            issues.push(Issue::new("out_of_range", message).at("limit"));
        }
        if self.cursor.as_ref().is_some_and(|text| text.chars().count() > MAX_CURSOR_CHARS) {
            let message = format!("at most {MAX_CURSOR_CHARS} characters");
            issues.push(Issue::new("too_long", message).at("cursor"));
        }
        if self.since.zip(self.until).is_some_and(|(since, until)| since > until) {
            let message = "it ends before it begins; send a time after updated_since";
            issues.push(Issue::new("invalid_value", message).at("updated_until"));
        }
        issues.into_result(OrderSync {
            state: SyncState::Running,
            since: self.since,
            until: self.until,
            cursor: self.cursor,
            limit,
            taken: 0,
            skipped: 0,
            error: None,
            started_at: now,
            updated_at: now,
        })
    }
}

/// Reads a page of the earlier orders of the integration `id`, or has a job read all of them.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderRefusal::Inactive`]; [`ShopError::NotAuthorized`]; what is
/// wrong with the request; what the platform says; the store's failure.
pub async fn sync(
    cx: Context<'_>,
    vault: Option<&dyn Vault>,
    platforms: &dyn ShopPlatforms,
    id: OrderIntegrationId,
    request: SyncRequest,
) -> Result<OrderSync, ShopError> {
    let is_job = request.resumable;
    let begun = request.begun(cx.now())?;
    let integration: Integration = cx.one(&INTEGRATIONS, id).await?;
    let shop = access(vault, &integration)?;
    if is_job {
        return Ok(begin(cx, id, begun).await?);
    }
    let page = platforms.orders(cx.scope.environment(), &shop, &asked(&begun)).await?;
    let (taken, skipped) = take(cx, &integration, &page).await?;
    Ok(begun.read(taken, &skipped, page.next, cx.now()))
}

/// Notes that the reading begins, with its job. One that runs is answered, and goes on.
async fn begin(
    cx: Context<'_>,
    id: OrderIntegrationId,
    begun: OrderSync,
) -> Result<OrderSync, OrderError> {
    let mut unit = cx.unit();
    let integration = unit.hold(&INTEGRATIONS, id);
    unit.decide(move |held| {
        let before: Integration = held.one(integration)?;
        let running = before.sync.clone().filter(|sync| sync.state == SyncState::Running);
        if let Some(running) = running {
            return Ok((running, Writes::default()));
        }
        let actor = held.actor();
        let after = before.clone().synced(begun.clone(), actor.now());
        let new = NewJob {
            kind: JobKind::OrderSync,
            entity_id: Some(after.entity_id),
            subject: after.id.to_string(),
            payload: String::new(),
        };
        let job = Job::new(new, actor.stamp()).put();
        Ok::<_, OrderError>((begun, Writes::default().update(&before, &after).put(job)))
    })
    .await
}

/// What opens the shop of `integration`.
pub(crate) fn access(
    vault: Option<&dyn Vault>,
    integration: &Integration,
) -> Result<ShopAccess, ShopError> {
    if integration.deleted_at.is_some() {
        return Err(OrderError::NotFound { id: integration.id.to_string() }.into());
    }
    if !integration.is_active {
        return Err(OrderRefusal::Inactive.into());
    }
    let place = integration.shop_domain.clone().zip(integration.access_token.as_deref());
    let (domain, sealed) = place.ok_or(ShopError::NotAuthorized)?;
    let domain = shop_domain(integration.source, &domain);
    let domain = domain.map_err(|issue| Issues::from(issue.at("shop_domain")))?;
    let vault = vault.ok_or(ShopError::NoVault)?;
    let owner = Integration::secret_owner(integration.entity_id);
    let token = vault.open(&owner, sealed).map_err(|_| ShopError::NoVault)?;
    let token = String::from_utf8(token).map_err(|_| ShopError::NotAuthorized)?;
    Ok(ShopAccess { source: integration.source, domain, token })
}

fn asked(sync: &OrderSync) -> PageRequest {
    PageRequest {
        since: sync.since,
        until: sync.until,
        cursor: sync.cursor.clone(),
        limit: sync.limit,
    }
}

/// Takes the orders of a page. How many were taken, and why the others cannot be read.
async fn take(
    cx: Context<'_>,
    integration: &Integration,
    page: &OrdersPage,
) -> Result<(u64, Vec<String>), ShopError> {
    let (mut count, mut skipped) = (0, Vec::new());
    for order in &page.orders {
        match platform::read_listed(integration.source, order) {
            Ok(incoming) => {
                taken(cx, integration, incoming).await?;
                count += 1;
            }
            Err(issues) => skipped.push(issues.to_string()),
        }
    }
    Ok((count, skipped))
}

/// Reads earlier orders page after page.
pub struct OrderSyncHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What opens tokens.
    pub vault: Option<Arc<dyn Vault>>,
    /// The platforms.
    pub platforms: Arc<dyn ShopPlatforms>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for OrderSyncHandler {
    fn kind(&self) -> JobKind {
        JobKind::OrderSync
    }

    async fn run(&self, job: &Job) -> Outcome {
        loop {
            match self.read_page(job).await {
                Ok(true) => {}
                Ok(false) | Err(ReadError::Lease(LeaseError::Lost)) => return Outcome::Ended,
                Err(error) => {
                    let error = error.to_string();
                    return Outcome::Ends(Ending::Failed { error, wait: None });
                }
            }
        }
    }
}

/// Why a page is not read now.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Another worker has the job, or the store failed.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// An order cannot be taken, or the platform does not answer.
    #[error(transparent)]
    Shop(#[from] ShopError),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Lease(error.into())
    }
}

impl OrderSyncHandler {
    /// Reads the next page, as a step of `job`; whether there is another one. The job ends with the
    /// last.
    ///
    /// # Errors
    /// Why it is not read now: then nothing of it is noted.
    pub async fn read_page(&self, job: &Job) -> Result<bool, ReadError> {
        let (Some(entity), Ok(id)) = (job.entity_id, job.subject.parse::<OrderIntegrationId>())
        else {
            return Err(StoreError::Unavailable("a job names no integration".to_owned()).into());
        };
        let Some((scope, _)) = enter_as_recipient(&*self.store, entity).await? else {
            return Err(StoreError::Unavailable("the entity is disabled".to_owned()).into());
        };
        let stamp = (self.stamp)();
        let cx = Context::new(&*self.store, &scope, &stamp);
        let integration: Integration = cx.one(&INTEGRATIONS, id).await?;
        let running = integration.sync.clone().filter(|sync| sync.state == SyncState::Running);
        let Some(sync) = running else { return self.note(cx, job, id, None).await };
        let refused = |why: String| sync.clone().refused(&why, stamp.now());
        let shop = match access(self.vault.as_deref(), &integration) {
            Ok(shop) => shop,
            Err(error) => return self.note(cx, job, id, Some(refused(error.to_string()))).await,
        };
        let environment = scope.environment();
        match self.platforms.orders(environment, &shop, &asked(&sync)).await {
            Ok(page) => {
                let (taken, skipped) = take(cx, &integration, &page).await?;
                let after = sync.read(taken, &skipped, page.next, stamp.now());
                self.note(cx, job, id, Some(after)).await
            }
            Err(error @ PlatformError::NoAnswer(_)) => Err(ShopError::from(error).into()),
            Err(error) => self.note(cx, job, id, Some(refused(error.to_string()))).await,
        }
    }

    /// Notes how far it came, in one commit with the job: it ends, or has a whole lease again.
    async fn note(
        &self,
        cx: Context<'_>,
        job: &Job,
        id: OrderIntegrationId,
        after: Option<OrderSync>,
    ) -> Result<bool, ReadError> {
        let job = job.clone();
        let mut unit = cx.unit();
        let (own, integration) = (job.hold(&mut unit), unit.hold(&INTEGRATIONS, id));
        let goes_on = unit.decide(move |held| {
            let now = held.now().unwrap_or_else(|| held.actor().now());
            let job = still_held(&job, held.find(own)?)?;
            let before: Integration = held.one(integration)?;
            let goes_on = after.as_ref().is_some_and(|sync| sync.state == SyncState::Running);
            let next = if goes_on { job.prolonged(now) } else { job.done() };
            let changed = after.map(|sync| before.clone().synced(sync, now));
            let put = changed.as_ref().map(|changed| Put::update(&before, changed));
            Ok::<_, LeaseError>((goes_on, Writes::default().puts(put).put(next)))
        });
        Ok(goes_on.await?)
    }
}
