//! Exports: records as XLSX and CSV, and documents as archives of PDFs.
//!
//! | Module    | Owns                                                        |
//! | --------- | ----------------------------------------------------------- |
//! | `archive` | archives, which a worker puts together                      |
//!
//! A table is put together on a thread of its own, into a file without a name, and sent from
//! there. One of an account runs at once, and few of all accounts.

mod archive;

use std::fs::File;
use std::io::{self, BufWriter, Seek as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::web;
use racun_access::Permission::ReadRecords;
use racun_delivery::exports::{
    self as application, Export, ExportPlan, ExportRequest, Span, kinds_named,
};
use racun_documents::DocumentKind;
use racun_exports::{Cell, Csv, CsvStyle, Sheet, SheetWriter};
use racun_kernel::calendar::{format_date, parse_date};
use racun_kernel::{Issue, Issues};
use time::Date;
use tokio::sync::Semaphore;

use crate::answer::StreamedFile;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::places::Slots;
use crate::request::Query;
use crate::route::{FILTER_QUERY, Gate, Parameter, Route, SEARCH};

pub(crate) use archive::{ExportJobBody, ROUTES as ARCHIVES};

const TAG: &str = "Exports";

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const CSV: &str = "text/csv; charset=utf-8";

/// Exports that one account has put together at once.
const OF_ACCOUNT: usize = 1;
/// Exports that are put together at once: they keep processors and the store busy.
const AT_ONCE: usize = 2;

static OF_ACCOUNTS: Slots<String> = Slots::new();
static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);

const FORMAT: Parameter = Parameter::text(
    "format",
    "`xlsx`, with typed cells and, of documents, payments and expenses, a sheet of sums; \
     or `csv`, in UTF-8. `xlsx` when absent.",
);
const TYPE: Parameter = Parameter::text(
    "type",
    "invoice, estimate, credit_note, advance_invoice or delivery_note; invoice when \
     neither this nor `types` is sent.",
);
const TYPES: Parameter = Parameter::text(
    "types",
    "Several of those types, parted by commas: a sheet of each in XLSX, one after the \
     other in CSV.",
);
const DATE_FROM: Parameter = Parameter::day("date_from", "The first day.");
const DATE_TO: Parameter = Parameter::day(
    "date_to",
    "The last day; not before `date_from`, and at most 365 days after it.",
);
const LOCALE: Parameter = Parameter::text(
    "locale",
    "The locale of headings and of CSV: `sl-SI`, `hr-HR`, `de-DE` and `pt-PT` part cells \
     by `;` and write `1,5`, others by `,` and write `1.5`. The entity's when absent.",
);
const LANGUAGE: Parameter =
    Parameter::text("language", "The same by its language: `sl`. `locale` wins.");
const BOM: Parameter = Parameter::flag(
    "bom",
    "Whether a CSV begins with the byte order mark by which spreadsheet programs see that \
     it is UTF-8; true when absent.",
);

const LISTED: &[Parameter] = &[FILTER_QUERY, SEARCH];
const UNDATED: &[Parameter] = &[FORMAT, LOCALE, LANGUAGE, BOM];
const DATED: &[Parameter] = &[FORMAT, DATE_FROM, DATE_TO, LOCALE, LANGUAGE, BOM];
const OF_DOCUMENTS: &[Parameter] =
    &[TYPE, TYPES, FORMAT, DATE_FROM, DATE_TO, LOCALE, LANGUAGE, BOM];

/// How cells are written.
macro_rules! cells {
    () => {
        "Names of types and states are those of the interface in every language. In XLSX a number \
         of up to 15 digits is a number, a longer one a text of all its digits. In CSV a text that \
         a program could take for a formula has an apostrophe before it."
    };
}

const CELLS: &str = cells!();
const DOCUMENTS: &str = concat!(
    "Drafts and voided documents are listed and in no sum; the column `In sums` says so. A voided \
     invoice that ended by credit notes is in sums together with them, and both cancel out. What \
     credit notes come to is negative. ",
    cells!()
);
const LINES: &str = "Invoices less credit notes; drafts and voided documents are left out, but for \
                     invoices that ended by credit notes. Amounts are in the entity's currency \
                     where documents say what they are in it.";

