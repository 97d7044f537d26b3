//! Recording payments, beside a bare transaction that writes the same rows: the invoice held and
//! changed, one payment, its entry in the log, and both in the kept counts.

use racun_test_postgres::Cluster;
use racun_tests::{Account, Racun};
use serde_json::{Value, json};

use crate::bare::{Bare, Row};
use crate::load::{Rate, Rates, one_by_one, request};
use crate::report::{aim, bare_line, beside, line, rates, ratio};
use crate::{CLIENTS, INVOICE, told};

/// What each payment pays, but for the document's id.
const PAYMENT: &str = r#"{"amount": 0.01, "type": "cash", "date": "2026-01-02"}"#;

/// The price of an invoice that no measurement pays in full.
const HUGE: u64 = 1_000_000_000;

/// Payments of an invoice that has few, and of one that has many.
const FEW: usize = 10;
const MANY: usize = 1_000;

/// An account with an invoice for each client.
pub struct Payers {
    address: String,
    requests: Vec<Vec<u8>>,
}

impl Payers {
    pub async fn sign_up(racun: &Racun) -> Self {
        let account = Account::sign_up(racun).await;
        let mut requests = Vec::new();
        for _ in 0..CLIENTS {
            requests.push(pay(&account, &issue(&account, 0).await));
        }
        Self { address: racun.address().to_owned(), requests }
    }

    /// On one invoice, and on an invoice each.
    pub fn measure(&self) -> Rates {
        Rates::measure(&self.address, &self.requests)
    }
}

/// What a further payment costs on an invoice that has many. Both invoices take turns, and are of
/// an account each: that one has few payments altogether.
pub async fn further(racun: &Racun) {
    let [few, many] = [Account::sign_up(racun).await, Account::sign_up(racun).await];
    let mut invoices = Vec::new();
    for _ in 0..FEW {
        invoices.push(pay(&few, &issue(&few, FEW).await));
    }
    let many = pay(&many, &issue(&many, FEW).await);
    one_by_one(racun.address(), &vec![many.clone(); MANY - FEW]);
    // None of the ten gets more than ten.
    let turns = (0..FEW).flat_map(|_| &invoices).flat_map(|few| [few.clone(), many.clone()]);
    let times = one_by_one(racun.address(), &turns.collect::<Vec<_>>());
    let few = Rate::alone(times.iter().step_by(2).copied().collect());
    let many = Rate::alone(times.iter().skip(1).step_by(2).copied().collect());
    line(&format!("a further payment on an invoice with {FEW}"), few);
    line(&format!("a further payment on an invoice with {MANY}"), many);
    let times = ratio(many.median, few.median);
    let name = format!("a payment on an invoice with {MANY} beside one with {FEW}, times");
    aim(&name, &times, "<= 3", many.median <= few.median * 3);
}

/// The id of a new invoice that has `payments` and takes any number more.
async fn issue(account: &Account, payments: usize) -> String {
    let mut invoice: Value = serde_json::from_str(INVOICE).expect("the invoice is JSON");
    let payment: Value = serde_json::from_str(PAYMENT).expect("the payment is JSON");
    invoice["items"][0]["price"] = json!(HUGE);
    invoice["payments"] = json!(vec![payment; payments]);
    let made = account.api.create("/invoices", &invoice).await;
    made["id"].as_str().expect("an id").to_owned()
}

/// The request that pays a hundredth of the document `id`.
fn pay(account: &Account, id: &str) -> Vec<u8> {
    let mut payment: Value = serde_json::from_str(PAYMENT).expect("the payment is JSON");
    payment["document_id"] = json!(id);
    request("POST", "/payments", &account.key, &payment.to_string())
}

pub fn print(paid: &Rates) {
    rates(["record a payment, one invoice", "record a payment, an invoice each"], paid);
}

/// What Racun wrote for a payment.
pub struct Rows {
    invoice: Row,
    payment: Row,
    entry: Row,
}

impl Rows {
    /// One of each.
    pub fn of(cluster: &Cluster, url: &str) -> Self {
        Self {
            invoice: Row::of(cluster, url, "invoices", "total_paid > 0"),
            payment: Row::of(cluster, url, "payments", "true"),
            entry: Row::entry(cluster, url, "payment.received"),
        }
    }
}

