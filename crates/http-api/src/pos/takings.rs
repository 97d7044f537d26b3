//! Daily takings of the point of sale.

use actix_web::web;
use racun_access::Permission::ReadTill;
use racun_kernel::Decimal;
use racun_kernel::calendar::{format_date, parse_date};
use racun_pos::ClosedPlace;
use racun_pos::takings::{self, Takings};
use racun_till::takings::{Filter, daily};
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Json;
use crate::body::{Convert, answer};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::payments::PaymentTypeBody;
use crate::request::Query;
use crate::route::{Gate, Parameter, Route};
use crate::schema::number;

const TAG: &str = "Point of sale";

/// Routes of reports.
pub(crate) const ROUTES: &[Route] = &[Route::get(
    "/pos/reports/daily",
    "getDailyTakings",
    Gate::Entity(ReadTill),
    || web::to(get),
)
.about(
    TAG,
    "Answers what a day came to, all money in the entity's currency: what the invoices issued \
     under its date come to, what was given back on it, and the money that moved on it. Invoices \
     voided before the day was over, or closed, are counted and left out of everything else; \
     later voids show in the day on which they were made. Nothing is sent to any authority. A \
     document in another currency counts with what it was converted to; one without a rate is \
     counted, its money is left out.",
)
.reads(&[
    Parameter::day(
        "date",
        "The date on the invoices, YYYY-MM-DD; today in the entity's time zone when \
         absent.",
    ),
    Parameter::text("business_unit_id", "Only documents of this business unit."),
    Parameter::text(
        "business_premise_name",
        "Only documents that were fiscalized at this business premise.",
    ),
    Parameter::text("electronic_device_name", "Only those of this device; needs the premise."),
])
.answers::<TakingsBody>()];

/// What a day came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DailyTakings)]
pub(super) struct TakingsBody {
    /// The date on the invoices.
    #[schema(format = Date)]
    date: String,
    /// The entity's currency, in which all amounts are.
    currency_code: String,
    totals: TotalsBody,
    /// Active payments of the day's invoices, whenever they were made, in the order of the type's
    /// name.
    by_payment_type: Vec<PaymentTakingsBody>,
    /// In the order of the rate, lowest first. What is untaxed is at rate 0, so that bases and
    /// amounts come to the gross; a line with two taxes is in two bases.
    by_tax_rate: Vec<TaxTakingsBody>,
    /// In the order of the name; lines without a category come last, under null.
    by_category: Vec<CategoryTakingsBody>,
    /// In the order of the label; invoices without a known issuer come last, under null.
    by_operator: Vec<OperatorTakingsBody>,
    /// What the day's invoices were not paid: `totals.gross` less all of `by_payment_type`.
    #[schema(schema_with = number)]
    unpaid: Decimal,
    refunds: RefundsBody,
    /// Invoices that an earlier day counted, or this one before it was closed, and that were voided
    /// on this day, unless credit notes gave back of them.
    voided_later: TakenBackBody,
    /// Of `by_payment_type`, the money that came on another day than this one.
    paid_on_other_days: Vec<MoneyBody>,
    /// Money that came on this day for other documents than the day's invoices: for those of other
    /// days and voided ones, and for advance invoices.
    received_for_others: Vec<MoneyBody>,
    /// Money of invoices and advance invoices that were voided on this day, as far as no credit
    /// note took them back: it is handed back with that.
    returned_by_voiding: Vec<MoneyBody>,
    /// Money that moved on this day, in less out: of each type `by_payment_type` less
    /// `paid_on_other_days`, plus `received_for_others`, less `refunds.by_payment_type` and
    /// `returned_by_voiding`. No money moves by the types `advance` and `credit_note`.
    net_by_payment_type: Vec<MoneyBody>,
    /// Tips of this day's payments; they are no turnover, and in no other figure.
    tips: Vec<MoneyBody>,
}

answer! {
    /// What the invoices of a day come to.
    TotalsBody as DailyTakingsTotals from takings::Totals {
        /// Invoices that count.
        #[schema(schema_with = number)]
        invoices: Decimal,
        /// Invoices that were voided before the day was over, or closed.
        #[schema(schema_with = number)]
        voided: Decimal,
        /// Before tax.
        #[schema(schema_with = number)]
        net: Decimal,
        /// Gross less net.
        #[schema(schema_with = number)]
        tax: Decimal,
        /// With tax.
        #[schema(schema_with = number)]
        gross: Decimal,
    }
}

/// What was paid in one way.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentTakings)]
struct PaymentTakingsBody {
    /// How.
    #[schema(value_type = PaymentTypeBody)]
    r#type: String,
    /// Invoices of which at least a part was paid so.
    #[schema(schema_with = number)]
    invoices: Decimal,
    /// How much.
    #[schema(schema_with = number)]
    total: Decimal,
}

