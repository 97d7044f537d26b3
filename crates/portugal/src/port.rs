//! The port to the certified program and its authority.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use racun_kernel::Environment;

use crate::{ProgramKey, invoice_ws, series_ws};

/// The certified program, as the authority knows it.
#[derive(Clone)]
pub struct Program {
    /// Its key.
    pub key: Arc<dyn ProgramKey>,
    /// The number of its certificate; 9999 for tests.
    pub certificate: u16,
    /// The tax number of its maker.
    pub maker_tax_number: String,
    /// Its maker's name.
    pub maker: String,
    /// Its version.
    pub version: String,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program {}", self.certificate)
    }
}

/// Who calls the authority: a user whom the taxpayer made in its portal, with the right WSE for
/// series and WFA for invoices.
#[derive(Clone, PartialEq, Eq)]
pub struct SubUser {
    /// The taxpayer's number and the user's: `508025338/1`.
    pub username: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for SubUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SubUser {}", self.username)
    }
}

/// No answer of the authority came: whether it took the message is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unanswered {
    /// What was seen, for the log and the record of the exchange.
    pub reason: String,
}

/// How long an exchange may last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// A user waits: as the settings say, 5 s unless they do.
    Interactive,
    /// No user waits: 15 s.
    Background,
}

/// The certified program and its authority: the test system for the sandbox, the production system
/// otherwise.
#[async_trait]
pub trait Portugal: Send + Sync {
    /// The program that issues documents there; `None` where the operator has set no key.
    fn program(&self, environment: Environment) -> Option<Program>;

    /// The sub-user of the taxpayer `nif`, where the system is our own and knows all; `None` where
    /// the taxpayer has to name one.
    fn test_user(&self, environment: Environment, nif: &str) -> Option<SubUser>;

    /// Asks the service of series. It MUST be safe to repeat.
    ///
    /// # Errors
    /// When no answer came that can be read.
    async fn series(
        &self,
        environment: Environment,
        user: &SubUser,
        request: &series_ws::Request,
        patience: Patience,
    ) -> Result<series_ws::SeriesReply, Unanswered>;

    /// Sends `body`, of [`invoice_ws`], to the service of invoices. It MUST be safe to repeat.
    ///
    /// # Errors
    /// When no answer came that can be read.
    async fn invoice(
        &self,
        environment: Environment,
        user: &SubUser,
        body: &str,
        patience: Patience,
    ) -> Result<invoice_ws::InvoiceReply, Unanswered>;
}
