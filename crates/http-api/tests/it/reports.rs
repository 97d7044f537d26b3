//! Statistics, tax reports and receivables as their readers see them.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

/// An owner in Slovenia with a tax number.
async fn owner(api: &Api) -> Who {
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, &owner, json!({"tax_number": "SI10039856"})).await.with(200);
    owner
}

async fn issue(api: &Api, who: &Who, path: &str, body: Value) -> Value {
    api.post(path, who, body).await.with(201).json()
}

/// 100 at 22 % and 20 exempt to Bor, 1000 exported, 50 to Bor that is voided; a credit note over
/// 10.
async fn a_month(api: &Api, owner: &Who) -> Value {
    let bor = json!({"name": "Bor d.o.o.", "country_code": "SI", "tax_number": "SI87654326"});
    let bor = issue(api, owner, "/customers", bor).await;
    let invoice = json!({
        "customer_id": bor["id"], "date": "2026-11-02", "date_due": "2026-11-10",
        "items": [
            {"name": "Kruh", "price": 100, "taxes": [{"rate": 22}]},
            {"name": "Pouk", "price": 20, "taxes": [{"rate": 0}]},
        ],
        "payments": [{"type": "cash", "amount": 42, "date": "2026-11-05"}],
    });
    let invoice = issue(api, owner, "/invoices", invoice).await;
    let abroad = json!({
        "date": "2026-11-03",
        "customer": {"name": "Muster AG", "country_code": "CH", "save_customer": false},
        "items": [{"name": "Stroj", "price": 1000, "classification": "product",
            "taxes": [{"rate": 0}]}],
    });
    issue(api, owner, "/invoices", abroad).await;
    let voided = json!({"customer_id": bor["id"], "date": "2026-11-04",
        "items": [{"name": "Kruh", "price": 50, "taxes": [{"rate": 22}]}]});
    let voided = issue(api, owner, "/invoices", voided).await;
    let path = format!("/invoices/{}/void", text(&voided["id"]));
    api.post(&path, owner, json!({})).await.with(200);
    let credit = json!({
        "customer_id": bor["id"], "date": "2026-11-06", "linked_documents": [invoice["id"]],
        "items": [{"name": "Kruh", "price": 10, "taxes": [{"rate": 22}]}],
    });
    issue(api, owner, "/credit-notes", credit).await;
    bor
}

#[actix_web::test]
async fn statistics_answer_in_the_order_of_the_queries() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    a_month(&api, &owner).await;
    let queries = json!([
        {"table": "invoices", "date_from": "2026-01-01", "date_to": "2026-12-31",
         "metrics": [{"type": "sum", "field": "total_with_tax_converted", "alias": "revenue"},
                     {"type": "count"}],
         "filters": {"is_draft": false, "voided_at": null}, "group_by": ["month"]},
        {"table": "invoice_taxes", "metrics": [{"type": "sum", "field": "tax_total"}],
         "group_by": ["rate"], "filters": {"voided_at": null}},
    ]);
    let answer = api.post("/stats/query", &owner, queries).await.with(200).json();
    assert_eq!(
        answer,
        json!([
            {"query": {"table": "invoices", "date_from": "2026-01-01", "date_to": "2026-12-31",
                       "group_by": ["month"]},
             "data": [{"month": "2026-11", "revenue": 1142, "count": 2}], "row_count": 1},
            {"query": {"table": "invoice_taxes", "date_from": null, "date_to": null,
                       "group_by": ["rate"]},
             "data": [{"rate": 0, "sum_tax_total": 0}, {"rate": 22, "sum_tax_total": 22}],
             "row_count": 2},
        ])
    );
    let one = json!({"table": "invoices", "metrics": [{"type": "count"}]});
    let alone = api.post("/stats/query", &owner, one.clone()).await.with(200).json();
    assert_eq!(alone[0]["data"], json!([{"count": 3}]));

    let wrong = json!([one, {"table": "invoices", "metrics": [{"type": "sum", "field": "totl"}]}]);
    let refused = api.post("/stats/query", &owner, wrong).await.with(422).json();
    let issue = &refused["cause"]["issues"][0];
    assert_eq!(issue["path"], json!([1, "metrics", 0, "field"]), "{refused}");
    assert!(text(&issue["message"]).contains("\"total\""), "{refused}");

    let other = api.owner("other@example.com").await;
    let bor = api.get("/customers", &owner).await.with(200).json();
    let foreign = json!({"table": "invoices", "metrics": [{"type": "count"}],
        "filters": {"customer_id": bor["data"][0]["id"]}});
    let seen = api.post("/stats/query", &other, foreign).await.with(200).json();
    assert_eq!(seen[0]["data"], json!([{"count": 0}]));
}

