//! A hundred thousand invoices, written through the stores themselves: copies of one that was
//! issued, each with an id, a number and dates of its own, in the kept counts like all others.

use std::path::Path;
use std::time::Instant;

use racun_documents::{Document, DocumentId, DocumentKind, Stage, Voided};
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Tenant};
use racun_store::{Put, Store, Unit, Writes};
use racun_store_postgres::{Options, PgStore};
use racun_store_sqlite::SqliteStore;
use time::Duration;
use ulid::Ulid;

/// Rows of one transaction.
const TOGETHER: u64 = 500;

/// The store in the data folder of a server that does not run.
pub fn embedded(folder: &Path) -> Box<dyn Store> {
    let file = folder.join("data").join("racun.db");
    let (tables, version) = (racun_application::tables(), racun_application::DATA_VERSION);
    Box::new(SqliteStore::open(&file, &tables, version).expect("the embedded store"))
}

/// The store at `url`.
pub async fn postgres(url: &str) -> Box<dyn Store> {
    Box::new(PgStore::connect(url, Options::default()).await.expect("the store on PostgreSQL"))
}

/// Copies the invoice `id` of `entity` until there are `total`.
pub async fn fill(store: &dyn Store, entity: &str, id: &str, total: u64) {
    fill_with(store, entity, id, total, copy).await;
}

/// The same with copies as `copied` makes them: of an invoice, by their place among so many.
pub async fn fill_with(
    store: &dyn Store,
    entity: &str,
    id: &str,
    total: u64,
    copied: fn(&Document, u64, u64) -> Document,
) {
    let started = Instant::now();
    let tenant = Tenant::entity(entity.parse::<EntityId>().expect("an entity's id"));
    let table = racun_documents::table_of(DocumentKind::Invoice);
    let found = store.get(table, &tenant, id).await.expect("the store answers");
    let original: Document = found.expect("the invoice is there");
    let mut next = 2;
    while next <= total {
        let end = (next + TOGETHER).min(total + 1);
        let puts = (next..end).map(|number| Put::insert(&copied(&original, number, total)));
        let writes = Writes { puts: puts.collect(), ..Writes::default() };
        let decide = Box::new(move |_| Ok(writes));
        let unit = Unit { loads: Vec::new(), series: None, decide };
        store.transact(unit).await.expect("the copies are written");
        next = end;
    }
    println!("  {total} invoices are there after {} ms", started.elapsed().as_millis());
}

/// The `number`-th of `total`: one per minute, up to the original.
pub fn copy(original: &Document, number: u64, total: u64) -> Document {
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

/// The same, of 5,000 customers and of differing amounts, 2,000 a day up to the day before: four of
/// five are paid, one of a hundred is voided, and one of fifty is paid in part.
pub fn varied(original: &Document, number: u64, total: u64) -> Document {
    let mut copy = copy(original, number, total);
    let whole = |number: u64| i64::try_from(number).expect("few");
    let days = whole((total - number) / 2_000 + 1);
    let minutes = whole(total + 1 - number);
    copy.content.date = original.content.date - Duration::days(days);
    copy.content.date_due = Some(copy.content.date + Duration::days(8 + whole(number % 22)));
    let customer = number * 7_919 % 5_000;
    if let Some(party) = &mut copy.content.customer {
        party.name = Some(format!("Žagar {customer} d.o.o."));
        party.email = Some(format!("zagar{customer}@example.com"));
        party.tax_number = Some(format!("SI{}", 10_000_000 + customer));
    }
    copy.amounts.total = Decimal::new(whole(number * 104_729 % 1_000_000), 2);
    copy.amounts.total_with_tax = Decimal::new(whole(number * 104_729 % 1_000_000 + 22), 2);
    copy.amounts.total_paid = match number % 50 {
        _ if number.is_multiple_of(5) => Decimal::zero(),
        1 => Decimal::new(11, 2),
        _ => copy.amounts.total_with_tax.clone(),
    };
    if number.is_multiple_of(100)
        && let Stage::Issued(issued) = &copy.stage
    {
        let at = original.created_at - Duration::minutes(minutes);
        let voided = Voided { at, reason: None, has_original_document: None };
        copy.stage = Stage::Voided(issued.clone(), voided);
    }
    copy
}
