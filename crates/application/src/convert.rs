//! Conversions between domain crates, which do not know each other.

use racun_catalog::{self as catalog, EntityBankAccount, UjpCustomerData};
use racun_documents::{self as documents, BankAccount, UjpParty};

/// A bank account of the catalogue as documents keep it.
#[must_use]
pub fn account_on_document(account: &EntityBankAccount) -> BankAccount {
    use catalog::BankAccountType as From;
    use documents::BankAccountType as To;
    BankAccount {
        kind: match account.r#type {
            From::Iban => To::Iban,
            From::UsDomestic => To::UsDomestic,
            From::UkDomestic => To::UkDomestic,
            From::Other => To::Other,
        },
        name: account.name.clone(),
        bank_name: account.bank_name.clone(),
        iban: account.iban.clone(),
        account_number: account.account_number.clone(),
        bic: account.bic.clone(),
        routing_number: account.routing_number.clone(),
        sort_code: account.sort_code.clone(),
        is_default: account.is_default,
    }
}

/// A document's bank account as the catalogue keeps it.
#[must_use]
pub fn account_in_catalog(account: &BankAccount) -> EntityBankAccount {
    use catalog::BankAccountType as To;
    use documents::BankAccountType as From;
    EntityBankAccount {
        r#type: match account.kind {
            From::Iban => To::Iban,
            From::UsDomestic => To::UsDomestic,
            From::UkDomestic => To::UkDomestic,
            From::Other => To::Other,
        },
        name: account.name.clone(),
        bank_name: account.bank_name.clone(),
        iban: account.iban.clone(),
        account_number: account.account_number.clone(),
        bic: account.bic.clone(),
        routing_number: account.routing_number.clone(),
        sort_code: account.sort_code.clone(),
        is_default: account.is_default,
    }
}

/// A customer's routing to a budget user as documents keep it.
#[must_use]
pub fn ujp_on_document(ujp: &UjpCustomerData) -> UjpParty {
    let UjpCustomerData { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox } =
        ujp.clone();
    UjpParty { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox }
}

/// A document's routing to a budget user as the catalogue keeps it.
#[must_use]
pub fn ujp_in_catalog(ujp: &UjpParty) -> UjpCustomerData {
    let UjpParty { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox } =
        ujp.clone();
    UjpCustomerData { receiver_name, receiver_identifier, receiver_agent, receiver_mailbox }
}
