//! Joining an entity takes consent and a proved address, and shows no user of another account.

use serde_json::{Value, json};

use crate::harness::{Answer, PASSWORD, Who, text};
use crate::mailbox::{Post, login, token_in};

/// Invites `email` into the entity of `owner` as an admin.
async fn invite(post: &Post, owner: &Who, email: &str) -> Answer {
    let body = json!({"email": email, "role": "admin"});
    post.api.post("/entities/users", owner, body).await
}

/// Accepts an invitation by its token.
async fn accept(post: &Post, token: &str, who: &Who, body: Value) -> Answer {
    post.api.post(&format!("/invitations/accept?token={token}"), who, body).await
}

#[actix_web::test]
async fn signing_up_with_a_colleagues_address_gives_no_access() {
    let post = Post::open().await;
    let corp = post.owner("admin@corp.example").await;
    post.api.post("/customers", &corp, json!({"name": "SECRET BUYER"})).await.with(201);
    let squatter = post.api.owner("cfo@corp.example").await;
    let key = json!({"name": "k", "environment": "sandbox"});
    let key = post.api.post("/account/api-keys", &squatter, key).await.with(201).json();
    post.deliver().await;
    let invited = invite(&post, &corp, "cfo@corp.example").await.with(201).json();
    assert_eq!(invited["status"], "invited");

    let inside = squatter.in_entity(corp.entity());
    let entities = post.api.get("/entities", &squatter).await.with(200);
    assert!(!entities.text.contains(corp.entity()), "{entities:?}");
    post.api.get("/customers", &inside).await.with(403);
    let refused = post.api.post("/entities/api-keys", &inside, json!({"name": "k"})).await;
    assert_eq!(refused.with(403).json()["cause"]["code"], "entity_not_accessible");
    post.api.get("/users/me/invitations", &squatter).await.with(403);

    // The reader of the mail has the address, and what was made with it ends.
    let token = token_in(&post.deliver().await[0].text, "invite_");
    let body = json!({"password": "the real one 1"});
    let accepted = accept(&post, &token, &Who::anonymous(), body).await.with(200).json();
    let cfo = Who::key(&text(&accepted["access_token"])).in_entity(corp.entity());
    post.api.get("/customers", &cfo).await.with(200);
    post.api.get("/users/me", &squatter).await.with(401);
    post.api.get("/customers", &Who::key(&text(&key["id"]))).await.with(401);
    let login = json!({"email": "cfo@corp.example", "password": PASSWORD});
    post.api.post("/users/login", &Who::anonymous(), login).await.with(401);
}

#[actix_web::test]
async fn an_invitation_alone_changes_no_users_entity() {
    let post = Post::open().await;
    let victim = post.api.user("victim@corp.example").await;
    post.api.verify("victim@corp.example").await;
    let attacker = post.owner("attacker@evil.example").await;
    post.deliver().await;
    invite(&post, &attacker, "victim@corp.example").await.with(201);
    let secret = json!({"name": "Secret customer of victim"});
    let refused = post.api.post("/customers", &victim, secret.clone()).await.with(400);
    assert_eq!(refused.json()["cause"]["code"], "entity_required");

    let invitations = post.api.get("/users/me/invitations", &victim).await.with(200).json();
    assert_eq!(invitations["data"][0]["entity_name"], "Pri Ani");
    let id = text(&invitations["data"][0]["id"]);
    let path = format!("/users/me/invitations/{id}/accept");
    let place = post.api.post(&path, &victim, json!({})).await.with(200).json();
    assert_eq!((&place["role"], &place["entity_id"]), (&json!("admin"), &json!(attacker.entity())));
    // Also where they consented, they enter it by name alone.
    post.api.post("/customers", &victim, secret.clone()).await.with(400);
    let own = json!({"name": "Own", "country": "Slovenia", "environment": "sandbox"});
    post.api.post("/entities", &victim, own).await.with(201);
    post.api.post("/customers", &victim, secret).await.with(201);
    let seen = post.api.get("/customers", &attacker).await.with(200);
    assert!(!seen.text.contains("Secret"), "{seen:?}");
}

