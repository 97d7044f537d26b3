//! What the variables of templates stand for (contract 17).

use racun_access::{Entity, setting};
use racun_catalog::{BusinessUnit, Customer};
use racun_documents::Document;
use racun_kernel::{BankAccount, Currency, Decimal, Stamp};
use racun_mail::{Values, amount, day};
use racun_sales::documents::today;

use super::letter::INSTRUCTIONS;

/// Values of what every mail of an entity knows; the rest stands for nothing until it is set.
pub(super) fn of_entity(
    entity: &Entity,
    unit: Option<&BusinessUnit>,
    locale: &str,
    stamp: &Stamp,
) -> Values {
    let mut values = Values::default();
    for name in OF_DOCUMENTS {
        values.set(name, None::<String>);
    }
    let of_unit =
        |field: fn(&BusinessUnit) -> &Option<String>| unit.and_then(|unit| field(unit).clone());
    values.set("entity_name", Some(&*entity.name));
    values.set("entity_email", of_unit(|unit| &unit.email).or_else(|| email(entity)));
    values.set("entity_address", of_unit(|unit| &unit.address).or_else(|| entity.address.clone()));
    let post_code = of_unit(|unit| &unit.post_code).or_else(|| entity.post_code.clone());
    values.set("entity_post_code", post_code);
    values.set("entity_city", of_unit(|unit| &unit.city).or_else(|| entity.city.clone()));
    let country = of_unit(|unit| &unit.country).unwrap_or_else(|| entity.country.clone());
    values.set("entity_country", Some(country));
    values.set("entity_tax_number", entity.tax_number.clone());
    values.set("entity_company_number", entity.company_number.clone());
    let capital = entity.starting_capital.as_ref();
    let capital = capital.map(|capital| amount(capital, entity.currency, locale));
    values.set("entity_starting_capital", capital);
    values.set("unit_name", unit.map(|unit| unit.name.clone()));
    let today = today(entity, stamp);
    values.set("current_date", Some(day(today, locale)));
    values.set("current_year", Some(today.year().to_string()));
    let instructions = entity.settings.text(setting::PAYMENT_INSTRUCTIONS, locale);
    values.set_text(INSTRUCTIONS, instructions);
    set_bank_account(&mut values, default_account(entity).as_ref());
    values
}

/// Where answers go: the unit's address, else the one that mails of the entity were to come from,
/// else the entity's.
pub(super) fn reply_to(entity: &Entity, unit: Option<&BusinessUnit>) -> Option<String> {
    let chosen = || entity.email_sender.as_ref().map(|sender| sender.email.clone());
    unit.and_then(|unit| unit.email.clone()).or_else(chosen).or_else(|| email(entity))
}

fn email(entity: &Entity) -> Option<String> {
    let set = || entity.settings.get(setting::EMAIL).map(str::to_owned);
    entity.email.clone().or_else(set)
}

/// Variables that a mail about nothing in particular has no values for.
const OF_DOCUMENTS: [&str; 13] = [
    "document_number",
    "document_date",
    "document_due_date",
    "document_valid_until",
    "document_total",
    "document_currency",
    "customer_name",
    "customer_email",
    "invoice_list",
    "total_amount",
    "overdue_count",
    "invoice_link",
    "unit_name",
];

