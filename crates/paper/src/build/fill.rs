//! Variables in the issuer's own texts, by the names that mails have: `{entity_name}`.

use racun_documents::Document;
use racun_kernel::text::in_fours;
use time::Date;

use super::{Look, ReceiptTexts, Source};
use crate::clean::some_line;
use crate::words::Language;

/// `text` of the issuer's own on `document`, as paper in `language` has it: with what its variables
/// stand for.
#[must_use]
pub fn filled(document: &Document, language: Language, text: &str) -> String {
    let source = Source {
        document,
        look: Look::default(),
        language,
        locale: language,
        receipt: ReceiptTexts::default(),
        logo: None,
        signature: None,
        payments: &[],
        linked: &[],
        today: document.content.date,
        is_preview: false,
    };
    source.filled(text)
}

impl Source<'_> {
    /// `text` with what its variables stand for. One without a value stands for nothing; braces
    /// around anything else are text. What is put in is never read again.
    pub(super) fn filled(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let is_of_name = |b: &u8| b.is_ascii_lowercase() || *b == b'_';
            let (name, behind) = after.split_at(after.bytes().take_while(is_of_name).count());
            let value =
                behind.strip_prefix('}').and_then(|behind| Some((self.value(name)?, behind)));
            match value {
                Some((value, behind)) => {
                    filled.push_str(&value);
                    rest = behind;
                }
                None => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// What a variable stands for; `None` where there is no such variable.
    fn value(&self, name: &str) -> Option<String> {
        let content = &self.document.content;
        let (issuer, customer) = (&content.issuer, content.customer.as_ref());
        let text = |text: Option<&String>| some_line(text.map(String::as_str));
        let date = |date: Option<Date>| date.map(|date| self.locale.date(date));
        let account = self.account();
        let (total, currency) = (&self.document.amounts.total_with_tax, content.currency);
        let amount = || self.locale.amount(&self.shown(total), currency);
        let value = match name {
            "entity_name" => text(issuer.name.as_ref()),
            "entity_email" => text(issuer.email.as_ref()),
            "entity_address" => text(issuer.address.as_ref()),
            "entity_post_code" => text(issuer.post_code.as_ref()),
            "entity_city" => text(issuer.city.as_ref()),
            "entity_country" => text(issuer.country.as_ref()),
            "entity_tax_number" => text(issuer.tax_number.as_ref()),
            "entity_company_number" => text(issuer.company_number.as_ref()),
            "unit_name" => some_line(content.business_unit.as_ref().map(|unit| unit.name.as_str())),
            "customer_name" => text(customer.and_then(|it| it.name.as_ref())),
            "document_number" => {
                (!self.document.is_draft()).then(|| crate::clean::line(&self.document.number()))
            }
            "document_date" => date(Some(content.date)),
            "document_due_date" => date(content.date_due),
            "document_valid_until" => date(content.date_valid_till),
            "document_total" => self.shows_prices().then(amount),
            "document_currency" => Some(currency.code().to_owned()),
            "iban" => text(account.and_then(|it| it.iban.as_ref())).as_deref().map(in_fours),
            "bic" => text(account.and_then(|it| it.bic.as_ref())),
            "bank_name" => text(account.and_then(|it| it.bank_name.as_ref())),
            _ => return None,
        };
        Some(value.unwrap_or_default())
    }
}
