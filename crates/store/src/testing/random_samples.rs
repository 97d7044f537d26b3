//! Records and queries out of small alphabets, so that they meet often.

use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Metadata};
use serde_json::{Map, Value as Json, json};
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

use super::random::Random;
use super::sample::{SAMPLES, Sample, SampleCustomer, SamplePart, SamplePrice};
use crate::{Field, FieldKind, RawQuery, Record, Value};

/// What breaks comparisons: capitals beyond ASCII, characters whose small form is another number of
/// characters or bytes, accents, strokes and ligatures, the sigmas, wildcards, quotes, JSON inside
/// text, and nothing.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "A",
    "ab",
    "b",
    "ž",
    "Ž",
    "žar",
    "ŽAR",
    "Žarko ab",
    "zar",
    "Đak",
    "dak",
    "Łódź",
    "Æ",
    "ae",
    "z\u{30c}ar",
    "ß",
    "ẞ",
    "SS",
    "straße",
    "Σ",
    "σ",
    "ς",
    "ΟΔΟΣ",
    "οδος",
    "%",
    "_",
    "a%",
    "a_b",
    "\\",
    "a\\b",
    "\\%",
    "\"",
    "'",
    "a'b",
    "\"a\"",
    "İ",
    "i",
    "I",
    "ı",
    "ǅ",
    "ǆ",
    "e\u{301}",
    "é",
    "ﬀ",
    "😀",
    "😀a",
    "\t",
    "\n",
    "\u{1f}",
    "\u{7f}",
    "\u{ffff}",
    "null",
    "true",
    "1",
    "10",
    "9",
    "-1",
    "{\"a\":1}",
    "[1]",
    "$.a",
    "a.b",
    "2026-11-20",
    "--",
    "?",
    "?1",
    ":a",
];

/// Keys of maps, few enough to be there when they are asked for.
const KEYS: &[&str] = &["order_id", "Order_id", "a.b", "", "ž", "\"", "\\", "$"];

/// Elements of lists and values of maps.
const TAGS: &[&str] = &["", "a", "A", "ž", "Ž", "%", "\"", "a.b"];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "1.5",
    "-1.5",
    "9",
    "10",
    "-9",
    "-10",
    "99.99",
    "100",
    "-100",
    "0.1",
    "0.01",
    "12.50",
    "12.5",
    "-0.0000000001",
    "0.0000000001",
    "0.0000000002",
    "140737488355327.99",
    "-140737488355328",
    "999999999999999.9999999999",
    "-999999999999999.9999999999",
    "1e3",
];

const DATES: &[Date] = &[
    date!(0001 - 01 - 01),
    date!(1999 - 12 - 31),
    date!(2026 - 11 - 19),
    date!(2026 - 11 - 20),
    date!(2026 - 12 - 01),
    date!(9999 - 12 - 31),
];

const INSTANTS: &[OffsetDateTime] = &[
    datetime!(0001-01-01 0:00 UTC),
    datetime!(1969-12-31 23:59:59.999 UTC),
    datetime!(1970-01-01 0:00 UTC),
    datetime!(2026-11-20 0:00 UTC),
    datetime!(2026-11-20 8:30 UTC),
    datetime!(2026-11-20 8:30:00.001 UTC),
    datetime!(2026-11-20 8:31 UTC),
    datetime!(9999-12-31 23:59:59.999 UTC),
];

const LIMITS: &[&str] = &["1", "2", "3", "5", "7", "10", "29", "30", "100"];

pub(super) fn random_text(random: &mut Random) -> String {
    random.pick(TEXTS).to_owned()
}

/// Now and then longer than an entry of an index may be, of letters that cannot be compressed.
fn random_note(random: &mut Random) -> String {
    if !random.chance(2) {
        return random_text(random);
    }
    (0..1_000).map(|_| format!("{:09x}", random.below(1 << 36))).collect()
}

fn random_number(random: &mut Random) -> Decimal {
    random.pick(NUMBERS).parse().expect("a decimal")
}

