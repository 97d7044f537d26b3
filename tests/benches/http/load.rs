//! A small load generator: so many clients, each on a connection that it keeps, each with one
//! request under way. It runs in this process and takes its share of the machine, as any client
//! does.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long each rate is measured.
pub const MEASURED: Duration = Duration::from_millis(2_500);

/// How long requests are sent before.
const WARMING: Duration = Duration::from_millis(400);

/// Digits in a request that are others each time: a name that no request before had.
pub const FRESH: &str = "fresh-000000000000";

/// Where the digits of [`FRESH`] begin.
const FRESH_DIGITS: usize = "fresh-".len();

/// What was measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Answers in a second.
    pub per_second: u64,
    /// Half of the answers took no longer, in microseconds.
    pub median: u64,
    /// All but one in a hundred took no longer, in microseconds.
    pub slow: u64,
}

impl Rate {
    /// Of answers that took `times`, all together within `measured`.
    pub fn of(mut times: Vec<Duration>, measured: Duration) -> Self {
        times.sort_unstable();
        let microseconds = |time: &Duration| u64::try_from(time.as_micros()).expect("short");
        let at = |place: usize| times.get(place).map_or(0, microseconds);
        let count = u64::try_from(times.len()).expect("few");
        Self {
            per_second: (count * 1_000_000).checked_div(microseconds(&measured)).unwrap_or(0),
            median: at(times.len() / 2),
            slow: at(times.len() * 99 / 100),
        }
    }

    /// Of answers that took `times`, one after the other.
    pub fn alone(times: Vec<Duration>) -> Self {
        let measured = times.iter().sum();
        Self::of(times, measured)
    }

    /// The faster one.
    pub fn best_of(self, other: Self) -> Self {
        if other.per_second > self.per_second { other } else { self }
    }
}

/// The rates of one kind of request.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// One client.
    pub alone: Rate,
    /// All clients, on the same.
    pub together: Rate,
    /// All clients, each on its own.
    pub apart: Rate,
}

impl Rates {
    /// Of `requests`, one for each client.
    pub fn measure(address: &str, requests: &[Vec<u8>]) -> Self {
        Self::measure_from(0, address, requests)
    }

    /// The same, with the `first` of the three rates first, so that rounds can take turns in it.
    pub fn measure_from(first: usize, address: &str, requests: &[Vec<u8>]) -> Self {
        let same = vec![requests[0].clone(); requests.len()];
        let ways = [&requests[..1], &same, requests];
        let mut rates = [Rate::default(); 3];
        for way in (first..first + ways.len()).map(|way| way % ways.len()) {
            rates[way] = measure(address, ways[way]);
        }
        let [alone, together, apart] = rates;
        Self { alone, together, apart }
    }

    /// The fastest of each.
    pub fn best_of(self, other: Self) -> Self {
        Self {
            alone: self.alone.best_of(other.alone),
            together: self.together.best_of(other.together),
            apart: self.apart.best_of(other.apart),
        }
    }
}

/// Sends `requests`, one client each, over and over; every answer must be a success, or say that
/// nothing was modified.
pub fn measure(address: &str, requests: &[Vec<u8>]) -> Rate {
    measure_for(MEASURED, address, requests)
}

/// As [`measure`], for another time than the usual one.
pub fn measure_for(measured: Duration, address: &str, requests: &[Vec<u8>]) -> Rate {
    let clients: Vec<_> = requests.iter().map(std::slice::from_ref).collect();
    turns_for(measured, address, &clients)
}

/// As [`measure`], each client with several requests, which take turns.
pub fn measure_turns(address: &str, clients: &[&[Vec<u8>]]) -> Rate {
    turns_for(MEASURED, address, clients)
}

fn turns_for(measured: Duration, address: &str, clients: &[&[Vec<u8>]]) -> Rate {
    std::thread::scope(|scope| {
        let clients: Vec<_> = clients
            .iter()
            .map(|requests| scope.spawn(move || Client::connect(address).run(measured, requests)))
            .collect();
        let times = clients.into_iter().flat_map(|client| client.join().expect("a client"));
        Rate::of(times.collect(), measured)
    })
}

/// How long the answer to each of `requests` takes, one after the other; every answer must be a
/// success.
pub fn one_by_one(address: &str, requests: &[Vec<u8>]) -> Vec<Duration> {
    let mut client = Client::connect(address);
    let ask = |request: &Vec<u8>| {
        let sent = Instant::now();
        client.ask(request);
        sent.elapsed()
    };
    requests.iter().map(ask).collect()
}

/// A request as it goes over the wire.
pub fn request(method: &str, path: &str, token: &str, body: &str) -> Vec<u8> {
    request_with(method, path, token, "", body)
}

/// A request with a further header line, which ends with CRLF.
pub fn request_with(method: &str, path: &str, token: &str, header: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         {header}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The number of the next fresh name.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// How an answer begins that has no body.
const NOT_MODIFIED: &[u8] = b"HTTP/1.1 304";

/// How an answer begins that is a success.
const SUCCESS: &[u8] = b"HTTP/1.1 2";

/// `request` with a fresh name where it wants one.
fn freshened(request: &[u8]) -> Cow<'_, [u8]> {
    let Some(place) = request.windows(FRESH.len()).position(|part| part == FRESH.as_bytes()) else {
        return Cow::Borrowed(request);
    };
    let digits = format!("{:012}", NEXT.fetch_add(1, Ordering::Relaxed));
    let mut request = request.to_vec();
    request[place + FRESH_DIGITS..place + FRESH.len()].copy_from_slice(digits.as_bytes());
    Cow::Owned(request)
}

struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Client {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, answer: vec![0; 1024 * 1024] }
    }

    /// How long each answer took that came while it was measured.
    fn run(mut self, measured: Duration, requests: &[Vec<u8>]) -> Vec<Duration> {
        let start = Instant::now();
        let mut times = Vec::new();
        let mut turns = requests.iter().cycle();
        loop {
            let request = freshened(turns.next().expect("a client has a request"));
            let sent = Instant::now();
            self.ask(&request);
            let since = start.elapsed();
            if since > WARMING + measured {
                return times;
            }
            if since > WARMING {
                times.push(sent.elapsed());
            }
        }
    }

    fn ask(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("the server takes a request");
        let mut read = 0;
        let mut whole = None;
        while whole.is_none_or(|whole| read < whole) {
            let more = self.stream.read(&mut self.answer[read..]).expect("the server answers");
            assert!(more > 0, "the server hung up after {read} bytes");
            read += more;
            whole = whole.or_else(|| self.length(read));
        }
        let answer = &self.answer[..read];
        let is_success = answer.starts_with(SUCCESS) || answer.starts_with(NOT_MODIFIED);
        assert!(is_success, "{}", String::from_utf8_lossy(answer));
    }

    /// The length of the answer, once its head is there.
    fn length(&self, read: usize) -> Option<usize> {
        let end = self.answer[..read].windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        if self.answer.starts_with(NOT_MODIFIED) {
            return Some(end);
        }
        let head = std::str::from_utf8(&self.answer[..end]).ok()?;
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body: usize = length.and_then(|length| length.parse().ok()).expect("a length");
        Some(end + body)
    }
}
