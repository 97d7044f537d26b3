//! A year by month is read from the index that was made for it, not from the invoices themselves.

use std::time::Duration;

use racun_test_postgres::{Cluster, Durability};
use racun_tests::{Account, Data, Profile, Racun};
use serde_json::json;

/// Invoices of the tenant: enough that PostgreSQL would rather not read them all.
const INVOICES: u32 = 20_000;
/// How long PostgreSQL may take until it counts what a connection read; it says 10 s.
const COUNTED: Duration = Duration::from_secs(60);

/// What `statement` answers.
fn psql(url: &str, statement: &str) -> String {
    let output = racun_test_postgres::program("psql")
        .args(["--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1"])
        .args([url, "--command", statement])
        .output()
        .expect("psql runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{statement}\n{said}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Copies the one invoice that is there, over two years.
fn copy_invoice(url: &str) {
    let columns = psql(
        url,
        "SELECT string_agg(format('(r).%I', attname), ', '), string_agg(quote_ident(attname), ', ')
         FROM pg_attribute WHERE attrelid = 'invoices'::regclass AND attnum > 0
         AND NOT attisdropped AND attgenerated = ''",
    );
    let (values, names) = columns.split_once('|').expect("two columns");
    // The triggers that keep counts, and other writers out, are not what is looked at here.
    let statement = format!(
        "SET session_replication_role = replica;
         INSERT INTO invoices ({names}) SELECT {values} FROM (
             SELECT jsonb_populate_record(invoices, jsonb_build_object(
                 'id', 'inv_' || lpad(n::text, 26, '0'), 'number', 'COPY-' || n,
                 'number_key', 'COPY-' || n, 'shareable_id', NULL, 'date', \"date\" - n % 730)) AS r
             FROM invoices, generate_series(1, {INVOICES}) AS n) AS copies"
    );
    psql(url, &statement);
    psql(url, "VACUUM ANALYZE invoices");
}

fn scans(url: &str) -> u64 {
    let statement =
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'invoices_counted'";
    psql(url, statement).parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_year_by_month_is_read_from_the_index_made_for_it() {
    let cluster = Cluster::start(Durability::Fast).expect("a PostgreSQL server");
    let url = cluster.url("postgres");
    let racun = Racun::start_on(Profile::Debug, Data::Url(url.clone())).await;
    let account = Account::sign_up(&racun).await;
    let invoice = json!({ "items": [{ "name": "Bread", "price": 10, "taxes": [{ "rate": 22 }] }] });
    account.api.create("/invoices", &invoice).await;
    copy_invoice(&url);
    let before = scans(&url);
    let question = json!([{
        "table": "invoices", "date_from": "2020-01-01", "date_to": "2099-12-31",
        "metrics": [
            { "type": "sum", "field": "total_with_tax_converted", "alias": "revenue" },
            { "type": "count", "alias": "invoices" },
        ],
        "filters": { "is_draft": false, "voided_at": null }, "group_by": ["month"],
    }]);
    let answer = account.api.post("/stats/query", &question).await.expect(200);
    let rows = answer[0]["data"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let invoices: u64 = rows.iter().filter_map(|row| row["invoices"].as_u64()).sum();
    assert_eq!(invoices, u64::from(INVOICES) + 1, "{answer}");
    let waited = async {
        while scans(&url) == before {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let told = tokio::time::timeout(COUNTED, waited).await;
    assert!(told.is_ok(), "PostgreSQL did not read invoices_counted");
}
