//! The list language as SQL, meaning exactly what `racun_store::evaluate` means.
//!
//! Conditions are only ever joined by AND at the top, where SQL's unknown counts as false.

use racun_store::{
    Clause, Direction, Field, FieldKind, ListQuery, Operator, Order, Source, State, Table, Value,
};

use crate::listing;
use crate::schema::{CREATED_AT, column_type, expression};
use crate::statement::{Bind, Statement};

/// The placeholder of `value`, which a field of `kind` is compared with.
pub(crate) fn bound(statement: &mut Statement, kind: FieldKind, value: &Value) -> String {
    let placeholder = statement.value(single(value));
    match kind {
        FieldKind::Number => format!("{placeholder}::numeric"),
        FieldKind::Map => format!("{placeholder}::jsonb"),
        FieldKind::List => format!("{placeholder}::text[]"),
        _ => placeholder,
    }
}

/// `value` alone; numbers, maps and lists as the text that PostgreSQL reads.
fn single(value: &Value) -> Bind {
    match value {
        Value::Null => Bind::Text(None),
        Value::Bool(value) => Bind::Bool(Some(*value)),
        Value::Date(date) => Bind::Date(Some(*date)),
        Value::Instant(instant) => Bind::Instant(Some(*instant)),
        value => Bind::Text(text_form(value)),
    }
}

/// A number, map, list or text as the text that PostgreSQL reads into its type.
fn text_form(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Map(map) => serde_json::to_string(map).ok(),
        Value::List(texts) => Some(array_literal(texts)),
        Value::Null | Value::Bool(_) | Value::Date(_) | Value::Instant(_) => None,
    }
}

fn array_literal(texts: &[String]) -> String {
    let quoted = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", texts.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// The value of a column of `kind`, in the type in which those of such columns travel: the same for
/// none.
pub(crate) fn cell(kind: FieldKind, value: &Value) -> Bind {
    match kind {
        FieldKind::Bool => {
            Bind::Bool(if let Value::Bool(value) = value { Some(*value) } else { None })
        }
        FieldKind::Date => {
            Bind::Date(if let Value::Date(date) = value { Some(*date) } else { None })
        }
        FieldKind::Instant => {
            Bind::Instant(if let Value::Instant(at) = value { Some(*at) } else { None })
        }
        FieldKind::Text | FieldKind::Number | FieldKind::Map | FieldKind::List => {
            Bind::Text(text_form(value))
        }
    }
}

/// `values` of one column as an array, of the type that `array_type` names.
pub(crate) fn array<'a>(kind: FieldKind, values: impl Iterator<Item = &'a Value>) -> Bind {
    match kind {
        FieldKind::Bool => Bind::Bools(
            values
                .map(|value| if let Value::Bool(value) = value { Some(*value) } else { None })
                .collect(),
        ),
        FieldKind::Date => Bind::Dates(
            values
                .map(|value| if let Value::Date(date) = value { Some(*date) } else { None })
                .collect(),
        ),
        FieldKind::Instant => Bind::Instants(
            values
                .map(|value| if let Value::Instant(at) = value { Some(*at) } else { None })
                .collect(),
        ),
        FieldKind::Text | FieldKind::Number | FieldKind::Map | FieldKind::List => {
            Bind::Texts(values.map(text_form).collect())
        }
    }
}

/// The condition that the rows of `query` fulfil, its cursor aside.
pub(crate) fn condition(
    statement: &mut Statement,
    table: &Table,
    tenant: &str,
    query: &ListQuery,
) -> String {
    let mut all = vec![format!("tenant = {}", statement.value(tenant))];
    // An index of the rows outside the trash looks small where there are no statistics yet. It is
    // hidden from the planner where another one finds the rows.
    let is_found = |clause: &Clause| clause.field.indexed && !listing::is_ordered(clause.field);
    let hidden = if query.clauses.iter().any(is_found) { " IS TRUE" } else { "" };
    all.push(match (table.field("deleted_at"), query.trash) {
        (Some((_, field)), true) => format!("{} IS NOT NULL", expression(field)),
        (Some((_, field)), false) => format!("({} IS NULL){hidden}", expression(field)),
        (None, trash) => (!trash).to_string(),
    });
    if let Some(text) = &query.search {
        all.push(format!("strpos(search, {}) > 0", statement.value(text.as_str())));
    }
    all.extend(query.clauses.iter().map(|clause| clause_sql(statement, clause)));
    all.join(" AND ")
}

