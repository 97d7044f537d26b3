//! A system of an authority, as its settings describe it.

use std::time::Duration;

use hyper::Uri;
use hyper::http::uri::PathAndQuery;
use racun_fiscal::Authority;
use racun_kernel::Environment;

use crate::settings::{Endpoint, Transport, roots};
use crate::{SignerName, Trust, Verifier};

/// A setting that is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct BadEndpoint {
    /// Which, as `furs.test.url`.
    pub setting: String,
    /// Why.
    pub reason: String,
}

/// A system that messages can be sent to.
pub(crate) struct System {
    url: Uri,
    pub(crate) transport: Transport,
    pub(crate) timeout: Duration,
    pub(crate) verifier: Verifier,
}

impl System {
    pub(crate) fn new(
        authority: Authority,
        environment: Environment,
        endpoint: &Endpoint,
    ) -> Result<Self, BadEndpoint> {
        let bad = |name: &str, reason: String| {
            let system = match environment {
                Environment::Sandbox => "test",
                Environment::Live => "production",
            };
            BadEndpoint { setting: format!("{}.{system}.{name}", authority.name()), reason }
        };
        let pem = endpoint.ca_pem.as_deref().unwrap_or_else(|| roots(authority, environment));
        let trust = Trust::from_pem(pem).map_err(|reason| bad("ca_file", reason))?;
        let url: Uri = endpoint.url.parse().map_err(|_| bad("url", "it is no URL".to_owned()))?;
        let authority_part = url.authority().map_or("", |authority| authority.as_str());
        if url.scheme_str() != Some("https") || authority_part.contains('@') {
            return Err(bad("url", "it must begin with https:// and a host".to_owned()));
        }
        if authority == Authority::Furs && (url.path() != "/" || url.query().is_some()) {
            return Err(bad("url", "it must be https://host:port, without a path".to_owned()));
        }
        let signer = match (authority, environment) {
            (Authority::Furs, Environment::Sandbox) => SignerName::FURS_TEST,
            (Authority::Furs, Environment::Live) => SignerName::FURS,
            (Authority::Fina, Environment::Sandbox) => SignerName::CIS_TEST,
            (Authority::Fina, Environment::Live) => SignerName::CIS,
        };
        Ok(Self {
            url,
            transport: endpoint.transport,
            timeout: endpoint.timeout,
            verifier: Verifier { trust, signer },
        })
    }

    /// The address as it was set.
    pub(crate) fn url(&self) -> Uri {
        self.url.clone()
    }

    /// The address with another path.
    pub(crate) fn url_of(&self, path: &'static str) -> Uri {
        let mut parts = self.url.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::from_static(path));
        // A known path behind an address that was checked is an address.
        Uri::from_parts(parts).unwrap_or_else(|_| self.url.clone())
    }
}
