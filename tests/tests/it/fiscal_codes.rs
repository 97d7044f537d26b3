//! The codes and marks of fiscalized receipts, on paper and for printers, as other programs read
//! them: they are those that the interface answers. The authorities are those that the server
//! simulates itself.

use std::time::Duration;

use racun_fiscal::Authority;
use racun_tests::{Account, Racun, StoreKind, Taxpayer, codes, fiscal, pdf_text, pictures_codes};
use serde_json::{Value, json};

/// How long a receipt may wait for the authority.
const DELIVERY: Duration = Duration::from_secs(60);
const ROLLS: [&str; 2] = ["receipt_80", "receipt_58"];

/// A shop in the sandbox whose certificate is the server's own.
async fn shop(account: &Account, authority: Authority) -> Taxpayer {
    let (country, number, operator) = match authority {
        Authority::Furs => ("Slovenia", "10039856", "operator_tax_number"),
        Authority::Fina => ("Croatia", "69435151530", "operator_oib"),
    };
    let wanted = json!({
        "name": "Pri Ani", "country": country, "environment": "sandbox", "tax_number": number,
    });
    let entity = text(&account.user.create("/entities", &wanted).await["id"]);
    let api = account.api.clone().with("x-entity-id", &entity);
    let own = Taxpayer { api, authority, entity };
    let certificate = own.path("/settings/certificate/sandbox");
    own.api.post(&certificate, &json!({})).await.expect(201);
    let mut settings = json!({ "enabled": true, "operator_label": "Ana" });
    settings[operator] = json!(number);
    own.api.put(&own.path("/settings"), &settings).await.expect(200);
    own.place("P1", &["1"]).await;
    own
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Of `printed`, what is no blank: long marks are broken into lines.
fn unbroken(printed: &str) -> String {
    printed.split_whitespace().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_bear_the_code_and_the_marks_that_the_authority_knows() {
    let racun = Racun::start(StoreKind::Embedded).await;
    let account = Account::sign_up(&racun).await;
    for authority in [Authority::Furs, Authority::Fina] {
        let own = shop(&account, authority).await;
        let sold = own.sell("P1", "1").await;
        own.all_settled(DELIVERY).await;
        let sold = own.read(&sold).await;
        let confirmation = own.confirmation(&sold).unwrap_or_else(|| panic!("waits: {sold}"));
        let marks = [own.mark(&sold), confirmation];
        let path = format!("/documents/{}", text(&sold["id"]));
        let mut printed = Vec::new();
        for query in ["", "?template=receipt_80", "?template=receipt_58"] {
            let pdf = own.api.file(&format!("{path}/pdf{query}")).await;
            let words = pdf_text(&pdf);
            let has = |mark: &String| unbroken(&words).contains(mark);
            assert!(marks.iter().all(has), "{marks:?} in {query}: {words}");
            printed.push(codes(&pdf));
        }
        for roll in ROLLS {
            let receipt = format!("{path}/receipt?format=escpos&template={roll}");
            let receipt = own.api.file(&receipt).await;
            let words = String::from_utf8_lossy(&receipt);
            let has = |mark: &String| unbroken(&words).contains(mark);
            assert!(marks.iter().all(has), "{marks:?} in {roll}: {words}");
            printed.push(pictures_codes(&receipt));
        }
        let code = text(&fiscal(&sold)["data"]["qr"]);
        for codes in printed {
            // Without a reader there is nothing to compare.
            let Some(codes) = codes else { continue };
            assert_eq!(codes, [("QRCode".to_owned(), code.clone().into_bytes())], "{sold}");
        }
    }
}
