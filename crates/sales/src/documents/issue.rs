//! Making a document, and issuing one: number, links, advances, credit and payments in one
//! decision.

use racun_documents::events::Happening;
use racun_documents::recognition::RecognitionDefault;
use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, Numbering, Relation, RelationType, Stage,
    credit, link,
};
use racun_fiscalization::{
    Facts, HeldPlace, Prepared, Sending, by_advances, check_outside_vat, tips,
};
use racun_kernel::{Authority, Issues, PaymentType};
use racun_records::{hold_documents, hold_targeting};
use racun_settlement::{NewPayment, Payment, PaymentWrite, Settleable, SettlementOutcome};
use racun_store::{Actor, Event, Held, Many, Number, Put, UnitBuilder, Writes};
use time::Date;

use crate::einvoicing::Judging;
use crate::error::Error;
use crate::recognition::HeldEntries;
use crate::settling::{WorkingSet, events, left, settleable};

/// All that is known of a document before the unit that makes or issues it.
pub(super) struct Plan {
    /// What is made or issued.
    pub kind: DocumentKind,
    /// The documents that it is linked to, in the order of its links.
    pub links: Vec<DocumentId>,
    /// Whether links of a new document are made that would be refused otherwise.
    pub forced: bool,
    /// What is paid with it.
    pub payments: Vec<NewPayment>,
    /// Its numbering; `None` for a draft that stays one.
    pub numbering: Option<Numbering>,
    /// Whether and how it is reported to a tax authority.
    pub fiscal: Prepared,
    /// Whose country's VAT system the entity is outside of; `None` when it may charge VAT.
    pub outside_vat: Option<Authority>,
    /// What decides on its electronic invoices.
    pub judging: Judging,
    /// What becomes of lines that do not say when they are recognised.
    pub recognition: RecognitionDefault,
    /// Today, in the entity's zone.
    pub today: Date,
}

/// A plan, with all that its unit holds for it besides the document itself.
pub(super) struct Planned {
    plan: Plan,
    /// The documents that it is linked to.
    targets: Many<Document>,
    /// The links to those of them that can be converted once.
    conversions: Many<Relation>,
    /// The entries of the documents that a credit note gives back of.
    credited: HeldEntries,
    place: Option<HeldPlace>,
    number: Option<Number>,
}

/// The document before the decision.
pub(super) enum Before {
    /// It is made now.
    New,
    /// It is a stored draft, with its links and payments.
    Draft(Box<Document>, Vec<Relation>, Vec<Payment>),
}

/// What a decision made of a document.
pub(super) struct Made {
    /// The document.
    pub document: Document,
    /// What is paid on it, advances among it, when it is issued.
    pub payments: Vec<Payment>,
    /// What a tax authority is to be told when it is stored.
    pub sending: Option<Sending>,
}

impl Plan {
    /// Holds what the decision takes: what it is linked to, where it is issued, and the sequence
    /// that it is numbered in.
    pub fn hold(self, unit: &mut UnitBuilder<'_>) -> Planned {
        let targets = hold_documents(unit, self.links.iter().copied());
        let convertible = |id: &DocumentId| {
            matches!(id.kind(), DocumentKind::Estimate | DocumentKind::DeliveryNote)
        };
        let convertible = self.links.iter().copied().filter(convertible);
        let conversions = hold_targeting(unit, convertible);
        let of_notes = match self.kind == DocumentKind::CreditNote && self.numbering.is_some() {
            true => HeldEntries::of(unit, self.links.iter().copied()),
            false => HeldEntries::none(),
        };
        let place = self.fiscal.hold(unit);
        let series = self.numbering.as_ref().map(|numbering| numbering.series.clone());
        let number = series.map(|series| unit.number(series));
        Planned { plan: self, targets, conversions, credited: of_notes, place, number }
    }
}

