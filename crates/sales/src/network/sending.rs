//! A submission, stored with its job and counted, before anything is sent.

use racun_access::{Entity, setting};
use racun_background::jobs::{Job, JobKind, NewJob};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, Stage};
use racun_einvoicing::network::{
    Enrollment, NetworkDocument, NewSubmission, Participant, SUBMISSIONS, Submission,
    SubmissionEvent,
};
use racun_einvoicing::{Facts, Finding, Specification, Syntax, Verdict, write};
use racun_kernel::{Issue, Issues, Stamp};
use racun_records::get_document;
use racun_store::{Clause, Context, ListQuery, Many, One, Operator, Page, RawQuery, Writes};

use super::enrolling::enrollment;
use super::events::e_invoicing as events;
use super::recipient::{self, RecipientRequest};
use crate::billing::Meter;
use crate::einvoicing;
use crate::error::{Error, NetworkRefused};

/// The error of a submission of which it cannot be told who gets it.
pub(super) const NO_RECIPIENT: &str = "no_recipient";

/// To whom a document is to be sent; what is missing the document says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendRequest {
    /// The recipient's identifier.
    pub recipient_peppol_id: Option<String>,
    /// Its scheme.
    pub recipient_scheme_id: Option<String>,
    /// The recipient's name.
    pub recipient_name: Option<String>,
}

/// A submission, and whether it was made now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The submission.
    pub submission: Submission,
    /// Whether this request made it: a document that was sent before is not sent again.
    pub is_new: bool,
}

/// Has the document `id` sent. One that was sent before answers its first submission; one whose
/// submission failed for certain gets another; one that was given up without an answer goes on
/// under its key.
///
/// # Errors
/// An entity that may not send, a document that is not to be sent or breaks rules, a recipient that
/// is none, a plan that does not allow it, or the store's failure. Nothing is then written.
pub async fn send(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
    request: SendRequest,
) -> Result<Sent, Error> {
    let document = get_document(cx, id).await?;
    let kind = kind_of(&document)?;
    let enrolled = enrollment(cx).await?;
    if !entity.settings.get(setting::E_INVOICING_ENABLED).unwrap_or(false) {
        return Err(NetworkRefused::NotEnabled.into());
    }
    let (sender, account) = sender_of(&enrolled)?;
    let default = enrolled.default_scheme_id.as_deref();
    let recipient = recipient_of(&document, &request, default)?;
    let name = document.content.customer.as_ref().and_then(|customer| customer.name.clone());
    let new = NewSubmission {
        id: cx.stamp.id(),
        entity_id: entity.id,
        environment: entity.environment,
        document_id: id,
        document: kind,
        xml: xml(cx, entity, &document, (&sender, &recipient)).await?,
        sender,
        account,
        recipient: Some(recipient),
        recipient_name: request.recipient_name.or(name),
    };
    store(cx, entity, Submission::new(new, cx.now())).await
}

/// Who sends, and the provider's name for it.
fn sender_of(enrolled: &Enrollment) -> Result<(Participant, String), NetworkRefused> {
    let sender = enrolled.sender.clone().zip(enrolled.account.clone());
    let sender = sender.filter(|_| enrolled.state.allows_sending());
    sender.ok_or(NetworkRefused::NotEnrolled(enrolled.state))
}

/// What of a document itself keeps it from being sent, for programs and for people: no later
/// attempt finds it otherwise. `None` for what may pass.
fn lasting(error: &Error) -> Option<(&'static str, String)> {
    match error {
        Error::Network(refused @ NetworkRefused::Invalid(_)) => {
            Some((refused.code(), refused.to_string()))
        }
        Error::Document(DocumentError::Invalid(issues)) => Some((NO_RECIPIENT, issues.to_string())),
        _ => None,
    }
}

/// Notes that the document `id` cannot be sent because of `refused`, as a submission that failed
/// before it began: where documents are sent by themselves, no caller reads the refusal. Answers
/// whether that is so; what may pass is not noted, and a document that has a submission has that.
pub(super) async fn note_failure(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
    refused: &Error,
) -> Result<bool, Error> {
    let Some((code, message)) = lasting(refused) else { return Ok(false) };
    let document = get_document(cx, id).await?;
    let enrolled = enrollment(cx).await?;
    let (sender, account) = sender_of(&enrolled)?;
    let default = enrolled.default_scheme_id.as_deref();
    let customer = document.content.customer.as_ref();
    let new = NewSubmission {
        id: cx.stamp.id(),
        entity_id: entity.id,
        environment: entity.environment,
        document_id: id,
        document: kind_of(&document)?,
        xml: String::new(),
        sender,
        account,
        recipient: recipient::of_customer(customer, default).ok().flatten(),
        recipient_name: customer.and_then(|customer| customer.name.clone()),
    };
    let event = SubmissionEvent::Refused { code: code.to_owned(), message };
    let failed = Submission::new(new, cx.now()).after(event, cx.now());
    let mut unit = cx.unit();
    let document: One<Document> = unit.hold(racun_documents::table_of(id.kind()), id);
    let known: Many<Submission> = unit.hold_where(&SUBMISSIONS, "document_id", id.to_string());
    unit.decide(move |held| {
        held.one(document)?;
        let known: Vec<Submission> = held.all(known)?;
        if !known.is_empty() {
            return Ok((true, Writes::default()));
        }
        let happened = [events::SUBMISSION_CREATED, events::SUBMISSION_FAILED];
        let happened = happened.map(|kind| held.actor().event(kind, failed.id));
        Ok((true, Writes::default().insert(&failed).events(happened)))
    })
    .await
}

