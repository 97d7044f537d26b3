//! `filter` and `where` of the earlier generation: JSON that chooses rows, their order, and
//! properties.

use std::cmp::Ordering;

use racun_kernel::Issue;
use serde_json::{Map, Value as Json};

use crate::error::ApiError;
use crate::request::{FILTER, Query};

/// Bytes that a filter may hold.
const MAX_BYTES: usize = 8 * 1024;
/// Nesting that a condition may have.
const MAX_DEPTH: usize = 16;

/// What a caller wants of a list.
#[derive(Debug, Default)]
pub struct Filter {
    /// What must hold of a row.
    condition: Option<Json>,
    /// Properties to order by, and whether the greatest comes first.
    order: Vec<(String, bool)>,
    limit: Option<usize>,
    skip: usize,
    /// Properties to answer, or not to.
    fields: Option<Fields>,
    /// Whether each row carries the organization that it is of.
    pub includes_organization: bool,
}

#[derive(Debug)]
enum Fields {
    Only(Vec<String>),
    Without(Vec<String>),
}

/// Properties of a row.
type Row = Map<String, Json>;

fn refuse(message: impl Into<String>) -> Issue {
    Issue::new("invalid_value", message)
}

impl Filter {
    /// The filter of a request: `filter` as JSON, or its `limit`, `skip` and `order` as
    /// `filter[limit]` and the like. `known` are the properties that rows have.
    ///
    /// # Errors
    /// What cannot be understood, by path.
    pub fn read(query: &Query, known: &[&str]) -> Result<Self, ApiError> {
        let mut filter = Self::default();
        if let Some(text) = query.one("filter")? {
            for (key, value) in &object(text).map_err(|issue| issue.at("filter"))? {
                let part = filter.take(key, value, known);
                part.map_err(|issue| issue.at(key.as_str()).at("filter"))?;
            }
        }
        for name in FILTER {
            if let Some(text) = query.one(name)? {
                let key = name.trim_start_matches("filter[").trim_end_matches(']');
                let value = serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
                filter.take(key, &value, known).map_err(|issue| issue.at(name))?;
            }
        }
        Ok(filter)
    }

    fn take(&mut self, key: &str, value: &Json, known: &[&str]) -> Result<(), Issue> {
        match key {
            "where" => {
                check_condition(value, known, 0)?;
                self.condition = Some(value.clone());
            }
            "limit" => self.limit = Some(count(value)?),
            "skip" | "offset" => self.skip = count(value)?,
            "order" => self.order = order(value, known)?,
            "fields" => self.fields = Some(fields(value, known)?),
            "include" => self.includes_organization = includes(value)?,
            _ => {
                return Err(refuse(
                    "there is no such part; there are where, order, limit, skip, fields, include",
                ));
            }
        }
        Ok(())
    }

    /// Those of `rows` that are asked for, in the order that is asked for, whole.
    pub fn choose(&self, mut rows: Vec<Row>) -> Vec<Row> {
        if let Some(condition) = &self.condition {
            rows.retain(|row| holds(condition, row));
        }
        rows.sort_by(|a, b| {
            let compared = self.order.iter().map(|(name, descending)| {
                let order = compare(value(a, name), value(b, name)).unwrap_or(Ordering::Equal);
                if *descending { order.reverse() } else { order }
            });
            compared.fold(Ordering::Equal, Ordering::then)
        });
        rows.into_iter().skip(self.skip).take(self.limit.unwrap_or(usize::MAX)).collect()
    }

    /// The properties of `row` that are asked for.
    pub fn narrow(&self, row: Row) -> Row {
        let stays = |name: &String| match &self.fields {
            None => true,
            Some(Fields::Only(only)) => only.contains(name) || name == "organization",
            Some(Fields::Without(without)) => !without.contains(name),
        };
        row.into_iter().filter(|(name, _)| stays(name)).collect()
    }
}

/// How many of `rows` meet the condition `where` of a request.
///
/// # Errors
/// What cannot be understood, by path.
pub fn count_where(query: &Query, known: &[&str], rows: &[Row]) -> Result<usize, ApiError> {
    let Some(text) = query.one("where")? else { return Ok(rows.len()) };
    let condition = object(text).map(Json::Object).and_then(|condition| {
        check_condition(&condition, known, 0)?;
        Ok(condition)
    });
    let condition = condition.map_err(|issue| issue.at("where"))?;
    Ok(rows.iter().filter(|row| holds(&condition, row)).count())
}

