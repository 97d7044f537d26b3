//! The files of tax reports as they are downloaded, the profile that they look at, and months of
//! other countries with their sums by hand.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use racun_kernel::Decimal;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::reports::{a_month, issue, owner};

/// The only file of an archive, by its name: Python's module `zipfile` reads it, which checks sums.
fn unpacked(answer: &Answer) -> (String, String) {
    let program = r#"
import io, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
[name] = archive.namelist()
sys.stdout.buffer.write(name.encode() + b"\n" + archive.read(name))
"#;
    let mut python = racun_test_postgres::program("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(&answer.bytes).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let read = String::from_utf8(output.stdout).unwrap();
    let (name, content) = read.split_once('\n').unwrap();
    (name.to_owned(), content.to_owned())
}

/// Asserts that `form` is valid against the authority's schema.
fn assert_valid(form: &str) {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = schemas.join("../../tests/vectors/insights/schemas/DDV_KIR_KPR_1.xsd");
    let mut xmllint = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    xmllint.stdin.take().unwrap().write_all(form.as_bytes()).unwrap();
    let output = xmllint.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("validates"), "{said}: {form}");
}

/// The texts of all elements `name` in `form`.
fn texts<'a>(form: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let found = form.split(&open).skip(1);
    found.map(|rest| rest.split(&close).next().unwrap()).collect()
}

/// To the month of `reports`: an advance invoice, and an invoice in another currency without a
/// rate, are left out; an invoice of October's service is warned of.
#[actix_web::test]
async fn the_book_of_issued_invoices_holds_or_names_every_document() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = a_month(&api, &owner).await;
    let items = json!([{"name": "Ara", "price": 50, "taxes": [{"rate": 22}]}]);
    let advance = json!({"customer_id": bor["id"], "date": "2026-11-07", "items": items,
        "payments": [{"type": "bank_transfer"}]});
    let advance = issue(&api, &owner, "/advance-invoices", advance).await;
    let foreign = json!({"date": "2026-11-08", "items": [
        {"name": "Tuje", "price": 5, "taxes": [{"rate": 25}]}]});
    let foreign = issue(&api, &owner, "/invoices", foreign).await;
    let october = json!({"customer_id": bor["id"], "date": "2026-11-09",
        "date_service": "2026-10-01", "date_service_to": "2026-10-31",
        "items": [{"name": "Čiščenje & pranje", "price": 30, "taxes": [{"rate": 9.5}]}]});
    let october = issue(&api, &owner, "/invoices", october).await;

    let path = "/tax-reports/kir?year=2026&month=11";
    let (name, form) = unpacked(&api.post(path, &owner, json!({})).await.with(200));
    assert_eq!(name, "KIR_2026_M11.xml");
    assert_valid(&form);
    assert_eq!(texts(&form, "TaxPayerID"), ["10039856"]);
    assert_eq!(texts(&form, "ZAPST"), ["1", "2", "3", "4", "5"]);
    // 100 and 20 exempt, 1000 of exported goods, the voided one, 30, and 10 given back; the columns
    // of the first one are those of its taxes.
    let sum = |name: &str| {
        let amounts = texts(&form, name).into_iter().map(|text| text.parse::<Decimal>().unwrap());
        amounts.collect::<Vec<_>>().iter().sum::<Decimal>().to_string()
    };
    let sums = ["P7", "P9", "P14", "P15"].map(sum);
    assert_eq!(sums, ["1120", "20", "19.8", "2.85"], "{form}");
    for (document, code) in [(&advance, "advance_invoice"), (&foreign, "rate_without_column")] {
        let number = text(&document["number"]);
        let said = form.split("<!--").skip(1).map(|rest| rest.split("-->").next().unwrap());
        let said = said.filter(|said| said.contains(&number)).count();
        assert!(said > 0, "the form says that {number} is left out ({code}): {form}");
    }
    let summary = api.get(path, &owner).await.with(200).json();
    let codes = |name: &str| -> Vec<String> {
        summary[name].as_array().unwrap().iter().map(|one| text(&one["code"])).collect()
    };
    assert_eq!(codes("left_out"), ["advance_invoice", "rate_without_column"], "{summary}");
    assert_eq!(codes("warnings"), ["supplied_in_other_period"]);
    let named = &summary["warnings"][0]["documents"];
    assert_eq!((&named[0]["id"], &named[1]), (&october["id"], &Value::Null), "{summary}");
    assert_eq!(summary["rows"], 5);
}

