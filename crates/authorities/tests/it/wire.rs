//! Whole exchanges over TLS.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use racun_authorities::xml::{self, Accepted, Signature};
use racun_authorities::{Certificate, Clients, Endpoint, Endpoints, Systems, jws};
use racun_fiscal::{Authorities, Authority, AuthorityError, Identity, Patience, Reply};
use racun_kernel::Environment;
use time::macros::datetime;
use tokio::sync::watch;

use crate::server::{Reaction, Received, Server};
use crate::support::{fina_key, furs_key};
use crate::world::{ID, Way, header, soap_of_cis, success};

const WHOLE: Duration = Duration::from_secs(5);

fn right(way: Way) -> impl Fn(&Received) -> Reaction + Send + Sync + 'static {
    move |request| Reaction::Answer {
        status: "200 OK",
        kind: way.kind(),
        body: way.answer(request),
    }
}

/// Checks what arrived: where, and signed by whom.
fn check(way: Way, received: &Received) {
    let starts = |line: &str| assert!(received.head.starts_with(line), "{}", received.head);
    let has = |name: &str, value: &str| {
        let line = format!("{name}: {value}").to_ascii_lowercase();
        assert!(received.head.to_ascii_lowercase().contains(&line), "{line} in {}", received.head);
    };
    let actions =
        "http://e-porezna.porezna-uprava.hr/fiskalizacija/2012/services/FiskalizacijaService";
    match way {
        Way::FursSoap | Way::FursPremise => {
            starts("POST /v1/cash_registers HTTP/1.1");
            let is_premise = way == Way::FursPremise;
            has("SOAPAction", if is_premise { "/invoices/register\r" } else { "/invoices\r" });
        }
        Way::FursJson => starts("POST /v1/cash_registers/invoices HTTP/1.1"),
        Way::Fina => has("SOAPAction", &format!("\"{actions}/racuni\"")),
        Way::FinaChange => has("SOAPAction", &format!("\"{actions}/promijeniPodatkeRacuna\"")),
        Way::FinaTip => has("SOAPAction", &format!("\"{actions}/napojnica\"")),
    }
    let is_json = way == Way::FursJson;
    has(
        "Content-Type",
        if is_json { "application/json; charset=UTF-8" } else { "text/xml; charset=UTF-8" },
    );
    let certificate = Certificate::from_der(&way.identity().certificate).unwrap();
    let key = certificate.rsa_key.unwrap();
    if is_json {
        let body: serde_json::Value = serde_json::from_str(&received.body).unwrap();
        let token = jws::Token::parse(body["token"].as_str().unwrap()).unwrap();
        assert!(token.verify(&key).is_ok());
    } else {
        let document = xml::parse(&received.body).unwrap();
        let element = xml::envelope(&document).unwrap();
        let signature = Signature::of(&document, element, Accepted::Sha256).unwrap();
        assert!(signature.verify(&key).is_ok());
        assert_eq!(signature.serial(), Some(&*certificate.serial));
    }
    // FURS asks for the taxpayer's certificate on the connection, CIS for none.
    let shown = matches!(way, Way::FursSoap | Way::FursJson | Way::FursPremise)
        .then(|| furs_key("pub_a").certificate);
    assert_eq!(received.certificate, shown);
}

#[tokio::test]
async fn each_message_is_confirmed_in_each_form() {
    for way in Way::ALL {
        let server = Server::start(right(way)).await;
        let path = if way.authority() == Authority::Fina { "/Service" } else { "" };
        let clients = way.clients(&(server.url() + path), WHOLE);
        let id = matches!(way, Way::FursSoap | Way::FursJson | Way::Fina).then(|| ID.to_owned());
        for _ in 0..2 {
            assert_eq!(way.send(&clients).await, Ok(Reply::Confirmed(id.clone())), "{way:?}");
        }
        for received in server.received() {
            check(way, &received);
        }
        assert_eq!(server.received().len(), 2);
    }
}

#[tokio::test]
async fn an_error_of_cis_is_read_whatever_the_status() {
    let errors = |request: &Received| {
        let id = Way::Fina.message_id(request);
        let content = format!(
            "<tns:Zaglavlje><tns:IdPoruke>{id}</tns:IdPoruke><tns:DatumVrijeme>\
             20.11.2026T16:04:27</tns:DatumVrijeme></tns:Zaglavlje><tns:Greske><tns:Greska>\
             <tns:SifraGreske>s005</tns:SifraGreske><tns:PorukaGreske>OIB</tns:PorukaGreske>\
             </tns:Greska><tns:Greska><tns:SifraGreske>s001</tns:SifraGreske>\
             <tns:PorukaGreske>cvc</tns:PorukaGreske></tns:Greska></tns:Greske>"
        );
        let body = soap_of_cis("RacunOdgovor", &content);
        Reaction::Answer { status: "500 Internal Server Error", kind: "text/xml", body }
    };
    let server = Server::start(errors).await;
    let clients = Way::Fina.clients(&server.url(), WHOLE);
    let error = |code: &str, message: &str| AuthorityError {
        code: code.to_owned(),
        message: message.to_owned(),
    };
    let refused = Reply::Refused {
        code: "s005".to_owned(),
        message: "OIB; s001: cvc".to_owned(),
        errors: vec![error("s005", "OIB"), error("s001", "cvc")],
    };
    assert_eq!(Way::Fina.send(&clients).await, Ok(refused));
}

