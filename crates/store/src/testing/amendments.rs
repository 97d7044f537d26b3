//! The contract of rows: whose they are, and that decisions on them take turns.

use racun_kernel::{Decimal, Metadata, Tenant};

use super::join::{join_all, start_and_drop};
use super::sample::{NOTES, Note, SAMPLES, Sample, SampleCustomer, fresh_entity};
use crate::{Decision, Load, Put, Record, Store, StoreError, Writes};

/// Why an amendment of the tests did not happen.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Refused,
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Units that run at once in the tests of turns.
const CROWD: i64 = 32;

pub(super) async fn insert(store: &dyn Store, puts: Vec<Put>) {
    store.insert(puts, Vec::new()).await.expect("the rows are new");
}

pub(super) fn one(sample: &Sample) -> Load {
    Load::One { table: &SAMPLES, tenant: sample.tenant(), id: sample.id() }
}

async fn found(store: &dyn Store, tenant: &Tenant, id: &str) -> Option<Sample> {
    store.get(&SAMPLES, tenant, id).await.expect("the store answers")
}

/// `sample` with `by` more in its amount, which counts as 0 while there is none.
fn raised(sample: &Sample, by: i64) -> Sample {
    let before = sample.amount.clone().unwrap_or_else(Decimal::zero);
    Sample { amount: Some(&before + &Decimal::from(by)), ..sample.clone() }
}

pub(super) async fn a_row_is_found_only_in_its_tenant(store: &dyn Store) {
    let (mine, other) = (fresh_entity(), fresh_entity());
    let first = Sample::new(mine, "smp_1");
    let second = Sample::new(mine, "smp_2");
    insert(store, vec![Put::insert(&first), Put::insert(&second)]).await;

    let ids: Vec<String> = ["smp_2", "smp_3", "smp_1"].map(str::to_owned).into();
    let mut all: Vec<Sample> =
        store.get_all(&SAMPLES, &first.tenant(), &ids).await.expect("the store answers");
    all.sort_by_key(Record::id);
    assert_eq!(all, [first, second]);
    let none = store.find(&SAMPLES, &Tenant::entity(other), &ids).await;
    assert_eq!(none, Ok(Vec::new()), "another tenant");
    let none = store.find(&NOTES, &Tenant::entity(mine), &ids).await;
    assert_eq!(none, Ok(Vec::new()), "another table");
    assert_eq!(store.find(&SAMPLES, &Tenant::entity(mine), &[]).await, Ok(Vec::new()));
}

pub(super) async fn a_record_comes_back_as_it_was_written(store: &dyn Store) {
    let text = "“Žiga” \"\\u0000\" \\ % _ ' 😀 \n\t{\"a\":[1]} ".repeat(200);
    let entries = [("", ""), ("a.b", "1"), ("\"", "\\"), ("ž", "Ž")];
    let entries = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let written = Sample {
        name: Some(text.clone()),
        note: Some(text.clone()),
        amount: Some("-140737488355327.9900000001".parse().expect("a decimal")),
        metadata: Some(Metadata::new(entries.into()).expect("within the limits")),
        tags: Some(vec![text, String::new()]),
        customer: Some(SampleCustomer { name: None }),
        ..Sample::new(fresh_entity(), "smp_1")
    };
    insert(store, vec![Put::insert(&written)]).await;
    assert_eq!(found(store, &written.tenant(), "smp_1").await, Some(written));
}

pub(super) async fn a_lookup_crosses_tenants_in_the_order_of_ids(store: &dyn Store) {
    let (a, b) = (fresh_entity(), fresh_entity());
    let handle = a.to_string();
    let in_group = |entity, id: &str| Sample {
        group: Some(handle.clone()),
        code: Some(handle.clone()),
        ..Sample::new(entity, id)
    };
    let late = in_group(a, "smp_2");
    let early = Sample { handle: Some(handle.clone()), ..in_group(b, "smp_1") };
    insert(store, vec![Put::insert(&late), Put::insert(&early)]).await;
    insert(store, vec![Put::insert(&Sample::new(a, "smp_3"))]).await;

    for (field, expected) in
        [("group", vec![&early, &late]), ("code", vec![&early, &late]), ("handle", vec![&early])]
    {
        let rows: Vec<Sample> =
            store.look_up(&SAMPLES, field, &handle).await.expect("the store answers");
        assert_eq!(rows.iter().collect::<Vec<_>>(), expected, "{field}");
        assert_eq!(store.lookup(&SAMPLES, field, &format!("{handle}?")).await, Ok(Vec::new()));
    }
}

