//! Documents on paper: as files, pages and previews, for users and behind links.

use actix_web::test::TestRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::files::{Sent, form};
use crate::harness::{Answer, Api, Who, text};
use crate::mailbox::Post;

const OWNER: &str = "owner@example.com";
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

pub fn invoice(more: Value) -> Value {
    let mut body = json!({
        "customer": {"name": "Bor d.o.o.", "email": "bor@example.com"},
        "items": [{"name": "Svetovanje", "quantity": 2, "price": 50, "taxes": [{"rate": 22}]}],
        "issuer": {"bank_account": {"iban": "SI56192001234567892"}},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

pub async fn made(api: &Api, owner: &Who, path: &str, more: Value) -> String {
    text(&api.post(path, owner, invoice(more)).await.with(201).json()["id"])
}

pub async fn link(api: &Api, owner: &Who, id: &str) -> String {
    let share = api.post(&format!("/documents/{id}/share"), owner, json!({})).await.with(200);
    let link = text(&share.json()["shareable_link"]);
    link.strip_prefix("https://racun.example").unwrap().to_owned()
}

pub async fn browse(api: &Api, uri: &str) -> Answer {
    api.call(TestRequest::get().uri(uri).insert_header(("accept", BROWSER))).await
}

/// What a browser sends for a form without fields.
pub async fn press(api: &Api, uri: &str) -> Answer {
    let request = TestRequest::post()
        .uri(uri)
        .insert_header(("accept", BROWSER))
        .insert_header(("content-type", "application/x-www-form-urlencoded"))
        .insert_header(("content-length", "0"));
    api.call(request).await
}

#[actix_web::test]
async fn a_document_is_a_file_a_page_and_a_receipt_in_every_language() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let id = made(&api, &owner, "/invoices", json!({})).await;
    let number = text(&api.get(&format!("/invoices/{id}"), &owner).await.json()["number"]);
    for (language, title) in [("sl", "Račun"), ("de-DE", "Rechnung"), ("bg", "Фактура")] {
        let of = |form: &str| format!("/documents/{id}/{form}?language={language}");
        let pdf = api.get(&of("pdf"), &owner).await.with(200);
        assert_eq!(pdf.header("content-type"), "application/pdf");
        assert!(pdf.header("content-disposition").contains("filename="), "{pdf:?}");
        let html = api.get(&of("html"), &owner).await.with(200);
        assert_eq!(html.header("content-type"), "text/html; charset=utf-8");
        for said in [title, "Svetovanje", "Bor d.o.o.", number.as_str()] {
            assert!(pdf.text.contains(said) && html.text.contains(said), "{said}: {html:?}");
        }
    }
    let english = format!("/documents/{id}/html?language=sl&locale=en-US");
    let english = api.get(&english, &owner).await.with(200).text;
    assert!(english.contains("Račun") && english.contains("€122.00"), "{english}");
    for roll in ["receipt_80", "receipt_58"] {
        let receipt = format!("/documents/{id}/receipt?format=escpos&template={roll}&language=en");
        let receipt = api.get(&receipt, &owner).await.with(200);
        assert_eq!(receipt.header("content-type"), "application/octet-stream");
        assert!(receipt.text.starts_with("\u{1b}@") && receipt.text.contains("Svetovanje"));
        let pdf = format!("/documents/{id}/pdf?template={roll}");
        api.get(&pdf, &owner).await.with(200);
    }
    for (wrong, path) in [
        ("pdf?language=xx", "language"),
        ("html?template=baroque", "template"),
        ("html?upn_qr_enabled=1", "upn_qr_enabled"),
        ("receipt?format=pcl", "format"),
        ("receipt?template=modern", "template"),
        ("pdf?utm_source=x", "utm_source"),
        ("pdf?hub3_qr_reference_model=HR77", "hub3_qr_reference_model"),
    ] {
        let refused = api.get(&format!("/documents/{id}/{wrong}"), &owner).await.with(422);
        assert_eq!(refused.issue().0, format!("[\"{path}\"]"), "{wrong}");
    }
    let stranger = api.owner("stranger@example.com").await;
    for form in ["pdf", "html", "receipt"] {
        api.get(&format!("/documents/{id}/{form}"), &stranger).await.with(404);
        api.get(&format!("/documents/{id}/{form}"), &Who::anonymous()).await.with(401);
    }
}

#[actix_web::test]
async fn amounts_on_paper_equal_those_of_the_interface() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    for seed in 1..20_i64 {
        let rates = ["22", "9.5", "5", "0"];
        let items: Vec<Value> = (0..=seed % 5)
            .map(|n| {
                let rate: Value =
                    serde_json::from_str(rates[usize::try_from((seed + n) % 4).unwrap()]).unwrap();
                let discounts = json!([{"value": (seed * n) % 40}]);
                json!({"name": format!("{n}"), "quantity": seed * 7 % 11 + 1,
                    "price": seed * 977 % 1009 + n, "discounts": discounts,
                    "taxes": [{"rate": rate}]})
            })
            .collect();
        let id = made(&api, &owner, "/invoices", json!({"items": items})).await;
        let document = api.get(&format!("/invoices/{id}"), &owner).await.json();
        let of = |form: &str| format!("/documents/{id}/{form}?language=en");
        let html = api.get(&of("html"), &owner).await.with(200).text;
        let pdf = api.get(&of("pdf"), &owner).await.with(200).text;
        let grouped = |amount: &Value| {
            let amount = amount.to_string();
            let (whole, fraction) = amount.split_once('.').unwrap_or((&amount, ""));
            let (head, tail) = whole.split_at(whole.len().saturating_sub(3));
            let whole = if head.is_empty() { tail.into() } else { format!("{head},{tail}") };
            format!("€{whole}.{fraction:0<2}")
        };
        for field in ["total", "total_with_tax", "total_due"] {
            let amount = grouped(&document[field]);
            assert!(html.contains(&amount) && pdf.contains(&amount), "{field} {amount}: {pdf}");
        }
        for tax in document["taxes"].as_array().unwrap() {
            let amount = grouped(&tax["amount"]);
            assert!(html.contains(&amount) && pdf.contains(&amount), "{amount}: {pdf}");
        }
    }
}

#[actix_web::test]
async fn a_preview_shows_what_would_be_made_and_makes_nothing() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let kinds = ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"];
    for kind in kinds {
        let path = format!("/{kind}/preview?language=sl");
        let page = api.post(&path, &owner, invoice(json!({}))).await.with(200);
        assert!(page.text.contains("Osnutek") && page.text.contains("Svetovanje"), "{page:?}");
        let part = format!("{path}&partial=true");
        let part = api.post(&part, &owner, invoice(json!({}))).await.with(200);
        assert!(part.text.starts_with("<article>"));
        let refused = api.post(&path, &owner, json!({"items": []})).await.with(422);
        assert_eq!(refused.issue().0, "[\"items\"]");
        let list = api.get(&format!("/{kind}"), &owner).await.json();
        assert_eq!(list["pagination"]["total"], 0, "{kind}");
    }
    let upn = "/invoices/preview?upn_qr_enabled=true&upn_qr_display_mode=full_slip&language=en";
    let shown = api.post(upn, &owner, invoice(json!({}))).await.with(200).text;
    assert!(shown.contains("UPN QR:") && shown.contains("***122,00"), "{shown}");
    let without = api.post("/invoices/preview?language=en", &owner, invoice(json!({})));
    assert!(!without.await.with(200).text.contains("UPN QR:"), "the settings have it off");
}

