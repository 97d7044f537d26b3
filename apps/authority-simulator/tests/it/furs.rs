//! FURS: what it takes, what it refuses, and how it answers.

use racun_authorities::SignerName;
use racun_authority_simulator::{Filter, WantedTaxpayer};
use racun_fiscal::Authority;
use serde_json::{Value, json};
use time::Duration;

use crate::client::{Client, TAX_NUMBER, start, taxpayer};
use crate::messages::*;
use crate::xmlsec;

fn error(answer: &Value) -> String {
    let (_, response) = answer.as_object().unwrap().iter().next().unwrap();
    assert_eq!(response.get("UniqueInvoiceID"), None);
    response["Error"]["ErrorCode"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_invoice_of_a_registered_premise_gets_an_eor_and_repeated_another_one() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    assert_eq!(error(&program.json("invoices", &invoice("BP1", 1)).await), "S006");
    program.register("BP1").await;
    let mut eors = Vec::new();
    for _ in 0..2 {
        let answer = program.json("invoices", &invoice("BP1", 1)).await;
        assert_eq!(answer["InvoiceResponse"]["Header"]["MessageID"], MESSAGE_ID);
        let time = answer["InvoiceResponse"]["Header"]["DateTime"].as_str().unwrap().to_owned();
        assert_eq!(time.len(), 19, "{time} has no zone");
        eors.push(answer["InvoiceResponse"]["UniqueInvoiceID"].as_str().unwrap().to_owned());
    }
    assert_ne!(eors[0], eors[1]);
    let taken = running.taken(&Filter { operation: Some("invoice".into()), ..Filter::default() });
    let ids: Vec<_> = taken.iter().filter_map(|taken| taken.id.clone()).collect();
    assert_eq!(ids, eors);
    let close = program.json("invoices/register", &premise("BP1", true)).await;
    assert_eq!(close["BusinessPremiseResponse"].get("Error"), None);
    assert_eq!(error(&program.json("invoices", &invoice("BP1", 2)).await), "S006");
    assert_eq!(error(&program.json("invoices/register", &premise("BP1", false)).await), "S006");
    assert!(running.premises()[0].is_closed);
}

#[tokio::test]
async fn answers_in_soap_verify_by_xmlsec1_and_by_the_client() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    let premise = format!(
        "<fu:BusinessPremiseRequest Id=\"data\">{HEADER}<fu:BusinessPremise><fu:TaxNumber>\
         {TAX_NUMBER}</fu:TaxNumber><fu:BusinessPremiseID>BP1</fu:BusinessPremiseID>\
         <fu:BPIdentifier><fu:PremiseType>A</fu:PremiseType></fu:BPIdentifier><fu:ValidityDate>\
         2026-01-01</fu:ValidityDate><fu:SoftwareSupplier><fu:NameForeign>Racun, Wien\
         </fu:NameForeign></fu:SoftwareSupplier></fu:BusinessPremise></fu:BusinessPremiseRequest>"
    );
    let invoice = invoice_element("<fu:NumberingStructure>C</fu:NumberingStructure>");
    let table = [
        ("/invoices/register", premise, "BusinessPremiseResponse", false),
        ("/invoices", invoice, "InvoiceResponse", true),
        ("/invoices", invoice_element(""), "InvoiceResponse", false),
    ];
    for (action, element, root, has_eor) in table {
        let response = program.furs(action, &element).await.unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some("text/xml; charset=UTF-8"));
        let text = response.text();
        assert!(xmlsec::verifies(&running, &text, FURS, root), "{text}");
        verify_document(&running, &text, SignerName::FURS_TEST);
        assert_eq!(tag(&text, "fu:UniqueInvoiceID").is_some(), has_eor, "{text}");
        assert_eq!(tag(&text, "fu:MessageID"), Some(MESSAGE_ID));
        assert!(text.contains("<Reference URI=\"#data\">"), "{text}");
    }
    assert_eq!(running.refused()[0].code, "S001");
    assert_eq!(running.taken(&Filter::default())[1].transport, "soap");
}

