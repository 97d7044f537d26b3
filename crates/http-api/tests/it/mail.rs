//! Documents that are sent, and documents behind links.

use racun_mail::MailError;
use serde_json::{Value, json};

use crate::harness::{Who, text};
use crate::mailbox::{Post, token_in};

const OWNER: &str = "owner@example.com";

#[actix_web::test]
async fn an_invoice_is_sent_with_a_public_link() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let customer = json!({"name": "<b>Bor</b> & {entity_name}", "email": "bor@example.com"});
    let more = json!({"customer": customer, "metadata": {"secret": "margin"}});
    let id = post.document(&owner, "/invoices", more).await;
    let number = text(&api.get(&format!("/invoices/{id}"), &owner).await.json()["number"]);
    let body = json!({
        "to": OWNER,
        "subject": "Račun {document_number}\u{2028}{1}",
        "body_text": "Hello **{customer_name}**, {document_total} {document_currency} by {}",
        "language": "de",
    });
    let sent = api.post(&format!("/documents/{id}/send"), &owner, body).await.with(200).json();
    let link = text(&sent["shareable_link"]);
    assert_eq!(sent["status"], "sent");
    assert!(link.starts_with("https://racun.example/invoices/shareable/inv_share_"), "{link}");
    assert!(text(&sent["message_id"]).starts_with("mail_"));
    assert_eq!(sent.get("sandbox_skip_delivery"), None);

    let mail = post.deliver().await.remove(0);
    assert_eq!(mail.id, text(&sent["message_id"]));
    assert_eq!(mail.subject, format!("Račun {number}\u{2028}{{1}}"));
    assert_eq!(
        mail.text,
        format!("Hello <b>Bor</b> & {{entity_name}}, 100,00 EUR by {{}}\n\n{link}")
    );
    let html = mail.html.unwrap();
    assert!(html.contains("<strong>&lt;b&gt;Bor&lt;/b&gt; &amp; {entity_name}</strong>"), "{html}");
    assert!(html.contains(&format!("<a href=\"{link}\">{link}</a>")), "{html}");
    assert!(post.deliver().await.is_empty(), "a mail is delivered once");

    let stored = api.get(&format!("/invoices/{id}"), &owner).await.json();
    let shareable_id = text(&stored["shareable_id"]);
    assert!(link.ends_with(&shareable_id) && shareable_id.len() <= 100);
    let path = link.strip_prefix("https://racun.example").unwrap();
    let seen = api.get(path, &Who::anonymous()).await.with(200);
    assert_eq!(seen.header("x-robots-tag"), "noindex, nofollow");
    assert_eq!(seen.header("cache-control"), "no-store");
    assert_eq!(seen.json()["number"], stored["number"]);
    assert_eq!(seen.json()["items"][0]["name"], "Delo");
    for internal in
        [&*id, owner.entity(), "margin", "metadata", "_id\":\"item", "settings", "source"]
    {
        assert!(!seen.text.contains(internal), "{internal}: {}", seen.text);
    }
}

#[actix_web::test]
async fn a_link_is_kept_until_it_is_revoked() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.api.owner(OWNER).await);
    for (path, prefix) in [
        ("/invoices", "inv_share_"),
        ("/estimates", "est_share_"),
        ("/credit-notes", "cre_share_"),
        ("/advance-invoices", "adv_share_"),
        ("/delivery-notes", "del_share_"),
    ] {
        let mut more = json!({"date": "2026-11-20"});
        if path == "/advance-invoices" {
            more["payments"] = json!([{"type": "cash", "amount": 100}]);
        }
        let id = post.document(&owner, path, more).await;
        let share = format!("/documents/{id}/share");
        let first = api.post(&share, &owner, json!({})).await.with(200).json();
        let shareable_id = text(&first["shareable_id"]);
        assert!(shareable_id.starts_with(prefix), "{shareable_id}");
        assert_eq!(api.post(&share, &owner, json!({})).await.with(200).json(), first);
        let seen = format!("{path}/shareable/{shareable_id}");
        api.get(&seen, &Who::anonymous()).await.with(200);
        let elsewhere = if path == "/invoices" { "/estimates" } else { "/invoices" };
        let other = format!("{elsewhere}/shareable/{shareable_id}");
        api.get(&other, &Who::anonymous()).await.with(404);
        api.delete(&share, &owner).await.with(204);
        api.get(&seen, &Who::anonymous()).await.with(404);
        let second = api.post(&share, &owner, json!({})).await.with(200).json();
        assert_ne!(second, first);
    }
    let stranger = api.owner("stranger@example.com").await;
    let id = post.document(&owner, "/invoices", json!({})).await;
    api.post(&format!("/documents/{id}/share"), &stranger, json!({})).await.with(404);
    api.delete(&format!("/documents/{id}/share"), &stranger).await.with(404);
}

