//! The supplier as frozen on an expense, and what of it is kept in the catalogue.

use racun_catalog::events::{item, supplier};
use racun_catalog::{Item, Resource as _, SUPPLIERS, Supplier, SupplierInput};
use racun_documents::expense::{ExpenseContent, ExpenseSupplier};
use racun_kernel::id::{EntityId, SupplierId};
use racun_kernel::{Issue, Issues, Patch, Stamp};
use racun_store::{Actor, One, UnitBuilder, Writes};

use super::gather::ResolvedReferences;
use super::request::ExpenseRequest;

/// What an expense's commit writes into the catalogue.
#[derive(Default)]
pub(super) struct CatalogueWrites {
    /// New items.
    pub items: Vec<Item>,
    supplier: Option<SaveSupplier>,
}

enum SaveSupplier {
    New(Box<Supplier>),
    Refresh(SupplierId, Box<SupplierInput>),
}

impl CatalogueWrites {
    /// Holds the record that is to be refreshed.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> Option<One<Supplier>> {
        match &self.supplier {
            Some(SaveSupplier::Refresh(id, _)) => Some(unit.hold(&SUPPLIERS, id)),
            Some(SaveSupplier::New(_)) | None => None,
        }
    }

    /// What is kept, given the supplier's record where that was held.
    pub fn writes(self, held: Option<Supplier>, actor: &Actor) -> Writes {
        let writes = self.items.iter().fold(Writes::default(), |writes, item| {
            writes.insert(item).events([actor.event(item::CREATED, item.id)])
        });
        match (self.supplier, held) {
            (Some(SaveSupplier::New(supplier)), _) => {
                let created = actor.event(supplier::CREATED, supplier.id);
                writes.insert(&*supplier).events([created])
            }
            (Some(SaveSupplier::Refresh(_, input)), Some(before)) => {
                let mut after = before.clone();
                // The same input passed on the record as it was read a moment ago.
                if input.apply(&mut after).is_err() || after == before {
                    return writes;
                }
                after.set_updated_at(actor.now());
                let updated = actor.event(supplier::UPDATED, after.id);
                writes.update(&before, &after).events([updated])
            }
            (Some(SaveSupplier::Refresh(..)) | None, _) => writes,
        }
    }
}

/// Writes into `content` what `request` says of the supplier, and decides what to keep of it.
pub(super) fn apply(
    content: &mut ExpenseContent,
    request: &ExpenseRequest,
    gathered: &ResolvedReferences,
    catalogue: &mut CatalogueWrites,
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
            let supplier = patch.clone().onto(content.supplier.take().unwrap_or_default());
            issues.collect("supplier", supplier.check_country());
            content.supplier = Some(supplier.with_country_in_capitals());
        }
    }
    if request.save_supplier {
        let saved = save(content, gathered, stamp);
        catalogue.supplier = saved.unwrap_or_else(|found| {
            found.iter().for_each(|issue| issues.push(issue.clone()));
            None
        });
    }
}

fn save(
    content: &mut ExpenseContent,
    gathered: &ResolvedReferences,
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

/// The supplier of `content` as a new one of the catalogue; `None` when it has no name, or is one
/// of the catalogue's.
///
/// # Errors
/// What is wrong with it, by path.
pub(super) fn newcomer(
    content: &ExpenseContent,
    entity_id: EntityId,
    stamp: &Stamp,
) -> Result<Option<Supplier>, Issues> {
    let supplier = content.supplier.as_ref().filter(|_| content.supplier_id.is_none());
    let named = |supplier: &&ExpenseSupplier| {
        supplier.name.as_deref().is_some_and(|name| !name.trim().is_empty())
    };
    let Some(supplier) = supplier.filter(named) else { return Ok(None) };
    input(supplier).into_supplier(entity_id, stamp).map(Some).map_err(|own| own.at("supplier"))
}

fn not_found() -> Issue {
    let message = "there is no such supplier in this entity; create it, or send supplier";
    Issue::new("not_found", message).at("supplier_id")
}

/// The catalogue's supplier as an expense keeps it.
fn frozen(supplier: &Supplier) -> ExpenseSupplier {
    ExpenseSupplier {
        name: Some(supplier.name.clone()),
        email: supplier.email.clone(),
        tax_number: supplier.tax_number.clone(),
        company_number: supplier.company_number.clone(),
        phone: supplier.phone.clone(),
        peppol_id: supplier.peppol_id.clone(),
        is_tax_subject: Some(supplier.is_tax_subject),
        ..ExpenseSupplier::default()
    }
    .with_postal_address(supplier.postal_address())
}

/// An expense's supplier as input for the catalogue. Bank accounts are left out: suppliers in the
/// catalogue have none.
fn input(supplier: &ExpenseSupplier) -> SupplierInput {
    let text = |text: &Option<String>| Patch::from(text.clone());
    SupplierInput {
        name: text(&supplier.name),
        tax_number: text(&supplier.tax_number),
        company_number: text(&supplier.company_number),
        peppol_id: text(&supplier.peppol_id),
        email: text(&supplier.email),
        phone: text(&supplier.phone),
        is_tax_subject: supplier.is_tax_subject.map_or(Patch::Absent, Patch::Value),
        ..SupplierInput::default()
    }
    .with_postal_address(supplier.postal_address())
}
