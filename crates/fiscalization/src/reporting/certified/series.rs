//! Series: made, registered with the authority, changed and closed.

use racun_access::Entity;
use racun_kernel::{Issue, Vault};
use racun_portugal::restrictions::check_country;
use racun_portugal::series_ws::{Meaning, Request, SeriesInfo, SeriesReply, State};
use racun_portugal::{
    CheckedSeries, Code, NewSeries, PT_SERIES, Patience, Portugal, PortugalError, PortugalRefusal,
    PtSeries, Registration, SeriesChange, SeriesCode, SeriesStatus, Validated, ValidationCode,
    WallTime,
};
use racun_store::{Context, ListQuery, Page, Put, StoreError};

use super::prepare::home;
use super::settings::sub_user;

/// What commands on series take besides the store.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// The store, who acts, and when.
    pub cx: Context<'a>,
    /// The entity.
    pub entity: &'a Entity,
    /// The authority.
    pub portugal: &'a dyn Portugal,
    /// Who opens the sub-user's password.
    pub vault: Option<&'a dyn Vault>,
}

/// A page of the entity's series.
///
/// # Errors
/// When the store fails.
pub async fn list(cx: Context<'_>, query: &ListQuery) -> Result<Page<PtSeries>, StoreError> {
    cx.page(&PT_SERIES, query).await
}

/// The series `id`.
///
/// # Errors
/// [`StoreError::NotFound`]; the store's failure.
pub async fn get(cx: Context<'_>, id: &str) -> Result<PtSeries, StoreError> {
    cx.one(&PT_SERIES, id).await
}

/// Makes a series. Without a validation code it is registered with the authority first.
///
/// # Errors
/// All that is wrong with the input, by path; [`PortugalRefusal::OtherCountry`]; a series that
/// exists, or an active one of the type; what the authority answers. Nothing is then kept.
pub async fn create(desk: Desk<'_>, new: NewSeries) -> Result<PtSeries, PortugalError> {
    let cx = desk.cx;
    check_country(desk.entity.country_code.as_deref())?;
    let present = all(cx).await?;
    let checked = new.check(&present)?;
    let validated = match checked.validation_code.clone() {
        Some(code) => Validated { code, is_registered: false },
        None => Validated { code: register(desk, &checked).await?, is_registered: true },
    };
    let decide = move |actor: &racun_store::Actor| checked.into_series(validated, &present, actor);
    let unit = cx.unit();
    unit.decide(move |held| {
        let decision = decide(held.actor())?;
        Ok(decision.written(Put::insert))
    })
    .await
}

/// Whether a document was issued in any series of the entity, the number of which stays then: the
/// authority's codes for its series, and codes on paper, have it.
///
/// # Errors
/// When the store fails.
pub async fn has_issued(cx: Context<'_>) -> Result<bool, StoreError> {
    Ok(all(cx).await?.iter().any(|series| series.head.is_some()))
}

/// All series of the entity.
async fn all(cx: Context<'_>) -> Result<Vec<PtSeries>, StoreError> {
    let query = ListQuery {
        limit: racun_portugal::MAX_SERIES,
        count: false,
        ..ListQuery::first_page(&PT_SERIES)
    };
    Ok(cx.page(&PT_SERIES, &query).await?.rows)
}

/// Registers `series` with the authority, and answers its code. One that the authority knows
/// already, as after a lost answer, is looked up.
async fn register(desk: Desk<'_>, series: &CheckedSeries) -> Result<ValidationCode, PortugalError> {
    let environment = desk.cx.scope.environment();
    let certificate =
        desk.portugal.program(environment).ok_or(PortugalRefusal::ProgramMissing)?.certificate;
    let wall = WallTime::of(desk.cx.now(), home(desk.entity).zone());
    let today = wall.map_or_else(|| desk.cx.now().date(), WallTime::date);
    let answer = ask(desk, &Request::register(series, certificate, today)).await?;
    if answer.meaning() == Meaning::Known {
        let (code, first) = (series.document_type.code(), series.initial_sequence);
        let known = known(desk, &series.series_code, code, Some(State::Active)).await?;
        let found = known.into_iter().find(|own| own.first == first);
        return found.map(|own| own.validation).ok_or_else(|| refused(&answer));
    }
    let own = answer.series.first().map(|own| own.validation.clone());
    own.filter(|_| answer.meaning() == Meaning::Done).ok_or_else(|| refused(&answer))
}

