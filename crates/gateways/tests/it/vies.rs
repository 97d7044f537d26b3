//! VIES that answers well, badly and not at all; and the simulator by the same rules.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use racun_catalog::contract::{self, Asker, silence};
use racun_catalog::{VatQuery, VatRegistry as _};
use racun_gateways::{Reach, Vies, ViesOptions};
use racun_kernel::Environment;
use racun_kernel::id::EntityId;
use racun_kernel::vat_number::VatNumber;
use racun_store::testing;
use serde_json::{Value, json};
use time::macros::datetime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

/// Longer than an answer takes that comes at all.
const PATIENCE: Duration = Duration::from_secs(60);
/// For so long answers that never come are waited for.
const HASTE: Duration = Duration::from_millis(100);

/// What a stand-in answers to a request, as its whole text; `None` leaves it without an answer.
type Script = dyn Fn(&Value) -> Option<String> + Send + Sync;

/// A stand-in for the Commission's interface.
struct Commission {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Commission {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Commission {
    async fn new(script: impl Fn(&Value) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::behind(script, None).await
    }

    /// One that answers when a permit of `gate` lets it.
    async fn behind(
        script: impl Fn(&Value) -> Option<String> + Send + Sync + 'static,
        gate: Option<Arc<Semaphore>>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (script, requests): (Arc<Script>, _) =
            (Arc::new(script), Arc::<AtomicUsize>::default());
        let (most_at_once, now) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (counted, most) = (Arc::clone(&requests), Arc::clone(&most_at_once));
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (script, counted, gate) =
                    (Arc::clone(&script), Arc::clone(&counted), gate.clone());
                let (most, now) = (Arc::clone(&most), Arc::clone(&now));
                tokio::spawn(async move {
                    while let Some(asked) = request(&mut stream).await {
                        counted.fetch_add(1, Ordering::SeqCst);
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        if let Some(gate) = &gate {
                            gate.acquire().await.unwrap().forget();
                        }
                        now.fetch_sub(1, Ordering::SeqCst);
                        match script(&asked) {
                            Some(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
                            None => std::future::pending().await,
                        }
                    }
                });
            }
        });
        Self { address, requests, most_at_once, task }
    }

    /// One that answers each request with this status and body.
    async fn saying(status: u16, body: impl ToString) -> Self {
        let answer = http(status, &body.to_string());
        Self::new(move |_| Some(answer.clone())).await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn vies(&self) -> Vies {
        self.patient(PATIENCE)
    }

    fn patient(&self, patience: Duration) -> Vies {
        let url = Some(format!("http://{}/rest-api/", self.address));
        Vies::new(ViesOptions { url, reach: Reach::ThisMachine, patience }).unwrap()
    }
}

/// An answer of HTTP.
fn http(status: u16, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n\
         {body}"
    )
}

/// The body of one request, which is JSON, with its path; `None` when there is no other.
async fn request(stream: &mut TcpStream) -> Option<Value> {
    let (mut text, mut buffer) = (String::new(), [0; 4_096]);
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(mut asked) = serde_json::from_str::<Value>(body)
        {
            asked["path"] = head.lines().next()?.into();
            return Some(asked);
        }
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
}

fn asker() -> EntityId {
    testing::stamp(datetime!(2026-11-20 10:00 UTC)).id()
}

fn live(number: &str) -> VatQuery {
    Asker { entity: asker(), environment: Environment::Live }.about(number)
}

fn verdict(asked: &Value, valid: bool) -> Value {
    json!({
        "countryCode": asked["countryCode"], "vatNumber": asked["vatNumber"], "valid": valid,
        "requestDate": "2026-11-20T10:00:00.000Z", "requestIdentifier": "",
        "name": "---", "address": "---",
    })
}

