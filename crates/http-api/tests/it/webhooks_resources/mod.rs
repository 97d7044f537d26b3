//! Each operation tells the kinds of events that it causes, of the resource as a request for it
//! answers.
//!
//! Receivers subscribe to all kinds, and a story goes through all operations; each step names the
//! kinds that it causes. There is no kind that no step causes.

mod books;
mod cards;
mod network;
mod orders;
mod records;
mod subscriptions;
mod time_passes;

use std::collections::{BTreeMap, BTreeSet};

use racun_store::{EventKind, Receivers};
use serde_json::{Value, json};

use crate::harness::{Answer, Who, text};
use crate::mailbox::Post;
use crate::webhooks::World;

const OWNER: &str = "owner@example.com";

/// The path that answers what an event of `kind` tells of, and where in the answer it stands.
fn place(kind: &str, data: &Value) -> (String, &'static str) {
    let id = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    let resource = kind.rsplit_once('.').unwrap().0;
    if kind == "payment.failed" {
        return (format!("/payment-app/invoices/{}", id("id")), "");
    }
    let base = match resource {
        "white_label_subscription" => return ("/white-label-subscriptions".to_owned(), ""),
        "payment_app" => return ("/payment-app/settings".to_owned(), ""),
        "e_invoicing.enrollment" => return ("/e-invoicing/settings".to_owned(), "/enrollment"),
        "e_invoicing.supplier" => return ("/e-invoicing/supplier".to_owned(), ""),
        "e_invoicing.submission" => {
            let document = id("document_id");
            let path = format!("/e-invoicing/documents/{document}/submissions");
            return (path, "/data/0");
        }
        "tax" => "taxes".to_owned(),
        other => format!("{}s", other.replace('_', "-")),
    };
    (format!("/{base}/{}", id("id")), "")
}

/// A world whose endpoints get everything, and what came so far.
struct Story {
    world: World,
    /// The caller who acts, and who reads the resources that events name.
    actor: Who,
    /// What each resource was answered as last, by its path.
    answered: BTreeMap<String, Value>,
    /// The kinds that came.
    told: BTreeSet<String>,
    /// Steps that told others than they should.
    wrong: Vec<String>,
}

/// The events that endpoints of `receivers` may subscribe to.
fn published_to(receivers: Receivers) -> Vec<&'static str> {
    let published = |kind: &&EventKind| kind.receivers() == Some(receivers);
    racun_application::events().iter().filter(published).map(|kind| kind.name()).collect()
}

impl Story {
    /// A story in an entity whose owner may send mail.
    async fn begin() -> Self {
        let world = World::selling(subscriptions::labels()).await;
        world.endpoint(&published_to(Receivers::Entity)).await;
        let post = Post::of(world.api.clone(), world.services.clone());
        let verified = json!({"token": post.token("verify_").await});
        world.api.post("/users/verify-email", &Who::anonymous(), verified).await.with(200);
        let actor = world.owner.clone();
        Self { world, actor, answered: BTreeMap::new(), told: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Expects that `kinds` were delivered since the last step, in any order, each with its
    /// resource as `GET` answers it now. A resource that is gone is delivered as it was answered
    /// last, but for the time of its deletion.
    async fn tells(&mut self, step: &str, kinds: &str) {
        let mut told = Vec::new();
        for post in self.world.posts().await {
            let body: Value = serde_json::from_str(&post.body).unwrap();
            let (kind, data) = (text(&body["event"]), body["data"].clone());
            let (path, part) = place(&kind, &data);
            let answer = self.world.api.get(&path, &self.actor).await;
            if answer.status == 200 {
                let whole = answer.json();
                let found = whole.pointer(part).unwrap_or_else(|| panic!("{path}: {whole}"));
                assert_eq!(data, *found, "{step}: {kind}");
                self.answered.insert(path, whole);
            } else {
                assert!(kind.ends_with("deleted"), "{step}: {kind}: {answer:?}");
                let mut last = self.answered.get(&path).unwrap().clone();
                assert!(data["deleted_at"].is_string(), "{step}: {kind}: {data}");
                for field in ["deleted_at", "updated_at"] {
                    last[field] = data[field].clone();
                }
                assert_eq!(data, last, "{step}: {kind}");
            }
            told.push(kind);
        }
        let mut expected: Vec<&str> = kinds.split_whitespace().collect();
        expected.sort_unstable();
        told.sort_unstable();
        if told != expected {
            self.wrong.push(format!("{step} tells {told:?}, not {expected:?}"));
        }
        self.told.extend(told);
    }

    async fn step(&mut self, step: &str, answer: Answer, kinds: &str) -> Answer {
        assert!((200..300).contains(&answer.status), "{step}: {answer:?}");
        self.tells(step, kinds).await;
        answer
    }

    /// Posts `body`, which tells `kinds`; the id that is answered.
    async fn make(&mut self, path: &str, body: Value, kinds: &str) -> String {
        let answer = self.world.api.post(path, &self.actor, body).await.with(201);
        text(&self.step(&format!("POST {path}"), answer, kinds).await.json()["id"])
    }

    async fn act(&mut self, path: &str, body: Value, kinds: &str) {
        let answer = self.world.api.post(path, &self.actor, body).await;
        self.step(&format!("POST {path}"), answer, kinds).await;
    }

    async fn change(&mut self, path: &str, body: Value, kinds: &str) {
        let answer = self.world.api.patch(path, &self.actor, body).await.with(200);
        self.answered.insert(path.to_owned(), answer.json());
        self.step(&format!("PATCH {path}"), answer, kinds).await;
    }

    async fn remove(&mut self, path: &str, kinds: &str) {
        let answer = self.world.api.delete(path, &self.actor).await;
        self.step(&format!("DELETE {path}"), answer, kinds).await;
    }

    /// To the trash and back, and for good. `also` is what follows from its coming back.
    async fn trash(&mut self, path: &str, resource: &str, also: &str) {
        let kind = |what: &str| format!("{resource}.{what}");
        self.remove(path, &kind("deleted")).await;
        let restored = format!("{} {also}", kind("restored"));
        self.act(&format!("{path}/restore"), json!({}), &restored).await;
        self.remove(path, &kind("deleted")).await;
        self.remove(&format!("{path}/permanent"), &kind("permanently_deleted")).await;
    }
}

/// One line that comes to `total`, without tax.
fn lines(total: u32) -> Value {
    json!({"items": [{"name": "Lot", "price": total, "taxes": []}]})
}

fn with(mut body: Value, more: Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[actix_web::test]
async fn every_kind_is_reported_by_what_causes_it() {
    let mut story = Story::begin().await;
    story.records().await;
    story.documents().await;
    story.payments().await;
    story.expenses().await;
    story.orders().await;
    story.cards().await;
    story.network().await;
    story.overdue().await;
    story.recurring().await;
    story.subscriptions().await;
    assert!(story.wrong.is_empty(), "{}", story.wrong.join("\n"));

    let all = [published_to(Receivers::Entity), published_to(Receivers::Account)].concat();
    let untold: Vec<&&str> = all.iter().filter(|kind| !story.told.contains(**kind)).collect();
    assert!(untold.is_empty(), "nothing tells {untold:?}");
}
