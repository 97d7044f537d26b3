//! Suppliers.

use std::collections::BTreeMap;

use racun_kernel::id::{self, EntityId, SupplierId};
use racun_kernel::{Issues, Metadata, Patch, Stamp, vat_number};
use racun_store::Context;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::check::{Check, MAX_TEXT_CHARS};
use crate::error::CatalogError;
use crate::identity;
use crate::life_cycle::{self, Trashable};
use crate::record::record;

racun_kernel::addressed! {
    /// A supplier.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Supplier {
        /// Its id.
        pub id: SupplierId,
        /// Whose supplier.
        pub entity_id: EntityId,
        /// Name of the business or person.
        pub name: String,
        /// Tax number.
        pub tax_number: Option<String>,
        /// Registration number.
        pub company_number: Option<String>,
        /// Address in the Peppol network.
        pub peppol_id: Option<String>,
        /// E-mail address.
        pub email: Option<String>,
        /// Telephone number.
        pub phone: Option<String>,
        /// Whether it is registered for VAT.
        pub is_tax_subject: bool,
        /// What the caller attached.
        pub metadata: Metadata,
        /// Since when it is in the trash.
        #[serde(with = "time::serde::rfc3339::option")]
        pub deleted_at: Option<OffsetDateTime>,
        /// When it was made.
        #[serde(with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        /// When it changed last.
        #[serde(with = "time::serde::rfc3339")]
        pub updated_at: OffsetDateTime,
    }
}

record! {
    /// Where suppliers are kept.
    SUPPLIERS: Supplier, id::Supplier, "suppliers",
    events { supplier }
    fields {
        name: text searched,
        address: text searched,
        address_2: text searched,
        post_code: text searched,
        city: text searched,
        state: text searched,
        country: text searched,
        country_code: text,
        tax_number: text searched,
        company_number: text searched,
        peppol_id: text searched,
        email: text searched,
        phone: text searched,
        is_tax_subject: bool,
        metadata: map,
    }
    unique {}
    keys { tax_key name_key }
    trash { deleted_at }
}

impl Supplier {
    /// What suppliers with the same tax number share; none in the trash.
    #[must_use]
    pub fn tax_key(&self) -> Option<String> {
        let key = identity::tax_key(self.tax_number.as_deref());
        key.filter(|_| self.deleted_at.is_none())
    }

    /// What suppliers of the same name and address share; none in the trash.
    #[must_use]
    pub fn name_key(&self) -> Option<String> {
        let (address, post_code) = (self.address.as_deref(), self.post_code.as_deref());
        let key = identity::name_key(&self.name, address, post_code);
        key.filter(|_| self.deleted_at.is_none())
    }

    /// Whether `other` is the same supplier: has the same tax number, however it is written; or,
    /// when one of both says none, the same name and address.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (self.tax_key(), other.tax_key()) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => self.name_key().is_some() && self.name_key() == other.name_key(),
        }
    }

    /// What is odd about it: a tax number that cannot be.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let country = self.country_code.as_deref();
        let odd = vat_number::warning(country, self.tax_number.as_deref());
        odd.map(|issue| issue.at("tax_number").into()).unwrap_or_default()
    }
}

impl Trashable for Supplier {
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>) {
        self.deleted_at = at;
    }
}

racun_kernel::addressed! {
    /// What a caller says of a supplier. A new one needs `name`.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct SupplierInput of Patch {
        /// See [`Supplier::name`]; so all below. Not blank.
        pub name: Patch<String>,
        /// Tax number.
        pub tax_number: Patch<String>,
        /// Registration number.
        pub company_number: Patch<String>,
        /// Address in the Peppol network.
        pub peppol_id: Patch<String>,
        /// E-mail address.
        pub email: Patch<String>,
        /// Telephone number.
        pub phone: Patch<String>,
        /// True when missing.
        pub is_tax_subject: Patch<bool>,
        /// What the caller attaches; replaces all that was attached.
        pub metadata: Patch<BTreeMap<String, String>>,
    }
}

impl SupplierInput {
    /// The new supplier that this describes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_supplier(self, entity_id: EntityId, stamp: &Stamp) -> Result<Supplier, Issues> {
        let mut supplier = Supplier {
            id: stamp.id(),
            entity_id,
            name: String::new(),
            address: None,
            address_2: None,
            post_code: None,
            city: None,
            state: None,
            country: None,
            country_code: None,
            tax_number: None,
            company_number: None,
            peppol_id: None,
            email: None,
            phone: None,
            is_tax_subject: true,
            metadata: Metadata::default(),
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.apply(&mut supplier)?;
        Ok(supplier)
    }

    /// Takes over into `supplier` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; `supplier` is then of no use.
    pub fn apply(self, supplier: &mut Supplier) -> Result<(), Issues> {
        let mut check = Check::default();
        check.name(self.name, &mut supplier.name, MAX_TEXT_CHARS);
        check.texts([
            ("address", self.address, &mut supplier.address),
            ("address_2", self.address_2, &mut supplier.address_2),
            ("post_code", self.post_code, &mut supplier.post_code),
            ("city", self.city, &mut supplier.city),
            ("state", self.state, &mut supplier.state),
            ("country", self.country, &mut supplier.country),
            ("tax_number", self.tax_number, &mut supplier.tax_number),
            ("company_number", self.company_number, &mut supplier.company_number),
            ("peppol_id", self.peppol_id, &mut supplier.peppol_id),
            ("phone", self.phone, &mut supplier.phone),
        ]);
        check.country_code(self.country_code, &mut supplier.country_code);
        check.email(self.email, &mut supplier.email);
        check.metadata(self.metadata, &mut supplier.metadata);
        self.is_tax_subject.apply_or(&mut supplier.is_tax_subject, true);
        check.finish()
    }
}

/// Adds a supplier.
///
/// # Errors
/// [`CatalogError::Invalid`], and when the store fails.
pub async fn create_supplier(
    cx: Context<'_>,
    input: SupplierInput,
) -> Result<Supplier, CatalogError> {
    let supplier = input.into_supplier(cx.scope.entity(), cx.stamp)?;
    life_cycle::create(cx, supplier).await
}

/// Changes a supplier.
///
/// # Errors
/// [`CatalogError::NotFound`], [`crate::RefusalReason::InTrash`], [`CatalogError::Invalid`], and
/// when the store fails.
pub async fn update_supplier(
    cx: Context<'_>,
    id: SupplierId,
    input: SupplierInput,
) -> Result<Supplier, CatalogError> {
    let change = |supplier: &mut Supplier| Ok(input.apply(supplier)?);
    life_cycle::update(cx, id, change).await
}
