//! The threads that answer reads, each with a connection of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::read::Read;
use crate::turns::Turns;

/// Reads that run at once.
pub(crate) const THREADS: usize = 4;
/// Reads of one tenant that run at once: one thread is left to the others.
pub(crate) const OF_ONE_TENANT: usize = THREADS - 1;

/// Starts a thread for each of `connections`; they end when `queue` is closed and empty.
pub(crate) fn spawn(
    connections: Vec<Connection>,
    queue: &Arc<Turns<Read>>,
) -> std::io::Result<Vec<JoinHandle<()>>> {
    let thread = |connection| {
        let queue = Arc::clone(queue);
        Builder::new().name("racun-reader".to_owned()).spawn(move || answer(connection, &queue))
    };
    connections.into_iter().map(thread).collect()
}

fn answer(mut connection: Connection, queue: &Turns<Read>) {
    let mut next = queue.next(None);
    while let Some(turn) = next {
        run(&mut connection, turn.what);
        next = queue.next(Some(&turn.whose));
    }
}

/// How long a read may take: what a server gives a statement on PostgreSQL.
const TIME: Duration = Duration::from_secs(5);
/// Steps of SQLite's machine between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

/// Runs `read`, until it has taken [`TIME`]; when it panics, its caller gets no answer and the
/// thread goes on.
pub(crate) fn run(connection: &mut Connection, read: Read) {
    run_for(connection, read, TIME);
}

fn run_for(connection: &mut Connection, read: Read, time: Duration) {
    let began = Instant::now();
    let limited = connection.progress_handler(STEPS, Some(move || began.elapsed() > time));
    if let Err(error) = limited {
        tracing::warn!(%error, "a read has no limit");
    }
    if catch_unwind(AssertUnwindSafe(|| read(connection))).is_err() {
        tracing::error!("a read panicked");
    }
    // What is written on this connection takes the time that it takes.
    if let Err(error) = connection.progress_handler(0, None::<fn() -> bool>) {
        tracing::warn!(%error, "the limit of a read stays");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::of_question;

    #[test]
    fn a_read_that_takes_too_long_is_ended_and_the_next_one_is_not() {
        let mut connection = crate::connection::open_in_memory().unwrap();
        let (sender, answers) = std::sync::mpsc::channel();
        for (query, time) in [
            (
                "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n)
                 SELECT count(*) FROM n",
                Duration::ZERO,
            ),
            ("SELECT 1", TIME),
        ] {
            let sender = sender.clone();
            let read: Read = Box::new(move |connection: &mut Connection| {
                let answer = connection.query_row(query, [], |row| row.get::<_, i64>(0));
                sender.send(answer.map_err(of_question)).unwrap();
            });
            run_for(&mut connection, read, time);
        }
        assert_eq!(answers.recv().unwrap(), Err(racun_store::StoreError::TooExpensive));
        assert_eq!(answers.recv().unwrap(), Ok(1));
    }
}
