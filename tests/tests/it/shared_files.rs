//! Files behind links: what they hold, to the last stream, is for anyone who has the link.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use racun_tests::{Account, Racun, StoreKind, pdf_text};
use serde_json::json;

/// All that `pdf` says, as it is and in its compressed streams.
fn inside(pdf: &[u8]) -> String {
    const BEGIN: &[u8] = b"stream\n";
    let mut all = String::from_utf8_lossy(pdf).into_owned();
    for at in (0..pdf.len()).filter(|at| pdf[*at..].starts_with(BEGIN)) {
        let mut stream = Vec::new();
        // What is no compressed stream is there already.
        let _ = ZlibDecoder::new(&pdf[at + BEGIN.len()..]).read_to_end(&mut stream);
        all += &String::from_utf8_lossy(&stream);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pdf_behind_a_link_tells_no_ids_and_no_metadata() {
    let racun = Racun::start(StoreKind::Embedded).await;
    let account = Account::sign_up(&racun).await;
    let sale = json!({
        "customer": { "name": "Bor d.o.o." },
        "items": [{ "name": "Deske", "price": 100, "taxes": [{ "rate": 22 }] }],
        "metadata": { "till": "for-us-alone" },
    });
    let sold = account.api.create("/invoices", &sale).await;
    let id = sold["id"].as_str().expect("an id");
    let user = account.user.read("/users/me").await;
    let share = account.api.post(&format!("/documents/{id}/share"), &json!({})).await.expect(200);
    let link = share["shareable_link"].as_str().expect("a link");
    let (_, shared) = link.rsplit_once('/').expect("an address");
    let pdf = racun.client().file(&format!("/invoices/shareable/{shared}/pdf")).await;
    let (words, inside) = (pdf_text(&pdf), inside(&pdf));
    assert!(words.contains("Deske") && inside.contains("<x:xmpmeta"), "{words}");
    let user = user["id"].as_str().expect("an id");
    for kept in [id, &account.entity, user, &account.email, "for-us-alone"] {
        assert!(!words.contains(kept) && !inside.contains(kept), "{kept}: {words}");
    }
}
