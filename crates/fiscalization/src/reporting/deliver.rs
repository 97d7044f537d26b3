//! A message is sent, and what came of it is stored on the exchange and on the document.

use racun_documents::events::Happening;
use racun_documents::{Document, DocumentId, FiscalRecord, FiscalStatus, Fiscalization};
use racun_fiscal::{
    Authority, AuthorityError, EXCHANGES, Exchange, ExchangeOutcome, Header, Identity, MessageId,
    Patience, Reply, ReportContent, State, due_put, fina, furs,
};
use racun_records::hold_document;
use racun_store::{Context, StoreError, Writes};
use time::OffsetDateTime;

use super::{Fiscal, Ports};

/// A message that is recorded and is to be sent.
#[derive(Clone)]
pub struct Sending {
    pub(super) document_id: DocumentId,
    pub(super) content: ReportContent,
    pub(super) message_id: MessageId,
    pub(super) is_late: bool,
    pub(super) identity: Identity,
}

/// Sends the first message about `document`, which was just stored with it, while the caller waits.
///
/// The document is issued in any case: what cannot be sent or stored now, the worker sends.
pub async fn send_first(
    ports: Ports<'_>,
    document: Document,
    sending: Option<Sending>,
) -> Document {
    deliver_first(ports, sending).await.unwrap_or(document)
}

/// As [`send_first`]; returns the reported document in its state afterwards, when that is known.
pub async fn deliver_first(ports: Ports<'_>, sending: Option<Sending>) -> Option<Document> {
    let (sending, fiscal) = sending.zip(ports.fiscal)?;
    let patience = Patience::Interactive;
    let delivered = deliver(ports.cx, fiscal, sending, patience).await;
    delivered.ok().map(|delivered| delivered.document)
}

/// What came of a message.
pub(super) struct Delivered {
    pub document: Document,
    pub exchange: Exchange,
    pub outcome: ExchangeOutcome,
}

/// Sends a message that is recorded already, and stores what came of it.
///
/// # Errors
/// When that cannot be stored. The message may have been taken.
pub(super) async fn deliver(
    cx: Context<'_>,
    fiscal: &Fiscal,
    sending: Sending,
    patience: Patience,
) -> Result<Delivered, StoreError> {
    let Sending { document_id, content, message_id, is_late, identity } = sending;
    let authority = content.authority();
    let sent_at = authority.local(cx.now());
    let header = Header { message_id: message_id.clone(), sent_at };
    let message = content.message(is_late);
    let reply = fiscal
        .authorities
        .send(cx.scope.environment(), &identity, &header, &message, patience)
        .await;
    let outcome = match reply {
        Ok(Reply::Confirmed(Some(id))) => ExchangeOutcome::Confirmed(id),
        Ok(Reply::Confirmed(None)) => {
            ExchangeOutcome::Unknown("confirmed without an id".to_owned())
        }
        Ok(Reply::Refused { code, message, errors }) => {
            let is_final = is_final(authority, &code);
            let errors = explained(authority, errors);
            ExchangeOutcome::Refused { code, message, errors, is_final }
        }
        Err(unknown) if unknown.is_suspicious => {
            ExchangeOutcome::Unknown(format!("not to be believed: {}", unknown.reason))
        }
        Err(unknown) => ExchangeOutcome::Unknown(unknown.reason),
    };
    let (retry, came) = (fiscal.retry, outcome.clone());
    let (document, exchange) = amend(cx, document_id, move |exchange, now| {
        Ok(exchange.settle(&message_id, came, &retry, now))
    })
    .await?;
    Ok(Delivered { document, exchange, outcome })
}

/// The authority's errors, with what it only numbers in its text.
fn explained(authority: Authority, errors: Vec<AuthorityError>) -> Vec<AuthorityError> {
    match authority {
        Authority::Furs => errors,
        Authority::Fina => fina::explained(errors),
    }
}

fn is_final(authority: Authority, code: &str) -> bool {
    match authority {
        Authority::Furs => furs::class(code),
        Authority::Fina => fina::class(code),
    }
    .is_final()
}

/// Shows the exchange about the document `id` to `decide`, with the time on the store's clock, and
/// writes what becomes of it: on it, on the document and on the row by which workers find it.
///
/// # Errors
/// What `decide` refuses, or the store's failure.
pub(super) async fn amend<E>(
    cx: Context<'_>,
    id: DocumentId,
    decide: impl FnOnce(Exchange, OffsetDateTime) -> Result<Exchange, E> + Send + 'static,
) -> Result<(Document, Exchange), E>
where
    E: From<StoreError> + Send + 'static,
{
    let mut unit = cx.unit();
    let exchange = unit.hold(&EXCHANGES, id);
    let document = hold_document(&mut unit, id);
    unit.decide(move |held| {
        let actor = held.actor();
        let before: Exchange = held.one(exchange)?;
        let seen = held.one(document)?;
        let exchange = decide(before.clone(), held.now().unwrap_or_else(|| actor.now()))?;
        let fiscal = seen.fiscal.as_deref().cloned();
        let shown = fiscal.map(|fiscal| shown(fiscal, &exchange));
        let document = match shown {
            Some(shown) if seen.fiscal.as_deref() != Some(&shown) => {
                seen.clone().with_fiscalization(shown, actor.stamp())
            }
            _ => seen.clone(),
        };
        let mut writes = Writes::default();
        if exchange != before {
            writes = writes.update(&before, &exchange);
        }
        if document != seen {
            writes = writes.update(&seen, &document);
        }
        let (account, environment) = (actor.scope().account(), actor.environment());
        let due = due_put(Some(&before), &exchange, account, environment);
        let is_confirmed = exchange.state == State::Confirmed && before.state != exchange.state;
        let event =
            is_confirmed.then(|| document.event(Happening::Fiscalized, &actor.id(), actor.stamp()));
        Ok(((document, exchange), writes.puts(due).events(event.flatten())))
    })
    .await
}

/// What the document shows of `exchange`.
fn shown(fiscal: Fiscalization, exchange: &Exchange) -> Fiscalization {
    let status = match exchange.state {
        State::Sending { .. } | State::Pending { .. } => FiscalStatus::Pending,
        State::Confirmed => FiscalStatus::Success,
        State::Blocked { .. } => FiscalStatus::Failed,
    };
    let first = exchange.confirmations.first();
    let last = exchange.attempts.last();
    let record = fiscal.record.map(|record| FiscalRecord {
        confirmations: exchange.confirmations.iter().map(|own| own.id.clone()).collect(),
        qr: match &exchange.content {
            ReportContent::Furs(invoice) => invoice.qr(),
            ReportContent::FursBook(_) => String::new(),
            ReportContent::Fina(receipt) => receipt.qr(first.map(|own| own.id.as_str())),
        },
        message_id: last.map_or(record.message_id, |last| last.message_id.to_string()),
        is_late: last.map_or(record.is_late, |last| last.is_late),
        ..record
    });
    Fiscalization {
        authority: fiscal.authority,
        status,
        fiscalized_at: first.map(|own| own.at),
        error: exchange.error.clone(),
        errors: exchange.errors.clone(),
        record,
        tips: fiscal.tips,
    }
}
