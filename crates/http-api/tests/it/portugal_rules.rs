//! What the law of Portugal freezes, and what may not leave, over HTTP.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::harness::{Answer, text};
use crate::portugal::{Shop, code, invoice, merged};
use crate::portugal_totals::uncertify;

#[actix_web::test]
async fn names_and_numbers_that_documents_say_stay() {
    let shop = Shop::open().await;
    let made = async |body: Value| shop.post("/customers", body).await.with(201).json();
    let known = made(json!({"name": "Bor", "tax_number": "504030108"})).await;
    let item = json!({"name": "Café", "price": 1, "description": "Curto"});
    let item = shop.post("/items", item).await.with(201).json();
    let patch = async |path: String, body: Value| shop.api.patch(&path, &shop.owner, body).await;
    let customer = format!("/customers/{}", text(&known["id"]));
    let item_path = format!("/items/{}", text(&item["id"]));
    patch(customer.clone(), json!({"name": "Bor, Lda."})).await.with(200);
    patch(item_path.clone(), json!({"name": "Café curto"})).await.with(200);
    let line = json!({"item_id": item["id"], "taxes": [{"rate": 23}]});
    let sale = json!({"customer_id": known["id"], "items": [line]});
    shop.post("/invoices", sale.clone()).await.with(201);
    for (path, body, field) in [
        (&customer, json!({"name": "Hrast"}), "name"),
        (&customer, json!({"tax_number": "501442600"}), "tax_number"),
        (&customer, json!({"tax_number": null}), "tax_number"),
        (&item_path, json!({"name": "Chá"}), "name"),
    ] {
        let refused = patch(path.clone(), body.clone()).await.with(422);
        let expected = (format!("[\"{field}\"]"), "immutable".to_owned());
        assert_eq!(refused.issue(), expected, "{body}");
    }
    let other = json!({"email": "bor@example.com", "tax_number": "PT504030108"});
    patch(customer.clone(), other).await.with(200);
    patch(item_path, json!({"price": 2, "name": "Café curto"})).await.with(200);
    // A document names the customer as the catalogue does, and does not rename it.
    for (said, path, expected) in [
        (json!({"tax_number": "501442600"}), "tax_number", "conflicting"),
        (json!({"tax_number": "501442600", "save_customer": true}), "tax_number", "immutable"),
        (json!({"name": "Hrast", "save_customer": true}), "name", "immutable"),
    ] {
        let mut body = sale.clone();
        body["customer"] = said;
        let refused = shop.post("/invoices", body.clone()).await.with(422);
        let expected = (format!("[\"customer\",\"{path}\"]"), expected.to_owned());
        assert_eq!(refused.issue(), expected, "{body}");
    }
    let after = shop.post("/invoices", sale).await.with(201).json();
    assert_eq!(after["number"], "FT 2026A/2", "refusals take no number");
}

#[actix_web::test]
async fn a_customer_without_a_number_keeps_the_name_and_may_get_a_number() {
    let shop = Shop::open().await;
    // Kept by the sale itself.
    let sold = shop.sold(json!({"customer": {"name": "Ana Silva"}})).await;
    let path = format!("/customers/{}", text(&sold["customer_id"]));
    let patch = async |body: Value| shop.api.patch(&path, &shop.owner, body).await;
    let refused = patch(json!({"name": "Eva Silva"})).await.with(422);
    assert_eq!(refused.issue(), ("[\"name\"]".into(), "immutable".into()));
    patch(json!({"tax_number": "504030108"})).await.with(200);
    patch(json!({"tax_number": "501442600"})).await.with(422);
}

