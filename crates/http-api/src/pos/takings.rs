//! Daily takings of the point of sale.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Entity;
use racun_access::Permission::ReadTill;
use racun_application::pos::takings::daily;
use racun_kernel::calendar::{format_date, parse_date};
use racun_kernel::{Decimal, Scope};
use racun_pos::takings::{self, Takings};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::{Convert, answer};
use crate::error::ApiError;
use crate::openapi::number;
use crate::request::Query;
use crate::route::{Gate, Parameter, ParameterKind, Route};
use crate::services::Services;
use crate::settlement::payment::PaymentTypeBody;

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
    "Answers what the invoices issued under one date come to, all money in the entity's \
         currency. Voided ones are counted and left out of everything else; nothing is sent to any \
         authority. An invoice in another currency counts with what it was converted to; one \
         without a rate is counted, its money is left out.",
)
.reads(&[Parameter {
    name: "date",
    meaning: "The date on the invoices, YYYY-MM-DD; today in the entity's time zone when absent.",
    kind: ParameterKind::Text,
}])
.answers::<TakingsBody>()];

/// What a day's invoices come to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DailyTakings)]
struct TakingsBody {
    /// The date on the invoices.
    #[schema(format = Date)]
    date: String,
    /// The entity's currency, in which all amounts are.
    currency_code: String,
    totals: TotalsBody,
    /// Active payments of the day's invoices, whenever they were made, in the order of the type's
    /// name.
    by_payment_type: Vec<PaymentTakingsBody>,
    /// In the order of the rate, lowest first.
    by_tax_rate: Vec<TaxTakingsBody>,
    /// In the order of the name; lines without a category come last, under null.
    by_category: Vec<CategoryTakingsBody>,
    /// In the order of the label; invoices that no person issued come last, under null.
    by_operator: Vec<OperatorTakingsBody>,
}

answer! {
    /// What all invoices of a day come to.
    TotalsBody as DailyTakingsTotals from takings::Totals {
        /// Invoices that are not voided.
        #[schema(schema_with = number)]
        invoices: Decimal,
        /// Voided invoices.
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

answer! {
    /// What one person sold.
    OperatorTakingsBody as OperatorTakings from takings::OperatorTakings {
        /// The person's name, or e-mail address; null for what no person issued.
        operator: Option<String>,
        /// Invoices.
        #[schema(schema_with = number)]
        invoices: Decimal,
        /// With tax.
        #[schema(schema_with = number)]
        total: Decimal,
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
        }
    }
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    query: Query,
) -> Result<Json<TakingsBody>, ApiError> {
    let date = query.one("date")?.map(parse_date).transpose().map_err(|issue| issue.at("date"))?;
    let report = daily(&*services.store, &scope, &entity, date, &services.stamp()).await?;
    Ok(Json(report.convert()))
}
