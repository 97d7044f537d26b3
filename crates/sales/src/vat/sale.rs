//! The two sides of a document's sale, and its kind.

use racun_access::{Entity, known_country};
use racun_documents::{NumberCheck, Party, Sides, TaxTreatment, ViesData};
use racun_kernel::Stamp;

/// The code of the customer's country; `None` where it says none that is known.
pub(super) fn country_of(customer: &Party) -> Option<String> {
    known_country(customer.country_code.as_deref(), customer.country.as_deref())
}

/// The kind of a sale of `entity` to `customer`, of whose VAT number `check` was found out.
pub(crate) fn treatment(
    entity: &Entity,
    customer: Option<&Party>,
    check: Option<&NumberCheck>,
) -> TaxTreatment {
    let country = customer.and_then(country_of);
    let sides = Sides {
        issuer_country: entity.country_code.as_deref(),
        issuer_is_tax_subject: entity.is_tax_subject,
        customer_country: country.as_deref(),
        customer_tax_number: customer.and_then(|customer| customer.tax_number.as_deref()),
        customer_is_end_consumer: customer.and_then(|c| c.is_end_consumer).unwrap_or(false),
        number_is_valid: check.and_then(|check| check.valid),
    };
    sides.treatment()
}

/// What a document says of VIES, where its sale rests on the customer's VAT number.
pub(crate) fn document_data(
    treatment: TaxTreatment,
    customer: Option<&Party>,
    check: Option<&NumberCheck>,
    stamp: &Stamp,
) -> Option<ViesData> {
    let customer = customer.filter(|_| treatment.rests_on_tax_number)?;
    let unasked = || {
        let why = "the customer's tax number was not checked with VIES";
        NumberCheck::skipped(why, stamp.now())
    };
    let check = check.cloned().unwrap_or_else(unasked);
    Some(ViesData::new(treatment, check, country_of(customer), customer.tax_number.clone()))
}
