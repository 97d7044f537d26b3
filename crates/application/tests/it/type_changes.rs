//! A payment's other type, and the tax authority that has a say in it.

use std::sync::Arc;

use racun_documents::{Document, DocumentError, DocumentKind, PaymentChange, Refused};
use racun_fiscal::LEASE;
use racun_fiscalization::{Concern, NoAuthority, TaxAuthority};
use racun_kernel::Patch;
use racun_records::get_document;
use racun_sales::Error;
use racun_sales::payments;
use racun_settlement::PaymentType::{self, Card, Cash, Check};
use racun_settlement::{
    Payment, PaymentPatch, ReportError, TypeChange, TypeChangeError, TypeChangeRule,
};
use racun_store::{Context, StoreError};
use racun_store_sqlite::SqliteStore;
use time::OffsetDateTime;
use tokio::sync::oneshot;

use crate::authority::{Scripted, provider};
use crate::fixture::{NOW, Shop, decimal};
use crate::flaky::Flaky;
use crate::settling::{refusal, worth};

pub fn to(kind: PaymentType) -> PaymentPatch {
    PaymentPatch { kind: Patch::Value(kind), ..PaymentPatch::default() }
}

/// What a patch can change, all at once.
fn whole(kind: PaymentType, amount: &str) -> PaymentPatch {
    PaymentPatch {
        amount: Patch::Value(decimal(amount)),
        note: Patch::Value("Pomota".to_owned()),
        ..to(kind)
    }
}

pub fn failure(outcome: Result<Payment, Error>) -> TypeChangeError {
    match outcome.unwrap_err() {
        Error::TypeChange(error) => error,
        other => panic!("expected a refused change of type, got {other:?}"),
    }
}

/// An invoice of 100 with 40 paid in cash, an authority that must hear of changes, and the store
/// that both go through.
pub struct Till {
    pub shop: Arc<Shop>,
    store: Arc<Flaky<SqliteStore>>,
    pub authority: Arc<Scripted>,
    pub invoice: Document,
    pub payment: Payment,
}

impl Till {
    pub async fn open() -> Self {
        let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
        let store = Arc::new(Flaky::new(store));
        let stamp = racun_store::testing::stamp(NOW);
        let shop = Shop::open_on(Arc::<Flaky<SqliteStore>>::clone(&store), stamp).await;
        let invoice = shop.invoice("100").await;
        let payment = shop.pay(&invoice, "40").await.unwrap();
        let invoice = shop.reread(&invoice).await;
        let authority = Scripted::new(Concern::MustReport);
        store.events();
        Self { shop: Arc::new(shop), store, authority, invoice, payment }
    }

    pub async fn change(&self, patch: PaymentPatch) -> Result<Payment, Error> {
        self.change_of(&self.payment, patch).await
    }

    /// The same, when what was under way has had its time.
    pub async fn change_later(&self, patch: PaymentPatch) -> Result<Payment, Error> {
        let Shop { store, scope, entity, stamp } = &*self.shop;
        let (authority, later) = (self.authority.port(), stamp.at(stamp.now() + LEASE));
        payments::change(
            Context::new(&**store, scope, &later),
            &authority,
            entity,
            self.payment.id,
            patch,
        )
        .await
    }

    async fn change_of(&self, payment: &Payment, patch: PaymentPatch) -> Result<Payment, Error> {
        self.shop.change(&self.authority.port(), payment.id, patch).await
    }

    /// The same change, begun in a task of its own.
    pub fn begin(&self, patch: PaymentPatch) -> tokio::task::JoinHandle<Result<Payment, Error>> {
        let (shop, authority, id) =
            (Arc::clone(&self.shop), self.authority.port(), self.payment.id);
        tokio::spawn(async move { shop.change(&authority, id, patch).await })
    }

    async fn trash(&self, payment: &Payment) -> Result<Payment, Error> {
        let Shop { store, scope, entity, stamp } = &*self.shop;
        payments::trash(Context::new(&**store, scope, stamp), entity, payment.id).await
    }

    pub async fn stored(&self) -> (Payment, Document) {
        let payment = payments::get(self.shop.cx(), self.payment.id).await.unwrap();
        (payment, self.shop.reread(&self.invoice).await)
    }

    /// Asserts that payment and invoice are as they were, but for the attempt.
    pub async fn is_untouched(&self, attempt: Option<PaymentChange>, why: &str) {
        let (payment, invoice) = self.stored().await;
        assert_eq!(payment, self.payment, "{why}");
        let shown = invoice.payment_change_unconfirmed.clone().map(named);
        let invoice = invoice.with_payment_change(shown);
        assert_eq!(invoice, self.invoice.clone().with_payment_change(attempt), "{why}");
        assert_eq!(self.store.events(), [""; 0], "{why}");
    }