#[actix_web::test]
async fn a_shared_packing_list_shows_no_prices() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.api.owner(OWNER).await);
    let id = post.document(&owner, "/delivery-notes", json!({"hide_prices": true})).await;
    let share = api.post(&format!("/documents/{id}/share"), &owner, json!({})).await.json();
    let path = format!("/delivery-notes/shareable/{}", text(&share["shareable_id"]));
    let seen = api.get(&path, &Who::anonymous()).await.with(200);
    assert!(!seen.text.contains("100"), "{}", seen.text);
    assert_eq!(seen.json()["items"][0]["quantity"], json!(1));
}

#[actix_web::test]
async fn a_mail_about_a_delivery_note_says_its_total_only_where_prices_are_shown() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    for (hides, said) in [(true, "Sum: . EUR"), (false, "Sum: 100.00. EUR")] {
        let more = json!({"hide_prices": hides});
        let id = post.document(&owner, "/delivery-notes", more).await;
        let text = "Sum: {document_total}. {document_currency}";
        let body = json!({"to": OWNER, "locale": "en-US", "subject": text, "body_text": text});
        api.post(&format!("/documents/{id}/send"), &owner, body).await.with(200);
        let mail = post.deliver().await.remove(0);
        assert_eq!(mail.subject, said);
        let html = mail.html.unwrap();
        for text in [&mail.text, &html] {
            assert!(text.contains(said), "{text}");
            assert_eq!(text.contains("100.00"), !hides, "{text}");
        }
    }
}

#[actix_web::test]
async fn drafts_and_voided_documents_are_not_sent() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let draft = post.document(&owner, "/invoices", json!({"is_draft": true})).await;
    let voided = post.document(&owner, "/invoices", json!({})).await;
    api.post(&format!("/invoices/{voided}/void"), &owner, json!({})).await.with(200);
    for (id, code) in [(draft, "document_is_draft"), (voided, "document_voided")] {
        let path = format!("/documents/{id}/send");
        let refused = api.post(&path, &owner, json!({"to": OWNER})).await.with(422);
        assert_eq!(refused.json()["cause"]["code"], code);
    }
    assert!(post.deliver().await.is_empty());
}

#[actix_web::test]
async fn texts_come_from_the_request_the_unit_the_entity_or_racun() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let plain = post.document(&owner, "/invoices", json!({})).await;
    let unit = json!({
        "name": "Trgovina", "address": "Unit street 1",
        "settings": {"email_defaults": {"invoice_subject": "Unit {unit_name}"}},
    });
    let unit = text(&api.post("/business-units", &owner, unit).await.with(201).json()["id"]);
    let of_unit = post.document(&owner, "/invoices", json!({"business_unit_id": unit})).await;
    let send = async |id: &str, body: Value| {
        let path = format!("/documents/{id}/send");
        text(&api.post(&path, &owner, body).await.with(200).json()["subject"])
    };
    let subject = send(&plain, json!({"to": OWNER})).await;
    assert!(subject.starts_with("Račun 2026-00001 – Pri Ani"), "{subject}");
    let english = send(&plain, json!({"to": OWNER, "language": "en", "subject": " "})).await;
    assert_eq!(english, "Invoice 2026-00001 from Pri Ani");
    let settings = json!({"settings": {
        "email_defaults": {"invoice_subject": "Entity {document_number}"},
        "translations": {"email_defaults": {"invoice_subject": {"de-DE": "Firma"}}},
    }});
    api.patch(&format!("/entities/{}", owner.entity()), &owner, settings).await.with(200);
    assert_eq!(send(&plain, json!({"to": OWNER})).await, "Entity 2026-00001");
    assert_eq!(send(&plain, json!({"to": OWNER, "locale": "de-DE"})).await, "Firma");
    assert_eq!(send(&of_unit, json!({"to": OWNER})).await, "Unit Trgovina");
    let asked = json!({"to": OWNER, "subject": "{entity_address}, {iban}."});
    assert_eq!(send(&of_unit, asked).await, "Unit street 1, .");
    for mail in post.deliver().await {
        assert!(!mail.text.contains('{') && !mail.subject.contains('{'), "{mail:?}");
    }
}

