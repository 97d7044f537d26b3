//! Issuing, beside a bare transaction that writes the same rows: one invoice, its number, its two
//! entries in the log, and their places in the kept counts.

use racun_test_postgres::Cluster;
use racun_tests::{Account, Racun};

use crate::bare::{Bare, Row};
use crate::load::{Rates, request};
use crate::report::{bare_line, beside, rates, ratio};
use crate::{CLIENTS, INVOICE, told};

/// Counters when there are many.
const MANY: usize = 1_000;

/// Accounts that issue.
pub struct Issuers {
    address: String,
    requests: Vec<Vec<u8>>,
}

impl Issuers {
    pub async fn sign_up(racun: &Racun) -> Self {
        let mut requests = Vec::new();
        for _ in 0..CLIENTS {
            let account = Account::sign_up(racun).await;
            requests.push(request("POST", "/invoices", &account.key, INVOICE));
        }
        Self { address: racun.address().to_owned(), requests }
    }

    /// With one sequence, and with a sequence each.
    pub fn measure(&self) -> Rates {
        self.measure_from(0)
    }

    /// The same, with the `first` of the rates first.
    pub fn measure_from(&self, first: usize) -> Rates {
        Rates::measure_from(first, &self.address, &self.requests)
    }
}

pub fn print(issued: &Rates) {
    rates(["issue, one sequence", "issue, a sequence each"], issued);
}

/// How the statements are sent.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// One after the other, between BEGIN and COMMIT.
    Apart,
    /// As one, with common table expressions.
    AsOne,
}

/// What Racun wrote for an invoice.
pub struct Rows {
    invoice: Row,
    created: Row,
    finalized: Row,
}

impl Rows {
    /// One of each.
    pub fn of(cluster: &Cluster, url: &str) -> Self {
        Self {
            invoice: Row::of(cluster, url, "invoices", "true"),
            created: Row::entry(cluster, url, "invoice.created"),
            finalized: Row::entry(cluster, url, "invoice.finalized"),
        }
    }
}

/// What PostgreSQL allows: by form, counters and clients.
pub struct Allowed([[[u64; 2]; 2]; 2]);

impl Allowed {
    pub fn measure(bare: &Bare<'_>, rows: &Rows) -> Self {
        let Rows { invoice, created, finalized } = rows;
        Self([Form::Apart, Form::AsOne].map(|form| {
            [1, MANY].map(|counters| {
                let script = script(rows, form, counters);
                [1, CLIENTS]
                    .map(|clients| bare.rate(&script, &[invoice, created, finalized], clients))
            })
        }))
    }

    pub fn best_of(self, other: Self) -> Self {
        let mut best = self.0;
        let pairs = best.iter_mut().flatten().flatten().zip(other.0.iter().flatten().flatten());
        for (rate, other) in pairs {
            *rate = (*rate).max(*other);
        }
        Self(best)
    }

    pub fn print(&self, rows: &Rows) {
        let body = rows.invoice.bytes();
        let entries = rows.created.bytes() + rows.finalized.bytes();
        println!(
            "\nthe bare transaction (pgbench -M prepared, a body of {body} bytes, entries of \
             {entries})"
        );
        for (rates, how) in self.0.iter().zip(["statement by statement", "as one statement"]) {
            for (rates, which) in rates.iter().zip(["one counter", "1000 counters"]) {
                for (rate, clients) in rates.iter().zip([1, CLIENTS]) {
                    bare_line(&told(&format!("bare, {how}, {which}"), clients), *rate);
                }
            }
        }
    }

    /// What was `issued` beside this.
    pub fn beside(&self, issued: &Rates) {
        let Self([apart, as_one]) = self;
        let (one, many) = (issued.together.per_second, issued.apart.per_second);
        println!("\nissuing on PostgreSQL beside the bare transaction, statement by statement");
        beside("one sequence and one counter, 16 clients", one, apart[0][1]);
        beside("a sequence each and 1000 counters, 16 clients", many, apart[1][1]);
        println!("and for information");
        let alone = ratio(issued.alone.per_second, apart[0][0]);
        println!("  one sequence and one counter, 1 client: {alone}");
        println!("  as one statement, one counter, 16 clients: {}", ratio(one, as_one[0][1]));
        println!("  as one statement, 1000 counters, 16 clients: {}", ratio(many, as_one[1][1]));
    }
}

fn script(rows: &Rows, form: Form, counters: usize) -> String {
    let Rows { invoice, created, finalized } = rows;
    let variables =
        format!("\\set counter random(1, {counters})\n\\set row random(1, 9000000000000000000)\n");
    let series = "INSERT INTO series (tenant, key, last) \
         VALUES ('ent_' || :counter, 'invoice/2026', 1) \
         ON CONFLICT (tenant, key) DO UPDATE SET last = series.last + 1 RETURNING last";
    let entry =
        |id| [("tenant", "'ent_' || :counter"), ("id", id), ("resource_id", "'inv_' || :row")];
    let (first, second) = (entry("'evt_1_' || :row"), entry("'evt_2_' || :row"));
    let told = format!("{} UNION ALL SELECT {}", created.insert(&first), finalized.values(&second));
    let counts = "INSERT INTO list_counts (tenant, table_name, shard, live, trashed) \
         VALUES ('ent_' || :counter, 'activities', :client_id, 2, 0), \
         ('ent_' || :counter, 'invoices', :client_id, 1, 0) \
         ON CONFLICT (tenant, table_name, shard) \
         DO UPDATE SET live = list_counts.live + excluded.live";
    let insert = |last: &str| {
        let number = format!("'2026-' || {last}");
        invoice.insert(&[
            ("tenant", "'ent_' || :counter"),
            ("id", "'inv_' || :row"),
            ("number", &number),
            ("number_key", &number),
        ])
    };
    match form {
        Form::Apart => format!(
            "{variables}BEGIN;\n{series} \\gset\n{};\n{told};\n{counts};\nCOMMIT;\n",
            insert(":last")
        ),
        Form::AsOne => format!(
            "{variables}WITH used AS ({series}), made AS ({} FROM used), told AS ({told}) \
             {counts};\n",
            insert("used.last")
        ),
    }
}