#[actix_web::test]
async fn a_reference_that_was_mistyped_is_refused() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let with = |reference: &str| invoice(json!({"reference": reference}));
    let refused = api.post("/invoices", &owner, with("SI121234567890121")).await.with(422);
    assert_eq!(refused.issue(), ("[\"reference\"]".to_owned(), "invalid_reference".to_owned()));
    for good in ["SI12 1234567890120", "RF18 5390 0754 7034", "PO-4711"] {
        api.post("/invoices", &owner, with(good)).await.with(201);
    }
}

#[actix_web::test]
async fn a_link_is_a_page_to_browsers_and_json_to_programs() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let more =
        json!({"metadata": {"secret": "internal"}, "reference": "<script>alert(1)</script>"});
    let id = made(&api, &owner, "/invoices", more).await;
    let link = link(&api, &owner, &id).await;
    let page = browse(&api, &format!("{link}?language=sl&utm_source=mail")).await.with(200);
    assert!(page.text.contains("Račun") && page.text.contains("/pdf?language=sl"), "{page:?}");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("script-src"), "{policy}");
    for (header, value) in [
        ("x-robots-tag", "noindex, nofollow"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(page.header(header), value);
    }
    assert!(!page.text.contains("<script"), "{}", page.text);
    let user = api.id(&owner).await;
    for form in ["", "/html", "/pdf"] {
        let shown = browse(&api, &format!("{link}{form}?language=sl")).await.with(200).text;
        assert!(shown.contains("Račun"), "{shown}");
        for kept in [id.as_str(), owner.entity(), &user, "internal", OWNER] {
            assert!(!shown.contains(kept), "{kept} in {form}: {shown}");
        }
    }
    let json = api.get(&link, &Who::anonymous()).await.with(200).json();
    assert_eq!(json["type"], "invoice");
    api.get(&format!("{link}?utm_source=mail"), &Who::anonymous()).await.with(422);
    for form in ["html", "pdf"] {
        let file = format!("{link}/{form}?language=de");
        let file = api.get(&file, &Who::anonymous()).await.with(200);
        assert!(file.text.contains("Rechnung"), "{file:?}");
        assert_eq!(file.header("x-robots-tag"), "noindex, nofollow");
    }
    // Taken away, it leads nowhere; a later link is another.
    api.delete(&format!("/documents/{id}/share"), &owner).await.with(204);
    let gone = browse(&api, &format!("{link}?language=sl")).await.with(404);
    assert!(gone.text.contains("Ta povezava ni več veljavna"), "{gone:?}");
    api.get(&link, &Who::anonymous()).await.with(404);
    let gone = browse(&api, &format!("{link}/pdf?language=sl")).await.with(404);
    assert!(gone.text.contains("Ta povezava ni več veljavna"), "{gone:?}");
    let gone = api.get(&format!("{link}/pdf"), &Who::anonymous()).await.with(404);
    assert_eq!(gone.json()["code"], "not_found", "programs read why: {gone:?}");
    let again = self::link(&api, &owner, &id).await;
    assert_ne!(again, link);
    browse(&api, &link).await.with(404);
}

