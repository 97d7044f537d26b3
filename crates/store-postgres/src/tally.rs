//! Tallies as SQL, meaning exactly what `racun_store::evaluate_tally` means.
//!
//! All tallies of a report are one statement, so that they see one state of the database. Use cases
//! declare them, so there are few such statements, and connections keep them prepared. Numbers are
//! `numeric` from the column or the JSON text to the answer.

use diesel_async::AsyncPgConnection;
use futures_util::future::join;
use racun_kernel::calendar::parse_date;
use racun_kernel::{Decimal, Tenant};
use racun_store::{
    Clause, Condition, FieldKind, Figure, JsonPath, ListQuery, Part, StoreError, Table, Tally,
    TallyRow, Value, Within,
};
use time::OffsetDateTime;

use crate::error::of_question;
use crate::filter;
use crate::read::see;
use crate::schema::{column_type, expression, quote};
use crate::session::Planning;
use crate::statement::{GroupRow, Statement};

/// The element of the array that a tally counts the elements of.
const ELEMENT: &str = "element";

/// The id of the row that a counted one names.
const NAMED: &str = "racun_named";

/// The body of a row, as it is looked into. No declared column is called so.
const UNPACKED: &str = "racun_unpacked";

/// What each of `tallies`, of which there is one, comes to.
pub(crate) async fn tallies(
    connection: &AsyncPgConnection,
    tenant: &Tenant,
    tallies: &[Tally],
) -> Result<Vec<Vec<TallyRow>>, StoreError> {
    // The planner takes an array for a hundred elements: rather than sorting so many it would read
    // a whole table of all tenants, and rather than hashing so many groups it would sort them.
    let seen = see(connection, tenant.as_str(), Planning::Ordered);
    let statement = statement(tenant, tallies);
    let (seen, rows) = join(seen, statement.rows::<GroupRow>(connection)).await;
    let rows = seen.and(rows).map_err(|error| of_question(&error))?;
    answers(tallies, rows)
}

/// The rows of some tallies are found once, with the parts of them that these look at.
fn statement(tenant: &Tenant, tallies: &[Tally]) -> Statement {
    let mut statement = Statement::new("");
    let (mut found, mut counted) = (Vec::new(), Vec::new());
    for places in Tally::of_the_same_rows(tallies) {
        let of_these = places.iter().filter_map(|place| tallies.get(*place)).collect();
        let Some(rows) = Rows::of(found.len(), of_these) else { continue };
        found.push(rows.found(&mut statement, tenant));
        for (place, tally) in places.iter().zip(&rows.tallies) {
            let groups = rows.groups(&mut statement, tally);
            counted.push(format!("SELECT {place}::bigint AS tally, {groups}"));
        }
    }
    statement.push(&format!("WITH {} {}", found.join(", "), counted.join(" UNION ALL ")));
    statement
}

/// Rows that some tallies count.
struct Rows<'a> {
    /// What the statement calls them.
    name: String,
    /// One of the tallies, for what they have in common.
    tally: &'a Tally,
    tallies: Vec<&'a Tally>,
    /// What they look at, but for elements.
    parts: Vec<Part>,
    /// The arrays whose elements they look at.
    arrays: Vec<JsonPath>,
}

