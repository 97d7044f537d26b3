//! The threads that answer reads, each with a connection of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use rusqlite::Connection;
use tokio::sync::mpsc;

use crate::read::Read;

/// Reads that run at once.
pub(crate) const THREADS: usize = 4;

/// Starts a thread for each of `connections`; they end when `queue` is closed and empty.
pub(crate) fn spawn(
    connections: Vec<Connection>,
    queue: mpsc::Receiver<Read>,
) -> std::io::Result<Vec<JoinHandle<()>>> {
    let queue = Arc::new(Mutex::new(queue));
    let thread = |connection| {
        let queue = Arc::clone(&queue);
        Builder::new().name("racun-reader".to_owned()).spawn(move || answer(connection, &queue))
    };
    connections.into_iter().map(thread).collect()
}

fn answer(mut connection: Connection, queue: &Mutex<mpsc::Receiver<Read>>) {
    loop {
        // One idle thread waits at the queue, the others for the lock.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(read) = next else { return };
        run(&mut connection, read);
    }
}

/// Runs `read`; when it panics, its caller gets no answer and the thread goes on.
pub(crate) fn run(connection: &mut Connection, read: Read) {
    if catch_unwind(AssertUnwindSafe(|| read(connection))).is_err() {
        tracing::error!("a read panicked");
    }
}
