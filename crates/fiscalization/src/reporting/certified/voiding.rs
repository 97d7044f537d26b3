//! Voided documents: status A, with a reason. The signature stays, and so does the number.

use racun_access::Entity;
use racun_documents::{Document, PtRecord, PtReport, PtReportStatus, PtVoided, Stage, Voided};
use racun_portugal::restrictions::{self, Ending, Original};
use racun_portugal::{
    PT_FORMS, PortugalError, PortugalRefusal, RecoveredForm, WallTime, source_id,
};
use racun_store::{Actor, Held, One, Put, StoreError, UnitBuilder};

use super::prepare::{home, nif};
use super::report;

/// Accepts that `document`, which was certified and has a `receipt` that holds, is voided as
/// `voided` says. It `is_rectified` where a credit note over it holds, whatever that gives back.
///
/// # Errors
/// `required` or `too_long` for `reason`; [`PortugalRefusal::VoidedBefore`];
/// [`PortugalRefusal::Rectified`]; [`PortugalRefusal::Receipted`];
/// [`PortugalRefusal::OriginalGone`].
pub fn check_void(
    document: &Document,
    voided: &Voided,
    is_rectified: bool,
    receipt: Option<&str>,
) -> Result<(), PortugalError> {
    let Ok(number) = document.number().parse() else { return Ok(()) };
    let original = Original {
        number: &number,
        is_voided: matches!(document.stage, Stage::Voided(..)),
        is_rectified,
        receipt,
    };
    let has_original = voided.has_original_document.unwrap_or(true);
    match restrictions::check_void(&original, voided.reason.as_deref(), has_original)? {
        Ending::Voided => Ok(()),
        Ending::Credited => Err(PortugalRefusal::OriginalGone.into()),
    }
}

/// `document`, which was just voided, with what its record says of that.
#[must_use]
pub fn voided(document: Document, entity: &Entity, actor: &Actor) -> Document {
    let Some(record) = document.pt.as_deref().cloned() else { return document };
    let at = WallTime::of(actor.now(), home(entity).zone());
    let at = at.map_or_else(|| record.entered_at.clone(), |at| at.to_string());
    let by = source_id(&actor.scope().principal().id());
    let record = PtRecord { voided: Some(PtVoided { at, by }), ..record };
    Document { pt: Some(Box::new(record)), ..document }
}

/// `document`, which was just voided, with the message that tells the authority so, and the job
/// that sends it; nothing where it was not told of the document.
#[must_use]
pub fn reported_void(
    mut document: Document,
    entity: &Entity,
    actor: &Actor,
) -> (Document, Option<Put>) {
    let told = document.pt.as_deref().is_some_and(|record| record.report.is_some());
    let message = report::void_message(&document, nif(entity)).filter(|_| told);
    let Some(message) = message else { return (document, None) };
    let job = report::job(&document, actor.scope().account(), actor.stamp());
    if let Some(record) = &mut document.pt {
        let before = record.report.take().map(|own| *own);
        record.report = Some(Box::new(match before {
            // What was not taken yet goes first.
            Some(own) if !own.message.is_empty() => {
                let message = format!("{}\n{message}", own.message);
                PtReport { message, status: PtReportStatus::Pending, ..own }
            }
            Some(own) => PtReport { reported_at: own.reported_at, ..PtReport::pending(message) },
            None => PtReport::pending(message),
        }));
    }
    (document, Some(job))
}

/// The form that a document was recovered from, as the unit that voids it holds it.
pub struct HeldForm(One<RecoveredForm>);

impl HeldForm {
    /// Holds the form of `document`, where it was recovered from one.
    pub fn hold(unit: &mut UnitBuilder<'_>, document: &Document) -> Option<Self> {
        let manual = document.pt.as_deref().and_then(|record| record.manual.as_ref());
        manual.map(|_| Self(unit.hold(&PT_FORMS, document.id)))
    }

    /// Lets the form be entered again.
    ///
    /// # Errors
    /// When the row is not what its table keeps.
    pub fn freed(self, held: &Held) -> Result<Option<Put>, StoreError> {
        let found: Option<RecoveredForm> = held.find(self.0)?;
        Ok(found.map(|form| Put::update(&form, &form.clone().freed())))
    }
}
