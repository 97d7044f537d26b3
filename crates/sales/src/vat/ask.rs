//! What kind of sale two parties would have, without a document.

use racun_access::{Entity, country_code};
use racun_documents::{NumberCheck, Sides, TransactionType};
use racun_fiscalization::Ports;
use racun_kernel::Issues;
use time::OffsetDateTime;

use super::check::{Inquiry, StoredCheck};
use crate::error::Error;

/// One side of a sale, as a caller describes it.
#[derive(Debug, Clone, Default)]
pub struct SaleParty {
    /// Its country's name.
    pub country: Option<String>,
    /// Its country's code, which wins over the name.
    pub country_code: Option<String>,
}

/// The two sides of a sale.
#[derive(Debug, Clone, Default)]
pub struct SaleParties {
    /// Who sells; the entity's country counts when it names none.
    pub issuer: SaleParty,
    /// Whether the issuer is registered for VAT.
    pub issuer_is_tax_subject: bool,
    /// Who buys.
    pub customer: SaleParty,
    /// The customer's tax number.
    pub customer_tax_number: Option<String>,
    /// Whether the customer buys for itself, not for a business.
    pub customer_is_end_consumer: bool,
}

/// The kind of a sale, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleKind {
    /// The kind.
    pub transaction_type: TransactionType,
    /// Whether the customer owes the tax.
    pub reverse_charge_applies: bool,
    /// The issuer's country.
    pub issuer_country_code: Option<String>,
    /// The customer's country.
    pub customer_country_code: Option<String>,
    /// Whether the VAT number is valid; `None` when VIES gave no answer, or none was needed.
    pub vies_valid: Option<bool>,
    /// Why the answer is not certain, or why the sale is none to a business.
    pub warning: Option<String>,
    /// Whether the issuer is registered for VAT.
    pub is_tax_subject: bool,
    /// When VIES gave the answer, or the number was looked at; `None` where none was needed.
    pub checked_at: Option<OffsetDateTime>,
}

/// The kind of the sale that `parties` would have. VIES is asked where it has to be, and its answer
/// is kept.
///
/// # Errors
/// A country that is not known; the store's failure. The silence of VIES is none.
pub async fn kind_of_sale(
    ports: Ports<'_>,
    entity: &Entity,
    parties: SaleParties,
) -> Result<SaleKind, Error> {
    let mut issues = Issues::default();
    let code = |party: &SaleParty| {
        let code = country_code(party.country_code.as_deref(), party.country.as_deref());
        code.map_err(Issues::from)
    };
    let issuer = issues.collect("issuer", code(&parties.issuer)).flatten();
    let customer = issues.collect("customer", code(&parties.customer)).flatten();
    let (issuer, customer) = issues.into_result((issuer, customer))?;
    let issuer = issuer.or_else(|| entity.country_code.clone());
    let sides = Sides {
        issuer_country: issuer.as_deref(),
        issuer_is_tax_subject: parties.issuer_is_tax_subject,
        customer_country: customer.as_deref(),
        customer_tax_number: parties.customer_tax_number.as_deref(),
        customer_is_end_consumer: parties.customer_is_end_consumer,
        number_is_valid: None,
    };
    let check = if sides.treatment().rests_on_tax_number {
        let number = parties.customer_tax_number.clone();
        let inquiry = Inquiry::of(entity, customer.clone(), number);
        Some(look_up(ports, &inquiry).await?)
    } else {
        None
    };
    let valid = check.as_ref().and_then(|check| check.valid);
    let treatment = Sides { number_is_valid: valid, ..sides }.treatment();
    let unknown = customer.is_none().then(|| NO_COUNTRY.to_owned());
    Ok(SaleKind {
        transaction_type: treatment.transaction_type,
        reverse_charge_applies: treatment.reverse_charge_applies,
        vies_valid: valid,
        checked_at: check.as_ref().map(|check| check.checked_at),
        warning: check.and_then(|check| check.warning).or(unknown),
        is_tax_subject: parties.issuer_is_tax_subject,
        issuer_country_code: issuer,
        customer_country_code: customer,
    })
}

/// What is said of a customer without a country.
const NO_COUNTRY: &str =
    "the customer names no country, so the sale counts as domestic; send country_code";

/// Finds out what `inquiry` asks, and keeps a new answer.
async fn look_up(ports: Ports<'_>, inquiry: &Inquiry) -> Result<NumberCheck, Error> {
    let cx = ports.cx;
    let finding = match inquiry.known(cx).await? {
        StoredCheck::Enough(finding) => return Ok(finding.check),
        StoredCheck::Ask(before) => inquiry.ask(cx, ports.vat, before.map(|before| *before)).await,
    };
    if finding.is_new() {
        let mut unit = cx.unit();
        let kept = finding.hold(&mut unit);
        unit.decide(move |held| Ok::<_, Error>(((), kept.writes(held)?))).await?;
    }
    Ok(finding.check)
}
