//! Number formats and sequences of an entity.

use racun_access::setting::Numbered;
use racun_access::{Entity, Key, setting};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit};
use racun_documents::number_format::{FormatKind, NumberFormat, series_key};
use racun_documents::{DocumentError, DocumentKind, NumberFormats, Numbering, UnitNumbering};
use racun_fiscalization::certified::{self, is_portugal};
use racun_fiscalization::{FiscalizationError, NextPlace, next_place};
use racun_kernel::{Issue, Issues, Stamp, Tenant};
use racun_portugal::PtSeries;
use racun_store::{Series, Store, StoreError};
use serde_json::{Map, Value as Json};
use time::Date;

use super::gather::today;
use crate::error::Error;

/// What settings call a `kind` of documents; expenses are numbered beside them.
const fn numbered(kind: DocumentKind) -> Numbered {
    match kind {
        DocumentKind::Invoice => Numbered::Invoice,
        DocumentKind::Estimate => Numbered::Estimate,
        DocumentKind::CreditNote => Numbered::CreditNote,
        DocumentKind::AdvanceInvoice => Numbered::AdvanceInvoice,
        DocumentKind::DeliveryNote => Numbered::DeliveryNote,
    }
}

/// The sequence that an expense of `entity` dated `date` is numbered in, and its numbers' format.
///
/// # Errors
/// When a stored format cannot be read; none is stored that was not checked.
pub(crate) fn expense_numbering(
    entity: &Entity,
    date: Date,
) -> Result<(Series, NumberFormat), Issues> {
    let settings = &entity.settings;
    let kind = Numbered::Expense;
    let format = read_format(settings.number_format(kind), FormatKind::Main, kind)?;
    let key = series_key(kind.name(), date, format.has_year(), None);
    let start = settings.number_sequence_start(kind);
    Ok((Series { tenant: Tenant::entity(entity.id), key, start }, format))
}

/// The format `text` of a `kind`.
fn read_format(
    text: &str,
    format_kind: FormatKind,
    kind: Numbered,
) -> Result<NumberFormat, Issues> {
    let key = format_key(format_kind, kind);
    NumberFormat::parse(text, format_kind)
        .map_err(|issue| Issues::from(within(key, issue).at("settings")))
}

/// Where settings keep the format of a `kind`.
const fn format_key(format_kind: FormatKind, kind: Numbered) -> Key<str> {
    match format_kind {
        FormatKind::Main => setting::NUMBER_FORMATS.of(kind),
        FormatKind::Unit => setting::UNIT_NUMBER_FORMATS.of(kind),
    }
}

/// `issue` of what settings keep under `key`.
fn within<T: ?Sized>(key: Key<T>, issue: Issue) -> Issue {
    key.path().iter().rev().fold(issue, |issue, name| issue.at(*name))
}

/// The formats of `entity` for a `kind`.
///
/// # Errors
/// When a stored format cannot be read; none is stored that was not checked.
pub(super) fn formats(entity: &Entity, kind: DocumentKind) -> Result<NumberFormats, DocumentError> {
    let (settings, kind) = (&entity.settings, numbered(kind));
    Ok(NumberFormats {
        main: read_format(settings.number_format(kind), FormatKind::Main, kind)?,
        unit: read_format(settings.unit_number_format(kind), FormatKind::Unit, kind)?,
        start: settings.number_sequence_start(kind),
    })
}

/// How a `kind` of `entity` dated `date` in `unit` is numbered.
pub(super) fn numbering(
    entity: &Entity,
    kind: DocumentKind,
    date: Date,
    unit: Option<&BusinessUnit>,
) -> Result<Numbering, DocumentError> {
    let unit = unit.map(|unit| {
        let id = unit.id.to_string();
        let (settings, kind) = (&entity.settings, numbered(kind));
        let start = settings.unit_number_sequence_start(kind, &id, unit.numbering_index);
        UnitNumbering { id: unit.id, index: unit.numbering_index, start }
    });
    let formats = formats(entity, kind)?;
    Ok(Numbering::of(kind, Tenant::entity(entity.id), date, &formats, unit))
}

/// Of what sequence a next number is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NextOf<'a> {
    /// The business unit.
    pub unit_id: Option<&'a str>,
    /// Name of the business premise, for documents that are reported to a tax authority.
    pub premise: Option<&'a str>,
    /// And of the electronic device.
    pub device: Option<&'a str>,
}

