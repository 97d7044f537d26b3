//! How a route is declared: once, for the router, the gate and the description alike.

mod list;
mod parameter;
mod verb;

use actix_web::guard;
use racun_access::Permission;
use racun_billing::Feature;
use utoipa::ToSchema;

use crate::schema::{Described, described};
use crate::security::SecurityEvent;
pub use list::LIST;
pub(crate) use list::{FILTER_QUERY, SEARCH};
pub use parameter::{Parameter, ParameterKind};
pub use verb::Verb;

/// One operation of the interface.
///
/// Registration, authorisation and the OpenAPI description all follow from this declaration, so
/// none of them can know a route that the others do not.
pub struct Route {
    /// The method. A `GET` route answers `HEAD` as well.
    pub verb: Verb,
    /// The path, parameters in braces.
    pub path: &'static str,
    /// The operation's name, in camelCase.
    pub operation: &'static str,
    /// One sentence on what it does.
    pub summary: &'static str,
    /// What the summary leaves out, where that is something: whole sentences.
    pub detail: &'static str,
    /// The area it belongs to.
    pub tag: &'static str,
    /// Who may pass.
    pub gate: Gate,
    /// The status of a success.
    pub status: u16,
    /// Query parameters, by name and meaning.
    pub parameters: [&'static [Parameter]; 2],
    /// Whether answers carry an `ETag`, and a request that names it in `If-None-Match` is answered
    /// 304.
    pub is_conditional: bool,
    /// Whether its query may name where the request is made, as the header `x-entity-id` does:
    /// [`Parameter::ENTITY`] and [`Parameter::ENVIRONMENT`].
    pub is_entered_by_query: bool,
    /// Whether links lead here, from mails and pages, to which others append parameters of their
    /// own.
    pub is_linked: bool,
    /// Whether it answers a page to who accepts `text/html` before JSON: then it is linked, too.
    pub shows_page: bool,
    /// Whether what it is about may be absent, though the path names no record: 404.
    pub may_lack: bool,
    /// Whether it makes users, which the operator may not want: 403.
    pub makes_users: bool,
    /// Whether it is open, and its handler checks who sent a request.
    pub checks_sender: bool,
    /// What the entity's plan must have, where a plan sells it.
    pub needs: Option<Feature>,
    /// Whether every plan includes it, also by keys.
    pub ignores_plan: bool,
    /// The operations that read what it made or changed, the most likely first.
    pub read_by: &'static [&'static str],
    /// In which buckets its requests are counted.
    pub rate: Rate,
    /// Whether its handler computes what is dear, such as a hash, from what is sent.
    pub is_dear: bool,
    /// Whether its answer is the same for all and in memory once, however many are written.
    pub is_fixed: bool,
    /// Whether its answer may be large, though it is no list.
    pub is_long: bool,
    /// Whether its answer shows a key or token that is shown only once, and is kept unreadable.
    pub shows_secret: bool,
    /// The security event of a success, for the log and the metrics, where it is one.
    pub event: Option<SecurityEvent>,
    /// The path that takes its place, of a route that will be gone at
    /// [`crate::deprecation::SUNSET`].
    pub successor: Option<&'static str>,
    /// Whether it is part of the interface, and so of its description; pages for people are not.
    pub is_described: bool,
    /// Whether a 503 is answered with the body of a success, as monitoring wants it.
    pub tells_when_unavailable: bool,
    pub(crate) takes: Option<Described>,
    pub(crate) takes_form: bool,
    /// Bytes that its body may hold, where the route says so: see [`Route::body_bytes`].
    pub(crate) most_bytes: Option<usize>,
    pub(crate) requires: &'static [&'static str],
    pub(crate) answers: Option<Described>,
    pub(crate) answers_file: Option<&'static str>,
    /// Another media type that the caller may choose.
    pub(crate) or_file: Option<&'static str>,
    pub(crate) handler: fn() -> actix_web::Route,
}

/// Who may pass a route. There is no default: a route without a gate does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Everyone.
    Open,
    /// Every authenticated caller.
    SignedIn,
    /// Callers who belong to the account that `x-account-id` names.
    Account,
    /// Callers with the permission in the entity that `x-entity-id` names.
    Entity(Permission),
    /// Callers with the permission in the entity that the path's `{id}` names.
    EntityInPath(Permission),
}

/// In which buckets a route's requests are counted, beside those of every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// In those of every request.
    Ordinary,
    /// In a small one of the address besides: for routes by which a caller could guess a password,
    /// a PIN or an invitation, or have messages sent to strangers.
    Sensitive,
    /// In none: monitoring has to be answered when everything else is refused.
    Unlimited,
}

/// A route's handler, before the router knows its method.
type Handler = fn() -> actix_web::Route;

impl Route {
    /// A route that reads: 200.
    pub const fn get(path: &'static str, operation: &'static str, gate: Gate, to: Handler) -> Self {
        Self::new(Verb::Get, path, operation, gate, to)
    }