#[actix_web::test]
async fn nothing_is_printed_before_it_is_signed_or_in_another_form() {
    let shop = Shop::open().await;
    let preview = shop.post("/invoices/preview", invoice(json!({}))).await.with(422);
    assert_eq!(code(&preview), "pt_not_signed");
    let sold = shop.sold(json!({})).await;
    let path = format!("/documents/{}/html", text(&sold["id"]));
    let page = shop.get(&path).await.with(200);
    assert!(page.text.contains(&format!("ATCUD:{}", text(&sold["pt"]["atcud"]))));
    assert!(page.text.contains("Processado por programa certificado n.º 9999/AT"));
    shop.get(&format!("{path}?template=classic&language=pt&locale=pt-PT")).await.with(200);
    for (query, field) in
        [("template=modern", "template"), ("language=en", "language"), ("locale=sl-SI", "locale")]
    {
        let refused = shop.get(&format!("{path}?{query}")).await.with(422);
        let expected = (format!("[\"{field}\"]"), "not_in_portugal".to_owned());
        assert_eq!(refused.issue(), expected, "{query}");
    }
    let entity = format!("/entities/{}", shop.owner.entity());
    let look = json!({"settings": {"pdf_template": "modern"}});
    let refused = shop.api.patch(&entity, &shop.owner, look).await.with(422);
    let expected = ("[\"settings\",\"pdf_template\"]".to_owned(), "not_in_portugal".to_owned());
    assert_eq!(refused.issue(), expected);
}

#[actix_web::test]
async fn a_number_of_a_buyer_that_cannot_be_numbers_nothing() {
    let shop = Shop::open().await;
    for (number, country, fits) in [
        ("504030109", json!({"country_code": "PT"}), false),
        ("504030109", json!({"country": "Portugal"}), false),
        ("504030109", json!({}), false),
        ("504 030 109", json!({}), false),
        ("PT504030109", json!({}), false),
        ("PT504030108", json!({"country_code": "PT"}), true),
        ("999999990", json!({"country_code": "PT"}), true),
        ("B12345678", json!({"country_code": "ES"}), true),
        ("504030109", json!({"country": "Poland"}), true),
        ("501442600", json!({}), true),
    ] {
        let customer = json!({"name": format!("Bor {number}"), "tax_number": number});
        let customer = merged(customer, country);
        let sold = shop.sell(json!({"customer": customer})).await;
        if fits {
            sold.with(201);
        } else {
            let expected = ("[\"customer\",\"tax_number\"]".into(), "invalid_value".into());
            assert_eq!(sold.with(422).issue(), expected, "{number}");
        }
    }
    assert_eq!(shop.sold(json!({})).await["number"], "FT 2026A/6", "refusals take no number");
}

#[actix_web::test]
async fn there_are_no_drafts_by_a_schedule_and_issued_documents_stay() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    let schedule = json!({
        "document_id": sold["id"], "name": "Renda", "frequency": "monthly",
        "start_date": "2026-12-01",
        "create_as_draft": true,
    });
    let refused = shop.post("/recurring-invoices", schedule).await.with(422);
    let expected = ("[\"create_as_draft\"]".to_owned(), "not_in_portugal".to_owned());
    assert_eq!(refused.issue(), expected);
    let path = format!("/invoices/{}", text(&sold["id"]));
    let edit = shop.api.patch(&path, &shop.owner, json!({"note": "x"})).await.with(422);
    assert_eq!(code(&edit), "pt_document_immutable");
}

#[actix_web::test]
async fn a_copy_says_so_when_the_caller_does() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    let path = format!("/documents/{}", text(&sold["id"]));
    let (first, copy) = ("Original", "2.ª via, em conformidade com o original");
    let mut pages = Vec::new();
    for (query, said, not_said) in [
        ("", first, copy),
        ("?copy=true", copy, first),
        // Who prints says what is a copy, not how often it was printed.
        ("", first, copy),
        ("?copy=false", first, copy),
    ] {
        let page = shop.get(&format!("{path}/html{query}")).await.with(200).text;
        assert!(page.contains(said) && !page.contains(not_said), "{query}: {page}");
        let pdf = shop.get(&format!("{path}/pdf{query}")).await.with(200);
        assert_eq!(pdf.header("content-type"), "application/pdf");
        pages.push(page);
    }
    assert_eq!(pages[1], pages[0].replace(first, copy), "a copy has the contents of the original");
}

