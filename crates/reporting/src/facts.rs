//! Documents and expenses as reports look at them.

use racun_documents::calculation::SummaryTax;
use racun_documents::expense::{Expense, ExpenseSummaryTax, ExpenseSupplier};
use racun_documents::{
    Document, DocumentKind, Line, LineKind, LineTaxDetail, Party, Stage, TransactionType,
};
use racun_insights::{Bought, OpenItem, Partner, RevenueDocument, Sale, Sold, SoldKind, TaxPart};
use racun_kernel::vat_number::prefix_of;
use racun_kernel::{Classification, Currency, Decimal};

/// The kind of a sale, as reports tell them apart.
const fn sale(kind: TransactionType) -> Sale {
    match kind {
        TransactionType::Domestic => Sale::Domestic,
        TransactionType::IntraEuB2b => Sale::UnionBusiness,
        TransactionType::IntraEuB2c => Sale::UnionConsumer,
        TransactionType::ThirdCountryB2b
        | TransactionType::ThirdCountryB2c
        | TransactionType::Export => Sale::Abroad,
    }
}

const fn sold_kind(kind: DocumentKind) -> Option<SoldKind> {
    match kind {
        DocumentKind::Invoice => Some(SoldKind::Invoice),
        DocumentKind::CreditNote => Some(SoldKind::CreditNote),
        DocumentKind::AdvanceInvoice => Some(SoldKind::Advance),
        DocumentKind::Estimate | DocumentKind::DeliveryNote => None,
    }
}

/// Whether a voided document is out of all sums. One that ended by credit notes counts together
/// with them, and both cancel out.
pub(crate) fn is_void(document: &Document) -> bool {
    matches!(document.stage, Stage::Voided(..)) && !document.amounts.total_credited.is_positive()
}

/// `converted` where the document is in another currency than the books, which are in `books`.
fn in_books<'a>(
    own: &'a Decimal,
    converted: Option<&'a Decimal>,
    currency: Currency,
    books: Currency,
) -> Option<&'a Decimal> {
    if currency == books { Some(own) } else { converted }
}

/// An issued invoice, credit note or advance invoice, its amounts in `books`; `None` for drafts and
/// other kinds.
#[must_use]
pub fn sold(document: &Document, books: Currency) -> Option<Sold> {
    let kind = sold_kind(document.id.kind())?;
    if document.is_draft() {
        return None;
    }
    let number = document.number();
    let (content, amounts) = (&document.content, &document.amounts);
    let gross = in_books(
        &amounts.total_with_tax,
        amounts.total_with_tax_converted.as_ref(),
        content.currency,
        books,
    );
    let customer = content.customer.as_ref();
    let code = content.customer_id.map(|id| id.to_string());
    Some(Sold {
        id: document.id.to_string(),
        kind,
        fiscal_number: document.is_fiscalized().then(|| number.clone()),
        number,
        date: content.date,
        supplied_on: content.date_service_to.or(content.date_service),
        due: content.date_due,
        is_voided: is_void(document),
        sale: sale(content.transaction_type),
        partner: customer.map(|party| partner(party, code)),
        parts: parts(document, books),
        gross: gross.cloned().unwrap_or_else(Decimal::zero),
        is_converted: gross.is_some(),
    })
}

fn partner(party: &Party, code: Option<String>) -> Partner {
    let is_consumer = party.is_end_consumer == Some(true);
    Partner {
        code,
        name: party.name.clone(),
        address: party.address.clone(),
        post_code: party.post_code.clone(),
        city: party.city.clone(),
        country: party.country_code.clone(),
        tax_number: party.tax_number.clone(),
        is_business: !is_consumer && party.tax_number.is_some(),
    }
}

