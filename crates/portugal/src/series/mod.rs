//! Series: in which documents are numbered, each known to the authority.
//!
//! | Module  | Owns                                              |
//! | ------- | ------------------------------------------------- |
//! | `new`   | what a caller says of a new series                |
//! | `chain` | the last document of a series, and the next one   |
//!
//! Source: Decreto-Lei 28/2019, articles 7 and 35; Despacho 8632/2014, 1.8 and 1.9; AT,
//! "Comunicação de Séries Documentais", 1.0.

mod chain;
mod new;

use racun_kernel::calendar::date;
use racun_kernel::id::{EntityId, PtSeriesId};
use racun_kernel::{Issue, Issues, Tenant};
use racun_store::{Actor, Decision, EventKind, Field, Series, Unique};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::{Number, PortugalError, PortugalRefusal, Purpose, SeriesCode, ValidationCode, events};

pub use chain::{
    Certified, ChainHead, Fresh, PT_FORMS, Receipted, RecoveredForm, entry_time, last_entry,
};
pub use new::{CheckedSeries, NewSeries, Validated};

/// Series that an entity may have, closed ones included.
pub const MAX_SERIES: usize = 1_000;

/// A series.
///
/// It is closed for good and never deleted. Its identifier is used once for a type of document,
/// capitals aside, so invoices and advance invoices, which both are FT, have different ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtSeries {
    /// Its id.
    pub id: PtSeriesId,
    /// Whose.
    pub entity_id: EntityId,
    /// For which documents.
    pub document_type: Purpose,
    /// What it is called.
    pub series_code: SeriesCode,
    /// What the authority answered for it.
    pub validation_code: ValidationCode,
    /// The first number as the caller wrote it, which tells how many digits numbers have.
    pub first_number: Option<Number>,
    /// The first day on which documents may be dated.
    #[serde(with = "date")]
    pub start_date: Date,
    /// Whether documents that were written by hand are recovered in it, and no others issued.
    pub is_manual: bool,
    /// The sequence of its first document, from 1.
    pub initial_sequence: i64,
    /// Whether documents can be issued in it.
    pub status: SeriesStatus,
    /// What the authority knows of it; `None` when its code was entered by hand.
    pub registration: Option<Registration>,
    /// Its last document; `None` while it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<ChainHead>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// Whether documents can be issued in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesStatus {
    /// They can.
    Active,
    /// Never again.
    Closed,
}

impl SeriesStatus {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
        }
    }

    /// The status called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Active, Self::Closed].into_iter().find(|status| status.name() == name)
    }
}

/// What the authority's service of series knows of a series that was registered by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Registration {
    /// `registarSerie`: documents may be issued.
    Registered,
    /// `finalizarSerie`: the last document was issued.
    Finalised,
    /// `anularSerie`: it was registered in error, and nothing was issued.
    Annulled,
}

/// What a caller changes of a series.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeriesChange {
    /// Another code: it was mistyped.
    pub validation_code: Option<String>,
    /// Another first day.
    pub start_date: Option<Date>,
    /// `closed` closes it.
    pub status: Option<SeriesStatus>,
}

impl PtSeries {
    /// The sequence that its numbers are taken from: no gaps, no twins.
    #[must_use]
    pub fn numbers(&self) -> Series {
        let key = format!("pt/{}", self.id);
        Series { tenant: Tenant::entity(self.entity_id), key, start: self.initial_sequence }
    }

    /// The number `sequence` of it.
    #[must_use]
    pub fn number(&self, sequence: i64) -> Number {
        let width = self.first_number.as_ref().map_or(0, |first| first.digits().len());
        Number::new(self.document_type.code(), &self.series_code, sequence, width)
    }

