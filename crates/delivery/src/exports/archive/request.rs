//! What may be asked for, and how many exports there may be at once.

use std::collections::BTreeSet;

use racun_access::{ACCOUNTS, Account, Entity};
use racun_background::jobs::{Job, JobKind, NewJob};
use racun_documents::{Document, DocumentId, DocumentKind, EInvoiceForm, table_of};
use racun_kernel::calendar::format_date;
use racun_kernel::id::ExportJobId;
use racun_kernel::{Issue, Issues, Tenant};
use racun_sales::Error;
use racun_sales::documents::today;
use racun_sales::einvoicing::EInvoiceRefused;
use racun_store::{Context, ListQuery, Many, One, StoreError, Writes};

use super::super::error::MOST_AT_ONCE;
use super::super::request::{kinds_named, locales};
use super::super::{ExportError, Span};
use super::eslog;
use super::events::export_job;
use super::job::{
    ACTIVE, ArchiveFormat, EXPORT_JOBS, ExportJob, ExportState, KEPT, Selection, SelectionCursor,
};
use super::share::dated;

/// Documents of one archive, at most.
pub const MOST_DOCUMENTS: usize = 10_000;
/// Documents that a request may name one by one.
pub const MOST_IDS: usize = 1_000;

/// Characters of the entity's name in that of the archive.
const MAX_NAME_CHARS: usize = 60;

/// An archive as it is asked for: documents by their ids, or by kinds and days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveRequest {
    /// What is made of each document.
    pub format: ArchiveFormat,
    /// The ids.
    pub document_ids: Option<Vec<String>>,
    /// The names of the kinds.
    pub types: Option<Vec<String>>,
    /// The days, with `types` only.
    pub span: Span,
    /// The locale that writes numbers and dates; that of `language`, or the entity's when missing.
    pub locale: Option<String>,
    /// The language, or its locale; that of `locale`, or the entity's when missing.
    pub language: Option<String>,
}

/// Begins an export: a worker puts the archive together.
///
/// # Errors
/// What is wrong with the request, by field; [`ExportError::TooManyAtOnce`]; the store's failure.
pub async fn begin(
    cx: Context<'_>,
    entity: &Entity,
    request: ArchiveRequest,
) -> Result<ExportJob, ExportError> {
    if request.format == ArchiveFormat::Eslog {
        check_slovenian(entity)?;
    }
    let mut issues = Issues::default();
    let [locale, language] = locales([&request.locale, &request.language], &mut issues);
    let selection = selection(&request, &mut issues);
    let selection = issues.into_result(selection)?;
    let total_docs = count(cx, &selection).await?;
    let export = ExportJob {
        language: language.map(str::to_owned),
        locale: locale.map(str::to_owned),
        ..pending(cx, entity, request.format, selection, total_docs)
    };
    start(cx, export).await
}

/// An export that is asked for now.
pub(super) fn pending(
    cx: Context<'_>,
    entity: &Entity,
    format: ArchiveFormat,
    selection: Selection,
    total_docs: usize,
) -> ExportJob {
    ExportJob {
        id: cx.stamp.id(),
        entity_id: entity.id,
        account_id: entity.account_id,
        state: ExportState::Pending,
        format,
        file_name: file_name(cx, entity, format, &selection),
        selection,
        language: None,
        locale: None,
        total_docs,
        place: SelectionCursor::default(),
        exported: 0,
        skipped: 0,
        named: Vec::new(),
        parts: Vec::new(),
        end: None,
        error: None,
        requested_by: cx.scope.principal().user(),
        link: None,
        expires_at: cx.now() + KEPT,
        completed_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    }
}

