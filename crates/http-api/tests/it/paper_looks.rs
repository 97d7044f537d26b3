//! How pages look and where they lead: templates, locales of links, and the size of logos.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::files::{Sent, form};
use crate::harness::{Api, Who};
use crate::mailbox::Post;
use crate::paper::{browse, invoice, link, made, press};

const OWNER: &str = "owner@example.com";
const TEMPLATES: [&str; 6] =
    ["modern", "classic", "condensed", "minimal", "fashion", "timeless_modern_full_data"];

#[actix_web::test]
async fn links_of_a_page_keep_the_locale_that_it_was_asked_for_in() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let id = made(&api, &owner, "/estimates", json!({})).await;
    let link = link(&api, &owner, &id).await;
    let share = link.rsplit('/').next().unwrap();
    let asked = "language=sl&locale=en-US";
    let page = browse(&api, &format!("{link}?{asked}")).await.with(200).text;
    assert!(page.contains("€122.00"), "{page}");
    for to in ["pdf", "accept", "reject"] {
        let there = format!("\"{share}/{to}?language=sl&amp;locale=en-US\"");
        assert!(page.contains(&there), "{there} in {page}");
    }
    let file = api.get(&format!("{link}/pdf?{asked}"), &Who::anonymous()).await.with(200).text;
    assert!(file.contains("€122.00") && file.contains("Ponudba"), "{file}");
    let back = press(&api, &format!("{link}/accept?{asked}")).await.with(303);
    assert_eq!(back.header("location"), format!("../{share}?{asked}"));
    let refused = press(&api, &format!("{link}/reject?{asked}")).await;
    assert!(refused.text.contains("\"pdf?language=sl&amp;locale=en-US\""), "{refused:?}");
    // Where none was asked for, the language writes numbers, and the link says nothing of it.
    let plain = browse(&api, &format!("{link}?language=sl")).await.with(200).text;
    assert!(plain.contains("/pdf?language=sl\"") && !plain.contains("locale="), "{plain}");
    // The file beside a page that was asked for in a template is in that, too.
    let html = browse(&api, &format!("{link}/html?{asked}&template=classic")).await.with(200).text;
    let there = "\"pdf?language=sl&amp;locale=en-US&amp;template=classic\"";
    assert!(html.contains(there), "{html}");
}

/// The style sheet of a page, and the rest of it.
fn parted(page: &str) -> (String, String) {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (style, rest) = rest.split_once("</style>").unwrap();
    (style.to_owned(), format!("{head}{rest}"))
}

#[actix_web::test]
async fn each_template_has_a_look_of_its_own_on_pages_and_previews() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let id = made(&api, &owner, "/invoices", json!({})).await;
    let link = link(&api, &owner, &id).await;
    let mut previews = BTreeSet::new();
    let (mut pages, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for template in TEMPLATES {
        let path = format!("/invoices/preview?template={template}&upn_qr_enabled=true");
        let shown = api.post(&path, &owner, invoice(json!({}))).await.with(200);
        assert!(shown.text.contains("Svetovanje") && shown.text.contains("<svg"), "{template}");
        previews.insert(parted(&shown.text).0);
        let html = format!("/documents/{id}/html?template={template}");
        let (own, text) = parted(&api.get(&html, &owner).await.with(200).text);
        texts.insert(text);
        // The page behind the link is in the template of the settings.
        let settings = json!({"settings": {"pdf_template": template}});
        api.patch(&format!("/entities/{}", owner.entity()), &owner, settings).await.with(200);
        let hosted = browse(&api, &link).await.with(200);
        assert_eq!(parted(&hosted.text).0, own, "{template}");
        pages.insert((own, hosted.header("content-security-policy").to_owned()));
    }
    assert_eq!((previews.len(), pages.len(), texts.len()), (6, 6, 1));
    let policies: BTreeSet<&String> = pages.iter().map(|(_, policy)| policy).collect();
    assert_eq!(policies.len(), 6, "each names its style");
}

#[actix_web::test]
async fn a_logo_has_the_size_of_the_settings_on_pages_and_in_mails() {
    let post = Post::open().await;
    let (api, owner) = (&post.api, post.owner(OWNER).await);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x06\0\0\0";
    let logo = form("/files", &Sent(png, "logo.png", "image/png"), &[("category", "logo")]);
    api.call(owner.sign(logo)).await.with(201);
    let id = post.document(&owner, "/invoices", json!({})).await;
    let link = link(api, &owner, &id).await;
    for (percent, on_page, in_mail) in
        [(30, "--logo:0.30", "max-height:24px"), (100, "--logo:1.00", "max-height:80px")]
    {
        let settings = json!({"settings": {"logo_scale_percent": percent}});
        api.patch(&format!("/entities/{}", owner.entity()), &owner, settings).await.with(200);
        let body: Value = invoice(json!({}));
        for page in [
            api.post("/invoices/preview", &owner, body).await.with(200).text,
            api.get(&format!("/documents/{id}/html"), &owner).await.with(200).text,
            browse(api, &link).await.with(200).text,
        ] {
            assert!(page.contains("<img class=\"logo\"") && page.contains(on_page), "{page}");
        }
        let sent = json!({"to": OWNER});
        api.post(&format!("/documents/{id}/send"), &owner, sent).await.with(200);
        let html = post.deliver().await.remove(0).html.unwrap();
        assert!(html.contains(in_mail), "{in_mail}: {html}");
    }
}
