//! What Racun can do in a second, over HTTP, beside what PostgreSQL and the web framework could.
//!
//! Everything is measured in one run on one machine, the load generator included, so ratios mean
//! more than figures. `GET /health/live` is the trivial handler: the framework and our frame around
//! it, no work.
//!
//! `cargo bench -p racun-tests -- pos` measures one part: `start`, `read`, `issue`, `einvoicing`,
//! `portugal`, `pay`, `pos`, `fiscal`, `webhooks`, `overhead`, `lists`, `stats`, `memory`,
//! `neighbours`, `paper`, `exports`, `saft`.
//! `embedded` and `postgres` select one store: `-- lists postgres`.
//!
//! It measures all of that and then fails when an aim was not met.

mod bare;
mod bounds;
mod counting;
mod delivering;
mod einvoicing;
mod exchanging;
mod fiscal;
mod issuing;
mod listing;
mod load;
mod overhead;
mod pairs;
mod paying;
mod portugal;
mod printing;
mod report;
mod seed;
mod tabs;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use bare::{Bare, Row, psql};
use fiscal::{Authorities, Sellers};
use issuing::Issuers;
use load::{Rate, measure, request};
use overhead::Servers;
use paying::Payers;
use racun_test_postgres::{Cluster, Durability};
use racun_tests::{Account, Data, Profile, Racun, with_query};
use report::{aim, head, line, ratio};
use serde_json::Value;
use tabs::Till;

/// Clients at once, beside one alone.
const CLIENTS: usize = 16;

/// Invoices of the small list and of the large one.
const FEW: u64 = 100;
const MANY_INVOICES: u64 = 100_000;

/// The deep page, and rows of it and of each before.
const DEEP_PAGE: u64 = 500;
const DEEP_ROWS: &str = "100";

/// Takes the indexes and columns of lists away.
const UNLISTED: &str = include_str!("../../../migrations/2026-11-22-002100_lists/down.sql");

/// Five lines, two rates.
const INVOICE: &str = r#"{"customer": {
  "name": "Kupec d.o.o.", "address": "Cesta 1", "city": "Celje", "country_code": "SI",
  "tax_number": "SI12345678", "save_customer": false}, "items": [
  {"name": "Razvoj", "quantity": 12.5, "price": 64.90, "unit": "h", "taxes": [{"rate": 22}]},
  {"name": "Svetovanje", "quantity": 3, "price": 90, "unit": "h", "taxes": [{"rate": 22}]},
  {"name": "Knjiga", "quantity": 2, "price": 29.90, "taxes": [{"rate": 9.5}]},
  {"name": "Prevoz", "price": 41.37, "taxes": [{"rate": 22}], "discounts": [{"value": 10}]},
  {"name": "Revija", "quantity": 7, "price": 3.95, "taxes": [{"rate": 9.5}]}]}"#;

#[tokio::main]
async fn main() -> ExitCode {
    // The first start waits for the binary to be built, which is not measured.
    drop(Racun::start_on(Profile::Release, Data::Folder).await);
    let started = Instant::now();
    if wanted("start") {
        starting().await;
    }
    if wanted("memory") {
        bounds::memory().await;
    }
    if wanted("neighbours") {
        bounds::neighbours().await;
    }
    if wanted("paper") {
        printing::beside_reading().await;
    }
    if wanted("exports") {
        printing::exporting().await;
    }
    if wanted("saft") {
        portugal::saft().await;
    }
    if is_measured("embedded") {
        on_the_embedded_store().await;
    }
    if is_measured("postgres") {
        on_postgres().await;
    }
    println!("\nmeasured for {} s", started.elapsed().as_secs());
    report::end()
}

/// What a server costs that does nothing.
async fn starting() {
    let start = Instant::now();
    let mut racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let first = start.elapsed();
    let start = Instant::now();
    racun.restart().await;
    let again = start.elapsed();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let memory = resident(&racun);
    println!("\nembedded store, nothing in it");
    let ready = format!("{} ms", first.max(again).as_millis());
    aim(
        "ready (the slower of a first start and a second)",
        &ready,
        "< 1 s",
        first.max(again) < Duration::from_secs(1),
    );
    aim("resident memory when idle", &format!("{memory} kB"), "< 60 MB", memory < 60_000);
}

/// Resident memory in thousands of bytes.
fn resident(racun: &Racun) -> u64 {
    racun.resident() / 1_000
}

/// The names of the stores on the command line.
const STORES: [&str; 2] = ["embedded", "postgres"];

/// Whether the command line names this part, or none.
fn wanted(part: &str) -> bool {
    is_named(part, |word| !STORES.contains(&word))
}

/// Whether the command line names this store, or none.
fn is_measured(store: &str) -> bool {
    is_named(store, |word| STORES.contains(&word))
}

/// Whether `name` is among the words of the command line of its `kind`, or there are none of them.
fn is_named(name: &str, kind: impl Fn(&str) -> bool) -> bool {
    let words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let mut words = words.filter(|word| kind(word)).peekable();
    words.peek().is_none() || words.any(|word| word == name)
}