#[actix_web::test]
async fn mistakes_are_named() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let five = "a@x.si,b@x.si,c@x.si,d@x.si,e@x.si";
    for (body, path, code) in [
        (json!({"to": ""}), "to", "required"),
        (json!({"to": "nobody"}), "to", "invalid_email"),
        (json!({"to": "a@x.si,,b@x.si"}), "to", "invalid_email"),
        (json!({"to": five}), "to", "too_many"),
        (json!({"to": "a@x.si\r\nBcc: b@x.si"}), "to", "invalid_email"),
        (json!({"to": OWNER, "subject": "a\r\nBcc: b@x.si"}), "subject", "invalid_value"),
        (json!({"to": OWNER, "subject": "a".repeat(256)}), "subject", "too_long"),
        (json!({"to": OWNER, "body_text": "a".repeat(20_001)}), "body_text", "too_long"),
        (json!({"to": OWNER, "locale": "xx"}), "locale", "invalid_value"),
        (json!({"to": "stranger@example.com"}), "to", "sandbox_recipient"),
        (json!({"to": OWNER, "document_id": "inv_x"}), "document_id", "not_found"),
        (json!({"to": OWNER, "document_id": null}), "subject", "required"),
        (
            json!({"to": OWNER, "document_id": null, "subject": "a", "body_text": "b",
                "attach_eslog": true}),
            "attach_eslog",
            "not_allowed",
        ),
    ] {
        let mut sent = json!({"document_id": id});
        sent.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let refused = api.post("/email/send", &owner, sent).await.with(422);
        let expected = (format!("[\"{path}\"]"), code.to_owned());
        assert_eq!(refused.issue(), expected, "{body}");
    }
    let two = json!({"to": format!("{OWNER},{OWNER}")});
    api.post(&format!("/documents/{id}/send"), &owner, two).await.with(422);
    assert!(post.deliver().await.is_empty());
}

#[actix_web::test]
async fn the_sandbox_sends_to_verified_users_of_the_account_only() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let member = api.member(&owner, "eva@example.com", "viewer").await;
    let to_eva = json!({"to": "eva@example.com"});
    api.post(&path, &owner, to_eva.clone()).await.with(422);
    api.post(&path, &member, to_eva).await.with(403);
    api.verified_member(&owner, "bor@example.com", "viewer").await;
    api.post(&path, &owner, json!({"to": "bor@example.com"})).await.with(200);
    assert_eq!(post.deliver().await.len(), 1);
    let anyone = json!({"to": "stranger@example.com", "sandbox_skip_delivery": true});
    let skipped = api.post(&path, &owner, anyone.clone()).await.with(200).json();
    assert_eq!(skipped["sandbox_skip_delivery"], true);
    assert!(post.deliver().await.is_empty());

    let body = json!({"name": "Resnično", "country": "Slovenia", "environment": "live"});
    let live = text(&api.post("/entities", &owner, body).await.with(201).json()["id"]);
    let live = owner.in_entity(&live);
    let id = post.document(&live, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let refused = api.post(&path, &live, anyone).await.with(422);
    assert_eq!(refused.issue().0, "[\"sandbox_skip_delivery\"]");
    api.post(&path, &live, json!({"to": "stranger@example.com"})).await.with(200);
    assert_eq!(post.deliver().await[0].to[0].address, "stranger@example.com");
}

#[actix_web::test]
async fn keys_send_once_a_user_of_their_account_is_verified() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.api.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let made = json!({"name": "till", "environment": "sandbox"});
    let key = api.post("/account/api-keys", &owner, made).await.with(201).json();
    let key = Who::key(key["id"].as_str().unwrap()).in_entity(owner.entity());
    let refused = api.post(&path, &key, json!({"to": OWNER})).await.with(403);
    assert_eq!(refused.json()["code"], "email_verification_required");
    let token = post.token("verify_").await;
    let verified = json!({"token": token});
    api.post("/users/verify-email", &Who::anonymous(), verified).await.with(200);
    api.post(&path, &key, json!({"to": OWNER})).await.with(200);
}

