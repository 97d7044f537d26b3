//! Advances, credit and payments: what documents and payments do to each other.

use std::sync::Arc;

use racun_documents::{Document, DocumentError, DocumentId, DocumentKind};
use racun_fiscalization::{NoAuthority, TaxAuthority};
use racun_kernel::id::PaymentId;
use racun_kernel::{Decimal, Patch};
use racun_records::get_document;
use racun_sales::Error;
use racun_sales::documents::{self, Creation, DocumentRequest, Edit, Voiding};
use racun_sales::payments;
use racun_settlement::{
    NewPayment, Payment, PaymentPatch, PaymentType, SettlementError, SettlementRefusal,
};
use racun_store::{Context, RawQuery};

use crate::fixture::{Shop, decimal, issues, line, request, said};

/// Lines that come to `total` without tax.
pub fn worth(total: &str) -> DocumentRequest {
    let mut line = line("Delo", "1", total);
    line.taxes = Some(Vec::new());
    request(vec![line])
}

pub fn linked(request: DocumentRequest, to: &[&Document]) -> DocumentRequest {
    let ids = to.iter().map(|document| document.id.to_string()).collect();
    DocumentRequest { linked_documents: Some(ids), ..request }
}

pub fn paid(kind: PaymentType, amount: Option<&str>) -> NewPayment {
    NewPayment { amount: amount.map(decimal), ..NewPayment::new(kind) }
}

impl Shop {
    pub async fn issue(
        &self,
        kind: DocumentKind,
        request: DocumentRequest,
        payments: Vec<NewPayment>,
    ) -> Result<Document, Error> {
        let creation = Creation { payments, ..Creation::default() };
        self.make_of(kind, request, creation).await
    }

    pub async fn invoice(&self, total: &str) -> Document {
        self.issue(DocumentKind::Invoice, worth(total), Vec::new()).await.unwrap()
    }

    pub async fn advance(&self, total: &str) -> Document {
        let payment = vec![paid(PaymentType::BankTransfer, None)];
        self.issue(DocumentKind::AdvanceInvoice, worth(total), payment).await.unwrap()
    }

    pub async fn pay(&self, document: &Document, amount: &str) -> Result<Payment, Error> {
        let new = NewPayment {
            document_id: Some(document.id.to_string()),
            ..paid(PaymentType::Cash, Some(amount))
        };
        payments::record(self.cx(), &self.entity, new).await
    }

    pub async fn change(
        &self,
        authority: &Arc<dyn TaxAuthority>,
        id: PaymentId,
        patch: PaymentPatch,
    ) -> Result<Payment, Error> {
        let (store, scope, entity) = (&*self.store, &self.scope, &self.entity);
        payments::change(Context::new(store, scope, &self.stamp), authority, entity, id, patch)
            .await
    }

    pub async fn void(&self, document: &Document) -> Result<Document, Error> {
        let (store, how) = (&*self.store, Voiding::default());
        documents::void(
            Context::new(store, &self.scope, &self.stamp),
            &self.entity,
            document.id,
            how,
        )
        .await
    }

    pub async fn reread(&self, document: &Document) -> Document {
        get_document(self.cx(), document.id).await.unwrap()
    }

