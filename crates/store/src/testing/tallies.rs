//! The contract of tallies: every group equals the one that the reference evaluation answers.

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Tenant};

use super::amendments::insert;
use super::join::join_all;
use super::random::Random;
use super::random_samples::{random_query, random_sample, random_text};
use super::sample::{NOTES, Note, SAMPLES, Sample, fresh_entity};
use crate::{
    Clause, Condition, Extremes, FieldKind, Figure, JsonPath, ListQuery, Operator, Part, Put,
    Store, Tally, TallyRow, Value, Within, evaluate_tally,
};

/// Rows of each tenant in the random test, and as many notes.
const ROWS: usize = 40;

/// Fields of samples that a tally looks at.
const FIELDS: &[&str] = &["id", "name", "code", "group", "amount", "customer.name", "note"];
/// Places in bodies of samples; not all have what is looked for.
const PLACES: &[JsonPath] =
    &[&["note"], &["amount"], &["customer", "name"], &["active"], &["parts"], &["none", "there"]];
/// Places in elements, the element itself among them.
const ELEMENT_PLACES: &[JsonPath] = &[&["label"], &["price", "amount"], &["price"], &[]];
/// Where elements are, and what is no array.
const ARRAYS: &[JsonPath] = &[&["parts"], &["tags"], &["customer"], &["none", "there"]];

/// Asks for random tallies of random records, a few in one question; each must be what
/// [`evaluate_tally`] answers.
///
/// # Panics
/// When a group differs. The message holds `seed` and the tally, which repeat the failure.
pub async fn random_tallies(store: std::sync::Arc<dyn Store>, seed: u64, rounds: usize) {
    let store = &*store;
    let mut random = Random::new(seed);
    let entity = fresh_entity();
    let (samples, notes) = fill(store, &mut random, entity).await;
    // The same ids in another tenant, with other things in them.
    fill(store, &mut random, fresh_entity()).await;

    for round in 0..rounds {
        let mut tallies: Vec<Tally> =
            (0..=random.below(3)).map(|_| random_tally(&mut random, &samples)).collect();
        // One of the same rows.
        let filter = random_filter(&mut random, &samples, &tallies[0]);
        tallies.push(Tally { filter, ..tallies[0].clone() });
        let answered = store.tallies(&Tenant::entity(entity), &tallies).await;
        let answered = answered.unwrap_or_else(|error| panic!("{error}: {tallies:#?}"));
        assert_eq!(answered.len(), tallies.len(), "seed {seed}, round {round}");
        for (answered, tally) in answered.into_iter().zip(&tallies) {
            let expected = if tally.table == &NOTES {
                evaluate_tally(tally, &notes, &samples)
            } else {
                evaluate_tally::<Sample, Note>(tally, &samples, &[])
            };
            assert_eq!(answered, expected, "seed {seed}, round {round}: {tally:#?}");
        }
    }
}

/// Gives `entity` samples, and notes of which some are on samples.
async fn fill(
    store: &dyn Store,
    random: &mut Random,
    entity: EntityId,
) -> (Vec<Sample>, Vec<Note>) {
    let samples: Vec<Sample> =
        (0..ROWS).map(|n| random_sample(random, entity, &format!("smp_{n:02}"))).collect();
    let mut note = |n: usize| {
        let on = format!("smp_{:02}", random.below(ROWS + 5));
        let text = if random.chance(50) { "a".to_owned() } else { random_text(random) };
        Note { text, ..Note::new(entity, format!("note_{n:02}"), on) }
    };
    let notes: Vec<Note> = (0..ROWS).map(&mut note).collect();
    let puts = samples.iter().map(Put::insert).chain(notes.iter().map(Put::insert));
    insert(store, puts.collect()).await;
    (samples, notes)
}

fn random_tally(random: &mut Random, rows: &[Sample]) -> Tally {
    let mut clauses = random_clauses(random, rows);
    if random.chance(20) {
        // No caller can ask so.
        let seen = rows[random.below(rows.len())].seen_at.unwrap_or_else(fixed);
        let seen = Operator::NotBefore(seen.into());
        clauses.push(Clause::on(&SAMPLES, "seen_at", seen));
    }
    if random.chance(30) {
        return random_tally_of_notes(random, rows, clauses);
    }
    let each = random.chance(50).then(|| random.pick(ARRAYS));
    let group = |random: &mut Random| match random.below(10) {
        0 => Part::day(&SAMPLES, "day"),
        1 => Part::day_of(&SAMPLES, random.pick(&["created_at", "seen_at"])),
        2 => Part::field(&SAMPLES, random.pick(&["active", "seen_at", "day"])),
        _ => random_part(random, each),
    };
    let by = (0..random.below(4)).map(|_| group(random)).collect();
    let figures = (0..random.below(4)).map(|_| random_figure(random, each)).collect();
    let extremes = (0..random.below(3)).map(|_| random_extremes(random, each)).collect();
    let tally = Tally { clauses, each, by, figures, extremes, ..Tally::of(&SAMPLES) };
    Tally { filter: random_filter(random, rows, &tally), ..tally }
}