const HEADER: &str = "<fu:Header><fu:MessageID>24be947e-8d46-4918-8e87-65f27781fd9d</fu:MessageID>\
    <fu:DateTime>2026-11-20T10:30:01</fu:DateTime></fu:Header>";

/// An invoice, in which `numbering` stands where the schema wants `NumberingStructure`.
pub fn invoice_element(numbering: &str) -> String {
    format!(
        "<fu:InvoiceRequest Id=\"data\">{HEADER}<fu:Invoice><fu:TaxNumber>{TAX_NUMBER}\
         </fu:TaxNumber><fu:IssueDateTime>2026-11-20T10:30:00</fu:IssueDateTime>{numbering}\
         <fu:InvoiceIdentifier><fu:BusinessPremiseID>BP1</fu:BusinessPremiseID>\
         <fu:ElectronicDeviceID>B1</fu:ElectronicDeviceID><fu:InvoiceNumber>1</fu:InvoiceNumber>\
         </fu:InvoiceIdentifier><fu:InvoiceAmount>1.00</fu:InvoiceAmount><fu:PaymentAmount>1.00\
         </fu:PaymentAmount><fu:TaxesPerSeller></fu:TaxesPerSeller><fu:ProtectedID>{MARK}\
         </fu:ProtectedID></fu:Invoice></fu:InvoiceRequest>"
    )
}

fn form(of: &str, set: &str, serial: &str) -> Value {
    json!({
        "InvoiceRequest": {
            "Header": {"MessageID": MESSAGE_ID, "DateTime": "2026-11-20T10:30:01"},
            "SalesBookInvoice": {
                "TaxNumber": number(TAX_NUMBER), "IssueDate": "2026-11-18",
                "SalesBookIdentifier": {
                    "InvoiceNumber": of, "SetNumber": set, "SerialNumber": serial
                },
                "BusinessPremiseID": "BP1", "InvoiceAmount": number("1.00"),
                "PaymentAmount": number("1.00"), "TaxesPerSeller": [{}]
            }
        }
    })
}

#[tokio::test]
async fn a_form_of_a_bound_book_gets_an_eor_when_it_is_named_as_it_is_printed() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    let good = form("612", "03", "5001-0001018");
    assert_eq!(error(&program.json("invoices", &good).await), "S006");
    program.register("BP1").await;
    for wrong in [
        form("0", "03", "5001-0001018"),
        form("612", "3a", "5001-0001018"),
        form("612", "00", "5001-0001018"),
        form("612", "03", "50010-001018"),
        form("612", "03", "5001-000101a"),
    ] {
        assert_eq!(error(&program.json("invoices", &wrong).await), "S002", "{wrong}");
    }
    let answer = program.json("invoices", &good).await;
    let eor = answer["InvoiceResponse"]["UniqueInvoiceID"].as_str().unwrap();
    let filter = Filter { operation: Some("sales_book".into()), ..Filter::default() };
    let [taken] = &running.taken(&filter)[..] else { panic!() };
    assert_eq!(taken.id.as_deref(), Some(eor));
    assert_eq!((taken.number.as_deref(), taken.device.as_deref()), (Some("612"), None));
    assert_eq!((taken.year, taken.issued_at.as_deref()), (Some(2026), Some("2026-11-18")));
    assert!(running.gaps(&Filter::default()).is_empty(), "a form is of no sequence");
    let mut note = invoice("BP1", 1);
    let of = |set: &str| {
        json!([{
            "ReferenceSalesBookIdentifier": {
                "InvoiceNumber": "612", "SetNumber": set, "SerialNumber": "5001-0001018"
            },
            "ReferenceSalesBookIssueDate": "2026-11-18"
        }])
    };
    note["InvoiceRequest"]["Invoice"]["ReferenceSalesBook"] = of("0x");
    assert_eq!(error(&program.json("invoices", &note).await), "S002");
    note["InvoiceRequest"]["Invoice"]["ReferenceSalesBook"] = of("03");
    let answer = program.json("invoices", &note).await;
    assert!(answer["InvoiceResponse"]["UniqueInvoiceID"].is_string(), "{answer}");
}

