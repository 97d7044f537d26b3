//! What every Racun crate shares: ids, exact decimals and money, list queries, and the one port
//! through which anything is stored.
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
//! | `postal_address`    | postal addresses: `addressed!`                                     |
//! | `patch`             | absent, null or a value: a field of a partial update               |
//! | `calendar`          | dates and instants: their text and an entity's local day           |
//! | `exchange_rate`     | rates of exchange                                                  |
//! | `classification`    | what is sold or bought, and how it is spread over time             |
//! | `issue`             | what is wrong with which field of an input                         |
//! | `value`             | the scalars that lists filter and order by                         |
//! | `sorting`           | numbers as text that sorts as they do                              |
//! | `query`             | the list language: filters, order, cursors                         |
//! | `evaluate`          | the reference meaning of that language, in plain Rust              |
//! | `tally`             | figures over rows, grouped, and their reference meaning            |
//! | `record`            | how a type declares its stored fields                              |
//! | `declared`          | `record!`: fields and their values in one declaration              |
//! | `read_cache`        | a read cache for stores that see every write                       |
//! | `store`             | the port: find, list, tally and transact with a pure decision      |
//! | `length`            | how long something is as JSON                                      |
//! | `walk`              | going through all rows of a table                                  |
//! | `layer`             | stores that wrap another one and do some of the port differently   |
//! | `log`               | what happened: declared events, the entries that every store keeps |
//! | `stamp`             | time, ids and randomness as arguments                              |
//! | `vault`             | the port that keeps secrets unreadable at rest                     |
//! | `rate`              | the port that counts requests                                      |
//! | `address`           | which e-mail addresses are accepted, and which ones are the same   |
//! | `mail`              | the port that carries e-mail                                       |
//! | `scope`             | who acts, where, and how far                                       |
//! | `context`           | the store, who acts where, and when: what use cases take           |
//! | `authority`         | the tax authorities that fiscalize                                 |
//!
//! **Invariants.** Nothing here reads a clock, makes an id or waits. No binary floating point. A
//! transaction never crosses the port: a decision does, and a decision is not async.

mod address;
mod authority;
mod bank_account;
pub mod calendar;
mod classification;
mod context;
mod decimal;
mod declared;
mod decorator;
mod document_id;
mod evaluate;
mod exchange_rate;
pub mod iban;
pub mod id;
mod issue;
mod length;
pub mod log;
mod mail;
mod metadata;
mod money;
mod patch;
mod payment_reference;
mod payment_type;
mod postal_address;
mod query;
mod rate;
pub mod read_cache;
mod record;
mod sales_book;
mod scope;
pub mod sorting;
pub mod spelling;
mod stamp;
mod store;
mod tally;
pub mod tax_number;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
mod value;
pub mod vat_number;
pub mod vat_rates;
mod vault;
mod walk;

pub use address::{check_address, fold_address};
pub use authority::{Authority, AuthorityError};
pub use bank_account::{BankAccount, BankAccountType, UjpRouting};
pub use classification::{Classification, RecognitionMethod};
pub use context::{Actor, Context};
pub use decimal::{Decimal, InvalidDecimal};
pub use declared::Declared;
pub use decorator::StoreDecorator;
pub use document_id::{DocumentId, DocumentKind};
pub use evaluate::evaluate;
pub use exchange_rate::ExchangeRate;
pub use id::{Id, InvalidId, Kind};
pub use issue::{Issue, Issues, Step};
pub use length::json_length;
pub use log::{ACTIVITIES, Activity, ActorType, Entry, EventKind, Logged, Receivers};
pub use mail::{Attachment, Mail, MailError, Mailbox, Mailer};
pub use metadata::Metadata;
pub use money::{Currency, Money, UnknownCurrency};
pub use patch::Patch;
pub use payment_reference::PaymentReference;
pub use payment_type::PaymentType;
pub use postal_address::{PostalAddress, check_country_code};
pub use query::{
    Clause, Cursor, Direction, ListQuery, Operator, Order, Page, Pagination, RawQuery,
};
pub use rate::{Bucket, RATE_WINDOW_SECONDS, RateLimits, Taken};
pub use record::{
    Field, FieldKind, Listing, Record, Refill, Refilled, Source, State, Table, Unique,
};
pub use sales_book::SalesBook;
pub use scope::{Environment, OperatorIdentity, Person, Principal, Role, Scope};
pub use stamp::{Entropy, Stamp, ulids_beside};
pub use store::{
    BYTES, Decision, Event, Fullness, Held, Inner, LOOKUP_LIMIT, Load, Loaded, Look, Many, Number,
    One, Probe, Put, PutKind, Read, Refusal, Row, Rows, Series, Store, StoreError, Stored, Tenant,
    TransactError, Unit, UnitBuilder, Writes,
};
pub use tally::{
    Condition, CountedRow, Counter, Figure, JsonPath, Part, Projection, Tally, TallyRow, Within,
    evaluate_tally,
};
pub use value::Value;
pub use vault::{CannotOpen, Reseal, Vault};
pub use walk::Walk;
