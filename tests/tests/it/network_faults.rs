//! Electronic invoices over the network, through kills, lost answers and refusals: each document is
//! delivered once, or failed with its reason.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use racun_network_simulator::{Fate, Fault, Operation, Options, Running, Simulator, When};
use racun_tests::{Account, Client, Data, Profile, Racun, Random, StoreKind, on_both_stores};
use serde_json::{Value, json};

on_both_stores! {
    two_hundred_documents_are_delivered_once_or_failed_with_their_reason,
}

/// Documents that are sent, in rounds that end in a kill.
const ROUNDS: usize = 10;
const IN_A_ROUND: usize = 20;

/// Longer than the lease of a job whose worker died, and the waits after lost answers.
const PATIENCE: Duration = Duration::from_secs(300);

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

fn settings(simulator: &Running) -> Vec<(String, String)> {
    let setting =
        |name: &str, value: &str| (format!("RACUN__E_INVOICING__{name}"), value.to_owned());
    vec![setting("TEST__URL", &simulator.url), setting("TEST__API_KEY", "drill")]
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
    let refreshed = user.post("/e-invoicing/enrollment/refresh", &json!({})).await.expect(200);
    assert_eq!(refreshed["enrollment"]["state"], "verified", "{refreshed}");
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
    made["id"].as_str().expect("an id").to_owned()
}

/// Plans what goes wrong in a round.
fn break_down(simulator: &Running, random: &mut Random) {
    simulator.clear_faults();
    let every =
        |operation, every| When { operation: Some(operation), times: None, every: Some(every) };
    for (fault, often) in
        [(Fault::LoseAnswer, 3), (Fault::Html, 5), (Fault::ServerError, 6), (Fault::Reset, 7)]
    {
        simulator.add_fault(fault, every(Operation::Submit, often + random.below(3)));
    }
    simulator.add_fault(Fault::Delay, every(Operation::Submit, 4));
    simulator.add_fault(Fault::TooMany, every(Operation::Evidence, 3));
}

/// The submissions of a document.
async fn submissions(api: &Client, id: &str) -> Vec<Value> {
    let page = api.read(&format!("/e-invoicing/documents/{id}/submissions")).await;
    page["data"].as_array().expect("a list").clone()
}

async fn two_hundred_documents_are_delivered_once_or_failed_with_their_reason(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let simulator = Simulator::start(&Options::default()).expect("a free port");
    let data = Data::fresh(store);
    let mut racun = Racun::start_with(Profile::Debug, data, settings(&simulator)).await;
    let mut account = Account::sign_up(&racun).await;
    enroll(&account).await;
    let mut expected: BTreeMap<String, Outcome> = BTreeMap::new();
    let mut unanswered = 0;
    for round in 0..ROUNDS {
        break_down(&simulator, &mut random);
        let api = account.api.clone().with("x-entity-id", &account.entity);
        let mut ids = Vec::new();
        for n in 0..IN_A_ROUND {
            let place = if n % 4 == 0 { (round + n / 4) % RECIPIENTS.len() } else { 0 };
            let (recipient, outcome) = RECIPIENTS[place];
            let id = invoice(&api, recipient).await;
            expected.insert(id.clone(), outcome);
            ids.push(id);
        }
        let mut sending = tokio::task::JoinSet::new();
        for id in ids.clone() {
            let api = api.clone();
            sending.spawn(async move {
                let path = format!("/e-invoicing/documents/{id}/send");
                api.try_json("POST", &path, "{}".to_owned()).await.ok()
            });
        }
        // Somewhere between the storing of the submissions and the answers of the provider.
        tokio::time::sleep(Duration::from_millis(random.below(1_500))).await;
        racun.kill9();
        for answer in sending.join_all().await {
            unanswered += usize::from(answer.is_none());
        }
        racun.restart().await;
        account = account.at(&racun);
        let api = account.api.clone().with("x-entity-id", &account.entity);
        // As a client does whose answer was lost: it asks again.
        for id in &ids {
            let path = format!("/e-invoicing/documents/{id}/send");
            api.post(&path, &json!({})).await.expect(202);
        }
    }
    println!("{unanswered} requests got no answer");
    simulator.clear_faults();
    let api = account.api.clone().with("x-entity-id", &account.entity);
    let until = Instant::now() + PATIENCE;
    for (id, outcome) in &expected {
        let all = loop {
            let all = submissions(&api, id).await;
            let is_over = |one: &Value| one["status"] == "delivered" || one["status"] == "failed";
            if !all.is_empty() && all.iter().all(is_over) {
                break all;
            }
            assert!(Instant::now() < until, "{id} never ends: {all:?}\n{}", racun.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        };
        // One that failed for certain may be sent again.
        assert!(all.len() == 1 || *outcome != Outcome::Delivered, "{id}: {all:?}");
        for one in &all {
            check(id, *outcome, one);
        }
    }
    check_ledger(&simulator, &api, &expected).await;
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
        let number = document["number"].as_str().expect("a number");
        let fates = taken.remove(number).unwrap_or_default();
        let is_right = match outcome {
            Outcome::Delivered => fates.len() == 1,
            Outcome::Failed => !fates.is_empty(),
            Outcome::Refused => fates.is_empty(),
        };
        assert!(is_right, "{number} ({outcome:?}): {fates:?}");
    }
    assert!(taken.is_empty(), "nobody issued {taken:?}");
}
