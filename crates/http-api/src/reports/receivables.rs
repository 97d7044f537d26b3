//! What customers owe.

use actix_web::{Either, web};
use racun_access::Permission::ReadRecords;
use racun_insights::{Aging, Buckets};
use racun_kernel::calendar::format_date;
use racun_kernel::{Currency, Decimal, Issue, Issues, id};
use racun_reporting::receivables::{CustomerStatement, aging, statement};
use serde::Serialize;
use utoipa::ToSchema;

use super::files::{self, Answer, Format};
use super::{aging as by_age, day, days, statement as account};
use crate::answer;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::route::{Gate, Parameter, Route};
use crate::schema::number;

const TAG: &str = "Receivables";

const STATEMENT: &[Parameter] = &[
    Parameter::day("date_from", "The first day. Required."),
    Parameter::day("date_to", "The last day. Required."),
    Parameter::text("currency_code", "The currency; the entity's when absent."),
    Format::PARAMETER,
];

const AGING: &[Parameter] = &[
    Parameter::day("date", "The day on which it was open; today when absent."),
    Format::PARAMETER,
];

/// Routes of receivables.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/reports/aging", "getAging", Gate::Entity(ReadRecords), || web::to(ages))
        .about(TAG, "Answers what was open on a day, by customer and by how late it was.")
        .explained(
            "Invoices, credit notes, voids and money count by their days, and what is later does \
             not count, so that a customer's total is the closing balance of the statement of \
             that day. What is owed to a customer, such as a credit note that settles no invoice \
             or money that came before its invoice, is below zero under `current`. `total` is in \
             the entity's currency; documents without a rate of exchange are not in it. When more \
             than 100,000 documents and payments are open or of later, it is refused with 422 \
             (`query_too_expensive`): ask for a later day.",
        )
        .long()
        .reads(AGING)
        .answers::<AgingBody>(),
    Route::get("/customers/{id}/statement", "getStatement", Gate::Entity(ReadRecords), || {
        web::to(of_customer)
    })
    .about(TAG, "Answers a customer's account over some days.")
    .explained(
        "Invoices and credit notes by their dates, voids by the day of the void, money by the day \
         on which it moved, in one currency; `other_currencies` names those in which there are \
         further documents.",
    )
    .reads(STATEMENT)
    .answers::<StatementBody>(),
];

/// Sums by how late they are.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgingBuckets)]
struct BucketsBody {
    /// What is not late.
    #[schema(schema_with = number)]
    current: Decimal,
    /// Up to 30 days late.
    #[serde(rename = "1-30")]
    #[schema(schema_with = number)]
    to_30: Decimal,
    /// Up to 60 days late.
    #[serde(rename = "31-60")]
    #[schema(schema_with = number)]
    to_60: Decimal,
    /// Up to 90 days late.
    #[serde(rename = "61-90")]
    #[schema(schema_with = number)]
    to_90: Decimal,
    /// More than 90 days late.
    #[serde(rename = "90+")]
    #[schema(schema_with = number)]
    beyond_90: Decimal,
    /// All of it.
    #[schema(schema_with = number)]
    total: Decimal,
}

fn buckets(buckets: Buckets) -> BucketsBody {
    let total = buckets.total();
    let [current, to_30, to_60, to_90, beyond_90] = buckets.by_age;
    BucketsBody { current, to_30, to_60, to_90, beyond_90, total }
}

/// What a customer owes in a currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgingCustomer)]
struct AgedBody {
    /// The customer; null for documents without one.
    #[schema(required = true)]
    customer_id: Option<String>,
    /// The customer's name.
    #[schema(required = true)]
    name: Option<String>,
    /// The currency.
    currency_code: String,
    /// What is not late.
    #[schema(schema_with = number)]
    current: Decimal,
    /// Up to 30 days late.
    #[serde(rename = "1-30")]
    #[schema(schema_with = number)]
    to_30: Decimal,
    /// Up to 60 days late.
    #[serde(rename = "31-60")]
    #[schema(schema_with = number)]
    to_60: Decimal,
    /// Up to 90 days late.
    #[serde(rename = "61-90")]
    #[schema(schema_with = number)]
    to_90: Decimal,
    /// More than 90 days late.
    #[serde(rename = "90+")]
    #[schema(schema_with = number)]
    beyond_90: Decimal,
    /// All of it.
    #[schema(schema_with = number)]
    total: Decimal,
}

