//! A hundred thousand invoices, written through the stores themselves: copies of one that was issued,
//! each with an id, a number and dates of its own, in the kept counts like all others.

use std::path::Path;
use std::time::Instant;

use racun_documents::{Document, DocumentId, DocumentKind, Stage, TABLES};
use racun_kernel::id::EntityId;
use racun_kernel::{Put, Store, Tenant, Unit, Writes};
use racun_store_postgres::{Options, PgStore};
use racun_store_sqlite::SqliteStore;
use time::Duration;
use ulid::Ulid;

/// Rows of one transaction.
const TOGETHER: u64 = 500;

/// The store in the data folder of a server that does not run.
pub fn embedded(folder: &Path) -> Box<dyn Store> {
    let file = folder.join("data").join("racun.db");
    Box::new(SqliteStore::open(&file, &TABLES).expect("the embedded store"))
}

/// The store at `url`.
pub async fn postgres(url: &str) -> Box<dyn Store> {
    Box::new(PgStore::connect(url, Options::default()).await.expect("the store on PostgreSQL"))
}

/// Copies the invoice `id` of `entity` until there are `total`.
pub async fn fill(store: &dyn Store, entity: &str, id: &str, total: u64) {
    let started = Instant::now();
    let tenant = Tenant::entity(entity.parse::<EntityId>().expect("an entity's id"));
    let table = DocumentKind::Invoice.table();
    let found = store.get(table, &tenant, id).await.expect("the store answers");
    let original: Document = found.expect("the invoice is there");
    let mut next = 2;
    while next <= total {
        let end = (next + TOGETHER).min(total + 1);
        let puts = (next..end).map(|number| Put::insert(&copy(&original, number, total)));
        let writes = Writes { puts: puts.collect(), ..Writes::default() };
        let decide = Box::new(move |_| Ok(writes));
        let unit = Unit { loads: Vec::new(), series: None, decide };
        store.transact(unit).await.expect("the copies are written");
        next = end;
    }
    println!("  {total} invoices are there after {} ms", started.elapsed().as_millis());
}

/// The `number`-th of `total`: one per minute, up to the original.
fn copy(original: &Document, number: u64, total: u64) -> Document {
    let mut copy = original.clone();
    let age = Duration::minutes(i64::try_from(total + 1 - number).expect("few"));
    copy.created_at -= age;
    copy.updated_at -= age;
    copy.content.date -= age;
    copy.content.date_due = copy.content.date_due.map(|due| due - age);
    let milliseconds = copy.created_at.unix_timestamp_nanos() / 1_000_000;
    let milliseconds = u64::try_from(milliseconds).expect("after 1970");
    copy.id = DocumentId::new(DocumentKind::Invoice, Ulid::from_parts(milliseconds, number.into()));
    if let Stage::Issued(issued) = &mut copy.stage {
        issued.sequence = i64::try_from(number).expect("few");
        issued.number = format!("{}-{number:05}", copy.content.date.year());
        issued.at -= age;
    }
    copy
}