#[actix_web::test]
async fn known_and_unknown_addresses_are_answered_alike() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    post.owner("verified@example.com").await;
    post.api.user("unverified@example.com").await;
    post.deliver().await;
    let mut shapes = Vec::new();
    for who in ["verified", "unverified", "nobody"] {
        let email = format!("{who}@example.com");
        let mut answer = invite(&post, &owner, &email).await.with(201).json();
        assert_eq!(answer["email"], email.as_str());
        answer["email"] = json!(null);
        answer["invitation_id"] = json!(text(&answer["invitation_id"]).len());
        shapes.push(answer);
        let mail = post.deliver().await.remove(0);
        assert_eq!(
            (&*mail.to[0].address, &*mail.subject),
            (&*email, "Vabilo k sodelovanju v Racun")
        );
    }
    let expected = json!({
        "invitation_id": shapes[0]["invitation_id"], "email": null, "role": "admin",
        "status": "invited",
    });
    assert!(shapes.iter().all(|shape| *shape == expected), "{shapes:?}");
    let again = invite(&post, &owner, "verified@example.com").await.with(409).json();
    let other = invite(&post, &owner, "nobody@example.com").await.with(409).json();
    assert_eq!(again, other);
    let users = post.api.get("/entities/users", &owner).await.with(200).json();
    assert_eq!(users["data"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_verified_user_of_the_account_is_a_member_at_once() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let key = json!({"name": "k", "environment": "sandbox"});
    let key = post.api.post("/account/api-keys", &owner, key).await.with(201).json();
    let key = Who::key(&text(&key["id"]));
    let body = json!({"name": "Two", "country": "Slovenia"});
    let two = post.api.post("/entities", &key, body).await.with(201).json();
    let two = key.in_entity(&text(&two["id"]));
    let added = invite(&post, &two, "owner@example.com").await.with(201).json();
    let expected = json!({
        "invitation_id": null, "email": "owner@example.com", "role": "admin", "status": "member",
    });
    assert_eq!(added, expected);
    assert!(post.deliver().await.is_empty());
}

/// How an invitation is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    MailedWithPassword,
    MailedWithOther,
    MailedInSession,
    HandedWithPassword,
    HandedWithOther,
    HandedInSession,
    ById,
}

/// Everybody who may try to accept, and by which ways they get in: statuses in the order of
/// [`WAYS`].
const MATRIX: &[(&str, [u16; 7])] = &[
    ("nobody", [200, 200, 422, 200, 200, 422, 401]),
    ("unverified", [200, 200, 200, 403, 403, 403, 403]),
    ("verified", [200, 401, 200, 403, 403, 200, 200]),
    ("another account's verified user", [401, 401, 403, 403, 403, 403, 404]),
];

const WAYS: [Way; 7] = [
    Way::MailedWithPassword,
    Way::MailedWithOther,
    Way::MailedInSession,
    Way::HandedWithPassword,
    Way::HandedWithOther,
    Way::HandedInSession,
    Way::ById,
];

#[actix_web::test]
async fn every_way_into_an_entity_admits_the_right_users() {
    for (who, statuses) in MATRIX {
        for (way, expected) in WAYS.into_iter().zip(statuses) {
            let status = attempt(who, way).await;
            assert_eq!(status, *expected, "{who} by {way:?}");
        }
    }
}

/// The status of an attempt, in a world of its own.
async fn attempt(who: &str, way: Way) -> u16 {
    const INVITED: &str = "eva@example.com";
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let session = match who {
        "nobody" => Who::anonymous(),
        "unverified" => post.api.user(INVITED).await,
        "verified" => post.owner(INVITED).await,
        _ => {
            post.owner(INVITED).await;
            post.owner("other@example.com").await
        }
    };
    let session = Who { entity: None, ..session };
    post.deliver().await;
    let is_mailed =
        matches!(way, Way::MailedWithPassword | Way::MailedWithOther | Way::MailedInSession);
    let body = json!({"email": INVITED, "role": "editor", "send_invite": is_mailed});
    let invited = post.api.post("/entities/users", &owner, body).await.with(201).json();
    let token = match is_mailed {
        true => token_in(&post.deliver().await[0].text, "invite_"),
        false => text(&invited["token"]),
    };
    // Another person does not know the password of the invited one.
    let is_other = who.starts_with("another");
    let password = if is_other { "a third horse 3" } else { PASSWORD };
    let answer = match way {
        Way::MailedWithPassword | Way::HandedWithPassword => {
            accept(&post, &token, &Who::anonymous(), json!({"password": password})).await
        }
        Way::MailedWithOther | Way::HandedWithOther => {
            accept(&post, &token, &Who::anonymous(), json!({"password": "another horse 2"})).await
        }
        Way::MailedInSession | Way::HandedInSession => {
            accept(&post, &token, &session, json!({})).await
        }
        Way::ById => {
            let id = text(&invited["invitation_id"]);
            let path = format!("/users/me/invitations/{id}/accept");
            post.api.post(&path, &session, json!({})).await
        }
    };
    let users = post.api.get("/entities/users", &owner).await.with(200).json();
    let is_in = users["data"].as_array().unwrap().len() == 2;
    assert_eq!(is_in, answer.status == 200, "{who} by {way:?}: {answer:?}");
    answer.status
}

