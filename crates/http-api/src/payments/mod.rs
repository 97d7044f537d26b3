//! Routes of payments.
//!
//! | Module    | Owns                                                        |
//! | --------- | ----------------------------------------------------------- |
//! | `routes`  | the routes                                                  |
//! | `body`    | payments in bodies; also those that documents are made with |
//! | `include` | what a payment names, where that is asked for               |
//! | `paid`    | a document and an expense that a payment names, in answers  |

mod body;
mod include;
mod paid;
mod routes;

pub(crate) use body::{ExpensePaymentBody, PaymentBody, PaymentInputBody, PaymentTypeBody};
pub(crate) use routes::ROUTES;
