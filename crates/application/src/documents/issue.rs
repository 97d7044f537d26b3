//! Making a document, and issuing one: number, links, advances, credit and payments in one
//! decision.

use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, Numbering, Relation, RelationType, Stage,
};
use racun_kernel::{Event, Issues, Load, Put, Scope, Series, Stamp, StoreError, Stored, Writes};
use racun_settlement::{NewPayment, Outcome, PAYMENTS, Payment, PaymentWrite, SettleableStage};
use time::{Date, OffsetDateTime};

use super::links;
use crate::error::Error;
use crate::fiscalization::{Facts, Prepared, Sending, by_advances, check_outside_vat, means, tips};
use crate::settling::{Sheet, events, payments};

/// All that is known of a document before the unit that makes or issues it.
pub(super) struct Plan {
    /// The documents that it is linked to, in the order of its links.
    pub links: Vec<DocumentId>,
    /// Whether links of a new document are made that would be refused otherwise.
    pub forced: bool,
    /// What is paid with it.
    pub payments: Vec<NewPayment>,
    /// Its numbering; `None` for a draft that stays one.
    pub numbering: Option<Numbering>,
    /// Whether and how a tax authority is told of it.
    pub fiscal: Prepared,
    /// Whether the entity may charge VAT.
    pub charges_vat: bool,
    /// Today, in the entity's zone.
    pub today: Date,
    /// Who makes it.
    pub scope: Scope,
    /// When.
    pub stamp: Stamp,
}

/// The document before the decision.
pub(super) enum Before {
    /// It is made now.
    New,
    /// It is a stored draft, with its links and payments.
    Draft(Box<Document>, Vec<Relation>, Vec<Payment>),
}

/// What the decision on a document is shown besides it.
pub(super) struct Shown {
    /// The documents that it is linked to, with their links.
    pub linked: Vec<Vec<Stored>>,
    /// Where it is issued, when a tax authority is told of it.
    pub places: Vec<Vec<Stored>>,
    /// The next number of its sequence.
    pub number: Option<i64>,
    /// The time on the store's clock, where it has one.
    pub now: Option<OffsetDateTime>,
}

/// What a decision made of a document.
pub(super) struct Made {
    /// The document.
    pub document: Document,
    /// What a tax authority is to be told when it is stored.
    pub sending: Option<Sending>,
}

/// The field of payments that names a document of this kind.
pub(crate) const fn payment_field(id: DocumentId) -> &'static str {
    match id.kind() {
        DocumentKind::CreditNote => "credit_note_id",
        DocumentKind::AdvanceInvoice => "advance_invoice_id",
        DocumentKind::Invoice | DocumentKind::Estimate | DocumentKind::DeliveryNote => "invoice_id",
    }
}

/// Holds the payments on the document `id`.
pub(crate) fn load_payments(scope: &Scope, id: DocumentId) -> Load {
    let (tenant, value) = (scope.tenant(), id.to_string());
    Load::Where { table: &PAYMENTS, tenant, field: payment_field(id), value }
}

/// The payments among held rows that are in no trash.
pub(crate) fn read_payments(rows: &[Vec<Stored>]) -> Result<Vec<Payment>, StoreError> {
    let mut found = payments(rows)?;
    found.retain(|payment| payment.deleted_at.is_none());
    Ok(found)
}

impl Plan {
    /// What the decision has to hold, besides the document itself.
    pub fn loads(&self) -> Vec<Load> {
        let targets = self.links.iter().map(|id| links::load(&self.scope, *id));
        let convertible = |id: &&DocumentId| {
            matches!(id.kind(), DocumentKind::Estimate | DocumentKind::DeliveryNote)
        };
        let conversions = self.links.iter().filter(convertible);
        targets.chain(conversions.map(|id| links::load_targeting(&self.scope, *id))).collect()
    }

