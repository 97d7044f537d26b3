//! Archives of PDFs from a running server: every document once, as its own PDF says it, with
//! hostile texts and after a kill, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use racun_test_postgres::program;
use racun_tests::{Account, Client, Racun, Random, StoreKind, mails, on_both_stores, token_in};
use serde_json::{Value, json};

on_both_stores! {
    an_archive_holds_each_document_as_its_pdf,
    a_killed_server_goes_on_with_its_archive,
    what_all_renderings_say_of_one_document_agrees_to_the_cent,
    hostile_texts_are_harmless_in_all_renderings,
}

/// Until an archive is complete: longer than the lease of a worker that died, and the work after it
/// on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

const KINDS: [(&str, &str); 5] = [
    ("/invoices", "invoice"),
    ("/estimates", "estimate"),
    ("/credit-notes", "credit_note"),
    ("/advance-invoices", "advance_invoice"),
    ("/delivery-notes", "delivery_note"),
];

/// Asks for an archive until it is over; its progress never falls.
async fn over(client: &Client, begun: &Value) -> Value {
    let path = format!("/documents/export/jobs/{}", begun["id"].as_str().expect("an id"));
    let (deadline, mut last) = (Instant::now() + PATIENCE, 0);
    loop {
        let job = client.read(&path).await;
        let progress = job["progress"].as_u64().expect("a number");
        assert!(progress >= last && progress <= 100, "{last}: {job}");
        last = progress;
        match job["status"].as_str() {
            Some("pending" | "processing") => {}
            _ => return job,
        }
        assert!(Instant::now() < deadline, "{job}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn completed(client: &Client, request: &Value) -> Value {
    let begun = client.post("/documents/export/pdf", request).await.expect(202);
    let job = over(client, &begun).await;
    assert_eq!((&job["status"], &job["progress"]), (&json!("completed"), &json!(100)), "{job}");
    job
}

async fn download(client: &Client, job: &Value) -> Vec<u8> {
    let id = job["id"].as_str().expect("an id");
    client.file(&format!("/documents/export/jobs/{id}/download")).await
}

/// What `unzip` takes out of an archive, once it has checked it: the texts of the PDFs by name, as
/// `pdftotext` reads them.
fn texts(archive: &[u8]) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("archive.zip");
    std::fs::write(&file, archive).expect("a file");
    let into = folder.path().join("out");
    run(program("unzip").arg("-q").arg(&file).arg("-d").arg(&into));
    let Ok(entries) = std::fs::read_dir(&into) else { return BTreeMap::new() };
    let text = |path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, run(program("pdftotext").arg("-layout").arg(path).arg("-")))
    };
    entries.map(|entry| text(&entry.expect("an entry").path())).collect()
}

/// What a program prints, which succeeds.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn line(name: &str, price: &Value) -> Value {
    json!({ "name": name, "quantity": 3, "price": price, "taxes": [{ "rate": 22 }] })
}

async fn invoice(api: &Client, name: &str) -> Value {
    let body = json!({ "customer": { "name": name }, "items": [line("Work", &json!(10))] });
    api.create("/invoices", &body).await
}