fn clause_sql(statement: &mut Statement, clause: &Clause) -> String {
    let field = expression(clause.field);
    let Some(key) = &clause.key else {
        let holds = operator(statement, &field, clause.field.kind, &clause.operator);
        // What a searched field contains is in the text of the row, which is folded already.
        return match &clause.operator {
            Operator::Contains(part) if clause.field.search => {
                format!("strpos(search, {}) > 0 AND {holds}", statement.value(part.as_str()))
            }
            _ => holds,
        };
    };
    if clause.field.kind != FieldKind::Map {
        return operator(statement, "NULL::text", FieldKind::Text, &clause.operator);
    }
    let key = statement.value(key.as_str());
    let property = format!(r#"({field} ->> {key}) COLLATE "C""#);
    operator(statement, &property, FieldKind::Text, &clause.operator)
}

/// Whether it is one value, and not null.
fn is_one_text(values: &[Value]) -> bool {
    matches!(values, [value] if *value != Value::Null)
}

/// The condition that `field`, of `kind`, is as `operator` says.
pub(crate) fn operator(
    statement: &mut Statement,
    field: &str,
    kind: FieldKind,
    operator: &Operator,
) -> String {
    let mut compare =
        |sign: &str, value: &Value| format!("{field} {sign} {}", bound(statement, kind, value));
    match operator {
        Operator::Equals(Value::Null) => format!("{field} IS NULL"),
        Operator::Equals(value) => compare("=", value),
        Operator::Not(Value::Null) => format!("{field} IS NOT NULL"),
        Operator::Not(value) => compare("IS DISTINCT FROM", value),
        Operator::Gt(value) => compare(">", value),
        Operator::Gte(value) => compare(">=", value),
        Operator::Lt(value) => compare("<", value),
        Operator::Lte(value) => compare("<=", value),
        Operator::NotBefore(value) => format!("({}) IS NOT TRUE", compare("<", value)),
        Operator::Between(min, max) => {
            format!("{} AND {}", compare(">=", min), compare("<=", max))
        }
        Operator::In(values) if kind == FieldKind::Text && is_one_text(values) => {
            compare("=", &values[0])
        }
        Operator::In(values) => {
            let (nulls, list) = list(statement, kind, values);
            let or_null = if nulls { format!("OR {field} IS NULL") } else { String::new() };
            format!("({field} = ANY ({list}) {or_null})")
        }
        Operator::NotIn(values) => {
            let (nulls, list) = list(statement, kind, values);
            let null = if nulls { "AND {} IS NOT NULL" } else { "OR {} IS NULL" };
            format!("({field} <> ALL ({list}) {})", null.replace("{}", field))
        }
        Operator::Contains(part) => {
            let part = statement.value(part.as_str());
            format!("strpos(racun_bare({}), {part}) > 0", text(field, kind))
        }
        Operator::StartsWith(part) => {
            format!("starts_with({}, {})", text(field, kind), statement.value(part.as_str()))
        }
        Operator::EndsWith(part) => {
            let part = statement.value(part.as_str());
            format!("right({}, length({part})) = {part}", text(field, kind))
        }
        Operator::HasAll(texts) => elements(statement, field, kind, "@>", texts),
        Operator::HasAny(texts) => elements(statement, field, kind, "&&", texts),
        Operator::HasNone(texts) => {
            format!("NOT ({})", elements(statement, field, kind, "&&", texts))
        }
    }
}

/// Whether null is among `values`, and the others as an array.
fn list(statement: &mut Statement, kind: FieldKind, values: &[Value]) -> (bool, String) {
    let others = values.iter().filter(|value| **value != Value::Null);
    let placeholder = statement.value(array(kind, others));
    (values.contains(&Value::Null), format!("{placeholder}::{}[]", column_type(kind)))
}

fn elements(
    statement: &mut Statement,
    field: &str,
    kind: FieldKind,
    sign: &str,
    texts: &[String],
) -> String {
    let texts = statement.value(texts.iter().collect::<Bind>());
    let field = if kind == FieldKind::List { field } else { "NULL::text[]" };
    format!("COALESCE({field}, '{{}}') {sign} {texts}")
}

/// `field` as [`Value::as_text`] has it.
fn text(field: &str, kind: FieldKind) -> String {
    match kind {
        FieldKind::Text => field.to_owned(),
        FieldKind::Number => format!("trim_scale({field})::text"),
        FieldKind::Bool => format!("({field})::text"),
        FieldKind::Date => format!("to_char({field}, 'YYYY-MM-DD')"),
        FieldKind::Instant => {
            format!(r#"to_char({field} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#)
        }
        FieldKind::Map | FieldKind::List => "NULL::text".to_owned(),
    }
}

/// One expression that a walk is ordered by.
struct Key<'a> {
    field: String,
    kind: FieldKind,
    descending: bool,
    nullable: bool,
    /// Its value at the cursor.
    at: Option<&'a Value>,
}

/// The keys of the walk, in its direction, the id last. Nothing comes behind an id, and outside the
/// trash nothing has a time when it came there.
fn keys<'a>(query: &'a ListQuery, id: Option<&'a Value>) -> Vec<Key<'a>> {
    let backwards = query.direction() == Direction::Previous;
    let cursor = query.cursor.as_ref();
    let tells = |order: &Order| query.trash || order.field.name != "deleted_at";
    let mut keys: Vec<Key<'a>> = query
        .order
        .iter()
        .enumerate()
        .take_while(|(_, order)| order.field.source != Source::Id)
        .filter(|(_, order)| tells(order))
        .map(|(n, order)| Key {
            field: expression(order.field),
            kind: order.field.kind,
            descending: order.descending != backwards,
            nullable: order.field.source != Source::Column(CREATED_AT),
            at: cursor.and_then(|cursor| cursor.keys.get(n)),
        })
        .collect();
    let by_id = query.order.iter().find(|order| order.field.source == Source::Id);
    let descending = by_id.or(query.order.first()).is_some_and(|order| order.descending);
    let field = "id".to_owned();
    let descending = descending != backwards;
    keys.push(Key { field, kind: FieldKind::Text, descending, nullable: false, at: id });
    keys
}

/// The columns that a walk is ordered by; nothing when it looks into bodies for that.
pub(crate) fn order_columns(query: &ListQuery) -> Option<Vec<String>> {
    let is_column = |field: &Field| !matches!(field.source, Source::Body(_)) || field.is_listed();
    let fields = || query.order.iter().map(|order| order.field);
    let mut columns: Vec<String> = fields().map(expression).chain(["id".to_owned()]).collect();
    columns.sort();
    columns.dedup();
    fields().all(is_column).then_some(columns)
}

/// Whether nothing but a look at the text of every row finds what `query` asks for.
pub(crate) fn reads_texts(query: &ListQuery) -> bool {
    let is_inside =
        |clause: &Clause| matches!(clause.operator, Operator::Contains(_) | Operator::EndsWith(_));
    query.search.is_some() || query.clauses.iter().any(is_inside)
}

/// Whether an index has the default order among the rows of the one state that `query` asks for:
/// whatever it asks beside that, its page is found there.
pub(crate) fn has_state_index(query: &ListQuery) -> bool {
    let leads = |clause: &Clause| {
        clause.field.state == State::Leads && matches!(clause.operator, Operator::Equals(_))
    };
    let [order] = &query.order[..] else { return false };
    let is_default = order.field.source == Source::Column(CREATED_AT);
    is_default && !query.trash && query.clauses.iter().any(leads)
}

/// The state that alone `query` asks for, and whether it is to be true.
pub(crate) fn one_state(query: &ListQuery) -> Option<(&'static Field, bool)> {
    let ([clause], None, false) = (&query.clauses[..], &query.search, query.trash) else {
        return None;
    };
    match (&clause.operator, clause.field.state) {
        (Operator::Equals(Value::Bool(value)), State::Leads) => Some((clause.field, *value)),
        _ => None,
    }
}

/// What a walk is ordered by first; nothing when that is the id.
pub(crate) fn leading(query: &ListQuery) -> Option<&'static Field> {
    let tells = |order: &&Order| query.trash || order.field.name != "deleted_at";
    let first = query.order.iter().find(tells).map(|order| order.field);
    first.filter(|field| field.source != Source::Id)
}

