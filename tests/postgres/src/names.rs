//! Names: unique ones, lasting hashes, and URLs of databases.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use anyhow::{Context, bail, ensure};

/// A template's name leaves this much of PostgreSQL's 63 bytes for the suffixes added to it.
const LONGEST_TEMPLATE_NAME: usize = 46;

/// A number that no other caller gets, in this process or another.
pub(crate) fn unique() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// FNV-1a: the same in all processes and builds, which the hashers of `std` do not promise.
pub(crate) fn lasting_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Refuses names that would need quoting in SQL or escaping in a URL, and too long ones.
pub(crate) fn check_template_name(name: &str) -> anyhow::Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    ensure!(
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(plain),
        "a template's name has only a-z, 0-9 and _ and begins with a letter, unlike {name:?}"
    );
    ensure!(
        name.len() <= LONGEST_TEMPLATE_NAME,
        "a template's name has at most {LONGEST_TEMPLATE_NAME} characters, unlike {name:?}"
    );
    Ok(())
}

/// The same server's URL with another database in it.
pub(crate) fn with_database(url: &str, database: &str) -> anyhow::Result<String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        bail!("the server is named by a URL such as postgresql://user@host:5432/postgres");
    };
    let (before_query, query) = match rest.split_once('?') {
        Some((before, query)) => (before, format!("?{query}")),
        None => (rest, String::new()),
    };
    let authority = before_query.split('/').next().unwrap_or_default();
    let rewritten = format!("{scheme}://{authority}/{database}{query}");
    let parsed = tokio_postgres::Config::from_str(&rewritten)
        .context("the URL of the PostgreSQL server cannot be read")?;
    // A `dbname=` among the parameters would win over the path.
    ensure!(
        parsed.get_dbname() == Some(database),
        "the URL of the PostgreSQL server names its database elsewhere than in its path"
    );
    Ok(rewritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_of_a_url_is_replaced_and_its_parameters_are_kept() {
        for (given, expected) in [
            ("postgresql://u@h:1/old", "postgresql://u@h:1/new"),
            ("postgres://u:p%2F@h", "postgres://u:p%2F@h/new"),
            ("postgres://u@h/?sslmode=disable", "postgres://u@h/new?sslmode=disable"),
            (
                "postgres://u@/a?host=%2Frun&sslmode=disable",
                "postgres://u@/new?host=%2Frun&sslmode=disable",
            ),
        ] {
            assert_eq!(with_database(given, "new").unwrap(), expected);
        }
    }

    #[test]
    fn urls_whose_database_cannot_be_replaced_are_refused() {
        assert!(with_database("host=localhost user=u", "new").is_err());
        assert!(with_database("postgres://u@h/a?dbname=b", "new").is_err());
    }

    #[test]
    fn only_plain_short_template_names_pass() {
        assert!(check_template_name("racun_0f3a").is_ok());
        for refused in ["", "1a", "a-b", "A", "a\"b", "č", &"a".repeat(47)] {
            assert!(check_template_name(refused).is_err(), "{refused:?} passed");
        }
    }
}
