//! The port to the network: a service provider that sends, and looks up who receives.

use async_trait::async_trait;
use racun_kernel::Environment;
use racun_kernel::id::EntityId;

use super::{NetworkDocument, Participant, Standing};

/// A company that is to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The entity, by which the provider tells companies apart.
    pub entity_id: EntityId,
    /// Whom it sends as.
    pub participant: Participant,
    /// Its name.
    pub name: String,
    /// Its street.
    pub address: String,
    /// What stands below the street.
    pub address_2: Option<String>,
    /// Its post code.
    pub post_code: String,
    /// Its city.
    pub city: String,
    /// Its country, two letters.
    pub country_code: String,
}

/// Whether a party receives a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Whether the network knows it.
    pub is_registered: bool,
    /// Whether it receives documents of the kind that was asked for.
    pub can_receive: bool,
}

/// A document that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The idempotency key: a UUID.
    pub key: String,
    /// The sender's account at the provider.
    pub account: String,
    /// Who gets it.
    pub recipient: Participant,
    /// What it is.
    pub document: NetworkDocument,
    /// The XML, Peppol BIS Billing 3.0 in UBL.
    pub xml: String,
}

/// What the provider made of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// It has it, under this reference.
    Taken(String),
    /// It has had one with this key before, and does not say under which reference.
    TakenBefore,
    /// It does not take it.
    Refused {
        /// For programs.
        code: String,
        /// For people.
        message: String,
    },
}

/// What became of a document that the provider took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It is under way.
    UnderWay,
    /// The receiver has it.
    Delivered,
    /// It could not be delivered.
    Failed {
        /// For programs.
        code: String,
        /// For people.
        message: String,
    },
}

/// What a provider tells by itself of a document that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The document's idempotency key, when the provider names it.
    pub key: Option<String>,
    /// The provider's name for the document.
    pub reference: Option<String>,
    /// What became of it.
    pub progress: Progress,
}

/// A notice that does not show the provider's secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no notice of the provider")]
pub struct Unauthorized;

/// Why nothing is known: the provider, or the network's directory, gave no answer that counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NoAnswer {
    /// What was seen.
    pub reason: String,
}

impl NoAnswer {
    /// Of `reason`.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// What a call to the provider came to when it was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// There is no provider to ask.
    #[error("this server has no provider of the network for {}", .0.name())]
    NotConnected(
        /// For whom.
        Environment,
    ),
    /// The provider refused what it was asked.
    #[error("the provider refused it: {0}")]
    Refused(
        /// Why.
        String,
    ),
    /// Nothing is known.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
}

/// The network.
///
/// Each call ends within a time limit. A call that sends may be repeated with the same key: what
/// the provider took it does not take again.
#[async_trait]
pub trait EInvoicingNetwork: Send + Sync {
    /// Whether companies of `country` may send in `environment`.
    fn supports(&self, environment: Environment, country: &str) -> bool;

    /// Opens an account for the company: the provider's name for it. It opens another each time, so
    /// the name is stored before anything else is asked of the provider.
    ///
    /// # Errors
    /// [`NetworkError`]: then it is not known whether there is one. One whose name was lost has no
    /// identifier, so it keeps no other from one.
    async fn open_account(
        &self,
        environment: Environment,
        sender: &Sender,
    ) -> Result<String, NetworkError>;

    /// Gives an account the identifier that its company sends as, and answers how it stands. Doing
    /// so again changes nothing.
    ///
    /// # Errors
    /// [`NetworkError`]: then it is not known whether the account has it.
    async fn announce(
        &self,
        environment: Environment,
        account: &str,
        participant: &Participant,
    ) -> Result<Standing, NetworkError>;

    /// How an account stands.
    ///
    /// # Errors
    /// [`NetworkError`].
    async fn standing(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<Standing, NetworkError>;

    /// Whether `recipient` receives a `document`.
    ///
    /// # Errors
    /// [`NetworkError`]: then that is not known.
    async fn capability(
        &self,
        environment: Environment,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NetworkError>;

    /// Hands over a document.
    ///
    /// # Errors
    /// [`NetworkError`]: then it is not known whether the provider has it.
    async fn send(
        &self,
        environment: Environment,
        dispatch: &Dispatch,
    ) -> Result<Receipt, NetworkError>;

    /// What became of the document that the provider calls `reference`.
    ///
    /// # Errors
    /// [`NetworkError`].
    async fn progress(
        &self,
        environment: Environment,
        reference: &str,
    ) -> Result<Progress, NetworkError>;

    /// What a notice of the provider says, given its `Authorization`; `None` when it is about
    /// something else.
    ///
    /// # Errors
    /// [`Unauthorized`].
    fn notice(
        &self,
        authorization: Option<&str>,
        body: &[u8],
    ) -> Result<Option<Notice>, Unauthorized>;
}
