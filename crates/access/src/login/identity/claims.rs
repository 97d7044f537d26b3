//! What an id token has to say (OpenID Connect Core 1.0, section 3.1.3.7), once its signature is
//! the provider's.

use time::OffsetDateTime;

use super::ProviderDescription;
use crate::MistrustedClaims;
use crate::email::check_email;

/// Seconds by which the provider's clock may differ from ours.
const SKEW: i64 = 60;
/// Seconds that a token is taken for after it was made: it comes at once, with the answer to the
/// code.
const FRESH: i64 = 600;
/// Characters of a subject (the same section 2).
const MAX_SUBJECT: usize = 255;

/// The claims of an id token whose signature was verified. Times are seconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// Who made the token.
    pub issuer: String,
    /// Whom it is about.
    pub subject: String,
    /// Whom it is for.
    pub audience: Vec<String>,
    /// Whom it was given to, where it says so.
    pub authorized_party: Option<String>,
    /// When it is over; `None` where it does not say, which is refused.
    pub expires_at: Option<i64>,
    /// When it was made; `None` where it does not say, which is refused.
    pub issued_at: Option<i64>,
    /// Before when it is not taken.
    pub not_before: Option<i64>,
    /// Which attempt it answers.
    pub nonce: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    /// Whether the provider knows that the address is theirs.
    pub email_verified: bool,
    /// What the person is called.
    pub name: Option<String>,
}

/// A person for whom the provider vouches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The provider.
    pub issuer: String,
    /// What the provider calls them.
    pub subject: String,
    /// Their address, where the provider knows that it is theirs; well formed.
    pub email: Option<String>,
    /// What they are called.
    pub name: Option<String>,
}

impl Claims {
    /// The person that the claims name, when they are of `provider`, for this server, about the
    /// attempt with `nonce`, and hold at `now`.
    ///
    /// # Errors
    /// [`MistrustedClaims`].
    pub fn verify(
        self,
        provider: &ProviderDescription,
        nonce: &str,
        now: OffsetDateTime,
    ) -> Result<Verified, MistrustedClaims> {
        if self.issuer != provider.issuer {
            return Err(MistrustedClaims::Issuer);
        }
        let is_ours = self.audience.contains(&provider.client_id);
        let is_given_to_us = match &self.authorized_party {
            Some(party) => *party == provider.client_id,
            None => self.audience.len() == 1,
        };
        if !is_ours || !is_given_to_us {
            return Err(MistrustedClaims::Audience);
        }
        if !self.holds_at(now.unix_timestamp()) {
            return Err(MistrustedClaims::Time);
        }
        if self.nonce.as_deref() != Some(nonce) {
            return Err(MistrustedClaims::Nonce);
        }
        let is_named = !self.subject.is_empty() && self.subject.chars().count() <= MAX_SUBJECT;
        if !is_named || self.subject.contains('\0') {
            return Err(MistrustedClaims::Subject);
        }
        let is_good = |email: &String| self.email_verified && check_email(email).is_ok();
        Ok(Verified {
            issuer: self.issuer,
            subject: self.subject,
            email: self.email.clone().filter(is_good),
            name: self.name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
        })
    }

    fn holds_at(&self, now: i64) -> bool {
        let ends_later = self.expires_at.is_some_and(|end| now < end.saturating_add(SKEW));
        let is_fresh = self.issued_at.is_some_and(|at| {
            at <= now.saturating_add(SKEW) && now <= at.saturating_add(FRESH).saturating_add(SKEW)
        });
        let has_begun = self.not_before.is_none_or(|at| at <= now.saturating_add(SKEW));
        ends_later && is_fresh && has_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_780_000_000;

    fn provider() -> ProviderDescription {
        ProviderDescription {
            name: "Office".to_owned(),
            issuer: "https://id.example".to_owned(),
            client_id: "racun".to_owned(),
            redirect_uris: Vec::new(),
            trusted_domains: Vec::new(),
        }
    }

    fn good() -> Claims {
        Claims {
            issuer: "https://id.example".to_owned(),
            subject: "17".to_owned(),
            audience: vec!["racun".to_owned()],
            expires_at: Some(NOW + 300),
            issued_at: Some(NOW),
            nonce: Some("n".to_owned()),
            email: Some("ana@example.com".to_owned()),
            email_verified: true,
            name: Some(" Ana ".to_owned()),
            ..Claims::default()
        }
    }

    fn verify(change: impl FnOnce(&mut Claims)) -> Result<Verified, MistrustedClaims> {
        let mut claims = good();
        change(&mut claims);
        claims.verify(&provider(), "n", OffsetDateTime::from_unix_timestamp(NOW).unwrap())
    }

    #[test]
    fn good_claims_name_a_person() {
        let verified = verify(|_| {}).unwrap();
        assert_eq!((verified.subject.as_str(), verified.name.as_deref()), ("17", Some("Ana")));
        assert_eq!(verified.email.as_deref(), Some("ana@example.com"));
        let both = vec!["racun".to_owned(), "other".to_owned()];
        let given = |party: &str| {
            let (audience, party) = (both.clone(), Some(party.to_owned()));
            verify(|claims| (claims.audience, claims.authorized_party) = (audience, party))
        };
        assert!(given("racun").is_ok());
        assert_eq!(given("other"), Err(MistrustedClaims::Audience));
    }

    #[test]
    fn an_address_that_the_provider_does_not_know_is_none() {
        assert_eq!(verify(|claims| claims.email_verified = false).unwrap().email, None);
        let odd = verify(|claims| claims.email = Some("no address".to_owned()));
        assert_eq!(odd.unwrap().email, None);
    }

    #[test]
    fn claims_of_others_are_refused() {
        use MistrustedClaims::{Audience, Issuer, Nonce, Subject, Time};
        type Change = fn(&mut Claims);
        let changes: [(Change, MistrustedClaims); 16] = [
            (|c| c.issuer = "https://id.example/".to_owned(), Issuer),
            (|c| c.audience = vec!["other".to_owned()], Audience),
            (|c| c.audience.clear(), Audience),
            (|c| c.audience.push("other".to_owned()), Audience),
            (|c| c.authorized_party = Some("other".to_owned()), Audience),
            (|c| c.expires_at = Some(NOW - SKEW), Time),
            (|c| c.expires_at = None, Time),
            (|c| c.issued_at = None, Time),
            (|c| c.issued_at = Some(NOW + SKEW + 1), Time),
            (|c| c.issued_at = Some(NOW - FRESH - SKEW - 1), Time),
            (|c| c.not_before = Some(NOW + SKEW + 1), Time),
            (|c| c.nonce = None, Nonce),
            (|c| c.nonce = Some("m".to_owned()), Nonce),
            (|c| c.subject.clear(), Subject),
            (|c| c.subject = "x".repeat(256), Subject),
            (|c| c.subject = "a\0".to_owned(), Subject),
        ];
        for (n, (change, refused)) in changes.into_iter().enumerate() {
            assert_eq!(verify(change), Err(refused), "{n}");
        }
        assert!(verify(|c| c.expires_at = Some(i64::MIN)).is_err());
        assert!(verify(|c| c.issued_at = Some(i64::MAX)).is_err());
        assert!(verify(|c| c.issued_at = Some(i64::MIN)).is_err());
    }
}
