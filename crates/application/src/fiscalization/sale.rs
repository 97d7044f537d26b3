//! A document as an authority asks for it.

use racun_documents::{Document, DocumentKind, TaxAmounts};
use racun_fiscal::{Authority, Buyer, Correction, Means, Sale, SaleKind, SaleTax};
use racun_kernel::{Decimal, Issue, Issues};
use racun_settlement::PaymentType;

/// What authorities call a type of payment.
pub(crate) const fn means(kind: PaymentType) -> Means {
    match kind {
        PaymentType::Cash => Means::Cash,
        PaymentType::BankTransfer => Means::BankTransfer,
        PaymentType::Card => Means::Card,
        PaymentType::CreditCard => Means::CreditCard,
        PaymentType::DebitCard => Means::DebitCard,
        PaymentType::Check => Means::Check,
        PaymentType::OnlineWallet => Means::OnlineWallet,
        PaymentType::Coupon => Means::Coupon,
        PaymentType::Other => Means::Other,
        PaymentType::CreditNote => Means::CreditNote,
        PaymentType::Advance => Means::Advance,
    }
}

/// The currency that authorities take.
const EURO: &str = "EUR";

/// What `document` says to an authority, paid by `means`, correcting `corrects`.
///
/// # Errors
/// An issue at `exchange_rate` when it comes to nothing in euros.
pub(super) fn sale(
    document: &Document,
    means: Vec<Means>,
    corrects: Vec<Correction>,
) -> Result<Sale, Issues> {
    let kind = match document.id.kind() {
        DocumentKind::CreditNote => SaleKind::CreditNote,
        DocumentKind::AdvanceInvoice => SaleKind::AdvanceInvoice,
        DocumentKind::Invoice | DocumentKind::Estimate | DocumentKind::DeliveryNote => {
            SaleKind::Invoice
        }
    };
    let euros = Euros::of(document)?;
    let amounts = &document.amounts;
    let mut sale = Sale {
        kind,
        total: euros.amount(&amounts.total_with_tax, amounts.total_with_tax_converted.as_ref()),
        taxes: Vec::new(),
        exempt: Decimal::zero(),
        reverse_charge: Decimal::zero(),
        untaxed: Decimal::zero(),
        buyer: buyer(document),
        means,
        corrects,
    };
    let mut parts = Decimal::zero();
    for TaxAmounts { tax, base_converted, amount_converted } in &amounts.taxes {
        let base = euros.amount(&tax.base, base_converted.as_ref());
        let amount = euros.amount(&tax.amount, amount_converted.as_ref());
        parts = &(&parts + &base) + &amount;
        if tax.reverse_charge {
            sale.reverse_charge = &sale.reverse_charge + &base;
        } else if tax.rate.is_zero() {
            sale.exempt = &sale.exempt + &base;
        } else {
            add(&mut sale.taxes, &tax.rate, &base, &amount);
        }
    }
    sale.untaxed = &sale.total - &parts;
    Ok(sale)
}

fn add(taxes: &mut Vec<SaleTax>, rate: &Decimal, base: &Decimal, amount: &Decimal) {
    match taxes.iter_mut().find(|tax| tax.rate == *rate) {
        Some(tax) => {
            tax.base = &tax.base + base;
            tax.amount = &tax.amount + amount;
        }
        None => {
            let (rate, base, amount) = (rate.clone(), base.clone(), amount.clone());
            taxes.push(SaleTax { rate, base, amount });
        }
    }
}

/// Which of a document's amounts are in euros.
#[derive(Clone, Copy)]
enum Euros {
    Own,
    Converted,
}

impl Euros {
    fn of(document: &Document) -> Result<Self, Issues> {
        let content = &document.content;
        let quote = content.exchange_rate.as_ref().map(|rate| rate.quote_currency.code());
        if content.currency.code() == EURO {
            Ok(Self::Own)
        } else if quote == Some(EURO) {
            Ok(Self::Converted)
        } else {
            let message = "a document that is fiscalized comes to something in euros; send the \
                           rate into euros";
            Err(Issue::new("required", message).at("exchange_rate").into())
        }
    }

    fn amount(self, own: &Decimal, converted: Option<&Decimal>) -> Decimal {
        match (self, converted) {
            (Self::Converted, Some(converted)) => converted.clone(),
            (Self::Own | Self::Converted, _) => own.clone(),
        }
    }
}

/// Who buys. Who does not say otherwise, and has a tax number, is a business.
pub(super) fn buyer(document: &Document) -> Option<Buyer> {
    let customer = document.content.customer.as_ref()?;
    Some(Buyer {
        tax_number: customer.tax_number.clone(),
        country_code: customer.country_code.as_ref().map(|code| code.to_ascii_uppercase()),
        is_end_consumer: customer.is_end_consumer.unwrap_or(false),
    })
}

/// What of `targets` a credit note corrects that `authority` knows.
pub(super) fn corrections<'a>(
    document: &Document,
    targets: impl Iterator<Item = &'a Document>,
    authority: Authority,
) -> Vec<Correction> {
    if document.id.kind() != DocumentKind::CreditNote {
        return Vec::new();
    }
    let known = |target: &Document| {
        let fiscal = target.fiscal.as_ref()?;
        let record = fiscal.record.as_ref()?;
        (fiscal.authority == authority).then(|| Correction {
            premise: record.premise.clone(),
            device: record.device.clone(),
            number: record.number,
            issued_at: record.issued_at,
        })
    };
    targets.filter_map(known).collect()
}
