//! The last document of a series, and how the next one is certified.

use racun_kernel::calendar::date;
use racun_kernel::id::EntityId;
use racun_kernel::{Currency, Decimal, DocumentId, Tenant};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use super::PtSeries;
use crate::{
    Atcud, Hash, HashControl, MAX_NUMBER_CHARS, ManualNumber, Number, PortugalError,
    PortugalRefusal, ProgramKey, Signed, WallTime, check_date,
};

/// The last document of a series: what the next one is chained to.
///
/// It is kept in the series, whose row the unit that takes the number holds, so that the chain has
/// the order of the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// The sequence of its number.
    pub sequence: i64,
    /// Its date.
    #[serde(with = "date")]
    pub date: Date,
    /// When it entered the system.
    pub entered_at: WallTime,
    /// Its signature; `None` of receipts, which have none.
    pub hash: Option<Hash>,
}

/// What a document that is about to be issued says, as far as it is certified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh {
    /// Its date: of the form, when it is recovered.
    pub date: Date,
    /// What the clock on the wall of the establishment shows.
    pub wall: WallTime,
    /// Its total with tax in euros; zero where it shows no value.
    pub total: Decimal,
    /// The form that it is recovered from.
    pub form: Option<ManualNumber>,
}

/// What a receipt has by being issued, and keeps for good. It is not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipted {
    /// Its number.
    pub number: Number,
    /// Its unique code.
    pub atcud: Atcud,
    /// When it entered the system, on the day of which it is dated.
    pub entered_at: WallTime,
}

/// What a document has by being issued, and keeps for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certified {
    /// Its number.
    pub number: Number,
    /// Its unique code.
    pub atcud: Atcud,
    /// When it entered the system: `SystemEntryDate`.
    pub entered_at: WallTime,
    /// Its signature.
    pub hash: Hash,
    /// The version of the key; for a recovered document with its form.
    pub hash_control: HashControl,
}

impl PtSeries {
    /// Certifies `fresh` as the document `sequence` of the series, behind `head`, and answers the
    /// new head.
    ///
    /// It is pure, so that a unit of the store can do it while it holds series, head and number.
    ///
    /// # Errors
    /// [`PortugalRefusal::SeriesClosed`], [`PortugalRefusal::SeriesFull`]; what is wrong with the
    /// date; a clock that is wrong; a key that does not sign. Nothing is numbered then.
    pub fn certify(
        &self,
        head: Option<&ChainHead>,
        sequence: i64,
        fresh: &Fresh,
        key: &dyn ProgramKey,
    ) -> Result<(Certified, ChainHead), PortugalError> {
        if !self.document_type.code().is_signed() {
            return Err(PortugalRefusal::SeriesOfOther.into());
        }
        let place = self.place(head, sequence, fresh.wall, fresh.form.is_some())?;
        let Receipted { number, atcud, entered_at } = place;
        check_date(fresh.date, entered_at, self.start_date, head.map(|head| head.date))?;
        let total = Currency::EUR.round(&fresh.total);
        let previous = head.and_then(|head| head.hash.as_ref());
        let signed =
            Signed { date: fresh.date, entered_at, number: &number, total: &total, previous };
        let hash = signed.sign(key)?;
        let head = ChainHead { sequence, date: fresh.date, entered_at, hash: Some(hash.clone()) };
        let hash_control = match &fresh.form {
            None => HashControl::Own(key.version()),
            Some(form) => HashControl::Recovered(key.version(), form.clone()),
        };
        Ok((Certified { number, atcud, entered_at, hash, hash_control }, head))
    }

