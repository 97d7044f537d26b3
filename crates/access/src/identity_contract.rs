//! For tests only, and unstable: the contract that every [`IdentityProvider`] must keep.
//!
//! A grant stands for one sign-in of one person. What it is altered to is always the same, so that
//! recorded exchanges can answer it, too.

use crate::{Claims, Grant, IdentityError, IdentityProvider};

/// A verifier that belongs to no sign-in.
const VERIFIER: &str = "another-verifier-that-no-challenge-is-made-of";
/// Where no sign-in leads back to.
const ELSEWHERE: &str = "https://client.example.org/elsewhere";
/// A code that was never given out.
const CODE: &str = "no-code-of-the-provider";

async fn check_refused(provider: &dyn IdentityProvider, grant: Grant) {
    let refused = provider.redeem(&grant).await;
    assert!(matches!(refused, Err(IdentityError::Refused(_))), "expected a refusal: {refused:?}");
}

/// People sign in at `endpoint`, as the provider says of itself.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn people_sign_in_where_the_provider_says(
    provider: &dyn IdentityProvider,
    endpoint: &str,
) {
    for _ in 0..2 {
        assert_eq!(provider.authorization_endpoint().await.as_deref(), Ok(endpoint));
    }
}

/// A code gives what the provider says of the person, `said`, once.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn a_code_gives_the_claims_once(
    provider: &dyn IdentityProvider,
    grant: Grant,
    said: &Claims,
) {
    assert_eq!(provider.redeem(&grant).await.as_ref(), Ok(said));
    check_refused(provider, grant).await;
}

/// A code is of no use to who does not know the verifier.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn a_code_needs_its_verifier(provider: &dyn IdentityProvider, grant: Grant) {
    check_refused(provider, Grant { verifier: VERIFIER.to_owned(), ..grant }).await;
}

/// A code is of no use with another address than the one that it came back to.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn a_code_needs_its_address(provider: &dyn IdentityProvider, grant: Grant) {
    check_refused(provider, Grant { redirect_uri: ELSEWHERE.to_owned(), ..grant }).await;
}

/// A code that the provider never gave out is refused.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn an_unknown_code_is_refused(provider: &dyn IdentityProvider, grant: Grant) {
    check_refused(provider, Grant { code: CODE.to_owned(), ..grant }).await;
}

/// The token of `grant`, which another key signs than the provider's, is not trusted.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn a_token_of_another_key_is_mistrusted(provider: &dyn IdentityProvider, grant: Grant) {
    let refused = provider.redeem(&grant).await;
    assert!(matches!(refused, Err(IdentityError::Mistrusted(_))), "{refused:?}");
}

/// A provider that is away is silent, whatever it is asked.
///
/// # Panics
/// When the provider does not keep the contract.
pub async fn a_provider_that_is_away_is_silent(provider: &dyn IdentityProvider, grant: Grant) {
    let silent = provider.authorization_endpoint().await;
    assert!(matches!(silent, Err(IdentityError::Silent(_))), "{silent:?}");
    let silent = provider.redeem(&grant).await;
    assert!(matches!(silent, Err(IdentityError::Silent(_))), "{silent:?}");
}
