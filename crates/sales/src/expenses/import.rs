//! Drafts of received electronic invoices.
//!
//! The file is kept, the supplier is the catalogue's or a new one, and all is in one commit. Of
//! several invoices of a new supplier that come at once, the first one makes it.

use racun_access::{ENTITIES, Entity};
use racun_catalog::events::{file, supplier as supplier_events};
use racun_catalog::{
    FileCategory, FileLinks, FileRefused, FileStorage, NewFile, SUPPLIERS, StorageError, Supplier,
    check_email,
};
use racun_documents::DocumentError;
use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::events::expense as events;
use racun_documents::expense::{
    Expense, ExpenseContent, ExpenseSummaryTax, MAX_EXPENSE_ITEMS, MAX_EXPENSE_NOTE_CHARS,
    MAX_EXPENSE_TAXES, MAX_EXPENSE_TEXT_CHARS,
};
use racun_einvoicing::{Finding, Import, ImportAllowance, ImportLine, ImportTax, Received};
use racun_kernel::{BankAccount, Currency, Decimal, Issue, Issues, Patch, Tenant};
use racun_store::{Context, Many, One, StoreError, Writes};
use time::Date;

use super::compose::{Composition, compose};
use super::gather::gather;
use super::request::{ExpenseLineRequest, ExpenseRequest, SupplierPatch, TotalsRequest};
use super::{happened, supplier};
use crate::documents::{LineRequest, LineTaxRequest};
use crate::error::Error;

/// Why a received invoice does not become a draft.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// What it says cannot be entered.
    #[error(transparent)]
    Expense(#[from] Error),
    /// The file cannot be taken.
    #[error(transparent)]
    File(#[from] FileRefused),
    /// The storage of bytes failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Expense(error.into())
    }
}

/// The field of the form that the invoice is in.
const FILE: &str = "file";
/// The code of a credit note, which an expense is not.
const CREDIT_NOTE: &str = "credit_note_not_supported";

