//! Statistics.

use actix_web::web;
use racun_access::Permission::ReadRecords;
use racun_insights::{StatQuery, StatRow, StatValue, parse_queries};
use racun_kernel::calendar::{format_date, format_instant};
use racun_reporting::MAX_RECORDS;
use racun_reporting::stats::{StatsError, Way, answer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use validator::{Validate, ValidationErrors};

use crate::answer::Page;
use crate::call::EntityCall;
use crate::error::{ApiError, Kind};
use crate::limits::paced;
use crate::request::Body;
use crate::route::{Gate, Route};

/// Routes of statistics.
pub(crate) const ROUTES: &[Route] =
    &[Route::post("/stats/query", "queryStats", Gate::Entity(ReadRecords), || web::to(query))
        .about("Entity stats", "Counts and adds up an entity's records, by groups.")
        .explained(
            "Up to 25 queries at once, also one alone as an object. Drafts and voided documents \
             are counted unless a filter leaves them out; records in the trash never are. A sum of \
             converted amounts takes the document's own where nothing was converted. Beside \
             fields, rows are grouped by `month`, `year`, `overdue_bucket` (`current`, `1-30`, \
             `31-60`, `61-90`, `90+`; what is a draft, paid or voided is `current`) and \
             `quote_currency`; payments by the currencies of their documents. A filter is an \
             object of fields with values, arrays of values, or the operators `equals`, `not`, \
             `gt`, `gte`, `lt`, `lte`, `in` and `notIn`. Averages have two decimals. Payments by \
             currencies or converted amounts, which their documents know, are looked at one by \
             one: over more than 100,000 of them in all queries of a request, it is refused with \
             422 (`query_too_expensive`), and `cause.path` names the query; name fewer days. An \
             entity's questions are answered one after the other; those of one that asks without \
             a pause are slowed, and then refused with 429.",
        )
        .long()
        .takes::<QueriesBody>()
        .answers::<AnswersBody>()];

/// The body as it was sent: the queries are read by [`parse_queries`], which knows all names.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Sent(Json);

impl Validate for Sent {
    fn validate(&self) -> Result<(), ValidationErrors> {
        Ok(())
    }
}

/// Queries, 1 to 25.
#[derive(Debug, ToSchema)]
#[schema(as = StatsQueries)]
#[expect(dead_code, reason = "it describes what is sent")]
struct QueriesBody(Vec<QueryBody>);

/// A query.
#[derive(Debug, ToSchema)]
#[schema(as = StatsQuery)]
#[expect(dead_code, reason = "it describes what is sent")]
struct QueryBody {
    /// `invoices`, `estimates`, `credit_notes`, `advance_invoices`, `payments`, `customers`,
    /// `items` or `invoice_taxes`.
    table: String,
    /// What is answered of each group, 1 to 20.
    metrics: Vec<MetricBody>,
    /// Only records from this day on; customers and items by the day on which they were made.
    date_from: Option<String>,
    /// Only records up to this day.
    date_to: Option<String>,
    /// Fields with values or operators; all must hold.
    filters: Option<Map<String, Json>>,
    /// Fields, or `month`, `year`, `overdue_bucket`.
    group_by: Option<Vec<String>>,
    /// Groups or aliases to order by; by groups when absent.
    order_by: Option<Vec<OrderBody>>,
    /// Rows at most, 1 to 10,000; 10,000 when absent.
    limit: Option<i64>,
}

/// A figure of a group.
#[derive(Debug, ToSchema)]
#[schema(as = StatsMetric)]
#[expect(dead_code, reason = "it describes what is sent")]
struct MetricBody {
    /// `count`, `sum`, `avg`, `min` or `max`.
    r#type: String,
    /// The field; none for `count`.
    field: Option<String>,
    /// What it is called in the answer; `sum_total` for the sum of `total` when absent.
    alias: Option<String>,
}

/// What to order by.
#[derive(Debug, ToSchema)]
#[schema(as = StatsOrder)]
#[expect(dead_code, reason = "it describes what is sent")]
struct OrderBody {
    /// A group or an alias.
    field: String,
    /// `asc` or `desc`; `asc` when absent.
    direction: Option<String>,
}

/// Answers, in the order of the queries.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsAnswers)]
struct AnswersBody(Vec<AnswerBody>);

/// The answer to a query.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsAnswer)]
struct AnswerBody {
    /// What was asked.
    query: AskedBody,
    /// The rows: groups and metrics by their names.
    data: Vec<Map<String, Json>>,
    /// How many there are.
    row_count: usize,
}

/// What was asked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsAsked)]
struct AskedBody {
    /// The table.
    table: String,
    /// The first day.
    #[schema(required = true)]
    date_from: Option<String>,
    /// The last day.
    #[schema(required = true)]
    date_to: Option<String>,
    /// What rows were grouped by.
    group_by: Vec<String>,
}

async fn query(call: EntityCall, body: Body<Sent>) -> Result<Page, ApiError> {
    let queries = parse_queries(&body.0.0)?;
    let entity = call.entity().id;
    let page = call.page(|call| async move {
        let rows = answer(call.cx(), call.entity(), &queries, Way::Counted).await;
        let rows = rows.map_err(|error| refused(error, queries.len()))?;
        let answers = queries.iter().zip(rows).map(|(query, rows)| answered(query, rows));
        Ok(AnswersBody(answers.collect()))
    });
    paced(entity, page).await
}

/// Why `asked` queries are not answered.
fn refused(error: StatsError, asked: usize) -> ApiError {
    match error {
        StatsError::TooExpensive(place) => {
            let message = format!(
                "query {} of {asked} looks at too much, alone or beside those before it: payments \
                 by currencies or converted amounts are looked at one by one, {MAX_RECORDS} of \
                 them in one request; name fewer days, or ask it in a request of its own",
                place + 1
            );
            let cause = json!({ "code": "query_too_expensive", "path": [place] });
            ApiError::new(Kind::Unprocessable, message).because(cause)
        }
        StatsError::Store(error) => error.into(),
    }
}

fn answered(query: &StatQuery, rows: Vec<StatRow>) -> AnswerBody {
    let groups = query.groups.iter().map(|group| group.name().to_owned());
    let groups: Vec<String> = groups.collect();
    let metrics = query.metrics.iter().map(|metric| metric.alias.clone());
    let columns: Vec<String> = groups.iter().cloned().chain(metrics).collect();
    let row = |StatRow(values): StatRow| {
        columns.iter().cloned().zip(values.into_iter().map(json)).collect::<Map<_, _>>()
    };
    let data: Vec<Map<String, Json>> = rows.into_iter().map(row).collect();
    AnswerBody {
        query: AskedBody {
            table: query.table.name().to_owned(),
            date_from: query.from.map(format_date),
            date_to: query.to.map(format_date),
            group_by: groups,
        },
        row_count: data.len(),
        data,
    }
}

fn json(value: StatValue) -> Json {
    match value {
        StatValue::Null => Json::Null,
        StatValue::Text(text) => text.into(),
        StatValue::Number(number) => json!(number),
        StatValue::Bool(value) => value.into(),
        StatValue::Date(date) => format_date(date).into(),
        StatValue::Instant(instant) => format_instant(instant).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_looks_at_too_much_is_named() {
        let body = refused(StatsError::TooExpensive(2), 25).body();
        assert_eq!(body["cause"], json!({ "code": "query_too_expensive", "path": [2] }));
        assert!(body["message"].as_str().unwrap().starts_with("query 3 of 25 "), "{body}");
    }
}