/// P7 is 100 at 22 percent, P14 its tax; P8 is 1000 whose tax Bor owes; P27 is 900 of services and
/// 60 of a line that does not say what it sells, both to Switzerland.
#[actix_web::test]
async fn the_book_of_issued_invoices_tells_apart_who_owes_tax_and_what_is_sold_abroad() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = json!({"name": "Bor d.o.o.", "country_code": "SI", "tax_number": "SI87654326"});
    let muster = json!({"name": "Muster AG", "country_code": "CH"});
    let mut made = Vec::new();
    for (customer, items) in [
        (
            &bor,
            json!([
                {"name": "Kruh", "price": 100, "taxes": [{"rate": 22}]},
                {"name": "Zidanje", "price": 1000, "taxes": [{"rate": 22, "reverse_charge": true}]},
            ]),
        ),
        (
            &muster,
            json!([
                {"name": "Svet", "price": 900, "classification": "service", "taxes": [{"rate": 0}]},
            ]),
        ),
        (&muster, json!([{"name": "Delo", "price": 60, "taxes": [{"rate": 0}]}])),
    ] {
        let body = json!({"date": "2026-11-10", "customer": customer, "items": items});
        made.push(issue(&api, &owner, "/invoices", body).await);
    }
    let path = "/tax-reports/kir?year=2026&month=11";
    let sums = api.get(path, &owner).await.with(200).json();
    assert_eq!(sums["totals"], json!({"P7": 100, "P8": 1000, "P14": 22, "P27": 960}), "{sums}");
    let warned = sums["warnings"].as_array().unwrap();
    assert_eq!((warned.len(), &warned[0]["code"]), (1, &json!("classification_unknown")), "{sums}");
    let named = warned[0]["documents"].as_array().unwrap();
    assert_eq!((named.len(), &named[0]["id"]), (1, &made[2]["id"]), "{sums}");

    let (_, form) = unpacked(&api.post(path, &owner, json!({})).await.with(200));
    assert_valid(&form);
    let columns = ["P7", "P8", "P14", "P27"].map(|name| texts(&form, name).join(" "));
    assert_eq!(columns, ["100.00", "1000.00", "22.00", "900.00 60.00"], "{form}");
    let mut said = form.split("<!--").skip(1).map(|rest| rest.split("-->").next().unwrap());
    let said = said.find(|said| said.contains("classification_unknown")).unwrap();
    let numbers: Vec<String> = made.iter().map(|one| text(&one["number"])).collect();
    assert!(said.contains(&numbers[2]) && !said.contains(&numbers[1]), "{said}");
}

