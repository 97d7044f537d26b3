//! What a customer still owes.

use racun_access::{Entity, setting};
use racun_catalog::events;
use racun_catalog::{CUSTOMERS, Customer};
use racun_documents::{Document, DocumentId, DocumentKind};
use racun_kernel::{Currency, Issue, Issues, Money, Scope};
use racun_mail::{MailKind, MailLimits, NewMail, OutgoingMail, Wording};
use racun_sales::documents::{live, today};
use racun_store::{Clause, Context, ListQuery, One, Operator, StoreError, Value, Writes};

use super::letter::{INSTRUCTIONS, Letter, LetterRequest, check_instructions, receivers};
use super::limits::{SendLimits, retried};
use super::{MailingError, values};
use crate::outbox::posted;

/// Invoices that one reminder lists at most.
const MAX_INVOICES: usize = 500;
/// Characters of payment instructions.
const MAX_INSTRUCTIONS_CHARS: usize = 2000;

/// What is to be reminded of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReminderRequest {
    /// Whom.
    pub customer_id: String,
    /// Where it goes; the customer's address when absent.
    pub recipient_email: Option<String>,
    /// How to pay, markdown with variables; the entity's when absent.
    pub payment_instructions: Option<String>,
    /// The currency, for a customer who owes in several.
    pub currency_code: Option<String>,
    /// Texts and language.
    pub letter: LetterRequest,
}

/// What was reminded of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reminded {
    /// The mail.
    pub mail: OutgoingMail,
    /// The ids of the invoices, the one that was due first first.
    pub invoice_ids: Vec<DocumentId>,
    /// What is left to pay of all of them.
    pub total: Money,
}

/// Reminds a customer of their overdue unpaid invoices. A reminder counts against limits of the
/// customer, which are as high as those of a document.
///
/// # Errors
/// [`MailingError`].
pub async fn remind(
    cx: Context<'_>,
    entity: &Entity,
    request: ReminderRequest,
    limits: MailLimits,
) -> Result<Reminded, MailingError> {
    retried(|| Box::pin(remind_once(cx, entity, request.clone(), limits))).await
}

async fn remind_once(
    cx: Context<'_>,
    entity: &Entity,
    request: ReminderRequest,
    limits: MailLimits,
) -> Result<Reminded, MailingError> {
    check(&request, cx.scope)?;
    let customer = customer(cx, &request.customer_id).await?;
    let to = request.recipient_email.clone().or_else(|| customer.email.clone());
    let to = to.ok_or_else(|| {
        let message = "the customer has no e-mail address; name one here";
        Issue::new("required", message).at("recipient_email")
    })?;
    let is_simulated = request.letter.sandbox_skip_delivery;
    let to = receivers(cx, &to, "recipient_email", is_simulated).await?;
    let overdue = overdue(cx, entity, &customer).await?;
    let (invoices, currency) = of_one_currency(overdue, &request)?;

    let limits = SendLimits::of_letter(cx.scope, customer.id.to_string(), &to, limits, cx.stamp);
    let letter = letter(&request, to, &invoices, entity);
    let mut unit = cx.unit();
    let _customer: One<Customer> = unit.hold(&CUSTOMERS, customer.id);
    let limits = limits.hold(&mut unit);
    let (entity, locale) = (entity.clone(), request.letter.locale(entity));
    let reminded = unit.decide(move |held| {
        let (actor, stamp) = (held.actor(), held.actor().stamp());
        let mut values = values::of_entity(&entity, None, &locale, stamp);
        values::set_reminder(&mut values, &customer, &invoices, currency, &locale);
        if let Some(instructions) = &request.payment_instructions {
            values.set_text(INSTRUCTIONS, Some(&**instructions));
        }
        let counted = limits.count(held)?;
        let (mail, rows) = posted(letter.filled(&values, stamp), is_simulated, stamp);
        let reminded = Reminded {
            mail,
            invoice_ids: invoices.iter().map(|invoice| invoice.id).collect(),
            total: Money { amount: values::open_total(&invoices), currency },
        };
        let event = actor.event(events::customer::REMINDED, customer.id);
        Ok((reminded, Writes::default().puts(counted).puts(rows).events([event])))
    });
    reminded.await
}

