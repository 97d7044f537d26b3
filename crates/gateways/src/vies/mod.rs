//! The register of VAT numbers of the Union: the Commission's for live entities, a simulator of our
//! own for the sandbox.
//!
//! | Module      | Owns                                                             |
//! | ----------- | ---------------------------------------------------------------- |
//! | `client`    | calls to the Commission's REST interface                         |
//! | `answer`    | what an answer says, of which most forms mean nothing            |
//! | `turns`     | how many calls of one entity are under way                       |
//! | `rest`      | not calling for a while who does not answer                      |
//! | `simulator` | the sandbox's register, with numbers that stand for each outcome |

mod answer;
mod client;
mod rest;
mod simulator;
mod turns;

use std::time::Duration;

use async_trait::async_trait;
use client::Client;
use racun_catalog::{NoAnswer, VatAnswer, VatQuery, VatRegistry};
use racun_kernel::Environment;

use crate::egress::Reach;

pub use simulator::simulated;

/// How VIES is called.
#[derive(Debug, Clone)]
pub struct ViesOptions {
    /// The base of its REST interface; `None` makes no calls.
    pub url: Option<String>,
    /// How far calls go.
    pub reach: Reach,
    /// Until the answer, with the wait for a turn.
    pub patience: Duration,
}

impl ViesOptions {
    /// The base of the Commission's REST interface.
    pub const COMMISSION: &'static str = "https://ec.europa.eu/taxation_customs/vies/rest-api";
}

impl Default for ViesOptions {
    /// The Commission's, 10 seconds.
    fn default() -> Self {
        Self {
            url: Some(Self::COMMISSION.to_owned()),
            reach: Reach::Everywhere,
            patience: Duration::from_secs(10),
        }
    }
}

/// The register: live entities reach the Commission's, those of the sandbox a simulator.
pub struct Vies {
    live: Option<Client>,
}

impl Vies {
    /// A register that calls as `options` say. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, or the URL is none.
    pub fn new(options: ViesOptions) -> Result<Self, String> {
        let ViesOptions { url, reach, patience } = options;
        let live = url.map(|url| Client::new(&url, reach, patience)).transpose()?;
        Ok(Self { live })
    }
}

#[async_trait]
impl VatRegistry for Vies {
    async fn ask(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
        match (query.environment, &self.live) {
            (Environment::Sandbox, _) => simulated(query),
            (Environment::Live, Some(live)) => live.ask(query).await,
            (Environment::Live, None) => {
                Err(NoAnswer { reason: "this server does not ask it".to_owned() })
            }
        }
    }
}
