//! What the black-box tests and the benchmark share: a running `racun`, a client, an account.
//!
//! Nothing of Racun's own code runs in these tests, but for the stand-ins of the tax authorities
//! and of the network of electronic invoices. They start the binary as a user would, talk to it
//! over HTTP and kill it as a crash would, on both stores.
//!
//! | Module        | Owns                                                     |
//! | ------------- | -------------------------------------------------------- |
//! | `binary`      | building the binary, once per process                    |
//! | `server`      | a running `racun` with data of its own                   |
//! | `client`      | requests and answers as text, so that digits can be seen |
//! | `account`     | signing up: from nothing to an entity and a key          |
//! | `mails`       | the mails in a server's folder                           |
//! | `sequence`    | the check that numbers have no gap                       |
//! | `progress`    | how much was acknowledged                                |
//! | `random`      | choices that a seed repeats                              |
//! | `offices`     | the tax authorities, simulated                           |
//! | `paper`       | texts and codes of PDFs, as other programs read them      |
//! | `portugal`    | a shop in Portugal, and whether its documents are signed |
//! | `receiver`    | receivers of events, of all manners                      |
//! | `submissions` | the drill of electronic invoices over the network        |
//! | `taxpayer`    | an entity that one of them knows, and its documents      |

mod account;
mod binary;
mod client;
mod mails;
mod offices;
mod paper;
mod portugal;
mod progress;
mod random;
mod receiver;
mod sequence;
mod server;
mod submissions;
mod taxpayer;

pub use account::Account;
pub use binary::Profile;
pub use client::{Answer, Client, with_query};
pub use mails::{mails, mails_so_far, token_in};
pub use offices::{Offices, Retries, Transport};
pub use paper::{codes, pdf_text, pictures_codes, qr_codes};
pub use portugal::{is_signed, open_shop_in_lisbon};
pub use progress::Progress;
pub use random::Random;
pub use receiver::{Behaviour, Received, Receiver};
pub use sequence::{check_sequence, number};
pub use server::{Data, Racun, Settings, StoreKind};
pub use submissions::{Drilled, SubmissionDrill};
pub use taxpayer::{Taxpayer, fiscal};

/// Makes a test of each named function for each store.
///
/// A function takes the [`StoreKind`]; its tests are named `embedded::…` and `postgres::…`.
#[macro_export]
macro_rules! on_both_stores {
    ($($test:ident),+ $(,)?) => {
        mod embedded {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test($crate::StoreKind::Embedded).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test($crate::StoreKind::Postgres).await;
                }
            )+
        }
    };
}
