//! Bytes that no client sends: in bodies, queries, headers and forms they end in an answer that is
//! clear and short. The runs are the same each time.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::test::TestRequest;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::harness::{Answer, Api, Who};

/// Requests of a test.
const REQUESTS: usize = 400;
/// Bytes of a refusal.
const MOST: usize = 64 * 1024;

/// A source of what strangers send.
struct Strangers(TestRunner);

impl Strangers {
    fn new() -> Self {
        Self(TestRunner::deterministic())
    }

    fn send<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.0).unwrap().current()
    }
}

/// Accepts an answer, or a refusal that says what is wrong.
fn check(answer: &Answer, sent: &dyn std::fmt::Debug) {
    assert!(answer.status < 500, "{} to {sent:?}: {}", answer.status, answer.text);
    if answer.status >= 400 {
        assert!(answer.text.len() < MOST, "{} bytes to {sent:?}", answer.text.len());
        let body = answer.json();
        let says = |name: &str| body[name].as_str().is_some_and(|text| !text.is_empty());
        assert!(says("code") && says("message"), "{body} to {sent:?}");
    }
}

fn words(words: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

/// JSON of names that bodies have, and of others.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        words(&["null", "true", "0", "-0", "1.50", "1e400", "1e-99999999999", "\"\"", "NaN", "01"]),
        words(&["\"\\u0000\"", "\"\\ud800\"", "\"2026-02-30\"", "\"EUR\"", "\"itm_1\"", "\"x\""]),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
        (1_usize..2_000).prop_map(|digits| "9".repeat(digits)),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let name = prop_oneof![
            words(&["name", "price", "items", "metadata", "quantity", "tax_ids", "taxes", "date"]),
            words(&["customer", "currency_code", "email", "id", "", "\\u0000", "note", "payments"]),
        ];
        let property =
            (name, inner.clone()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        let object = prop::collection::vec(property, 0..6);
        prop_oneof![
            3 => object.prop_map(|properties| format!("{{{}}}", properties.join(","))),
            1 => prop::collection::vec(inner, 0..6).prop_map(|all| format!("[{}]", all.join(","))),
        ]
    })
}

/// Bytes of a body: JSON, whole or with a byte that was altered or cut.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let altered =
        (json(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, at, byte)| {
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        });
    let cut = (json(), any::<prop::sample::Index>()).prop_map(|(text, at)| {
        let at = at.index(text.len());
        text.into_bytes()[..at].to_vec()
    });
    prop_oneof![3 => json().prop_map(String::into_bytes), 1 => altered, 1 => cut]
}

#[actix_web::test]
async fn any_body_ends_in_an_answer() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut strangers = Strangers::new();
    let path = words(&["/items", "/customers", "/invoices", "/taxes", "/webhooks", "/payments"]);
    for _ in 0..REQUESTS {
        let (path, body) = (strangers.send(&path), strangers.send(&body()));
        let request =
            TestRequest::post().uri(&path).insert_header(("content-type", "application/json"));
        let answer = api.call(owner.sign(request).set_payload(body.clone())).await;
        check(&answer, &(path, String::from_utf8_lossy(&body)));
    }
}

/// `text` in a query string.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[actix_web::test]
async fn any_query_ends_in_an_answer() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut strangers = Strangers::new();
    let name = prop_oneof![
        8 => words(&["limit", "next_cursor", "prev_cursor", "order_by", "query", "search"]),
        2 => words(&["deleted", "include_total_count", "include", "filter[limit]", "page"]),
        1 => any::<String>(),
    ];
    let value = prop_oneof![json(), any::<String>(), words(&["-created_at", "name,-id", "true"])];
    let pairs = prop::collection::vec((name, value), 0..5);
    let path = words(&["/items", "/customers", "/invoices", "/activities", "/files"]);
    for _ in 0..REQUESTS {
        let sent = strangers.send(&pairs);
        let query: Vec<String> = sent
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        let uri = format!("{}?{}", strangers.send(&path), query.join("&"));
        if uri.len() < 60_000 {
            check(&api.get(&uri, &owner).await, &sent);
        }
    }
    let many: Vec<String> = (0..10_000).map(|n| format!("p{n}")).collect();
    let refused = api.get(&format!("/items?{}", many.join("&")), &owner).await.with(400);
    assert!(refused.text.len() < 1_000, "{} bytes", refused.text.len());
}

