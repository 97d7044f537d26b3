//! Money between advances, credit notes and invoices: it is there once, and nothing of it is lost.

use std::sync::Arc;

use racun_documents::{Document, DocumentError, DocumentKind, Refused};
use racun_kernel::Decimal;
use racun_records::get_document;
use racun_sales::Error;
use racun_sales::documents::{self, Creation, DocumentRequest, Edit};
use racun_sales::payments;
use racun_settlement::{NewPayment, Payment, PaymentType};
use racun_store::Context;
use racun_store::testing::stamp;
use racun_store_sqlite::SqliteStore;

use crate::fixture::{NOW, Shop, decimal, issues, line, request, said};
use crate::flaky::Flaky;
use crate::settling::{linked, paid, worth};
use crate::takings::on_postgres;

const CREDIT_NOTE: DocumentKind = DocumentKind::CreditNote;
const INVOICE: DocumentKind = DocumentKind::Invoice;

impl Shop {
    /// An invoice of `total` that is linked to `to`.
    pub async fn linked_invoice(&self, total: &str, to: &[&Document]) -> Result<Document, Error> {
        self.issue(INVOICE, linked(worth(total), to), Vec::new()).await
    }

    /// A credit note of `total` on `to`.
    pub async fn credit(&self, total: &str, to: &[&Document]) -> Result<Document, Error> {
        self.issue(CREDIT_NOTE, linked(worth(total), to), Vec::new()).await
    }

    pub async fn settle(
        &self,
        invoice: &Document,
        note: &Document,
        amount: &str,
    ) -> Result<Payment, Error> {
        let new = NewPayment {
            invoice_id: Some(invoice.id.to_string()),
            credit_note_id: Some(note.id.to_string()),
            ..paid(PaymentType::CreditNote, Some(amount))
        };
        payments::record(self.cx(), &self.entity, new).await
    }

    pub async fn patch(
        &self,
        document: &Document,
        request: DocumentRequest,
    ) -> Result<Document, Error> {
        let (store, scope, entity, edit) =
            (&*self.store, &self.scope, &self.entity, Edit::default());
        documents::update(
            Context::new(store, scope, &self.stamp),
            entity,
            document.id,
            request,
            edit,
        )
        .await
    }

    pub async fn finalize(&self, draft: &Document) -> Result<Document, Error> {
        let (store, scope, entity) = (&*self.store, &self.scope, &self.entity);
        documents::finalize(Context::new(store, scope, &self.stamp), entity, draft.id, said()).await
    }

    /// What is paid and due on the document.
    async fn stands(&self, document: &Document) -> [String; 2] {
        let paid = self.total_paid(document).await;
        [paid, self.reread(document).await.total_due()].map(|amount| amount.to_string())
    }
}

