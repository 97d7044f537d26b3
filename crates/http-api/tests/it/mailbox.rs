//! An application whose mails arrive in a list.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_application::Services;
use racun_background::jobs::{JobKind, claim, perform};
use racun_delivery::mailing::Postman;
use racun_mail::{Mail, MailError, Mailer};
use serde_json::json;
use tokio::sync::Notify;

use crate::harness::{Api, PASSWORD, Who, text};

/// Takes all mails, or says what it was told to say.
#[derive(Default)]
pub struct Mailbox {
    taken: Mutex<Vec<Mail>>,
    pub says: Mutex<Option<MailError>>,
}

impl Mailbox {
    /// What was taken since the last call.
    pub fn taken(&self) -> Vec<Mail> {
        std::mem::take(&mut self.taken.lock().unwrap())
    }
}

#[async_trait]
impl Mailer for Mailbox {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        if let Some(error) = self.says.lock().unwrap().clone() {
            return Err(error);
        }
        self.taken.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

/// Takes a mail and never confirms it, as when the worker that sends it dies.
struct Grave {
    mailbox: Arc<Mailbox>,
    has_taken: Notify,
}

#[async_trait]
impl Mailer for Grave {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        self.mailbox.send(mail).await?;
        self.has_taken.notify_one();
        std::future::pending().await
    }
}

/// The application, and what it sends.
pub struct Post {
    pub api: Api,
    pub mailbox: Arc<Mailbox>,
    services: Services,
}

impl Post {
    pub async fn open() -> Self {
        let mut kept = None;
        let api = Api::with(|services| {
            kept = Some(services.clone());
            services
        })
        .await;
        Self::of(api, kept.unwrap())
    }

    /// What the application `api` on `services` sends.
    pub fn of(api: Api, services: Services) -> Self {
        Self { api, mailbox: Arc::default(), services }
    }

    /// Delivers what is due; answers what arrived.
    pub async fn deliver(&self) -> Vec<Mail> {
        let services = self.services.clone();
        let stamp = Arc::new(move || services.stamp());
        let mailer = Arc::<Mailbox>::clone(&self.mailbox);
        let store = Arc::clone(&self.services.store);
        let base = Arc::clone(&self.services.public_url);
        let (press, files) = (Arc::clone(&self.services.press), Arc::clone(&self.services.files));
        let fiscal = self.services.fiscal();
        let labels = self.services.white_labels.clone();
        let postman =
            Postman { store, mailer, press, files, fiscal, labels, base, stamp: stamp.clone() };
        let store = &*self.services.store;
        for job in claim(store, &[JobKind::Mail], &stamp(), 100).await.unwrap() {
            perform(store, &postman, &job, &*stamp).await.unwrap();
        }
        std::mem::take(&mut *self.mailbox.taken.lock().unwrap())
    }

    /// Delivers the only mail that is due, by a worker that dies when the mail is handed over,
    /// before it can note that.
    pub async fn deliver_and_die(&self) -> Mail {
        let services = self.services.clone();
        let stamp = Arc::new(move || services.stamp());
        let mailbox = Arc::<Mailbox>::clone(&self.mailbox);
        let grave = Arc::new(Grave { mailbox, has_taken: Notify::new() });
        let mailer = Arc::<Grave>::clone(&grave);
        let store = Arc::clone(&self.services.store);
        let base = Arc::clone(&self.services.public_url);
        let (press, files) = (Arc::clone(&self.services.press), Arc::clone(&self.services.files));
        let fiscal = self.services.fiscal();
        let labels = self.services.white_labels.clone();
        let postman =
            Postman { store, mailer, press, files, fiscal, labels, base, stamp: stamp.clone() };
        let store = &*self.services.store;
        let jobs = claim(store, &[JobKind::Mail], &stamp(), 100).await.unwrap();
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        tokio::select! {
            () = grave.has_taken.notified() => {}
            ended = perform(store, &postman, &jobs[0], &*stamp) => panic!("it lives: {ended:?}"),
        }
        self.mailbox.taken.lock().unwrap().remove(0)
    }

    /// The token behind `prefix` in the only mail that arrives.
    pub async fn token(&self, prefix: &str) -> String {
        let mails = self.deliver().await;
        assert_eq!(mails.len(), 1, "{mails:?}");
        token_in(&mails[0].text, prefix)
    }

    /// An owner whose address is verified.
    pub async fn owner(&self, email: &str) -> Who {
        let owner = self.api.owner(email).await;
        let token = self.token("verify_").await;
        let verified = json!({"token": token});
        self.api.post("/users/verify-email", &Who::anonymous(), verified).await.with(200);
        owner
    }

    /// An issued document over 100 euros, due long ago.
    pub async fn document(&self, owner: &Who, path: &str, more: serde_json::Value) -> String {
        let mut body = json!({
            "date": "2026-10-01",
            "items": [{"name": "Delo", "price": 100, "taxes": []}],
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text(&self.api.post(path, owner, body).await.with(201).json()["id"])
    }
}

/// The text from `prefix` on, as far as a token goes.
pub fn token_in(text: &str, prefix: &str) -> String {
    let from = text.find(prefix).unwrap_or_else(|| panic!("no {prefix} in {text}"));
    let sane = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '-';
    text[from..].chars().take_while(sane).collect()
}

/// The body of a login.
pub fn login(email: &str) -> serde_json::Value {
    json!({"email": email, "password": PASSWORD})
}
