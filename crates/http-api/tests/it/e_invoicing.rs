//! Electronic invoices over the network.

use std::sync::Arc;

use racun_application::Services;
use racun_billing::Catalogue;
use racun_einvoicing::network::{
    NetworkDocument, NetworkError, NoAnswer, Progress, Receipt, Standing,
};
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::network::{Scripted, work};

/// An application with a network in memory.
pub struct World {
    pub api: Api,
    pub network: Arc<Scripted>,
    services: Services,
}

impl World {
    pub async fn new() -> Self {
        Self::selling(Catalogue::default()).await
    }

    /// A world whose operator has these white labels.
    pub async fn selling(white_labels: Catalogue) -> Self {
        let network = Arc::<Scripted>::default();
        let (own, mut kept) = (Arc::clone(&network), None);
        let api = Api::with(|services| {
            let white_labels = white_labels.into();
            let services = Services { network: own, white_labels, ..services };
            kept = Some(services.clone());
            services
        })
        .await;
        Self { api, network, services: kept.unwrap() }
    }

    /// Reads the log, and does what is due; answers how many jobs were.
    pub async fn work(&self) -> usize {
        work(&self.services).await
    }

    /// An entity that may send.
    pub async fn sender(&self) -> Who {
        let owner = self.entity().await;
        self.put(&owner, json!({"enabled": true})).await.with(200);
        self.work().await;
        let settings = self.settings(&owner).await;
        assert_eq!(settings["enrollment"]["state"], "verified", "{settings}");
        owner
    }

    pub async fn entity(&self) -> Who {
        let user = self.api.user("owner@example.com").await;
        let body = json!({
            "name": "Pri Ani d.o.o.", "country": "Slovenia", "environment": "sandbox",
            "tax_number": "SI10039856", "company_number": "1234567000", "address": "Glavna 1",
            "post_code": "1000", "city": "Ljubljana", "phone": "+386 1 2345678",
            "email": "ana@example.com", "is_tax_subject": true,
        });
        let made = self.api.post("/entities", &user, body).await.with(201).json();
        let owner = user.in_entity(&text(&made["id"]));
        let iban = json!([{"type": "iban", "iban": "SI56263300012039086"}]);
        let settings = json!({"settings": {"bank_accounts": iban}});
        let path = format!("/entities/{}", owner.entity());
        self.api.patch(&path, &owner, settings).await.with(200);
        owner
    }

    pub async fn settings(&self, who: &Who) -> Value {
        self.api.get("/e-invoicing/settings", who).await.with(200).json()
    }

    pub async fn put(&self, who: &Who, body: Value) -> Answer {
        self.api.put("/e-invoicing/settings", who, body).await
    }

    pub async fn invoice(&self, who: &Who, more: Value) -> String {
        self.document("/invoices", who, more).await
    }

    /// The id of a document that is made at `path`, to a customer in the network.
    pub async fn document(&self, path: &str, who: &Who, more: Value) -> String {
        let mut body = json!({
            "date_service": "2026-11-19",
            "customer": {
                "name": "Kupec d.o.o.", "address": "Pot 2", "post_code": "2000",
                "city": "Maribor", "country_code": "SI", "tax_number": "SI50000004",
                "peppol_id": "9949:SI50000004",
                "e_invoicing": {"buyer_reference": "PO-1"},
            },
            "items": [{"name": "Svetovanje", "quantity": 2, "unit": "h", "price": 50,
                       "taxes": [{"rate": 22}]}],
        });
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        text(&self.api.post(path, who, body).await.with(201).json()["id"])
    }

    pub async fn send(&self, who: &Who, id: &str, body: Value) -> Answer {
        self.api.post(&format!("/e-invoicing/documents/{id}/send"), who, body).await
    }

    /// All submissions of a document.
    pub async fn submissions(&self, who: &Who, id: &str) -> Vec<Value> {
        let path = format!("/e-invoicing/documents/{id}/submissions");
        let page = self.api.get(&path, who).await.with(200).json();
        page["data"].as_array().unwrap().clone()
    }

    pub async fn notice(&self, secret: &str, body: Value) -> Answer {
        let provider = Who::key(secret);
        self.api.post("/e-invoicing/provider/notices", &provider, body).await
    }
}

pub fn cause(answer: &Answer) -> String {
    answer.json()["cause"]["code"].as_str().unwrap_or_default().to_owned()
}

pub fn silence() -> NetworkError {
    NoAnswer::new("it does not answer").into()
}

