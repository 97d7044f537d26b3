//! Documents that were refused or skipped, fiscalized on request.

use racun_access::Entity;
use racun_documents::events::Happening;
use racun_documents::recognition::{RECOGNITION_ENTRIES, redated};
use racun_documents::{Document, DocumentError, DocumentId, Editor, Refused, Reissue};
use racun_fiscal::{
    Authority, EXCHANGES, Exchange, FISCAL_SETTINGS, FiscalSettings, MessageId, Patience,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Issue, Issues, Tenant};
use racun_records::{
    get_document, hold_document, hold_documents, hold_payments, links_of, live_payments,
};
use racun_store::{Context, Store, StoreError, Writes};

use super::Ports;
use super::deliver::{self, Sending, send_first};
use super::error::{FiscalizationError, FiscalizationRefused};
use super::issue::{Facts, Issued};
use super::prepare::{IssueContext, Prepared, identity, prepare};
use super::rates::{rate_on, same_rate};
use super::request::FiscalizeRequest;
use super::sale::by_advances;

/// Reports a document to the tax authority that it refused, that it may not have, or that was
/// issued without it.
///
/// What has its number and mark keeps them, and is sent as it was issued, marked as late; its
/// operator stays the same. What was skipped takes the next number of the sequence of the place
/// that is named, and the day as its date, for FURS receives it as issued now; where no caller gave
/// its rate of exchange, it takes that of the day. A version keeps all of it until now, and what
/// was supplied on its old date stays supplied then. While another request or a worker sends it,
/// nothing is sent.
///
/// # Errors
/// [`StoreError::NotFound`]; what the document's stage refuses, [`Refused::NotToFiscalize`] among
/// others; another place than that of its number; what is refused when a document is issued; the
/// store's failure.
pub async fn fiscalize<'a>(
    ports: impl Into<Ports<'a>>,
    entity: &Entity,
    id: DocumentId,
    request: FiscalizeRequest,
) -> Result<Document, FiscalizationError> {
    let ports = ports.into();
    let seen = get_document(ports.cx, id).await?;
    seen.check_may_fiscalize()?;
    if seen.is_fiscalized() {
        check_place(&seen, &request)?;
        return again(ports, seen).await;
    }
    let prepared = prepare(ports, entity, IssueContext::later(id.kind(), request)).await?;
    // In Croatia nothing is issued without being fiscalized.
    let asks = prepared.issuing().is_some_and(|issuing| issuing.authority() == Authority::Furs);
    if !asks {
        return Err(Refused::NotToFiscalize.into());
    }
    first(ports, entity, seen, prepared).await
}

/// The place of a number stays: naming another one is a mistake.
fn check_place(document: &Document, request: &FiscalizeRequest) -> Result<(), Issues> {
    let mut issues = Issues::default();
    let Some(record) = document.fiscal_record() else { return Ok(()) };
    let (premise, device) = (Some(&record.premise), record.device.as_ref());
    let fields = [
        ("business_premise_name", &request.business_premise_name, premise),
        ("electronic_device_name", &request.electronic_device_name, device),
    ];
    for (field, named, own) in fields {
        if named.as_ref().is_some_and(|named| Some(named) != own) {
            let own = own.map_or("a form of a bound book", String::as_str);
            let message = format!("the document has its number of {own}; leave it out");
            issues.push(Issue::new("not_updatable", message).at(field));
        }
    }
    issues.into_result(())
}

/// Sends once more what was issued with its mark.
async fn again(ports: Ports<'_>, seen: Document) -> Result<Document, FiscalizationError> {
    let (cx, id) = (ports.cx, seen.id);
    let Some(authority) = seen.fiscal.as_ref().map(|fiscal| fiscal.authority) else {
        return Err(Refused::NotToFiscalize.into());
    };
    let settings = settings(cx.store, cx.scope.entity(), authority).await?;
    let (identity, _) = identity(ports.fiscal, &settings, ports.cx.now())?;
    let message_id = MessageId::new(ports.cx.stamp);
    let begun = begin(cx, id, message_id.clone(), Exchange::may_be_sent).await?;
    let Some((document, exchange)) = begun else {
        return Ok(get_document(cx, id).await?);
    };
    let Some(fiscal) = ports.fiscal else { return Ok(document) };
    let content = exchange.content;
    let is_late = content.is_late(false);
    let sending = Sending { document_id: id, content, message_id, is_late, identity };
    let patience = Patience::Interactive;
    match deliver::deliver(cx, fiscal, sending, patience).await {
        Ok(delivered) => Ok(delivered.document),
        Err(_) => Ok(document),
    }
}