/// A part of the walk: rows that are found by `condition`, in `order`.
pub(crate) struct Stretch {
    pub(crate) condition: Option<String>,
    /// What follows ORDER BY.
    pub(crate) order: String,
}

/// The parts of the walk of `query` from its cursor on, one behind the other.
///
/// Nulls lie at one end of an order, so that a cursor can leave two parts: the rest of the values
/// and all nulls, or the reverse. Each is a range of an index, which "less, or null" in one
/// condition is not. `is_apart` says that the index of the first field holds no nulls: they are
/// always a part of their own.
pub(crate) fn stretches(
    statement: &mut Statement,
    query: &ListQuery,
    is_apart: bool,
) -> Vec<Stretch> {
    let id = query.cursor.as_ref().map(|cursor| Value::Text(cursor.id.clone()));
    let keys = keys(query, id.as_ref());
    let (first, rest) = keys.split_first().expect("the id is a key");
    let field = &first.field;
    let (by_all, by_rest) = (order(&keys), if is_apart { order(rest) } else { order(&keys) });
    let values = |condition| Stretch { condition: Some(condition), order: by_all.clone() };
    let nulls = |condition: String| {
        let condition = Some(format!("{field} IS NULL{condition}"));
        Stretch { condition, order: by_rest.clone() }
    };
    let all_values = || values(format!("{field} IS NOT NULL"));
    if query.cursor.is_none() {
        return match (is_apart, first.descending) {
            (false, _) => vec![Stretch { condition: None, order: by_all }],
            (true, true) => vec![all_values(), nulls(String::new())],
            (true, false) => vec![nulls(String::new()), all_values()],
        };
    }
    match first.at {
        None | Some(Value::Null) => {
            let later = later(statement, rest);
            let mut all = vec![nulls(format!(" AND {later}"))];
            all.extend((!first.descending).then(all_values));
            all
        }
        Some(key) => {
            let not_null =
                if is_apart { format!("{field} IS NOT NULL AND ") } else { String::new() };
            let beyond = beyond(statement, first, key, rest);
            let mut all = vec![values(format!("{not_null}{beyond}"))];
            all.extend((first.descending && first.nullable).then(|| nulls(String::new())));
            all
        }
    }
}

