//! The bare transaction: what PostgreSQL allows when pgbench writes rows like those of Racun into
//! Racun's tables, without Racun.

use std::io::Write as _;
use std::process::Command;

use racun_test_postgres::Cluster;
use serde_json::Value;
use tempfile::NamedTempFile;

/// Seconds of each measurement.
const SECONDS: &str = "3";

/// A database with Racun's tables, in which nothing is but what pgbench writes.
pub struct Bare<'a> {
    pub cluster: &'a Cluster,
    pub url: String,
}

impl Bare<'_> {
    /// How often in a second `clients` together run `script`. It may name the `bodies` of rows.
    pub fn rate(&self, script: &str, bodies: &[&Row], clients: usize) -> u64 {
        let clients = clients.to_string();
        let told = self.pgbench(script, bodies, &["--time", SECONDS, "--client", &clients]);
        let whole = || told.lines().find_map(|line| line.strip_prefix("tps = ")?.split('.').next());
        let whole = whole().and_then(|whole| whole.parse().ok());
        whole.unwrap_or_else(|| panic!("pgbench tells no rate: {told}"))
    }

    /// Runs `script` once.
    pub fn once(&self, script: &str, bodies: &[&Row]) {
        self.pgbench(script, bodies, &["--transactions", "1"]);
    }

    fn pgbench(&self, script: &str, bodies: &[&Row], how: &[&str]) -> String {
        let mut file = NamedTempFile::new().expect("a temporary file");
        file.write_all(script.as_bytes()).expect("the script is written");
        let mut command = Command::new(self.cluster.bin("pgbench"));
        command.args(["--no-vacuum", "--protocol", "prepared", "--jobs", "2"]).args(how);
        for row in bodies {
            command.arg("--define").arg(format!("{}={}", row.name, row.columns["body"]));
            if let Some(snapshot) = row.snapshot() {
                command.arg("--define").arg(format!("{}_snapshot={snapshot}", row.name));
            }
        }
        // As on Racun's own connections.
        command.env("PGOPTIONS", "-c default_toast_compression=lz4");
        let output = command.arg("--file").arg(file.path()).arg(&self.url).output();
        let output = output.expect("pgbench runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "pgbench: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What a statement answers here.
    pub fn ask(&self, statement: &str) -> String {
        psql(self.cluster, &self.url, statement)
    }
}

/// A row that Racun wrote.
pub struct Row {
    table: &'static str,
    /// What scripts call its body.
    name: String,
    columns: serde_json::Map<String, Value>,
}

impl Row {
    /// A row of `table` in the database at `url` that fulfils `condition`.
    pub fn of(cluster: &Cluster, url: &str, table: &'static str, condition: &str) -> Self {
        let query = format!("SELECT to_jsonb({table}) FROM {table} WHERE {condition} LIMIT 1");
        let row: Value = serde_json::from_str(&psql(cluster, url, &query)).expect("a row");
        let mut columns = row.as_object().expect("an object").clone();
        // An insert may not name generated columns.
        let generated = format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND \
             attgenerated <> ''"
        );
        for column in psql(cluster, url, &generated).lines() {
            columns.remove(column);
        }
        Self { table, name: table.to_owned(), columns }
    }

    /// The entry of the log that says `kind`, as Racun wrote it. Its place is given by the
    /// database.
    pub fn entry(cluster: &Cluster, url: &str, kind: &str) -> Self {
        let mut entry = Self::of(cluster, url, "activities", &format!("kind = '{kind}'"));
        entry.columns.remove("position");
        entry.name = kind.replace('.', "_");
        entry
    }

    /// Bytes of its body, and of the snapshot beside it.
    pub fn bytes(&self) -> usize {
        self.columns["body"].to_string().len() + self.snapshot().map_or(0, str::len)
    }

    /// What the record of an entry looked like.
    fn snapshot(&self) -> Option<&str> {
        self.columns.get("snapshot")?.as_str()
    }

    /// The statement that writes such a row, with `own` values in the columns where one row differs
    /// from the next. It lacks the source of these values, if they have one.
    pub fn insert(&self, own: &[(&str, &str)]) -> String {
        let names: Vec<&str> = self.columns.keys().map(String::as_str).collect();
        let (table, names) = (self.table, names.join("\", \""));
        format!("INSERT INTO {table} (\"{names}\") SELECT {}", self.values(own))
    }

    /// The values of such a row, in the order of its columns.
    pub fn values(&self, own: &[(&str, &str)]) -> String {
        let value = |(name, value): (&String, &Value)| {
            let found = own.iter().find(|(column, _)| column == name);
            found.map_or_else(|| self.literal(name, value), |(_, own)| (*own).to_owned())
        };
        let values: Vec<String> = self.columns.iter().map(value).collect();
        values.join(", ")
    }

    fn literal(&self, name: &str, value: &Value) -> String {
        match (name, value) {
            ("body", _) => format!(":{}::jsonb", self.name),
            ("snapshot", Value::String(_)) => format!(":{}_snapshot::text", self.name),
            ("metadata", _) => "'{}'::jsonb".to_owned(),
            ("created_at" | "updated_at", _) => "now()".to_owned(),
            ("date" | "date_due", Value::String(text)) => format!("'{text}'::date"),
            (_, Value::String(text)) => format!("'{}'", text.replace(['\'', ':'], " ")),
            (_, other) => other.to_string(),
        }
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
