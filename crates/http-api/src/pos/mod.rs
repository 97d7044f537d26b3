//! Routes of the point of sale.
//!
//! | Module    | Owns                                                    |
//! | --------- | ------------------------------------------------------- |
//! | `tables`  | tables                                                  |
//! | `tabs`    | the commands on tabs                                    |
//! | `splitting` | invoices of tabs and of parts of them, moving lines |
//! | `listing` | the list of tabs, and whether it changed since it was read |
//! | `tab`     | bodies of tabs and their lines                          |
//! | `takings` | the daily report                                        |
//! | `closings`| the closings of days                                    |
//! | `error`   | why the point of sale refuses                            |

pub(crate) mod closings;
mod error;
mod listing;
pub(crate) mod splitting;
mod tab;
pub(crate) mod tables;
pub(crate) mod tabs;
pub(crate) mod takings;

pub(crate) use closings::ClosingBody;
pub(crate) use listing::Tags;
pub(crate) use tab::TabBody;
