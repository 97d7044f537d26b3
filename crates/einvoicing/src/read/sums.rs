//! Whether what a received invoice states adds up, by the rules of the specification that it names.

/// The rule of Peppol on the amount of a line. KoSIT only warns by it, and EN 16931 has none.
const LINE: &str = "PEPPOL-EN16931-R120";

/// Whether a rule is about sums: those of the totals (BR-CO-10 to 17), of decimals without which
/// nothing is added up (BR-DEC), those of each category's base and tax (…-08 and …-09), and that of
/// a line.
pub fn is_of_sums(rule: &str) -> bool {
    let number = |rest: &str| rest.parse::<u8>().ok();
    if let Some(rest) = rule.strip_prefix("BR-CO-") {
        return number(rest).is_some_and(|number| (10..=17).contains(&number));
    }
    let category = rule.strip_prefix("BR-").and_then(|rest| rest.split_once('-'));
    let is_category = |name: &str| {
        matches!(name, "S" | "Z" | "E" | "AE" | "IC" | "G" | "O" | "AF" | "AG" | "IG" | "IP")
    };
    rule == LINE
        || rule.starts_with("BR-DEC-")
        || category
            .is_some_and(|(name, rest)| is_category(name) && matches!(number(rest), Some(8 | 9)))
}