#[actix_web::test]
async fn the_book_of_issued_invoices_is_an_archive_or_its_sums() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    a_month(&api, &owner).await;
    let path = "/tax-reports/kir?year=2026&month=11";
    let archive = api.post(path, &owner, json!({})).await.with(200);
    assert!(archive.header("content-disposition").contains("KIR_2026_M11.zip"));
    assert_eq!(archive.header("content-type"), "application/zip");
    let sums = api.get(path, &owner).await.with(200).json();
    assert_eq!(sums["totals"], json!({"P7": 1090, "P9": 20, "P14": 19.8}), "{sums}");
    assert_eq!((&sums["rows"], &sums["left_out"]), (&json!(4), &json!([])));
    for (query, path) in [
        ("year=2026", "month"),
        ("year=2026&month=1&quarter=1", "quarter"),
        ("month=1", "year"),
        ("year=2026&month=x", "month"),
    ] {
        let refused = api.post(&format!("/tax-reports/kir?{query}"), &owner, json!({})).await;
        let refused = refused.with(422).json();
        assert_eq!(refused["cause"]["issues"][0]["path"], json!([path]), "{query}: {refused}");
    }
    let elsewhere = api.user("else@example.com").await;
    let body = json!({"name": "Kod Ane", "country": "Croatia", "environment": "sandbox"});
    let entity = api.post("/entities", &elsewhere, body).await.with(201).json();
    let elsewhere = elsewhere.in_entity(&text(&entity["id"]));
    let refused = api.post(path, &elsewhere, json!({})).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "country_not_supported");
}

#[actix_web::test]
async fn the_book_of_received_invoices_is_made_of_expenses() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let supplier = json!({"name": "Mlin", "country_code": "SI", "tax_number": "SI87654326"});
    let expense = json!({
        "supplier": supplier, "supplier_document_number": "77", "date": "2026-11-03",
        "items": [{"name": "Moka", "price": 200, "taxes": [{"rate": 9.5}]}],
    });
    issue(&api, &owner, "/expenses", expense).await;
    let unnamed = json!({
        "supplier": {"name": "Kmet", "country_code": "SI"}, "date": "2026-11-03",
        "items": [{"name": "Jajca", "price": 10, "taxes": [{"rate": 0}]}],
    });
    issue(&api, &owner, "/expenses", unnamed).await;
    let path = "/tax-reports/kpr?year=2026&quarter=4";
    let sums = api.get(path, &owner).await.with(200).json();
    assert_eq!(sums["totals"], json!({"P8": 200, "P19": 19}), "{sums}");
    assert_eq!(sums["left_out"][0]["code"], "supplier_without_number");
    let archive = api.post(path, &owner, json!({})).await;
    assert!(archive.with(200).header("content-disposition").contains("KPR_2026_Q4.zip"));
}

#[actix_web::test]
async fn vat_is_added_up_by_rate_category_and_kind_of_sale() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    a_month(&api, &owner).await;
    let path = "/tax-reports/vat?date_from=2026-11-01&date_to=2026-11-30";
    let report = api.get(path, &owner).await.with(200).json();
    assert_eq!(
        report["rates"],
        json!([
            {"rate": 22, "base": 90, "tax": 19.8, "category": "S", "kind": "domestic"},
            {"rate": 0, "base": 20, "tax": 0, "category": "E", "kind": "domestic"},
            {"rate": 0, "base": 1000, "tax": 0, "category": "G", "kind": "third_country"},
        ]),
        "{report}"
    );
    assert_eq!(report["total"], json!({"base": 1110, "tax": 19.8}));
    let refused = api.get("/tax-reports/vat?date_from=2026-11-01", &owner).await.with(422).json();
    assert_eq!(refused["cause"]["issues"][0]["path"], json!(["date_to"]));
}