#[actix_web::test]
async fn a_key_that_does_not_sign_numbers_nothing() {
    let shop = Shop::open().await;
    let signs_nothing = &shop.office.signs_nothing;
    signs_nothing.store(true, Ordering::Relaxed);
    let failed = shop.sell(json!({})).await.with(500);
    assert_eq!(failed.json()["code"], "internal_server_error");
    let list = shop.get("/invoices").await.with(200).json();
    assert_eq!(list["data"], json!([]));
    signs_nothing.store(false, Ordering::Relaxed);
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["number"], "FT 2026A/1");
    assert!(text(&sold["pt"]["atcud"]).ends_with("-1"));
}

#[actix_web::test]
async fn what_is_not_signed_is_not_printed_and_not_mailed() {
    let shop = Shop::open().await;
    shop.api.verify("ana@example.com").await;
    let sold = shop.sold(json!({})).await;
    let path = format!("/documents/{}", text(&sold["id"]));
    let mail = async || {
        let body = json!({"to": "bor@example.com", "sandbox_skip_delivery": true});
        shop.post(&format!("{path}/send"), body).await
    };
    mail().await.with(200);
    uncertify(&shop, &sold).await;
    for refused in [
        mail().await,
        shop.get(&format!("{path}/pdf")).await,
        shop.get(&format!("{path}/html")).await,
    ] {
        assert_eq!(code(&refused.with(422)), "pt_not_signed");
    }
}

#[actix_web::test]
async fn what_the_next_document_would_be_names_its_series() {
    let shop = Shop::bare().await;
    let next = async || shop.get("/documents/next-number?type=invoice").await.with(200).json();
    let nothing = json!({"number": null, "furs": null, "fina": null, "pt": null});
    assert_eq!(next().await, nothing, "no series is active");
    let series = json!({"document_type": "invoice", "series_code": "2026A"});
    let series = shop.series(series).await.with(201).json();
    let told = next().await;
    assert_eq!(told["number"], "FT 2026A/1");
    assert_eq!(
        told["pt"],
        json!({
            "series_id": series["id"], "series_code": "2026A", "manual": false,
            "validation_code": series["validation_code"],
        })
    );
}

