//! Each fault does what it says, to both authorities.

use std::io;
use std::time::Duration;

use racun_authorities::{SignerName, Trust, VerificationError, jws, xml};
use racun_authority_simulator::{Fault, Filter, Page, Running, Twist, When};
use racun_fiscal::Authority;
use serde_json::{Value, json};

use crate::client::{Client, Response, control, start, taxpayer};
use crate::messages::*;

/// Milliseconds that no test waits for.
const HOUR: u64 = 3_600_000;

/// A taxpayer's programs for both authorities, the premise registered.
struct Till<'a> {
    running: &'a Running,
    furs: Program<'a>,
    fina: Program<'a>,
}

/// The three ways that a sale is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Json,
    Soap,
    Fina,
}

const WAYS: [Way; 3] = [Way::Json, Way::Soap, Way::Fina];

impl<'a> Till<'a> {
    async fn new(running: &'a Running) -> Self {
        let furs = Program::new(running, &taxpayer(running, Authority::Furs));
        furs.register("BP1").await;
        Self { running, furs, fina: Program::new(running, &taxpayer(running, Authority::Fina)) }
    }

    async fn sell(&self, way: Way) -> io::Result<Response> {
        match way {
            Way::Json => {
                let token = self.furs.token(&invoice("BP1", 1));
                self.furs.json_raw("invoices", &token).await
            }
            Way::Soap => {
                let element = crate::furs::invoice_element(
                    "<fu:NumberingStructure>C</fu:NumberingStructure>",
                );
                self.furs.furs("/invoices", &element).await
            }
            Way::Fina => {
                let receipt = Receipt::new(self.running.now(), 1);
                self.fina.fina("racuni", &receipt.element("RacunZahtjev")).await
            }
        }
    }

    /// How many sales were taken.
    fn taken(&self) -> usize {
        let filter = Filter { operation: Some("invoice".to_owned()), ..Filter::default() };
        self.running.taken(&filter).len()
    }

    fn plan(&self, fault: Fault) {
        self.running.clear_faults();
        self.running.add_fault(fault, When::default()).unwrap();
    }

    /// A sale meets `fault` and has no answer when a later one has.
    async fn is_left_waiting(&self, fault: Fault, way: Way) {
        self.running.clear_faults();
        self.running.add_fault(fault, When { times: Some(1), ..When::default() }).unwrap();
        let later = async {
            self.fault_happens().await;
            self.sell(way).await
        };
        tokio::select! {
            answer = self.sell(way) => panic!("{way:?} is answered: {answer:?}"),
            answer = later => assert_eq!(answer.unwrap().status, 200),
        }
    }

    /// Waits until the planned fault has happened.
    async fn fault_happens(&self) {
        loop {
            let planned = control(self.running, "GET", "/fault", "").await.json();
            if planned[0]["happened"] == 1 {
                return;
            }
        }
    }

    /// What a client thinks of the signature and the form of an answer.
    fn check(&self, way: Way, response: &Response) -> Result<(), VerificationError> {
        let trust = Trust::from_pem(&self.running.ca_pem).unwrap();
        let now = self.running.now();
        if way == Way::Json {
            let body: Value = serde_json::from_slice(&response.body)
                .map_err(|error| VerificationError::Unreadable(error.to_string()))?;
            let token = jws::Token::parse(body["token"].as_str().unwrap())?;
            let (certificate, key) = trust.key_of(token.certificates(), now)?;
            SignerName::FURS_TEST.check(&certificate)?;
            return token.verify(&key).map(|_| ());
        }
        let text = response.text();
        let document = xml::parse(&text)?;
        let element = xml::envelope(&document)?;
        let signature = xml::Signature::of(&document, element, xml::Accepted::Sha256)?;
        let (certificate, key) = trust.key_of(signature.certificates(), now)?;
        let name = if way == Way::Fina { SignerName::CIS_TEST } else { SignerName::FURS_TEST };
        name.check(&certificate)?;
        signature.verify(&key).map(|_| ())
    }
}

