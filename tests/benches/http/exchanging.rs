//! The least that any implementation of fiscalization does: sign a mark and a message, send it,
//! have it checked and answered with a signature, and check the answer. It issues and stores
//! nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use racun_authorities::{Clients, Endpoint, Endpoints, Systems};
use racun_fiscal::furs::{Invoice, IssueArguments, Operator};
use racun_fiscal::{
    Authorities as _, Authority, Header, Identity, Message, MessageId, Numbering, Patience,
    PlaceOfIssue, Sale, SaleKind, SaleTax,
};
use racun_kernel::{Decimal, Environment, PaymentType};

use crate::fiscal::{Authorities, DEVICES, PASSPHRASE, PREMISE, TAX_NUMBER};
use crate::load::{MEASURED, Rate};

/// With as many certificates at once as there are devices.
pub async fn measure(authorities: &Authorities) -> Rate {
    let simulator = &authorities.simulator;
    let test =
        Endpoint { ca_pem: Some(simulator.ca_pem.clone()), ..Endpoint::new(&simulator.furs_url) };
    let furs = Systems { test: Some(test), production: None };
    let fina = Systems { test: None, production: None };
    let clock = Arc::new(|| SystemTime::now().into());
    let clients = Arc::new(Clients::new(&Endpoints { furs, fina }, clock).expect("clients"));
    simulator.set_delay(Duration::ZERO);
    let certify = |_| {
        let opened = clients.open_p12(Authority::Furs, &authorities.p12(), PASSPHRASE);
        opened.expect("our own certificate").identity
    };
    let identities: Vec<_> = (0..DEVICES).map(certify).collect();
    let start = Instant::now();
    let run = |identity| tokio::spawn(report(Arc::clone(&clients), identity, start));
    let tasks: Vec<_> = identities.into_iter().map(run).collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("a client"));
    }
    Rate::of(times, start.elapsed())
}

/// Reports one invoice after another; answers how long each took.
async fn report(clients: Arc<Clients>, identity: Identity, start: Instant) -> Vec<Duration> {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    let signer = clients.signer(&identity).expect("our own key");
    let sale = sale();
    let mut times = Vec::new();
    while start.elapsed() < MEASURED {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let issued_at = Authority::Furs.local(SystemTime::now().into());
        let device = "BARE".to_owned();
        let place =
            PlaceOfIssue { premise: PREMISE.to_owned(), device, numbering: Numbering::PerDevice };
        let arguments = IssueArguments {
            sale: &sale,
            tax_number: TAX_NUMBER.to_owned(),
            place,
            number,
            issued_at,
            operator: Operator::TaxNumber(TAX_NUMBER.to_owned()),
            special_notes: None,
        };
        let message_id = MessageId::from(format!("00000000-0000-4000-8000-{number:012}"));
        let header = Header { message_id, sent_at: issued_at };
        let sent = Instant::now();
        let invoice = Box::new(Invoice::issue(arguments, &*signer).expect("the key signs"));
        let message = Message::FursInvoice { invoice, subsequent: false };
        let (sandbox, patience) = (Environment::Sandbox, Patience::Interactive);
        let reply = clients.send(sandbox, &identity, &header, &message, patience).await;
        times.push(sent.elapsed());
        reply.expect("the simulator answers");
    }
    times
}

/// Two rates.
fn sale() -> Sale {
    let decimal = |digits: &str| digits.parse::<Decimal>().expect("a number");
    let tax = |[rate, base, amount]: [&str; 3]| SaleTax {
        rate: decimal(rate),
        base: decimal(base),
        amount: decimal(amount),
    };
    Sale {
        kind: SaleKind::Invoice,
        total: decimal("231.50"),
        taxes: vec![tax(["22", "100.00", "22.00"]), tax(["9.5", "100.00", "9.50"])],
        exempt: Decimal::zero(),
        reverse_charge: Decimal::zero(),
        untaxed: Decimal::zero(),
        consumption: Vec::new(),
        margin: Decimal::zero(),
        settled: Decimal::zero(),
        buyer: None,
        means: vec![PaymentType::Cash],
        corrects: Vec::new(),
    }
}
