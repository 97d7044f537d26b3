//! What stands around a document that is to be voided: the credit notes that give back of it or
//! settle it and, of a credit note, the invoice that it settles.

use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, RELATIONS, Refused, Relation, RelationType,
    Stage,
};
use racun_kernel::Decimal;
use racun_records::{
    Sourced, all_of, all_where, by_field, hold_documents, hold_payments, hold_targeting, links_of,
    payment_field,
};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Context, Held, Many, UnitBuilder};

use super::issue::advances;
use crate::error::Error;
use crate::settling::{WorkingSet, hold_allocations};

/// What was seen around a document before the unit that voids it.
pub(super) struct Around {
    id: DocumentId,
    /// Credit notes over an invoice or, in Portugal, an advance, and those that settle an invoice.
    notes: Vec<DocumentId>,
    /// The invoices that a credit note settles.
    settled: Vec<DocumentId>,
    /// The links of the invoice among them that it also gives back of.
    own_links: Option<(DocumentId, Vec<Relation>)>,
    /// Whether its payments are looked at.
    has_payments: bool,
}

/// What of it is there.
pub(super) struct FoundAround {
    /// The payments by which credit notes settle the document or, of a credit note, by which it
    /// settles others.
    pub settlements: Vec<Payment>,
    /// The links of the credit notes that give back of the document.
    pub credits: Vec<Relation>,
    /// The invoice that a credit note both settles and gives back of, with its advances and the
    /// allocations that it has.
    pub own: Option<OwnInvoice>,
    /// Whether a credit note over the document is in effect, also one that gives back none of its
    /// value.
    pub is_rectified: bool,
    /// The number of a receipt that holds of a payment on the document.
    pub receipt: Option<String>,
}

/// The invoice that a credit note both settles and gives back of.
pub(super) struct OwnInvoice {
    pub id: DocumentId,
    pub advances: Vec<DocumentId>,
    pub allocations: Vec<Payment>,
}

fn is_active_settlement(payment: &Payment) -> bool {
    payment.is_credit_settlement() && payment.deleted_at.is_none()
}

