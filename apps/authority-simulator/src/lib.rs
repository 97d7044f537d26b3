//! A stand-in for the tax authorities: FURS of Slovenia, CIS of Croatia and AT of Portugal.
//!
//! It serves tests, demonstrations and the sandbox. It checks what it is sent as strictly as the
//! authorities' papers say, answers signed as they do, keeps a ledger of what it took, and goes
//! wrong on command.
//!
//! | Module    | Owns                                                                     |
//! | --------- | ------------------------------------------------------------------------ |
//! | `pki`     | keys and certificates: the authorities' own, and those of taxpayers      |
//! | `schema`  | what messages may say, as tables, for XML and JSON                       |
//! | `furs`    | Slovenia: routes, rules, codes, answers                                  |
//! | `fina`    | Croatia: the same                                                        |
//! | `at`      | Portugal: series, invoices, and the chains of SAF-T                      |
//! | `register` | the series and reports that AT knows                                    |
//! | `authority` | which of the authorities                                               |
//! | `keys`    | the keys of Portugal                                                     |
//! | `soap`    | signatures in SOAP answers                                               |
//! | `ledger`  | what was taken and refused, and the gaps in sequences                    |
//! | `fault`   | what goes wrong, and when                                                |
//! | `server`  | connections, and the delivery of answers                                 |
//! | `control` | plain HTTP to look at all this and to command it                         |
//!
//! Nothing here is a secret: its keys are in the repository. Nothing is kept when it ends.

mod at;
mod authority;
mod clock;
mod control;
mod fault;
mod fina;
mod furs;
mod keys;
mod ledger;
mod pki;
mod register;
mod schema;
mod server;
mod soap;
mod start;
mod state;

pub use at::Checked;
pub use authority::SimulatedAuthority;
pub use fault::{Fault, Page, Twist, When};
pub use keys::PROGRAM as PROGRAM_KEY_PEM;
pub use ledger::{Filter, Gaps, Premise, Refused, Sequence, Taken};
pub use pki::{Taxpayer, TaxpayerError, WantedTaxpayer};
pub use register::{AtRefused, KnownSeries, Reported};
pub use start::{Options, Running, Simulator, StartError};