/// Keeps `export` with the jobs that put it together and remove it.
///
/// # Errors
/// [`ExportError::TooManyAtOnce`]; the store's failure.
pub(super) async fn start(cx: Context<'_>, export: ExportJob) -> Result<ExportJob, ExportError> {
    let mut unit = cx.unit();
    let account = Tenant::account(export.account_id);
    // Two requests at once hold the account, and the second one sees the export of the first.
    let _account: One<Account> = unit.hold_of(Tenant::directory(), &ACCOUNTS, export.account_id);
    let active: Many<ExportJob> = unit.hold_where_of(account, &EXPORT_JOBS, "active", ACTIVE);
    unit.decide(move |held| {
        if held.count(&active) >= MOST_AT_ONCE {
            return Err(ExportError::TooManyAtOnce);
        }
        let stamp = held.actor().stamp();
        let job = |kind| {
            let (entity_id, subject) = (Some(export.entity_id), export.id.to_string());
            let payload = export.account_id.to_string();
            Job::new(NewJob { kind, entity_id, subject, payload }, stamp)
        };
        let sweeping = job(JobKind::ExportExpiry).due(export.expires_at);
        let jobs = [job(JobKind::DocumentExport).put(), sweeping.put()];
        let created = held.actor().event(export_job::CREATED, export.id);
        let writes = Writes::default().insert(&export).puts(jobs).events([created]);
        Ok((export, writes))
    })
    .await
}

/// The export `id` of the entity.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn get(cx: Context<'_>, id: ExportJobId) -> Result<ExportJob, StoreError> {
    let (id, account) = (id.to_string(), Tenant::account(cx.scope.account()));
    let found: Option<ExportJob> = cx.store.get(&EXPORT_JOBS, &account, &id).await?;
    let own = found.filter(|export| export.entity_id == cx.scope.entity());
    own.filter(|export| export.expires_at > cx.now()).ok_or(StoreError::NotFound { id })
}

/// Accepts entities whose documents have e-SLOG files.
fn check_slovenian(entity: &Entity) -> Result<(), ExportError> {
    let form = EInvoiceForm::Eslog;
    match entity.country_code.as_deref() == Some(form.country()) {
        true => Ok(()),
        false => Err(Error::from(EInvoiceRefused::OtherCountry(form)).into()),
    }
}

/// Which documents are asked for; anything where `issues` say what is wrong.
fn selection(request: &ArchiveRequest, issues: &mut Issues) -> Selection {
    match (&request.document_ids, &request.types) {
        (Some(ids), None) => {
            if request.span != Span::default() {
                let message = "days are for types; documents by their ids have no days";
                issues.push(Issue::new("conflicting", message).at("document_ids"));
            }
            Selection::Documents(by_id(ids, issues))
        }
        (None, Some(types)) => {
            if let Err(wrong) = request.span.check() {
                issues.extend_elsewhere(&wrong);
            }
            Selection::Dated { kinds: by_kind(request.format, types, issues), span: request.span }
        }
        (Some(_), Some(_)) => {
            let message = "send document_ids or types, not both";
            issues.push(Issue::new("conflicting", message).at("types"));
            Selection::Documents(Vec::new())
        }
        (None, None) => {
            let message = "send document_ids, or types with date_from and date_to";
            issues.push(Issue::new("required", message).at("document_ids"));
            Selection::Documents(Vec::new())
        }
    }
}

/// The ids, each once.
fn by_id(ids: &[String], issues: &mut Issues) -> Vec<DocumentId> {
    if ids.is_empty() || ids.len() > MOST_IDS {
        let message =
            format!("expected 1 to {MOST_IDS} ids; send types with date_from and date_to for more");
        issues.push(Issue::new("out_of_range", message).at("document_ids"));
        return Vec::new();
    }
    let (mut seen, mut read) = (BTreeSet::new(), Vec::new());
    for (place, id) in ids.iter().enumerate() {
        match id.parse::<DocumentId>() {
            Ok(id) if seen.insert(id) => read.push(id),
            Ok(_) => {}
            Err(error) => {
                let issue = Issue::new("invalid_id", error.to_string());
                issues.push(issue.at(place).at("document_ids"));
            }
        }
    }
    read
}

