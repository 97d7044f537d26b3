//! Numbers: one after the other, without a gap, each once, also for concurrent requests.

use racun_tests::{
    Account, Answer, Client, Racun, StoreKind, check_sequence, number, on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    invoices_made_at_once_are_numbered_without_a_gap,
    refused_requests_leave_no_gap,
    drafts_finalized_at_once_are_numbered_without_a_gap,
    business_units_are_numbered_apart,
    a_new_format_takes_effect_and_a_bad_one_is_refused,
    a_sequence_starts_where_the_settings_say,
    numbers_of_two_entities_do_not_touch,
}

/// Requests that are under way at once.
const AT_ONCE: usize = 64;

fn one_line() -> Value {
    json!({ "items": [{ "name": "Work", "price": 10, "taxes": [{ "rate": 22 }] }] })
}

/// Sends all requests at once; answers what they were answered.
async fn all_at_once(requests: impl IntoIterator<Item = (Client, String, Value)>) -> Vec<Answer> {
    let mut under_way = JoinSet::new();
    for (client, path, body) in requests {
        under_way.spawn(async move { client.post(&path, &body).await });
    }
    under_way.join_all().await
}

async fn invoices_made_at_once_are_numbered_without_a_gap(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let requests = (0..AT_ONCE).map(|_| (api.clone(), "/invoices".to_owned(), one_line()));
    let answers = all_at_once(requests).await;
    check_sequence(1, answers.iter().map(|answer| number(&answer.expect(201))));
    let listed = api.all("/invoices").await;
    assert_eq!(listed.len(), AT_ONCE);
    check_sequence(1, listed.iter().map(number));
}

/// Requests that are refused, each at another point of the way.
fn refused_requests() -> Vec<Value> {
    let with = |field: &str, value: Value| {
        let mut body = one_line();
        body[field] = value;
        body
    };
    vec![
        with("expected_total_with_tax", json!(99)),
        with("customer_id", json!("cus_00000000000000000000000000")),
        with("business_unit_id", json!("unit_00000000000000000000000000")),
        with("date", json!("2999-01-01")),
        with("date_due", json!("1999-01-01")),
        with("items", json!([{ "item_id": "item_00000000000000000000000000" }])),
        with("items", json!([{ "name": "Work" }])),
        with("items", json!([{ "name": "Work", "price": 1, "taxes": [{ "rate": 101 }] }])),
        with("items", json!([{ "name": "Work", "price": 1, "discounts": [{ "value": 101 }] }])),
        with("footer", json!("f".repeat(501))),
        with("number", json!("2026-00001")),
        with("currency_code", json!("XXQ")),
    ]
}

async fn refused_requests_leave_no_gap(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let refused = refused_requests();
    let good = (0..AT_ONCE).map(|_| one_line());
    let mixed = good.zip(refused.iter().cycle().cloned()).flat_map(|(good, bad)| [good, bad]);
    let requests = mixed.map(|body| (api.clone(), "/invoices".to_owned(), body));
    let answers = all_at_once(requests).await;
    let (made, others): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), others.len()), (AT_ONCE, AT_ONCE));
    for answer in &others {
        answer.refused(422, "unprocessable_entity");
    }
    check_sequence(1, made.iter().map(|answer| number(&answer.body())));
    let listed = api.all("/invoices").await;
    assert_eq!(listed.len(), AT_ONCE);
    check_sequence(1, listed.iter().map(number));
}

async fn drafts_finalized_at_once_are_numbered_without_a_gap(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut draft = one_line();
    draft["is_draft"] = json!(true);
    let drafts = (0..8).map(|_| (api.clone(), "/invoices".to_owned(), draft.clone()));
    let drafts = all_at_once(drafts).await;
    // Each draft is finalized four times at once: one wins, the number is taken once.
    let paths = drafts.iter().map(|draft| {
        let id = draft.expect(201)["id"].as_str().unwrap_or_default().to_owned();
        format!("/documents/{id}/finalize")
    });
    let requests = paths.flat_map(|path| (0..4).map(move |_| path.clone()));
    let requests = requests.map(|path| (api.clone(), path, json!({})));
    let answers = all_at_once(requests).await;
    let (issued, refused): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(issued.len(), drafts.len());
    for answer in refused {
        assert_eq!(answer.cause(), "document_not_draft", "{}", answer.text);
    }
    check_sequence(1, issued.iter().map(|answer| number(&answer.body())));
    check_sequence(1, api.all("/invoices").await.iter().map(number));
}

