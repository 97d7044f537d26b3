//! Archives of PDFs over HTTP: asked for, looked at, downloaded by those who asked, and by their
//! link.

use std::sync::Arc;

use actix_web::http::header::CONTENT_DISPOSITION;
use racun_application::Services;
use racun_background::jobs::{JobKind, claim, perform};
use racun_delivery::exports::archive::Archivist;
use serde_json::{Value, json};

use crate::harness::{Api, Who, text};
use crate::mailbox::{Post, token_in};

const PATH: &str = "/documents/export/pdf";

/// The application, its mails, and the worker that puts archives together.
struct Archives {
    post: Post,
    services: Services,
}

impl Archives {
    async fn open() -> Self {
        let mut kept = None;
        let api = Api::with(|services| {
            kept = Some(services.clone());
            services
        })
        .await;
        let services = kept.unwrap();
        Self { post: Post::of(api, services.clone()), services }
    }

    /// Does what is due.
    async fn work(&self) {
        let services = self.services.clone();
        let stamp = Arc::new(move || services.stamp());
        let store = Arc::clone(&self.services.store);
        let archivist = Archivist {
            store: Arc::clone(&store),
            files: Arc::clone(&self.services.files),
            press: Arc::clone(&self.services.press),
            fiscal: self.services.fiscal(),
            portugal: self.services.portugal.clone(),
            limits: self.services.storage,
            base: Arc::clone(&self.services.public_url),
            stamp: stamp.clone(),
        };
        let kinds = [JobKind::DocumentExport];
        for job in claim(&*store, &kinds, &stamp(), 100).await.unwrap() {
            perform(&*store, &archivist, &job, &*stamp).await.unwrap();
        }
    }

    /// Asks for all invoices, and waits for the archive.
    async fn completed(&self, who: &Who) -> Value {
        let api = &self.post.api;
        let begun = api.post(PATH, who, json!({"types": ["invoice"]})).await.with(202).json();
        self.work().await;
        let path = format!("/documents/export/jobs/{}", text(&begun["id"]));
        let done = api.get(&path, who).await.with(200).json();
        assert_eq!(done["status"], "completed", "{done}");
        done
    }
}

/// The path of a link of ours.
fn path_of(link: &Value) -> String {
    link.as_str().unwrap().strip_prefix("https://racun.example").unwrap().to_owned()
}

#[actix_web::test]
async fn an_archive_is_asked_for_looked_at_and_downloaded() {
    let archives = Archives::open().await;
    let (post, api) = (&archives.post, &archives.post.api);
    let who = post.owner("ana@example.com").await;
    for _ in 0..3 {
        post.document(&who, "/invoices", json!({})).await;
    }
    let wanted = json!({"types": ["invoice", "estimate"], "date_from": "2026-10-01",
        "date_to": "2026-10-31", "language": "de"});
    let begun = api.post(PATH, &who, wanted).await.with(202).json();
    let id = text(&begun["id"]);
    assert!(id.starts_with("expjob_"), "{begun}");
    let expected = json!({
        "status": "pending", "progress": 0, "total_docs": 3, "file_url": null, "error": null,
        "result": null, "skipped_documents": [], "completed_at": null,
        "file_name": "Pri-Ani_documents_2026-10-01_2026-10-31.zip",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&begun[name], value, "{name}: {begun}");
    }
    let path = format!("/documents/export/jobs/{id}");
    assert_eq!(api.get(&path, &who).await.with(200).json(), begun);
    let early = api.get(&format!("{path}/download"), &who).await.with(404);
    assert!(early.text.contains("pending"), "{early:?}");
    let jobs = api.get("/jobs?kind=document_export", &who).await.with(200).json();
    assert_eq!(jobs["data"][0]["subject"], begun["id"]);

    archives.work().await;
    let done = api.get(&path, &who).await.with(200).json();
    assert_eq!((&done["status"], &done["progress"]), (&json!("completed"), &json!(100)));
    assert_eq!(done["result"], json!({"exported": 3, "skipped": 0}));
    let answer = api.get(&path_of(&done["file_url"]), &who).await.with(200);
    assert!(answer.text.starts_with("PK") && answer.text.contains("Rechnung"), "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/zip");
    let disposition = answer.headers.get(CONTENT_DISPOSITION).unwrap().to_str().unwrap();
    let name = "Pri-Ani_documents_2026-10-01_2026-10-31.zip";
    let named =
        format!("attachment; filename=\"{name}\"; filename*=UTF-8''{}", name.replace('-', "%2D"));
    assert_eq!(disposition, named);
    // What is stored counts.
    let used = api.get("/account", &who).await.with(200).json()["storage"]["used_bytes"].clone();
    api.pass(8 * 86_400);
    api.get(&path, &who).await.with(404);
    assert!(used.as_i64().unwrap() > 1_000, "{used}");
    let log = api.get("/activities?resource_type=ExportJob", &who).await.with(200).json();
    let actions: Vec<&Value> =
        log["data"].as_array().unwrap().iter().map(|row| &row["action"]).collect();
    assert_eq!(actions, [&json!("completed"), &json!("created")]);
}

