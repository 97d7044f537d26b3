//! What goes wrong on command.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::authority::SimulatedAuthority;

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing listens: connections are refused, and open ones are closed.
    Refuse,
    /// The connection is taken, and nothing ever said, not even of TLS.
    Stall,
    /// The connection is reset at once.
    Reset,
    /// Something that is not TLS is answered to the greeting.
    TlsFailure,
    /// The server shows a certificate of another issuer.
    WrongCertificate,
    /// The request is read and never answered.
    Hang,
    /// The request is read, and the connection reset. It is not taken.
    ResetAfterRead,
    /// The request is taken, and the connection closed without an answer.
    LoseAnswer,
    /// The answer comes after so many milliseconds; the request is taken at once.
    Delay(u64),
    /// The answer's body comes byte by byte, each after so many milliseconds.
    Drip(u64),
    /// The answer's body ends after so many bytes, and the connection with it.
    Cut(usize),
    /// `Content-Length` promises 100 bytes more than come.
    WrongLength,
    /// The answer's body never ends, although it says nothing more.
    Endless,
    /// An answer of this status with a page of HTML, or nothing. It is not taken.
    Page(Page),
    /// The answer has so many bytes.
    Huge(usize),
    /// What is wrong with the content of the answer. The request is taken.
    Twist(Twist),
    /// The request is refused with this code and text.
    Code(String, String),
}

/// An answer that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// 500 with HTML.
    ServerError,
    /// 502 with HTML.
    BadGateway,
    /// 404 with HTML.
    NotFound,
    /// 301 to the same address.
    Redirect,
    /// 200 with HTML.
    Html,
    /// 200 without a body.
    Empty,
}

/// What is wrong with the content of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twist {
    /// The signature is another message's.
    BadSignature,
    /// There is no signature. As JWS: its part is empty.
    Unsigned,
    /// The algorithm is `none`. As XML: there is no signature.
    AlgNone,
    /// Another issuer certified the signer.
    UntrustedSigner,
    /// The signer's certificate is over.
    ExpiredSigner,
    /// Another subject of the right issuer signed.
    OtherSigner,
    /// A signed answer is where clients do not look, and an unsigned one is where they do.
    Wrapped,
    /// It answers another message.
    WrongMessageId,
    /// Result and error are missing.
    MissingFields,
    /// It holds a field that the schema does not know.
    ExtraFields,
    /// It holds result and error.
    Both,
    /// Its namespace is another; as JSON, its name.
    WrongNamespace,
    /// It declares a document type.
    Doctype,
    /// It declares entities that would fill the memory. As JSON: it is nested 100,000 times.
    BillionLaughs,
    /// It has 80,000 attributes; as JSON, properties.
    Attributes,
}

/// When a fault happens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// To which authority; to all when missing.
    pub authority: Option<SimulatedAuthority>,
    /// To which requests: `invoice`, `premise`, `change`, `tip`, `check`, `echo`, `series`,
    /// `status`; to all when missing. Faults of the connection do not look at it.
    pub operation: Option<String>,
    /// How often at most.
    pub times: Option<u64>,
    /// Each how many-th time; each time when missing.
    pub every: Option<u64>,
    /// How often in a hundred, evenly spread; each time when missing.
    pub percent: Option<u64>,
}