#[tokio::test]
async fn cis_confirms_a_message_by_its_own_code_only() {
    for (code, is_taken) in [("P002", true), ("p005", false), ("p001", false)] {
        let answer = move |request: &Received| {
            let id = Way::FinaTip.message_id(request);
            let head = format!(
                "<tns:Zaglavlje><tns:IdPoruke>{id}</tns:IdPoruke><tns:DatumVrijeme>\
                 20.11.2026T16:04:27</tns:DatumVrijeme></tns:Zaglavlje>"
            );
            let body = soap_of_cis("NapojnicaOdgovor", &success(&head, code));
            Reaction::Answer { status: "200 OK", kind: "text/xml", body }
        };
        let server = Server::start(answer).await;
        let clients = Way::FinaTip.clients(&server.url(), WHOLE);
        assert_eq!(Way::FinaTip.send(&clients).await.is_ok(), is_taken, "{code}");
    }
}

#[tokio::test]
async fn after_five_failures_the_circuit_opens() {
    let broken = |_: &Received| Reaction::Answer {
        status: "502 Bad Gateway",
        kind: "text/html",
        body: "<html></html>".to_owned(),
    };
    let server = Server::start(broken).await;
    let clients = Way::Fina.clients(&server.url(), WHOLE);
    for _ in 0..8 {
        assert!(Way::Fina.send(&clients).await.is_err());
    }
    assert_eq!(server.received().len(), 5);
    let unknown = Way::Fina.send(&clients).await.unwrap_err();
    assert!(unknown.reason.contains("last calls failed"), "{unknown}");
    assert_eq!(server.received().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_makes_few_calls_at_once_and_leaves_most_to_who_waits() {
    let gate = watch::Sender::new(false);
    let (closed, calls) = (gate.subscribe(), AtomicUsize::new(0));
    let busy = Way::FursSoap.identity();
    // Of the busy certificate's calls all are held but the fifth; others are answered at once.
    let react = move |request: &Received| {
        let body = Way::FursSoap.answer(request);
        let is_busy = request.certificate.as_ref() == Some(&busy.certificate);
        if is_busy && calls.fetch_add(1, Ordering::SeqCst) != 4 {
            return Reaction::Held(closed.clone(), body);
        }
        Reaction::Answer { status: "200 OK", kind: "text/xml", body }
    };
    let server = Server::start(react).await;
    let clients = Arc::new(Way::FursSoap.clients(&server.url(), Duration::from_secs(60)));
    let send = |identity: Identity, patience| {
        let clients = Arc::clone(&clients);
        tokio::spawn(async move {
            let message = Way::FursSoap.message();
            let environment = Environment::Sandbox;
            clients.send(environment, &identity, &header(), &message, patience).await
        })
    };
    let background: Vec<_> =
        (0..16).map(|_| send(Way::FursSoap.identity(), Patience::Background)).collect();
    server.receives(4).await;
    let waited_for = send(Way::FursSoap.identity(), Patience::Interactive);
    assert!(waited_for.await.unwrap().is_ok(), "beside background messages");
    assert_eq!(server.received().len(), 5, "four in the background, and this one");

    let waiting: Vec<_> =
        (0..64).map(|_| send(Way::FursSoap.identity(), Patience::Interactive)).collect();
    server.receives(33).await;
    let other = send(furs_key("pub_b"), Patience::Interactive);
    assert!(other.await.unwrap().is_ok(), "another certificate has calls of its own");
    assert_eq!(server.received().len(), 34, "32 at once");
    gate.send_replace(true);
    for sent in background.into_iter().chain(waiting) {
        assert!(sent.await.unwrap().is_ok());
    }
    assert_eq!(server.received().len(), 16 + 1 + 64 + 1);
}

#[tokio::test]
async fn nothing_is_sent_where_no_address_is_set() {
    let clock = || Arc::new(|| datetime!(2026-11-20 16:04:26 +1));
    let clients = Clients::new(&Endpoints::default(), clock()).unwrap();
    for (way, identity) in
        [(Way::FursSoap, furs_key("pub_a")), (Way::Fina, fina_key("public_taxpayer"))]
    {
        let (environment, patience) = (Environment::Sandbox, Patience::Interactive);
        let sent = clients.send(environment, &identity, &header(), &way.message(), patience).await;
        let unknown = sent.unwrap_err();
        assert_eq!((&*unknown.reason, unknown.is_suspicious), ("no test address is set", false));
    }
    for (url, pem, setting) in [
        ("http://localhost:9002", None, "furs.test.url"),
        ("https://localhost/v1/cash_registers", None, "furs.test.url"),
        ("localhost:9002", None, "furs.test.url"),
        ("", None, "furs.test.url"),
        ("https://localhost:9002", Some("no PEM"), "furs.test.ca_file"),
    ] {
        let endpoint = Endpoint { ca_pem: pem.map(str::to_owned), ..Endpoint::new(url) };
        let furs = Systems { test: Some(endpoint), production: None };
        let endpoints = Endpoints { furs, ..Endpoints::default() };
        let Err(bad) = Clients::new(&endpoints, clock()) else { panic!("{url} is taken") };
        assert_eq!(bad.setting, setting, "{url}: {bad}");
    }
}