async fn an_archive_holds_each_document_as_its_pdf(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    account.verify(&racun).await;
    let user = account.user.clone().with("x-entity-id", &account.entity);
    let mut expected = BTreeSet::new();
    for (path, _) in KINDS {
        for is_draft in [false, true] {
            let body = json!({
                "customer": { "name": format!("Žiga {path} {is_draft}") },
                "items": [line("Work", &json!(10))],
                "is_draft": is_draft || path == "/advance-invoices",
            });
            let made = user.create(path, &body).await;
            expected.insert(format!("Žiga {path} {is_draft}"));
            if path == "/invoices" && !is_draft {
                let id = made["id"].as_str().expect("an id");
                user.post(&format!("/invoices/{id}/void"), &json!({})).await.expect(200);
            }
        }
    }
    let types: Vec<&str> = KINDS.iter().map(|(_, name)| *name).collect();
    let job = completed(&user, &json!({ "types": types, "language": "en" })).await;
    assert_eq!((&job["total_docs"], &job["result"]["exported"]), (&json!(10), &json!(10)));
    let archive = download(&user, &job).await;
    let texts = texts(&archive);
    assert_eq!(texts.len(), 10, "{:?}", texts.keys());
    for customer in &expected {
        let holds = |text: &&String| text.contains(customer.as_str());
        assert_eq!(texts.values().filter(holds).count(), 1, "{customer}: {texts:?}");
    }
    // The person is mailed a link to the same bytes; programs ask.
    let mail = mails(&racun, "export_", 1).await.remove(0);
    let link = format!("/documents/export/download?token={}", token_in(&mail, "export_"));
    assert!(racun.client().file(&link).await == archive, "the link leads to another archive");
    let of_program = completed(&account.api, &json!({ "types": types, "language": "en" })).await;
    assert!(download(&account.api, &of_program).await == archive, "the same documents");
    mails(&racun, "export_", 1).await;
    // Another account has nothing of it.
    let stranger = Account::sign_up(&racun).await.api;
    let path = format!("/documents/export/jobs/{}", job["id"].as_str().expect("an id"));
    for path in [path.clone(), format!("{path}/download")] {
        stranger.get(&path).await.expect(404);
    }
}

async fn a_killed_server_goes_on_with_its_archive(store: StoreKind) {
    const DOCUMENTS: usize = 70;
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    for n in 0..DOCUMENTS {
        invoice(&account.api, &format!("Kupec {n}.")).await;
    }
    let request = json!({ "types": ["invoice"], "language": "en" });
    let begun = account.api.post("/documents/export/pdf", &request).await.expect(202);
    let path = format!("/documents/export/jobs/{}", begun["id"].as_str().expect("an id"));
    let deadline = Instant::now() + PATIENCE;
    let before = loop {
        let job = account.api.read(&path).await;
        if job["progress"].as_u64() > Some(0) {
            break job;
        }
        assert!(Instant::now() < deadline, "{job}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    racun.kill9();
    racun.restart().await;
    account = account.at(&racun);
    let after = account.api.read(&path).await;
    assert!(after["progress"].as_u64() >= before["progress"].as_u64(), "{before} {after}");
    println!("killed at {} %", before["progress"]);
    let job = over(&account.api, &begun).await;
    assert_eq!(job["result"], json!({ "exported": DOCUMENTS, "skipped": 0 }), "{job}");
    let texts = texts(&download(&account.api, &job).await);
    assert_eq!(texts.len(), DOCUMENTS);
    for n in 0..DOCUMENTS {
        let holds = |text: &&String| text.contains(&format!("Kupec {n}."));
        assert_eq!(texts.values().filter(holds).count(), 1, "{n}");
    }
}

/// The amount as a page in English writes it.
fn written(amount: &Value) -> String {
    let amount = amount.to_string();
    let (whole, fraction) = amount.split_once('.').unwrap_or((&amount, ""));
    let (head, tail) = whole.split_at(whole.len().saturating_sub(3));
    let whole = if head.is_empty() { tail.to_owned() } else { format!("{head},{tail}") };
    format!("{whole}.{fraction:0<2}")
}

/// Whether `text` says this amount, and not merely a longer one that holds its digits. A digit goes
/// on with an amount, and so does a separator before a digit; one before anything else ends a part
/// of a sentence.
fn says(text: &str, amount: &str) -> bool {
    let is_digit = |sign: char| sign.is_ascii_digit();
    let is_separator = |sign: char| matches!(sign, ',' | '.');
    text.match_indices(amount).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + amount.len()..]);
        let follows = before.ends_with(is_digit) || before.ends_with(is_separator);
        let next = after.strip_prefix(is_separator).unwrap_or(after);
        !follows && !next.starts_with(is_digit)
    })
}

