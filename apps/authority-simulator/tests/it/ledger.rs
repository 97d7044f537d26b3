//! The ledger, its gaps, the clock, and how they are read over HTTP.

use racun_authority_simulator::{Filter, Options, Simulator};
use racun_fiscal::Authority;
use serde_json::{Value, json};

use crate::client::{TAX_NUMBER, control, start, taxpayer};
use crate::messages::*;

#[tokio::test]
async fn gaps_and_doubles_of_each_sequence_are_found() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    program.register("BP1").await;
    program.register("BP2").await;
    // 5 is sent twice as it is, 6 with two marks, 7 and 8 are missing.
    for (premise, number, mark) in [
        ("BP1", 5, MARK),
        ("BP1", 6, MARK),
        ("BP1", 5, MARK),
        ("BP1", 6, "00000000000000000000000000000000"),
        ("BP1", 9, MARK),
        ("BP2", 1, MARK),
    ] {
        let mut invoice = invoice(premise, number);
        invoice["InvoiceRequest"]["Invoice"]["ProtectedID"] = json!(mark);
        program.json("invoices", &invoice).await;
    }
    // Numbers per premise are another sequence than those per device.
    let mut central = invoice("BP2", 7);
    central["InvoiceRequest"]["Invoice"]["NumberingStructure"] = json!("C");
    program.json("invoices", &central).await;
    let gaps = control(&running, "GET", "/ledger/gaps", "").await.json();
    let expected = json!([
        {
            "authority": "furs", "taxpayer": TAX_NUMBER, "year": 2026, "premise": "BP1",
            "device": "B1", "first": "5", "last": "9", "documents": 3, "messages": 5,
            "missing": ["7", "8"], "doubled": ["6"]
        },
        {
            "authority": "furs", "taxpayer": TAX_NUMBER, "year": 2026, "premise": "BP2",
            "device": null, "first": "7", "last": "7", "documents": 1, "messages": 1,
            "missing": [], "doubled": []
        },
        {
            "authority": "furs", "taxpayer": TAX_NUMBER, "year": 2026, "premise": "BP2",
            "device": "B1", "first": "1", "last": "1", "documents": 1, "messages": 1,
            "missing": [], "doubled": []
        }
    ]);
    assert_eq!(gaps, expected);
    let of_one = control(&running, "GET", "/ledger/gaps?premise=BP1", "").await.json();
    assert_eq!(of_one, json!([expected[0]]));
}