const fn export(
    path: &'static str,
    operation: &'static str,
    handler: fn() -> actix_web::Route,
    summary: &'static str,
) -> Route {
    let route = Route::get(path, operation, Gate::Entity(ReadRecords), handler);
    route.about(TAG, summary).answers_file(XLSX).or_file("text/csv")
}

/// Routes of exports.
pub(crate) const ROUTES: &[Route] = &[
    export(
        "/documents/export",
        "exportDocuments",
        || web::to(documents),
        "Answers documents as XLSX or CSV, in the order of their dates.",
    )
    .explained(DOCUMENTS)
    .reads(OF_DOCUMENTS)
    .reads_also(LISTED),
    export(
        "/documents/export/sales-per-item",
        "exportSalesPerItem",
        || web::to(sales_per_item),
        "Answers what was sold of each item as XLSX or CSV.",
    )
    .explained(LINES)
    .reads(DATED),
    export(
        "/documents/export/revenue-by-category",
        "exportRevenueByCategory",
        || web::to(revenue_by_category),
        "Answers what was earned by financial category and month as XLSX or CSV.",
    )
    .explained(LINES)
    .reads(DATED),
    export(
        "/payments/export",
        "exportPayments",
        || web::to(payments),
        "Answers payments as XLSX or CSV, in the order of their dates.",
    )
    .explained(CELLS)
    .reads(DATED)
    .reads_also(LISTED),
    export(
        "/customers/export",
        "exportCustomers",
        || web::to(customers),
        "Answers customers as XLSX or CSV, in the order of their names.",
    )
    .explained(CELLS)
    .reads(UNDATED)
    .reads_also(LISTED),
    export(
        "/expenses/export",
        "exportExpenses",
        || web::to(expenses),
        "Answers expenses as XLSX or CSV, in the order of their dates.",
    )
    .explained(CELLS)
    .reads(DATED)
    .reads_also(LISTED),
];

async fn documents(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    let mut issues = Issues::default();
    let kinds = match (query.one(TYPE.name)?, query.one(TYPES.name)?) {
        (Some(_), Some(_)) => {
            let message = "send type or types, not both";
            issues.push(Issue::new("conflicting", message).at(TYPES.name));
            Vec::new()
        }
        (one, None) => kinds(one.unwrap_or("invoice"), TYPE, &mut issues),
        (None, Some(several)) => kinds(several, TYPES, &mut issues),
    };
    answer(&call, &query, Export::Documents(kinds), "documents", issues).await
}

fn kinds(text: &str, of: Parameter, issues: &mut Issues) -> Vec<DocumentKind> {
    kinds_named(text.split(',').map(str::trim), |_| true).unwrap_or_else(|(_, issue)| {
        issues.push(issue.at(of.name));
        Vec::new()
    })
}

async fn sales_per_item(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    answer(&call, &query, Export::SalesPerItem, "sales-per-item", Issues::default()).await
}

async fn revenue_by_category(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    answer(&call, &query, Export::RevenueByCategory, "revenue-by-category", Issues::default()).await
}

async fn payments(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    answer(&call, &query, Export::Payments, "payments", Issues::default()).await
}

async fn customers(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    answer(&call, &query, Export::Customers, "customers", Issues::default()).await
}

async fn expenses(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    answer(&call, &query, Export::Expenses, "expenses", Issues::default()).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Xlsx,
    Csv,
}

fn format(query: &Query, issues: &mut Issues) -> Result<Format, ApiError> {
    match query.one(FORMAT.name)? {
        None | Some("xlsx") => Ok(Format::Xlsx),
        Some("csv") => Ok(Format::Csv),
        Some(_) => {
            issues.push(Issue::new("invalid_value", "expected xlsx or csv").at(FORMAT.name));
            Ok(Format::Xlsx)
        }
    }
}

fn day(query: &Query, of: Parameter, issues: &mut Issues) -> Result<Option<Date>, ApiError> {
    let Some(text) = query.one(of.name)? else { return Ok(None) };
    match parse_date(text) {
        Ok(day) => Ok(Some(day)),
        Err(issue) => {
            issues.push(issue.at(of.name));
            Ok(None)
        }
    }
}

