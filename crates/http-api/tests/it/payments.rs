//! Payments: what they may name, how much they may come to, and what becomes of them.

use serde_json::json;

use crate::books::{Books, refuses};
use crate::harness::{Answer, text};

/// Asserts that `answer` refuses `amount` by the rule `code`, and with which figures.
fn refuses_amount(answer: Answer, code: &str, [total, paid, amount, maximum]: [&str; 4]) {
    let cause = refuses(answer, code);
    let figures = ["total_with_tax", "total_paid", "amount", "maximum"];
    let figures = figures.map(|figure| cause[figure].to_string());
    assert_eq!(figures, [total, paid, amount, maximum], "{cause}");
}

#[actix_web::test]
async fn a_payment_answers_what_is_specified() {
    let books = Books::open().await;
    let invoice = books.invoice("100").await;
    let made = books.pay(&invoice, "12.50").await;
    let expected = json!({
        "id": made["id"], "invoice_id": invoice["id"], "credit_note_id": null,
        "advance_invoice_id": null, "expense_id": null, "applied_to_expense_id": null,
        "amount": made["amount"], "type": "cash", "date": "2026-11-20T00:00:00.000Z",
        "reference": null, "tag": null, "note": null, "entity_id": books.owner.entity(),
        "tip": null, "tendered": null, "change": null, "pt": null,
        "metadata": {}, "created_at": "2026-11-20T08:00:00.000Z",
        "updated_at": "2026-11-20T08:00:00.000Z", "deleted_at": null,
    });
    assert_eq!(made, expected);
    assert_eq!(made["amount"].to_string(), "12.5");
    assert!(text(&made["id"]).starts_with("pmt_"), "{made}");
    let path = format!("/payments/{}", text(&made["id"]));
    assert_eq!(books.api.get(&path, &books.owner).await.with(200).json(), made);
    books.has(&invoice, "12.5", "87.5").await;

    let full = json!({
        "invoice_id": invoice["id"], "amount": 1, "type": "debit_card", "date": "2026-11-01",
        "reference": "SI00 1", "tag": "shop", "note": "Thanks", "metadata": {"a.b": "c"},
    });
    let made = books.api.post("/payments", &books.owner, full).await.with(201).json();
    let shown = ["type", "date", "reference", "tag", "note", "metadata"].map(|name| &made[name]);
    let date = json!("2026-11-01T00:00:00.000Z");
    let (kind, metadata) = (json!("debit_card"), json!({"a.b": "c"}));
    let texts = [json!("SI00 1"), json!("shop"), json!("Thanks")];
    assert_eq!(shown, [&kind, &date, &texts[0], &texts[1], &texts[2], &metadata]);
}

#[actix_web::test]
async fn the_document_is_inferred_from_its_prefix() {
    let books = Books::open().await;
    let draft = json!({"is_draft": true});
    for (document, field) in [
        (books.invoice("10").await, "invoice_id"),
        (books.credit_note("10").await, "credit_note_id"),
        (books.made("/advance-invoices", "10", draft).await, "advance_invoice_id"),
        (books.expense("10").await, "expense_id"),
    ] {
        let payment = books.pay(&document, "4").await;
        let named = ["invoice_id", "credit_note_id", "advance_invoice_id", "expense_id"];
        let named = named.map(|name| (name, !payment[name].is_null()));
        assert!(named.iter().all(|(name, there)| *there == (*name == field)), "{payment}");
        assert_eq!(payment[field], document["id"]);
        books.has(&document, "4", "6").await;
        let typed = json!({field: document["id"], "amount": 1, "type": "card"});
        let typed = books.api.post("/payments", &books.owner, typed).await.with(201).json();
        assert_eq!(typed[field], document["id"]);
    }
}

