//! A document as an authority asks for it.

use racun_documents::{Content, Document, DocumentKind, TaxAmounts};
use racun_fiscal::{
    Authority, Buyer, CorrectedForm, CorrectedInvoice, Correction, Means, Sale, SaleKind, SaleTax,
};
use racun_kernel::{Decimal, Issue, Issues};
use racun_settlement::{Payment, PaymentType};

use super::schemes;

/// What advances settle among `payments` on one document, in its currency.
pub fn by_advances<'a>(payments: impl IntoIterator<Item = &'a Payment>) -> Decimal {
    let advances = payments.into_iter().filter(|payment| payment.kind == PaymentType::Advance);
    advances.map(|payment| &payment.amount).sum()
}

/// The currency that authorities take.
const EURO: &str = "EUR";

/// How a document is paid when it is issued.
pub(super) struct Paid {
    /// By which means.
    pub means: Vec<PaymentType>,
    /// What advances settle of it, in its own currency.
    pub settled: Decimal,
}

/// The means called `name` in the interface.
pub(super) fn means_called(name: &str) -> Option<Means> {
    serde_json::from_value(name.into()).ok()
}

/// What `means` are called in the interface.
pub(super) fn name_of(means: Means) -> String {
    let name = serde_json::to_value(means).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What `document` says to `authority`, paid as `paid` says, correcting `corrects`.
///
/// # Errors
/// An issue at `exchange_rate` when it comes to nothing in euros; what is wrong with the schemes
/// that its lines name.
pub(super) fn sale(
    document: &Document,
    paid: Paid,
    corrects: Vec<Correction>,
    authority: Authority,
) -> Result<Sale, Issues> {
    let content = &document.content;
    schemes::check(content, authority)?;
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
        consumption: schemes::consumption(content, authority),
        exempt: Decimal::zero(),
        reverse_charge: Decimal::zero(),
        margin: euros.converted(schemes::margin(content), content),
        untaxed: Decimal::zero(),
        settled: euros.converted(paid.settled, content),
        buyer: buyer(document),
        means: paid.means,
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
    // The summary has them among its taxes, by their rates.
    let Sale { consumption, taxes, exempt, margin, .. } = &mut sale;
    for tax in consumption.iter() {
        take(taxes, exempt, tax);
    }
    taxes.retain(|tax| !tax.base.is_zero() || !tax.amount.is_zero());
    *exempt -= margin;
    sale.untaxed = &sale.total - &parts;
    Ok(sale)
}

/// Takes the consumption tax `tax` out of the taxes of its rate, or, at zero percent, out of what
/// is exempt.
fn take(taxes: &mut [SaleTax], exempt: &mut Decimal, tax: &SaleTax) {
    match taxes.iter_mut().find(|known| known.rate == tax.rate) {
        Some(known) => {
            known.base -= &tax.base;
            known.amount -= &tax.amount;
        }
        None => *exempt -= &tax.base,
    }
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

    /// `own`, which is in the document's currency.
    fn converted(self, own: Decimal, content: &Content) -> Decimal {
        match (self, &content.exchange_rate) {
            (Self::Converted, Some(exchange)) => exchange.convert(&own),
            (Self::Own | Self::Converted, _) => own,
        }
    }

    fn amount(self, own: &Decimal, converted: Option<&Decimal>) -> Decimal {
        match (self, converted) {
            (Self::Converted, Some(converted)) => converted.clone(),
            (Self::Own | Self::Converted, _) => own.clone(),
        }
    }
}

/// `own`, which is in the currency of `document`, in euros.
pub(super) fn in_euros(document: &Document, own: Decimal) -> Decimal {
    match Euros::of(document) {
        Ok(euros) => euros.converted(own, &document.content),
        // Without a rate nothing was fiscalized.
        Err(_) => own,
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
        if fiscal.authority != authority {
            return None;
        }
        Some(match (&record.book, &record.device) {
            (Some(book), _) => Correction::Form(CorrectedForm {
                book: book.clone(),
                issued_on: record.issued_at.date(),
            }),
            (None, device) => Correction::Invoice(CorrectedInvoice {
                premise: record.premise.clone(),
                device: device.clone().unwrap_or_default(),
                number: record.number,
                issued_at: record.issued_at,
            }),
        })
    };
    targets.filter_map(known).collect()
}
