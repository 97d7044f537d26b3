//! What the log and the metrics say of attacks, log-ins and changes of rights.
//!
//! A security event is one line of the log at `info`, with the fixed field `event`. A request has
//! one line, so the event of a refused request is in the line that says why it was refused.
//! `apps/server` counts the lines by that field in the metric `racun.security.events`.

use actix_web::{HttpMessage as _, HttpRequest};

use racun_access::Proof;
use racun_kernel::id::UserId;

/// The target of the lines of the log that may have an event.
pub const SECURITY_LOG: &str = module_path!();

/// Declares the events: what each counts, and its name in the log and in the metric.
macro_rules! events {
    ($(#[doc = $meaning:literal] $event:ident = $name:literal,)*) => {
        /// Something that the operator of the server wants to see.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SecurityEvent {
            $(#[doc = $meaning] $event,)*
        }

        impl SecurityEvent {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$event),*];

            /// The value of the field `event` in the log, and of the metric's attribute.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$event => $name,)*
                }
            }

            /// What it counts.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$event => $meaning.trim(),)*
                }
            }
        }
    };
}

events! {
    /// A user signed up.
    SignedUp = "signed_up",
    /// A user logged in.
    LoggedIn = "logged_in",
    /// A password was wrong, or no user has the address.
    LoginFailed = "login_failed",
    /// A log-in was refused, for too many passwords failed with the address.
    LoginLocked = "login_locked",
    /// A key or token was refused: unknown, expired, ended or malformed.
    TokenRefused = "token_refused",
    /// A key was used from an address that it may not be used from.
    AddressRefused = "address_refused",
    /// An entity or account was asked for that the caller has no access to.
    ForeignRefused = "foreign_refused",
    /// The role or the kind of the token does not reach as far as the request.
    RoleRefused = "role_refused",
    /// The rate limit refused a request.
    RateLimited = "rate_limited",
    /// A connection was refused, for its address has as many as it may.
    ConnectionRefused = "connection_refused",
    /// What came on a connection was no request.
    MalformedRequest = "malformed_request",
    /// An operator took a till over.
    OperatorSwitched = "operator_switched",
    /// A PIN was wrong.
    PinFailed = "pin_failed",
    /// A PIN or a till was locked after too many wrong ones, or tried while it was.
    PinLocked = "pin_locked",
    /// An admin unlocked a PIN.
    PinUnlocked = "pin_unlocked",
    /// A PIN was set or removed.
    PinChanged = "pin_changed",
    /// A key was made.
    KeyMade = "key_made",
    /// A key was ended.
    KeyEnded = "key_ended",
    /// A member was invited to an entity, or added to it.
    MemberInvited = "member_invited",
    /// A member came into an entity by an invitation.
    MemberAdded = "member_added",
    /// A member was removed from an entity.
    MemberRemoved = "member_removed",
    /// The role of a member was changed.
    RoleChanged = "role_changed",
    /// A code of a second factor was wrong, or tried while codes were locked.
    SecondFactorFailed = "second_factor_failed",
    /// A second factor was turned on or removed, or got new recovery codes.
    SecondFactorChanged = "second_factor_changed",
    /// An identity was linked to a user, or taken away.
    IdentityChanged = "identity_changed",
    /// The operator made, changed or removed a white label.
    WhiteLabelChanged = "white_label_changed",
    /// A password was changed, by the user or by the reader of the mail.
    PasswordChanged = "password_changed",
    /// A user proved that an address is theirs.
    AddressVerified = "address_verified",
    /// Sessions were ended.
    SessionEnded = "session_ended",
}

/// Whom or what a request's event is about, beside who makes it.
struct About(String);

/// Notes whom or what the event of `request` is about: an id, a key's hint, or an address as
/// [`masked`] shows it. Never a secret.
pub(crate) fn about(request: &HttpRequest, what: impl Into<String>) {
    request.extensions_mut().insert(About(what.into()));
}

/// Who a request turned out to be about, although it has no token of theirs.
struct Person(UserId);

/// Notes that `request`, which has no token, is about `user`: who logs in or proves an address.
pub(crate) fn person(request: &HttpRequest, user: UserId) {
    request.extensions_mut().insert(Person(user));
}

