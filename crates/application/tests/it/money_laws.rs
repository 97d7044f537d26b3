//! What holds after any sequence of what people do with advances, credit notes, invoices and
//! payments, on both stores: money is there once, nothing of it is lost, and who is refused changes
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use racun_documents::{Document, DocumentError, DocumentKind, RELATIONS, Relation, Stage};
use racun_fiscalization::{NoAuthority, TaxAuthority};
use racun_kernel::{Decimal, Patch};
use racun_sales::Error;
use racun_sales::documents::{self, Creation, DocumentRequest, LineTaxRequest};
use racun_sales::payments;
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentPatch, PaymentType};
use racun_store::testing::{Random, stamp};
use racun_store::{Context, ListQuery, Record, Store, StoreError, Table};

use crate::fixture::{NOW, Shop, line, request};
use crate::settling::linked;
use crate::takings::{on_postgres, on_sqlite};

const KINDS: [DocumentKind; 3] =
    [DocumentKind::Invoice, DocumentKind::CreditNote, DocumentKind::AdvanceInvoice];

/// Steps of one sequence.
const STEPS: usize = 60;

/// All that is stored of money.
#[derive(Debug, PartialEq)]
struct Accounts {
    documents: BTreeMap<String, Document>,
    payments: Vec<Payment>,
    links: Vec<Relation>,
}

struct Play {
    shop: Shop,
    random: Random,
    /// What was done, to be read when a law is broken.
    done: Vec<String>,
    succeeded: BTreeSet<&'static str>,
}

fn cents(random: &mut Random, most: usize) -> Decimal {
    Decimal::new(i64::try_from(random.below(most)).unwrap() + 1, 2)
}

impl Play {
    async fn rows<A: Record>(&self, table: &'static Table) -> Vec<A> {
        let mut all = Vec::new();
        // What has no trash has only one list.
        for trash in [false, true].into_iter().take(1 + usize::from(table.has_trash())) {
            let query =
                ListQuery { limit: 1000, count: false, trash, ..ListQuery::first_page(table) };
            let page = self.shop.store.page(table, &self.shop.scope.tenant(), &query).await;
            all.extend(page.unwrap().rows);
        }
        all
    }

    async fn accounts(&self) -> Accounts {
        let mut documents = BTreeMap::new();
        for kind in KINDS {
            let rows: Vec<Document> = self.rows(racun_documents::table_of(kind)).await;
            documents.extend(rows.into_iter().map(|row| (row.id.to_string(), row)));
        }
        let mut payments: Vec<Payment> = self.rows(&PAYMENTS).await;
        payments.sort_by_key(|payment| payment.id);
        let mut links: Vec<Relation> = self.rows(&RELATIONS).await;
        links.sort_by_key(|link| link.id);
        Accounts { documents, payments, links }
    }

    /// Up to four documents, most of them such as can be linked.
    fn some(&mut self, accounts: &Accounts, kinds: &[DocumentKind]) -> Vec<Document> {
        let all = self.candidates(accounts, kinds);
        let mut chosen: Vec<Document> = Vec::new();
        for _ in 0..self.random.below(5) {
            if let Some(one) = all.get(self.random.below(all.len().max(1)))
                && chosen.iter().all(|other| other.id != one.id)
            {
                chosen.push(one.clone());
            }
        }
        chosen
    }

    fn one(&mut self, accounts: &Accounts) -> Option<Document> {
        let all = self.candidates(accounts, &KINDS);
        all.get(self.random.below(all.len().max(1))).cloned()
    }

    /// The documents of `kinds`; in most cases those in effect.
    fn candidates(&mut self, accounts: &Accounts, kinds: &[DocumentKind]) -> Vec<Document> {
        let any = self.random.chance(20);
        let fits = |one: &&Document| {
            kinds.contains(&one.id.kind()) && (any || matches!(one.stage, Stage::Issued(_)))
        };
        accounts.documents.values().filter(fits).cloned().collect()
    }

