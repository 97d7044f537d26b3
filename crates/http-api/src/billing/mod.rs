//! White labels, subscriptions to their plans, and what plans leave out.
//!
//! | Module          | Owns                                                        |
//! | --------------- | ----------------------------------------------------------- |
//! | `bills`         | bills as the operator sees and ends them                    |
//! | `cards`         | the routes of subscriptions that are paid by card           |
//! | `features`      | which route needs which feature of the entity's plan        |
//! | `labels`        | white labels, and which one a request comes under           |
//! | `managing`      | white labels as the operator manages them                   |
//! | `plan`          | plans and subscriptions as they are answered                |
//! | `subscriptions` | the routes of subscriptions                                 |

pub(crate) mod bills;
pub(crate) mod cards;
pub(crate) mod features;
pub(crate) mod labels;
pub(crate) mod managing;
pub(crate) mod plan;
pub(crate) mod subscriptions;