/// A fault, and when it happens, as it is written in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    fault: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authority: Option<SimulatedAuthority>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The faults without parameters, by name.
const PLAIN: &[(&str, Fault)] = &[
    ("refuse", Fault::Refuse),
    ("stall", Fault::Stall),
    ("reset", Fault::Reset),
    ("tls_failure", Fault::TlsFailure),
    ("wrong_certificate", Fault::WrongCertificate),
    ("hang", Fault::Hang),
    ("reset_after_read", Fault::ResetAfterRead),
    ("lose_answer", Fault::LoseAnswer),
    ("wrong_length", Fault::WrongLength),
    ("endless", Fault::Endless),
    ("server_error", Fault::Page(Page::ServerError)),
    ("bad_gateway", Fault::Page(Page::BadGateway)),
    ("not_found", Fault::Page(Page::NotFound)),
    ("redirect", Fault::Page(Page::Redirect)),
    ("html", Fault::Page(Page::Html)),
    ("empty", Fault::Page(Page::Empty)),
    ("bad_signature", Fault::Twist(Twist::BadSignature)),
    ("unsigned", Fault::Twist(Twist::Unsigned)),
    ("alg_none", Fault::Twist(Twist::AlgNone)),
    ("untrusted_signer", Fault::Twist(Twist::UntrustedSigner)),
    ("expired_signer", Fault::Twist(Twist::ExpiredSigner)),
    ("other_signer", Fault::Twist(Twist::OtherSigner)),
    ("wrapped", Fault::Twist(Twist::Wrapped)),
    ("wrong_message_id", Fault::Twist(Twist::WrongMessageId)),
    ("missing_fields", Fault::Twist(Twist::MissingFields)),
    ("extra_fields", Fault::Twist(Twist::ExtraFields)),
    ("both", Fault::Twist(Twist::Both)),
    ("wrong_namespace", Fault::Twist(Twist::WrongNamespace)),
    ("doctype", Fault::Twist(Twist::Doctype)),
    ("billion_laughs", Fault::Twist(Twist::BillionLaughs)),
    ("attributes", Fault::Twist(Twist::Attributes)),
];

/// The kinds of requests.
const OPERATIONS: [&str; 8] =
    ["invoice", "premise", "change", "tip", "check", "echo", "series", "status"];

const PARAMETRIC: &[&str] = &["delay", "drip", "cut", "huge", "code"];

/// Above what clients hold.
const HUGE: usize = 11_000_000;

impl Fault {
    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PLAIN.iter().map(|(name, _)| *name).chain(PARAMETRIC.iter().copied())
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Delay(_) => "delay",
            Self::Drip(_) => "drip",
            Self::Cut(_) => "cut",
            Self::Huge(_) => "huge",
            Self::Code(..) => "code",
            plain => PLAIN.iter().find(|(_, fault)| fault == plain).map_or("", |(name, _)| name),
        }
    }

    /// Whether it happens before a request is read.
    const fn is_of_connection(&self) -> bool {
        matches!(
            self,
            Self::Refuse | Self::Stall | Self::Reset | Self::TlsFailure | Self::WrongCertificate
        )
    }
}

impl Wire {
    fn read(self) -> Result<(Fault, When), String> {
        let plain = PLAIN.iter().find(|(name, _)| *name == self.fault);
        let fault = match (plain, &*self.fault) {
            (Some((_, fault)), _) => fault.clone(),
            (None, "delay") => Fault::Delay(self.ms.ok_or("delay needs ms")?),
            (None, "drip") => Fault::Drip(self.ms.unwrap_or(1_000)),
            (None, "cut") => Fault::Cut(self.bytes.ok_or("cut needs bytes")?),
            (None, "huge") => Fault::Huge(self.bytes.unwrap_or(HUGE)),
            (None, "code") => {
                let code = self.code.ok_or("code needs code")?;
                Fault::Code(code, self.text.unwrap_or_else(|| "Simulated error.".to_owned()))
            }
            (None, other) => {
                let names: Vec<&str> = Fault::names().collect();
                return Err(format!("there is no fault {other:?}; there are {}", names.join(", ")));
            }
        };
        let when = When {
            authority: self.authority,
            operation: self.operation,
            times: self.times,
            every: self.every,
            percent: self.percent,
        };
        check(&fault, &when)?;
        Ok((fault, when))
    }

