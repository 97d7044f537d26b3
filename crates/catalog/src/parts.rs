//! Rules for parts that records of the catalogue share.

use racun_kernel::{BankAccount, Issue, Issues, UjpRouting};

use crate::check::{Check, MAX_TEXT_CHARS, not_blank};

/// Bank accounts that one record may hold.
const MAX_BANK_ACCOUNTS: usize = 50;

/// A rule for a list of bank accounts.
pub(crate) fn bank_accounts(accounts: Vec<BankAccount>) -> Result<Vec<BankAccount>, Issues> {
    if accounts.len() > MAX_BANK_ACCOUNTS {
        let message = format!("at most {MAX_BANK_ACCOUNTS} bank accounts");
        return Err(Issue::new("too_many", message).into());
    }
    let mut issues = Issues::default();
    for (n, account) in accounts.iter().enumerate() {
        issues.collect(n, check_account(account));
    }
    issues.into_result(accounts)
}

fn check_account(account: &BankAccount) -> Result<(), Issues> {
    let mut check = Check::default();
    let texts = [
        ("name", &account.name),
        ("bank_name", &account.bank_name),
        ("iban", &account.iban),
        ("account_number", &account.account_number),
        ("bic", &account.bic),
        ("routing_number", &account.routing_number),
        ("sort_code", &account.sort_code),
    ];
    for (field, text) in texts {
        check.keep(
            field,
            text.as_deref().map_or(Ok(()), |t| racun_kernel::text::check(t, MAX_TEXT_CHARS)),
        );
    }
    check.finish()
}

/// A rule for UJP routing.
pub(crate) fn ujp(data: UjpRouting) -> Result<UjpRouting, Issues> {
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
