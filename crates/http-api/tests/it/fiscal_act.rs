//! The internal act.

use serde_json::json;

use crate::harness::{Answer, text};
use crate::taxpayer::{TAX_NUMBER, Taxpayer, cause};

const PDF: &str = "/internal-act/pdf";
const DOCX: &str = "/internal-act/docx";

/// The words of a DOCX file, whose parts are not compressed.
fn words(answer: &Answer) -> String {
    let (_, document) = answer.text.split_once("<w:body>").unwrap();
    let (document, _) = document.split_once("</w:body>").unwrap();
    let texts = document.split("<w:t xml:space=\"preserve\">").skip(1);
    texts.filter_map(|text| text.split('<').next()).collect::<Vec<_>>().join("|")
}

#[actix_web::test]
async fn an_act_needs_a_certificate_a_premise_and_a_device() {
    let si = Taxpayer::slovenian().await;
    let refuses = async |who: &Taxpayer, code: &str| {
        for path in [PDF, DOCX] {
            assert_eq!(cause(&who.get(path).await.with(422)), code, "{path}");
        }
    };
    refuses(&si, "certificate_missing").await;
    let si = si.certified().await;
    refuses(&si, "premise_missing").await;
    let first = si.premise("A1").await;
    refuses(&si, "device_missing").await;
    let device = si.device(&first, "1").await;
    si.get(PDF).await.with(200);
    si.delete(&format!("/devices/{device}")).await.with(200);
    refuses(&si, "device_missing").await;
    si.device(&first, "2").await;
    si.get(DOCX).await.with(200);
    si.delete(&format!("/premises/{first}")).await.with(200);
    refuses(&si, "premise_missing").await;
    let hr = Taxpayer { base: "/fiscalization/furs", ..Taxpayer::croatian().await };
    refuses(&hr, "country_not_supported").await;
}

#[actix_web::test]
async fn an_act_says_what_is_and_by_which_rule_it_is_numbered() {
    let si = Taxpayer::slovenian().await.certified().await;
    let place = json!({
        "cadastral_number": "1735", "building_number": "12", "building_section": "3",
        "street": "Čopova ulica", "house_number": "24", "house_number_additional": "B",
        "community": "Žužemberk", "city": "Žužemberk", "postal_code": "8360",
    });
    let body =
        json!({"business_premise_name": "TRG1", "real_estate": place, "starting_number": 100});
    let shop = text(&si.post("/premises/real-estate", body).await.with(201).json()["id"]);
    let web = si.premise("SPLET").await;
    let (gone, closed) = (si.device(&shop, "STARA").await, si.premise("ZAPRTA").await);
    si.device(&shop, "BLAG1").await;
    si.device(&web, "W").await;
    si.delete(&format!("/devices/{gone}")).await.with(200);
    si.delete(&format!("/premises/{closed}")).await.with(200);
    si.put(json!({"operator_tax_number": "87654321", "operator_label": "ŠEF"})).await.with(200);
    let me = json!({"operator_tax_number": "12345678", "operator_label": "ANA"});
    si.api.put("/users/me/settings/furs", &si.owner, me).await.with(200);
    si.api.pass(86_400);
    let act = si.get(DOCX).await.with(200);
    let kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    assert_eq!(act.header("content-type"), kind);
    let name = "attachment; filename=\"interni-akt-2026-11-21.docx\"; \
                filename*=UTF-8''interni%2Dakt%2D2026%2D11%2D21.docx";
    assert_eq!(act.header("content-disposition"), name);
    let written = words(&act);
    for part in [
        "Interni akt o popisu poslovnih prostorov in dodelitvi oznak|",
        "Naziv|Pri Ani|Naslov|Trg 1, 1000 Ljubljana|",
        &format!("Davčna številka|SI {TAX_NUMBER}|"),
        "TRG1|nepremični prostor|Čopova ulica 24B, 8360 Žužemberk, naselje Žužemberk; ",
        "; katastrska občina 1735, stavba 12, del stavbe 3|20. 11. 2026|",
        "SPLET|premični prostor|posamezna elektronska naprava (C)",
        "TRG1|BLAG1|20. 11. 2026|SPLET|W|",
        "(oznaka C)",
        "V letu 2026 se zaporedje TRG1 začne s številko 100",
        "ŠEF|oseba iz nastavitev zavezanca|87654321|ANA|owner@example.com|12345678|",
        "Ta akt velja od 21. 11. 2026.",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
    for part in ["STARA", "ZAPRTA", "oznaka B", "zaporedje SPLET"] {
        assert!(!written.contains(part), "{part}\n{written}");
    }
    si.put(json!({"numbering_strategy": "B"})).await.with(200);
    let written = words(&si.get(DOCX).await.with(200));
    assert!(written.contains("(oznaka B)") && !written.contains("številko 100"), "{written}");
    let act = si.get(PDF).await.with(200);
    assert_eq!(act.header("content-type"), "application/pdf");
    let name = "attachment; filename=\"interni-akt-2026-11-21.pdf\"; \
                filename*=UTF-8''interni%2Dakt%2D2026%2D11%2D21.pdf";
    assert_eq!(act.header("content-disposition"), name);
    assert!(act.text.starts_with("%PDF-") && act.text.trim_end().ends_with("%%EOF"));
}
