//! The account of an entity at the card processor.

use actix_web::test::TestRequest;
use racun_card_payments::{Happened, ProcessorEvent, ProcessorObject};
use racun_kernel::{Currency, Environment};
use serde_json::json;
use time::OffsetDateTime;

use super::Story;
use crate::harness::{Who, text};
use crate::payment_app::succeeded;

impl Story {
    /// A card is declined on the page of an invoice: each event of the processor makes one event.
    async fn declined(&mut self) {
        let (api, actor) = (self.world.api.clone(), self.actor.clone());
        let line = json!({"items": [{"name": "Lot", "price": 100, "taxes": []}]});
        let id = self.make("/invoices", line, "invoice.created invoice.finalized").await;
        let path = format!("/documents/{id}/share");
        let shared = api.post(&path, &actor, json!({})).await.with(200).json();
        let path = format!("/invoices/shareable/{}/pay", text(&shared["shareable_id"]));
        api.post(&path, &Who::anonymous(), json!({})).await.with(200);
        let metadata = self.world.cards.kept().sessions.last().unwrap().metadata.clone();
        for (id, kinds) in
            [("evt_2", "payment.failed"), ("evt_2", ""), ("evt_3", "payment.failed"), ("evt_3", "")]
        {
            let happened = Happened::PaymentFailed {
                payment: "pi_2".to_owned(),
                code: "card_declined".to_owned(),
                message: "Your card was declined.".to_owned(),
                metadata: metadata.clone(),
            };
            let account = Some("acct_1".to_owned());
            let event = ProcessorEvent { id: id.to_owned(), account, happened };
            let body = self.world.cards.tell(Environment::Sandbox, event);
            let request = TestRequest::post().uri("/card-processor/webhook").set_payload(body);
            let answer = api.call(request.insert_header(("stripe-signature", "good"))).await;
            self.step(&format!("a declined card, {id}"), answer, kinds).await;
        }
    }

    /// An account is connected, its settings change, and it is given up.
    pub(super) async fn cards(&mut self) {
        let (api, actor) = (self.world.api.clone(), self.actor.clone());
        let asked = json!({"environment": "sandbox"});
        let asked = api.post("/payment-app/authorize", &actor, asked).await.with(200).json();
        let page = text(&asked["redirect_url"]);
        let back = page.strip_prefix("https://racun.example").unwrap();
        api.get(back, &Who::anonymous()).await.with(200);
        let body = json!({"state": asked["state"], "entity_id": actor.entity()});
        self.act("/payment-app/connect", body, "payment_app.connected").await;
        let settings = json!({"auto_invoice_enabled": true});
        self.change("/payment-app/settings", settings, "payment_app.settings_updated").await;
        // Money of the account that cannot be recorded: the processor does not know for whom.
        let object = ProcessorObject {
            id: "pi_1".to_owned(),
            is_paid: true,
            amount: 1_000,
            currency: Currency::EUR,
            description: None,
            name: Some("Bor".to_owned()),
            email: Some("x".repeat(300)),
            country: None,
            counterpart: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
            metadata: [].into(),
        };
        self.world.cards.kept().objects.insert("pi_1".to_owned(), object);
        let event = ProcessorEvent {
            id: "evt_1".to_owned(),
            account: Some("acct_1".to_owned()),
            happened: succeeded("pi_1", 1_000),
        };
        let body = self.world.cards.tell(Environment::Sandbox, event);
        let request = TestRequest::post().uri("/card-processor/webhook").set_payload(body);
        let answer = api.call(request.insert_header(("stripe-signature", "good"))).await;
        self.step("the processor tells", answer, "payment.failed").await;
        self.declined().await;
        self.act("/payment-app/disconnect", json!({}), "payment_app.disconnected").await;
    }
}
