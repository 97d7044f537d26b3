//! The directory: names by a server of names on the loopback interface, and publishers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use racun_einvoicing::network::lookup::{self, Seals};
use racun_einvoicing::network::{
    Capability, EInvoicingNetwork as _, NetworkDocument, NetworkError, Participant,
};
use racun_gateways::{Directory, DirectoryOptions, Network, Provider, ProviderOptions, Reach};
use racun_kernel::Environment;
use serde_json::json;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use crate::stand_in::StandIn;

const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);
const ZONE: &str = "names.example";

/// Believes what has no `forged` in it.
struct Believes;

impl Seals for Believes {
    fn verify(&self, xml: &str, _: OffsetDateTime) -> Result<(), String> {
        if xml.contains("forged") { Err("it is forged".to_owned()) } else { Ok(()) }
    }
}

/// A server of names that knows one name.
struct NameServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl NameServer {
    /// `records`: order, preference, flags, service and regexp of each.
    async fn new(
        known: String,
        records: Vec<(u16, u16, &'static str, &'static str, String)>,
    ) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let task = tokio::spawn(async move {
            let mut buffer = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let answer = answer(&buffer[..length], &known, &records);
                let _ = socket.send_to(&answer, from).await;
            }
        });
        Self { address, task }
    }
}

/// The answer to a question, by RFC 1035 and RFC 3403.
fn answer(
    query: &[u8],
    known: &str,
    records: &[(u16, u16, &'static str, &'static str, String)],
) -> Vec<u8> {
    let (mut name, mut place) = (Vec::new(), 12);
    while query[place] != 0 {
        let length = usize::from(query[place]);
        name.push(std::str::from_utf8(&query[place + 1..=place + length]).unwrap().to_lowercase());
        place += length + 1;
    }
    let question = &query[12..place + 5];
    let is_known = name.join(".") == known;
    let count = if is_known { u16::try_from(records.len()).unwrap() } else { 0 };
    let mut answer = query[..2].to_vec();
    answer.extend(if is_known { [0x81, 0x80] } else { [0x81, 0x83] });
    answer.extend([0, 1]);
    answer.extend(count.to_be_bytes());
    answer.extend([0, 0, 0, 0]);
    answer.extend(question);
    for (order, preference, flags, service, regexp) in records.iter().filter(|_| is_known) {
        let mut data = order.to_be_bytes().to_vec();
        data.extend(preference.to_be_bytes());
        for text in [flags, service, &regexp.as_str()] {
            data.push(u8::try_from(text.len()).unwrap());
            data.extend(text.as_bytes());
        }
        data.push(0);
        answer.extend([0xc0, 12, 0, 35, 0, 1, 0, 0, 0, 60]);
        answer.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        answer.extend(data);
    }
    answer
}

fn participant() -> Participant {
    Participant::read(None, "9949:SI10039856").unwrap()
}

fn directory(names: &NameServer) -> Directory {
    let options = DirectoryOptions {
        zone: ZONE.to_owned(),
        name_servers: vec![names.address],
        allow_plain: true,
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        clock: Arc::new(|| NOW),
    };
    Directory::new(options, Arc::new(Believes)).unwrap()
}

fn metadata() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../einvoicing/tests/it/network/metadata.xml");
    std::fs::read_to_string(path).unwrap()
}

async fn ask(publisher: &StandIn, document: NetworkDocument) -> Result<Capability, String> {
    let address = format!("!^.*$!http://{}/smp/!", publisher.address);
    let records = vec![
        (200, 10, "U", "Meta:SMP", "!^.*$!http://127.0.0.1:1/worse!".to_owned()),
        (100, 10, "U", "Other:Service", "!^.*$!http://127.0.0.1:1/other!".to_owned()),
        (100, 20, "U", "Meta:SMP", address),
    ];
    let names = NameServer::new(lookup::name(&participant(), ZONE), records).await;
    let found = directory(&names).capability(&participant(), document).await;
    found.map_err(|silence| silence.reason)
}

#[tokio::test]
async fn a_participant_is_found_by_its_name_and_asked_at_its_publisher() {
    let publisher = StandIn::new(|_| Some((200, metadata()))).await;
    let found = ask(&publisher, NetworkDocument::Invoice).await;
    assert_eq!(found, Ok(Capability { is_registered: true, can_receive: true }));
    let line = &publisher.asked()[0].line;
    let path = lookup::service_path(&participant(), NetworkDocument::Invoice);
    assert_eq!(*line, format!("GET /smp{path} HTTP/1.1"));
}

#[tokio::test]
async fn who_has_no_name_is_not_registered_and_who_has_no_service_does_not_receive() {
    let names = NameServer::new("another.name".to_owned(), Vec::new()).await;
    let found = directory(&names).capability(&participant(), NetworkDocument::Invoice).await;
    assert_eq!(found, Ok(Capability { is_registered: false, can_receive: false }));
    let publisher = StandIn::new(|_| Some((404, String::new()))).await;
    let found = ask(&publisher, NetworkDocument::CreditNote).await;
    assert_eq!(found, Ok(Capability { is_registered: true, can_receive: false }));
}

