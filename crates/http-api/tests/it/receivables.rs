//! What customers owe, as its readers see it.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};
use crate::reports::{a_month, issue, owner};

#[actix_web::test]
async fn what_customers_owe_by_age_and_as_a_statement() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = a_month(&api, &owner).await;
    let aging = api.get("/reports/aging", &owner).await.with(200).json();
    let row = aging["customers"].as_array().unwrap().iter().find(|row| row["name"] == "Bor d.o.o.");
    let row = row.unwrap();
    // The credit note settles nothing yet.
    assert_eq!((&row["1-30"], &row["current"]), (&json!(100), &json!(-12.2)), "{aging}");
    assert_eq!(row["customer_id"], bor["id"]);
    assert_eq!(aging["total"]["total"], 1087.8);
    for (day, owed) in [
        ("2026-11-01", Value::Null),
        ("2026-11-02", json!(142)),
        ("2026-11-04", json!(203)),
        ("2026-11-05", json!(161)),
        ("2026-11-06", json!(148.8)),
        ("2026-11-20", json!(87.8)),
    ] {
        let aging = api.get(&format!("/reports/aging?date={day}"), &owner).await.with(200).json();
        let rows = aging["customers"].as_array().unwrap();
        let row = rows.iter().find(|row| row["customer_id"] == bor["id"]);
        let total = row.map_or(Value::Null, |row| row["total"].clone());
        assert_eq!(total, owed, "on {day}: {aging}");
        let account = statement(&api, &owner, &bor, day, day).await;
        let closing = &account["closing_balance"];
        assert!(*closing == owed || owed.is_null() && *closing == json!(0), "{day}: {account}");
    }
    let path = "/reports/aging?date=2026-11-20";
    let csv = api.get(&format!("{path}&format=csv"), &owner).await.with(200);
    assert!(csv.header("content-disposition").contains("aging_2026-11-20.csv"));
    assert!(csv.text.contains("\"Bor d.o.o.\";\"EUR\";-12,2;100;0;0;0;87,8"), "{}", csv.text);
    let total = "\"total\";\"EUR\";987,8;100;0;0;0;1087,8";
    assert!(csv.text.trim_end().ends_with(total), "{}", csv.text);
    let pdf = api.get(&format!("{path}&format=pdf"), &owner).await.with(200);
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert!(pdf.text.contains("Odprte terjatve po zapadlosti"), "{}", pdf.text);
    assert!(pdf.text.contains("Skupaj|EUR|987,80|100,00|0,00|0,00|0,00|1.087,80"), "{}", pdf.text);
    api.get(&format!("{path}&format=xls"), &owner).await.with(422);

    let path = format!(
        "/customers/{}/statement?date_from=2026-11-05&date_to=2026-11-20",
        text(&bor["id"])
    );
    let statement = api.get(&path, &owner).await.with(200).json();
    let kinds: Vec<&Value> =
        statement["movements"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    let expected = [&json!("payment"), &json!("credit_note"), &json!("void")];
    assert_eq!(kinds, expected, "{statement}");
    assert_eq!(statement["opening_balance"], 203);
    assert_eq!(statement["closing_balance"], 87.8);
    let csv = api.get(&format!("{path}&format=csv"), &owner).await.with(200).text;
    let named = |n: usize| text(&statement["movements"][n]["reference"]);
    let voided_on = text(&statement["movements"][2]["date"])[..10].to_owned();
    let expected = [
        "\"date\";\"type\";\"reference\";\"amount\";\"balance\"".to_owned(),
        "2026-11-05;\"opening_balance\";;;203".to_owned(),
        "2026-11-05;\"payment\";;-42;161".to_owned(),
        format!("2026-11-06;\"credit_note\";\"{}\";-12,2;148,8", named(1)),
        format!("{voided_on};\"void\";\"{}\";-61;87,8", named(2)),
        "2026-11-20;\"closing_balance\";;;87,8".to_owned(),
    ];
    let rows: Vec<&str> = csv.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(rows, expected);
    let pdf = api.get(&format!("{path}&format=pdf"), &owner).await.with(200);
    assert_eq!(pdf.header("content-type"), "application/pdf");
    let words = pdf.text.replace('\u{a0}', " ");
    assert!(
        words.contains("Kartica kupca") && words.contains("5. 11. 2026 – 20. 11. 2026"),
        "{words}"
    );
    assert!(words.contains("6. 11. 2026|Dobropis|"), "{words}");
    assert!(
        words.contains("|-12,20|148,80") && words.contains("Končno stanje: 87,80 €"),
        "{words}"
    );
    api.get(&format!("{path}&format=doc"), &owner).await.with(422);
    let other = api.owner("other@example.com").await;
    api.get(&path, &other).await.with(404);
}

