//! A stand-in for an OpenTelemetry collector.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// One export that arrived.
pub struct Export {
    /// The path that it was posted to.
    pub path: String,
    /// Its body: protocol buffers, in which names are plain text.
    pub body: Vec<u8>,
}

/// Listens on a port of its own; answers the address and what arrives there.
pub fn start() -> (String, Receiver<Export>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, exports) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let sender = sender.clone();
            thread::spawn(move || take_exports(stream, &sender));
        }
    });
    (address, exports)
}

/// Takes what comes over one connection until it is closed.
fn take_exports(stream: TcpStream, exports: &Sender<Export>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some(export) = read(&mut reader) {
        exports.send(export).ok();
        writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Export> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line.trim().is_empty() {
            break;
        }
        head.push(line.to_lowercase());
    }
    let path = head.first()?.split(' ').nth(1)?.to_owned();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length:"))?;
    let mut body = vec![0; length.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Export { path, body })
}
