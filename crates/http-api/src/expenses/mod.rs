//! Routes of expenses.
//!
//! | Module   | Owns                              |
//! | -------- | --------------------------------- |
//! | `routes` | the routes                        |
//! | `answer` | expenses as they are answered     |
//! | `input`  | what a request says of an expense |

mod answer;
mod input;
mod routes;

pub(crate) use answer::ExpenseBody;
pub(crate) use routes::ROUTES;
