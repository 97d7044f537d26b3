//! Tallies as SQL, meaning exactly what `racun_kernel::evaluate_tally` means.
//!
//! All tallies of a report are one statement, so that they see one state of the database. Use cases
//! declare them, so there are few such statements, and connections keep them prepared. Numbers are
//! `numeric` from the column or the JSON text to the answer.

use diesel_async::AsyncPgConnection;
use futures_util::future::join;
use racun_kernel::{
    Clause, Decimal, FieldKind, Figure, JsonPath, ListQuery, Part, StoreError, Table, Tally,
    TallyRow, Tenant, Value,
};

use crate::error::of_question;
use crate::filter;
use crate::read::see;
use crate::schema::{array_of, expression, quote};
use crate::session::Planning;
use crate::statement::{GroupRow, Statement};

/// The element of the array that a tally counts the elements of. No declared column is called so.
const ELEMENT: &str = "racun_element";

/// The body of a row, as it is looked into. No declared column is called so.
const UNPACKED: &str = "racun_unpacked";

/// What each of `tallies`, of which there is one, comes to.
pub(crate) async fn tallies(
    connection: &AsyncPgConnection,
    tenant: &Tenant,
    tallies: &[Tally],
) -> Result<Vec<Vec<TallyRow>>, StoreError> {
    // The planner takes an array for a hundred elements, and reads a whole table of all tenants
    // rather than sorting so many.
    let seen = see(connection, tenant.as_str(), Planning::Indexed);
    let statement = statement(tenant, tallies);
    let (seen, rows) = join(seen, statement.rows::<GroupRow>(connection)).await;
    let rows = seen.and(rows).map_err(|error| of_question(&error))?;
    answers(tallies, rows)
}

fn statement(tenant: &Tenant, tallies: &[Tally]) -> Statement {
    let mut statement = Statement::new("");
    for (n, tally) in tallies.iter().enumerate() {
        let union = if n == 0 { "" } else { " UNION ALL " };
        let groups = groups(&mut statement, tenant, tally);
        statement.push(&format!("{union}SELECT {n}::bigint AS tally, {groups}"));
    }
    statement
}

/// The groups of `tally`: inside, the parts of all that counts; outside, the figures.
fn groups(statement: &mut Statement, tenant: &Tenant, tally: &Tally) -> String {
    let parts: Vec<String> =
        tally.parts().enumerate().map(|(n, part)| format!("{} AS p{n}", of_part(part))).collect();
    let keys: Vec<String> = (0..tally.by.len()).map(|n| format!("p{n}")).collect();
    let texts: Vec<String> = keys.iter().map(|key| format!("{key}::text")).collect();
    let mut next = tally.by.len();
    let mut operand = || {
        next += 1;
        format!("p{}", next - 1)
    };
    let figures: Vec<String> = tally
        .figures
        .iter()
        .map(|figure| match figure {
            Figure::Count => "count(*)::text".to_owned(),
            Figure::CountDistinct(_) => format!("count(DISTINCT {})::text", operand()),
            Figure::Sum(_) => format!("coalesce(sum({}), 0)::text", operand()),
        })
        .collect();
    let mut condition = live(statement, tally.table, tenant, &tally.clauses);
    if let Some(within) = &tally.within {
        let others = live(statement, within.table, tenant, &within.clauses);
        let (field, table) = (expression(within.field), quote(within.table.name));
        condition = format!("{condition} AND {field} IN (SELECT id FROM {table} WHERE {others})");
    }
    let each = tally.each.map(elements).unwrap_or_default();
    let group_by =
        if keys.is_empty() { String::new() } else { format!("GROUP BY {}", keys.join(", ")) };
    let table = quote(tally.table.name);
    // Each look into a body that is stored compressed would unpack it again.
    let rows = if tally.needs_bodies() {
        format!(
            "(SELECT *, body #> '{{}}' AS {UNPACKED} FROM {table} WHERE {condition} OFFSET 0) AS \
             rows{each}"
        )
    } else {
        format!("{table} WHERE {condition}")
    };
    format!(
        "ARRAY[{}]::text[] AS by, ARRAY[{}]::text[] AS figures \
         FROM (SELECT {} FROM {rows}) AS counted {group_by} HAVING count(*) > 0",
        texts.join(", "),
        figures.join(", "),
        parts.join(", "),
    )
}

/// The condition that a row of `table` is out of the trash and fulfils `clauses`.
fn live(
    statement: &mut Statement,
    table: &'static Table,
    tenant: &Tenant,
    clauses: &[Clause],
) -> String {
    let query = ListQuery { clauses: clauses.to_vec(), ..ListQuery::first_page(table) };
    filter::condition(statement, table, tenant.as_str(), &query)
}

/// The elements of the array at `path`, beside the row that they are in.
fn elements(path: JsonPath) -> String {
    let array = format!("{UNPACKED} #> {}", array_of(path));
    format!(
        " CROSS JOIN LATERAL jsonb_array_elements(\
         CASE jsonb_typeof({array}) WHEN 'array' THEN {array} END) AS each ({ELEMENT})"
    )
}

fn of_part(part: Part) -> String {
    match part {
        Part::Field { field, .. } => expression(field),
        Part::Body(path, kind) => inside(UNPACKED, path, kind),
        Part::Element(path, kind) => inside(ELEMENT, path, kind),
    }
}

/// What `json` has at `path`, or null when it is of another kind.
fn inside(json: &str, path: JsonPath, kind: FieldKind) -> String {
    let path = array_of(path);
    let (json_type, cast) = match kind {
        FieldKind::Number => ("number", "::numeric"),
        _ => ("string", r#" COLLATE "C""#),
    };
    format!(
        "CASE jsonb_typeof({json} #> {path}) WHEN '{json_type}' THEN ({json} #>> {path}){cast} END"
    )
}

/// The groups of each tally, in the order of their values.
fn answers(tallies: &[Tally], rows: Vec<GroupRow>) -> Result<Vec<Vec<TallyRow>>, StoreError> {
    let mut answers: Vec<Vec<TallyRow>> = tallies.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let place = usize::try_from(row.tally).ok().filter(|place| *place < tallies.len());
        let place = place.ok_or_else(|| unreadable(&row))?;
        let group = group(&tallies[place], &row).ok_or_else(|| unreadable(&row))?;
        answers[place].push(group);
    }
    for groups in &mut answers {
        groups.sort_by(TallyRow::order);
    }
    Ok(answers)
}

fn group(tally: &Tally, row: &GroupRow) -> Option<TallyRow> {
    let value = |(part, text): (&Part, &Option<String>)| match (text, part.kind()) {
        (None, _) => Some(Value::Null),
        (Some(text), FieldKind::Number) => Decimal::computed(text).map(Value::Number),
        (Some(text), _) => Some(Value::Text(text.clone())),
    };
    let by = tally.by.iter().zip(&row.by).map(value).collect::<Option<_>>()?;
    let figures = row.figures.iter().map(|text| Decimal::computed(text));
    Some(TallyRow { by, figures: figures.collect::<Option<_>>()? })
}

fn unreadable(row: &GroupRow) -> StoreError {
    StoreError::Unavailable(format!("a tally answered what is no figure: {row:?}"))
}
