//! The rules of fiscalization, against known answers, against the authorities' schemas, and as
//! laws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod changes;
mod days;
mod exchange;
mod fina_messages;
mod furs_messages;
mod marks;
mod policy;
mod premises;
mod sales;
mod schemas;
mod settings;
mod values;
mod world;
