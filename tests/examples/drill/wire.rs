//! HTTP/1.1 as it goes over the wire, with no more than a drill needs.

use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// A request, with a body that its header tells the length of.
pub fn request(method: &str, path: &str, token: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The header of a JSON body.
pub const JSON: &str = "content-type: application/json\r\n";

/// An answer.
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The code of a refusal; its status alone where there is none.
    pub fn code(&self) -> String {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let cause = body["cause"]["code"].as_str().or_else(|| body["code"].as_str());
        format!("{} {}", self.status, cause.unwrap_or_default())
    }
}

/// A connection.
pub struct Wire {
    stream: TcpStream,
    seen: Vec<u8>,
}

impl Wire {
    /// Connects from an address of this machine; the system buffers `window` bytes of unread
    /// answers, when that is given.
    pub async fn connect(server: SocketAddr, from: Ipv4Addr, window: Option<u32>) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddrV4::new(from, 0).into())?;
        if let Some(bytes) = window {
            socket.set_recv_buffer_size(bytes)?;
        }
        let stream = socket.connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, seen: Vec::new() })
    }

    /// Sends bytes as they are.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Reads up to `bytes` of what comes; how many came. None is the end.
    pub async fn read(&mut self, bytes: usize) -> Result<usize> {
        self.seen.resize(bytes, 0);
        let count = self.stream.read(&mut self.seen).await;
        self.seen.clear();
        count
    }

    /// The answer to a request.
    pub async fn ask(&mut self, request: &[u8]) -> Result<Reply> {
        self.send(request).await?;
        self.reply().await
    }

    /// The next answer.
    pub async fn reply(&mut self) -> Result<Reply> {
        let broken = || Error::from(ErrorKind::UnexpectedEof);
        let head = loop {
            if let Some(end) = self.seen.windows(4).position(|part| part == b"\r\n\r\n") {
                break end + 4;
            }
            if self.stream.read_buf(&mut self.seen).await? == 0 {
                return Err(broken());
            }
        };
        let (status, length) = parse(&self.seen[..head]).ok_or_else(broken)?;
        while self.seen.len() < head + length {
            if self.stream.read_buf(&mut self.seen).await? == 0 {
                return Err(broken());
            }
        }
        let body = self.seen[head..head + length].to_vec();
        self.seen.drain(..head + length);
        Ok(Reply { status, body })
    }
}

/// Status and length of an answer.
fn parse(head: &[u8]) -> Option<(u16, usize)> {
    let head = std::str::from_utf8(head).ok()?;
    let status = head.get(9..12)?.parse().ok()?;
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    Some((status, length.map_or(Some(0), |(_, length)| length.parse().ok())?))
}
