//! Fiscalization: what an entity tells its tax authority, and with which settings, certificate,
//! premises and devices.
//!
//! | Module      | Owns                                                                    |
//! | ----------- | ----------------------------------------------------------------------- |
//! | `setup`     | settings, certificates, premises, devices, the internal act             |
//! | `reporting` | documents that are reported: issued with number and mark, and sent      |
//!
//! **Invariants.** A message is sent outside any unit, after it was stored with its attempt. So a
//! process that dies at any moment loses nothing, and the worker sends it again. Documents are made
//! elsewhere: they are handed over inside the unit that issues them. How payments change is asked
//! and told through the port [`TaxAuthority`].

mod reporting;
pub mod setup;

pub use reporting::certified;

pub use reporting::{
    Alarm, Concern, Facts, FinaRequest, Fiscal, FiscalAuthority, FiscalRequest, FiscalizationError,
    FiscalizationRefused, FiscalizeRequest, FoundPlace, FursRequest, HeldPlace, IssueContext,
    Issued, Issuing, LIMITS, Matter, NextPlace, NoAuthority, OutsideServices, Ports, Prepared,
    Report, Sending, TIP_WINDOW_EXPIRED, TaxAuthority, TipsHandler, by_advances, check_outside_vat,
    deliver_first, end_leases, fiscalize, identity, may_be_paid_by, next_place, outside_vat,
    prepare, rate_on, run_due, same_rate, send_first, tips, told,
};