#[tokio::test]
async fn rules_beyond_the_schemas_are_checked_on_both_transports() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    program.register("BP1").await;
    let no_mark = "zz".repeat(16);
    let mut marked = invoice("BP1", 1);
    marked["InvoiceRequest"]["Invoice"]["ProtectedID"] = json!(no_mark);
    for wrong in [marked, invoice("BP1", 0)] {
        assert_eq!(error(&program.json("invoices", &wrong).await), "S002");
    }
    let right = invoice_element("<fu:NumberingStructure>C</fu:NumberingStructure>");
    let number = |number: &str| format!("<fu:InvoiceNumber>{number}</fu:InvoiceNumber>");
    for wrong in [right.replace(MARK, &no_mark), right.replace(&number("1"), &number("0"))] {
        assert_ne!(wrong, right);
        let text = program.furs("/invoices", &wrong).await.unwrap().text();
        assert_eq!(tag(&text, "fu:ErrorCode"), Some("S001"), "{text}");
    }
    let taken = running.taken(&Filter { operation: Some("invoice".into()), ..Filter::default() });
    assert!(taken.is_empty(), "{taken:?}");
}

#[tokio::test]
async fn each_reason_to_refuse_has_its_code() {
    let running = start();
    let good = taxpayer(&running, Authority::Furs);
    let program = Program::new(&running, &good);
    program.register("BP1").await;

    let mut extra = invoice("BP1", 1);
    extra["InvoiceRequest"]["Invoice"]["Foo"] = json!(1);
    assert_eq!(error(&program.json("invoices", &extra).await), "S002");

    let token = program.token(&invoice("BP1", 1));
    let (signed, _) = token.rsplit_once('.').unwrap();
    let another = program.token(&invoice("BP1", 2));
    let (_, other) = another.rsplit_once('.').unwrap();
    let response = program.json_raw("invoices", &format!("{signed}.{other}")).await.unwrap();
    assert_eq!(error(&verified_token(&running, &response)), "S003");

    let mut foreign = invoice("BP1", 1);
    foreign["InvoiceRequest"]["Invoice"]["TaxNumber"] = number("12345678");
    assert_eq!(error(&program.json("invoices", &foreign).await), "S005");

    let mut expired = WantedTaxpayer::new(Authority::Furs, TAX_NUMBER, "x");
    expired.valid_days = -1;
    let expired = Program::new(&running, &running.issue(&expired).unwrap());
    assert_eq!(error(&expired.json("invoices", &invoice("BP1", 1)).await), "S008");

    running.revoke(&good.serial);
    assert_eq!(error(&program.json("invoices", &invoice("BP1", 1)).await), "S007");
}

#[tokio::test]
async fn a_certificate_that_was_never_seen_is_unknown() {
    let (running, elsewhere) = (start(), start());
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    // The same issuer's key signs in both, but the other certificate never came here.
    let stranger = Program::new(&elsewhere, &taxpayer(&elsewhere, Authority::Furs));
    let token = stranger.token(&invoice("BP1", 1));
    let response = program.json_raw("invoices", &token).await.unwrap();
    assert_eq!(error(&verified_token(&running, &response)), "S004");
}

#[tokio::test]
async fn unreadable_messages_are_answered_with_an_id_of_zeros() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    let url = format!("{}/v1/cash_registers/invoices", running.furs_url);
    for body in ["", "{}", "{\"token\":\"x\"}", "{\"token\":\"a.b.c\",\"more\":1}"] {
        let response = program.client.post(&url, JSON, body.as_bytes()).await.unwrap();
        let answer = verified_token(&running, &response);
        assert_eq!(answer["InvoiceResponse"]["Header"]["MessageID"], "0".repeat(36));
        assert_eq!(error(&answer), "S002", "{body}");
    }
}

