//! Queries as they are sent, checked.

use racun_kernel::calendar::parse_document_date;
use racun_kernel::{Issue, Issues};
use serde_json::{Map, Value as Json};
use time::Date;

use super::filter::{self, unknown};
use super::{
    Derived, Group, Measure, Metric, StatField, StatKind, StatOrder, StatQuery, StatTable,
};

/// Queries of a request, at most.
pub const MAX_QUERIES: usize = 25;
/// Rows of an answer, at most; so many when no limit is named.
pub const MAX_ROWS: usize = 10_000;
/// Metrics, groups and orders of a query, at most.
const MOST: usize = 20;
/// Characters of an alias.
const ALIAS: usize = 64;

const PROPERTIES: [&str; 8] =
    ["table", "metrics", "date_from", "date_to", "filters", "group_by", "order_by", "limit"];
const MEASURES: [&str; 5] = ["count", "sum", "avg", "min", "max"];

/// Reads a body: an array of 1 to [`MAX_QUERIES`] queries, or one query as an object.
///
/// # Errors
/// All that cannot be understood, with its path and, for unknown names, the nearest known one.
pub fn parse_queries(body: &Json) -> Result<Vec<StatQuery>, Issues> {
    match body {
        Json::Array(queries) if (1..=MAX_QUERIES).contains(&queries.len()) => {
            let mut issues = Issues::default();
            let parsed = queries.iter().enumerate().map(|(n, one)| issues.collect(n, query(one)));
            let parsed: Vec<Option<StatQuery>> = parsed.collect();
            issues.into_result(parsed.into_iter().flatten().collect())
        }
        Json::Array(_) => {
            let message = format!("expected 1 to {MAX_QUERIES} queries");
            Err(Issue::new("out_of_range", message).into())
        }
        one => Ok(vec![query(one)?]),
    }
}

fn query(sent: &Json) -> Result<StatQuery, Issues> {
    let Json::Object(sent) = sent else {
        return Err(Issue::new("invalid_type", "expected a query as an object").into());
    };
    let mut issues = Issues::default();
    for name in sent.keys().filter(|name| !PROPERTIES.contains(&name.as_str())) {
        issues.push(unknown("unknown_field", "property", name, &PROPERTIES).at(name.as_str()));
    }
    let Some(table) = issues.collect("table", table(sent.get("table")).map_err(Issues::from))
    else {
        return Err(issues);
    };
    let from = issues.collect("date_from", day(sent.get("date_from"))).flatten();
    let to = issues.collect("date_to", day(sent.get("date_to"))).flatten();
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        issues.push(Issue::new("invalid_period", "must not be before date_from").at("date_to"));
    }
    let list = |name: &str| list(sent.get(name));
    let metrics = issues.collect("metrics", list("metrics").and_then(|all| metrics(table, all)));
    let groups = issues.collect("group_by", list("group_by").and_then(|all| groups(table, all)));
    let filters = sent.get("filters").filter(|filters| !filters.is_null());
    let filters = filters.map_or_else(|| Ok(Vec::new()), |sent| filter::parse(table, sent));
    let filters = issues.collect("filters", filters);
    let limit = issues.collect("limit", limit(sent.get("limit")));
    let (Some(metrics), Some(groups)) = (metrics, groups) else { return Err(issues) };
    apart(&groups, &metrics).for_each(|issue| issues.push(issue));
    let names: Vec<&str> = columns(&groups, &metrics).collect();
    let order = issues.collect("order_by", list("order_by").and_then(|all| order(&names, all)));
    let (order, filters) = (order.unwrap_or_default(), filters.unwrap_or_default());
    let limit = limit.unwrap_or(MAX_ROWS);
    issues.into_result(StatQuery { table, from, to, metrics, filters, groups, order, limit })
}

/// The aliases that groups have as names: a row of the answer has each name once.
fn apart(groups: &[Group], metrics: &[Metric]) -> impl Iterator<Item = Issue> {
    let named = metrics.iter().enumerate();
    let clashing = named.filter(|(_, one)| groups.iter().any(|group| group.name() == one.alias));
    clashing.map(|(n, Metric { alias, .. })| {
        let message = format!("{alias:?} is the name of a group; choose another alias");
        Issue::new("duplicate", message).at("alias").at(n).at("metrics")
    })
}

