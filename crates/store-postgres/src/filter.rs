//! The list language as SQL, meaning exactly what `racun_kernel::evaluate` means.
//!
//! Conditions are only ever joined by AND at the top, where SQL's unknown counts as false.

use racun_kernel::{
    Clause, Cursor, Direction, FieldKind, ListQuery, Operator, Source, Table, Value,
};

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

/// The value of a column of `kind`, in the type in which those of such columns travel: the same for none.
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
    all.push(match (table.field("deleted_at"), query.trash) {
        (Some((_, field)), true) => format!("{} IS NOT NULL", expression(field)),
        (Some((_, field)), false) => format!("{} IS NULL", expression(field)),
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
        return operator(statement, &field, clause.field.kind, &clause.operator);
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

fn operator(
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
            format!("strpos(racun_fold({}), {part}) > 0", text(field, kind))
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

/// The keys of the walk, in its direction, the id last.
fn keys<'a>(query: &'a ListQuery, id: Option<&'a Value>) -> Vec<Key<'a>> {
    let backwards = query.direction() == Direction::Previous;
    let cursor = query.cursor.as_ref();
    let mut keys: Vec<Key<'a>> = query
        .order
        .iter()
        .enumerate()
        .map(|(n, order)| Key {
            field: expression(order.field),
            kind: order.field.kind,
            descending: order.descending != backwards,
            nullable: !matches!(order.field.source, Source::Id | Source::Column(CREATED_AT)),
            at: cursor.and_then(|cursor| cursor.keys.get(n)),
        })
        .collect();
    let descending = query.order.first().is_some_and(|order| order.descending) != backwards;
    let field = "id".to_owned();
    keys.push(Key { field, kind: FieldKind::Text, descending, nullable: false, at: id });
    keys
}

/// What follows ORDER BY.
pub(crate) fn order(query: &ListQuery) -> String {
    let walk = |key: Key<'_>| {
        let way = if key.descending { "DESC NULLS LAST" } else { "ASC NULLS FIRST" };
        format!("{} {way}", key.field)
    };
    keys(query, None).into_iter().map(walk).collect::<Vec<_>>().join(", ")
}

/// The condition that a row comes behind `cursor` in the walk of `query`.
pub(crate) fn behind(statement: &mut Statement, query: &ListQuery, cursor: &Cursor) -> String {
    let id = Value::Text(cursor.id.clone());
    let keys = keys(query, Some(&id));
    let one_way = keys.iter().all(|key| {
        !key.nullable && key.descending == keys[0].descending && key.at != Some(&Value::Null)
    });
    if one_way {
        // PostgreSQL starts an index scan at a row like this one, and nowhere before it.
        let fields: Vec<&str> = keys.iter().map(|key| key.field.as_str()).collect();
        let values: Vec<String> = keys
            .iter()
            .map(|key| bound(statement, key.kind, key.at.unwrap_or(&Value::Null)))
            .collect();
        let sign = if keys[0].descending { "<" } else { ">" };
        return format!("({}) {sign} ({})", fields.join(", "), values.join(", "));
    }
    let mut alternatives = Vec::new();
    let mut equal = String::new();
    for key in &keys {
        let at = key.at.unwrap_or(&Value::Null);
        let value = (*at != Value::Null).then(|| bound(statement, key.kind, at));
        alternatives.push(format!("({equal}{})", key.behind(value.as_deref())));
        equal = match value {
            Some(value) => format!("{equal}{} = {value} AND ", key.field),
            None => format!("{equal}{} IS NULL AND ", key.field),
        };
    }
    let anywhere = alternatives.join(" OR ");
    // A bound that an index understands, though it follows from the alternatives.
    let first = &keys[0];
    match first.at {
        Some(at) if !first.nullable && *at != Value::Null => {
            let sign = if first.descending { "<=" } else { ">=" };
            format!("{} {sign} {} AND ({anywhere})", first.field, bound(statement, first.kind, at))
        }
        _ => format!("({anywhere})"),
    }
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
