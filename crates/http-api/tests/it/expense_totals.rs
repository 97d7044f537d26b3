//! What expenses come to: calculated of their items, or kept as given.

use serde_json::{Value, json};

use crate::books::{Books, refuses};
use crate::expenses::{bill, totals, with};
use crate::harness::text;

#[actix_web::test]
async fn items_are_calculated_like_those_of_documents() {
    let books = Books::open().await;
    let gross = json!([{
        "name": "Box", "gross_price": 100, "taxes": [{"rate": 22}],
        "discounts": [{"value": 10}, {"value": 10, "type": "percent"}],
    }]);
    for (mode, expected) in [
        ("b2b_standard", ["65.57", "80", "16.39"]),
        ("b2c_gross_discount", ["66.39", "81", "15.57"]),
    ] {
        let made = books.bill(json!({"items": gross, "calculation_mode": mode})).await;
        assert_eq!(
            (totals(&made), &made["calculation_mode"]),
            (expected.map(String::from), &json!(mode))
        );
    }
    let expected = books.bill(json!({"expected_total_with_tax": 36.61})).await;
    assert_eq!(expected["rounding_correction"].to_string(), "0.01");
    assert_eq!(
        (totals(&expected)[1].as_str(), &expected["taxes"][0]["amount"]),
        ("36.61", &json!(6.61))
    );
    let kept = books.patch(&expected, json!({"note": "x"})).await.with(200).json();
    assert_eq!(totals(&kept), totals(&expected), "an update elsewhere keeps the reconciled total");
    for total in ["expected_total_with_tax", "total_with_tax"] {
        let refused = books.post("/expenses", with(bill(), json!({total: 40}))).await;
        let cause = refuses(refused, "expected_total_mismatch");
        assert_eq!((&cause["expected"], &cause["calculated"]), (&json!(40), &json!(36.6)));
    }

    let shares = json!([
        {"name": "Car", "price": 10, "taxes": [{"rate": 22, "deductible_percentage": 50}]},
        {"name": "Fuel", "price": 10, "taxes": [{"rate": 22, "deductible_percentage": 50}]},
        {"name": "Meal", "price": 10, "taxes": [{"rate": 9.5, "is_deductible": false}]},
        {"name": "Pen", "price": 10, "taxes": [{"rate": 9.5}]},
    ]);
    let made = books.bill(json!({"items": shares})).await;
    assert_eq!(made["taxes"][0]["deductible_percentage"], 50);
    assert_eq!(made["taxes"][1]["is_deductible"], Value::Null);
    let owed =
        json!([{"name": "Ad", "price": 10, "taxes": [{"rate": 22, "reverse_charge": true}]}]);
    let made = books.bill(json!({"items": owed})).await;
    assert_eq!((totals(&made)[1].as_str(), &made["taxes"][0]["amount"]), ("10", &json!(0)));
}

#[actix_web::test]
async fn items_and_taxes_of_the_catalogue_fill_in() {
    let books = Books::open().await;
    let rates =
        json!([{"rate": 20, "valid_from": "2020-01-01"}, {"rate": 22, "valid_from": "2026-11-01"}]);
    let tax = books.post("/taxes", json!({"tax_rates": rates})).await.with(201).json();
    let item = json!({"name": "Flour", "unit": "kg", "price": 3, "tax_ids": [tax["id"]]});
    let item = books.post("/items", item).await.with(201).json();
    let lines = json!([{"item_id": item["id"], "quantity": 10, "taxes": [{"tax_id": tax["id"]}]}]);
    let made = books.bill(json!({"items": lines})).await;
    assert_eq!(
        (&made["items"][0]["name"], &made["items"][0]["unit"]),
        (&json!("Flour"), &json!("kg"))
    );
    assert_eq!(totals(&made), ["30", "36.6", "0"]);
    let earlier = books.patch(&made, json!({"date": "2026-10-31"})).await.with(200).json();
    assert_eq!(totals(&earlier), ["30", "36", "0"]);
    let untaxed = books.bill(json!({"items": [{"item_id": item["id"]}]})).await;
    assert_eq!(untaxed["items"][0]["taxes"], json!([]), "a supplier's tax is never guessed");

    let saved = json!([{"name": "Yeast", "price": 1, "save_item": true}]);
    let saved = books.bill(json!({"items": saved})).await;
    let path = format!("/items/{}", text(&saved["items"][0]["item_id"]));
    assert_eq!(books.api.get(&path, &books.owner).await.with(200).json()["name"], "Yeast");
}

#[actix_web::test]
async fn totals_alone_are_kept_as_given() {
    let books = Books::open().await;
    let summary = json!({
        "items": [], "summary_classification": "service", "total": 100, "total_with_tax": 122.01,
        "total_discount": 5, "taxes": [
            {"rate": 22, "base": 100, "amount": 22, "is_deductible": true},
            {"rate": 22, "base": 50, "amount": 11, "reverse_charge": true},
        ],
    });
    let made = books.bill(summary).await;
    assert_eq!(totals(&made), ["100", "122.01", "5"]);
    assert_eq!((&made["calculation_mode"], &made["items"]), (&Value::Null, &json!([])));
    assert_eq!(made["summary_classification"], "service");
    assert_eq!(made["taxes"][0]["is_deductible"], true);
    let changed = books.patch(&made, json!({"total": 99.99, "note": "x"})).await.with(200).json();
    assert_eq!(totals(&changed), ["99.99", "122.01", "5"]);
    let refused = books.patch(&made, json!({"total": 99})).await.with(422);
    assert_eq!(refused.issue(), ("[\"total_with_tax\"]".to_owned(), "totals_disagree".to_owned()));
    let alone = books.bill(json!({"items": [], "total_with_tax": 7})).await;
    assert_eq!(totals(&alone), ["null", "7", "null"]);

    let itemized = books.patch(&alone, json!({"items": bill()["items"]})).await.with(200).json();
    assert_eq!(
        (totals(&itemized)[1].as_str(), &itemized["calculation_mode"]),
        ("36.6", &json!("b2b_standard"))
    );
    let summary = books.patch(&itemized, json!({"items": [], "total_with_tax": 8})).await;
    assert_eq!(totals(&summary.with(200).json()), ["null", "8", "null"]);
}