#[actix_web::test]
async fn files_behind_a_link_are_asked_for_as_files_of_users_are() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let id = made(&api, &owner, "/invoices", json!({})).await;
    let link = link(&api, &owner, &id).await;
    let own = format!("/documents/{id}/pdf?template=classic&language=sl");
    let own = api.get(&own, &owner).await.with(200).text;
    let shared = format!("{link}/pdf?template=classic&language=sl");
    let shared = api.get(&shared, &Who::anonymous()).await.with(200).text;
    assert_eq!(shared, own);
    for form in ["html", "pdf"] {
        let file = |query: &str| format!("{link}/{form}?{query}");
        let good = file("template=classic&language=sl");
        assert!(api.get(&good, &Who::anonymous()).await.with(200).text.contains("Račun"));
        for (wrong, path) in [
            ("template=baroque", "template"),
            ("language=xx", "language"),
            ("upn_qr_enabled=true", "upn_qr_enabled"),
            ("utm_source=mail", "utm_source"),
        ] {
            let refused = api.get(&file(wrong), &Who::anonymous()).await.with(422);
            assert_eq!(refused.issue().0, format!("[\"{path}\"]"), "{wrong}");
        }
    }
}

#[actix_web::test]
async fn an_estimate_is_accepted_by_a_form_and_never_by_a_link() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let id = made(&api, &owner, "/estimates", json!({})).await;
    let link = link(&api, &owner, &id).await;
    let page = browse(&api, &format!("{link}?language=en")).await.with(200).text;
    let share = link.rsplit('/').next().unwrap();
    assert!(page.contains(&format!("action=\"{share}/accept?language=en\"")), "{page}");
    let followed = browse(&api, &format!("{link}/accept")).await;
    assert!(matches!(followed.status, 404 | 405), "{followed:?}");
    let stored = api.get(&format!("/estimates/{id}"), &owner).await.json();
    assert_eq!(stored["accepted_at"], Value::Null, "a GET decides nothing");
    let back = press(&api, &format!("{link}/accept?language=en&utm_id=1")).await.with(303);
    assert_eq!(back.header("location"), format!("../{share}?language=en"));
    let page = browse(&api, &format!("{link}?language=en")).await.with(200).text;
    assert!(page.contains("Accepted") && !page.contains("<form"), "{page}");
    let refused = press(&api, &format!("{link}/reject?language=en")).await;
    assert!((400..500).contains(&refused.status), "{refused:?}");
    assert!(refused.text.contains("The reply cannot be taken any more."), "{refused:?}");
    let stored = api.get(&format!("/estimates/{id}"), &owner).await.json();
    assert!(stored["accepted_at"].is_string() && stored["rejected_at"].is_null());
}

