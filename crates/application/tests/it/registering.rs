//! Premises registered with FURS: concurrently, interrupted half-way, on both stores.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_access::{Entity, MasterVault};
use racun_fiscal::furs::{MovableKind, PremiseKind};
use racun_fiscal::{
    Authorities, Authority, AuthorityError, BusinessPremise, Conflict, FiscalError, FiscalRefusal,
    Header, Identity, Message, NewDevice, NewPremise, OpenedCertificate, P12Error, Patience,
    PremiseId, Reply, Signer, SigningFailed, Unknown,
};
use racun_fiscalization::setup::registering::Registry;
use racun_fiscalization::setup::{PremiseState, devices, premises, settings};
use racun_kernel::{Environment, Patch, Stamp};
use racun_store::{Context, Series, Store, StoreError, Writes};
use racun_store_sqlite::SqliteStore;
use time::{Duration, OffsetDateTime};
use tokio::sync::oneshot;

use crate::fixture::{NOW, Shop};
use crate::flaky::Flaky;
use crate::takings::{on_postgres, on_sqlite};

type PendingReply = Pin<Box<dyn Future<Output = Result<Reply, Unknown>> + Send>>;

/// FURS, which gives the answers set by the test, and otherwise accepts everything.
#[derive(Default)]
struct Furs {
    answers: Mutex<VecDeque<PendingReply>>,
    /// Names it received, and whether they are closed.
    told: Mutex<Vec<(String, bool)>>,
}

#[async_trait]
impl Authorities for Furs {
    fn open_p12(&self, _: Authority, _: &[u8], _: &str) -> Result<OpenedCertificate, P12Error> {
        Err(P12Error::NotP12)
    }

    fn signer(&self, _: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        Err(SigningFailed)
    }

    fn sign_xml(
        &self,
        _: &Identity,
        _: &str,
        _: &str,
        _: OffsetDateTime,
    ) -> Result<String, SigningFailed> {
        Err(SigningFailed)
    }

    async fn send(
        &self,
        environment: Environment,
        _: &Identity,
        _: &Header,
        message: &Message,
        patience: Patience,
    ) -> Result<Reply, Unknown> {
        assert_eq!((environment, patience), (Environment::Sandbox, Patience::Interactive));
        let Message::FursPremise(premise) = message else { panic!("{message:?}") };
        self.told.lock().unwrap().push((premise.name.clone(), premise.is_closing));
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer.await,
            None => Ok(Reply::Confirmed(None)),
        }
    }
}

fn refused(code: &str) -> Result<Reply, Unknown> {
    let (code, message) = (code.to_owned(), "besedilo".to_owned());
    Ok(Reply::refused(vec![AuthorityError { code, message }]).unwrap())
}

fn lost() -> Result<Reply, Unknown> {
    Err(Unknown { reason: "reset".to_owned(), is_suspicious: false })
}

/// A taxpayer with a certificate.
#[derive(Clone)]
struct Taxpayer {
    store: Arc<dyn Store>,
    shop: Arc<Shop>,
    entity: Entity,
    vault: Arc<MasterVault>,
    furs: Arc<Furs>,
    stamp: Stamp,
}

impl Taxpayer {
    async fn on(store: Arc<dyn Store>) -> Self {
        let shop = Shop::open_on(Arc::clone(&store), racun_store::testing::stamp(NOW)).await;
        let entity = Entity { tax_number: Some("SI10039856".to_owned()), ..shop.entity.clone() };
        let vault = Arc::new(MasterVault::derive(&[7; 32]));
        let opened = OpenedCertificate {
            identity: Identity { certificate: vec![1], chain: Vec::new(), private_key: vec![2] },
            tax_number: Some("10039856".to_owned()),
            common_name: String::new(),
            subject: String::new(),
            issuer: String::new(),
            serial: "1".to_owned(),
            not_before: NOW,
            not_after: NOW + Duration::days(365),
        };
        let (stamp, authority) = (shop.stamp.clone(), Authority::Furs);
        settings::set_certificate(
            Context::new(&*store, &shop.scope, &stamp),
            &*vault,
            &entity,
            authority,
            opened,
        )
        .await
        .unwrap();
        let (shop, furs) = (Arc::new(shop), Arc::default());
        Self { store, shop, entity, vault, furs, stamp }
    }

    /// The same taxpayer so much later.
    fn later(&self, by: Duration) -> Self {
        Self { stamp: self.stamp.at(self.stamp.now() + by), ..self.clone() }
    }

