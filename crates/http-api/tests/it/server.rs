//! The server on a socket: slow and lost clients, and its end.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use racun_http_api::{Options, Process, RequestLimits, run};
use racun_store_sqlite::SqliteStore;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::harness::{http, services};

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<std::io::Result<()>>,
}

fn start(limits: RequestLimits) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let services = services(store, Arc::new(AtomicI64::new(0)));
    let (stop, stopped) = oneshot::channel();
    let until = async move {
        let _ = stopped.await;
    };
    let options = Options { workers: Some(1), ..Options::until(until) };
    Running { address, stop, ended: tokio::spawn(run(listener, services, http(limits), options)) }
}

async fn send(address: SocketAddr, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

async fn read_head(stream: &mut TcpStream) -> String {
    let mut bytes = vec![0; 4096];
    let count = stream.read(&mut bytes).await.unwrap();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_ends_in_time_though_a_connection_idles() {
    let server = start(RequestLimits::default());
    let mut idle = send(server.address, "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(read_head(&mut idle).await.starts_with("HTTP/1.1 200"));
    server.stop.send(()).unwrap();
    // The idle client is still there, and would be for ever.
    server.ended.await.unwrap().unwrap();
    drop(idle);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_drips_is_cut_off() {
    let limits =
        RequestLimits { body_time: Duration::from_millis(100), ..RequestLimits::default() };
    let server = start(limits);
    let head = "POST /users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                content-length: 100\r\n\r\n{";
    let mut slow = send(server.address, head).await;
    let answer = read_head(&mut slow).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    server.stop.send(()).unwrap();
    server.ended.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_use_case_runs_on_when_its_caller_leaves() {
    let process = Process::starting("1.2.3");
    let (go, went) = oneshot::channel::<()>();
    let (done, finished) = oneshot::channel::<()>();
    let waiting = process.run(async move {
        went.await.unwrap();
        done.send(())
    });
    let hung_up = tokio::time::timeout(Duration::ZERO, waiting).await;
    assert!(hung_up.is_err(), "the client hangs up first");
    go.send(()).unwrap();
    finished.await.unwrap();
}
