//! What a caller says of a recurring invoice.

use racun_kernel::id::EntityId;
use racun_kernel::text::check_field;
use racun_kernel::{Issue, Issues, Metadata, Patch, Stamp};
use serde::{Deserialize, Serialize};
use time::Date;

use super::{Frequency, Pattern, RecurringInvoice, Schedule, Status};
use crate::{DocumentId, DocumentKind};

/// The part of a recurring invoice that requests decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What its owner calls it.
    pub name: String,
    /// When it runs.
    pub schedule: Schedule,
    /// Whether its invoices are sent as they are made.
    pub auto_send: bool,
    /// Whether its invoices are left as drafts.
    pub create_as_draft: bool,
    /// E-mail address that its invoices go to.
    pub send_to: Option<String>,
    /// Days from an invoice's date to its due date; the entity's default when missing.
    pub payment_terms_days: Option<i64>,
    /// Whether its owner is notified of what it makes.
    pub notify_owner: bool,
    /// The caller's properties.
    pub metadata: Metadata,
}

/// What a caller says of a recurring invoice. A new one needs `document_id`, `name`, `frequency`
/// and `start_date`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecurringInput {
    /// The invoice to copy. Only for a new one: what an update says of it is ignored.
    pub document_id: Patch<DocumentId>,
    /// See [`Terms::name`]. Not blank, at most [`RecurringInput::MAX_NAME_CHARS`].
    pub name: Patch<String>,
    /// See [`Pattern::frequency`]; so the six below.
    pub frequency: Patch<Frequency>,
    /// 1 when missing.
    pub interval: Patch<i64>,
    /// 0, Sunday, to 6.
    pub day_of_week: Patch<i64>,
    /// 1 to 31.
    pub day_of_month: Patch<i64>,
    /// 1 to 12.
    pub month_of_year: Patch<i64>,
    /// First day.
    pub start_date: Patch<Date>,
    /// Last day.
    pub end_date: Patch<Date>,
    /// False when missing.
    pub auto_send: Patch<bool>,
    /// False when missing.
    pub create_as_draft: Patch<bool>,
    /// One e-mail address.
    pub send_to: Patch<String>,
    /// 0 to [`RecurringInput::MAX_PAYMENT_TERMS_DAYS`].
    pub payment_terms_days: Patch<i64>,
    /// True when missing.
    pub notify_owner: Patch<bool>,
    /// What the caller attaches; replaces all that was attached.
    pub metadata: Patch<Metadata>,
}

impl RecurringInput {
    /// Characters that a name may hold.
    pub const MAX_NAME_CHARS: usize = 255;
    /// Characters that an e-mail address may hold.
    pub const MAX_EMAIL_CHARS: usize = 255;
    /// The longest time to pay, in days: ten years.
    pub const MAX_PAYMENT_TERMS_DAYS: i64 = 3650;

    /// The new recurring invoice that this describes: active, its first run ahead. A start in the
    /// past is allowed; its runs are then caught up, an invoice each.
    ///
    /// # Errors
    /// All that is wrong, by path; also dates between which no run lies.
    pub fn into_recurring(
        mut self,
        entity_id: EntityId,
        stamp: &Stamp,
    ) -> Result<RecurringInvoice, Issues> {
        let mut issues = Issues::default();
        let document_id =
            required("document_id", std::mem::take(&mut self.document_id), None, &mut issues);
        if document_id.is_some_and(|id| id.kind() != DocumentKind::Invoice) {
            let message = "expected the id of an invoice, which starts with inv_";
            issues.push(Issue::new("invalid_value", message).at("document_id"));
        }
        let terms = noted(self.into_terms(None), &mut issues);
        let next_run_date = terms.as_ref().and_then(|terms| terms.schedule.first());
        if terms.is_some() && next_run_date.is_none() {
            let message =
                "no day from start_date to end_date fits the schedule; choose a later end";
            issues.push(Issue::new("no_run", message).at("end_date"));
        }
        let (Some(document_id), Some(terms)) = (document_id, terms) else { return Err(issues) };
        issues.into_result(RecurringInvoice {
            id: stamp.id(),
            entity_id,
            document_id,
            terms,
            status: Status::Active,
            next_run_date,
            last_run_date: None,
            settled_to: None,
            rests: Vec::new(),
            invoices_generated: 0,
            last_generated_invoice_id: None,
            last_error: None,
            last_error_at: None,
            failed_attempts: 0,
            retry_on: None,
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        })
    }