/// The names of the answer's columns.
fn columns<'a>(groups: &'a [Group], metrics: &'a [Metric]) -> impl Iterator<Item = &'a str> {
    let groups = groups.iter().map(|group| -> &'a str { group.name() });
    groups.chain(metrics.iter().map(|metric| &*metric.alias))
}

fn table(sent: Option<&Json>) -> Result<StatTable, Issue> {
    let names = StatTable::ALL.map(StatTable::name);
    match sent {
        None | Some(Json::Null) => {
            Err(Issue::new("required", format!("name a table: {}", names.join(", "))))
        }
        Some(Json::String(name)) => {
            let known = StatTable::ALL.into_iter().find(|table| table.name() == name);
            known.ok_or_else(|| unknown("invalid_value", "table", name, &names))
        }
        Some(_) => Err(Issue::new("invalid_type", "expected text")),
    }
}

fn day(sent: Option<&Json>) -> Result<Option<Date>, Issues> {
    match sent {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(parse_document_date(text)?)),
        Some(_) => Err(Issue::new("invalid_type", "expected a date as text").into()),
    }
}

fn limit(sent: Option<&Json>) -> Result<usize, Issues> {
    let Some(sent) = sent.filter(|sent| !sent.is_null()) else { return Ok(MAX_ROWS) };
    let limit = sent.as_u64().and_then(|limit| usize::try_from(limit).ok());
    let message = format!("expected a whole number from 1 to {MAX_ROWS}");
    limit
        .filter(|limit| (1..=MAX_ROWS).contains(limit))
        .ok_or_else(|| Issue::new("out_of_range", message).into())
}

fn list(sent: Option<&Json>) -> Result<&[Json], Issues> {
    match sent {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(entries)) if entries.len() <= MOST => Ok(entries),
        Some(Json::Array(_)) => Err(Issue::new("too_many", format!("at most {MOST}")).into()),
        Some(_) => Err(Issue::new("invalid_type", "expected an array").into()),
    }
}

/// Each entry read by `read`, with all issues at their places.
fn each<T>(
    entries: &[Json],
    mut read: impl FnMut(&Json) -> Result<T, Issues>,
) -> Result<Vec<T>, Issues> {
    let mut issues = Issues::default();
    let read: Vec<Option<T>> =
        entries.iter().enumerate().map(|(n, one)| issues.collect(n, read(one))).collect();
    issues.into_result(read.into_iter().flatten().collect())
}

/// The text property `name` of an object that knows only `known`.
fn properties<'a>(sent: &'a Json, known: &[&str]) -> Result<&'a Map<String, Json>, Issues> {
    let Json::Object(sent) = sent else {
        return Err(Issue::new("invalid_type", "expected an object").into());
    };
    let mut issues = Issues::default();
    for name in sent.keys().filter(|name| !known.contains(&name.as_str())) {
        issues.push(unknown("unknown_field", "property", name, known).at(name.as_str()));
    }
    issues.into_result(sent)
}

fn text<'a>(sent: &'a Map<String, Json>, name: &str) -> Result<Option<&'a str>, Issues> {
    match sent.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Issues::from(Issue::new("invalid_type", "expected text").at(name))),
    }
}

fn metrics(table: StatTable, sent: &[Json]) -> Result<Vec<Metric>, Issues> {
    if sent.is_empty() {
        let message = "ask for something, such as [{\"type\": \"count\"}]";
        return Err(Issue::new("required", message).into());
    }
    let mut taken: Vec<String> = Vec::new();
    each(sent, |one| {
        let metric = metric(table, properties(one, &["type", "field", "alias"])?)?;
        if taken.contains(&metric.alias) {
            let message = format!("{:?} is the alias of another metric", metric.alias);
            return Err(Issues::from(Issue::new("duplicate", message).at("alias")));
        }
        taken.push(metric.alias.clone());
        Ok(metric)
    })
}