/// Notes, mostly those on samples of which `clauses` hold.
fn random_tally_of_notes(random: &mut Random, rows: &[Sample], clauses: Vec<Clause>) -> Tally {
    let (named, size) = (random.chance(80), random.below(4));
    let by: Vec<Part> = (0..size).map(|_| random_part_of_note(random)).collect();
    let distinct = random_part_of_note(random);
    let sum = Part::named(&SAMPLES, "amount");
    let within = Within::new(&NOTES, "sample_id", &SAMPLES, clauses);
    let within = Within { is_looked_up: random.chance(50), ..within };
    let tally = Tally {
        within: named.then_some(within),
        by,
        figures: vec![Figure::Count, Figure::CountDistinct(distinct), Figure::Sum(sum)],
        ..Tally::of(&NOTES)
    };
    let tally = Tally { filter: random_filter(random, rows, &tally), ..tally };
    if random.chance(50) { tally } else { tally.only("text", Operator::Not("a".into())) }
}

fn random_clauses(random: &mut Random, rows: &[Sample]) -> Vec<Clause> {
    loop {
        let raw = random_query(random, rows);
        // Texts may be longer together than a caller's filter.
        match ListQuery::parse(&SAMPLES, &raw) {
            Ok(query) => return query.clauses,
            Err(issues) => {
                let text = issues.to_string();
                assert!(text.contains("holds at most"), "{text}: {raw:?}");
            }
        }
    }
}

/// A part of a note, or of the sample that it is on.
fn random_part_of_note(random: &mut Random) -> Part {
    match random.chance(50) {
        true => Part::field(&NOTES, random.pick(&["sample_id", "text"])),
        false => Part::named(&SAMPLES, random.pick(FIELDS)),
    }
}

/// Conditions on what `tally` may look at, mostly none.
fn random_filter(random: &mut Random, rows: &[Sample], tally: &Tally) -> Vec<Condition> {
    let is_of_notes = tally.table == &NOTES;
    (0..random.below(3))
        .map(|_| {
            if !is_of_notes && random.chance(30) {
                let day = rows[random.below(rows.len())].day.map_or(Value::Null, Value::Date);
                return Condition::on(&SAMPLES, "day", random_comparison(random, day));
            }
            let part = match is_of_notes {
                true => random_part_of_note(random),
                false => random_part(random, tally.each),
            };
            let row = &rows[random.below(rows.len())];
            let value = random_value(random, row, part.kind());
            Condition { part, operator: random_comparison(random, value) }
        })
        .collect()
}

/// A value of `kind` as rows have it, or null.
fn random_value(random: &mut Random, row: &Sample, kind: FieldKind) -> Value {
    match kind {
        _ if random.chance(20) => Value::Null,
        FieldKind::Number => row.amount.clone().map_or(Value::Null, Value::Number),
        FieldKind::Bool => random.chance(50).into(),
        _ if random.chance(50) => row.name.clone().map_or(Value::Null, Value::Text),
        _ => random_text(random).into(),
    }
}

fn random_comparison(random: &mut Random, value: Value) -> Operator {
    if value == Value::Null {
        return if random.chance(50) { Operator::Equals(value) } else { Operator::Not(value) };
    }
    match random.below(6) {
        0 => Operator::Equals(value),
        1 => Operator::Not(value),
        2 => Operator::Gt(value),
        3 => Operator::Lte(value),
        4 => Operator::NotBefore(value),
        _ => Operator::NotIn(vec![value, Value::Null][..=random.below(2)].to_vec()),
    }
}

fn random_part(random: &mut Random, each: Option<JsonPath>) -> Part {
    let kind = random.pick(&[FieldKind::Text, FieldKind::Number, FieldKind::Bool]);
    match random.below(3) {
        0 => Part::field(&SAMPLES, random.pick(FIELDS)),
        1 if each.is_some() => Part::Element(random.pick(ELEMENT_PLACES), kind),
        _ => Part::Body(random.pick(PLACES), kind),
    }
}

fn random_figure(random: &mut Random, each: Option<JsonPath>) -> Figure {
    match random.below(4) {
        0 => Figure::Count,
        1 => Figure::CountDistinct(random_part(random, each)),
        2 => Figure::Filled(random_part(random, each)),
        _ => loop {
            let (part, instead) = (random_part(random, each), random_part(random, each));
            let is_number = |part: &Part| part.kind() == FieldKind::Number;
            if is_number(&part) && is_number(&instead) {
                return Figure::SumOr(part, instead);
            }
            if is_number(&part) {
                return Figure::Sum(part);
            }
        },
    }
}