async fn business_units_are_numbered_apart(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut numbers = Vec::new();
    let mut year = Value::Null;
    let first = api.create("/business-units", &json!({ "name": "Ljubljana" })).await;
    let second = api.create("/business-units", &json!({ "name": "Maribor" })).await;
    for unit in [&Value::Null, &first["id"], &second["id"], &first["id"], &Value::Null] {
        let mut invoice = one_line();
        invoice["business_unit_id"] = unit.clone();
        let invoice = api.create("/invoices", &invoice).await;
        year = invoice["date_year"].clone();
        assert_eq!(invoice["business_unit_id"], *unit);
        numbers.push(invoice["number"].clone());
    }
    let index = |unit: &Value| unit["numbering_index"].to_string();
    let (one, two) = (index(&first), index(&second));
    assert_ne!(one, two);
    let expected = [
        format!("{year}-00001"),
        format!("{year}-{one}-00001"),
        format!("{year}-{two}-00001"),
        format!("{year}-{one}-00002"),
        format!("{year}-00002"),
    ];
    assert_eq!(numbers, expected);
    let unit = first["id"].as_str().unwrap_or_default();
    let next = format!("/documents/next-number?type=invoice&business_unit_id={unit}");
    assert_eq!(api.read(&next).await["number"], format!("{year}-{one}-00003"));
}

async fn a_new_format_takes_effect_and_a_bad_one_is_refused(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let path = format!("/entities/{}", account.entity);
    let set = async |format: &str| {
        let settings = json!({ "settings": { "number_formats": { "invoice": format } } });
        account.user.patch(&path, &settings).await
    };
    let first = account.api.create("/invoices", &one_line()).await;
    let year = first["date_year"].to_string();
    set("R/{yy}/{nnn}").await.expect(200);
    let second = account.api.create("/invoices", &one_line()).await;
    assert_eq!(second["number"], format!("R/{}/002", &year[2..]));
    for bad in ["{yyyy}-{nn}-{nn}", "{yyyy}", "{yyyy}-{m}-{nn}", "{nn", "{yyyy}-{u}-{nnnnn}", ""] {
        set(bad).await.refused_at("settings.number_formats.invoice");
    }
    let third = account.api.create("/invoices", &one_line()).await;
    assert_eq!(third["number"], format!("R/{}/003", &year[2..]));
    // An old number cannot come back: its sequence goes on.
    set("{yyyy}-{nnnnn}").await.expect(200);
    let fourth = account.api.create("/invoices", &one_line()).await;
    assert_eq!(fourth["number"], format!("{year}-00004"));
}

async fn a_sequence_starts_where_the_settings_say(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let path = format!("/entities/{}", account.entity);
    let set = async |start: Value| {
        let settings = json!({ "settings": { "number_sequence_starts": { "invoice": start } } });
        account.user.patch(&path, &settings).await
    };
    set(json!(0)).await.refused_at("settings.number_sequence_starts.invoice");
    set(json!(500)).await.expect(200);
    let first = account.api.create("/invoices", &one_line()).await;
    assert_eq!(first["number"], format!("{}-00500", first["date_year"]));
    let second = account.api.create("/invoices", &one_line()).await;
    assert_eq!(second["number"], format!("{}-00501", first["date_year"]));
    set(json!(100)).await.refused(422, "unprocessable_entity");
    let third = account.api.create("/invoices", &one_line()).await;
    assert_eq!(third["number"], format!("{}-00502", first["date_year"]));
}

async fn numbers_of_two_entities_do_not_touch(store: StoreKind) {
    let racun = Racun::start(store).await;
    let accounts = [Account::sign_up(&racun).await, Account::sign_up(&racun).await];
    let requests = (0..16).flat_map(|_| accounts.iter().map(|account| account.api.clone()));
    let requests = requests.map(|api| (api, "/invoices".to_owned(), one_line()));
    for answer in all_at_once(requests).await {
        answer.expect(201);
    }
    for account in &accounts {
        let listed = account.api.all("/invoices").await;
        assert_eq!(listed.len(), 16);
        check_sequence(1, listed.iter().map(number));
    }
}
