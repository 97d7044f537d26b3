//! The certified program in Portugal and its authority, Autoridade Tributária (AT).
//!
//! | Module   | Owns                                                                        |
//! | -------- | --------------------------------------------------------------------------- |
//! | `key`    | the program's key, which signs documents, and its public half               |
//! | `rsa`    | what is read of RSA keys, and encryption under one                          |
//! | `token`  | who calls the services of the authority: the sub-user, encrypted            |

mod key;
mod rsa;
mod token;

pub use key::{ProgramPublicKey, RsaProgramKey};
pub use rsa::{BadKey, RsaPublicKey};
pub use token::{EncryptionFailed, Token, padded_ecb};
