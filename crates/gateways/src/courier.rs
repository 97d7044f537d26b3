//! Posting to receivers of events: strangers, chosen by tenants, who may answer anything.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use racun_webhooks::{Courier, Post, ReceiverResponse, Undelivered};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response};
use url::Url;

use crate::caller;
use crate::egress::{Guard, Names, OwnNames, Reach, Refused, SystemNames};

/// Of an answer's body no more is read.
const MAX_BODY_BYTES: usize = 4 * 1024;

/// Idle connections are closed after this time, before the receiver closes them: a request on a
/// closed connection is a failed attempt. Node's servers have the shortest default, five seconds.
const IDLE: Duration = Duration::from_secs(4);

/// How receivers are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Calls every address, and not only public ones: for receivers in one's own network.
    pub allow_private_addresses: bool,
    /// How far it calls.
    pub reach: Reach,
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the whole answer, with what it takes to connect.
    pub exchange: Duration,
}

impl Default for Options {
    /// Public addresses, 5 and 15 seconds.
    fn default() -> Self {
        Self {
            allow_private_addresses: false,
            reach: Reach::Everywhere,
            connect: Duration::from_secs(5),
            exchange: Duration::from_secs(15),
        }
    }
}

/// Posts over HTTP/1.1, on connections that are used again.
pub struct HttpCourier {
    client: Client,
    guard: Guard,
    options: Options,
}

impl HttpCourier {
    /// A courier who looks up names as the system does.
    ///
    /// # Errors
    /// When there is no TLS.
    pub fn new(options: Options) -> Result<Self, String> {
        match options.reach {
            Reach::Everywhere => Self::with_names(options, Arc::new(SystemNames)),
            Reach::ThisMachine => Self::with_names(options, Arc::new(OwnNames)),
        }
    }

    /// A courier who looks up names in `names`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_names(options: Options, names: Arc<dyn Names>) -> Result<Self, String> {
        let guard = Guard::new(names, options.allow_private_addresses, options.reach);
        let client = caller::builder(&guard)?
            .connect_timeout(options.connect)
            .timeout(options.exchange)
            .pool_idle_timeout(IDLE)
            .build()
            .map_err(|error| reasons(&error))?;
        Ok(Self { client, guard, options })
    }

    async fn exchange(&self, url: Url, post: &Post) -> Result<(u16, String), reqwest::Error> {
        let mut request = self.client.post(url).header(CONTENT_TYPE, "application/json");
        for (name, value) in &post.headers {
            request = request.header(*name, value);
        }
        let mut answer = request.body(post.body.clone()).send().await?;
        let body = beginning(&mut answer).await?;
        Ok((answer.status().as_u16(), body))
    }

    fn undelivered(&self, error: reqwest::Error) -> Undelivered {
        let error = error.without_url();
        if let Some(refused) = causes(&error).find_map(|cause| cause.downcast_ref::<Refused>()) {
            return Undelivered::Forbidden(refused.to_string());
        }
        Undelivered::Failed(match (error.is_timeout(), error.is_connect()) {
            (true, true) => format!("no connection within {:?}", self.options.connect),
            (true, false) => format!("no complete answer within {:?}", self.options.exchange),
            (false, _) => reasons(&error),
        })
    }
}

#[async_trait]
impl Courier for HttpCourier {
    fn accepts(&self, url: &str) -> Result<(), Undelivered> {
        let read = self.guard.read(url).map(drop);
        read.map_err(|refused| Undelivered::Forbidden(refused.to_string()))
    }

    async fn post(&self, post: &Post) -> Result<ReceiverResponse, Undelivered> {
        let url = self.guard.read(&post.url);
        let url = url.map_err(|refused| Undelivered::Forbidden(refused.to_string()))?;
        self.guard.check_reach(&url).map_err(|error| Undelivered::Failed(error.to_string()))?;
        let begun = Instant::now();
        match self.exchange(url, post).await {
            Ok((status, body)) => Ok(ReceiverResponse { status, body, took: begun.elapsed() }),
            Err(error) => Err(self.undelivered(error)),
        }
    }
}

/// The beginning of the body. What comes after it is left unread, and the connection closed with
/// it.
async fn beginning(answer: &mut Response) -> Result<String, reqwest::Error> {
    let mut bytes = Vec::new();
    while bytes.len() < MAX_BODY_BYTES {
        let Some(chunk) = answer.chunk().await? else { break };
        bytes.extend_from_slice(&chunk);
    }
    bytes.truncate(MAX_BODY_BYTES);
    // PostgreSQL's texts hold no NUL.
    let mut text = String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}");
    text.truncate(text.floor_char_boundary(MAX_BODY_BYTES));
    Ok(text)
}

/// The error, what it came from, and so on.
fn causes<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let first: &'a (dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| error.source())
}

/// All that an error says.
fn reasons(error: &reqwest::Error) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
