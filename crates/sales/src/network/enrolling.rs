//! The entity's settings and its account at the provider.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{ENTITIES, Entity, enter_as_recipient, note_settings, setting};
use racun_background::clock::Clock;
use racun_background::jobs::{Ending, Handler, Job, JobKind, NewJob, Outcome};
use racun_einvoicing::network::{
    EInvoicingNetwork, ENROLLMENTS, Enrollment, EnrollmentEvent, EnrollmentState, Participant,
    Sender, SenderFacts, missing_fields,
};
use racun_kernel::{Issue, Issues, Patch, Tenant};
use racun_store::{Actor, Context, Event, One, Put, Store, StoreError, Writes};
use serde_json::json;

use super::events::e_invoicing_enrollment as events;
use crate::error::{Error, NetworkRefused};

/// Characters of a scheme.
const MAX_SCHEME_CHARS: usize = 10;

/// What an entity's settings of the network say, and how its enrollment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    /// Whether documents are sent.
    pub enabled: bool,
    /// Whether they are sent when they are issued.
    pub auto_send: bool,
    /// The enrollment.
    pub enrollment: Enrollment,
}

/// What a caller changes of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkSettingsInput {
    /// Whether documents are sent.
    pub enabled: Option<bool>,
    /// Whether they are sent when they are issued.
    pub auto_send: Option<bool>,
    /// The scheme of recipients' identifiers that say none.
    pub default_scheme_id: Patch<String>,
}

fn said(entity: &Entity, enrollment: Enrollment) -> NetworkSettings {
    let is_on = |key| entity.settings.get(key).unwrap_or(false);
    NetworkSettings {
        enabled: is_on(setting::E_INVOICING_ENABLED),
        auto_send: is_on(setting::E_INVOICING_AUTO_SEND),
        enrollment,
    }
}

/// The enrollment of the scope's entity; that of one that never wanted any when there is none.
pub(super) async fn enrollment(cx: Context<'_>) -> Result<Enrollment, StoreError> {
    let id = cx.scope.entity();
    let found = cx.store.get(&ENROLLMENTS, &cx.tenant(), &id.to_string()).await?;
    Ok(found.unwrap_or_else(|| Enrollment::none(id, cx.now())))
}

/// The settings of `entity`.
///
/// # Errors
/// When the store fails.
pub async fn get(cx: Context<'_>, entity: &Entity) -> Result<NetworkSettings, StoreError> {
    Ok(said(entity, enrollment(cx).await?))
}

/// Whom `entity` sends as: by the VAT number of its country.
fn sender_of(entity: &Entity) -> Option<Participant> {
    let numbers = [&entity.tax_number, &entity.tax_number_2].into_iter().flatten();
    let country = entity.country_code.as_deref();
    let mut found = numbers.filter_map(|number| Participant::of_vat_number(country, number));
    found.next()
}

/// What `entity` is for the provider now.
fn wanted(entity: &Entity, network: &dyn EInvoicingNetwork) -> EnrollmentEvent {
    let sender = sender_of(entity);
    let country = entity.country_code.as_deref();
    let facts = SenderFacts {
        name: Some(&entity.name),
        address: entity.address.as_deref(),
        post_code: entity.post_code.as_deref(),
        city: entity.city.as_deref(),
        country_code: country,
        is_supported: country.is_some_and(|code| network.supports(entity.environment, code)),
        has_sender: sender.is_some(),
    };
    EnrollmentEvent::Wanted { missing: missing_fields(&facts), sender }
}

/// Changes the settings. A job tells the provider what it has to know.
///
/// # Errors
/// What is wrong with the input, by path, or the store's failure.
pub async fn update(
    cx: Context<'_>,
    network: Arc<dyn EInvoicingNetwork>,
    input: NetworkSettingsInput,
) -> Result<NetworkSettings, Error> {
    check(&input)?;
    let mut unit = cx.unit();
    let (account, id) = (unit.by().scope().account(), unit.by().entity_id());
    let entity: One<Entity> = unit.hold_of(Tenant::account(account), &ENTITIES, id);
    let enrolled = unit.hold(&ENROLLMENTS, id);
    unit.decide(move |held| {
        let actor = held.actor();
        let before: Entity = held.one(entity)?;
        let found: Option<Enrollment> = held.find(enrolled)?;
        let none = Enrollment::none(before.id, actor.now());
        let NetworkSettings { enabled, auto_send, enrollment } =
            said(&before, found.clone().unwrap_or(none));
        let enabled = input.enabled.unwrap_or(enabled);
        let auto_send = input.auto_send.unwrap_or(auto_send);
        let event = if enabled { wanted(&before, &*network) } else { EnrollmentEvent::Unwanted };
        let mut after = enrollment.after(event, actor.now());
        input.default_scheme_id.apply(&mut after.default_scheme_id);
        let value = json!({ "enabled": enabled, "auto_send": auto_send });
        let writes = note_settings(&before, setting::E_INVOICING_ENABLED, value, actor);
        let job = is_to_ask(&after).then(|| job(&after, actor).put());
        let put = Put::write(found.as_ref(), &after);
        let said = NetworkSettings { enabled, auto_send, enrollment: after };
        Ok((said, writes.put(put).puts(job)))
    })
    .await
}