fn random_metadata(random: &mut Random) -> Metadata {
    let entries = (0..random.below(6)).map(|_| (random.pick(KEYS), random.pick(TAGS)));
    let entries = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Metadata::new(entries.collect()).expect("within the limits")
}

/// Up to four elements, often one of them twice.
fn random_tags(random: &mut Random) -> Vec<String> {
    let mut tags: Vec<String> =
        (0..random.below(4)).map(|_| random.pick(TAGS).to_owned()).collect();
    if random.chance(40) {
        tags.extend(tags.first().cloned());
    }
    tags
}

/// Up to three elements, few enough labels to be equal often.
fn random_parts(random: &mut Random) -> Vec<SamplePart> {
    let part = |random: &mut Random| SamplePart {
        label: random.maybe(|random| random.pick(TAGS).to_owned()),
        price: SamplePrice { amount: random.maybe(random_number) },
    };
    (0..random.below(4)).map(|_| part(random)).collect()
}

/// A record whose fields are null, or equal to others', in a good part of all cases.
pub(super) fn random_sample(random: &mut Random, entity: EntityId, id: &str) -> Sample {
    let unique = random.chance(30);
    let trashed = random.chance(20);
    Sample {
        created_at: random.pick(INSTANTS),
        deleted_at: trashed.then(|| random.pick(INSTANTS)),
        name: random.maybe(random_text),
        code: unique.then(|| format!("{}{id}", random.pick(TEXTS))),
        handle: unique.then(|| format!("{entity} {id}")),
        group: random.maybe(random_text),
        amount: random.maybe(random_number),
        active: random.maybe(|random| random.chance(50)),
        day: random.maybe(|random| random.pick(DATES)),
        seen_at: random.maybe(|random| random.pick(INSTANTS)),
        metadata: random.maybe(random_metadata),
        tags: random.maybe(random_tags),
        customer: random.maybe(|random| SampleCustomer { name: random.maybe(random_text) }),
        note: random.maybe(random_note),
        parts: random.maybe(random_parts),
        ..Sample::new(entity, id)
    }
}

/// The parameters of a list that is understood: any filter, order, search, trash and page size.
pub(super) fn random_query(random: &mut Random, rows: &[Sample]) -> RawQuery {
    let conditions = if random.chance(30) { 0 } else { 1 + random.below(3) };
    let filter: Map<String, Json> =
        (0..conditions).map(|_| random_condition(random, rows)).collect();
    let order_by: Vec<String> = (0..random.below(4)).map(|_| random_order(random)).collect();
    RawQuery {
        limit: random.maybe(|random| random.pick(LIMITS).to_owned()),
        include_total_count: random.maybe(|random| (!random.chance(30)).to_string()),
        order_by: if random.chance(50) { order_by } else { vec![order_by.join(",")] },
        query: (!filter.is_empty()).then(|| Json::Object(filter).to_string()),
        search: random.chance(20).then(|| random_part(random)),
        deleted: random.maybe(|random| random.chance(30).to_string()),
        ..RawQuery::default()
    }
}

fn random_order(random: &mut Random) -> String {
    let orderable =
        |field: &&Field| field.public && !matches!(field.kind, FieldKind::Map | FieldKind::List);
    let fields: Vec<&Field> = SAMPLES.fields.iter().filter(orderable).collect();
    let sign = if random.chance(50) { "-" } else { "" };
    format!("{sign}{}", random.pick(&fields).name)
}

/// What a condition is on: a field, or a key of a map.
struct Target {
    field: &'static Field,
    key: Option<&'static str>,
}

impl Target {
    /// The kind of value that its operators see.
    fn kind(&self) -> FieldKind {
        if self.key.is_some() { FieldKind::Text } else { self.field.kind }
    }

    /// What `row` has there.
    fn value(&self, row: &Sample) -> Value {
        match (self.key, row.value(self.field.name)) {
            (Some(key), Value::Map(map)) => map.get(key).map_or(Value::Null, Value::from),
            (Some(_), _) => Value::Null,
            (None, value) => value,
        }
    }
}