impl Convert<PaymentTakingsBody> for takings::PaymentTakings {
    fn convert(self) -> PaymentTakingsBody {
        PaymentTakingsBody { r#type: self.kind, invoices: self.invoices, total: self.total }
    }
}

answer! {
    /// What was taxed at one rate.
    TaxTakingsBody as TaxTakings from takings::SaleTax {
        /// Percent.
        #[schema(schema_with = number)]
        rate: Decimal,
        /// What is taxed.
        #[schema(schema_with = number)]
        base: Decimal,
        /// The tax.
        #[schema(schema_with = number)]
        amount: Decimal,
    }
}

answer! {
    /// What was sold of one category.
    CategoryTakingsBody as CategoryTakings from takings::SaleLine {
        /// The financial category's name; null for lines without one.
        category: Option<String>,
        /// How many.
        #[schema(schema_with = number)]
        quantity: Decimal,
        /// With tax.
        #[schema(schema_with = number)]
        total: Decimal,
    }
}

/// What one person sold.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OperatorTakings)]
struct OperatorTakingsBody {
    /// The person's user id; null for what a key or a job issued.
    #[schema(required = true)]
    operator_id: Option<String>,
    /// Their name in the fiscal record; else the person's name or e-mail address; null for invoices
    /// without a known operator.
    #[schema(required = true)]
    operator: Option<String>,
    /// Invoices.
    #[schema(schema_with = number)]
    invoices: Decimal,
    /// With tax.
    #[schema(schema_with = number)]
    total: Decimal,
}

impl Convert<OperatorTakingsBody> for takings::OperatorTakings {
    fn convert(self) -> OperatorTakingsBody {
        let Self { user, operator, invoices, total } = self;
        OperatorTakingsBody { operator_id: user, operator, invoices, total }
    }
}

answer! {
    /// What was given back on a day.
    RefundsBody as DailyRefunds from takings::Refunds {
        /// Credit notes of the day's date. Those by which an invoice of this day was voided before
        /// it was over, or closed, are left out, as their invoices are.
        #[schema(schema_with = number)]
        count: Decimal,
        /// Before tax.
        #[schema(schema_with = number)]
        net: Decimal,
        /// Gross less net.
        #[schema(schema_with = number)]
        tax: Decimal,
        /// With tax.
        #[schema(schema_with = number)]
        gross: Decimal,
        /// Money that was given back on this day, of whichever credit note.
        by_payment_type: Vec<MoneyBackBody>,
        /// In the order of the rate, lowest first; what is untaxed is at rate 0.
        by_tax_rate: Vec<TaxTakingsBody>,
        /// Credit notes that were counted before and were voided on this day.
        voided_later: TakenBackBody,
    }
}

answer! {
    /// Documents that were counted before and were voided on a day.
    TakenBackBody as VoidedLater from takings::TakenBack {
        /// How many.
        #[schema(schema_with = number)]
        count: Decimal,
        /// Before tax.
        #[schema(schema_with = number)]
        net: Decimal,
        /// Gross less net.
        #[schema(schema_with = number)]
        tax: Decimal,
        /// With tax.
        #[schema(schema_with = number)]
        gross: Decimal,
    }
}

/// Money that was given back in one way.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MoneyBack)]
struct MoneyBackBody {
    /// How.
    #[schema(value_type = PaymentTypeBody)]
    r#type: String,
    /// Credit notes of which at least a part was given back so.
    #[schema(schema_with = number)]
    count: Decimal,
    /// How much.
    #[schema(schema_with = number)]
    total: Decimal,
}

impl Convert<MoneyBackBody> for takings::MoneyBack {
    fn convert(self) -> MoneyBackBody {
        MoneyBackBody { r#type: self.kind, count: self.count, total: self.total }
    }
}

/// Money of one type of payment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MoneyByType)]
pub(super) struct MoneyBody {
    /// How it moved.
    #[schema(value_type = PaymentTypeBody)]
    r#type: String,
    /// How much; below zero when more went out than came in.
    #[schema(schema_with = number)]
    total: Decimal,
}

impl Convert<MoneyBody> for takings::MoneyOfKind {
    fn convert(self) -> MoneyBody {
        MoneyBody { r#type: self.kind, total: self.total }
    }
}

impl Convert<TakingsBody> for Takings {
    fn convert(self) -> TakingsBody {
        TakingsBody {
            date: format_date(self.date),
            currency_code: self.currency.to_string(),
            totals: self.totals.convert(),
            by_payment_type: self.by_payment_type.convert(),
            by_tax_rate: self.by_tax_rate.convert(),
            by_category: self.by_category.convert(),
            by_operator: self.by_operator.convert(),
            unpaid: self.unpaid,
            refunds: self.refunds.convert(),
            voided_later: self.voided_later.convert(),
            paid_on_other_days: self.paid_on_other_days.convert(),
            received_for_others: self.received_for_others.convert(),
            returned_by_voiding: self.returned_by_voiding.convert(),
            net_by_payment_type: self.net_by_payment_type.convert(),
            tips: self.tips.convert(),
        }
    }
}

/// Whose documents `query` asks for.
fn filter(query: &Query) -> Result<Filter, ApiError> {
    let one = |name| query.one(name).map(|value| value.map(str::to_owned));
    let place = ClosedPlace::of(one("business_premise_name")?, one("electronic_device_name")?)?;
    Ok(Filter { business_unit: one("business_unit_id")?, place })
}

async fn get(call: EntityCall, query: Query) -> Result<Json<TakingsBody>, ApiError> {
    let date = query.one("date")?.map(parse_date).transpose().map_err(|issue| issue.at("date"))?;
    let report = daily(call.cx(), call.entity(), date, &filter(&query)?).await?;
    Ok(Json(report.convert()))
}
