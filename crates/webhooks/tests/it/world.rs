//! Endpoints, events and answers to test with.

use std::time::Duration;

use racun_kernel::{CannotOpen, Environment, Stamp, Vault};
use racun_store::testing::stamp;
use racun_webhooks::{
    Accepts, Delivery, Endpoint, EndpointInput, Owner, ReceiverResponse, Rules, Schedule, Told,
    Undelivered,
};
use time::OffsetDateTime;
use time::macros::datetime;

pub const START: OffsetDateTime = datetime!(2026-11-21 08:00 UTC);

racun_store::events! {
    mod happened {
        CREATED = "invoice.created" to Entity,
        PAID = "invoice.paid" to Entity,
        RENEWED = "white_label_subscription.renewed" to Account,
    }
}

/// What inputs are checked by, where `accepts` says which URLs the server may call.
pub fn rules(accepts: Accepts<'_>) -> Rules<'_> {
    Rules { accepts, events: happened::ALL }
}

/// Seals by saying whose a secret is.
pub struct OpenVault;

impl Vault for OpenVault {
    fn seal(&self, owner: &str, secret: &[u8], _: &Stamp) -> String {
        format!("{owner}|{}", String::from_utf8_lossy(secret))
    }

    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen> {
        let secret = sealed.strip_prefix(&format!("{owner}|")).ok_or(CannotOpen)?;
        Ok(secret.as_bytes().to_vec())
    }
}

pub fn at_start() -> Stamp {
    stamp(START)
}

pub fn entity(stamp: &Stamp) -> Owner {
    Owner::Entity { account_id: stamp.id(), entity_id: stamp.id() }
}

pub fn account(stamp: &Stamp, environment: Option<Environment>) -> Owner {
    Owner::Account { account_id: stamp.id(), environment }
}

pub fn input() -> EndpointInput {
    EndpointInput {
        url: Some("https://example.com/hooks".to_owned()).into(),
        events: Some(vec!["invoice.created".to_owned()]).into(),
        ..EndpointInput::default()
    }
}

pub fn endpoint(stamp: &Stamp) -> (Endpoint, String) {
    input().into_endpoint(entity(stamp), &OpenVault, rules(&|_| Ok(())), stamp).unwrap()
}

pub fn told() -> Told {
    Told {
        event_id: "evt_1".to_owned(),
        sequence: 7,
        kind: "invoice.created".to_owned(),
        at: START,
        data: r#"{"id":"inv_1","total":29.90}"#.to_owned(),
    }
}

pub fn delivery(endpoint: &Endpoint, stamp: &Stamp) -> Delivery {
    Delivery::first(endpoint, &told(), &Schedule::default(), stamp)
}

pub fn answered(status: u16) -> Result<ReceiverResponse, Undelivered> {
    Ok(ReceiverResponse { status, body: "text".to_owned(), took: Duration::from_millis(12) })
}
