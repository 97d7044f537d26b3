//! The supplier as frozen on an expense, and what of it is kept in the catalogue.

use racun_catalog::{Item, Resource as _, SUPPLIERS, Supplier, SupplierInput};
use racun_kernel::id::SupplierId;
use racun_kernel::{Event, Issue, Issues, Load, Patch, Put, Scope, Stamp, StoreError, Stored};
use racun_kernel::{Tenant, Writes};
use racun_settlement::{ExpenseContent, ExpenseSupplier};

use super::compose::Gathered;
use super::request::ExpenseRequest;
use crate::documents::ITEM_CREATED;

/// What an expense's commit writes into the catalogue.
#[derive(Default)]
pub(super) struct Savings {
    /// New items.
    pub items: Vec<Item>,
    supplier: Option<SaveSupplier>,
}

enum SaveSupplier {
    New(Box<Supplier>),
    Refresh(SupplierId, Box<SupplierInput>),
}

/// Holds the supplier `id`.
pub(super) fn load(tenant: Tenant, id: SupplierId) -> Load {
    Load::One { table: &SUPPLIERS, tenant, id: id.to_string() }
}

impl Savings {
    /// The record to hold, when one is to be refreshed.
    pub fn loads(&self, tenant: Tenant) -> Vec<Load> {
        match &self.supplier {
            Some(SaveSupplier::Refresh(id, _)) => vec![load(tenant, *id)],
            Some(SaveSupplier::New(_)) | None => Vec::new(),
        }
    }

    /// Adds what is kept to `writes`, given the rows of the supplier's record where that was held.
    pub fn write(
        self,
        held: Option<&Vec<Stored>>,
        writes: &mut Writes,
        scope: &Scope,
        stamp: &Stamp,
    ) -> Result<(), StoreError> {
        for item in &self.items {
            writes.puts.push(Put::insert(item));
            let (subject, actor) = (item.id.to_string(), scope.principal().id());
            writes.events.push(Event::new(scope.tenant(), ITEM_CREATED, subject, actor, stamp));
        }
        match (self.supplier, held.and_then(|rows| rows.first())) {
            (Some(SaveSupplier::New(supplier)), _) => writes.puts.push(Put::insert(&*supplier)),
            (Some(SaveSupplier::Refresh(_, input)), Some(row)) => {
                let before: Supplier = row.read(&SUPPLIERS)?;
                let mut after = before.clone();
                // The same input passed on the record as it was read a moment ago.
                if input.apply(&mut after).is_ok() && after != before {
                    after.set_updated_at(stamp.now());
                    writes.puts.push(Put::update(&before, &after));
                }
            }
            (Some(SaveSupplier::Refresh(..)) | None, _) => {}
        }
        Ok(())
    }
}

/// Writes into `content` what `request` says of the supplier, and decides what to keep of it.
pub(super) fn apply(
    content: &mut ExpenseContent,
    request: &ExpenseRequest,
    gathered: &Gathered,
    savings: &mut Savings,
    stamp: &Stamp,
    issues: &mut Issues,
) {
    match &request.supplier_id {
        Patch::Absent => {}
        Patch::Null => (content.supplier_id, content.supplier) = (None, None),
        Patch::Value(_) => match &gathered.supplier {
            Some(supplier) => {
                content.supplier_id = Some(supplier.id);
                content.supplier = Some(frozen(supplier));
            }
            None => return issues.push(not_found()),
        },
    }
    match &request.supplier {
        Patch::Absent => {}
        Patch::Null => content.supplier = None,
        Patch::Value(patch) => {
            let mut supplier = patch.clone().onto(content.supplier.take().unwrap_or_default());
            issues.collect("supplier", check_country(&mut supplier));
            content.supplier = Some(supplier);
        }
    }
    if request.save_supplier {
        let saved = save(content, gathered, stamp);
        savings.supplier = saved.unwrap_or_else(|found| {
            found.iter().for_each(|issue| issues.push(issue.clone()));
            None
        });
    }
}

fn save(
    content: &mut ExpenseContent,
    gathered: &Gathered,
    stamp: &Stamp,
) -> Result<Option<SaveSupplier>, Issues> {
    let Some(supplier) = &content.supplier else { return Ok(None) };
    let at_supplier = |issues: Issues| {
        let mut outer = Issues::default();
        outer.extend_at("supplier", issues);
        outer
    };
    let input = input(supplier);
    let Some(id) = content.supplier_id else {
        let supplier = input.into_supplier(gathered.entity.id, stamp).map_err(at_supplier)?;
        content.supplier_id = Some(supplier.id);
        return Ok(Some(SaveSupplier::New(Box::new(supplier))));
    };
    let record = gathered.supplier.as_ref().filter(|record| record.id == id);
    let mut tried = record.cloned().ok_or_else(not_found)?;
    input.clone().apply(&mut tried).map_err(at_supplier)?;
    Ok(Some(SaveSupplier::Refresh(id, Box::new(input))))
}

fn not_found() -> Issue {
    let message = "there is no such supplier in this entity; create it, or send supplier";
    Issue::new("not_found", message).at("supplier_id")
}

/// Capital letters for the country's code, which has two.
fn check_country(supplier: &mut ExpenseSupplier) -> Result<(), Issues> {
    let Some(code) = &mut supplier.country_code else { return Ok(()) };
    code.make_ascii_uppercase();
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(());
    }
    let message = "expected a country code of two letters, such as SI";
    Err(Issue::new("invalid_country_code", message).at("country_code").into())
}

/// The catalogue's supplier as an expense keeps it.
fn frozen(supplier: &Supplier) -> ExpenseSupplier {
    ExpenseSupplier {
        name: Some(supplier.name.clone()),
        email: supplier.email.clone(),
        address: supplier.address.clone(),
        address_2: supplier.address_2.clone(),
        post_code: supplier.post_code.clone(),
        city: supplier.city.clone(),
        state: supplier.state.clone(),
        country: supplier.country.clone(),
        country_code: supplier.country_code.clone(),
        tax_number: supplier.tax_number.clone(),
        company_number: supplier.company_number.clone(),
        phone: supplier.phone.clone(),
        peppol_id: supplier.peppol_id.clone(),
        is_tax_subject: Some(supplier.is_tax_subject),
        bank_accounts: None,
    }
}

/// An expense's supplier as the catalogue is told of it. Bank accounts stay behind: its suppliers
/// have none.
fn input(supplier: &ExpenseSupplier) -> SupplierInput {
    let text = |text: &Option<String>| Patch::from(text.clone());
    SupplierInput {
        name: text(&supplier.name),
        address: text(&supplier.address),
        address_2: text(&supplier.address_2),
        post_code: text(&supplier.post_code),
        city: text(&supplier.city),
        state: text(&supplier.state),
        country: text(&supplier.country),
        country_code: text(&supplier.country_code),
        tax_number: text(&supplier.tax_number),
        company_number: text(&supplier.company_number),
        peppol_id: text(&supplier.peppol_id),
        email: text(&supplier.email),
        phone: text(&supplier.phone),
        is_tax_subject: supplier.is_tax_subject.map_or(Patch::Absent, Patch::Value),
        metadata: Patch::Absent,
    }
}
