//! Headings and names of sheets in the languages of documents.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use racun_kernel::text::LANGUAGES;

/// The table of all words: a key per line, and its word in each of [`LANGUAGES`].
pub const WORDS: &str = include_str!("words.tsv");

static TABLE: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = WORDS.lines().skip(1).filter_map(|line| line.split_once('\t'));
    rows.map(|(key, words)| (key, words.split('\t').collect())).collect()
});

/// The word of `key` in the language of `locale`; English in another, and the key itself where the
/// table has none.
#[must_use]
pub fn word<'a>(key: &'a str, locale: &str) -> &'a str {
    let language = locale.split('-').next().unwrap_or_default();
    let place = LANGUAGES.iter().position(|one| *one == language).unwrap_or_default();
    TABLE.get(key).and_then(|words| words.get(place)).copied().unwrap_or(key)
}
