//! Calls of the server's own accord, to services that the operator names.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client as HttpClient, ClientBuilder, Response};

use crate::egress::{Guard, OwnNames, Reach, SystemNames};
use crate::tls;

/// The guard of such calls: the operator may name any address, within `reach`.
pub fn guard(reach: Reach) -> Guard {
    match reach {
        Reach::Everywhere => Guard::new(Arc::new(SystemNames), true, reach),
        Reach::ThisMachine => Guard::new(Arc::new(OwnNames), true, reach),
    }
}

/// A client that resolves names through `guard`, follows nothing, and ends each call within
/// `patience`.
///
/// # Errors
/// When there is no TLS.
pub fn client(guard: &Guard, patience: Duration) -> Result<HttpClient, String> {
    let client = builder(guard)?.connect_timeout(patience).timeout(patience);
    client.build().map_err(|error| error.to_string())
}

/// The same without time limits.
///
/// # Errors
/// When there is no TLS.
pub fn builder(guard: &Guard) -> Result<ClientBuilder, String> {
    Ok(HttpClient::builder()
        .tls_backend_preconfigured(tls::client().map_err(|error| error.to_string())?)
        .dns_resolver(guard.clone())
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only())
}

/// The body; `None` when it is longer than `most` bytes.
pub async fn whole(mut answer: Response, most: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(bytes))
}
