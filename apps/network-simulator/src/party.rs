//! Identifiers that stand for each outcome.
//!
//! They are made like the VAT numbers of the sandbox: three digits, noughts, and at the end up to
//! two other digits, which make check digits fit. All other identifiers receive.
//!
//! | Begins with          | Outcome                                  | In Germany  | In Slovenia |
//! | -------------------- | ---------------------------------------- | ----------- | ----------- |
//! | `200`                | the network does not know it             | DE200000005 | SI20000006  |
//! | `210`                | it is known, and receives no invoices    | DE210000009 | SI21000000  |
//! | `400`                | its receiver does not take the document  | DE400000000 | SI40000001  |
//! | `410`                | the provider refuses the document        | DE410000003 | SI41000005  |
//! | `500`                | it is delivered at the third look        | DE500000007 | SI50000004  |
//! | `400`, as the sender | the company is not taken                 | DE400000000 | SI40000001  |

use crate::ledger::Fate;

/// Digits at the end that may be any.
const FREE: usize = 2;

/// Whether the digits of `id` are `mark`, noughts and up to two others.
fn is_marked(id: &str, mark: &str) -> bool {
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    let Some(rest) = digits.strip_prefix(mark) else { return false };
    let noughts = rest.len().saturating_sub(FREE);
    noughts > 0 && rest.chars().take(noughts).all(|digit| digit == '0')
}

/// Whether the network knows `id`.
pub fn is_registered(id: &str) -> bool {
    !is_marked(id, "200")
}

/// Whether `id` receives documents.
pub fn receives(id: &str) -> bool {
    is_registered(id) && !is_marked(id, "210")
}

/// Whether a company that sends as `id` is taken.
pub fn is_taken(id: &str) -> bool {
    !is_marked(id, "400")
}

/// What becomes of a document for `id`; `None` when it is refused.
pub fn fate(id: &str) -> Option<Fate> {
    if !receives(id) || is_marked(id, "410") {
        return None;
    }
    Some(match id {
        id if is_marked(id, "400") => Fate::Fails,
        id if is_marked(id, "500") => Fate::Late,
        _ => Fate::Delivered,
    })
}

#[cfg(test)]
mod tests {
    use racun_einvoicing::network::Participant;

    use super::*;

    #[test]
    fn the_identifiers_that_are_documented_are_some_and_stand_for_their_outcomes() {
        for (german, slovenian, registered, received, fated) in [
            ("DE200000005", "SI20000006", false, false, None),
            ("DE210000009", "SI21000000", true, false, None),
            ("DE400000000", "SI40000001", true, true, Some(Fate::Fails)),
            ("DE410000003", "SI41000005", true, true, None),
            ("DE500000007", "SI50000004", true, true, Some(Fate::Late)),
            ("DE136695976", "SI10039856", true, true, Some(Fate::Delivered)),
        ] {
            for (scheme, id) in [("9930", german), ("9949", slovenian)] {
                let read = Participant::read(Some(scheme), id);
                assert!(read.is_ok(), "{id}: {read:?}");
                assert_eq!(is_registered(id), registered, "{id}");
                assert_eq!(receives(id), received, "{id}");
                assert_eq!(fate(id), fated, "{id}");
            }
        }
        assert!(!is_taken("SI40000001") && is_taken("SI10039856"));
    }
}
