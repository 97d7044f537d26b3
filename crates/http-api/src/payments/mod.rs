//! Routes of payments.
//!
//! | Module    | Owns                                                        |
//! | --------- | ----------------------------------------------------------- |
//! | `routes`  | the routes                                                  |
//! | `body`    | payments in bodies; also those that documents are made with |
//! | `include` | what a payment names, answered with it                      |

mod body;
mod include;
mod routes;

pub(crate) use body::{ExpensePaymentBody, PaymentBody, PaymentInputBody, PaymentTypeBody};
pub(crate) use routes::ROUTES;