async fn keeps_the_contract(vies: &Vies, environment: Environment) {
    let asker = Asker { entity: asker(), environment };
    contract::a_valid_number_is_valid_each_time(vies, &asker).await;
    contract::who_names_themselves_has_a_consultation_number(vies, &asker).await;
    contract::an_invalid_number_is_a_verdict(vies, &asker).await;
    contract::what_cannot_be_said_is_silence_with_its_code(vies, &asker).await;
}

#[tokio::test]
async fn the_simulator_keeps_the_contract_without_calling() {
    let commission = Commission::saying(500, "").await;
    let vies = commission.vies();
    keeps_the_contract(&vies, Environment::Sandbox).await;
    assert_eq!(commission.requests(), 0);
}

#[tokio::test]
async fn the_client_keeps_the_contract() {
    let commission = Commission::new(|asked| {
        let error =
            |code: &str| json!({"actionSucceed": false, "errorWrappers": [{"error": code}]});
        let mut body = match asked["vatNumber"].as_str() {
            Some("301000004") => error("MS_UNAVAILABLE"),
            Some("500000007") => error("GLOBAL_MAX_CONCURRENT_REQ"),
            number => verdict(asked, number != Some("200000005")),
        };
        if asked["requesterMemberStateCode"] == "SI" && asked["requesterNumber"] == "10039856" {
            body["requestIdentifier"] = "WAPIAAAAY1".into();
        }
        assert_eq!(asked["path"], "POST /rest-api/check-vat-number HTTP/1.1");
        assert_eq!(asked["countryCode"], "DE");
        Some(http(200, &body.to_string()))
    })
    .await;
    keeps_the_contract(&commission.vies(), Environment::Live).await;
}

/// Answers of VIES, and what each says; see `data/SOURCE.md`.
const CASES: &str = include_str!("../data/vies/cases.json");

#[tokio::test]
async fn each_recorded_answer_is_taken_as_what_it_says() {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert!(cases.len() > 15, "{}", cases.len());
    for case in cases {
        let (status, body) = (case["http_status"].as_u64(), case["body"].clone());
        let recorded = move |asked: &Value| {
            let mut body = body.clone();
            // In the place of those that the cases invent.
            for name in ["countryCode", "vatNumber"] {
                if body.get(name).is_some() {
                    body[name] = asked[name].clone();
                }
            }
            let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
            status.map(|status| http(u16::try_from(status).unwrap(), &text))
        };
        let commission = Commission::new(recorded).await;
        let vies = if status.is_some() { commission.vies() } else { commission.patient(HASTE) };
        let answered = vies.ask(&live(contract::VALID)).await;
        let said = match &answered {
            Ok(answer) if answer.valid => "valid",
            Ok(_) => "invalid",
            Err(silence) if silence.reason.starts_with("INVALID") => "caller_error",
            Err(_) => "unknown",
        };
        assert_eq!(said, case["verdict"], "{case} is {answered:?}");
    }
}

#[tokio::test]
async fn unclear_answers_are_never_taken_as_valid_or_invalid() {
    let html = "<html><body>Service unavailable</body></html>";
    for (status, body) in [
        (200, html.to_owned()),
        (503, html.to_owned()),
        (429, String::new()),
        (200, "{\"valid\":".to_owned()),
        (500, json!({"valid": false}).to_string()),
        (200, json!({"valid": false, "actionSucceed": false}).to_string()),
        (200, json!({"valid": true, "countryCode": "AT", "vatNumber": "136695976"}).to_string()),
        (302, String::new()),
        (200, format!("{{\"valid\":true,\"name\":\"{}\"}}", "A".repeat(40_000))),
    ] {
        let commission = Commission::saying(status, &body).await;
        let answered = commission.vies().ask(&live(contract::VALID)).await;
        assert_eq!(silence(answered), "what it said is no answer", "{status} {body:.60}");
    }
}