#[tokio::test]
async fn connections_are_refused_until_that_is_over_and_the_address_stays() {
    let running = start();
    let till = Till::new(&running).await;
    till.plan(Fault::Refuse);
    for way in WAYS {
        let mut result = till.sell(way).await;
        // It may take a moment until nothing listens.
        for _ in 0..2_000 {
            if result.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            result = till.sell(way).await;
        }
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
    let refused = till.taken();
    running.clear_faults();
    for way in WAYS {
        let mut result = till.sell(way).await;
        for _ in 0..2_000 {
            if result.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            result = till.sell(way).await;
        }
        assert_eq!(result.unwrap().status, 200);
    }
    assert_eq!(till.taken(), refused + 3);
}

#[tokio::test]
async fn connections_break_before_anything_is_said() {
    let running = start();
    let till = Till::new(&running).await;
    for way in WAYS {
        till.is_left_waiting(Fault::Stall, way).await;
        till.plan(Fault::Reset);
        let error = till.sell(way).await.unwrap_err();
        assert!(is_broken(&error), "{error:?}");
        for fault in [Fault::TlsFailure, Fault::WrongCertificate] {
            till.plan(fault);
            let error = till.sell(way).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error:?}");
        }
    }
    assert_eq!(till.taken(), 3, "the later ones");
}

