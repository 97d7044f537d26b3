//! The payment codes of issued documents, on paper and on receipts for printers, as another program
//! reads them: they ask for what the document asks for.

use racun_tests::{Account, Client, Racun, StoreKind, codes, pictures_codes};
use serde_json::{Value, json};

const SLOVENIAN: &str = "SI56263300012039086";
const CROATIAN: &str = "HR1210010051863000160";

/// A shop in `country` whose documents have all its payment codes.
async fn shop(racun: &Racun, country: &str, iban: &str) -> Client {
    let account = Account::sign_up(racun).await;
    let wanted = json!({
        "name": "Žagarstvo Čuk", "country": country, "environment": "sandbox",
        "address": "Cesta 1", "post_code": "3000", "city": "Celje",
        "settings": {
            "bank_accounts": [{"type": "iban", "iban": iban}],
            "upn_qr": {"enabled": true, "display_mode": "full_slip"},
            "epc_qr": {"enabled": true},
            "hub3_qr": {"enabled": true, "reference_model": "HR01"},
        },
    });
    let entity = account.user.create("/entities", &wanted).await;
    account.api.with("x-entity-id", entity["id"].as_str().expect("an id"))
}

/// An invoice over 1,232.50, of which 12.50 is paid.
async fn invoice(api: &Client) -> Value {
    let body = json!({
        "customer": {"name": "Štefan Đokić", "address": "Ulica 7", "city": "Ljubljana"},
        "items": [{"name": "Deske", "price": 1232.5, "taxes": []}],
        "payments": [{"type": "cash", "amount": 12.5}],
    });
    let invoice = api.create("/invoices", &body).await;
    assert_eq!(invoice["total_due"], json!(1220), "{invoice}");
    invoice
}

/// The codes of a PDF and of both rolls for printers, each as lines.
async fn printed(api: &Client, invoice: &Value) -> Option<Vec<Vec<(String, Vec<String>)>>> {
    let path = format!("/documents/{}", invoice["id"].as_str().expect("an id"));
    let lines = |(kind, bytes): (String, Vec<u8>)| {
        // The letters of Latin 2 beyond ASCII stay unread here.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (kind, text.lines().map(str::to_owned).collect())
    };
    let mut all = vec![codes(&api.file(&format!("{path}/pdf")).await)?];
    for template in ["receipt_80", "receipt_58"] {
        all.push(codes(&api.file(&format!("{path}/pdf?template={template}")).await)?);
        let receipt = format!("{path}/receipt?format=escpos&template={template}");
        all.push(pictures_codes(&api.file(&receipt).await)?);
    }
    Some(all.into_iter().map(|codes| codes.into_iter().map(lines).collect()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_ask_for_what_is_due_with_the_documents_reference() {
    let racun = Racun::start(StoreKind::Embedded).await;
    let api = shop(&racun, "Slovenia", SLOVENIAN).await;
    let sold = invoice(&api).await;
    let Some(all) = printed(&api, &sold).await else { return };
    for codes in all {
        assert_eq!(codes.len(), 2, "a UPN QR and an EPC QR: {codes:?}");
        for (kind, lines) in codes {
            assert_eq!(kind, "QRCode");
            let line = |n: usize| lines[n].as_str();
            if line(0) == "UPNQR" {
                assert_eq!((lines.len(), line(8), line(14)), (20, "00000122000", SLOVENIAN));
                assert!(line(15).starts_with("SI"), "{lines:?}");
            } else {
                assert_eq!((line(0), line(3), line(6)), ("BCD", "SCT", SLOVENIAN), "{lines:?}");
                assert_eq!((line(5), line(7)), ("Žagarstvo Čuk", "EUR1220.00"), "{lines:?}");
            }
        }
    }
    let api = shop(&racun, "Croatia", CROATIAN).await;
    let sold = invoice(&api).await;
    let number: String =
        sold["number"].as_str().expect("a number").chars().filter(char::is_ascii_digit).collect();
    let Some(all) = printed(&api, &sold).await else { return };
    for codes in all {
        let hub3: Vec<_> = codes.iter().filter(|(kind, _)| kind == "PDF417").collect();
        let [(_, lines)] = hub3[..] else { panic!("one HUB3 code: {codes:?}") };
        let line = |n: usize| lines[n].as_str();
        assert_eq!((line(0), line(1), line(2)), ("HRVHUB30", "EUR", "000000000122000"));
        assert_eq!((line(3), line(6)), ("Štefan Đokić", "Žagarstvo Čuk"), "{lines:?}");
        assert_eq!((line(9), line(10)), (CROATIAN, "HR01"), "{lines:?}");
        let digits: String = line(11).chars().filter(char::is_ascii_digit).collect();
        assert!(digits.starts_with(&number), "{digits} of {number}");
        assert_eq!(codes.len(), 2, "a HUB3 code and an EPC QR: {codes:?}");
    }
}
