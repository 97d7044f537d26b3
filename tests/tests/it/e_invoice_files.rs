//! Electronic invoices that are more than XML, from a running server: hybrids, signed files,
//! packages, archives and mails, looked at by programs that are not ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use racun_authorities::xml::XADES;
use racun_test_postgres::program;
use racun_tests::{Account, Client, Racun, StoreKind, mails, on_both_stores};
use serde_json::{Value, json};

use crate::judge::judge;

on_both_stores! {
    a_hybrid_holds_the_invoice_that_its_page_shows,
    e_slog_is_signed_and_packed_for_ujp,
    an_archive_of_e_slog_names_what_it_leaves_out,
    mails_carry_the_electronic_invoice,
}

/// A client in a new entity of `account` in `country`, with `settings`; its id, too.
async fn entity(account: &Account, country: &str, mut settings: Value) -> (Client, String) {
    let is_german = country == "Germany";
    let wanted = json!({
        "name": "Beratung & Söhne", "country": country, "environment": "sandbox",
        "tax_number": if is_german { "DE136695976" } else { "SI10039856" },
        "company_number": "HRB 1", "address": "Weg 1", "post_code": "10115", "city": "Berlin",
        "phone": "+49 30 1", "email": "a@example.com",
    });
    let made = account.user.create("/entities", &wanted).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    let iban = if is_german { "DE89370400440532013000" } else { "SI56263300012039086" };
    settings["bank_accounts"] = json!([{"type": "iban", "iban": iban, "bic": "LJBASI2XXXX"}]);
    let user = account.user.clone().with("x-entity-id", &id);
    user.patch(&format!("/entities/{id}"), &json!({"settings": settings})).await.expect(200);
    (account.api.clone().with("x-entity-id", &id), id)
}

/// An invoice to a consumer, or to a budget user in Slovenia.
fn invoice(country: &str, rate: u8) -> Value {
    let mut body = json!({
        "date_service": "2026-01-15",
        "customer": {
            "name": "Mestna občina", "address": "Pot 2", "post_code": "1000", "city": "Ljubljana",
            "country_code": country, "email": "k@example.com", "save_customer": false,
            "is_end_consumer": true, "company_number": "5874025000",
            "e_invoicing": {"buyer_reference": "04011000-12345-03"},
        },
        "items": [
            {"name": "Žaga & sin", "quantity": 3, "unit": "kos", "price": 19.99,
                "taxes": [{"rate": rate}]},
        ],
    });
    if country == "SI" {
        body["customer"]["tax_number"] = json!("SI87654321");
        body["customer"]["ujp"] = json!({
            "receiver_agent": "UJPLSI2DICL", "receiver_mailbox": "SI56011006370171132",
        });
    }
    body
}

fn id(made: &Value) -> &str {
    made["id"].as_str().expect("an id")
}

/// What a program prints, which succeeds.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// Checks the hybrid `file`, which shows `number`; answers the path of its XML.
fn check_hybrid(folder: &Path, file: &[u8], number: &str) -> PathBuf {
    let pdf = folder.join(format!("{number}.pdf"));
    fs::write(&pdf, file).expect("a file");
    let said = run(program("qpdf").arg("--check").arg(&pdf));
    assert!(!said.contains("WARNING"), "{said}");
    let text = run(program("pdftotext").arg(&pdf).arg("-"));
    assert!(text.contains(number), "{text}");
    let xmp = run(program("pdfinfo").arg("-meta").arg(&pdf));
    assert!(xmp.contains("<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>"), "{xmp}");
    let into = folder.join(number);
    fs::create_dir(&into).expect("a folder");
    run(program("pdfdetach").args(["-saveall", "-o"]).arg(&into).arg(&pdf));
    let xml = into.join("factur-x.xml");
    let inside = fs::read_to_string(&xml).expect("the attached file");
    assert!(inside.contains(number), "{inside}");
    xml
}