    /// A route that makes or does something: 200 unless said otherwise.
    pub const fn post(
        path: &'static str,
        operation: &'static str,
        gate: Gate,
        to: Handler,
    ) -> Self {
        Self::new(Verb::Post, path, operation, gate, to)
    }

    /// A route that replaces: 200.
    pub const fn put(path: &'static str, operation: &'static str, gate: Gate, to: Handler) -> Self {
        Self::new(Verb::Put, path, operation, gate, to)
    }

    /// A route that changes in part: 200.
    pub const fn patch(
        path: &'static str,
        operation: &'static str,
        gate: Gate,
        to: Handler,
    ) -> Self {
        Self::new(Verb::Patch, path, operation, gate, to)
    }

    /// A route that removes: 204.
    pub const fn delete(
        path: &'static str,
        operation: &'static str,
        gate: Gate,
        to: Handler,
    ) -> Self {
        Self { status: 204, ..Self::new(Verb::Delete, path, operation, gate, to) }
    }

    const fn new(
        verb: Verb,
        path: &'static str,
        operation: &'static str,
        gate: Gate,
        handler: Handler,
    ) -> Self {
        Self {
            verb,
            path,
            operation,
            summary: "",
            detail: "",
            tag: "",
            gate,
            status: 200,
            parameters: [&[], &[]],
            is_conditional: false,
            is_entered_by_query: false,
            is_linked: false,
            shows_page: false,
            may_lack: false,
            makes_users: false,
            checks_sender: false,
            needs: None,
            ignores_plan: false,
            read_by: &[],
            rate: Rate::Ordinary,
            is_dear: false,
            is_fixed: false,
            is_long: false,
            shows_secret: false,
            event: None,
            successor: None,
            is_described: true,
            tells_when_unavailable: false,
            takes: None,
            takes_form: false,
            most_bytes: None,
            requires: &[],
            answers: None,
            answers_file: None,
            or_file: None,
            handler,
        }
    }

    /// Says what the route does, and to which area it belongs.
    #[must_use]
    pub const fn about(self, tag: &'static str, summary: &'static str) -> Self {
        Self { tag, summary, ..self }
    }

    /// Says what the summary leaves out.
    #[must_use]
    pub const fn explained(self, detail: &'static str) -> Self {
        Self { detail, ..self }
    }

    /// Says which body the route takes.
    #[must_use]
    pub const fn takes<T: ToSchema>(self) -> Self {
        Self { takes: Some(described::<T>), ..self }
    }