#[test]
fn an_amount_within_a_longer_one_is_not_said() {
    for (text, is_said) in [
        ("€10.00", true),
        ("110.00 10.00 €", true),
        ("€110.00", false),
        ("€1,010.00 €10.001 €10.00,5 €.10.00", false),
        ("The total is €10.00.", true),
        ("€10.00, by Monday", true),
        ("€10.00.1 is no end of a sentence", false),
    ] {
        assert_eq!(says(text, "10.00"), is_said, "{text}");
    }
}

/// A CSV without line breaks in its cells, read by Python: rows by heading.
async fn rows(client: &Client, path: &str) -> Vec<BTreeMap<String, String>> {
    let text = client.get(path).await.text;
    let program = "import csv, io, json, sys\n\
                   text = sys.argv[1].lstrip('\\ufeff')\n\
                   print(json.dumps(list(csv.DictReader(io.StringIO(text, newline='')))))";
    let rows = run(Command::new("python3").args(["-c", program, &text]));
    serde_json::from_str(&rows).expect("rows")
}

/// Up to six lines of any amounts and rates.
fn some_lines(random: &mut Random) -> Vec<Value> {
    let rates = [json!(22), json!(9.5), json!(5), json!(0)];
    let number = |text: String| serde_json::from_str::<Value>(&text).expect("a number");
    let count = random.below(5);
    let mut line = || {
        let quantity = format!("{}.{}", 1 + random.below(9), random.below(10));
        let price = format!("{}.{:03}", random.below(900), random.below(1000));
        json!({
            "name": "Work",
            "quantity": number(quantity),
            "price": number(price),
            "discounts": [{ "type": "percent", "value": random.below(40) }],
            "taxes": [{ "rate": rates[usize::try_from(random.below(4)).expect("few")] }],
        })
    };
    (0..=count).map(|_| line()).collect()
}

/// Documents of all kinds under their ids, each with its list and a note that no other has:
/// some in dollars, and invoices that are paid a cent or in advance.
async fn some_documents(
    api: &Client,
    random: &mut Random,
) -> BTreeMap<String, (&'static str, String)> {
    let (mut documents, mut advances) = (BTreeMap::new(), Vec::new());
    for (n, (path, kind)) in KINDS.into_iter().cycle().take(25).enumerate() {
        let note = format!("Oznaka {n}.");
        let mut body = json!({
            "customer": { "name": "Kupec" },
            "note": note,
            "items": some_lines(random),
        });
        let is_foreign = n % 4 == 3;
        if is_foreign {
            body["currency_code"] = json!("USD");
            body["exchange_rate"] = json!({ "rate": 0.8731, "source": "ECB" });
        }
        match kind {
            "invoice" if !is_foreign => {
                body["linked_documents"] = advances.pop().into_iter().collect()
            }
            "advance_invoice" => body["payments"] = json!([{ "type": "cash" }]),
            "delivery_note" => body["hide_prices"] = json!(random.below(2) == 0),
            _ => {}
        }
        let made = api.create(path, &body).await;
        let id = made["id"].as_str().expect("an id").to_owned();
        if kind == "advance_invoice" && !is_foreign {
            advances.push(made["id"].clone());
        }
        if kind == "invoice" && random.below(2) == 0 && made["total_due"] != json!(0) {
            let payment = json!({ "document_id": id, "amount": 0.01, "type": "cash" });
            api.create("/payments", &payment).await;
        }
        documents.insert(id, (path, note));
    }
    documents
}

