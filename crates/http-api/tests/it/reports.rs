//! Statistics and tax reports as their readers see them.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

/// An owner in Slovenia with a tax number.
pub async fn owner(api: &Api) -> Who {
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, &owner, json!({"tax_number": "SI10039856"})).await.with(200);
    owner
}

pub async fn issue(api: &Api, who: &Who, path: &str, body: Value) -> Value {
    api.post(path, who, body).await.with(201).json()
}

/// 100 at 22 % and 20 exempt to Bor, 1000 exported, 50 to Bor that is voided; a credit note over
/// 10.
pub async fn a_month(api: &Api, owner: &Who) -> Value {
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
    let profile = json!({"business_form": "sp", "income_tax_regime": "normirani",
        "tax_residency": "resident"});
    let kept = api.patch("/tax-reports/si/profile", &elsewhere, profile).await.with(200).json();
    let supported = kept["supported_exports"].as_object().unwrap();
    assert!(supported.len() == 6 && supported.values().all(|it| *it == json!(false)), "{kept}");
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
async fn goods_to_northern_ireland_are_sold_within_the_union() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let belfast = json!({"name": "Belfast Ltd", "address": "Street 5", "post_code": "BT1 1AA",
        "city": "Belfast", "country_code": "XI", "tax_number": "XI980780684"});
    let belfast = issue(&api, &owner, "/customers", belfast).await;
    let goods = json!({"customer_id": belfast["id"], "date": "2026-11-16", "items": [
        {"name": "Stol", "price": 80, "classification": "product", "taxes": [{"rate": 0}]}]});
    let invoice = issue(&api, &owner, "/invoices", goods).await;
    assert_eq!(invoice["transaction_type"], "intra_eu_b2b");
    let kir = "/tax-reports/kir?year=2026&month=11";
    let sums = api.get(kir, &owner).await.with(200).json();
    assert_eq!(sums["totals"], json!({"P10": 80}), "{sums}");
    let path = "/tax-reports/vat?date_from=2026-11-01&date_to=2026-11-30";
    let report = api.get(path, &owner).await.with(200).json();
    let row = json!({"rate": 0, "base": 80, "tax": 0, "category": "K", "kind": "intra_eu_b2b"});
    assert_eq!(report["rates"], json!([row]));
    let buyer = &report["recapitulative"][0];
    assert_eq!((&buyer["country_code"], &buyer["tax_number"]), (&json!("XI"), &json!("980780684")));
    assert_eq!(buyer["goods"], 80);
    let days = json!({"date_from": "2026-11-01", "date_to": "2026-11-30"});
    for (program, sign) in [("vod", "<Trg>EU</Trg>"), ("vasco", "oproscen_promet_dobave_v_EU")] {
        let path = format!("/tax-reports/si/{program}-xml");
        let file = api.post(&path, &owner, days.clone()).await.with(200).text;
        assert!(file.contains(sign) && file.contains("XI980780684"), "{program}: {file}");
    }
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
    let voided = &review["issue_details"][1]["affected_documents"][0];
    assert_eq!(voided["date"], "2026-11-04T00:00:00.000Z", "{review}");
    let began = review["warnings"].as_array().unwrap().iter();
    let began: Vec<&Value> = began.filter(|it| it["code"] == "activity_began_in_year").collect();
    assert!(began.len() == 1 && text(&began[0]["message"]).contains("2026-11-02"), "{review}");
    assert_eq!(review["auto_values"]["adjusted_revenue"], 1110, "{review}");
    assert_eq!(review["auto_values"]["income_tax_amount"], 44.4);
    let file = api.post(&format!("{yearly}/export"), &owner, export).await.with(200);
    assert!(file.header("content-disposition").contains("DDD-DDD_2026.xml"));
    assert!(file.text.contains("<WithholdingTax>5.00</WithholdingTax>"), "{}", file.text);
    let first = file.text.split("<!--").nth(1).unwrap().split("-->").next().unwrap();
    assert!(first.contains("this is not the file that eDavki imports"), "{}", file.text);

    let usual = json!({"yearly_reporting": {"default_withholding_tax_amount": 120.5,
        "default_foreign_tax_credit_amount": 7}});
    api.patch(path, &owner, usual).await.with(200);
    for (manual, withheld) in [
        (Value::Null, "120.50"),
        (json!({"prior_advance_income_tax_amount": 1}), "120.50"),
        (json!({"withholding_tax_amount": 0}), "0.00"),
    ] {
        let sent = json!({"year": 2026, "manual_values": manual});
        let file = api.post(&format!("{yearly}/export"), &owner, sent).await.with(200);
        let said = format!("<WithholdingTax>{withheld}</WithholdingTax>");
        assert!(file.text.contains(&said), "{manual}: {}", file.text);
        assert!(file.text.contains("<ForeignTaxCredit>7.00</"), "{manual}: {}", file.text);
    }

    let days = json!({"date_from": "2026-11-01", "date_to": "2026-11-30"});
    let voided = json!({"date_from": "2026-11-04", "date_to": "2026-11-04"});
    let empty = json!({"date_from": "2026-10-01", "date_to": "2026-10-31"});
    for (days, says) in [(voided, "1 left out (voided)"), (empty, "no invoice and no credit note")]
    {
        let refused = api.post("/tax-reports/si/vod-xml", &owner, days).await.with(422).json();
        assert_eq!(refused["cause"]["code"], "nothing_to_post");
        assert!(text(&refused["message"]).contains(says), "{refused}");
    }
    for (program, sign) in [("vod", "Prenos"), ("vasco", "Prenos"), ("minimax", "miniMAX")] {
        let path = format!("/tax-reports/si/{program}-xml");
        let file = api.post(&path, &owner, days.clone()).await.with(200);
        let text = file.text.clone();
        assert!(text.contains(sign) && text.contains(">1210<"), "{program}: {text}");
        assert!(text.contains("left out (voided)"), "{program}: {text}");
    }
}

