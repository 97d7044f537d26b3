//! Prints how many operations a second the store does on a PostgreSQL of this machine:
//! `cargo run --release -p racun-store-postgres --example rates`; with the argument `fast` the
//! server does not wait for the disk, which leaves the cost of the processor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{ListQuery, Put, Record, Series, Store, StoreError, Writes};
use racun_store_postgres::{Options, PgStore, create_table_sql, migrate};
use racun_test_postgres::{Cluster, Durability};
use tokio_postgres::NoTls;

/// How long each figure is measured.
const SPAN: Duration = Duration::from_secs(4);

/// Bytes of text in a sample, which make its body about as large as an invoice's.
const TEXT: usize = 3_000;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let is_fast = std::env::args().nth(1).is_some_and(|argument| argument == "fast");
    let durability = if is_fast { Durability::Fast } else { Durability::Durable };
    let cluster = Cluster::start(durability)?;
    let url = cluster.url("postgres");
    migrate(&url).await?;
    let (owner, connection) = tokio_postgres::connect(&url, NoTls).await?;
    tokio::spawn(connection);
    owner.batch_execute(&create_table_sql(&SAMPLES)).await?;
    let store: Arc<dyn Store> = Arc::new(PgStore::connect(&url, Options::default()).await?);

    println!("{:28} {:>12} {:>12}", "per second", "1 client", "16 clients");
    print("insert", |clients| insert(&store, clients)).await?;
    print("issue of one series", |clients| issue(&store, clients, 1)).await?;
    print("issue of 16 series", |clients| issue(&store, clients, 16)).await?;
    print("find", |clients| find(&store, clients)).await?;
    print("first page, counted", |clients| list(&store, clients)).await?;
    owner.batch_execute("ALTER TABLE samples DISABLE ROW LEVEL SECURITY").await?;
    print("find without the policy", |clients| find(&store, clients)).await?;
    let sql = "SELECT id, body::text FROM samples WHERE tenant = $1 AND id = ANY ($2)";
    let statement = owner.prepare(sql).await?;
    let (tenant, ids) = (sample("smp_0").tenant(), vec!["smp_1".to_owned()]);
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < SPAN {
        owner.query(&statement, &[&tenant.as_str(), &ids]).await?;
        count += 1;
    }
    println!("{:28} {:>12}", "find, tokio-postgres alone", count / 4);
    Ok(())
}

async fn print<F: Future<Output = anyhow::Result<u64>>>(
    what: &str,
    measure: impl Fn(u64) -> F,
) -> anyhow::Result<()> {
    println!("{what:28} {:>12} {:>12}", measure(1).await?, measure(16).await?);
    Ok(())
}

fn sample(id: &str) -> Sample {
    let entity = "ent_00000000000000000000000001".parse().expect("an id");
    let note = Some("Storitev ".repeat(TEXT / 9));
    Sample { note, ..Sample::new(entity, id) }
}

/// Ids that no earlier call gave.
fn fresh() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("smp_{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Lets `clients` repeat `operation` for [`SPAN`] and answers how often a second they did.
async fn repeat<F>(
    clients: u64,
    operation: impl Fn(u64) -> F + Clone + Send + Sync + 'static,
) -> anyhow::Result<u64>
where
    F: Future<Output = Result<(), StoreError>> + Send,
{
    let start = Instant::now();
    let clients = (0..clients).map(|client| {
        let operation = operation.clone();
        tokio::spawn(async move {
            let mut count = 0_u64;
            while start.elapsed() < SPAN {
                operation(client).await?;
                count += 1;
            }
            Ok::<_, StoreError>(count)
        })
    });
    let mut total = 0;
    for client in clients.collect::<Vec<_>>() {
        total += client.await??;
    }
    Ok(total / SPAN.as_secs())
}

async fn issue(store: &Arc<dyn Store>, clients: u64, series: u64) -> anyhow::Result<u64> {
    let store = Arc::clone(store);
    repeat(clients, move |client| {
        let store = Arc::clone(&store);
        let key = format!("invoice/{}", client % series);
        let series = Series { tenant: sample("smp_0").tenant(), key, start: 1 };
        async move {
            let decide = |_| {
                let puts = vec![Put::insert(&sample(&fresh()))];
                Ok(((), Writes { puts, events: Vec::new(), takes_number: true }))
            };
            store.decide(Vec::new(), Some(series), decide).await
        }
    })
    .await
}

async fn insert(store: &Arc<dyn Store>, clients: u64) -> anyhow::Result<u64> {
    let store = Arc::clone(store);
    repeat(clients, move |_| {
        let store = Arc::clone(&store);
        async move { store.insert(vec![Put::insert(&sample(&fresh()))], Vec::new()).await }
    })
    .await
}

async fn find(store: &Arc<dyn Store>, clients: u64) -> anyhow::Result<u64> {
    let store = Arc::clone(store);
    repeat(clients, move |_| {
        let store = Arc::clone(&store);
        async move {
            let ids = ["smp_1".to_owned()];
            store.find(&SAMPLES, &sample("smp_0").tenant(), &ids).await.map(drop)
        }
    })
    .await
}

async fn list(store: &Arc<dyn Store>, clients: u64) -> anyhow::Result<u64> {
    let store = Arc::clone(store);
    repeat(clients, move |_| {
        let store = Arc::clone(&store);
        async move {
            let query = ListQuery::first_page(&SAMPLES);
            store.list(&SAMPLES, &sample("smp_0").tenant(), &query).await.map(drop)
        }
    })
    .await
}