/// Bor owes 1 not yet, and 2, 4, 8 and 16 for ever longer; Ana owes 100 not yet.
#[actix_web::test]
async fn each_age_stands_under_its_own_name() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let ana = issue(&api, &owner, "/customers", json!({"name": "Ana"})).await;
    let bor = issue(&api, &owner, "/customers", json!({"name": "Bor"})).await;
    for (customer, due, price) in [
        (&ana, "2026-11-30", 100),
        (&bor, "2026-11-30", 1),
        (&bor, "2026-11-10", 2),
        (&bor, "2026-10-10", 4),
        (&bor, "2026-09-10", 8),
        (&bor, "2026-07-10", 16),
    ] {
        let invoice = json!({"customer_id": customer["id"], "date": "2026-07-01", "date_due": due,
            "items": [{"name": "Kruh", "price": price, "taxes": [{"rate": 0}]}]});
        issue(&api, &owner, "/invoices", invoice).await;
    }
    let path = "/reports/aging?date=2026-11-20";
    let aging = api.get(path, &owner).await.with(200).json();
    let expected = json!({
        "customers": [
            {"customer_id": ana["id"], "name": "Ana", "currency_code": "EUR", "current": 100,
             "1-30": 0, "31-60": 0, "61-90": 0, "90+": 0, "total": 100},
            {"customer_id": bor["id"], "name": "Bor", "currency_code": "EUR", "current": 1,
             "1-30": 2, "31-60": 4, "61-90": 8, "90+": 16, "total": 31},
        ],
        "total": {"current": 101, "1-30": 2, "31-60": 4, "61-90": 8, "90+": 16, "total": 131},
        "currency_code": "EUR",
        "not_converted": 0,
    });
    assert_eq!(aging, expected);
    let csv = api.get(&format!("{path}&format=csv"), &owner).await.with(200).text;
    let rows: Vec<&str> = csv.trim_start_matches('\u{feff}').lines().collect();
    let row = |id: &Value, rest: &str| format!("\"{}\";{rest}", text(id));
    let expected = [
        "\"customer_id\";\"name\";\"currency_code\";\"current\";\"1-30\";\"31-60\";\"61-90\";\
         \"90+\";\"total\""
            .to_owned(),
        row(&ana["id"], "\"Ana\";\"EUR\";100;0;0;0;0;100"),
        row(&bor["id"], "\"Bor\";\"EUR\";1;2;4;8;16;31"),
        ";\"total\";\"EUR\";101;2;4;8;16;131".to_owned(),
    ];
    assert_eq!(rows, expected);
}

/// Bor owes 10 in euros, 30 in shekels, which have no rate, and 50 dollars, which are 40 euros.
#[actix_web::test]
async fn what_a_report_leaves_out_is_said_in_all_its_formats() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = issue(&api, &owner, "/customers", json!({"name": "Bor"})).await;
    let mut numbers = Vec::new();
    for (code, price) in [("EUR", 10), ("ILS", 30), ("USD", 50)] {
        let invoice = json!({"customer_id": bor["id"], "date": "2026-11-02",
            "date_due": "2026-12-31", "currency_code": code,
            "items": [{"name": "Kruh", "price": price, "taxes": [{"rate": 0}]}]});
        numbers.push(text(&issue(&api, &owner, "/invoices", invoice).await["number"]));
    }
    let path = "/reports/aging";
    let aging = api.get(path, &owner).await.with(200).json();
    let found = (&aging["not_converted"], &aging["total"]["total"]);
    assert_eq!(found, (&json!(1), &json!(50)), "{aging}");
    let csv = api.get(&format!("{path}?format=csv"), &owner).await.with(200).text;
    let rows: Vec<&str> = csv.lines().collect();
    let last = [";\"total\";\"EUR\";50;0;0;0;0;50", ";\"not_converted: 1\";;;;;;;"];
    assert!(rows.ends_with(&last), "{csv}");
    let pdf = api.get(&format!("{path}?format=pdf"), &owner).await.with(200).text;
    assert!(pdf.contains("Ni v skupnem znesku, ker ni tečaja; dokumentov: 1\n"), "{pdf}");

    let account = statement(&api, &owner, &bor, "2026-11-01", "2026-11-30").await;
    assert_eq!(account["other_currencies"], json!(["ILS", "USD"]), "{account}");
    let path = format!(
        "/customers/{}/statement?date_from=2026-11-01&date_to=2026-11-30",
        text(&bor["id"])
    );
    let csv = api.get(&format!("{path}&format=csv"), &owner).await.with(200).text;
    let expected = [
        "2026-11-01;\"opening_balance\";;;0".to_owned(),
        format!("2026-11-02;\"invoice\";\"{}\";10;10", numbers[0]),
        "2026-11-30;\"closing_balance\";;;10".to_owned(),
        ";\"other_currencies\";\"ILS, USD\";;".to_owned(),
    ];
    assert_eq!(csv.lines().skip(1).collect::<Vec<_>>(), expected, "{csv}");
    let pdf = api.get(&format!("{path}&format=pdf"), &owner).await.with(200).text;
    assert!(pdf.contains("Ni v tej kartici; dokumenti v valutah: ILS, USD\n"), "{pdf}");
    let own = format!("{path}&currency_code=ILS&format=csv");
    let csv = api.get(&own, &owner).await.with(200).text;
    assert!(csv.contains(";\"other_currencies\";\"EUR, USD\";;"), "{csv}");
}