#[tokio::test]
async fn the_ledger_tells_all_of_what_was_taken_and_can_be_filtered() {
    let running = start();
    let furs = Program::new(&running, &taxpayer(&running, Authority::Furs));
    furs.register("BP1").await;
    let mut late = invoice("BP1", 1);
    late["InvoiceRequest"]["Invoice"]["SubsequentSubmit"] = json!(true);
    let answer = furs.json("invoices", &late).await;
    let fina = taxpayer(&running, Authority::Fina);
    let receipt = Receipt::new(running.now(), 3).element("RacunZahtjev");
    let fina = Program::new(&running, &fina).fina("racuni", &receipt).await.unwrap();
    assert_eq!(fina.status, 200);

    let ledger = control(&running, "GET", "/ledger?authority=furs&operation=invoice", "").await;
    let ledger = ledger.json();
    let [row] = &ledger.as_array().unwrap()[..] else { panic!("{ledger}") };
    let expected = [
        ("taxpayer", json!(TAX_NUMBER)),
        ("premise", json!("BP1")),
        ("device", json!("B1")),
        ("number", json!("1")),
        ("numbering", json!("device")),
        ("message_id", json!(MESSAGE_ID)),
        ("sent_at", json!("2026-11-20T10:30:01")),
        ("issued_at", json!("2026-11-20T10:30:00")),
        ("mark", json!(MARK)),
        ("amount", json!("19.15")),
        ("late", json!(true)),
        ("id", answer["InvoiceResponse"]["UniqueInvoiceID"].clone()),
        ("fault", Value::Null),
        ("transport", json!("json")),
    ];
    for (field, value) in expected {
        assert_eq!(row[field], value, "{field}");
    }
    for (query, count) in [
        ("", 3),
        ("?late=true", 1),
        ("?premise=P1", 1),
        ("?number=3", 1),
        ("?after=2", 1),
        ("?taxpayer=none", 0),
    ] {
        let ledger = control(&running, "GET", &format!("/ledger{query}"), "").await.json();
        assert_eq!(ledger.as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(control(&running, "GET", "/ledger?foo=1", "").await.status, 400);
    assert_eq!(control(&running, "DELETE", "/ledger", "").await.status, 200);
    assert!(running.taken(&Filter::default()).is_empty());
    assert!(running.premises().is_empty());
}

#[tokio::test]
async fn refusals_are_kept_apart() {
    let running = start();
    let program = Program::new(&running, &taxpayer(&running, Authority::Furs));
    program.json("invoices", &invoice("BP1", 1)).await;
    let refused = control(&running, "GET", "/ledger/refused", "").await.json();
    assert_eq!(refused[0]["code"], "S006");
    assert_eq!(refused[0]["message_id"], MESSAGE_ID);
    assert_eq!(control(&running, "GET", "/ledger", "").await.json(), json!([]));
}

#[tokio::test]
async fn the_clock_can_be_set_over_http() {
    let running = start();
    let body = r#"{"now":"2031-05-06T07:08:09Z"}"#;
    let clock = control(&running, "PUT", "/clock", body).await.json();
    assert!(clock["now"].as_str().unwrap().starts_with("2031-05-06T07:08:"), "{clock}");
    assert_eq!(running.now().year(), 2031);
    control(&running, "PUT", "/clock", r#"{"offset_seconds":0}"#).await;
    assert_ne!(running.now().year(), 2031);
    for bad in ["{}", r#"{"now":"x"}"#, r#"{"offset_seconds":0,"now":"2031-05-06T07:08:09Z"}"#] {
        assert_eq!(control(&running, "PUT", "/clock", bad).await.status, 400, "{bad}");
    }
    assert_eq!(control(&running, "GET", "/nothing", "").await.status, 404);
    assert!(control(&running, "GET", "/", "").await.text().contains("PUT    /fault"));
}

#[tokio::test]
async fn a_forgetful_simulator_believes_what_was_reported_before_it_started() {
    let options = Options { is_forgetful: true, most_kept: 2, ..Options::default() };
    let running = Simulator::start(&options).unwrap();
    let furs = Program::new(&running, &taxpayer(&running, Authority::Furs));
    for number in 1..=3 {
        let answer = furs.json("invoices", &invoice("BP1", number)).await;
        assert!(answer["InvoiceResponse"]["UniqueInvoiceID"].is_string(), "{answer}");
    }
    let positions: Vec<_> =
        running.taken(&Filter::default()).into_iter().map(|taken| taken.position).collect();
    assert_eq!(positions, [2, 3], "the latest two");
    furs.json("invoices/register", &premise("BP1", true)).await;
    let answer = furs.json("invoices", &invoice("BP1", 4)).await;
    assert_eq!(answer["InvoiceResponse"]["Error"]["ErrorCode"], "S006", "closed here");
    let fina = Program::new(&running, &taxpayer(&running, Authority::Fina));
    let more = "<tns:PromijenjeniNacinPlac>K</tns:PromijenjeniNacinPlac>\
        <tns:PromijenjeniOibPrimateljaRacuna></tns:PromijenjeniOibPrimateljaRacuna>";
    let change = Receipt { more: more.to_owned(), ..Receipt::new(running.now(), 1) };
    let change = change.element("PromijeniPodatkeRacunaZahtjev");
    assert_eq!(fina.fina("promijeniPodatkeRacuna", &change).await.unwrap().status, 200);
}

#[tokio::test]
async fn certificates_of_an_earlier_simulator_are_trusted() {
    let (before, running) = (start(), start());
    let furs = Program::new(&running, &taxpayer(&before, Authority::Furs));
    furs.register("BP1").await;
    let fina = Program::new(&running, &taxpayer(&before, Authority::Fina));
    let receipt = Receipt::new(running.now(), 1).element("RacunZahtjev");
    assert_eq!(fina.fina("racuni", &receipt).await.unwrap().status, 200);
}