#[actix_web::test]
async fn an_invitation_is_declined() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let eva = post.owner("eva@example.com").await;
    let id = text(&invite(&post, &owner, "eva@example.com").await.json()["invitation_id"]);
    let path = format!("/users/me/invitations/{id}");
    post.api.post(&format!("{path}/decline"), &eva, json!({})).await.with(204);
    post.api.post(&format!("{path}/accept"), &eva, json!({})).await.with(404);
    let left = post.api.get("/entities/invitations", &owner).await.with(200).json();
    assert_eq!(left, json!({"data": []}));
}

#[actix_web::test]
async fn invitations_end_with_who_made_them() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    for is_removed in [true, false] {
        let email = format!("admin-{is_removed}@example.com");
        let admin = post.api.verified_member(&owner, &email, "admin").await;
        let invited = format!("self-{is_removed}@example.com");
        let body = json!({"email": invited, "send_invite": false, "role": "admin"});
        let made = post.api.post("/entities/users", &admin, body).await.with(201).json();
        let path = format!("/entities/users/{}", post.api.id(&admin).await);
        if is_removed {
            post.api.delete(&path, &owner).await.with(204);
        } else {
            post.api.patch(&path, &owner, json!({"role": "editor"})).await.with(200);
        }
        let body = json!({"password": PASSWORD});
        accept(&post, &text(&made["token"]), &Who::anonymous(), body).await.with(401);
        let open = post.api.get("/entities/invitations", &owner).await.with(200);
        assert!(!open.text.contains(&invited), "{open:?}");
    }
}

#[actix_web::test]
async fn a_user_without_proof_leaves_when_the_owner_proves_the_address() {
    for is_reset in [true, false] {
        let post = Post::open().await;
        let attacker = post.owner("attacker@evil.example").await;
        post.deliver().await;
        let mut victim = post.api.member(&attacker, "v2@victim.example", "admin").await;
        let key = post.api.post("/entities/api-keys", &victim, json!({"name": "k"})).await;
        let key = Who::key(&text(&key.with(201).json()["id"]));
        post.api.get("/customers", &key).await.with(200);
        let friend = json!({"email": "friend@evil.example", "send_invite": false});
        let friend = post.api.post("/entities/users", &victim, friend).await.with(201).json();
        let body = json!({"email": "v2@victim.example"});
        if is_reset {
            post.api.post("/users/password-reset", &Who::anonymous(), body).await.with(204);
            let token = post.token("reset_").await;
            let body = json!({"token": token, "password": PASSWORD});
            let path = "/users/password-reset/confirm";
            post.api.post(path, &Who::anonymous(), body).await.with(204);
            post.api.get("/customers", &victim).await.with(401);
            let body = login("v2@victim.example");
            let session =
                post.api.post("/users/login", &Who::anonymous(), body).await.with(200).json();
            victim.token = Some(text(&session["id"]));
        } else {
            post.api.verify("v2@victim.example").await;
        }
        post.api.get("/customers", &victim).await.with(403);
        post.api.get("/customers", &key).await.with(401);
        let body = json!({"password": PASSWORD});
        accept(&post, &text(&friend["token"]), &Who::anonymous(), body).await.with(401);
        let users = post.api.get("/entities/users", &attacker).await.with(200);
        assert!(!users.text.contains("victim.example"), "{users:?}");
        // They are asked again, and what they consent to from now on stays.
        let session = Who { entity: None, ..victim.clone() };
        let asked = post.api.get("/users/me/invitations", &session).await.with(200).json();
        assert_eq!(asked["data"][0]["role"], "admin", "{asked}");
        let path = format!("/users/me/invitations/{}/accept", text(&asked["data"][0]["id"]));
        post.api.post(&path, &session, json!({})).await.with(200);
        post.api.get("/customers", &victim).await.with(200);
    }
}

