//! What callers say of endpoints.

use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch, Stamp, Vault, text};
use racun_store::{EventKind, Receivers};
use serde_json::{Map, Value as Json};

use crate::endpoint::{Endpoint, EndpointInput};
use crate::url::{Schemes, check_url};
use crate::{Generation, Owner};

/// Characters of a new endpoint's description.
const MAX_NEW_DESCRIPTION: usize = 500;
/// Characters of a description in an update.
const MAX_DESCRIPTION: usize = 4_000;
/// Objects that `events` of the earlier generation may hold.
const MAX_SENT_EVENTS: usize = 200;
/// Bytes that these may hold together.
const MAX_SENT_EVENTS_BYTES: usize = 32 * 1024;

/// Whether the server may call a URL, as far as it can tell without looking up its name.
pub type Accepts<'a> = &'a (dyn Fn(&str) -> Result<(), Issue> + 'a);

/// What inputs are checked by.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Which URLs the server may call.
    pub accepts: Accepts<'a>,
    /// All events that there are; endpoints may subscribe to those that are published to them.
    pub events: &'a [EventKind],
}

impl Rules<'_> {
    /// The names of the events that are published to `receivers`.
    fn events_to(self, receivers: Receivers) -> Vec<&'static str> {
        let published = self.events.iter().filter(|kind| kind.receivers() == Some(receivers));
        published.map(|kind| kind.name()).collect()
    }
}

/// What a caller of the earlier generation says of an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierInput {
    /// Where to.
    pub url: Patch<String>,
    /// Objects, each of which names the kind of an event in any of its properties; none for all
    /// events.
    pub events: Patch<Vec<Map<String, Json>>>,
    /// True when missing.
    pub enabled: Patch<bool>,
}

impl EndpointInput {
    /// The new endpoint that this describes, and its secret, which is shown once.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_endpoint(
        self,
        owner: Owner,
        vault: &dyn Vault,
        rules: Rules<'_>,
        stamp: &Stamp,
    ) -> Result<(Endpoint, String), Issues> {
        let mut endpoint = Endpoint::blank(owner, Generation::Current, stamp);
        self.take_over(&mut endpoint, MAX_NEW_DESCRIPTION, rules)?;
        let secret = endpoint.rotate_secret(vault, stamp);
        Ok((endpoint, secret))
    }

    /// Takes over into `endpoint` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; `endpoint` is then of no use.
    pub fn apply(
        self,
        endpoint: &mut Endpoint,
        rules: Rules<'_>,
        stamp: &Stamp,
    ) -> Result<(), Issues> {
        let before = endpoint.clone();
        self.take_over(endpoint, MAX_DESCRIPTION, rules)?;
        note_change(&before, endpoint, stamp);
        Ok(())
    }

    fn take_over(
        self,
        endpoint: &mut Endpoint,
        max_description: usize,
        rules: Rules<'_>,
    ) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let (schemes, receivers) = match endpoint.owner {
            Owner::Entity { .. } => (Schemes::Both, Receivers::Entity),
            Owner::Account { .. } => (Schemes::HttpsOnly, Receivers::Account),
        };
        let known = rules.events_to(receivers);
        apply_url(&mut issues, self.url, endpoint, schemes, rules.accepts);
        match self.events {
            Patch::Absent if !endpoint.events.is_empty() => {}
            Patch::Absent | Patch::Null => issues.push(no_events()),
            Patch::Value(events) => {
                if let Some(events) = issues.collect("events", check_events(events, &known)) {
                    endpoint.events = events;
                }
            }
        }
        let described = self.description.try_map(|sent| {
            text::check(&sent, max_description).map(|()| sent).map_err(Issues::from)
        });
        if let Some(described) = issues.collect("description", described) {
            described.apply(&mut endpoint.description);
        }
        self.active.apply_or(&mut endpoint.active, true);
        if let Some(sent) = issues.collect("metadata", self.metadata.try_map(Metadata::checked)) {
            sent.apply_or(&mut endpoint.metadata, Metadata::default());
        }
        issues.into_result(())
    }
}

