//! Tips on Croatian receipts, from the request that brings them to the books of CIS.

use std::time::{Duration, Instant};

use racun_authority_simulator::{Fault, Filter, When};
use racun_fiscal::Authority;
use racun_tests::{
    Account, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport, fiscal,
    on_both_stores,
};
use serde_json::{Value, json};

on_both_stores! {
    tips_reach_cis_as_they_are,
}

/// Until a report is delivered whose first answer was lost.
const DELIVERY: Duration = Duration::from_secs(60);

/// The tips that CIS took: amount and means of each message, in their order.
fn taken(offices: &Offices) -> Vec<(String, String)> {
    let filter = Filter { operation: Some("tip".to_owned()), ..Filter::default() };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tips = offices.of(Authority::Fina).taken(&filter).into_iter().map(|taken| {
        let tip = &taken.content["Napojnica"];
        (text(&tip["iznosNapojnice"]), text(&tip["nacinPlacanjaNapojnice"]))
    });
    tips.collect()
}

fn told(amount: &str, means: &str) -> (String, String) {
    (amount.to_owned(), means.to_owned())
}

/// The report of the tips on `invoice`, once CIS confirmed them as `amount`.
async fn confirmed(own: &Taxpayer, invoice: &Value, amount: &Value) -> Value {
    let until = Instant::now() + DELIVERY;
    loop {
        let tips = fiscal(&own.read(invoice).await)["data"]["tips"].clone();
        if tips["confirmed"] == true && tips["amount"] == *amount {
            return tips;
        }
        assert!(Instant::now() < until, "not confirmed: {tips}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn tips_reach_cis_as_they_are(store: StoreKind) {
    let offices = Offices::open();
    let settings = offices.settings(Transport::Soap, Retries { initial: 1, max: 2 });
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let account = Account::sign_up(&racun).await;
    let own = Taxpayer::open(&account, &offices, Authority::Fina).await;
    own.place("P1", &["1"]).await;
    let once = When { operation: Some("tip".to_owned()), times: Some(1), ..When::default() };
    offices.plan(Authority::Fina, Fault::LoseAnswer, once);
    let mut sale = own.invoice("P1", "1");
    sale["payments"] = json!([{ "type": "cash", "tip": 2 }]);
    let invoice = own.api.create("/invoices", &sale).await;
    let tips = &fiscal(&invoice)["data"]["tips"];
    assert_eq!((&tips["amount"], &tips["payment_type"]), (&json!(2), &json!("cash")), "{invoice}");
    let shown = confirmed(&own, &invoice, &json!(2)).await;
    assert_eq!((&shown["confirmed_amount"], &shown["error"]), (&json!(2), &Value::Null));
    assert_eq!(taken(&offices), [told("2.00", "G"), told("2.00", "G")], "repeated as it was");

    let payment = own.api.all("/payments").await.remove(0);
    let path = format!("/payments/{}", payment["id"].as_str().expect("an id"));
    own.api.patch(&path, &json!({ "tip": 3.5 })).await.expect(200);
    confirmed(&own, &invoice, &json!(3.5)).await;
    own.api.patch(&path, &json!({ "tip": null })).await.expect(200);
    confirmed(&own, &invoice, &json!(0)).await;
    assert_eq!(taken(&offices)[2..], [told("3.50", "G"), told("0.00", "G")]);
    let jobs = own.api.read("/jobs").await;
    assert_eq!(jobs["data"], json!([]), "nothing is left to do");
    assert_eq!(offices.of(Authority::Fina).refused().len(), 0, "CIS refused nothing");
}
