//! The supplier as frozen on an expense.

use racun_kernel::{BankAccount, Issues, check_country_code, text};
use serde::{Deserialize, Serialize};

/// Characters that a text of an expense may hold where nothing else is said.
pub const MAX_EXPENSE_TEXT_CHARS: usize = 500;

racun_kernel::addressed! {
    /// The supplier as frozen on an expense.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct ExpenseSupplier {
        /// Name of the business or person.
        pub name: Option<String>,
        /// E-mail address.
        pub email: Option<String>,
        /// Tax number.
        pub tax_number: Option<String>,
        /// Registration number.
        pub company_number: Option<String>,
        /// Telephone number.
        pub phone: Option<String>,
        /// Address in the Peppol network.
        pub peppol_id: Option<String>,
        /// Whether it is registered for VAT.
        pub is_tax_subject: Option<bool>,
        /// The accounts to pay to.
        pub bank_accounts: Option<Vec<BankAccount>>,
    }
}

impl ExpenseSupplier {
    /// The supplier with its country's code in capitals.
    #[must_use]
    pub fn with_country_in_capitals(self) -> Self {
        let country_code = self.country_code.map(|code| code.to_ascii_uppercase());
        Self { country_code, ..self }
    }

    /// Whether its country's code has two letters, in either case.
    ///
    /// # Errors
    /// `invalid_country_code` at `country_code`.
    pub fn check_country(&self) -> Result<(), Issues> {
        let Some(code) = &self.country_code else { return Ok(()) };
        check_country_code(code).map_err(|issue| issue.at("country_code").into())
    }

    /// Whether its texts keep their limits.
    pub(super) fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        for (field, text) in [
            ("name", &self.name),
            ("email", &self.email),
            ("address", &self.address),
            ("address_2", &self.address_2),
            ("post_code", &self.post_code),
            ("city", &self.city),
            ("state", &self.state),
            ("country", &self.country),
            ("country_code", &self.country_code),
            ("tax_number", &self.tax_number),
            ("company_number", &self.company_number),
            ("phone", &self.phone),
            ("peppol_id", &self.peppol_id),
        ] {
            text::check_field(&mut issues, field, text.as_deref(), MAX_EXPENSE_TEXT_CHARS);
        }
        issues.into_result(())
    }
}