fn check(input: &NetworkSettingsInput) -> Result<(), Issues> {
    let Patch::Value(scheme) = &input.default_scheme_id else { return Ok(()) };
    let is_code = scheme.len() == 4 && scheme.bytes().all(|sign| sign.is_ascii_digit());
    if is_code {
        return Ok(());
    }
    let message = match scheme.chars().count() > MAX_SCHEME_CHARS {
        true => format!("at most {MAX_SCHEME_CHARS} characters"),
        false => "a scheme of the network has four digits, as 9949".to_owned(),
    };
    Err(Issue::new("participant_id", message).at("default_scheme_id").into())
}

/// Whether the provider is to be told of it, or asked, without being ordered to.
const fn is_to_ask(enrollment: &Enrollment) -> bool {
    matches!(
        enrollment.state,
        EnrollmentState::EnrollmentPending
            | EnrollmentState::ProviderError
            | EnrollmentState::VerificationInProgress
    )
}

fn job(enrollment: &Enrollment, actor: &Actor) -> Job {
    let new = NewJob {
        kind: JobKind::EInvoiceEnrollment,
        entity_id: Some(enrollment.entity_id),
        subject: enrollment.entity_id.to_string(),
        payload: String::new(),
    };
    Job::new(new, actor.stamp())
}

/// Tells the provider of the entity, or asks how it stands.
///
/// One at a time opens the account, and stores each step before the next: what was interrupted is
/// gone on with, and others see the enrollment as it is.
///
/// # Errors
/// [`NetworkRefused::NotEnabled`], or the store's failure. A provider that does not answer is no
/// error: the enrollment says it.
pub async fn refresh(
    cx: Context<'_>,
    network: Arc<dyn EInvoicingNetwork>,
    entity: &Entity,
) -> Result<NetworkSettings, Error> {
    if !entity.settings.get(setting::E_INVOICING_ENABLED).unwrap_or(false) {
        return Err(NetworkRefused::NotEnabled.into());
    }
    let (begun, is_ours) = begin(cx, wanted(entity, &*network)).await?;
    if !is_ours {
        return Ok(said(entity, begun));
    }
    let after = match ask(cx, &*network, entity, &begun).await? {
        Some(happened) => store(cx, begun.sender, happened).await?,
        None => begun,
    };
    Ok(said(entity, after))
}

/// Notes what the entity is now, and who opens its account. Whether that, or asking after the
/// account, is the caller's.
async fn begin(cx: Context<'_>, wanted: EnrollmentEvent) -> Result<(Enrollment, bool), Error> {
    let mut unit = cx.unit();
    let id = unit.by().entity_id();
    let enrolled = unit.hold(&ENROLLMENTS, id);
    unit.decide(move |held| {
        let now = held.now().unwrap_or_else(|| held.actor().now());
        let found: Option<Enrollment> = held.find(enrolled)?;
        let before = found.clone().unwrap_or_else(|| Enrollment::none(id, now));
        let mut after = before.after(wanted, now);
        let is_ours =
            after.state.is_with_provider() && !(after.is_to_open() && after.is_being_opened(now));
        if is_ours && after.is_to_open() {
            after = after.after(EnrollmentEvent::Opening, now);
        }
        let put = Put::write(found.as_ref(), &after);
        Ok(((after, is_ours), Writes::default().put(put)))
    })
    .await
}

/// What the provider says; `None` when there is no account to ask about.
async fn ask(
    cx: Context<'_>,
    network: &dyn EInvoicingNetwork,
    entity: &Entity,
    enrollment: &Enrollment,
) -> Result<Option<EnrollmentEvent>, Error> {
    let environment = entity.environment;
    let Some(participant) = &enrollment.sender else { return Ok(None) };
    let account = match &enrollment.account {
        Some(account) => account.clone(),
        None => match network.open_account(environment, &sender(entity, participant)).await {
            Ok(account) => {
                let opened = EnrollmentEvent::Registered(account.clone());
                let after = store(cx, enrollment.sender.clone(), opened).await?;
                after.account.unwrap_or(account)
            }
            Err(error) => return Ok(Some(EnrollmentEvent::Unreachable(error.to_string()))),
        },
    };
    let standing = match enrollment.is_to_open() {
        true => network.announce(environment, &account, participant).await,
        false => network.standing(environment, &account).await,
    };
    Ok(Some(match standing {
        Ok(standing) => EnrollmentEvent::Told(standing),
        Err(error) => EnrollmentEvent::Unreachable(error.to_string()),
    }))
}