/// What was open on a day, by customer and age.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Aging)]
struct AgingBody {
    /// By name.
    customers: Vec<AgedBody>,
    /// All of it, in the entity's currency.
    total: BucketsBody,
    /// The entity's currency.
    currency_code: String,
    /// Open documents without a rate of exchange, which are not in `total`.
    not_converted: usize,
}

fn aged(aging: Aging, currency: Currency) -> AgingBody {
    let customer = |one: racun_insights::AgedCustomer| {
        let BucketsBody { current, to_30, to_60, to_90, beyond_90, total } = buckets(one.buckets);
        AgedBody {
            customer_id: one.customer_id,
            name: one.name,
            currency_code: one.currency.to_string(),
            current,
            to_30,
            to_60,
            to_90,
            beyond_90,
            total,
        }
    };
    AgingBody {
        customers: aging.customers.into_iter().map(customer).collect(),
        total: buckets(aging.total),
        currency_code: currency.to_string(),
        not_converted: aging.not_converted,
    }
}

async fn ages(call: EntityCall, query: Query) -> Result<Answer<AgingBody>, ApiError> {
    let mut issues = Issues::default();
    let date = day(&query, "date", &mut issues)?;
    issues.into_result(())?;
    let format = Format::of(&query)?;
    let found = aging(call.cx(), call.entity(), date).await?;
    let currency = call.entity().currency;
    let stem = format!("aging_{}", found.date);
    match format {
        Format::Json => Ok(Either::Left(answer::Json(aged(found, currency)))),
        Format::Csv => files::csv(&call, &stem, &by_age::COLUMNS, &by_age::rows(&found, currency)),
        Format::Pdf => files::pdf(&call, &stem, by_age::text(&found, call.entity())).await,
    }
}

/// A customer's account over some days.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomerStatement)]
struct StatementBody {
    /// The customer.
    customer_id: String,
    /// The customer's name.
    name: String,
    /// The currency.
    currency_code: String,
    /// Other currencies in which the customer has documents.
    other_currencies: Vec<String>,
    /// The first day.
    #[schema(format = Date)]
    date_from: String,
    /// The last day.
    #[schema(format = Date)]
    date_to: String,
    /// What was owed before the first day.
    #[schema(schema_with = number)]
    opening_balance: Decimal,
    /// What changed it.
    movements: Vec<MovementBody>,
    /// What is owed at the end of the last day.
    #[schema(schema_with = number)]
    closing_balance: Decimal,
}

/// What changed what is owed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatementMovement)]
struct MovementBody {
    /// When.
    #[schema(format = Date)]
    date: String,
    /// `invoice`, `credit_note`, `void`, `payment` or `refund`.
    r#type: String,
    /// The document's or the payment's id.
    id: String,
    /// The document's number, or the payment's reference.
    #[schema(required = true)]
    reference: Option<String>,
    /// Above zero for what makes the customer owe more.
    #[schema(schema_with = number)]
    amount: Decimal,
    /// What is owed with it.
    #[schema(schema_with = number)]
    balance: Decimal,
}

fn body(found: CustomerStatement) -> StatementBody {
    let movement = |(one, balance): (racun_insights::Movement, Decimal)| MovementBody {
        date: format_date(one.date),
        r#type: one.kind.name().to_owned(),
        id: one.id,
        reference: one.reference,
        amount: one.amount,
        balance,
    };
    let account = found.statement;
    StatementBody {
        customer_id: found.customer.id.to_string(),
        name: found.customer.name,
        currency_code: found.currency.to_string(),
        other_currencies: found.other_currencies,
        date_from: format_date(account.from),
        date_to: format_date(account.to),
        opening_balance: account.opening_balance,
        movements: account.movements.into_iter().map(movement).collect(),
        closing_balance: account.closing_balance,
    }
}

async fn of_customer(
    call: EntityCall,
    path: PathId<id::Customer>,
    query: Query,
) -> Result<Answer<StatementBody>, ApiError> {
    let range = days(&query)?;
    let currency = query.one("currency_code")?.map(str::parse::<Currency>).transpose();
    let currency = currency.map_err(|unknown| {
        Issue::new("invalid_currency", unknown.to_string()).at("currency_code")
    })?;
    let format = Format::of(&query)?;
    let id = path.0.to_string();
    let found = statement(call.cx(), call.entity(), &id, range, currency).await?;
    let stem = format!("statement_{}_{}", range.0, range.1);
    match format {
        Format::Json => Ok(Either::Left(answer::Json(body(found)))),
        Format::Csv => files::csv(&call, &stem, &account::COLUMNS, &account::rows(&found)),
        Format::Pdf => files::pdf(&call, &stem, account::text(&found, call.entity())).await,
    }
}
