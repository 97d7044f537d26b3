//! What the operator allows callers: mail to strangers, and signing up.

use actix_web::test::TestRequest;
use racun_application::Services;
use racun_http_api::{Guards, Http, SignUpMode};
use racun_kernel::Tenant;
use racun_mail::{MailLimits, SEND_WINDOWS, SendWindow};
use racun_store::ListQuery;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, PASSWORD, Who, text};
use crate::mailbox::Post;

const HOUR: i64 = 3_600;

/// The application under `guards`, with its mails.
async fn post_under(guards: Guards) -> Post {
    let mut kept = None;
    let keep = |services: Services| {
        kept = Some(services.clone());
        services
    };
    let api = Api::with_http(keep, |http| Http { guards, ..http }).await;
    Post::of(api, kept.unwrap())
}

async fn invite(api: &Api, who: &Who, email: &str) -> Answer {
    api.post("/entities/users", who, json!({"email": email, "role": "viewer"})).await
}

fn too_often(answer: &Answer) -> i64 {
    assert_eq!(answer.status, 429, "{answer:?}");
    assert_eq!(answer.json()["code"], "email_rate_limit_exceeded");
    answer.header("retry-after").parse().unwrap()
}

#[actix_web::test]
async fn inviting_by_mail_needs_a_verified_address() {
    let post = Post::open().await;
    let owner = post.api.owner("owner@example.com").await;
    post.deliver().await;
    let refused = invite(&post.api, &owner, "one@x.example").await.with(403);
    assert_eq!(refused.json()["code"], "email_verification_required");
    let listed = post.api.get("/entities/invitations", &owner).await.json();
    assert_eq!(listed, json!({"data": []}));
    let handed_over = json!({"email": "one@x.example", "send_invite": false});
    let invited = post.api.post("/entities/users", &owner, handed_over).await.with(201).json();
    let path = format!("/entities/invitations/{}/resend", text(&invited["invitation_id"]));
    post.api.post(&path, &owner, json!({})).await.with(403);
    assert!(post.deliver().await.is_empty());
}

#[actix_web::test]
async fn an_invitation_is_sent_again_once_an_hour_and_an_address_is_invited_three_times_a_day() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner("owner@example.com").await);
    let invited = invite(api, &owner, "one@x.example").await.with(201).json();
    let path = format!("/entities/invitations/{}/resend", text(&invited["invitation_id"]));
    for _ in 0..60 {
        assert_eq!(too_often(&api.post(&path, &owner, json!({})).await), HOUR);
    }
    assert_eq!(post.deliver().await.len(), 1, "not 61");
    api.pass(HOUR + 1);
    api.post(&path, &owner, json!({})).await.with(200);
    assert_eq!(post.deliver().await.len(), 1);
    api.pass(HOUR + 1);
    // One account has a part of the three, in whichever of its entities.
    assert!(too_often(&api.post(&path, &owner, json!({})).await) > HOUR);
    let second = live_entity(api, &owner).await;
    assert!(too_often(&invite(api, &second, "one@x.example").await) > HOUR);
    // Another account invites the same address, in other capitals; and then all have.
    let other = post.owner("other@example.com").await;
    invite(api, &other, "ONE@x.example").await.with(201);
    post.deliver().await;
    let third = post.owner("third@example.com").await;
    assert!(too_often(&invite(api, &third, "one@x.example").await) > HOUR);
    invite(api, &third, "two@x.example").await.with(201);
    api.pass(24 * HOUR);
    invite(api, &third, "one@x.example").await.with(201);
}

#[actix_web::test]
async fn invitations_to_one_address_are_counted_however_it_is_written_and_no_window_keeps_it() {
    let mail = MailLimits { invitations_per_address: 1, ..MailLimits::default() };
    let mut kept = None;
    let keep = |services: Services| {
        kept = Some(services.clone());
        services
    };
    let guards = Guards { mail, ..Guards::default() };
    let api = Api::with_http(keep, |http| Http { guards, ..http }).await;
    let services = kept.unwrap();
    let post = Post::of(api, services.clone());
    let spellings =
        ["\u{17e}iga@\u{17e}ar.si", "z\u{30c}iga@z\u{30c}ar.si", "\u{17d}iga@xn--ar-1va.si"];
    for (n, spelling) in spellings.into_iter().enumerate() {
        let owner = post.owner(&format!("owner{n}@example.com")).await;
        let answer = invite(&post.api, &owner, spelling).await;
        if n == 0 {
            answer.with(201);
        } else {
            assert!(too_often(&answer) > HOUR, "{spelling}");
        }
        post.deliver().await;
    }
    let (directory, query) = (Tenant::directory(), ListQuery::first_page(&SEND_WINDOWS));
    let shared = services.store.page::<SendWindow>(&SEND_WINDOWS, &directory, &query);
    let shared = shared.await.unwrap().rows;
    assert_eq!(shared.len(), 1, "{shared:?}");
    assert!(!shared[0].about.contains('@'), "{shared:?}");
}

