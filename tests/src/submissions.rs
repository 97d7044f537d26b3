//! The drill of the network of electronic invoices: documents are sent through kills, lost answers
//! and refusals, and each is delivered once, or failed with its reason.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use racun_network_simulator::{Fate, Fault, Operation, Options, Running, Simulator, When};
use serde_json::{Value, json};

use crate::account::Account;
use crate::binary::Profile;
use crate::client::Client;
use crate::random::Random;
use crate::server::{Data, Racun, StoreKind};

/// Longer than the lease of a job whose worker died, and the waits after lost answers.
const PATIENCE: Duration = Duration::from_secs(300);

/// A sandbox's company is verified within this time.
const ENROLLED_WITHIN: Duration = Duration::from_secs(30);

/// What the provider shows with its notices.
const NOTICE_SECRET: &str = "drill-notices";

/// How large a drill is.
#[derive(Clone, Copy, Debug)]
pub struct SubmissionDrill {
    /// Where the server keeps its data.
    pub store: StoreKind,
    /// Rounds, each of which ends in a kill.
    pub rounds: usize,
    /// Documents that are sent in a round.
    pub in_a_round: usize,
    /// What chooses when the server is killed, and what goes wrong how often.
    pub seed: u64,
}

/// The documents that the provider took.
#[derive(Clone, Default)]
pub struct Taken(pub Vec<String>);

impl fmt::Debug for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} files", self.0.len())
    }
}

/// What a drill saw.
#[derive(Clone, Debug, Default)]
pub struct Drilled {
    /// Documents that were delivered.
    pub delivered: usize,
    /// Documents that failed, each with its reason.
    pub failed: usize,
    /// Requests to send that were cut off by a kill.
    pub unanswered: usize,
    /// How often the provider met a document that it had taken before.
    pub repeats: usize,
    /// What the provider took.
    pub taken: Taken,
}

/// What becomes of documents for a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Delivered,
    /// The receiver does not take it.
    Failed,
    /// The provider refuses it.
    Refused,
}

/// Recipients of the simulator, of which the first is the most common.
const RECIPIENTS: [(&str, Outcome); 4] = [
    ("SI10039856", Outcome::Delivered),
    ("SI50000004", Outcome::Delivered),
    ("SI40000001", Outcome::Failed),
    ("SI41000005", Outcome::Refused),
];

impl SubmissionDrill {
    /// Plays it.
    ///
    /// # Panics
    /// When a document is delivered twice, or neither delivered nor failed with its reason in time.
    pub async fn play(self) -> Drilled {
        let mut random = Random::new(self.seed);
        let options = Options { keeps_files: true, ..Options::default() };
        let simulator = Simulator::start(&options);
        let simulator = simulator.unwrap_or_else(|error| panic!("{error}"));
        let settings = settings(&simulator);
        let mut racun = Racun::start_with(Profile::Debug, Data::fresh(self.store), settings).await;
        let mut account = Account::sign_up(&racun).await;
        // The call between account and identifier is lost, and the account opened once.
        let between = When { operation: Some(Operation::Identifier), times: Some(1), every: None };
        simulator.add_fault(Fault::LoseAnswer, between);
        enroll(&account).await;
        assert_eq!(simulator.accounts().len(), 1, "{:?}", simulator.accounts());
        let mut expected: BTreeMap<String, Outcome> = BTreeMap::new();
        let mut unanswered = 0;
        for round in 0..self.rounds {
            break_down(&simulator, &mut random);
            let api = account.api.clone().with("x-entity-id", &account.entity);
            let mut ids = Vec::new();
            for n in 0..self.in_a_round {
                let place = if n % 4 == 0 { (round + n / 4) % RECIPIENTS.len() } else { 0 };
                let (recipient, outcome) = RECIPIENTS[place];
                let id = invoice(&api, recipient).await;
                expected.insert(id.clone(), outcome);
                ids.push(id);
            }
            let pause = Duration::from_millis(random.below(1_500));
            unanswered += send_and_kill(&mut racun, &api, &ids, pause).await;
            racun.restart().await;
            account = account.at(&racun);
            let api = account.api.clone().with("x-entity-id", &account.entity);
            // As a client does whose answer was lost: it asks again.
            for id in &ids {
                api.post(&sending(id), &json!({})).await.expect(202);
            }
        }
        simulator.clear_faults();
        let api = account.api.clone().with("x-entity-id", &account.entity);
        expected.insert(lose_an_answer(&racun, &simulator, &api).await, Outcome::Delivered);
        wait_for_ends(&racun, &simulator, &api, &expected).await;
        check_ledger(&simulator, &api, &expected).await;
        let delivered = expected.values().filter(|one| **one == Outcome::Delivered).count();
        let failed = expected.len() - delivered;
        let files = simulator.deliveries().into_iter().filter_map(|one| one.xml);
        let taken = Taken(files.collect());
        Drilled { delivered, failed, unanswered, repeats: simulator.repeats(), taken }
    }
}

