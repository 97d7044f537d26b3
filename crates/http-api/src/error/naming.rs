//! Records by the names of their kinds, for those who read errors.

use racun_documents::DocumentKind;
use racun_kernel::id::KINDS;

/// Words that are written in capitals.
const CAPITALS: [&str; 4] = ["furs", "fina", "pos", "api"];

/// What the record `id` is, by the beginning of its id: `advance invoice`, `FURS premise`.
pub(super) fn kind_of(id: &str) -> Option<String> {
    let documents = DocumentKind::ALL.into_iter();
    let lines = documents.clone().map(|kind| (kind.line_prefix(), "Line"));
    let documents = documents.map(|kind| (kind.prefix(), kind.name()));
    let known = KINDS.iter().copied().chain(documents).chain(lines);
    let fitting = known.filter(|(prefix, _)| id.starts_with(prefix));
    fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, name)| words(name))
}

/// The words of the name `BusinessUnit` or `advance_invoice`.
pub(super) fn words(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() || letter == '_' || words.is_empty() {
            words.push(String::new());
        }
        if let (Some(word), true) = (words.last_mut(), letter != '_') {
            word.push(letter.to_ascii_lowercase());
        }
    }
    for word in words.iter_mut().filter(|word| CAPITALS.contains(&word.as_str())) {
        *word = word.to_ascii_uppercase();
    }
    words.join(" ")
}

/// `name` with the article that it takes.
pub(super) fn a(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'A']) { "an" } else { "a" };
    format!("{article} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_what_it_is_of() {
        for (id, kind) in [
            ("cus_01", Some("a customer")),
            ("inv_01", Some("an invoice")),
            ("adv_01", Some("an advance invoice")),
            ("inv_item_01", Some("a line")),
            ("fina_premise_01", Some("a FINA premise")),
            ("key_01", Some("an API key")),
            ("unit_01", Some("a business unit")),
            ("stats", None),
            ("42", None),
            ("", None),
        ] {
            assert_eq!(kind_of(id).map(|kind| a(&kind)).as_deref(), kind, "{id}");
        }
    }
}