/// The amounts of `document` that all renderings say, by name, with their signs of currencies.
fn amounts_of(document: &Value) -> Vec<(&'static str, &Value, &'static str)> {
    let sign = if document["currency_code"] == "USD" { "$" } else { "€" };
    let own = ["total", "total_with_tax"].map(|field| (field, &document[field], sign));
    let converted = ["total_converted", "total_with_tax_converted"];
    let converted = converted.map(|field| (field, &document[field], "€"));
    let taxes = document["taxes"].as_array().into_iter().flatten();
    let taxes = taxes.flat_map(|tax| {
        [("tax", &tax["amount"], sign), ("tax_converted", &tax["amount_converted"], "€")]
    });
    let due = ("total_due", &document["total_due"], sign);
    let id = document["id"].as_str().expect("an id");
    let is_owed = id.starts_with("inv_") || id.starts_with("adv_");
    let all = own.into_iter().chain(converted).chain(taxes).chain(is_owed.then_some(due));
    all.filter(|(_, amount, _)| !amount.is_null()).collect()
}

/// That an exported row has the amounts of `document`, those of credit notes below zero.
fn check_row(row: &BTreeMap<String, String>, document: &Value) {
    let is_credit = document["id"].as_str().expect("an id").starts_with("cre_");
    for (field, column) in [("total", "Net"), ("total_with_tax", "Gross"), ("total_due", "Due")] {
        let amount = &document[field];
        if amount.is_null() || (field == "total_due" && is_credit) {
            continue;
        }
        let sign = if is_credit && amount != &json!(0) { "-" } else { "" };
        assert_eq!(row[column], format!("{sign}{amount}"), "{field} of {document}");
    }
}

async fn what_all_renderings_say_of_one_document_agrees_to_the_cent(store: StoreKind) {
    let seed = Random::any_seed();
    eprintln!("seed {seed}");
    let mut random = Random::new(seed);
    let racun = Racun::start(store).await;
    let Account { api, user, entity, .. } = Account::sign_up(&racun).await;
    let is_below_zero = random.below(2) == 0;
    let settings = json!({ "settings": { "credit_note_negative_values": is_below_zero } });
    let user = user.with("x-entity-id", &entity);
    user.patch(&format!("/entities/{entity}"), &settings).await.expect(200);
    let documents = some_documents(&api, &mut random).await;
    let types = KINDS.map(|(_, kind)| kind);
    let csv = format!("/documents/export?types={}&format=csv&locale=en-US", types.join(","));
    let exported = rows(&api, &csv).await;
    let job = completed(&api, &json!({ "types": types, "language": "en" })).await;
    let texts = texts(&download(&api, &job).await);
    assert_eq!((texts.len(), exported.len()), (documents.len(), documents.len()));
    let reader = racun.client().with("accept", "text/html");
    let (mut foreign, mut settled) = (0, 0);
    for (id, (path, note)) in &documents {
        let document = api.read(&format!("{path}/{id}")).await;
        let share = api.post(&format!("/documents/{id}/share"), &json!({})).await.expect(200);
        let share = share["shareable_id"].as_str().expect("an id");
        let hosted = reader.get(&format!("{path}/shareable/{share}?language=en")).await;
        assert_eq!(hosted.status, 200, "{}", hosted.text);
        let page = api.get(&format!("/documents/{id}/html?language=en")).await.text;
        let paper = texts.values().find(|text| text.contains(note.as_str()));
        let paper = paper.unwrap_or_else(|| panic!("no PDF of {note}"));
        let is_hidden = document["hide_prices"] == json!(true);
        let is_credit = id.starts_with("cre_");
        for rendering in [paper, &page, &hosted.text] {
            assert!(rendering.contains(note.as_str()), "{note}: {rendering}");
            if is_hidden {
                assert!(!rendering.contains(['€', '$']), "{rendering}");
                continue;
            }
            for (field, amount, sign) in amounts_of(&document) {
                let is_less = is_credit && is_below_zero && amount != &json!(0);
                let less = if is_less { "-" } else { "" };
                let shown = format!("{less}{sign}{}", written(amount));
                assert!(says(rendering, &shown), "{field} {shown}: {rendering}");
            }
        }
        let row = exported.iter().find(|row| &row["Id"] == id);
        check_row(row.unwrap_or_else(|| panic!("no row of {id}: {exported:?}")), &document);
        foreign += usize::from(!document["total_converted"].is_null());
        settled += usize::from(paper.contains("Advances applied"));
    }
    assert!(foreign > 0 && settled > 0, "{foreign} in dollars, {settled} paid in advance");
}

