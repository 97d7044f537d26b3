//! Totals of documents in Portugal: what is signed is what lines come to, in euros to the cent, in
//! the QR code as in SAF-T.

use racun_kernel::Decimal;
use racun_portugal::read_qr;
use serde_json::{Value, json};

use crate::harness::{Answer, text};
use crate::portugal::{Shop, code, merged};

const SAF_T: &str = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";

/// The texts of the elements `name` of `file`, in their order.
fn texts(file: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = file.split(open.as_str());
    rest.next();
    rest.map(|part| part.split(close.as_str()).next().unwrap().to_owned()).collect()
}

fn sum(texts: &[String]) -> Decimal {
    let amounts: Vec<Decimal> = texts.iter().map(|text| text.parse().unwrap()).collect();
    amounts.iter().sum()
}

fn in_dollars(items: Value, more: Value) -> Value {
    let rate = json!({"rate": 0.8645, "source": "ecb", "date": "2026-11-19"});
    merged(json!({"currency_code": "USD", "exchange_rate": rate, "items": items}), more)
}

#[actix_web::test]
async fn amounts_of_dollars_agree_in_euros_in_saf_t_and_in_the_code() {
    let shop = Shop::open().await;
    let line = |name: &str, rate: u8| json!({"name": name, "price": 1, "taxes": [{"rate": rate}]});
    // Each line is 0.86 EUR, three of them 2.59; taxes are 0.20, 0.11 and 0.05, all of them 0.37.
    let items = json!([line("Pão", 23), line("Bolo", 13), line("Livro", 6)]);
    let paid = json!([{"type": "cash", "amount": 1}, {"type": "card"}]);
    let sold = shop.sell(in_dollars(items, json!({"payments": paid}))).await.with(201).json();
    let file = shop.get(SAF_T).await.with(200).text;
    let one = |name: &str| {
        let found = texts(&file, name);
        assert_eq!(found.len(), 1, "{name} in {file}");
        found[0].clone()
    };
    let (net, tax, gross) = (one("NetTotal"), one("TaxPayable"), one("GrossTotal"));
    assert_eq!(sum(&texts(&file, "CreditAmount")).to_string(), net);
    assert_eq!(sum(&[net.clone(), tax.clone()]).to_string(), gross);
    assert_eq!((net.as_str(), one("CurrencyAmount").as_str()), ("2.59", "3.42"));
    let payments = texts(&file, "PaymentAmount");
    assert_eq!((payments.len(), payments.contains(&"0.86".to_owned())), (2, true), "{payments:?}");
    assert_eq!(sum(&payments).to_string(), gross, "what pays all comes to all");
    let payload = text(&sold["pt"]["qr_payload"]);
    let fields = read_qr(&payload).unwrap();
    let of = |keys: &[&str]| {
        let found: Vec<String> = keys.iter().map(|key| fields[*key].clone()).collect();
        sum(&found).to_string()
    };
    assert_eq!((of(&["N"]), of(&["O"])), (tax.clone(), gross), "{payload}");
    assert_eq!((of(&["I4", "I6", "I8"]), of(&["I3", "I5", "I7"])), (tax, net), "{payload}");
}

#[actix_web::test]
async fn a_payment_in_dollars_is_in_euros_in_saf_t() {
    let shop = Shop::open().await;
    let items = json!([{"name": "Pão", "price": 100, "taxes": [{"rate": 23}]}]);
    let paid = json!([{"type": "card", "amount": 50}]);
    shop.sell(in_dollars(items, json!({"payments": paid}))).await.with(201);
    let file = shop.get(SAF_T).await.with(200).text;
    assert_eq!(texts(&file, "PaymentAmount"), ["43.23"], "50 USD, of {file}");
}

fn custom(more: Value) -> Value {
    let line = json!({
        "name": "Pão", "price": 10, "taxes": [{"rate": 23}], "total": 10, "total_with_tax": 12.3,
    });
    let taxes = json!([{"rate": 23, "base": 10, "amount": 2.3}]);
    let body = json!({"items": [line], "total": 10, "total_with_tax": 12.3, "taxes": taxes});
    merged(body, more)
}

#[actix_web::test]
async fn totals_are_taken_as_given_only_when_lines_come_to_them() {
    let shop = Shop::open().await;
    let send = async |more: Value| shop.post("/invoices/custom", custom(more)).await;
    let issues = |answer: &Answer| {
        let issues = answer.json()["cause"]["issues"].as_array().unwrap().clone();
        let found = issues.iter().map(|own| (own["path"].to_string(), text(&own["code"])));
        found.collect::<Vec<_>>()
    };
    for (more, paths) in [
        (json!({"total_with_tax": 12.31}), vec!["[\"total_with_tax\"]"]),
        (json!({"total": 10.01}), vec!["[\"total\"]"]),
        (
            json!({"total": 10.01, "total_with_tax": 12.31,
                "taxes": [{"rate": 23, "base": 10.01, "amount": 2.3}]}),
            vec!["[\"total\"]", "[\"total_with_tax\"]", "[\"taxes\"]"],
        ),
        (json!({"taxes": [{"rate": 6, "base": 10, "amount": 2.3}]}), vec!["[\"taxes\"]"]),
        (
            json!({"items": [{"name": "Pão", "price": 10, "taxes": [{"rate": 23}],
                "total": 9, "total_with_tax": 12.3}]}),
            vec!["[\"items\",0,\"total\"]"],
        ),
    ] {
        let refused = send(more.clone()).await.with(422);
        let wanted: Vec<_> =
            paths.into_iter().map(|path| (path.to_owned(), "not_in_portugal".to_owned())).collect();
        assert_eq!(issues(&refused), wanted, "{more}");
    }
    let message =
        text(&send(json!({"total": 10.01})).await.json()["cause"]["issues"][0]["message"]);
    assert!(message.contains("send 10"), "{message}");
    let sold = send(json!({})).await.with(201).json();
    assert_eq!(
        (&sold["number"], &sold["creation_source"]),
        (&json!("FT 2026A/1"), &json!("custom")),
        "refusals take no number"
    );
}