    /// Asserts that the payment is of `kind`, all else as it was, and that no attempt is left.
    pub async fn is_only(&self, kind: PaymentType) {
        let (payment, invoice) = self.stored().await;
        let updated_at = payment.updated_at;
        assert_eq!(payment, Payment { kind, updated_at, ..self.payment.clone() });
        assert_eq!(invoice, self.invoice);
        // A unit that failed at the store has told the same before.
        let told = self.store.events();
        assert!(told.iter().all(|kind| *kind == "payment.updated"), "{told:?}");
    }

    pub fn to(&self, kind: PaymentType) -> TypeChange {
        TypeChange {
            payment_id: Some(self.payment.id),
            document_id: self.invoice.id,
            from: Some(Cash),
            to: Some(kind),
        }
    }

    pub fn attempt(&self, to: &str) -> Option<PaymentChange> {
        Some(attempt_of(&self.payment, "cash", to, NOW))
    }

    /// The refusal while the outcome of the change to `to` is unknown.
    pub fn unconfirmed(&self, to: &str) -> TypeChangeError {
        self.refused(to, None)
    }

    /// The refusal while the change is being reported to the authority.
    pub fn under_way(&self, to: &str) -> TypeChangeError {
        self.refused(to, Some(61))
    }

    fn refused(&self, to: &str, wait: Option<u32>) -> TypeChangeError {
        let (from, to) = ("cash".to_owned(), to.to_owned());
        TypeChangeError::Unconfirmed { payment_id: Some(self.payment.id), from, to, wait }
    }
}

/// An attempt, its own name and lease aside.
pub fn attempt_of(payment: &Payment, from: &str, to: &str, at: OffsetDateTime) -> PaymentChange {
    PaymentChange {
        payment_id: Some(payment.id),
        from: from.to_owned(),
        to: to.to_owned(),
        attempted_at: at,
        attempt: String::new(),
        reported: Vec::new(),
        lease_until: None,
    }
}

/// The attempt as [`attempt_of`] makes one.
pub fn named(attempt: PaymentChange) -> PaymentChange {
    let (name, reported) = (String::new(), Vec::new());
    PaymentChange { attempt: name, reported, lease_until: None, ..attempt }
}

#[tokio::test]
async fn each_refusal_leaves_the_payment_and_says_whether_the_outcome_is_known() {
    let till = Till::open().await;
    for rule in TypeChangeRule::ALL {
        till.authority.concerned(Concern::Refused(rule));
        assert_eq!(failure(till.change(whole(Card, "50")).await), TypeChangeError::Refused(rule));
        assert_eq!(till.authority.heard(), [], "{rule} needs no authority");
        till.is_untouched(None, rule.code()).await;
    }
    till.authority.concerned(Concern::MustReport);
    for (answer, attempt) in [
        (ReportError::Refused(TypeChangeRule::WindowExpired), None),
        (ReportError::Provider(provider("s005")), None),
        (ReportError::Provider(provider("s013")), None),
        (ReportError::Provider(provider("s001")), None),
        (ReportError::Provider(provider("s004")), None),
        // From here on only the same change goes through.
        (ReportError::Provider(provider("s006")), till.attempt("card")),
        (ReportError::Provider(provider("x1")), till.attempt("card")),
        (ReportError::Unreachable("timed out".to_owned()), till.attempt("card")),
        // A refusal of the same change ends the doubt.
        (ReportError::Provider(provider("s008")), None),
    ] {
        let why = answer.to_string();
        let expected = TypeChangeError::from(answer.clone());
        till.authority.then(async { Err(answer) });
        assert_eq!(failure(till.change(whole(Card, "50")).await), expected);
        assert_eq!(till.authority.heard(), [till.to(Card)], "{why}");
        till.is_untouched(attempt, &why).await;
    }
}