/// The issues of a link that is refused, as `path code message`.
fn link_refused(error: Error) -> String {
    let Error::Document(DocumentError::LinkRefused(issues)) = error else {
        panic!("expected a refused link, got {error:?}")
    };
    let issues = issues.iter().map(|issue| format!("{issue} ({})", issue.code));
    issues.collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn an_advance_that_is_credited_is_not_applied() {
    let shop = Shop::open().await;
    let advance = shop.advance("100").await;
    let credit = shop.credit("100", &[&advance]).await.unwrap();
    shop.pay(&credit, "100").await.unwrap();
    let refused = link_refused(shop.linked_invoice("100", &[&advance]).await.unwrap_err());
    assert!(refused.contains("nothing is left of this advance"), "{refused}");
    let forced =
        DocumentRequest { force_linked_documents: true, ..linked(worth("100"), &[&advance]) };
    let forced = shop.issue(INVOICE, forced, Vec::new()).await.unwrap();
    assert_eq!(shop.stands(&forced).await, ["0", "100"]);
    // In part.
    let advance = shop.advance("100").await;
    shop.credit("60", &[&advance]).await.unwrap();
    let invoice = shop.linked_invoice("100", &[&advance]).await.unwrap();
    assert_eq!(shop.stands(&invoice).await, ["40", "60"]);
}

#[tokio::test]
async fn an_advance_that_is_applied_is_not_credited() {
    let shop = Shop::open().await;
    let advance = shop.advance("100").await;
    let invoice = shop.linked_invoice("60", &[&advance]).await.unwrap();
    let refused = link_refused(shop.credit("100", &[&advance]).await.unwrap_err());
    assert!(refused.contains("100 is more than what is left to give back, 40"), "{refused}");
    assert!(refused.ends_with("(credit_exceeds_remaining)"), "{refused}");
    let credit = shop.credit("40", &[&advance]).await.unwrap();
    // Raised above what is left it is refused, and taken when an invoice gives something back.
    let more = link_refused(shop.patch(&credit, worth("41")).await.unwrap_err());
    assert!(more.contains("41 is more than what is left to give back, 40"), "{more}");
    shop.pay(&invoice, "10").await.unwrap();
    shop.patch(&credit, worth("50")).await.unwrap();
    assert_eq!(shop.reread(&advance).await.amounts.total_credited, decimal("50"));
    // A voided credit note gives it back.
    shop.void(&credit).await.unwrap();
    let next = shop.linked_invoice("60", &[&advance]).await.unwrap();
    assert_eq!(shop.stands(&next).await, ["50", "10"]);
}

#[tokio::test]
async fn a_voided_document_gives_no_credit() {
    let shop = Shop::open().await;
    let invoices = [shop.invoice("50").await, shop.invoice("50").await];
    let advances = [shop.advance("50").await, shop.advance("50").await];
    for [first, second] in [invoices, advances] {
        let credit = shop.credit("25", &[&first, &second]).await.unwrap();
        shop.void(&second).await.unwrap();
        let more = link_refused(shop.patch(&credit, worth("50.01")).await.unwrap_err());
        assert!(more.contains("50.01 is more than what is left to give back, 50"), "{more}");
        shop.patch(&credit, worth("50")).await.unwrap();
        assert_eq!(shop.reread(&second).await.amounts.total_credited, Decimal::zero());
    }
}

#[tokio::test]
async fn a_credit_note_stays_linked_to_what_it_gives_back_of() {
    let shop = Shop::open().await;
    let (first, second) = (shop.invoice("50").await, shop.invoice("50").await);
    let credit = shop.credit("30", &[&first, &second]).await.unwrap();
    let relinked = |to: &[&Document]| linked(DocumentRequest::default(), to);
    for to in [&[][..], &[&second]] {
        let refused = link_refused(shop.patch(&credit, relinked(to)).await.unwrap_err());
        let expected = format!(
            "linked_documents: the credit note gives back 30 of {}, so it stays linked: keep the \
             document in linked_documents, or void the credit note and issue another \
             (linked_document_invalid)",
            first.number()
        );
        assert_eq!(refused, expected);
    }
    // Of what it gives nothing back it may part, and it draws as a new one would.
    shop.patch(&credit, relinked(&[&first])).await.unwrap();
    shop.patch(&credit, relinked(&[&second, &first])).await.unwrap();
    let credited = async |invoice| shop.reread(invoice).await.amounts.total_credited;
    assert_eq!((credited(&first).await, credited(&second).await), (decimal("0"), decimal("30")));
    shop.patch(&credit, relinked(&[&second])).await.unwrap();
    assert_eq!(shop.void(&second).await.unwrap_err(), Error::from(Refused::Credited));
    shop.void(&first).await.unwrap();
    shop.void(&credit).await.unwrap();
    shop.void(&second).await.unwrap();
}

#[tokio::test]
async fn an_invoice_is_not_edited_below_its_credit_notes() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("100").await;
    let credit = shop.credit("60", &[&invoice]).await.unwrap();
    let below = issues(shop.patch(&invoice, worth("59.99")).await.unwrap_err());
    assert_eq!(
        below,
        ["items: credit notes give back 60 of the document, so it cannot come to 59.99; void \
             them or lower them first"]
    );
    shop.patch(&invoice, worth("60")).await.unwrap();
    shop.void(&credit).await.unwrap();
    shop.patch(&invoice, worth("1")).await.unwrap();
}