/// What PostgreSQL allows: one client, all on one invoice, and all on an invoice each.
pub struct Allowed([u64; 3]);

impl Allowed {
    /// With rows like these, in a database that [`prepare`] has seen.
    pub fn measure(bare: &Bare<'_>, rows: &Rows) -> Self {
        let Rows { invoice, payment, entry } = rows;
        let rate = |which: &str, clients: usize| {
            bare.rate(&script(payment, entry, which), &[invoice, payment, entry], clients)
        };
        let allowed = Self([rate("0", 1), rate("0", CLIENTS), rate(":client_id", CLIENTS)]);
        let agree = "SELECT (SELECT sum(total_paid) FROM invoices WHERE tenant = 'ent_pay') \
             = (SELECT sum(amount) FROM payments WHERE tenant = 'ent_pay')";
        assert_eq!(bare.ask(agree).trim(), "t", "the bare invoices took the bare payments");
        allowed
    }

    pub fn best_of(self, other: Self) -> Self {
        let [alone, together, apart] = other.0;
        Self([self.0[0].max(alone), self.0[1].max(together), self.0[2].max(apart)])
    }

    pub fn print(&self, rows: &Rows) {
        let [invoice, payment, entry] = [&rows.invoice, &rows.payment, &rows.entry].map(Row::bytes);
        println!(
            "\nthe bare transaction (bodies of {invoice} and {payment} bytes, an entry of {entry})"
        );
        let [alone, together, apart] = self.0;
        bare_line(&told("bare, held and paid, one invoice", 1), alone);
        bare_line(&told("bare, held and paid, one invoice", CLIENTS), together);
        bare_line(&told("bare, held and paid, an invoice each", CLIENTS), apart);
    }

    /// What was `paid` beside this.
    pub fn beside(&self, paid: &Rates) {
        let [alone, together, apart] = self.0;
        println!("\npayments on PostgreSQL beside the bare transaction, statement by statement");
        beside("one invoice, 1 client", paid.alone.per_second, alone);
        beside("one invoice, 16 clients", paid.together.per_second, together);
        beside("an invoice each, 16 clients", paid.apart.per_second, apart);
    }
}

/// Writes the invoices that the bare transaction pays.
pub fn prepare(bare: &Bare<'_>, Rows { invoice, .. }: &Rows) {
    let insert = invoice.insert(&[
        ("tenant", "'ent_pay'"),
        ("id", "'inv_' || n"),
        ("number", "'2026-' || n"),
        ("number_key", "'2026-' || n"),
        ("total_paid", "0"),
    ]);
    bare.once(&format!("{insert} FROM generate_series(0, {}) AS n;\n", CLIENTS - 1), &[invoice]);
}

fn script(payment: &Row, entry: &Row, which: &str) -> String {
    let invoice = "tenant = 'ent_pay' AND id = 'inv_' || :invoice";
    let insert = payment.insert(&[
        ("tenant", "'ent_pay'"),
        ("id", "'pmt_' || :row"),
        ("invoice_id", "'inv_' || :invoice"),
    ]);
    let told = entry.insert(&[
        ("tenant", "'ent_pay'"),
        ("id", "'evt_' || :row"),
        ("resource_id", "'pmt_' || :row"),
    ]);
    format!(
        "\\set row random(1, 9000000000000000000)\n\
         \\set invoice {which}\n\
         BEGIN;\n\
         SELECT id, body::text FROM invoices WHERE {invoice} FOR UPDATE;\n\
         UPDATE invoices SET body = :invoices::jsonb, total_paid = total_paid + 0.01, \
         total_due = total_due - 0.01, updated_at = now() WHERE {invoice};\n\
         {insert};\n\
         INSERT INTO list_counts (tenant, table_name, shard, live, trashed) \
         VALUES ('ent_pay', 'activities', :client_id, 1, 0), \
         ('ent_pay', 'payments', :client_id, 1, 0) \
         ON CONFLICT (tenant, table_name, shard) DO UPDATE SET live = list_counts.live + 1;\n\
         {told};\n\
         COMMIT;\n"
    )
}
