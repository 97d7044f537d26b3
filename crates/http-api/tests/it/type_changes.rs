//! What a change of a payment's type is answered with, by what the tax authority says to it.

use std::sync::{Arc, Mutex};

use actix_web::test::TestRequest;
use async_trait::async_trait;
use racun_fiscalization::{Concern, Matter, TaxAuthority};
use racun_kernel::Stamp;
use racun_settlement::{ProviderError, ReportError, TypeChangeRule};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::books::{Books, refuses};
use crate::harness::{Answer, Api, text};

/// An authority that always gives the same answer, until the test sets another.
struct Saying {
    concern: Mutex<Concern>,
    answer: Mutex<Result<(), ReportError>>,
    /// Tells that the next report has come, and lets it be answered.
    gate: Mutex<Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>>,
}

impl Saying {
    fn says(&self, concern: Concern, answer: Result<(), ReportError>) {
        *self.concern.lock().unwrap() = concern;
        *self.answer.lock().unwrap() = answer;
    }

    fn answers(&self, answer: Result<(), ReportError>) {
        self.says(Concern::MustReport, answer);
    }
}

#[async_trait]
impl TaxAuthority for Saying {
    fn concern(&self, _: &Matter) -> Concern {
        *self.concern.lock().unwrap()
    }

    async fn report(&self, _: &Matter, _: &Stamp) -> Result<(), ReportError> {
        let gate = self.gate.lock().unwrap().take();
        if let Some((asked, gate)) = gate {
            asked.send(()).unwrap();
            gate.await.unwrap();
        }
        self.answer.lock().unwrap().clone()
    }
}

fn provider(code: &str) -> Result<(), ReportError> {
    let message = "OIB nije ispravan".to_owned();
    Err(ReportError::Provider(ProviderError { code: code.to_owned(), message }))
}

fn away() -> Result<(), ReportError> {
    Err(ReportError::Unreachable("connect: 10.0.0.7 timed out".to_owned()))
}

struct Till {
    books: Books,
    authority: Arc<Saying>,
    invoice: Value,
    payment: Value,
}

impl Till {
    async fn open() -> Self {
        let (concern, answer) = (Mutex::new(Concern::MustReport), Mutex::new(Ok(())));
        let authority = Arc::new(Saying { concern, answer, gate: Mutex::new(None) });
        let books = Books::of(Api::reporting_to(Arc::<Saying>::clone(&authority)).await).await;
        let invoice = books.invoice("100").await;
        let payment = books.pay(&invoice, "40").await;
        let invoice = books.read(&invoice).await;
        Self { books, authority, invoice, payment }
    }

    /// Asks for the change to `kind` and of two other fields.
    async fn change(&self, kind: &str) -> Answer {
        let change = json!({"type": kind, "amount": 50, "note": "Pomota"});
        self.books.change(&self.payment, change).await
    }

    async fn is_unchanged(&self) {
        let path = format!("/payments/{}", text(&self.payment["id"]));
        let payment = self.books.api.get(&path, &self.books.owner).await.with(200).json();
        assert_eq!(payment, self.payment);
        assert_eq!(self.books.read(&self.invoice).await, self.invoice);
    }
}

/// Asserts the answer's status, its code and its `cause`; answers the message.
fn says(answer: Answer, status: u16, code: &str, cause: &Value) -> String {
    let body = answer.with(status).json();
    assert_eq!(body["code"], code, "{body}");
    assert_eq!(body["cause"], *cause, "{body}");
    text(&body["message"])
}

#[actix_web::test]
async fn each_rule_is_named_with_its_remedy() {
    let till = Till::open().await;
    for (rule, code, remedy) in [
        (
            TypeChangeRule::FiscalizationRequired,
            "fiscalization_required_for_payment_type",
            "POST /documents/{id}/fiscalize with business_premise_name and electronic_device_name",
        ),
        (TypeChangeRule::WindowExpired, "fina_payment_change_window_expired", "credit note"),
        (TypeChangeRule::RecordUnavailable, "fina_cis_record_unavailable", "credit note"),
    ] {
        let cause = json!({"code": code});
        till.authority.says(Concern::Refused(rule), Ok(()));
        let message = says(till.change("card").await, 422, "unprocessable_entity", &cause);
        assert!(message.contains(remedy), "{message}");
        till.is_unchanged().await;
        till.authority.answers(Err(ReportError::Refused(rule)));
        says(till.change("card").await, 422, "unprocessable_entity", &cause);
        till.is_unchanged().await;
    }
}

#[actix_web::test]
async fn a_providers_error_keeps_its_code_and_message() {
    let till = Till::open().await;
    for (code, status, name) in [
        ("s002", 422, "unprocessable_entity"),
        ("s005", 422, "unprocessable_entity"),
        ("s008", 422, "unprocessable_entity"),
        ("s001", 500, "internal_server_error"),
        ("s004", 500, "internal_server_error"),
        ("s006", 503, "service_unavailable"),
        ("p999", 503, "service_unavailable"),
    ] {
        till.authority.answers(provider(code));
        let cause = json!({
            "code": "fiscalization_provider_error", "provider_code": code,
            "provider_message": "OIB nije ispravan",
        });
        let answer = till.change("card").await;
        assert_eq!(answer.header("retry-after"), if status == 503 { "5" } else { "" });
        let message = says(answer, status, name, &cause);
        assert!(message.contains("the payment is unchanged"), "{message}");
        till.is_unchanged().await;
    }
}

