//! What is accepted of callers.

use racun_kernel::{Environment, Issue, Patch};
use racun_webhooks::{EarlierInput, EndpointInput};
use serde_json::{Map, Value, json};
use time::Duration;

use crate::world::{OpenVault, START, account, at_start, endpoint, entity, input, rules};

fn value<T>(value: T) -> Patch<T> {
    Patch::Value(value)
}

fn refusals(input: EndpointInput) -> Vec<String> {
    let stamp = at_start();
    let made = input.into_endpoint(entity(&stamp), &OpenVault, rules(&|_| Ok(())), &stamp);
    made.err().iter().flat_map(|issues| issues.iter().map(shown).collect::<Vec<_>>()).collect()
}

fn shown(issue: &Issue) -> String {
    let path = format!("{issue}");
    format!("{} {}", path.split(':').next().unwrap(), issue.code)
}

#[test]
fn a_new_endpoint_needs_a_url_and_events_that_there_are() {
    assert_eq!(refusals(input()), Vec::<String>::new());
    assert_eq!(refusals(EndpointInput::default()), ["url required", "events required"]);
    for (events, expected) in [
        (vec![], "events required"),
        (vec!["invoice.exploded"], "events[0] unknown_event"),
        (vec!["invoice.paid", "white_label_subscription.renewed"], "events[1] unknown_event"),
    ] {
        let events = value(events.into_iter().map(str::to_owned).collect());
        assert_eq!(refusals(EndpointInput { events, ..input() }), [expected]);
    }
    for (chars, is_taken) in [(500, true), (501, false)] {
        let input = EndpointInput { description: value("ž".repeat(chars)), ..input() };
        assert_eq!(refusals(input).is_empty(), is_taken, "{chars}");
    }
}

#[test]
fn an_account_takes_its_own_events_over_https() {
    let stamp = at_start();
    let make = |url: &str, event: &str| {
        let url = value(url.to_owned());
        let events = value(vec![event.to_owned()]);
        let input = EndpointInput { url, events, ..EndpointInput::default() };
        let owner = account(&stamp, Some(Environment::Sandbox));
        input.into_endpoint(owner, &OpenVault, rules(&|_| Ok(())), &stamp)
    };
    let renewed = "white_label_subscription.renewed";
    let (made, _) = make("https://example.com/", renewed).unwrap();
    assert!(made.id.to_string().starts_with("accwh_"));
    assert!(make("http://example.com/", renewed).is_err());
    assert!(make("https://example.com/", "invoice.paid").is_err());
}

#[test]
fn an_update_changes_what_it_names_and_its_description_may_be_longer() {
    let stamp = at_start();
    let (before, _) = endpoint(&stamp);
    let later = stamp.at(START + Duration::HOUR);
    let mut after = before.clone();
    EndpointInput::default().apply(&mut after, rules(&|_| Ok(())), &later).unwrap();
    assert_eq!(after, before, "nothing was said");
    for (chars, is_taken) in [(4_000, true), (4_001, false)] {
        let mut after = before.clone();
        let description = value("a".repeat(chars));
        let input = EndpointInput { description, ..EndpointInput::default() };
        assert_eq!(
            input.apply(&mut after, rules(&|_| Ok(())), &later).is_ok(),
            is_taken,
            "{chars}"
        );
        assert!(!is_taken || after.updated_at == later.now());
    }
    let mut after = before.clone();
    let input = EndpointInput { url: value("https://10.0.0.1/".to_owned()), ..Default::default() };
    let refuse = |_: &str| Err(Issue::new("url_not_allowed", "it is not public"));
    let issues = input.apply(&mut after, rules(&refuse), &later).unwrap_err();
    assert_eq!(issues.iter().map(shown).collect::<Vec<_>>(), ["url url_not_allowed"]);
}

fn earlier(events: Value, enabled: Option<bool>) -> EarlierInput {
    let events: Vec<Map<String, Value>> = serde_json::from_value(events).unwrap();
    EarlierInput {
        url: value("http://example.com/".to_owned()),
        events: value(events),
        enabled: enabled.map_or(Patch::Absent, Patch::Value),
    }
}

#[test]
fn the_earlier_generation_names_events_in_objects_and_none_stands_for_all() {
    let stamp = at_start();
    let make = |events, enabled| {
        earlier(events, enabled).into_endpoint(entity(&stamp), rules(&|_| Ok(())), &stamp)
    };
    let all = make(json!([]), None).unwrap();
    assert!(all.active && all.subscribes("invoice.paid") && all.secret.is_none());
    for events in [json!([{"event": "invoice.paid"}]), json!([{"name": "invoice.paid", "a": 1}])] {
        let one = make(events.clone(), Some(false)).unwrap();
        assert!(one.subscribes("invoice.paid") && !one.subscribes("invoice.sent"));
        assert!(!one.active);
        assert_eq!(Value::Array(one.sent_events), events, "answered as sent");
    }
    assert!(make(json!([{"event": "document.exploded"}]), None).is_err());
    let mut replaced = make(json!([{"event": "invoice.paid"}]), Some(false)).unwrap();
    let url = value("http://example.com/2".to_owned());
    let bare = EarlierInput { url, ..EarlierInput::default() };
    bare.replace(&mut replaced, rules(&|_| Ok(())), &stamp).unwrap();
    assert!(replaced.active && replaced.sent_events.is_empty() && replaced.url.ends_with('2'));
}