fn object(text: &str) -> Result<Row, Issue> {
    if text.len() > MAX_BYTES {
        return Err(Issue::new("too_long", format!("at most {MAX_BYTES} bytes")));
    }
    serde_json::from_str(text).map_err(|_| refuse("expected a JSON object, encoded as text"))
}

fn count(value: &Json) -> Result<usize, Issue> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| refuse("expected a whole number, 0 or greater"))
}

fn is_known(name: &str, known: &[&str]) -> Result<(), Issue> {
    if known.contains(&name) {
        return Ok(());
    }
    Err(refuse(format!("there is no such property; there are {}", known.join(", "))).at(name))
}

/// `"createdAt DESC"`, or an array of such texts.
fn order(value: &Json, known: &[&str]) -> Result<Vec<(String, bool)>, Issue> {
    let texts = match value {
        Json::String(text) => vec![text.as_str()],
        Json::Array(values) => values.iter().filter_map(Json::as_str).collect(),
        _ => return Err(refuse("expected a text such as createdAt DESC, or an array of them")),
    };
    let one = |text: &str| {
        let (name, way) = text.trim().split_once(' ').unwrap_or((text.trim(), "ASC"));
        is_known(name, known)?;
        match way.trim().to_ascii_uppercase().as_str() {
            "ASC" => Ok((name.to_owned(), false)),
            "DESC" => Ok((name.to_owned(), true)),
            _ => Err(refuse("expected ASC or DESC after the property")),
        }
    };
    texts.into_iter().map(one).collect()
}

/// `["id", "url"]`, `{"id": true}`, or `{"events": false}`.
fn fields(value: &Json, known: &[&str]) -> Result<Fields, Issue> {
    let names: Vec<(String, bool)> = match value {
        Json::String(name) => vec![(name.clone(), true)],
        Json::Array(names) => {
            names.iter().filter_map(Json::as_str).map(|name| (name.to_owned(), true)).collect()
        }
        Json::Object(names) => names
            .iter()
            .map(|(name, wanted)| (name.clone(), wanted.as_bool().unwrap_or(true)))
            .collect(),
        _ => return Err(refuse("expected an array of properties, or an object of true and false")),
    };
    for (name, _) in &names {
        is_known(name, known)?;
    }
    let (only, without): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, wanted)| *wanted);
    let names = |list: Vec<(String, bool)>| list.into_iter().map(|(name, _)| name).collect();
    Ok(if only.is_empty() { Fields::Without(names(without)) } else { Fields::Only(names(only)) })
}

/// `"organization"`, or an array of it, or of objects that name it as `relation`.
fn includes(value: &Json) -> Result<bool, Issue> {
    let is_organization = |value: &Json| {
        let named = value.get("relation").unwrap_or(value);
        named.as_str() == Some("organization")
    };
    let known = match value {
        Json::Array(values) => values.iter().all(is_organization),
        one => is_organization(one),
    };
    if known {
        Ok(value.as_array().is_none_or(|values| !values.is_empty()))
    } else {
        Err(refuse("there is one relation: organization"))
    }
}

fn check_condition(condition: &Json, known: &[&str], depth: usize) -> Result<(), Issue> {
    let Json::Object(parts) = condition else {
        return Err(refuse("expected an object of properties and what must hold of them"));
    };
    if depth > MAX_DEPTH {
        return Err(refuse(format!("conditions nest at most {MAX_DEPTH} levels deep")));
    }
    for (name, wanted) in parts {
        if name == "and" || name == "or" {
            let all =
                wanted.as_array().ok_or_else(|| refuse("expected an array").at(name.as_str()));
            for condition in all? {
                check_condition(condition, known, depth + 1)?;
            }
            continue;
        }
        is_known(name, known)?;
        let Json::Object(operators) = wanted else { continue };
        for (operator, operand) in operators {
            let fits = match operator.as_str() {
                "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "exists" => true,
                "inq" | "nin" => operand.is_array(),
                "between" => operand.as_array().is_some_and(|ends| ends.len() == 2),
                "like" | "nlike" | "ilike" | "nilike" => operand.is_string(),
                _ => false,
            };
            if !fits {
                let message = "there are eq, neq, gt, gte, lt, lte, inq and nin with an array, \
                               between with two values, like, nlike, ilike and nilike with a text, \
                               and exists";
                return Err(refuse(message).at(operator.as_str()).at(name.as_str()));
            }
        }
    }
    Ok(())
}