/// The settings that a document which was fiscalized is sent again with: also when they are
/// switched off.
pub(super) async fn settings(
    store: &dyn Store,
    entity: EntityId,
    authority: Authority,
) -> Result<FiscalSettings, FiscalizationError> {
    let tenant = Tenant::entity(entity);
    let found = store.get(&FISCAL_SETTINGS, &tenant, authority.name()).await?;
    found.ok_or_else(|| FiscalizationRefused::SettingsMissing(authority).into())
}

/// Records the next attempt about the document `id`, when `may` allows it at the time on the
/// store's clock; `None` when it does not.
pub(super) async fn begin(
    cx: Context<'_>,
    id: DocumentId,
    message_id: MessageId,
    may: fn(&Exchange, time::OffsetDateTime) -> bool,
) -> Result<Option<(Document, Exchange)>, StoreError> {
    let begun = deliver::amend(cx, id, move |exchange, now| {
        if may(&exchange, now) { Ok(exchange.begin(message_id, now)) } else { Err(NotNow::Taken) }
    });
    match begun.await {
        Ok(begun) => Ok(Some(begun)),
        Err(NotNow::Taken) => Ok(None),
        Err(NotNow::Store(error)) => Err(error),
    }
}

/// Why no attempt begins.
enum NotNow {
    /// Another one is under way, or it is not due.
    Taken,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for NotNow {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Fiscalizes a document that was issued without it.
async fn first(
    ports: Ports<'_>,
    entity: &Entity,
    seen: Document,
    prepared: Prepared,
) -> Result<Document, FiscalizationError> {
    let id = seen.id;
    let rate = match prepared.day() {
        Some(day) => rate_on(ports.cx.store, entity, &seen.content, day, day).await?,
        None => None,
    };
    let relations = links_of(ports.cx, id).await?;
    let targets: Vec<DocumentId> = relations.iter().map(|relation| relation.target_id).collect();
    let (numbering, day) = (prepared.issuing().map(|own| own.numbering()), prepared.day());
    let mut unit = ports.cx.unit();
    let place = prepared.issuing().map(|issuing| issuing.hold(&mut unit));
    let before = hold_document(&mut unit, id);
    let payments = hold_payments(&mut unit, id);
    let entries = unit.hold_where(&RECOGNITION_ENTRIES, "document_id", id);
    let targets = hold_documents(&mut unit, targets);
    let number = numbering.as_ref().map(|numbering| unit.number(numbering.series.clone()));
    let later = unit.decide(move |held| {
        let before = held.one(before)?;
        if !same_rate(&seen, &before) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let mut documents = vec![before.clone()];
        documents.extend(held.all(targets)?);
        let (Some(numbering), Some(number), Some(day)) = (numbering, number, day) else {
            return Err(FiscalizationError::from(DocumentError::ChangedMeanwhile));
        };
        let (actor, number) = (held.actor(), held.number(&number)?);
        let editor = actor.scope().person();
        let editor =
            editor.map(|person| Editor { name: person.name.clone(), email: person.email.clone() });
        let payments = live_payments(held.all(payments)?);
        let reissue = Reissue { numbering: &numbering, sequence: number, day, rate, editor };
        let (document, version) = before.clone().fiscalize_later(reissue, actor.stamp())?;
        let facts = Facts {
            means: payments.iter().map(|payment| payment.kind).collect(),
            settled: by_advances(&payments),
            targets: &documents,
            place: place.map(|place| place.read(held)).transpose()?,
            now: held.now(),
        };
        let Issued { document, puts, sending } = prepared.issue(document, facts)?;
        let updated = document.event(Happening::Updated, &actor.id(), actor.stamp());
        let dated = redated(&held.all(entries)?, document.content.date, actor.stamp());
        let writes = Writes::default().puts(puts).puts(dated);
        let writes = writes.update(&before, &document).insert(&version);
        Ok(((document, sending), writes.events(updated).taking_number()))
    });
    let (document, sending) = later.await?;
    Ok(send_first(ports, document, sending).await)
}

/// The exchange about the document `id`, when there is one.
pub(super) async fn exchange_of(
    cx: Context<'_>,
    id: DocumentId,
) -> Result<Option<Exchange>, StoreError> {
    cx.get(&EXCHANGES, id).await
}
