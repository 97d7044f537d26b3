//! People: what ends when the reader of the mail takes over a user that another person made, and
//! what counts wrong passwords.

use racun_tests::{
    Account, Client, Data, Profile, Racun, StoreKind, mails, on_both_stores, token_in,
};
use serde_json::{Value, json};

on_both_stores! {
    a_squatter_leaves_nothing_behind_in_an_account_that_its_owner_recovers,
    who_accepts_by_mail_what_a_squatters_accomplice_sent_takes_the_account_over,
    wrong_passwords_are_counted_over_restarts_and_processes,
}

const PASSWORD: &str = "correct horse 1";
const OWN: &str = "the real one 2";

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_else(|| panic!("no {field} in {body}")).to_owned()
}

/// An account of another person in the CFO's name, with an accomplice inside.
struct Squatted {
    email: String,
    entity: String,
    squatter: Client,
    accomplice: Client,
    key: Client,
    webhooks: [String; 2],
    handed_over: String,
}

impl Squatted {
    async fn make(racun: &Racun) -> Self {
        let account = Account::sign_up(racun).await;
        let anonymous = racun.client();
        let wanted = json!({ "name": "Corp", "country": "Slovenia", "environment": "live" });
        let entity = text(&account.user.create("/entities", &wanted).await, "id");
        let account = Account { entity: entity.clone(), ..account };
        let squatter = account.user.clone().with("x-entity-id", &entity);
        let email = format!("accomplice-of-{}", account.email);
        let accomplice = account.colleague(&anonymous, &email, "admin").await;
        let mail = mails(racun, &format!("To: {}", account.email), 1).await;
        assert_eq!(mail.len(), 1, "the squatter reads none");
        // The accomplice owns their address, so what they make is live.
        let asked = accomplice.post("/users/resend-verification", &json!({})).await;
        asked.expect(204);
        let mail = mails(racun, &format!("To: {email}"), 1).await.remove(0);
        let token = json!({ "token": token_in(&mail, "verify_") });
        anonymous.post("/users/verify-email", &token).await.expect(200);
        // A proof ends what was accepted before it: the accomplice accepts once more.
        let session = json!({ "email": email, "password": PASSWORD });
        let session = text(&anonymous.post("/users/login", &session).await.expect(200), "id");
        let session = anonymous.clone().bearer(&session);
        let asked = session.get("/users/me/invitations").await.expect(200);
        let path = format!("/users/me/invitations/{}/accept", text(&asked["data"][0], "id"));
        session.post(&path, &json!({})).await.expect(200);
        let accomplice = session.with("x-entity-id", &entity);
        let key = accomplice.create("/entities/api-keys", &json!({ "name": "k" })).await;
        let key = anonymous.clone().bearer(&text(&key, "id"));
        let hook = json!({ "url": "https://evil.example/e", "events": ["invoice.created"] });
        let hook = text(&accomplice.create("/webhooks", &hook).await, "id");
        let events = ["white_label_subscription.renewed"];
        let of_account = json!({ "url": "https://evil.example/a", "events": events });
        let of_account = text(&squatter.create("/account-webhooks", &of_account).await, "id");
        let webhooks = [format!("/webhooks/{hook}"), format!("/account-webhooks/{of_account}")];
        let body = json!({ "email": format!("third-{email}"), "send_invite": false });
        let invited = accomplice.create("/entities/users", &body).await;
        let handed_over = text(&invited, "token");
        let email = account.email;
        Self { email, entity, squatter, accomplice, key, webhooks, handed_over }
    }

