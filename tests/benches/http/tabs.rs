//! The point of sale: adding to tabs, beside a bare transaction that writes the same rows, and
//! lists of tabs beside the trivial handler.

use racun_tests::{Account, Racun};
use serde_json::{Value, json};

use crate::bare::{Bare, Row};
use crate::load::{FRESH, Rate, measure, measure_turns, request, request_with};
use crate::report::{aim, bare_line, beside, line, ratio};
use crate::{CLIENTS, told};

/// Tabs that devices add to when each has its own.
const TABS: usize = 50;

/// Open tabs of a list.
const LISTED: usize = 200;

/// Lines of a listed tab.
const LINES: usize = 5;

/// A shop with tabs.
pub struct Till {
    address: String,
    /// Adds a coffee to a tab, for each tab.
    appends: Vec<Vec<u8>>,
    /// Reads all tabs; reads them unless they are as they were.
    list: Vec<u8>,
    unchanged: Vec<u8>,
}

/// What was measured.
pub struct Rates {
    together: Rate,
    apart: Rate,
    trivial: Rate,
    list: Rate,
    unchanged: Rate,
}

impl Till {
    pub async fn open(racun: &Racun) -> Self {
        let account = Account::sign_up(racun).await;
        let item = json!({ "name": "Coffee", "gross_price": 2, "taxes": [{ "rate": 22 }] });
        let item = account.api.create("/items", &item).await;
        let mut appends = Vec::new();
        for _ in 0..TABS {
            let tab = account.api.create("/pos/tabs", &json!({})).await;
            let path = format!("/pos/tabs/{}/items", id(&tab));
            let body = json!({
                "append_id": FRESH, "items": [{ "item_id": item["id"], "quantity": 1 }],
            });
            appends.push(request("POST", &path, &account.key, &body.to_string()));
        }
        let shop = Account::sign_up(racun).await;
        let item = shop.api.create("/items", &json!({ "name": "Tea", "gross_price": 2 })).await;
        for _ in 0..LISTED {
            let tab = shop.api.create("/pos/tabs", &json!({})).await;
            let lines: Vec<Value> = (0..LINES)
                .map(|line| {
                    json!({ "item_id": item["id"], "quantity": 2, "note": line.to_string() })
                })
                .collect();
            let path = format!("/pos/tabs/{}/items", id(&tab));
            let added = json!({ "items": lines }).to_string();
            let added = shop.api.json("POST", &path, added).await;
            assert_eq!(added.status, 200, "{}", added.text);
        }
        let etag = shop.api.get("/pos/tabs").await.etag;
        let header = format!("if-none-match: {etag}\r\n");
        Self {
            address: racun.address().to_owned(),
            appends,
            list: request("GET", "/pos/tabs", &shop.key, ""),
            unchanged: request_with("GET", "/pos/tabs", &shop.key, &header, ""),
        }
    }

    pub fn measure(&self) -> Rates {
        let by_all = |request: &Vec<u8>| measure(&self.address, &vec![request.clone(); CLIENTS]);
        // Each client goes round all tabs, and begins elsewhere.
        let rounds: Vec<Vec<Vec<u8>>> = (0..CLIENTS)
            .map(|client| {
                let (before, after) = self.appends.split_at(client * TABS / CLIENTS);
                [after, before].concat()
            })
            .collect();
        let rounds: Vec<&[Vec<u8>]> = rounds.iter().map(Vec::as_slice).collect();
        Rates {
            together: by_all(&self.appends[0]),
            apart: measure_turns(&self.address, &rounds),
            trivial: by_all(&request("GET", "/health/live", "none", "")),
            list: by_all(&self.list),
            unchanged: by_all(&self.unchanged),
        }
    }
}

fn id(made: &Value) -> &str {
    made["id"].as_str().expect("an id")
}

