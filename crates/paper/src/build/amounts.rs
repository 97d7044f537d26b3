//! Totals, taxes, advances, payments and converted totals: formatted as they are stored.

use racun_documents::{AdvanceTax, DocumentKind};
use racun_kernel::{Currency, Decimal};

use super::Source;
use crate::clean::some_line;
use crate::model::{Align, Column, ColumnKey, Emphasis, Row, Table, TableKey, Total};
use crate::words::Word;

pub(super) fn row(cells: Vec<String>) -> Row {
    Row::Cells { cells, description: None, carried: None }
}

impl Source<'_> {
    fn table(
        &self,
        key: TableKey,
        label: Word,
        columns: Vec<Column>,
        rows: Vec<Row>,
    ) -> Option<Table> {
        let label = Some(self.word(label).to_owned());
        (!rows.is_empty()).then_some(Table { key, label, columns, rows })
    }

    fn rate(&self, rate: &Decimal, reverse_charge: bool) -> String {
        let rate = self.locale.percent(rate);
        if reverse_charge { format!("{rate} ({})", self.word(Word::ReverseCharge)) } else { rate }
    }

    /// Whether it says what was paid and what is due.
    pub(super) fn shows_due(&self) -> bool {
        let is_owed =
            matches!(self.document.id.kind(), DocumentKind::Invoice | DocumentKind::AdvanceInvoice);
        is_owed && self.look.shows_payments && self.document.voided_at().is_none()
    }

    pub(super) fn totals(&self) -> Vec<Total> {
        if !self.shows_prices() {
            return Vec::new();
        }
        let amounts = &self.document.amounts;
        let mut totals = Vec::new();
        let mut add = |key, label: String, amount: &Decimal, emphasis| {
            totals.push(Total { key, label, text: self.money(amount), emphasis });
        };
        let word = |word: Word| self.word(word).to_owned();
        add("subtotal", word(Word::Subtotal), &amounts.total, Emphasis::Plain);
        if !amounts.total_discount.is_zero() {
            let label = word(Word::TotalDiscount);
            add("total_discount", label, &amounts.total_discount, Emphasis::Plain);
        }
        for tax in amounts.taxes.iter().map(|tax| &tax.tax) {
            let label =
                format!("{} {}", self.word(Word::Tax), self.rate(&tax.rate, tax.reverse_charge));
            add("tax", label, &tax.amount, Emphasis::Plain);
        }
        let shows_due = self.shows_due();
        let emphasis = if shows_due { Emphasis::Strong } else { Emphasis::Main };
        add("total_with_tax", word(Word::Total), &amounts.total_with_tax, emphasis);
        if shows_due {
            if !amounts.total_paid.is_zero() {
                add("total_paid", word(Word::TotalPaid), &amounts.total_paid, Emphasis::Plain);
            }
            add("total_due", word(Word::TotalDue), &self.document.total_due(), Emphasis::Main);
        }
        totals
    }

    fn tax_columns(&self) -> Vec<Column> {
        vec![
            self.column(ColumnKey::TaxRate, Word::Rate, Align::Start),
            self.column(ColumnKey::Net, Word::Net, Align::End),
            self.column(ColumnKey::Tax, Word::Tax, Align::End),
        ]
    }

    pub(super) fn taxes(&self) -> Option<Table> {
        if !self.shows_prices() {
            return None;
        }
        let amounts = &self.document.amounts;
        let mut rows: Vec<Row> = amounts
            .taxes
            .iter()
            .map(|tax| &tax.tax)
            .map(|tax| {
                let rate = self.rate(&tax.rate, tax.reverse_charge);
                row(vec![rate, self.money(&tax.base), self.money(&tax.amount)])
            })
            .collect();
        if !rows.is_empty() && !amounts.untaxed.is_zero() {
            let none = self.money(&Decimal::zero());
            let label = self.word(Word::Untaxed).to_owned();
            rows.push(row(vec![label, self.money(&amounts.untaxed), none]));
        }
        self.table(TableKey::Taxes, Word::Taxes, self.tax_columns(), rows)
    }

    /// The advances that the invoice has, each with the tax that it bore, rate by rate.
    pub(super) fn advances(&self) -> Option<Table> {
        if !self.shows_prices() {
            return None;
        }
        let columns = vec![
            self.column(ColumnKey::Reference, Word::Number, Align::Start),
            self.column(ColumnKey::Date, Word::Date, Align::Start),
            self.column(ColumnKey::TaxRate, Word::Rate, Align::Start),
            self.column(ColumnKey::Net, Word::Net, Align::End),
            self.column(ColumnKey::Tax, Word::Tax, Align::End),
            self.column(ColumnKey::Gross, Word::Amount, Align::End),
        ];
        let mut rows = Vec::new();
        for advance in &self.document.advances_applied {
            let share = &advance.share;
            let all = |text: fn(&Self, &AdvanceTax) -> String| {
                share.taxes.iter().map(|tax| text(self, tax)).collect::<Vec<_>>().join("\n")
            };
            rows.push(row(vec![
                some_line(Some(&advance.number)).unwrap_or_default(),
                self.locale.date(advance.date),
                all(|source, tax| source.rate(&tax.rate, tax.reverse_charge)),
                all(|source, tax| source.money(&tax.base)),
                all(|source, tax| source.money(&tax.amount)),
                self.money(&share.amount),
            ]));
        }
        self.table(TableKey::Advances, Word::Advances, columns, rows)
    }

    pub(super) fn payments_table(&self) -> Option<Table> {
        if !self.shows_due() {
            return None;
        }
        let columns = vec![
            self.column(ColumnKey::Date, Word::Date, Align::Start),
            self.column(ColumnKey::Method, Word::Method, Align::Start),
            self.column(ColumnKey::Reference, Word::Reference, Align::Start),
            self.column(ColumnKey::Amount, Word::Amount, Align::End),
        ];
        let rows = self.payments.iter().map(|payment| {
            row(vec![
                self.locale.date(payment.date),
                self.word(method(&payment.method)).to_owned(),
                some_line(payment.reference.as_deref()).unwrap_or_default(),
                self.money(&payment.amount),
            ])
        });
        self.table(TableKey::Payments, Word::Payments, columns, rows.collect())
    }

    /// Taxes and totals in the currency of the issuer, as the law wants them where the document is
    /// in another (Directive 2006/112/EC, article 230).
    pub(super) fn converted(&self) -> Option<Table> {
        let exchange = self.document.content.exchange_rate.as_ref();
        let currency: Currency = exchange.filter(|_| self.shows_prices())?.quote_currency;
        let amounts = &self.document.amounts;
        let money = |amount: &Decimal| self.locale.money(&self.shown(amount), currency);
        let mut rows = Vec::new();
        for tax in &amounts.taxes {
            let (Some(base), Some(amount)) = (&tax.base_converted, &tax.amount_converted) else {
                continue;
            };
            let rate = self.rate(&tax.tax.rate, tax.tax.reverse_charge);
            rows.push(row(vec![rate, money(base), money(amount), String::new()]));
        }
        if let (Some(net), Some(gross)) =
            (&amounts.total_converted, &amounts.total_with_tax_converted)
        {
            let total = self.word(Word::Total).to_owned();
            rows.push(row(vec![total, money(net), String::new(), money(gross)]));
        }
        let mut columns = self.tax_columns();
        columns.push(self.column(ColumnKey::Gross, Word::Gross, Align::End));
        self.table(TableKey::Converted, Word::Converted, columns, rows)
    }
}

/// What a type of payment is called.
pub(super) fn method(name: &str) -> Word {
    let methods = [
        Word::Cash,
        Word::BankTransfer,
        Word::Card,
        Word::CreditCard,
        Word::DebitCard,
        Word::Check,
        Word::OnlineWallet,
        Word::Coupon,
        Word::CreditNote,
    ];
    let found = methods.into_iter().find(|word| word.key() == name);
    found.unwrap_or(if name == "advance" { Word::AdvanceInvoice } else { Word::Other })
}
