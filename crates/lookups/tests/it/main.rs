//! Files of the European Central Bank, rates for dates, and files that operators import.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod ecb;
mod imports;
mod kept;
mod rates;
mod records;
mod strangers;
