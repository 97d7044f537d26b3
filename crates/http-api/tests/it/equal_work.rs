//! Whether an address has a user does not show by the work that an answer takes: what the store is
//! asked is the same, read by read and unit by unit.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_http_api::RequestLimits;
use racun_store::{Load, Read, Rows, Store, StoreDecorator, TransactError, Unit};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, PASSWORD, Who};

/// A store that notes what it is asked, without values.
struct Noting {
    store: SqliteStore,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Noting {
    fn note(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }
}

#[async_trait]
impl StoreDecorator for Noting {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        self.note(match read {
            Read::Find(table, _, ids) => format!("find {} of {}", ids.len(), table.name),
            Read::Lookup(table, field, _) => format!("look up {}.{field}", table.name),
            Read::List(table, ..) => format!("list {}", table.name),
        });
        read.ask(&self.store).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let table = |load: &Load| match load {
            Load::One { table, .. } => table.name.to_owned(),
            Load::Where { table, field, .. } => format!("{}.{field}", table.name),
        };
        let held: Vec<String> = unit.loads.iter().map(table).collect();
        let (asked, decide) = (Arc::clone(&self.asked), unit.decide);
        let decide = Box::new(move |loaded| {
            let writes = decide(loaded)?;
            let puts = writes.puts.len();
            asked.lock().unwrap().push(format!("unit of {held:?} writes {puts}"));
            Ok(writes)
        });
        self.store.transact(Unit { decide, ..unit }).await
    }
}

/// What the store is asked while `request` is answered.
async fn work(asked: &Mutex<Vec<String>>, request: impl Future<Output = Answer>) -> Vec<String> {
    asked.lock().unwrap().clear();
    request.await;
    std::mem::take(&mut *asked.lock().unwrap())
}

/// The body of a request that names an address.
type Ask<'a> = &'a dyn Fn(&str) -> Value;

#[actix_web::test]
async fn an_address_with_a_user_takes_the_same_work_as_one_without() {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let noting = Noting { store, asked: Arc::clone(&asked) };
    let api = Api::on(Arc::new(noting), RequestLimits::default()).await;
    let owner = api.owner("owner@example.com").await;
    api.verify("owner@example.com").await;
    api.user("verified@example.com").await;
    api.verify("verified@example.com").await;
    api.user("unverified@example.com").await;
    let login = |email: &str| json!({"email": email, "password": format!("{PASSWORD} no")});
    let mailed = |email: &str| json!({"email": email, "role": "viewer"});
    let handed = |email: &str| json!({"email": email, "send_invite": false});
    let asks: [(&str, &Who, Ask<'_>); 4] = [
        ("/users/login", &Who::anonymous(), &login),
        ("/users/password-reset", &Who::anonymous(), &|email| json!({"email": email})),
        ("/entities/users", &owner, &mailed),
        ("/entities/users", &owner, &handed),
    ];
    for (n, (path, who, body)) in asks.into_iter().enumerate() {
        // The second entity has no invitation yet.
        let mut all = Vec::new();
        let entity = json!({"name": "Next", "country": "Slovenia", "environment": "sandbox"});
        let entity = api.post("/entities", &owner, entity).await.with(201).json();
        let who = match who.entity {
            Some(_) => who.in_entity(entity["id"].as_str().unwrap()),
            None => who.clone(),
        };
        for email in ["verified@example.com", "unverified@example.com", "nobody@example.com"] {
            let done = work(&asked, api.post(path, &who, body(email))).await;
            assert!(!done.is_empty(), "{path}");
            all.push(done);
        }
        assert_eq!(all[0], all[2], "{n}: {path}, verified");
        assert_eq!(all[1], all[2], "{n}: {path}, unverified");
    }
}