impl Planned {
    /// Decides on `draft`: links it, issues it when it is to be numbered, and settles it.
    ///
    /// # Errors
    /// What any of the rules refuses.
    pub fn decide(
        self,
        draft: Document,
        before: Before,
        held: &Held,
    ) -> Result<(Made, Writes), Error> {
        let Self { plan, targets, conversions, credited, place, number } = self;
        let (actor, stamp) = (held.actor(), held.actor().stamp());
        let mut targets = held.all(targets)?;
        let mut sheet = WorkingSet::of(targets.clone());
        let (old, mut relations) = match &before {
            Before::New => {
                let others = held.all(conversions)?;
                link::check(&draft, &targets, &others, plan.forced, left)?;
                (Vec::new(), link::links(&draft, &plan.links, plan.forced, stamp))
            }
            Before::Draft(_, relations, _) => {
                link::check_again(&draft, &targets, relations, left)?;
                (relations.clone(), relations.clone())
            }
        };
        let is_advance = draft.id.kind() == DocumentKind::AdvanceInvoice;
        let advance = settleable(&draft).filter(|_| is_advance && plan.numbering.is_some());
        let document = match (&plan.numbering, number) {
            (Some(numbering), Some(number)) => {
                let operator = actor.scope().person().cloned();
                draft.issue(numbering, held.number(&number)?, operator, plan.today, stamp)?
            }
            _ => draft,
        };
        if let Some(authority) = plan.outside_vat.filter(|_| !document.is_draft()) {
            let corrected = credit::credited(document.id, &relations, targets.iter());
            check_outside_vat(&document.content, authority, corrected)?;
        }
        if document.id.kind() == DocumentKind::CreditNote && !document.is_draft() {
            let total = &document.amounts.total_with_tax;
            credit::spread(total, &mut relations, &mut targets, left, stamp)?;
        }
        let is_new = matches!(before, Before::New);
        let (stored, paid) = match before {
            Before::New => (None, Vec::new()),
            Before::Draft(stored, _, paid) => (Some(*stored), paid),
        };
        let id = document.id;
        for target in targets.clone() {
            sheet.replace(target);
        }
        let mut sheet = sheet.with(stored, document);
        let outcome = plan.settle(&mut sheet, id, &relations, advance, actor)?;
        let mut document = sheet.document(id).cloned().ok_or_else(|| not_found(id))?;
        let mut writes = Writes::default().events(events_of(&document, is_new, actor));
        let (mut sending, mut payments) = (None, Vec::new());
        if !document.is_draft() {
            let paid = paid_by(&paid, outcome.as_ref(), id);
            payments = paid.iter().map(|payment| (*payment).clone()).collect();
            let means: Vec<PaymentType> = paid.iter().map(|payment| payment.kind).collect();
            document = plan.judging.judged(document, &targets, &means, stamp.now())?;
            let given = tips::of(id, paid.iter().copied());
            let settled = by_advances(paid);
            let place = place.map(|place| place.read(held)).transpose()?;
            let facts = Facts { means, settled, targets: &targets, place, now: held.now() };
            let issued = plan.fiscal.issue(document, facts)?;
            (document, sending) = (issued.document, issued.sending);
            writes.puts = issued.puts;
            if let Some((with_tips, job)) = tips::noted(&document, given, stamp) {
                document = with_tips;
                writes.puts.push(job);
            }
        } else {
            document = plan.judging.judged(document, &targets, &[], stamp.now())?;
        }
        let entries = document.recognition(plan.recognition, &credited.read(held)?, stamp);
        writes.puts.extend(entries.iter().map(Put::insert));
        sheet.replace(document.clone());
        writes.puts.extend(sheet.puts());
        writes.puts.extend(relation_puts(&old, &relations));
        if let Some(outcome) = &outcome {
            writes.puts.extend(outcome.writes.iter().map(PaymentWrite::put));
            writes.events.extend(events(outcome, actor));
        }
        writes.takes_number = !document.is_draft();
        Ok((Made { document, payments, sending }, writes))
    }
}

impl Plan {
    /// Pays the document with what it is made with, and applies its advances; `advance` is the
    /// draft of an advance invoice that is issued, which settlement does.
    fn settle(
        &self,
        sheet: &mut WorkingSet,
        id: DocumentId,
        relations: &[Relation],
        advance: Option<Settleable>,
        actor: &Actor,
    ) -> Result<Option<SettlementOutcome>, Error> {
        if matches!(id.kind(), DocumentKind::Estimate | DocumentKind::DeliveryNote) {
            return Ok(None);
        }
        let settlement = sheet.settlement(actor, self.today, Vec::new(), advances(relations));
        let (payments, stamp) = (self.payments.clone(), actor.stamp());
        let outcome = match advance {
            Some(draft) => settlement.with(draft).issue_advance(id, payments, stamp),
            None => settlement.cover(id.into(), payments, stamp),
        };
        let outcome = outcome.map_err(in_payments)?;
        sheet.take_over(&outcome, stamp);
        Ok(Some(outcome))
    }
}

/// The events of `document`, which was made now or was a draft.
fn events_of(document: &Document, is_new: bool, actor: &Actor) -> Vec<Event> {
    let event = |what| document.event(what, &actor.id(), actor.stamp());
    let created = is_new.then(|| event(Happening::Created)).flatten();
    let issued = match document.stage {
        Stage::Draft => None,
        _ if document.id.kind() == DocumentKind::CreditNote => event(Happening::Issued),
        _ => event(Happening::Finalized),
    };
    created.into_iter().chain(issued).collect()
}

/// What the document `id` is paid by: what was `paid` on it before, and what `outcome` makes.
fn paid_by<'a>(
    paid: &'a [Payment],
    outcome: Option<&'a SettlementOutcome>,
    id: DocumentId,
) -> Vec<&'a Payment> {
    let made =
        outcome.into_iter().flat_map(|outcome| &outcome.writes).filter_map(|write| match write {
            PaymentWrite::Insert(payment) => Some(payment),
            PaymentWrite::Update { .. } | PaymentWrite::Delete(_) => None,
        });
    let of_document = made.filter(|payment| payment.document_ids().any(|named| named == id));
    paid.iter().chain(of_document).collect()
}

/// The advance invoices among the targets of `relations`, in the order of the links.
pub(crate) fn advances(relations: &[Relation]) -> Vec<DocumentId> {
    let applied = |relation: &&Relation| relation.relation_type == RelationType::AdvanceApplied;
    relations.iter().filter(applied).map(|relation| relation.target_id).collect()
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
    racun_store::StoreError::NotFound { id: id.to_string() }.into()
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
