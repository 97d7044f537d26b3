//! What every Racun crate shares: ids, exact decimals and money, dates, texts, numbers of taxpayers
//! and accounts, and who acts when and where.
//!
//! | Module              | Owns                                                               |
//! | ------------------- | ------------------------------------------------------------------ |
//! | `id`                | prefixed ids and the registry of their kinds                       |
//! | `document_id`       | the kinds of sales documents, and their ids                        |
//! | `decimal`           | exact decimals: bounds, arithmetic, JSON without a lost digit      |
//! | `money`             | ISO 4217 currencies and the one rounding                           |
//! | `metadata`          | the string map a caller attaches to a resource                     |
//! | `text`              | which texts and locales are accepted, and how lists compare texts  |
//! | `spelling`          | which known name was meant by another                              |
//! | `tax_number`        | which numbers of taxpayers there can be                            |
//! | `vat_number`        | the same of the member states of the European Union                |
//! | `vat_rates`         | which rates of VAT a member state has, and when                    |
//! | `iban`              | which numbers of bank accounts there can be                        |
//! | `bank_account`      | a bank account; routing to a budget user in Slovenia               |
//! | `payment_reference` | by which a payee knows what was paid: SI, HR and RF references     |
//! | `payment_type`      | how money moves                                                    |
//! | `picture_format`    | which pictures there can be, and how their bytes begin             |
//! | `postal_address`    | postal addresses: `addressed!`                                     |
//! | `patch`             | absent, null or a value: a field of a partial update               |
//! | `calendar`          | dates and instants: their text and an entity's local day           |
//! | `exchange_rate`     | rates of exchange                                                  |
//! | `classification`    | what is sold or bought, and how it is spread over time             |
//! | `issue`             | what is wrong with which field of an input                         |
//! | `stamp`             | time, ids and randomness as arguments                              |
//! | `vault`             | the port that keeps secrets unreadable at rest                     |
//! | `address`           | which e-mail addresses are accepted, and which ones are the same   |
//! | `tenant`            | whose a row is                                                     |
//! | `scope`             | who acts, where, and how far                                       |
//! | `authority`         | the tax authorities that fiscalize                                 |
//!
//! **Invariants.** Nothing here reads a clock, makes an id or waits. No binary floating point.
//! No list, no row and no store: those are in crate `store`.

mod address;
mod authority;
mod bank_account;
pub mod calendar;
mod classification;
mod decimal;
mod document_id;
mod exchange_rate;
pub mod iban;
pub mod id;
mod issue;
mod metadata;
mod money;
mod patch;
mod payment_reference;
mod payment_type;
mod picture_format;
mod postal_address;
mod sales_book;
mod scope;
pub mod spelling;
mod stamp;
pub mod tax_number;
mod tenant;
pub mod text;
pub mod vat_number;
pub mod vat_rates;
mod vault;

pub use address::{check_address, fold_address};
pub use authority::{Authority, AuthorityError};
pub use bank_account::{BankAccount, BankAccountType, UjpRouting};
pub use classification::{Classification, RecognitionMethod};
pub use decimal::{Decimal, InvalidDecimal};
pub use document_id::{DocumentId, DocumentKind};
pub use exchange_rate::ExchangeRate;
pub use id::{Id, InvalidId, Kind};
pub use issue::{Issue, Issues, Step};
pub use metadata::Metadata;
pub use money::{Currency, Money, UnknownCurrency};
pub use patch::Patch;
pub use payment_reference::PaymentReference;
pub use payment_type::PaymentType;
pub use picture_format::PictureFormat;
pub use postal_address::{PostalAddress, check_country_code};
pub use sales_book::SalesBook;
pub use scope::{Environment, OperatorIdentity, Person, Principal, Role, Scope};
pub use stamp::{Entropy, Stamp, ulids_beside};
pub use tenant::Tenant;
pub use vault::{CannotOpen, Reseal, Vault};
