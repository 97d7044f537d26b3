//! The network: participants, enrollments, submissions, and what its directory says.

mod enrollment;
mod lookup;
mod participant;
mod submission;
