//! Certified invoicing in Portugal: what the law asks of a program, as values and decisions.
//!
//! Each document takes its number from a series that the authority (Autoridade Tributária, AT)
//! knows, is signed in a chain with the one before it, and bears a unique code (ATCUD), four
//! characters of its signature and a QR code. Each month a file, SAF-T (PT), says all of it again.
//!
//! This crate decides and writes texts. It makes no calls and holds no key: [`ProgramKey`] signs,
//! and [`Portugal`] calls.
//!
//! | Module         | Owns                                                             |
//! | -------------- | ---------------------------------------------------------------- |
//! | `code`         | types of documents, and for which of Racun's documents they are  |
//! | `identifier`   | what a series is called, and the authority's code for it         |
//! | `number`       | numbers of documents                                             |
//! | `manual`       | forms that were filled in by hand                                |
//! | `atcud`        | the unique code of a document                                    |
//! | `clock`        | when documents enter, and which dates they may bear              |
//! | `chain`        | what is signed, the signature, and whether a chain holds         |
//! | `series`       | series, and how the next document of one is certified            |
//! | `settings`     | who calls the authority for an entity, and for what              |
//! | `series_ws`    | texts to and from the authority's web service of series          |
//! | `invoice_ws`   | texts to and from its web service of invoices                    |
//! | `soap`         | what both services have in common                                |
//! | `port`         | the port to the program's key and to its authority               |
//! | `qr`           | the contents of the QR code                                      |
//! | `tax`          | numbers of taxpayers, regions, rates, reasons for exemption      |
//! | `mechanism`    | how money moves, as the authority names it                       |
//! | `status`       | in which state a document is, and where it came from             |
//! | `operator`     | who issues a document                                            |
//! | `restrictions` | what a certified program refuses                                 |
//! | `words`        | words that paper must have                                       |
//! | `saft`         | the file SAF-T (PT) 1.04_01, streamed                            |
//! | `amounts`      | amounts with two decimals                                        |
//! | `error`        | why a command is refused                                         |
//! | `events`       | what the log tells of series                                     |
//!
//! **Debit notes.** Series of the type `debit_note` (ND) can be made, and no document of the
//! interface goes into one: what is owed beyond an invoice is another invoice (FT), and its kinds
//! are invoices, credit notes, advance invoices, estimates and delivery notes. SAF-T, QR and the
//! rules here know the type, for files that are read.
//!
//! **Invariants.** Nothing is numbered without being signed, and nothing is signed without a
//! number. What is signed once is never signed again. The digits of a number are the same in the
//! number, the ATCUD, the signed text, the QR code and SAF-T.
//!
//! Sources: Decreto-Lei 28/2019, Portaria 363/2010, Portaria 302/2016, Portaria 195/2020, Despacho
//! 8632/2014, and AT's manuals; the rule names which.

mod amounts;
mod atcud;
pub mod chain;
mod clock;
mod code;
mod error;
pub mod events;
mod identifier;
pub mod invoice_ws;
mod manual;
mod mechanism;
mod number;
mod operator;
mod port;
mod qr;
pub mod restrictions;
pub mod saft;
mod series;
pub mod series_ws;
mod settings;
pub mod soap;
mod status;
mod tax;
pub mod words;

pub use amounts::amount_text;
pub use atcud::{Atcud, InvalidAtcud};
pub use chain::{Hash, HashControl, InvalidHash, Link, ProgramKey, Signed, SigningFailed};
pub use clock::{InvalidTime, WallTime, check_date};
pub use code::{Class, Code, Purpose};
pub use error::{PortugalError, PortugalRefusal};
pub use identifier::{MAX_SERIES_CHARS, SeriesCode, ValidationCode};
pub use manual::{MAX_MANUAL_SERIES_CHARS, ManualNumber};
pub use mechanism::Mechanism;
pub use number::{InvalidNumber, MAX_NUMBER_CHARS, Number};
pub use operator::{MAX_OPERATOR_CHARS, OperatorInput, PtOperator, source_id};
pub use port::{Patience, Portugal, Program, SubUser, Unanswered};
pub use qr::{MAX_OTHER_CHARS, QrFacts, QrFields, TaxTotal, read_qr};
pub use series::{
    Certified, ChainHead, CheckedSeries, Fresh, MAX_SERIES, NewSeries, PT_FORMS, PT_SERIES,
    PtSeries, Receipted, RecoveredForm, Registration, SeriesChange, SeriesStatus, Validated,
    entry_time, last_entry, series_key,
};
pub use settings::{PT_SETTINGS, PtSettings, SettingsInput};
pub use status::{Origin, Status};
pub use tax::{
    CONSUMER, CONSUMER_NAME, Exemption, Level, PLACEHOLDER, Region, UNKNOWN, buyer_number,
    check_buyer_number, check_zero_rate, exemptions, is_nif, rate_on, region_of,
};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 3] = [&PT_SERIES, &PT_FORMS, &PT_SETTINGS];
