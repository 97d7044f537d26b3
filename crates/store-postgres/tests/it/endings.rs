//! What begins beside the end of a group, and what waits for it.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, join, select};
use racun_store::testing::contract::{NOTES, Note, SAMPLES, Sample};
use racun_store::{Decision, Load, Put, Record, Series, Store, StoreError, Writes};
use racun_store_postgres::PgStore;
use racun_test_postgres::Database;
use tokio::runtime::Runtime;

use crate::support::{Fixture, PATIENCE, connect, database, entity, patient, series};

/// How many sessions wait for rows.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                       AND wait_event IN ('transactionid', 'tuple')";

fn sample(id: &str) -> Sample {
    Sample::new(entity(1), id)
}

fn one(id: &str) -> Load {
    Load::One { table: &SAMPLES, tenant: sample(id).tenant(), id: id.to_owned() }
}

/// Those whose group is `group`.
fn of_group(group: &str) -> Load {
    let (tenant, value) = (sample("").tenant(), group.to_owned());
    Load::Where { table: &SAMPLES, tenant, field: "group", value }
}

/// What a unit holds.
type Held = (Vec<Load>, Option<Series>);

type Decided = BoxFuture<'static, Result<(), StoreError>>;

/// A store on which one unit, which wrote all sorts of things, is being written for as long as a
/// foreign transaction holds a value that is unique everywhere.
struct Scene {
    store: Arc<dyn Store>,
    database: Database,
    /// The store's own: a decision that waits keeps it from everything else.
    runtime: Option<Runtime>,
    first: Decided,
    decide: Sender<()>,
    /// Who has decided, in the order in which they did.
    order: Arc<Mutex<Vec<&'static str>>>,
}

impl Scene {
    /// The first unit holds `held`, inserts a sample of the group `new`, and changes a note.
    async fn open(held: Held) -> Self {
        let (database, runtime) = (database(), Runtime::new().expect("a runtime"));
        let url = database.url.clone();
        let store = async move { PgStore::connect(&url, patient()).await.expect("it answers") };
        let store: Arc<dyn Store> = Arc::new(runtime.spawn(store).await.expect("it is connected"));
        let samples = ["smp_1", "smp_2"].map(|id| Put::insert(&sample(id)));
        let note = Note::new(entity(1), "note_1", "smp_2");
        let puts = samples.into_iter().chain([Put::insert(&note)]).collect();
        store.insert(puts, Vec::new()).await.expect("they are new");
        let taken = Sample { handle: Some("taken".to_owned()), ..sample("smp_new") };
        let after = Sample { group: Some("new".to_owned()), ..taken };
        let puts = vec![Put::insert(&after), Put::update(&note, &note)];
        let (decide, may_decide) = mpsc::channel();
        let order: Arc<Mutex<Vec<&'static str>>> = Arc::default();
        let (decider, decided) = (Arc::clone(&store), Arc::clone(&order));
        let (loads, series) = held;
        let first = async move {
            let decide = move |_| {
                may_decide.recv().expect("the scene goes on");
                decided.lock().expect("no thread panicked").push("first");
                Ok::<_, StoreError>(((), Writes { puts, ..Writes::default() }))
            };
            decider.decide(loads, series, decide).await
        };
        let mut scene =
            Self { store, database, runtime: Some(runtime), first: first.boxed(), decide, order };
        enter(&mut scene.first).await;
        scene
    }

    /// Enters a unit behind those that have come.
    async fn next(&self, name: &'static str, (loads, series): Held) -> Decided {
        let (store, order) = (Arc::clone(&self.store), Arc::clone(&self.order));
        let unit = async move {
            let decide = move |_| {
                order.lock().expect("no thread panicked").push(name);
                Ok::<_, StoreError>(((), Writes::default()))
            };
            store.decide(loads, series, decide).await
        };
        let mut unit = unit.boxed();
        enter(&mut unit).await;
        unit
    }

    /// Waits until the first unit is being written, and until a read that came after all the others
    /// is answered: what did not begin before has to wait.
    async fn is_at_work(&self) {
        let owner = connect(&self.database.url).await;
        let deadline = Instant::now() + PATIENCE;
        while owner.query_one(WAITING, &[]).await.expect("it answers").get::<_, i64>(0) == 0 {
            assert!(Instant::now() < deadline, "nothing waits for the foreign transaction");
        }
        let tenant = sample("").tenant();
        let read: Option<Sample> =
            self.store.get(&SAMPLES, &tenant, "smp_2").await.expect("it answers");
        assert!(read.is_some(), "it was inserted before");
    }

