//! The clients that Racun talks to the authorities with, against the simulator.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use racun_authorities::{Clients, Endpoint, Endpoints, RsaSigner, Systems, Transport, open_p12};
use racun_authority_simulator::{Fault, Filter, Page, Running, Twist, When};
use racun_fiscal::{
    Authorities as _, Authority, Buyer, Header, Identity, Message, MessageId, Numbering, Patience,
    PlaceOfIssue, Reply, Sale, SaleKind, SaleTax, Unknown, fina, furs,
};
use racun_kernel::{Decimal, Environment, PaymentType};
use time::OffsetDateTime;

use crate::client::{OIB, TAX_NUMBER, start, taxpayer};

/// A taxpayer with certificates for both authorities.
struct World {
    running: Running,
    furs: Identity,
    fina: Identity,
}

impl World {
    fn new() -> Self {
        let running = start();
        let open = |authority| {
            let made = taxpayer(&running, authority);
            open_p12(authority, &made.p12, "secret").unwrap().identity
        };
        let (furs, fina) = (open(Authority::Furs), open(Authority::Fina));
        Self { running, furs, fina }
    }

    fn clients(&self, transport: Transport) -> Clients {
        let endpoint = |url: &str| Endpoint {
            ca_pem: Some(self.running.ca_pem.clone()),
            transport,
            timeout: Duration::from_secs(3),
            ..Endpoint::new(url)
        };
        let test = |url: &str| Systems { test: Some(endpoint(url)), production: None };
        let endpoints =
            Endpoints { furs: test(&self.running.furs_url), fina: test(&self.running.fina_url) };
        let clock = Arc::new(|| OffsetDateTime::from(SystemTime::now()));
        Clients::new(&endpoints, clock).unwrap()
    }

    async fn send(&self, clients: &Clients, message: &Message) -> Result<Reply, Unknown> {
        let authority = message.authority();
        let identity = if authority == Authority::Furs { &self.furs } else { &self.fina };
        let id = format!(
            "24be947e-8d46-4918-8e87-{:012x}",
            OffsetDateTime::from(SystemTime::now()).unix_timestamp_nanos() & 0xffff_ffff_ffff
        );
        let header = Header {
            message_id: MessageId::from(id),
            sent_at: authority.local(self.running.now()),
        };
        clients.send(Environment::Sandbox, identity, &header, message, Patience::Interactive).await
    }

    fn premise(&self, is_closing: bool) -> Message {
        Message::FursPremise(Box::new(furs::Premise {
            tax_number: TAX_NUMBER.to_owned(),
            name: "BP1".to_owned(),
            kind: furs::PremiseKind::Movable(furs::MovableKind::C),
            valid_from: self.running.now().date(),
            is_closing,
            software_maker: furs::SoftwareMaker::default(),
        }))
    }

    fn invoice(&self, number: i64, subsequent: bool) -> Message {
        let arguments = furs::IssueArguments {
            sale: &sale(),
            tax_number: TAX_NUMBER.to_owned(),
            place: place("B1"),
            number,
            issued_at: self.running.now(),
            operator: furs::Operator::Foreign,
            special_notes: Some("<Ž & č>".to_owned()),
        };
        let signer = RsaSigner::new(&self.furs.private_key).unwrap();
        let invoice = Box::new(furs::Invoice::issue(arguments, &signer).unwrap());
        Message::FursInvoice { invoice, subsequent }
    }

    fn form(&self, number: i64) -> Message {
        let book = furs::SalesBook {
            invoice_number: number.to_string(),
            set_number: "03".to_owned(),
            serial_number: "5001-0001018".to_owned(),
        };
        let on = self.running.now().date();
        let (taxpayer, premise) = (TAX_NUMBER.to_owned(), "BP1".to_owned());
        let form = furs::BookInvoice::of(&sale(), taxpayer, premise, book, on);
        Message::FursBook(Box::new(form))
    }

    fn receipt(&self, number: i64) -> fina::Receipt {
        let arguments = fina::IssueArguments {
            sale: &sale(),
            payment_type: None,
            oib: OIB.to_owned(),
            in_vat_system: true,
            place: place("1"),
            number,
            issued_at: self.running.now(),
            operator_oib: OIB.to_owned(),
            certificate: "1".to_owned(),
            paragon: None,
        };
        let signer = RsaSigner::new(&self.fina.private_key).unwrap();
        fina::Receipt::issue(arguments, &signer).unwrap()
    }
}

fn place(device: &str) -> PlaceOfIssue {
    PlaceOfIssue {
        premise: "BP1".to_owned(),
        device: device.to_owned(),
        numbering: Numbering::PerDevice,
    }
}

fn sale() -> Sale {
    let tax =
        SaleTax { rate: Decimal::from(25), base: Decimal::from(80), amount: Decimal::from(20) };
    Sale {
        kind: SaleKind::Invoice,
        total: Decimal::from(110),
        taxes: vec![tax],
        exempt: Decimal::from(10),
        reverse_charge: Decimal::from(0),
        untaxed: Decimal::from(0),
        consumption: Vec::new(),
        margin: Decimal::zero(),
        settled: Decimal::zero(),
        buyer: None::<Buyer>,
        means: vec![PaymentType::Cash],
        corrects: Vec::new(),
    }
}