    /// What has to be held where it is issued.
    pub fn places(&self) -> Vec<Load> {
        self.fiscal.issuing().map(|issuing| issuing.loads()).unwrap_or_default()
    }

    /// The sequence that it is numbered in.
    pub fn series(&self) -> Option<Series> {
        self.numbering.as_ref().map(|numbering| numbering.series.clone())
    }

    /// Decides on `draft`: links it, issues it when it is to be numbered, and settles it.
    ///
    /// # Errors
    /// What any of the rules refuses.
    pub fn decide(
        self,
        draft: Document,
        before: Before,
        shown: Shown,
    ) -> Result<(Made, Writes), Error> {
        let Shown { linked, places, number, now } = shown;
        let rows = &linked;
        let mut targets = links::documents(rows)?;
        targets.retain(|target| self.links.contains(&target.id));
        targets.sort_by_key(|target| self.links.iter().position(|id| *id == target.id));
        let others = links::relations(rows)?;
        let (old, mut relations) = match &before {
            Before::New => {
                links::check(draft.id, &draft.content, &targets, &others, self.forced)?;
                (Vec::new(), links::link(&draft, &self.links, self.forced, &self.stamp))
            }
            Before::Draft(_, relations, _) => {
                links::check_again(draft.id, &draft.content, &targets, relations)?;
                (relations.clone(), relations.clone())
            }
        };
        let document = match (&self.numbering, number) {
            (Some(numbering), Some(sequence)) => {
                let operator = self.scope.person().cloned();
                draft.issue(numbering, sequence, operator, self.today, &self.stamp)?
            }
            _ => draft,
        };
        if !(self.charges_vat || document.is_draft()) {
            let corrected = links::credited(document.id, &relations, targets.iter());
            check_outside_vat(&document.content, corrected)?;
        }
        if document.id.kind() == DocumentKind::CreditNote && !document.is_draft() {
            let total = &document.amounts.total_with_tax;
            links::credit(total, &mut relations, &mut targets, &self.stamp)?;
        }
        let is_new = matches!(before, Before::New);
        let (stored, paid) = match before {
            Before::New => (None, Vec::new()),
            Before::Draft(stored, _, paid) => (Some(*stored), paid),
        };
        let id = document.id;
        let mut sheet = Sheet::of(links::documents(rows)?);
        for target in targets.clone() {
            sheet.replace(target);
        }
        let mut sheet = sheet.with(stored, document);
        let outcomes = self.settle(&mut sheet, id, &relations)?;
        let mut document = sheet.document(id).cloned().ok_or_else(|| not_found(id))?;
        let mut writes = Writes { events: self.events(&document, is_new), ..Writes::default() };
        let mut sending = None;
        if !document.is_draft() {
            let paid = paid_by(&paid, &outcomes, id);
            let means = paid.iter().map(|payment| means(payment.kind)).collect();
            let given = tips::of(id, paid.iter().copied());
            let settled = by_advances(paid);
            let facts = Facts { means, settled, targets: &targets, held: &places, now };
            let issued = self.fiscal.issue(document, facts)?;
            (document, sending) = (issued.document, issued.sending);
            writes.puts = issued.puts;
            if let Some((with_tips, job)) = tips::noted(&document, given, &self.stamp) {
                document = with_tips;
                writes.puts.push(job);
            }
            sheet.replace(document.clone());
        }
        writes.puts.extend(sheet.puts());
        writes.puts.extend(relation_puts(&old, &relations));
        for outcome in &outcomes {
            writes.puts.extend(outcome.writes.iter().map(racun_settlement::PaymentWrite::put));
            writes.events.extend(events(outcome, &self.scope, &self.stamp));
        }
        writes.takes_number = !document.is_draft();
        Ok((Made { document, sending }, writes))
    }