/// Whether `condition`, which was checked, holds of `row`.
fn holds(condition: &Json, row: &Row) -> bool {
    let Json::Object(parts) = condition else { return false };
    parts.iter().all(|(name, wanted)| match (name.as_str(), wanted) {
        ("and", Json::Array(all)) => all.iter().all(|condition| holds(condition, row)),
        ("or", Json::Array(any)) => any.iter().any(|condition| holds(condition, row)),
        (name, Json::Object(operators)) => {
            operators.iter().all(|(operator, operand)| meets(operator, operand, value(row, name)))
        }
        (name, direct) => equals(direct, value(row, name)),
    })
}

fn value<'a>(row: &'a Row, name: &str) -> &'a Json {
    row.get(name).unwrap_or(&Json::Null)
}

fn equals(wanted: &Json, found: &Json) -> bool {
    match found {
        Json::Array(elements) if !wanted.is_array() => elements.contains(wanted),
        _ => compare(found, wanted).map_or(wanted == found, Ordering::is_eq),
    }
}

fn meets(operator: &str, operand: &Json, found: &Json) -> bool {
    let order = compare(found, operand);
    let among = || operand.as_array().is_some_and(|all| all.iter().any(|one| equals(one, found)));
    match operator {
        "eq" => equals(operand, found),
        "neq" => !equals(operand, found),
        "gt" => order.is_some_and(Ordering::is_gt),
        "gte" => order.is_some_and(Ordering::is_ge),
        "lt" => order.is_some_and(Ordering::is_lt),
        "lte" => order.is_some_and(Ordering::is_le),
        "inq" => among(),
        "nin" => !among(),
        "between" => operand.as_array().is_some_and(|ends| {
            let at = |n: usize| ends.get(n).and_then(|end| compare(found, end));
            at(0).is_some_and(Ordering::is_ge) && at(1).is_some_and(Ordering::is_le)
        }),
        "like" | "ilike" => is_like(operand, found, operator == "ilike"),
        "nlike" | "nilike" => !is_like(operand, found, operator == "nilike"),
        "exists" => operand.as_bool().unwrap_or(true) != found.is_null(),
        _ => false,
    }
}

