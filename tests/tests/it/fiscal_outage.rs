//! A tax authority that is away for a while, as many devices sell: nothing waits for it, no number
//! is missing, and when it is back it hears of everything, in time and flagged as late.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use racun_authority_simulator::{Fault, Filter, Page, When};
use racun_fiscal::Authority;
use racun_tests::{
    Account, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport, fiscal,
    on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    an_outage_of_the_authorities_ends_with_everything_confirmed,
}

const AUTHORITIES: [Authority; 2] = [Authority::Furs, Authority::Fina];
const PREMISES: [&str; 3] = ["P1", "P2", "P3"];
const DEVICES: [&str; 2] = ["1", "2"];

/// Invoices of each device: 102 of each authority.
const EACH: usize = 17;

/// Until all is delivered when the authorities are back.
const DELIVERY: Duration = Duration::from_secs(120);

async fn an_outage_of_the_authorities_ends_with_everything_confirmed(store: StoreKind) {
    let offices = Offices::open();
    let settings = offices.settings(Transport::Soap, Retries { initial: 1, max: 2 });
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let account = Account::sign_up(&racun).await;
    let mut taxpayers = Vec::new();
    for authority in AUTHORITIES {
        let own = Taxpayer::open(&account, &offices, authority).await;
        if authority == Authority::Furs {
            // There numbers run per device, in Croatia per premise.
            let settings = json!({ "numbering_strategy": "B" });
            own.api.put(&own.path("/settings"), &settings).await.expect(200);
        }
        for premise in PREMISES {
            own.place(premise, &DEVICES).await;
        }
        taxpayers.push(own);
    }
    for authority in AUTHORITIES {
        offices.break_down(authority, &Fault::Refuse).await;
    }
    let issued = sell(&taxpayers).await;
    for authority in AUTHORITIES {
        assert!(offices.invoices(authority, "P1").is_empty(), "no message arrived");
        offices.mend(authority).await;
        let now_and_then = When { percent: Some(10), ..When::default() };
        offices.plan(authority, Fault::Page(Page::ServerError), now_and_then);
    }
    for own in &taxpayers {
        let rows = own.all_settled(DELIVERY).await;
        check(&offices, own, &rows, &issued);
    }
}

/// Sells on all devices at once; answers the invoices by their ids.
async fn sell(taxpayers: &[Taxpayer]) -> BTreeMap<String, Value> {
    let mut tills = JoinSet::new();
    for own in taxpayers {
        for (premise, device) in
            PREMISES.iter().flat_map(|premise| DEVICES.map(|device| (*premise, device)))
        {
            let own = own.clone();
            tills.spawn(async move {
                let mut issued = Vec::new();
                for _ in 0..EACH {
                    let sold = own.sell(premise, device).await;
                    assert_eq!(fiscal(&sold)["status"], "pending", "{}", sold);
                    assert_eq!(own.confirmation(&sold), None);
                    let id = sold["id"].as_str().expect("an id").to_owned();
                    issued.push((id, sold));
                }
                issued
            });
        }
    }
    tills.join_all().await.into_iter().flatten().collect()
}

/// Checks what the server says and what the authority heard against what was issued.
fn check(offices: &Offices, own: &Taxpayer, rows: &[Value], issued: &BTreeMap<String, Value>) {
    let expected = PREMISES.len() * DEVICES.len() * EACH;
    assert_eq!(rows.len(), expected);
    let office = offices.of(own.authority);
    let filter = Filter { operation: Some("invoice".to_owned()), ..Filter::default() };
    let taken = office.taken(&filter);
    for row in rows {
        assert_eq!(fiscal(row)["status"], "success", "{row}");
        let answered = &issued[row["id"].as_str().expect("an id")];
        assert_eq!(row["number"], answered["number"]);
        let (mark, shown) = (own.mark(row), own.confirmation(row));
        assert_eq!(mark, own.mark(answered));
        let is_its = |id: &Option<String>, marked: &Option<String>| {
            *id == shown && marked.as_deref() == Some(&*mark)
        };
        assert!(taken.iter().any(|one| is_its(&one.id, &one.mark)), "{row}");
    }
    for one in &taken {
        assert!(one.late, "it was handed out before: {one:?}");
    }
    let ids: BTreeSet<&str> = taken.iter().map(|one| &*one.message_id).collect();
    assert_eq!(ids.len(), taken.len(), "each message has an id of its own");
    let sequences = office.gaps(&filter);
    let (sequence_count, length) = match own.authority {
        Authority::Furs => (PREMISES.len() * DEVICES.len(), EACH),
        Authority::Fina => (PREMISES.len(), DEVICES.len() * EACH),
    };
    assert_eq!(sequences.len(), sequence_count);
    for gaps in sequences {
        assert!(gaps.missing.is_empty() && gaps.doubled.is_empty(), "{gaps:?}");
        assert_eq!((&*gaps.first, gaps.documents), ("1", length), "{gaps:?}");
    }
}