pub(super) async fn only_indexed_text_fields_are_looked_up_or_held_by(store: &dyn Store) {
    let is_named = |refused: &StoreError, field| match refused {
        StoreError::Unavailable(reason) => reason.contains(field),
        _ => false,
    };
    for field in ["note", "name", "amount", "nothing"] {
        let refused = store.lookup(&SAMPLES, field, "a").await.expect_err("no index, no lookup");
        assert!(is_named(&refused, field), "{refused}");
        let tenant = Tenant::entity(fresh_entity());
        let load = Load::Where { table: &SAMPLES, tenant, field, value: "a".to_owned() };
        let held = store.decide(vec![load], None, |_| Ok(((), Writes::default())));
        let refused: StoreError = held.await.expect_err("no index, no load");
        assert!(is_named(&refused, field), "{refused}");
    }
}

pub(super) async fn a_refused_amendment_writes_nothing(store: &dyn Store) {
    let before = Sample::new(fresh_entity(), "smp_1");
    let tenant = before.tenant();
    insert(store, vec![Put::insert(&before)]).await;

    let refused = store
        .amend::<Sample, Failure>(&SAMPLES, &tenant, before.id(), |_| Err(Failure::Refused))
        .await;
    assert_eq!(refused, Err(Failure::Refused));
    let unchanged = store
        .amend::<Sample, Failure>(&SAMPLES, &tenant, before.id(), |sample| {
            Ok(Decision::Unchanged(sample))
        })
        .await;
    assert_eq!(unchanged.as_ref(), Ok(&before));
    let missing = store
        .amend::<Sample, StoreError>(&SAMPLES, &tenant, "smp_2".to_owned(), |sample| {
            Ok(Decision::changed(sample, Vec::new()))
        })
        .await;
    assert_eq!(missing, Err(StoreError::NotFound { id: "smp_2".to_owned() }));
    assert_eq!(found(store, &tenant, "smp_1").await, Some(before));
}

pub(super) async fn amendments_of_one_row_take_turns(store: &dyn Store) {
    let sample = Sample::new(fresh_entity(), "smp_1");
    let tenant = sample.tenant();
    insert(store, vec![Put::insert(&sample)]).await;

    let raise = |_| {
        store.amend::<Sample, StoreError>(&SAMPLES, &tenant, sample.id(), |sample| {
            Ok(Decision::changed(raised(&sample, 1), Vec::new()))
        })
    };
    let answers = join_all((0..CROWD).map(raise)).await;
    let mut amounts: Vec<Decimal> =
        answers.into_iter().flat_map(|answer| answer.expect("it waits its turn").amount).collect();
    amounts.sort();
    assert_eq!(amounts, (1..=CROWD).map(Decimal::from).collect::<Vec<_>>());
    assert_eq!(found(store, &tenant, "smp_1").await, Some(raised(&sample, CROWD)));
}

pub(super) async fn units_that_hold_rows_in_any_order_do_not_block_each_other(store: &dyn Store) {
    let entity = fresh_entity();
    let (a, b) = (Sample::new(entity, "smp_a"), Sample::new(entity, "smp_b"));
    insert(store, vec![Put::insert(&a), Put::insert(&b)]).await;

    let transfer = |n: i64| {
        let (from, to) = if n % 2 == 0 { (&a, &b) } else { (&b, &a) };
        store.decide::<_, StoreError>(vec![one(from), one(to)], None, move |loaded| {
            let rows: Vec<Sample> = loaded
                .rows
                .iter()
                .flatten()
                .map(|row| row.read(&SAMPLES))
                .collect::<Result<_, _>>()?;
            let puts = rows.iter().zip([-n, n]);
            let puts = puts.map(|(row, by)| Put::update(row, &raised(row, by))).collect();
            Ok(((), Writes { puts, ..Writes::default() }))
        })
    };
    for answer in join_all((0..CROWD).map(transfer)).await {
        answer.expect("it waits its turn");
    }
    // Even n moves n from a to b, odd n back: half of CROWD more goes to a.
    let expected = [raised(&a, CROWD / 2), raised(&b, -CROWD / 2)];
    for expected in expected {
        assert_eq!(found(store, &expected.tenant(), &expected.id).await, Some(expected));
    }
}