#[actix_web::test]
async fn the_book_of_received_invoices_holds_or_names_every_expense() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let expense = |supplier: Value, rate: Value| {
        json!({"supplier": supplier, "supplier_document_number": "77", "date": "2026-11-03",
            "items": [{"name": "Moka", "price": 200, "taxes": [{"rate": rate}]}]})
    };
    let mill = json!({"name": "Mlin & sinovi", "country_code": "SI", "tax_number": "SI87654326"});
    issue(&api, &owner, "/expenses", expense(mill.clone(), json!(9.5))).await;
    let mut ahead = expense(mill, json!(9.5));
    ahead["date"] = json!("2026-11-28");
    let ahead = issue(&api, &owner, "/expenses", ahead).await;
    let farmer = expense(json!({"name": "Kmet", "country_code": "SI"}), json!(0));
    let farmer = issue(&api, &owner, "/expenses", farmer).await;
    let path = "/tax-reports/kpr?year=2026&quarter=4";
    let (name, form) = unpacked(&api.post(path, &owner, json!({})).await.with(200));
    assert_eq!(name, "KPR_2026_Q4.xml");
    assert_valid(&form);
    assert_eq!((texts(&form, "P8"), texts(&form, "P19")), (vec!["200.00"], vec!["19.00"]));
    let summary = api.get(path, &owner).await.with(200).json();
    let left_out = &summary["left_out"][0];
    assert_eq!(left_out["code"], "supplier_without_number");
    assert_eq!(left_out["documents"][0]["id"], farmer["id"]);
    assert!(form.contains(&text(&left_out["message"])[..20]), "the form says it as well: {form}");
    let left_out = &summary["left_out"][1];
    assert_eq!(left_out["code"], "date_in_future", "{summary}");
    assert_eq!(left_out["documents"][0]["id"], ahead["id"]);
    assert!(form.contains("left out (date_in_future)"), "{form}");
}

/// What is sent of a profile to give the property at `path` this `value`.
fn profile_with(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, name| json!({ (*name): inner }))
}

