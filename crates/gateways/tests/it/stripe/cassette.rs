//! A server that answers as recorded, and what is asked otherwise than recorded.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::network::stand_in::{Asked, StandIn};

pub const KEY: &str = "sk_test_recorded";
const EXCHANGES: &str = include_str!("../../data/stripe/exchanges.json");

/// What was asked so far.
#[derive(Default)]
struct Seen {
    used: Vec<bool>,
    unknown: Vec<String>,
}

pub struct Cassette {
    pub stand_in: StandIn,
    exchanges: Arc<Vec<Value>>,
    seen: Arc<Mutex<Seen>>,
}

impl Cassette {
    pub async fn new() -> Self {
        let exchanges: Arc<Vec<Value>> = Arc::new(serde_json::from_str(EXCHANGES).unwrap());
        let seen =
            Arc::new(Mutex::new(Seen { used: vec![false; exchanges.len()], unknown: Vec::new() }));
        let (all, noted) = (Arc::clone(&exchanges), Arc::clone(&seen));
        let stand_in = StandIn::new(move |asked| Some(answer(&all, &noted, asked))).await;
        Self { stand_in, exchanges, seen }
    }

    /// Ends the test when a request was not as recorded, or a recorded one was not sent.
    pub fn assert_all_used(&self) {
        let seen = self.seen.lock().unwrap();
        assert!(seen.unknown.is_empty(), "not recorded: {:#?}", seen.unknown);
        let unused = seen.used.iter().zip(self.exchanges.iter());
        let unused: Vec<&Value> =
            unused.filter(|(used, _)| !**used).map(|(_, exchange)| &exchange["what"]).collect();
        assert!(unused.is_empty(), "never sent: {unused:?}");
    }
}

/// The next recorded answer to a request; the last one again when there are no more.
fn answer(exchanges: &[Value], seen: &Mutex<Seen>, asked: &Asked) -> (u16, String) {
    let mut seen = seen.lock().unwrap();
    let same: Vec<usize> =
        (0..exchanges.len()).filter(|n| is_same(&exchanges[*n]["request"], asked)).collect();
    let next = same.iter().copied().find(|n| !seen.used[*n]).or(same.last().copied());
    let Some(next) = next else {
        seen.unknown.push(format!("{}\n{}\n{}", asked.line, asked.head, asked.body));
        return (500, String::new());
    };
    seen.used[next] = true;
    let answer = &exchanges[next]["answer"];
    let status = u16::try_from(answer["status"].as_u64().unwrap()).unwrap();
    (status, answer["body"].to_string())
}

/// The fields of a head but for those of HTTP itself, sorted.
pub fn fields(head: &str) -> Vec<(String, String)> {
    let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let fields = fields.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
    let of_http = ["host", "content-length", "accept-encoding"];
    let mut fields: Vec<_> = fields.filter(|(name, _)| !of_http.contains(&&**name)).collect();
    fields.sort();
    fields
}

fn is_same(request: &Value, asked: &Asked) -> bool {
    let text = |name: &str| request[name].as_str().map(str::to_owned);
    let (method, path) = (text("method").unwrap(), text("path").unwrap());
    let mut expected = vec![
        ("accept".to_owned(), "application/json".to_owned()),
        ("authorization".to_owned(), format!("Bearer {KEY}")),
        ("stripe-version".to_owned(), "2024-06-20".to_owned()),
    ];
    if method == "POST" {
        let form = "application/x-www-form-urlencoded".to_owned();
        expected.push(("content-type".to_owned(), form));
    }
    let more = [("idempotency-key", "idempotency_key"), ("stripe-account", "account")];
    expected.extend(more.iter().filter_map(|(name, key)| Some(((*name).to_owned(), text(key)?))));
    expected.sort();
    asked.line == format!("{method} {path} HTTP/1.1")
        && fields(&asked.head) == expected
        && asked.body == text("form").unwrap_or_default()
}
