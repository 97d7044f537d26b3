//! Bank accounts, as entities, records of the catalogue and documents keep them.

use serde::{Deserialize, Serialize};

use crate::{Issue, iban};

/// How a bank account is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BankAccountType {
    /// By its IBAN.
    #[default]
    Iban,
    /// By ABA routing number and account number, in the United States.
    UsDomestic,
    /// By sort code and account number, in the United Kingdom.
    UkDomestic,
    /// By an account number.
    Other,
}

/// A bank account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BankAccount {
    /// Which of the other fields name the account.
    #[serde(rename = "type")]
    pub kind: BankAccountType,
    /// Display name; the account number when missing.
    pub name: Option<String>,
    /// Name of the bank.
    pub bank_name: Option<String>,
    /// IBAN.
    pub iban: Option<String>,
    /// Account number of types other than `iban`.
    pub account_number: Option<String>,
    /// BIC or SWIFT code.
    pub bic: Option<String>,
    /// ABA routing number.
    pub routing_number: Option<String>,
    /// Sort code.
    pub sort_code: Option<String>,
    /// Whether new documents ask for payment to it.
    pub is_default: Option<bool>,
}

impl BankAccount {
    /// What is odd about its IBAN, at `iban`.
    #[must_use]
    pub fn warning(&self) -> Option<Issue> {
        let number = self.iban.as_deref().filter(|_| self.kind == BankAccountType::Iban);
        Some(iban::warning(number)?.at("iban"))
    }
}

/// Routing of e-invoices to a budget user in Slovenia (UJP). No other properties; each text holds
/// at least one character.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UjpRouting {
    /// Name; the customer's when missing.
    pub receiver_name: Option<String>,
    /// Identifier; the customer's tax number when missing.
    pub receiver_identifier: Option<String>,
    /// BIC of the receiver, for the UJP envelope.
    pub receiver_agent: Option<String>,
    /// IBAN of the receiver's mailbox.
    pub receiver_mailbox: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_account_that_is_written_by_its_iban_is_warned_of() {
        let account = BankAccount { iban: Some("SI56 0000".to_owned()), ..BankAccount::default() };
        assert_eq!(account.warning().map(|issue| issue.path), Some(vec!["iban".into()]));
        let other = BankAccount { kind: BankAccountType::Other, ..account };
        assert_eq!(other.warning(), None);
    }

    #[test]
    fn routing_takes_no_other_property() {
        let read = |text: &str| serde_json::from_str::<UjpRouting>(text);
        assert!(read(r#"{"receiver_name":null}"#).is_ok());
        assert!(read(r#"{"receiver_names":"x"}"#).is_err());
    }
}