/// What the network calls the document, when it is to be sent.
fn kind_of(document: &Document) -> Result<NetworkDocument, Error> {
    let is_issued = matches!(document.stage, Stage::Issued(_));
    match document.id.kind() {
        DocumentKind::Invoice if is_issued => Ok(NetworkDocument::Invoice),
        DocumentKind::CreditNote if is_issued => Ok(NetworkDocument::CreditNote),
        _ => Err(NetworkRefused::NotToSend.into()),
    }
}

fn recipient_of(
    document: &Document,
    request: &SendRequest,
    default: Option<&str>,
) -> Result<Participant, Issues> {
    if let Some(id) = &request.recipient_peppol_id {
        let asked = RecipientRequest {
            id,
            scheme: request.recipient_scheme_id.as_deref(),
            id_field: "recipient_peppol_id",
            scheme_field: "recipient_scheme_id",
        };
        return asked.read(default);
    }
    if request.recipient_scheme_id.is_some() {
        let message = "a scheme says nothing without recipient_peppol_id: send both, or none";
        return Err(Issue::new("conflicting", message).at("recipient_scheme_id").into());
    }
    let found = recipient::of_customer(document.content.customer.as_ref(), default)?;
    found.ok_or_else(|| {
        let message = "the document's customer has no peppol_id: say to whom it goes";
        Issue::new("required", message).at("recipient_peppol_id").into()
    })
}

/// The document as Peppol BIS, from and to these parties.
async fn xml(
    cx: Context<'_>,
    entity: &Entity,
    document: &Document,
    (sender, recipient): (&Participant, &Participant),
) -> Result<String, Error> {
    let facts = einvoicing::facts(cx, entity, document).await?;
    let mut facts: Facts = facts.ok_or(NetworkRefused::NotToSend)?;
    let at = |party: &mut racun_einvoicing::Party, own: &Participant| {
        party.peppol_id = Some(own.id().to_owned());
        party.peppol_scheme_id = Some(own.scheme().to_owned());
    };
    at(&mut facts.issuer, sender);
    if let Some(customer) = &mut facts.customer {
        at(customer, recipient);
    }
    match write(&facts, Specification::Peppol, Syntax::Ubl) {
        Ok(written) => Ok(written.xml),
        Err(verdict) => Err(NetworkRefused::Invalid(issues(&verdict)).into()),
    }
}

fn issues(verdict: &Verdict) -> Issues {
    let mut issues = Issues::default();
    verdict.errors().map(Finding::issue).for_each(|issue| issues.push(issue));
    issues
}

/// Stores `submission` with its job, unless the document has one that did not fail for certain.
async fn store(cx: Context<'_>, entity: &Entity, submission: Submission) -> Result<Sent, Error> {
    let mut unit = cx.unit();
    let id = submission.document_id;
    // The document, so that of two requests at once one waits for the other.
    let document: One<Document> = unit.hold(racun_documents::table_of(id.kind()), id);
    let known: Many<Submission> = unit.hold_where(&SUBMISSIONS, "document_id", id.to_string());
    let meter = Meter::hold(&mut unit, entity, false);
    unit.decide(move |held| {
        let actor = held.actor();
        kind_of(&held.one(document)?)?;
        let known: Vec<Submission> = held.all(known)?;
        if let Some(before) = known.into_iter().find(|known| !known.may_be_replaced()) {
            let after = before.clone().ordered_again(actor.now());
            let mut writes = Writes::default();
            if after != before {
                writes = writes.update(&before, &after).put(job(&after, actor.stamp()).put());
            }
            return Ok((Sent { submission: after, is_new: false }, writes));
        }
        let counted = meter.count_sending(held)?;
        let created = actor.event(events::SUBMISSION_CREATED, submission.id);
        let writes = Writes::default()
            .insert(&submission)
            .put(job(&submission, actor.stamp()).put())
            .events([created])
            .and(counted);
        Ok((Sent { submission, is_new: true }, writes))
    })
    .await
}

pub(super) fn job(submission: &Submission, stamp: &Stamp) -> Job {
    let new = NewJob {
        kind: JobKind::EInvoiceSubmission,
        entity_id: Some(submission.entity_id),
        subject: submission.id.to_string(),
        payload: submission.entity_id.to_string(),
    };
    Job::new(new, stamp)
}

/// The page of submissions of the document `id` that `raw` asks for.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], what in `raw` cannot be understood, or the store's
/// failure.
pub async fn submissions(
    cx: Context<'_>,
    id: DocumentId,
    raw: &RawQuery,
) -> Result<Page<Submission>, Error> {
    get_document(cx, id).await?;
    let mut query = ListQuery::parse(&SUBMISSIONS, raw)?;
    let own = Operator::Equals(id.to_string().into());
    query.clauses.push(Clause::on(&SUBMISSIONS, "document_id", own));
    Ok(cx.page(&SUBMISSIONS, &query).await?)
}
