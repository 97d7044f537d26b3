//! The job that hands mails over.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{
    AccessError, MailTokenPurpose, find_mail_locale, mint_invitation_token, mint_mail_token,
};
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, Outcome, still_held};
use racun_catalog::FileStorage;
use racun_fiscalization::Fiscal;
use racun_kernel::id::EntityId;
use racun_kernel::{Stamp, Tenant};
use racun_mail::{
    AttachedInvoice, MAILS, MailKind, MailState, OutgoingMail, SECRET, Wording, fill_line, to_html,
    to_plain,
};
use racun_mail::{Attachment, Mail, MailError, Mailbox, Mailer};
use racun_paper::page::Service;
use racun_sales::billing::LabelSource;
use racun_store::{Put, Record, Store, Writes};
use serde_json::Value as Json;

use super::invoices::{self, Scribe};
use super::people::RESET_PAGE;
use crate::exports::archive::mint_link;
use crate::outbox::{MAX_SUBJECT_CHARS, Sender, picture_apart};
use crate::printing::{PrintPdf, Printer, PrintingError, picture};
use crate::sharing;

/// Delivers mails: the handler of their jobs.
///
/// A mail is handed over twice only when the process dies, or the store fails, between handing it
/// over and noting that; both bear the same message id.
pub struct Postman {
    /// Where mails are kept.
    pub store: Arc<dyn Store>,
    /// Who carries them.
    pub mailer: Arc<dyn Mailer>,
    /// Who sets documents that go along.
    pub press: Arc<dyn PrintPdf>,
    /// Where their logos are.
    pub files: Arc<dyn FileStorage>,
    /// Who signs e-SLOG that goes along; `None` where private keys cannot be kept.
    pub fiscal: Option<Fiscal>,
    /// Where the white labels come from, in whose colours mails are.
    pub labels: LabelSource,
    /// The base of links in mails whose words are chosen on delivery.
    pub base: Arc<str>,
    /// Time and randomness.
    pub stamp: Arc<dyn Fn() -> Stamp + Send + Sync>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Attempt {
    /// It is the mail server's.
    Delivered,
    /// It is not.
    NotDelivered(MailError),
    /// It has no receiver, or its reason is gone. The mail is dropped.
    Dropped,
}

#[async_trait]
impl Handler for Postman {
    fn kind(&self) -> JobKind {
        JobKind::Mail
    }