/// A received invoice, as it was read, and the file that it is in.
pub struct ReceivedFile {
    /// What it says.
    pub received: Received,
    /// What its sender calls it.
    pub filename: String,
    /// The media type that its sender says it has.
    pub media_type: Option<String>,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Makes a draft of a received invoice, with its file as an attachment.
///
/// # Errors
/// What does not add up, by the numbers of the rules, a credit note, more than an expense holds, or
/// a file that cannot be kept; failures of store and storage. Nothing is then written.
pub async fn import(
    cx: Context<'_>,
    storage: &dyn FileStorage,
    entity: &Entity,
    file: ReceivedFile,
) -> Result<Expense, ImportError> {
    let ReceivedFile { received, filename, media_type, content } = file;
    check(&received).map_err(Error::from)?;
    let request = request(&received.import);
    let gathered = gather(cx.store, entity, &request, None, cx.stamp).await?;
    let blank = ExpenseContent::blank(entity.currency);
    let composed = compose(blank, &request, true, &gathered, cx.stamp).map_err(at_file)?;
    let Composition { content: said, .. } = composed;
    let draft =
        Expense::draft(entity.id, said, cx.stamp).map_err(|issues| at_file(issues.into()))?;
    let newcomer = supplier::newcomer(&draft.content, entity.id, cx.stamp);
    let newcomer = newcomer.map_err(|issues| at_file(issues.into()))?;
    let links = FileLinks { expense_id: Some(draft.id), ..FileLinks::default() };
    let new = NewFile {
        category: FileCategory::Attachment,
        is_image: false,
        links,
        filename,
        media_type,
        content,
    };
    let (kept, bytes) = new.into_file(cx.scope.entity(), cx.stamp)?;
    storage.put(&kept.key(), bytes).await?;
    let record = kept.clone();
    let made = enter(cx, draft, newcomer, record).await;
    match made {
        Ok(expense) => Ok(expense),
        // Whether it was committed is unknown: bytes too many do less harm than a record without.
        Err(Error::Document(DocumentError::Store(error @ StoreError::Unavailable(_)))) => {
            Err(error.into())
        }
        Err(error) => {
            let _ = storage.delete(&kept.key()).await;
            Err(error.into())
        }
    }
}

/// Writes draft, supplier and file in one commit.
async fn enter(
    cx: Context<'_>,
    draft: Expense,
    newcomer: Option<Supplier>,
    kept: racun_catalog::File,
) -> Result<Expense, Error> {
    let mut unit = cx.unit();
    // The entity, so that of two that come at once one waits for the other.
    let (account, id) = (unit.by().scope().account(), unit.by().entity_id());
    let _parent: One<Entity> = unit.hold_of(Tenant::account(account), &ENTITIES, id);
    let keys = newcomer
        .iter()
        .flat_map(|supplier| [("tax_key", supplier.tax_key()), ("name_key", supplier.name_key())]);
    let same: Vec<Many<Supplier>> = keys
        .filter_map(|(field, value)| Some(unit.hold_where(&SUPPLIERS, field, value?)))
        .collect();
    unit.decide(move |held| {
        let actor = held.actor();
        let mut known: Vec<Supplier> = Vec::new();
        for suppliers in same {
            known.extend(held.all(suppliers)?);
        }
        let mut draft = draft;
        let mut writes = Writes::default();
        if let Some(newcomer) = newcomer {
            let same = known.into_iter().filter(|known| known.is_same_as(&newcomer));
            match same.min_by_key(|known| (known.created_at, known.id)) {
                Some(known) => draft.content.supplier_id = Some(known.id),
                None => {
                    draft.content.supplier_id = Some(newcomer.id);
                    let created = actor.event(supplier_events::CREATED, newcomer.id);
                    writes = writes.insert(&newcomer).events([created]);
                }
            }
        }
        let happened = happened(&draft, &[events::CREATED], actor);
        let attached = actor.event(file::CREATED, kept.id);
        let writes = writes.insert(&draft).events(happened).insert(&kept).events([attached]);
        Ok((draft, writes))
    })
    .await
}

/// What of a received invoice cannot be entered as it is.
fn check(received: &Received) -> Result<(), Issues> {
    let mut issues = Issues::default();
    let import = &received.import;
    if import.is_credit_note {
        let message = "this is a credit note, and an expense is an invoice; lower the expense that \
                       it gives back of, or enter it by hand";
        issues.push(Issue::new(CREDIT_NOTE, message).at(FILE));
    }
    for finding in &received.sums {
        let message = format!("{}: {}", finding.rule, finding.message);
        issues.push(Issue::new(Finding::CODE, message).at(FILE));
    }
    let charged = import.lines.iter().filter(|line| line.charge.is_positive()).count();
    let rows = import.lines.len() + charged + import.allowances.len();
    for (what, count, most) in
        [("lines", rows, MAX_EXPENSE_ITEMS), ("taxes", import.taxes.len(), MAX_EXPENSE_TAXES)]
    {
        if count > most {
            let message = format!("an expense holds at most {most} {what}, and this has {count}");
            issues.push(Issue::new("too_many", message).at(FILE));
        }
    }
    issues.into_result(())
}

/// What is wrong with what an invoice says is wrong with the file.
fn at_file(error: Error) -> ImportError {
    match error {
        Error::Document(DocumentError::Invalid(issues)) => Error::from(issues.at(FILE)).into(),
        error => error.into(),
    }
}

fn request(import: &Import) -> ExpenseRequest {
    let text = |text: &Option<String>| Patch::from(clipped(text.as_deref()));
    let reference = text(&import.reference);
    let lines = import.lines.iter().flat_map(|one| [Some(line(one)), charge(one)]).flatten();
    let whole = import.allowances.iter().map(allowance);
    ExpenseRequest {
        supplier: Patch::Value(sender(import)),
        supplier_document_number: text(&import.number),
        date: Patch::from(import.date),
        date_due: Patch::from(due(import)),
        currency_code: import.currency.clone(),
        reference,
        items: Some(lines.chain(whole).collect()),
        totals: TotalsRequest {
            total: Patch::Value(import.total.clone()),
            total_with_tax: Patch::Value(import.total_with_tax.clone()),
            total_discount: Patch::Value(discounts(import)),
            taxes: Some(import.taxes.iter().map(tax).collect()),
        },
        ..ExpenseRequest::default()
    }
}

/// When it is due. One that is dated after that was due at once: an expense holds no such day.
fn due(import: &Import) -> Option<Date> {
    import.date_due.filter(|due| import.date.is_none_or(|date| *due >= date))
}

/// What is taken off lines and off the whole, as money: of lines it may have decimals that the
/// currency has not.
fn discounts(import: &Import) -> Decimal {
    let of_lines = import.lines.iter().map(|line| line.discount.clone());
    let of_whole = import.allowances.iter().map(|one| -&one.amount);
    let off: Vec<Decimal> = of_lines.chain(of_whole).filter(Decimal::is_positive).collect();
    let sum: Decimal = off.iter().sum();
    let currency: Option<Currency> = import.currency.as_deref().and_then(|it| it.parse().ok());
    currency.map_or_else(|| sum.clone(), |currency| currency.round(&sum))
}

fn sender(import: &Import) -> SupplierPatch {
    let own = &import.supplier;
    let text = |text: &Option<String>| Patch::from(clipped(text.as_deref()));
    let accounts = import.accounts.iter().map(|account| BankAccount {
        iban: clipped(Some(&account.number)),
        bic: clipped(account.bic.as_deref()),
        ..BankAccount::default()
    });
    let accounts: Vec<BankAccount> = accounts.take(10).collect();
    let is_code = |code: &&String| code.len() == 2 && code.bytes().all(|b| b.is_ascii_alphabetic());
    let network = own.peppol_id.as_ref().map(|id| match &own.peppol_scheme_id {
        Some(scheme) => format!("{scheme}:{id}"),
        None => id.clone(),
    });
    // One that is written wrongly is a warning to the supplier (BR-DE-28), and of no use here.
    let email = own.email.clone().filter(|address| check_email(address.clone()).is_ok());
    SupplierPatch {
        name: text(&own.name),
        email: text(&email),
        address: text(&own.address),
        address_2: text(&own.address_2),
        post_code: text(&own.post_code),
        city: text(&own.city),
        state: text(&own.state),
        country_code: Patch::from(own.country_code.as_ref().filter(is_code).cloned()),
        tax_number: text(&own.tax_number),
        company_number: text(&own.company_number),
        phone: text(&own.phone),
        peppol_id: text(&network),
        is_tax_subject: own.is_tax_subject.map_or(Patch::Absent, Patch::Value),
        bank_accounts: if accounts.is_empty() { Patch::Absent } else { Patch::Value(accounts) },
        ..SupplierPatch::default()
    }
}

/// A line without what is added to it, so that quantity, price and discount come to its total.
///
/// The amounts of lines are what EN 16931 adds up. Where quantity and price do not come to one, the
/// line is one of its amount, and its description has what the supplier wrote.
fn line(line: &ImportLine) -> ExpenseLineRequest {
    let total = &line.total - &line.charge;
    let mut request = LineRequest {
        name: clipped(Some(&line.name)),
        description: described(line.description.clone()),
        quantity: Some(line.quantity.clone()),
        unit: clipped(Some(&line.unit_code)),
        price: line.unit_price(),
        taxes: Some(vec![rate(&line.rate, line.is_reverse_charge())]),
        total: Some(total.clone()),
        ..LineRequest::default()
    };
    if !line.comes_to_total() {
        let ImportLine { quantity, unit_code, price, price_base, .. } = line;
        let base = if *price_base == 1.into() { String::new() } else { format!(" / {price_base}") };
        let written = format!("{quantity} {unit_code} × {price}{base}");
        let above = line.description.as_deref().map(|text| format!("{text}\n"));
        request.description = described(Some(above.unwrap_or_default() + &written));
        let one = if total.is_negative() { Decimal::from(-1) } else { 1.into() };
        (request.quantity, request.unit, request.price) = (Some(one), None, Some(total.abs()));
    } else if line.discount.is_positive() {
        let value = line.discount.clone();
        request.discounts = vec![Discount { value, kind: DiscountKind::Amount }];
    }
    ExpenseLineRequest { line: request, total_tax: None }
}

/// A description at the length that an expense holds.
fn described(text: Option<String>) -> Option<String> {
    text.map(|text| text.chars().take(MAX_EXPENSE_NOTE_CHARS).collect())
}

/// What is added to a line, as a line behind it: an expense's lines have discounts only.
fn charge(line: &ImportLine) -> Option<ExpenseLineRequest> {
    let reason = line.charge_reason.as_deref().unwrap_or("Charge");
    let request = LineRequest {
        name: clipped(Some(&format!("{reason}: {}", line.name))),
        quantity: Some(Decimal::from(1)),
        price: Some(line.charge.clone()),
        taxes: Some(vec![rate(&line.rate, line.is_reverse_charge())]),
        total: Some(line.charge.clone()),
        ..LineRequest::default()
    };
    let request = ExpenseLineRequest { line: request, total_tax: None };
    line.charge.is_positive().then_some(request)
}

/// What is taken off the whole, or added to it, as a line.
fn allowance(one: &ImportAllowance) -> ExpenseLineRequest {
    let is_off = one.amount.is_negative();
    let name =
        one.reason.clone().unwrap_or_else(|| if is_off { "Discount" } else { "Charge" }.to_owned());
    let request = LineRequest {
        name: clipped(Some(&name)),
        quantity: Some(if is_off { Decimal::from(-1) } else { Decimal::from(1) }),
        price: Some(one.amount.abs()),
        taxes: Some(vec![rate(&one.rate, matches!(one.category.as_str(), "AE" | "K"))]),
        total: Some(one.amount.clone()),
        ..LineRequest::default()
    };
    ExpenseLineRequest { line: request, total_tax: None }
}

fn rate(rate: &Decimal, reverse_charge: bool) -> LineTaxRequest {
    LineTaxRequest {
        rate: Some(rate.clone()),
        reverse_charge: Some(reverse_charge),
        ..LineTaxRequest::default()
    }
}

fn tax(tax: &ImportTax) -> ExpenseSummaryTax {
    ExpenseSummaryTax {
        tax_id: None,
        rate: Some(tax.rate.clone()),
        base: tax.base.clone(),
        amount: tax.amount.clone(),
        base_converted: None,
        amount_converted: None,
        reverse_charge: tax.is_reverse_charge(),
        is_deductible: None,
        deductible_percentage: None,
    }
}

/// A stranger's text at the length that an expense holds; `None` when it is blank.
fn clipped(text: Option<&str>) -> Option<String> {
    // PostgreSQL's texts hold no NUL.
    let kept = text?.chars().filter(|sign| *sign != '\0').take(MAX_EXPENSE_TEXT_CHARS);
    let kept: String = kept.collect();
    (!kept.trim().is_empty()).then_some(kept)
}