#[actix_web::test]
async fn every_type_is_accepted_and_answered() {
    let books = Books::open().await;
    let invoice = books.invoice("100").await;
    for kind in [
        "cash",
        "bank_transfer",
        "card",
        "credit_card",
        "debit_card",
        "check",
        "online_wallet",
        "coupon",
        "other",
        "advance",
    ] {
        let body = json!({"document_id": invoice["id"], "amount": 1, "type": kind});
        let made = books.api.post("/payments", &books.owner, body).await.with(201).json();
        assert_eq!(made["type"], kind);
    }
    let made = books.settle(&invoice, &books.credit_note("1").await, 1).await.with(201).json();
    assert_eq!(made["type"], "credit_note");
    books.has(&invoice, "11", "89").await;
}

#[actix_web::test]
async fn mistakes_in_a_payment_are_named() {
    let books = Books::open().await;
    let (invoice, credit) = (books.invoice("100").await, books.credit_note("100").await);
    let expense = books.expense("100").await;
    let estimate = books.made("/estimates", "1", json!({})).await;
    let (inv, cre, exp) = (&invoice["id"], &credit["id"], &expense["id"]);
    let long = "x".repeat(251);
    for (body, path, code) in [
        (json!({}), "[\"document_id\"]", "required"),
        (json!({"document_id": null, "invoice_id": null}), "[\"document_id\"]", "required"),
        (json!({"invoice_id": inv, "type": "credit_note"}), "[\"credit_note_id\"]", "required"),
        (json!({"document_id": cre, "type": "credit_note"}), "[\"invoice_id\"]", "required"),
        (json!({"expense_id": exp, "type": "credit_note"}), "[\"type\"]", "reserved"),
        (
            json!({"expense_id": exp, "applied_to_expense_id": exp}),
            "[\"applied_to_expense_id\"]",
            "reserved",
        ),
        (json!({"document_id": estimate["id"]}), "[\"document_id\"]", "invalid_id"),
        (json!({"invoice_id": cre}), "[\"invoice_id\"]", "invalid_id"),
        (json!({"document_id": "inv_1"}), "[\"document_id\"]", "invalid_id"),
        (json!({"invoice_id": inv, "credit_note_id": cre}), "[\"document_id\"]", "conflicting"),
        (json!({"document_id": inv, "expense_id": exp}), "[\"document_id\"]", "conflicting"),
        (json!({"document_id": inv, "amount": null}), "[\"amount\"]", "required"),
        (json!({"document_id": inv, "amount": 0}), "[\"amount\"]", "out_of_range"),
        (json!({"document_id": inv, "amount": -1}), "[\"amount\"]", "out_of_range"),
        (json!({"document_id": inv, "amount": 0.001}), "[\"amount\"]", "too_many_decimals"),
        (json!({"document_id": inv, "amount": "1"}), "[\"amount\"]", "invalid_type"),
        (json!({"document_id": inv, "type": "paypal"}), "[\"type\"]", "invalid_value"),
        (json!({"document_id": inv, "date": "20.11.2026"}), "[\"date\"]", "invalid_value"),
        (json!({"document_id": inv, "date": "2026-02-30"}), "[\"date\"]", "invalid_value"),
        (json!({"document_id": inv, "tag": long}), "[\"tag\"]", "too_long"),
        (json!({"document_id": inv, "metadata": {"a": long}}), "[\"metadata\",\"a\"]", "too_long"),
    ] {
        let mut sent = json!({"amount": 1, "type": "cash"});
        sent.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let answer = books.api.post("/payments", &books.owner, sent).await.with(422);
        assert_eq!(answer.issue(), (path.to_owned(), code.to_owned()), "{body}");
    }
    let untyped = json!({"document_id": inv, "amount": 1});
    let answer = books.api.post("/payments", &books.owner, untyped).await.with(422);
    assert_eq!(answer.issue(), ("[\"type\"]".to_owned(), "required".to_owned()));
    books.has(&invoice, "0", "100").await;
    assert_eq!(books.api.get("/payments", &books.owner).await.json()["data"], json!([]));
}