    /// Says which body the route takes, and which of its properties it cannot do without.
    #[must_use]
    pub const fn takes_with<T: ToSchema>(self, requires: &'static [&'static str]) -> Self {
        Self { requires, ..self.takes::<T>() }
    }

    /// Says which form the route takes, as multipart, and which of its parts it cannot do without.
    #[must_use]
    pub const fn takes_form<T: ToSchema>(self, requires: &'static [&'static str]) -> Self {
        Self { takes_form: true, ..self.takes_with::<T>(requires) }
    }

    /// Says how many bytes the route's body may hold, when that is not what its gate implies.
    #[must_use]
    pub const fn up_to(self, bytes: usize) -> Self {
        Self { most_bytes: Some(bytes), ..self }
    }

    /// Says which body the route answers with its status.
    #[must_use]
    pub const fn answers<T: ToSchema>(self) -> Self {
        Self { answers: Some(described::<T>), ..self }
    }

    /// Says that the route answers a file of this media type.
    #[must_use]
    pub const fn answers_file(self, media_type: &'static str) -> Self {
        Self { answers_file: Some(media_type), ..self }
    }

    /// Says which other media type a caller may have the file in.
    #[must_use]
    pub const fn or_file(self, media_type: &'static str) -> Self {
        Self { or_file: Some(media_type), ..self }
    }

    /// Says that a success makes something: 201.
    #[must_use]
    pub const fn creates<T: ToSchema>(self) -> Self {
        Self { status: 201, ..self.answers::<T>() }
    }

    /// Says that a success begins something that goes on after the answer: 202.
    #[must_use]
    pub const fn accepts<T: ToSchema>(self) -> Self {
        Self { status: 202, ..self.answers::<T>() }
    }

    /// Says that a success tells what became of what there was: 200.
    #[must_use]
    pub const fn tells<T: ToSchema>(self) -> Self {
        Self { status: 200, ..self.answers::<T>() }
    }

    /// Says that a success has nothing to tell: 204.
    #[must_use]
    pub const fn answers_nothing(self) -> Self {
        Self { status: 204, ..self }
    }

    /// Says which query parameters the route reads.
    #[must_use]
    pub const fn reads(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters: [parameters, self.parameters[1]], ..self }
    }

    /// Says which query parameters the route reads beside those of [`Route::reads`].
    #[must_use]
    pub const fn reads_also(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters: [self.parameters[0], parameters], ..self }
    }

    /// Says that answers carry an `ETag`, by which a caller asks whether anything changed.
    #[must_use]
    pub const fn conditional(self) -> Self {
        Self { is_conditional: true, ..self }
    }

    /// Says that the query may name where the request is made.
    #[must_use]
    pub const fn entered_by_query(self) -> Self {
        Self { is_entered_by_query: true, ..self }
    }

    /// Says that links lead here: query parameters that are not declared are passed over.
    #[must_use]
    pub const fn linked(self) -> Self {
        Self { is_linked: true, ..self }
    }

    /// Says that the route answers a page to browsers.
    #[must_use]
    pub const fn shows_page(self) -> Self {
        Self { shows_page: true, ..self }
    }

    /// Says that what the route is about may be absent, though its path names no record.
    #[must_use]
    pub const fn may_lack(self) -> Self {
        Self { may_lack: true, ..self }
    }

    /// Says that the route makes users, which the operator may not want.
    #[must_use]
    pub const fn makes_users(self) -> Self {
        Self { makes_users: true, ..self }
    }

    /// Says that the route is open, and its handler checks who sent a request.
    #[must_use]
    pub const fn checks_sender(self) -> Self {
        Self { checks_sender: true, ..self }
    }

    /// Says which feature the entity's plan must have.
    #[must_use]
    pub const fn needs(self, feature: Feature) -> Self {
        Self { needs: Some(feature), ..self }
    }

    /// Says that every plan includes the route, also by keys.
    #[must_use]
    pub const fn whatever_the_plan(self) -> Self {
        Self { ignores_plan: true, ..self }
    }

    /// Says which operations read what the route made or changed, by whose answer its own can be
    /// made again: each takes the ids in its path from the request, or the last from what was made.
    #[must_use]
    pub const fn read_by(self, operations: &'static [&'static str]) -> Self {
        Self { read_by: operations, ..self }
    }

    /// Says that the route is one where guessing pays: few requests from one address are answered.
    #[must_use]
    pub const fn sensitive(self) -> Self {
        Self { rate: Rate::Sensitive, ..self }
    }

    /// Says that the handler computes what is dear, and so is run once for a request.
    #[must_use]
    pub const fn dear(self) -> Self {
        Self { is_dear: true, ..self }
    }

    /// Says that the answer is the same for all, and in memory once.
    #[must_use]
    pub const fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// Says that the answer may be large, though it is no list.
    #[must_use]
    pub const fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Says that the answer shows a key or token that is shown only once.
    #[must_use]
    pub const fn shows_secret(self) -> Self {
        Self { shows_secret: true, ..self }
    }

    /// Says that a success is a security event.
    #[must_use]
    pub const fn seen_as(self, event: SecurityEvent) -> Self {
        Self { event: Some(event), ..self }
    }

    /// Says that the route is answered however many requests there are.
    #[must_use]
    pub const fn unlimited(self) -> Self {
        Self { rate: Rate::Unlimited, ..self }
    }

    /// Says that the route belongs to the past, and which path takes its place.
    #[must_use]
    pub const fn superseded_by(self, successor: &'static str) -> Self {
        Self { successor: Some(successor), ..self }
    }

    /// Says that the route answers people, and is no part of the interface.
    #[must_use]
    pub const fn page(self) -> Self {
        Self { is_described: false, ..self }
    }

    /// Says that a 503 has the body of a success.
    #[must_use]
    pub const fn tells_when_unavailable(self) -> Self {
        Self { tells_when_unavailable: true, ..self }
    }

    /// Whether a request takes much memory until its answer is written: a page, a file, a form.
    #[must_use]
    pub fn is_heavy(&self) -> bool {
        self.takes_form || self.answers_file.is_some() || self.is_long || self.is_paged()
    }

    /// Whether it answers pages of a list.
    #[must_use]
    pub fn is_paged(&self) -> bool {
        self.parameters.iter().copied().flatten().any(|one| one.name == "limit")
    }

    /// Whether a body of a request has nothing to say. Pages read forms that they do not declare.
    pub(crate) fn takes_nothing(&self) -> bool {
        self.verb != Verb::Get && self.takes.is_none() && self.is_described
    }

    /// Whether the handler is tried again on what is left of a body that it refused: see
    /// `rehearsal`. What checks a password, a PIN or a token is not, for a guess is made once.
    pub(crate) fn is_rehearsed(&self) -> bool {
        let is_guessable = self.gate == Gate::Open || self.rate == Rate::Sensitive;
        self.takes.is_some() && !self.takes_form && !is_guessable && !self.is_dear
    }

    /// The names of the path's parameters.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split(['}', ':']).next())
    }

    /// The router's entry: the handler behind its method.
    pub(crate) fn entry(&self) -> actix_web::Route {
        let entry = (self.handler)();
        match self.verb {
            Verb::Get => entry.guard(guard::Any(guard::Get()).or(guard::Head())),
            verb => entry.method(verb.method()),
        }
    }
}