#[actix_web::test]
async fn hidden_prices_are_on_no_rendering() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let items = json!([{"name": "Svetovanje", "quantity": 2, "price": 54321}]);
    let more = json!({"hide_prices": true, "items": items});
    let id = made(&api, &owner, "/delivery-notes", more).await;
    let link = link(&api, &owner, &id).await;
    let pages = [
        browse(&api, &link).await.with(200).text,
        api.get(&format!("{link}/pdf"), &Who::anonymous()).await.with(200).text,
        api.get(&format!("/documents/{id}/html"), &owner).await.with(200).text,
        api.get(&format!("/documents/{id}/pdf"), &owner).await.with(200).text,
        api.get(&format!("/documents/{id}/receipt"), &owner).await.with(200).text,
        api.get(&link, &Who::anonymous()).await.with(200).text,
    ];
    for page in pages {
        assert!(page.contains("Svetovanje"));
        for price in ["54321", "54.321", "54,321", "108642", "108.642", "108,642", "€"] {
            assert!(!page.contains(price), "{price}: {page}");
        }
    }
}

#[actix_web::test]
async fn documents_look_as_the_settings_say() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let entity = format!("/entities/{}", owner.entity());
    let set = async |settings: Value| {
        api.patch(&entity, &owner, json!({"settings": settings})).await.with(200);
    };
    for category in ["logo", "signature"] {
        let logo = Sent(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06", "a", "");
        let logo = form("/files", &logo, &[("category", category)]);
        api.call(owner.sign(logo)).await.with(201);
    }
    let more = json!({"footer": "Noga", "note": "Opomba", "signature": "Podpisnica"});
    let id = made(&api, &owner, "/invoices", more).await;
    let of = async |form: &str| {
        let path = format!("/documents/{id}/{form}");
        api.get(&path, &owner).await.with(200).text
    };
    assert_eq!(of("html").await.matches("<img").count(), 2);
    set(json!({
        "has_logo": false, "primary_color": "#Abc", "show_payment_amounts": false,
        "upn_qr": {"enabled": true, "display_mode": "full_slip", "purpose_code": "GDSV"},
        "epc_qr": {"enabled": true}, "hub3_qr": {"enabled": true},
        "receipt_note": "Hvala za obisk", "receipt_footer": "Nasvidenje",
        "receipt_signature": "Blagajna",
        "translations": {"receipt_footer": {"de-DE": "Bis bald"}},
    }))
    .await;
    let page = of("html?language=sl").await;
    assert_eq!(page.matches("<img").count(), 1, "the signature alone");
    for part in ["--main:#aabbcc", "UPN QR:", "GDSV", "***122,00", "EPC QR:", "Noga", "Podpisnica"]
    {
        assert!(page.contains(part), "{part} in {page}");
    }
    // HUB3 pays to accounts of Croatia; what is due is said where to pay, and not among the totals.
    for part in ["HUB3", "Nasvidenje", "class=\"main-total\">Za plačilo"] {
        assert!(!page.contains(part), "{part} in {page}");
    }
    for receipt in ["receipt?language=sl", "html?template=receipt_58&language=sl"] {
        let receipt = of(receipt).await;
        for part in ["Opomba", "Hvala za obisk", "Nasvidenje", "Blagajna"] {
            assert!(receipt.contains(part), "{part} in {receipt}");
        }
        assert!(!receipt.contains("Noga") && !receipt.contains("Podpisnica"), "{receipt}");
    }
    assert!(of("receipt?language=de").await.contains("Bis bald"));
}

