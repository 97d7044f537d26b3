//! Accounts, documents, faults and notices.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use racun_einvoicing::network::{
    Dispatch, EInvoicingNetwork, NetworkDocument, NetworkError, Participant, Progress, Receipt,
    Sender, Standing,
};
use racun_einvoicing::{
    Account, Facts, FactsKind, Line, LineTax, Party, Price, Priced, Sale, Sells, Specification,
    Syntax, TaxTotal, Texts, Totals, write,
};
use racun_gateways::{Network, Provider, ProviderOptions, Reach};
use racun_kernel::{Currency, Decimal, Environment};
use racun_network_simulator::{Fate, Fault, Notices, Operation, Options, Running, Simulator, When};
use racun_store::testing;
use time::macros::{date, datetime};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

const SANDBOX: Environment = Environment::Sandbox;

fn start(options: &Options) -> (Running, Network) {
    let running = Simulator::start(options).unwrap();
    let options = ProviderOptions {
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        ..ProviderOptions::new(&running.url, "sandbox")
    };
    let sandbox = Some(Provider::new(&options).unwrap());
    (running, Network { sandbox, ..Network::default() })
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// An invoice of Peppol BIS.
fn xml() -> String {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    let party = |name: &str, country: &str, number: &str| Party {
        name: some(name),
        email: some("a@example.com"),
        phone: some("+386 1 234 56 78"),
        address: some("Cesta 1"),
        post_code: some("1000"),
        city: some("Ljubljana"),
        country_code: some(country),
        tax_number: some(number),
        company_number: some("1234567000"),
        buyer_reference: some("PO-1"),
        peppol_id: some(number),
        peppol_scheme_id: some("9949"),
        ..Party::default()
    };
    let tax = LineTax {
        rate: decimal("22"),
        reverse_charge: false,
        classification: None,
        exemption_reason: None,
        amount: decimal("22"),
    };
    let line = Priced {
        name: "Kolo".to_owned(),
        description: None,
        sells: Some(Sells::Goods),
        quantity: decimal("1"),
        unit: some("kos"),
        unit_code: None,
        price: Price::Net(decimal("100")),
        discounts: Vec::new(),
        taxes: vec![tax],
        total: decimal("100"),
    };
    let taxes =
        vec![TaxTotal { rate: decimal("22"), reverse_charge: false, amount: decimal("22") }];
    let facts = Facts {
        kind: FactsKind::Invoice,
        number: "2026-0001".to_owned(),
        date: date!(2026 - 11 - 20),
        date_due: Some(date!(2026 - 12 - 20)),
        date_service: Some(date!(2026 - 11 - 19)),
        date_service_to: None,
        currency: Currency::EUR,
        sale: Sale::Domestic,
        issuer: party("Ana s.p.", "SI", "SI10039856"),
        customer: Some(party("Bor d.o.o.", "SI", "SI50000004")),
        texts: Texts::default(),
        reference: None,
        accounts: vec![Account { number: "SI56263300012039086".to_owned(), bic: None }],
        paid_by: None,
        preceding: Vec::new(),
        delivery_note: None,
        lines: vec![Line::Priced(Box::new(line))],
        totals: Totals {
            total: decimal("100"),
            total_with_tax: decimal("122"),
            taxes,
            paid: Decimal::zero(),
            converted_tax: None,
        },
    };
    write(&facts, Specification::Peppol, Syntax::Ubl).unwrap().xml
}

fn dispatch(n: u32, recipient: &str) -> Dispatch {
    Dispatch {
        key: format!("9b2e7c41-0d3a-4f6e-8c15-7a9d{n:08x}"),
        account: "1".to_owned(),
        recipient: Participant::read(None, recipient).unwrap(),
        document: NetworkDocument::Invoice,
        xml: xml(),
    }
}

fn sender(participant: &str) -> Sender {
    Sender {
        entity_id: testing::stamp(datetime!(2026-11-26 10:00 UTC)).id(),
        participant: Participant::read(None, participant).unwrap(),
        name: "Ana s.p.".to_owned(),
        address: "Cesta 1".to_owned(),
        address_2: None,
        post_code: "1000".to_owned(),
        city: "Ljubljana".to_owned(),
        country_code: "SI".to_owned(),
    }
}

async fn reference(network: &Network, dispatch: &Dispatch) -> String {
    match network.send(SANDBOX, dispatch).await.unwrap() {
        Receipt::Taken(reference) => reference,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn companies_are_taken_but_for_one() {
    let (_running, network) = start(&Options::default());
    let account = network.enroll(SANDBOX, &sender("9949:SI10039856")).await.unwrap();
    assert_eq!(account.standing, Standing::Verified);
    assert_eq!(network.standing(SANDBOX, &account.id).await, Ok(Standing::Verified));
    let again = network.enroll(SANDBOX, &sender("9949:SI10039856")).await.unwrap();
    assert_eq!(again.standing, Standing::Verified);
    let refused = network.enroll(SANDBOX, &sender("9949:SI40000001")).await.unwrap();
    assert!(matches!(refused.standing, Standing::Rejected(_)), "{refused:?}");
    let later = network.standing(SANDBOX, &refused.id).await.unwrap();
    assert!(matches!(later, Standing::Rejected(_)), "{later:?}");
}

#[tokio::test]
async fn documented_identifiers_have_their_outcomes() {
    let (running, network) = start(&Options::default());
    for (id, registered, receives) in [
        ("9949:SI10039856", true, true),
        ("9949:SI20000006", false, false),
        ("9949:SI21000000", true, false),
    ] {
        let party = Participant::read(None, id).unwrap();
        let found = network.capability(SANDBOX, &party, NetworkDocument::Invoice).await.unwrap();
        assert_eq!((found.is_registered, found.can_receive), (registered, receives), "{id}");
    }
    let delivered = reference(&network, &dispatch(1, "9949:SI10039856")).await;
    assert_eq!(network.progress(SANDBOX, &delivered).await, Ok(Progress::Delivered));
    let failed = reference(&network, &dispatch(2, "9949:SI40000001")).await;
    let progress = network.progress(SANDBOX, &failed).await.unwrap();
    assert!(matches!(progress, Progress::Failed { .. }), "{progress:?}");
    let late = reference(&network, &dispatch(3, "9949:SI50000004")).await;
    for expected in [Progress::UnderWay, Progress::UnderWay, Progress::Delivered] {
        assert_eq!(network.progress(SANDBOX, &late).await, Ok(expected));
    }
    for id in ["9949:SI20000006", "9949:SI41000005"] {
        let refused = network.send(SANDBOX, &dispatch(4, id)).await.unwrap();
        assert!(matches!(refused, Receipt::Refused { .. }), "{refused:?}");
    }
    let fates: Vec<Fate> = running.deliveries().iter().map(|one| one.fate).collect();
    assert_eq!(fates, [Fate::Delivered, Fate::Fails, Fate::Late]);
    // Another simulator, as after a restart, answers the same of what it never took.
    let (_other, network) = start(&Options::default());
    assert_eq!(network.progress(SANDBOX, &late).await, Ok(Progress::Delivered));
}

#[tokio::test]
async fn documents_are_judged_by_the_rules_of_peppol() {
    let (running, network) = start(&Options::default());
    for (from, to) in [
        (">122.00</cbc:PayableAmount>", ">121.00</cbc:PayableAmount>"),
        ("poacc:billing:3.0", "other:1.0"),
        ("<cbc:ID>2026-0001</cbc:ID>", ""),
    ] {
        let mut bad = dispatch(1, "9949:SI10039856");
        assert!(bad.xml.contains(from), "{from}\n{}", bad.xml);
        bad.xml = bad.xml.replacen(from, to, 1);
        let refused = network.send(SANDBOX, &bad).await.unwrap();
        assert!(matches!(refused, Receipt::Refused { .. }), "{to}: {refused:?}");
    }
    assert!(running.deliveries().is_empty());
}

#[tokio::test]
async fn a_document_goes_out_once_whatever_goes_wrong() {
    let (running, network) = start(&Options::default());
    let submit =
        |times| When { operation: Some(Operation::Submit), times: Some(times), every: None };
    for (n, fault, is_taken) in [
        (1, Fault::LoseAnswer, true),
        (2, Fault::Html, true),
        (3, Fault::Reset, false),
        (4, Fault::ServerError, false),
        (5, Fault::TooMany, false),
    ] {
        running.add_fault(fault, submit(1));
        let dispatch = dispatch(n, "9949:SI10039856");
        let lost = network.send(SANDBOX, &dispatch).await;
        assert!(matches!(lost, Err(NetworkError::NoAnswer(_))), "{fault:?}: {lost:?}");
        let second = network.send(SANDBOX, &dispatch).await.unwrap();
        match is_taken {
            true => assert_eq!(second, Receipt::TakenBefore, "{fault:?}"),
            false => assert!(matches!(second, Receipt::Taken(_)), "{fault:?}: {second:?}"),
        }
    }
    running.add_fault(Fault::Refuse, submit(1));
    let refused = network.send(SANDBOX, &dispatch(6, "9949:SI10039856")).await.unwrap();
    assert!(matches!(refused, Receipt::Refused { .. }));
    assert_eq!((running.deliveries().len(), running.repeats()), (5, 2));
}

#[tokio::test]
async fn what_became_of_a_document_is_told_too() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/e-invoicing/provider/notices", listener.local_addr().unwrap());
    let told = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&told);
    let hears = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4_096];
        loop {
            let read = stream.read(&mut buffer).await.unwrap();
            let mut heard = heard.lock().unwrap();
            heard.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
            if read == 0 || heard.contains("succeeded") {
                return;
            }
        }
    });
    let notices = Some(Notices { url, secret: "s".to_owned() });
    let (_running, network) = start(&Options { notices, ..Options::default() });
    let dispatch = dispatch(1, "9949:SI10039856");
    reference(&network, &dispatch).await;
    hears.await.unwrap();
    let told = told.lock().unwrap().clone();
    assert!(told.starts_with("POST /e-invoicing/provider/notices "), "{told}");
    assert!(told.contains("authorization: Bearer s") && told.contains(&dispatch.key), "{told}");
}
