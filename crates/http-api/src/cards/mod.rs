//! Payments by card: accounts of entities at the processor, and what it tells.
//!
//! | Module    | Owns                                                                |
//! | --------- | ------------------------------------------------------------------- |
//! | `app`     | an entity's account, its settings, and invoices of what it took     |
//! | `body`    | accounts and money in bodies                                        |
//! | `pay`     | a shared invoice is paid                                            |

pub(crate) mod app;
pub(crate) mod body;
pub(crate) mod pay;

use racun_sales::card_payments::CardServices;

use crate::call::Call;

/// The services that payments by card call.
pub(crate) fn services<By: 'static>(call: &Call<By>) -> CardServices<'_> {
    CardServices {
        cards: &*call.cards,
        authority: &call.tax_authority,
        outside: call.outside_services(),
    }
}