    /// Whether documents can be issued in it.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.status == SeriesStatus::Active
    }

    /// Accepts it for documents of `purpose`, recovered ones when `is_manual`.
    ///
    /// # Errors
    /// [`PortugalRefusal::SeriesOfOther`], [`PortugalRefusal::SeriesClosed`].
    pub fn accept(&self, purpose: Purpose, is_manual: bool) -> Result<(), PortugalRefusal> {
        if self.document_type != purpose || self.is_manual != is_manual {
            return Err(PortugalRefusal::SeriesOfOther);
        }
        if self.is_active() { Ok(()) } else { Err(PortugalRefusal::SeriesClosed) }
    }

    /// The one of `present` in which a document of `purpose` is issued: the one that was `named`,
    /// else the only active one. Several books of forms may be open at once: then one is named.
    ///
    /// # Errors
    /// Of [`PtSeries::accept`]; [`PortugalRefusal::SeriesMissing`]; [`PortugalError::NotFound`];
    /// `required`, for `series_id`, when several would do.
    pub fn choose(
        present: &[Self],
        named: Option<PtSeriesId>,
        purpose: Purpose,
        is_manual: bool,
    ) -> Result<&Self, PortugalError> {
        if let Some(id) = named {
            let found = present.iter().find(|series| series.id == id);
            let found = found.ok_or_else(|| PortugalError::NotFound { id: id.to_string() })?;
            found.accept(purpose, is_manual)?;
            return Ok(found);
        }
        let fits = |series: &&Self| series.accept(purpose, is_manual).is_ok();
        let fitting: Vec<&Self> = present.iter().filter(fits).collect();
        match fitting[..] {
            [] => Err(PortugalRefusal::SeriesMissing.into()),
            [only] => Ok(only),
            [..] => Err(several(&fitting).into()),
        }
    }

    /// Whether documents were numbered in it.
    #[must_use]
    pub const fn is_used(&self) -> bool {
        self.head.is_some()
    }

    /// Takes over what `change` says.
    ///
    /// # Errors
    /// What is wrong with the input, by field; [`PortugalRefusal::SeriesClosed`];
    /// [`PortugalRefusal::SeriesUsed`] for a change other than closing it.
    pub fn change(
        self,
        change: SeriesChange,
        actor: &Actor,
    ) -> Result<Decision<Self>, PortugalError> {
        let mut issues = Issues::default();
        let code = change.validation_code.as_deref().map(ValidationCode::new).transpose();
        let code = issues.collect("validation_code", code.map_err(Issues::from)).flatten();
        issues.into_result(())?;
        let mut after = self.clone();
        after.validation_code = code.unwrap_or(after.validation_code);
        after.start_date = change.start_date.unwrap_or(after.start_date);
        let is_changed = after != self;
        if is_changed && !self.is_active() {
            return Err(PortugalRefusal::SeriesClosed.into());
        }
        if is_changed && self.is_used() {
            return Err(PortugalRefusal::SeriesUsed.into());
        }
        match change.status {
            Some(SeriesStatus::Closed) => return after.close(actor).map_err(Into::into),
            Some(SeriesStatus::Active) if !self.is_active() => {
                return Err(PortugalRefusal::SeriesClosed.into());
            }
            _ => {}
        }
        if !is_changed {
            return Ok(Decision::Unchanged(self));
        }
        Ok(after.changed(events::pt_series::UPDATED, actor))
    }

    /// Closes it, for good.
    ///
    /// # Errors
    /// None: closing a closed series changes nothing.
    pub fn close(self, actor: &Actor) -> Result<Decision<Self>, PortugalRefusal> {
        if !self.is_active() {
            return Ok(Decision::Unchanged(self));
        }
        let after = Self { status: SeriesStatus::Closed, ..self };
        Ok(after.changed(events::pt_series::CLOSED, actor))
    }

    /// The same after the authority took `registration`. A series that it closed or annulled is
    /// closed here, too.
    pub fn registered_as(self, registration: Registration, actor: &Actor) -> Decision<Self> {
        if self.registration == Some(registration) {
            return Decision::Unchanged(self);
        }
        let status = match registration {
            Registration::Registered => self.status,
            Registration::Finalised | Registration::Annulled => SeriesStatus::Closed,
        };
        let after = Self { registration: Some(registration), status, ..self };
        after.changed(events::pt_series::UPDATED, actor)
    }

    /// What the hidden field `key` of [`PT_SERIES`] holds: the authority knows one series of a type
    /// by an identifier, capitals aside.
    #[must_use]
    pub fn key(&self) -> String {
        series_key(self.document_type, &self.series_code)
    }

    fn active_key(&self) -> Option<&'static str> {
        (self.is_active() && !self.is_manual).then(|| self.document_type.name())
    }

    fn changed(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events = vec![actor.event(event, self.id)];
        Decision::changed(self, events)
    }
}

/// Asks which one of the `open` series is meant.
fn several(open: &[&PtSeries]) -> Issue {
    let mut codes: Vec<&str> = open.iter().map(|series| series.series_code.as_str()).collect();
    codes.sort_unstable();
    let message = format!(
        "several series are open for this document: {}; send the id of one, as GET \
         /fiscalization/pt/atcud-series lists them",
        codes.join(", ")
    );
    Issue::new("required", message).at("series_id")
}

/// The key of the series called `code` for documents of `purpose`.
#[must_use]
pub fn series_key(purpose: Purpose, code: &SeriesCode) -> String {
    format!("{}/{}", purpose.code().text(), code.folded())
}

racun_store::record! {
    /// Where series are kept. The hidden fields `key` and `active` hold that the authority knows
    /// each once, and that one is active for a type of document.
    pub static PT_SERIES: PtSeries = "pt_series";
    |series|
    id: series.id,
    tenant: Tenant::entity(series.entity_id),
    fields: {
        Field::id() => series.id.to_string(),
        Field::text("document_type") => series.document_type.name(),
        Field::text("series_code").searched() => series.series_code.as_str(),
        Field::text("validation_code") => series.validation_code.as_str(),
        Field::date("start_date") => series.start_date,
        Field::bool("is_manual") => series.is_manual,
        Field::number("initial_sequence") => series.initial_sequence,
        Field::text("status") => series.status.name(),
        Field::instant("created_at") => series.created_at,
        Field::instant("updated_at") => series.updated_at,
        Field::text("key").unique(Unique::Tenant).hidden() => series.key(),
        Field::text("active").unique(Unique::Tenant).hidden() => series.active_key(),
    }
}
