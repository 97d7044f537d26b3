//! The recurring invoice, its states and every transition.

use racun_kernel::Tenant;
use racun_kernel::id::{EntityId, RecurringInvoiceId};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use super::{RecurrenceError, RecurrenceRefused, RecurringInput, Terms};
use crate::DocumentId;

/// Failed attempts in a row after which a recurring invoice is paused.
pub const MAX_FAILED_ATTEMPTS: i64 = 7;
/// Characters that are kept of an error.
const MAX_ERROR_CHARS: usize = 1000;

/// Whether a recurring invoice makes invoices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It does.
    Active,
    /// It does not until it is resumed.
    Paused,
    /// It has no run left.
    Completed,
}

impl Status {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
        }
    }
}

/// Days whose runs are never made: those of a pause, or of a time in the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The first such day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub from: Date,
    /// The first day after them; `None` as long as it lasts.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub to: Option<Date>,
}

/// One run that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its day, never in the future: the date of its invoice.
    pub run_date: Date,
    /// 1 for the first invoice, and so on.
    pub number: i64,
}

/// A schedule that makes invoices after a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurringInvoice {
    /// Its id.
    pub id: RecurringInvoiceId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// The invoice that is copied.
    pub document_id: DocumentId,
    /// What requests said.
    pub terms: Terms,
    /// Whether it makes invoices.
    pub status: Status,
    /// The next period; missing exactly when it is completed. While it is paused, the one that was
    /// next.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub next_run_date: Option<Date>,
    /// The period last made.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub last_run_date: Option<Date>,
    /// Every run up to and with this day is made or passed over for good.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub settled_to: Option<Date>,
    /// Times ahead of `settled_to` whose runs are passed over, in their order; the last may still
    /// last. As a rule one at most: more only while a run from before the first is still due.
    pub rests: Vec<Rest>,
    /// Invoices made so far.
    pub invoices_generated: i64,
    /// The invoice made last.
    pub last_generated_invoice_id: Option<DocumentId>,
    /// Why the last attempt failed; missing when it did not.
    pub last_error: Option<String>,
    /// When it failed.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_error_at: Option<OffsetDateTime>,
    /// Attempts that failed since the last success, resumption or update.
    pub failed_attempts: i64,
    /// No attempt is made before this day; set after a failure.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub retry_on: Option<Date>,
    /// Since when it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// `today` is always the day in the entity's zone.
impl RecurringInvoice {
    /// The period whose invoice is to be made by now, oldest first: a run that was missed is made
    /// late, one invoice for each.
    #[must_use]
    pub fn due(&self, today: Date) -> Option<Period> {
        let period = self.next_attempt().filter(|day| *day <= today).and(self.next_run_date);
        period.map(|run_date| Period { run_date, number: self.invoices_generated + 1 })
    }

    /// The day of the next attempt at the next period; `None` when it makes no invoices.
    #[must_use]
    pub fn next_attempt(&self) -> Option<Date> {
        if self.status != Status::Active || self.deleted_at.is_some() {
            return None;
        }
        self.next_run_date.map(|run| self.retry_on.map_or(run, |retry| retry.max(run)))
    }

    /// With the invoice of `period` made, and completed when it was the last.
    ///
    /// # Errors
    /// When it is not active, or `period` is not its next: another worker was faster.
    pub fn generated(
        mut self,
        period: Period,
        invoice_id: DocumentId,
        now: OffsetDateTime,
    ) -> Result<Self, RecurrenceError> {
        self.must_be_next(period)?;
        self.last_run_date = Some(period.run_date);
        self.settled_to = Some(period.run_date);
        self.invoices_generated += 1;
        self.last_generated_invoice_id = Some(invoice_id);
        self.last_error = None;
        self.last_error_at = None;
        self.forget_failures();
        self.plan_next();
        self.updated_at = now;
        Ok(self)
    }

    /// With the attempt at `period` failed: it is tried again on the day after `today`. The
    /// [`MAX_FAILED_ATTEMPTS`]th failure in a row pauses it; what was due until then stays due.
    ///
    /// # Errors
    /// When it is not active, or `period` is not its next.
    pub fn failed(
        mut self,
        period: Period,
        error: &str,
        today: Date,
        now: OffsetDateTime,
    ) -> Result<Self, RecurrenceError> {
        self.must_be_next(period)?;
        let kept = error.chars().filter(|c| *c != '\0').take(MAX_ERROR_CHARS);
        self.last_error = Some(kept.collect());
        self.last_error_at = Some(now);
        self.failed_attempts += 1;
        let tomorrow = today.next_day().unwrap_or(Date::MAX);
        self.retry_on = Some(tomorrow);
        if self.failed_attempts >= MAX_FAILED_ATTEMPTS {
            self.status = Status::Paused;
            self.begin_rest(tomorrow);
        }
        self.updated_at = now;
        Ok(self)
    }

