//! What stands around a handler: who asks, how often they may, and whether they asked before.

use std::time::Duration;

use racun_tests::{Account, Data, Profile, Racun, Settings};

use crate::load::{Rate, measure_for, request, request_with};
use crate::report::{line, ratio};
use crate::{CLIENTS, told};

/// How long each rate is measured: there are forty of them.
const MEASURED: Duration = Duration::from_millis(1_200);

/// A customer that is made; with a key, each is another request.
const CUSTOMER: &str = r#"{"name": "Kupec d.o.o."}"#;

/// A key that no request before had.
const KEY: &str = "idempotency-key: fresh-000000000000\r\n";

/// Servers on the same sort of data: one that counts requests, and one that does not.
pub struct Servers {
    plain: (Racun, Account),
    counting: (Racun, Account),
}

/// Rates with and without what stands around a handler.
#[derive(Clone, Copy)]
pub struct Measured {
    clients: usize,
    /// A handler that does nothing, without authentication.
    bare: Rate,
    /// One that reads who asks.
    known: Rate,
    /// The same, counted.
    counted: Rate,
    /// One that makes something.
    made: Rate,
    /// The same, counted and under a key.
    made_once: Rate,
}

impl Servers {
    /// Starts both.
    pub async fn start(plain: Data, counting: Data) -> Self {
        let plain = Racun::start_on(Profile::Release, plain).await;
        let account = Account::sign_up(&plain).await;
        let counting = Racun::start_with(Profile::Release, counting, limits()).await;
        let counted = Account::sign_up(&counting).await;
        Self { plain: (plain, account), counting: (counting, counted) }
    }

    /// Both take turns.
    pub fn measure(&self, clients: usize) -> Measured {
        let of = |(racun, account): &(Racun, Account), method: &str, path: &str, header: &str| {
            let body = if method == "POST" { CUSTOMER } else { "" };
            let asked = request_with(method, path, &account.key, header, body);
            measure_for(MEASURED, racun.address(), &vec![asked; clients])
        };
        let live = vec![request("GET", "/health/live", "none", ""); clients];
        let path = format!("/entities/{}", self.plain.1.entity);
        let counted = format!("/entities/{}", self.counting.1.entity);
        Measured {
            clients,
            bare: measure_for(MEASURED, self.plain.0.address(), &live),
            known: of(&self.plain, "GET", &path, ""),
            counted: of(&self.counting, "GET", &counted, ""),
            made: of(&self.plain, "POST", "/customers", ""),
            made_once: of(&self.counting, "POST", "/customers", KEY),
        }
    }

    /// One client and all of them, the better of two counts each.
    pub fn print(&self) {
        for clients in [1, CLIENTS] {
            self.measure(clients).best_of(self.measure(clients)).print();
        }
    }
}

impl Measured {
    /// The faster of each.
    fn best_of(self, other: Self) -> Self {
        Self {
            clients: self.clients,
            bare: self.bare.best_of(other.bare),
            known: self.known.best_of(other.known),
            counted: self.counted.best_of(other.counted),
            made: self.made.best_of(other.made),
            made_once: self.made_once.best_of(other.made_once),
        }
    }

    fn print(self) {
        let told = |name| told(name, self.clients);
        let bare = line(&told("anonymous, nothing (GET /health/live)"), self.bare);
        let known = line(&told("an entity is read with a key"), self.known);
        let counted = line(&told("the same, counted"), self.counted);
        let made = line(&told("a customer is made"), self.made);
        let once = line(&told("the same, counted and under a key"), self.made_once);
        println!("{:<52} {:>10}", "known and counted beside anonymous", ratio(counted, bare));
        println!("{:<52} {:>10}", "counted beside not counted", ratio(counted, known));
        // A key costs a second commit, of the answer, so this is about a half.
        println!("{:<52} {:>10}", "counted and under a key beside neither", ratio(once, made));
    }
}

/// Limits that no client reaches.
fn limits() -> Settings {
    let most = "1000000000";
    [
        ("RACUN__RATE_LIMITS__ENABLED", "true"),
        ("RACUN__RATE_LIMITS__PER_TOKEN", most),
        ("RACUN__RATE_LIMITS__PER_IP_AUTHENTICATED", most),
        ("RACUN__RATE_LIMITS__PER_IP_ANONYMOUS", most),
        ("RACUN__RATE_LIMITS__PER_IP_SENSITIVE", most),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}