    fn registry(&self) -> Registry<'_> {
        Registry {
            cx: Context::new(&*self.store, &self.shop.scope, &self.stamp),
            vault: &*self.vault,
            authorities: &*self.furs,
        }
    }

    async fn register(
        &self,
        name: &str,
        kind: MovableKind,
    ) -> Result<BusinessPremise, FiscalError> {
        let kind = Some(PremiseKind::Movable(kind));
        let new = NewPremise { name: name.to_owned(), kind, starting_number: None };
        self.registry().register(&self.entity, new).await
    }

    async fn open(&self, name: &str) -> PremiseId {
        self.register(name, MovableKind::A).await.unwrap().id
    }

    async fn close(&self, id: PremiseId) -> Result<BusinessPremise, FiscalError> {
        self.registry().close(id).await
    }

    async fn premises(&self) -> Vec<PremiseState> {
        premises::list(Context::new(&*self.store, &self.shop.scope, &self.stamp), Authority::Furs)
            .await
            .unwrap()
    }

    /// The next message is answered so.
    fn then(&self, answer: Result<Reply, Unknown>) {
        self.furs.answers.lock().unwrap().push_back(Box::pin(async move { answer }));
    }

    /// Holds the next message: the receiver signals its arrival, and the sender sets its answer.
    fn gate(&self) -> (oneshot::Receiver<()>, oneshot::Sender<Result<Reply, Unknown>>) {
        let (come, has_come) = oneshot::channel();
        let (open, opened) = oneshot::channel();
        let answer = async move {
            come.send(()).unwrap();
            opened.await.unwrap()
        };
        self.furs.answers.lock().unwrap().push_back(Box::pin(answer));
        (has_come, open)
    }

    async fn issue(&self, key: &str) {
        let tenant = self.shop.scope.tenant();
        let series = Series { tenant, key: key.to_owned(), start: 1 };
        let writes = Writes { takes_number: true, ..Writes::default() };
        let take = |_| Ok::<_, StoreError>(((), writes));
        self.store.decide(Vec::new(), Some(series), take).await.unwrap();
    }
}

/// The life of a premise and its devices.
async fn a_life(store: Arc<dyn Store>) {
    let who = Taxpayer::on(store).await;
    let (store, scope) = (&*who.store, &who.shop.scope);
    let id = who.open("A1").await;
    assert_eq!(who.register("A1", MovableKind::B).await.unwrap_err(), Conflict::PremiseName.into());
    let add = |name: &str| {
        let new = NewDevice { name: name.to_owned(), starting_number: Some(9) };
        devices::create(Context::new(store, scope, &who.stamp), &who.entity, id, new)
    };
    let (one, two) = (add("1").await.unwrap(), add("2").await.unwrap());
    assert_eq!(add("1").await.unwrap_err(), Conflict::DeviceName.into());
    let premise = |number| premises::restart(Context::new(store, scope, &who.stamp), id, number);
    let device = |number| devices::restart(Context::new(store, scope, &who.stamp), one.id, number);
    for number in [5, 7] {
        let state = premise(Patch::Value(number)).await.unwrap();
        assert_eq!(
            (state.starting_number, state.can_update_starting_number()),
            (Some(number), true)
        );
        let state = device(Patch::Value(number)).await.unwrap();
        assert_eq!(
            (state.starting_number, state.can_update_starting_number()),
            (Some(number), true)
        );
    }
    who.issue("furs/2026/A1").await;
    let locked = premise(Patch::Null).await.unwrap_err();
    assert_eq!(locked, FiscalRefusal::StartingNumberLocked.into());
    device(Patch::Null).await.unwrap();
    who.issue("furs/2026/A1/1").await;
    assert_eq!(
        device(Patch::Value(2)).await.unwrap_err(),
        FiscalRefusal::StartingNumberLocked.into()
    );
    let other = devices::restart(Context::new(store, scope, &who.stamp), two.id, Patch::Value(3))
        .await
        .unwrap();
    assert_eq!((other.starting_number, other.counter), (Some(3), 1), "the premise's number counts");
    who.close(id).await.unwrap();
    let all = who.premises().await;
    assert!(!all[0].premise.is_active && all[0].devices.iter().all(|own| !own.device.is_active));
    assert_eq!(who.register("A1", MovableKind::B).await.unwrap_err(), Conflict::PremiseName.into());
    let told = who.furs.told.lock().unwrap().clone();
    assert_eq!(told, [("A1".to_owned(), false), ("A1".to_owned(), true)]);
}

