//! A document, or a plain text, to its receivers.

use racun_access::{ENTITIES, Entity, Settings};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind};
use racun_kernel::{Issue, Issues, Load, Put, Scope, Stamp, Store, StoreError, Tenant, Writes};
use racun_mail::{DocumentWords, MailKind, MailLimits, NewMail, OutgoingMail, Wording, Words};

use super::letter::{Letter, LetterRequest, posted, receivers};
use super::limits::{Limits, may_try_again};
use super::{MailingError, share, values};
use crate::documents::{self, live};

/// What is to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendRequest {
    /// Addresses, one to four, with commas between them.
    pub to: String,
    /// The document; none for a plain text.
    pub document_id: Option<DocumentId>,
    /// Texts and language.
    pub letter: LetterRequest,
    /// Whether the document goes along as PDF.
    pub attach_pdf: bool,
    /// Whether it goes along as e-SLOG.
    pub attach_eslog: bool,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The mail.
    pub mail: OutgoingMail,
    /// Where the document is seen.
    pub shareable_link: Option<String>,
}

/// Sends a document, or a plain text, in the name of the entity: the mail is written in the commit
/// that shares the document and counts against the limits, and delivered by a job.
///
/// Limits are those of the document, the receivers, the entity and the account; a plain text counts
/// against the entity's own.
///
/// # Errors
/// [`MailingError`].
pub async fn send(
    store: &dyn Store,
    base: &str,
    scope: &Scope,
    entity: &Entity,
    request: SendRequest,
    limits: MailLimits,
    stamp: &Stamp,
) -> Result<Sent, MailingError> {
    let mut attempt = 1;
    loop {
        let request = request.clone();
        let done = send_once(store, base, scope, entity, request, limits, stamp).await;
        if !may_try_again(&done, attempt) {
            return done;
        }
        attempt += 1;
    }
}

async fn send_once(
    store: &dyn Store,
    base: &str,
    scope: &Scope,
    entity: &Entity,
    request: SendRequest,
    limits: MailLimits,
    stamp: &Stamp,
) -> Result<Sent, MailingError> {
    check(&request, scope)?;
    let document = match request.document_id {
        Some(id) => Some(documents::get(store, scope, id).await?),
        None => None,
    };
    let is_simulated = request.letter.sandbox_skip_delivery;
    let to = receivers(store, scope, &request.to, "to", is_simulated).await?;
    let unit = unit_of(store, scope, document.as_ref()).await?;
    let about = request.document_id.map_or(scope.entity().to_string(), |id| id.to_string());
    let limits = Limits::of_letter(scope, about, &to, limits, stamp);
    let letter = letter(&request, to, document.as_ref(), entity, unit.as_ref());

    let held = match request.document_id {
        Some(id) => documents::links::load(scope, id),
        None => {
            let (tenant, id) = (Tenant::account(scope.account()), scope.entity().to_string());
            Load::One { table: &ENTITIES, tenant, id }
        }
    };
    let mut loads = vec![held];
    loads.extend(limits.loads());
    let (base, entity, stamp) = (base.to_owned(), entity.clone(), stamp.clone());
    let (actor, locale) = (scope.principal().id(), request.letter.locale(&entity));
    store
        .decide(loads, None, move |loaded| {
            let mut values = values::of_entity(&entity, unit.as_ref(), &locale, &stamp);
            let (mut puts, mut events) = (Vec::new(), Vec::new());
            let mut shareable_link = None;
            if let Some(id) = request.document_id {
                let before = held_document(&loaded.rows[..1], id)?;
                let after = before.clone().sent(&stamp)?;
                let shareable_id = after.shareable_id.as_deref().unwrap_or_default();
                let link = share::link(&base, id.kind(), shareable_id);
                values::set_document(&mut values, &after, unit.as_ref(), &link, &locale);
                events.extend(after.event("sent", &actor, &stamp));
                if after != before {
                    puts.push(Put::update(&before, &after));
                }
                shareable_link = Some(link);
            }
            puts.extend(limits.count(&loaded.rows[1..], stamp.now())?);
            let (mail, rows) = posted(letter.filled(&values, &stamp), is_simulated, &stamp);
            puts.extend(rows);
            Ok((Sent { mail, shareable_link }, Writes { puts, events, takes_number: false }))
        })
        .await
}