#[actix_web::test]
async fn a_custom_expense_keeps_the_totals_of_its_items_too() {
    let books = Books::open().await;
    let items = json!([
        {
            "name": "Lot", "price": 9, "total": 10, "total_with_tax": 12,
            "taxes": [{"rate": 22, "amount": 2}],
        },
        {"name": "Gift"},
    ]);
    let body = json!({"items": items, "total": 10, "total_with_tax": 12.5});
    let made = books.post("/expenses/custom", with(bill(), body.clone())).await.with(201).json();
    assert_eq!(totals(&made), ["10", "12.5", "null"]);
    assert_eq!(made["calculation_mode"], Value::Null);
    let figures = ["total", "total_with_tax", "total_tax"];
    let of_item = |n: usize| figures.map(|figure| made["items"][n][figure].to_string());
    assert_eq!(of_item(0), ["10", "12", "2"]);
    assert_eq!(of_item(1), ["null", "null", "null"]);
    assert_eq!(made["items"][0]["taxes"][0]["amount"], 2);
    let without = json!({"items": items});
    let refused = books.post("/expenses/custom", with(bill(), without)).await.with(422);
    assert_eq!(refused.issue(), ("[\"total_with_tax\"]".to_owned(), "required".to_owned()));
    let refused = books.post("/expenses", with(bill(), body)).await.with(422);
    assert_eq!(refused.issue(), ("[\"items\",1,\"price\"]".to_owned(), "required".to_owned()));
}

#[actix_web::test]
async fn a_foreign_expense_is_converted() {
    let books = Books::open().await;
    let rate = json!({"rate": 0.5, "source": "ECB", "quote_currency": "EUR"});
    let made = books.bill(json!({"currency_code": "USD", "exchange_rate": rate})).await;
    let converted =
        ["total_converted", "total_with_tax_converted"].map(|name| made[name].to_string());
    assert_eq!(converted, ["15", "18.3"]);
    assert_eq!(made["taxes"][0]["amount_converted"].to_string(), "3.3");
    let expected = json!({
        "rate": 0.5, "source": "ECB", "date": "2026-11-02T00:00:00.000Z", "quote_currency": "EUR",
    });
    assert_eq!(made["exchange_rate"], expected);
    let paid = books.pay(&made, "1").await;
    let refused = books.patch(&made, json!({"currency_code": "EUR"})).await.with(422);
    assert_eq!(refused.issue(), ("[\"currency_code\"]".to_owned(), "not_updatable".to_owned()));
    books.act(&paid, "delete").await.with(204);
    let back = books.patch(&made, json!({"currency_code": "EUR"})).await.with(200).json();
    assert_eq!((&back["exchange_rate"], &back["total_converted"]), (&Value::Null, &Value::Null));
    assert_eq!(back["taxes"][0]["amount_converted"], Value::Null);
}

#[actix_web::test]
async fn a_foreign_expense_without_a_rate_takes_that_of_its_last_business_day() {
    let books = Books::open().await;
    let source = |made: &Value| made["exchange_rate"]["source"].clone();
    let made = books.bill(json!({"currency_code": "USD"})).await;
    assert_eq!(made["exchange_rate"]["rate"], json!(0.8));
    assert_eq!(made["exchange_rate"]["date"], "2026-11-02T00:00:00.000Z");
    assert_eq!((source(&made), &made["total_converted"]), (json!("sandbox"), &json!(24)));
    // Sunday has the rate of Friday; one that was given stays.
    let moved = books.patch(&made, json!({"date": "2026-11-01"})).await.with(200).json();
    assert_eq!(moved["exchange_rate"]["date"], "2026-10-30T00:00:00.000Z");
    let given = json!({"exchange_rate": {"rate": 0.5}});
    let given = books.patch(&made, given).await.with(200).json();
    assert_eq!((source(&given), &given["total_converted"]), (json!("manual"), &json!(15)));
    let moved = books.patch(&made, json!({"date": "2026-11-03"})).await.with(200).json();
    assert_eq!((source(&moved), &moved["total_converted"]), (json!("manual"), &json!(15)));
    let back = books.patch(&made, json!({"currency_code": "EUR"})).await.with(200).json();
    assert_eq!((&back["exchange_rate"], &back["total_converted"]), (&Value::Null, &Value::Null));
    let without = books.bill(json!({"currency_code": "ILS"})).await;
    assert_eq!(without["exchange_rate"], Value::Null);
    let warned = without["warnings"].as_array().unwrap();
    assert!(warned.iter().any(|one| one["code"] == "exchange_rate_missing"), "{without}");
}