/// The number that the next document would get.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextNumber {
    /// The formatted number; `None` when the place of issue, or in Portugal a series, is not known.
    pub number: Option<String>,
    /// The place of issue, for documents that are reported to a tax authority.
    pub place: Option<NextPlace>,
    /// The series, for documents that are certified in Portugal.
    pub series: Option<PtSeries>,
}

/// The number that the next `kind` of `entity` would get today. It is not reserved: another request
/// may get it first. For documents reported to a tax authority it is the number of one that does
/// not skip fiscalization.
///
/// # Errors
/// When there is no such unit, premise or device, or the store fails.
pub async fn next_number(
    store: &dyn Store,
    entity: &Entity,
    kind: DocumentKind,
    of: NextOf<'_>,
    stamp: &Stamp,
) -> Result<NextNumber, Error> {
    let NextOf { unit_id, premise, device } = of;
    let tenant = Tenant::entity(entity.id);
    match next_place(store, entity, kind, [premise, device], stamp).await {
        Ok(None) => {}
        Ok(Some((place, numbering))) => {
            let number = Some(after_last(store, &numbering).await?);
            return Ok(NextNumber { number, place: Some(place), series: None });
        }
        Err(FiscalizationError::Document(DocumentError::Invalid(_)))
            if premise.is_none() && device.is_none() =>
        {
            return Ok(NextNumber::default());
        }
        Err(other) => return Err(other.into()),
    }
    if is_portugal(entity) {
        let next = certified::next_number(store, &tenant, kind).await?;
        let (series, number) = next.unzip();
        return Ok(NextNumber { number, place: None, series });
    }
    let unit: Option<BusinessUnit> = match unit_id {
        Some(id) => {
            let missing = || {
                let message = "there is no such business unit in this entity";
                Issues::from(Issue::new("not_found", message).at("business_unit_id"))
            };
            Some(store.get(&BUSINESS_UNITS, &tenant, id).await?.ok_or_else(missing)?)
        }
        None => None,
    };
    let numbering = numbering(entity, kind, today(entity, stamp), unit.as_ref())?;
    let number = Some(after_last(store, &numbering).await?);
    Ok(NextNumber { number, ..NextNumber::default() })
}

/// The number after the last one that was used.
async fn after_last(store: &dyn Store, numbering: &Numbering) -> Result<String, StoreError> {
    let used = store.series(&numbering.series.tenant).await?;
    let last = used.iter().find(|(key, _)| *key == numbering.series.key).map(|(_, last)| *last);
    Ok(numbering.number(last.map_or(numbering.series.start, |last| last + 1)))
}

/// Checks the number formats and sequence starts of `settings`, as they are to be, against the
/// rules of contract 12.4 and the numbers that are used already.
///
/// # Errors
/// One issue for each format that cannot be read or equals another one, and for each start below a
/// used number, with its path inside the settings.
pub fn check_number_settings(
    settings: &Map<String, Json>,
    used: &[(String, i64)],
) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for kind in Numbered::ALL {
        let keys = [FormatKind::Main, FormatKind::Unit].map(|form| (form, format_key(form, kind)));
        let set = keys.map(|(form, key)| (form, key, key.of(settings)));
        for (format_kind, key, text) in set {
            if let Some(Err(issue)) = text.map(|text| NumberFormat::parse(text, format_kind)) {
                issues.push(within(key, issue));
            }
        }
        if let [(_, _, Some(main)), (_, key, Some(unit))] = set
            && main == unit
        {
            let message = "must differ from number_formats, or units would share its numbers";
            issues.push(within(key, Issue::new("number_format_invalid", message)));
        }
        check_start(settings, kind, used, &mut issues);
    }
    issues.into_result(())
}

/// A start takes effect in a fresh sequence; below a used number it could only promise a double.
fn check_start(
    settings: &Map<String, Json>,
    kind: Numbered,
    used: &[(String, i64)],
    issues: &mut Issues,
) {
    let key = setting::NUMBER_SEQUENCE_STARTS.of(kind);
    let Some(start) = key.of(settings) else { return };
    // Keys are `kind/period` for the main sequence and `kind/period/unit` for a unit's.
    let main = |of: &str| of.split('/').count() == 2 && of.split('/').next() == Some(kind.name());
    let last = used.iter().filter(|(of, _)| main(of)).map(|(_, last)| *last).max();
    if last.is_some_and(|last| start < last) {
        let message = format!("the number {} is used already", last.unwrap_or_default());
        issues.push(within(key, Issue::new("number_used", message)));
    }
}