#[actix_web::test]
async fn a_plain_text_needs_no_document() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let body = json!({"to": OWNER, "subject": "Letnica {current_year}", "body_text": "Zaprto."});
    let sent = api.post("/email/send", &owner, body).await.with(200).json();
    assert_eq!((&sent["subject"], sent.get("shareable_link")), (&json!("Letnica 2026"), None));
    assert_eq!(post.deliver().await[0].text, "Zaprto.");
}

#[actix_web::test]
async fn a_mail_waits_for_a_server_that_is_away_and_gives_up_on_one_that_refuses() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    api.post(&path, &owner, json!({"to": OWNER})).await.with(200);
    *post.mailbox.says.lock().unwrap() = Some(MailError::Temporary("busy".to_owned()));
    assert!(post.deliver().await.is_empty());
    *post.mailbox.says.lock().unwrap() = None;
    assert!(post.deliver().await.is_empty(), "the wait is not over");
    api.pass(60);
    assert_eq!(post.deliver().await.len(), 1);

    api.post(&path, &owner, json!({"to": OWNER})).await.with(200);
    *post.mailbox.says.lock().unwrap() = Some(MailError::Refused("no such user".to_owned()));
    post.deliver().await;
    *post.mailbox.says.lock().unwrap() = None;
    api.pass(86_400);
    assert!(post.deliver().await.is_empty(), "it is given up");
}

#[actix_web::test]
async fn a_customer_is_reminded_of_all_that_is_overdue() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let body = json!({"name": "Bor", "email": OWNER});
    let customer = text(&api.post("/customers", &owner, body).await.with(201).json()["id"]);
    let remind = async |body: Value| {
        let mut sent = json!({"customer_id": customer});
        sent.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        api.post("/payment-reminders/send", &owner, sent).await
    };
    let nothing = remind(json!({})).await.with(422).json();
    assert_eq!(nothing["cause"]["code"], "no_overdue_invoices");
    let due = |date: &str| json!({"customer_id": customer, "date_due": date});
    let later = post.document(&owner, "/invoices", due("2026-11-10")).await;
    let first = post.document(&owner, "/invoices", due("2026-10-31")).await;
    // Not due before today, voided, paid, a draft, another's: nothing to remind of.
    post.document(&owner, "/invoices", due("2026-11-20")).await;
    let voided = post.document(&owner, "/invoices", due("2026-10-31")).await;
    api.post(&format!("/invoices/{voided}/void"), &owner, json!({})).await.with(200);
    let paid = post.document(&owner, "/invoices", due("2026-10-31")).await;
    let payment = json!({"invoice_id": paid, "type": "cash", "amount": 100});
    api.post("/payments", &owner, payment).await.with(201);
    let part = json!({"invoice_id": first, "type": "cash", "amount": 40});
    api.post("/payments", &owner, part).await.with(201);
    let draft = json!({"customer_id": customer, "date_due": "2026-10-31", "is_draft": true});
    post.document(&owner, "/invoices", draft).await;
    post.document(&owner, "/invoices", json!({"date_due": "2026-10-31"})).await;

    let reminded = remind(json!({"payment_instructions": "Na račun."})).await.with(200).json();
    assert_eq!(reminded["invoice_ids"], json!([first, later]));
    assert_eq!(
        (&reminded["total_amount"], &reminded["currency_code"]),
        (&json!(160), &json!("EUR"))
    );
    let mail = post.deliver().await.remove(0);
    assert_eq!(mail.subject, "Opomin za plačilo – Pri Ani");
    for part in ["Bor", "31. 10. 2026: 60,00 EUR\n", ": 160,00 EUR.", "(2)", "Na račun."] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    assert!(mail.html.unwrap().contains("60,00 EUR<br>"));

    let dollars = json!({"customer_id": customer, "date_due": "2026-10-31", "currency_code": "USD",
    "exchange_rate": {
        "rate": 0.9, "source": "test", "date": "2026-10-01", "quote_currency": "EUR",
    }});
    let dollars = post.document(&owner, "/invoices", dollars).await;
    assert_eq!(remind(json!({})).await.with(422).issue().0, "[\"currency_code\"]");
    let reminded = remind(json!({"currency_code": "USD"})).await.with(200).json();
    assert_eq!(reminded["invoice_ids"], json!([dollars]));
    let unknown = json!({"customer_id": "cus_x"});
    let unknown = api.post("/payment-reminders/send", &owner, unknown).await.with(422);
    assert_eq!(unknown.issue().0, "[\"customer_id\"]");
}

