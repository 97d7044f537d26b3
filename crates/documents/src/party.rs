//! Issuer, customer and business unit, as frozen on a document.

use racun_kernel::text::check_field;
use racun_kernel::{BankAccount, Issues, Patch, UjpRouting, check_country_code};
use serde::{Deserialize, Serialize};

racun_kernel::addressed! {
    /// One side of a document: `DocumentEntity` of the interface.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Party {
        /// Name of the business or person.
        pub name: Option<String>,
        /// Deprecated name of a unit; use the document's business unit.
        pub unit_name: Option<String>,
        /// E-mail address, at most 255 characters.
        pub email: Option<String>,
        /// Tax number.
        pub tax_number: Option<String>,
        /// Second tax number.
        pub tax_number_2: Option<String>,
        /// Registration number.
        pub company_number: Option<String>,
        /// Telephone number.
        pub phone: Option<String>,
        /// Address in the Peppol network.
        pub peppol_id: Option<String>,
        /// Scheme of that address.
        pub peppol_scheme_id: Option<String>,
        /// Buyer reference of EN 16931, BT-10.
        pub buyer_reference: Option<String>,
        /// All bank accounts.
        pub bank_accounts: Option<Vec<BankAccount>>,
        /// The bank account to pay to.
        pub bank_account: Option<BankAccount>,
        /// Whether it buys for itself, not for a business.
        pub is_end_consumer: Option<bool>,
        /// Routing to a budget user in Slovenia.
        pub ujp: Option<UjpRouting>,
    }
}

racun_kernel::addressed! {
    /// What a request changes of a party; absent fields stay.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct PartyPatch of Patch {
        /// See [`Party::name`]; so all below.
        pub name: Patch<String>,
        /// Deprecated unit name.
        pub unit_name: Patch<String>,
        /// E-mail address.
        pub email: Patch<String>,
        /// Tax number.
        pub tax_number: Patch<String>,
        /// Second tax number.
        pub tax_number_2: Patch<String>,
        /// Registration number.
        pub company_number: Patch<String>,
        /// Telephone number.
        pub phone: Patch<String>,
        /// Address in the Peppol network.
        pub peppol_id: Patch<String>,
        /// Scheme of that address.
        pub peppol_scheme_id: Patch<String>,
        /// Buyer reference.
        pub buyer_reference: Patch<String>,
        /// All bank accounts.
        pub bank_accounts: Patch<Vec<BankAccount>>,
        /// The bank account to pay to.
        pub bank_account: Patch<BankAccount>,
        /// Whether it buys for itself.
        pub is_end_consumer: Patch<bool>,
        /// Routing to a budget user.
        pub ujp: Patch<UjpRouting>,
    }
}

impl From<Party> for PartyPatch {
    /// What asks for the very same party: fields that it lacks are cleared.
    fn from(party: Party) -> Self {
        let address = party.postal_address();
        Self {
            name: party.name.into(),
            unit_name: party.unit_name.into(),
            email: party.email.into(),
            tax_number: party.tax_number.into(),
            tax_number_2: party.tax_number_2.into(),
            company_number: party.company_number.into(),
            phone: party.phone.into(),
            peppol_id: party.peppol_id.into(),
            peppol_scheme_id: party.peppol_scheme_id.into(),
            buyer_reference: party.buyer_reference.into(),
            bank_accounts: party.bank_accounts.into(),
            bank_account: party.bank_account.into(),
            is_end_consumer: party.is_end_consumer.into(),
            ujp: party.ujp.into(),
            ..Self::default()
        }
        .with_postal_address(address)
    }
}

impl PartyPatch {
    /// `party` with what the request says.
    #[must_use]
    pub fn onto(self, mut party: Party) -> Party {
        self.name.apply(&mut party.name);
        self.unit_name.apply(&mut party.unit_name);
        self.email.apply(&mut party.email);
        self.address.apply(&mut party.address);
        self.address_2.apply(&mut party.address_2);
        self.post_code.apply(&mut party.post_code);
        self.city.apply(&mut party.city);
        self.state.apply(&mut party.state);
        self.country.apply(&mut party.country);
        self.country_code.map(|code| code.to_ascii_uppercase()).apply(&mut party.country_code);
        self.tax_number.apply(&mut party.tax_number);
        self.tax_number_2.apply(&mut party.tax_number_2);
        self.company_number.apply(&mut party.company_number);
        self.phone.apply(&mut party.phone);
        self.peppol_id.apply(&mut party.peppol_id);
        self.peppol_scheme_id.apply(&mut party.peppol_scheme_id);
        self.buyer_reference.apply(&mut party.buyer_reference);
        self.bank_accounts.apply(&mut party.bank_accounts);
        self.bank_account.apply(&mut party.bank_account);
        self.is_end_consumer.apply(&mut party.is_end_consumer);
        self.ujp.apply(&mut party.ujp);
        party
    }
}

impl Party {
    /// Characters that a party's texts may hold.
    pub const MAX_TEXT_CHARS: usize = 500;
    /// Characters that an e-mail address may hold.
    pub const MAX_EMAIL_CHARS: usize = 255;

    /// Checks the limits of all texts.
    ///
    /// # Errors
    /// One issue for each text that is too long or malformed, with its field as path.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let texts = [
            ("name", &self.name),
            ("unit_name", &self.unit_name),
            ("address", &self.address),
            ("address_2", &self.address_2),
            ("post_code", &self.post_code),
            ("city", &self.city),
            ("state", &self.state),
            ("country", &self.country),
            ("tax_number", &self.tax_number),
            ("tax_number_2", &self.tax_number_2),
            ("company_number", &self.company_number),
            ("phone", &self.phone),
            ("peppol_id", &self.peppol_id),
            ("peppol_scheme_id", &self.peppol_scheme_id),
        ];
        for (field, text) in texts {
            check_field(&mut issues, field, text.as_deref(), Self::MAX_TEXT_CHARS);
        }
        check_field(&mut issues, "email", self.email.as_deref(), Self::MAX_EMAIL_CHARS);
        if let Some(code) = &self.country_code
            && let Err(issue) = check_country_code(code)
        {
            issues.push(issue.at("country_code"));
        }
        issues.into_result(())
    }
}

racun_kernel::addressed! {
    /// A business unit as frozen on a document: without its numbering index.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct UnitSnapshot {
        /// The unit's id.
        pub id: String,
        /// Its name.
        pub name: String,
        /// Its settings: how documents look and what they say by default.
        pub settings: serde_json::Map<String, serde_json::Value>,
        /// E-mail address.
        pub email: Option<String>,
        /// Telephone number.
        pub phone: Option<String>,
        /// Web site.
        pub website: Option<String>,
        /// Where its logo is.
        pub logo_url: Option<String>,
        /// Where its signature is.
        pub signature_url: Option<String>,
    }
}