#[actix_web::test]
async fn a_name_is_no_advertisement_in_an_invitation() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner("owner@example.com").await);
    let name = "PayPal - your account is locked, open https://evil.example/login now";
    let named = json!({"name": name, "country": "Slovenia", "environment": "sandbox"});
    let entity = api.post("/entities", &owner, named).await.with(201).json();
    let owner = owner.in_entity(&text(&entity["id"]));
    invite(api, &owner, "one@x.example").await.with(201);
    let mail = post.deliver().await.remove(0);
    assert!(!mail.subject.contains("PayPal"), "{}", mail.subject);
    let html = mail.html.unwrap_or_default();
    for part in ["https://evil", "evil.example", "login now"] {
        assert!(!mail.text.contains(part) && !html.contains(part), "{part}: {}", mail.text);
    }
}

/// A verified owner, acting in a live entity of theirs.
async fn live(post: &Post, email: &str) -> Who {
    let owner = post.owner(email).await;
    live_entity(&post.api, &owner).await
}

async fn live_entity(api: &Api, owner: &Who) -> Who {
    let body = json!({"name": "Pri Ani", "country": "Slovenia", "environment": "live"});
    let entity = api.post("/entities", owner, body).await.with(201).json();
    owner.in_entity(&text(&entity["id"]))
}

#[actix_web::test]
async fn a_live_account_sends_so_much_a_day_and_its_entities_so_much_each() {
    let mail = MailLimits { per_entity: 3, per_account: 5, ..MailLimits::default() };
    let post = post_under(Guards { mail, ..Guards::default() }).await;
    let owner = live(&post, "owner@example.com").await;
    let send = async |who: &Who, to: &str| {
        let body = json!({"items": [{"name": "Delo", "price": 1, "taxes": []}]});
        let made = post.api.post("/estimates", who, body).await.with(201).json();
        let path = format!("/documents/{}/send", text(&made["id"]));
        let letter = json!({"to": to, "subject": "Buy", "body_text": "this"});
        post.api.post(&path, who, letter).await
    };
    for to in ["a@x.example", "b@x.example", "c@x.example"] {
        send(&owner, to).await.with(200);
    }
    assert!(too_often(&send(&owner, "d@x.example").await) > 22 * HOUR);
    let other = live_entity(&post.api, &owner).await;
    for to in ["d@x.example", "e@x.example"] {
        send(&other, to).await.with(200);
    }
    assert!(too_often(&send(&other, "f@x.example").await) > 22 * HOUR);
    assert!(too_often(&invite(&post.api, &other, "f@x.example").await) > 22 * HOUR);
    assert_eq!(post.deliver().await.len(), 5);
    let stranger = live(&post, "stranger@example.com").await;
    send(&stranger, "f@x.example").await.with(200);
    post.api.pass(24 * HOUR);
    send(&other, "f@x.example").await.with(200);
}

#[actix_web::test]
async fn one_receiver_gets_so_many_documents_a_day_of_an_account_and_of_all() {
    let mail = MailLimits { per_receiver: 2, per_receiver_from_all: 3, ..MailLimits::default() };
    let post = post_under(Guards { mail, ..Guards::default() }).await;
    let send = async |who: &Who, to: &str| {
        let body = json!({"items": [{"name": "Delo", "price": 1, "taxes": []}]});
        let made = post.api.post("/estimates", who, body).await.with(201).json();
        let path = format!("/documents/{}/send", text(&made["id"]));
        post.api.post(&path, who, json!({"to": to, "subject": "Buy", "body_text": "this"})).await
    };
    let owner = live(&post, "owner@example.com").await;
    let other = live_entity(&post.api, &owner).await;
    send(&owner, "victim@x.example").await.with(200);
    // Small and capital letters are of one address.
    send(&other, "Victim@X.example").await.with(200);
    for to in ["victim@x.example", "VICTIM@x.example"] {
        assert!(too_often(&send(&owner, to).await) > 22 * HOUR);
    }
    let customer = json!({"name": "Bor", "email": "victim@x.example"});
    let customer = post.api.post("/customers", &owner, customer).await.with(201).json();
    let overdue = json!({
        "customer_id": customer["id"], "date": "2026-10-01", "date_due": "2026-10-31",
        "items": [{"name": "Delo", "price": 1, "taxes": []}],
    });
    post.api.post("/invoices", &owner, overdue).await.with(201);
    let reminder = json!({"customer_id": customer["id"]});
    let reminded = post.api.post("/payment-reminders/send", &owner, reminder).await;
    assert!(too_often(&reminded) > 22 * HOUR);
    // Another account may send one more, and then all have sent enough.
    send(&owner, "friend@x.example").await.with(200);
    assert_eq!(post.deliver().await.len(), 3, "what is refused is not sent");
    let stranger = live(&post, "stranger@example.com").await;
    send(&stranger, "victim@x.example").await.with(200);
    assert!(too_often(&send(&stranger, "victim@x.example").await) > 22 * HOUR);
    post.api.pass(24 * HOUR);
    send(&owner, "victim@x.example").await.with(200);
}

