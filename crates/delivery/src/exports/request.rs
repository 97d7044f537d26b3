//! What is exported, from when to when, by which filter.

use racun_catalog::CUSTOMERS;
use racun_documents::DocumentKind;
use racun_documents::expense::EXPENSES;
use racun_kernel::{Issue, Issues};
use racun_settlement::PAYMENTS;
use racun_store::{Clause, ListQuery, Operator, Order, RawQuery, Table};
use serde::{Deserialize, Serialize};
use time::Date;

use crate::outbox::locale_of;

/// Days from the first to the last of a span, at most.
pub const MAX_SPAN_DAYS: i64 = 365;

/// What is exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Export {
    /// Documents of these kinds, at least one.
    Documents(Vec<DocumentKind>),
    /// What was sold of each item: invoices less credit notes.
    SalesPerItem,
    /// What was earned by category and month: invoices less credit notes.
    RevenueByCategory,
    /// Payments.
    Payments,
    /// Customers.
    Customers,
    /// Expenses.
    Expenses,
}

/// The days that records are of, both included; one that is missing leaves its side open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub from: Option<Date>,
    /// The last.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub to: Option<Date>,
}

/// The kinds of documents that `names` name, each once; `is_of` says which kinds may be named.
///
/// # Errors
/// The first name that names none of those, by its place.
pub fn kinds_named<'a>(
    names: impl IntoIterator<Item = &'a str>,
    is_of: impl Fn(DocumentKind) -> bool,
) -> Result<Vec<DocumentKind>, (usize, Issue)> {
    let mut kinds = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        match DocumentKind::from_name(name).filter(|kind| is_of(*kind)) {
            Some(kind) if kinds.contains(&kind) => {}
            Some(kind) => kinds.push(kind),
            None => {
                let known = DocumentKind::ALL.into_iter().filter(|kind| is_of(*kind));
                let known: Vec<&str> = known.map(DocumentKind::name).collect();
                let message = format!("expected {}", known.join(", "));
                return Err((place, Issue::new("invalid_value", message)));
            }
        }
    }
    Ok(kinds)
}

/// An export as it is asked for.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// What.
    pub export: Export,
    /// Of which days; customers have none.
    pub span: Span,
    /// The filter of the list language.
    pub query: Option<String>,
    /// Text to look for.
    pub search: Option<String>,
    /// The locale, or the language, of headings and of CSV; the entity's when missing.
    pub locale: Option<String>,
    /// The language, or the locale; `locale` wins.
    pub language: Option<String>,
}

/// An export that was understood.
#[derive(Debug, Clone)]
pub struct ExportPlan {
    /// What.
    pub export: Export,
    /// Of which days.
    pub span: Span,
    /// The locale, where one was asked for.
    pub locale: Option<&'static str>,
    pub(super) sources: Vec<Source>,
}

/// Records of one table.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub table: &'static Table,
    pub query: ListQuery,
}

impl Export {
    /// The tables of its records, the field of their day and the one they are ordered by.
    fn tables(&self) -> Vec<(&'static Table, Option<&'static str>, &'static str)> {
        let dated = |table| (table, Some("date"), "date");
        match self {
            Self::Documents(kinds) => {
                kinds.iter().map(|kind| dated(racun_documents::table_of(*kind))).collect()
            }
            Self::SalesPerItem | Self::RevenueByCategory => {
                [DocumentKind::Invoice, DocumentKind::CreditNote]
                    .map(|kind| dated(racun_documents::table_of(kind)))
                    .to_vec()
            }
            Self::Payments => vec![dated(&PAYMENTS)],
            Self::Customers => vec![(&CUSTOMERS, None, "name")],
            Self::Expenses => vec![dated(&EXPENSES)],
        }
    }
}

impl Span {
    /// Whether it is one, of a year at most.
    ///
    /// # Errors
    /// `invalid_period` at `date_to` when it ends before it begins, or is longer.
    pub fn check(self) -> Result<(), Issues> {
        let (Some(from), Some(to)) = (self.from, self.to) else { return Ok(()) };
        let wrong = match (to - from).whole_days() {
            days if days < 0 => "must not be before date_from".to_owned(),
            days if days > MAX_SPAN_DAYS => {
                format!("at most {MAX_SPAN_DAYS} days after date_from; export year by year")
            }
            _ => return Ok(()),
        };
        Err(Issue::new("invalid_period", wrong).at("date_to").into())
    }
}

impl ExportPlan {
    /// Understands `request`.
    ///
    /// # Errors
    /// All that cannot be understood, by parameter.
    pub fn of(request: ExportRequest) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        if let Err(wrong) = request.span.check() {
            issues = wrong;
        }
        let [locale, language] = locales([&request.locale, &request.language], &mut issues);
        let locale = locale.or(language);
        let (query, search) = (request.query, request.search);
        let raw = RawQuery { query, search, ..RawQuery::default() };
        let mut sources = Vec::new();
        for (table, day, order) in request.export.tables() {
            let mut query = match ListQuery::parse(table, &raw) {
                Ok(query) => query,
                Err(wrong) => {
                    issues.extend_elsewhere(&wrong);
                    break;
                }
            };
            let clause = |day: &str, operator| Clause::on(table, day, operator);
            if let Some(day) = day {
                let from = request.span.from.map(|from| clause(day, Operator::Gte(from.into())));
                let to = request.span.to.map(|to| clause(day, Operator::Lte(to.into())));
                query.clauses.extend(from.into_iter().chain(to));
            }
            query.order = vec![Order::on(table, order, false)];
            sources.push(Source { table, query });
        }
        let (export, span) = (request.export, request.span);
        issues.into_result(Self { export, span, locale, sources })
    }
}

/// The locales that the fields `locale` and `language` name.
pub(super) fn locales(
    asked: [&Option<String>; 2],
    issues: &mut Issues,
) -> [Option<&'static str>; 2] {
    let mut named = [None; 2];
    for ((named, asked), field) in named.iter_mut().zip(asked).zip(["locale", "language"]) {
        let Some(asked) = asked else { continue };
        *named = locale_of(asked);
        if named.is_none() {
            let message = "expected one of the 18 languages or their locales: sl, sl-SI";
            issues.push(Issue::new("unknown_locale", message).at(field));
        }
    }
    named
}
