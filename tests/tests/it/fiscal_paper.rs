//! What was written on forms and receipts of bound books while the devices did not work is entered
//! afterwards, once, and the authorities take it as that.

use std::collections::BTreeSet;
use std::time::SystemTime;

use racun_authority_simulator::{Fault, Filter};
use racun_fiscal::Authority;
use racun_tests::{
    Account, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport, fiscal,
    on_both_stores,
};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tokio::task::JoinSet;

on_both_stores! {
    paper_is_entered_once_and_taken,
}

/// How long the authorities may be away.
const DELIVERY: std::time::Duration = std::time::Duration::from_secs(60);

/// An invoice of 12.20 in cash, with `said` as the field of the authority `office`.
fn body(office: &str, said: Value) -> Value {
    let mut body = json!({
        "items": [{ "name": "Kruh", "price": 10, "taxes": [{ "rate": 22 }] }],
        "payments": [{ "type": "cash" }],
    });
    body[office] = said;
    body
}

fn form(number: u64, on: &str) -> Value {
    let book = json!({
        "invoice_number": number.to_string(), "set_number": "03", "serial_number": "5001-0001018",
    });
    body("furs", json!({ "sales_book_identifier": book, "issue_date": on }))
}

async fn paper_is_entered_once_and_taken(store: StoreKind) {
    for transport in [Transport::Json, Transport::Soap] {
        let offices = Offices::open();
        let settings = offices.settings(transport, Retries { initial: 1, max: 2 });
        let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
        let account = Account::sign_up(&racun).await;
        forms(&account, &offices).await;
        if transport == Transport::Soap {
            receipts(&account, &offices).await;
        }
    }
}

async fn forms(account: &Account, offices: &Offices) {
    let own = Taxpayer::open(account, offices, Authority::Furs).await;
    own.place("P1", &["1"]).await;
    let written =
        Authority::Furs.local(OffsetDateTime::from(SystemTime::now()) - Duration::days(1)).date();
    let on = written.to_string();
    // While the authority is down, eight tills enter the same form, and one wins.
    offices.break_down(Authority::Furs, &Fault::Refuse).await;
    let mut tills = JoinSet::new();
    for _ in 0..8 {
        let (own, body) = (own.clone(), form(612, &on));
        tills.spawn(async move { own.api.post("/invoices", &body).await });
    }
    let mut entered = Vec::new();
    for answer in tills.join_all().await {
        if answer.status == 201 {
            entered.push(answer.body());
        } else {
            answer.expect(422);
            answer.refused_at("furs.sales_book_identifier.invoice_number");
        }
    }
    let [sold] = &entered[..] else { panic!("{} were entered", entered.len()) };
    assert_eq!(
        (&sold["number"], &fiscal(sold)["status"]),
        (&json!("5001-0001018-03-612"), &json!("pending"))
    );
    offices.mend(Authority::Furs).await;
    own.all_settled(DELIVERY).await;
    let told = own.read(sold).await;
    assert_eq!(fiscal(&told)["status"], "success", "{told}");

    let note = json!({
        "items": [{ "name": "Kruh", "price": 10, "taxes": [{ "rate": 22 }] }],
        "linked_documents": [sold["id"]],
    });
    let note = own.api.create("/credit-notes", &note).await;
    assert_eq!((&note["number"], &fiscal(&note)["status"]), (&json!("P1-1-1"), &json!("success")));
    let ledger = offices.of(Authority::Furs);
    let of = |operation: &str| {
        ledger.taken(&Filter { operation: Some(operation.to_owned()), ..Filter::default() })
    };
    let taken = of("sales_book");
    let ids: BTreeSet<Option<&str>> = taken.iter().map(|one| one.id.as_deref()).collect();
    assert!(ids.contains(&fiscal(&told)["data"]["eor"].as_str()), "{told}: {ids:?}");
    for one in &taken {
        let expected = json!({
            "InvoiceNumber": "612", "SetNumber": "03", "SerialNumber": "5001-0001018",
        });
        assert_eq!(one.content["SalesBookIdentifier"], expected);
        assert_eq!((one.issued_at.as_deref(), one.late), (Some(&*on), false));
    }
    let credited = of("invoice");
    let reference = &credited[0].content["ReferenceSalesBook"][0];
    assert_eq!(reference["ReferenceSalesBookIdentifier"]["InvoiceNumber"], "612");
    assert_eq!(reference["ReferenceSalesBookIssueDate"], *on);
}

async fn receipts(account: &Account, offices: &Offices) {
    let own = Taxpayer::open(account, offices, Authority::Fina).await;
    own.place("P1", &["1"]).await;
    let at = Authority::Fina.local(OffsetDateTime::from(SystemTime::now()) - Duration::days(3));
    let without_offset = json!({ "paragon_br_rac": "17/1", "issued_at": "2026-11-20T10:00:00" });
    own.api.post("/invoices", &body("fina", without_offset)).await.refused_at("fina.issued_at");
    let time = at.format(&Rfc3339).unwrap_or_default();
    let said = json!({ "paragon_br_rac": "17/1", "issued_at": time });
    let sold = own.api.create("/invoices", &body("fina", said)).await;
    assert_eq!((&sold["number"], &fiscal(&sold)["status"]), (&json!("1/P1/1"), &json!("success")));
    let taken = offices.invoices(Authority::Fina, "P1");
    assert_eq!(taken.len(), 1);
    assert!(taken[0].late, "it was handed out before: {:?}", taken[0]);
    assert_eq!(taken[0].content["ParagonBrRac"], "17/1");
    assert_eq!(taken[0].mark, Some(own.mark(&sold)));
    assert_eq!(fiscal(&sold)["data"]["issued_at"], time);
    own.sell("P1", "1").await;
    let gaps = offices.of(Authority::Fina).gaps(&Filter::default());
    assert!(gaps.iter().all(|one| one.missing.is_empty() && one.doubled.is_empty()), "{gaps:?}");
}
