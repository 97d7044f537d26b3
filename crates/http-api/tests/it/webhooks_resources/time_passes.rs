//! What time brings: invoices that are overdue, and those that recurring ones make.

use std::sync::Arc;

use racun_background::clock::Clock;
use racun_background::consumer::{LogConsumer as _, Step, read};
use racun_background::jobs::{JobKind, claim, perform};
use racun_sales::overdue::{OverdueHandler, OverdueReader};
use serde_json::json;

use super::{Story, lines, with};

const DAY: i64 = 86_400;

impl Story {
    /// An invoice whose due date passes.
    pub(super) async fn overdue(&mut self) {
        let due = with(lines(10), json!({"date_due": "2026-11-21"}));
        self.make("/invoices", due, "invoice.created invoice.finalized").await;
        self.look_for_overdue().await;
        self.tells("before the date has passed", "").await;
        self.world.api.pass(3 * DAY);
        self.look_for_overdue().await;
        self.tells("when the date has passed", "invoice.overdue").await;
    }

    async fn look_for_overdue(&self) {
        let services = self.world.services.clone();
        let (store, own) = (Arc::clone(&services.store), services.clone());
        let stamp: Clock = Arc::new(move || own.stamp());
        let reader = OverdueReader { store: Arc::clone(&store), stamp: Arc::clone(&stamp) };
        let next = async || {
            let handle = |entries| reader.handle(entries);
            read(&*store, reader.name(), 50, &stamp(), handle).await.unwrap()
        };
        while next().await != Step::Nothing {}
        let handler = OverdueHandler { store: Arc::clone(&store), stamp: Arc::clone(&stamp) };
        for job in claim(&*store, &[JobKind::InvoiceOverdue], &stamp(), 100).await.unwrap() {
            perform(&*store, &handler, &job, &*stamp).await.unwrap();
        }
    }

    /// A recurring invoice that makes one and is done, and one that fails. Real time is 23
    /// November.
    pub(super) async fn recurring(&mut self) {
        let template = self.make("/invoices", lines(30), "invoice.created invoice.finalized").await;
        let monthly = json!({
            "document_id": template, "name": "Rent", "frequency": "monthly",
            "start_date": "2026-12-01",
        });
        let kind = |what: &str| format!("recurring_invoice.{what}");
        let id = self.make("/recurring-invoices", monthly.clone(), &kind("created")).await;
        let path = format!("/recurring-invoices/{id}");
        self.change(&path, json!({"name": "The rent"}), &kind("updated")).await;
        self.act(&format!("{path}/pause"), json!({}), &kind("paused")).await;
        self.act(&format!("{path}/resume"), json!({}), &kind("resumed")).await;
        self.trash(&path, "recurring_invoice", "").await;

        let once = with(monthly.clone(), json!({"end_date": "2026-12-15"}));
        self.make("/recurring-invoices", once, &kind("created")).await;
        let later = with(monthly, json!({"start_date": "2026-12-05"}));
        self.make("/recurring-invoices", later, &kind("created")).await;
        let kinds = "invoice.created invoice.finalized recurring_invoice.invoice_generated \
                     recurring_invoice.completed";
        self.act("/sandbox/clock", json!({"advance_to": "2026-12-02T08:00:00Z"}), kinds).await;
        let path = format!("/invoices/{template}/void");
        self.act(&path, json!({}), "invoice.voided invoice.cancelled").await;
        let to = json!({"advance_to": "2026-12-05T08:00:00Z"});
        self.act("/sandbox/clock", to, &kind("generation_failed")).await;
    }
}