/// The statement of `customer` over the days `from` to `to`.
async fn statement(api: &Api, who: &Who, customer: &Value, from: &str, to: &str) -> Value {
    let id = text(&customer["id"]);
    let path = format!("/customers/{id}/statement?date_from={from}&date_to={to}");
    api.get(&path, who).await.with(200).json()
}

/// The days of a statement's movements, each with what is owed then.
fn balances(statement: &Value) -> Vec<(String, Value)> {
    let movements = statement["movements"].as_array().unwrap().iter();
    movements.map(|one| (text(&one["date"])[..10].to_owned(), one["balance"].clone())).collect()
}

#[actix_web::test]
async fn money_that_is_dated_before_its_invoice_is_in_the_statement_of_its_own_month() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = issue(&api, &owner, "/customers", json!({"name": "Bor"})).await;
    let invoice = json!({
        "customer_id": bor["id"], "date": "2026-10-05",
        "items": [{"name": "Kruh", "price": 100, "taxes": [{"rate": 22}]}],
        "payments": [{"type": "bank_transfer", "amount": 100, "date": "2026-09-20"}],
    });
    issue(&api, &owner, "/invoices", invoice).await;
    let september = statement(&api, &owner, &bor, "2026-09-01", "2026-09-30").await;
    assert_eq!(september["closing_balance"], -100, "{september}");
    assert_eq!(balances(&september), [("2026-09-20".to_owned(), json!(-100))]);
    let october = statement(&api, &owner, &bor, "2026-10-01", "2026-10-31").await;
    assert_eq!(october["opening_balance"], september["closing_balance"]);
    assert_eq!(balances(&october), [("2026-10-05".to_owned(), json!(22))]);
    let whole = statement(&api, &owner, &bor, "2026-09-01", "2026-10-31").await;
    assert_eq!((&whole["opening_balance"], &whole["closing_balance"]), (&json!(0), &json!(22)));
}

#[actix_web::test]
async fn an_advance_counts_on_the_date_of_the_invoice_that_is_made_with_it() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let bor = issue(&api, &owner, "/customers", json!({"name": "Bor"})).await;
    let items = json!([{"name": "Kruh", "price": 100, "taxes": [{"rate": 0}]}]);
    let advance = |paid: &str| {
        json!({"customer_id": bor["id"], "date": "2026-09-01", "items": items,
            "payments": [{"type": "bank_transfer", "date": paid}]})
    };
    let invoice = |links: Value| {
        json!({"customer_id": bor["id"], "date": "2026-09-10", "linked_documents": links,
            "items": items})
    };
    let early = issue(&api, &owner, "/advance-invoices", advance("2026-09-01")).await;
    issue(&api, &owner, "/invoices", invoice(json!([early["id"]]))).await;
    let september = statement(&api, &owner, &bor, "2026-09-01", "2026-09-30").await;
    let day = || "2026-09-10".to_owned();
    assert_eq!(balances(&september), [(day(), json!(100)), (day(), json!(0))], "{september}");

    let late = issue(&api, &owner, "/advance-invoices", advance("2026-09-15")).await;
    issue(&api, &owner, "/invoices", invoice(json!([late["id"]]))).await;
    let september = statement(&api, &owner, &bor, "2026-09-11", "2026-09-30").await;
    assert_eq!(september["opening_balance"], 100, "the money came later: {september}");
    assert_eq!(balances(&september), [("2026-09-15".to_owned(), json!(0))]);

    let first = issue(&api, &owner, "/invoices", invoice(json!([]))).await;
    let third = issue(&api, &owner, "/advance-invoices", advance("2026-09-01")).await;
    api.pass(1);
    let path = format!("/invoices/{}", text(&first["id"]));
    api.patch(&path, &owner, json!({"linked_documents": [third["id"]]})).await.with(200);
    let later = statement(&api, &owner, &bor, "2026-09-16", "2026-12-31").await;
    assert_eq!((&later["opening_balance"], &later["closing_balance"]), (&json!(100), &json!(0)));
    assert!(balances(&later)[0].0.starts_with("2026-11"), "the day of the link: {later}");
}