#[actix_web::test]
async fn how_to_pay_is_a_text_like_others() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let entity = format!("/entities/{}", owner.entity());
    let reminders = |text: &str| json!({"payment_reminders": {"payment_instructions": text}});
    let translated =
        |text: &str| json!({"payment_reminders": {"payment_instructions": {"sl-SI": text}}});
    let body = json!({"name": "Bor", "email": OWNER});
    let customer = text(&api.post("/customers", &owner, body).await.with(201).json()["id"]);
    let due = json!({"customer_id": customer, "date_due": "2026-11-10"});
    post.document(&owner, "/invoices", due).await;
    for text in ["Pay {nonsense}", "{payment_instructions}", "{ iban }"] {
        for (settings, at) in [
            (reminders(text), json!(["settings", "payment_reminders", "payment_instructions"])),
            (
                json!({"translations": translated(text)}),
                json!([
                    "settings",
                    "translations",
                    "payment_reminders",
                    "payment_instructions",
                    "sl-SI",
                ]),
            ),
        ] {
            let refused = api.patch(&entity, &owner, json!({"settings": settings})).await.with(422);
            assert_eq!(refused.issue(), (at.to_string(), "unknown_placeholder".to_owned()));
        }
        let body = json!({"customer_id": customer, "payment_instructions": text});
        let refused = api.post("/payment-reminders/send", &owner, body).await.with(422);
        let at = "[\"payment_instructions\"]".to_owned();
        assert_eq!(refused.issue(), (at, "unknown_placeholder".to_owned()));
    }
    let mut settings = reminders("**Plačajte** na {iban}.");
    settings["bank_accounts"] = json!([{"iban": "SI56191000000123438", "type": "iban"}]);
    api.patch(&entity, &owner, json!({"settings": settings})).await.with(200);
    for (more, plain, html) in [
        (
            json!({}),
            "\n\nPlačajte na SI56191000000123438.\n\n",
            "<strong>Plačajte</strong> na SI56191000000123438.",
        ),
        (
            json!({"payment_instructions": "*Takoj*, {customer_name}"}),
            "\n\nTakoj, Bor\n\n",
            "<em>Takoj</em>, Bor",
        ),
    ] {
        let mut body = json!({"customer_id": customer});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        api.post("/payment-reminders/send", &owner, body).await.with(200);
        let mail = post.deliver().await.remove(0);
        assert!(mail.text.contains(plain), "{}", mail.text);
        assert!(mail.html.as_ref().unwrap().contains(html), "{:?}", mail.html);
    }
}

/// Seconds that a worker has for a mail before others take it for dead.
const LEASE: i64 = 300;

#[actix_web::test]
async fn a_mail_whose_worker_dies_after_handing_it_over_comes_again_as_the_same_message() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let path = format!("/documents/{id}/send");
    let sent = api.post(&path, &owner, json!({"to": OWNER})).await.with(200).json();
    let first = post.deliver_and_die().await;
    assert_eq!(first.id, text(&sent["message_id"]));
    api.pass(LEASE - 1);
    assert!(post.deliver().await.is_empty(), "the worker may still be at it");
    api.pass(1);
    assert_eq!(post.deliver().await, [first], "the same mail under the same id");
    api.pass(LEASE);
    assert!(post.deliver().await.is_empty(), "what was noted is not sent again");

    // A mail with a token brings another one, so it is another message; either token is good.
    let bor = api.user("bor@example.com").await;
    let first = post.deliver_and_die().await;
    api.pass(LEASE);
    let second = post.deliver().await.remove(0);
    let tokens = [&first, &second].map(|mail| token_in(&mail.text, "verify_"));
    assert!(first.id != second.id && tokens[0] != tokens[1], "{first:?} {second:?}");
    let body = json!({"token": tokens[0]});
    api.post("/users/verify-email", &Who::anonymous(), body).await.with(200);
    assert_eq!(api.get("/users/me", &bor).await.json()["email_verified"], true);
}
