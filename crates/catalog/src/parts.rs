//! Parts that records of the catalogue share.

use racun_kernel::{Issue, Issues, iban};
use serde::{Deserialize, Serialize};

use crate::check::{Check, MAX_TEXT_CHARS, not_blank};

/// Bank accounts that one record may hold.
const MAX_BANK_ACCOUNTS: usize = 50;

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
pub struct EntityBankAccount {
    /// Which of the other fields name the account.
    pub r#type: BankAccountType,
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

impl EntityBankAccount {
    /// What is odd about its IBAN.
    pub(crate) fn warning(&self) -> Option<Issue> {
        let number = self.iban.as_deref().filter(|_| self.r#type == BankAccountType::Iban);
        iban::warning(number)
    }

    fn check(&self) -> Result<(), Issues> {
        let mut check = Check::default();
        let texts = [
            ("name", &self.name),
            ("bank_name", &self.bank_name),
            ("iban", &self.iban),
            ("account_number", &self.account_number),
            ("bic", &self.bic),
            ("routing_number", &self.routing_number),
            ("sort_code", &self.sort_code),
        ];
        for (field, text) in texts {
            check.keep(
                field,
                text.as_deref().map_or(Ok(()), |t| racun_kernel::text::check(t, MAX_TEXT_CHARS)),
            );
        }
        check.finish()
    }
}

/// A rule for a list of bank accounts.
pub(crate) fn bank_accounts(
    accounts: Vec<EntityBankAccount>,
) -> Result<Vec<EntityBankAccount>, Issues> {
    if accounts.len() > MAX_BANK_ACCOUNTS {
        let message = format!("at most {MAX_BANK_ACCOUNTS} bank accounts");
        return Err(Issue::new("too_many", message).into());
    }
    let mut issues = Issues::default();
    for (n, account) in accounts.iter().enumerate() {
        issues.collect(n, account.check());
    }
    issues.into_result(accounts)
}

/// Routing of e-invoices to a budget user in Slovenia (UJP). No other properties; each text holds
/// at least one character.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UjpCustomerData {
    /// Name; the document customer's when missing.
    pub receiver_name: Option<String>,
    /// Identifier; the customer's tax number when missing.
    pub receiver_identifier: Option<String>,
    /// BIC of the receiver, for the UJP envelope.
    pub receiver_agent: Option<String>,
    /// IBAN of the receiver's mailbox.
    pub receiver_mailbox: Option<String>,
}

/// A rule for UJP routing.
pub(crate) fn ujp(data: UjpCustomerData) -> Result<UjpCustomerData, Issues> {
    let mut check = Check::default();
    let texts = [
        ("receiver_name", &data.receiver_name),
        ("receiver_identifier", &data.receiver_identifier),
        ("receiver_agent", &data.receiver_agent),
        ("receiver_mailbox", &data.receiver_mailbox),
    ];
    for (field, text) in texts {
        if let Some(text) = text {
            check.keep(field, not_blank(text.clone(), MAX_TEXT_CHARS));
        }
    }
    check.finish().map(|()| data)
}