#[actix_web::test]
async fn a_unit_has_its_own_logo_and_colour_and_issued_documents_keep_theirs() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let settings = json!({"settings": {"primary_color": "#fedcba"}});
    api.patch(&format!("/entities/{}", owner.entity()), &owner, settings).await.with(200);
    let paint = async |path: &str, color: &str| {
        let body = json!({"name": "Kranj", "settings": {"primary_color": color}});
        match path.is_empty() {
            true => api.post("/business-units", &owner, body).await.with(201).json(),
            false => api.patch(path, &owner, body).await.with(200).json(),
        }
    };
    let unit = text(&paint("", "#010203").await["id"]);
    let path = format!("/business-units/{unit}");
    // A picture as far as anybody looks; the last byte tells whose it is.
    let upload = async |own: u8, fields: &[(&str, &str)]| {
        let head = &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06"[..];
        let png = [head, &[own]].concat();
        let sent = form("/files", &Sent(&png, "logo.png", "image/png"), fields);
        let made = api.call(owner.sign(sent)).await.with(201).json();
        (made["id"].clone(), format!("data:image/png;base64,{}", STANDARD.encode(&png)))
    };
    let logo = ("category", "logo");
    let (_, of_entity) = upload(1, &[logo]).await;
    let (file, of_unit) = upload(2, &[logo, ("business_unit_id", &unit)]).await;
    assert_eq!(api.get(&path, &owner).await.with(200).json()["logo_file_id"], file);
    let sold = async |more: Value| {
        let id = made(&api, &owner, "/invoices", more).await;
        let link = link(&api, &owner, &id).await;
        (format!("/documents/{id}/html"), link)
    };
    let show = async |(page, link): &(String, String), logo: &str, other: &str, color: &str| {
        let page = api.get(page, &owner).await.with(200).text;
        let hosted = browse(&api, link).await.with(200).text;
        for shown in [page, hosted] {
            assert!(shown.contains(&format!("--main:{color}")), "{color}: {shown}");
            assert!(shown.contains(logo) && !shown.contains(other), "{shown}");
        }
    };
    let in_unit = json!({"business_unit_id": unit});
    let (plain, first) = (sold(json!({})).await, sold(in_unit.clone()).await);
    show(&plain, &of_entity, &of_unit, "#fedcba").await;
    show(&first, &of_unit, &of_entity, "#010203").await;
    paint(&path, "#040506").await;
    show(&first, &of_unit, &of_entity, "#010203").await;
    show(&sold(in_unit).await, &of_unit, &of_entity, "#040506").await;
}