    async fn run(&self, job: &Job) -> Outcome {
        let failed = |error: String| Outcome::Ends(Ending::Failed { error, wait: None });
        let store = &*self.store;
        let tenant = match serde_json::from_value::<Tenant>(Json::from(job.payload.as_str())) {
            Ok(tenant) => tenant,
            Err(error) => {
                return Outcome::Ends(Ending::Hopeless { error: error.to_string() });
            }
        };
        let mail = match store.get::<OutgoingMail>(&MAILS, &tenant, &job.subject).await {
            Ok(Some(mail)) if mail.state != MailState::Sent => mail,
            Ok(_) => return Outcome::Ends(Ending::Done),
            Err(error) => return failed(error.to_string()),
        };
        let attempt = match self.attempt(&mail, &(self.stamp)()).await {
            Ok(attempt) => attempt,
            Err(error) => return failed(error.to_string()),
        };
        match settle(store, job, &mail, attempt, &(self.stamp)()).await {
            // The worker that now holds the lease records how it ends.
            Ok(()) | Err(LeaseError::Lost) => Outcome::Ended,
            Err(LeaseError::Store(error)) => failed(error.to_string()),
        }
    }
}

impl Postman {
    /// Hands a mail over, with the token that it has a place for.
    async fn attempt(&self, mail: &OutgoingMail, stamp: &Stamp) -> Result<Attempt, AccessError> {
        let (store, mailer) = (&*self.store, &*self.mailer);
        let mut ready = mail.clone();
        let mut id = mail.id.to_string();
        if takes_secret(mail.kind) {
            let Some(secret) = secret(store, mail, stamp).await? else {
                return Ok(Attempt::Dropped);
            };
            if mail.kind == MailKind::PasswordReset {
                ready = in_their_language(store, &self.base, ready).await?;
            }
            ready.text = ready.text.replace(SECRET, &secret);
            ready.html = ready.html.map(|html| html.replace(SECRET, &secret));
            // Another attempt brings another token, so it is another message; also after an
            // attempt whose worker died before it was noted.
            id = format!("{id}_{}", stamp.ulid()).to_lowercase();
        }
        let (html, attachments) = match self.styled(&ready, stamp).await {
            Ok(styled) => styled,
            Err(error) => return Ok(Attempt::NotDelivered(error)),
        };
        let mailbox = |address: &String| Mailbox { name: None, address: address.clone() };
        let message = Mail {
            id,
            from: None,
            reply_to: ready.reply_to.map(|address| Mailbox { name: ready.sender_name, address }),
            to: ready.to.iter().map(mailbox).collect(),
            subject: ready.subject,
            text: ready.text,
            html,
            attachments,
        };
        Ok(match mailer.send(&message).await {
            Ok(()) => Attempt::Delivered,
            Err(error) => Attempt::NotDelivered(error),
        })
    }
}

/// The HTML of a mail, and what goes along with it.
type Styled = (Option<String>, Vec<Attachment>);

impl Postman {
    /// `mail` in the style of the document that it is about, as that is now, and with it as PDF
    /// and as an electronic invoice where that was asked for. A mail to a user is in its style
    /// already; the logo in it goes along.
    ///
    /// # Errors
    /// [`MailError::Refused`] where it is no longer the electronic invoice that was asked for; else
    /// it may be set, or its logo read, at the next attempt.
    async fn styled(&self, mail: &OutgoingMail, stamp: &Stamp) -> Result<Styled, MailError> {
        let passing = |error: PrintingError| MailError::Temporary(error.to_string());
        let plain = || (mail.html.clone(), Vec::new());
        if is_to_user(mail.kind) {
            let apart = mail.html.as_deref().and_then(picture_apart);
            return Ok(apart.map_or_else(plain, |(html, logo)| (Some(html), vec![logo])));
        }
        let id = mail.about.first().and_then(|id| id.parse().ok());
        let locale = mail.locale.as_ref().or(mail.attached_pdf.as_ref());
        let (Some(locale), Some(entity), Some(id)) = (locale, mail.entity_id, id) else {
            return Ok(plain());
        };
        let from = Printer { store: &*self.store, files: &*self.files, press: &*self.press };
        let paper = from.paper(entity, id, locale, stamp).await.map_err(passing)?;
        let Some(paper) = paper else { return Ok(plain()) };
        let (mut html, mut attachments) = plain();
        if let Some(text) = &mut html {
            let service = self.service(entity).await?;
            let letter = paper.letter(text, service.as_ref());
            attachments.extend(
                letter
                    .pictures
                    .into_iter()
                    .map(|(id, shown)| picture(id, &shown.media_type, shown.bytes.clone())),
            );
            *text = letter.html;
        }
        let scribe = Scribe { store: &*self.store, fiscal: self.fiscal.as_ref() };
        let mut is_hybrid = false;
        for invoice in mail.attached_invoices.iter().copied() {
            let xml = scribe.xml(entity, id, invoice, stamp).await?;
            attachments.push(match invoice {
                AttachedInvoice::Zugferd => {
                    is_hybrid = true;
                    from.hybrid(paper.clone(), xml).await.map_err(|error| passing(error.into()))?
                }
                AttachedInvoice::Eslog | AttachedInvoice::XRechnung => invoices::file(&paper, xml),
            });
        }
        // A hybrid is the PDF, with more in it.
        if mail.attached_pdf.is_some() && !is_hybrid {
            attachments.push(from.attachment(paper).await.map_err(|error| passing(error.into()))?);
        }
        Ok((html, attachments))
    }
}

impl Postman {
    /// The white label of the account of `entity`, where it has one.
    async fn service(&self, entity: EntityId) -> Result<Option<Service>, MailError> {
        let found = sharing::service_of(&*self.store, &self.labels, entity).await;
        found.map_err(|error| MailError::Temporary(error.to_string()))
    }
}

const fn takes_secret(kind: MailKind) -> bool {
    match kind {
        MailKind::PasswordReset
        | MailKind::Verification
        | MailKind::Invitation
        | MailKind::Export => true,
        MailKind::Document | MailKind::Reminder | MailKind::WebhookDisabled | MailKind::Billing => {
            false
        }
    }
}

/// Whether it goes to a user, in the name of the service, and not to a customer.
const fn is_to_user(kind: MailKind) -> bool {
    match kind {
        MailKind::Document | MailKind::Reminder => false,
        MailKind::PasswordReset
        | MailKind::Verification
        | MailKind::Invitation
        | MailKind::Export
        | MailKind::WebhookDisabled
        | MailKind::Billing => true,
    }
}

/// Makes the token of a mail; `None` when it has no receiver.
async fn secret(
    store: &dyn Store,
    mail: &OutgoingMail,
    stamp: &Stamp,
) -> Result<Option<String>, AccessError> {
    let Some(address) = mail.to.first() else { return Ok(None) };
    let purpose = match mail.kind {
        MailKind::PasswordReset => MailTokenPurpose::PasswordReset,
        MailKind::Invitation => {
            let about = mail.entity_id.zip(mail.about.first());
            let Some((entity, invitation)) = about else { return Ok(None) };
            return mint_invitation_token(store, entity, invitation, stamp).await;
        }
        MailKind::Export => {
            let about = mail.account_id.zip(mail.about.first());
            let Some((account, export)) = about else { return Ok(None) };
            return Ok(mint_link(store, account, export, stamp).await?);
        }
        _ => MailTokenPurpose::Verification,
    };
    mint_mail_token(store, address, purpose, stamp).await
}

/// The mail about a new password in the language of the address's user, who was not looked up when
/// it was queued.
async fn in_their_language(
    store: &dyn Store,
    base: &str,
    mail: OutgoingMail,
) -> Result<OutgoingMail, AccessError> {
    let address = mail.to.first().map(String::as_str).unwrap_or_default();
    let Some(locale) = find_mail_locale(store, address).await? else { return Ok(mail) };
    let words = Wording::PasswordReset.words(&locale);
    let sender = match &mail.brand {
        Some(brand) => Sender::branded(base, brand.clone()),
        None => Sender::of(base, None),
    };
    let values = sender.values(RESET_PAGE, &locale);
    let subject = fill_line(words.subject, &values, MAX_SUBJECT_CHARS);
    let html = Some(sender.dressed(to_html(words.body, &values)));
    Ok(OutgoingMail { subject, text: to_plain(words.body, &values), html, ..mail })
}

/// Notes what became of an attempt, on the mail and on its job at once.
async fn settle(
    store: &dyn Store,
    job: &Job,
    mail: &OutgoingMail,
    attempt: Attempt,
    stamp: &Stamp,
) -> Result<(), LeaseError> {
    let (job, now) = (job.clone(), stamp.now());
    let mut unit = store.unit(mail.tenant());
    let (own, mail) = (job.hold(&mut unit), unit.hold(&MAILS, mail.id));
    unit.decide(move |unit| {
        let held = still_held(&job, unit.find(own)?)?;
        let before: OutgoingMail = unit.one(mail)?;
        // The job's row is on the store's clock.
        let due = unit.now().unwrap_or(now) + job.wait();
        let is_last = job.attempts >= job.max_attempts;
        let puts = match attempt {
            Attempt::Dropped => vec![Put::delete(&before), held.done()],
            Attempt::Delivered => {
                let after = before.clone().delivered(now);
                vec![Put::update(&before, &after), held.done()]
            }
            Attempt::NotDelivered(error) => {
                let is_last = is_last || matches!(error, MailError::Refused(_));
                let error = error.to_string();
                let after = before.clone().not_delivered(&error, is_last, now);
                let end = match is_last {
                    true => held.bury(&error, now),
                    false => held.again(due, &error, now),
                };
                vec![Put::update(&before, &after), end]
            }
        };
        Ok(((), Writes::default().puts(puts)))
    })
    .await
}
