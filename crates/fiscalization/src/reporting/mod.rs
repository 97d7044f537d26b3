//! Documents that are reported to a tax authority: issued with number and mark, sent, and sent
//! again.
//!
//! | Module     | Owns                                                                    |
//! | ---------- | ----------------------------------------------------------------------- |
//! | `request`  | what a caller says of where and by whom a document is issued             |
//! | `details`  | the same, whichever authority it is reported to                         |
//! | `prepare`  | before the unit: whether, where, by whom, with which certificate         |
//! | `paper`    | what was written on paper while the device did not work                  |
//! | `operator` | who issues: the request's, the person's or the entity's                  |
//! | `sale`     | a document as an authority asks for it                                   |
//! | `issue`    | inside the unit: number, mark, frozen content, the exchange's record     |
//! | `deliver`  | after it: the message is sent, and what came of it is stored             |
//! | `rates`    | the rate of exchange where its issue sets a document's date             |
//! | `later`    | documents that were refused or skipped, fiscalized by order              |
//! | `worker`   | exchanges of all tenants that are due                                    |
//! | `authority` | the port to those who receive how documents are paid                    |
//! | `changes`  | payments' changes of type, as authorities ask for them                   |
//! | `tips`     | tips that come with payments, reported to CIS                           |
//! | `certified`| documents in Portugal: series, the chain of signatures, SAF-T           |
//! | `error`    | why a document is not issued                                             |
//!
//! **Invariants.** A message is sent outside any unit, after it was stored with its attempt. So a
//! process that dies at any moment loses nothing, and the worker sends it again. A document is
//! numbered, marked and recorded in one commit, whatever the authority will answer.

mod authority;
pub mod certified;
mod changes;
mod deliver;
mod details;
mod error;
mod issue;
mod later;
mod operator;
mod paper;
mod prepare;
mod rates;
mod request;
mod sale;
mod schemes;
pub mod tips;
mod worker;

use std::sync::Arc;

use racun_catalog::VatRegistry;
use racun_fiscal::{Authorities, Authority, Retry};
use racun_kernel::Vault;
use racun_portugal::Portugal;
use racun_store::Context;

pub use authority::{Concern, Matter, NoAuthority, TaxAuthority};
pub use changes::FiscalAuthority;
pub use error::{FiscalizationError, FiscalizationRefused};
pub use later::fiscalize;
pub use request::{FinaRequest, FiscalRequest, FiscalizeRequest, FursRequest};
pub use tips::{TIP_WINDOW_EXPIRED, TipsHandler};
pub use worker::{Alarm, LIMITS, Report, end_leases, run_due};

pub use changes::{may_be_paid_by, told};
pub use deliver::{Sending, deliver_first, send_first};
pub use issue::{Facts, FoundPlace, HeldPlace, Issued, Issuing};
pub use prepare::NextPlace;

pub use prepare::{IssueContext, Prepared, identity, next_place, prepare};
pub use rates::{rate_on, same_rate};
pub use sale::by_advances;
pub use schemes::{check_outside_vat, outside_vat};

/// What fiscalizing takes besides the store.
#[derive(Clone)]
pub struct Fiscal {
    /// The tax authorities.
    pub authorities: Arc<dyn Authorities>,
    /// Who opens private keys.
    pub vault: Arc<dyn Vault>,
    /// How long to wait before a document is sent again.
    pub retry: Retry,
}

/// What use cases on documents take: the store, the tax authorities and the VAT register.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The store, who acts, and when.
    pub cx: Context<'a>,
    /// What fiscalizing takes. Without it nothing is issued for an entity that fiscalizes.
    pub fiscal: Option<&'a Fiscal>,
    /// The register of VAT numbers. Without it VIES is not asked.
    pub vat: Option<&'a dyn VatRegistry>,
    /// The certified program of Portugal, and its authority. Without it documents there are not
    /// certified: for what calculates only.
    pub portugal: Option<&'a dyn Portugal>,
}

/// The services outside that making a document may call.
#[derive(Clone, Copy, Default)]
pub struct OutsideServices<'a> {
    /// As [`Ports::fiscal`].
    pub fiscal: Option<&'a Fiscal>,
    /// As [`Ports::vat`].
    pub vat: Option<&'a dyn VatRegistry>,
    /// As [`Ports::portugal`].
    pub portugal: Option<&'a dyn Portugal>,
}

impl<'a> From<Context<'a>> for Ports<'a> {
    /// Without services outside: no authority and no VAT register is called.
    fn from(cx: Context<'a>) -> Self {
        Self { cx, fiscal: None, vat: None, portugal: None }
    }
}

impl<'a> Ports<'a> {
    /// A context, and what fiscalizing takes. VIES is not asked.
    #[must_use]
    pub const fn new(cx: Context<'a>, fiscal: Option<&'a Fiscal>) -> Self {
        Self { cx, fiscal, vat: None, portugal: None }
    }

    /// A context, and the services outside that its use cases may call.
    #[must_use]
    pub const fn with_services(cx: Context<'a>, services: OutsideServices<'a>) -> Self {
        let OutsideServices { fiscal, vat, portugal } = services;
        Self { cx, fiscal, vat, portugal }
    }
}

/// The authority of the country with the code `country`.
pub(crate) fn of_country(country: Option<&str>) -> Option<Authority> {
    [Authority::Furs, Authority::Fina]
        .into_iter()
        .find(|authority| country == Some(authority.country()))
}