#[actix_web::test]
async fn a_heavy_logo_is_light_on_pages_and_dots_on_receipts() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let mut logo = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06".to_vec();
    logo.resize(100_000, 7);
    let sent = form("/files", &Sent(&logo, "a", ""), &[("category", "logo")]);
    api.call(owner.sign(sent)).await.with(201);
    let id = made(&api, &owner, "/invoices", json!({})).await;
    let link = link(&api, &owner, &id).await;
    let preview = api.post("/invoices/preview", &owner, invoice(json!({}))).await.with(200);
    for page in [
        api.get(&format!("/documents/{id}/html"), &owner).await.with(200),
        browse(&api, &link).await.with(200),
        preview,
    ] {
        assert!(page.text.contains("base64,iQ==\""), "one byte of the logo: {}", page.text);
        assert!(page.text.len() < 50_000);
    }
    let receipt = api.get(&format!("/documents/{id}/receipt"), &owner).await.with(200);
    assert!(receipt.text.contains("\u{1d}v0\0\u{1}\0\u{8}\0"), "{}", receipt.text);
}

#[actix_web::test]
async fn a_mail_takes_the_document_along() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let sent = json!({"to": OWNER, "attach_pdf": true, "locale": "de-DE"});
    api.post(&format!("/documents/{id}/send"), &owner, sent).await.with(200);
    let mails = post.deliver().await;
    let [file] = &*mails[0].attachments else { panic!("no attachment: {mails:?}") };
    assert!(file.filename.starts_with("Rechnung-") && file.filename.ends_with(".pdf"), "{file:?}");
    assert_eq!(file.media_type, "application/pdf");
    assert!(String::from_utf8_lossy(&file.content).contains("Rechnung"));
    let plain = json!({"to": OWNER, "subject": "a", "body_text": "b", "attach_pdf": true});
    let refused = api.post("/email/send", &owner, plain).await.with(422);
    assert_eq!(refused.issue(), ("[\"attach_pdf\"]".to_owned(), "not_allowed".to_owned()));
}

#[actix_web::test]
async fn a_mail_is_in_the_style_of_its_document() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let settings = json!({"settings": {"primary_color": "#123456"}});
    api.patch(&format!("/entities/{}", owner.entity()), &owner, settings).await.with(200);
    let more = json!({"customer": {"name": "<script>"}, "date_due": "2026-10-31"});
    let id = post.document(&owner, "/invoices", more).await;
    let number = text(&api.get(&format!("/invoices/{id}"), &owner).await.json()["number"]);
    let send = async |more: Value| {
        let mut body =
            json!({"to": OWNER, "locale": "en-US", "body_text": "**Pay**, {customer_name}"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        api.post(&format!("/documents/{id}/send"), &owner, body).await.with(200);
        post.deliver().await.remove(0)
    };
    let bare = send(json!({})).await;
    let html = bare.html.unwrap();
    for part in [&*number, "#123456", "€100.00", "10/31/2026", "Pri Ani", "<strong>Pay</strong>"]
    {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    assert!(bare.attachments.is_empty(), "{:?}", bare.attachments);
    assert!(bare.text.starts_with("Pay, <script>\n") && !bare.text.contains("**"), "{}", bare.text);

    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x06\0\0\0";
    let logo = form("/files", &Sent(png, "logo.png", "image/png"), &[("category", "logo")]);
    api.call(owner.sign(logo)).await.with(201);
    let whole = send(json!({"attach_pdf": true})).await;
    assert!(whole.html.unwrap().contains("src=\"cid:logo\""));
    let [logo, pdf] = &*whole.attachments else { panic!("{:?}", whole.attachments) };
    assert_eq!((logo.content_id.as_deref(), &*logo.content), (Some("logo"), &png[..]));
    assert_eq!((pdf.content_id.as_deref(), &*pdf.media_type), (None, "application/pdf"));
}
