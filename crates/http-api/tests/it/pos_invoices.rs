//! Tabs that are added up, invoiced whole or in parts, and whose lines move.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Answer, text};
use crate::shop::Shop;

/// An item with a tax of its own.
async fn item(shop: &Shop, name: &str, gross: &str, rate: &str) -> String {
    let tax = json!({"tax_rates": [{"rate": number(rate)}]});
    let tax = shop.post("/taxes", tax).await.with(201).json();
    let item = json!({"name": name, "gross_price": number(gross), "tax_ids": [tax["id"]]});
    text(&shop.post("/items", item).await.with(201).json()["id"])
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What differs nowhere between a tab and its invoice.
fn figures(tab: &Value) -> [String; 4] {
    ["net", "tax", "gross", "discount"].map(|field| tab["totals"][field].to_string())
}

/// The same of an invoice.
fn figures_of(invoice: &Value) -> [String; 4] {
    let taxes = invoice["taxes"].as_array().unwrap();
    let decimal = |value: &Value| value.to_string().parse::<racun_kernel::Decimal>().unwrap();
    let amounts: Vec<_> = taxes.iter().map(|tax| &tax["amount"]).map(decimal).collect();
    let tax: racun_kernel::Decimal = amounts.iter().sum();
    let field = |name: &str| invoice[name].to_string();
    [field("total"), tax.to_string(), field("total_with_tax"), field("total_discount")]
}

/// Rate, base and amount of each tax.
fn taxes(holder: &Value) -> Vec<[String; 3]> {
    let taxes = holder["taxes"].as_array().unwrap().iter();
    taxes.map(|tax| ["rate", "base", "amount"].map(|field| tax[field].to_string())).collect()
}

async fn tab(shop: &Shop, id: &str) -> Value {
    shop.get(&format!("/pos/tabs/{id}")).await.with(200).json()
}

/// A tab with two beers, a cake at a discount, and a soup that is no item; claimed by `till`.
async fn evening(shop: &Shop) -> String {
    let (beer, cake) =
        (item(shop, "Pivo", "4.20", "22").await, item(shop, "Torta", "4.80", "9.5").await);
    let id = shop.tab().await;
    let items = json!([
        {"item_id": beer, "quantity": 2},
        {"item_id": cake, "quantity": number("1.5"), "discount_percent": number("12.5")},
        {"name": "Dnevna juha", "unit_gross_price": number("3.33"),
         "tax_rates": [{"rate": number("9.5")}]},
    ]);
    shop.on(&id, "items", json!({"items": items})).await.with(200);
    shop.claim(&id, "till").await.with(200);
    id
}

async fn invoice(shop: &Shop, id: &str, more: Value) -> Answer {
    let mut body = json!({"device_id": "till"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    shop.on(id, "invoice", body).await
}

/// How many invoices there are, and the number that the next one takes.
async fn issued(shop: &Shop) -> (Value, String) {
    let list = shop.get("/invoices").await.with(200).json();
    let next = shop.get("/documents/next-number?type=invoice").await.text;
    (list["pagination"]["total"].clone(), next)
}

#[actix_web::test]
async fn a_tab_and_its_invoice_have_the_same_total() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let seen = tab(&shop, &id).await;
    // 8.40 at 22 %, 6.30 and 3.33 at 9.5 %.
    assert_eq!(figures(&seen), ["15.68", "2.35", "18.03", "0.82"]);
    let parts = [["22", "6.89", "1.51"], ["9.5", "8.79", "0.84"]];
    assert_eq!(taxes(&seen), parts.map(|part| part.map(str::to_owned)));
    let lines = seen["items"].as_array().unwrap();
    let by_hand: Vec<Value> = lines
        .iter()
        .map(|line| {
            let percent = &line["discount_percent"];
            let discounts = if percent.is_null() {
                json!([])
            } else {
                json!([{"value": percent, "type": "percent"}])
            };
            let mut sent = json!({
                "name": line["name"], "quantity": line["quantity"],
                "gross_price": line["unit_gross_price"], "discounts": discounts,
            });
            match &line["tax_rates"] {
                Value::Null => sent["item_id"] = line["item_id"].clone(),
                rates => sent["taxes"] = rates.clone(),
            }
            if let Some(taxes) = sent.get_mut("taxes").and_then(Value::as_array_mut) {
                taxes.iter_mut().for_each(|tax| *tax = json!({"rate": tax["rate"]}));
            }
            sent
        })
        .collect();
    let body = json!({"items": by_hand, "calculation_mode": "b2c_gross_discount"});
    let by_hand = shop.post("/invoices", body).await.with(201).json();
    assert_eq!(figures_of(&by_hand), figures(&seen));
    let by_tab = invoice(&shop, &id, json!({})).await.with(201).json();
    assert_eq!(figures_of(&by_tab), figures(&seen));
    assert_eq!(taxes(&by_tab), taxes(&by_hand));
    assert_eq!(by_tab["calculation_mode"], "b2c_gross_discount");
    let ended = tab(&shop, &id).await;
    assert_eq!((&ended["totals"], &ended["taxes"]), (&seen["totals"], &seen["taxes"]));
}

#[actix_web::test]
async fn lists_refusals_and_empty_tabs_have_totals_too_and_orders_outlive_their_items() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let seen = tab(&shop, &id).await;
    for line in &seen["items"].as_array().unwrap()[..2] {
        let path = format!("/items/{}", text(&line["item_id"]));
        shop.api.delete(&path, &shop.owner).await.with(204);
    }
    let again = tab(&shop, &id).await;
    assert_eq!((&again["totals"], &again["taxes"]), (&seen["totals"], &seen["taxes"]));
    let listed = shop.get("/pos/tabs").await.with(200).json();
    assert_eq!(listed["data"][0], again);
    shop.refuses(&id, shop.claim(&id, "other").await, 409, "already_claimed").await;
    let made = invoice(&shop, &id, json!({})).await.with(201).json();
    assert_eq!(figures_of(&made), figures(&seen));
    let empty = shop.tab().await;
    let opened = tab(&shop, &empty).await;
    assert_eq!((figures(&opened), taxes(&opened)), (["0"; 4].map(str::to_owned), vec![]));
    shop.claim(&empty, "till").await.with(200);
    let refused = invoice(&shop, &empty, json!({})).await.with(422);
    assert_eq!(refused.issue(), ("[\"lines\"]".to_owned(), "required".to_owned()));
}

#[actix_web::test]
async fn a_tab_is_invoiced_and_closed_at_once() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let paid = json!({"payments": [{"type": "cash", "tendered": 20}], "note": "Hvala"});
    let key = |request: TestRequest| request.insert_header(("idempotency-key", "till/1"));
    let mut body = paid.clone();
    body["device_id"] = "till".into();
    let path = format!("/pos/tabs/{id}/invoice");
    let request = || key(TestRequest::post().uri(&path).set_json(&body));
    let made = shop.api.call(shop.owner.sign(request())).await.with(201).json();
    let again = shop.api.call(shop.owner.sign(request())).await.with(201);
    assert_eq!((again.json(), again.header("idempotent-replayed")), (made.clone(), "true"));
    assert_eq!((&made["pos_tabs"], &made["note"]), (&json!([id]), &json!("Hvala")));
    assert_eq!(
        (&made["paid_in_full"], &made["total_due"].to_string()),
        (&json!(true), &"0".to_owned())
    );
    let read = shop.get(&format!("/invoices/{}", text(&made["id"]))).await.with(200).json();
    assert_eq!(read, made);
    let ended = tab(&shop, &id).await;
    assert_eq!((&ended["status"], &ended["invoice_id"]), (&json!("issued"), &made["id"]));
    assert_eq!(ended["invoices"][0]["invoice_id"], made["id"]);
    assert_eq!(ended["invoice_difference"], Value::Null);
    let payments = shop.get("/payments").await.with(200).json();
    assert_eq!(payments["data"][0]["change"].to_string(), "1.97");
    shop.refuses(&id, invoice(&shop, &id, json!({})).await, 409, "tab_issued").await;
    shop.on(&id, "close", json!({"invoice_id": made["id"]})).await.with(200);
    let kinds = shop.get("/activities?limit=100").await.with(200).text;
    assert!(kinds.contains("pos_tab.issued") && !kinds.contains("pos_tab.invoice_differs"));
}