    fn of_kind(&mut self, accounts: &Accounts, kind: DocumentKind) -> Option<Document> {
        let all = self.candidates(accounts, &[kind]);
        all.get(self.random.below(all.len().max(1))).cloned()
    }

    /// A draft, deleted or not.
    fn draft(&mut self, accounts: &Accounts) -> Option<Document> {
        let all: Vec<&Document> =
            accounts.documents.values().filter(|document| document.is_draft()).collect();
        all.get(self.random.below(all.len().max(1))).map(|document| (*document).clone())
    }

    fn payment(&mut self, accounts: &Accounts) -> Option<Payment> {
        accounts.payments.get(self.random.below(accounts.payments.len().max(1))).cloned()
    }

    /// Lines of one to `most` cents, taxed or not.
    fn lines(&mut self, most: usize) -> DocumentRequest {
        let mut line = line("Delo", "1", &cents(&mut self.random, most).to_string());
        let rate = self.random.pick(&["", "", "22", "9.5"]);
        let tax = || LineTaxRequest { rate: rate.parse().ok(), ..LineTaxRequest::default() };
        line.taxes = Some(if rate.is_empty() { Vec::new() } else { vec![tax()] });
        request(vec![line])
    }

    async fn make(&mut self, accounts: &Accounts, kind: DocumentKind) -> Result<(), Error> {
        let (targets, open, most) = match kind {
            DocumentKind::Invoice => (vec![DocumentKind::AdvanceInvoice], 15, 120),
            DocumentKind::CreditNote => {
                (vec![DocumentKind::Invoice, DocumentKind::AdvanceInvoice], 15, 60)
            }
            _ => (Vec::new(), 100, 120),
        };
        let to = self.some(accounts, &targets);
        let to: Vec<&Document> = to.iter().collect();
        let request = DocumentRequest {
            force_linked_documents: kind == DocumentKind::Invoice && self.random.chance(15),
            ..linked(self.lines(most), &to)
        };
        let is_draft = self.random.chance(20);
        let paid = !is_draft && self.random.chance(open);
        let creation = Creation {
            is_draft,
            payments: if paid { vec![NewPayment::new(PaymentType::Cash)] } else { Vec::new() },
            ..Creation::default()
        };
        let Shop { store, scope, entity, stamp } = &self.shop;
        documents::create(Context::new(&**store, scope, stamp), entity, kind, request, creation)
            .await
            .map(drop)
    }

    async fn pay(&mut self, accounts: &Accounts) -> Option<Result<(), Error>> {
        let document = self.one(accounts)?;
        let amount = match self.random.chance(40) {
            true => document.total_due(),
            false => cents(&mut self.random, 80),
        };
        Some(self.shop.pay(&document, &amount.to_string()).await.map(drop))
    }

    async fn settle(&mut self, accounts: &Accounts) -> Option<Result<(), Error>> {
        let invoice = self.of_kind(accounts, DocumentKind::Invoice)?;
        let note = self.of_kind(accounts, DocumentKind::CreditNote)?;
        let amount = match self.random.chance(60) {
            true => invoice.total_due().min(note.total_due()),
            false => cents(&mut self.random, 80),
        };
        Some(self.shop.settle(&invoice, &note, &amount.to_string()).await.map(drop))
    }

    async fn patch(&mut self, accounts: &Accounts) -> Option<Result<(), Error>> {
        let document = match self.random.chance(40) {
            true => self.of_kind(accounts, DocumentKind::CreditNote)?,
            false => self.one(accounts)?,
        };
        let request = match self.random.chance(60) {
            true => self.lines(120),
            false => {
                let kinds = [DocumentKind::AdvanceInvoice, DocumentKind::Invoice];
                let own = usize::from(document.id.kind() != DocumentKind::Invoice) + 1;
                let to = self.some(accounts, &kinds[..own]);
                linked(DocumentRequest::default(), &to.iter().collect::<Vec<_>>())
            }
        };
        Some(self.shop.patch(&document, request).await.map(drop))
    }