#[actix_web::test]
async fn an_entity_is_enrolled_when_it_has_what_the_provider_wants() {
    let world = World::new().await;
    let user = world.api.owner("owner@example.com").await;
    let none = world.settings(&user).await;
    assert_eq!(
        (&none["enabled"], &none["enrollment"]["state"]),
        (&json!(false), &json!("not_enabled"))
    );
    let refused = world.api.post("/e-invoicing/enrollment/refresh", &user, json!({})).await;
    assert_eq!(cause(&refused.with(422)), "e_invoicing_not_enabled");
    let on = world.put(&user, json!({"enabled": true, "auto_send": true})).await.with(200).json();
    assert_eq!(on["enrollment"]["state"], "missing_entity_data", "{on}");
    let missing = json!(["address", "post_code", "city", "e_invoicing.sender_identifier"]);
    assert_eq!(on["enrollment"]["missing_fields"], missing);
    let entity = format!("/entities/{}", user.entity());
    let whole = json!({"address": "Glavna 1", "post_code": "1000", "city": "Ljubljana",
                       "tax_number": "SI10039856"});
    world.api.patch(&entity, &user, whole).await.with(200);
    let link = world.api.post("/e-invoicing/enrollment/verification-link", &user, json!({})).await;
    assert_eq!(cause(&link.with(422)), "nothing_to_verify");
    let verified = world.settings(&user).await;
    assert_eq!(verified["enrollment"]["state"], "verified", "{verified}");
    assert_eq!(verified["enrollment"]["sending_allowed"], true);
    assert_eq!(verified["enrollment"]["participant_id"], "9949:SI10039856");
    let shown = world.api.get(&entity, &user).await.with(200).json();
    assert_eq!(shown["settings"]["e_invoicing"], json!({"enabled": true, "auto_send": true}));
    let supplier = world.api.get("/e-invoicing/supplier", &user).await.with(200).json();
    assert!(text(&supplier["id"]).starts_with("einv_sup_"));
    let log = world.api.get("/activities?limit=100", &user).await.with(200).text;
    for kind in ["enrollment.verified", "supplier.onboarded"] {
        assert_eq!(log.matches(&format!("e_invoicing.{kind}")).count(), 1, "{kind}: {log}");
    }
    let off = world.put(&user, json!({"enabled": false})).await.with(200).json();
    assert_eq!(
        (&off["auto_send"], &off["enrollment"]["state"]),
        (&json!(true), &json!("not_enabled"))
    );
}

#[actix_web::test]
async fn what_the_provider_says_is_the_state_of_the_enrollment() {
    let world = World::new().await;
    let owner = world.entity().await;
    let page = "https://provider.example/verify".to_owned();
    world.network.standings.lock().unwrap().extend([
        Err(silence()),
        Ok(Standing::NeedsVerification(Some(page.clone()))),
        Ok(Standing::InProgress),
        Ok(Standing::Rejected("no such company".to_owned())),
    ]);
    world.put(&owner, json!({"enabled": true})).await.with(200);
    let states =
        ["provider_error", "verification_required", "verification_in_progress", "rejected"];
    for state in states {
        let path = "/e-invoicing/enrollment/refresh";
        let said = world.api.post(path, &owner, json!({})).await.with(200).json();
        assert_eq!(said["enrollment"]["state"], state, "{said}");
        let url = if state == "verification_required" { json!(page) } else { Value::Null };
        assert_eq!(said["enrollment"]["verification_url"], url);
    }
    let path = "/e-invoicing/enrollment/verification-link";
    let again = "https://provider.example/again".to_owned();
    let needs = Ok(Standing::NeedsVerification(Some(again.clone())));
    world.network.standings.lock().unwrap().push_back(needs);
    let link = world.api.post(path, &owner, json!({})).await.with(200).json();
    assert_eq!(link, json!({"verification_url": again}), "what the provider says now");
    let no = Ok(Standing::Rejected("no such company".to_owned()));
    world.network.standings.lock().unwrap().push_back(no);
    let none = world.api.post(path, &owner, json!({})).await.with(422);
    assert_eq!(cause(&none), "nothing_to_verify");
    let id = world.invoice(&owner, json!({})).await;
    let refused = world.send(&owner, &id, json!({})).await.with(422);
    assert_eq!(cause(&refused), "e_invoicing_not_enrolled");
}