    fn written(fault: &Fault, when: &When) -> Self {
        let mut wire = Self {
            fault: fault.name().to_owned(),
            authority: when.authority,
            operation: when.operation.clone(),
            times: when.times,
            every: when.every,
            percent: when.percent,
            ..Self::default()
        };
        match fault {
            Fault::Delay(ms) | Fault::Drip(ms) => wire.ms = Some(*ms),
            Fault::Cut(bytes) | Fault::Huge(bytes) => wire.bytes = Some(*bytes),
            Fault::Code(code, text) => {
                wire.code = Some(code.clone());
                wire.text = Some(text.clone());
            }
            _ => {}
        }
        wire
    }
}

fn check(fault: &Fault, when: &When) -> Result<(), String> {
    let is_partial = when.times.is_some() || when.every.is_some() || when.percent.is_some();
    if *fault == Fault::Refuse && is_partial {
        return Err("refuse lasts until it is deleted: it takes no times, every or percent".into());
    }
    if let Some(operation) = &when.operation
        && !OPERATIONS.contains(&operation.as_str())
    {
        return Err(format!("operation is one of {}", OPERATIONS.join(", ")));
    }
    if when.every == Some(0) || when.percent.is_some_and(|percent| percent > 100) {
        return Err("every is at least 1, and percent at most 100".into());
    }
    Ok(())
}

struct Planned {
    fault: Fault,
    when: When,
    seen: u64,
    happened: u64,
}

impl Planned {
    /// Counts a request that it concerns, and says whether it happens to this one.
    fn happens(&mut self) -> bool {
        if self.when.times.is_some_and(|times| self.happened >= times) {
            return false;
        }
        self.seen += 1;
        let by_turn = self.when.every.is_none_or(|every| self.seen.is_multiple_of(every));
        let by_share = self
            .when
            .percent
            .is_none_or(|percent| self.seen * percent / 100 > (self.seen - 1) * percent / 100);
        let happens = by_turn && by_share;
        self.happened += u64::from(happens);
        happens
    }
}

/// The faults that are planned.
pub struct Faults {
    planned: Mutex<Vec<Planned>>,
    changes: watch::Sender<()>,
}

impl Default for Faults {
    fn default() -> Self {
        Self { planned: Mutex::default(), changes: watch::Sender::new(()) }
    }
}

impl Faults {
    /// Plans one more.
    ///
    /// # Errors
    /// When it cannot happen like that, as text.
    pub fn add(&self, fault: Fault, when: When) -> Result<(), String> {
        check(&fault, &when)?;
        self.change(|planned| planned.push(Planned { fault, when, seen: 0, happened: 0 }));
        Ok(())
    }

    /// Plans these and no others.
    ///
    /// # Errors
    /// When one of them cannot happen like that, as text; then nothing is changed.
    pub fn replace(&self, wires: Vec<Wire>) -> Result<(), String> {
        let read = wires.into_iter().map(Wire::read).collect::<Result<Vec<_>, String>>()?;
        self.change(|planned| {
            let new = |(fault, when)| Planned { fault, when, seen: 0, happened: 0 };
            *planned = read.into_iter().map(new).collect();
        });
        Ok(())
    }

    /// Forgets those of this authority, or all.
    pub fn clear(&self, authority: Option<SimulatedAuthority>) {
        self.change(|planned| {
            planned.retain(|planned| authority.is_some() && planned.when.authority != authority);
        });
    }

    /// Those that are planned, and how often each happened.
    pub fn list(&self) -> Vec<(Wire, u64)> {
        let planned = self.lock();
        planned.iter().map(|it| (Wire::written(&it.fault, &it.when), it.happened)).collect()
    }

    /// What happens to a new connection.
    pub fn of_connection(&self, authority: SimulatedAuthority) -> Option<Fault> {
        self.pick(|it| it.fault.is_of_connection() && it.fault != Fault::Refuse, authority)
    }

    /// What happens to a request.
    pub fn of_request(&self, authority: SimulatedAuthority, operation: &str) -> Option<Fault> {
        let concerns = |it: &Planned| {
            let asked = it.when.operation.as_deref();
            !it.fault.is_of_connection() && asked.is_none_or(|asked| asked == operation)
        };
        self.pick(concerns, authority)
    }

