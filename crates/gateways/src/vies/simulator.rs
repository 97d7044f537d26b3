//! The sandbox's register of VAT numbers: it makes no calls, and gives a number the same answer
//! each time.
//!
//! Each number that can be is valid, but for those that stand for another outcome. They are made
//! like the numbers of the Commission's test service: three digits, noughts, and at the end up to
//! two other digits, which make the check digits fit.
//!
//! | Begins with, then noughts | Outcome                       | In Germany  | In Slovenia |
//! | ------------------------- | ----------------------------- | ----------- | ----------- |
//! | `200`                     | not valid                     | DE200000005 | SI20000006  |
//! | `300`                     | `SERVICE_UNAVAILABLE`         | DE300000002 | SI30000009  |
//! | `301`                     | `MS_UNAVAILABLE`              | DE301000004 | SI30100003  |
//! | `302`                     | `TIMEOUT`                     | DE302000006 | SI30200008  |
//! | `500`                     | `GLOBAL_MAX_CONCURRENT_REQ`   | DE500000007 | SI50000004  |
//! | `600`                     | `MS_MAX_CONCURRENT_REQ`       | DE600000004 | SI60000007  |

use racun_catalog::{NoAnswer, VatAnswer, VatQuery};

/// Digits at the end that may be any.
const FREE: usize = 2;

/// What stands for what is no answer.
const SILENCES: [(&str, &str); 5] = [
    ("300", "SERVICE_UNAVAILABLE"),
    ("301", "MS_UNAVAILABLE"),
    ("302", "TIMEOUT"),
    ("500", "GLOBAL_MAX_CONCURRENT_REQ"),
    ("600", "MS_MAX_CONCURRENT_REQ"),
];

/// What the simulator answers to `query`.
///
/// # Errors
/// [`NoAnswer`], for the numbers that stand for it.
pub fn simulated(query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
    let number = &query.number;
    let is_marked = |mark: &str| is_marked(number.number(), mark);
    if let Some((_, code)) = SILENCES.iter().find(|(mark, _)| is_marked(mark)) {
        return Err(NoAnswer { reason: (*code).to_owned() });
    }
    let valid = !is_marked("200");
    // As in life: these two do not say whose number it is.
    let is_open = valid && !matches!(number.state(), "DE" | "ES");
    Ok(VatAnswer {
        valid,
        name: is_open.then(|| format!("Sandbox company {number}")),
        address: is_open.then(|| "Sandbox street 1".to_owned()),
        consultation_number: query.requester.as_ref().map(|own| format!("SANDBOX-{own}-{number}")),
    })
}

/// Whether the digits of `number` are `mark`, noughts and up to two others.
fn is_marked(number: &str, mark: &str) -> bool {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let Some(rest) = digits.strip_prefix(mark) else { return false };
    let noughts = rest.len().saturating_sub(FREE);
    noughts > 0 && rest.chars().take(noughts).all(|digit| digit == '0')
}

#[cfg(test)]
mod tests {
    use racun_kernel::Environment;
    use racun_kernel::vat_number::VatNumber;
    use racun_store::testing;
    use time::macros::datetime;

    use super::*;

    fn ask(number: &str) -> Result<VatAnswer, String> {
        let stamp = testing::stamp(datetime!(2026-11-20 10:00 UTC));
        let query = VatQuery {
            number: VatNumber::read(None, number).unwrap(),
            requester: VatNumber::read(None, "SI10039856").ok(),
            asker: stamp.id(),
            environment: Environment::Sandbox,
        };
        simulated(&query).map_err(|silence| silence.reason)
    }

    #[test]
    fn the_numbers_that_are_documented_stand_for_what_is_documented() {
        for (german, slovenian, outcome) in [
            ("DE200000005", "SI20000006", None),
            ("DE300000002", "SI30000009", Some("SERVICE_UNAVAILABLE")),
            ("DE301000004", "SI30100003", Some("MS_UNAVAILABLE")),
            ("DE302000006", "SI30200008", Some("TIMEOUT")),
            ("DE500000007", "SI50000004", Some("GLOBAL_MAX_CONCURRENT_REQ")),
            ("DE600000004", "SI60000007", Some("MS_MAX_CONCURRENT_REQ")),
        ] {
            for number in [german, slovenian] {
                match (ask(number), outcome) {
                    (Ok(answer), None) => assert!(!answer.valid, "{number}"),
                    (Err(code), Some(expected)) => assert_eq!(code, expected, "{number}"),
                    other => panic!("{number}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn all_others_are_valid_and_some_states_withhold_whose_they_are() {
        let open = ask("SI10039856").unwrap();
        assert!(open.valid && open.name.is_some() && open.address.is_some());
        let number = open.consultation_number.unwrap();
        assert_eq!(number, "SANDBOX-SI10039856-SI10039856");
        let withheld = ask("DE136695976").unwrap();
        assert!(withheld.valid);
        assert_eq!((withheld.name, withheld.address), (None, None));
    }
}
