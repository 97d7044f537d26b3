//! Customers.

use std::collections::BTreeMap;

use racun_kernel::id::{self, CustomerId, EntityId};
use racun_kernel::{BankAccount, Issues, Metadata, Patch, Stamp, UjpRouting, iban, vat_number};
use racun_store::Context;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::certified::{self, Named};
use crate::check::{Check, MAX_TEXT_CHARS};
use crate::error::CatalogError;
use crate::life_cycle::{self, Trashable};
use crate::parts;
use crate::record::record;

/// What an entity has to do with a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactType {
    /// It sells to it.
    #[default]
    Buyer,
    /// It buys from it.
    Supplier,
    /// Both.
    Both,
}

impl ContactType {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buyer => "buyer",
            Self::Supplier => "supplier",
            Self::Both => "both",
        }
    }
}

impl racun_store::Declared for ContactType {
    fn declared(&self) -> racun_store::Value {
        self.name().declared()
    }
}

/// What the EU's VAT information exchange system (VIES) said of a customer's tax number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vies {
    /// Whether the number is valid.
    pub valid: bool,
    /// When it was asked.
    #[serde(with = "time::serde::rfc3339")]
    pub checked_at: OffsetDateTime,
    /// The registered name.
    pub name: Option<String>,
    /// The registered address.
    pub address: Option<String>,
}

racun_kernel::addressed! {
    /// A customer. Documents take a copy, so a change here changes none of them.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Customer {
        /// Its id.
        pub id: CustomerId,
        /// Whose customer.
        pub entity_id: EntityId,
        /// Name of the business or person.
        pub name: String,
        /// Tax number.
        pub tax_number: Option<String>,
        /// Registration number.
        pub company_number: Option<String>,
        /// Address in the Peppol network.
        pub peppol_id: Option<String>,
        /// Scheme of that address.
        pub peppol_scheme_id: Option<String>,
        /// Bank accounts.
        pub bank_accounts: Option<Vec<BankAccount>>,
        /// E-mail address.
        pub email: Option<String>,
        /// What the entity has to do with it.
        pub contact_type: ContactType,
        /// Whether it is registered for VAT.
        pub is_tax_subject: bool,
        /// Whether it buys for itself, not for a business.
        pub is_end_consumer: bool,
        /// Routing to a budget user in Slovenia.
        pub ujp: Option<UjpRouting>,
        /// What the caller attached.
        pub metadata: Metadata,
        /// The last check of its tax number; none yet when missing.
        pub vies: Option<Vies>,
        /// Whether a certified document names it, as those of Portugal are: then name and number
        /// stay.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub is_certified: bool,
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
    /// Where customers are kept.
    CUSTOMERS: Customer, id::Customer, "customers",
    events { customer }
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
        peppol_scheme_id: text,
        email: text searched,
        contact_type: text,
        is_tax_subject: bool,
        is_end_consumer: bool,
        metadata: map,
    }
    unique {}
    keys { tax_key name_key email_key }
    trash { deleted_at }
}

impl Customer {
    /// Its name and its number.
    #[must_use]
    pub fn named(&self) -> Named<'_> {
        Named { name: Some(&self.name), number: self.tax_number.as_deref() }
    }

    /// What is odd about it: numbers that cannot be.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        let country = self.country_code.as_deref();
        if let Some(issue) = vat_number::warning(country, self.tax_number.as_deref()) {
            found.push(issue.at("tax_number"));
        }
        for (n, account) in self.bank_accounts.iter().flatten().enumerate() {
            if let Some(issue) = account.warning() {
                found.push(issue.at(n).at("bank_accounts"));
            }
        }
        let mailbox = self.ujp.as_ref().and_then(|ujp| ujp.receiver_mailbox.as_deref());
        if let Some(issue) = iban::warning(mailbox) {
            found.push(issue.at("receiver_mailbox").at("ujp"));
        }
        found
    }
}

impl Trashable for Customer {
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>) {
        self.deleted_at = at;
    }
}