fn check(request: &ReminderRequest, scope: &Scope) -> Result<(), Issues> {
    let mut issues = Issues::default();
    request.letter.check(scope, &mut issues);
    let text = request.payment_instructions.as_deref();
    racun_kernel::text::check_field(&mut issues, INSTRUCTIONS, text, MAX_INSTRUCTIONS_CHARS);
    let known = check_instructions(text.unwrap_or_default());
    issues.collect(INSTRUCTIONS, known.map_err(Issues::from));
    issues.into_result(())
}

async fn customer(cx: Context<'_>, id: &str) -> Result<Customer, MailingError> {
    let found = match id.contains('\0') {
        true => None,
        false => live(cx.store.get::<Customer>(&CUSTOMERS, &cx.tenant(), id).await?),
    };
    let missing = || Issue::new("not_found", "there is no such customer in this entity");
    Ok(found.ok_or_else(|| missing().at("customer_id"))?)
}

/// The customer's invoices that were due before today and are not paid, the one that was due first
/// first.
async fn overdue(
    cx: Context<'_>,
    entity: &Entity,
    customer: &Customer,
) -> Result<Vec<Document>, StoreError> {
    let table = racun_documents::table_of(DocumentKind::Invoice);
    let clause = |field, operator| Clause::on(table, field, operator);
    let query = ListQuery {
        limit: MAX_INVOICES,
        count: false,
        clauses: vec![
            clause("customer_id", Operator::Equals(customer.id.into())),
            clause("is_draft", Operator::Equals(false.into())),
            clause("paid_in_full", Operator::Equals(false.into())),
            clause("voided_at", Operator::Equals(Value::Null)),
            clause("date_due", Operator::Lt(today(entity, cx.stamp).into())),
        ],
        ..ListQuery::first_page(table)
    };
    let mut found: Vec<Document> = cx.store.page(table, &cx.tenant(), &query).await?.rows;
    found.sort_by_key(|invoice| (invoice.content.date_due, invoice.id));
    Ok(found)
}

/// Those of `invoices` that are in the currency that the request names, or in the only one there
/// is.
fn of_one_currency(
    mut invoices: Vec<Document>,
    request: &ReminderRequest,
) -> Result<(Vec<Document>, Currency), MailingError> {
    if let Some(code) = &request.currency_code {
        let unknown = |error: racun_kernel::UnknownCurrency| {
            Issue::new("invalid_currency", error.to_string()).at("currency_code")
        };
        let currency: Currency = code.parse().map_err(unknown)?;
        invoices.retain(|invoice| invoice.content.currency == currency);
    }
    let currency = invoices.first().map(|invoice| invoice.content.currency);
    let currency = currency.ok_or(MailingError::NothingOverdue)?;
    if invoices.iter().any(|invoice| invoice.content.currency != currency) {
        let message = "the customer owes in several currencies; name the one to be reminded of";
        return Err(Issue::new("several_currencies", message).at("currency_code").into());
    }
    Ok((invoices, currency))
}

fn letter(
    request: &ReminderRequest,
    to: Vec<String>,
    invoices: &[Document],
    entity: &Entity,
) -> Letter {
    let locale = request.letter.locale(entity);
    let keys = [setting::REMINDER_SUBJECT, setting::REMINDER_BODY];
    let default = Wording::Reminder.words(&locale);
    let (subject, body) = request.letter.words(&[&entity.settings], Some(keys), &locale, default);
    let envelope = NewMail {
        account_id: Some(entity.account_id),
        entity_id: Some(entity.id),
        kind: MailKind::Reminder,
        about: invoices.iter().map(|invoice| invoice.id.to_string()).collect(),
        sender_name: Some(entity.name.clone()),
        reply_to: values::reply_to(entity, None),
        to,
        subject: String::new(),
        text: String::new(),
        html: None,
    };
    Letter { envelope, subject, body, must_use: Some("invoice_list") }
}
