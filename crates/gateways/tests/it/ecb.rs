//! The European Central Bank, that answers well, badly and not at all.

use std::net::SocketAddr;
use std::time::Duration;

use racun_gateways::{Ecb, EcbOptions, Reach};
use racun_lookups::contract::{self, SimulatedBank};
use racun_lookups::{RateSource as _, Span};
use time::macros::date;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const DAILY: &str = include_str!("../../../lookups/tests/data/ecb_daily_2026-07-09.xml");
const RECENT: &str = include_str!("../../../lookups/tests/data/ecb_hist_90d_sample.xml");
const ALL: &str = include_str!("../../../lookups/tests/data/ecb_hist_sample.csv");

/// Longer than a file takes that comes at all.
const PATIENCE: Duration = Duration::from_secs(60);
/// For so long files that never come are waited for.
const HASTE: Duration = Duration::from_millis(50);

/// A stand-in that answers the path of a request as `script` says, or not at all.
struct Bank {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Bank {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Bank {
    async fn new(script: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap();
                let path = head.split(' ').nth(1).unwrap();
                if let Some(answer) = script(path) {
                    stream.write_all(answer.as_bytes()).await.unwrap();
                } else {
                    open.push(stream);
                }
            }
        });
        Self { address, task }
    }

    /// One that has the bank's files.
    async fn with_files() -> Self {
        Self::new(|path| {
            Some(match path {
                "/files/eurofxref-daily.xml" => answer("200 OK", DAILY),
                "/files/eurofxref-hist-90d.xml" => answer("200 OK", RECENT),
                "/files/eurofxref-hist.csv" => answer("200 OK", ALL),
                _ => answer("404 Not Found", ""),
            })
        })
        .await
    }

    fn client(&self, reach: Reach, patience: Duration) -> Ecb {
        let url = Some(format!("http://{}/files/", self.address));
        Ecb::new(EcbOptions { url, reach, patience }).unwrap()
    }
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn each_span_is_its_own_file() {
    let bank = Bank::with_files().await;
    let ecb = bank.client(Reach::ThisMachine, PATIENCE);
    for (span, days) in [(Span::Latest, 1), (Span::Recent, 4), (Span::All, 4)] {
        assert_eq!(ecb.fetch(span).await.unwrap().len(), days, "{span:?}");
    }
}

#[tokio::test]
async fn the_banks_files_keep_the_contract() {
    let bank = Bank::with_files().await;
    let ecb = bank.client(Reach::ThisMachine, PATIENCE);
    contract::each_day_comes_once_the_newest_first(&ecb).await;
    let silent = Bank::new(|_| Some(answer("503 Service Unavailable", ""))).await;
    contract::silence_is_an_error(&silent.client(Reach::ThisMachine, PATIENCE)).await;
}

#[tokio::test]
async fn the_simulated_bank_keeps_the_contract() {
    let last = Some(date!(2026 - 10 - 11));
    contract::each_day_comes_once_the_newest_first(&SimulatedBank { last }).await;
    contract::silence_is_an_error(&SimulatedBank { last: None }).await;
}

#[tokio::test]
async fn what_is_no_file_of_rates_is_silence() {
    let cut = answer("200 OK", &DAILY[..DAILY.len() / 2]);
    let short = answer("200 OK", DAILY).replace("\r\nconnection", "0\r\nconnection");
    let redirect = "HTTP/1.1 302 Found\r\nlocation: /files/other\r\ncontent-length: 0\r\n\r\n";
    for (script, says) in [
        (Some(answer("503 Service Unavailable", DAILY)), "status 503"),
        (Some(redirect.to_owned()), "status 302"),
        (Some(answer("200 OK", "<html></html>")), "no rates"),
        (Some(cut), "no rates"),
        (Some(short), "does not answer"),
        (None, "does not answer"),
    ] {
        let patience = if script.is_some() { PATIENCE } else { HASTE };
        let bank = Bank::new(move |_| script.clone()).await;
        let ecb = bank.client(Reach::Everywhere, patience);
        let silence = ecb.fetch(Span::Latest).await.unwrap_err();
        assert!(silence.reason.contains(says), "{silence} has no {says}");
        assert!(!silence.reason.contains("127.0.0.1"), "{silence}");
    }
}

#[tokio::test]
async fn a_bank_that_is_off_or_out_of_reach_is_not_called() {
    let off = EcbOptions { url: None, ..EcbOptions::default() };
    let silence = Ecb::new(off).unwrap().fetch(Span::Latest).await.unwrap_err();
    assert!(silence.reason.contains("does not ask"), "{silence}");
    for url in ["http://192.0.2.1/files", "https://ecb.example/files"] {
        let fenced =
            EcbOptions { url: Some(url.to_owned()), reach: Reach::ThisMachine, patience: PATIENCE };
        assert!(Ecb::new(fenced).unwrap().fetch(Span::All).await.is_err(), "{url}");
    }
    assert!(Ecb::new(EcbOptions { url: Some("ftp://a".into()), ..EcbOptions::default() }).is_err());
}
