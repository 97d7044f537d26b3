//! A network in memory: it takes all companies, delivers what it is sent, and says what it was told
//! to say.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_application::Services;
use racun_background::consumer::{LogConsumer, read};
use racun_background::jobs::{Handler, JobKind, claim, perform};
use racun_einvoicing::network::{
    Capability, Dispatch, EInvoicingNetwork, NetworkDocument, NetworkError, Notice, Participant,
    Progress, Receipt, Sender, Standing, Unauthorized,
};
use racun_kernel::Environment;
use racun_sales::network::{AutoSendHandler, AutoSendReader, EnrollmentHandler, SubmissionHandler};
use racun_store::Store;
use tokio::sync::Notify;

const KINDS: [JobKind; 3] =
    [JobKind::EInvoiceEnrollment, JobKind::EInvoiceAutoSend, JobKind::EInvoiceSubmission];

/// Reads the log, and does what is due with the network; answers how many jobs were.
pub async fn work(services: &Services) -> usize {
    let own = services.clone();
    let stamp = Arc::new(move || own.stamp());
    let store: Arc<dyn Store> = Arc::clone(&services.store);
    let reader = AutoSendReader { store: Arc::clone(&store), stamp: stamp.clone() };
    let now = stamp();
    read(&*store, reader.name(), 1_000, &now, |entries| reader.handle(entries)).await.unwrap();
    let network = || Arc::clone(&services.network);
    let enrolling =
        EnrollmentHandler { store: Arc::clone(&store), network: network(), stamp: stamp.clone() };
    let automatic = AutoSendHandler { store: Arc::clone(&store), stamp: stamp.clone() };
    let submitting =
        SubmissionHandler { store: Arc::clone(&store), network: network(), stamp: stamp.clone() };
    let handlers: [&dyn Handler; 3] = [&enrolling, &automatic, &submitting];
    let jobs = claim(&*store, &KINDS, &stamp(), 100).await.unwrap();
    for job in &jobs {
        let handler = handlers.iter().find(|handler| handler.kind() == job.kind).unwrap();
        perform(&*store, *handler, job, &*stamp).await.unwrap();
    }
    jobs.len()
}

/// The network.
#[derive(Default)]
pub struct Scripted {
    /// What it was sent, in order, repetitions too.
    pub sent: Mutex<Vec<Dispatch>>,
    /// What it says to the next dispatches; it takes those that come after.
    pub receipts: Mutex<VecDeque<Result<Receipt, NetworkError>>>,
    /// What it says to the next questions after a document; delivered after those.
    pub looks: Mutex<VecDeque<Result<Progress, NetworkError>>>,
    /// What it says of the next companies; verified after those.
    pub standings: Mutex<VecDeque<Result<Standing, NetworkError>>>,
    /// Who was given an account, in order.
    pub opened: Mutex<Vec<Sender>>,
    /// Where opening an account waits.
    pub gate: Mutex<Option<Arc<Gate>>>,
}

/// Says when someone came to it, and lets them on.
#[derive(Default)]
pub struct Gate {
    pub came: Notify,
    pub open: Notify,
}

impl Scripted {
    fn standing(&self) -> Result<Standing, NetworkError> {
        self.standings.lock().unwrap().pop_front().unwrap_or(Ok(Standing::Verified))
    }
}

#[async_trait]
impl EInvoicingNetwork for Scripted {
    fn supports(&self, _: Environment, country: &str) -> bool {
        country != "US"
    }

    async fn open_account(&self, _: Environment, own: &Sender) -> Result<String, NetworkError> {
        let gate = self.gate.lock().unwrap().clone();
        if let Some(gate) = gate {
            gate.came.notify_one();
            gate.open.notified().await;
        }
        let mut opened = self.opened.lock().unwrap();
        opened.push(own.clone());
        Ok(opened.len().to_string())
    }

    async fn announce(
        &self,
        _: Environment,
        _: &str,
        _: &Participant,
    ) -> Result<Standing, NetworkError> {
        self.standing()
    }

    async fn standing(&self, _: Environment, _: &str) -> Result<Standing, NetworkError> {
        self.standing()
    }

    async fn capability(
        &self,
        _: Environment,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NetworkError> {
        let is_registered = recipient.id() != "SI20000006";
        let can_receive = is_registered && document == NetworkDocument::Invoice;
        Ok(Capability { is_registered, can_receive })
    }

    async fn send(&self, _: Environment, dispatch: &Dispatch) -> Result<Receipt, NetworkError> {
        let mut sent = self.sent.lock().unwrap();
        let is_known = sent.iter().any(|known| known.key == dispatch.key);
        sent.push(dispatch.clone());
        let said = self.receipts.lock().unwrap().pop_front();
        said.unwrap_or(Ok(match is_known {
            true => Receipt::TakenBefore,
            false => Receipt::Taken(format!("ref-{}", dispatch.key)),
        }))
    }

    async fn progress(&self, _: Environment, _: &str) -> Result<Progress, NetworkError> {
        self.looks.lock().unwrap().pop_front().unwrap_or(Ok(Progress::Delivered))
    }

    fn notice(
        &self,
        authorization: Option<&str>,
        body: &[u8],
    ) -> Result<Option<Notice>, Unauthorized> {
        if authorization != Some("Bearer provider") {
            return Err(Unauthorized);
        }
        let body: serde_json::Value = serde_json::from_slice(body).unwrap();
        let text = |name: &str| body[name].as_str().map(str::to_owned);
        let progress = match text("event").as_deref() {
            Some("succeeded") => Progress::Delivered,
            Some("processing") => Progress::UnderWay,
            Some("failed") => Progress::Failed {
                code: "failed".to_owned(),
                message: "the receiver is away".to_owned(),
            },
            _ => return Ok(None),
        };
        Ok(Some(Notice { key: text("key"), reference: text("guid"), progress }))
    }
}