#[actix_web::test]
async fn a_refused_company_is_announced_again_when_its_number_is_corrected() {
    let world = World::new().await;
    let owner = world.entity().await;
    let no = Ok(Standing::Rejected("no such company".to_owned()));
    world.network.standings.lock().unwrap().push_back(no);
    world.put(&owner, json!({"enabled": true})).await.with(200);
    world.work().await;
    assert_eq!(world.settings(&owner).await["enrollment"]["state"], "rejected");
    let path = format!("/entities/{}", owner.entity());
    world.api.patch(&path, &owner, json!({"tax_number": "SI50000004"})).await.with(200);
    let path = "/e-invoicing/enrollment/refresh";
    let said = world.api.post(path, &owner, json!({})).await.with(200).json();
    let enrollment = &said["enrollment"];
    assert_eq!(
        (&enrollment["state"], &enrollment["provider_error"]),
        (&json!("verified"), &json!(null))
    );
    assert_eq!(enrollment["participant_id"], "9949:SI50000004");
    let told: Vec<String> = {
        let opened = world.network.opened.lock().unwrap();
        opened.iter().map(|sender| sender.participant.to_string()).collect()
    };
    assert_eq!(told, ["9949:SI10039856", "9949:SI50000004"], "each has an account of its own");
    let log = world.api.get("/activities?limit=100", &owner).await.with(200).text;
    assert_eq!(log.matches("e_invoicing.enrollment.verified").count(), 1, "{log}");
}

#[actix_web::test]
async fn settings_are_for_admins_and_checked() {
    let world = World::new().await;
    let owner = world.entity().await;
    let editor = world.api.member(&owner, "editor@example.com", "editor").await;
    world.put(&editor, json!({"enabled": true})).await.with(403);
    world.api.get("/e-invoicing/settings", &editor).await.with(200);
    let refused = world.put(&owner, json!({"default_scheme_id": "XX"})).await.with(422);
    assert_eq!(refused.issue().0, r#"["default_scheme_id"]"#);
    let unknown = world.put(&owner, json!({"enable": true})).await.with(422);
    assert_eq!(unknown.issue().0, r#"["enable"]"#);
}

#[actix_web::test]
async fn recipients_are_looked_up_by_scheme_and_identifier() {
    let world = World::new().await;
    let owner = world.entity().await;
    let path = "/e-invoicing/recipients/check";
    let ask = |body: Value| world.api.post(path, &owner, body);
    let known = ask(json!({"peppol_id": "9949:SI10039856"})).await.with(200).json();
    let expected = json!({"registered": true, "can_receive": true, "scheme_id": "9949",
                          "participant_id": "9949:SI10039856", "document_type": "invoice"});
    assert_eq!(known, expected);
    let unknown = json!({"peppol_id": "SI20000006", "scheme_id": "9949"});
    assert_eq!(ask(unknown).await.with(200).json()["registered"], false);
    let note = json!({"peppol_id": "9949:SI10039856", "document_type": "credit_note"});
    assert_eq!(ask(note).await.with(200).json()["can_receive"], false);
    for (body, field) in [
        (json!({"peppol_id": "SI10039856"}), "scheme_id"),
        (json!({"peppol_id": "SI10039857", "scheme_id": "9949"}), "peppol_id"),
        (json!({"peppol_id": "x", "scheme_id": "1234"}), "scheme_id"),
        (json!({"scheme_id": "9949"}), "peppol_id"),
        (json!({"peppol_id": "9949:SI10039856", "scheme_id": ""}), "scheme_id"),
        (json!({"peppol_id": "9949:SI10039856", "scheme_id": "9".repeat(11)}), "scheme_id"),
    ] {
        let (found, _) = ask(body).await.with(422).issue();
        assert_eq!(found, format!("[\"{field}\"]"));
    }
    world.put(&owner, json!({"default_scheme_id": "9949"})).await.with(200);
    ask(json!({"peppol_id": "SI10039856"})).await.with(200);
    let old = json!({"peppol_id": "SI10039856", "scheme_id": "9949"});
    let old = world.api.post("/e-invoicing/customer-search", &owner, old).await.with(200);
    assert!(!old.header("deprecation").is_empty());
}

#[actix_web::test]
async fn a_document_goes_out_once_and_is_followed_to_its_end() {
    let world = World::new().await;
    let owner = world.sender().await;
    let id = world.invoice(&owner, json!({})).await;
    let made = world.send(&owner, &id, json!({})).await.with(202).json();
    assert_eq!((&made["status"], &made["document_id"]), (&json!("created"), &json!(id)));
    assert_eq!(made["recipient_peppol_id"], "SI50000004");
    assert_eq!(made["recipient_name"], "Kupec d.o.o.");
    let again = world.send(&owner, &id, json!({})).await.with(202).json();
    assert_eq!(again["id"], made["id"], "a document has one submission");
    assert_eq!(world.work().await, 1, "the submission: nothing is sent by itself here");
    let submitted = world.submissions(&owner, &id).await;
    assert_eq!((submitted.len(), &submitted[0]["status"]), (1, &json!("submitted")));
    assert!(text(&submitted[0]["provider_reference"]).starts_with("ref-"));
    world.api.pass(60);
    world.work().await;
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "delivered");
    let last = world.send(&owner, &id, json!({})).await.with(202).json();
    assert_eq!((&last["id"], &last["status"]), (&made["id"], &json!("delivered")));
    world.api.pass(3_600);
    assert_eq!(world.work().await, 0, "nothing is left to do");
    let sent = world.network.sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0].xml.contains("<cbc:EndpointID schemeID=\"9949\">SI50000004<"),
        "{}",
        sent[0].xml
    );
    let log = world.api.get("/activities?limit=100", &owner).await.with(200).text;
    for kind in ["created", "delivered"] {
        let kind = format!("e_invoicing.submission.{kind}");
        assert_eq!(log.matches(&kind).count(), 1, "{kind}");
    }
}

