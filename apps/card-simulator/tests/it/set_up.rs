//! A simulator with its client, and a receiver of webhooks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use racun_card_payments::{CardProcessor as _, ProcessorEvent};
use racun_card_simulator::{Options, Running, Simulator};
use racun_gateways::{Reach, Stripe, StripeOptions};
use racun_kernel::Environment;
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub const SANDBOX: Environment = Environment::Sandbox;
pub const SECRET: &str = "whsec_sandbox";
pub const KEY: &str = "sk_test_simulated";
/// What time it is.
pub const NOW: i64 = 1_795_000_000;

pub fn options() -> Options {
    Options {
        retry_delays: vec![Duration::from_millis(5); 3],
        clock: Arc::new(|| NOW),
        ..Options::default()
    }
}

pub fn client(url: &str, key: &str) -> Stripe {
    let options = StripeOptions {
        url: url.to_owned(),
        client_id: Some("ca_simulated".to_owned()),
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        ..StripeOptions::new(key, SECRET)
    };
    Stripe::new(&options).unwrap()
}

pub fn start() -> (Running, Stripe) {
    let running = Simulator::start(&options()).unwrap();
    let stripe = client(&running.url, KEY);
    (running, stripe)
}

/// Connects an account.
pub async fn connected(running: &Running, stripe: &Stripe) -> String {
    let page = stripe.consent_page(SANDBOX, "state", "http://127.0.0.1:1/back").await.unwrap();
    let back = running.consent(&page, "Ana's shop").unwrap();
    stripe.connect(SANDBOX, &code(&back)).await.unwrap().id
}

/// The code in an address that a seller was sent back to.
pub fn code(back: &str) -> String {
    back.split_once("code=").unwrap().1.to_owned()
}

/// A webhook that came.
#[derive(Debug, Clone)]
pub struct Came {
    pub line: String,
    pub signature: String,
    pub body: String,
}

impl Came {
    /// What the client of the simulator reads in it.
    pub fn read(&self, stripe: &Stripe) -> ProcessorEvent {
        let now = OffsetDateTime::from_unix_timestamp(NOW).unwrap();
        let signature = Some(self.signature.as_str());
        let (environment, event) =
            stripe.read_webhook(signature, self.body.as_bytes(), now).unwrap();
        assert_eq!(environment, SANDBOX);
        event
    }
}

/// Takes webhooks, after it answered 503 to the first ones.
pub struct Receiver {
    pub url: String,
    came: Arc<Mutex<Vec<Came>>>,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    pub async fn new(refuses: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/card-processor/webhook", listener.local_addr().unwrap());
        let came = Arc::<Mutex<Vec<Came>>>::default();
        let noted = Arc::clone(&came);
        let task = tokio::spawn(async move {
            let mut refused = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(one) = request(&mut stream).await else { continue };
                let status = if refused < refuses { 503 } else { 200 };
                refused += 1;
                if status == 200 {
                    noted.lock().unwrap().push(one);
                }
                let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { url, came, task }
    }

    /// The webhooks, once there are `count`.
    pub async fn came(&self, count: usize) -> Vec<Came> {
        for _ in 0..2_000 {
            let came = self.came.lock().unwrap().clone();
            if came.len() >= count {
                return came;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{count} webhooks: {:?}", self.came.lock().unwrap());
    }
}

async fn request(stream: &mut TcpStream) -> Option<Came> {
    let (mut text, mut buffer) = (String::new(), [0; 16_384]);
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let field = |wanted: &str| {
                head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
                })
            };
            if body.len() >= field("content-length")?.parse().ok()? {
                let line = head.lines().next()?.to_owned();
                let signature = field("stripe-signature")?;
                return Some(Came { line, signature, body: body.to_owned() });
            }
        }
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
}

/// Sends a request by hand; status, head and body.
pub async fn ask(url: &str, method: &str, path: &str, fields: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\n{fields}content-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text).await;
    let status = text.split(' ').nth(1).map_or(0, |status| status.parse().unwrap());
    (status, text)
}