impl EarlierInput {
    /// The new endpoint that this describes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_endpoint(
        self,
        owner: Owner,
        rules: Rules<'_>,
        stamp: &Stamp,
    ) -> Result<Endpoint, Issues> {
        let mut endpoint = Endpoint::blank(owner, Generation::Earlier, stamp);
        self.take_over(&mut endpoint, rules)?;
        Ok(endpoint)
    }

    /// Takes over into `endpoint` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; `endpoint` is then of no use.
    pub fn apply(
        self,
        endpoint: &mut Endpoint,
        rules: Rules<'_>,
        stamp: &Stamp,
    ) -> Result<(), Issues> {
        let before = endpoint.clone();
        self.take_over(endpoint, rules)?;
        note_change(&before, endpoint, stamp);
        Ok(())
    }

    /// Takes over into `endpoint` what this says, and what a new one would have where it says
    /// nothing.
    ///
    /// # Errors
    /// All that is wrong, by path; `endpoint` is then of no use.
    pub fn replace(
        self,
        endpoint: &mut Endpoint,
        rules: Rules<'_>,
        stamp: &Stamp,
    ) -> Result<(), Issues> {
        let before = endpoint.clone();
        let blank = Endpoint::blank(endpoint.owner, Generation::Earlier, stamp);
        (endpoint.url, endpoint.events) = (blank.url, blank.events);
        (endpoint.sent_events, endpoint.active) = (blank.sent_events, blank.active);
        self.take_over(endpoint, rules)?;
        note_change(&before, endpoint, stamp);
        Ok(())
    }

    fn take_over(self, endpoint: &mut Endpoint, rules: Rules<'_>) -> Result<(), Issues> {
        let mut issues = Issues::default();
        apply_url(&mut issues, self.url, endpoint, Schemes::Both, rules.accepts);
        match self.events {
            Patch::Absent => {}
            Patch::Null => (endpoint.events, endpoint.sent_events) = (Vec::new(), Vec::new()),
            Patch::Value(sent) => {
                if let Some(events) = issues.collect(
                    "events",
                    check_sent_events(&sent, &rules.events_to(Receivers::Entity)),
                ) {
                    endpoint.events = events;
                    endpoint.sent_events = sent.into_iter().map(Json::Object).collect();
                }
            }
        }
        self.enabled.apply_or(&mut endpoint.active, true);
        issues.into_result(())
    }
}

/// What its owner activates is not disabled any more; what changed has a new `updated_at`.
fn note_change(before: &Endpoint, endpoint: &mut Endpoint, stamp: &Stamp) {
    if endpoint.active {
        endpoint.disabled_reason = None;
    }
    if before != endpoint {
        endpoint.updated_at = stamp.now();
    }
}

fn apply_url(
    issues: &mut Issues,
    sent: Patch<String>,
    endpoint: &mut Endpoint,
    schemes: Schemes,
    accepts: Accepts<'_>,
) {
    let checked = match sent {
        Patch::Absent if !endpoint.url.is_empty() => return,
        Patch::Absent | Patch::Null => {
            Err(Issue::new("required", "a URL is needed, such as https://example.com/hooks"))
        }
        Patch::Value(url) => check_url(&url, schemes).and_then(|()| accepts(&url)).map(|()| url),
    };
    if let Some(url) = issues.collect("url", checked.map_err(Issues::from)) {
        endpoint.url = url;
    }
}

fn no_events() -> Issue {
    Issue::new("required", "name at least one event, such as invoice.created").at("events")
}

/// Each event once, in the order in which they were sent.
fn check_events(sent: Vec<String>, known: &[&str]) -> Result<Vec<String>, Issues> {
    if sent.is_empty() {
        let message = "name at least one event, such as invoice.created";
        return Err(Issue::new("required", message).into());
    }
    let mut issues = Issues::default();
    let mut events: Vec<String> = Vec::new();
    for (index, event) in sent.into_iter().enumerate() {
        if !known.contains(&event.as_str()) {
            issues.push(unknown_event(known).at(index));
        } else if !events.contains(&event) {
            events.push(event);
        }
    }
    issues.into_result(events)
}

fn unknown_event(known: &[&str]) -> Issue {
    let message = format!("there is no such event; there are {}", known.join(", "));
    Issue::new("unknown_event", message)
}

/// The kinds that the objects name. The specification of the earlier generation does not say under
/// which property, so each may be used.
fn check_sent_events(sent: &[Map<String, Json>], known: &[&str]) -> Result<Vec<String>, Issues> {
    let bytes = serde_json::to_string(sent).map_or(usize::MAX, |text| text.len());
    if sent.len() > MAX_SENT_EVENTS || bytes > MAX_SENT_EVENTS_BYTES {
        let message =
            format!("at most {MAX_SENT_EVENTS} objects of {MAX_SENT_EVENTS_BYTES} bytes in all");
        return Err(Issue::new("too_long", message).into());
    }
    let mut issues = Issues::default();
    let mut events: Vec<String> = Vec::new();
    for (index, object) in sent.iter().enumerate() {
        if !object.values().all(can_be_kept) {
            let message = "a number here has more digits than are kept";
            issues.push(Issue::new("invalid_value", message).at(index));
        }
        let named = object.values().filter_map(Json::as_str);
        let mut named = named.filter(|text| known.contains(text)).peekable();
        if named.peek().is_none() {
            issues.push(unknown_event(known).at(index));
        }
        for event in named {
            if !events.iter().any(|noted| noted == event) {
                events.push(event.to_owned());
            }
        }
    }
    issues.into_result(events)
}

/// Whether every store can keep `value`: numbers that no decimal holds cannot be.
fn can_be_kept(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => true,
        Json::Number(number) => number.as_str().parse::<Decimal>().is_ok(),
        Json::Array(values) => values.iter().all(can_be_kept),
        Json::Object(object) => object.values().all(can_be_kept),
    }
}