/// Each property of a profile with all sorts of what it may be, and of what it may not. What is
/// refused changes nothing; null removes.
#[actix_web::test]
async fn each_property_of_a_profile_is_checked_and_null_removes_it() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let profile = "/tax-reports/si/profile";
    let yearly = |name| vec!["yearly_reporting", name];
    let exports = |name| vec!["accounting_exports", name];
    let activities = |count| json!(vec!["62.010"; count]);
    let accounts = json!({"receivables": "121", "sales_vat_22": "26000001"});
    let properties = [
        (
            vec!["business_form"],
            json!(["doo", "dno", "club", "sp"]),
            json!(["xx", "SP", "", 1, ["sp"], {}]),
        ),
        (
            vec!["income_tax_regime"],
            json!(["dejanski", "normirani"]),
            json!(["normiran", true, {"name": "normirani"}]),
        ),
        (
            vec!["vat_profile"],
            json!(["standard", "special_vat_identified", "non_vat_subject"]),
            json!(["none", 22, []]),
        ),
        (
            vec!["tax_residency"],
            json!(["non_resident", "resident"]),
            json!(["SI", "Resident", false]),
        ),
        (
            yearly("activity_codes"),
            json!([[], ["01.110"], activities(20)]),
            json!(["62.010", [62.01], ["62010"], ["6.2010"], ["62.01a"], activities(21), {}]),
        ),
        (
            yearly("registration_number"),
            json!(["6543210000", "9".repeat(50)]),
            json!([6_543_210, "9".repeat(51), ["6543210000"]]),
        ),
        (
            yearly("accounting_type"),
            json!(["records", "double_entry", "single_entry"]),
            json!(["double", "", 2]),
        ),
        (
            yearly("normiranec_insurance_basis"),
            json!(["other", "full_time_self_employed"]),
            json!(["full_time", "Other", 40]),
        ),
        (
            yearly("default_withholding_tax_amount"),
            json!([0, 0.01, 120.5]),
            json!([-1, -0.01, 1.005, "120.5", true]),
        ),
        (
            yearly("default_foreign_tax_credit_amount"),
            json!([7, 10.25]),
            json!([-7, 0.001, "7", [7]]),
        ),
        (
            exports("preferred_format"),
            json!(["vasco_xml", "minimax_xml", "vod_xml"]),
            json!(["vod", "VOD_XML", 1]),
        ),
        (
            exports("konto_mappings"),
            json!([accounts]),
            json!([
                "1200", [], {"receivable": "1200"}, {"payables": "12"}, {"payables": "123456789"},
                {"payables": "12a4"}, {"payables": 1200}, {"receivables": "1200", "payables": ""},
            ]),
        ),
    ];
    assert_eq!(properties.len(), 12, "the contract has so many");
    for (path, good, bad) in &properties {
        let pointer = format!("/{}", path.join("/"));
        let (good, bad) = (good.as_array().unwrap(), bad.as_array().unwrap());
        for value in good {
            let sent = profile_with(path, value);
            let kept = api.patch(profile, &owner, sent).await.with(200).json();
            assert_eq!(kept.pointer(&pointer), Some(value), "{kept}");
        }
        for value in bad {
            let sent = profile_with(path, value);
            let refused = api.patch(profile, &owner, sent).await.with(422).json();
            let at = refused["cause"]["issues"][0]["path"].as_array().unwrap();
            assert!(at.len() >= path.len(), "{pointer} of {value}: {refused}");
            assert_eq!(at[..path.len()], path[..], "{pointer} of {value}: {refused}");
            let kept = api.get(profile, &owner).await.with(200).json();
            assert_eq!(kept.pointer(&pointer), good.last(), "{pointer} of {value}: {kept}");
        }
    }
    let without = json!({"accounting_exports": {"konto_mappings": {"receivables": null}}});
    let kept = api.patch(profile, &owner, without).await.with(200).json();
    let accounts = &kept["accounting_exports"]["konto_mappings"];
    assert_eq!(*accounts, json!({"sales_vat_22": "26000001"}));
    for (path, ..) in &properties {
        let pointer = format!("/{}", path.join("/"));
        let before = api.get(profile, &owner).await.with(200).json();
        assert!(before.pointer(&pointer).is_some(), "{pointer} is there until it is removed");
        let sent = profile_with(path, &Value::Null);
        let kept = api.patch(profile, &owner, sent).await.with(200).json();
        assert_eq!(kept.pointer(&pointer), None, "{kept}");
    }
    for (sent, wrong) in [
        (json!({"busines_form": "sp"}), json!(["busines_form"])),
        (json!({"yearly_reporting": []}), json!(["yearly_reporting"])),
        (json!({"accounting_exports": {"format": 1}}), json!(["accounting_exports", "format"])),
    ] {
        let refused = api.patch(profile, &owner, sent).await.with(422).json();
        assert_eq!(refused["cause"]["issues"][0]["path"], wrong, "{refused}");
    }
    let groups = json!({"yearly_reporting": null, "accounting_exports": null});
    let empty = api.patch(profile, &owner, groups).await.with(200).json();
    let names: Vec<&String> = empty.as_object().unwrap().keys().collect();
    assert_eq!(names, ["supported_exports"], "{empty}");
}

/// An owner of an entity in `country`.
async fn owner_in(api: &Api, country: &str) -> Who {
    let owner = api.user("vat@example.com").await;
    let body = json!({"name": "Kod Ane", "country": country, "environment": "sandbox"});
    let entity = api.post("/entities", &owner, body).await.with(201).json();
    owner.in_entity(&text(&entity["id"]))
}

fn item(price: i64, rate: i64) -> Value {
    json!({"name": "Roba", "price": price, "classification": "product",
        "taxes": [{"rate": rate}]})
}

/// Issues what is counted of a month, and beside it a draft, an invoice that is voided, and one of
/// the month before.
async fn sell(api: &Api, who: &Who, rate: i64, invoices: Vec<Value>) -> Vec<Value> {
    let mut issued = Vec::new();
    for (n, items) in invoices.into_iter().enumerate() {
        let body = json!({"date": format!("2026-11-{:02}", n + 1), "items": items});
        issued.push(issue(api, who, "/invoices", body).await);
    }
    let draft = json!({"date": "2026-11-01", "is_draft": true, "items": [item(7000, rate)]});
    issue(api, who, "/invoices", draft).await;
    let earlier = json!({"date": "2026-10-31", "items": [item(900, rate)]});
    issue(api, who, "/invoices", earlier).await;
    let voided = json!({"date": "2026-11-15", "items": [item(500, rate)]});
    let voided = issue(api, who, "/invoices", voided).await;
    let path = format!("/invoices/{}/void", text(&voided["id"]));
    api.post(&path, who, json!({})).await.with(200);
    issued
}