/// Adds what `document` says: its issuer stands before the entity, and behind the unit.
pub(super) fn set_document(
    values: &mut Values,
    document: &Document,
    unit: Option<&BusinessUnit>,
    link: &str,
    locale: &str,
) {
    let content = &document.content;
    let issuer = &content.issuer;
    for (name, of_unit, of_issuer) in [
        ("entity_name", None, &issuer.name),
        ("entity_email", unit.and_then(|unit| unit.email.as_ref()), &issuer.email),
        ("entity_address", unit.and_then(|unit| unit.address.as_ref()), &issuer.address),
        ("entity_post_code", unit.and_then(|unit| unit.post_code.as_ref()), &issuer.post_code),
        ("entity_city", unit.and_then(|unit| unit.city.as_ref()), &issuer.city),
        ("entity_country", unit.and_then(|unit| unit.country.as_ref()), &issuer.country),
        ("entity_tax_number", None, &issuer.tax_number),
        ("entity_company_number", None, &issuer.company_number),
    ] {
        if let Some(text) = issuer_text(of_unit, of_issuer) {
            values.set(name, Some(text));
        }
    }
    if let Some(snapshot) = &content.business_unit {
        values.set("unit_name", Some(&*snapshot.name));
    }
    values.set("document_number", Some(document.number()));
    values.set("document_date", Some(day(content.date, locale)));
    values.set("document_due_date", content.date_due.map(|date| day(date, locale)));
    values.set("document_valid_until", content.date_valid_till.map(|date| day(date, locale)));
    // A delivery note that hides its prices says no amount, as on paper.
    let total = || amount(&document.amounts.total_with_tax, content.currency, locale);
    values.set("document_total", (!content.hide_prices).then(total));
    values.set("document_currency", Some(content.currency.code()));
    let customer = content.customer.as_ref();
    values.set("customer_name", customer.and_then(|party| party.name.clone()));
    values.set("customer_email", customer.and_then(|party| party.email.clone()));
    values.set("invoice_link", Some(link));
    let among = || issuer.bank_accounts.as_ref().and_then(|accounts| default_of(accounts));
    if let Some(account) = issuer.bank_account.as_ref().or_else(among) {
        set_bank_account(values, Some(account));
    }
}

fn issuer_text(of_unit: Option<&String>, of_issuer: &Option<String>) -> Option<String> {
    let said = |text: &&String| !text.is_empty();
    of_unit.filter(said).or_else(|| of_issuer.as_ref().filter(said)).cloned()
}

/// Adds what a reminder says of the customer and of `invoices`, which are in one currency.
pub(super) fn set_reminder(
    values: &mut Values,
    customer: &Customer,
    invoices: &[Document],
    currency: Currency,
    locale: &str,
) {
    let line = |invoice: &Document| {
        let due = invoice.content.date_due.map(|date| day(date, locale)).unwrap_or_default();
        let open = amount(&invoice.total_due(), currency, locale);
        format!("{}, {due}: {open} {currency}", invoice.number())
    };
    let lines: Vec<String> = invoices.iter().map(line).collect();
    values.set("customer_name", Some(&*customer.name));
    values.set("customer_email", customer.email.clone());
    values.set("invoice_list", Some(lines.join("\n")));
    values.set("total_amount", Some(amount(&open_total(invoices), currency, locale)));
    values.set("document_currency", Some(currency.code()));
    values.set("overdue_count", Some(invoices.len().to_string()));
}

/// What is left to pay of all of them.
pub(super) fn open_total(invoices: &[Document]) -> Decimal {
    let open: Vec<Decimal> = invoices.iter().map(Document::total_due).collect();
    open.iter().sum()
}

fn default_of(accounts: &[BankAccount]) -> Option<&BankAccount> {
    let marked = accounts.iter().find(|account| account.is_default == Some(true));
    marked.or_else(|| accounts.first())
}

/// The bank account of the entity's settings that documents ask for payment to.
fn default_account(entity: &Entity) -> Option<BankAccount> {
    let read = |account| serde_json::from_value(account).ok();
    let accounts: Vec<BankAccount> =
        entity.settings.bank_accounts().into_iter().filter_map(read).collect();
    default_of(&accounts).cloned()
}

fn set_bank_account(values: &mut Values, account: Option<&BankAccount>) {
    let field = |of: fn(&BankAccount) -> &Option<String>| account.and_then(|one| of(one).clone());
    let (iban, bic) = (field(|one| &one.iban), field(|one| &one.bic));
    let (bank, number) = (field(|one| &one.bank_name), field(|one| &one.account_number));
    let written = iban.clone().or_else(|| number.clone());
    let written = written.map(|written| match &bank {
        Some(bank) => format!("{written} ({bank})"),
        None => written,
    });
    values.set("bank_account", written);
    for prefix in [true, false] {
        let name = |inside, alone| if prefix { inside } else { alone };
        values.set(name("bank_account.iban", "iban"), iban.clone());
        values.set(name("bank_account.bic", "bic"), bic.clone());
        values.set(name("bank_account.bank_name", "bank_name"), bank.clone());
        values.set(name("bank_account.account_number", "account_number"), number.clone());
    }
    values.set("routing_number", field(|one| &one.routing_number));
    values.set("sort_code", field(|one| &one.sort_code));
}
