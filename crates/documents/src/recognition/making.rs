//! Which lines have an entry, over which days, and what becomes of it when their document changes.

use racun_kernel::{Classification, RecognitionMethod, Stamp};
use racun_store::Put;
use time::Date;

use super::{RecognitionEntry, RecognitionSide};
use crate::expense::{Expense, ExpenseItem};
use crate::line::{Line, LineKind, RevenueRecognition, Service, service};
use crate::{Document, DocumentKind, Stage};

/// What becomes of lines that do not say when they are recognised: `default_method` of the
/// settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecognitionDefault {
    /// They are recognised on the date of their document.
    #[default]
    Off,
    /// They are spread over the days of service of their document, where it names them.
    ServicePeriodDaily,
}

impl RecognitionDefault {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Off, Self::ServicePeriodDaily];

    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ServicePeriodDaily => "service_period_daily",
        }
    }

    /// This one, or what `entries` of a document were made by: what is spread stays so.
    #[must_use]
    pub fn or_of(self, entries: &[RecognitionEntry]) -> Self {
        if entries.iter().any(|entry| entry.by_default) { Self::ServicePeriodDaily } else { self }
    }
}

/// What decides over which days the lines of a document are recognised.
struct Terms<'a> {
    default: RecognitionDefault,
    /// The days of service that the document names.
    of_document: (Option<Date>, Option<Date>),
    /// The entries of what it gives back.
    credited: &'a [RecognitionEntry],
}

impl Terms<'_> {
    /// The days of a line, and whether the entity's default spreads it. A line that gives one back
    /// follows that one, unless it says something itself.
    fn days(
        &self,
        own: Option<&RevenueRecognition>,
        gives_back: impl Fn(&RecognitionEntry) -> bool,
    ) -> Option<(Service, bool)> {
        let (from, to) = self.of_document;
        match own.and_then(|own| Some((own, own.method?))) {
            Some((_, RecognitionMethod::Immediate)) => return None,
            Some((own, RecognitionMethod::ServicePeriodDaily)) => {
                let days = service(own.date_from.or(from), own.date_to.or(to))?;
                return Some((days, false));
            }
            None => {}
        }
        if let Some(entry) = self.credited.iter().find(|entry| gives_back(entry)) {
            return Some(((entry.from, entry.to), false));
        }
        let (own_from, own_to) = own.map_or((None, None), |own| (own.date_from, own.date_to));
        let days = service(own_from.or(from), own_to.or(to));
        days.filter(|_| self.default == RecognitionDefault::ServicePeriodDaily)
            .map(|days| (days, true))
    }
}

impl Document {
    /// The entries of an issued invoice or credit note, which gives back of the documents that
    /// `credited` are of; none of other documents, and of voided ones.
    #[must_use]
    pub fn recognition(
        &self,
        default: RecognitionDefault,
        credited: &[RecognitionEntry],
        stamp: &Stamp,
    ) -> Vec<RecognitionEntry> {
        let kind = match self.id.kind() {
            DocumentKind::Invoice => RecognitionEntry::INVOICE,
            DocumentKind::CreditNote => RecognitionEntry::CREDIT_NOTE,
            DocumentKind::AdvanceInvoice | DocumentKind::Estimate | DocumentKind::DeliveryNote => {
                return Vec::new();
            }
        };
        if !matches!(self.stage, Stage::Issued(_)) {
            return Vec::new();
        }
        let content = &self.content;
        let of_document = (content.date_service, content.date_service_to);
        let terms = Terms { default, of_document, credited };
        let lines = content.lines.iter().filter(|line| line.kind != Some(LineKind::Separator));
        let entry = |line: &Line| {
            let item_id = line.item_id.map(|id| id.to_string());
            let gives_back = |entry: &RecognitionEntry| match (&entry.item_id, &item_id) {
                (Some(one), Some(other)) => one == other,
                _ => entry.name.as_deref() == Some(&line.name),
            };
            let own = line.revenue_recognition.as_ref();
            let ((from, to), by_default) = terms.days(own, gives_back)?;
            let is_note = kind == RecognitionEntry::CREDIT_NOTE;
            Some(RecognitionEntry {
                id: RecognitionSide::Revenue.id(stamp),
                entity_id: self.entity_id,
                side: RecognitionSide::Revenue,
                document_id: self.id.to_string(),
                document_type: kind.to_owned(),
                line_id: Some(line.id.clone()),
                amount: if is_note { -&line.total } else { line.total.clone() },
                currency: content.currency,
                invoiced_on: content.date,
                from,
                to,
                voided_on: None,
                by_default,
                name: Some(line.name.clone()),
                partner_id: content.customer_id.map(|id| id.to_string()),
                item_id,
                financial_category_id: line.financial_category_id.map(|id| id.to_string()),
                business_unit_id: content.business_unit_id.map(|id| id.to_string()),
                classification: line.classification.map(Classification::name).map(str::to_owned),
                transaction_type: Some(content.transaction_type.name().to_owned()),
                created_at: stamp.now(),
                updated_at: stamp.now(),
            })
        };
        lines.filter_map(entry).filter(|entry| !entry.amount.is_zero()).collect()
    }
}

