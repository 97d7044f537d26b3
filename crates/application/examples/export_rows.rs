//! Exports so many invoices as CSV and as XLSX, and prints the time, the file's size and the most
//! memory of each: `cargo run --release -p racun-application --example export_rows -- 100000`.
//!
//! The invoices are in an embedded store on disk; filling it is not measured. Memory is that of the
//! whole process, as Linux counts it, from the beginning of the export on.

#![expect(clippy::print_stdout, reason = "it is what this program is for")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[expect(dead_code, reason = "a part of it is needed")]
#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use racun_delivery::exports::{self, Export, ExportPlan, ExportRequest, Span};
use racun_documents::{Document, DocumentId, DocumentKind, Issued, Stage};
use racun_exports::{Csv, CsvStyle, SheetWriter, Spreadsheets as _};
use racun_spreadsheet::Xlsx;
use racun_store::{Put, Store};
use racun_store_sqlite::SqliteStore;

use fixture::{NOW, Shop, line, request};

/// Invoices that are stored at once.
const AT_ONCE: usize = 500;

/// Fills the store with copies of an invoice of five lines, over a year.
async fn fill(shop: &Shop, count: usize) {
    let lines = (1..=5).map(|n| line(&format!("Artikel {n}"), "3", "12.5")).collect();
    let invoice = shop.create(request(lines)).await.unwrap();
    let mut made = 1;
    while made < count {
        let many = made..count.min(made + AT_ONCE);
        made = many.end;
        let puts = many.map(|n| Put::insert(&copy(&invoice, n, shop))).collect();
        shop.store.insert(puts, Vec::new()).await.unwrap();
    }
}

fn copy(invoice: &Document, n: usize, shop: &Shop) -> Document {
    let mut copy = invoice.clone();
    copy.id = DocumentId::new(DocumentKind::Invoice, shop.stamp.ulid());
    let sequence = i64::try_from(n).unwrap() + 1;
    copy.stage = Stage::Issued(Issued {
        number: format!("2026-{sequence:07}"),
        series: "invoice/2026".to_owned(),
        sequence,
        at: NOW,
    });
    copy.content.date -= time::Duration::days(sequence % 320);
    copy
}

/// The most memory that the process had, in KiB, since it was last forgotten.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

async fn measure(shop: &Shop, name: &str, to: Box<dyn SheetWriter>, file: &Path) {
    let request = ExportRequest {
        export: Export::Documents(vec![DocumentKind::Invoice]),
        span: Span::default(),
        query: None,
        search: None,
        locale: Some("en-US".to_owned()),
        language: None,
    };
    let plan = ExportPlan::of(request).unwrap();
    // Linux forgets the most memory when 5 is written here; elsewhere the figure is of all before.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = most_memory().unwrap_or_default() / 1024;
    let begun = Instant::now();
    exports::write(shop.cx(), &shop.entity, &plan, to).await.unwrap();
    let time = begun.elapsed().as_millis();
    let (most, size) = (most_memory().unwrap_or_default() / 1024, file.metadata().unwrap().len());
    println!("{name}: {time} ms, at most {most} MiB ({before} before), {} KiB", size / 1024);
}

#[tokio::main]
async fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun.db");
    let (tables, version) = (racun_application::tables(), racun_application::DATA_VERSION);
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, &tables, version).unwrap());
    let shop = Shop::open_on(store, racun_store::testing::stamp(NOW)).await;
    fill(&shop, count).await;
    println!("{count} invoices of 5 lines");
    let path = |name: &str| folder.path().join(name);
    let open = |name: &str| Box::new(BufWriter::new(File::create(path(name)).unwrap()));
    let csv = Csv::new(open("rows.csv"), CsvStyle::of("en-US", true));
    measure(&shop, "CSV ", Box::new(csv), &path("rows.csv")).await;
    let xlsx = Xlsx::default().workbook(open("rows.xlsx"));
    measure(&shop, "XLSX", xlsx, &path("rows.xlsx")).await;
}
