//! The dates of the invoice that a run makes.

use time::{Date, Duration};

use super::schedule::{Span, in_month, month_index};
use super::{Period, RecurringInvoice};

/// The dates of the invoice that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateDates {
    /// Its date.
    pub date: Date,
    /// Day of the service, or its first.
    pub date_service: Option<Date>,
    /// Last day of the service.
    pub date_service_to: Option<Date>,
}

/// The dates of the invoice to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoiceDates {
    /// The run's day.
    pub date: Date,
    /// Until when it is to be paid.
    pub date_due: Date,
    /// Day of the service, or its first.
    pub date_service: Option<Date>,
    /// Last day of the service.
    pub date_service_to: Option<Date>,
}

impl RecurringInvoice {
    /// The dates of the invoice for `period`, whose template has the dates of `template`. Where the
    /// recurring invoice names no payment terms, `default_due_days` are those of the entity.
    ///
    /// The template's service dates move by whole intervals: by one from run to run, runs passed
    /// over included, and to the first run by those since the template's date; at least by one when
    /// the first run is in a later month (daily and weekly: on a later day) than the template,
    /// whose own period is then the one before. In months, a service from the first to the last day
    /// of a month stays one of whole months; any other day that a month lacks becomes its last.
    ///
    /// Dates past year 9999 become its last day.
    #[must_use]
    pub fn plan_invoice(
        &self,
        period: Period,
        template: TemplateDates,
        default_due_days: i64,
    ) -> InvoiceDates {
        let date = period.run_date;
        let due_days = self.terms.payment_terms_days.unwrap_or(default_due_days);
        let shift = self.terms.schedule.shift(template.date, date);
        let moved = |day| shift.after(day).unwrap_or(Date::MAX);
        let moved_end = |to| match (template.date_service, shift) {
            (Some(from), Span::Months(months)) if are_whole_months(from, to) => {
                in_month(month_index(to) + months, 31).unwrap_or(Date::MAX)
            }
            _ => moved(to),
        };
        InvoiceDates {
            date,
            date_due: date.checked_add(Duration::days(due_days)).unwrap_or(Date::MAX),
            date_service: template.date_service.map(moved),
            date_service_to: template.date_service_to.map(moved_end),
        }
    }
}

fn are_whole_months(from: Date, to: Date) -> bool {
    from.day() == 1 && to.day() == to.month().length(to.year())
}