#[actix_web::test]
async fn a_profile_decides_on_yearly_files_and_accounts() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    a_month(&api, &owner).await;
    let path = "/tax-reports/si/profile";
    let fresh = api.get(path, &owner).await.with(200).json();
    assert_eq!(fresh["supported_exports"]["yearly_normirani"], false);
    let export = json!({"year": 2026, "manual_values": {"withholding_tax_amount": 5}});
    let yearly = "/tax-reports/si/yearly/normirani";
    let refused = api.post(&format!("{yearly}/export"), &owner, export.clone()).await.with(422);
    assert_eq!(refused.json()["cause"]["code"], "tax_profile_missing");

    let wrong = json!({"business_form": "xx", "accounting_exports": {
        "konto_mappings": {"receivable": "1200", "payables": "12"}}});
    let refused = api.patch(path, &owner, wrong).await.with(422).json();
    assert_eq!(refused["cause"]["issues"].as_array().unwrap().len(), 3, "{refused}");
    let profile = json!({"business_form": "sp", "income_tax_regime": "normirani",
        "tax_residency": "resident",
        "yearly_reporting": {"normiranec_insurance_basis": "other"},
        "accounting_exports": {"konto_mappings": {"receivables": "1210"}}});
    let kept = api.patch(path, &owner, profile).await.with(200).json();
    assert_eq!(kept["supported_exports"]["yearly_normirani"], true);
    assert_eq!(api.get(path, &owner).await.with(200).json(), kept);

    let review = api.post(&format!("{yearly}/review"), &owner, json!({"year": 2026})).await;
    let review = review.with(200).json();
    assert_eq!(review["auto_values"]["adjusted_revenue"], 1110, "{review}");
    assert_eq!(review["auto_values"]["income_tax_amount"], 44.4);
    let file = api.post(&format!("{yearly}/export"), &owner, export).await.with(200);
    assert!(file.header("content-disposition").contains("DDD-DDD_2026.xml"));

    let days = json!({"date_from": "2026-11-01", "date_to": "2026-11-30"});
    for (program, sign) in [("vod", "Prenos"), ("vasco", "Prenos"), ("minimax", "miniMAX")] {
        let path = format!("/tax-reports/si/{program}-xml");
        let file = api.post(&path, &owner, days.clone()).await.with(200);
        let text = file.text.clone();
        assert!(text.contains(sign) && text.contains(">1210<"), "{program}: {text}");
        assert!(text.contains("left out (voided)"), "{program}: {text}");
    }
}

#[actix_web::test]
async fn what_customers_owe_by_age_and_as_a_statement() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = a_month(&api, &owner).await;
    let aging = api.get("/reports/aging", &owner).await.with(200).json();
    let row = aging["customers"].as_array().unwrap().iter().find(|row| row["name"] == "Bor d.o.o.");
    let row = row.unwrap();
    assert_eq!((&row["1-30"], &row["current"]), (&json!(100), &json!(0)), "{aging}");
    assert_eq!(row["customer_id"], bor["id"]);
    assert_eq!(aging["total"]["total"], 1100);

    let path = format!(
        "/customers/{}/statement?date_from=2026-11-05&date_to=2026-11-20",
        text(&bor["id"])
    );
    let statement = api.get(&path, &owner).await.with(200).json();
    let kinds: Vec<&Value> =
        statement["movements"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(kinds, [&json!("payment"), &json!("credit_note")], "{statement}");
    assert_eq!(statement["opening_balance"], 142);
    assert_eq!(statement["closing_balance"], 87.8);
    let csv = api.get(&format!("{path}&format=csv"), &owner).await.with(200);
    assert!(csv.text.contains("closing_balance"));
    let pdf = api.get(&format!("{path}&format=pdf"), &owner).await.with(200);
    assert_eq!(pdf.header("content-type"), "application/pdf");
    api.get(&format!("{path}&format=doc"), &owner).await.with(422);
    let other = api.owner("other@example.com").await;
    api.get(&path, &other).await.with(404);
}
