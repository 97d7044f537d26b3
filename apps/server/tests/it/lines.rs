//! What a process prints, line by line.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// The lines of `source`, as they come.
pub fn of(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(source).lines().map_while(Result::ok) {
            // Keep reading when the receiver is gone: a full pipe would stop the process.
            sender.send(line).ok();
        }
    });
    lines
}