async fn answer(
    call: &EntityCall,
    query: &Query,
    export: Export,
    name: &str,
    mut issues: Issues,
) -> Result<StreamedFile, ApiError> {
    let format = format(query, &mut issues)?;
    let span =
        Span { from: day(query, DATE_FROM, &mut issues)?, to: day(query, DATE_TO, &mut issues)? };
    let byte_order_mark = query.one(BOM.name)?.is_none() || query.flag(BOM.name)?;
    let text = |of: Parameter| query.one(of.name).map(|value| value.map(str::to_owned));
    let request = ExportRequest {
        export,
        span,
        query: text(FILTER_QUERY)?,
        search: text(SEARCH)?,
        locale: text(LOCALE)?,
        language: text(LANGUAGE)?,
    };
    let plan = match ExportPlan::of(request) {
        Ok(plan) => plan,
        Err(wrong) => {
            issues.extend_elsewhere(&wrong);
            return Err(issues.into());
        }
    };
    issues.into_result(())?;
    let locale = plan.locale.unwrap_or(&call.entity().locale);
    let style = CsvStyle::of(locale, byte_order_mark);
    let (media_type, ending) = match format {
        Format::Xlsx => (XLSX, "xlsx"),
        Format::Csv => (CSV, "csv"),
    };
    let days = [span.from, span.to].into_iter().flatten().map(format_date);
    let parts: Vec<String> = [name.to_owned()].into_iter().chain(days).collect();
    let file = put_together(call, plan, format, style).await?;
    Ok(StreamedFile { media_type, name: format!("{}.{ending}", parts.join("_")), file })
}

/// The file with the export in it, at its beginning. When the caller hangs up, no more rows are
/// read.
async fn put_together(
    call: &EntityCall,
    plan: ExportPlan,
    format: Format,
    style: CsvStyle,
) -> Result<File, ApiError> {
    let caller = Caller::default();
    let gone = Arc::clone(&caller.0);
    let file = in_turn(call, move |call| {
        let file = tempfile::tempfile()?;
        let to = Box::new(BufWriter::new(file.try_clone()?));
        let writer: Box<dyn SheetWriter> = match format {
            Format::Xlsx => call.spreadsheets.workbook(to),
            Format::Csv => Box::new(Csv::new(to, style)),
        };
        let writer = Box::new(Watched { writer, gone });
        tokio::runtime::Handle::current().block_on(application::write(
            call.cx(),
            call.entity(),
            &plan,
            writer,
        ))?;
        let mut file = file;
        file.rewind()?;
        Ok::<_, application::ExportError>(file)
    });
    let file = file.await;
    drop(caller);
    file
}

/// What `work` puts together on a thread of its own, which may block, as soon as it is the
/// account's turn.
///
/// # Errors
/// What `work` answers. A panic in it goes on in the caller.
pub(crate) async fn in_turn<T, E>(
    call: &EntityCall,
    work: impl FnOnce(EntityCall) -> Result<T, E> + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: Into<ApiError> + Send + 'static,
{
    let account = call.entity().account_id.to_string();
    let place = OF_ACCOUNTS.take(account, OF_ACCOUNT).await;
    let turn = TURNS.acquire().await.map_err(ApiError::unavailable)?;
    let (runtime, call) = (call.process().runtime.clone(), call.clone());
    let work = move || {
        // Held until the work ends, even when its caller is gone.
        let _held = (place, turn);
        work(call)
    };
    match runtime.spawn_blocking(work).await {
        Ok(done) => done.map_err(Into::into),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// The caller that waits for an export: gone once it is dropped.
#[derive(Default)]
struct Caller(Arc<AtomicBool>);

impl Drop for Caller {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes as long as its caller waits.
struct Watched {
    writer: Box<dyn SheetWriter>,
    gone: Arc<AtomicBool>,
}

impl SheetWriter for Watched {
    fn has_sheets(&self) -> bool {
        self.writer.has_sheets()
    }

    fn begin(&mut self, sheet: &Sheet) -> io::Result<()> {
        self.writer.begin(sheet)
    }

    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        if self.gone.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.writer.row(cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.writer.finish()
    }
}
