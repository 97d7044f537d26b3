//! Units that share a transaction.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::{join, join_all};
use racun_kernel::{Decimal, Tenant};
use racun_store::testing::contract::{NOTES, Note, SAMPLES, Sample, happened};
use racun_store::{Event, ListQuery, Load, Put, PutKind, Record, Store, StoreError, Value, Writes};
use time::macros::datetime;

use crate::support::{Failure, Fixture, PATIENCE, entity, numbered, series};

/// Units at once: more than fit one group.
const CROWD: usize = 80;

fn tenant() -> Tenant {
    Tenant::entity(entity(1))
}

fn event(of: &Sample) -> Event {
    let stamp = racun_store::testing::stamp(datetime!(2026-11-20 08:30 UTC));
    // An id of its own, as another stamp's would be.
    let place = of.id().bytes().map(u128::from).fold(7, |id, byte| id * 31 + byte);
    let (subject, actor) = (of.id(), "usr_1".to_owned());
    let event = Event::new(of.tenant(), happened::ISSUED, subject, actor, &stamp);
    Event { id: racun_kernel::Id::new(place.into()), ..event }
}

/// Issues a sample for each of `CROWD` callers at once, unless `spoil` refuses or panics.
async fn issue_all(
    store: &Arc<dyn Store>,
    spoil: fn(usize) -> Result<(), Failure>,
) -> Vec<Result<i64, Failure>> {
    join_all((0..CROWD).map(|n| {
        store.decide(Vec::new(), Some(series(&tenant())), move |loaded| {
            spoil(n)?;
            let number = loaded.number.expect("a number is shown");
            let amount = Some(Decimal::from(number));
            let sample = Sample { amount, ..Sample::new(entity(1), format!("smp_{n}")) };
            let (puts, events) = (vec![Put::insert(&sample)], vec![event(&sample)]);
            Ok((number, Writes { puts, events, takes_number: true }))
        })
    }))
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_and_panicking_units_use_no_number_and_write_nothing() {
    let fixture = Fixture::new().await;
    let answers = issue_all(&fixture.store(), |n| match n % 8 {
        3 => Err(Failure::Refused),
        5 => panic!("a decision of this test panics on purpose"),
        _ => Ok(()),
    })
    .await;

    let mut numbers = Vec::new();
    for (n, answer) in answers.into_iter().enumerate() {
        match (n % 8, answer) {
            (3, answer) => assert_eq!(answer, Err(Failure::Refused)),
            (5, answer) => assert!(
                matches!(&answer, Err(Failure::Store(StoreError::Unavailable(_)))),
                "{answer:?}"
            ),
            (_, answer) => numbers.push(answer.unwrap()),
        }
    }
    numbers.sort_unstable();
    let count = i64::try_from(CROWD).unwrap() * 6 / 8;
    assert_eq!(numbers, (1..=count).collect::<Vec<_>>());
    let last = vec![("invoice/2026".to_owned(), count)];
    assert_eq!(fixture.store.series(&tenant()).await, Ok(last));

    let owner = fixture.owner().await;
    let row = owner
        .query_one(
            "SELECT count(*), count(DISTINCT samples.xmin::text), \
             (SELECT count(*) FROM activities JOIN samples ON resource_id = samples.id) FROM \
             samples",
            &[],
        )
        .await
        .unwrap();
    let (rows, transactions, events): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    assert_eq!((rows, events), (count, count), "one row and one event for each number");
    assert!(transactions < count / 2, "{transactions} transactions for {count} units");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_sees_what_units_before_it_in_its_series_wrote() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let parent = Sample { amount: Some(Decimal::zero()), ..Sample::new(entity(1), "smp_1") };
    store.insert(vec![Put::insert(&parent)], Vec::new()).await.unwrap();

    // The row itself, a row that is not there yet, and rows found by a field.
    join_all((0..CROWD).map(|n| {
        let own = Load::One { table: &SAMPLES, tenant: tenant(), id: "smp_1".to_owned() };
        let once = Load::One { table: &NOTES, tenant: tenant(), id: "note_once".to_owned() };
        let (field, value) = ("sample_id", "smp_1".to_owned());
        let children = Load::Where { table: &NOTES, tenant: tenant(), field, value };
        let loads = match n % 3 {
            0 => vec![own],
            1 => vec![once],
            _ => vec![children],
        };
        store.decide::<_, Failure>(loads, Some(series(&tenant())), move |loaded| {
            let rows = &loaded.rows[0];
            let put = match n % 3 {
                0 => {
                    let before: Sample = rows[0].read(&SAMPLES)?;
                    let amount = before.amount.as_ref().map(|sum| sum + &Decimal::from(1));
                    Put::update(&before, &Sample { amount, ..before.clone() })
                }
                1 if rows.is_empty() => Put::insert(&Note::new(entity(1), "note_once", "smp_2")),
                2 if rows.len() < 5 => {
                    Put::insert(&Note::new(entity(1), format!("note_{n}"), "smp_1"))
                }
                _ => return Err(Failure::Refused),
            };
            Ok(((), numbered(Writes { puts: vec![put], ..Writes::default() })))
        })
    }))
    .await;

    let after: Sample = store.get(&SAMPLES, &tenant(), "smp_1").await.unwrap().unwrap();
    let raises = i64::try_from((0..CROWD).filter(|n| n % 3 == 0).count()).unwrap();
    assert_eq!(after.amount, Some(Decimal::from(raises)));
    let children: Vec<Note> = store.look_up(&NOTES, "sample_id", "smp_1").await.unwrap();
    assert_eq!(children.len(), 5);
    let last = vec![("invoice/2026".to_owned(), raises + 1 + 5)];
    assert_eq!(store.series(&tenant()).await, Ok(last));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_cannot_be_written_leaves_no_trace_and_no_gap() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let taken = Sample { code: Some("A".to_owned()), ..Sample::new(entity(1), "smp_taken") };
    store.insert(vec![Put::insert(&taken)], Vec::new()).await.unwrap();

    let answers = join_all((0..CROWD).map(|n| {
        store.decide::<_, StoreError>(Vec::new(), Some(series(&tenant())), move |loaded| {
            let code = (n == CROWD / 2).then(|| "A".to_owned());
            let sample = Sample { code, ..Sample::new(entity(1), format!("smp_{n}")) };
            let puts = vec![Put::insert(&sample)];
            Ok((loaded.number, numbered(Writes { puts, ..Writes::default() })))
        })
    }))
    .await;

    let duplicate = StoreError::Duplicate { table: "samples", field: "code" };
    let written = answers.iter().filter(|answer| answer.is_ok()).count();
    for (n, answer) in answers.iter().enumerate() {
        match answer {
            Ok(_) => assert_ne!(n, CROWD / 2),
            Err(error) if n == CROWD / 2 => assert_eq!(*error, duplicate),
            // Those behind it in its group had been shown numbers that it leaves unused.
            Err(error) => assert!(n > CROWD / 2 && matches!(error, StoreError::Unavailable(_))),
        }
    }
    let last = i64::try_from(written).unwrap();
    assert_eq!(store.series(&tenant()).await, Ok(vec![("invoice/2026".to_owned(), last)]));
    let owner = fixture.owner().await;
    let rows: i64 = owner.query_one("SELECT count(*) FROM samples", &[]).await.unwrap().get(0);
    assert_eq!(rows, last + 1);
}

/// The notes by id, as units one after the other leave them.
type Notes = BTreeMap<String, String>;

/// What the unit `n` does to one of three notes, when it sees `notes`: a note comes, moves to
/// another sample, or goes.
fn step(n: usize, notes: &Notes) -> Put {
    let id = format!("note_{}", n * 7 % 3);
    let sample = format!("smp_{}", n * 5 % 2);
    let note = |sample: &str| Note::new(entity(1), id.clone(), sample);
    match notes.get(&id) {
        None => Put::insert(&note(&sample)),
        Some(_) if n % 4 == 3 => Put::delete(&note(&sample)),
        Some(before) => Put::update(&note(before), &note(&sample)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn units_of_a_tenant_take_turns_in_the_order_in_which_they_came() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let shown: Arc<Mutex<Vec<(usize, Notes)>>> = Arc::default();
    join_all((0..CROWD).map(|n| {
        let found = |sample: &str| Load::Where {
            table: &NOTES,
            tenant: tenant(),
            field: "sample_id",
            value: sample.to_owned(),
        };
        let shown = Arc::clone(&shown);
        store.decide::<_, Failure>(vec![found("smp_0"), found("smp_1")], None, move |loaded| {
            let notes = loaded.rows.iter().flatten().map(|row| row.read::<Note>(&NOTES));
            let notes: Vec<Note> = notes.collect::<Result<_, _>>()?;
            let notes = notes.into_iter().map(|note| (note.id, note.sample_id)).collect();
            let put = step(n, &notes);
            shown.lock().unwrap().push((n, notes));
            if n % 5 == 4 {
                return Err(Failure::Refused);
            }
            Ok(((), Writes { puts: vec![put], ..Writes::default() }))
        })
    }))
    .await;

    let mut notes = Notes::new();
    let mut expected = Vec::new();
    for n in 0..CROWD {
        expected.push((n, notes.clone()));
        let put = step(n, &notes);
        if n % 5 == 4 {
            continue;
        }
        let sample = put.values.iter().find_map(|value| match value {
            Value::Text(text) if text.starts_with("smp_") => Some(text.clone()),
            _ => None,
        });
        match put.kind {
            PutKind::Delete => notes.remove(&put.id),
            PutKind::Insert | PutKind::Update => notes.insert(put.id, sample.unwrap()),
        };
    }
    assert_eq!(*shown.lock().unwrap(), expected);
    let owner = fixture.owner().await;
    let select = format!("SELECT id, sample_id FROM {} ORDER BY id", NOTES.name);
    let rows = owner.query(&select, &[]).await.unwrap();
    let kept: Notes = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(kept, notes);
    let total = store.page::<Note>(&NOTES, &tenant(), &ListQuery::first_page(&NOTES)).await;
    assert_eq!(total.unwrap().pagination.total, i64::try_from(notes.len()).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_cannot_be_written_does_not_disturb_those_it_has_nothing_to_do_with() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let taken = Sample { code: Some("A".to_owned()), ..Sample::new(entity(1), "smp_taken") };
    store.insert(vec![Put::insert(&taken)], Vec::new()).await.unwrap();

    let answers = join_all((0..CROWD).map(|n| {
        let id = format!("smp_{n}");
        let own = Load::One { table: &SAMPLES, tenant: tenant(), id: id.clone() };
        store.decide::<_, StoreError>(vec![own], None, move |_| {
            let code = (n % 10 == 7).then(|| "A".to_owned());
            let sample = Sample { code, ..Sample::new(entity(1), id) };
            Ok(((), Writes { puts: vec![Put::insert(&sample)], ..Writes::default() }))
        })
    }))
    .await;

    let duplicate = Err(StoreError::Duplicate { table: "samples", field: "code" });
    for (n, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer, if n % 10 == 7 { duplicate.clone() } else { Ok(()) }, "unit {n}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_caller_does_not_cancel_shared_reads() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let note = Note::new(entity(1), "note_1", "smp_1");
    store.insert(vec![Put::insert(&note)], Vec::new()).await.unwrap();
    for _ in 0..20 {
        let ask = || {
            let store = Arc::clone(&store);
            async move { store.look_up::<Note>(&NOTES, "sample_id", "smp_1").await }
        };
        let first = tokio::spawn(ask());
        let others: Vec<_> = (0..4).map(|_| tokio::spawn(ask())).collect();
        tokio::task::yield_now().await;
        first.abort();
        for other in others {
            let found = tokio::time::timeout(PATIENCE, other).await;
            let found = found.expect("every caller is answered").unwrap().unwrap();
            assert_eq!(found, std::slice::from_ref(&note));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_ask_at_once_are_answered_with_what_they_asked_for() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    for n in 0..20 {
        let note = Note::new(entity(n % 2), format!("note_{n:02}"), format!("smp_{}", n % 5));
        store.insert(vec![Put::insert(&note)], Vec::new()).await.unwrap();
    }

    let by_field = join_all((0..CROWD).map(|n| {
        let sample = format!("smp_{}", n % 7);
        let store = Arc::clone(&store);
        async move { store.look_up::<Note>(&NOTES, "sample_id", &sample).await }
    }));
    let by_id = join_all((0..CROWD).map(|n| {
        let ids = [format!("note_{:02}", n % 25), "note_0\0".to_owned()];
        let store = Arc::clone(&store);
        async move { store.get_all::<Note>(&NOTES, &Tenant::entity(entity(1)), &ids).await }
    }));
    let (by_field, by_id) = join(by_field, by_id).await;

    let ids = |notes: Vec<Note>| notes.into_iter().map(|note| note.id).collect::<Vec<_>>();
    for (n, found) in by_field.into_iter().enumerate() {
        let all = (0..20).filter(|note| note % 5 == n % 7).map(|note| format!("note_{note:02}"));
        assert_eq!(ids(found.unwrap()), all.collect::<Vec<_>>());
    }
    for (n, found) in by_id.into_iter().enumerate() {
        let own = Some(n % 25).filter(|note| *note < 20 && note % 2 == 1);
        let own = own.map(|note| format!("note_{note:02}"));
        assert_eq!(ids(found.unwrap()), own.into_iter().collect::<Vec<_>>());
    }
}