    fn order(&self) -> Vec<&'static str> {
        self.order.lock().expect("no thread panicked").clone()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Takes `unit` as far as it goes at once: into the queue of its group.
async fn enter(unit: &mut Decided) {
    poll_fn(|context| {
        assert!(Pin::new(&mut *unit).poll(context).is_pending(), "it has to wait");
        Poll::Ready(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_has_nothing_to_do_with_a_group_begins_before_it_is_written() {
    let note =
        |id: &str| Load::One { table: &NOTES, tenant: sample("").tenant(), id: id.to_owned() };
    let of_sample = |value: &str| {
        let (tenant, value) = (sample("").tenant(), value.to_owned());
        Load::Where { table: &NOTES, tenant, field: "sample_id", value }
    };
    let numbers = || Some(series(&sample("").tenant()));
    for (case, held, begins) in [
        ("another row", (vec![one("smp_2")], None), true),
        ("values without a source", (vec![of_group("old")], None), true),
        ("the row that it holds", (vec![one("smp_2"), one("smp_1")], None), false),
        ("the row that it inserts", (vec![one("smp_new")], None), false),
        ("the row that it changes", (vec![note("note_1")], None), false),
        ("a value that it gives", (vec![of_group("new")], None), false),
        ("any value where it changes rows", (vec![of_sample("smp_9")], None), false),
        ("its series", (vec![one("smp_2")], numbers()), false),
    ] {
        let mut scene = Scene::open((vec![one("smp_1")], numbers())).await;
        let mut owner = connect(&scene.database.url).await;
        let foreign = owner.transaction().await.unwrap();
        let insert = "INSERT INTO samples (tenant, id, handle, created_at, search, body) \
                      VALUES ('ent_x', 'smp_x', 'taken', now(), '', '{}')";
        foreign.execute(insert, &[]).await.unwrap();

        let mut second = scene.next("second", held).await;
        // A unit behind the second one does not overtake it.
        let third = scene.next("third", (vec![one("smp_2")], None)).await;
        scene.decide.send(()).unwrap();
        if begins {
            // The first one waits for the foreign transaction, far longer than both of these take.
            let Either::Left((both, _)) = select(join(second, third), &mut scene.first).await
            else {
                panic!("{case}: it has waited");
            };
            assert_eq!(both, (Ok(()), Ok(())), "{case}");
        } else {
            scene.is_at_work().await;
            assert!((&mut second).now_or_never().is_none(), "{case}: it has not waited");
            assert_eq!(scene.order(), ["first"], "{case}");
            // It has not begun, either, to wait for rows at the server with a connection of its
            // own.
            let waiting: i64 = foreign.query_one(WAITING, &[]).await.unwrap().get(0);
            assert!(waiting <= 1, "{case}: {waiting} wait");
            foreign.rollback().await.unwrap();
            assert_eq!((&mut scene.first).await, Ok(()), "{case}");
            assert_eq!((second.await, third.await), (Ok(()), Ok(())), "{case}");
        }
        assert_eq!(scene.order(), ["first", "second", "third"], "{case}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn units_on_rows_of_their_own_and_on_common_ones_lose_nothing() {
    const ROUNDS: usize = 60;
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let ids: Vec<String> = (0..8).map(|n| format!("smp_{n}")).collect();
    let samples = ids.iter().map(|id| Sample { amount: Some(0.into()), ..sample(id) });
    store.insert(samples.map(|sample| Put::insert(&sample)).collect(), Vec::new()).await.unwrap();
    let raise = async |id: &str| {
        let raised = |before: Sample| {
            let amount = before.amount.as_ref().map(|amount| amount + &1.into());
            Ok::<_, StoreError>(Decision::changed(Sample { amount, ..before }, Vec::new()))
        };
        store.amend(&SAMPLES, &sample(id).tenant(), id.to_owned(), raised).await.map(drop)
    };
    // Each raises its own row, and every third time the first one, which is another client's own.
    let clients = ids.iter().map(async |id| {
        for round in 0..ROUNDS {
            raise(id).await.unwrap();
            if round % 3 == 0 {
                raise("smp_0").await.unwrap();
            }
        }
    });
    futures_util::future::join_all(clients).await;
    for id in &ids {
        let kept: Sample = store.get(&SAMPLES, &sample(id).tenant(), id).await.unwrap().unwrap();
        let common = if id == "smp_0" { ids.len() * ROUNDS / 3 } else { 0 };
        let expected = i64::try_from(ROUNDS + common).unwrap();
        assert_eq!(kept.amount, Some(expected.into()), "{id}");
    }
}
