//! What a request would make, with its payments and the advances that it names: decided as in
//! creation, and not written.

use racun_access::Entity;
use racun_documents::recognition::RecognitionSide;
use racun_documents::{Document, DocumentKind, Numbering, Stage};
use racun_fiscalization::{Prepared, outside_vat};
use racun_records::get_documents;
use racun_settlement::Payment;
use racun_store::{Context, Writes};

use super::create::{Creation, Origin, check_draft, draft};
use super::gather::ResolvedReferences;
use super::issue::{Before, Plan};
use super::links;
use super::numbers::numbering;
use super::read::recalled;
use super::request::DocumentRequest;
use crate::einvoicing::Judging;
use crate::error::Error;
use crate::recognition::default_of;

/// A document that is not made.
#[derive(Debug, Clone)]
pub struct Foreseen {
    /// The document: a draft, for it has no number, settled as it would be.
    pub document: Document,
    /// What would be paid on it, advances among it.
    pub payments: Vec<Payment>,
    /// The numbers of the documents that it refers to.
    pub linked: Vec<String>,
}

/// The document that `request` would make, as it would be settled. Nothing is written, no number
/// is taken, and no authority is asked.
///
/// # Errors
/// What [`super::create`] would refuse, but for what fiscalization lacks.
pub async fn foresee(
    cx: Context<'_>,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    creation: Creation,
) -> Result<Foreseen, Error> {
    check_draft(kind, &creation)?;
    let gathered = recalled(cx, entity, &request).await?;
    let links = links::named(cx, &request).await?.unwrap_or_default();
    let origin = Origin::Request(creation.custom);
    let (document, _) = draft(&cx.actor(), kind, &request, &gathered, origin)?;
    // Nothing is settled on what stands alone, so no unit is needed to know that.
    if creation.payments.is_empty() && links.is_empty() {
        return Ok(Foreseen { document, payments: Vec::new(), linked: Vec::new() });
    }
    let targets = get_documents(cx.store, cx.scope, links.iter().copied()).await?;
    let named = |id| targets.iter().find(|target| target.id == id).map(Document::number);
    let linked = links.iter().copied().filter_map(named).collect();
    let plan = Plan {
        kind,
        links,
        // Whether a customer who is named in words is the catalogue's, only creation finds out.
        forced: request.force_linked_documents || request.customer_id.value().is_none(),
        payments: creation.payments,
        numbering: match creation.is_draft {
            true => None,
            false => Some(numbering_of(&gathered, &document)?),
        },
        fiscal: Prepared::Plain,
        outside_vat: outside_vat(&gathered.entity),
        judging: Judging::of(&gathered.entity),
        recognition: default_of(&gathered.entity, RecognitionSide::Revenue),
        today: gathered.today,
    };
    let mut unit = cx.unit();
    let plan = plan.hold(&mut unit);
    let made = unit.decide(move |held| {
        let (made, _) = plan.decide(document, Before::New, held)?;
        Ok::<_, Error>((made, Writes::default()))
    });
    let made = made.await?;
    Ok(Foreseen {
        document: Document { stage: Stage::Draft, ..made.document },
        payments: made.payments,
        linked,
    })
}

fn numbering_of(gathered: &ResolvedReferences, document: &Document) -> Result<Numbering, Error> {
    let (kind, date) = (document.id.kind(), document.content.date);
    Ok(numbering(&gathered.entity, kind, date, gathered.unit.as_ref())?)
}
