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
use time::OffsetDateTime;
use time::macros::{date, datetime};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

const SANDBOX: Environment = Environment::Sandbox;
const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

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
        issuer_currency: Currency::EUR,
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
        entity_id: testing::stamp(NOW).id(),
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

async fn enrolled(network: &Network, sender: &Sender) -> (String, Standing) {
    let account = network.open_account(SANDBOX, sender).await.unwrap();
    let standing = network.announce(SANDBOX, &account, &sender.participant).await.unwrap();
    (account, standing)
}

#[tokio::test]
async fn companies_are_taken_but_for_one() {
    let (_running, network) = start(&Options::default());
    let (account, standing) = enrolled(&network, &sender("9949:SI10039856")).await;
    assert_eq!(standing, Standing::Verified);
    assert_eq!(network.standing(SANDBOX, &account).await, Ok(Standing::Verified));
    let later = testing::stamp(NOW + time::Duration::DAY);
    let other = Sender { entity_id: later.id(), ..sender("9949:SI10039856") };
    let (_, standing) = enrolled(&network, &other).await;
    assert_eq!(standing, Standing::Verified, "companies of a sandbox are made up");
    let (account, refused) = enrolled(&network, &sender("9949:SI40000001")).await;
    assert!(matches!(refused, Standing::Rejected(_)), "{refused:?}");
    let later = network.standing(SANDBOX, &account).await.unwrap();
    assert!(matches!(later, Standing::Rejected(_)), "{later:?}");
    // An account that was refused stays so; one of its own is given to another identifier.
    let corrected = sender("9949:SI50000004");
    let same = network.announce(SANDBOX, &account, &corrected.participant).await.unwrap();
    assert!(matches!(same, Standing::Rejected(_)), "{same:?}");
    let (_, standing) = enrolled(&network, &sender("9949:SI39667618")).await;
    assert_eq!(standing, Standing::Verified);
}

#[tokio::test]
async fn a_company_whose_account_was_opened_twice_is_refused() {
    let (running, network) = start(&Options::default());
    let sender = sender("9949:SI10039856");
    let (first, _) = enrolled(&network, &sender).await;
    let (second, refused) = enrolled(&network, &sender).await;
    assert_ne!(first, second);
    assert!(matches!(refused, Standing::Rejected(_)), "{refused:?}");
    assert_eq!(running.accounts().len(), 2);
    // The account that has it is asked again, and nothing is new.
    let again = network.announce(SANDBOX, &first, &sender.participant).await;
    assert_eq!(again, Ok(Standing::Verified));
}

#[tokio::test]
async fn a_call_between_account_and_identifier_that_is_lost_is_made_good() {
    let (running, network) = start(&Options::default());
    let once = When { operation: Some(Operation::Identifier), times: Some(1), every: None };
    for (fault, id) in [(Fault::LoseAnswer, "9949:SI10039856"), (Fault::Reset, "9949:SI50000004")] {
        running.add_fault(fault, once);
        let sender = Sender { entity_id: testing::stamp(NOW).id(), ..sender(id) };
        let account = network.open_account(SANDBOX, &sender).await.unwrap();
        let lost = network.announce(SANDBOX, &account, &sender.participant).await;
        assert!(matches!(lost, Err(NetworkError::NoAnswer(_))), "{lost:?}");
        let again = network.announce(SANDBOX, &account, &sender.participant).await;
        assert_eq!(again, Ok(Standing::Verified), "{fault:?}");
    }
    let ids: Vec<usize> =
        running.accounts().iter().map(|account| account.identifiers.len()).collect();
    assert_eq!(ids, [1, 1]);
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
        (6, Fault::NotFound, false),
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
    let refused = network.send(SANDBOX, &dispatch(7, "9949:SI10039856")).await.unwrap();
    assert!(matches!(refused, Receipt::Refused { .. }));
    assert_eq!((running.deliveries().len(), running.repeats()), (6, 2));
}

#[tokio::test]
async fn what_became_of_a_document_is_reported_too() {
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