    /// Asserts that the CFO, who logs in with their own password, is alone.
    async fn is_left(&self, racun: &Racun) {
        let anonymous = racun.client();
        self.squatter.get("/users/me").await.refused(401, "unauthorized");
        self.accomplice.get("/customers").await.refused(403, "forbidden");
        self.key.get("/customers").await.refused(401, "unauthorized");
        let path = format!("/invitations/accept?token={}", self.handed_over);
        anonymous.post(&path, &json!({ "password": PASSWORD })).await.refused(401, "unauthorized");
        let login = json!({ "email": self.email, "password": OWN });
        let session = text(&anonymous.post("/users/login", &login).await.expect(200), "id");
        let cfo = anonymous.bearer(&session).with("x-entity-id", &self.entity);
        let members = cfo.get("/entities/users").await.expect(200);
        let members = members["data"].as_array().expect("a list").clone();
        assert_eq!(members.len(), 1, "{members:?}");
        assert_eq!(
            (&members[0]["email"], &members[0]["role"]),
            (&json!(self.email), &json!("admin"))
        );
        for list in ["/entities/api-keys", "/entities/invitations"] {
            let left = cfo.get(list).await.expect(200);
            let is_pending = |row: &&Value| row["status"] != "accepted";
            let left = left["data"].as_array().expect("a list").iter().filter(is_pending).count();
            assert_eq!(left, 0, "{list}");
        }
        for path in &self.webhooks {
            let webhook = cfo.get(path).await.expect(200);
            assert_eq!(webhook["active"], false, "{webhook}");
            assert!(text(&webhook, "disabled_reason").contains("took over"), "{webhook}");
        }
    }
}

async fn a_squatter_leaves_nothing_behind_in_an_account_that_its_owner_recovers(store: StoreKind) {
    let settings = vec![("RACUN__RATE_LIMITS__ENABLED".to_owned(), "false".to_owned())];
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let squatted = Squatted::make(&racun).await;
    let anonymous = racun.client();
    let asked = json!({ "email": squatted.email });
    anonymous.post("/users/password-reset", &asked).await.expect(204);
    let mail = mails(&racun, "reset_", 1).await.remove(0);
    let body = json!({ "token": token_in(&mail, "reset_"), "password": OWN });
    anonymous.post("/users/password-reset/confirm", &body).await.expect(204);
    squatted.is_left(&racun).await;
}

async fn who_accepts_by_mail_what_a_squatters_accomplice_sent_takes_the_account_over(
    store: StoreKind,
) {
    let settings = vec![("RACUN__RATE_LIMITS__ENABLED".to_owned(), "false".to_owned())];
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let squatted = Squatted::make(&racun).await;
    // The squatter is put out by the accomplice, who then invites the CFO to the CFO's own entity.
    let me = text(&squatted.squatter.get("/users/me").await.expect(200), "id");
    let squatter = format!("/entities/users/{me}");
    squatted.accomplice.delete(&squatter).await.expect(204);
    let body = json!({ "email": squatted.email, "role": "viewer" });
    squatted.accomplice.create("/entities/users", &body).await;
    let mail = mails(&racun, "invite_", 1).await.remove(0);
    let path = format!("/invitations/accept?token={}", token_in(&mail, "invite_"));
    racun.client().post(&path, &json!({ "password": OWN })).await.expect(200);
    squatted.is_left(&racun).await;
}

async fn wrong_passwords_are_counted_over_restarts_and_processes(store: StoreKind) {
    let settings = || vec![("RACUN__RATE_LIMITS__ENABLED".to_owned(), "false".to_owned())];
    let database = match store {
        StoreKind::Embedded => None,
        StoreKind::Postgres => match Data::fresh(store) {
            Data::Database(database) => Some(database),
            other => panic!("{other:?}"),
        },
    };
    let data = || database.as_ref().map_or(Data::Folder, |one| Data::Url(one.url.clone()));
    let mut racun = Racun::start_with(Profile::Debug, data(), settings()).await;
    let other = match store {
        StoreKind::Embedded => None,
        StoreKind::Postgres => Some(Racun::start_with(Profile::Debug, data(), settings()).await),
    };
    let email = Account::sign_up(&racun).await.email;
    for address in [email.as_str(), "nobody@example.com"] {
        let login = |password: &str| json!({ "email": address, "password": password });
        let wrong = login("a wrong horse 1");
        for n in 0..10 {
            let at = other.as_ref().filter(|_| n % 2 == 0).unwrap_or(&racun);
            at.client().post("/users/login", &wrong).await.expect(401);
            if n == 4 {
                racun.restart().await;
            }
        }
        racun.restart().await;
        for at in [Some(&racun), other.as_ref()].into_iter().flatten() {
            let refused = at.client().post("/users/login", &login(PASSWORD)).await;
            assert_eq!(refused.status, 429, "{address}: {}", refused.text);
        }
    }
}