#[actix_web::test]
async fn lost_answers_are_made_good_under_the_same_key() {
    let world = World::new().await;
    let owner = world.sender().await;
    let id = world.invoice(&owner, json!({})).await;
    // The first is taken and its answer lost; the second is lost on its way.
    world.network.receipts.lock().unwrap().extend([Err(silence()), Err(silence())]);
    world.send(&owner, &id, json!({})).await.with(202);
    for _ in 0..3 {
        world.work().await;
        world.api.pass(60);
    }
    let submissions = world.submissions(&owner, &id).await;
    assert_eq!(submissions[0]["status"], "submitted", "{submissions:?}");
    let keys: Vec<String> =
        world.network.sent.lock().unwrap().iter().map(|one| one.key.clone()).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    // Its reference is not known, so only the provider can tell what became of it.
    world.work().await;
    let told = json!({"event": "succeeded", "key": keys[0], "guid": "g-1"});
    world.notice("other", told.clone()).await.with(401);
    world.notice("provider", told).await.with(204);
    let submissions = world.submissions(&owner, &id).await;
    assert_eq!(submissions[0]["status"], "delivered");
    assert_eq!(submissions[0]["provider_reference"], "g-1");
    world.notice("provider", json!({"event": "failed", "key": keys[0]})).await.with(204);
    assert_eq!(world.submissions(&owner, &id).await[0]["status"], "delivered");
    world.notice("provider", json!({"event": "something else"})).await.with(204);
}

#[actix_web::test]
async fn a_refused_document_may_be_sent_again_when_it_is_mended() {
    let world = World::new().await;
    let owner = world.sender().await;
    let id = world.invoice(&owner, json!({})).await;
    let refused =
        Receipt::Refused { code: "routing".to_owned(), message: "no receiver".to_owned() };
    world.network.receipts.lock().unwrap().push_back(Ok(refused));
    let first = world.send(&owner, &id, json!({})).await.with(202).json();
    world.work().await;
    let failed = &world.submissions(&owner, &id).await[0];
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("no receiver")));
    assert_eq!(failed["error_code"], "routing");
    let to = json!({"recipient_peppol_id": "SI10039856", "recipient_scheme_id": "9949",
                    "recipient_name": "Someone else"});
    let second = world.send(&owner, &id, to).await.with(202).json();
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["recipient_name"], "Someone else");
    let late = Progress::Failed { code: "late".to_owned(), message: "it is away".to_owned() };
    world.network.looks.lock().unwrap().extend([Ok(Progress::UnderWay), Ok(late)]);
    for _ in 0..4 {
        world.work().await;
        world.api.pass(60);
    }
    let statuses: Vec<Value> =
        world.submissions(&owner, &id).await.iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "failed"]);
    let log = world.api.get("/activities?limit=100", &owner).await.with(200).text;
    assert_eq!(log.matches("e_invoicing.submission.failed").count(), 2);
}