#[actix_web::test]
async fn refusals_make_no_invoice_and_no_change() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let (before, none) = (tab(&shop, &id).await, issued(&shop).await);
    for (more, path, code) in [
        (json!({"lines": []}), "[\"lines\"]", "out_of_range"),
        (json!({"lines": [{"line_id": "line_1"}]}), "[\"lines\",0,\"line_id\"]", "not_found"),
        (json!({"share": {"number": 3, "of": 2}}), "[\"share\",\"number\"]", "out_of_range"),
        (json!({"lines": [], "share": {"number": 1, "of": 2}}), "[\"share\"]", "conflicting"),
        (json!({"tab_ids": [id]}), "[\"tab_ids\",0]", "duplicate"),
        (json!({"tab_ids": ["ptab_1"]}), "[\"tab_ids\",0]", "invalid_id"),
        (json!({"tab_ids": ["ptab_01jd0000000000000000000000"]}), "[\"tab_ids\",0]", "not_found"),
        (json!({"customer_id": "cus_1"}), "[\"customer_id\"]", "not_found"),
        (json!({"device_id": ""}), "[\"device_id\"]", "required"),
        (json!({"device_id": null}), "[\"device_id\"]", "required"),
        (
            json!({"payments": [{"type": "cash", "tendered": 18}]}),
            "[\"payments\",0,\"tendered\"]",
            "out_of_range",
        ),
    ] {
        let refused = invoice(&shop, &id, more.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{more}");
    }
    let too_much = json!({"payments": [{"type": "cash", "amount": 20}]});
    let refused = invoice(&shop, &id, too_much).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "payment_exceeds_total");
    let other = json!({"device_id": "other"});
    shop.refuses(&id, invoice(&shop, &id, other).await, 409, "already_claimed").await;
    let stale = json!({"expected_version": 1});
    shop.refuses(&id, invoice(&shop, &id, stale).await, 409, "stale_version").await;
    let open = shop.tab().await;
    shop.append(&open, 1, "a").await.with(200);
    shop.refuses(&open, invoice(&shop, &open, json!({})).await, 409, "not_claimed").await;
    let joined = invoice(&shop, &id, json!({"tab_ids": [open]})).await;
    shop.refuses(&open, joined, 409, "not_claimed").await;
    assert_eq!((tab(&shop, &id).await, issued(&shop).await), (before, none));
    let seen = json!({"device_id": null, "expected_version": 2});
    invoice(&shop, &open, seen).await.with(201);
    let stranger = shop.api.owner("stranger@example.com").await;
    let path = format!("/pos/tabs/{id}/invoice");
    shop.api.post(&path, &stranger, json!({"device_id": "till"})).await.with(404);
}