#[actix_web::test]
async fn a_correction_that_saf_t_could_not_say_numbers_nothing() {
    let shop = Shop::open().await;
    let sale = |price: &str, rate: u8, expected: &str| {
        let mut tax = json!({"rate": rate});
        if rate == 0 {
            tax["pt_exemption_code"] = json!("M07");
            tax["pt_exemption_reason"] = json!("Isento artigo 9.º do CIVA");
        }
        let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        json!({
            "items": [{"name": "Pão", "price": number(price), "taxes": [tax]}],
            "expected_total_with_tax": number(expected),
        })
    };
    // A tax of one cent does not give three, and none takes what has no tax.
    for body in [sale("0.05", 23, "0.03"), sale("10", 0, "10.02")] {
        let refused = shop.sell(body.clone()).await.with(422);
        let expected = ("[\"expected_total_with_tax\"]".into(), "not_in_portugal".into());
        assert_eq!(refused.issue(), expected, "{body}");
    }
    let sold = shop.sold(sale("10", 23, "12.32")).await;
    assert_eq!((&sold["number"], &sold["total_with_tax"]), (&json!("FT 2026A/1"), &json!(12.32)));
    shop.sold(sale("10", 0, "10")).await;
    let file = shop.get(SAF_T).await.with(200).text;
    assert_eq!(texts(&file, "TaxPayable"), ["2.32", "0.00"]);
}

#[actix_web::test]
async fn what_saf_t_has_no_place_for_is_not_signed() {
    let shop = Shop::open().await;
    // What a credit note gives back of is in no reference when that was not certified.
    let sold = shop.sold(json!({})).await;
    uncertify(&shop, &sold).await;
    let credit = json!({"linked_documents": [sold["id"]]});
    let credit = crate::portugal::invoice(credit);
    let refused = shop.post("/credit-notes", credit).await.with(422);
    assert_eq!(code(&refused), "pt_saft_unwritable");
    let message = text(&refused.json()["message"]);
    assert!(message.contains("NC 2026A/1: References is missing"), "{message}");
    shop.get(SAF_T).await.with(200);
}

/// Lets `sold` be as if its shop had moved to Portugal after it.
pub async fn uncertify(shop: &Shop, sold: &Value) {
    use racun_documents::{Document, table_of};
    use racun_kernel::{Tenant, id::EntityId};
    use racun_store::{Decision, StoreError};

    let id: racun_documents::DocumentId = text(&sold["id"]).parse().unwrap();
    let tenant = Tenant::entity(shop.owner.entity().parse::<EntityId>().unwrap());
    let store = &shop.services.store;
    let changed =
        store.amend(table_of(id.kind()), &tenant, id.to_string(), |document: Document| {
            let plain = Document { pt: None, ..document };
            Ok::<_, StoreError>(Decision::changed(plain, Vec::new()))
        });
    changed.await.unwrap();
}

#[actix_web::test]
async fn what_is_paid_at_once_is_a_fatura_recibo_where_there_is_a_series() {
    let shop = Shop::open().await;
    let cash = |amount: Value| match amount {
        Value::Null => json!({"payments": [{"type": "cash"}]}),
        amount => json!({"payments": [{"type": "cash", "amount": amount}]}),
    };
    let number = async |body: Value| text(&shop.sold(body).await["number"]);
    assert_eq!(number(cash(json!(123))).await, "FT 2026A/1", "there is no series of its own");
    let series = json!({"document_type": "invoice_receipt", "series_code": "R"});
    let series = shop.series(series).await.with(201).json();
    assert_eq!(number(cash(Value::Null)).await, "FR R/1");
    assert_eq!(number(cash(json!(123))).await, "FR R/2");
    let halves = json!([{"type": "cash", "amount": 23}, {"type": "card", "amount": 100}]);
    assert_eq!(number(json!({"payments": halves})).await, "FR R/3");
    assert_eq!(number(cash(json!(122.99))).await, "FT 2026A/2");
    assert_eq!(number(json!({})).await, "FT 2026A/3");
    let list = shop.get("/fiscalization/pt/atcud-series").await.with(200).json();
    let list = list["data"].as_array().unwrap();
    let invoices = list.iter().find(|own| own["document_type"] == "invoice").unwrap();
    let named = merged(cash(Value::Null), json!({"pt": {"series_id": invoices["id"]}}));
    assert_eq!(number(named).await, "FT 2026A/4", "a series that is named is taken");
    let path = format!("/fiscalization/pt/atcud-series/{}/close", text(&series["id"]));
    shop.post(&path, json!({})).await.with(200);
    assert_eq!(number(cash(Value::Null)).await, "FT 2026A/5");
    let closed = merged(cash(Value::Null), json!({"pt": {"series_id": series["id"]}}));
    assert_eq!(code(&shop.sell(closed).await.with(422)), "pt_series_closed");
}