/// The user that [`person`] noted of `request`.
pub(crate) fn noted_person(request: &HttpRequest) -> Option<String> {
    request.extensions().get::<Person>().map(|Person(user)| user.to_string())
}

/// Notes who used a mailed token, and which entities of other accounts they left by it.
pub(crate) fn proved(request: &HttpRequest, proof: &Proof) {
    person(request, proof.user);
    if !proof.left.is_empty() {
        let left: Vec<String> = proof.left.iter().map(ToString::to_string).collect();
        about(request, format!("left {}", left.join(" ")));
    }
}

/// `email` as the log shows it: a reader who knows the address recognizes it, and no other reader
/// can write to it.
pub(crate) fn masked(email: &str) -> String {
    let (local, domain) = email.rsplit_once('@').unwrap_or((email, ""));
    let shown = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    format!("{}...@{}", shown(local, 1), shown(domain, 64))
}

/// Notes what `request` came to.
pub(crate) fn note_event(request: &HttpRequest, event: SecurityEvent) {
    request.extensions_mut().insert(event);
}

/// The event that was noted of `request`.
pub(crate) fn noted(request: &HttpRequest) -> Option<SecurityEvent> {
    request.extensions().get::<SecurityEvent>().copied()
}

/// Whom or what the event of `request` is about: as a handler noted it, or as its path says it.
pub(crate) fn subject(request: &HttpRequest, event: SecurityEvent) -> Option<String> {
    if let Some(About(what)) = request.extensions().get::<About>() {
        return Some(what.clone());
    }
    // What was refused may hold anything.
    let is_done = matches!(
        event,
        SecurityEvent::PinUnlocked
            | SecurityEvent::PinChanged
            | SecurityEvent::KeyEnded
            | SecurityEvent::MemberRemoved
            | SecurityEvent::RoleChanged
            | SecurityEvent::SessionEnded
            | SecurityEvent::IdentityChanged
    );
    request.match_info().get("id").filter(|_| is_done).map(str::to_owned)
}

/// A line of the log about a request that was refused, or that has an event.
#[derive(Default)]
pub(crate) struct Line<'a> {
    pub(crate) event: Option<SecurityEvent>,
    /// Of a request whose span does not say it.
    pub(crate) request_id: Option<&'a str>,
    pub(crate) status: u16,
    pub(crate) code: Option<&'a str>,
    pub(crate) entity: Option<&'a str>,
    pub(crate) caller: Option<&'a str>,
    /// Who it is about, of a request without a token.
    pub(crate) user: Option<&'a str>,
    /// The hint of the key that was sent.
    pub(crate) key: Option<&'a str>,
    pub(crate) about: Option<&'a str>,
    pub(crate) address: &'a str,
    pub(crate) detail: Option<&'a str>,
    pub(crate) milliseconds: Option<u64>,
    pub(crate) message: &'a str,
}

/// Writes `line`: the only place that writes an event, and by which it is counted.
pub(crate) fn write(line: &Line<'_>) {
    let Line { request_id, status, code, entity, caller, key, about, address, .. } = *line;
    let Line { user, detail, milliseconds, message, .. } = *line;
    let event = line.event.map(SecurityEvent::name);
    tracing::info!(
        event,
        request_id,
        status,
        code,
        entity,
        caller,
        user,
        key,
        about,
        address,
        detail,
        milliseconds,
        "{message}"
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn events_have_names_of_their_own_that_filters_can_use() {
        let names: BTreeSet<_> = SecurityEvent::ALL.iter().map(|event| event.name()).collect();
        assert_eq!(names.len(), SecurityEvent::ALL.len());
        for name in names {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        }
    }

    #[test]
    fn the_document_lists_the_events() {
        let document = include_str!("../../../docs/security.md");
        for event in SecurityEvent::ALL {
            let row = format!("| `{}` | {} |", event.name(), event.meaning().trim_end_matches('.'));
            assert!(document.contains(&row), "docs/security.md lacks: {row}");
        }
    }

    #[test]
    fn an_address_is_masked() {
        for (email, shown) in [
            ("cfo@corp.example", "c...@corp.example"),
            ("žiga@žar.si", "ž...@žar.si"),
            ("no address", "n...@"),
            ("", "...@"),
        ] {
            assert_eq!(masked(email), shown);
        }
    }
}