#[tokio::test]
async fn what_is_not_signed_or_about_something_else_is_no_answer() {
    let forged = format!("{}<!-- forged -->", metadata());
    for (status, body) in [
        (200, forged),
        (200, "<html/>".to_owned()),
        (200, metadata().replace("9949:si10039856", "9949:si20000006")),
        (500, metadata()),
        (301, metadata()),
    ] {
        let publisher = StandIn::new(move |_| Some((status, body.clone()))).await;
        let found = ask(&publisher, NetworkDocument::Invoice).await;
        assert!(found.is_err(), "{status}: {found:?}");
    }
    let publisher = StandIn::new(|_| Some((200, metadata()))).await;
    assert!(ask(&publisher, NetworkDocument::CreditNote).await.is_err(), "another document");
}

/// A provider to which everyone receives.
async fn provider() -> (StandIn, Provider) {
    let stand_in = StandIn::new(|_| Some((200, json!({ "code": "OK" }).to_string()))).await;
    let options = ProviderOptions {
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        ..ProviderOptions::new(&format!("http://{}/api/v2/", stand_in.address), "key")
    };
    let provider = Provider::new(&options).unwrap();
    (stand_in, provider)
}

#[tokio::test]
async fn live_recipients_are_looked_up_in_the_directory_and_those_of_the_sandbox_at_the_provider() {
    let (of_live, live) = provider().await;
    let (of_sandbox, sandbox) = provider().await;
    let answers = Arc::new(AtomicBool::new(true));
    let own = Arc::clone(&answers);
    let publisher =
        StandIn::new(move |_| own.load(Ordering::SeqCst).then(|| (200, metadata()))).await;
    let address = format!("!^.*$!http://{}/smp/!", publisher.address);
    let records = vec![(100, 20, "U", "Meta:SMP", address)];
    let names = NameServer::new(lookup::name(&participant(), ZONE), records).await;
    let own = Some(Arc::new(directory(&names)));
    let mut network = Network { live: Some(live), sandbox: Some(sandbox), directory: own };
    let stranger = Participant::read(None, "9949:SI50000004").unwrap();
    let document = NetworkDocument::Invoice;
    let found = |is_registered| Ok(Capability { is_registered, can_receive: is_registered });
    let asked = || [&of_live, &of_sandbox, &publisher].map(|one| !one.asked().is_empty());
    let live = Environment::Live;
    assert_eq!(network.capability(live, &participant(), document).await, found(true));
    assert_eq!(network.capability(live, &stranger, document).await, found(false));
    assert_eq!(asked(), [false, false, true], "the directory decides, and who is not in it");
    let sandbox = Environment::Sandbox;
    assert_eq!(network.capability(sandbox, &stranger, document).await, found(true));
    assert_eq!(asked(), [false, true, true], "the sandbox has its provider alone");
    // Silence of the directory is no answer, and the provider's is none in its place.
    answers.store(false, Ordering::SeqCst);
    let silent = network.capability(live, &participant(), document).await;
    assert!(matches!(silent, Err(NetworkError::NoAnswer(_))), "{silent:?}");
    assert_eq!(asked(), [false, true, true]);
    network.directory = None;
    assert_eq!(network.capability(live, &stranger, document).await, found(true));
    assert_eq!(asked(), [true; 3], "without a directory the provider is asked");
}

#[tokio::test]
async fn publishers_that_refer_to_each_other_end() {
    let round = StandIn::new(|asked| {
        let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        Some((
            200,
            format!(
                "<SignedServiceMetadata \
                 xmlns=\"http://busdox.org/serviceMetadata/publishing/1.0/\">\
                 <ServiceMetadata><Redirect href=\"http://{host}/again\"/></ServiceMetadata>\
                 </SignedServiceMetadata>"
            ),
        ))
    })
    .await;
    let found = ask(&round, NetworkDocument::Invoice).await;
    assert!(found.unwrap_err().contains("without end"));
    assert_eq!(round.asked().len(), 2);
}

#[tokio::test]
async fn other_machines_are_not_asked_when_they_are_out_of_reach() {
    let options = |server: &str, allow_plain| DirectoryOptions {
        zone: ZONE.to_owned(),
        name_servers: vec![server.parse().unwrap()],
        allow_plain,
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        clock: Arc::new(|| NOW),
    };
    assert!(Directory::new(options("192.0.2.1:53", true), Arc::new(Believes)).is_err());
    // Addresses that are not public, and such without TLS, are not asked.
    let address = "!^.*$!http://127.0.0.1:1/smp!".to_owned();
    let records = vec![(100, 20, "U", "Meta:SMP", address)];
    let names = NameServer::new(lookup::name(&participant(), ZONE), records).await;
    let careful = options(&names.address.to_string(), false);
    let careful = Directory::new(careful, Arc::new(Believes)).unwrap();
    let found = careful.capability(&participant(), NetworkDocument::Invoice).await;
    assert!(found.unwrap_err().reason.contains("not public"));
}
