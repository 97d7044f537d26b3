//! What the server may be made to call.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use racun_gateways::{HttpCourier, Names, Options, OwnNames, Reach, is_public};
use racun_webhooks::{Courier as _, Post, Undelivered};
use tokio::net::{TcpListener, TcpStream};

/// Answers names with these addresses, the next ones each time, the last ones for ever.
struct Scripted(Mutex<Vec<Vec<IpAddr>>>);

impl Scripted {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parsed = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(answers.iter().map(parsed).collect())))
    }

    fn left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

#[async_trait]
impl Names for Scripted {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let mut answers = self.0.lock().unwrap();
        Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
    }
}

/// Asserts that `listener` has no connection: the one that is made here is the first.
async fn has_no_caller(listener: &TcpListener) {
    let caller = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (_, first) = listener.accept().await.unwrap();
    assert_eq!(first, caller.local_addr().unwrap(), "somebody connected");
}

fn post(url: &str) -> Post {
    Post { url: url.to_owned(), headers: Vec::new(), body: "{}".to_owned() }
}

fn options() -> Options {
    let short = Duration::from_millis(300);
    let reach = Reach::ThisMachine;
    Options { connect: short, exchange: short, reach, ..Options::default() }
}

#[test]
fn addresses_of_one_network_are_distinguished_from_those_of_all() {
    let special = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.170",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3ffe::1",
        "3fff::1",
        "3fff:fff:ffff::",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
    ];
    for address in special {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
    let public = [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700::1111",
        "2a00::1",
        "3ffd::1",
    ];
    for address in public {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_notation() {
    let (host, dress) = ("127.0.0.1", "leads to an address that is not public");
    let listener = TcpListener::bind((host, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // Names are looked up in vain: what is refused here is refused by its form.
    let courier = HttpCourier::with_names(options(), Scripted::new(&[&[]])).unwrap();
    let hosts = [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0x7F.0.0.0x1",
        "0177.0.0.1",
        "017700000001",
        "0",
        "0.0.0.0",
        "0x0",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "[::ffff:a9fe:a9fe]",
        "100.100.100.200",
        "255.255.255.255",
        "224.0.0.1",
    ];
    for host in hosts {
        for url in [format!("http://{host}:{port}/"), format!("https://{host}:{port}/a?b#c")] {
            let refused = courier.post(&post(&url)).await;
            let Err(Undelivered::Forbidden(reason)) = refused else { panic!("{url}: {refused:?}") };
            assert!(reason.contains(dress), "{url}: {reason}");
        }
    }
    has_no_caller(&listener).await;
}

#[tokio::test]
async fn urls_of_other_schemes_are_refused() {
    let courier = HttpCourier::with_names(options(), Scripted::new(&[&["1.1.1.1"]])).unwrap();
    let long = format!("https://example.com/{}", "a".repeat(2_048));
    let malformed = [
        "",
        "example.com",
        "//example.com",
        "/hook",
        "ftp://example.com",
        "file:///etc/passwd",
        "gopher://example.com",
        "javascript:alert(1)",
        "data:text/plain,a",
        "http://",
        "http:///",
        "https://user@example.com",
        "https://user:password@example.com",
        "https://:p@example.com",
        "https://example.com:443@127.0.0.1/",
        "http://exa mple.com",
        "http://[::1",
        "http://a:70000",
        "unix:/run/docker.sock",
        "ws://example.com",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        &long,
    ];
    for url in malformed {
        let refused = courier.post(&post(url)).await;
        let Err(Undelivered::Forbidden(reason)) = refused else { panic!("{url}: {refused:?}") };
        assert!(reason.contains("absolute http or https URL"), "{url}: {reason}");
    }
    for port in [1, 22, 25, 53, 81, 110, 111, 389, 445, 587, 1_023] {
        let refused = courier.post(&post(&format!("https://example.com:{port}/"))).await;
        let Err(Undelivered::Forbidden(reason)) = refused else { panic!("{port}: {refused:?}") };
        assert!(reason.contains("port"), "{port}: {reason}");
    }
}

#[tokio::test]
async fn a_name_with_one_address_inside_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://receiver.example:{}/", listener.local_addr().unwrap().port());
    let answers: [&[&str]; 6] = [
        &["127.0.0.1"],
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["2606:4700::1111", "fe80::1"],
    ];
    for answer in answers {
        let courier = HttpCourier::with_names(options(), Scripted::new(&[answer])).unwrap();
        let refused = courier.post(&post(&url)).await;
        let Err(Undelivered::Forbidden(reason)) = refused else {
            panic!("{answer:?}: {refused:?}")
        };
        assert_eq!(reason, "it leads to an address that is not public", "{answer:?}");
    }
    // The system's own names too.
    let courier = HttpCourier::new(options()).unwrap();
    for name in ["localhost", "LOCALHOST"] {
        let refused = courier.post(&post(&url.replace("receiver.example", name))).await;
        assert!(matches!(refused, Err(Undelivered::Forbidden(_))), "{name}: {refused:?}");
    }
    has_no_caller(&listener).await;
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_its_checked_addresses_are_the_ones_that_are_called() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://receiver.example:{}/", listener.local_addr().unwrap().port());
    // Public when it is checked, inside when it is asked again: the public address is the one that
    // would be called, and this test calls no other machine.
    let names = Scripted::new(&[&["192.31.196.1"], &["127.0.0.1"]]);
    let options = options();
    let guarded = HttpCourier::with_names(options, Arc::<Scripted>::clone(&names)).unwrap();
    let first = guarded.post(&post(&url)).await;
    let Err(Undelivered::Failed(reason)) = first else { panic!("{first:?}") };
    assert!(reason.contains("on another machine"), "{reason}");
    assert_eq!(names.left(), 1, "looked up once");
    has_no_caller(&listener).await;
    // The next delivery meets the other answer, and the guard.
    let second = guarded.post(&post(&url)).await;
    assert!(matches!(second, Err(Undelivered::Forbidden(_))), "{second:?}");
    // Without the guard the same name reaches the listener: the resolver is the one in use.
    let options = Options { allow_private_addresses: true, ..options };
    let open = HttpCourier::with_names(options, Scripted::new(&[&["127.0.0.1"]])).unwrap();
    let request = post(&url);
    let (accepted, _) = tokio::join!(listener.accept(), open.post(&request));
    assert!(accepted.is_ok());
}

#[tokio::test]
async fn with_the_fence_no_other_machine_is_called_and_no_name_is_looked_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let open = Options { allow_private_addresses: true, ..options() };
    // Without names of a test's own the system's would be asked.
    let courier = HttpCourier::new(open).unwrap();
    for host in ["192.31.196.1", "10.0.0.1", "[2606:4700::1111]", "shop.example.com"] {
        let refused = courier.post(&post(&format!("http://{host}:{port}/"))).await;
        let Err(Undelivered::Failed(reason)) = refused else { panic!("{host}: {refused:?}") };
        assert!(reason.contains("on another machine"), "{host}: {reason}");
        assert!(courier.accepts(&format!("https://{host}/")).is_ok(), "{host} may be named");
    }
    for host in ["127.0.0.1", "localhost"] {
        let request = post(&format!("http://{host}:{port}/"));
        let (accepted, _) = tokio::join!(listener.accept(), courier.post(&request));
        assert!(accepted.is_ok(), "{host}");
    }
    assert!(OwnNames.addresses("shop.example.com").await.is_err());
}
