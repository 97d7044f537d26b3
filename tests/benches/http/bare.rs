//! The bare transaction: what PostgreSQL allows when the same rows are written by pgbench, without
//! Racun: one invoice with a body of the same size, its number, its place in the kept counts and its
//! two events.

use std::fs;
use std::path::Path;
use std::process::Command;

use racun_test_postgres::Cluster;
use serde_json::Value;

/// Seconds of each measurement.
const SECONDS: &str = "3";

/// Counters when there are many.
pub const MANY: usize = 1_000;

/// How the statements are sent.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// One after the other, between BEGIN and COMMIT.
    Apart,
    /// As one, with common table expressions.
    AsOne,
}

/// A database with Racun's tables and nothing in them, and a row to write into it.
pub struct Bare<'a> {
    cluster: &'a Cluster,
    url: String,
    row: serde_json::Map<String, Value>,
}

impl<'a> Bare<'a> {
    /// For rows like an invoice of the database `racun`, in the empty database `bare`.
    pub fn new(cluster: &'a Cluster, racun: &str, bare: &str) -> Self {
        let query = "SELECT to_jsonb(invoices) FROM invoices LIMIT 1";
        let row: Value = serde_json::from_str(&psql(cluster, racun, query)).expect("a row");
        let row = row.as_object().expect("an object").clone();
        Self { cluster, url: bare.to_owned(), row }
    }

    /// Bytes of the row's body.
    pub fn bytes(&self) -> usize {
        self.row["body"].to_string().len()
    }

    /// Transactions in a second.
    pub fn rate(&self, folder: &Path, form: Form, counters: usize, clients: usize) -> u64 {
        let script = folder.join("bare.sql");
        fs::write(&script, self.script(form, counters)).expect("the script is written");
        let output = Command::new(self.cluster.bin("pgbench"))
            .args(["--no-vacuum", "--protocol", "prepared", "--jobs", "2", "--time", SECONDS])
            .args(["--client", &clients.to_string()])
            .arg("--define")
            .arg(format!("body={}", self.row["body"]))
            .arg("--file")
            .arg(&script)
            .arg(&self.url)
            .output()
            .expect("pgbench runs");
        let told = String::from_utf8_lossy(&output.stdout);
        let whole = || told.lines().find_map(|line| line.strip_prefix("tps = ")?.split('.').next());
        whole().and_then(|whole| whole.parse().ok()).unwrap_or_else(|| {
            panic!("pgbench: {told}\n{}", String::from_utf8_lossy(&output.stderr))
        })
    }

    fn script(&self, form: Form, counters: usize) -> String {
        let variables = format!(
            "\\set counter random(1, {counters})\n\\set row random(1, 9000000000000000000)\n"
        );
        let series = "INSERT INTO series (tenant, key, last) \
             VALUES ('ent_' || :counter, 'invoice/2026', 1) \
             ON CONFLICT (tenant, key) DO UPDATE SET last = series.last + 1 RETURNING last";
        let outbox = "INSERT INTO outbox (tenant, kind, subject, actor, at) VALUES \
             ('ent_' || :counter, 'invoice.created', 'inv_' || :row, 'key_1', now()), \
             ('ent_' || :counter, 'invoice.finalized', 'inv_' || :row, 'key_1', now())";
        let counts = "INSERT INTO list_counts (tenant, table_name, shard, live, trashed) \
             VALUES ('ent_' || :counter, 'invoices', :client_id, 1, 0) \
             ON CONFLICT (tenant, table_name, shard) \
             DO UPDATE SET live = list_counts.live + 1";
        let columns: Vec<&str> = self.row.keys().map(String::as_str).collect();
        let columns = columns.join("\", \"");
        let invoice = |last: &str, from: &str| {
            let values: Vec<String> =
                self.row.iter().map(|(name, value)| literal(name, value, last)).collect();
            format!("INSERT INTO invoices (\"{columns}\") SELECT {}{from}", values.join(", "))
        };
        match form {
            Form::Apart => format!(
                "{variables}BEGIN;\n{series} \\gset\n{};\n{outbox};\n{counts};\nCOMMIT;\n",
                invoice(":last", "")
            ),
            Form::AsOne => format!(
                "{variables}WITH used AS ({series}), made AS ({}), told AS ({outbox}) {counts};\n",
                invoice("used.last", " FROM used")
            ),
        }
    }
}

/// The column's value: the row's own, but for what tells one row from the next.
fn literal(name: &str, value: &Value, last: &str) -> String {
    match (name, value) {
        ("tenant", _) => "'ent_' || :counter".to_owned(),
        ("id", _) => "'inv_' || :row".to_owned(),
        ("number", _) => format!("'2026-' || {last}"),
        ("body", _) => ":body::jsonb".to_owned(),
        ("metadata", _) => "'{}'::jsonb".to_owned(),
        ("date" | "date_due", Value::String(text)) => format!("'{text}'::date"),
        ("created_at" | "updated_at", _) => "now()".to_owned(),
        (_, Value::String(text)) => format!("'{}'", text.replace(['\'', ':'], " ")),
        (_, other) => other.to_string(),
    }
}

/// What a statement answers, as psql prints it without a frame.
pub fn psql(cluster: &Cluster, url: &str, statement: &str) -> String {
    let output = Command::new(cluster.bin("psql"))
        .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", statement])
        .arg(url)
        .output()
        .expect("psql runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "psql: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