async fn on_the_embedded_store() {
    let mut racun = Racun::start_on(Profile::Release, Data::Folder).await;
    if wanted("read") {
        racun = reading("embedded store", racun, None).await;
    }
    head("embedded store");
    if wanted("issue") {
        let issuers = Issuers::sign_up(&racun).await;
        issuing::print(&issuers.measure().best_of(issuers.measure()));
    }
    if wanted("einvoicing") {
        einvoicing::pair(&racun).await.print();
    }
    if wanted("portugal") {
        portugal::pair(&racun).await.print();
    }
    if wanted("pay") {
        let payers = Payers::sign_up(&racun).await;
        paying::print(&payers.measure().best_of(payers.measure()));
        paying::further(&racun).await;
    }
    if wanted("pos") {
        let till = Till::open(&racun).await;
        till.measure().best_of(till.measure()).print();
    }
    if wanted("fiscal") {
        fiscalizing(Data::Folder).await;
    }
    if wanted("webhooks") {
        delivering::measure(Data::Folder, || ()).await.print();
    }
    if wanted("overhead") {
        Servers::start(Data::Folder, Data::Folder).await.print();
    }
    if wanted("lists") {
        listing::measure("embedded store", Data::Folder, None).await;
    }
    if wanted("stats") {
        counting::measure("embedded store", Data::Folder, None).await;
    }
    println!("resident memory after this: {} kB", resident(&racun));
}

async fn on_postgres() {
    let cluster = Cluster::start(Durability::Durable).expect("a PostgreSQL server");
    // A database for each server: one that shares its database keeps nothing of what it reads.
    let database = |name: &str| {
        let made = format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0");
        psql(&cluster, &cluster.url("postgres"), &made);
        cluster.url(name)
    };
    let (url, empty) = (database("racun"), database("bare"));
    // Its start makes the tables.
    drop(Racun::start_on(Profile::Release, Data::Url(empty.clone())).await);
    let mut racun = Racun::start_on(Profile::Release, Data::Url(url.clone())).await;
    if wanted("read") {
        racun = reading("PostgreSQL", racun, Some((&cluster, &url))).await;
    }
    let bare = Bare { cluster: &cluster, url: empty };
    head("PostgreSQL");
    if wanted("issue") {
        issuing_on_postgres(&racun, &bare, &url).await;
        beside_unlisted(&cluster, &racun, database("unlisted")).await;
    }
    if wanted("einvoicing") {
        einvoicing::pair(&racun).await.print();
    }
    if wanted("portugal") {
        portugal::pair(&racun).await.print();
    }
    if wanted("pay") {
        paying_on_postgres(&racun, &bare, &url).await;
    }
    if wanted("pos") {
        selling_on_postgres(&racun, &bare, &url).await;
    }
    if wanted("fiscal") {
        fiscalizing(Data::Url(database("fiscal"))).await;
    }
    if wanted("webhooks") {
        let hooks = database("hooks");
        let count = || drop(psql(&cluster, &hooks, "VACUUM ANALYZE"));
        let rates = delivering::measure(Data::Url(hooks.clone()), count).await;
        rates.print();
    }
    if wanted("overhead") {
        let [plain, counting] = ["plain", "counting"].map(|name| Data::Url(database(name)));
        Servers::start(plain, counting).await.print();
    }
    if wanted("lists") {
        let lists = database("lists");
        let postgres = Some((&cluster, lists.as_str()));
        listing::measure("PostgreSQL", Data::Url(lists.clone()), postgres).await;
    }
    if wanted("stats") {
        let counted = database("counted");
        let postgres = Some((&cluster, counted.as_str()));
        counting::measure("PostgreSQL", Data::Url(counted.clone()), postgres).await;
    }
    println!("resident memory after this: {} kB", resident(&racun));
}

// Racun and the bare transaction take turns, and the better of two counts: other work of the
// machine then hits both alike.

async fn issuing_on_postgres(racun: &Racun, bare: &Bare<'_>, url: &str) {
    let issuers = Issuers::sign_up(racun).await;
    let issued = issuers.measure();
    let rows = issuing::Rows::of(bare.cluster, url);
    let allowed = issuing::Allowed::measure(bare, &rows);
    let issued = issued.best_of(issuers.measure());
    let allowed = allowed.best_of(issuing::Allowed::measure(bare, &rows));
    issuing::print(&issued);
    allowed.print(&rows);
    allowed.beside(&issued);
}

/// What the indexes of lists cost: issuing and paying beside the same on the database at `url`,
/// which loses them.
async fn beside_unlisted(cluster: &Cluster, racun: &Racun, url: String) {
    let unlisted = Racun::start_on(Profile::Release, Data::Url(url.clone())).await;
    psql(cluster, &url, UNLISTED);
    println!("\nbeside the same without the indexes of lists");
    let issuers = [Issuers::sign_up(racun).await, Issuers::sign_up(&unlisted).await];
    report::cost("issue", |which| issuers[which].measure());
    let payers = [Payers::sign_up(racun).await, Payers::sign_up(&unlisted).await];
    report::cost("pay", |which| payers[which].measure());
}