/// A number, a day or an instant, or another one of its kind where that is null.
fn random_extremes(random: &mut Random, each: Option<JsonPath>) -> Extremes {
    let of = match random.below(4) {
        0 => Part::day(&SAMPLES, "day"),
        1 => Part::day_of(&SAMPLES, "seen_at"),
        2 => Part::field(&SAMPLES, "seen_at"),
        _ => random_number(random, each),
    };
    let or = random.chance(50).then(|| match of.kind() {
        FieldKind::Date => Part::day_of(&SAMPLES, "created_at"),
        FieldKind::Instant => Part::field(&SAMPLES, "created_at"),
        _ => random_number(random, each),
    });
    Extremes { of, or }
}

fn random_number(random: &mut Random, each: Option<JsonPath>) -> Part {
    loop {
        let part = random_part(random, each);
        if part.kind() == FieldKind::Number {
            return part;
        }
    }
}

/// The figures of the only group of `tally`.
async fn figures(store: &dyn Store, tenant: &Tenant, tally: Tally) -> Vec<Decimal> {
    let groups = store.tally(tenant, tally).await.expect("the store answers");
    let [TallyRow { by, figures, .. }] = &groups[..] else { panic!("one group, not {groups:?}") };
    assert!(by.is_empty(), "{by:?}");
    figures.clone()
}

fn sum_of_amounts() -> Tally {
    let figures = vec![Figure::Count, Figure::Sum(Part::field(&SAMPLES, "amount"))];
    Tally { figures, ..Tally::of(&SAMPLES) }
}

pub(super) async fn nothing_is_in_no_group(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    let tallies = [sum_of_amounts(), Tally::of(&NOTES)];
    assert_eq!(store.tallies(&tenant, &[]).await, Ok(Vec::new()), "no question");
    assert_eq!(store.tallies(&tenant, &tallies).await, Ok(vec![Vec::new(); 2]), "no rows");

    let trashed = Sample { deleted_at: Some(fixed()), ..Sample::new(entity, "smp_1") };
    let live = Sample::new(entity, "smp_2");
    insert(store, vec![Put::insert(&trashed)]).await;
    assert_eq!(store.tally(&tenant, sum_of_amounts()).await, Ok(Vec::new()), "only trash");
    insert(store, vec![Put::insert(&live)]).await;
    let expected = [1.into(), Decimal::zero()];
    assert_eq!(figures(store, &tenant, sum_of_amounts()).await, expected, "null adds nothing");

    let on_each = ["smp_1", "smp_2"].map(|on| Note::new(entity, format!("note_{on}"), on));
    insert(store, on_each.iter().map(Put::insert).collect()).await;
    let within = Some(Within::new(&NOTES, "sample_id", &SAMPLES, Vec::new()));
    let tally = Tally { within, ..Tally::of(&NOTES) };
    assert_eq!(figures(store, &tenant, tally).await, [1.into()], "not the one on trash");
}

fn fixed() -> time::OffsetDateTime {
    time::macros::datetime!(2026-11-20 08:30 UTC)
}

pub(super) async fn sums_are_exact_however_long(store: &dyn Store) {
    let entity = fresh_entity();
    let texts = ["999999999999999.9999999999", "999999999999999.9999999999", "0.1", "0.2"];
    let rows: Vec<Sample> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| Sample {
            amount: Some(text.parse().expect("a decimal")),
            ..Sample::new(entity, format!("smp_{n}"))
        })
        .collect();
    insert(store, rows.iter().map(Put::insert).collect()).await;
    let sum = figures(store, &Tenant::entity(entity), sum_of_amounts()).await;
    assert_eq!(format!("{sum:?}"), "[4, 2000000000000000.2999999998]");
}

/// Money moves between two rows, both in one unit; a query of both rows finds all of it.
pub(super) async fn tallies_of_one_question_see_one_moment(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = &Tenant::entity(entity);
    let row =
        |id: &str, amount: i64| Sample { amount: Some(amount.into()), ..Sample::new(entity, id) };
    let (full, empty) =
        ([row("smp_1", 100), row("smp_2", 0)], [row("smp_1", 0), row("smp_2", 100)]);
    insert(store, full.iter().map(Put::insert).collect()).await;

    let moves = async {
        for n in 0..30 {
            let (from, to) = if n % 2 == 0 { (&full, &empty) } else { (&empty, &full) };
            let puts = from.iter().zip(to).map(|(from, to)| Put::update(from, to));
            insert(store, puts.collect()).await;
        }
        None
    };
    let of = |id: &str| sum_of_amounts().only("id", Operator::Equals(id.into()));
    let questions = [of("smp_1"), of("smp_2")];
    let looks = async {
        for _ in 0..30 {
            let answers = store.tallies(tenant, &questions).await.expect("the store answers");
            let sums = answers.iter().flatten().map(|group| &group.figures[1]);
            let sum: Decimal = sums.sum();
            if sum != Decimal::from(100) {
                return Some(sum);
            }
        }
        None
    };
    let both: [std::pin::Pin<Box<dyn Future<Output = Option<Decimal>> + '_>>; 2] =
        [Box::pin(moves), Box::pin(looks)];
    for wrong in join_all(both).await {
        assert_eq!(wrong, None, "what two rows held at one moment");
    }
}