#[actix_web::test]
async fn only_what_is_there_and_open_is_paid() {
    let books = Books::open().await;
    let other = books.api.owner("other@example.com").await;
    let theirs = json!({"items": [{"name": "Lot", "price": 1, "taxes": []}]});
    let theirs = books.api.post("/invoices", &other, theirs).await.with(201).json();
    books.try_pay(&theirs, "1").await.with(404);
    books.try_pay(&json!({"id": "inv_01jd0000000000000000000000"}), "1").await.with(404);
    for path in ["/invoices", "/credit-notes"] {
        let draft = books.made(path, "10", json!({"is_draft": true})).await;
        refuses(books.try_pay(&draft, "1").await, "document_is_draft");
    }
    let voided = books.invoice("10").await;
    let paid = books.pay(&voided, "1").await;
    let void = format!("/invoices/{}/void", text(&voided["id"]));
    books.api.post(&void, &books.owner, json!({})).await.with(200);
    refuses(books.try_pay(&voided, "1").await, "document_voided");
    refuses(books.change(&paid, json!({"note": "x"})).await, "document_voided");
    refuses(books.act(&paid, "delete").await, "document_voided");

    let mine = books.pay(&books.invoice("10").await, "1").await;
    let path = format!("/payments/{}", text(&mine["id"]));
    books.api.get(&path, &other).await.with(404);
    books.api.patch(&path, &other, json!({"note": "x"})).await.with(404);
    books.api.delete(&path, &other).await.with(404);
    books.api.post(&format!("{path}/restore"), &other, json!({})).await.with(404);
    assert_eq!(books.api.get("/payments", &other).await.json()["data"], json!([]));
}

#[actix_web::test]
async fn payments_never_exceed_what_they_pay() {
    let books = Books::open().await;
    let invoice = books.invoice("100.10").await;
    let code = "payment_exceeds_total";
    let refused = books.try_pay(&invoice, "100.11").await;
    refuses_amount(refused, code, ["100.1", "0", "100.11", "100.1"]);
    let first = books.pay(&invoice, "60.05").await;
    let refused = books.try_pay(&invoice, "40.06").await;
    refuses_amount(refused, code, ["100.1", "60.05", "40.06", "40.05"]);
    let refused = books.change(&first, json!({"amount": 101})).await;
    refuses_amount(refused, code, ["100.1", "0", "101", "100.1"]);
    books.has(&invoice, "60.05", "40.05").await;
    books.pay(&invoice, "40.05").await;
    books.has(&invoice, "100.1", "0").await;
    let refused = books.try_pay(&invoice, "0.01").await;
    refuses_amount(refused, code, ["100.1", "100.1", "0.01", "0"]);

    let draft = books.made("/advance-invoices", "50", json!({"is_draft": true})).await;
    refuses_amount(books.try_pay(&draft, "51").await, code, ["50", "0", "51", "50"]);
    let expense = books.expense("20").await;
    refuses_amount(books.try_pay(&expense, "20.01").await, code, ["20", "0", "20.01", "20"]);
}

#[actix_web::test]
async fn a_credit_note_gives_no_more_than_it_has() {
    let books = Books::open().await;
    let (invoice, credit) = (books.invoice("100").await, books.credit_note("30").await);
    let code = "credit_exceeds_remaining";
    refuses_amount(books.try_pay(&credit, "31").await, code, ["30", "0", "31", "30"]);
    let refund = books.pay(&credit, "10").await;
    let settlement = books.settle(&invoice, &credit, 15).await.with(201).json();
    books.has(&credit, "25", "5").await;
    books.has(&invoice, "15", "85").await;
    let refused = books.settle(&invoice, &credit, 6).await;
    refuses_amount(refused, code, ["30", "25", "6", "5"]);
    let refused = books.settle(&books.invoice("2").await, &credit, 3).await;
    refuses_amount(refused, "payment_exceeds_total", ["2", "0", "3", "2"]);

    for act in ["delete", "restore", "permanent"] {
        refuses(books.act(&settlement, act).await, "payment_system_managed");
    }
    let change = json!({"amount": 1});
    refuses(books.change(&settlement, change).await, "payment_system_managed");
    refuses(books.change(&settlement, json!({"note": "x"})).await, "payment_system_managed");
    books.act(&refund, "delete").await.with(204);
    books.settle(&invoice, &credit, 15).await.with(201);
    books.has(&credit, "30", "0").await;
    books.has(&invoice, "30", "70").await;
    let refused = books.act(&refund, "restore").await;
    refuses_amount(refused, code, ["30", "30", "10", "0"]);
}

