//! Units of work with types: every part of one reads what it held itself.

use racun_kernel::{Principal, Tenant};
use time::OffsetDateTime;

use super::amendments::Failure;
use super::log::happened;
use super::sample::{NOTES, Note, SAMPLES, Sample, fresh_entity};
use super::{actor, stamp};
use crate::{
    Actor, Context, Decision, Held, Many, One, Record, Series, Store, StoreError, UnitBuilder,
    Writes,
};

/// A job of `sample`'s entity.
fn system(sample: &Sample) -> Actor {
    actor(sample.entity_id, Principal::System, stamp(OffsetDateTime::UNIX_EPOCH))
}

async fn insert(cx: &Context<'_>, writes: Writes) {
    cx.write(writes).await.expect("the rows are new");
}

/// A part of a unit: a sample and its notes.
struct Noted {
    sample: One<Sample>,
    notes: Many<Note>,
}

impl Noted {
    fn hold(unit: &mut UnitBuilder<'_>, id: &str) -> Self {
        let sample = unit.hold(&SAMPLES, id);
        Self { sample, notes: unit.hold_where(&NOTES, "sample_id", id) }
    }

    fn read(self, held: &Held) -> Result<(String, Vec<String>), StoreError> {
        let notes = held.all(self.notes)?;
        Ok((held.one(self.sample)?.id, notes.into_iter().map(|note| note.id).collect()))
    }
}

pub(super) async fn each_part_of_a_unit_reads_what_it_held(store: &dyn Store) {
    let entity = fresh_entity();
    let samples = ["smp_1", "smp_2"].map(|id| Sample::new(entity, id));
    let actor = system(&samples[0]);
    let cx = Context::of(store, &actor);
    let notes = [("note_1", "smp_1"), ("note_2", "smp_2"), ("note_3", "smp_2")]
        .map(|(id, sample)| Note::new(entity, id, sample));
    let writes = samples.iter().fold(Writes::default(), Writes::insert);
    insert(&cx, notes.iter().fold(writes, Writes::insert)).await;

    let mut unit = cx.unit();
    let second = Noted::hold(&mut unit, "smp_2");
    let each: Many<Sample> =
        unit.hold_each(["smp_2", "smp_9", "smp_1"].map(|id| (&SAMPLES, id.to_owned())));
    let first = Noted::hold(&mut unit, "smp_1");
    let none: Many<Note> = unit.hold_where(&NOTES, "sample_id", "smp_9");
    let shown = unit.decide(move |held| {
        assert_eq!((held.count(&each), held.count(&none)), (2, 0));
        let each: Vec<String> = held.all(each)?.into_iter().map(|sample| sample.id).collect();
        // In another order than they were held.
        Ok::<_, StoreError>(((first.read(held)?, second.read(held)?, each), Writes::default()))
    });
    let noted = |id: &str, notes: &[&str]| {
        (id.to_owned(), notes.iter().map(|note| (*note).to_owned()).collect::<Vec<_>>())
    };
    let (first, second, each) = shown.await.expect("nothing is written");
    assert_eq!(first, noted("smp_1", &["note_1"]));
    assert_eq!(second, noted("smp_2", &["note_2", "note_3"]));
    assert_eq!(each, ["smp_2", "smp_1"]);
}

pub(super) async fn what_is_missing_is_none_or_not_found(store: &dyn Store) {
    let sample = Sample::new(fresh_entity(), "smp_1");
    let actor = system(&sample);
    let cx = Context::of(store, &actor);
    insert(&cx, Writes::default().insert(&sample)).await;

    let mut unit = cx.unit();
    let missing: One<Sample> = unit.hold(&SAMPLES, "smp_2");
    let found =
        unit.decide(move |held| Ok::<_, StoreError>((held.find(missing)?, Writes::default())));
    assert_eq!(found.await, Ok(None));
    // What another tenant has is missing here.
    let mut unit = store.unit(Tenant::directory());
    let missing: One<Sample> = unit.hold(&SAMPLES, "smp_1");
    let refused =
        unit.decide(move |held| Ok::<_, StoreError>((held.one(missing)?, Writes::default())));
    assert_eq!(refused.await, Err(StoreError::NotFound { id: "smp_1".to_owned() }));
    let mut unit = store.unit(Tenant::directory());
    let there: One<Sample> = unit.hold_of(sample.tenant(), &SAMPLES, "smp_1");
    let found = unit.decide(move |held| Ok::<_, StoreError>((held.one(there)?, Writes::default())));
    assert_eq!(found.await, Ok(sample));
}

pub(super) async fn a_number_is_taken_only_when_it_is_used(store: &dyn Store) {
    let sample = Sample::new(fresh_entity(), "smp_1");
    let actor = system(&sample);
    let cx = Context::of(store, &actor);
    let take = async |uses: bool| {
        let mut unit = cx.unit();
        let key = "sample/2026".to_owned();
        let number = unit.number(Series { tenant: cx.tenant(), key, start: 7 });
        let shown = unit.decide(move |held| {
            let writes = Writes::default();
            let writes = if uses { writes.taking_number() } else { writes };
            Ok::<_, StoreError>((held.number(&number)?, writes))
        });
        shown.await
    };
    assert_eq!(take(false).await, Ok(7));
    assert_eq!(take(true).await, Ok(7));
    assert_eq!(take(true).await, Ok(8));
}

pub(super) async fn an_amendment_in_a_context_says_who_acted(store: &dyn Store) {
    let sample = Sample::new(fresh_entity(), "smp_1");
    let actor = system(&sample);
    let cx = Context::of(store, &actor);
    insert(&cx, Writes::default().insert(&sample)).await;

    let named = |sample: Sample, actor: &Actor| {
        let after = Sample { name: Some("new".to_owned()), ..sample };
        let events = vec![actor.event(happened::CHANGED, &after.id)];
        Ok(Decision::changed(after, events))
    };
    let after: Result<Sample, Failure> = cx.amend(&SAMPLES, "smp_1", named).await;
    let name = |sample: Sample| sample.name;
    assert_eq!(after.map(name), Ok(Some("new".to_owned())));
    let refused = cx.amend(&SAMPLES, "smp_1", |_: Sample, _| Err(Failure::Refused));
    assert_eq!(refused.await, Err(Failure::Refused));
    assert_eq!(
        cx.get(&SAMPLES, "smp_1").await.map(|found| found.and_then(name)),
        Ok(Some("new".to_owned()))
    );
    let event = cx.event(happened::CHANGED, "smp_1");
    assert_eq!((event.tenant, event.actor), (sample.tenant(), "system".to_owned()));
}