async fn hostile_texts_are_harmless_in_all_renderings(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let long = "x".repeat(500);
    // What is written, and what of it is a word of the PDF.
    let names = [
        ("=cmd|' /C calc'!A0", "=cmd|"),
        ("<script>alert(1)</script>", "<script>"),
        ("#{panic()} $x$ #include \"a\"", "#{panic()}"),
        ("\u{202e}fdp.exe", "fdp.exe"),
        ("../../etc/passwd\\..\\a", "passwd"),
        (long.as_str(), "xxxxxxxx"),
    ];
    // Ten thousand letters without a blank, which a note may have and a name may not.
    let endless = "Ž".repeat(10_000);
    let mut ids = Vec::new();
    for (n, (name, _)) in names.iter().enumerate() {
        let body = json!({
            "customer": { "name": name, "address": format!("Ulica {n}.") },
            "items": [line(name, &json!(10))],
            "note": if n == 0 { endless.as_str() } else { *name },
        });
        let made = api.create("/invoices", &body).await;
        ids.push(made["id"].as_str().expect("an id").to_owned());
    }
    for (body, path) in [
        (
            json!({ "customer": { "name": endless }, "items": [line("Work", &json!(10))] }),
            "customer",
        ),
        (json!({ "customer": { "name": "A" }, "items": [line(&endless, &json!(10))] }), "items"),
    ] {
        let refused = api.post("/invoices", &body).await.expect(422);
        let issue = &refused["cause"]["issues"][0];
        assert_eq!(
            (&issue["path"][0], &issue["code"]),
            (&json!(path), &json!("too_long")),
            "{issue}"
        );
    }
    let formula = format!("={}", "Ž".repeat(9_999));
    let payment = json!({ "document_id": ids[0], "amount": 1, "type": "cash", "note": formula });
    api.create("/payments", &payment).await;
    let paid = rows(&api, "/payments/export?format=csv&locale=en-US").await;
    assert_eq!((paid.len(), &paid[0]["Note"]), (1, &format!("'{formula}")));
    let job = completed(&api, &json!({ "document_ids": ids, "language": "en" })).await;
    assert_eq!(job["result"], json!({ "exported": names.len(), "skipped": 0 }), "{job}");
    let texts = texts(&download(&api, &job).await);
    assert_eq!(texts.len(), names.len(), "{:?}", texts.keys());
    let csv = rows(&api, "/documents/export?format=csv&locale=en-US").await;
    let letters = |text: &str| text.matches('Ž').count();
    for (n, ((name, word), id)) in names.iter().zip(&ids).enumerate() {
        let of = |text: &&String| text.contains(&format!("Ulica {n}."));
        let paper = texts.values().find(of).unwrap_or_else(|| panic!("no PDF of {name}"));
        assert!(paper.contains(word), "{name}: {paper}");
        assert!(!paper.contains('\u{202e}'), "{paper}");
        let page = api.get(&format!("/documents/{id}/html?language=en")).await.text;
        assert!(!page.contains("<script") && !page.contains('\u{202e}'), "{page}");
        let document = api.read(&format!("/invoices/{id}")).await;
        assert_eq!(document["customer"]["name"], json!(name));
        let row = csv.iter().find(|row| &row["Id"] == id).expect("a row");
        assert!(!row["Customer"].starts_with(['=', '+', '-', '@']), "{row:?}");
        let endless_ones = if n == 0 { endless.chars().count() } else { 0 };
        let note = document["note"].as_str().expect("a note");
        for found in [letters(paper), letters(&page), letters(note)] {
            assert_eq!(found, endless_ones, "{name}: each letter once");
        }
    }
}