async fn a_hybrid_holds_the_invoice_that_its_page_shows(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let (api, _) = entity(&account, "Germany", json!({"zugferd": {"enabled": true}})).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    let kinds = ["/invoices", "/credit-notes", "/advance-invoices"];
    for (n, path) in kinds.iter().cycle().take(12).enumerate() {
        let quantity = 1 + 7 * n;
        let mut wanted = invoice("DE", 19);
        wanted["items"][0]["quantity"] = json!(quantity);
        if *path == "/advance-invoices" {
            // One is issued when it is paid.
            wanted["payments"] = json!([{"type": "bank_transfer"}]);
        }
        let made = api.create(path, &wanted).await;
        assert_eq!(made["zugferd"]["validation_status"], "valid", "{made}");
        let from = format!("{path}/{}/zugferd", id(&made));
        let file = api.file(&from).await;
        assert!(file == api.file(&from).await, "the same document is the same file");
        // Who receives it reads it; a credit note is no expense.
        let received = api.upload("/expenses/import", &[("file", &file)]).await;
        if *path == "/credit-notes" {
            received.refused(422, "unprocessable_entity");
        } else {
            let expense = received.expect(201);
            assert_eq!(expense["total_with_tax"], made["total_with_tax"], "{expense}");
        }
        let number = made["number"].as_str().expect("a number");
        let name = format!("{}-{number}", path.trim_matches('/'));
        let own = folder.path().join(name);
        fs::create_dir(&own).expect("a folder");
        files.push(("facturx", check_hybrid(&own, &file, number)));
        files.push(("facturx-pdf", own.join(format!("{number}.pdf"))));
    }
    let mut draft = invoice("DE", 19);
    draft["is_draft"] = json!(true);
    let draft = api.create("/invoices", &draft).await;
    let refused = api.get(&format!("/invoices/{}/zugferd", id(&draft))).await;
    refused.refused(422, "unprocessable_entity");
    let mut bad = invoice("DE", 19);
    bad["customer"]["country_code"] = json!(null);
    bad["zugferd"] = json!({"validation_enabled": true, "validation_required": false});
    let bad = api.create("/invoices", &bad).await;
    assert_eq!(bad["zugferd"]["validation_status"], "invalid", "{bad}");
    let refused = api.get(&format!("/invoices/{}/zugferd", id(&bad))).await;
    refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "zugferd_invalid");
    api.get(&format!("/credit-notes/{}/zugferd", id(&bad))).await.refused(404, "not_found");
    let Some(said) = judge(&files) else { return };
    for (file, said) in said {
        let fatal: Vec<_> = said.iter().filter(|one| one.level == "fatal").collect();
        assert!(fatal.is_empty(), "{}: {fatal:#?}", file.display());
    }
}

/// Whether the e-SLOG file at `path` is valid by its schema, and its signature by the certificate
/// that it carries.
fn check_signed(path: &Path) {
    let schema = "../crates/einvoicing/tests/it/vectors/xsd/eslog20/eSLOG20_INVOIC_v200.xsd";
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(schema);
    run(program("xmllint").args(["--nonet", "--noout", "--schema"]).args([&schema, path]));
    let xml = fs::read_to_string(path).expect("a file");
    let certificate = xml.split("<ds:X509Certificate>").nth(1).expect("it is signed");
    let certificate = certificate.split('<').next().unwrap_or_default();
    let lines: Vec<&str> = certificate
        .as_bytes()
        .chunks(64)
        .map(|line| str::from_utf8(line).expect("base64"))
        .collect();
    let pem = path.with_extension("pem");
    let text =
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"));
    fs::write(&pem, text).expect("a file");
    let verify = |file: &Path| {
        let mut xmlsec = program("xmlsec1");
        xmlsec.args(["--verify", "--id-attr:Id", "urn:eslog:2.00:M_INVOIC", "--id-attr:Id"]);
        xmlsec.arg(format!("{XADES}:SignedProperties"));
        xmlsec.args(["--enabled-reference-uris", "same-doc", "--enabled-key-data", "rsa"]);
        xmlsec.arg("--pubkey-cert-pem").arg(&pem).arg(file);
        xmlsec
    };
    run(&mut verify(path));
    let altered = path.with_extension("altered.xml");
    fs::write(&altered, xml.replacen("Žaga", "Raga", 1)).expect("a file");
    let output = verify(&altered).output().expect("xmlsec1 runs");
    assert!(!output.status.success(), "another text is not what was signed");
}

