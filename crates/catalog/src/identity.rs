//! What parties share that are the same, however they are written: the keys to look them up by.

use racun_kernel::vat_number;

/// Characters of each part of a key: enough to tell most parties apart, and few enough for an
/// index.
const MAX_PART_CHARS: usize = 80;

/// What parties with the same tax number share.
pub fn tax_key(number: Option<&str>) -> Option<String> {
    let key = vat_number::key(number?);
    (!key.is_empty()).then(|| part(&key))
}

/// What parties of the same name and address share.
pub fn name_key(name: &str, address: Option<&str>, post_code: Option<&str>) -> Option<String> {
    let parts = [Some(name), address, post_code];
    let key = parts.map(|text| text.map(|text| part(&plain(text))).unwrap_or_default());
    (!key[0].is_empty()).then(|| key.join("\u{1f}"))
}

/// What parties of the same e-mail address share.
pub fn email_key(email: Option<&str>) -> Option<String> {
    let key = plain(email?);
    (!key.is_empty()).then(|| part(&key))
}

/// `text` in small letters, with single blanks.
pub fn plain(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

fn part(text: &str) -> String {
    text.chars().take(MAX_PART_CHARS).collect()
}
