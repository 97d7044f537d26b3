//! Routes of what settles documents, and of expenses.
//!
//! | Module          | Owns                                                              |
//! | --------------- | ----------------------------------------------------------------- |
//! | `payments`      | routes of payments                                                |
//! | `payment`       | payments in bodies; also those that documents are made with       |
//! | `include`       | what a payment names, answered with it                            |
//! | `expenses`      | routes of expenses                                                |
//! | `expense`       | expenses as they are answered                                     |
//! | `expense_input` | what a request says of an expense                                 |

pub(crate) mod expense;
mod expense_input;
pub(crate) mod expenses;
mod include;
pub(crate) mod payment;
pub(crate) mod payments;
