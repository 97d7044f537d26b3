//! A server that answers what a script says, and notes what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request: its first line, its head and its body.
#[derive(Debug, Clone)]
pub struct Asked {
    pub line: String,
    pub head: String,
    pub body: String,
}

/// What is answered: a status, further header fields, and a body.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub head: Vec<(String, String)>,
    pub body: String,
}

/// What it answers; `None` closes the connection.
type Script = dyn Fn(&Asked) -> Option<Answer> + Send + Sync;

pub struct StandIn {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StandIn {
    /// One whose answers have no header fields of their own.
    pub async fn new(
        script: impl Fn(&Asked) -> Option<(u16, String)> + Send + Sync + 'static,
    ) -> Self {
        let answer = |(status, body)| Answer { status, head: Vec::new(), body };
        Self::answering(move |asked| script(asked).map(answer)).await
    }

    pub async fn answering(
        script: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script: Arc<Script> = Arc::new(script);
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let noted = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (script, noted) = (Arc::clone(&script), Arc::clone(&noted));
                tokio::spawn(async move {
                    while let Some(one) = request(&mut stream).await {
                        noted.lock().unwrap().push(one.clone());
                        let Some(answer) = script(&one) else { return };
                        stream.write_all(written(&answer).as_bytes()).await.unwrap();
                    }
                });
            }
        });
        Self { address, asked, task }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn written(Answer { status, head, body }: &Answer) -> String {
    let head: String = head.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{head}\r\n{body}", body.len())
}

async fn request(stream: &mut TcpStream) -> Option<Asked> {
    let (mut text, mut buffer) = (String::new(), [0; 16_384]);
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                let line = head.lines().next()?.to_owned();
                let (head, body) = (head.to_owned(), body.to_owned());
                return Some(Asked { line, head, body });
            }
        }
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
}
