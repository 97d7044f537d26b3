//! One sign-in: what binds the provider's answer to the client that asked for it.
//!
//! A client gets a random token and keeps it to itself. State, nonce and code verifier are digests
//! of it, so nothing has to be stored for a sign-in that may never end: who does not have the token
//! can neither redeem the code (PKCE) nor make a client of another person take it (state).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_kernel::{Issue, Issues, Stamp};
use ring::digest::{SHA256, digest};

use super::{Grant, ProviderDescription};
use crate::AccessError;
use crate::login::second_factor::escaped;
use crate::secret::{is_token, new_token};

/// What the token of an attempt starts with.
const PREFIX: &str = "signin_";
/// Characters that a code of the provider has at most.
const MAX_CODE: usize = 4_096;
/// What is asked for: who it is, and their address and name.
const SCOPE: &str = "openid email profile";

/// A sign-in that a client began.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    token: String,
    redirect_uri: String,
}

impl SignInAttempt {
    /// The token that the client keeps, and sends with the provider's answer.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    fn derived(&self, label: &str) -> String {
        let text = format!("racun sign-in {label}\n{}\n{}", self.redirect_uri, self.token);
        URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes()))
    }

    /// What travels through the browser and comes back.
    #[must_use]
    pub fn state(&self) -> String {
        self.derived("state")
    }

    /// What the id token repeats.
    #[must_use]
    pub fn nonce(&self) -> String {
        self.derived("nonce")
    }

    fn verifier(&self) -> String {
        self.derived("code verifier")
    }

    /// Where the person signs in: `endpoint` is the provider's.
    #[must_use]
    pub fn authorization_url(&self, endpoint: &str, provider: &ProviderDescription) -> String {
        let challenge = digest(&SHA256, self.verifier().as_bytes());
        let challenge = URL_SAFE_NO_PAD.encode(challenge);
        let query = [
            ("response_type", "code"),
            ("client_id", &provider.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", SCOPE),
            ("state", &self.state()),
            ("nonce", &self.nonce()),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let query = query.map(|(name, value)| format!("{name}={}", escaped(value))).join("&");
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        format!("{endpoint}{joint}{query}")
    }

    /// What redeems `code`, which came back with `state`.
    ///
    /// # Errors
    /// `invalid_state` at `state` when it is of another attempt.
    pub fn grant(&self, code: String, state: &str) -> Result<Grant, Issues> {
        if state != self.state() {
            let message = "this is of another sign-in than `attempt`: begin again, by \
                           POST /users/openid/authorize";
            return Err(Issue::new("invalid_state", message).at("state").into());
        }
        if code.is_empty() || code.len() > MAX_CODE {
            let message = format!("expected the code of the provider, 1 to {MAX_CODE} characters");
            return Err(Issue::new("invalid_value", message).at("code").into());
        }
        let (verifier, redirect_uri) = (self.verifier(), self.redirect_uri.clone());
        Ok(Grant { code, verifier, redirect_uri })
    }
}

/// Begins a sign-in that leads back to `redirect_uri`, or to the only address that there is.
///
/// # Errors
/// An issue at `redirect_uri`.
pub fn begin_sign_in(
    provider: &ProviderDescription,
    redirect_uri: Option<String>,
    stamp: &Stamp,
) -> Result<SignInAttempt, Issues> {
    let redirect_uri = known(provider, redirect_uri)?;
    Ok(SignInAttempt { token: new_token(PREFIX, stamp), redirect_uri })
}

/// The sign-in whose `token` the client kept.
///
/// # Errors
/// An issue at `redirect_uri` or `attempt`.
pub fn find_sign_in(
    provider: &ProviderDescription,
    token: String,
    redirect_uri: Option<String>,
) -> Result<SignInAttempt, AccessError> {
    let redirect_uri = known(provider, redirect_uri)?;
    if !is_token(PREFIX, &token) {
        let message = "expected the `attempt` that POST /users/openid/authorize answered";
        return Err(Issue::new("invalid_token", message).at("attempt").into());
    }
    Ok(SignInAttempt { token, redirect_uri })
}

/// The address among those of the operator that `asked` is; where none is asked for, the only one.
fn known(provider: &ProviderDescription, asked: Option<String>) -> Result<String, Issues> {
    let known = &provider.redirect_uris;
    let found = match (&asked, known.as_slice()) {
        (None, [only]) => Some(only.clone()),
        (None, _) => None,
        (Some(asked), known) => known.iter().find(|one| *one == asked).cloned(),
    };
    found.ok_or_else(|| {
        let message = format!(
            "expected one of {}; the operator names them in RACUN__OPENID__REDIRECT_URIS",
            known.join(", ")
        );
        Issue::new("invalid_value", message).at("redirect_uri").into()
    })
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    fn provider(redirect_uris: &[&str]) -> ProviderDescription {
        ProviderDescription {
            name: "Office".to_owned(),
            issuer: "https://id.example".to_owned(),
            client_id: "racun & co".to_owned(),
            redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            trusted_domains: vec!["example.com".to_owned()],
        }
    }

    #[test]
    fn state_nonce_and_verifier_are_of_one_attempt() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let provider = provider(&["https://app.example/back"]);
        let one = begin_sign_in(&provider, None, &stamp).unwrap();
        let other = begin_sign_in(&provider, None, &stamp).unwrap();
        let parts = [one.state(), one.nonce(), one.verifier(), other.state(), other.nonce()];
        let all: std::collections::BTreeSet<_> = parts.iter().collect();
        assert_eq!(all.len(), parts.len());
        // RFC 7636: 43 to 128 characters.
        assert_eq!(one.verifier().len(), 43);
        let again = find_sign_in(&provider, one.token().to_owned(), None).unwrap();
        assert!(again == one);
        let grant = again.grant("code".to_owned(), &one.state()).unwrap();
        assert_eq!(grant.verifier, one.verifier());
        let issues = one.grant("code".to_owned(), &other.state()).err().unwrap();
        assert_eq!(issues.iter().next().unwrap().code, "invalid_state");
        assert!(one.grant(String::new(), &one.state()).is_err());
        assert!(find_sign_in(&provider, "signin_x".to_owned(), None).is_err());
    }

    #[test]
    fn the_address_asks_for_a_code_with_a_challenge_and_leaks_no_verifier() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let provider = provider(&["https://app.example/back?a=b"]);
        let attempt = begin_sign_in(&provider, None, &stamp).unwrap();
        let url = attempt.authorization_url("https://id.example/authorize", &provider);
        let (endpoint, query) = url.split_once('?').unwrap();
        assert_eq!(endpoint, "https://id.example/authorize");
        assert!(query.starts_with(
            "response_type=code&client_id=racun%20%26%20co\
             &redirect_uri=https%3A%2F%2Fapp.example%2Fback%3Fa%3Db\
             &scope=openid%20email%20profile&state="
        ));
        assert!(query.ends_with("&code_challenge_method=S256"));
        assert!(!url.contains(attempt.token()) && !url.contains(&attempt.verifier()));
        let more = attempt.authorization_url("https://id.example/a?tenant=1", &provider);
        assert!(more.starts_with("https://id.example/a?tenant=1&response_type=code"), "{more}");
    }

    #[test]
    fn people_are_sent_back_to_addresses_of_the_operator_alone() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let two = provider(&["https://a.example/", "https://b.example/"]);
        let ask = |asked: Option<&str>| begin_sign_in(&two, asked.map(str::to_owned), &stamp);
        assert!(ask(Some("https://b.example/")).is_ok());
        for asked in [None, Some("https://b.example"), Some("https://evil.example/")] {
            assert!(ask(asked).is_err(), "{asked:?}");
        }
    }

    #[test]
    fn the_word_of_a_provider_counts_for_its_own_domains() {
        let provider = provider(&[]);
        assert!(provider.proves("ana@Example.COM"));
        for email in ["ana@sub.example.com", "ana@example.org", "ana", "example.com", ""] {
            assert!(!provider.proves(email), "{email}");
        }
    }
}