racun_kernel::addressed! {
    /// What a caller says of a customer. A new one needs `name`.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct CustomerInput of Patch {
        /// See [`Customer::name`]; so all below. Not blank.
        pub name: Patch<String>,
        /// Tax number.
        pub tax_number: Patch<String>,
        /// Registration number.
        pub company_number: Patch<String>,
        /// Address in the Peppol network.
        pub peppol_id: Patch<String>,
        /// Scheme of that address.
        pub peppol_scheme_id: Patch<String>,
        /// Bank accounts.
        pub bank_accounts: Patch<Vec<BankAccount>>,
        /// E-mail address.
        pub email: Patch<String>,
        /// `buyer` when missing.
        pub contact_type: Patch<ContactType>,
        /// True when missing.
        pub is_tax_subject: Patch<bool>,
        /// False when missing.
        pub is_end_consumer: Patch<bool>,
        /// Routing to a budget user in Slovenia.
        pub ujp: Patch<UjpRouting>,
        /// What the caller attaches; replaces all that was attached.
        pub metadata: Patch<BTreeMap<String, String>>,
    }
}

impl CustomerInput {
    /// The new customer that this describes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_customer(self, entity_id: EntityId, stamp: &Stamp) -> Result<Customer, Issues> {
        let mut customer = Customer {
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
            peppol_scheme_id: None,
            bank_accounts: None,
            email: None,
            contact_type: ContactType::Buyer,
            is_tax_subject: true,
            is_end_consumer: false,
            ujp: None,
            metadata: Metadata::default(),
            vies: None,
            is_certified: false,
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.apply(&mut customer)?;
        Ok(customer)
    }

    /// Takes over into `customer` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; another name or number of a customer whom certified documents
    /// name, see [`certified`](crate::certified). `customer` is then of no use.
    pub fn apply(self, customer: &mut Customer) -> Result<(), Issues> {
        let before =
            customer.is_certified.then(|| (customer.name.clone(), customer.tax_number.clone()));
        let number_before = (customer.country_code.clone(), customer.tax_number.clone());
        let mut check = Check::default();
        check.name(self.name, &mut customer.name, MAX_TEXT_CHARS);
        check.texts([
            ("address", self.address, &mut customer.address),
            ("address_2", self.address_2, &mut customer.address_2),
            ("post_code", self.post_code, &mut customer.post_code),
            ("city", self.city, &mut customer.city),
            ("state", self.state, &mut customer.state),
            ("country", self.country, &mut customer.country),
            ("tax_number", self.tax_number, &mut customer.tax_number),
            ("company_number", self.company_number, &mut customer.company_number),
            ("peppol_id", self.peppol_id, &mut customer.peppol_id),
            ("peppol_scheme_id", self.peppol_scheme_id, &mut customer.peppol_scheme_id),
        ]);
        check.country_code(self.country_code, &mut customer.country_code);
        check.email(self.email, &mut customer.email);
        check.optional(
            "bank_accounts",
            self.bank_accounts,
            &mut customer.bank_accounts,
            parts::bank_accounts,
        );
        check.optional("ujp", self.ujp, &mut customer.ujp, parts::ujp);
        check.metadata(self.metadata, &mut customer.metadata);
        self.contact_type.apply_or(&mut customer.contact_type, ContactType::Buyer);
        self.is_tax_subject.apply_or(&mut customer.is_tax_subject, true);
        self.is_end_consumer.apply_or(&mut customer.is_end_consumer, false);
        if number_before != (customer.country_code.clone(), customer.tax_number.clone()) {
            // It was said of another number.
            customer.vies = None;
        }
        if let Some((name, number)) = before {
            let before = Named { name: Some(&name), number: number.as_deref() };
            let changes = certified::changes(before, customer.named());
            changes.into_iter().for_each(|issue| check.refuse(issue));
        }
        check.finish()
    }
}

/// Adds a customer.
///
/// # Errors
/// [`CatalogError::Invalid`], and when the store fails.
pub async fn create_customer(
    cx: Context<'_>,
    input: CustomerInput,
) -> Result<Customer, CatalogError> {
    let customer = input.into_customer(cx.scope.entity(), cx.stamp)?;
    life_cycle::create(cx, customer).await
}

/// Changes a customer.
///
/// # Errors
/// [`CatalogError::NotFound`], [`crate::RefusalReason::InTrash`], [`CatalogError::Invalid`], and
/// when the store fails.
pub async fn update_customer(
    cx: Context<'_>,
    id: CustomerId,
    input: CustomerInput,
) -> Result<Customer, CatalogError> {
    let change = |customer: &mut Customer| Ok(input.apply(customer)?);
    life_cycle::update(cx, id, change).await
}
