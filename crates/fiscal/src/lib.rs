//! Fiscalization: what tax authorities must hear of a sale before it counts, in Slovenia (FURS) and
//! in Croatia (FINA, whose service is called CIS).
//!
//! A document that is fiscalized takes its number from a business premise or an electronic device,
//! is signed with the taxpayer's key (the protective code: ZOI or ZKI), and is reported to the
//! authority, which confirms it by an id of its own (EOR or JIR). Without an answer it is
//! nevertheless issued, and reported later, within the days that the law allows.
//!
//! This crate decides and writes texts. It makes no calls: [`Authorities`] is the port to the code
//! that does.
//!
//! | Module            | Owns                                                             |
//! | ----------------- | ---------------------------------------------------------------- |
//! | `sale`            | what a document says, as far as an authority asks                |
//! | `settings`        | an entity's settings for an authority                            |
//! | `certificate`     | which certificates are accepted, and how they are kept           |
//! | `premise`         | business premises: registered, numbered, closed                  |
//! | `device`          | electronic devices in them                                       |
//! | `numbering`       | which sequence a number is of                                    |
//! | `protective_code` | the code that is made with a taxpayer's key                      |
//! | `message`         | what messages are made of, and their text as JSON and as XML     |
//! | `tax`             | how a document's taxes become those of a message                 |
//! | `policy`          | who must fiscalize what, and since when                          |
//! | `working_days`    | until when a document without an answer is to be reported        |
//! | `error_class`     | what can be done about a refusal                                 |
//! | `checks`          | which names and numbers the authorities take                     |
//! | `furs`            | Slovenia: what is sent, and as what text                         |
//! | `fina`            | Croatia: the same                                                |
//! | `exchange`        | what was said to an authority of a document, and what came back  |
//! | `port`            | the port to the authorities: identity, signer, messages, replies |
//! | `error`           | why a command on settings is refused                             |
//! | `events`          | what the log tells of settings, premises and devices             |
//!
//! Sources: the technical specifications and laws named at each rule.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod certificate;
mod checks;
mod device;
mod error;
mod error_class;
pub mod events;
mod exchange;
pub mod fina;
pub mod furs;
mod message;
mod numbering;
mod policy;
mod port;
mod premise;
mod protective_code;
mod sale;
mod settings;
mod tax;
mod working_days;

pub use certificate::{Certificate, CertificateStatus, taxpayer_number};
pub use checks::{check_device_name, check_premise_name, check_starting_number};
pub use device::{Device, FISCAL_DEVICES, MAX_DEVICES, NewDevice, device_key};
pub use error::{CertificateFault, Conflict, FiscalError, FiscalRefusal, ProviderRefusal};
pub use error_class::ErrorClass;
pub use exchange::{
    Attempt, Confirmation, DUE_EXCHANGES, DueExchange, EXCHANGES, Exchange, ExchangeOutcome, LEASE,
    ReportContent, Retry, State, due_by, due_put, leased_at,
};
pub use numbering::{Start, form_series, series, year_of};
pub use policy::may_skip;
pub use port::{
    Authorities, Header, Identity, Message, MessageId, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, TestCertificate, TestCertificates, Unknown,
};
pub use premise::{
    BusinessPremise, DeviceId, FISCAL_PREMISES, MAX_PREMISES, NewPremise, PremiseId, premise_key,
};
pub use protective_code::{CodedFacts, InvalidProtectiveCode, ProtectiveCode};
pub use racun_kernel::{Authority, AuthorityError};
pub use racun_store::Actor;
pub use sale::{
    Buyer, CorrectedForm, CorrectedInvoice, Correction, Means, Numbering, PlaceOfIssue, Sale,
    SaleKind, SaleTax,
};
pub use settings::{FISCAL_SETTINGS, FiscalSettings, Places, SettingsInput};
pub use working_days::{Counting, Days, alarm_at, deadline, is_working_day, last_day};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 5] =
    [&FISCAL_SETTINGS, &FISCAL_PREMISES, &FISCAL_DEVICES, &EXCHANGES, &DUE_EXCHANGES];