#[actix_web::test]
async fn a_new_account_sends_less() {
    let mail = MailLimits { per_new_account: 1, ..MailLimits::default() };
    let post = post_under(Guards { mail, ..Guards::default() }).await;
    let owner = live(&post, "owner@example.com").await;
    invite(&post.api, &owner, "a@x.example").await.with(201);
    too_often(&invite(&post.api, &owner, "b@x.example").await);
    post.api.pass(7 * 24 * HOUR);
    for email in ["b@x.example", "c@x.example"] {
        invite(&post.api, &owner, email).await.with(201);
    }
}

async fn sign_up(api: &Api, email: &str) -> Answer {
    let body = json!({"email": email, "password": PASSWORD});
    api.post("/users/signup", &Who::anonymous(), body).await
}

fn cause(answer: &Answer) -> Value {
    answer.json()["cause"]["code"].clone()
}

/// Accepts an invitation of `owner` as a new user.
async fn accept(api: &Api, owner: &Who, email: &str) -> Answer {
    let body = json!({"email": email, "send_invite": false});
    let invited = api.post("/entities/users", owner, body).await.with(201).json();
    let path = format!("/invitations/accept?token={}", text(&invited["token"]));
    api.post(&path, &Who::anonymous(), json!({"password": PASSWORD})).await
}

#[actix_web::test]
async fn with_sign_up_by_invitation_the_first_user_and_invited_ones_sign_up() {
    let guards = Guards { sign_up: SignUpMode::Invited, ..Guards::default() };
    let post = post_under(guards).await;
    let owner = post.api.owner("owner@example.com").await;
    let refused = sign_up(&post.api, "stranger@example.com").await.with(403);
    assert_eq!(cause(&refused), "sign_up_by_invitation");
    accept(&post.api, &owner, "invited@example.com").await.with(200);
}

#[actix_web::test]
async fn of_twelve_who_sign_up_first_at_once_one_does() {
    let guards = Guards { sign_up: SignUpMode::Invited, ..Guards::default() };
    let post = post_under(guards).await;
    let emails: Vec<String> = (0..12).map(|n| format!("first{n}@example.com")).collect();
    let sign_ups = emails.iter().map(|email| sign_up(&post.api, email));
    let answers = futures_util::future::join_all(sign_ups).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 1, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!((refused.status, cause(refused)), (403, json!("sign_up_by_invitation")));
    }
}

#[actix_web::test]
async fn a_closed_server_makes_no_users() {
    let guards = Guards { sign_up: SignUpMode::Closed, ..Guards::default() };
    let post = post_under(guards).await;
    assert_eq!(cause(&sign_up(&post.api, "first@example.com").await.with(403)), "sign_up_closed");
}

#[actix_web::test]
async fn with_closed_sign_up_a_token_does_not_tell_who_has_a_user() {
    let mut kept = None;
    let api = Api::with(|services| {
        kept = Some(services.clone());
        services
    })
    .await;
    let open = kept.unwrap();
    let post = Post::of(api, open.clone());
    let owner = post.owner("owner@example.com").await;
    post.owner("verified@example.com").await;
    post.api.user("unverified@example.com").await;
    let guards = Guards { sign_up: SignUpMode::Closed, ..Guards::default() };
    let closed = Api::with_http(|_| open, |http| Http { guards, ..http }).await;
    for email in ["verified@example.com", "unverified@example.com", "nobody@example.com"] {
        let told = accept(&closed, &owner, email).await.with(403);
        assert_eq!(cause(&told), "sign_up_closed", "{email}");
    }
}

/// What signing up at `host` answers, and from a page of `origin`.
pub async fn sign_up_at(api: &Api, host: &str, origin: &str, email: &str) -> Answer {
    let body = json!({"email": email, "password": PASSWORD});
    let request = TestRequest::post().uri("/users/signup").set_json(body);
    api.call(request.insert_header(("host", host)).insert_header(("origin", origin))).await
}