#[actix_web::test]
async fn advance_money_gives_way_to_ordinary_payments_and_comes_back() {
    let books = Books::open().await;
    let advance = books.advance("50").await;
    let linked = json!({"linked_documents": [advance["id"]]});
    let invoice = books.made("/invoices", "80", linked).await;
    books.has(&invoice, "50", "30").await;
    let shares = async || -> Vec<String> {
        let allocations = books.allocations(&invoice).await;
        allocations.iter().map(|payment| payment["amount"].to_string()).collect()
    };
    assert_eq!(shares().await, ["50"]);
    let allocation = books.allocations(&invoice).await.remove(0);
    assert_eq!(allocation["advance_invoice_id"], advance["id"]);

    let payment = books.pay(&invoice, "60").await;
    assert_eq!(shares().await, ["20"]);
    books.has(&invoice, "80", "0").await;
    let refused = books.try_pay(&invoice, "20.5").await;
    let code = "payment_exceeds_total";
    refuses_amount(refused, code, ["80", "80", "20.5", "20"]);
    books.change(&payment, json!({"amount": 75})).await.with(200);
    assert_eq!(shares().await, ["5"]);
    books.act(&payment, "delete").await.with(204);
    assert_eq!(shares().await, ["50"]);
    books.has(&invoice, "50", "30").await;
    books.act(&payment, "restore").await.with(200);
    assert_eq!(shares().await, ["5"]);
    books.has(&invoice, "80", "0").await;

    let next = json!({"linked_documents": [advance["id"]], "force_linked_documents": true});
    let next = books.made("/invoices", "100", next).await;
    books.has(&next, "45", "55").await;

    let allocation = books.allocations(&invoice).await.remove(0);
    for act in ["delete", "restore", "permanent"] {
        refuses(books.act(&allocation, act).await, "payment_system_managed");
    }
    refuses(books.change(&allocation, json!({"tag": "x"})).await, "payment_system_managed");
    let by_hand = json!({
        "invoice_id": invoice["id"], "advance_invoice_id": advance["id"], "amount": 1,
        "type": "advance",
    });
    let by_hand = books.api.post("/payments", &books.owner, by_hand).await;
    refuses(by_hand, "payment_system_managed");
}

#[actix_web::test]
async fn an_issued_advance_stays_covered() {
    let books = Books::open().await;
    let draft = books.made("/advance-invoices", "50", json!({"is_draft": true})).await;
    let first = books.pay(&draft, "20").await;
    let finalize = format!("/documents/{}/finalize", text(&draft["id"]));
    let refused = books.api.post(&finalize, &books.owner, json!({})).await;
    refuses_amount(refused, "advance_not_fully_paid", ["50", "20", "30", "30"]);
    let unpaid = json!({"items": [{"name": "Lot", "price": 9, "taxes": []}]});
    let unpaid = books.api.post("/advance-invoices", &books.owner, unpaid).await;
    refuses_amount(unpaid, "advance_not_fully_paid", ["9", "0", "9", "9"]);

    books.change(&first, json!({"amount": 25})).await.with(200);
    books.pay(&draft, "25").await;
    books.api.post(&finalize, &books.owner, json!({})).await.with(200);
    refuses(books.act(&first, "delete").await, "advance_payment_locked");
    refuses(books.change(&first, json!({"amount": 24})).await, "advance_payment_locked");
    refuses(books.try_pay(&draft, "1").await, "advance_payment_locked");
    let noted = books.change(&first, json!({"note": "cash box"})).await.with(200).json();
    assert_eq!(noted["note"], "cash box");
    books.has(&draft, "50", "0").await;
}

