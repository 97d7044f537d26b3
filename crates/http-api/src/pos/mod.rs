//! Routes of the point of sale.
//!
//! | Module    | Owns                                                    |
//! | --------- | ------------------------------------------------------- |
//! | `tables`  | tables                                                  |
//! | `tabs`    | the commands on tabs                                    |
//! | `listing` | the list of tabs, and whether it changed since it was read |
//! | `tab`     | bodies of tabs and their lines                          |

mod listing;
mod tab;
pub(crate) mod tables;
pub(crate) mod tabs;

pub(crate) use tab::TabBody;