/// One property of a filter.
fn random_condition(random: &mut Random, rows: &[Sample]) -> (String, Json) {
    let fields: Vec<&'static Field> = SAMPLES.fields.iter().filter(|field| field.public).collect();
    let field = random.pick(&fields);
    let key = (field.kind == FieldKind::Map).then(|| random.pick(KEYS));
    let target = Target { field, key };
    let operators = random_operators(random, &target, rows);
    match key {
        None => (field.name.to_owned(), operators),
        Some(key) if random.chance(50) => (format!("{}.{key}", field.name), operators),
        Some(key) => (field.name.to_owned(), json!({ key: operators })),
    }
}

/// A value to be equal to, or an object of one or two operators.
fn random_operators(random: &mut Random, target: &Target, rows: &[Sample]) -> Json {
    if target.kind() == FieldKind::List {
        return random_list_operators(random);
    }
    if random.chance(15) {
        return random_value(random, target, rows);
    }
    let names: &[&str] = &[
        "equals",
        "not",
        "gt",
        "gte",
        "lt",
        "lte",
        "in",
        "notIn",
        "between",
        "contains",
        "startsWith",
        "endsWith",
    ];
    let usable = if target.kind() == FieldKind::Text { names } else { &names[..9] };
    let mut operators = Map::new();
    for _ in 0..=random.below(2) {
        let name = random.pick(usable);
        operators.insert(name.to_owned(), random_operand(random, name, target, rows));
    }
    Json::Object(operators)
}

fn random_operand(random: &mut Random, name: &str, target: &Target, rows: &[Sample]) -> Json {
    match name {
        "in" | "notIn" => {
            (0..random.below(5)).map(|_| random_value(random, target, rows)).collect()
        }
        "between" => json!([some_value(random, target), some_value(random, target)]),
        "gt" | "gte" | "lt" | "lte" => some_value(random, target),
        "contains" | "startsWith" | "endsWith" => Json::String(random_part(random)),
        _ => random_value(random, target, rows),
    }
}

fn random_list_operators(random: &mut Random) -> Json {
    let name = random.pick(&["equals", "contains", "in", "not", "notIn", "gt", "startsWith"]);
    match random.below(4) {
        0 => json!(random.pick(TAGS)),
        1 => json!({ name: random.pick(TAGS) }),
        _ => json!({ name: random_tags(random) }),
    }
}

/// Null, the value of some row, or any value.
fn random_value(random: &mut Random, target: &Target, rows: &[Sample]) -> Json {
    if random.chance(15) {
        return Json::Null;
    }
    let row = &rows[random.below(rows.len())];
    if random.chance(50) { as_json(&target.value(row)) } else { some_value(random, target) }
}

/// Any value but null.
fn some_value(random: &mut Random, target: &Target) -> Json {
    as_json(&match target.kind() {
        FieldKind::Text | FieldKind::Map | FieldKind::List => random_text(random).into(),
        FieldKind::Number => Value::Number(random_number(random)),
        FieldKind::Bool => random.chance(50).into(),
        FieldKind::Date => random.pick(DATES).into(),
        FieldKind::Instant => random.pick(INSTANTS).into(),
    })
}

fn as_json(value: &Value) -> Json {
    match value {
        Value::Null | Value::Map(_) | Value::List(_) => Json::Null,
        Value::Text(text) => json!(text),
        Value::Number(number) => json!(number),
        Value::Bool(value) => json!(value),
        Value::Date(date) => json!(format_date(*date)),
        Value::Instant(instant) => json!(format_instant(*instant)),
    }
}

/// A piece of one of the texts: from one character on, up to another.
fn random_part(random: &mut Random) -> String {
    let characters: Vec<char> = random.pick(TEXTS).chars().collect();
    let start = random.below(characters.len() + 1);
    let end = start + random.below(characters.len() - start + 1);
    characters[start..end].iter().collect()
}
