//! Mails to who subscribes: a declined card, and the operator's invoice.

use std::sync::Arc;

use racun_application::bill_mails::BillMailHandler;
use racun_background::jobs::{Handler, JobKind, claim, perform};
use racun_kernel::Tenant;
use racun_mail::{MAILS, MailKind, MailLimits, MailState, OutgoingMail};
use racun_store::ListQuery;
use serde_json::{Value, json};

use crate::billing::owner;
use crate::card_subscriptions::{HOST, MONTH, World, collect, label};
use crate::cards::Scripted;
use crate::harness::{Api, Who, text};
use crate::managing::{KEY, managed_with};

const DAY: i64 = 86_400;

/// Does the jobs that mail subscribers, each twice, as by a worker that died after it; how many
/// there were.
async fn post(api: &Api) -> usize {
    let own = api.services.clone();
    let stamp = Arc::new(move || own.stamp());
    let store = Arc::clone(&api.services.store);
    let handler = BillMailHandler {
        store: Arc::clone(&store),
        labels: api.services.white_labels.clone(),
        base: Arc::clone(&api.services.public_url),
        limits: MailLimits::default(),
        stamp: stamp.clone(),
    };
    let jobs = claim(&*store, &[JobKind::SubscriptionMail], &stamp(), 100).await.unwrap();
    for job in &jobs {
        handler.run(job).await;
        perform(&*store, &handler, job, &*stamp).await.unwrap();
    }
    jobs.len()
}

/// Mails about bills and documents that the entity of `who` wrote, the oldest first.
async fn mails(api: &Api, who: &Who) -> Vec<OutgoingMail> {
    let tenant = Tenant::entity(who.entity().parse().unwrap());
    let query = ListQuery::first_page(&MAILS);
    let page = api.services.store.page::<OutgoingMail>(&MAILS, &tenant, &query).await;
    let mut rows = page.unwrap().rows;
    rows.retain(|mail| matches!(mail.kind, MailKind::Billing | MailKind::Document));
    rows.sort_by_key(|mail| mail.created_at);
    rows
}

#[actix_web::test]
async fn each_decline_is_mailed_once_to_who_pays() {
    let mut world = World::paying("pm_declined").await;
    world.api.verify("ana@example.com").await;
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(post(&world.api).await, 1);
    let sent = mails(&world.api, &world.ana).await;
    assert_eq!(sent.len(), 1);
    let bill = world.bills().await.remove(0);
    let mail = &sent[0];
    assert_eq!((mail.kind, mail.state), (MailKind::Billing, MailState::Queued));
    assert_eq!(
        (&mail.about, &mail.to),
        (&vec![text(&bill["id"])], &vec!["ana@example.com".into()])
    );
    assert_eq!(mail.subject, "Acme: your card was declined");
    for part in ["9.00 EUR", "Pri Ani", "Your card was declined.", "tried again on December 22"] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    world.pass(DAY).await;
    world.collect().await;
    post(&world.api).await;
    assert_eq!(mails(&world.api, &world.ana).await.len(), 2, "the second decline");
    // One that is paid before the mail is written tells of nothing.
    world.pass(2 * DAY + DAY).await;
    world.collect().await;
    world.give("pm_2").await.with(200);
    world.collect().await;
    assert_eq!(world.bills().await[0]["status"], "paid");
    assert_eq!(post(&world.api).await, 1);
    assert_eq!(mails(&world.api, &world.ana).await.len(), 2);
}

#[actix_web::test]
async fn a_sandbox_mails_bills_to_no_stranger() {
    let mut world = World::paying("pm_declined").await;
    let body = json!({"billing_email": "books@elsewhere.example"});
    let path = "/white-label-subscriptions/billing-email";
    world.api.patch(path, &world.ana, body).await.with(200);
    world.pass(MONTH).await;
    world.collect().await;
    post(&world.api).await;
    let sent = mails(&world.api, &world.ana).await;
    let state: Vec<_> = sent.iter().map(|mail| (mail.to[0].as_str(), mail.state)).collect();
    assert_eq!(state, [("books@elsewhere.example", MailState::Sent)], "it is simulated");
    assert_eq!(sent[0].attempts, 0);
}

#[actix_web::test]
async fn the_operators_invoice_is_mailed_once_with_its_link() {
    let cards = Arc::<Scripted>::default();
    let api = managed_with(Arc::clone(&cards)).await;
    let operator = api.owner("operator@example.com").await;
    let mut label = label(json!(["card_processor"]));
    label["billing_entity_id"] = json!(operator.entity());
    api.put("/operator/white-labels/acme", &Who::key(KEY), label).await.with(200);
    let ana = owner(&api, "ana@example.com", Some(("host", HOST))).await;
    let mut world = World { api, cards, ana };
    world.give("pm_1").await.with(200);
    world.activate("start", "monthly").await.with(200);
    let books: Value = json!({"billing_email": "books@example.com"});
    let path = "/white-label-subscriptions/billing-email";
    world.api.patch(path, &world.ana, books).await.with(200);
    world.pass(MONTH).await;
    collect(&world.api.services).await;
    assert_eq!(post(&world.api).await, 1);
    let bill = world.bills().await.remove(0);
    let sent = mails(&world.api, &operator).await;
    assert_eq!(sent.len(), 1, "{sent:?}");
    let mail = &sent[0];
    assert_eq!((mail.kind, &mail.about), (MailKind::Document, &vec![text(&bill["invoice_id"])]));
    assert_eq!(mail.to, ["books@example.com"]);
    assert!(mail.attached_pdf.is_some() && mail.text.contains("/shareable/"), "{}", mail.text);
    assert_eq!(mails(&world.api, &world.ana).await, [], "it is the operator's");
    assert_eq!(post(&world.api).await, 0);
}
