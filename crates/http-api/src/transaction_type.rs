//! Routes that tell what kind of sale two parties would have.

use actix_web::web::{self, Json};
use racun_access::Permission::ReadRecords;
use racun_sales::vat::{SaleKind, SaleParties, SaleParty, kind_of_sale};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use crate::body::Convert;
use crate::call::EntityCall;
use crate::documents::output::TransactionTypeBody;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};

/// A till has what it needs of this on the documents that it issues.
const GATE: Gate = Gate::Entity(ReadRecords);

/// What takes the place of the deprecated route.
const SUCCESSOR: &str = "/transaction-type/check";

/// What both routes do, in full.
const DETAIL: &str = "The country's code wins over its name. Inside the Union the customer's VAT \
                      number decides: its check digits first, then VIES, the Union's register, \
                      whose answer is kept for a day (an hour, when the number is not valid). When \
                      VIES gives no answer, its last one counts, and without one the sale counts \
                      as one to a business: `warning` says so. In the sandbox a simulator answers; \
                      numbers such as DE200000005 (not valid) and DE301000004 (no answer) stand \
                      for what may happen.";

/// Routes of kinds of sales.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(SUCCESSOR, "checkTransactionType", GATE, || web::to(check))
        .about("Transaction type", "Tells what kind of sale it would be, and who owes the tax.")
        .explained(DETAIL)
        .takes::<CheckBody>()
        .answers::<SaleKindBody>(),
    Route::post("/vies/check", "checkVies", GATE, || web::to(check))
        .about("VIES", "Tells what kind of sale it would be, and who owes the tax.")
        .superseded_by(SUCCESSOR)
        .takes::<CheckBody>()
        .answers::<SaleKindBody>(),
];

/// Who sells.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TransactionTypeIssuer)]
struct IssuerBody {
    /// The country's name, in English or its own language.
    country: Option<String>,
    /// The country's code, two letters; without both the entity's country counts.
    country_code: Option<String>,
    /// Whether the issuer is registered for VAT; true when absent.
    is_tax_subject: Option<bool>,
}

/// Who buys.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TransactionTypeCustomer)]
struct CustomerBody {
    /// The country's name, in English or its own language.
    country: Option<String>,
    /// The country's code, two letters.
    country_code: Option<String>,
    /// The VAT number, with the prefix of its state or without; outside the Union any tax number.
    tax_number: Option<String>,
    /// Whether the customer buys for itself, not for a business; false when absent. Inside the
    /// Union the VAT number still decides.
    is_end_consumer: Option<bool>,
}

/// The two sides of a sale.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = TransactionTypeCheck)]
struct CheckBody {
    /// Who sells.
    issuer: IssuerBody,
    /// Who buys.
    customer: CustomerBody,
}

impl Convert<SaleParties> for CheckBody {
    fn convert(self) -> SaleParties {
        let Self { issuer, customer } = self;
        SaleParties {
            issuer: SaleParty { country: issuer.country, country_code: issuer.country_code },
            issuer_is_tax_subject: issuer.is_tax_subject.unwrap_or(true),
            customer: SaleParty { country: customer.country, country_code: customer.country_code },
            customer_tax_number: customer.tax_number,
            customer_is_end_consumer: customer.is_end_consumer.unwrap_or(false),
        }
    }
}

crate::body::answer! {
    /// The kind of a sale, and what it rests on.
    SaleKindBody as TransactionTypeResult from SaleKind {
        /// The kind of sale.
        transaction_type: TransactionTypeBody,
        /// Whether the customer owes the tax.
        reverse_charge_applies: bool,
        /// The issuer's country.
        issuer_country_code: Option<String>,
        /// The customer's country; null when it names none, and the sale counts as domestic.
        customer_country_code: Option<String>,
        /// Whether the customer's VAT number is valid; null when VIES gave no answer, or none was
        /// needed.
        vies_valid: Option<bool>,
        /// Why the answer is not certain, or why the sale is none to a business.
        warning: Option<String>,
        /// Whether the issuer is registered for VAT, as it was sent.
        is_tax_subject: bool,
        /// When VIES gave its answer, or the number was looked at; null when none was needed.
        checked_at: Option<String>,
    }
}

async fn check(call: EntityCall, body: Body<CheckBody>) -> Result<Json<SaleKindBody>, ApiError> {
    let parties = body.0.convert();
    let task =
        call.run(|call| async move { kind_of_sale(call.ports(), call.entity(), parties).await });
    Ok(Json(task.await?.convert()))
}