#[actix_web::test]
async fn nothing_is_issued_under_the_number_of_examples() {
    let shop = Shop::open().await;
    let path = format!("/entities/{}", shop.owner.entity());
    let example = json!({"tax_number": "123456789"});
    shop.api.patch(&path, &shop.owner, example).await.with(200);
    let refused = shop.sell(json!({})).await.with(422);
    assert_eq!(refused.issue(), (r#"["issuer","tax_number"]"#.into(), "required".into()));
}

#[actix_web::test]
async fn the_number_under_which_documents_were_issued_stays() {
    let shop = Shop::open().await;
    let path = format!("/entities/{}", shop.owner.entity());
    let patch = async |body: Value| shop.api.patch(&path, &shop.owner, body).await;
    // Series alone keep nothing, and a refused document does not either.
    patch(json!({"tax_number": "504030108"})).await.with(200);
    shop.sell(json!({"is_draft": true})).await.with(422);
    patch(json!({"tax_number": "501442600"})).await.with(200);
    let sold = shop.sold(json!({})).await;
    let kept = ("[\"tax_number\"]".to_owned(), "immutable".to_owned());
    for body in [
        json!({"tax_number": "504030108"}),
        json!({"tax_number": "504030108", "name": "Loja nova"}),
    ] {
        assert_eq!(patch(body.clone()).await.with(422).issue(), kept, "{body}");
    }
    let same = json!({"tax_number": "501442600", "name": "Loja nova"});
    patch(same).await.with(200);
    shop.void(&sold, json!({"reason": "Erro"})).await.with(200);
    assert_eq!(patch(json!({"tax_number": "504030108"})).await.with(422).issue(), kept);
    let file = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";
    let file = shop.get(file).await.with(200).text;
    assert!(file.contains("<TaxRegistrationNumber>501442600<"), "{file}");
}

#[actix_web::test]
async fn entities_of_the_islands_start_with_the_rates_of_their_region() {
    let shop = Shop::bare().await;
    let entity = shop.get(&format!("/entities/{}", shop.owner.entity())).await.with(200).json();
    for (place, expected) in [
        (json!({}), ["23%", "13%", "6%"]),
        (json!({"fiscal_region_code": "PT-MA"}), ["22%", "12%", "4%"]),
        (json!({"post_code": "9500-001"}), ["16%", "9%", "4%"]),
    ] {
        let mut wanted = json!({"environment": "sandbox"});
        for name in [
            "name",
            "country",
            "tax_number",
            "company_number",
            "phone",
            "email",
            "address",
            "city",
            "state",
            "post_code",
            "starting_capital",
        ] {
            wanted[name] = entity[name].clone();
        }
        let wanted = merged(wanted, place);
        let made = shop.api.post("/entities", &shop.owner, wanted).await.with(201).json();
        let owner = shop.owner.in_entity(&text(&made["id"]));
        let taxes = shop.api.get("/taxes", &owner).await.with(200).json();
        let mut names: Vec<_> =
            taxes["data"].as_array().unwrap().iter().map(|tax| text(&tax["name"])).collect();
        names.sort_by_key(|name| expected.iter().position(|own| own == name));
        assert_eq!(names, expected);
    }
}

#[actix_web::test]
async fn paper_says_who_gave_no_number_and_dates_as_the_law_does() {
    let shop = Shop::open().await;
    for customer in [Value::Null, json!({"name": "Maria"})] {
        let sold = shop.sold(json!({"customer": customer})).await;
        let page = shop.get(&format!("/documents/{}/html", text(&sold["id"]))).await.with(200);
        assert!(page.text.contains("Consumidor final"), "{}", page.text);
        assert!(page.text.contains("20-11-2026"), "{}", page.text);
    }
    let customer = json!({"name": "Bor", "tax_number": "504030108"});
    let sold = shop.sold(json!({"customer": customer})).await;
    let page = shop.get(&format!("/documents/{}/html", text(&sold["id"]))).await.with(200);
    assert!(!page.text.contains("Consumidor final"));
}

#[actix_web::test]
async fn a_customer_abroad_is_of_the_country_that_is_named() {
    let shop = Shop::open().await;
    for customer in [
        json!({"name": "Bor", "country": "Slovenia", "tax_number": "SI10039856"}),
        json!({"name": "Bor", "country_code": "SI", "tax_number": "SI10039856"}),
    ] {
        let sold = shop.sold(json!({"customer": customer})).await;
        let fields = racun_portugal::read_qr(&text(&sold["pt"]["qr_payload"])).unwrap();
        assert_eq!(fields["C"], "SI", "{sold}");
    }
}

#[actix_web::test]
async fn credit_notes_together_give_back_no_more_than_was_sold() {
    let shop = Shop::open().await;
    let line = |quantity: u32, price: u32, rate: u32| {
        let taxes = json!([{ "rate": rate }]);
        json!({"name": "Pão", "quantity": quantity, "price": price, "taxes": taxes})
    };
    let sale = json!({"items": [line(3, 100, 6)]});
    let (sold, other) = (shop.sold(sale.clone()).await, shop.sold(sale).await);
    let note = async |over: Value, line: Value| {
        shop.post("/credit-notes", json!({"linked_documents": over, "items": [line]})).await
    };
    let of = || json!([sold["id"]]);
    let too_many = (r#"["items",0,"quantity"]"#.to_owned(), "quantity_exceeds_original".to_owned());
    let other_rate = r#"["items",0,"taxes",0,"rate"]"#.to_owned();
    assert_eq!(note(of(), line(4, 1, 6)).await.with(422).issue(), too_many);
    let refused = note(of(), line(1, 1, 23)).await.with(422);
    assert_eq!(refused.issue(), (other_rate, "rate_not_sold".into()));
    let first = note(of(), line(2, 1, 6)).await.with(201).json();
    assert_eq!(first["number"], "NC 2026A/1");
    let refused = note(of(), line(2, 1, 6)).await.with(422);
    assert_eq!(refused.issue(), too_many, "one of three is left");
    assert!(refused.text.contains("of which 1 can"), "{}", refused.text);
    // What a voided note gave back can be given back again.
    let path = format!("/credit-notes/{}/void", text(&first["id"]));
    shop.post(&path, json!({"reason": "Erro"})).await.with(200);
    note(of(), line(2, 1, 6)).await.with(201);
    // One over both has what is left of both.
    let both = || json!([sold["id"], other["id"]]);
    assert_eq!(note(both(), line(5, 1, 6)).await.with(422).issue(), too_many);
    note(both(), line(4, 100, 6)).await.with(201);
    assert_eq!(note(json!([other["id"]]), line(1, 1, 6)).await.with(422).issue(), too_many);
}

#[actix_web::test]
async fn a_document_that_was_given_back_is_not_given_back_of_beside_another() {
    let shop = Shop::open().await;
    let sale = || {
        json!({"items": [{"name": "Pão", "quantity": 3, "price": 1,
        "taxes": [{"rate": 23}]}]})
    };
    let (first, second) = (shop.sold(sale()).await, shop.sold(sale()).await);
    let three = json!({"name": "Pão", "quantity": 3, "price": 1});
    let note = credit(&shop, &[&second], three).await.with(201).json();
    let one = || json!({"name": "Pão", "price": 1});
    // The first one has enough left for all of it.
    let refused = credit(&shop, &[&first, &second], one()).await.with(422);
    let expected = (r#"["linked_documents"]"#.into(), "credit_exceeds_remaining".into());
    assert_eq!(refused.issue(), expected);
    assert!(refused.text.contains(&text(&second["number"])), "{}", refused.text);
    void(&shop, "credit-notes", &note).await.with(200);
    credit(&shop, &[&first, &second], one()).await.with(201);
}

/// A credit note over `documents` with one line.
async fn credit(shop: &Shop, documents: &[&Value], line: Value) -> Answer {
    let ids: Vec<&Value> = documents.iter().map(|own| &own["id"]).collect();
    let line = merged(json!({"taxes": [{"rate": 23}]}), line);
    shop.post("/credit-notes", json!({"linked_documents": ids, "items": [line]})).await
}

async fn void(shop: &Shop, path: &str, document: &Value) -> Answer {
    let path = format!("/{path}/{}/void", text(&document["id"]));
    shop.post(&path, json!({"reason": "Erro"})).await
}

#[actix_web::test]
async fn a_document_under_a_credit_note_is_not_voided_whatever_that_gives_back_of_it() {
    let shop = Shop::open().await;
    let series = json!({"document_type": "advance_invoice", "series_code": "2026AD"});
    shop.series(series).await.with(201);
    let (first, second) = (shop.sold(json!({})).await, shop.sold(json!({})).await);
    let paid = invoice(json!({"payments": [{"type": "cash"}]}));
    let advance = shop.post("/advance-invoices", paid).await.with(201).json();
    // The first one has enough left for all of it.
    let over = [&first, &second, &advance];
    let discount = json!({"name": "Desconto", "price": 10});
    let note = credit(&shop, &over, discount).await.with(201).json();
    let kinds = ["invoices", "invoices", "advance-invoices"];
    for (document, kind) in over.into_iter().zip(kinds) {
        let refused = void(&shop, kind, document).await.with(422);
        assert_eq!(code(&refused), "document_credited", "{document}");
    }
    void(&shop, "credit-notes", &note).await.with(200);
    for document in [&first, &second] {
        void(&shop, "invoices", document).await.with(200);
    }
}

#[actix_web::test]
async fn a_credit_note_of_no_value_gives_back_quantities_and_holds_its_invoice() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    let free = || json!({"name": "Pão", "price": 0});
    let note = credit(&shop, &[&sold], free()).await.with(201).json();
    assert_eq!(note["total_with_tax"], 0);
    assert_eq!(code(&void(&shop, "invoices", &sold).await.with(422)), "document_credited");
    for line in [free(), json!({"name": "Pão", "price": 1})] {
        let refused = credit(&shop, &[&sold], line).await.with(422);
        let expected = (r#"["items",0,"quantity"]"#.into(), "quantity_exceeds_original".into());
        assert_eq!(refused.issue(), expected);
    }
    void(&shop, "credit-notes", &note).await.with(200);
    credit(&shop, &[&sold], json!({"name": "Pão", "price": 1})).await.with(201);
}