#[actix_web::test]
async fn keys_end_with_who_made_them() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let admin = post.api.member(&owner, "admin@example.com", "admin").await;
    let made = post.api.post("/entities/api-keys", &admin, json!({"name": "k"})).await;
    let made = made.with(201).json();
    let id = post.api.id(&admin).await;
    assert_eq!(made["created_by_user_id"], id.as_str());
    let key = Who::key(&text(&made["id"]));
    post.api.get("/customers", &key).await.with(200);
    // The address was never verified, so the key ends with its maker, asked or not.
    post.api.delete(&format!("/entities/users/{id}"), &owner).await.with(204);
    post.api.get("/customers", &key).await.with(401);

    let admin = post.api.verified_member(&owner, "second@example.com", "admin").await;
    let id = post.api.id(&admin).await;
    let made = post.api.post("/entities/api-keys", &admin, json!({"name": "k"})).await;
    let key = Who::key(&text(&made.with(201).json()["id"]));
    let path = format!("/entities/users/{id}");
    post.api.delete(&format!("{path}?end_keys=maybe"), &owner).await.with(422);
    post.api.delete(&format!("{path}?end_keys=true"), &owner).await.with(204);
    post.api.get("/customers", &key).await.with(401);
}

#[actix_web::test]
async fn a_reset_of_an_unproved_password_ends_keys_and_another_one_when_asked() {
    for (is_verified, end_keys, left) in
        [(false, json!(null), 401), (true, json!(null), 200), (true, json!(true), 401)]
    {
        let post = Post::open().await;
        let owner = match is_verified {
            true => post.owner("target@bank.example").await,
            false => post.api.owner("target@bank.example").await,
        };
        let key = json!({"name": "k", "environment": "sandbox"});
        let key = post.api.post("/account/api-keys", &owner, key).await.with(201).json();
        post.deliver().await;
        let asked = json!({"email": "target@bank.example"});
        post.api.post("/users/password-reset", &Who::anonymous(), asked).await.with(204);
        let token = post.token("reset_").await;
        let body = json!({"token": token, "password": "another horse 2", "end_keys": end_keys});
        let path = "/users/password-reset/confirm";
        post.api.post(path, &Who::anonymous(), body).await.with(204);
        post.api.get("/users/me", &owner).await.with(401);
        post.api.get("/customers", &Who::key(&text(&key["id"]))).await.with(left);
    }
}

/// The webhook that `who` makes at `path`.
async fn webhook(post: &Post, path: &str, who: &Who) -> String {
    let event = match path {
        "/webhooks" => "invoice.created",
        _ => "white_label_subscription.renewed",
    };
    let body = json!({"url": "https://example.com/hooks", "events": [event]});
    let made = post.api.post(path, who, body).await.with(201).json();
    format!("{path}/{}", text(&made["id"]))
}

/// Whether the webhook is active, and why not.
async fn is_active(post: &Post, path: &str, who: &Who) -> bool {
    let webhook = post.api.get(path, who).await.with(200).json();
    let is_active = webhook["active"] == json!(true);
    assert_eq!(is_active, webhook["disabled_reason"].is_null(), "{webhook}");
    is_active
}

