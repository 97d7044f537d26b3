//! Issuer, customer and business unit in document bodies.

use racun_documents::{Party, PartyPatch, UnitSnapshot};
use racun_kernel::{Issues, Patch};
use racun_sales::documents::{CustomerRequest, UnitRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use crate::body::Convert;
use crate::catalog::business_units;
use crate::catalog::parts::{BankAccountBody, UjpBody};

/// What e-invoices need to know of a party.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = PartyEInvoicing)]
pub struct PartyEInvoicingBody {
    /// Buyer reference of EN 16931, BT-10.
    #[schema(required = false)]
    buyer_reference: Option<String>,
}

macro_rules! party_texts {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// One side of a document as sent: what is absent comes from the record that is named.
        #[derive(Debug, Deserialize, ToSchema)]
        #[schema(as = CreateDocumentCustomer)]
        pub struct PartyInputBody {
            $(
                $(#[$doc])*
                #[schema(value_type = Option<String>)]
                #[serde(default)]
                $field: Patch<String>,
            )*
            /// What e-invoices need to know.
            #[schema(value_type = Option<PartyEInvoicingBody>)]
            #[serde(default)]
            e_invoicing: Patch<PartyEInvoicingBody>,
            /// All bank accounts.
            #[schema(value_type = Option<Vec<BankAccountBody>>)]
            #[serde(default)]
            bank_accounts: Patch<Vec<BankAccountBody>>,
            /// The bank account to pay to.
            #[schema(value_type = Option<BankAccountBody>)]
            #[serde(default)]
            bank_account: Patch<BankAccountBody>,
            /// Whether it buys for itself, not for a business.
            #[schema(value_type = Option<bool>)]
            #[serde(default)]
            is_end_consumer: Patch<bool>,
            /// Routing to a budget user in Slovenia.
            #[schema(value_type = Option<UjpBody>)]
            #[serde(default)]
            ujp: Patch<UjpBody>,
            /// For customers: keep it in the catalogue. A new customer with a name is kept unless
            /// this is false; a customer of `customer_id` is refreshed only when this is true.
            save_customer: Option<bool>,
        }

        /// One side of a document, as frozen on it.
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = DocumentEntity)]
        pub struct PartyBody {
            $($(#[$doc])* #[schema(required = true)] $field: Option<String>,)*
            /// What e-invoices need to know.
            #[schema(required = true)]
            e_invoicing: Option<PartyEInvoicingBody>,
            /// All bank accounts.
            #[schema(required = true)]
            bank_accounts: Option<Vec<BankAccountBody>>,
            /// The bank account to pay to.
            #[schema(required = true)]
            bank_account: Option<BankAccountBody>,
            /// Whether it buys for itself, not for a business.
            #[schema(required = true)]
            is_end_consumer: Option<bool>,
            /// Routing to a budget user in Slovenia.
            #[schema(required = true)]
            ujp: Option<UjpBody>,
        }

        impl Convert<PartyPatch> for PartyInputBody {
            fn convert(self) -> PartyPatch {
                PartyPatch {
                    $($field: self.$field,)*
                    buyer_reference: match self.e_invoicing {
                        Patch::Absent => Patch::Absent,
                        Patch::Null => Patch::Null,
                        Patch::Value(e_invoicing) => e_invoicing.buyer_reference.into(),
                    },
                    bank_accounts: self.bank_accounts.convert(),
                    bank_account: self.bank_account.convert(),
                    is_end_consumer: self.is_end_consumer,
                    ujp: self.ujp.convert(),
                }
            }
        }

        impl Convert<PartyBody> for Party {
            fn convert(self) -> PartyBody {
                PartyBody {
                    $($field: self.$field,)*
                    e_invoicing: self.buyer_reference.map(|reference| PartyEInvoicingBody {
                        buyer_reference: Some(reference),
                    }),
                    bank_accounts: self.bank_accounts.convert(),
                    bank_account: self.bank_account.convert(),
                    is_end_consumer: self.is_end_consumer,
                    ujp: self.ujp.convert(),
                }
            }
        }
    };
}

party_texts! {
    /// Name of the business or person.
    name,
    /// Deprecated; use the document's business unit.
    unit_name,
    /// E-mail address, at most 255 characters.
    email,
    /// First line of the address.
    address,
    /// Second line of the address.
    address_2,
    /// Post code.
    post_code,
    /// City.
    city,
    /// State or region.
    state,
    /// Country as written.
    country,
    /// ISO 3166-1 alpha-2 code.
    country_code,
    /// Tax number.
    tax_number,
    /// Second tax number.
    tax_number_2,
    /// Registration number.
    company_number,
    /// Telephone number.
    phone,
    /// Address in the Peppol network.
    peppol_id,
    /// Scheme of that address.
    peppol_scheme_id,
}

impl Convert<CustomerRequest> for PartyInputBody {
    fn convert(self) -> CustomerRequest {
        CustomerRequest { save_customer: self.save_customer, party: self.convert() }
    }
}

/// A business unit written into a request: what differs from its record.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = DocumentBusinessUnitInput)]
pub struct UnitInputBody {
    id: Option<String>,
    name: Option<String>,
    #[schema(value_type = Option<Object>)]
    settings: Option<Map<String, Json>>,
    address: Option<String>,
    address_2: Option<String>,
    post_code: Option<String>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
    country_code: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    website: Option<String>,
    logo_url: Option<String>,
    signature_url: Option<String>,
}

impl UnitInputBody {
    /// Checks the settings like those of the unit's record.
    ///
    /// # Errors
    /// All that is wrong with them, by path.
    pub(super) fn check(&self) -> Result<(), Issues> {
        business_units::check_settings(self.settings.as_ref())
    }
}

impl Convert<UnitRequest> for UnitInputBody {
    fn convert(self) -> UnitRequest {
        let fields = UnitSnapshot {
            id: String::new(),
            name: self.name.unwrap_or_default(),
            settings: self.settings.unwrap_or_default(),
            address: self.address,
            address_2: self.address_2,
            post_code: self.post_code,
            city: self.city,
            state: self.state,
            country: self.country,
            country_code: self.country_code,
            email: self.email,
            phone: self.phone,
            website: self.website,
            logo_url: self.logo_url,
            signature_url: self.signature_url,
        };
        UnitRequest { id: self.id, fields }
    }
}

crate::body::answer! {
    /// A business unit, as frozen on a document.
    UnitBody as BusinessUnitSnapshot from UnitSnapshot {
        /// The unit's id.
        id: String,
        /// Its name.
        name: String,
        /// How its documents look and what they say by default.
        settings: Map<String, Json>,
        /// First line of the address.
        address: Option<String>,
        /// Second line of the address.
        address_2: Option<String>,
        /// Post code.
        post_code: Option<String>,
        /// City.
        city: Option<String>,
        /// State or region.
        state: Option<String>,
        /// Country as written.
        country: Option<String>,
        /// ISO 3166-1 alpha-2 code.
        country_code: Option<String>,
        /// E-mail address.
        email: Option<String>,
        /// Telephone number.
        phone: Option<String>,
        /// Web site.
        website: Option<String>,
        /// Where its logo is.
        logo_url: Option<String>,
        /// Where its signature is.
        signature_url: Option<String>,
    }
}