async fn e_slog_is_signed_and_packed_for_ujp(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let settings =
        json!({"eslog_validation_enabled": true, "ujp_validation_with_eslog_enabled": true});
    let (api, entity) = entity(&account, "Slovenia", settings).await;
    let made = api.create("/invoices", &invoice("SI", 22)).await;
    assert_eq!(made["ujp"]["validation_status"], "valid", "{}", made["ujp"]);
    let download = format!("/eslog/{}/download", id(&made));
    let unsigned = String::from_utf8(api.file(&download).await).expect("UTF-8");
    assert!(!unsigned.contains("Signature"), "there is no certificate yet");

    let user = account.user.clone().with("x-entity-id", &entity);
    let path = "/fiscalization/furs/settings/certificate/sandbox";
    user.post(path, &json!({})).await.expect(201);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("signed.xml");
    let signed = String::from_utf8(api.file(&download).await).expect("UTF-8");
    let (before, _) = signed.split_once("<ds:Signature").expect("it is signed");
    assert!(unsigned.starts_with(before), "nothing else is another");
    fs::write(&file, signed).expect("a file");
    check_signed(&file);

    let package = folder.path().join("package.zip");
    fs::write(&package, api.file(&format!("/ujp/{}/download", id(&made))).await).expect("a file");
    let into = folder.path().join("package");
    run(program("unzip").arg("-q").arg(&package).arg("-d").arg(&into));
    let number = made["number"].as_str().expect("a number");
    let mut names: Vec<String> = fs::read_dir(&into)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, [format!("{number}.pdf"), format!("{number}.xml"), "envelope.xml".into()]);
    check_signed(&into.join(format!("{number}.xml")));
    let page = run(program("pdftotext").arg(into.join(format!("{number}.pdf"))).arg("-"));
    assert!(page.contains(number), "{page}");
    let files = [
        ("ujp", into.join("envelope.xml")),
        ("eslog-ujp", into.join(format!("{number}.xml"))),
        ("eslog", file.clone()),
    ];
    for (file, said) in judge(&files).unwrap_or_default() {
        let fatal: Vec<_> = said.iter().filter(|one| one.level == "fatal").collect();
        assert!(fatal.is_empty(), "{}: {fatal:#?}", file.display());
    }
    let envelope = fs::read_to_string(into.join("envelope.xml")).expect("the envelope");
    for part in [
        "<receiver_agent>UJPLSI2DICL</receiver_agent>",
        &format!("<external_doc_id>{number}</external_doc_id>"),
        &format!("<filename>{number}.xml</filename>"),
        "<count>2</count>",
    ] {
        assert!(envelope.contains(part), "{part} is not in {envelope}");
    }

    let mut other = invoice("SI", 22);
    other["customer"]["ujp"] = json!(null);
    let other = api.create("/invoices", &other).await;
    let refused = api.get(&format!("/ujp/{}/download", id(&other))).await;
    refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "ujp_invalid");
    let estimate = api.create("/estimates", &invoice("SI", 22)).await;
    let refused = api.get(&format!("/ujp/{}/download", id(&estimate))).await;
    refused.refused(422, "unprocessable_entity");
}