impl Rates {
    pub fn best_of(self, other: Self) -> Self {
        Self {
            together: self.together.best_of(other.together),
            apart: self.apart.best_of(other.apart),
            trivial: self.trivial.best_of(other.trivial),
            list: self.list.best_of(other.list),
            unchanged: self.unchanged.best_of(other.unchanged),
        }
    }

    pub fn print(&self) {
        line(&told("append to one tab", CLIENTS), self.together);
        line(&told(&format!("append to {TABS} tabs"), CLIENTS), self.apart);
        line(&told("trivial handler (GET /health/live)", CLIENTS), self.trivial);
        line(&told(&format!("list {LISTED} open tabs of {LINES} lines"), CLIENTS), self.list);
        line(&told(&format!("list {LISTED} tabs, unchanged (304)"), CLIENTS), self.unchanged);
        let (part, whole) = (self.unchanged.per_second, self.trivial.per_second);
        aim("304 beside the trivial handler", &ratio(part, whole), ">= 0.5", part * 2 >= whole);
    }
}

/// What PostgreSQL allows: all clients on one tab, and each on any of many.
pub struct Allowed([u64; 2]);

impl Allowed {
    /// With tabs and accepted appends like these two, in a database that [`prepare`] has seen.
    pub fn measure(bare: &Bare<'_>, tab: &Row, append: &Row) -> Self {
        let rate = |which: &str| bare.rate(&script(append, which), &[tab, append], CLIENTS);
        Self([rate("0"), rate(&format!("random(0, {})", TABS - 1))])
    }

    pub fn best_of(self, other: Self) -> Self {
        Self([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }

    pub fn print(&self, tab: &Row, append: &Row) {
        let (tab, append) = (tab.bytes(), append.bytes());
        println!("\nthe bare transaction (bodies of {tab} and {append} bytes)");
        bare_line(&told("bare, held and added to, one tab", CLIENTS), self.0[0]);
        bare_line(&told(&format!("bare, held and added to, {TABS} tabs"), CLIENTS), self.0[1]);
    }

    /// What was added beside this.
    pub fn beside(&self, added: &Rates) {
        println!("\nappends on PostgreSQL beside the bare transaction, statement by statement");
        beside("one tab, 16 clients", added.together.per_second, self.0[0]);
        beside(&format!("{TABS} tabs, 16 clients"), added.apart.per_second, self.0[1]);
    }
}

/// Writes the tabs that the bare transaction adds to.
pub fn prepare(bare: &Bare<'_>, tab: &Row) {
    let insert = tab.insert(&[("tenant", "'ent_tabs'"), ("id", "'ptab_' || n"), ("version", "1")]);
    bare.once(&format!("{insert} FROM generate_series(0, {}) AS n;\n", TABS - 1), &[tab]);
}

fn script(append: &Row, which: &str) -> String {
    let tab = "tenant = 'ent_tabs' AND id = 'ptab_' || :tab";
    let insert = append.insert(&[
        ("tenant", "'ent_tabs'"),
        ("id", "'ptab_' || :tab || '/' || :row"),
        ("tab_id", "'ptab_' || :tab"),
        ("key", "'ptab_' || :tab || '/' || :row"),
    ]);
    format!(
        "\\set row random(1, 9000000000000000000)\n\
         \\set tab {which}\n\
         BEGIN;\n\
         SELECT id, body::text FROM pos_tabs WHERE {tab} FOR UPDATE;\n\
         SELECT id FROM pos_appends WHERE tenant = 'ent_tabs' AND key = 'ptab_' || :row;\n\
         UPDATE pos_tabs SET body = :pos_tabs::jsonb, version = version + 1, updated_at = now() \
         WHERE {tab};\n\
         {insert};\n\
         INSERT INTO list_counts (tenant, table_name, shard, live, trashed) \
         VALUES ('ent_tabs', 'pos_appends', :client_id, 1, 0) \
         ON CONFLICT (tenant, table_name, shard) DO UPDATE SET live = list_counts.live + 1;\n\
         COMMIT;\n"
    )
}