#[actix_web::test]
async fn lines_and_quantities_are_invoiced_apart_and_come_to_the_whole() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let before = tab(&shop, &id).await;
    let line = |n: usize| before["items"][n]["line_id"].clone();
    let some = json!({"lines": [{"line_id": line(0), "quantity": 1}, {"line_id": line(2)}]});
    let first = invoice(&shop, &id, some).await.with(201).json();
    assert_eq!(first["total_with_tax"].to_string(), "7.53");
    let left = tab(&shop, &id).await;
    assert_eq!((&left["status"], &left["claimed_by_device"]), (&json!("open"), &Value::Null));
    assert_eq!(figures(&left)[2], "10.5");
    assert_eq!(left["items"].as_array().unwrap().len(), 2);
    let seen = json!({"expected_version": left["version"]});
    let second = invoice(&shop, &id, seen).await.with(201).json();
    assert_eq!(second["total_with_tax"].to_string(), "10.5");
    let ended = tab(&shop, &id).await;
    assert_eq!((&ended["status"], &ended["invoice_id"]), (&json!("issued"), &second["id"]));
    let invoices = ended["invoices"].as_array().unwrap().iter();
    let grosses: Vec<String> = invoices.map(|of| of["gross"].to_string()).collect();
    assert_eq!(grosses, ["7.53", "10.5"]);
    assert_eq!((&first["pos_tabs"], &second["pos_tabs"]), (&json!([id]), &json!([id])));
}