async fn paying_on_postgres(racun: &Racun, bare: &Bare<'_>, url: &str) {
    let payers = Payers::sign_up(racun).await;
    let paid = payers.measure();
    let rows = paying::Rows::of(bare.cluster, url);
    paying::prepare(bare, &rows);
    let allowed = paying::Allowed::measure(bare, &rows);
    let paid = paid.best_of(payers.measure());
    let allowed = allowed.best_of(paying::Allowed::measure(bare, &rows));
    paying::print(&paid);
    paying::further(racun).await;
    allowed.print(&rows);
    allowed.beside(&paid);
}

async fn selling_on_postgres(racun: &Racun, bare: &Bare<'_>, url: &str) {
    let till = Till::open(racun).await;
    let sold = till.measure();
    let append = Row::of(bare.cluster, url, "pos_appends", "true");
    let tab = Row::of(bare.cluster, url, "pos_tabs", "version > 10");
    tabs::prepare(bare, &tab);
    let allowed = tabs::Allowed::measure(bare, &tab, &append);
    let sold = sold.best_of(till.measure());
    let allowed = allowed.best_of(tabs::Allowed::measure(bare, &tab, &append));
    sold.print();
    allowed.print(&tab, &append);
    allowed.beside(&sold);
}

/// Measures issuing with a tax authority, on a server configured with its address.
async fn fiscalizing(data: Data) {
    let authorities = Authorities::start();
    let racun = Racun::start_with(Profile::Release, data, authorities.settings()).await;
    let sellers = Sellers::open(&racun, &authorities).await;
    let sold = sellers.measure(&authorities).await;
    sold.best_of(sellers.measure(&authorities).await).print();
}

/// Measures what reads, on a server that it fills before; answers the server.
async fn reading(name: &str, mut racun: Racun, postgres: Option<(&Cluster, &str)>) -> Racun {
    println!("\n{name}");
    let small = Reader::new(&racun).await;
    let large = Reader::new(&racun).await;
    racun.kill9();
    {
        let store = match postgres {
            None => seed::embedded(racun.folder()),
            Some((_, url)) => seed::postgres(url).await,
        };
        small.fill(&*store, FEW).await;
        large.fill(&*store, MANY_INVOICES).await;
    }
    if let Some((cluster, url)) = postgres {
        psql(cluster, url, "VACUUM ANALYZE");
    }
    racun.restart().await;
    let [small, large] = [small.at(&racun), large.at(&racun)];
    head(name);
    for clients in [1, CLIENTS] {
        let live = vec![request("GET", "/health/live", "none", ""); clients];
        let rate = measure(racun.address(), &live);
        line(&told("trivial handler (GET /health/live)", clients), rate);
    }
    for clients in [1, CLIENTS] {
        line(&told("get", clients), large.get(&large.path, clients));
    }
    lists(&small, &large).await;
    racun
}

fn told(name: &str, clients: usize) -> String {
    format!("{name}, {clients} client{}", if clients == 1 { "" } else { "s" })
}

async fn lists(small: &Reader, large: &Reader) {
    let deep = large.deep_page().await;
    let first = "/invoices?limit=10";
    for clients in [1, CLIENTS] {
        let few = line(&told("first page of 100, 10 rows", clients), small.get(first, clients));
        let many =
            line(&told("first page of 100,000, 10 rows", clients), large.get(first, clients));
        line(&told("page 500 of 100,000, 100 rows", clients), large.get(&deep, clients));
        let times = ratio(few, many);
        aim("a first page of 100,000 beside one of 100, times", &times, "< 3", few < many * 3);
    }
}

/// An account with invoices to read.
struct Reader {
    account: Account,
    /// The path of the invoice that all others are copies of.
    path: String,
    address: String,
}

impl Reader {
    async fn new(racun: &Racun) -> Self {
        let account = Account::sign_up(racun).await;
        let invoice: Value = serde_json::from_str(INVOICE).expect("the invoice is JSON");
        let invoice = account.api.create("/invoices", &invoice).await;
        let path = format!("/invoices/{}", invoice["id"].as_str().expect("an id"));
        Self { account, path, address: racun.address().to_owned() }
    }

    /// The same at a server that was started again.
    fn at(self, racun: &Racun) -> Self {
        let account = self.account.at(racun);
        Self { account, address: racun.address().to_owned(), ..self }
    }

    async fn fill(&self, store: &dyn racun_store::Store, total: u64) {
        let id = self.path.rsplit('/').next().expect("an id");
        seed::fill(store, &self.account.entity, id, total).await;
    }

    fn get(&self, path: &str, clients: usize) -> Rate {
        let request = request("GET", path, &self.account.key, "");
        measure(&self.address, &vec![request; clients])
    }

    /// The path of the deep page, found by walking to it.
    async fn deep_page(&self) -> String {
        let mut path = with_query("/invoices", &[("limit", DEEP_ROWS)]);
        for _ in 1..DEEP_PAGE {
            let page = self.account.api.read(&path).await;
            let cursor = page["pagination"]["next_cursor"].as_str().expect("another page");
            path = with_query("/invoices", &[("limit", DEEP_ROWS), ("next_cursor", cursor)]);
        }
        path
    }
}