fn id(reply: Result<Reply, Unknown>) -> String {
    match reply {
        Ok(Reply::Confirmed(Some(id))) => id,
        other => panic!("{other:?}"),
    }
}

fn code(reply: Result<Reply, Unknown>) -> String {
    match reply {
        Ok(Reply::Refused { code, .. }) => code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn all_messages_of_the_clients_are_taken() {
    let world = World::new();
    for (transport, number) in [(Transport::Soap, 1), (Transport::Json, 3)] {
        let clients = world.clients(transport);
        let premise = world.premise(false);
        assert_eq!(world.send(&clients, &premise).await, Ok(Reply::Confirmed(None)));
        for subsequent in [false, true] {
            let message = world.invoice(number + i64::from(subsequent), subsequent);
            assert_eq!(id(world.send(&clients, &message).await).len(), 36);
        }
        let form = world.form(number);
        assert_eq!(id(world.send(&clients, &form).await).len(), 36);
    }
    let clients = world.clients(Transport::Soap);
    for late in [false, true] {
        let receipt = world.receipt(i64::from(late) + 1);
        let message = Message::FinaReceipt { receipt: Box::new(receipt.clone()), late };
        assert_eq!(id(world.send(&clients, &message).await).len(), 36);
        let change = receipt.change(fina::PaymentMeans::K, None, late);
        let change = Message::FinaChange(Box::new(change));
        assert_eq!(world.send(&clients, &change).await, Ok(Reply::Confirmed(None)));
        let tip = receipt.tip(Decimal::from(2), fina::PaymentMeans::K, late);
        let tip = Message::FinaTip(Box::new(tip));
        assert_eq!(world.send(&clients, &tip).await, Ok(Reply::Confirmed(None)));
    }
    let gaps = world.running.gaps(&Filter::default());
    assert_eq!(gaps.len(), 2);
    assert!(gaps.iter().all(|gaps| gaps.missing.is_empty() && gaps.doubled.is_empty()));
    let closing = world.premise(true);
    assert_eq!(world.send(&clients, &closing).await, Ok(Reply::Confirmed(None)));
    assert_eq!(code(world.send(&clients, &world.invoice(5, false)).await), "S006");
}

#[tokio::test]
async fn codes_reach_the_clients() {
    let world = World::new();
    let clients = world.clients(Transport::Json);
    assert_eq!(code(world.send(&clients, &world.invoice(1, false)).await), "S006");
    let receipt = world.receipt(1);
    let change = receipt.change(fina::PaymentMeans::K, None, false);
    let change = Message::FinaChange(Box::new(change));
    assert_eq!(code(world.send(&clients, &change).await), "s012");
    let tip = receipt.tip(Decimal::from(2), fina::PaymentMeans::K, false);
    assert_eq!(code(world.send(&clients, &Message::FinaTip(Box::new(tip))).await), "s010");
    let fault = Fault::Code("s013".to_owned(), "Račun sadrži restriktivne greške: 180".to_owned());
    world.running.add_fault(fault, When::default()).unwrap();
    let message = Message::FinaReceipt { receipt: Box::new(receipt), late: false };
    assert_eq!(code(world.send(&clients, &message).await), "s013");
}

#[tokio::test]
async fn nothing_that_goes_wrong_is_believed_by_the_clients() {
    let world = World::new();
    let twists = [
        Twist::BadSignature,
        Twist::Unsigned,
        Twist::AlgNone,
        Twist::UntrustedSigner,
        Twist::ExpiredSigner,
        Twist::OtherSigner,
        Twist::Wrapped,
        Twist::WrongMessageId,
        Twist::MissingFields,
        Twist::ExtraFields,
        Twist::Both,
        Twist::WrongNamespace,
        Twist::Doctype,
        Twist::BillionLaughs,
        Twist::Attributes,
    ];
    let pages = [Page::ServerError, Page::BadGateway, Page::Redirect, Page::Html, Page::Empty];
    let others = [
        Fault::Reset,
        Fault::TlsFailure,
        Fault::WrongCertificate,
        Fault::ResetAfterRead,
        Fault::LoseAnswer,
        Fault::Cut(700),
        Fault::WrongLength,
        Fault::Huge(11_000_000),
    ];
    let faults = twists.map(Fault::Twist).into_iter().chain(pages.map(Fault::Page)).chain(others);
    let soap = world.clients(Transport::Soap);
    world.send(&soap, &world.premise(false)).await.unwrap();
    for fault in faults {
        world.running.clear_faults();
        world.running.add_fault(fault.clone(), When::default()).unwrap();
        let receipt = Message::FinaReceipt { receipt: Box::new(world.receipt(1)), late: false };
        let invoice = world.invoice(1, false);
        for (transport, message) in
            [(Transport::Soap, &invoice), (Transport::Json, &invoice), (Transport::Soap, &receipt)]
        {
            // Others each time, for they stop calling who fails too often.
            let clients = world.clients(transport);
            let reply = world.send(&clients, message).await;
            assert!(reply.is_err(), "{fault:?} to {transport:?}: {reply:?}");
        }
    }
}