async fn an_archive_of_e_slog_names_what_it_leaves_out(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let (api, _) = entity(&account, "Slovenia", json!({})).await;
    let good = api.create("/invoices", &invoice("SI", 22)).await;
    let bad = api.create("/invoices", &invoice("SI", 21)).await;
    let mut draft = invoice("SI", 22);
    draft["is_draft"] = json!(true);
    let draft = api.create("/invoices", &draft).await;
    let void = api.create("/invoices", &invoice("SI", 22)).await;
    api.post(&format!("/invoices/{}/void", id(&void)), &json!({})).await.expect(200);
    let wanted = json!({"document_ids": [id(&good), id(&bad), id(&draft), id(&void)]});
    let begun = api.post("/documents/export/eslog", &wanted).await.expect(202);
    let path = format!("/documents/export/jobs/{}", id(&begun));
    let mut job = begun;
    for _ in 0..600 {
        if !matches!(job["status"].as_str(), Some("pending" | "processing")) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        job = api.read(&path).await;
    }
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["result"], json!({"exported": 1, "skipped": 3}), "{job}");
    let reason = |of: &Value| {
        let named = job["skipped_documents"].as_array().expect("a list");
        let own = named.iter().find(|one| one["document_id"] == of["id"]).expect("it is named");
        own["reason"].as_str().expect("a reason").to_owned()
    };
    assert!(reason(&bad).contains("items[0].taxes[0].rate: ESLOG-RATE"), "{job}");
    assert_eq!([reason(&draft), reason(&void)], ["it is a draft", "it is voided"]);
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("archive.zip");
    fs::write(&archive, api.file(&format!("{path}/download")).await).expect("a file");
    let listed = run(program("unzip").arg("-p").arg(&archive));
    let number = good["number"].as_str().expect("a number");
    assert!(listed.contains(&format!("<D_1004>{number}</D_1004>")), "{listed}");
    let wrong = json!({"types": ["delivery_note"]});
    api.post("/documents/export/eslog", &wrong).await.refused(422, "unprocessable_entity");
    let (german, _) = entity(&account, "Germany", json!({})).await;
    let refused = german.post("/documents/export/eslog", &json!({"types": ["invoice"]})).await;
    assert_eq!(refused.cause(), "country_not_supported");
}

async fn mails_carry_the_electronic_invoice(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    account.verify(&racun).await;
    let both = json!({"xrechnung": {"enabled": true}, "zugferd": {"enabled": true}});
    let (german, _) = entity(&account, "Germany", both).await;
    let made = german.create("/invoices", &invoice("DE", 19)).await;
    let send = |made: &Value, more: Value| {
        let mut body = json!({"to": account.email, "document_id": made["id"]});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        body
    };
    german.post("/email/send", &send(&made, json!({"attach_pdf": true}))).await.expect(200);
    let number = made["number"].as_str().expect("a number");
    let mail = mails(&racun, &format!("{number}.xml"), 1).await.remove(0);
    let attached = mail.matches("Content-Disposition: attachment").count();
    assert_eq!(attached, 2, "the XML, and the hybrid in the place of the PDF: {mail}");
    assert!(mail.contains(&format!("{number}.pdf")), "{mail}");

    let (slovenian, _) = entity(&account, "Slovenia", json!({})).await;
    let checked = json!({"validation_enabled": true});
    let mut wanted = invoice("SI", 22);
    wanted["eslog"] = checked;
    let made = slovenian.create("/estimates", &wanted).await;
    let asks = json!({"attach_eslog": true});
    slovenian.post("/email/send", &send(&made, asks.clone())).await.expect(200);
    let all = mails(&racun, "application/xml", 2).await;
    let mail = all.iter().find(|mail| !mail.contains("Rechnung")).expect("the second mail");
    assert_eq!(mail.matches("Content-Disposition: attachment").count(), 1, "{mail}");
    let unchecked = slovenian.create("/invoices", &invoice("SI", 22)).await;
    let refused = slovenian.post("/email/send", &send(&unchecked, asks)).await;
    refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "eslog_invalid");
}