#[actix_web::test]
async fn a_change_touches_what_is_sent() {
    let books = Books::open().await;
    let invoice = books.invoice("100").await;
    let made = json!({
        "document_id": invoice["id"], "amount": 10, "type": "cash", "date": "2026-11-01",
        "reference": "r", "tag": "t", "note": "n", "metadata": {"a": "b"},
    });
    let made = books.api.post("/payments", &books.owner, made).await.with(201).json();
    books.api.pass(1);
    let change = json!({"amount": 30.5, "type": "card", "tag": null});
    let changed = books.change(&made, change).await.with(200).json();
    let mut expected = made.clone();
    for (name, value) in [
        ("amount", changed["amount"].clone()),
        ("type", json!("card")),
        ("tag", json!(null)),
        ("updated_at", json!("2026-11-20T08:00:01.000Z")),
    ] {
        expected[name] = value;
    }
    assert_eq!((&changed, changed["amount"].to_string()), (&expected, "30.5".to_owned()));
    books.has(&invoice, "30.5", "69.5").await;
    let change = json!({"date": "2026-10-31", "reference": "R", "note": "N", "metadata": null});
    let changed = books.change(&made, change).await.with(200).json();
    assert_eq!(changed["date"], "2026-10-31T00:00:00.000Z");
    assert_eq!(changed["metadata"], json!({}));
    assert_eq!((&changed["reference"], &changed["note"]), (&json!("R"), &json!("N")));

    let same =
        json!({"document_id": invoice["id"], "invoice_id": invoice["id"], "credit_note_id": null});
    assert_eq!(books.change(&made, same).await.with(200).json(), changed);
    let other = books.invoice("1").await;
    for (change, path, code) in [
        (json!({"document_id": other["id"]}), "document_id", "not_updatable"),
        (json!({"invoice_id": other["id"]}), "invoice_id", "not_updatable"),
        (json!({"invoice_id": null}), "invoice_id", "not_updatable"),
        (json!({"credit_note_id": "cre_1"}), "credit_note_id", "not_updatable"),
        (json!({"advance_invoice_id": "adv_1"}), "advance_invoice_id", "not_updatable"),
        (json!({"expense_id": "exp_1"}), "expense_id", "not_updatable"),
        (json!({"applied_to_expense_id": "exp_1"}), "applied_to_expense_id", "not_updatable"),
        (json!({"type": "credit_note"}), "type", "not_updatable"),
        (json!({"type": "advance"}), "type", "not_updatable"),
        (json!({"type": null}), "type", "required"),
        (json!({"amount": null}), "amount", "required"),
        (json!({"amount": 0}), "amount", "out_of_range"),
        (json!({"amount": 1.005}), "amount", "too_many_decimals"),
        (json!({"date": null}), "date", "required"),
        (json!({"note": "x".repeat(10_001)}), "note", "too_long"),
    ] {
        let answer = books.change(&made, change.clone()).await.with(422);
        assert_eq!(answer.issue(), (format!("[\"{path}\"]"), code.to_owned()), "{change}");
    }
    let path = format!("/payments/{}", text(&made["id"]));
    assert_eq!(books.api.get(&path, &books.owner).await.with(200).json(), changed);
}