#[actix_web::test]
async fn revenue_is_added_up_by_category() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let category = json!({"name": "Najem", "color": "#00aa00"});
    let category = issue(&api, &owner, "/financial-categories", category).await;
    let invoice = json!({"date": "2026-11-02", "items": [
        {"name": "Najem", "price": 100, "taxes": [{"rate": 22}],
         "financial_category_id": category["id"]},
        {"name": "Kruh", "price": 10, "taxes": [{"rate": 22}]},
    ]});
    let first = issue(&api, &owner, "/invoices", invoice.clone()).await;
    let second = issue(&api, &owner, "/invoices", invoice).await;
    let path = format!("/invoices/{}/void", text(&second["id"]));
    api.post(&path, &owner, json!({})).await.with(200);
    let credit = json!({"date": "2026-11-20", "linked_documents": [first["id"]], "items": [
        {"name": "Najem", "price": 25, "taxes": [{"rate": 22}],
         "financial_category_id": category["id"]}]});
    issue(&api, &owner, "/credit-notes", credit).await;
    let path = "/financial-categories/revenue-summary";
    let answer = api.get(path, &owner).await.with(200).json();
    let row = |id: &Value, name: Value, color: Value, total: Value, gross: Value, count: i64| {
        json!({"financial_category_id": id, "name": name, "color": color, "currency_code": "EUR",
               "total": total, "total_with_tax": gross, "count": count})
    };
    let expected = json!({"data": [
        row(&Value::Null, Value::Null, Value::Null, json!(10), json!(12.2), 1),
        row(&category["id"], json!("Najem"), json!("#00aa00"), json!(75), json!(91.5), 2),
    ]});
    assert_eq!(answer, expected);
    let days = format!("{path}?date_from=2026-11-03");
    let answer = api.get(&days, &owner).await.with(200).json();
    assert_eq!(answer["data"][0]["total"], -25);
    let wrong = format!("{path}?date_from=2026-11-03&date_to=2026-11-02");
    let refused = api.get(&wrong, &owner).await.with(422).json();
    assert_eq!(refused["cause"]["issues"][0]["path"], json!(["date_to"]));
}