#[actix_web::test]
async fn what_cannot_be_sent_is_refused_with_the_field_that_mends_it() {
    let world = World::new().await;
    let owner = world.entity().await;
    let id = world.invoice(&owner, json!({})).await;
    let off = world.send(&owner, &id, json!({})).await.with(422);
    assert_eq!(cause(&off), "e_invoicing_not_enabled");
    world.put(&owner, json!({"enabled": true})).await.with(200);
    world.work().await;
    let draft = world.invoice(&owner, json!({"is_draft": true})).await;
    let refused = world.send(&owner, &draft, json!({})).await.with(422);
    assert_eq!(cause(&refused), "document_not_to_send");
    let nobody = json!({"customer": {"name": "Ana", "country_code": "SI"}});
    let nobody = world.invoice(&owner, nobody).await;
    let (field, _) = world.send(&owner, &nobody, json!({})).await.with(422).issue();
    assert_eq!(field, r#"["recipient_peppol_id"]"#);
    let (field, _) = {
        let scheme = json!({"recipient_scheme_id": "9949"});
        world.send(&owner, &id, scheme).await.with(422).issue()
    };
    assert_eq!(field, r#"["recipient_scheme_id"]"#);
    let lacking = json!({"customer": {"name": "Kupec", "peppol_id": "9949:SI10039856"}});
    let lacking = world.invoice(&owner, lacking).await;
    let refused = world.send(&owner, &lacking, json!({})).await.with(422);
    assert_eq!(cause(&refused), "peppol_invalid");
    assert!(refused.text.contains("country_code"), "{refused:?}");
    world.send(&owner, "inv_unknown", json!({})).await.with(404);
    let stranger = world.api.owner("stranger@example.com").await;
    world.send(&stranger, &id, json!({})).await.with(404);
    let path = format!("/e-invoicing/documents/{id}/submissions");
    world.api.get(&path, &stranger).await.with(404);
    assert_eq!(world.network.sent.lock().unwrap().len(), 0);
}

#[actix_web::test]
async fn documents_are_sent_when_they_are_issued_where_the_settings_want_it() {
    let world = World::new().await;
    let owner = world.sender().await;
    let before = world.invoice(&owner, json!({})).await;
    world.work().await;
    assert!(world.submissions(&owner, &before).await.is_empty(), "the settings do not want it");
    world.put(&owner, json!({"auto_send": true})).await.with(200);
    let wanted = world.invoice(&owner, json!({})).await;
    let unwanted = world.invoice(&owner, json!({"e_invoicing": {"send_enabled": false}})).await;
    let nobody = json!({"customer": {"name": "Ana", "country_code": "SI"}});
    let nobody = world.invoice(&owner, nobody).await;
    let linked = json!({"linked_documents": [wanted]});
    let note = world.document("/credit-notes", &owner, linked).await;
    let draft = world.invoice(&owner, json!({"is_draft": true})).await;
    world.work().await;
    assert!(world.submissions(&owner, &draft).await.is_empty(), "it is not issued yet");
    let finalize = format!("/documents/{draft}/finalize");
    world.api.post(&finalize, &owner, json!({})).await.with(200);
    for _ in 0..4 {
        world.work().await;
        world.api.pass(60);
    }
    for (id, kind) in [(&wanted, "invoice"), (&draft, "invoice"), (&note, "credit_note")] {
        let sent = world.submissions(&owner, id).await;
        assert_eq!((sent.len(), &sent[0]["status"]), (1, &json!("delivered")), "{sent:?}");
        assert_eq!(sent[0]["document_type"], kind);
    }
    for id in [&unwanted, &nobody, &before] {
        assert!(world.submissions(&owner, id).await.is_empty(), "{id}");
    }
    let sent = world.network.sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 3);
    let (notes, invoices): (Vec<_>, Vec<_>) =
        sent.iter().partition(|one| one.document == NetworkDocument::CreditNote);
    assert_eq!((notes.len(), invoices.len()), (1, 2));
    assert!(notes[0].xml.contains("<CreditNote "), "{}", notes[0].xml);
    assert!(invoices.iter().all(|one| one.xml.contains("<Invoice ")), "{}", invoices[0].xml);
}

#[actix_web::test]
async fn twenty_requests_at_once_send_a_document_once() {
    let world = World::new().await;
    let owner = world.sender().await;
    let id = world.invoice(&owner, json!({})).await;
    let requests = (0..20).map(|_| world.send(&owner, &id, json!({})));
    let answers = futures_util::future::join_all(requests).await;
    let ids: std::collections::BTreeSet<String> =
        answers.into_iter().map(|answer| text(&answer.with(202).json()["id"])).collect();
    assert_eq!(ids.len(), 1);
    world.work().await;
    assert_eq!(world.network.sent.lock().unwrap().len(), 1);
}