/// The taxes of a document, each with what its lines sell; and what bears no tax.
fn parts(document: &Document, books: Currency) -> Vec<TaxPart> {
    let (content, amounts) = (&document.content, &document.amounts);
    let own = |amount, converted| {
        in_books(amount, converted, content.currency, books).cloned().unwrap_or_else(Decimal::zero)
    };
    let lines = || content.lines.iter().filter(|line| line.kind != Some(LineKind::Separator));
    let mut parts = Vec::new();
    for tax in &amounts.taxes {
        let of_lines = lines().filter_map(|line| Some((line, tax_of(line, &tax.tax)?)));
        let of_lines: Vec<(&Line, &LineTaxDetail)> = of_lines.collect();
        let called = |name: &str| {
            !of_lines.is_empty() && of_lines.iter().all(|(_, tax)| tax.is_called(name))
        };
        // Croatia's tax on consumption is no VAT, and its base is that of another tax.
        if called(LineTaxDetail::CONSUMPTION) {
            continue;
        }
        let part = TaxPart::of(
            tax.tax.rate.clone(),
            own(&tax.tax.base, tax.base_converted.as_ref()),
            own(&tax.tax.amount, tax.amount_converted.as_ref()),
        );
        let totals: Vec<(Option<Classification>, Decimal)> =
            of_lines.iter().map(|(line, _)| total(line, &own)).collect();
        let part = part.sold_as(totals.iter().map(|(what, total)| (*what, total)));
        let is_margin = called(LineTaxDetail::MARGIN);
        parts.push(TaxPart { reverse_charge: tax.tax.reverse_charge, is_margin, ..part });
    }
    let untaxed = own(&amounts.untaxed, amounts.untaxed_converted.as_ref());
    if !untaxed.is_zero() {
        let totals: Vec<(Option<Classification>, Decimal)> =
            lines().filter(|line| line.taxes.is_empty()).map(|line| total(line, &own)).collect();
        let part = TaxPart::of(Decimal::zero(), untaxed, Decimal::zero());
        parts.push(part.sold_as(totals.iter().map(|(what, total)| (*what, total))));
    }
    parts
}

fn total<'a>(
    line: &'a Line,
    own: &impl Fn(&'a Decimal, Option<&'a Decimal>) -> Decimal,
) -> (Option<Classification>, Decimal) {
    (line.classification, own(&line.total, line.total_converted.as_ref()))
}

/// The tax of a line that the summary counts under `tax`.
fn tax_of<'a>(line: &'a Line, tax: &SummaryTax) -> Option<&'a LineTaxDetail> {
    line.taxes.iter().find(|one| {
        one.tax_id == tax.tax_id && one.rate == tax.rate && one.reverse_charge == tax.reverse_charge
    })
}

/// An expense that is in the books, its amounts in `books`; `home` is the entity's country.
#[must_use]
pub fn bought(expense: &Expense, books: Currency, home: Option<&str>) -> Option<Bought> {
    let content = &expense.content;
    let date = content.date?;
    if expense.is_draft() {
        return None;
    }
    let (amounts, currency) = (&content.amounts, content.currency);
    let supplier = content.supplier.clone().unwrap_or_default();
    let gross = amounts.total_with_tax.as_ref();
    let converted = amounts.total_with_tax_converted.as_ref();
    let is_converted =
        gross.is_none_or(|gross| in_books(gross, converted, currency, books).is_some());
    Some(Bought {
        id: expense.id.to_string(),
        number: content.supplier_document_number.clone(),
        date,
        received_on: content.date_received,
        is_voided: expense.voided_at().is_some(),
        purchase: content.transaction_type.map_or_else(|| purchase(&supplier, home), sale),
        partner: supplier_of(&supplier),
        parts: bought_parts(expense, books),
        is_converted,
    })
}

/// The kind of a purchase that does not say it: by the countries of both sides.
fn purchase(supplier: &ExpenseSupplier, home: Option<&str>) -> Sale {
    let foreign = supplier.country_code.as_deref().filter(|country| {
        !country.is_empty() && home.is_none_or(|home| !home.eq_ignore_ascii_case(country))
    });
    match foreign {
        None => Sale::Domestic,
        Some(country) if prefix_of(country).is_some() => Sale::UnionBusiness,
        Some(_) => Sale::Abroad,
    }
}

fn supplier_of(supplier: &ExpenseSupplier) -> Partner {
    Partner {
        code: None,
        name: supplier.name.clone(),
        address: supplier.address.clone(),
        post_code: supplier.post_code.clone(),
        city: supplier.city.clone(),
        country: supplier.country_code.clone(),
        tax_number: supplier.tax_number.clone(),
        is_business: true,
    }
}

