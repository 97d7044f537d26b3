//! The job that hands mails over.

use racun_access::{
    AccessError, MailTokenPurpose, find_mail_locale, mint_invitation_token, mint_mail_token,
};
use racun_kernel::{
    Clause, ListQuery, Load, Mail, MailError, Mailbox, Mailer, Operator, Order, Put, Record, Stamp,
    Store, StoreError, Tenant, Writes,
};
use racun_mail::{
    After, DUE_MAILS, DueMail, MAILS, MailKind, MailState, OutgoingMail, SECRET, Values, Wording,
    fill, to_html,
};
use time::Duration;

/// How long an attempt may take before another worker takes the mail over.
const LEASE: Duration = Duration::minutes(5);
/// Mails that one run delivers at most.
const RUN: usize = 200;
/// Attempts of a run that the mail server may leave without success, one after the other, before the
/// run ends: the next one tries again.
const MAX_SILENCES: usize = 3;

/// The rows of a mail that is to be delivered: the mail, and its place among those that are due.
///
/// For whoever has something to say by e-mail: written in the commit of what it tells of.
#[must_use]
pub fn enqueue(mail: &OutgoingMail) -> Vec<Put> {
    vec![Put::insert(mail), Put::insert(&DueMail::of(mail))]
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Mails handed over.
    pub sent: usize,
    /// Mails that will not be delivered, with the reason, for the log.
    pub failed: Vec<(String, String)>,
    /// Mails that are tried again later.
    pub put_off: usize,
    /// Whether more was due than one run takes.
    pub has_more: bool,
}

/// What became of one mail.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It is the mail server's.
    Delivered,
    /// It is not.
    NotDelivered(MailError),
    /// There is nobody who should get it, or nothing to say any more. The mail is forgotten.
    Dropped,
}

/// Delivers the mails that are due, earliest first.
///
/// Any number of workers may run at once: each holds a lease on the mail that it delivers. A mail is
/// delivered twice only when a worker dies, or the store fails, between handing it over and noting that;
/// both bear the same message id.
///
/// # Errors
/// When what is due cannot be read.
pub async fn run_due(
    store: &dyn Store,
    mailer: &dyn Mailer,
    stamp: &(dyn Fn() -> Stamp + Sync),
) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let query = ListQuery {
        limit: RUN,
        count: false,
        clauses: vec![Clause::on(&DUE_MAILS, "due_at", Operator::Lte(stamp().now().into()))],
        order: vec![Order::on(&DUE_MAILS, "due_at", false)],
        ..ListQuery::first_page(&DUE_MAILS)
    };
    let page = store.page::<DueMail>(&DUE_MAILS, &Tenant::directory(), &query).await?;
    report.has_more = page.rows.len() >= RUN;
    let mut silences = 0;
    for due in page.rows {
        let Some(mail) = begin(store, &due, &stamp()).await? else { continue };
        let outcome = attempt(store, mailer, &mail, &stamp()).await;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(AccessError::Store(error)) => return Err(error),
            Err(other) => Outcome::NotDelivered(MailError::Refused(other.to_string())),
        };
        let temporary = matches!(outcome, Outcome::NotDelivered(MailError::Temporary(_)));
        settle(store, &due, outcome, &mut report, &stamp()).await?;
        silences = if temporary { silences + 1 } else { 0 };
        if silences >= MAX_SILENCES {
            report.has_more = false;
            break;
        }
    }
    Ok(report)
}

fn loads(due: &DueMail) -> Vec<Load> {
    let id = due.mail_id.to_string();
    vec![
        Load::One { table: &DUE_MAILS, tenant: Tenant::directory(), id: id.clone() },
        Load::One { table: &MAILS, tenant: due.of.tenant(), id },
    ]
}

type Held = (Option<DueMail>, Option<OutgoingMail>);

fn held(rows: &[Vec<racun_kernel::Stored>]) -> Result<Held, StoreError> {
    let row = |n: usize| rows.get(n).and_then(|rows| rows.first());
    let due = row(0).map(|row| row.read(&DUE_MAILS)).transpose()?;
    let mail = row(1).map(|row| row.read(&MAILS)).transpose()?;
    Ok((due, mail))
}

/// Takes the lease of a mail; `None` when another worker has it, or it is done.
async fn begin(
    store: &dyn Store,
    due: &DueMail,
    stamp: &Stamp,
) -> Result<Option<OutgoingMail>, StoreError> {
    let now = stamp.now();
    store
        .decide(loads(due), None, move |loaded| {
            // Leases of all processes are decided on one clock.
            let now = loaded.now.unwrap_or(now);
            let (Some(due), mail) = held(&loaded.rows)? else {
                return Ok((None, Writes::default()));
            };
            if due.due_at > now {
                return Ok((None, Writes::default()));
            }
            let Some(mail) = mail.filter(|mail| mail.state == MailState::Queued) else {
                let puts = vec![Put::delete(&due)];
                return Ok((None, Writes { puts, ..Writes::default() }));
            };
            let leased = DueMail { due_at: now + LEASE, ..due.clone() };
            let puts = vec![Put::update(&due, &leased)];
            Ok((Some(mail), Writes { puts, ..Writes::default() }))
        })
        .await
}

