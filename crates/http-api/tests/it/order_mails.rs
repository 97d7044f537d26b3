//! Mails about the documents of orders: once for each, where the rules of the integration want it.

use std::sync::Arc;

use racun_application::order_mails::{OrderMailHandler, OrderMailReader};
use racun_background::consumer::{LogConsumer, read};
use racun_background::jobs::{Ending, Handler, JobKind, Outcome, claim, perform};
use racun_kernel::Tenant;
use racun_mail::{MAILS, MailLimits, OutgoingMail};
use racun_store::ListQuery;
use serde_json::{Value, json};

use crate::harness::text;
use crate::orders::{Desk, order};

/// A mail: what it is about, to whom, and the locale of the PDF that goes along.
#[derive(Debug, PartialEq, Eq)]
struct Mailed {
    about: Vec<String>,
    to: Vec<String>,
    pdf: Option<String>,
}

impl Mailed {
    /// One about `document`, to who ordered.
    fn of(document: &Value, pdf: Option<&str>) -> Self {
        let to = vec!["bor@example.com".to_owned()];
        Self { about: vec![text(document)], to, pdf: pdf.map(str::to_owned) }
    }
}

impl Desk {
    /// Documents of orders are mailed; each job is done twice, as by a worker that died after it.
    /// How many jobs were.
    async fn mail(&self) -> usize {
        let services = self.api.services.clone();
        let stamp = Arc::new(move || services.stamp());
        let services = &self.api.services;
        let store = Arc::clone(&services.store);
        let reader = OrderMailReader { store: Arc::clone(&store), stamp: stamp.clone() };
        let now = stamp();
        read(&*store, reader.name(), 100, &now, |entries| reader.handle(entries)).await.unwrap();
        let handler = OrderMailHandler {
            store: Arc::clone(&store),
            base: Arc::clone(&services.public_url),
            limits: MailLimits::default(),
            stamp: stamp.clone(),
        };
        let jobs = claim(&*store, &[JobKind::OrderMail], &stamp(), 100).await.unwrap();
        for job in &jobs {
            assert_eq!(handler.run(job).await, Outcome::Ends(Ending::Done));
            perform(&*store, &handler, job, &*stamp).await.unwrap();
        }
        jobs.len()
    }

    /// What was mailed about documents.
    async fn mails(&self) -> Vec<Mailed> {
        let tenant = Tenant::entity(self.owner.entity().parse().unwrap());
        let query = ListQuery::first_page(&MAILS);
        let store = &self.api.services.store;
        let page = store.page::<OutgoingMail>(&MAILS, &tenant, &query).await.unwrap();
        let mailed = |mail: OutgoingMail| {
            assert!(mail.attached_invoices.is_empty(), "{mail:?}");
            Mailed { about: mail.about, to: mail.to, pdf: mail.attached_pdf }
        };
        page.rows.into_iter().map(mailed).collect()
    }
}

#[actix_web::test]
async fn documents_of_orders_are_mailed_once_where_the_rules_want_it() {
    let desk = Desk::open().await;
    let rules = json!({"send_invoice_email": true, "attach_pdf_to_email": true, "locale": "sl-SI"});
    let shop = desk.integration(rules).await;
    let first = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    desk.act(&first, "process").await.with(200);
    assert_eq!(desk.mail().await, 1);
    assert_eq!(desk.mails().await, [], "no user of the account has verified an address");
    desk.api.verify("ana@example.com").await;

    let estimated = json!({"source_id": "2", "payment_status": "unpaid", "payment_method": "bacs"});
    let estimated = desk.post("/orders", order(&shop, estimated)).await.with(201).json();
    desk.act(&estimated, "process").await.with(200);
    desk.mail().await;
    assert_eq!(desk.mails().await, [], "the rules want no mails about estimates");
    desk.patch(&estimated, json!({"payment_status": "paid"})).await.with(200);
    let done = desk.act(&estimated, "process").await.with(200).json();
    desk.mail().await;
    let sent = [Mailed::of(&done["invoice_id"], Some("sl-SI"))];
    assert_eq!(desk.mails().await, sent);
    let activities = desk.get("/activities?limit=100").await.to_string();
    assert_eq!(activities.matches("invoice.sent").count(), 1);

    let strange = json!({"source_id": "3", "customer_email": null});
    let strange = desk.post("/orders", order(&shop, strange)).await.with(201).json();
    desk.act(&strange, "process").await.with(200);
    assert_eq!(desk.mail().await, 0, "it says no address");
    let quiet = desk.integration(json!({"name": "Quiet"})).await;
    let quiet = desk.post("/orders", order(&quiet, json!({}))).await.with(201).json();
    desk.act(&quiet, "process").await.with(200);
    desk.mail().await;
    assert_eq!(desk.mails().await, sent);
}

#[actix_web::test]
async fn an_estimate_is_mailed_once_with_its_pdf_or_without_as_the_rules_want_it() {
    for attaches in [true, false] {
        let desk = Desk::open().await;
        desk.api.verify("ana@example.com").await;
        let rules = json!({"send_estimate_email": true, "attach_pdf_to_email": attaches,
            "locale": "de-DE"});
        let shop = desk.integration(rules).await;
        let unpaid = json!({"payment_status": "unpaid", "payment_method": "bacs"});
        let made = desk.post("/orders", order(&shop, unpaid)).await.with(201).json();
        let done = desk.act(&made, "process").await.with(200).json();
        assert_eq!(desk.mail().await, 1);
        let sent = [Mailed::of(&done["estimate_id"], attaches.then_some("de-DE"))];
        assert_eq!(desk.mails().await, sent);
        let activities = desk.get("/activities?limit=100").await.to_string();
        assert_eq!(activities.matches("estimate.sent").count(), 1);
        // The invoice that it becomes is mailed only where the rules want that, too.
        desk.patch(&made, json!({"payment_status": "paid"})).await.with(200);
        let paid = desk.act(&made, "process").await.with(200).json();
        assert!(paid["invoice_id"].is_string(), "{paid}");
        desk.mail().await;
        assert_eq!(desk.mails().await, sent);
    }
}