/// Whether the text holds the other, in which `%` stands for anything.
fn is_like(operand: &Json, found: &Json, folded: bool) -> bool {
    let fold = |text: &str| if folded { racun_kernel::text::lower(text) } else { text.to_owned() };
    let (Some(pattern), Some(text)) = (operand.as_str(), found.as_str()) else { return false };
    let (pattern, text) = (fold(pattern), fold(text));
    if !pattern.contains('%') {
        return text.contains(&pattern);
    }
    let parts: Vec<&str> = pattern.split('%').collect();
    let [first, middle @ .., last] = &parts[..] else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in middle {
        let Some(place) = rest.find(part) else { return false };
        rest = rest.get(place + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// The order of two values of one kind; instants are texts that sort as they follow each other.
fn compare(a: &Json, b: &Json) -> Option<Ordering> {
    match (a, b) {
        (Json::Null, Json::Null) => Some(Ordering::Equal),
        (Json::Bool(a), Json::Bool(b)) => Some(a.cmp(b)),
        (Json::String(a), Json::String(b)) => {
            let instant = |text: &String| racun_kernel::calendar::parse_instant(text).ok();
            match (instant(a), instant(b)) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => Some(a.cmp(b)),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KNOWN: &[&str] = &["id", "url", "enabled", "createdAt", "events", "deletedAt"];

    fn rows() -> Vec<Row> {
        let row = |n: u32, enabled: bool| {
            let row = json!({
                "id": format!("wh_{n}"),
                "url": format!("https://Example.com/{n}"),
                "enabled": enabled,
                "createdAt": format!("2026-11-2{n}T08:00:00.000Z"),
                "events": [{"event": "invoice.created"}],
                "deletedAt": null,
            });
            row.as_object().unwrap().clone()
        };
        vec![row(1, true), row(2, false), row(3, true)]
    }

    fn query(name: &str, value: &Json) -> Query {
        let text = value.to_string();
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        Query::parse(&format!("{name}={encoded}"))
    }

    fn ids(filter: &Json) -> String {
        let filter = Filter::read(&query("filter", filter), KNOWN).unwrap();
        let ids = filter
            .choose(rows())
            .into_iter()
            .map(|row| row["id"].as_str().unwrap()[3..].to_owned());
        ids.collect()
    }

    #[test]
    fn conditions_choose_rows() {
        for (condition, expected) in [
            (json!({}), "123"),
            (json!({"enabled": true}), "13"),
            (json!({"enabled": {"neq": true}}), "2"),
            (json!({"id": {"inq": ["wh_1", "wh_2"]}}), "12"),
            (json!({"id": {"nin": ["wh_1", "wh_2"]}}), "3"),
            (json!({"createdAt": {"gt": "2026-11-21T09:00:00+01:00"}}), "23"),
            (json!({"createdAt": {"gte": "2026-11-21T09:00:00+01:00"}}), "123"),
            (
                json!({"createdAt": {"between": ["2026-11-22T00:00:00Z", "2026-11-22T23:00:00Z"]}}),
                "2",
            ),
            (json!({"url": {"like": "example"}}), ""),
            (json!({"url": {"ilike": "%EXAMPLE%1"}}), "1"),
            (json!({"url": {"nlike": "/3"}}), "12"),
            (json!({"deletedAt": null}), "123"),
            (json!({"deletedAt": {"exists": true}}), ""),
            (json!({"or": [{"id": "wh_1"}, {"and": [{"enabled": false}, {"id": "wh_2"}]}]}), "12"),
            (json!({"id": "wh_1", "enabled": false}), ""),
        ] {
            assert_eq!(ids(&json!({"where": condition})), expected, "{condition}");
            let counted = count_where(&query("where", &condition), KNOWN, &rows());
            assert_eq!(counted, Ok(expected.len()), "{condition}");
        }
    }

    #[test]
    fn order_limit_and_skip_shape_the_list() {
        assert_eq!(ids(&json!({"order": "createdAt DESC"})), "321");
        assert_eq!(ids(&json!({"order": ["enabled ASC", "id DESC"]})), "231");
        assert_eq!(ids(&json!({"limit": 1, "skip": 1})), "2");
        let filter = Filter::read(&Query::parse("filter[limit]=2&filter[skip]=1"), KNOWN).unwrap();
        assert_eq!(filter.choose(rows()).len(), 2);
    }

    #[test]
    fn fields_narrow_a_row() {
        let keys = |fields: Json| {
            let query = query("filter", &json!({"fields": fields}));
            let row = Filter::read(&query, KNOWN).unwrap().narrow(rows().remove(0));
            row.keys().cloned().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(keys(json!(["id", "url"])), "id url");
        assert_eq!(keys(json!({"id": true})), "id");
        assert_eq!(keys(json!({"events": false, "url": false})), "createdAt deletedAt enabled id");
    }

    #[test]
    fn filters_that_are_not_understood_are_refused_by_path() {
        for filter in [
            json!([]),
            json!({"where": {"secret": "a"}}),
            json!({"where": {"url": {"regexp": "a"}}}),
            json!({"where": {"or": {}}}),
            json!({"limit": -1}),
            json!({"limit": "all"}),
            json!({"order": "secret"}),
            json!({"order": "id SIDEWAYS"}),
            json!({"fields": ["secret"]}),
            json!({"include": "account"}),
            json!({"sort": 1}),
        ] {
            assert!(Filter::read(&query("filter", &filter), KNOWN).is_err(), "{filter}");
        }
        let mut deep = json!({"enabled": true});
        for _ in 0..20 {
            deep = json!({"and": [deep]});
        }
        assert!(Filter::read(&query("filter", &json!({"where": deep})), KNOWN).is_err());
        assert!(Filter::read(&Query::parse("filter=%7B"), KNOWN).is_err());
    }
}