/// The kinds, each once.
fn by_kind(format: ArchiveFormat, types: &[String], issues: &mut Issues) -> Vec<DocumentKind> {
    let is_of = |kind: DocumentKind| format != ArchiveFormat::Eslog || eslog::is_of(kind);
    if types.is_empty() {
        let message = "expected at least one type";
        issues.push(Issue::new("out_of_range", message).at("types"));
    }
    kinds_named(types.iter().map(String::as_str), is_of).unwrap_or_else(|(place, issue)| {
        issues.push(issue.at(place).at("types"));
        Vec::new()
    })
}

/// How many documents there are.
///
/// # Errors
/// Ids of no document here, by their place; more documents than an archive holds; the store's
/// failure.
async fn count(cx: Context<'_>, selection: &Selection) -> Result<usize, ExportError> {
    match selection {
        Selection::Documents(ids) => {
            check_there(cx, ids).await?;
            Ok(ids.len())
        }
        Selection::Dated { kinds, span } => {
            let mut total = 0;
            for kind in kinds {
                let query = ListQuery { limit: 1, count: true, ..dated(*kind, *span, cx.now()) };
                let page = cx.page::<Document>(table_of(*kind), &query).await?;
                total += usize::try_from(page.pagination.total).unwrap_or(0);
            }
            if total > MOST_DOCUMENTS {
                let message = format!(
                    "these are {total} documents, and an archive holds {MOST_DOCUMENTS}; export \
                     fewer days or types at once"
                );
                return Err(Issues::from(Issue::new("out_of_range", message).at("types")).into());
            }
            Ok(total)
        }
        // It has no bound, and is counted by who makes it.
        Selection::Certified { .. } => Ok(0),
    }
}

/// Accepts ids of documents that the entity has.
async fn check_there(cx: Context<'_>, ids: &[DocumentId]) -> Result<(), ExportError> {
    let mut found = BTreeSet::new();
    for kind in DocumentKind::ALL {
        let own = ids.iter().filter(|id| id.kind() == kind).map(ToString::to_string);
        let own: Vec<String> = own.collect();
        for some in own.chunks(ListQuery::MAX_LIMIT) {
            let rows = cx.get_all::<Document>(table_of(kind), some).await?;
            let live = rows.into_iter().filter(|document| document.deleted_at.is_none());
            found.extend(live.map(|document| document.id));
        }
    }
    let mut issues = Issues::default();
    for (place, id) in ids.iter().enumerate().filter(|(_, id)| !found.contains(*id)) {
        let issue = Issue::new("not_found", format!("there is no document {id} here"));
        issues.push(issue.at(place).at("document_ids"));
    }
    Ok(issues.into_result(())?)
}

/// What the archive is called: the entity, and the days where they are said, else today.
fn file_name(
    cx: Context<'_>,
    entity: &Entity,
    format: ArchiveFormat,
    selection: &Selection,
) -> String {
    let kept = |sign: char| if sign.is_alphanumeric() { sign } else { '-' };
    let name: String = entity.name.chars().map(kept).take(MAX_NAME_CHARS).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    let days = match selection {
        Selection::Dated { span: Span { from, to }, .. } => [*from, *to],
        Selection::Certified { from, to, .. } => [Some(*from), Some(*to)],
        Selection::Documents(_) => [None, None],
    };
    let mut days: Vec<String> = days.into_iter().flatten().map(format_date).collect();
    if days.is_empty() {
        days.push(format_date(today(entity, cx.stamp)));
    }
    let what = match format {
        ArchiveFormat::Pdf => "documents",
        ArchiveFormat::Eslog => "eslog",
        ArchiveFormat::SaftPt => "saft-pt",
    };
    let ending = match format {
        ArchiveFormat::Pdf | ArchiveFormat::Eslog => "zip",
        ArchiveFormat::SaftPt => "xml",
    };
    format!("{}_{what}_{}.{ending}", parts.join("-"), days.join("_"))
}
