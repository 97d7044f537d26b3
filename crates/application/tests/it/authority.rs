//! A tax authority that answers after a script.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_fiscalization::{Concern, Matter, TaxAuthority};
use racun_kernel::Stamp;
use racun_settlement::{ProviderError, ReportError, TypeChange};

/// What it answers to one report, and what happens before it does.
pub type PendingReply = Pin<Box<dyn Future<Output = Result<(), ReportError>> + Send>>;

/// The scripted authority. Without a script it takes every change.
pub struct Scripted {
    concern: Mutex<Concern>,
    answers: Mutex<VecDeque<PendingReply>>,
    reported: Mutex<Vec<Matter>>,
}

impl Scripted {
    pub fn new(concern: Concern) -> Arc<Self> {
        let (answers, reported) = (Mutex::default(), Mutex::default());
        Arc::new(Self { concern: Mutex::new(concern), answers, reported })
    }

    /// The same authority, as the port.
    pub fn port(self: &Arc<Self>) -> Arc<dyn TaxAuthority> {
        Arc::<Self>::clone(self)
    }

    /// From now on changes are this to it.
    pub fn concerned(&self, concern: Concern) {
        *self.concern.lock().unwrap() = concern;
    }

    /// To the next report that is not scripted yet it answers `answer`.
    pub fn then(&self, answer: impl Future<Output = Result<(), ReportError>> + Send + 'static) {
        self.answers.lock().unwrap().push_back(Box::pin(answer));
    }

    /// Next it refuses by its code `code`.
    pub fn then_refuses(&self, code: &str) {
        let error = provider(code);
        self.then(async move { Err(ReportError::Provider(error)) });
    }

    /// Next it is not reached.
    pub fn then_is_away(&self) {
        self.then(async { Err(ReportError::Unreachable("timed out".to_owned())) });
    }

    /// What was reported since the last call.
    pub fn heard(&self) -> Vec<TypeChange> {
        self.matters().into_iter().map(|matter| matter.change).collect()
    }

    pub fn matters(&self) -> Vec<Matter> {
        std::mem::take(&mut *self.reported.lock().unwrap())
    }
}

pub fn provider(code: &str) -> ProviderError {
    ProviderError { code: code.to_owned(), message: "Poruka".to_owned() }
}

#[async_trait]
impl TaxAuthority for Scripted {
    fn concern(&self, _: &Matter) -> Concern {
        *self.concern.lock().unwrap()
    }

    async fn report(&self, matter: &Matter, _: &Stamp) -> Result<(), ReportError> {
        self.reported.lock().unwrap().push(matter.clone());
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer.await,
            None => Ok(()),
        }
    }
}