/// Hands a mail over, with the token that it has a place for.
async fn attempt(
    store: &dyn Store,
    mailer: &dyn Mailer,
    mail: &OutgoingMail,
    stamp: &Stamp,
) -> Result<Outcome, AccessError> {
    let mut ready = mail.clone();
    let mut id = mail.id.to_string();
    if takes_secret(mail.kind) {
        let Some(secret) = secret(store, mail, stamp).await? else { return Ok(Outcome::Dropped) };
        if mail.kind == MailKind::PasswordReset {
            ready = in_their_language(store, ready).await?;
        }
        ready.text = ready.text.replace(SECRET, &secret);
        ready.html = ready.html.map(|html| html.replace(SECRET, &secret));
        // Another attempt brings another token, so it is another message.
        id = format!("{id}.{}", mail.attempts + 1);
    }
    let mailbox = |address: &String| Mailbox { name: None, address: address.clone() };
    let message = Mail {
        id,
        from: None,
        reply_to: ready.reply_to.map(|address| Mailbox { name: ready.sender_name, address }),
        to: ready.to.iter().map(mailbox).collect(),
        subject: ready.subject,
        text: ready.text,
        html: ready.html,
        attachments: Vec::new(),
    };
    Ok(match mailer.send(&message).await {
        Ok(()) => Outcome::Delivered,
        Err(error) => Outcome::NotDelivered(error),
    })
}

const fn takes_secret(kind: MailKind) -> bool {
    match kind {
        MailKind::PasswordReset | MailKind::Verification | MailKind::Invitation => true,
        MailKind::Document | MailKind::Reminder | MailKind::WebhookDisabled | MailKind::Billing => {
            false
        }
    }
}

/// Makes the token of a mail; `None` when there is nobody who should get one.
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
        _ => MailTokenPurpose::Verification,
    };
    mint_mail_token(store, address, purpose, stamp).await
}

/// The mail about a new password in the language of whoever has the address: nobody was looked up when
/// it was queued.
async fn in_their_language(
    store: &dyn Store,
    mail: OutgoingMail,
) -> Result<OutgoingMail, AccessError> {
    let address = mail.to.first().map(String::as_str).unwrap_or_default();
    let Some(locale) = find_mail_locale(store, address).await? else { return Ok(mail) };
    let words = Wording::PasswordReset.words(&locale);
    let mut values = Values::default();
    values.set("token", Some(SECRET));
    let (text, html) = (fill(words.body, &values), Some(to_html(words.body, &values)));
    Ok(OutgoingMail { subject: words.subject.to_owned(), text, html, ..mail })
}

/// Notes what became of an attempt.
async fn settle(
    store: &dyn Store,
    due: &DueMail,
    outcome: Outcome,
    report: &mut Report,
    stamp: &Stamp,
) -> Result<(), StoreError> {
    let now = stamp.now();
    let noted = store
        .decide(loads(due), None, move |loaded| {
            let (due, mail) = held(&loaded.rows)?;
            let mut puts = Vec::new();
            let mut put_off_to = None;
            let mut noted = None;
            if let Some(before) = mail.filter(|mail| mail.state == MailState::Queued) {
                let after = match outcome {
                    Outcome::Dropped => None,
                    Outcome::Delivered => Some(before.clone().delivered(now)),
                    Outcome::NotDelivered(error) => {
                        let (mail, after) = before.clone().not_delivered(&error, now);
                        if let After::Again(at) = after {
                            put_off_to = Some(at);
                        }
                        Some(mail)
                    }
                };
                puts.push(match &after {
                    Some(after) => Put::update(&before, after),
                    None => Put::delete(&before),
                });
                noted = after;
            }
            if let Some(due) = due {
                puts.push(match put_off_to {
                    Some(due_at) => Put::update(&due, &DueMail { due_at, ..due.clone() }),
                    None => Put::delete(&due),
                });
            }
            Ok((noted, Writes { puts, ..Writes::default() }))
        })
        .await;
    match noted {
        Ok(Some(mail)) => match mail.state {
            MailState::Sent => report.sent += 1,
            MailState::Queued => report.put_off += 1,
            MailState::Failed => {
                report.failed.push((Record::id(&mail), mail.error.unwrap_or_default()));
            }
        },
        Ok(None) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}
