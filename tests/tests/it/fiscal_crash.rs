//! A server that is killed between what it tells a tax authority and the answer: every number
//! belongs to one document with one mark, and the authority has them all in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use racun_authority_simulator::{Fault, Filter, When};
use racun_fiscal::Authority;
use racun_tests::{
    Account, Data, Offices, Profile, Racun, Random, Retries, StoreKind, Taxpayer, Transport,
    check_sequence, fiscal, on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    a_server_killed_before_the_authority_answers_loses_and_doubles_nothing,
}

/// How often the server is killed.
const KILLS: usize = 20;

/// Devices that sell at once, of each authority.
const DEVICES: [&str; 2] = ["1", "2"];

/// Longer than the lease of an attempt whose sender died, and the worker's waits after it.
const DELIVERY: Duration = Duration::from_secs(120);

const AUTHORITIES: [Authority; 2] = [Authority::Furs, Authority::Fina];

/// Invoices that a client or an authority received, by id.
type Acknowledged = BTreeMap<String, Value>;

async fn a_server_killed_before_the_authority_answers_loses_and_doubles_nothing(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let offices = Offices::open();
    let settings = offices.settings(Transport::Json, Retries { initial: 1, max: 2 });
    let mut racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let mut account = Account::sign_up(&racun).await;
    let mut taxpayers = Vec::new();
    for authority in AUTHORITIES {
        let own = Taxpayer::open(&account, &offices, authority).await;
        own.place("P1", &DEVICES).await;
        taxpayers.push(own);
    }
    let mut acknowledged = Acknowledged::new();
    let mut without_answer = 0;
    for round in 0..KILLS {
        // By turns: taken and not answered yet, and not even taken.
        let fault = if round % 2 == 0 { Fault::Delay(10_000) } else { Fault::Hang };
        for authority in AUTHORITIES {
            let when = When { operation: Some("invoice".to_owned()), ..When::default() };
            offices.plan(authority, fault.clone(), when);
        }
        let before = issued(&taxpayers).await;
        let selling = sell(&taxpayers);
        until_numbered(&taxpayers, before + taxpayers.len() * DEVICES.len()).await;
        tokio::time::sleep(Duration::from_millis(random.below(120))).await;
        racun.kill9();
        for answer in selling.join_all().await {
            match answer {
                Some(invoice) => {
                    let id = invoice["id"].as_str().expect("an id").to_owned();
                    acknowledged.insert(id, invoice);
                }
                None => without_answer += 1,
            }
        }
        for authority in AUTHORITIES {
            offices.mend(authority).await;
        }
        racun.restart().await;
        account = account.at(&racun);
        taxpayers = taxpayers.iter().map(|own| own.at(&account)).collect();
        // One more, which gets through.
        for own in &taxpayers {
            let sold = own.sell("P1", "1").await;
            assert_eq!(fiscal(&sold)["status"], "success", "round {round}");
            acknowledged.insert(sold["id"].as_str().expect("an id").to_owned(), sold);
        }
    }
    println!("{KILLS} kills, {} answered, {without_answer} without an answer", acknowledged.len());
    assert!(without_answer >= KILLS, "hardly anything was under way when the server was killed");
    for own in &taxpayers {
        let rows = own.all_settled(DELIVERY).await;
        check(&offices, own, &rows, &acknowledged);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_while_it_reports_a_change_of_type_leaves_the_change_to_be_asked_again() {
    let offices = Offices::open();
    let settings = offices.settings(Transport::Soap, Retries { initial: 1, max: 2 });
    let data = Data::fresh(StoreKind::Embedded);
    let mut racun = Racun::start_with(Profile::Debug, data, settings).await;
    let mut account = Account::sign_up(&racun).await;
    let mut own = Taxpayer::open(&account, &offices, Authority::Fina).await;
    own.place("P1", &["1"]).await;
    let receipt = own.sell("P1", "1").await;
    let payment = own.api.all("/payments").await.remove(0);
    let path = format!("/payments/{}", payment["id"].as_str().expect("an id"));
    let changes = Filter { operation: Some("change".to_owned()), ..Filter::default() };
    for fault in [Fault::Delay(10_000), Fault::Hang] {
        offices.plan(Authority::Fina, fault, When::default());
        let asking = {
            let (api, path) = (own.api.clone(), path.clone());
            tokio::spawn(async move {
                api.try_json("PATCH", &path, json!({ "type": "card" }).to_string()).await
            })
        };
        until(async || is_unconfirmed(&own, &receipt).await).await;
        until(async || !offices.of(Authority::Fina).taken(&changes).is_empty()).await;
        racun.kill9();
        assert!(asking.await.expect("no panic").is_err(), "the server was killed");
        offices.mend(Authority::Fina).await;
        racun.restart().await;
        account = account.at(&racun);
        own = own.at(&account);
        assert!(is_unconfirmed(&own, &receipt).await, "the attempt is remembered");
        assert_eq!(own.api.read(&path).await["type"], "cash");
    }
    let other = own.api.patch(&path, &json!({ "type": "bank_transfer" })).await;
    other.refused(409, "conflict");
    let changed = own.api.patch(&path, &json!({ "type": "card" })).await.expect(200);
    assert_eq!(changed["type"], "card");
    assert!(!is_unconfirmed(&own, &receipt).await);
}

async fn is_unconfirmed(own: &Taxpayer, receipt: &Value) -> bool {
    !fiscal(&own.read(receipt).await)["data"]["payment_change_unconfirmed"].is_null()
}

async fn until(is_so: impl AsyncFn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !is_so().await {
        assert!(Instant::now() < until, "it does not become so");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How many invoices there are.
async fn issued(taxpayers: &[Taxpayer]) -> usize {
    let mut count = 0;
    for own in taxpayers {
        let page = own.api.read("/invoices?limit=1").await;
        let total = page["pagination"]["total"].as_u64().expect("a count");
        count += usize::try_from(total).expect("few");
    }
    count
}

/// One invoice on each device, all at once: as answered, or `None` without an answer.
fn sell(taxpayers: &[Taxpayer]) -> JoinSet<Option<Value>> {
    let mut selling = JoinSet::new();
    for own in taxpayers {
        for device in DEVICES {
            let own = own.clone();
            selling.spawn(async move {
                let body = own.invoice("P1", device).to_string();
                let answer = own.api.try_json("POST", "/invoices", body).await.ok()?;
                Some(answer.expect(201))
            });
        }
    }
    selling
}

/// Waits until so many invoices are stored: each is about to be sent, or was.
async fn until_numbered(taxpayers: &[Taxpayer], count: usize) {
    until(async || issued(taxpayers).await >= count).await;
}

/// Checks what the server has against what the authority has and what was answered.
fn check(offices: &Offices, own: &Taxpayer, rows: &[Value], acknowledged: &Acknowledged) {
    let taken = offices.invoices(own.authority, "P1");
    // Numbers run per premise.
    let number = |row: &Value| fiscal(row)["data"]["invoice_number"].as_u64().expect("a number");
    check_sequence(1, rows.iter().map(number));
    for row in rows {
        assert_eq!(fiscal(row)["status"], "success", "{row}");
        let (number, mark) = (number(row).to_string(), own.mark(row));
        let mut its = taken
            .iter()
            .filter(|one| one.number.as_ref() == Some(&number) && one.mark.as_ref() == Some(&mark));
        let shown = own.confirmation(row);
        assert!(its.any(|one| one.id == shown), "{row}: the authority gave no such id");
        let id = row["id"].as_str().expect("an id");
        if let Some(answered) = acknowledged.get(id) {
            assert_eq!(answered["number"], row["number"]);
            assert_eq!(own.mark(answered), own.mark(row), "{id}");
        }
    }
    let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    for (id, answered) in acknowledged {
        let is_own = fiscal(answered) == &answered[own.authority.name()];
        assert!(!is_own || ids.contains(&**id), "{answered} was answered and is lost");
    }
    check_ledger(offices, own, rows.len());
}

/// In the authority's books no number is missing, and none belongs to two documents.
fn check_ledger(offices: &Offices, own: &Taxpayer, documents: usize) {
    let office = offices.of(own.authority);
    let filter = Filter { operation: Some("invoice".to_owned()), ..Filter::default() };
    let sequences = office.gaps(&filter);
    assert_eq!(sequences.iter().map(|one| one.documents).sum::<usize>(), documents);
    for gaps in sequences {
        assert!(gaps.missing.is_empty() && gaps.doubled.is_empty(), "{gaps:?}");
        assert_eq!(gaps.first, "1", "{gaps:?}");
    }
    let taken = office.taken(&filter);
    let ids: BTreeSet<&str> = taken.iter().map(|one| &*one.message_id).collect();
    assert_eq!(ids.len(), taken.len(), "each message has an id of its own");
    assert!(taken.iter().any(|one| one.late), "nothing was sent again");
}
