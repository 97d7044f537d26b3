//! Accounts by purpose.

use std::collections::BTreeMap;

use racun_kernel::spelling::suggestion;
use racun_kernel::{Issue, Issues};

/// What an account is for: a key of `konto_mappings`.
pub type Account = &'static str;

/// The purposes, each with the account that is used when the entity names none: those of the chart
/// of accounts that is usual for small businesses in Slovenia.
pub const ACCOUNTS: [(Account, &str); 26] = [
    ("receivables", "1200"),
    ("payables", "2200"),
    ("sales_vat_22", "26000"),
    ("sales_vat_95", "26001"),
    ("sales_vat_5", "26002"),
    ("purchase_vat_recoverable_22", "16000"),
    ("purchase_vat_recoverable_95", "16001"),
    ("purchase_vat_recoverable_5", "16002"),
    ("sales_revenue_22", "7600"),
    ("sales_revenue_95", "7601"),
    ("sales_revenue_5", "7602"),
    ("sales_revenue_exempt", "7680"),
    ("sales_revenue_eu_goods", "7600"),
    ("sales_revenue_eu_services", "7601"),
    ("sales_revenue_reverse_charge", "7600"),
    ("sales_revenue_third_country_goods", "7600"),
    ("sales_revenue_third_country_services", "7680"),
    ("purchase_expense_22", "4000"),
    ("purchase_expense_95", "4001"),
    ("purchase_expense_5", "4002"),
    ("purchase_expense_exempt", "4680"),
    ("purchase_expense_eu_goods", "4000"),
    ("purchase_expense_eu_services", "4680"),
    ("purchase_expense_reverse_charge", "4000"),
    ("purchase_expense_third_country_goods", "4000"),
    ("purchase_expense_third_country_services", "4680"),
];

/// The accounts of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounts(BTreeMap<Account, String>);

impl Accounts {
    /// Digits of an account: what VOD takes.
    pub const DIGITS: std::ops::RangeInclusive<usize> = 3..=8;

    /// The accounts that an entity named.
    ///
    /// # Errors
    /// `unknown_field` at a key that there is not, with the nearest one that there is;
    /// `invalid_value` at an account that is not of 3 to 8 digits.
    pub fn named<'a>(named: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Issues> {
        let (mut accounts, mut issues) = (BTreeMap::new(), Issues::default());
        for (key, account) in named {
            let Some((known, _)) = ACCOUNTS.iter().find(|(known, _)| *known == key) else {
                let keys = ACCOUNTS.map(|(known, _)| known);
                let message = match suggestion(key, &keys) {
                    Some(near) => format!("no such purpose; {near} is one"),
                    None => format!("no such purpose; there are {}", keys.join(", ")),
                };
                issues.push(Issue::new("unknown_field", message).at(key));
                continue;
            };
            let digits = account.bytes().all(|byte| byte.is_ascii_digit());
            if !digits || !Self::DIGITS.contains(&account.len()) {
                let message = "an account has 3 to 8 digits, such as 1200";
                issues.push(Issue::new("invalid_value", message).at(key));
            }
            accounts.insert(*known, account.to_owned());
        }
        issues.into_result(Self(accounts))
    }

    /// The account for `purpose`.
    #[must_use]
    pub fn of(&self, purpose: Account) -> String {
        let own = self.0.get(purpose).cloned();
        let usual = || ACCOUNTS.iter().find(|(known, _)| *known == purpose);
        own.or_else(|| usual().map(|(_, account)| (*account).to_owned())).unwrap_or_default()
    }
}
