//! Sending electronic invoices over a network of service providers, as Peppol's.
//!
//! | Module        | Owns                                                                   |
//! | ------------- | ---------------------------------------------------------------------- |
//! | `participant` | who is reached: schemes, identifiers, and their checks                 |
//! | `enrollment`  | whether an entity may send, and what is in the way                     |
//! | `submission`  | a document on its way: stored, sent once, followed to its end          |
//! | `port`        | what a provider of the network does                                    |
//! | `lookup`      | who receives what, as the network's own directory says it: SML and SMP |
//! | `records`     | where enrollments and submissions are kept                             |
//!
//! All is pure: what happens comes as an event, and answers come from a port.

mod enrollment;
pub mod lookup;
mod participant;
mod port;
mod records;
mod submission;

pub use enrollment::{
    Enrollment, EnrollmentEvent, EnrollmentState, SenderFacts, Standing, missing_fields,
};
pub use participant::{Participant, ParticipantFault, vat_scheme};
pub use port::{
    Capability, Dispatch, EInvoicingNetwork, NetworkError, NoAnswer, Notice, Progress, Receipt,
    Sender, Unauthorized,
};
pub use records::{ENROLLMENTS, SUBMISSIONS, TABLES};
pub use submission::{
    NO_ANSWER, NO_OUTCOME, NetworkDocument, NewSubmission, Submission, SubmissionError,
    SubmissionEvent, SubmissionState, id_of_key, key_of,
};