    /// Issues a receipt as the document `sequence` of the series, behind `head`, and answers the
    /// new head. It is dated on the day on which it is issued, whenever the money came, so its
    /// series does not run back.
    ///
    /// # Errors
    /// As [`PtSeries::certify`], but for the key.
    pub fn receipt(
        &self,
        head: Option<&ChainHead>,
        sequence: i64,
        wall: WallTime,
    ) -> Result<(Receipted, ChainHead), PortugalError> {
        if self.document_type.code().is_signed() {
            return Err(PortugalRefusal::SeriesOfOther.into());
        }
        let place = self.place(head, sequence, wall, false)?;
        let (entered_at, date) = (place.entered_at, place.entered_at.date());
        check_date(date, entered_at, self.start_date, head.map(|head| head.date))?;
        Ok((place, ChainHead { sequence, date, entered_at, hash: None }))
    }

    /// The number `sequence` behind `head`, with its code and its time.
    fn place(
        &self,
        head: Option<&ChainHead>,
        sequence: i64,
        wall: WallTime,
        is_manual: bool,
    ) -> Result<Receipted, PortugalError> {
        self.accept(self.document_type, is_manual)?;
        let expected = head.map_or(self.initial_sequence, |head| head.sequence + 1);
        if sequence != expected {
            return Err(PortugalError::OutOfSequence { expected, shown: sequence });
        }
        let number = self.number(sequence);
        if number.as_str().len() > MAX_NUMBER_CHARS {
            return Err(PortugalRefusal::SeriesFull.into());
        }
        let entered_at = entry_time(wall, head.map(|head| head.entered_at))?;
        let atcud = Atcud::new(&self.validation_code, &number);
        Ok(Receipted { number, atcud, entered_at })
    }
}

/// A form that a document was recovered from: each is entered once, unless the document was voided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveredForm {
    /// Whose.
    pub entity_id: EntityId,
    /// What the form says.
    pub form: ManualNumber,
    /// The document.
    pub document_id: DocumentId,
    /// Whether the document holds: not that it is voided.
    pub is_active: bool,
    /// When it was entered.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl RecoveredForm {
    /// The form of `document`.
    #[must_use]
    pub const fn of(
        entity_id: EntityId,
        form: ManualNumber,
        document_id: DocumentId,
        created_at: OffsetDateTime,
    ) -> Self {
        Self { entity_id, form, document_id, is_active: true, created_at }
    }

    /// The same after its document was voided: the form may be entered again.
    #[must_use]
    pub fn freed(self) -> Self {
        Self { is_active: false, ..self }
    }
}

racun_store::record! {
    /// Where forms are kept that documents were recovered from. A row's id is the document's.
    pub static PT_FORMS: RecoveredForm = "pt_forms";
    |form|
    id: form.document_id,
    tenant: Tenant::entity(form.entity_id),
    fields: {
        Field::id() => form.document_id.to_string(),
        Field::instant("created_at") => form.created_at,
        Field::text("key").unique(Unique::Tenant).hidden()
            => form.is_active.then(|| form.form.key()),
    }
}

/// When a document enters a series whose last one entered at `last`: the time on the wall.
///
/// In the night in which summer time ends the clock shows an hour twice. The times of a series do
/// not run back, so a document of the second hour takes the time of the one before it. Source:
/// Despacho 8632/2014, 3.2 and 3.4.3.
///
/// # Errors
/// [`PortugalRefusal::ClockBehind`] where the clock shows more than an hour before `last`: it is
/// wrong.
pub fn entry_time(wall: WallTime, last: Option<WallTime>) -> Result<WallTime, PortugalRefusal> {
    let Some(last) = last else { return Ok(wall) };
    wall.behind(last).ok_or(PortugalRefusal::ClockBehind { last })
}

/// When the last document entered that is in an active one of `series`: the clock of an entity is
/// not behind that for any of its documents. A closed series that ran ahead holds nothing up.
///
/// Source: Despacho 8632/2014, 3.4.3, which has the user asked. An interface for programs has no
/// user to ask, so it refuses.
#[must_use]
pub fn last_entry<'a>(series: impl IntoIterator<Item = &'a PtSeries>) -> Option<WallTime> {
    let heads =
        series.into_iter().filter(|own| own.is_active()).filter_map(|own| own.head.as_ref());
    heads.map(|head| head.entered_at).max()
}