impl<'a> Rows<'a> {
    fn of(n: usize, tallies: Vec<&'a Tally>) -> Option<Self> {
        let (mut parts, mut arrays) = (Vec::new(), Vec::new());
        for tally in &tallies {
            let of_rows = tally.parts().filter(|part| !matches!(part, Part::Element(..)));
            for part in of_rows {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            arrays.extend(tally.each.filter(|path| !arrays.contains(path)));
        }
        Some(Self { name: format!("rows_{n}"), tally: tallies.first()?, tallies, parts, arrays })
    }

    /// The expression with a name that finds them.
    fn found(&self, statement: &mut Statement, tenant: &Tenant) -> String {
        let Self { name, tally, .. } = self;
        let condition = live(statement, tally.table, tenant, &tally.clauses);
        let mut table = quote(tally.table.name);
        if let Some(within) = &tally.within {
            table = format!("{table} {}", self.named(statement, tenant, within));
        }
        let parts = self.parts.iter().enumerate().map(|(n, part)| match part {
            Part::Field { field, .. } => format!("{} AS part_{n}", expression(field)),
            Part::DayOf { field, .. } => {
                format!("({} AT TIME ZONE 'UTC')::date AS part_{n}", expression(field))
            }
            Part::Named { .. } if tally.within.is_some() => format!("named_{n} AS part_{n}"),
            Part::Named { field, .. } => format!("NULL::{} AS part_{n}", column_type(field.kind)),
            Part::Body(path, kind) | Part::Element(path, kind) => {
                format!("{} AS part_{n}", typed(&at(UNPACKED, path), *kind))
            }
        });
        let arrays = self.arrays.iter().enumerate().map(|(n, path)| {
            let array = at(UNPACKED, path);
            format!("CASE jsonb_typeof({array}) WHEN 'array' THEN {array} END AS array_{n}")
        });
        let columns: Vec<String> = parts.chain(arrays).collect();
        let columns = columns.join(", ");
        if !self.tallies.iter().any(|tally| tally.needs_bodies()) {
            return format!("{name} AS (SELECT {columns} FROM {table} WHERE {condition})");
        }
        // Each look into a body that is stored compressed would unpack it again.
        format!(
            "{name} AS MATERIALIZED (SELECT {columns} FROM (SELECT *, body #> '{{}}' AS {UNPACKED} \
             FROM {table} WHERE {condition} OFFSET 0) AS unpacked)"
        )
    }

    /// What joins the rows that these name, of which each names one.
    fn named(&self, statement: &mut Statement, tenant: &Tenant, within: &Within) -> String {
        let others = live(statement, within.table, tenant, &within.clauses);
        let columns = self.parts.iter().enumerate().filter_map(|(n, part)| match part {
            Part::Named { field, .. } => Some(format!(", {} AS named_{n}", expression(field))),
            Part::Field { .. } | Part::DayOf { .. } | Part::Body(..) | Part::Element(..) => None,
        });
        let columns = columns.collect::<String>();
        let (field, other) = (expression(within.field), quote(within.table.name));
        let select = format!("SELECT id AS {NAMED}{columns} FROM {other} WHERE {others}");
        if within.is_looked_up {
            // The fence keeps the planner from reading all that could be named.
            let counted = quote(self.tally.table.name);
            let named = format!("{select} AND id = {counted}.{field} OFFSET 0");
            return format!("CROSS JOIN LATERAL ({named}) AS named");
        }
        format!("JOIN ({select}) AS named ON {NAMED} = {field}")
    }

    /// The groups of `tally`: inside, the parts of all that counts; outside, the figures.
    fn groups(&self, statement: &mut Statement, tally: &Tally) -> String {
        let elements: Vec<JsonPath> = elements(tally);
        let parts: Vec<String> = tally
            .answered()
            .enumerate()
            .map(|(n, part)| format!("{} AS p{n}", self.part(part, &elements)))
            .collect();
        let keys: Vec<String> = (0..tally.by.len()).map(|n| format!("p{n}")).collect();
        let keyed = keys.iter().zip(&tally.by);
        let texts: Vec<String> = keyed.map(|(key, part)| as_text(key, part.kind())).collect();
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
                Figure::Filled(_) => format!("count({})::text", operand()),
                Figure::CountDistinct(_) => format!("count(DISTINCT {})::text", operand()),
                Figure::Sum(_) => format!("coalesce(sum({}), 0)::text", operand()),
                Figure::SumOr(..) => {
                    let (own, instead) = (operand(), operand());
                    format!("coalesce(sum(coalesce({own}, {instead})), 0)::text")
                }
            })
            .collect();
        let extremes = tally.extremes.iter().flat_map(|extremes| {
            let (mut of, kind) = (operand(), extremes.of.kind());
            if extremes.or.is_some() {
                of = format!("coalesce({of}, {})", operand());
            }
            ["min", "max"].map(|extreme| as_text(&format!("{extreme}({of})"), kind))
        });
        let extremes: Vec<String> = extremes.collect();
        let conditions = tally.filter.iter().map(|Condition { part, operator }| {
            let of = self.part(*part, &elements);
            filter::operator(statement, &format!("({of})"), part.kind(), operator)
        });
        let conditions: Vec<String> = conditions.collect();
        let filter = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let group_by =
            if keys.is_empty() { String::new() } else { format!("GROUP BY {}", keys.join(", ")) };
        format!(
            "ARRAY[{}]::text[] AS by, ARRAY[{}]::text[] AS figures, \
             ARRAY[{}]::text[] AS extremes \
             FROM (SELECT {} FROM {}{filter}) AS counted {group_by} HAVING count(*) > 0",
            texts.join(", "),
            figures.join(", "),
            extremes.join(", "),
            parts.join(", "),
            self.counted(tally, &elements),
        )
    }

    /// What `tally` counts: the rows, or the elements of an array with what is at `elements` in
    /// them. Behind the fence each place is looked up once, though its kind is looked at as well.
    fn counted(&self, tally: &Tally, elements: &[JsonPath]) -> String {
        let Self { name, .. } = self;
        let Some(n) = self.arrays.iter().position(|array| Some(*array) == tally.each) else {
            return name.clone();
        };
        let found = elements.iter().enumerate();
        let found = found.map(|(n, path)| format!(", {} AS element_{n}", at(ELEMENT, path)));
        format!(
            "(SELECT {name}.*{} FROM {name} CROSS JOIN LATERAL jsonb_array_elements(array_{n}) \
             AS each ({ELEMENT}) OFFSET 0) AS elements",
            found.collect::<String>(),
        )
    }

    fn part(&self, part: Part, elements: &[JsonPath]) -> String {
        match (part, self.parts.iter().position(|known| *known == part)) {
            (Part::Element(path, kind), _) => {
                let found = elements.iter().position(|known| *known == path);
                found.map_or("NULL".to_owned(), |n| typed(&format!("element_{n}"), kind))
            }
            (_, Some(n)) => format!("part_{n}"),
            (_, None) => "NULL".to_owned(),
        }
    }
}