async fn november(api: &Api, who: &Who) -> Value {
    let path = "/tax-reports/vat?date_from=2026-11-01&date_to=2026-11-30";
    api.get(path, who).await.with(200).json()
}

/// 25 %: 100 + 60 - 10 = 150, tax 25 + 15 - 2.50 = 37.50; 13 %: 200, tax 26; 5 %: 40, tax 2. In
/// all 390 and 65.50.
#[actix_web::test]
async fn a_month_in_croatia() {
    let api = Api::new().await;
    let who = owner_in(&api, "Croatia").await;
    let invoices = vec![json!([item(100, 25), item(200, 13), item(40, 5)]), json!([item(60, 25)])];
    let issued = sell(&api, &who, 25, invoices).await;
    let back = json!({"date": "2026-11-20", "linked_documents": [issued[0]["id"]],
        "items": [item(10, 25)]});
    issue(&api, &who, "/credit-notes", back).await;
    let report = november(&api, &who).await;
    let rows = json!([
        {"rate": 5, "base": 40, "tax": 2, "category": "S", "kind": "domestic"},
        {"rate": 13, "base": 200, "tax": 26, "category": "S", "kind": "domestic"},
        {"rate": 25, "base": 150, "tax": 37.5, "category": "S", "kind": "domestic"},
    ]);
    assert_eq!(report["rates"], rows, "{report}");
    assert_eq!(report["total"], json!({"base": 390, "tax": 65.5}));
    assert_eq!(report["recapitulative"], json!([]));
}

/// 19 %: 100 + 30 = 130, tax 19 + 5.70 = 24.70; 7 %: 50 - 20 = 30, tax 3.50 - 1.40 = 2.10; 80 of
/// goods to a business in Slovenia, without tax. In all 240 and 26.80.
#[actix_web::test]
async fn a_month_in_germany() {
    let api = Api::new().await;
    let who = owner_in(&api, "Germany").await;
    let invoices = vec![json!([item(100, 19), item(50, 7)]), json!([item(30, 19)])];
    let issued = sell(&api, &who, 19, invoices).await;
    let back = json!({"date": "2026-11-20", "linked_documents": [issued[0]["id"]],
        "items": [item(20, 7)]});
    issue(&api, &who, "/credit-notes", back).await;
    let bor = json!({"name": "Bor d.o.o.", "address": "Cesta 1", "post_code": "1000",
        "city": "Ljubljana", "country_code": "SI", "tax_number": "SI87654326"});
    let bor = issue(&api, &who, "/customers", bor).await;
    let abroad = json!({"customer_id": bor["id"], "date": "2026-11-19", "items": [item(80, 0)]});
    let abroad = issue(&api, &who, "/invoices", abroad).await;
    assert_eq!(abroad["transaction_type"], "intra_eu_b2b");
    let report = november(&api, &who).await;
    let rows = json!([
        {"rate": 7, "base": 30, "tax": 2.1, "category": "S", "kind": "domestic"},
        {"rate": 19, "base": 130, "tax": 24.7, "category": "S", "kind": "domestic"},
        {"rate": 0, "base": 80, "tax": 0, "category": "K", "kind": "intra_eu_b2b"},
    ]);
    assert_eq!(report["rates"], rows, "{report}");
    assert_eq!(report["total"], json!({"base": 240, "tax": 26.8}));
    let buyer = &report["recapitulative"][0];
    assert_eq!((&buyer["country_code"], &buyer["goods"]), (&json!("SI"), &json!(80)), "{report}");
}