/// The series `code` of documents of the type `of` that the authority knows, in `state`.
async fn known(
    desk: Desk<'_>,
    code: &SeriesCode,
    of: Code,
    state: Option<State>,
) -> Result<Vec<SeriesInfo>, PortugalError> {
    let consult = Request::Consult { series: Some(code.clone()), code: Some(of), state };
    let mut known = ask(desk, &consult).await?.series;
    known.retain(|own| own.series == code.as_str() && own.code == of);
    Ok(known)
}

async fn ask(desk: Desk<'_>, request: &Request) -> Result<SeriesReply, PortugalError> {
    let user = sub_user(desk.cx, desk.entity, desk.portugal, desk.vault).await?;
    let environment = desk.cx.scope.environment();
    let asked = desk.portugal.series(environment, &user, request, Patience::Interactive).await;
    let answer = asked.map_err(|error| PortugalRefusal::Unanswered { reason: error.reason })?;
    if answer.meaning() == Meaning::Failed {
        let reason = format!("{} {}", answer.code, answer.message);
        return Err(PortugalRefusal::Unanswered { reason }.into());
    }
    Ok(answer)
}

fn refused(answer: &SeriesReply) -> PortugalError {
    let (code, message) = (answer.code.to_string(), answer.message.clone());
    PortugalRefusal::Authority { code, message }.into()
}

/// Changes the series `id`; the status `closed` closes it.
///
/// # Errors
/// What is wrong with the input, by field; a series that is used or closed; what the authority
/// answers to the end of one that was registered with it.
pub async fn change(
    desk: Desk<'_>,
    id: &str,
    change: SeriesChange,
) -> Result<PtSeries, PortugalError> {
    let closes = change.status == Some(SeriesStatus::Closed);
    let changed: PtSeries = desk
        .cx
        .amend(&PT_SERIES, id, move |series: PtSeries, actor| series.change(change, actor))
        .await?;
    if closes { end(desk, changed).await } else { Ok(changed) }
}

/// Closes the series `id`, for good. Closing it again changes nothing, but tells an authority that
/// did not answer.
///
/// # Errors
/// As [`change`].
pub async fn close(desk: Desk<'_>, id: &str) -> Result<PtSeries, PortugalError> {
    let status = Some(SeriesStatus::Closed);
    change(desk, id, SeriesChange { status, ..SeriesChange::default() }).await
}

/// Tells the authority that `series`, which it registered for the program, has ended. The series is
/// closed here before, so its last document is known. What it ended after an answer that was lost
/// has ended.
async fn end(desk: Desk<'_>, series: PtSeries) -> Result<PtSeries, PortugalError> {
    if series.registration != Some(Registration::Registered) {
        return Ok(series);
    }
    let last = series.head.as_ref().map(|head| head.sequence);
    let answer = ask(desk, &Request::to_end(&series, last)).await?;
    if answer.meaning() != Meaning::Done {
        let of = series.document_type.code();
        let known = known(desk, &series.series_code, of, None).await?;
        let own = known.iter().find(|own| own.validation == series.validation_code);
        if own.is_none_or(|own| own.state == State::Active) {
            return Err(refused(&answer));
        }
    }
    let registration = match last {
        Some(_) => Registration::Finalised,
        None => Registration::Annulled,
    };
    let id = series.id;
    let ended = desk.cx.amend(&PT_SERIES, id, move |series: PtSeries, actor| {
        Ok::<_, PortugalError>(series.registered_as(registration, actor))
    });
    ended.await
}

/// The issue of a name of a type of documents that there is not.
#[must_use]
pub fn unknown_type(name: &str) -> Issue {
    let names: Vec<&str> = racun_portugal::Purpose::ALL.iter().map(|own| own.name()).collect();
    let message = format!("there is no document_type {name}; there are {}", names.join(", "));
    Issue::new("invalid_value", message).at("document_type")
}