    async fn on_payment(&mut self, accounts: &Accounts, act: &str) -> Option<Result<(), Error>> {
        let id = self.payment(accounts)?.id;
        let Shop { store, scope, entity, stamp } = &self.shop;
        Some(match act {
            "trash" => {
                payments::trash(Context::new(&**store, scope, stamp), entity, id).await.map(drop)
            }
            "restore" => {
                payments::restore(Context::new(&**store, scope, stamp), entity, id).await.map(drop)
            }
            "erase" => payments::erase(Context::new(&**store, scope, stamp), id).await,
            _ => {
                let no_authority: Arc<dyn TaxAuthority> = Arc::new(NoAuthority);
                let amount = Patch::Value(cents(&mut self.random, 80));
                let patch = PaymentPatch { amount, ..PaymentPatch::default() };
                self.shop.change(&no_authority, id, patch).await.map(drop)
            }
        })
    }

    /// One of the documents that credit notes with several links name.
    fn target(&mut self, accounts: &Accounts) -> Option<Document> {
        let of_many = |link: &&Relation| {
            accounts.links.iter().filter(|other| other.source_id == link.source_id).count() > 1
        };
        let all: Vec<&Relation> = accounts.links.iter().filter(of_many).collect();
        let link = all.get(self.random.below(all.len().max(1)))?;
        accounts.documents.get(&link.target_id.to_string()).cloned()
    }

    async fn on_document(&mut self, accounts: &Accounts, act: &str) -> Option<Result<(), Error>> {
        let document = match act {
            "void" if self.random.chance(50) => self.target(accounts)?,
            "void" => self.one(accounts)?,
            _ => self.draft(accounts)?,
        };
        let Shop { store, scope, stamp, .. } = &self.shop;
        Some(match act {
            "void" => self.shop.void(&document).await.map(drop),
            "finalize" => self.shop.finalize(&document).await.map(drop),
            "delete" => {
                documents::delete(Context::new(&**store, scope, stamp), document.id).await.map(drop)
            }
            _ => {
                let restored =
                    documents::restore(Context::new(&**store, scope, stamp), document.id).await;
                restored.map(drop).map_err(Error::from)
            }
        })
    }

    /// Does something; `None` when there is nothing to do it on.
    async fn step(&mut self, accounts: &Accounts) -> Option<()> {
        let what = self.random.pick(&[
            "advance", "advance", "invoice", "invoice", "invoice", "note", "note", "note", "pay",
            "pay", "settle", "settle", "change", "trash", "trash", "restore", "erase", "void",
            "void", "void", "finalize", "finalize", "patch", "patch", "patch", "delete",
            "undelete",
        ]);
        let outcome = match what {
            "advance" => self.make(accounts, DocumentKind::AdvanceInvoice).await,
            "invoice" => self.make(accounts, DocumentKind::Invoice).await,
            "note" => self.make(accounts, DocumentKind::CreditNote).await,
            "pay" => self.pay(accounts).await?,
            "settle" => self.settle(accounts).await?,
            "patch" => self.patch(accounts).await?,
            "change" | "trash" | "restore" | "erase" => self.on_payment(accounts, what).await?,
            _ => self.on_document(accounts, what).await?,
        };
        match outcome {
            Ok(()) => {
                self.done.push(what.to_owned());
                self.succeeded.insert(what);
            }
            Err(error) => {
                let is_broken = matches!(
                    &error,
                    Error::Document(DocumentError::ChangedMeanwhile)
                        | Error::Document(DocumentError::Store(
                            StoreError::Unavailable(_) | StoreError::Corrupt { .. }
                        ))
                );
                assert!(!is_broken, "{what}: {error:?}");
                self.done.push(format!("{what} -> {error}"));
                assert_eq!(&self.accounts().await, accounts, "who is refused changes nothing");
            }
        }
        Some(())
    }
}

fn sum<'a>(amounts: impl Iterator<Item = &'a Decimal>) -> Decimal {
    amounts.sum()
}