#[tokio::test]
async fn silence_ends_with_the_patience_and_is_soon_not_waited_for() {
    let commission = Commission::new(|_| None).await;
    let vies = commission.patient(HASTE);
    for _ in 0..3 {
        assert_eq!(silence(vies.ask(&live(contract::VALID)).await), "it does not answer");
    }
    let reason = silence(vies.ask(&live(contract::VALID)).await);
    assert_eq!(reason, "it did not answer a moment ago");
    assert!(commission.requests() <= 3, "{}", commission.requests());
}

#[tokio::test(start_paused = true)]
async fn who_asks_a_silent_register_goes_on_in_time_by_default() {
    let commission = Commission::new(|_| None).await;
    let url = Some(format!("http://{}/rest-api/", commission.address));
    let options = ViesOptions { url, reach: Reach::ThisMachine, ..ViesOptions::default() };
    let vies = Arc::new(Vies::new(options).unwrap());
    let begun = Instant::now();
    let mut asking = JoinSet::new();
    // More than have a turn at once.
    for _ in 0..5 {
        let vies = Arc::clone(&vies);
        asking.spawn(async move { vies.ask(&live(contract::VALID)).await });
    }
    while let Some(answered) = asking.join_next().await {
        silence(answered.unwrap());
    }
    let taken = Instant::now() - begun;
    assert!(taken <= ViesOptions::default().patience, "{taken:?}");
    assert!(taken < contract::ANSWERED_WITHIN, "{taken:?}");
}

#[tokio::test]
async fn a_silent_disabled_or_foreign_register_gives_a_reason() {
    let commission = Commission::saying(200, "").await;
    let address = commission.address;
    drop(commission);
    let url = Some(format!("http://{address}"));
    let options = ViesOptions { url, reach: Reach::ThisMachine, patience: PATIENCE };
    let vies = Vies::new(options.clone()).unwrap();
    assert_eq!(silence(vies.ask(&live(contract::VALID)).await), "it does not answer");
    let off = Vies::new(ViesOptions { url: None, ..options }).unwrap();
    assert_eq!(silence(off.ask(&live(contract::VALID)).await), "this server does not ask it");
    let url = Some("http://192.0.2.1/rest-api".to_owned());
    let fenced = ViesOptions { url, reach: Reach::ThisMachine, patience: PATIENCE };
    let reason = silence(Vies::new(fenced).unwrap().ask(&live(contract::VALID)).await);
    assert_eq!(reason, "this server calls no other machine");
}

#[tokio::test]
async fn a_requester_that_vies_does_not_know_is_left_out() {
    let commission = Commission::new(|asked| {
        let body = match asked.get("requesterNumber") {
            Some(_) => json!({"actionSucceed": false,
                              "errorWrappers": [{"error": "INVALID_REQUESTER_INFO"}]}),
            None => verdict(asked, true),
        };
        Some(http(200, &body.to_string()))
    })
    .await;
    let requester = VatNumber::read(None, "SI10039856").ok();
    let query = VatQuery { requester, ..live(contract::VALID) };
    let answer = commission.vies().ask(&query).await.unwrap();
    assert!(answer.valid && answer.consultation_number.is_none());
    assert_eq!(commission.requests(), 2);
}

#[tokio::test]
async fn an_entity_has_two_calls_under_way_and_those_who_ask_the_same_ask_once() {
    let gate = Arc::new(Semaphore::new(0));
    let script = |asked: &Value| Some(http(200, &verdict(asked, true).to_string()));
    let commission = Commission::behind(script, Some(Arc::clone(&gate))).await;
    let vies = Arc::new(commission.vies());
    let mut asking = JoinSet::new();
    for _ in 0..12 {
        let vies = Arc::clone(&vies);
        asking.spawn(async move { vies.ask(&live(contract::VALID)).await });
    }
    while commission.requests() < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    gate.add_permits(100);
    while let Some(answered) = asking.join_next().await {
        assert!(answered.unwrap().unwrap().valid);
    }
    assert_eq!(commission.requests(), 2, "the others had their answer");
    assert_eq!(commission.most_at_once.load(Ordering::SeqCst), 2);
}