    /// `total_paid` of the document, which must be the sum of its active payments.
    pub async fn total_paid(&self, document: &Document) -> Decimal {
        let field = match document.id.kind() {
            DocumentKind::Invoice => "invoice_id",
            DocumentKind::CreditNote => "credit_note_id",
            _ => "advance_invoice_id",
        };
        let query = format!(r#"{{"{field}":"{}"}}"#, document.id);
        let raw = RawQuery { query: Some(query), limit: Some("100".into()), ..RawQuery::default() };
        let page = payments::list(self.cx(), &raw).await.unwrap();
        let advance = document.id.kind() == DocumentKind::AdvanceInvoice;
        let own = page.rows.iter().filter(|payment| !(advance && payment.is_allocation()));
        let sum: Decimal = own.map(|payment| &payment.amount).sum();
        let kept = self.reread(document).await.amounts.total_paid;
        assert_eq!(kept, sum, "the kept total of {} is the sum of its payments", document.id);
        kept
    }
}

pub fn refusal(error: Error) -> SettlementRefusal {
    match error {
        Error::Settlement(SettlementError::Refused(refusal)) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[tokio::test]
async fn an_advance_pays_the_invoice_that_it_is_linked_to() {
    let shop = Shop::open().await;
    let advance = shop.advance("60").await;
    assert_eq!(shop.total_paid(&advance).await, decimal("60"));
    let invoice = linked(worth("100"), &[&advance]);
    let invoice = shop.issue(DocumentKind::Invoice, invoice, Vec::new()).await.unwrap();
    assert_eq!(invoice.amounts.total_paid, decimal("60"));
    assert_eq!(shop.total_paid(&invoice).await, decimal("60"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, decimal("60"));
    // An ordinary payment of more than is due displaces advance money, which goes back.
    let payment = shop.pay(&invoice, "70").await.unwrap();
    assert_eq!(shop.total_paid(&invoice).await, decimal("100"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, decimal("30"));
    assert!(shop.reread(&invoice).await.paid_in_full());
    // The freed money serves the next invoice.
    let next = linked(worth("100"), &[&advance]);
    let next = shop.issue(DocumentKind::Invoice, next, Vec::new()).await.unwrap();
    assert_eq!(shop.total_paid(&next).await, decimal("30"));
    // Deleting the payment cannot take back what the next invoice has.
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    payments::trash(Context::new(store, scope, &shop.stamp), entity, payment.id).await.unwrap();
    assert_eq!(shop.total_paid(&invoice).await, decimal("30"));
    payments::restore(Context::new(store, scope, &shop.stamp), entity, payment.id).await.unwrap();
    assert_eq!(shop.total_paid(&invoice).await, decimal("100"));
}

#[tokio::test]
async fn an_advance_invoice_is_issued_by_exact_payment() {
    let shop = Shop::open().await;
    let unpaid = shop.issue(DocumentKind::AdvanceInvoice, worth("50"), Vec::new()).await;
    assert_eq!(refusal(unpaid.unwrap_err()).code(), "advance_not_fully_paid");
    let creation = Creation { is_draft: true, ..Creation::default() };
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    let kind = DocumentKind::AdvanceInvoice;
    let draft = documents::create(
        Context::new(store, scope, &shop.stamp),
        entity,
        kind,
        worth("50"),
        creation,
    )
    .await
    .unwrap();
    let payment = shop.pay(&draft, "30").await.unwrap();
    let early =
        documents::finalize(Context::new(store, scope, &shop.stamp), entity, draft.id, said())
            .await;
    assert_eq!(refusal(early.unwrap_err()).code(), "advance_not_fully_paid");
    assert_eq!(
        refusal(shop.pay(&draft, "20.01").await.unwrap_err()).code(),
        "payment_exceeds_total"
    );
    shop.pay(&draft, "20").await.unwrap();
    let issued =
        documents::finalize(Context::new(store, scope, &shop.stamp), entity, draft.id, said())
            .await
            .unwrap();
    assert_eq!(issued.number(), "ADV-2026-00001");
    let trashed =
        payments::trash(Context::new(store, scope, &shop.stamp), entity, payment.id).await;
    assert_eq!(refusal(trashed.unwrap_err()).code(), "advance_payment_locked");
}

#[tokio::test]
async fn more_than_the_total_is_refused_with_figures() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("100").await;
    shop.pay(&invoice, "60").await.unwrap();
    let refused = refusal(shop.pay(&invoice, "40.01").await.unwrap_err());
    let figures = refused.figures().unwrap().clone();
    assert_eq!(refused.code(), "payment_exceeds_total");
    assert_eq!((figures.total_paid, figures.maximum), (decimal("60"), decimal("40")));
    assert_eq!(shop.total_paid(&invoice).await, decimal("60"));
}

#[tokio::test]
async fn a_credit_note_gives_back_at_most_what_was_charged() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("100").await;
    let credit = |total: &str| linked(worth(total), &[&invoice]);
    let kind = DocumentKind::CreditNote;
    let first = shop.issue(kind, credit("70"), Vec::new()).await.unwrap();
    assert_eq!(first.number(), "CN-2026-00001");
    let refused = shop.issue(kind, credit("30.01"), Vec::new()).await.unwrap_err();
    assert!(matches!(refused, Error::Document(DocumentError::LinkRefused(_))), "{refused:?}");
    // A voided credit note gives nothing back, so another may.
    let (store, scope) = (&*shop.store, &shop.scope);
    shop.void(&first).await.unwrap();
    let second = shop.issue(kind, credit("100"), Vec::new()).await.unwrap();
    assert_eq!(second.number(), "CN-2026-00002");
    let seen = documents::relations_of(store, scope, &[invoice.id]).await.unwrap();
    let labels: Vec<_> =
        seen.iter().map(|view| view.relation.relation_type.inverse_name()).collect();
    assert_eq!(labels, ["has_credit", "has_credit"]);
}

#[tokio::test]
async fn a_credit_note_settles_an_invoice_within_its_balance() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("100").await;
    let credit = shop.issue(DocumentKind::CreditNote, worth("40"), Vec::new()).await.unwrap();
    let settle = |amount: &str| NewPayment {
        invoice_id: Some(invoice.id.to_string()),
        credit_note_id: Some(credit.id.to_string()),
        ..paid(PaymentType::CreditNote, Some(amount))
    };
    let record = async |new| payments::record(shop.cx(), &shop.entity, new).await;
    let refused = refusal(record(settle("40.01")).await.unwrap_err());
    assert_eq!(refused.code(), "credit_exceeds_remaining");
    let payment = record(settle("25")).await.unwrap();
    assert_eq!(shop.total_paid(&invoice).await, decimal("25"));
    assert_eq!(shop.total_paid(&credit).await, decimal("25"));
    let patch = PaymentPatch { note: Patch::Value("x".to_owned()), ..PaymentPatch::default() };
    let no_authority: Arc<dyn TaxAuthority> = Arc::new(NoAuthority);
    let changed = shop.change(&no_authority, payment.id, patch).await;
    assert_eq!(refusal(changed.unwrap_err()).code(), "payment_system_managed");
    let voided = shop.void(&credit).await;
    assert_eq!(voided.unwrap_err(), Error::from(racun_documents::Refused::SettlesInvoice));
    // Money that was paid back can be taken back first.
    let other = shop.issue(DocumentKind::CreditNote, worth("40"), Vec::new()).await.unwrap();
    shop.pay(&other, "5").await.unwrap();
    let voided = shop.void(&other).await;
    assert_eq!(voided.unwrap_err(), Error::from(racun_documents::Refused::Settled));
}

#[tokio::test]
async fn voiding_an_invoice_gives_its_advance_money_back() {
    let shop = Shop::open().await;
    let advance = shop.advance("60").await;
    let invoice = linked(worth("100"), &[&advance]);
    let invoice = shop.issue(DocumentKind::Invoice, invoice, Vec::new()).await.unwrap();
    let applied = shop.void(&advance).await;
    assert_eq!(applied.unwrap_err(), Error::from(racun_documents::Refused::Applied));
    shop.void(&invoice).await.unwrap();
    assert_eq!(shop.total_paid(&invoice).await, Decimal::zero());
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, Decimal::zero());
    shop.void(&advance).await.unwrap();
}

#[tokio::test]
async fn where_the_law_asks_for_it_an_invoice_ends_by_a_credit_note() {
    let mut shop = Shop::open().await;
    shop.entity.country_code = Some("PT".to_owned());
    let advance = shop.advance("20").await;
    let invoice = linked(worth("100"), &[&advance]);
    let invoice = shop.issue(DocumentKind::Invoice, invoice, Vec::new()).await.unwrap();
    shop.pay(&invoice, "30").await.unwrap();
    let voided = shop.void(&invoice).await.unwrap();
    assert!(voided.voided_at().is_some());
    assert_eq!(voided.amounts.total_credited, decimal("100"));
    let (store, scope) = (&*shop.store, &shop.scope);
    let seen = documents::relations_of(store, scope, &[invoice.id]).await.unwrap();
    let credit = seen.iter().find(|view| view.related.id.kind() == DocumentKind::CreditNote);
    let credit = get_document(shop.cx(), credit.unwrap().related.id).await.unwrap();
    assert_eq!(credit.number(), "CN-2026-00001");
    assert_eq!(credit.amounts.total_with_tax, decimal("100"));
    // It settles what the payment had left open, and the advance has its money back.
    assert_eq!(shop.total_paid(&credit).await, decimal("70"));
    assert_eq!(shop.total_paid(&invoice).await, decimal("100"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, Decimal::zero());
    let again = shop.void(&invoice).await.unwrap_err();
    assert_eq!(again, Error::from(racun_documents::Refused::Voided));
}

#[tokio::test]
async fn an_update_keeps_totals_and_payments_together() {
    let shop = Shop::open().await;
    let advance = shop.advance("60").await;
    let invoice = shop.invoice("100").await;
    shop.pay(&invoice, "50").await.unwrap();
    let update = async |request: DocumentRequest| {
        let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
        documents::update(
            Context::new(store, scope, &shop.stamp),
            entity,
            invoice.id,
            request,
            Edit::default(),
        )
        .await
    };
    let less = update(worth("49.99")).await.unwrap_err();
    assert_eq!(refusal(less).code(), "payment_exceeds_total");
    assert_eq!(shop.reread(&invoice).await.amounts.total_with_tax, decimal("100"));
    // Linking an advance later applies it; unlinking takes it back.
    let linked_later = linked(DocumentRequest::default(), &[&advance]);
    assert_eq!(update(linked_later).await.unwrap().amounts.total_paid, decimal("100"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, decimal("50"));
    assert_eq!(update(worth("80")).await.unwrap().amounts.total_paid, decimal("80"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, decimal("30"));
    let unlinked = linked(DocumentRequest::default(), &[]);
    assert_eq!(update(unlinked).await.unwrap().amounts.total_paid, decimal("50"));
    assert_eq!(shop.total_paid(&invoice).await, decimal("50"));
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, Decimal::zero());
}

#[tokio::test]
async fn conversions_are_linked_once_unless_forced() {
    let shop = Shop::open().await;
    let estimate = shop.issue(DocumentKind::Estimate, worth("10"), Vec::new()).await.unwrap();
    let convert = || linked(worth("10"), &[&estimate]);
    shop.issue(DocumentKind::Invoice, convert(), Vec::new()).await.unwrap();
    let again = shop.issue(DocumentKind::Invoice, convert(), Vec::new()).await.unwrap_err();
    assert!(matches!(again, Error::Document(DocumentError::LinkRefused(_))), "{again:?}");
    let forced = DocumentRequest { force_linked_documents: true, ..convert() };
    shop.issue(DocumentKind::Invoice, forced, Vec::new()).await.unwrap();
    let unknown =
        DocumentRequest { linked_documents: Some(vec!["est_x".to_owned()]), ..worth("10") };
    let refused = shop.issue(DocumentKind::Invoice, unknown, Vec::new()).await.unwrap_err();
    assert!(issues(refused)[0].starts_with("linked_documents[0]"));
}

#[tokio::test]
async fn a_draft_applies_its_advance_when_it_is_finalized() {
    let shop = Shop::open().await;
    let advance = shop.advance("60").await;
    let draft = shop.draft(linked(worth("100"), &[&advance])).await.unwrap();
    assert_eq!(draft.amounts.total_paid, Decimal::zero());
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    let issued =
        documents::finalize(Context::new(store, scope, &shop.stamp), entity, draft.id, said())
            .await
            .unwrap();
    assert_eq!(issued.amounts.total_paid, decimal("60"));
    let early = shop.draft(worth("5")).await.unwrap();
    assert_eq!(refusal(shop.pay(&early, "5").await.unwrap_err()).code(), "document_is_draft");
}

#[tokio::test]
async fn payments_given_with_an_invoice_cover_it() {
    let shop = Shop::open().await;
    let both = vec![paid(PaymentType::Cash, Some("30")), paid(PaymentType::Card, None)];
    let invoice = shop.issue(DocumentKind::Invoice, worth("100"), both).await.unwrap();
    assert!(invoice.paid_in_full());
    assert_eq!(shop.total_paid(&invoice).await, decimal("100"));
    let too_much = vec![paid(PaymentType::Cash, Some("100.01"))];
    let refused = shop.issue(DocumentKind::Invoice, worth("100"), too_much).await.unwrap_err();
    assert_eq!(refusal(refused).code(), "payment_exceeds_total");
    let next = shop.invoice("1").await;
    assert_eq!(next.number(), "2026-00002", "the refused invoice took no number");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_payments_of_the_whole_have_one_winner() {
    let shop = Arc::new(Shop::open().await);
    for _ in 0..20 {
        let invoice = Arc::new(shop.invoice("100").await);
        let tasks = (0..16).map(|_| {
            let (shop, invoice) = (Arc::clone(&shop), Arc::clone(&invoice));
            tokio::spawn(async move { shop.pay(&invoice, "100").await })
        });
        let tasks: Vec<_> = tasks.collect();
        let mut winners = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) => winners += 1,
                Err(error) => assert_eq!(refusal(error).code(), "payment_exceeds_total"),
            }
        }
        assert_eq!(winners, 1);
        assert_eq!(shop.total_paid(&invoice).await, decimal("100"));
    }
}

#[tokio::test]
async fn lines_take_other_categories_also_on_issued_documents() {
    let shop = Shop::open().await;
    let category = racun_catalog::FinancialCategoryInput {
        name: Patch::Value("Storitve".to_owned()),
        ..Default::default()
    };
    let (store, scope) = (&*shop.store, &shop.scope);
    let category =
        racun_catalog::create_financial_category(Context::new(store, scope, &shop.stamp), category)
            .await
            .unwrap();
    let invoice = shop.invoice("10").await;
    let assignment = |line: &str| documents::LineCategory {
        line_id: line.to_owned(),
        financial_category_id: Some(category.id.to_string()),
    };
    let line = invoice.content.lines[0].id.clone();
    documents::categorize(Context::new(store, scope, &shop.stamp), vec![assignment(&line)])
        .await
        .unwrap();
    let after = shop.reread(&invoice).await;
    assert_eq!(after.content.lines[0].financial_category_id, Some(category.id));
    let lost = vec![assignment(&line), assignment("inv_item_01jb2000000000000000000000")];
    let refused = documents::categorize(Context::new(store, scope, &shop.stamp), lost).await;
    assert!(matches!(refused, Err(DocumentError::Invalid(_))));
    assert_eq!(DocumentId::kind(invoice.id), DocumentKind::Invoice);
}