#[actix_web::test]
async fn a_payment_is_trashed_restored_and_erased() {
    let books = Books::open().await;
    let editor = books.api.member(&books.owner, "editor@example.com", "editor").await;
    let invoice = books.invoice("100").await;
    let payment = books.pay(&invoice, "70").await;
    refuses(books.act(&payment, "permanent").await, "not_in_trash");
    refuses(books.act(&payment, "restore").await, "not_in_trash");
    assert!(books.act(&payment, "delete").await.with(204).text.is_empty());
    books.has(&invoice, "0", "100").await;
    books.act(&payment, "delete").await.with(404);
    refuses(books.change(&payment, json!({"note": "x"})).await, "in_trash");
    let path = format!("/payments/{}", text(&payment["id"]));
    let trashed = books.api.get(&path, &books.owner).await.with(200).json();
    assert_eq!(trashed["deleted_at"], "2026-11-20T08:00:00.000Z");
    let trash = async |deleted: bool| {
        let path = format!("/payments?deleted={deleted}");
        books.api.get(&path, &books.owner).await.with(200).json()["pagination"]["total"].clone()
    };
    assert_eq!((trash(false).await, trash(true).await), (json!(0), json!(1)));

    let restored = books.act(&payment, "restore").await.with(200).json();
    assert_eq!(restored, payment);
    books.has(&invoice, "70", "30").await;
    books.act(&payment, "delete").await.with(204);
    let other = books.pay(&invoice, "40").await;
    let refused = books.act(&payment, "restore").await;
    refuses_amount(refused, "payment_exceeds_total", ["100", "40", "70", "60"]);
    books.has(&invoice, "40", "60").await;

    books.api.delete(&format!("{path}/permanent"), &editor).await.with(403);
    books.act(&payment, "permanent").await.with(204);
    books.api.get(&path, &books.owner).await.with(404);
    books.act(&payment, "restore").await.with(404);
    books.act(&payment, "permanent").await.with(404);
    assert_eq!((trash(false).await, trash(true).await), (json!(1), json!(0)));
    books.has(&invoice, "40", "60").await;
    books.act(&other, "delete").await.with(204);
    books.has(&invoice, "0", "100").await;
}

#[actix_web::test]
async fn tips_and_change_are_answered_and_settle_nothing() {
    let books = Books::open().await;
    let cash = json!({"payments": [{"type": "cash", "tendered": 10}]});
    let invoice = books.made("/invoices", "4.80", cash).await;
    books.has(&invoice, "4.8", "0").await;
    let path = format!("/payments?query={{%22invoice_id%22:%22{}%22}}", text(&invoice["id"]));
    let listed = books.api.get(&path, &books.owner).await.with(200).json();
    let payment = &listed["data"][0];
    for (field, expected) in [("amount", "4.8"), ("tendered", "10"), ("change", "5.2")] {
        assert_eq!(payment[field].to_string(), expected, "{payment}");
    }
    assert_eq!(payment["tip"], json!(null));

    let other = books.invoice("4.80").await;
    let id = json!({"document_id": other["id"], "type": "cash", "amount": 4.8});
    let with = |more: serde_json::Value| {
        let mut body = id.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    for (more, field) in [
        (json!({"tendered": 4}), "tendered"),
        (json!({"tendered": 10, "change": 5}), "change"),
        (json!({"tip": -1}), "tip"),
        (json!({"type": "card", "tendered": 10}), "tendered"),
    ] {
        let answer = books.api.post("/payments", &books.owner, with(more)).await.with(422).json();
        assert_eq!(answer["cause"]["issues"][0]["path"], json!([field]), "{answer}");
    }
    books.has(&other, "0", "4.8").await;
    let body = with(json!({"tip": 0.2, "tendered": 10, "change": 5}));
    let payment = books.api.post("/payments", &books.owner, body).await.with(201).json();
    assert_eq!(
        (payment["tip"].to_string(), payment["change"].to_string()),
        ("0.2".to_owned(), "5".to_owned())
    );
    books.has(&other, "4.8", "0").await;
    let changed = books.change(&payment, json!({"type": "card"})).await.with(200).json();
    assert_eq!((&changed["tendered"], &changed["change"]), (&json!(null), &json!(null)));
    assert_eq!(changed["tip"].to_string(), "0.2");
    books.has(&other, "4.8", "0").await;
}
