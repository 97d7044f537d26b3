//! The world outside, but for the tax authorities: receivers of events, mail servers, file storage.
//!
//! | Module    | Owns                                                       |
//! | --------- | ---------------------------------------------------------- |
//! | `courier` | posting to receivers of events                             |
//! | `caller`  | clients of services that the operator names                |
//! | `ecb`     | fetching reference rates                                   |
//! | `egress`  | which addresses may be called for a tenant                 |
//! | `identity` | an OpenID provider, by which people sign in               |
//! | `mail`    | handing mail to a server, or writing it into a folder      |
//! | `files`   | keeping the bytes of files, in a folder or a bucket        |
//! | `vies`    | asking whether a VAT number is registered                  |
//! | `network` | sending electronic invoices, and who receives them         |
//! | `shops`   | a shop's consent at its platform, and its earlier orders    |
//! | `stripe`  | a card processor                                           |
//! | `tls`     | who is trusted, and by what cryptography                   |
//!
//! **Invariants.** A call that a tenant asks for reaches public addresses only, and no other
//! address than the one that was checked. Every call ends within a time limit. Nothing follows a
//! redirect or asks a proxy.

mod caller;
mod courier;
mod ecb;
mod egress;
mod files;
mod identity;
mod mail;
mod network;
mod shops;
mod stripe;
mod tls;
mod vies;

pub use courier::{HttpCourier, Options};
pub use ecb::{Ecb, EcbOptions};
pub use egress::{Names, OutOfReach, OwnNames, Reach, SystemNames, is_public};
pub use files::{Bucket, Files};
pub use identity::{OpenId, OpenIdOptions};
pub use mail::{BadSmtpUrl, MailFolder, SmtpMailer, mailbox};
pub use network::{Directory, DirectoryOptions, Network, Provider, ProviderOptions};
pub use shops::{ShopOptions, ShopifyApp, Shops};
pub use stripe::{Stripe, StripeOptions};
pub use tls::{client as tls_client, use_ring};
pub use vies::{Vies, ViesOptions, simulated};