#[tokio::test]
async fn voiding_an_invoice_frees_the_credit_that_settled_it() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("100").await;
    let credit = shop.issue(CREDIT_NOTE, worth("100"), Vec::new()).await.unwrap();
    shop.pay(&invoice, "20").await.unwrap();
    let settlement = shop.settle(&invoice, &credit, "80").await.unwrap();
    shop.void(&invoice).await.unwrap();
    assert_eq!(shop.stands(&credit).await, ["0", "100"]);
    assert_eq!(shop.total_paid(&invoice).await, decimal("20"), "money that came in stays");
    let gone = payments::get(shop.cx(), settlement.id).await;
    assert!(gone.is_err(), "as allocations end, so does the settlement: {gone:?}");
    let other = shop.invoice("100").await;
    shop.settle(&other, &credit, "100").await.unwrap();
    shop.void(&other).await.unwrap();
    shop.void(&credit).await.unwrap();
}

#[tokio::test]
async fn a_credited_document_is_voided_after_its_credit_note_only() {
    let shop = Shop::open().await;
    let credited = Error::from(Refused::Credited);
    for document in [shop.invoice("60").await, shop.advance("60").await] {
        let credit = shop.credit("60", &[&document]).await.unwrap();
        assert_eq!(shop.void(&document).await.unwrap_err(), credited);
        shop.void(&credit).await.unwrap();
        shop.void(&document).await.unwrap();
    }
    // Also when the credit note settled the invoice, which it gives up for that.
    let advance = shop.advance("10").await;
    let invoice = shop.linked_invoice("60", &[&advance]).await.unwrap();
    let credit = shop.credit("55", &[&invoice]).await.unwrap();
    shop.settle(&invoice, &credit, "55").await.unwrap();
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, decimal("5"));
    assert_eq!(shop.void(&invoice).await.unwrap_err(), credited);
    shop.void(&credit).await.unwrap();
    assert_eq!(shop.stands(&invoice).await, ["10", "50"]);
    assert_eq!(shop.total_paid(&credit).await, Decimal::zero());
    shop.void(&invoice).await.unwrap();
    assert_eq!(shop.reread(&advance).await.amounts.total_applied, Decimal::zero());
}

#[tokio::test]
async fn in_portugal_a_partly_credited_invoice_is_voided_by_a_credit_note_over_the_rest() {
    let mut shop = Shop::open().await;
    shop.entity.country_code = Some("PT".to_owned());
    let elsewhere = shop.issue(CREDIT_NOTE, worth("30"), Vec::new()).await.unwrap();
    let invoice = shop.invoice("100").await;
    let credit = shop.credit("60", &[&invoice]).await.unwrap();
    shop.settle(&invoice, &elsewhere, "30").await.unwrap();
    shop.pay(&invoice, "25").await.unwrap();
    let voided = shop.void(&invoice).await.unwrap();
    assert_eq!(voided.amounts.total_credited, decimal("100"));
    // 25 came in, and 25 can be paid back; what was settled from elsewhere is free again.
    assert_eq!(shop.stands(&invoice).await, ["100", "0"]);
    assert_eq!(shop.stands(&elsewhere).await, ["0", "30"]);
    assert_eq!(shop.stands(&credit).await, ["60", "0"]);
    let seen = documents::relations_of(&*shop.store, &shop.scope, &[invoice.id]).await.unwrap();
    let rest = seen.iter().find(|view| view.related.id != credit.id).unwrap().related.id;
    let rest = get_document(shop.cx(), rest).await.unwrap();
    assert_eq!(rest.amounts.total_with_tax, decimal("40"));
    assert_eq!(shop.stands(&rest).await, ["15", "25"]);
    let took_back = Error::from(Refused::TookBack);
    assert_eq!(shop.void(&rest).await.unwrap_err(), took_back);
    // In full: what there is took it back already.
    let invoice = shop.invoice("10").await;
    let credit = shop.credit("10", &[&invoice]).await.unwrap();
    assert_eq!(shop.void(&invoice).await.unwrap_err(), Error::from(Refused::CreditedInFull));
    shop.void(&credit).await.unwrap();
    // Over two documents, the rest of one is undefined.
    let other = shop.invoice("10").await;
    shop.credit("15", &[&invoice, &other]).await.unwrap();
    assert_eq!(shop.void(&other).await.unwrap_err(), Error::from(Refused::CreditUnclear));
}

