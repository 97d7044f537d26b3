//! A document, or a plain text, to its receivers.

use racun_access::{ENTITIES, Entity, Settings, setting};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::events::Happening;
use racun_documents::{Document, DocumentId, DocumentKind};
use racun_kernel::{Issue, Issues, Scope, Tenant};
use racun_mail::{DocumentWords, MailKind, MailLimits, NewMail, OutgoingMail, Wording, Words};
use racun_records::{get_document, hold_document, live_document};
use racun_sales::documents::live;
use racun_store::{Context, One, StoreError, Writes};

use super::letter::{Letter, LetterRequest, receivers};
use super::limits::{SendLimits, retried};
use super::{MailingError, invoices, values};
use crate::outbox::posted;
use crate::printing::check_signed;
use crate::sharing::link;

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
    cx: Context<'_>,
    base: &str,
    entity: &Entity,
    request: SendRequest,
    limits: MailLimits,
) -> Result<Sent, MailingError> {
    retried(|| Box::pin(send_once(cx, base, entity, request.clone(), limits))).await
}

async fn send_once(
    cx: Context<'_>,
    base: &str,
    entity: &Entity,
    request: SendRequest,
    limits: MailLimits,
) -> Result<Sent, MailingError> {
    check(&request, cx.scope)?;
    let document = match request.document_id {
        Some(id) => Some(get_document(cx, id).await?),
        None => None,
    };
    if let Some(document) = &document {
        check_signed(entity, document)?;
    }
    let invoices = invoices::attached(cx, entity, document.as_ref(), request.attach_eslog).await?;
    let is_simulated = request.letter.sandbox_skip_delivery;
    let to = receivers(cx, &request.to, "to", is_simulated).await?;
    let unit = unit_of(cx, document.as_ref()).await?;
    let about = request.document_id.map_or(cx.scope.entity().to_string(), |id| id.to_string());
    let limits = SendLimits::of_letter(cx.scope, about, &to, limits, cx.stamp);
    let letter = letter(&request, to, document.as_ref(), entity, unit.as_ref());

    let mut unit_of_work = cx.unit();
    let held_document = request.document_id.map(|id| hold_document(&mut unit_of_work, id));
    if request.document_id.is_none() {
        let account = Tenant::account(cx.scope.account());
        let _entity: One<Entity> = unit_of_work.hold_of(account, &ENTITIES, cx.scope.entity());
    }
    let limits = limits.hold(&mut unit_of_work);
    let attach_pdf = request.attach_pdf;
    let (base, entity, locale) = (base.to_owned(), entity.clone(), request.letter.locale(entity));
    let sent = unit_of_work.decide(move |held| {
        let (actor, stamp) = (held.actor(), held.actor().stamp());
        let mut values = values::of_entity(&entity, unit.as_ref(), &locale, stamp);
        let mut writes = Writes::default();
        let mut shareable_link = None;
        if let Some(document) = held_document {
            // It may have been deleted since.
            let before = live_document(held.one(document)?)?;
            let after = before.clone().sent(stamp)?;
            let shareable_id = after.shareable_id.as_deref().unwrap_or_default();
            let link = link(&base, after.id.kind(), shareable_id);
            values::set_document(&mut values, &after, unit.as_ref(), &link, &locale);
            writes = writes.events(after.event(Happening::Sent, &actor.id(), stamp));
            if after != before {
                writes = writes.update(&before, &after);
            }
            shareable_link = Some(link);
        }
        let counted = limits.count(held)?;
        let mut mail = letter.filled(&values, stamp);
        if shareable_link.is_some() {
            mail = mail.styled(locale.clone());
        }
        if attach_pdf {
            mail = mail.with_pdf(locale);
        }
        mail = mail.with_invoices(invoices);
        let (mail, rows) = posted(mail, is_simulated, stamp);
        Ok((Sent { mail, shareable_link }, writes.puts(counted).puts(rows)))
    });
    sent.await
}

fn check(request: &SendRequest, scope: &Scope) -> Result<(), Issues> {
    let mut issues = Issues::default();
    request.letter.check(scope, &mut issues);
    if request.document_id.is_none() {
        let asked = [("attach_pdf", request.attach_pdf), ("attach_eslog", request.attach_eslog)];
        for (field, _) in asked.into_iter().filter(|(_, is_asked)| *is_asked) {
            let message = "a mail without document_id has nothing to attach; leave it out";
            issues.push(Issue::new("not_allowed", message).at(field));
        }
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
    cx: Context<'_>,
    document: Option<&Document>,
) -> Result<Option<BusinessUnit>, StoreError> {
    let id = document.and_then(|document| document.content.business_unit_id);
    let Some(id) = id else { return Ok(None) };
    Ok(live(cx.store.get(&BUSINESS_UNITS, &cx.tenant(), &id.to_string()).await?))
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
    let keys = kind.map(|kind| match kind {
        DocumentKind::Invoice => [setting::INVOICE_SUBJECT, setting::INVOICE_BODY],
        DocumentKind::Estimate => [setting::ESTIMATE_SUBJECT, setting::ESTIMATE_BODY],
        DocumentKind::CreditNote => [setting::CREDIT_NOTE_SUBJECT, setting::CREDIT_NOTE_BODY],
        DocumentKind::AdvanceInvoice => {
            [setting::ADVANCE_INVOICE_SUBJECT, setting::ADVANCE_INVOICE_BODY]
        }
        DocumentKind::DeliveryNote => [setting::DELIVERY_NOTE_SUBJECT, setting::DELIVERY_NOTE_BODY],
    });
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
