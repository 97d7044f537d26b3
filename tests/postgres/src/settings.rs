//! The one setting that this crate takes from its environment.

/// The server that the caller wants used instead of a cluster of our own.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no apps/server to read settings for them, and this is their only one"
)]
pub(crate) fn given_server() -> Option<String> {
    std::env::var("RACUN_TEST_DATABASE_URL").ok().filter(|url| !url.trim().is_empty())
}
