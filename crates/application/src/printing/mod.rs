//! Documents on paper: what is printed is gathered here, and set through a port.
//!
//! | Module | Owns                                                                     |
//! | ------ | ------------------------------------------------------------------------ |
//! | `port` | whoever sets a model as PDF                                              |

mod port;

pub use port::{CannotPrint, PrintPdf};
