//! One line to a system: its connections, how many calls go over them at once, and no calls when it
//! does not answer.

use std::time::Duration;

use racun_fiscal::{Patience, Unknown};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::circuit::{Call, Circuit};
use crate::transport::{self, Client, Request, unknown};

/// How long an exchange may last when no user waits.
const BACKGROUND: Duration = Duration::from_secs(15);
/// Calls of one certificate at once. All tills of a taxpayer share them, and at an authority that
/// takes a second for an answer this is how many receipts a second have theirs; others want to call
/// too.
const MOST_CALLS: usize = 32;
/// Of these, calls in the background.
const MOST_BACKGROUND: usize = 4;

/// What the calls of one caller to one system share.
pub(crate) struct Line {
    client: Client,
    calls: Semaphore,
    /// Of the calls at once, those in the background: the rest are left to users who wait.
    background: Semaphore,
    circuit: Circuit,
}

impl Line {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            calls: Semaphore::new(MOST_CALLS),
            background: Semaphore::new(MOST_BACKGROUND),
            circuit: Circuit::new(),
        }
    }

    /// Sends `request` when it may be sent, and answers what came back within `interactive` while a
    /// user waits, else within 15 s. Whether it is an answer is for the caller to settle.
    pub(crate) async fn call(
        &self,
        request: Request,
        patience: Patience,
        interactive: Duration,
    ) -> Result<(Call<'_>, Vec<u8>), Unknown> {
        let limit = match patience {
            Patience::Interactive => interactive,
            Patience::Background => BACKGROUND,
        };
        let deadline = Instant::now() + limit;
        let resting = || unknown("the last calls failed; no other is made for some seconds");
        if self.circuit.rests() {
            return Err(resting());
        }
        let turn = async {
            let background = match patience {
                Patience::Interactive => None,
                Patience::Background => Some(self.background.acquire().await),
            };
            (background, self.calls.acquire().await)
        };
        let turn = timeout_at(deadline, turn).await;
        let _turn = turn.map_err(|_| unknown("too many calls are being made"))?;
        let call = self.circuit.call().ok_or_else(resting)?;
        let exchange = transport::exchange(&self.client, request);
        let body = timeout_at(deadline, exchange).await;
        match body.unwrap_or_else(|_| Err(unknown("no answer came in time"))) {
            Ok(body) => Ok((call, body)),
            Err(unknown) => {
                call.settle(false);
                Err(unknown)
            }
        }
    }
}