    /// Pays the document with what it is made with, applies its advances, and lets an advance
    /// invoice be issued only when it is covered.
    fn settle(
        &self,
        sheet: &mut Sheet,
        id: DocumentId,
        relations: &[Relation],
    ) -> Result<Vec<Outcome>, Error> {
        if matches!(id.kind(), DocumentKind::Estimate | DocumentKind::DeliveryNote) {
            return Ok(Vec::new());
        }
        let advances = advances(relations);
        let mut settlement = sheet.settlement(&self.scope, self.today, Vec::new(), advances);
        let text = id.to_string();
        let issuing = sheet.document(id).is_some_and(|document| !document.is_draft());
        let advance = id.kind() == DocumentKind::AdvanceInvoice;
        if advance && issuing {
            // It takes payments while it is a draft, and is issued by them.
            let own = settlement.documents.iter_mut().filter(|document| document.id == text);
            own.for_each(|document| document.stage = SettleableStage::Draft);
        }
        let covered = settlement.clone().cover(&text, self.payments.clone(), &self.stamp);
        let covered = covered.map_err(in_payments)?;
        sheet.take_over(&covered, &self.stamp);
        if !(advance && issuing) {
            return Ok(vec![covered]);
        }
        for document in &mut settlement.documents {
            if let Some(after) = covered.documents.iter().find(|after| after.id == document.id) {
                *document = after.clone();
            }
        }
        let issued = settlement.issue_advance(&text, &self.stamp)?;
        Ok(vec![covered, issued])
    }

    fn events(&self, document: &Document, is_new: bool) -> Vec<Event> {
        let (actor, now) = (self.scope.principal().id(), &self.stamp);
        let created = is_new.then(|| document.event("created", &actor, now)).flatten();
        let issued = match document.stage {
            Stage::Draft => None,
            _ if document.id.kind() == DocumentKind::CreditNote => {
                document.event("issued", &actor, now)
            }
            _ => document.event("finalized", &actor, now),
        };
        created.into_iter().chain(issued).collect()
    }
}

/// What the document `id` is paid by: what was `paid` on it before, and what `outcomes` make.
fn paid_by<'a>(paid: &'a [Payment], outcomes: &'a [Outcome], id: DocumentId) -> Vec<&'a Payment> {
    let id = id.to_string();
    let made =
        outcomes.iter().flat_map(|outcome| &outcome.writes).filter_map(|write| match write {
            PaymentWrite::Insert(payment) => Some(payment),
            PaymentWrite::Update { .. } | PaymentWrite::Delete(_) => None,
        });
    let of_document = made.filter(|payment| payment.documents().any(|named| named == id));
    paid.iter().chain(of_document).collect()
}

/// The advance invoices among the targets of `relations`, in the order of the links.
pub(crate) fn advances(relations: &[Relation]) -> Vec<String> {
    let applied = |relation: &&Relation| relation.relation_type == RelationType::AdvanceApplied;
    relations.iter().filter(applied).map(|relation| relation.target_id.to_string()).collect()
}

/// What becomes of links: those that are gone, new or changed.
pub(super) fn relation_puts(old: &[Relation], new: &[Relation]) -> Vec<Put> {
    let gone = old.iter().filter(|old| new.iter().all(|new| new.id != old.id)).map(Put::delete);
    let written = new.iter().filter_map(|new| match old.iter().find(|old| old.id == new.id) {
        None => Some(Put::insert(new)),
        Some(old) if old != new => Some(Put::update(old, new)),
        Some(_) => None,
    });
    gone.chain(written).collect()
}

fn not_found(id: DocumentId) -> Error {
    racun_kernel::StoreError::NotFound { id: id.to_string() }.into()
}

/// The error as found in the request's `payments`.
pub(crate) fn in_payments(error: racun_settlement::SettlementError) -> Error {
    match Error::from(error) {
        Error::Document(DocumentError::Invalid(issues)) => {
            let mut outer = Issues::default();
            outer.extend_at("payments", issues);
            outer.into()
        }
        other => other,
    }
}
