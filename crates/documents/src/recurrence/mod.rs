//! Recurring invoices: schedules that make invoices after a template.
//!
//! | Part        | Owns                                                                  |
//! | ----------- | --------------------------------------------------------------------- |
//! | `schedule`  | on which days a schedule runs                                         |
//! | `input`     | what requests decide, with its limits                                 |
//! | `recurring` | the recurring invoice, its states and every transition                |
//! | `plan`      | the dates of the invoice that a run makes                             |
//! | `run`       | the rows beside it: what was made, and what is due across all tenants |
//! | `event`     | its events for the log                                                |
//! | `error`     | why a command is refused                                              |
//!
//! A worker of any process lists [`due_by`] over [`DUE_SCHEDULES`], and for each schedule found, as
//! long as [`RecurringInvoice::due`] answers a period, makes its invoice in one unit with
//! [`RecurringInvoice::generated`], the [`RecurringRun`] and the [`due_put`].
//!
//! **Invariants.** A period is made at most once. A period is passed over only when its day lies in
//! a pause, in the trash, or behind the end of a schedule that had come to its end. `next_run_date`
//! is missing exactly when the status is `completed`.

mod error;
mod event;
mod input;
mod plan;
mod recurring;
mod run;
mod schedule;

pub use error::{RecurrenceError, RecurrenceRefused};
pub use event::Happening;
pub use input::{RecurringInput, Terms};
pub use plan::{InvoiceDates, TemplateDates};
pub use recurring::{
    MAX_FAILED_ATTEMPTS, Period, RECURRING_INVOICES, RecurringInvoice, Rest, Status,
};
pub use run::{
    DUE_SCHEDULES, DueSchedule, RECURRING_RUNS, RecurringRun, due_by, due_put, latest_day,
};
pub use schedule::{Frequency, Pattern, Schedule};