fn bought_parts(expense: &Expense, books: Currency) -> Vec<TaxPart> {
    let content = &expense.content;
    let amounts = &content.amounts;
    let own = |amount, converted| {
        in_books(amount, converted, content.currency, books).cloned().unwrap_or_else(Decimal::zero)
    };
    let mut parts: Vec<TaxPart> = Vec::new();
    for tax in &amounts.taxes {
        let rate = tax.rate.clone().unwrap_or_else(Decimal::zero);
        let base = own(&tax.base, tax.base_converted.as_ref());
        let part = TaxPart::of(rate, base, own(&tax.amount, tax.amount_converted.as_ref()));
        let part =
            TaxPart { reverse_charge: tax.reverse_charge, deductible: deductible(tax), ..part };
        parts.push(sells(part, expense));
    }
    let total = amounts.total.as_ref().map(|total| own(total, amounts.total_converted.as_ref()));
    let bases: Decimal = parts.iter().map(|part| &part.base).sum();
    let untaxed = total.map_or_else(Decimal::zero, |total| &total - &bases);
    if !untaxed.is_zero() {
        let part = TaxPart::of(Decimal::zero(), untaxed, Decimal::zero());
        parts.push(sells(part, expense));
    }
    parts
}

/// The part, its base divided as the items with its rate are; in the expense's currency they are
/// only weighed when that is the books'.
fn sells(part: TaxPart, expense: &Expense) -> TaxPart {
    let content = &expense.content;
    let what = |item: &racun_documents::expense::ExpenseItem| {
        item.classification.or(content.summary_classification)
    };
    let of_rate = content.items.iter().filter(|item| {
        let rate = item.taxes.first().map_or_else(Decimal::zero, |tax| tax.rate.clone());
        !item.is_separator && rate == part.rate
    });
    let kinds: Vec<Option<Classification>> = of_rate.map(what).collect();
    let base = part.base.clone();
    match kinds.first() {
        None => part.sold_as([(content.summary_classification, &base)]),
        Some(first) if kinds.iter().all(|kind| kind == first) => part.sold_as([(*first, &base)]),
        Some(_) => {
            let totals = content.items.iter().filter(|item| {
                let rate = item.taxes.first().map_or_else(Decimal::zero, |tax| tax.rate.clone());
                !item.is_separator && rate == part.rate
            });
            let factor = content.exchange_rate.as_ref();
            let totals = totals.filter_map(|item| {
                let total = item.total.as_ref()?;
                let total = factor.map_or_else(|| total.clone(), |rate| rate.convert(total));
                Some((what(item), total))
            });
            let totals: Vec<(Option<Classification>, Decimal)> = totals.collect();
            part.sold_as(totals.iter().map(|(what, total)| (*what, total)))
        }
    }
}

fn deductible(tax: &ExpenseSummaryTax) -> Decimal {
    if tax.is_deductible == Some(false) {
        return Decimal::zero();
    }
    tax.deductible_percentage.clone().unwrap_or_else(|| Decimal::from(100))
}

/// An issued document as the yearly figures of sole traders look at it.
#[must_use]
pub fn revenue(document: &Document, books: Currency) -> Option<RevenueDocument> {
    let kind = sold_kind(document.id.kind()).filter(|_| !document.is_draft())?;
    let (content, amounts) = (&document.content, &document.amounts);
    let customer = content.customer.as_ref();
    let converted =
        in_books(&amounts.total, amounts.total_converted.as_ref(), content.currency, books);
    Some(RevenueDocument {
        id: document.id.to_string(),
        kind,
        number: document.number(),
        date: content.date,
        is_voided: is_void(document),
        customer_name: customer.and_then(|party| party.name.clone()),
        customer_country_code: customer.and_then(|party| party.country_code.clone()),
        customer_tax_number: customer.and_then(|party| party.tax_number.clone()),
        currency_code: content.currency.code().to_owned(),
        total: amounts.total.clone(),
        total_converted: converted.cloned(),
        is_paid: document.paid_in_full(),
    })
}

/// What is open of an invoice or a credit note: `amount`, below zero where it is owed to the
/// customer. Only what is owed for an invoice is ever late.
#[must_use]
pub fn open_item(document: &Document, books: Currency, amount: Decimal) -> OpenItem {
    let content = &document.content;
    let converted = match &content.exchange_rate {
        _ if content.currency == books => Some(amount.clone()),
        Some(rate) => Some(rate.convert(&amount)),
        None => None,
    };
    let is_owed = document.id.kind() == DocumentKind::Invoice && amount.is_positive();
    OpenItem {
        customer_id: content.customer_id.map(|id| id.to_string()),
        name: content.customer.as_ref().and_then(|party| party.name.clone()),
        date: content.date,
        currency: content.currency,
        due: content.date_due.filter(|_| is_owed),
        amount,
        converted,
    }
}
