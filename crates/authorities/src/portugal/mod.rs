//! The certified program in Portugal and its authority, Autoridade Tributária (AT).
//!
//! | Module     | Owns                                                              |
//! | ---------- | ----------------------------------------------------------------- |
//! | `key`      | the program's key, which signs documents, and its public half     |
//! | `rsa`      | what is read of RSA keys, and encryption under one                |
//! | `token`    | who calls the services of the authority: the sub-user, encrypted  |
//! | `services` | calls to the services of series and of invoices                   |

mod key;
mod rsa;
mod services;
mod token;

pub use key::{ProgramPublicKey, RsaProgramKey};
pub use rsa::{BadKey, EncryptionFailed, RsaPrivateKey, RsaPublicKey};
pub use services::{BadService, PtClient, Services};
pub use token::{Token, opened_ecb, padded_ecb};