#[actix_web::test]
async fn equal_shares_come_to_the_tab_to_the_cent() {
    let shop = Shop::open().await;
    let id = evening(&shop).await;
    let mut sum = racun_kernel::Decimal::zero();
    let mut totals = Vec::new();
    for number in [2, 1, 4, 3] {
        let version = tab(&shop, &id).await["version"].clone();
        let share = json!({"number": number, "of": 4});
        let body = json!({
            "share": share, "expected_version": version, "payments": [{"type": "card"}],
        });
        let made = invoice(&shop, &id, body).await.with(201).json();
        assert_eq!(made["items"][0]["name"], format!("Pivo ({number}/4)"));
        assert_eq!(made["paid_in_full"], json!(true));
        let total: racun_kernel::Decimal = made["total_with_tax"].to_string().parse().unwrap();
        sum += &total;
        totals.push(total.to_string());
        let now = tab(&shop, &id).await;
        if totals.len() < 4 {
            assert_eq!((&now["status"], &now["shares"]["of"]), (&json!("open"), &json!(4)));
            shop.refuses(&id, shop.append(&id, 1, "late").await, 409, "shares_outstanding").await;
            let twice = json!({"share": share, "expected_version": now["version"]});
            shop.refuses(&id, invoice(&shop, &id, twice).await, 409, "share_invoiced").await;
        } else {
            assert_eq!(now["shares"], json!({"of": 4, "invoiced": [2, 1, 4, 3]}));
            assert_eq!(now["status"], "issued");
        }
    }
    assert_eq!(sum.to_string(), "18.03");
    totals.sort();
    assert_eq!(totals, ["4.5", "4.51", "4.51", "4.51"]);
}

#[actix_web::test]
async fn tabs_are_joined_in_one_invoice() {
    let shop = Shop::open().await;
    let (one, other) = (evening(&shop).await, shop.tab().await);
    let customer = shop.post("/customers", json!({"name": "Bor d.o.o."})).await.with(201).json();
    let named = json!({"expected_version": 1, "customer_id": customer["id"]});
    shop.patch(&other, named).await.with(200);
    shop.append(&other, 2, "a").await.with(200);
    shop.claim(&other, "till").await.with(200);
    let sum = figures(&tab(&shop, &other).await)[2].clone();
    assert_eq!(sum, "6.4");
    let made = invoice(&shop, &one, json!({"tab_ids": [other]})).await.with(201).json();
    assert_eq!(made["total_with_tax"].to_string(), "24.43");
    assert_eq!(made["pos_tabs"], json!([one, other]));
    assert_eq!(made["customer_id"], customer["id"]);
    for id in [&one, &other] {
        let ended = tab(&shop, id).await;
        assert_eq!((&ended["status"], &ended["invoice_id"]), (&json!("issued"), &made["id"]));
    }
}

#[actix_web::test]
async fn a_closing_with_another_total_is_noted_on_the_tab_and_in_the_log() {
    let shop = Shop::open().await;
    let (coffee, beers) = (shop.tab().await, shop.tab().await);
    shop.append(&coffee, 1, "a").await.with(200);
    shop.append(&beers, 3, "a").await.with(200);
    let bill = shop.invoice(false).await;
    let close = json!({"invoice_id": bill});
    for id in [&coffee, &beers] {
        shop.claim(id, "till").await.with(200);
    }
    let closed = shop.on(&coffee, "close", close.clone()).await.with(200).json();
    assert_eq!(closed["invoice_difference"].to_string(), "0");
    let closed = shop.on(&beers, "close", close.clone()).await.with(200).json();
    assert_eq!(closed["invoice_difference"].to_string(), "-9.6");
    assert_eq!(closed["invoices"][0]["invoice_id"], json!(bill));
    let again = shop.on(&beers, "close", close).await.with(200).json();
    assert_eq!(again, closed);
    let read = shop.get(&format!("/invoices/{bill}")).await.with(200).json();
    assert_eq!(read["pos_tabs"], json!([coffee, beers]));
    let log = shop.get("/activities?limit=100").await.with(200).json();
    let told: Vec<&Value> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry.to_string().contains("pos_tab.invoice_differs"))
        .collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].to_string().contains(&beers), "{}", told[0]);
}