    /// Paused from `today` on. Runs of earlier days that are not made yet stay due.
    ///
    /// # Errors
    /// When it is in the trash or not active.
    pub fn pause(mut self, today: Date, now: OffsetDateTime) -> Result<Self, RecurrenceError> {
        self.must_be_outside_trash()?;
        if self.status != Status::Active {
            return Err(RecurrenceRefused::NotActive.into());
        }
        self.status = Status::Paused;
        self.begin_rest(today);
        self.updated_at = now;
        Ok(self)
    }

    /// Active again: it goes on with `today`, and the runs of the days it was paused are not caught
    /// up. A run that was due before the pause, as after failures, is still made. When no run is
    /// left it is completed.
    ///
    /// # Errors
    /// When it is in the trash or not paused.
    pub fn resume(mut self, today: Date, now: OffsetDateTime) -> Result<Self, RecurrenceError> {
        self.must_be_outside_trash()?;
        if self.status != Status::Paused {
            return Err(RecurrenceRefused::NotPaused.into());
        }
        self.status = Status::Active;
        self.end_rest(today);
        self.updated_at = now;
        Ok(self)
    }

    /// Ended, whatever runs are left.
    ///
    /// # Errors
    /// When it is in the trash or completed.
    pub fn complete(mut self, now: OffsetDateTime) -> Result<Self, RecurrenceError> {
        self.must_be_outside_trash()?;
        if self.status == Status::Completed {
            return Err(RecurrenceRefused::Completed.into());
        }
        self.run_next(None);
        self.updated_at = now;
        Ok(self)
    }

    /// With what `input` says; as it was, when that changes nothing.
    ///
    /// Another schedule counts from its start as long as nothing was made, then from `today`, or
    /// from the run that is overdue: it makes no invoice for days on which neither schedule was
    /// late. Without a run left it is completed; a completed one that has runs again goes on with
    /// `today`. Any change clears the wait after a failure, for it may have mended the cause.
    ///
    /// # Errors
    /// When it is in the trash, or the input is wrong.
    pub fn update(
        mut self,
        input: RecurringInput,
        today: Date,
        now: OffsetDateTime,
    ) -> Result<Self, RecurrenceError> {
        self.must_be_outside_trash()?;
        let terms = input.into_terms(Some(self.terms.clone()))?;
        if terms == self.terms {
            return Ok(self);
        }
        let moved = terms.schedule != self.terms.schedule;
        self.terms = terms;
        self.forget_failures();
        if moved {
            if self.status == Status::Completed {
                self.status = Status::Active;
                self.settle_before(today);
            } else if self.settled_to.is_some() {
                self.settle_before(self.next_run_date.map_or(today, |run| run.min(today)));
            }
            self.plan_next();
        }
        self.updated_at = now;
        Ok(self)
    }

    /// In the trash, where it makes no invoices.
    ///
    /// # Errors
    /// When it is there already.
    pub fn trash(mut self, today: Date, now: OffsetDateTime) -> Result<Self, RecurrenceError> {
        self.must_be_outside_trash()?;
        if self.status == Status::Active {
            self.begin_rest(today);
        }
        self.deleted_at = Some(now);
        self.updated_at = now;
        Ok(self)
    }

    /// Out of the trash, in the status it had. The days in the trash count as a pause.
    ///
    /// # Errors
    /// When it is not in the trash.
    pub fn restore(mut self, today: Date, now: OffsetDateTime) -> Result<Self, RecurrenceError> {
        self.must_be_in_trash()?;
        self.deleted_at = None;
        if self.status == Status::Active {
            self.end_rest(today);
        }
        self.updated_at = now;
        Ok(self)
    }

    /// The recurring invoice to remove for good. What it made stays.
    ///
    /// # Errors
    /// When it is not in the trash.
    pub fn erase(self) -> Result<Self, RecurrenceError> {
        self.must_be_in_trash()?;
        Ok(self)
    }

