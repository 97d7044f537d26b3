//! From nothing to an entity and a key.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::{Client, Racun, mails, token_in};

/// What [`Account`]s log in with.
const PASSWORD: &str = "correct horse 1";

/// Someone who signed up, with one sandbox entity in Slovenia and a key to it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Their address.
    pub email: String,
    /// The person, with a login token.
    pub user: Client,
    /// A program, with the account's key of the sandbox.
    pub api: Client,
    /// The entity's id.
    pub entity: String,
    /// The account's key.
    pub key: String,
}

impl Account {
    /// Signs up at `racun`, as someone new.
    pub async fn sign_up(racun: &Racun) -> Self {
        Self::sign_up_at(&racun.client()).await
    }

    /// Signs up a new user with the server of the client `anonymous`.
    pub async fn sign_up_at(anonymous: &Client) -> Self {
        static PEOPLE: AtomicU64 = AtomicU64::new(1);
        let email = format!("person{}@example.com", PEOPLE.fetch_add(1, Ordering::Relaxed));
        let user = Self::person(anonymous, &email).await;
        let wanted =
            json!({ "name": "Racun Test", "country": "Slovenia", "environment": "sandbox" });
        let entity = text(&user.create("/entities", &wanted).await, "id");
        let wanted = json!({ "name": "test", "environment": "sandbox" });
        let key = text(&user.create("/account/api-keys", &wanted).await, "id");
        let api = anonymous.clone().bearer(&key);
        Self { email, user, api, entity, key }
    }

    /// Someone who signed up and logged in, and has nothing else.
    pub async fn person(anonymous: &Client, email: &str) -> Client {
        let wanted = json!({ "email": email, "password": PASSWORD, "company_name": email });
        anonymous.create("/users/signup", &wanted).await;
        let login = json!({ "email": email, "password": PASSWORD });
        let session = anonymous.post("/users/login", &login).await.expect(200);
        anonymous.clone().bearer(&text(&session, "id"))
    }

    /// Proves that the address is theirs, by the mail in the folder of `racun`.
    ///
    /// # Panics
    /// When no such mail comes.
    pub async fn verify(&self, racun: &Racun) {
        let mail = mails(racun, &format!("To: {}", self.email), 1).await.remove(0);
        let token = json!({ "token": token_in(&mail, "verify_") });
        let verified = racun.client().post("/users/verify-email", &token).await.expect(200);
        assert_eq!(verified, json!({ "email_verified": true }));
    }

    /// A new user who accepted an invitation into the entity as `role`.
    pub async fn colleague(&self, anonymous: &Client, email: &str, role: &str) -> Client {
        let wanted = json!({ "email": email, "role": role, "send_invite": false });
        let user = self.user.clone().with("x-entity-id", &self.entity);
        let invited = user.create("/entities/users", &wanted).await;
        let path = format!("/invitations/accept?token={}", text(&invited, "token"));
        let accepted = anonymous.post(&path, &json!({ "password": PASSWORD })).await.expect(200);
        let session = text(&accepted, "access_token");
        anonymous.clone().bearer(&session).with("x-entity-id", &self.entity)
    }

    /// The same account at a server that was started again, elsewhere.
    #[must_use]
    pub fn at(&self, racun: &Racun) -> Self {
        let anonymous = racun.client();
        let (user, api) = (self.user.clone().at(&anonymous), self.api.clone().at(&anonymous));
        Self { user, api, ..self.clone() }
    }
}

fn text(body: &Value, field: &str) -> String {
    let text = body[field].as_str();
    text.unwrap_or_else(|| panic!("{field} is no text in {body}")).to_owned()
}