#[actix_web::test]
async fn a_refusal_of_the_authority_is_not_kept_under_the_key_of_the_change() {
    let till = Till::open().await;
    let path = format!("/payments/{}", text(&till.payment["id"]));
    let change = || {
        let request = TestRequest::patch().uri(&path).insert_header(("idempotency-key", "card-1"));
        till.books.api.call(till.books.owner.sign(request).set_json(json!({"type": "card"})))
    };
    till.authority.answers(provider("s002"));
    for _ in 0..2 {
        let refused = change().await.with(422);
        assert_eq!(refused.json()["cause"]["code"], "fiscalization_provider_error");
        assert_eq!(refused.header("idempotent-replayed"), "");
    }
    till.authority.answers(Ok(()));
    assert_eq!(change().await.with(200).json()["type"], "card");
    assert_eq!(change().await.with(200).header("idempotent-replayed"), "true");
}

#[actix_web::test]
async fn an_authority_that_is_away_leaves_a_change_that_only_the_same_one_ends() {
    let till = Till::open().await;
    till.authority.answers(away());
    let cause = json!({"code": "fina_unreachable"});
    let answer = till.change("card").await;
    assert_eq!(answer.header("retry-after"), "5");
    let message = says(answer, 503, "service_unavailable", &cause);
    assert!(message.contains("the payment is unchanged"), "{message}");
    assert!(!message.contains("10.0.0.7"), "{message}");
    till.is_unchanged().await;
    let cause = json!({"code": "fina_payment_change_unconfirmed"});
    till.authority.answers(Ok(()));
    let message = says(till.change("check").await, 409, "conflict", &cause);
    let id = text(&till.payment["id"]);
    assert!(message.contains(&format!("payment {id} from cash to card")), "{message}");
    // Nor does the payment go to the trash, nor the invoice out of effect.
    says(till.books.act(&till.payment, "delete").await, 409, "conflict", &cause);
    let path = format!("/invoices/{}/void", text(&till.invoice["id"]));
    let void = till.books.api.post(&path, &till.books.owner, json!({})).await;
    says(void, 409, "conflict", &cause);
    till.is_unchanged().await;
    let changed = till.change("card").await.with(200).json();
    assert_eq!([&changed["type"], &changed["note"]], ["card", "Pomota"]);
    till.books.has(&till.invoice, "50", "50").await;
    till.change("check").await.with(200);
    till.books.act(&till.payment, "delete").await.with(204);
}

#[actix_web::test]
async fn an_accepted_unrecorded_change_is_asked_for_again() {
    let till = Till::open().await;
    let (asked, was_asked) = oneshot::channel();
    let (open, gate) = oneshot::channel();
    *till.authority.gate.lock().unwrap() = Some((asked, gate));
    let meanwhile = async {
        was_asked.await.unwrap();
        till.books.pay(&till.invoice, "60").await;
        open.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(till.change("card"), meanwhile);
    let cause = json!({"code": "fina_payment_change_unrecorded"});
    let message = says(answer, 500, "internal_server_error", &cause);
    assert!(message.contains("send the same change again"), "{message}");
    till.books.has(&till.invoice, "100", "0").await;
    // 50 fit no more, but that is no part of what was reported.
    refuses(till.change("card").await, "payment_exceeds_total");
    let change = |kind: &str| till.books.change(&till.payment, json!({"type": kind}));
    let cause = json!({"code": "fina_payment_change_unconfirmed"});
    says(change("check").await, 409, "conflict", &cause);
    assert_eq!(change("card").await.with(200).json()["type"], "card");
    change("check").await.with(200);
}

#[actix_web::test]
async fn where_nothing_is_fiscalized_a_type_is_just_changed() {
    let books = Books::open().await;
    let invoice = books.invoice("100").await;
    let payment = books.pay(&invoice, "40").await;
    let changed = books.change(&payment, json!({"type": "card"})).await.with(200).json();
    assert_eq!(changed["type"], "card");
    books.act(&payment, "delete").await.with(204);
}

#[actix_web::test]
async fn during_a_report_the_same_change_is_to_be_retried() {
    let till = Till::open().await;
    let (asked, was_asked) = oneshot::channel();
    let (open, gate) = oneshot::channel();
    *till.authority.gate.lock().unwrap() = Some((asked, gate));
    let meanwhile = async {
        was_asked.await.unwrap();
        let cause = json!({"code": "fina_payment_change_unconfirmed"});
        for kind in ["card", "check"] {
            let answer = till.change(kind).await;
            assert_eq!(answer.header("retry-after"), "5", "{kind}");
            let message = says(answer, 409, "conflict", &cause);
            assert!(message.contains("wait for its answer"), "{message}");
        }
        // What has nothing to do with the type goes on, and what would end the payment does not.
        let note = json!({"note": "Pomota"});
        till.books.change(&till.payment, note).await.with(200);
        says(till.books.act(&till.payment, "delete").await, 409, "conflict", &cause);
        open.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(till.change("card"), meanwhile);
    assert_eq!(answer.with(200).json()["type"], "card");
    assert_eq!(till.change("card").await.with(200).json()["type"], "card");
}