/// The places in elements that `tally` looks at; none when it counts rows.
fn elements(tally: &Tally) -> Vec<JsonPath> {
    let mut paths = Vec::new();
    for part in tally.parts().filter(|_| tally.each.is_some()) {
        if let Part::Element(path, _) = part
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
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

/// What `json` has at `path`. An operator for each key is quicker than one with an array of them.
fn at(json: &str, path: JsonPath) -> String {
    let keys = path.iter().map(|key| format!(" -> '{}'", key.replace('\'', "''")));
    format!("({json}{})", keys.collect::<String>())
}

/// What is `found` in a body, or null when it is of another kind.
fn typed(found: &str, kind: FieldKind) -> String {
    match kind {
        FieldKind::Number => {
            format!("CASE jsonb_typeof({found}) WHEN 'number' THEN {found}::numeric END")
        }
        FieldKind::Bool => {
            format!("CASE jsonb_typeof({found}) WHEN 'boolean' THEN {found}::boolean END")
        }
        _ => {
            let text = format!(r#"({found} #>> '{{}}') COLLATE "C""#);
            format!("CASE jsonb_typeof({found}) WHEN 'string' THEN {text} END")
        }
    }
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
    let by = tally.by.iter().zip(&row.by);
    let by = by.map(|(part, text)| of_text(text.as_deref(), part.kind())).collect::<Option<_>>()?;
    let figures = row.figures.iter().map(|text| Decimal::computed(text));
    let figures = figures.collect::<Option<_>>()?;
    let pairs = row.extremes.chunks_exact(2).zip(&tally.extremes);
    let extremes = pairs.map(|(pair, extremes)| {
        let value = |text: &Option<String>| of_text(text.as_deref(), extremes.of.kind());
        Some((value(pair.first()?)?, value(pair.last()?)?))
    });
    Some(TallyRow { by, figures, extremes: extremes.collect::<Option<_>>()? })
}

/// `value`, of `kind`, as the text that [`of_text`] reads.
fn as_text(value: &str, kind: FieldKind) -> String {
    match kind {
        FieldKind::Date => format!("to_char({value}, 'YYYY-MM-DD')"),
        FieldKind::Instant => {
            format!("(extract(epoch from {value}) * 1000000)::bigint::text")
        }
        _ => format!("{value}::text"),
    }
}

/// What `text` says; `None` when it says nothing of `kind`.
fn of_text(text: Option<&str>, kind: FieldKind) -> Option<Value> {
    let Some(text) = text else { return Some(Value::Null) };
    match kind {
        FieldKind::Number => Decimal::computed(text).map(Value::Number),
        FieldKind::Date => parse_date(text).ok().map(Value::Date),
        FieldKind::Bool => text.parse().ok().map(Value::Bool),
        FieldKind::Instant => {
            let micros: i64 = text.parse().ok()?;
            let instant = OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000);
            instant.ok().map(Value::Instant)
        }
        _ => Some(Value::Text(text.to_owned())),
    }
}

fn unreadable(row: &GroupRow) -> StoreError {
    StoreError::Unavailable(format!("a tally answered what is no figure: {row:?}"))
}
