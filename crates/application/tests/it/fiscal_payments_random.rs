//! The law of payments on a receipt, over commands in random order, side by side, by requests that
//! get no answer or die: how the receipt is paid here is what CIS holds, or the doubt is shown.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_documents::{Document, DocumentKind, PaymentChange};
use racun_fiscal::fina::PaymentMeans::{self, G, K, O, T};
use racun_fiscal::{Authority, Means};
use racun_fiscalization::FiscalAuthority;
use racun_fiscalization::{Concern, Matter, TaxAuthority};
use racun_kernel::{Patch, Stamp};
use racun_sales::Error;
use racun_sales::documents::Creation;
use racun_sales::payments::{self, PaymentPorts};
use racun_settlement::PaymentType::{self, BankTransfer, Card, Cash, Check};
use racun_settlement::{NewPayment, Payment, PaymentPatch, ProviderError, ReportError};
use racun_store::testing::{Random, stamp};
use racun_store::{Decision, Store, StoreError};
use time::OffsetDateTime;

use crate::fixture::{NOW, decimal};
use crate::jobs::stores;
use crate::office::{Fiscalizing, record as shown, worth_100};

const ROUNDS: usize = 12;
const AT_ONCE: usize = 4;

/// CIS: what it holds, and what becomes of each message to it.
struct Cis {
    rules: FiscalAuthority,
    state: Mutex<State>,
}

struct State {
    random: Random,
    held: PaymentMeans,
    /// Whether a live sender is reporting something to it now.
    is_told: bool,
    /// How often each fate came: taken, answer lost, question lost, fault, refused, died.
    fates: [usize; 6],
}

fn code(kinds: &[PaymentType]) -> PaymentMeans {
    let mut codes = kinds.iter().map(|kind| match kind {
        Cash => G,
        BankTransfer => T,
        Card | PaymentType::CreditCard | PaymentType::DebitCard => K,
        _ => O,
    });
    let Some(first) = codes.next() else { return T };
    if codes.all(|code| code == first) { first } else { O }
}

#[async_trait]
impl TaxAuthority for Cis {
    fn concern(&self, matter: &Matter) -> Concern {
        self.rules.concern(matter)
    }

    async fn report(&self, matter: &Matter, _: &Stamp) -> Result<(), ReportError> {
        let means = code(&matter.after);
        let fate = {
            let mut state = self.state.lock().unwrap();
            assert!(!state.is_told, "two reports at once on one receipt");
            state.is_told = true;
            // What it refuses it always refuses, and never takes.
            let is_refused = matter.after == [Check];
            let fate = if is_refused { 4 } else { state.random.pick(&[0, 0, 0, 1, 2, 3, 5]) };
            state.fates[fate] += 1;
            fate
        };
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        let mut state = self.state.lock().unwrap();
        state.is_told = false;
        if matches!(fate, 0 | 1 | 3 | 5) {
            state.held = means;
        }
        let provider = |code: &str| {
            let (code, message) = (code.to_owned(), "Greska".to_owned());
            Err(ReportError::Provider(ProviderError { code, message }))
        };
        match fate {
            0 => Ok(()),
            1 | 2 => Err(ReportError::Unreachable("timed out".to_owned())),
            3 => provider("s006"),
            4 => provider("s013"),
            _ => {
                drop(state);
                resume_unwind(Box::new("killed"))
            }
        }
    }
}

/// One command of one request.
#[derive(Debug, Clone)]
enum Action {
    Record(PaymentType),
    Change(Payment, PaymentType),
    Trash(Payment),
    Restore(Payment),
}

struct Till {
    own: Fiscalizing,
    invoice: Document,
    cis: Arc<Cis>,
    /// All payments that there ever were.
    known: Mutex<Vec<Payment>>,
}

impl Till {
    async fn open(store: Arc<dyn Store>, stamp: Stamp, seed: u64) -> Arc<Self> {
        let own = Fiscalizing::open(Authority::Fina, store, stamp).await;
        let first = NewPayment { amount: Some(decimal("1")), ..NewPayment::new(Cash) };
        let creation = Creation { payments: vec![first], ..Creation::default() };
        let kind = DocumentKind::Invoice;
        let invoice = own.make(kind, worth_100(), creation, &own.shop.stamp).await.unwrap();
        let known = Mutex::new(own.payments_of(&invoice).await);
        let rules = FiscalAuthority {
            store: Arc::clone(&own.shop.store),
            fiscal: Some(own.fiscal.clone()),
            alone_since: None,
        };
        let (random, held) = (Random::new(seed), G);
        let state = Mutex::new(State { random, held, is_told: false, fates: [0; 6] });
        Arc::new(Self { own, invoice, cis: Arc::new(Cis { rules, state }), known })
    }

    fn pick(&self, random: &mut Random) -> Action {
        let known = self.known.lock().unwrap();
        let payment = known[random.below(known.len())].clone();
        let kind = random.pick(&[Cash, Cash, Card, BankTransfer, Check]);
        match random.below(8) {
            0 | 1 => Action::Record(kind),
            2..=4 => Action::Change(payment, kind),
            5 | 6 => Action::Trash(payment),
            _ => Action::Restore(payment),
        }
    }

