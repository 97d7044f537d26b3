//! A server that answers as recorded, and what is asked otherwise than recorded.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::stand_in::{Answer, Asked, StandIn};

/// Recorded exchanges, and what they have in common.
#[derive(Clone)]
pub struct Recording {
    /// A list of exchanges: `what` each is, its `request` and its `answer`.
    pub exchanges: Value,
    /// The header fields that a request has to have, but for those of HTTP itself.
    pub fields: fn(&Value) -> Vec<(&'static str, String)>,
    /// What the documentation calls the server. Answers name its own address instead.
    pub origin: Option<&'static str>,
}

impl Recording {
    pub fn new(exchanges: &str, fields: fn(&Value) -> Vec<(&'static str, String)>) -> Self {
        let exchanges = serde_json::from_str(exchanges).unwrap();
        Self { exchanges, fields, origin: None }
    }

    fn all(&self) -> &[Value] {
        self.exchanges.as_array().unwrap()
    }
}

/// What was asked so far.
struct Seen {
    used: Vec<bool>,
    unknown: Vec<String>,
}

pub struct Cassette {
    pub stand_in: StandIn,
    recording: Arc<Recording>,
    seen: Arc<Mutex<Seen>>,
}

impl Cassette {
    pub async fn new(recording: Recording) -> Self {
        let recording = Arc::new(recording);
        let used = vec![false; recording.all().len()];
        let seen = Arc::new(Mutex::new(Seen { used, unknown: Vec::new() }));
        let (all, noted) = (Arc::clone(&recording), Arc::clone(&seen));
        let stand_in = StandIn::answering(move |asked| Some(answer(&all, &noted, asked))).await;
        Self { stand_in, recording, seen }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.stand_in.address)
    }

    /// Ends the test when a request was not as recorded, or a recorded one was not sent.
    pub fn assert_all_used(&self) {
        let seen = self.seen.lock().unwrap();
        assert!(seen.unknown.is_empty(), "not recorded: {:#?}", seen.unknown);
        let unused = seen.used.iter().zip(self.recording.all());
        let unused: Vec<&Value> =
            unused.filter(|(used, _)| !**used).map(|(_, exchange)| &exchange["what"]).collect();
        assert!(unused.is_empty(), "never sent: {unused:?}");
    }
}

/// The next recorded answer to a request; the last one again when there are no more.
fn answer(recording: &Recording, seen: &Mutex<Seen>, asked: &Asked) -> Answer {
    let mut seen = seen.lock().unwrap();
    let exchanges = recording.all();
    let is_it = |n: &usize| is_same(recording, &exchanges[*n]["request"], asked);
    let same: Vec<usize> = (0..exchanges.len()).filter(is_it).collect();
    let next = same.iter().copied().find(|n| !seen.used[*n]).or(same.last().copied());
    let Some(next) = next else {
        let unknown = format!("{}\n{}", asked.head, asked.body);
        eprintln!("not recorded: {unknown}");
        seen.unknown.push(unknown);
        return Answer { status: 500, head: Vec::new(), body: String::new() };
    };
    seen.used[next] = true;
    let answer = &exchanges[next]["answer"];
    let status = u16::try_from(answer["status"].as_u64().unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let head = answer["head"].as_object().into_iter().flatten();
    let head = head.map(|(name, value)| (name.clone(), text(value))).collect();
    let body = answer["body"].to_string();
    let body = match recording.origin {
        Some(origin) => body.replace(origin, &format!("http://{}", host(&asked.head))),
        None => body,
    };
    Answer { status, head, body }
}

fn lines(head: &str) -> impl Iterator<Item = (String, String)> {
    let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    fields.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
}

fn host(head: &str) -> String {
    lines(head).find(|(name, _)| name == "host").unwrap().1
}

/// The fields of a head but for those of HTTP itself, sorted.
fn fields(head: &str) -> Vec<(String, String)> {
    let of_http = ["host", "content-length", "accept-encoding"];
    let mut fields: Vec<_> = lines(head).filter(|(name, _)| !of_http.contains(&&**name)).collect();
    fields.sort();
    fields
}

fn is_same(recording: &Recording, request: &Value, asked: &Asked) -> bool {
    let [method, path] = ["method", "path"].map(|name| request[name].as_str().unwrap());
    let expected = (recording.fields)(request).into_iter();
    let mut expected: Vec<_> = expected.map(|(name, value)| (name.to_owned(), value)).collect();
    expected.sort();
    // A body is a form, letter by letter, or JSON, whose members have no order.
    let is_body = match request.get("json") {
        Some(json) => serde_json::from_str(&asked.body).ok().as_ref() == Some(json),
        None => asked.body == request["form"].as_str().unwrap_or_default(),
    };
    asked.line == format!("{method} {path} HTTP/1.1") && fields(&asked.head) == expected && is_body
}