impl Accounts {
    fn active(&self) -> impl Iterator<Item = &Payment> {
        self.payments.iter().filter(|payment| payment.deleted_at.is_none())
    }

    /// The active allocations of the document: of an advance to invoices, or to an invoice.
    fn allocations<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Payment> {
        let names =
            move |payment: &&Payment| payment.documents().any(|named| named.to_string() == id);
        self.active().filter(|payment| payment.is_allocation()).filter(names)
    }

    fn audit(&self) {
        for (id, document) in &self.documents {
            let is_advance = document.id.kind() == DocumentKind::AdvanceInvoice;
            let counts = |payment: &&Payment| {
                payment.documents().any(|named| named.to_string() == *id)
                    && !(is_advance && payment.is_allocation())
            };
            let paid = sum(self.active().filter(counts).map(|payment| &payment.amount));
            let (amounts, total) = (&document.amounts, &document.amounts.total_with_tax);
            assert_eq!(amounts.total_paid, paid, "{id}: total_paid is the sum of payments");
            assert!(paid.is_zero() || paid <= *total, "{id}: nothing is paid beyond its total");
            let given = self.links.iter().filter(|link| link.target_id == document.id);
            let credited = sum(given.map(|link| &link.amount));
            assert_eq!(amounts.total_credited, credited, "{id}: total_credited is what is given");
            let is_issued = matches!(document.stage, Stage::Issued(_));
            let out = &credited + &amounts.total_applied;
            assert!(out.is_zero() || out <= *total, "{id}: its money is given once");
            match document.id.kind() {
                DocumentKind::Invoice => self.audit_invoice(id, document),
                DocumentKind::CreditNote => self.audit_note(document),
                _ => {
                    assert!(!is_issued || paid == *total, "{id}: an issued advance is covered");
                    self.audit_advance(id, document);
                }
            }
        }
    }

    /// A credit note that gave back of something since it was issued does so while it is in effect.
    fn audit_step(&self, before: &Self) {
        for link in before.links.iter().filter(|link| link.amount.is_positive()) {
            let note = &self.documents[&link.source_id.to_string()];
            if matches!(note.stage, Stage::Issued(_)) {
                let own = self.links.iter().filter(|own| own.source_id == note.id);
                let given = sum(own.map(|own| &own.amount));
                assert_eq!(given, note.amounts.total_with_tax, "{}: credit of nothing", note.id);
            }
        }
    }

    fn audit_advance(&self, id: &str, advance: &Document) {
        if matches!(advance.stage, Stage::Voided(..)) {
            assert!(advance.amounts.total_credited.is_zero(), "{id}: credit of what is voided");
        }
        let applied = sum(self.allocations(id).map(|payment| &payment.amount));
        assert_eq!(advance.amounts.total_applied, applied, "{id}: what invoices have of it");
        let share = advance.share_applied.as_ref().map(|share| share.amount.clone());
        assert_eq!(share.unwrap_or_else(Decimal::zero), applied, "{id}: it is noted with its tax");
        // What was paid out or used of its credit notes, as far as they are of this advance.
        let notes = self.links.iter().filter(|link| link.target_id == advance.id);
        let spent = |link: &Relation| {
            let note = &self.documents[&link.source_id.to_string()];
            note.amounts.total_paid.clone().min(link.amount.clone())
        };
        let spent: Vec<Decimal> = notes.map(spent).collect();
        let out = &applied + &spent.iter().sum();
        assert!(out.is_zero() || out <= advance.amounts.total_paid, "{id}: more than was paid in");
    }

