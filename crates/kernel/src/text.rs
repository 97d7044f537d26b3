//! Text as lists compare it.

/// `text` as `contains` and `search` compare it: without the difference between capitals and small
/// letters, in every script.
///
/// Each character is lowered by itself, and a final sigma counts as any other sigma, so that a part
/// of a word matches the word. The PostgreSQL function `racun_fold` gives the same answers.
#[must_use]
pub fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn capitals_beyond_ascii_fold() {
        assert_eq!(fold("ŽIGA Čeh ΟΔΟΣ"), "žiga čeh οδοσ");
        assert!(fold("Restavracija ŽAR").contains(&fold("žar")));
    }
}
