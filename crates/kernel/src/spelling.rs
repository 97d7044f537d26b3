//! Which known name was meant by an unknown one.

/// The name among `known` that `word` is a slip of: written with other capitals or underscores, or
/// with few letters wrong, missing, added or swapped: one of four, and three at most. Among names
/// of fewer than four letters there are no slips, as nearly everything would be one.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    let near = known.into_iter().filter_map(|name| {
        let letters = letters(name);
        let most = (letters.len().max(word.len()) / LETTERS_OF_A_SLIP).min(MOST_SLIPS);
        if letters.len().abs_diff(word.len()) > most {
            return None;
        }
        let slips = slips(&word, &letters);
        (slips <= most).then_some((slips, name))
    });
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

/// The name among `known` to suggest instead of `word`: the [`nearest`], or the first that
/// begins or ends with it as a word: `end_date` for `end`.
#[must_use]
pub fn suggestion<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let holds = |name: &&&str| {
        let part = |rest: Option<&str>, edge: fn(&str) -> bool| rest.is_some_and(edge);
        part(name.strip_prefix(word), |rest| rest.starts_with('_'))
            || part(name.strip_suffix(word), |rest| rest.ends_with('_'))
    };
    let affix = || known.iter().find(holds).copied().filter(|_| !word.is_empty());
    nearest(word, known.iter().copied()).or_else(affix)
}

/// Letters of which one may be wrong.
const LETTERS_OF_A_SLIP: usize = 4;
/// Slips in one name.
const MOST_SLIPS: usize = 3;
/// Letters of a word that are looked at; no name is longer.
const MOST_LETTERS: usize = 64;

/// The letters and digits of `word`, small.
fn letters(word: &str) -> Vec<char> {
    let letters = word.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase).take(MOST_LETTERS).collect()
}

/// How many letters are wrong, missing, added or swapped with their neighbour: the optimal string
/// alignment distance.
fn slips(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = Vec::with_capacity(above.len());
        row.push(i + 1);
        for (j, b) in other.iter().enumerate() {
            let changed = above[j] + usize::from(a != b);
            let mut best = changed.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let known =
            ["customer", "customer_id", "default_invoice_due_days", "note", "to", "end_date"];
        for (word, expected) in [
            ("custmer", Some("customer")),
            ("cutsomer", Some("customer")),
            ("customerId", Some("customer_id")),
            ("CUSTOMER", Some("customer")),
            ("default_invoice_due_dayz", Some("default_invoice_due_days")),
            ("notes", Some("note")),
            ("mote", Some("note")),
            ("payment_terms", None),
            ("t", None),
            ("", None),
            ("tp", None),
            ("end", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(suggestion("end", &known), Some("end_date"));
        assert_eq!(suggestion("date", &known), Some("end_date"));
        assert_eq!(suggestion("", &known), None);
    }
}
