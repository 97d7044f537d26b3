//! The network of electronic invoices: a service provider that sends, and the network's own
//! directory, which says who receives.
//!
//! | Module      | Owns                                                               |
//! | ----------- | ------------------------------------------------------------------ |
//! | `provider`  | a provider's REST interface: accounts, sending, what became of it  |
//! | `answer`    | what the provider's answers and notices say                        |
//! | `schemes`   | the provider's names for schemes of identifiers                    |
//! | `directory` | SML by NAPTR over DNS, SMP over HTTPS                              |
//!
//! The interface is that of Storecove, version 2, whose documentation is public
//! (<https://www.storecove.com/docs/>). Live entities and those of the sandbox have a provider
//! each; the sandbox's is mostly the simulator of our own, which speaks the same.

mod answer;
mod directory;
mod provider;
mod schemes;

use std::sync::Arc;

use async_trait::async_trait;
use racun_einvoicing::network::{
    Capability, Dispatch, EInvoicingNetwork, NetworkDocument, NetworkError, Notice, Participant,
    Progress, Receipt, Sender, Standing, Unauthorized,
};
use racun_kernel::Environment;

pub use directory::{Directory, DirectoryOptions};
pub use provider::{Provider, ProviderOptions};

/// Countries whose companies send: those of the Union whose VAT numbers the network has a scheme
/// of, for a company sends as its VAT number. Of Greece none: the network takes invoices from there
/// that the tax authority has marked (GR-R-004-1), and the server asks for no mark.
const COUNTRIES: [&str; 24] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "EE", "ES", "FI", "FR", "HR", "HU", "IE", "IT", "LT", "LU",
    "LV", "MT", "NL", "PL", "PT", "RO", "SI", "SK",
];

/// The network, as far as this server is connected to it.
#[derive(Default)]
pub struct Network {
    /// Who sends for live entities; `None`: they send none.
    pub live: Option<Provider>,
    /// Who sends for those of the sandbox; `None`: they send none.
    pub sandbox: Option<Provider>,
    /// The network's directory, asked for live entities in the place of the provider.
    pub directory: Option<Arc<Directory>>,
}

impl Network {
    /// Whether companies of `country` send by the provider, real or simulated.
    #[must_use]
    pub fn covers(country: &str) -> bool {
        COUNTRIES.contains(&country)
    }

    fn provider(&self, environment: Environment) -> Result<&Provider, NetworkError> {
        let provider = match environment {
            Environment::Live => &self.live,
            Environment::Sandbox => &self.sandbox,
        };
        provider.as_ref().ok_or(NetworkError::NotConnected(environment))
    }
}

#[async_trait]
impl EInvoicingNetwork for Network {
    fn supports(&self, environment: Environment, country: &str) -> bool {
        self.provider(environment).is_ok() && Self::covers(country)
    }

    async fn open_account(
        &self,
        environment: Environment,
        sender: &Sender,
    ) -> Result<String, NetworkError> {
        self.provider(environment)?.open_account(sender).await
    }

    async fn announce(
        &self,
        environment: Environment,
        account: &str,
        participant: &Participant,
    ) -> Result<Standing, NetworkError> {
        self.provider(environment)?.announce(account, participant).await
    }

    async fn standing(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<Standing, NetworkError> {
        self.provider(environment)?.standing(account).await
    }

    async fn capability(
        &self,
        environment: Environment,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NetworkError> {
        match (&self.directory, environment) {
            (Some(directory), Environment::Live) => {
                Ok(directory.capability(recipient, document).await?)
            }
            _ => self.provider(environment)?.capability(recipient, document).await,
        }
    }

    async fn send(
        &self,
        environment: Environment,
        dispatch: &Dispatch,
    ) -> Result<Receipt, NetworkError> {
        self.provider(environment)?.send(dispatch).await
    }

    async fn progress(
        &self,
        environment: Environment,
        reference: &str,
    ) -> Result<Progress, NetworkError> {
        self.provider(environment)?.progress(reference).await
    }

    fn notice(
        &self,
        authorization: Option<&str>,
        body: &[u8],
    ) -> Result<Option<Notice>, Unauthorized> {
        let known = [&self.live, &self.sandbox].into_iter().flatten();
        if !known.into_iter().any(|provider| provider.is_authorized(authorization)) {
            return Err(Unauthorized);
        }
        Ok(answer::notice(body))
    }
}