#[tokio::test]
async fn a_draft_whose_advance_is_used_up_is_not_issued() {
    let shop = Shop::open().await;
    let advance = shop.advance("60").await;
    let draft = shop.draft(linked(worth("100"), &[&advance])).await.unwrap();
    let forced =
        DocumentRequest { force_linked_documents: true, ..linked(worth("100"), &[&advance]) };
    let forced = shop.draft(forced).await.unwrap();
    let other = shop.linked_invoice("100", &[&advance]).await.unwrap();
    let refused = link_refused(shop.finalize(&draft).await.unwrap_err());
    assert_eq!(
        refused,
        "linked_documents[0]: nothing is left of this advance; link another, or none \
         (linked_document_invalid)"
    );
    assert!(shop.reread(&draft).await.is_draft());
    assert_eq!(shop.stands(&shop.finalize(&forced).await.unwrap()).await, ["0", "100"]);
    // Forced later, or with something left again, it is issued.
    let force = DocumentRequest {
        force_linked_documents: true,
        ..linked(DocumentRequest::default(), &[&advance])
    };
    let second = shop.draft(linked(worth("5"), &[])).await.unwrap();
    shop.patch(&second, force.clone()).await.unwrap();
    shop.patch(&second, force).await.expect("a link that there is may be named again");
    shop.finalize(&second).await.unwrap();
    shop.pay(&other, "80").await.unwrap();
    let issued = shop.finalize(&draft).await.unwrap();
    assert_eq!(shop.stands(&issued).await, ["40", "60"]);
}

#[tokio::test]
async fn currencies_of_linked_documents_stay_together() {
    let shop = Shop::open().await;
    let invoice = shop.invoice("10").await;
    let credit = shop.credit("10", &[&invoice]).await.unwrap();
    let dollars =
        DocumentRequest { currency_code: Some("USD".to_owned()), ..DocumentRequest::default() };
    let refused = link_refused(shop.patch(&credit, dollars.clone()).await.unwrap_err());
    assert!(refused.contains("in another currency"), "{refused}");
    let refused = issues(shop.patch(&invoice, dollars).await.unwrap_err());
    assert!(refused[0].starts_with("currency_code: "), "{refused:?}");
}

#[tokio::test]
async fn force_is_offered_where_it_can_be_sent() {
    let shop = Shop::open().await;
    let customer = |name: &str| DocumentRequest {
        customer: racun_kernel::Patch::Value(documents::CustomerRequest {
            party: racun_documents::PartyPatch {
                name: racun_kernel::Patch::Value(name.to_owned()),
                ..racun_documents::PartyPatch::default()
            },
            save_customer: None,
        }),
        ..worth("10")
    };
    let theirs = shop.issue(INVOICE, customer("Bor"), Vec::new()).await.unwrap();
    let refused = async |kind, hint: bool| {
        let request = linked(customer("Cene"), &[&theirs]);
        let refused = link_refused(shop.issue(kind, request, Vec::new()).await.unwrap_err());
        assert!(refused.contains("of another customer"), "{refused}");
        assert_eq!(refused.contains("force_linked_documents"), hint, "{refused}");
    };
    refused(INVOICE, true).await;
    refused(CREDIT_NOTE, false).await;
    refused(DocumentKind::DeliveryNote, false).await;
}