#[actix_web::test]
async fn lines_move_between_tabs_once() {
    let shop = Shop::open().await;
    let (from, to) = (evening(&shop).await, shop.tab().await);
    let lines = tab(&shop, &from).await["items"].clone();
    let whole = json!({"to_tab_id": to, "lines": [{"line_id": lines[0]["line_id"]}]});
    shop.refuses(&from, shop.on(&from, "move-lines", whole.clone()).await, 409, "already_claimed")
        .await;
    shop.on(&from, "release", json!({"device_id": "till"})).await.with(200);
    let sum = figures(&tab(&shop, &from).await)[2].clone();
    let moved = shop.on(&from, "move-lines", whole.clone()).await.with(200).json();
    assert_eq!((figures(&moved)[2].as_str(), &moved["version"]), ("9.63", &json!(5)));
    assert_eq!(shop.on(&from, "move-lines", whole).await.with(200).json(), moved);
    let came = tab(&shop, &to).await;
    assert_eq!((figures(&came)[2].as_str(), &came["version"]), ("8.4", &json!(2)));
    assert_eq!(came["items"][0]["line_id"], lines[0]["line_id"]);
    assert_eq!(sum, "18.03");
    let part = json!({
        "to_tab_id": to, "move_id": "m1", "to_expected_version": 2,
        "lines": [{"line_id": lines[1]["line_id"], "quantity": number("0.5")}],
    });
    let moved = shop.on(&from, "move-lines", part.clone()).await.with(200).json();
    assert_eq!(shop.on(&from, "move-lines", part).await.with(200).json(), moved);
    let came = tab(&shop, &to).await;
    let quantities: Vec<String> =
        came["items"].as_array().unwrap().iter().map(|it| it["quantity"].to_string()).collect();
    assert_eq!((quantities, &came["version"]), (vec!["2".to_owned(), "0.5".to_owned()], &json!(3)));
    let line = json!([{"line_id": lines[2]["line_id"]}]);
    for (body, path, code) in [
        (json!({"to_tab_id": from, "lines": line}), "[\"to_tab_id\"]", "conflicting"),
        (json!({"to_tab_id": "ptab_1", "lines": line}), "[\"to_tab_id\"]", "invalid_id"),
        (
            json!({"to_tab_id": "ptab_01jd0000000000000000000000", "lines": line}),
            "[\"to_tab_id\"]",
            "not_found",
        ),
        (json!({"to_tab_id": to, "lines": []}), "[\"lines\"]", "out_of_range"),
        (json!({"to_tab_id": to, "lines": line, "move_id": ""}), "[\"move_id\"]", "invalid_length"),
    ] {
        let refused = shop.on(&from, "move-lines", body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{body}");
    }
    shop.claim(&to, "till").await.with(200);
    let refused = shop.on(&from, "move-lines", json!({"to_tab_id": to, "lines": line})).await;
    shop.refuses(&to, refused, 409, "already_claimed").await;
}

#[actix_web::test]
async fn an_operator_invoices_and_moves_as_they_may_close() {
    let shop = Shop::open().await;
    let (from, to) = (evening(&shop).await, shop.tab().await);
    let eva = shop.api.member(&shop.owner, "eva@example.com", "editor").await;
    let id = shop.api.id(&eva).await;
    shop.api.set_pin(&shop.owner, &id, "042").await.with(204);
    let operator = shop.api.operator(&shop.owner, &id, "042").await;
    let post = async |tab: &str, act: &str, body: Value| {
        shop.api.post(&format!("/pos/tabs/{tab}/{act}"), &operator, body).await
    };
    let lines = tab(&shop, &from).await["items"].clone();
    let line = json!([{"line_id": lines[2]["line_id"]}]);
    post(&from, "release", json!({"device_id": "till"})).await.with(200);
    post(&from, "move-lines", json!({"to_tab_id": to, "lines": line})).await.with(200);
    let made = post(&to, "invoice", json!({"expected_version": 2})).await.with(201).json();
    assert_eq!((&made["creation_source"], &made["pos_tabs"]), (&json!("pos"), &json!([to])));
    let viewer = shop.api.member(&shop.owner, "viewer@example.com", "viewer").await;
    let path = format!("/pos/tabs/{from}/invoice");
    shop.api.post(&path, &viewer, json!({"expected_version": 5})).await.with(403);
}

#[actix_web::test]
async fn a_tabs_invoice_is_fiscalized_like_any_other() {
    let own = crate::taxpayer::Taxpayer::slovenian().await.certified().await;
    let settings = json!({
        "enabled": true, "operator_label": "Ana",
        "operator_tax_number": crate::taxpayer::TAX_NUMBER,
    });
    own.put(settings).await.with(200);
    let premise = own.premise("P1").await;
    let post = async |path: &str, body: Value| own.api.post(path, &own.owner, body).await;
    let soup = json!({
        "name": "Juha", "unit_gross_price": number("4.80"), "tax_rates": [{"rate": 22}],
    });
    let tab = text(&post("/pos/tabs", json!({})).await.with(201).json()["id"]);
    let path = format!("/pos/tabs/{tab}");
    post(&format!("{path}/items"), json!({"items": [soup, soup]})).await.with(200);
    let part = json!({
        "share": {"number": 1, "of": 2}, "expected_version": 2,
        "payments": [{"type": "cash", "tendered": 10, "tip": number("0.20")}],
    });
    // There is no device yet, so nothing is issued, and nothing becomes of the tab.
    let refused = post(&format!("{path}/invoice"), part.clone()).await;
    assert!(refused.status >= 400, "{refused:?}");
    let now = own.api.get(&path, &own.owner).await.with(200).json();
    assert_eq!((&now["version"], &now["shares"]), (&json!(2), &Value::Null));
    own.create_device(&premise, "1").await.with(201);
    for (number, version) in [(1, 2), (2, 3)] {
        let mut part = part.clone();
        (part["share"]["number"], part["expected_version"]) = (json!(number), json!(version));
        let sold = post(&format!("{path}/invoice"), part).await.with(201).json();
        assert_eq!(sold["number"], format!("P1-1-{number}"));
        assert_eq!(sold["total_with_tax"].to_string(), "4.8");
        assert_eq!(
            (&sold["furs"]["status"], &sold["pos_tabs"]),
            (&json!("success"), &json!([tab]))
        );
    }
    let now = own.api.get(&path, &own.owner).await.with(200).json();
    assert_eq!(now["status"], "issued");
}

#[actix_web::test]
async fn an_archived_category_of_an_item_stops_no_sale_and_is_on_no_new_line() {
    let shop = Shop::open().await;
    let category = shop.post("/financial-categories", json!({"name": "Old"})).await;
    let category = text(&category.with(201).json()["id"]);
    let beer = json!({"name": "Pivo", "gross_price": 4, "financial_category_id": category});
    let beer = text(&shop.post("/items", beer).await.with(201).json()["id"]);
    let lines = json!([{"name": "Kava", "price": 1, "taxes": []}, {"item_id": beer}]);
    let sold = json!({"items": lines});
    let draft = json!({"items": lines, "is_draft": true});
    let draft = shop.post("/invoices", draft).await.with(201).json();
    assert_eq!(draft["items"][1]["financial_category_id"], category);
    let path = format!("/financial-categories/{category}");
    shop.api.delete(&path, &shop.owner).await.with(204);

    let is_left_out = |made: &Value, n: usize| {
        let warning = &made["warnings"][0];
        let at = json!(["items", n, "financial_category_id"]);
        assert_eq!((&warning["path"], &warning["code"]), (&at, &json!("archived")), "{made}");
        assert_eq!(made["warnings"].as_array().unwrap().len(), 1);
        assert_eq!(made["items"][n]["financial_category_id"], Value::Null);
    };
    is_left_out(&shop.post("/invoices", sold.clone()).await.with(201).json(), 1);
    let bought = json!({"items": lines, "supplier": {"name": "A"}, "date": "2026-11-01"});
    is_left_out(&shop.post("/expenses", bought).await.with(201).json(), 1);
    let id = shop.tab().await;
    shop.on(&id, "items", json!({"items": [{"item_id": beer}]})).await.with(200);
    shop.claim(&id, "till").await.with(200);
    is_left_out(&invoice(&shop, &id, json!({})).await.with(201).json(), 0);

    // A line that has it keeps it, and a new one that names it is refused.
    let path = format!("/invoices/{}", text(&draft["id"]));
    let kept = shop.api.patch(&path, &shop.owner, sold).await.with(200).json();
    let of_line = &kept["items"][1]["financial_category_id"];
    assert_eq!((of_line, &kept["warnings"]), (&json!(category), &json!([])));
    let named = json!([{"item_id": beer, "financial_category_id": category}]);
    let refused = shop.post("/invoices", json!({"items": named})).await.with(422);
    let at = "[\"items\",0,\"financial_category_id\"]".to_owned();
    assert_eq!(refused.issue(), (at, "archived".to_owned()));
}