impl Expense {
    /// The entries of an expense in the books; none of a draft or a voided one.
    #[must_use]
    pub fn recognition(&self, default: RecognitionDefault, stamp: &Stamp) -> Vec<RecognitionEntry> {
        let content = &self.content;
        let Some(date) = content.date.filter(|_| !self.is_draft() && self.voided_at().is_none())
        else {
            return Vec::new();
        };
        let of_document = (content.date_service, content.date_service_to);
        let terms = Terms { default, of_document, credited: &[] };
        let blank = |amount, ((from, to), by_default): (Service, bool)| RecognitionEntry {
            id: RecognitionSide::Expense.id(stamp),
            entity_id: self.entity_id,
            side: RecognitionSide::Expense,
            document_id: self.id.to_string(),
            document_type: RecognitionEntry::EXPENSE.to_owned(),
            line_id: None,
            amount,
            currency: content.currency,
            invoiced_on: date,
            from,
            to,
            voided_on: None,
            by_default,
            name: None,
            partner_id: content.supplier_id.map(|id| id.to_string()),
            item_id: None,
            financial_category_id: None,
            business_unit_id: None,
            classification: None,
            transaction_type: content.transaction_type.map(|kind| kind.name().to_owned()),
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        let entry = |item: &ExpenseItem| {
            let days = terms.days(item.expense_recognition.as_ref(), |_| false)?;
            Some(RecognitionEntry {
                line_id: Some(item.id.clone()),
                name: item.name.clone(),
                item_id: item.item_id.map(|id| id.to_string()),
                financial_category_id: item.financial_category_id.map(|id| id.to_string()),
                classification: item.classification.map(Classification::name).map(str::to_owned),
                ..blank(item.total.clone()?, days)
            })
        };
        let mut entries: Vec<RecognitionEntry> = if content.items.is_empty() {
            let summed = content.amounts.total.clone().zip(terms.days(None, |_| false));
            let what = content.summary_classification.map(Classification::name);
            let whole = summed.map(|(total, days)| RecognitionEntry {
                classification: what.map(str::to_owned),
                ..blank(total, days)
            });
            whole.into_iter().collect()
        } else {
            let items = content.items.iter().filter(|item| !item.is_separator);
            items.filter_map(entry).collect()
        };
        entries.retain(|entry| !entry.amount.is_zero());
        entries
    }
}

/// What is written so that a document whose entries are `before` has those of `after`: the entry of
/// a line that stays keeps its id.
#[must_use]
pub fn changes(before: &[RecognitionEntry], after: Vec<RecognitionEntry>) -> Vec<Put> {
    let is_kept = |entry: &RecognitionEntry, other: &RecognitionEntry| {
        entry.line_id == other.line_id && entry.voided_on.is_none()
    };
    let gone = before.iter().filter(|old| !after.iter().any(|new| is_kept(old, new)));
    let mut puts: Vec<Put> = gone.map(Put::delete).collect();
    for new in &after {
        let Some(old) = before.iter().find(|old| is_kept(old, new)) else {
            puts.push(Put::insert(new));
            continue;
        };
        let same =
            RecognitionEntry { id: old.id.clone(), created_at: old.created_at, ..new.clone() };
        if (RecognitionEntry { updated_at: old.updated_at, ..same.clone() }) != *old {
            puts.push(Put::update(old, &same));
        }
    }
    puts
}

/// What is written when the documents that `entries` are of are out of effect from `day` on.
#[must_use]
pub fn ended(entries: &[RecognitionEntry], day: Date, stamp: &Stamp) -> Vec<Put> {
    let open = entries.iter().filter(|entry| entry.voided_on.is_none());
    let put = |before: &RecognitionEntry| {
        let voided_on = Some(day.max(before.invoiced_on));
        let after = RecognitionEntry { voided_on, updated_at: stamp.now(), ..before.clone() };
        Put::update(before, &after)
    };
    open.map(put).collect()
}

/// What is written when the document that `entries` are of gets another `date`.
#[must_use]
pub fn redated(entries: &[RecognitionEntry], date: Date, stamp: &Stamp) -> Vec<Put> {
    let other = entries.iter().filter(|entry| entry.invoiced_on != date);
    let put = |before: &RecognitionEntry| {
        let after =
            RecognitionEntry { invoiced_on: date, updated_at: stamp.now(), ..before.clone() };
        Put::update(before, &after)
    };
    other.map(put).collect()
}