#[tokio::test]
async fn an_echo_comes_back_in_both_forms() {
    let running = start();
    let client = Client::with(&running, &taxpayer(&running, Authority::Furs));
    let url = format!("{}/v1/cash_registers/echo", running.furs_url);
    let response = client.post(&url, JSON, br#"{"EchoRequest":"furs"}"#).await.unwrap();
    assert_eq!(response.text(), r#"{"EchoResponse":"furs"}"#);
    let body = format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\
         <fu:EchoRequest xmlns:fu=\"{FURS}\">a &lt; b</fu:EchoRequest></s:Body></s:Envelope>"
    );
    let url = format!("{}/v1/cash_registers", running.furs_url);
    let response = client.post(&url, &furs_soap("/echo"), body.as_bytes()).await.unwrap();
    assert_eq!(tag(&response.text(), "fu:EchoResponse"), Some("a &lt; b"));
}

#[tokio::test]
async fn other_paths_methods_and_media_types_are_refused() {
    let running = start();
    let client = Client::with(&running, &taxpayer(&running, Authority::Furs));
    let url = |path: &str| format!("{}/v1/cash_registers{path}", running.furs_url);
    let table = [
        (url("/other"), JSON.to_owned(), 404),
        (url(""), furs_soap("/other"), 404),
        (url("/invoices"), "Content-Type: text/plain\r\n".to_owned(), 415),
        (url(""), format!("{JSON}SOAPAction: /invoices\r\n"), 415),
    ];
    for (url, headers, status) in table {
        assert_eq!(client.post(&url, &headers, b"{}").await.unwrap().status, status, "{url}");
    }
}

#[tokio::test]
async fn only_clients_with_a_trusted_certificate_get_in() {
    let running = start();
    let url = format!("{}/v1/cash_registers/echo", running.furs_url);
    let body = br#"{"EchoRequest":"furs"}"#;
    assert!(Client::of(&running).post(&url, JSON, body).await.is_err());
    // FINA's issuer is not trusted by FURS.
    let stranger = taxpayer(&running, Authority::Fina);
    assert!(Client::with(&running, &stranger).post(&url, JSON, body).await.is_err());
    let good = Client::with(&running, &taxpayer(&running, Authority::Furs));
    assert_eq!(good.post(&url, JSON, body).await.unwrap().status, 200);
}

#[tokio::test]
async fn certificates_expire_by_the_simulators_clock() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    program.register("BP1").await;
    running.set_now(running.now() + Duration::days(6 * 365));
    let answer = program.json("invoices", &invoice("BP1", 1)).await;
    assert_eq!(error(&answer), "S008");
    let time = answer["InvoiceResponse"]["Header"]["DateTime"].as_str().unwrap();
    assert!(time.starts_with(&running.now().year().to_string()), "{time}");
}

#[tokio::test]
async fn payloads_have_the_order_and_the_white_space_of_the_official_samples() {
    use base64::Engine as _;
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    let token = program.token(&invoice("BP1", 1));
    let response = program.json_raw("invoices", &token).await.unwrap();
    let body = response.json();
    let payload = body["token"].as_str().unwrap().split('.').nth(1).unwrap();
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    let start = format!(
        "\n        {{\n            \"InvoiceResponse\": {{\n                \"Header\": {{\n\
         \u{20}                   \"MessageID\": \"{MESSAGE_ID}\",\n\
         \u{20}                   \"DateTime\": \""
    );
    let payload = String::from_utf8(payload).unwrap();
    assert!(payload.starts_with(&start), "{payload}");
    assert!(payload.ends_with("\n            }\n        }\n        "), "{payload}");
}
