//! Parts that bodies of the catalogue share.

use racun_kernel::{BankAccount, BankAccountType, UjpRouting};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::{Convert, names};

names! {
    /// How a bank account is written.
    BankAccountTypeBody as BankAccountType of BankAccountType {
        Iban, UsDomestic, UkDomestic, Other
    }
}

/// A bank account.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = EntityBankAccount)]
pub struct BankAccountBody {
    /// Which of the other fields name the account; `iban` when absent.
    #[serde(default)]
    r#type: BankAccountTypeBody,
    /// Display name; the account number when absent.
    name: Option<String>,
    /// Name of the bank.
    bank_name: Option<String>,
    /// IBAN.
    iban: Option<String>,
    /// Account number of types other than `iban`.
    account_number: Option<String>,
    /// BIC or SWIFT code.
    bic: Option<String>,
    /// ABA routing number.
    routing_number: Option<String>,
    /// Sort code.
    sort_code: Option<String>,
    /// Whether new documents ask for payment to it.
    is_default: Option<bool>,
}

impl Default for BankAccountTypeBody {
    fn default() -> Self {
        BankAccountType::default().convert()
    }
}

impl Convert<BankAccountBody> for BankAccount {
    fn convert(self) -> BankAccountBody {
        BankAccountBody {
            r#type: self.kind.convert(),
            name: self.name,
            bank_name: self.bank_name,
            iban: self.iban,
            account_number: self.account_number,
            bic: self.bic,
            routing_number: self.routing_number,
            sort_code: self.sort_code,
            is_default: self.is_default,
        }
    }
}

impl Convert<BankAccount> for BankAccountBody {
    fn convert(self) -> BankAccount {
        BankAccount {
            kind: self.r#type.convert(),
            name: self.name,
            bank_name: self.bank_name,
            iban: self.iban,
            account_number: self.account_number,
            bic: self.bic,
            routing_number: self.routing_number,
            sort_code: self.sort_code,
            is_default: self.is_default,
        }
    }
}

/// Routing of e-invoices to a budget user in Slovenia (UJP). It takes no other properties.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UjpCustomerData)]
pub struct UjpBody {
    /// Name; the document customer's when absent.
    #[schema(min_length = 1)]
    receiver_name: Option<String>,
    /// Identifier; the customer's tax number when absent.
    #[schema(min_length = 1)]
    receiver_identifier: Option<String>,
    /// BIC of the receiver, for the UJP envelope.
    #[schema(min_length = 1)]
    receiver_agent: Option<String>,
    /// IBAN of the receiver's mailbox.
    #[schema(min_length = 1)]
    receiver_mailbox: Option<String>,
}

impl Convert<UjpBody> for UjpRouting {
    fn convert(self) -> UjpBody {
        let Self { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox } = self;
        UjpBody { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox }
    }
}

impl Convert<UjpRouting> for UjpBody {
    fn convert(self) -> UjpRouting {
        let Self { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox } = self;
        UjpRouting { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox }
    }
}