    fn audit_invoice(&self, id: &str, invoice: &Document) {
        let allocated: BTreeMap<String, Decimal> = self
            .allocations(id)
            .map(|payment| {
                (payment.advance_invoice_id.unwrap().to_string(), payment.amount.clone())
            })
            .collect();
        let mut shown = BTreeMap::new();
        for one in &invoice.advances_applied {
            let taxes = sum(one.share.taxes.iter().map(|tax| &tax.amount));
            assert_eq!(&one.share.total + &taxes, one.share.amount, "{id}: its tax is exact");
            shown.insert(one.advance_id.to_string(), one.share.amount.clone());
        }
        assert_eq!(shown, allocated, "{id}: it shows the advances that it has");
        if !matches!(invoice.stage, Stage::Voided(..)) {
            return;
        }
        assert!(allocated.is_empty(), "{id}: what is voided has no advance");
        let total = &invoice.amounts.total_with_tax;
        let credited = &invoice.amounts.total_credited;
        assert!(credited.is_zero() || credited == total, "{id}: credit on what does not count");
    }

    fn audit_note(&self, note: &Document) {
        let own = || self.links.iter().filter(|link| link.source_id == note.id);
        let (id, amounts) = (note.id, &note.amounts);
        let credits = own().any(|link| link.relation_type.name() == "credit_for");
        let given = sum(own().map(|link| &link.amount));
        if !matches!(note.stage, Stage::Issued(_)) {
            assert!(given.is_zero(), "{id}: it gives back while it is in effect");
            assert!(amounts.total_paid.is_zero(), "{id}: it is used while it is in effect");
            return;
        }
        assert!(!credits || given == amounts.total_with_tax, "{id}: all of it is of something");
        let left = &amounts.total_with_tax - &amounts.total_paid;
        assert_eq!(note.total_due(), left, "{id}: what is not used is left");
        let named = |payment: &&Payment| payment.credit_note_id == Some(id);
        for payment in self.active().filter(named).filter(|one| one.is_credit_settlement()) {
            let invoice = &self.documents[&payment.invoice_id.unwrap().to_string()];
            let takes_back =
                own().any(|link| link.target_id == invoice.id && link.amount.is_positive());
            let counts = matches!(invoice.stage, Stage::Issued(_)) || takes_back;
            assert!(counts, "{id}: its credit is swallowed by {}", invoice.id);
        }
    }
}

/// Plays a sequence for each seed; what succeeded at least once.
async fn play(store: Arc<dyn Store>, seeds: std::ops::Range<u64>) -> BTreeSet<&'static str> {
    let (mut succeeded, stamp) = (BTreeSet::new(), stamp(NOW));
    for seed in seeds {
        let mut shop = Shop::open_on(Arc::clone(&store), stamp.clone()).await;
        // In Portugal an invoice ends by a credit note; its issued documents are not edited.
        if seed % 3 == 2 {
            shop.entity.country_code = Some("PT".to_owned());
        }
        let random = Random::new(seed);
        let mut play = Play { shop, random, done: Vec::new(), succeeded: BTreeSet::new() };
        let mut accounts = play.accounts().await;
        for _ in 0..STEPS {
            if play.step(&accounts).await.is_none() {
                continue;
            }
            let before = std::mem::replace(&mut accounts, play.accounts().await);
            let audit = || {
                accounts.audit();
                accounts.audit_step(&before);
            };
            let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(audit));
            if let Err(panic) = broken {
                let done = play.done.join("\n  ");
                eprintln!("seed {seed}:\n  {done}");
                std::panic::resume_unwind(panic);
            }
        }
        succeeded.extend(play.succeeded);
    }
    succeeded
}

/// Everything that a sequence may do.
const ALL: [&str; 14] = [
    "advance", "change", "delete", "erase", "finalize", "invoice", "note", "patch", "pay",
    "restore", "settle", "trash", "undelete", "void",
];

#[tokio::test]
async fn money_is_there_once_on_the_embedded_store() {
    let succeeded = play(on_sqlite(), 0..60).await;
    let missing: Vec<&str> = ALL.into_iter().filter(|what| !succeeded.contains(what)).collect();
    assert!(missing.is_empty(), "never done: {missing:?}");
}

#[tokio::test]
async fn money_is_there_once_on_postgresql() {
    let (store, _database) = on_postgres().await;
    play(store, 1000..1012).await;
}
