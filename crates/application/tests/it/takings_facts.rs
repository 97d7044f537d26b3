//! What documents and payments are to the fold of takings, computed apart from the program.

use std::collections::BTreeMap;

use racun_documents::Amounts;
use racun_documents::{Document, Line};
use racun_kernel::{Currency, Decimal};
use racun_pos::takings::{Advance, Exchange, On, Paid, Return, Sale, SaleLine, SaleTax, Seller};
use racun_settlement::Payment;

/// How money of `document` becomes money of the report.
pub fn exchange(document: &Document, currency: Currency) -> Exchange {
    match &document.content.exchange_rate {
        _ if document.content.currency == currency => Exchange::Same,
        Some(rate) if rate.quote_currency == currency => Exchange::At(rate.rate.clone()),
        _ => Exchange::Unknown,
    }
}

pub fn converted(exchange: &Exchange, own: &Decimal, converted: &Option<Decimal>) -> Decimal {
    match exchange {
        Exchange::Same => own.clone(),
        Exchange::At(_) => converted.clone().unwrap(),
        Exchange::Unknown => Decimal::zero(),
    }
}

/// What the lines of a document without taxes come to.
fn untaxed(exchange: &Exchange, lines: &[Line]) -> Decimal {
    let lines = lines.iter().filter(|line| line.taxes.is_empty());
    let own: Decimal = lines.map(|line| &line.total).sum();
    exchange.convert(&own, Currency::EUR)
}

/// Net, gross and taxes of a document.
pub fn figures(exchange: &Exchange, amounts: &Amounts) -> (Decimal, Decimal, Vec<SaleTax>) {
    let money = |own: &Decimal, other: &Option<Decimal>| converted(exchange, own, other);
    let taxes = amounts.taxes.iter().map(|tax| SaleTax {
        rate: tax.tax.rate.clone(),
        base: money(&tax.tax.base, &tax.base_converted),
        amount: money(&tax.tax.amount, &tax.amount_converted),
    });
    let net = money(&amounts.total, &amounts.total_converted);
    (net, money(&amounts.total_with_tax, &amounts.total_with_tax_converted), taxes.collect())
}

/// What `document` says to the report.
pub fn sale(document: &Document, currency: Currency, names: &BTreeMap<String, String>) -> Sale {
    let content = &document.content;
    let exchange = exchange(document, currency);
    let (net, gross, taxes) = figures(&exchange, &document.amounts);
    let goods = content.lines.iter().filter(|line| line.kind.is_none());
    let line = |line: &Line| SaleLine {
        category: line.financial_category_id.map(|id| names[&id.to_string()].clone()),
        quantity: line.quantity.clone(),
        total: converted(&exchange, &line.total_with_tax, &line.total_with_tax_converted),
    };
    Sale {
        invoice: document.id.to_string(),
        date: content.date,
        voided_at: document.voided_at(),
        is_credited: document.amounts.total_credited.is_positive(),
        net,
        gross,
        taxes,
        untaxed: untaxed(&exchange, &content.lines),
        lines: goods.map(line).collect(),
        seller: document.operator.as_ref().map(|operator| Seller {
            user: Some(operator.user_id.to_string()),
            label: document.fiscal_record().and_then(|record| record.operator_label.clone()),
            name: operator.name.clone(),
            email: Some(operator.email.clone()),
        }),
        exchange,
    }
}

/// What a credit note of `invoices` says to it.
pub fn back(document: &Document, invoices: &[&Document], currency: Currency) -> Return {
    let exchange = exchange(document, currency);
    let (net, gross, taxes) = figures(&exchange, &document.amounts);
    Return {
        credit_note: document.id.to_string(),
        date: document.content.date,
        voided_at: document.voided_at(),
        of: invoices.iter().map(|it| (it.content.date, it.voided_at())).collect(),
        net,
        gross,
        taxes,
        untaxed: untaxed(&exchange, &document.content.lines),
        exchange,
    }
}

pub fn advance(document: &Document, currency: Currency) -> Advance {
    Advance {
        invoice: document.id.to_string(),
        voided_at: document.voided_at(),
        is_credited: document.amounts.total_credited.is_positive(),
        exchange: exchange(document, currency),
    }
}

pub fn paid(payment: Payment) -> Option<Paid> {
    let on = match (payment.invoice_id, payment.advance_invoice_id, payment.credit_note_id) {
        (Some(invoice), ..) => On::Invoice(invoice.to_string()),
        (None, Some(advance), _) => On::Advance(advance.to_string()),
        (None, None, Some(credit_note)) => On::CreditNote(credit_note.to_string()),
        (None, None, None) => return None,
    };
    let (kind, date) = (payment.kind.name().to_owned(), payment.date);
    Some(Paid {
        on,
        kind,
        date,
        amount: payment.amount,
        tip: payment.tip.unwrap_or_else(Decimal::zero),
    })
}