#[tokio::test]
async fn a_confirmed_change_is_made_whole_and_at_once() {
    let till = Till::open().await;
    let (before, store) = (till.payment.clone(), Arc::clone(&till.store));
    let seen = Arc::clone(&till.shop);
    let id = till.invoice.id;
    till.authority.then(async move {
        // While the authority thinks, nothing but the attempt is to be seen.
        let payment = payments::get(seen.cx(), before.id).await.unwrap();
        let invoice = get_document(seen.cx(), id).await.unwrap();
        assert_eq!(payment, before);
        assert_eq!(invoice.payment_change_unconfirmed.unwrap().to, "card");
        assert_eq!(invoice.amounts.total_paid, decimal("40"));
        assert_eq!(store.events(), [""; 0]);
        Ok(())
    });
    let changed = till.change(whole(Card, "100")).await.unwrap();
    let expected = Payment {
        kind: Card,
        amount: decimal("100"),
        note: Some("Pomota".to_owned()),
        ..till.payment.clone()
    };
    assert_eq!(changed, expected);
    let (payment, invoice) = till.stored().await;
    assert_eq!(payment, expected);
    assert_eq!(invoice.payment_change_unconfirmed, None);
    assert_eq!(till.shop.total_paid(&invoice).await, decimal("100"));
    assert_eq!(till.store.events(), ["payment.updated", "invoice.paid"]);
    let matters = till.authority.matters();
    assert_eq!(matters.len(), 1);
    assert_eq!(matters[0].change, till.to(Card));
    assert_eq!(matters[0].document, till.invoice);
    assert_eq!((matters[0].entity.id, matters[0].at), (till.shop.entity.id, NOW));
}

#[tokio::test]
async fn bad_input_is_refused_before_any_report() {
    let till = Till::open().await;
    let refused = till.change(whole(Card, "100.01")).await.unwrap_err();
    assert_eq!(refusal(refused).code(), "payment_exceeds_total");
    for patch in [
        PaymentPatch { date: Patch::Null, ..to(Card) },
        PaymentPatch { note: Patch::Value("x".repeat(10_001)), ..to(Card) },
        to(PaymentType::CreditNote),
    ] {
        let refused = till.change(patch).await.unwrap_err();
        assert!(matches!(refused, Error::Document(DocumentError::Invalid(_))), "{refused:?}");
    }
    let unknown = Payment { id: till.shop.stamp.id(), ..till.payment.clone() };
    let missing = till.change_of(&unknown, to(Card)).await.unwrap_err();
    assert!(matches!(missing, Error::Document(DocumentError::Store(StoreError::NotFound { .. }))));
    assert_eq!(till.authority.heard(), []);
    till.is_untouched(None, "bad input").await;
}