#[actix_web::test]
async fn a_person_is_mailed_a_link_that_ends_with_their_place() {
    let archives = Archives::open().await;
    let (post, api) = (&archives.post, &archives.post.api);
    let owner = post.owner("ana@example.com").await;
    post.document(&owner, "/invoices", json!({})).await;
    let editor = api.verified_member(&owner, "bor@example.com", "editor").await;
    post.deliver().await;
    let done = archives.completed(&editor).await;
    let mails = post.deliver().await;
    let [mail] = &mails[..] else { panic!("{mails:?}") };
    assert_eq!(mail.to[0].address, "bor@example.com");
    assert!(mail.subject.contains("Pri Ani"), "{mail:?}");
    let token = token_in(&mail.text, "export_");
    let link = format!("/documents/export/download?token={token}");
    assert!(mail.text.contains(&format!("https://racun.example{link}")), "{mail:?}");
    let anonymous = Who::anonymous();
    let followed =
        api.get(&format!("{link}&language=sl&utm_source=mail"), &anonymous).await.with(200);
    let downloaded = api.get(&path_of(&done["file_url"]), &editor).await.with(200);
    assert_eq!(followed.text, downloaded.text);
    assert_eq!(followed.header("x-robots-tag"), "noindex, nofollow");
    let other = link.replace(&token, &format!("export_{}", "A".repeat(43)));
    for link in [&other, "/documents/export/download?token=x"] {
        api.get(link, &anonymous).await.with(404);
    }
    let path = "/documents/export/download";
    assert_eq!(api.get(path, &anonymous).await.with(422).issue().1, "required");
    let id = api.id(&editor).await;
    api.delete(&format!("/entities/users/{id}"), &owner).await.with(204);
    api.get(&link, &anonymous).await.with(404);
}

#[actix_web::test]
async fn a_program_and_a_person_without_an_address_ask_for_themselves() {
    let archives = Archives::open().await;
    let (post, api) = (&archives.post, &archives.post.api);
    let unverified = api.owner("bor@example.com").await;
    post.deliver().await;
    post.document(&unverified, "/invoices", json!({})).await;
    archives.completed(&unverified).await;
    let owner = post.owner("ana@example.com").await;
    post.document(&owner, "/invoices", json!({})).await;
    let key = api.post("/entities/api-keys", &owner, json!({"name": "A"})).await.with(201).json();
    archives.completed(&Who::key(&text(&key["id"]))).await;
    let mails = post.deliver().await;
    assert!(mails.is_empty(), "{mails:?}");
}

#[actix_web::test]
async fn too_many_exports_at_once_are_429() {
    let archives = Archives::open().await;
    let (post, api) = (&archives.post, &archives.post.api);
    let owner = post.owner("ana@example.com").await;
    let body = json!({"types": ["invoice"]});
    for _ in 0..3 {
        api.post(PATH, &owner, body.clone()).await.with(202);
    }
    let refused = api.post(PATH, &owner, body.clone()).await.with(429);
    assert_eq!(refused.header("retry-after"), "30");
    archives.work().await;
    api.post(PATH, &owner, body).await.with(202);
    // A body is understood strictly.
    for (body, code) in [
        (json!({"types": ["invoice"], "limit": 5}), "unknown_field"),
        (json!({"types": "invoice"}), "invalid_type"),
        (json!({"types": ["invoice"], "date_from": "2026-13-01"}), "invalid_value"),
    ] {
        let answer = api.post(PATH, &owner, body).await.with(422);
        let codes = answer.json()["cause"]["issues"].to_string();
        assert!(codes.contains(code), "{code}: {codes}");
    }
}