#[tokio::test]
async fn the_final_invoice_shows_the_tax_of_its_advances() {
    let shop = Shop::open().await;
    let lines = vec![line("Predplačilo", "1", "100"), worth("10").items.unwrap().remove(0)];
    let payment = vec![paid(PaymentType::Cash, None)];
    let kind = DocumentKind::AdvanceInvoice;
    let advance = shop.issue(kind, request(lines), payment).await.unwrap();
    let sold = linked(request(vec![line("Peka", "1", "300")]), &[&advance]);
    let invoice = shop.issue(INVOICE, sold, Vec::new()).await.unwrap();
    let says = async |invoice: &Document| -> Vec<String> {
        let now = shop.reread(invoice).await;
        let text = |one: &racun_documents::AppliedAdvance| {
            let share = &one.share;
            assert_eq!((one.advance_id, &one.number), (advance.id, &advance.number()));
            let taxes: Vec<String> = share
                .taxes
                .iter()
                .map(|tax| format!("{}: {} {}", tax.rate, tax.base, tax.amount))
                .collect();
            format!("{} of {} at {}", share.amount, share.total, taxes.join(", "))
        };
        now.advances_applied.iter().map(text).collect()
    };
    assert_eq!(says(&invoice).await, ["132 of 110 at 22: 100 22"]);
    // Money that is paid again frees a part of it, which the next invoice shows.
    let payment = shop.pay(&invoice, "267").await.unwrap();
    assert_eq!(says(&invoice).await, ["99 of 82.5 at 22: 75 16.5"]);
    let next = shop.linked_invoice("20", &[&advance]).await.unwrap();
    assert_eq!(says(&next).await, ["20 of 16.67 at 22: 15.15 3.33"]);
    let last = shop.linked_invoice("20", &[&advance]).await.unwrap();
    assert_eq!(says(&last).await, ["13 of 10.83 at 22: 9.85 2.17"]);
    shop.void(&next).await.unwrap();
    assert!(says(&next).await.is_empty());
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    payments::trash(Context::new(store, scope, &shop.stamp), entity, payment.id).await.unwrap();
    assert_eq!(says(&invoice).await, ["119 of 99.17 at 22: 90.15 19.83"]);
    assert_eq!(says(&last).await, ["13 of 10.83 at 22: 9.85 2.17"]);
    let kept = shop.reread(&advance).await.share_applied.unwrap();
    assert_eq!((kept.amount, kept.total), (decimal("132"), decimal("110")));
    // A draft has none until it is issued.
    let draft = Creation { is_draft: true, ..Creation::default() };
    let draft = shop.make(worth("1"), draft).await.unwrap();
    assert!(draft.advances_applied.is_empty());
}

/// Credit notes and invoices that want the whole of one advance at one moment.
async fn one_of_sixteen_has_the_advance(shop: Shop, rounds: usize) {
    let shop = Arc::new(shop);
    for _ in 0..rounds {
        let advance = Arc::new(shop.advance("100").await);
        let tasks = (0..16).map(|n| {
            let (shop, advance) = (Arc::clone(&shop), Arc::clone(&advance));
            tokio::spawn(async move {
                match n % 2 {
                    0 => shop.credit("100", &[&*advance]).await,
                    _ => shop.linked_invoice("100", &[&*advance]).await,
                }
            })
        });
        let tasks: Vec<_> = tasks.collect();
        let mut had = Decimal::zero();
        for task in tasks {
            match task.await.unwrap() {
                Ok(document) if document.id.kind() == CREDIT_NOTE => {
                    had += &document.amounts.total_with_tax;
                }
                Ok(invoice) => had += &invoice.amounts.total_paid,
                Err(error) => drop(link_refused(error)),
            }
        }
        let after = shop.reread(&advance).await.amounts;
        assert_eq!(had, decimal("100"));
        assert_eq!(&after.total_credited + &after.total_applied, decimal("100"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn credit_notes_and_invoices_race_for_an_advance() {
    one_of_sixteen_has_the_advance(Shop::open().await, 10).await;
    let (store, _database) = on_postgres().await;
    one_of_sixteen_has_the_advance(Shop::open_on(store, stamp(NOW)).await, 10).await;
}

#[tokio::test]
async fn a_further_payment_holds_as_many_rows_as_the_first_one() {
    let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
    let store = Arc::new(Flaky::new(store));
    let shop = Shop::open_on(Arc::<Flaky<SqliteStore>>::clone(&store), stamp(NOW)).await;
    let invoice = shop.invoice("100").await;
    store.rows();
    shop.pay(&invoice, "1").await.unwrap();
    let first = store.rows();
    for _ in 0..20 {
        shop.pay(&invoice, "1").await.unwrap();
    }
    store.rows();
    shop.pay(&invoice, "1").await.unwrap();
    assert_eq!((store.rows(), first), (first, 1), "the invoice alone");
}
