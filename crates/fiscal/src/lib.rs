//! Fiscalization: what tax authorities must hear of a sale before it counts, in Slovenia (FURS) and
//! in Croatia (FINA, whose service is called CIS).
//!
//! A document that is fiscalized takes its number from a business premise or an electronic device,
//! is signed with the taxpayer's key (the mark: ZOI or ZKI), and is reported to the authority, which
//! confirms it by an id of its own (EOR or JIR). Without an answer it is issued all the same and
//! reported later, within the days that the law allows.
//!
//! This crate decides and writes texts. It calls nobody: [`Authorities`] is the port to who does.
//!
//! | Module      | Owns                                                                   |
//! | ----------- | ---------------------------------------------------------------------- |
//! | `authority` | which authorities there are                                            |
//! | `sale`      | what a document says, as far as an authority asks                      |
//! | `settings`  | an entity's settings for an authority, and its certificate             |
//! | `premise`   | business premises and electronic devices                               |
//! | `numbering` | which sequence a number is of                                          |
//! | `mark`      | the mark that a taxpayer's key leaves on a document                    |
//! | `furs`      | Slovenia: what is sent, and as what text                               |
//! | `fina`      | Croatia: the same                                                      |
//! | `port`      | the port to the authorities: identity, signer, messages, replies       |
//!
//! Sources: the technical specifications and laws named at each rule.

mod authority;
mod exchange;
pub mod fina;
pub mod furs;
mod mark;
mod numbering;
mod port;
mod premise;
mod sale;
mod settings;

pub use authority::Authority;
pub use exchange::{
    Attempt, Confirmation, Content, DUE_EXCHANGES, DueExchange, EXCHANGES, Exchange, LEASE,
    Outcome, Retry, State, due_by, due_put,
};
pub use mark::Mark;
pub use numbering::{Start, series};
pub use port::{
    Authorities, Header, Identity, Message, MessageId, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, Unknown,
};
pub use premise::{BusinessPremise, Device, DeviceId, PremiseId};
pub use sale::{Buyer, Correction, Means, Numbering, Place, Sale, SaleKind, SaleTax};
pub use settings::{Certificate, FiscalSettings};