    /// Whether connections are refused now.
    pub fn refuses(&self, authority: SimulatedAuthority) -> bool {
        let is_it = |it: &Planned| it.fault == Fault::Refuse && concerns(&it.when, authority);
        self.lock().iter().any(is_it)
    }

    /// Ends when connections are refused, or no longer, as `refuse` says.
    pub async fn until(&self, authority: SimulatedAuthority, refuse: bool) {
        let mut changes = self.changes.subscribe();
        while self.refuses(authority) != refuse {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn pick(
        &self,
        fits: impl Fn(&Planned) -> bool,
        authority: SimulatedAuthority,
    ) -> Option<Fault> {
        let mut planned = self.lock();
        let mut those = planned.iter_mut().filter(|it| concerns(&it.when, authority) && fits(it));
        those.find_map(|it| it.happens().then(|| it.fault.clone()))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Planned>)) {
        change(&mut self.lock());
        self.changes.send_replace(());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Planned>> {
        self.planned.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn concerns(when: &When, authority: SimulatedAuthority) -> bool {
    when.authority.is_none_or(|asked| asked == authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn happens(when: When, requests: usize) -> Vec<usize> {
        let faults = Faults::default();
        faults.add(Fault::Hang, when).unwrap();
        let of = |_: &usize| faults.of_request(SimulatedAuthority::Furs, "invoice").is_some();
        (1..=requests).filter(of).collect()
    }

    #[test]
    fn a_fault_happens_as_often_as_it_is_asked_to() {
        let when = When::default();
        assert_eq!(happens(when.clone(), 3), [1, 2, 3]);
        assert_eq!(happens(When { times: Some(2), ..when.clone() }, 4), [1, 2]);
        assert_eq!(happens(When { every: Some(3), ..when.clone() }, 7), [3, 6]);
        let every = When { every: Some(2), times: Some(1), ..when.clone() };
        assert_eq!(happens(every, 6), [2]);
        assert_eq!(happens(When { percent: Some(50), ..when.clone() }, 100).len(), 50);
        assert_eq!(happens(When { percent: Some(10), ..when.clone() }, 100).len(), 10);
        assert_eq!(happens(When { percent: Some(0), ..when.clone() }, 100).len(), 0);
        assert_eq!(happens(When { operation: Some("echo".into()), ..when.clone() }, 3).len(), 0);
        assert_eq!(happens(When { authority: Some(SimulatedAuthority::Fina), ..when }, 3).len(), 0);
    }

    #[test]
    fn each_name_names_a_fault_that_is_written_as_it_was_read() {
        for name in Fault::names() {
            let body = format!(r#"{{"fault":"{name}","ms":5,"bytes":7,"code":"S001"}}"#);
            let (fault, when) = serde_json::from_str::<Wire>(&body).unwrap().read().unwrap();
            assert_eq!(fault.name(), name);
            let written = Wire::written(&fault, &when);
            assert_eq!(written.clone().read().unwrap(), (fault, when), "{written:?}");
        }
    }

    #[test]
    fn an_impossible_plan_is_refused_and_changes_nothing() {
        let faults = Faults::default();
        faults.add(Fault::Hang, When::default()).unwrap();
        let table = [
            r#"{"fault":"no such"}"#,
            r#"{"fault":"delay"}"#,
            r#"{"fault":"cut"}"#,
            r#"{"fault":"code"}"#,
            r#"{"fault":"refuse","times":1}"#,
            r#"{"fault":"hang","every":0}"#,
            r#"{"fault":"hang","percent":101}"#,
            r#"{"fault":"hang","operation":"sale"}"#,
        ];
        for body in table {
            let wire = serde_json::from_str::<Wire>(body).unwrap();
            assert!(faults.replace(vec![wire]).is_err(), "{body}");
        }
        assert_eq!(faults.list().len(), 1);
    }
}