fn order(keys: &[Key<'_>]) -> String {
    // The primary key, which has the order of ids, was declared without a place for nulls.
    if let [id] = keys {
        return format!("{} {}", id.field, if id.descending { "DESC" } else { "ASC" });
    }
    let walk = |key: &Key<'_>| {
        let way = if key.descending { "DESC NULLS LAST" } else { "ASC NULLS FIRST" };
        format!("{} {way}", key.field)
    };
    keys.iter().map(walk).collect::<Vec<_>>().join(", ")
}

/// Beyond the place whose first value is `key`, among the rows that have a first value.
fn beyond(statement: &mut Statement, first: &Key<'_>, key: &Value, rest: &[Key<'_>]) -> String {
    let sign = if first.descending { "<" } else { ">" };
    let (field, value) = (&first.field, bound(statement, first.kind, key));
    match rest {
        // The field is the id, of which there is no other.
        [] => format!("{field} {sign} {value}"),
        // PostgreSQL starts an index scan at a row like this one, and nowhere before it.
        [id] if id.descending == first.descending => {
            let id_value = bound(statement, id.kind, id.at.unwrap_or(&Value::Null));
            format!("({field}, {}) {sign} ({value}, {id_value})", id.field)
        }
        rest => {
            let later = later(statement, rest);
            format!(
                "{field} {sign}= {value} AND ({field} {sign} {value} OR ({field} = {value} AND \
                 {later}))"
            )
        }
    }
}

/// The condition that a row comes behind the cursor by `keys`.
fn later(statement: &mut Statement, keys: &[Key<'_>]) -> String {
    let mut alternatives = Vec::new();
    let mut equal = String::new();
    for key in keys {
        let at = key.at.unwrap_or(&Value::Null);
        let value = (*at != Value::Null).then(|| bound(statement, key.kind, at));
        alternatives.push(format!("({equal}{})", key.behind(value.as_deref())));
        equal = match value {
            Some(value) => format!("{equal}{} = {value} AND ", key.field),
            None => format!("{equal}{} IS NULL AND ", key.field),
        };
    }
    format!("({})", alternatives.join(" OR "))
}

impl Key<'_> {
    /// The condition that this key alone is behind `value`; `None` is null, which stands first
    /// ascending and last descending.
    fn behind(&self, value: Option<&str>) -> String {
        let field = &self.field;
        match (value, self.descending) {
            (None, false) => format!("{field} IS NOT NULL"),
            (None, true) => "false".to_owned(),
            (Some(value), false) => format!("{field} > {value}"),
            (Some(value), true) if self.nullable => {
                format!("({field} < {value} OR {field} IS NULL)")
            }
            (Some(value), true) => format!("{field} < {value}"),
        }
    }
}
