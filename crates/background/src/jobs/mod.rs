//! What is to be done after a commit, by whichever process finds it: at least once, and never twice
//! at one moment.
//!
//! A job is put beside what causes it, in the same commit. A worker leases it for a while: it
//! begins the next of its attempts, in a unit that holds the row. Ends are decided in units that
//! hold it too, and only for the attempt that was begun last; so a worker that was thought dead
//! writes nothing any more. Where what a job does is itself a write, it ends in the commit of that:
//! see [`still_held`].
//!
//! What comes round at times of its own, and is done in a unit that holds its record, is found by a
//! row beside that record in place of a job: [`run_due`] works such rows off. ADR 0029 says why.
//!
//! | Module    | Owns                                                      |
//! | --------- | --------------------------------------------------------- |
//! | `job`     | the record, and how it goes from attempt to attempt       |
//! | `events`  | what happens to jobs, for the log                         |
//! | `kind`    | the kinds of jobs, and how patient each is                |
//! | `claim`   | leasing what is due, and ending what is leased            |
//! | `perform` | running one by its handler                                |
//! | `watch`   | what admins see of their entity's jobs, and the new start |
//! | `due`     | working off rows that say when something is due           |

mod claim;
mod due;
pub mod events;
mod job;
mod kind;
mod perform;
mod watch;

pub use claim::{Ending, Held, LeaseError, claim, end, still_held};
pub use due::{DueRun, DueWork, Limits, Problem, Report, Setback, run_due};
pub use job::{JOBS, Job, JobState, NewJob};
pub use kind::JobKind;
pub use perform::{Handler, Outcome, perform};
pub use watch::{JobError, list, retry};