fn settings(simulator: &Running) -> Vec<(String, String)> {
    let setting =
        |name: &str, value: &str| (format!("RACUN__E_INVOICING__{name}"), value.to_owned());
    vec![
        setting("TEST__URL", &simulator.url),
        setting("TEST__API_KEY", "drill"),
        setting("TEST__NOTICE_SECRET", NOTICE_SECRET),
    ]
}

async fn enroll(account: &Account) {
    let user = account.user.clone().with("x-entity-id", &account.entity);
    let whole = json!({
        "address": "Glavna 1", "post_code": "1000", "city": "Ljubljana",
        "tax_number": "SI10039856", "company_number": "1234567000", "phone": "+386 1 2345678",
        "email": "ana@example.com", "is_tax_subject": true,
        "settings": {"bank_accounts": [{"type": "iban", "iban": "SI56263300012039086"}]},
    });
    user.patch(&format!("/entities/{}", account.entity), &whole).await.expect(200);
    user.put("/e-invoicing/settings", &json!({"enabled": true})).await.expect(200);
    // The job that the settings left may be about it at the same time.
    let until = Instant::now() + ENROLLED_WITHIN;
    loop {
        let refreshed = user.post("/e-invoicing/enrollment/refresh", &json!({})).await.expect(200);
        if refreshed["enrollment"]["state"] == "verified" {
            return;
        }
        assert!(Instant::now() < until, "{refreshed}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn sending(id: &str) -> String {
    format!("/e-invoicing/documents/{id}/send")
}

/// An issued invoice to `recipient`: its id.
async fn invoice(api: &Client, recipient: &str) -> String {
    let body = json!({
        "customer": {
            "name": "Kupec d.o.o.", "address": "Pot 2", "post_code": "2000", "city": "Maribor",
            "country_code": "SI", "tax_number": recipient,
            "peppol_id": format!("9949:{recipient}"),
            "e_invoicing": {"buyer_reference": "PO-1"},
        },
        "items": [{"name": "Svetovanje", "quantity": 2, "unit": "h", "price": 50,
                   "taxes": [{"rate": 22}]}],
    });
    let made = api.create("/invoices", &body).await;
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// Plans what goes wrong in a round.
fn break_down(simulator: &Running, random: &mut Random) {
    simulator.clear_faults();
    let every =
        |operation, every| When { operation: Some(operation), times: None, every: Some(every) };
    for (fault, often) in [
        (Fault::LoseAnswer, 3),
        (Fault::NotFound, 4),
        (Fault::Html, 5),
        (Fault::ServerError, 6),
        (Fault::Reset, 7),
    ] {
        simulator.add_fault(fault, every(Operation::Submit, often + random.below(3)));
    }
    simulator.add_fault(Fault::Delay, every(Operation::Submit, 4));
    simulator.add_fault(Fault::TooMany, every(Operation::Evidence, 3));
}

/// Orders all of `ids` sent at once, and kills the server somewhere between the storing of the
/// submissions and the answers of the provider. How many requests got no answer.
async fn send_and_kill(racun: &mut Racun, api: &Client, ids: &[String], pause: Duration) -> usize {
    let mut orders = tokio::task::JoinSet::new();
    for id in ids {
        let (api, path) = (api.clone(), sending(id));
        orders.spawn(async move { api.try_json("POST", &path, "{}".to_owned()).await.ok() });
    }
    tokio::time::sleep(pause).await;
    racun.kill9();
    orders.join_all().await.iter().filter(|answer| answer.is_none()).count()
}

/// Sends one more document, and loses the answer to a submission: with no notice of what became of
/// it, it has to be sent again under its key. The first repetition meets a proxy that says 404. The
/// id of the document.
async fn lose_an_answer(racun: &Racun, simulator: &Running, api: &Client) -> String {
    let once = When { operation: Some(Operation::Submit), times: Some(1), every: None };
    simulator.add_fault(Fault::LoseAnswer, once);
    simulator.add_fault(Fault::NotFound, once);
    let id = invoice(api, RECIPIENTS[0].0).await;
    api.post(&sending(&id), &json!({})).await.expect(202);
    let until = Instant::now() + PATIENCE;
    while simulator.repeats() == 0 {
        assert!(Instant::now() < until, "{id} is not sent again\n{}", racun.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    id
}

/// The submissions of a document.
async fn submissions(api: &Client, id: &str) -> Vec<Value> {
    api.all(&format!("/e-invoicing/documents/{id}/submissions")).await
}

/// Tells again what became of all documents, as a provider does until its notices are taken. Where
/// the answer to a sending was lost, Racun does not know the provider's name of the document, and
/// only a notice, which names the key, says what became of it.
async fn tell(racun: &Racun, simulator: &Running) {
    let provider = racun.client().bearer(NOTICE_SECRET);
    for one in simulator.deliveries() {
        let event = if one.fate == Fate::Fails { "failed" } else { "succeeded" };
        let body = json!({
            "guid": one.reference, "idempotencyGuid": one.key, "event": event,
            "event_type": "document_submission",
        });
        let answer = provider.post("/e-invoicing/provider/notices", &body).await;
        assert_eq!(answer.status, 204, "{}", answer.text);
    }
}

/// Waits until all submissions have ended, and looks at how.
async fn wait_for_ends(
    racun: &Racun,
    simulator: &Running,
    api: &Client,
    expected: &BTreeMap<String, Outcome>,
) {
    let until = Instant::now() + PATIENCE;
    for (id, outcome) in expected {
        let all = loop {
            let all = submissions(api, id).await;
            let is_over = |one: &Value| one["status"] == "delivered" || one["status"] == "failed";
            if !all.is_empty() && all.iter().all(is_over) {
                break all;
            }
            assert!(Instant::now() < until, "{id} never ends: {all:?}\n{}", racun.log());
            tell(racun, simulator).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
        };
        // One that failed for certain may be sent again.
        assert!(all.len() == 1 || *outcome != Outcome::Delivered, "{id}: {all:?}");
        for one in &all {
            check(id, *outcome, one);
        }
    }
}

fn check(id: &str, outcome: Outcome, submission: &Value) {
    let error = submission["error"].as_str().unwrap_or_default();
    match outcome {
        Outcome::Delivered => assert_eq!(submission["status"], "delivered", "{id}: {submission}"),
        Outcome::Failed | Outcome::Refused => {
            assert_eq!(submission["status"], "failed", "{id}: {submission}");
            assert!(!error.is_empty(), "{id}: {submission}");
        }
    }
}

/// The provider took each document once, and those that it refused never.
async fn check_ledger(simulator: &Running, api: &Client, expected: &BTreeMap<String, Outcome>) {
    let mut taken: BTreeMap<String, Vec<Fate>> = BTreeMap::new();
    for one in simulator.deliveries() {
        taken.entry(one.number).or_default().push(one.fate);
    }
    assert!(simulator.repeats() > 0, "no answer was lost: the drill shows nothing");
    for (id, outcome) in expected {
        let document = api.read(&format!("/invoices/{id}")).await;
        let number = document["number"].as_str().unwrap_or_else(|| panic!("{document}"));
        let fates = taken.remove(number).unwrap_or_default();
        let is_right = match outcome {
            Outcome::Delivered => fates.len() == 1,
            Outcome::Failed => !fates.is_empty(),
            Outcome::Refused => fates.is_empty(),
        };
        assert!(is_right, "{number} ({outcome:?}): {fates:?}");
    }
    assert!(taken.is_empty(), "these were never issued: {taken:?}");
}