pub(super) async fn a_unit_is_shown_its_loads_in_their_order(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    let sample = Sample::new(entity, "smp_1");
    let stranger = Note::new(fresh_entity(), "note_0", "smp_1");
    // The order of ids is neither that of writing nor that of creation.
    let notes = [("note_2", 2), ("note_1", 3), ("note_3", 1)].map(|(id, minutes)| {
        let note = Note::new(entity, id, "smp_1");
        Note { created_at: note.created_at + time::Duration::minutes(minutes), ..note }
    });
    let mut puts: Vec<Put> = notes.iter().map(Put::insert).collect();
    puts.push(Put::insert(&stranger));
    puts.push(Put::insert(&Note::new(entity, "note_4", "smp_4")));
    puts.push(Put::insert(&sample));
    insert(store, puts).await;

    let of = |sample: &str| Load::Where {
        table: &NOTES,
        tenant: tenant.clone(),
        field: "sample_id",
        value: sample.to_owned(),
    };
    let missing = Load::One { table: &SAMPLES, tenant: tenant.clone(), id: "smp_9".to_owned() };
    let loads = vec![of("smp_1"), missing, one(&sample), of("smp_9"), of("smp_4")];
    let shown = store
        .decide::<_, StoreError>(loads, None, |loaded| Ok((loaded, Writes::default())))
        .await
        .expect("nothing is written");
    let ids: Vec<Vec<&str>> =
        shown.rows.iter().map(|rows| rows.iter().map(|row| row.id.as_str()).collect()).collect();
    let expected: [&[&str]; 5] =
        [&["note_1", "note_2", "note_3"], &[], &["smp_1"], &[], &["note_4"]];
    assert_eq!(ids, expected);
    assert_eq!(shown.number, None);
    assert_eq!(shown.rows[2][0].read::<Sample>(&SAMPLES), Ok(sample));
}

pub(super) async fn a_unit_that_holds_the_parent_sees_all_children(store: &dyn Store) {
    const ROOM: usize = 5;
    let sample = Sample::new(fresh_entity(), "smp_1");
    insert(store, vec![Put::insert(&sample)]).await;

    let add = |n: i64| {
        let children = Load::Where {
            table: &NOTES,
            tenant: sample.tenant(),
            field: "sample_id",
            value: sample.id(),
        };
        let note = Note::new(sample.entity_id, format!("note_{n}"), sample.id());
        store.decide::<_, Failure>(vec![one(&sample), children], None, move |loaded| {
            if loaded.rows[1].len() >= ROOM {
                return Err(Failure::Refused);
            }
            Ok(((), Writes { puts: vec![Put::insert(&note)], ..Writes::default() }))
        })
    };
    let answers = join_all((0..CROWD).map(add)).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), ROOM);
    assert!(answers.iter().all(|answer| matches!(answer, Ok(()) | Err(Failure::Refused))));
}

pub(super) async fn a_unit_that_was_started_is_finished(store: &dyn Store) {
    /// Looks at the row that pass before the test gives up: seconds, on any store.
    const PATIENCE: usize = 20_000;
    let sample = Sample::new(fresh_entity(), "smp_1");
    start_and_drop(store.insert(vec![Put::insert(&sample)], Vec::new())).await;
    for _ in 0..PATIENCE {
        if found(store, &sample.tenant(), "smp_1").await.is_some() {
            return;
        }
    }
    panic!("the unit ended with its caller");
}
