//! What the list language means, in plain Rust: the reference that every store is tested against.

use std::cmp::Ordering;

use racun_kernel::text::fold;

use crate::{Clause, Direction, ListQuery, Operator, Page, Record, Value, json_length};

/// The page that `query` asks for, out of `all` the records of one tenant and table.
#[must_use]
pub fn evaluate<A: Record>(all: &[A], query: &ListQuery) -> Page<A> {
    let mut rows: Vec<(Vec<Value>, &A)> = all
        .iter()
        .map(|row| (row.values(), row))
        .filter(|(v, row)| matches(query, v, *row))
        .collect();
    rows.sort_by(|(a, row_a), (b, row_b)| {
        place_order(query, &keys(query, a), &row_a.id(), &keys(query, b), &row_b.id())
    });
    let total = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    if query.direction() == Direction::Previous {
        rows.reverse();
    }
    let found = rows.into_iter().filter(|(values, row)| beyond_cursor(query, values, &row.id()));
    let mut found: Vec<A> = found.take(query.limit + 1).map(|(_, row)| row.clone()).collect();
    let fit = fitting(&found, query);
    let is_cut = fit < found.len();
    found.truncate(fit);
    query.page_of(found, is_cut, total)
}

/// How many of the rows a page has room for, by their length.
fn fitting<A: Record>(found: &[A], query: &ListQuery) -> usize {
    let ends = found.iter().scan(0, |bytes, row| {
        *bytes += json_length(row);
        Some(*bytes)
    });
    ends.take_while(|end| *end <= query.page_bytes()).count().max(found.len().min(1))
}

fn keys(query: &ListQuery, values: &[Value]) -> Vec<Value> {
    query
        .order
        .iter()
        .map(|order| values.get(order.place).cloned().unwrap_or(Value::Null))
        .collect()
}

/// The order of two places in the list: by the ordered fields, then by id.
fn place_order(query: &ListQuery, a: &[Value], a_id: &str, b: &[Value], b_id: &str) -> Ordering {
    let directed =
        |ordering: Ordering, descending| if descending { ordering.reverse() } else { ordering };
    let by_fields = query.order.iter().zip(a.iter().zip(b));
    let first_difference = by_fields
        .map(|(order, (a, b))| directed(a.order(b), order.descending))
        .find(|ordering| ordering.is_ne());
    let ids_descending = query.order.first().is_some_and(|order| order.descending);
    first_difference.unwrap_or_else(|| directed(a_id.cmp(b_id), ids_descending))
}

fn beyond_cursor(query: &ListQuery, values: &[Value], id: &str) -> bool {
    let Some(cursor) = &query.cursor else { return true };
    let ordering = place_order(query, &keys(query, values), id, &cursor.keys, &cursor.id);
    match cursor.direction {
        Direction::Next => ordering.is_gt(),
        Direction::Previous => ordering.is_lt(),
    }
}

fn matches<A: Record>(query: &ListQuery, values: &[Value], row: &A) -> bool {
    row.is_trashed() == query.trash
        && query.search.as_ref().is_none_or(|text| row.search_text(values).contains(text))
        && query.clauses.iter().all(|clause| holds(clause, values.get(clause.place)))
}

pub(crate) fn holds(clause: &Clause, value: Option<&Value>) -> bool {
    let value = value.unwrap_or(&Value::Null);
    match (&clause.key, value) {
        (Some(key), Value::Map(map)) => {
            compare(&clause.operator, &map.get(key).map_or(Value::Null, Value::from))
        }
        (Some(_), _) => compare(&clause.operator, &Value::Null),
        (None, value) => compare(&clause.operator, value),
    }
}

pub(crate) fn compare(operator: &Operator, value: &Value) -> bool {
    let is_null = *value == Value::Null;
    let against = |bound: &Value| (!is_null).then(|| value.order(bound));
    let text = |test: &dyn Fn(&str) -> bool| value.as_text().is_some_and(|text| test(&text));
    let list = match value {
        Value::List(list) => list.as_slice(),
        _ => &[],
    };
    match operator {
        Operator::Equals(other) => value == other,
        Operator::Not(other) => value != other,
        Operator::Gt(bound) => against(bound).is_some_and(Ordering::is_gt),
        Operator::Gte(bound) => against(bound).is_some_and(Ordering::is_ge),
        Operator::Lt(bound) => against(bound).is_some_and(Ordering::is_lt),
        Operator::Lte(bound) => against(bound).is_some_and(Ordering::is_le),
        Operator::NotBefore(bound) => against(bound).is_none_or(Ordering::is_ge),
        Operator::Between(min, max) => {
            against(min).is_some_and(Ordering::is_ge) && against(max).is_some_and(Ordering::is_le)
        }
        Operator::In(values) => values.contains(value),
        Operator::NotIn(values) => !values.contains(value),
        Operator::Contains(part) => text(&|text| fold(text).contains(part)),
        Operator::StartsWith(part) => text(&|text| text.starts_with(part)),
        Operator::EndsWith(part) => text(&|text| text.ends_with(part)),
        Operator::HasAll(wanted) => wanted.iter().all(|text| list.contains(text)),
        Operator::HasAny(wanted) => wanted.iter().any(|text| list.contains(text)),
        Operator::HasNone(wanted) => !wanted.iter().any(|text| list.contains(text)),
    }
}