fn is_broken(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

#[tokio::test]
async fn requests_are_read_and_not_answered() {
    let running = start();
    let till = Till::new(&running).await;
    for way in WAYS {
        till.is_left_waiting(Fault::Hang, way).await;
        let before = till.taken();
        till.plan(Fault::ResetAfterRead);
        let error = till.sell(way).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{error:?}");
        assert_eq!(till.taken(), before, "it is not taken");
        till.plan(Fault::LoseAnswer);
        let error = till.sell(way).await.unwrap_err();
        assert!(is_broken(&error), "{error:?}");
        assert_eq!(till.taken(), before + 1, "taken, and the answer lost");
    }
    let lost = running.taken(&Filter::default()).pop().unwrap();
    assert_eq!(lost.fault.as_deref(), Some("lose_answer"));
}

#[tokio::test]
async fn answers_come_late_or_never_end() {
    let running = start();
    let till = Till::new(&running).await;
    for way in WAYS {
        till.is_left_waiting(Fault::Delay(HOUR), way).await;
        till.plan(Fault::Delay(1));
        assert_eq!(till.sell(way).await.unwrap().status, 200);
        till.is_left_waiting(Fault::Drip(HOUR), way).await;
        till.is_left_waiting(Fault::Endless, way).await;
    }
    assert_eq!(till.taken(), 21, "all were taken at once");
    running.set_delay(Duration::from_millis(HOUR));
    till.plan(Fault::Delay(0));
    let later = async {
        till.fault_happens().await;
        control(&running, "GET", "/ledger/refused", "").await
    };
    tokio::select! {
        answer = till.sell(Way::Json) => panic!("it is answered: {answer:?}"),
        answer = later => assert_eq!(answer.status, 200),
    }
    assert_eq!(till.taken(), 21, "it is taken behind the delay");
}

#[tokio::test]
async fn a_dripping_answer_is_whole_in_the_end() {
    let running = start();
    let till = Till::new(&running).await;
    till.plan(Fault::Drip(0));
    let response = till.sell(Way::Json).await.unwrap();
    assert_eq!(till.check(Way::Json, &response), Ok(()));
}

#[tokio::test]
async fn answers_are_cut_or_of_another_length_than_they_say() {
    let running = start();
    let till = Till::new(&running).await;
    for way in WAYS {
        running.clear_faults();
        let whole = till.sell(way).await.unwrap().body.len();
        for bytes in [0, 1, 64, 1_000] {
            till.plan(Fault::Cut(bytes));
            let response = till.sell(way).await.unwrap();
            assert_eq!(response.body.len(), bytes);
            let said: usize = response.header("content-length").unwrap().parse().unwrap();
            assert!(said.abs_diff(whole) < 50, "{said} is not about {whole}");
        }
        till.plan(Fault::WrongLength);
        let response = till.sell(way).await.unwrap();
        let said: usize = response.header("content-length").unwrap().parse().unwrap();
        assert_eq!(said, response.body.len() + 100);
        till.plan(Fault::Huge(11_000_000));
        let response = till.sell(way).await.unwrap();
        assert_eq!(response.body.len(), 11_000_000);
        assert_eq!(till.check(way, &response), Ok(()), "it is signed nevertheless");
    }
}

#[tokio::test]
async fn other_pages_are_answered_and_nothing_is_taken() {
    let running = start();
    let till = Till::new(&running).await;
    let table = [
        (Page::ServerError, 500, "text/html; charset=ISO-8859-2"),
        (Page::BadGateway, 502, "text/html; charset=ISO-8859-2"),
        (Page::NotFound, 404, "text/html; charset=ISO-8859-2"),
        (Page::Redirect, 301, "text/html; charset=ISO-8859-2"),
        (Page::Html, 200, "text/html; charset=ISO-8859-2"),
        (Page::Empty, 200, "text/plain"),
    ];
    for (page, status, media_type) in table {
        till.plan(Fault::Page(page));
        for way in WAYS {
            let response = till.sell(way).await.unwrap();
            assert_eq!(response.status, status);
            assert_eq!(response.header("content-type"), Some(media_type));
            assert_eq!(response.header("location").is_some(), page == Page::Redirect);
            assert_eq!(response.body.is_empty(), page == Page::Empty);
        }
    }
    assert_eq!(till.taken(), 0);
}

#[tokio::test]
async fn answers_that_must_not_be_believed_are_not() {
    let running = start();
    let till = Till::new(&running).await;
    type IsIt = fn(&VerificationError) -> bool;
    let signature: IsIt = |error| matches!(error, VerificationError::Signature);
    let signer: IsIt = |error| matches!(error, VerificationError::Signer(_));
    let unsigned: IsIt =
        |error| matches!(error, VerificationError::Unsigned | VerificationError::Signature);
    let algorithm: IsIt =
        |error| matches!(error, VerificationError::Algorithm(_) | VerificationError::Unsigned);
    let wrapped: IsIt = |error| {
        matches!(
            error,
            VerificationError::Wrapped(_)
                | VerificationError::Signer(_)
                | VerificationError::Unsigned
        )
    };
    let unreadable: IsIt = |error| matches!(error, VerificationError::Unreadable(_));
    let table = [
        (Twist::BadSignature, signature),
        (Twist::Unsigned, unsigned),
        (Twist::AlgNone, algorithm),
        (Twist::UntrustedSigner, signer),
        (Twist::ExpiredSigner, signer),
        (Twist::OtherSigner, signer),
        (Twist::Wrapped, wrapped),
        (Twist::Doctype, unreadable),
        (Twist::BillionLaughs, unreadable),
    ];
    let mut sales = 0;
    for (twist, is_it) in table {
        till.plan(Fault::Twist(twist));
        for way in WAYS {
            let response = till.sell(way).await.unwrap();
            let error = till.check(way, &response).unwrap_err();
            assert!(is_it(&error), "{twist:?} {way:?}: {error:?}");
            sales += 1;
        }
    }
    assert_eq!(till.taken(), sales, "all were taken");
}

#[tokio::test]
async fn a_wrapped_answer_holds_what_was_signed_elsewhere() {
    let running = start();
    let till = Till::new(&running).await;
    till.plan(Fault::Twist(Twist::Wrapped));
    for (way, namespace, root) in
        [(Way::Soap, FURS, "InvoiceResponse"), (Way::Fina, FINA, "RacunOdgovor")]
    {
        let text = till.sell(way).await.unwrap().text();
        assert!(crate::xmlsec::verifies(&running, &text, namespace, root), "{text}");
        let document = xml::parse(&text).unwrap();
        let body = xml::envelope(&document).unwrap();
        assert_eq!(body.attribute("Id"), Some("forged"));
    }
}

#[tokio::test]
async fn signed_answers_say_what_they_should_not() {
    let running = start();
    let till = Till::new(&running).await;
    let ids =
        |text: &str| ["tns:Jir", "fu:UniqueInvoiceID"].iter().any(|name| tag(text, name).is_some());
    let errors =
        |text: &str| ["tns:Greske", "fu:Error"].iter().any(|name| tag(text, name).is_some());
    for way in [Way::Soap, Way::Fina] {
        let sell = async |twist| {
            till.plan(Fault::Twist(twist));
            let response = till.sell(way).await.unwrap();
            assert_eq!(till.check(way, &response), Ok(()), "{twist:?}");
            response.text()
        };
        let text = sell(Twist::WrongMessageId).await;
        assert!(ids(&text) && !text.contains(MESSAGE_ID));
        let text = sell(Twist::MissingFields).await;
        assert!(!ids(&text) && !errors(&text) && text.contains(MESSAGE_ID));
        let text = sell(Twist::Both).await;
        assert!(ids(&text) && errors(&text));
        assert!(sell(Twist::ExtraFields).await.contains(":Dodatno>"));
        let text = sell(Twist::WrongNamespace).await;
        assert!(text.contains("http://www.fu.gov.si/other") || text.contains("types/other"));
    }
    let sell = async |twist| {
        till.plan(Fault::Twist(twist));
        verified_token(&running, &till.sell(Way::Json).await.unwrap())
    };
    let id = sell(Twist::WrongMessageId).await["InvoiceResponse"]["Header"]["MessageID"].clone();
    assert_ne!(id, MESSAGE_ID);
    let answer = sell(Twist::MissingFields).await;
    assert_eq!(answer["InvoiceResponse"].as_object().unwrap().len(), 1);
    let answer = sell(Twist::Both).await;
    assert_eq!(answer["InvoiceResponse"].as_object().unwrap().len(), 3);
    assert_eq!(sell(Twist::ExtraFields).await["InvoiceResponse"]["Dodatno"], "x");
    assert!(sell(Twist::WrongNamespace).await["OtherResponse"].is_object());
}

#[tokio::test]
async fn answers_have_more_attributes_than_a_reader_should_take() {
    let running = start();
    let till = Till::new(&running).await;
    till.plan(Fault::Twist(Twist::Attributes));
    for way in WAYS {
        let text = till.sell(way).await.unwrap().text();
        assert!(text.contains("a79999"), "{way:?}");
    }
}

#[tokio::test]
async fn any_code_can_be_answered() {
    let running = start();
    let till = Till::new(&running).await;
    till.plan(Fault::Code("S100".to_owned(), "Sistemska <napaka>".to_owned()));
    let answer = verified_token(&running, &till.sell(Way::Json).await.unwrap());
    let expected = json!({ "ErrorCode": "S100", "ErrorMessage": "Sistemska <napaka>" });
    assert_eq!(answer["InvoiceResponse"]["Error"], expected);
    till.plan(Fault::Code("s006".to_owned(), "Sistemska pogreška".to_owned()));
    let response = till.sell(Way::Fina).await.unwrap();
    assert_eq!(response.status, 500);
    assert_eq!(till.check(Way::Fina, &response), Ok(()));
    assert_eq!(tag(&response.text(), "tns:SifraGreske"), Some("s006"));
    assert_eq!(till.taken(), 0);
}

#[tokio::test]
async fn faults_are_planned_over_http() {
    let running = start();
    let till = Till::new(&running).await;
    let plan = json!([
        { "fault": "bad_gateway", "authority": "furs", "operation": "invoice", "times": 2 },
        { "fault": "not_found", "authority": "fina", "every": 2 }
    ]);
    assert_eq!(control(&running, "PUT", "/fault", &plan.to_string()).await.status, 200);
    let mut furs = Vec::new();
    let mut fina = Vec::new();
    for _ in 0..4 {
        furs.push(till.sell(Way::Json).await.unwrap().status);
        fina.push(till.sell(Way::Fina).await.unwrap().status);
    }
    assert_eq!(furs, [502, 502, 200, 200]);
    assert_eq!(fina, [200, 404, 200, 404]);
    till.furs.register("BP2").await;
    let list = control(&running, "GET", "/fault", "").await.json();
    assert_eq!(list[0]["happened"], 2);
    assert_eq!(list[1]["fault"], "not_found");
    control(&running, "DELETE", "/fault?authority=furs", "").await;
    assert_eq!(control(&running, "GET", "/fault", "").await.json().as_array().unwrap().len(), 1);
    control(&running, "DELETE", "/fault", "").await;
    assert_eq!(control(&running, "GET", "/fault", "").await.json(), json!([]));
    let bad = control(&running, "PUT", "/fault", r#"{"fault":"none"}"#).await;
    assert_eq!(bad.status, 400);
    assert!(bad.text().contains("there are refuse, stall"), "{}", bad.text());
    assert_eq!(control(&running, "PUT", "/delay", r#"{"ms":1}"#).await.status, 200);
}

#[tokio::test]
async fn an_idle_connection_serves_several_requests() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let running = start();
    let client = Client::of(&running);
    let mut stream = client.connect(&running.fina_url).await.unwrap();
    for _ in 0..2 {
        let request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = [0; 15];
        stream.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"HTTP/1.1 415 Un");
        let mut rest = [0; 1_000];
        assert!(stream.read(&mut rest).await.unwrap() > 0);
    }
}