fn check(request: &SendRequest, scope: &Scope) -> Result<(), Issues> {
    let mut issues = Issues::default();
    request.letter.check(scope, &mut issues);
    for (field, wanted, what) in [
        ("attach_pdf", request.attach_pdf, "PDF files"),
        ("attach_eslog", request.attach_eslog, "e-SLOG files"),
    ] {
        if wanted {
            let message = format!(
                "this version makes no {what} of documents yet; leave it out: the link in the mail \
                 leads to the document"
            );
            issues.push(Issue::new("not_available", message).at(field));
        }
    }
    if request.document_id.is_none() {
        let texts =
            [("subject", &request.letter.subject), ("body_text", &request.letter.body_text)];
        for (field, text) in texts {
            if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
                let message = "a mail without document_id needs a text of its own";
                issues.push(Issue::new("required", message).at(field));
            }
        }
    }
    issues.into_result(())
}

async fn unit_of(
    store: &dyn Store,
    scope: &Scope,
    document: Option<&Document>,
) -> Result<Option<BusinessUnit>, StoreError> {
    let id = document.and_then(|document| document.content.business_unit_id);
    let Some(id) = id else { return Ok(None) };
    Ok(live(store.get(&BUSINESS_UNITS, &scope.tenant(), &id.to_string()).await?))
}

/// The document that is held, unless it is gone meanwhile.
fn held_document(
    rows: &[Vec<racun_kernel::Stored>],
    id: DocumentId,
) -> Result<Document, DocumentError> {
    let found = documents::links::documents(rows)?;
    let live = found.into_iter().find(|document| document.deleted_at.is_none());
    live.ok_or_else(|| StoreError::NotFound { id: id.to_string() }.into())
}

/// The letter, its texts not filled yet.
fn letter(
    request: &SendRequest,
    to: Vec<String>,
    document: Option<&Document>,
    entity: &Entity,
    unit: Option<&BusinessUnit>,
) -> Letter {
    let kind = document.map(|document| document.id.kind());
    let locale = request.letter.locale(entity);
    let of_unit = unit.map(|unit| Settings::from(unit.settings.clone()));
    let settings: Vec<&Settings> = of_unit.iter().chain([&entity.settings]).collect();
    let default = kind.map_or(Words { subject: "", body: "" }, |kind| {
        Wording::Document(words_of(kind)).words(&locale)
    });
    let name = kind.map_or("", DocumentKind::name);
    let keys = ["subject", "body"].map(|part| format!("email_defaults.{name}_{part}"));
    let keys = [keys[0].as_str(), keys[1].as_str()];
    let (subject, body) = request.letter.words(&settings, keys, &locale, default);
    let envelope = NewMail {
        account_id: Some(entity.account_id),
        entity_id: Some(entity.id),
        kind: MailKind::Document,
        about: request.document_id.iter().map(ToString::to_string).collect(),
        sender_name: Some(entity.name.clone()),
        reply_to: values::reply_to(entity, unit),
        to,
        subject: String::new(),
        text: String::new(),
        html: None,
    };
    Letter { envelope, subject, body, must_use: kind.map(|_| "invoice_link") }
}

const fn words_of(kind: DocumentKind) -> DocumentWords {
    match kind {
        DocumentKind::Invoice => DocumentWords::Invoice,
        DocumentKind::Estimate => DocumentWords::Estimate,
        DocumentKind::CreditNote => DocumentWords::CreditNote,
        DocumentKind::AdvanceInvoice => DocumentWords::AdvanceInvoice,
        DocumentKind::DeliveryNote => DocumentWords::DeliveryNote,
    }
}