/// The documents `ids`, each once, in their order.
fn each_once(ids: impl Iterator<Item = DocumentId>) -> Vec<DocumentId> {
    let mut ids: Vec<DocumentId> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl Around {
    /// Sees what stands around `document`, whose links are `links`.
    pub async fn of(
        cx: Context<'_>,
        document: &Document,
        links: &[Relation],
    ) -> Result<Self, Error> {
        let (id, tenant) = (document.id, cx.tenant());
        let is_settled = matches!(id.kind(), DocumentKind::Invoice | DocumentKind::CreditNote);
        // Of an advance only receipts and credit notes are looked for.
        let is_advance = id.kind() == DocumentKind::AdvanceInvoice && document.pt.is_some();
        let (notes, settled, own_links) = (Vec::new(), Vec::new(), None);
        let has_payments = is_settled || is_advance;
        let mut around = Self { id, notes, settled, own_links, has_payments };
        if is_advance {
            around.notes = each_once(notes_over(cx, id).await?.into_iter());
        }
        if !is_settled {
            return Ok(around);
        }
        let by_document = by_field(&PAYMENTS, payment_field(id), &id.to_string());
        let by_credit = by_field(&PAYMENTS, "type", "credit_note");
        let paid: Vec<Payment> =
            all_where(cx.store, &tenant, &PAYMENTS, vec![by_document, by_credit]).await?;
        let settling = || paid.iter().filter(|payment| is_active_settlement(payment));
        if id.kind() == DocumentKind::Invoice {
            let settling = settling().filter_map(|payment| payment.credit_note_id);
            around.notes = each_once(settling.chain(notes_over(cx, id).await?));
            return Ok(around);
        }
        around.settled = each_once(settling().filter_map(|payment| payment.invoice_id));
        if let [invoice] = around.settled[..]
            && links.iter().any(|link| link.target_id == invoice && gives_back(link))
        {
            around.own_links = Some((invoice, links_of(cx, invoice).await?));
        }
        Ok(around)
    }

    /// The credit notes over the document, and those that settle it.
    pub fn notes(&self) -> &[DocumentId] {
        &self.notes
    }

    /// Holds it, besides the `named` documents, which are held already.
    pub fn hold(self, unit: &mut UnitBuilder<'_>, named: &[Relation]) -> HeldAround {
        let of_own = self.own_links.iter().flat_map(|(_, links)| links);
        let advances = of_own
            .map(|link| link.target_id)
            .filter(|target| target.kind() == DocumentKind::AdvanceInvoice);
        let mut documents = each_once(self.notes.iter().copied().chain(advances));
        documents.retain(|id| *id != self.id && named.iter().all(|link| link.target_id != *id));
        let documents = hold_documents(unit, documents);
        // Those of which notes were looked for.
        let is_credited = self.has_payments && self.id.kind() != DocumentKind::CreditNote;
        let credits = hold_targeting(unit, is_credited.then_some(self.id));
        let payments = self.has_payments.then(|| hold_payments(unit, self.id));
        let own = self
            .own_links
            .as_ref()
            .map(|(invoice, _)| (Sourced::hold(unit, *invoice), hold_allocations(unit, *invoice)));
        HeldAround { seen: self, documents, credits, payments, own }
    }
}

/// What of it the unit holds.
pub(super) struct HeldAround {
    seen: Around,
    documents: Many<Document>,
    credits: Many<Relation>,
    payments: Option<Many<Payment>>,
    own: Option<(Sourced, Many<Payment>)>,
}

impl HeldAround {
    /// What is held, when it is still what was seen; its documents come into `sheet`.
    ///
    /// # Errors
    /// [`DocumentError::ChangedMeanwhile`] when it is not.
    pub fn read(self, held: &Held, sheet: &mut WorkingSet) -> Result<FoundAround, Error> {
        let seen = self.seen;
        *sheet = std::mem::take(sheet).with_held(held.all(self.documents)?);
        let mut settlements = held.all(self.payments)?;
        let receipts = settlements.iter().filter_map(|payment| payment.receipt.as_ref());
        let receipt = receipts.filter(|own| own.holds()).map(|own| own.number.clone()).next();
        let is_advance = seen.id.kind() == DocumentKind::AdvanceInvoice;
        settlements.retain(|payment| !is_advance && is_active_settlement(payment));
        let mut credits = held.all(self.credits)?;
        credits.retain(|relation| is_credit_on(relation, seen.id));
        let is_new = credits.iter().any(|relation| !seen.notes.contains(&relation.source_id));
        let is_rectified = credits.iter().any(|relation| {
            let note = sheet.document(relation.source_id);
            note.is_some_and(|note| matches!(note.stage, Stage::Issued(_)))
        });
        credits.retain(gives_back);
        credits.sort_by_key(|relation| (relation.created_at, relation.id));
        let own = match (self.own, seen.own_links) {
            (Some((links, allocations)), Some((id, seen))) => {
                let links = links.read(held)?;
                if !super::create::same_links(&seen, &links) {
                    return Err(DocumentError::ChangedMeanwhile.into());
                }
                let (advances, allocations) = (advances(&links), held.all(allocations)?);
                Some(OwnInvoice { id, advances, allocations })
            }
            _ => None,
        };
        let found = FoundAround { settlements, credits, own, is_rectified, receipt };
        let settled = each_once(found.settlements.iter().filter_map(|own| own.invoice_id));
        let is_note = seen.id.kind() == DocumentKind::CreditNote;
        let unseen = |id: &DocumentId| sheet.document(*id).is_none();
        let is_changed = is_new || (is_note && settled != seen.settled);
        if is_changed || found.notes().iter().any(unseen) {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        Ok(found)
    }
}

/// The credit notes that are linked to the document `id`, those that do not hold included.
async fn notes_over(cx: Context<'_>, id: DocumentId) -> Result<Vec<DocumentId>, Error> {
    let to_it = by_field(&RELATIONS, "target_id", &id.to_string());
    let relations: Vec<Relation> = all_of(cx.store, &cx.tenant(), &RELATIONS, to_it).await?;
    let credits = relations.iter().filter(|relation| is_credit_on(relation, id));
    Ok(credits.map(|relation| relation.source_id).collect())
}

/// Whether the relation is a credit note's to the document `id`.
fn is_credit_on(relation: &Relation, id: DocumentId) -> bool {
    relation.target_id == id && relation.relation_type == RelationType::CreditFor
}

/// Whether the credit note of this link is in effect and gives back something by it.
fn gives_back(link: &Relation) -> bool {
    link.amount.is_positive()
}

impl FoundAround {
    /// The credit notes that it knows of.
    fn notes(&self) -> Vec<DocumentId> {
        let settling = self.settlements.iter().filter_map(|payment| payment.credit_note_id);
        each_once(settling.chain(self.credits.iter().map(|relation| relation.source_id)))
    }

    /// The credit notes that give back of the document, oldest first.
    ///
    /// # Errors
    /// [`Refused::CreditUnclear`] when one gives back of others, too.
    pub fn credited(&self, sheet: &WorkingSet) -> Result<Vec<Document>, Error> {
        let note = |link: &Relation| {
            let found = sheet.document(link.source_id).cloned();
            let note = found.ok_or(Error::from(DocumentError::ChangedMeanwhile))?;
            let is_only = note.amounts.total_with_tax == link.amount;
            if is_only { Ok(note) } else { Err(Refused::CreditUnclear.into()) }
        };
        self.credits.iter().map(note).collect()
    }

    /// Whether the credit note `note`, whose links are `links`, may be voided.
    ///
    /// # Errors
    /// [`Refused::TookBack`] when what it gives back of is voided, [`Refused::Settled`] when money
    /// was paid back on it, [`Refused::SettlesInvoice`] when it settles anything but the one
    /// invoice that it gives back of.
    pub fn check_note(
        &self,
        note: &Document,
        links: &[Relation],
        sheet: &WorkingSet,
    ) -> Result<(), Refused> {
        let is_voided = |link: &Relation| {
            let target = sheet.document(link.target_id);
            gives_back(link)
                && target.is_some_and(|target| matches!(target.stage, Stage::Voided(..)))
        };
        if links.iter().any(is_voided) {
            return Err(Refused::TookBack);
        }
        let settled: Decimal = self.settlements.iter().map(|payment| &payment.amount).sum();
        if note.amounts.total_paid > settled {
            return Err(Refused::Settled);
        }
        let settles_others = !self.settlements.is_empty() && self.own.is_none();
        if settles_others { Err(Refused::SettlesInvoice) } else { Ok(()) }
    }
}