fn sender(entity: &Entity, participant: &Participant) -> Sender {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Sender {
        entity_id: entity.id,
        participant: participant.clone(),
        name: entity.name.clone(),
        address: text(&entity.address),
        address_2: entity.address_2.clone(),
        post_code: text(&entity.post_code),
        city: text(&entity.city),
        country_code: text(&entity.country_code),
    }
}

/// Stores what happened to an enrollment that sends as `sender`, and says so where it is news to
/// receivers. What was asked of another sender than it has by now says nothing, but for an account,
/// which stays the entity's.
async fn store(
    cx: Context<'_>,
    sender: Option<Participant>,
    happened: EnrollmentEvent,
) -> Result<Enrollment, Error> {
    let mut unit = cx.unit();
    let id = unit.by().entity_id();
    let enrolled = unit.hold(&ENROLLMENTS, id);
    unit.decide(move |held| {
        let actor = held.actor();
        let now = held.now().unwrap_or_else(|| actor.now());
        let found: Option<Enrollment> = held.find(enrolled)?;
        let before = found.clone().unwrap_or_else(|| Enrollment::none(id, now));
        let is_of_account = matches!(happened, EnrollmentEvent::Registered(_));
        if before.sender != sender && !is_of_account {
            return Ok((before, Writes::default()));
        }
        let after = before.clone().after(happened, now);
        let put = Put::write(found.as_ref(), &after);
        let writes = Writes::default().put(put).events(news(&before, &after, actor));
        Ok((after, writes))
    })
    .await
}

/// What receivers are told of a change.
fn news(before: &Enrollment, after: &Enrollment, actor: &Actor) -> Vec<Event> {
    if before.state == after.state {
        return Vec::new();
    }
    let kinds = match after.state {
        EnrollmentState::Verified => [events::ENROLLMENT_VERIFIED, events::SUPPLIER_ONBOARDED],
        EnrollmentState::Rejected => [events::ENROLLMENT_REJECTED, events::SUPPLIER_REJECTED],
        _ => return Vec::new(),
    };
    kinds.into_iter().map(|kind| actor.event(kind, after.entity_id)).collect()
}

/// The page on which a person verifies the company, as the provider says now.
///
/// # Errors
/// As [`refresh`]; [`NetworkRefused::NothingToVerify`].
pub async fn verification_link(
    cx: Context<'_>,
    network: Arc<dyn EInvoicingNetwork>,
    entity: &Entity,
) -> Result<String, Error> {
    let settings = refresh(cx, network, entity).await?;
    let url = settings.enrollment.verification_url;
    url.ok_or_else(|| NetworkRefused::NothingToVerify.into())
}

/// Tells the provider of entities that want to send.
pub struct EnrollmentHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The network.
    pub network: Arc<dyn EInvoicingNetwork>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for EnrollmentHandler {
    fn kind(&self) -> JobKind {
        JobKind::EInvoiceEnrollment
    }

    async fn run(&self, job: &Job) -> Outcome {
        let failed = |error: String| Outcome::Ends(Ending::Failed { error, wait: None });
        let Ok(id) = job.subject.parse() else { return Outcome::Ends(Ending::Done) };
        let place = match enter_as_recipient(&*self.store, id).await {
            Ok(Some(place)) => place,
            Ok(None) => return Outcome::Ends(Ending::Done),
            Err(error) => return failed(error.to_string()),
        };
        let (scope, entity) = place;
        let stamp = (self.stamp)();
        let cx = Context::new(&*self.store, &scope, &stamp);
        match refresh(cx, Arc::clone(&self.network), &entity).await {
            Ok(settings) if is_to_ask(&settings.enrollment) => {
                let reason = settings.enrollment.provider_error;
                failed(reason.unwrap_or_else(|| "the provider is not done yet".to_owned()))
            }
            // Turned off since the job was made.
            Ok(_) | Err(Error::Network(NetworkRefused::NotEnabled)) => Outcome::Ends(Ending::Done),
            Err(error) => failed(error.to_string()),
        }
    }
}
