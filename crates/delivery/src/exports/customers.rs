//! Customers as rows.

use racun_catalog::Customer;
use racun_exports::ColumnKind::{Instant, Text};
use racun_exports::{Cell, Sheet, SheetWriter};
use racun_store::Context;

use super::{ExportError, ExportPlan, for_each_page};

pub(super) async fn write(
    cx: Context<'_>,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let columns = [
        ("name", Text),
        ("tax_number", Text),
        ("company_number", Text),
        ("address", Text),
        ("address_2", Text),
        ("post_code", Text),
        ("city", Text),
        ("country", Text),
        ("email", Text),
        ("contact_type", Text),
        ("vat_registered", Text),
        ("consumer", Text),
        ("created_at", Instant),
        ("id", Text),
    ];
    to.begin(&Sheet::new("customers", locale).with(locale, &columns))?;
    for source in &plan.sources {
        let each = |page: Vec<Customer>| {
            for customer in &page {
                to.row(&row(customer))?;
            }
            Ok(())
        };
        for_each_page(cx, source, each).await?;
    }
    Ok(())
}

fn row(customer: &Customer) -> Vec<Cell> {
    vec![
        (&customer.name).into(),
        customer.tax_number.as_ref().into(),
        customer.company_number.as_ref().into(),
        customer.address.as_ref().into(),
        customer.address_2.as_ref().into(),
        customer.post_code.as_ref().into(),
        customer.city.as_ref().into(),
        customer.country_code.as_ref().or(customer.country.as_ref()).into(),
        customer.email.as_ref().into(),
        customer.contact_type.name().into(),
        customer.is_tax_subject.into(),
        customer.is_end_consumer.into(),
        customer.created_at.into(),
        customer.id.to_string().into(),
    ]
}