#[actix_web::test]
async fn a_demotion_says_which_keys_live_on_and_ends_them_when_asked() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let admin = post.api.verified_member(&owner, "admin@example.com", "admin").await;
    let path = format!("/entities/users/{}", post.api.id(&admin).await);
    let mut keys = Vec::new();
    for ttl in [json!(null), json!(60)] {
        let key = json!({"name": "k", "ttl": ttl});
        let key = post.api.post("/entities/api-keys", &admin, key).await.with(201).json();
        keys.push(Who::key(&text(&key["id"])));
    }
    let hook = webhook(&post, "/webhooks", &admin).await;
    let kept = webhook(&post, "/webhooks", &owner).await;
    post.api.pass(61);
    let change = async |body: Value| post.api.patch(&path, &owner, body).await.with(200).json();
    // A key acts as an editor, so an editor who has one may do no more by it.
    let editor = change(json!({"role": "editor"})).await;
    assert_eq!((&editor["role"], &editor["warnings"]), (&json!("editor"), &json!([])));
    for _ in 0..2 {
        let viewer = change(json!({"role": "viewer"})).await;
        assert_eq!(viewer["warnings"][0]["code"], "keys_live_on", "{viewer}");
        let told = text(&viewer["warnings"][0]["message"]);
        assert!(told.starts_with("1 keys"), "one has expired: {told}");
        post.api.get("/customers", &keys[0]).await.with(200);
        assert!(is_active(&post, &hook, &owner).await);
    }
    // They have the role already; what they made ends now.
    let viewer = change(json!({"role": "viewer", "end_keys": true})).await;
    assert_eq!(viewer["warnings"], json!([]));
    post.api.get("/customers", &keys[0]).await.with(401);
    assert!(!is_active(&post, &hook, &owner).await);
    assert!(is_active(&post, &kept, &owner).await, "another one's");
}

#[actix_web::test]
async fn webhooks_end_with_the_keys_of_who_made_them() {
    let post = Post::open().await;
    let owner = post.owner("owner@example.com").await;
    let mut hooks = Vec::new();
    for (email, query, left) in
        [("one@example.com", "", true), ("two@example.com", "?end_keys=true", false)]
    {
        let admin = post.api.verified_member(&owner, email, "admin").await;
        let hook = webhook(&post, "/webhooks", &admin).await;
        let id = post.api.id(&admin).await;
        post.api.delete(&format!("/entities/users/{id}{query}"), &owner).await.with(204);
        assert_eq!(is_active(&post, &hook, &owner).await, left, "{email}");
        hooks.push(hook);
    }
    // One that a key made is of who made the key.
    let key = json!({"name": "k", "environment": "sandbox"});
    let key = post.api.post("/account/api-keys", &owner, key).await.with(201).json();
    let key = Who::key(&text(&key["id"])).in_entity(owner.entity());
    let of_key = webhook(&post, "/webhooks", &key).await;
    let of_account = webhook(&post, "/account-webhooks", &owner).await;
    let same = json!({"current_password": PASSWORD, "password": PASSWORD});
    let change = |end_keys: bool| {
        let mut body = same.clone();
        body["end_keys"] = json!(end_keys);
        body
    };
    post.api.post("/users/me/password", &owner, change(false)).await.with(204);
    assert!(is_active(&post, &of_key, &owner).await && is_active(&post, &of_account, &owner).await);
    post.api.post("/users/me/password", &owner, change(true)).await.with(204);
    for ended in [&of_key, &of_account] {
        assert!(!is_active(&post, ended, &owner).await, "{ended}");
    }
    assert!(is_active(&post, &hooks[0], &owner).await, "another one's");
    // An owner who looked at it says that it goes on.
    let on = post.api.patch(&of_key, &owner, json!({"active": true})).await.with(200).json();
    assert_eq!((&on["active"], &on["disabled_reason"]), (&json!(true), &json!(null)));
}

#[actix_web::test]
async fn a_new_password_by_mail_ends_webhooks_with_keys() {
    for (is_verified, end_keys, left) in
        [(true, false, true), (true, true, false), (false, false, false)]
    {
        let post = Post::open().await;
        let owner = match is_verified {
            true => post.owner("owner@example.com").await,
            false => post.api.owner("owner@example.com").await,
        };
        let hooks = [
            webhook(&post, "/webhooks", &owner).await,
            webhook(&post, "/account-webhooks", &owner).await,
        ];
        post.deliver().await;
        let asked = json!({"email": "owner@example.com"});
        post.api.post("/users/password-reset", &Who::anonymous(), asked).await.with(204);
        let token = post.token("reset_").await;
        let body = json!({"token": token, "password": PASSWORD, "end_keys": end_keys});
        let path = "/users/password-reset/confirm";
        post.api.post(path, &Who::anonymous(), body).await.with(204);
        let owner = post.api.log_in("owner@example.com").await.in_entity(owner.entity());
        for hook in hooks {
            assert_eq!(is_active(&post, &hook, &owner).await, left, "{is_verified} {end_keys}");
        }
    }
}