#[tokio::test]
async fn a_premise_lives_on_the_embedded_store() {
    a_life(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_premise_lives_on_postgresql() {
    let (store, _database) = on_postgres().await;
    a_life(store).await;
}

/// A second request for a name while FURS thinks about the first.
async fn two_at_once(store: Arc<dyn Store>) {
    let who = Taxpayer::on(store).await;
    for answer in [refused("S005"), lost()] {
        let (has_come, open) = who.gate();
        let first = who.clone();
        let first = tokio::spawn(async move { first.register("A1", MovableKind::A).await });
        has_come.await.unwrap();
        let second = who.register("A1", MovableKind::B).await.unwrap_err();
        assert_eq!(second, Conflict::Registering.into());
        assert_eq!(who.premises().await, []);
        open.send(answer).unwrap();
        first.await.unwrap().unwrap_err();
    }
    // One whose process was stopped for more than a minute has lost the name.
    let (has_come, open) = who.gate();
    let first = who.clone();
    let first = tokio::spawn(async move { first.register("A1", MovableKind::A).await });
    has_come.await.unwrap();
    let second = who.later(Duration::MINUTE).register("A1", MovableKind::B).await.unwrap();
    open.send(Ok(Reply::Confirmed(None))).unwrap();
    assert_eq!(first.await.unwrap().unwrap_err(), Conflict::Registering.into());
    let all = who.premises().await;
    assert_eq!(all.iter().map(|state| &state.premise).collect::<Vec<_>>(), [&second]);
    assert_eq!(second.kind, Some(PremiseKind::Movable(MovableKind::B)));
}

#[tokio::test]
async fn a_name_is_registered_by_one_at_a_time_on_the_embedded_store() {
    two_at_once(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_registered_by_one_at_a_time_on_postgresql() {
    let (store, _database) = on_postgres().await;
    two_at_once(store).await;
}

/// A taxpayer whose store can fail.
async fn on_flaky() -> (Taxpayer, Arc<Flaky<SqliteStore>>) {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let flaky = Arc::new(Flaky::new(store));
    (Taxpayer::on(flaky.clone()).await, flaky)
}

#[tokio::test]
async fn a_registration_that_is_killed_leaves_no_premise_or_a_whole_one() {
    for (units, written, is_open) in
        [(0, false, false), (0, true, false), (1, false, false), (1, true, true)]
    {
        let (who, store) = on_flaky().await;
        store.fail_after(units, written);
        who.register("A1", MovableKind::A).await.unwrap_err();
        store.heal();
        let open = who.premises().await;
        assert_eq!(open.len(), usize::from(is_open), "after {units} units, written {written}");
        let late = who.later(Duration::MINUTE);
        match late.register("A1", MovableKind::B).await {
            Ok(premise) => assert!(premise.is_active && !is_open),
            Err(refused) => assert_eq!((refused, is_open), (Conflict::PremiseName.into(), true)),
        }
        assert_eq!(who.premises().await.len(), 1);
    }
    // A refusal whose reservation could not be taken back: the name is free a minute later.
    let (who, store) = on_flaky().await;
    who.then(refused("S005"));
    store.fail_after(1, false);
    let refusal = who.register("A1", MovableKind::A).await.unwrap_err();
    assert!(matches!(refusal, FiscalError::Provider(_)), "{refusal:?}");
    store.heal();
    let early = who.register("A1", MovableKind::A).await.unwrap_err();
    assert_eq!(early, Conflict::Registering.into());
    who.later(Duration::MINUTE).open("A1").await;
}

#[tokio::test]
async fn a_killed_closing_is_reported_again_and_ends() {
    for (units, written) in [(0, false), (0, true), (1, false), (1, true)] {
        let (who, store) = on_flaky().await;
        let id = who.open("A1").await;
        store.fail_after(units, written);
        who.close(id).await.unwrap_err();
        store.heal();
        let is_closed = (units, written) == (1, true);
        assert_eq!(who.premises().await[0].premise.is_active, !is_closed);
        if is_closed {
            assert_eq!(who.close(id).await.unwrap_err(), FiscalRefusal::PremiseClosed.into());
            continue;
        }
        // FURS says that it is closed: true when it was told before, and not believed otherwise.
        who.then(refused("S006"));
        let again = who.close(id).await;
        if units == 1 || written {
            assert!(!again.unwrap().is_active);
        } else {
            assert!(matches!(again.unwrap_err(), FiscalError::Provider(_)));
            assert!(!who.close(id).await.unwrap().is_active);
        }
    }
}

#[tokio::test]
async fn a_certificate_that_runs_out_closes_nothing() {
    let who = Taxpayer::on(on_sqlite()).await;
    let id = who.open("A1").await;
    let late = who.later(Duration::days(366));
    assert_eq!(late.close(id).await.unwrap_err(), FiscalRefusal::CertificateExpired.into());
    let refused = late.register("B", MovableKind::A).await.unwrap_err();
    assert_eq!(refused, FiscalRefusal::CertificateExpired.into());
    let scope = &who.shop.scope;
    settings::remove_certificate(Context::new(&*who.store, scope, &who.stamp), Authority::Furs)
        .await
        .unwrap();
    assert_eq!(who.close(id).await.unwrap_err(), FiscalRefusal::CertificateMissing.into());
    assert_eq!(who.furs.told.lock().unwrap().len(), 1);
    assert!(who.premises().await[0].premise.is_active);
}
