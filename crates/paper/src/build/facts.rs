//! Number, dates and references; and where the document stands.

use racun_documents::{DocumentKind, Reply, Stage};

use super::Source;
use crate::clean::some_line;
use crate::model::{Banner, Fact, State};
use crate::words::Word;

impl Source<'_> {
    pub(super) fn facts(&self) -> Vec<Fact> {
        let document = self.document;
        let content = &document.content;
        let date = |date: Option<time::Date>| date.map(|date| self.locale.date(date));
        let service = match (content.date_service, content.date_service_to) {
            (Some(from), Some(to)) if from != to => {
                Some(format!("{} - {}", self.locale.date(from), self.locale.date(to)))
            }
            (from, to) => date(from.or(to)),
        };
        let record = document.fiscal_record();
        let issued_at = record.filter(|record| record.book.is_none() && record.paragon.is_none());
        let issued_at = issued_at.map(|record| {
            let (hour, minute, second) = record.issued_at.to_hms();
            let day = self.locale.date(record.issued_at.date());
            format!("{day} {hour:02}:{minute:02}:{second:02}")
        });
        let operator = record.and_then(|record| some_line(record.operator_label.as_deref()));
        let buyer = content.customer.as_ref().and_then(|buyer| buyer.buyer_reference.as_deref());
        let linked: Vec<String> =
            self.linked.iter().filter_map(|number| some_line(Some(number))).collect();
        let rate = content.exchange_rate.as_ref().map(|exchange| {
            let rate = self.locale.number(&exchange.rate, 0);
            let day = self.locale.date(exchange.date);
            let (from, to) = (content.currency, exchange.quote_currency);
            let source = some_line(Some(&exchange.source)).unwrap_or_default();
            format!("1 {from} = {rate} {to} ({day} {source})").replace(" )", ")")
        });
        let is_estimate = document.id.kind() == DocumentKind::Estimate;
        let number = (!document.is_draft()).then(|| document.number());
        let facts = [
            (Word::Number, some_line(number.as_deref())),
            (Word::Date, date(Some(content.date))),
            (Word::IssuedAt, issued_at),
            (Word::DateService, service),
            (Word::DateDue, date(content.date_due).filter(|_| !self.is_without_due())),
            (Word::DateValidTill, date(content.date_valid_till).filter(|_| is_estimate)),
            (Word::Reference, some_line(content.reference.as_deref())),
            (Word::BuyerReference, some_line(buyer)),
            (Word::LinkedDocument, Some(linked.join(", ")).filter(|text| !text.is_empty())),
            (Word::ExchangeRate, rate.filter(|_| self.shows_prices())),
            (Word::Operator, operator),
        ];
        facts.into_iter().filter_map(|(word, text)| self.fact(word, text)).collect()
    }

    /// Credit notes and delivery notes ask for nothing.
    fn is_without_due(&self) -> bool {
        matches!(self.document.id.kind(), DocumentKind::CreditNote | DocumentKind::DeliveryNote)
    }

    pub(super) fn banners(&self) -> Vec<Banner> {
        let document = self.document;
        let kind = document.id.kind();
        let is_owed = matches!(kind, DocumentKind::Invoice | DocumentKind::AdvanceInvoice);
        let ended = |until: Option<time::Date>| until.is_some_and(|until| until < self.today);
        let mut states = Vec::new();
        match (&document.stage, document.reply) {
            (Stage::Draft, _) => states.push((State::Draft, Word::Draft)),
            (Stage::Voided(..), _) => states.push((State::Void, Word::Void)),
            (Stage::Issued(_), Some(Reply::Accepted(_))) => {
                states.push((State::Accepted, Word::Accepted));
            }
            (Stage::Issued(_), Some(Reply::Rejected(_))) => {
                states.push((State::Rejected, Word::Rejected));
            }
            (Stage::Issued(_), None) if is_owed && document.paid_in_full() => {
                states.push((State::Paid, Word::Paid));
            }
            (Stage::Issued(_), None) if is_owed && ended(document.content.date_due) => {
                states.push((State::Overdue, Word::Overdue));
            }
            (Stage::Issued(_), None)
                if kind == DocumentKind::Estimate && ended(document.content.date_valid_till) =>
            {
                states.push((State::Expired, Word::Expired));
            }
            (Stage::Issued(_), None) => {}
        }
        let environment = document.fiscal_record().map(|record| record.environment);
        if environment == Some(racun_kernel::Environment::Sandbox) {
            states.push((State::Test, Word::Test));
        }
        let banner = |(state, word)| Banner { state, text: self.word(word).to_owned() };
        states.into_iter().map(banner).collect()
    }
}