#[actix_web::test]
async fn any_header_ends_in_an_answer() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut strangers = Strangers::new();
    let name = words(&[
        "idempotency-key",
        "x-request-id",
        "x-entity-id",
        "authorization",
        "x-forwarded-for",
        "content-type",
        "accept-language",
        "origin",
        "x-operator-token",
        "x-account-id",
    ]);
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        words(&["", " ", "a,b", "Bearer", "bearer  x", "Basic eA==", "ent_1", "*", "::1"])
            .prop_map(String::into_bytes),
        (250_usize..4_000).prop_map(|length| vec![b'a'; length]),
    ];
    let headers = prop::collection::vec((name, value), 0..4);
    for n in 0..REQUESTS {
        let sent = strangers.send(&headers);
        let who = if n % 3 == 0 { Who::anonymous() } else { owner.clone() };
        let mut request = who.sign(TestRequest::post().uri("/items"));
        for (name, value) in &sent {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                let name: HeaderName = name.parse().unwrap();
                request = request.append_header((name, value));
            }
        }
        let body = format!("{{\"name\":\"{n}\",\"price\":1}}");
        check(&api.call(request.set_payload(body)).await, &sent);
    }
}

/// Bytes that a form is made of, in any order.
fn form() -> impl Strategy<Value = Vec<u8>> {
    let marks: [&[u8]; 18] = [
        b"--b",
        b"--b--",
        b"--",
        b"\r\n",
        b"\r\n\r\n",
        b"\r\n--b\r\n",
        b"content-disposition: form-data; name=\"file\"",
        b"content-disposition: form-data; name=\"category\"\r\n\r\nattachment",
        b"; filename=\"x.png\"",
        b"; filename*=UTF-8''%zz",
        b"content-type: image/png\r\n",
        b"content-length: 5\r\n",
        b"content-transfer-encoding: base64\r\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
        b"\xff\xd8\xff\xe0\0\x02\xff\xc0\0\x11",
        b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f",
        b"<?xml version=\"1.0\"?><a/>",
        b"PK\x03\x04[Content_Types].xml xl/workbook.xml",
    ];
    let known = prop::sample::select(marks.to_vec()).prop_map(<[u8]>::to_vec);
    let any = prop::collection::vec(any::<u8>(), 0..64);
    let marks = prop::collection::vec(prop_oneof![8 => known, 1 => any.clone()], 0..16);
    let loose = marks.prop_map(|marks| marks.concat());
    // A whole form around a file that begins like one.
    let head = prop::sample::select(marks_of_files());
    let whole = (head, any).prop_map(|((name, head), rest)| {
        let mut form = format!(
            "--b\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\nattachment\r\n\
             --b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        )
        .into_bytes();
        form.extend(head.iter().copied().chain(rest));
        form.extend(b"\r\n--b--\r\n");
        form
    });
    prop_oneof![loose, whole]
}

/// How files begin, and what they are called.
fn marks_of_files() -> Vec<(&'static str, &'static [u8])> {
    vec![
        ("x.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("x.jpg", b"\xff\xd8\xff\xe0"),
        ("x.jpg", b"\xff\xd8\xff\xe0\0\x02\xff\xc0\0\x11\x08"),
        ("x.gif", b"GIF89a"),
        ("x.webp", b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0"),
        ("x.webp", b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a"),
        ("x.pdf", b"%PDF-"),
        ("x.xlsx", b"PK\x03\x04[Content_Types].xml xl/workbook.xml"),
        ("x.xml", b"<?xml version=\"1.0\"?><"),
        ("x.csv", b"a,b\n"),
    ]
}

#[actix_web::test]
async fn any_form_ends_in_an_answer() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let mut strangers = Strangers::new();
    let kind = words(&[
        "multipart/form-data; boundary=b",
        "multipart/form-data; boundary=b",
        "multipart/form-data; boundary=b",
        "multipart/form-data; boundary=\"b\"; charset=x",
        "multipart/form-data",
        "multipart/mixed; boundary=b",
    ]);
    let (mut taken, form) = (0, form());
    for _ in 0..REQUESTS {
        let (kind, form) = (strangers.send(&kind), strangers.send(&form));
        let request = TestRequest::post().uri("/files").insert_header(("content-type", kind));
        let answer = api.call(owner.sign(request).set_payload(form.clone())).await;
        check(&answer, &String::from_utf8_lossy(&form));
        taken += usize::from(answer.status == 201);
    }
    assert!(taken > 0, "none of the forms was one");
}