    fn must_be_outside_trash(&self) -> Result<(), RecurrenceError> {
        if self.deleted_at.is_some() { Err(RecurrenceRefused::InTrash.into()) } else { Ok(()) }
    }

    fn must_be_in_trash(&self) -> Result<(), RecurrenceError> {
        if self.deleted_at.is_none() { Err(RecurrenceRefused::NotInTrash.into()) } else { Ok(()) }
    }

    fn must_be_next(&self, period: Period) -> Result<(), RecurrenceError> {
        self.must_be_outside_trash()?;
        if self.status != Status::Active {
            return Err(RecurrenceRefused::NotActive.into());
        }
        let is_next = self.next_run_date == Some(period.run_date)
            && self.invoices_generated + 1 == period.number;
        if is_next { Ok(()) } else { Err(RecurrenceRefused::PeriodPassed.into()) }
    }

    const fn forget_failures(&mut self) {
        self.failed_attempts = 0;
        self.retry_on = None;
    }

    /// Runs from `from` on are passed over until [`Self::end_rest`].
    fn begin_rest(&mut self, from: Date) {
        self.rests.push(Rest { from, to: None });
    }

    /// Runs from `today` on are made again.
    fn end_rest(&mut self, today: Date) {
        let ended = self.rests.pop().map(|rest| Rest { to: Some(today), ..rest });
        self.rests.extend(ended.filter(|rest| rest.from < today));
        self.forget_failures();
        self.plan_next();
    }

    /// Passes over every run before `day`.
    fn settle_before(&mut self, day: Date) {
        self.settled_to = self.settled_to.max(day.previous_day());
    }

    /// Finds the next run: the first that is not settled and in no rest. Rests that it has come to
    /// are settled with that.
    fn plan_next(&mut self) {
        let mut next = self.first_unsettled();
        while let (Some(run), Some(Rest { from, to: Some(to) })) =
            (next, self.rests.first().copied())
            && run >= from
        {
            self.rests.remove(0);
            self.settle_before(to);
            next = self.first_unsettled();
        }
        self.run_next(next);
    }

    fn first_unsettled(&self) -> Option<Date> {
        let schedule = &self.terms.schedule;
        self.settled_to.map_or_else(|| schedule.first(), |day| schedule.after(day))
    }

    /// Makes `next` the next run; none completes it.
    fn run_next(&mut self, next: Option<Date>) {
        self.next_run_date = next;
        if next.is_none() {
            self.status = Status::Completed;
            self.rests.clear();
            self.forget_failures();
        }
    }
}

racun_store::record! {
    /// Where recurring invoices are kept.
    pub static RECURRING_INVOICES: RecurringInvoice = "recurring_invoices";
    |recurring|
    id: recurring.id,
    tenant: Tenant::entity(recurring.entity_id),
    trashed: recurring.deleted_at.is_some(),
    where {
        let terms = &recurring.terms;
        let pattern = terms.schedule.pattern();
    }
    fields: {
        Field::id() => recurring.id,
        Field::text("document_id").indexed() => recurring.document_id.to_string(),
        Field::text("name").searched() => terms.name,
        Field::text("frequency") => pattern.frequency.name(),
        Field::number("interval") => pattern.interval,
        Field::number("day_of_week") => pattern.day_of_week,
        Field::number("day_of_month") => pattern.day_of_month,
        Field::number("month_of_year") => pattern.month_of_year,
        Field::date("start_date") => pattern.start_date,
        Field::date("end_date") => pattern.end_date,
        Field::date("next_run_date") => recurring.next_run_date,
        Field::date("last_run_date") => recurring.last_run_date,
        Field::text("status") => recurring.status.name(),
        Field::bool("auto_send") => terms.auto_send,
        Field::bool("create_as_draft") => terms.create_as_draft,
        Field::text("send_to").searched() => terms.send_to,
        Field::number("payment_terms_days") => terms.payment_terms_days,
        Field::bool("notify_owner") => terms.notify_owner,
        Field::number("invoices_generated") => recurring.invoices_generated,
        Field::text("last_generated_invoice_id")
            => recurring.last_generated_invoice_id.map(|id| id.to_string()),
        Field::text("last_error") => recurring.last_error,
        Field::instant("last_error_at") => recurring.last_error_at,
        Field::map("metadata") => terms.metadata,
        Field::instant("deleted_at") => recurring.deleted_at,
        Field::instant("created_at") => recurring.created_at,
        Field::instant("updated_at") => recurring.updated_at,
    }
}