fn metric(table: StatTable, sent: &Map<String, Json>) -> Result<Metric, Issues> {
    let at = |name: &'static str| move |issue: Issue| Issues::from(issue.at(name));
    let kind = text(sent, "type")?;
    let field = text(sent, "field")?;
    let Some(kind) = kind else {
        let message = format!("name one of {}", MEASURES.join(", "));
        return Err(at("type")(Issue::new("required", message)));
    };
    if !MEASURES.contains(&kind) {
        return Err(at("type")(unknown("invalid_value", "metric", kind, &MEASURES)));
    }
    let measure = match (kind, field) {
        ("count", None) => Measure::Count,
        ("count", Some(_)) => {
            let message = "count counts rows and takes no field";
            return Err(at("field")(Issue::new("not_allowed", message)));
        }
        (_, None) => {
            return Err(at("field")(Issue::new("required", "name a field of the table")));
        }
        (kind, Some(name)) => {
            let field = measured(table, kind, name).map_err(at("field"))?;
            match kind {
                "sum" => Measure::Sum(field),
                "avg" => Measure::Avg(field),
                "min" => Measure::Min(field),
                _ => Measure::Max(field),
            }
        }
    };
    let usual = || field.map_or_else(|| kind.to_owned(), |field| format!("{kind}_{field}"));
    let alias = text(sent, "alias")?.map_or_else(usual, str::to_owned);
    if alias.is_empty() || alias.chars().count() > ALIAS || alias.chars().any(char::is_control) {
        let message = format!("expected 1 to {ALIAS} characters");
        return Err(at("alias")(Issue::new("invalid_value", message)));
    }
    Ok(Metric { measure, alias })
}

fn measured(table: StatTable, kind: &str, name: &str) -> Result<&'static StatField, Issue> {
    let fits = |field: &StatField| match field.kind {
        StatKind::Number => true,
        StatKind::Date | StatKind::Instant => matches!(kind, "min" | "max"),
        StatKind::Text | StatKind::Bool => false,
    };
    let known: Vec<&str> =
        table.fields().iter().filter(|field| fits(field)).map(|field| field.name).collect();
    let found = table.field(name).map(|(_, field)| field).filter(|field| fits(field));
    found.ok_or_else(|| unknown("unknown_field", &format!("field to {kind}"), name, &known))
}

fn groups(table: StatTable, sent: &[Json]) -> Result<Vec<Group>, Issues> {
    let derived =
        Derived::ALL.into_iter().filter_map(|derived| Some((derived, derived.of(table)?)));
    let derived: Vec<(Derived, &'static StatField)> = derived.collect();
    let names = table.fields().iter().map(|field| field.name);
    let known: Vec<&str> = names.chain(derived.iter().map(|(derived, _)| derived.name())).collect();
    let mut taken: Vec<String> = Vec::new();
    each(sent, |one| {
        let Json::String(name) = one else {
            return Err(Issue::new("invalid_type", "expected the name of a field").into());
        };
        if taken.contains(name) {
            return Err(Issue::new("duplicate", "named before").into());
        }
        taken.push(name.clone());
        let follows = derived.iter().find(|(derived, _)| derived.name() == name);
        let follows = follows.map(|(derived, field)| Group::Derived(*derived, field));
        let group = follows.or_else(|| Some(Group::Field(table.field(name)?.1)));
        Ok(group.ok_or_else(|| unknown("unknown_field", "field", name, &known))?)
    })
}

fn order(columns: &[&str], sent: &[Json]) -> Result<Vec<StatOrder>, Issues> {
    each(sent, |one| {
        let sent = properties(one, &["field", "direction"])?;
        let Some(name) = text(sent, "field")? else {
            let message = format!("name one of {}", columns.join(", "));
            return Err(Issues::from(Issue::new("required", message).at("field")));
        };
        let found = columns.iter().position(|column| *column == name);
        let Some(place) = found else {
            let issue = unknown("unknown_field", "group or alias", name, columns);
            return Err(Issues::from(issue.at("field")));
        };
        let descending = match text(sent, "direction")? {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(other) => {
                let issue = unknown("invalid_value", "direction", other, &["asc", "desc"]);
                return Err(Issues::from(issue.at("direction")));
            }
        };
        Ok(StatOrder { place, descending })
    })
}