#[tokio::test]
async fn only_changes_of_type_on_sales_documents_concern_the_authority() {
    let till = Till::open().await;
    let note = PaymentPatch { note: Patch::Value("x".to_owned()), ..to(Cash) };
    assert_eq!(till.change(note).await.unwrap().note.as_deref(), Some("x"));
    assert_eq!(till.authority.heard(), []);
    // Those of advance invoices and credit notes do concern it, for they are fiscalized, too.
    let shop = &till.shop;
    let credit = shop.issue(DocumentKind::CreditNote, worth("9"), Vec::new()).await.unwrap();
    let advance = shop.advance("9").await;
    let refund = shop.pay(&credit, "9").await.unwrap();
    let raw = racun_store::RawQuery {
        query: Some(format!(r#"{{"advance_invoice_id":"{}"}}"#, advance.id)),
        ..Default::default()
    };
    let page = payments::list(shop.cx(), &raw).await.unwrap();
    for (payment, document) in [(&refund, &credit), (&page.rows[0], &advance)] {
        assert_eq!(till.change_of(payment, to(Card)).await.unwrap().kind, Card);
        let heard = till.authority.heard();
        assert_eq!(heard.len(), 1);
        assert_eq!(heard[0].document_id, document.id);
    }
}

#[tokio::test]
async fn changes_that_need_no_report_cost_no_more_than_before() {
    let till = Till::open().await;
    let no_authority: Arc<dyn TaxAuthority> = Arc::new(NoAuthority);
    till.store.calls();
    till.shop.change(&no_authority, till.payment.id, to(Card)).await.unwrap();
    // The payment and the invoice's links are read, then all is one unit.
    assert_eq!(till.store.calls(), 3);
    till.is_only(Card).await;
    till.authority.concerned(Concern::NotConcerned);
    till.change(to(Check)).await.unwrap();
    assert_eq!(till.store.calls(), 3 + 2, "the reads of this test aside");
    assert_eq!(till.authority.heard(), []);
    till.is_only(Check).await;
}

#[tokio::test]
async fn an_attempt_lets_the_same_change_through_and_no_other() {
    let till = Till::open().await;
    let other = till.shop.pay(&till.invoice, "10").await.unwrap();
    let invoice = till.shop.reread(&till.invoice).await;
    let till = Till { invoice, ..till };
    till.store.events();
    till.authority.then_is_away();
    let lost = failure(till.change(to(Card)).await);
    assert_eq!(lost, TypeChangeError::Unreachable("timed out".to_owned()));
    till.authority.heard();
    for concern in [
        Concern::MustReport,
        Concern::NotConcerned,
        Concern::Refused(TypeChangeRule::RecordUnavailable),
    ] {
        till.authority.concerned(concern);
        assert_eq!(failure(till.change(to(Check)).await), till.unconfirmed("card"));
        let refused = failure(till.change_of(&other, to(Card)).await);
        assert_eq!(refused, till.unconfirmed("card"));
        assert_eq!(till.authority.heard(), []);
        till.is_untouched(till.attempt("card"), "a different change").await;
    }
    // Another invoice does not concern the authority here.
    till.authority.concerned(Concern::MustReport);
    let elsewhere = till.shop.invoice("5").await;
    let elsewhere = till.shop.pay(&elsewhere, "5").await.unwrap();
    assert_eq!(till.change_of(&elsewhere, to(Check)).await.unwrap().kind, Check);
    till.authority.heard();
    till.store.events();
    // The same change may come with other fields: what makes it the same is what the authority was
    // told.
    till.authority.then_is_away();
    failure(till.change(whole(Card, "41")).await);
    till.is_untouched(till.attempt("card"), "there is still no answer").await;
    assert_eq!(till.change(to(Card)).await.unwrap().kind, Card);
    assert_eq!(till.authority.heard(), [till.to(Card), till.to(Card)]);
    till.is_only(Card).await;
    // And then the next.
    assert_eq!(till.change(to(Check)).await.unwrap().kind, Check);
    assert_eq!(till.change_of(&other, to(Card)).await.unwrap().kind, Card);
}

#[tokio::test]
async fn a_refusal_of_the_same_change_clears_the_attempt() {
    let till = Till::open().await;
    for rule in TypeChangeRule::ALL {
        till.authority.concerned(Concern::MustReport);
        till.authority.then_is_away();
        failure(till.change(to(Card)).await);
        till.is_untouched(till.attempt("card"), "away").await;
        // The day is over, say: no failure of the authority extends it.
        till.authority.concerned(Concern::Refused(rule));
        assert_eq!(failure(till.change(to(Card)).await), TypeChangeError::Refused(rule));
        till.is_untouched(None, rule.code()).await;
    }
    assert_eq!(till.authority.heard().len(), TypeChangeRule::ALL.len());
    // An entity that no longer fiscalizes makes the change without asking.
    till.authority.concerned(Concern::MustReport);
    till.authority.then_is_away();
    failure(till.change(to(Card)).await);
    till.authority.concerned(Concern::NotConcerned);
    till.change(to(Card)).await.unwrap();
    till.is_only(Card).await;
}

#[tokio::test]
async fn an_unconfirmed_change_holds_what_would_make_it_impossible() {
    let till = Till::open().await;
    let other = till.shop.pay(&till.invoice, "10").await.unwrap();
    till.authority.then_is_away();
    failure(till.change(to(Card)).await);
    let kept = failure(till.trash(&till.payment).await);
    assert_eq!(kept, till.unconfirmed("card"));
    let kept = till.shop.void(&till.invoice).await.unwrap_err();
    assert_eq!(kept, Error::from(Refused::PaymentChangeUnconfirmed));
    // What has nothing to do with the type goes on, totals included.
    let amount = PaymentPatch { amount: Patch::Value(decimal("50")), ..PaymentPatch::default() };
    assert_eq!(till.change(amount).await.unwrap().kind, Cash);
    till.trash(&other).await.unwrap();
    let Shop { store, scope, entity, stamp } = &*till.shop;
    payments::restore(Context::new(&**store, scope, stamp), entity, other.id).await.unwrap();
    till.shop.pay(&till.invoice, "40").await.unwrap();
    assert_eq!(till.shop.total_paid(&till.invoice).await, decimal("100"));
    let pending = till.stored().await.1.payment_change_unconfirmed.map(named);
    assert_eq!(pending, till.attempt("card"));
    till.change(to(Card)).await.unwrap();
    till.trash(&till.payment).await.unwrap();
    till.shop.void(&till.invoice).await.unwrap();
    assert_eq!(till.shop.total_paid(&till.invoice).await, decimal("50"));
}

#[tokio::test]
async fn a_process_killed_during_a_report_leaves_the_attempt() {
    let till = Till::open().await;
    till.authority.then(async { panic!("killed") });
    assert!(till.begin(to(Card)).await.unwrap_err().is_panic());
    till.is_untouched(till.attempt("card"), "killed").await;
    // Stopped in the middle of the report.
    let till = Till::open().await;
    let (asked, was_asked) = oneshot::channel();
    till.authority.then(async move {
        asked.send(()).unwrap();
        std::future::pending().await
    });
    let task = till.begin(to(Card));
    was_asked.await.unwrap();
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    till.is_untouched(till.attempt("card"), "stopped").await;
    // A dead process looks like a slow one until its lease runs out.
    assert_eq!(failure(till.change(to(Card)).await), till.under_way("card"));
    assert_eq!(failure(till.change_later(to(Check)).await), till.unconfirmed("card"));
    till.change_later(to(Card)).await.unwrap();
    till.is_only(Card).await;
    assert_eq!(till.authority.heard().len(), 2);
}

#[tokio::test]
async fn a_store_that_fails_before_the_report_leaves_the_authority_alone() {
    let till = Till::open().await;
    for (written, attempt) in [(false, None), (true, till.attempt("card"))] {
        till.store.fail_after(0, written);
        let lost = till.change(to(Card)).await.unwrap_err();
        assert!(matches!(lost, Error::Document(DocumentError::Store(_))), "{lost:?}");
        till.store.heal();
        assert_eq!(till.authority.heard(), []);
        till.is_untouched(attempt, "no report was sent").await;
    }
    till.change_later(to(Card)).await.unwrap();
    till.is_only(Card).await;
}

#[tokio::test]
async fn an_accepted_unrecorded_change_is_recorded_by_repeating_it() {
    let till = Till::open().await;
    till.store.fail_after(1, false);
    let lost = failure(till.change(to(Card)).await);
    assert!(matches!(lost, TypeChangeError::Unrecorded(_)), "{lost:?}");
    till.store.heal();
    till.is_untouched(till.attempt("card"), "accepted, not recorded").await;
    assert_eq!(failure(till.change_later(to(Check)).await), till.unconfirmed("card"));
    till.change_later(to(Card)).await.unwrap();
    assert_eq!(till.authority.heard(), [till.to(Card), till.to(Card)]);
    till.is_only(Card).await;
    // When it was recorded after all, the same change finds nothing to do.
    till.change(to(Cash)).await.unwrap();
    till.store.fail_after(1, true);
    let lost = failure(till.change(to(Card)).await);
    assert!(matches!(lost, TypeChangeError::Unrecorded(_)), "{lost:?}");
    till.store.heal();
    till.authority.heard();
    till.change(to(Card)).await.unwrap();
    assert_eq!(till.authority.heard(), []);
    till.is_only(Card).await;
}

#[tokio::test]
async fn what_no_longer_fits_when_it_was_accepted_is_unrecorded_until_it_does() {
    let till = Till::open().await;
    let (shop, invoice) = (Arc::clone(&till.shop), till.invoice.clone());
    till.authority.then(async move {
        shop.pay(&invoice, "60").await.unwrap();
        Ok(())
    });
    let lost = failure(till.change(whole(Card, "50")).await);
    assert!(matches!(lost, TypeChangeError::Unrecorded(_)), "{lost:?}");
    let (payment, invoice) = till.stored().await;
    assert_eq!(payment, till.payment);
    assert_eq!(invoice.payment_change_unconfirmed.clone().map(named), till.attempt("card"));
    assert_eq!(till.shop.total_paid(&invoice).await, decimal("100"));
    let refused = till.change(whole(Card, "50")).await.unwrap_err();
    assert_eq!(refusal(refused).code(), "payment_exceeds_total");
    assert_eq!(till.authority.heard().len(), 1, "the second one was refused before it was told");
    assert_eq!(till.change(to(Card)).await.unwrap().amount, decimal("40"));
    assert_eq!(till.stored().await.1.payment_change_unconfirmed, None);
}

#[tokio::test]
async fn an_attempt_that_could_not_be_cleared_is_cleared_by_the_same_change() {
    let till = Till::open().await;
    till.authority.then_refuses("s005");
    till.store.fail_after(1, false);
    let lost = till.change(to(Card)).await.unwrap_err();
    assert!(matches!(lost, Error::Document(DocumentError::Store(_))), "{lost:?}");
    till.store.heal();
    till.is_untouched(till.attempt("card"), "refused, not cleared").await;
    till.authority.then_refuses("s005");
    let refused = failure(till.change_later(to(Card)).await);
    assert_eq!(refused, TypeChangeError::Provider(provider("s005")));
    till.is_untouched(None, "refused and cleared").await;
}