    async fn perform(&self, action: Action) -> Result<Payment, Error> {
        let shop = &self.own.shop;
        let (cx, entity) = (shop.cx(), &shop.entity);
        let authority: Arc<dyn TaxAuthority> = Arc::<Cis>::clone(&self.cis);
        let ports = PaymentPorts { cx, authority: Some(&authority), portugal: None };
        let made = match action {
            Action::Record(kind) => {
                let document_id = Some(self.invoice.id.to_string());
                let amount = Some(decimal("1"));
                let new = NewPayment { document_id, amount, ..NewPayment::new(kind) };
                payments::record(ports, entity, new).await
            }
            Action::Change(payment, kind) => {
                let patch = PaymentPatch { kind: Patch::Value(kind), ..PaymentPatch::default() };
                payments::change(cx, &authority, entity, payment.id, patch).await
            }
            Action::Trash(own) => payments::trash(ports, entity, own.id).await,
            Action::Restore(own) => payments::restore(ports, entity, own.id).await,
        }?;
        let mut known = self.known.lock().unwrap();
        if known.iter().all(|payment| payment.id != made.id) {
            known.push(made.clone());
        }
        Ok(made)
    }

    /// Lets the lease of one who died run out.
    async fn run_out(&self) {
        let (table, tenant) =
            (racun_documents::table_of(self.invoice.id.kind()), self.own.shop.scope.tenant());
        let decide = |document: Document| {
            let past = Some(OffsetDateTime::UNIX_EPOCH);
            let pending = document.payment_change_unconfirmed.clone();
            let over = pending.map(|own| PaymentChange { lease_until: past, ..own });
            Ok::<_, StoreError>(Decision::changed(document.with_payment_change(over), Vec::new()))
        };
        let store = &self.own.shop.store;
        store.amend(table, &tenant, self.invoice.id.to_string(), decide).await.unwrap();
    }

    /// Whether the law holds, asserted; answers what is in doubt.
    async fn holds(&self, why: &str) -> Option<PaymentChange> {
        let invoice = self.own.reread(&self.invoice).await;
        let doubt = invoice.payment_change_unconfirmed.clone();
        if doubt.is_none() {
            let paid = self.own.payments_of(&self.invoice).await;
            let kinds: Vec<_> = paid.iter().map(|payment| payment.kind).collect();
            let held = self.cis.state.lock().unwrap().held;
            assert_eq!(code(&kinds), held, "{why}: {kinds:?}");
            let name = shown(&invoice).payment_type.clone().unwrap();
            let means: Means = serde_json::from_value(name.into()).unwrap();
            assert_eq!(PaymentMeans::from(means), held, "{why}: what is shown");
        }
        doubt
    }

    /// The same change again, until there is no doubt. Where it would be refused alone, another
    /// payment of the former type goes before.
    async fn mend(&self) {
        for n in 0..200 {
            let Some(doubt) = self.holds("mending").await else { return };
            if let Some(former) = PaymentType::from_name(&doubt.from).filter(|_| n % 4 == 3) {
                self.run(vec![Action::Record(former)]).await;
            }
            let kind = PaymentType::from_name(&doubt.to);
            let known = self.known.lock().unwrap().clone();
            let payment = known.into_iter().find(|payment| Some(payment.id) == doubt.payment_id);
            let action = match (payment, kind) {
                (None, Some(kind)) => Action::Record(kind),
                (Some(payment), None) => Action::Trash(payment),
                (Some(payment), Some(_)) if doubt.from == PaymentChange::NONE => {
                    Action::Restore(payment)
                }
                (Some(payment), Some(kind)) => Action::Change(payment, kind),
                (None, None) => panic!("{doubt:?}"),
            };
            self.run(vec![action]).await;
        }
        panic!("the doubt has no end");
    }

    /// Requests side by side.
    async fn run(&self, actions: Vec<Action>) {
        let mut died = false;
        let tasks = actions.into_iter().map(|action| async move {
            let outcome = AssertUnwindSafe(self.perform(action));
            futures_util::FutureExt::catch_unwind(outcome).await.is_err()
        });
        for is_dead in futures_util::future::join_all(tasks).await {
            died |= is_dead;
        }
        if died {
            self.run_out().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cis_holds_the_payments_of_the_receipt_or_the_change_is_unconfirmed() {
    let mut fates = [0; 6];
    for (n, (store, _database)) in stores().await.into_iter().enumerate() {
        // One for all, so that no two shops of a store have ids in common.
        let stamp = stamp(NOW);
        let seeds = if n == 0 { 0..12 } else { 12..16 };
        for seed in seeds {
            let till = Till::open(Arc::clone(&store), stamp.clone(), seed).await;
            let mut random = Random::new(seed);
            for round in 0..ROUNDS {
                let actions = (0..AT_ONCE).map(|_| till.pick(&mut random)).collect();
                till.run(actions).await;
                till.holds(&format!("seed {seed}, round {round}")).await;
                if random.chance(50) {
                    till.mend().await;
                }
            }
            till.mend().await;
            let state = till.cis.state.lock().unwrap();
            fates.iter_mut().zip(state.fates).for_each(|(sum, own)| *sum += own);
        }
    }
    assert!(fates.iter().all(|fate| *fate > 0), "{fates:?}");
}