    /// The terms that this makes of those `kept`, or of nothing.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub(super) fn into_terms(self, kept: Option<Terms>) -> Result<Terms, Issues> {
        let mut issues = Issues::default();
        let before = kept.as_ref().map(|terms| *terms.schedule.pattern());
        let kept_name = kept.as_ref().map(|terms| terms.name.clone());
        let name = required("name", self.name, kept_name, &mut issues);
        check_name(name.as_deref(), &mut issues);
        let kept_frequency = before.map(|pattern| pattern.frequency);
        let frequency = required("frequency", self.frequency, kept_frequency, &mut issues);
        let kept_start = before.map(|pattern| pattern.start_date);
        let start_date = required("start_date", self.start_date, kept_start, &mut issues);
        // A missing frequency or start is an issue already: the substitute here lets the other
        // fields be checked in the same pass.
        let mut pattern = before.unwrap_or(NO_PATTERN);
        pattern.frequency = frequency.unwrap_or(pattern.frequency);
        pattern.start_date = start_date.unwrap_or(pattern.start_date);
        self.interval.apply_or(&mut pattern.interval, 1);
        self.day_of_week.apply(&mut pattern.day_of_week);
        self.day_of_month.apply(&mut pattern.day_of_month);
        self.month_of_year.apply(&mut pattern.month_of_year);
        self.end_date.apply(&mut pattern.end_date);
        let schedule = noted(Schedule::new(pattern), &mut issues);
        check_email(self.send_to.value(), &mut issues);
        check_days(self.payment_terms_days.value().copied(), &mut issues);
        let (Some(name), Some(schedule)) = (name, schedule) else { return Err(issues) };
        let mut terms = kept.unwrap_or_else(|| Terms {
            name: String::new(),
            schedule,
            auto_send: false,
            create_as_draft: false,
            send_to: None,
            payment_terms_days: None,
            notify_owner: true,
            metadata: Metadata::default(),
        });
        terms.name = name;
        terms.schedule = schedule;
        self.auto_send.apply_or(&mut terms.auto_send, false);
        self.create_as_draft.apply_or(&mut terms.create_as_draft, false);
        self.send_to.apply(&mut terms.send_to);
        self.payment_terms_days.apply(&mut terms.payment_terms_days);
        self.notify_owner.apply_or(&mut terms.notify_owner, true);
        self.metadata.apply_or(&mut terms.metadata, Metadata::default());
        issues.into_result(terms)
    }
}

/// What a new pattern's fields are until the request says them.
const NO_PATTERN: Pattern = Pattern {
    frequency: Frequency::Daily,
    interval: 1,
    day_of_week: None,
    day_of_month: None,
    month_of_year: None,
    start_date: Date::MIN,
    end_date: None,
};

/// A field that must hold a value: the one sent, or the one kept.
fn required<T>(field: &str, sent: Patch<T>, kept: Option<T>, issues: &mut Issues) -> Option<T> {
    let value = match sent {
        Patch::Absent => kept,
        Patch::Null => None,
        Patch::Value(value) => Some(value),
    };
    if value.is_none() {
        issues.push(Issue::new("required", "a value is needed").at(field));
    }
    value
}

/// The value of `result`, or its issues noted.
fn noted<T>(result: Result<T, Issues>, issues: &mut Issues) -> Option<T> {
    result.map_err(|wrong| wrong.iter().for_each(|issue| issues.push(issue.clone()))).ok()
}

fn check_name(name: Option<&str>, issues: &mut Issues) {
    if name.is_some_and(|name| name.trim().is_empty()) {
        let message = "must hold at least one character that is not blank";
        issues.push(Issue::new("required", message).at("name"));
    }
    check_field(issues, "name", name, RecurringInput::MAX_NAME_CHARS);
}

/// What looks like one e-mail address: one `@`, something before it and a dotted domain behind it.
fn check_email(address: Option<&String>, issues: &mut Issues) {
    let Some(address) = address else { return };
    check_field(issues, "send_to", Some(address), RecurringInput::MAX_EMAIL_CHARS);
    let one_word = !address.chars().any(|c| c.is_whitespace() || c.is_control() || c == ',');
    let dotted = |domain: &str| domain.contains('.') && !domain.split('.').any(str::is_empty);
    let looks_right = address.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.contains('@') && dotted(domain)
    });
    if !(one_word && looks_right) {
        let message = "expected one e-mail address such as ana@example.com, or null for none";
        issues.push(Issue::new("invalid_email", message).at("send_to"));
    }
}

fn check_days(days: Option<i64>, issues: &mut Issues) {
    let most = RecurringInput::MAX_PAYMENT_TERMS_DAYS;
    if days.is_some_and(|days| !(0..=most).contains(&days)) {
        let message = format!("must be from 0 to {most}");
        issues.push(Issue::new("out_of_range", message).at("payment_terms_days"));
    }
}
