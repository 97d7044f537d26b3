//! The numbered errors for which CIS gives no JIR (`s013`), and what is known of them beforehand.
//!
//! Source: technical specification 2.7, chapter 4, checks 164 to 185.

use racun_kernel::Decimal;

use super::PaymentMeans;
use crate::AuthorityError;

/// The code whose text lists the numbers.
const RESTRICTIVE: &str = "s013";

/// The highest total in cash or by card, in euros (168).
const MOST_IN_CASH: i64 = 10_000;
/// The highest total by other means, in euros (167).
const MOST_OTHERWISE: i64 = 150_000;

/// A total that CIS takes no receipt of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "CIS takes no receipt of more than {} EUR {} (check {}); divide the sale, or agree on another \
     way of payment",
    .most, .way, .check
)]
pub struct TooHigh {
    /// The number of the check.
    pub check: u16,
    most: i64,
    way: &'static str,
}

/// Accepts the total of a receipt that is paid by `means`.
///
/// # Errors
/// What CIS would refuse it for: then it would have a number and never a JIR.
pub fn check_total(total: &Decimal, means: PaymentMeans) -> Result<(), TooHigh> {
    let (check, most, way) = match means {
        PaymentMeans::G | PaymentMeans::K => (168, MOST_IN_CASH, "in cash or by card"),
        PaymentMeans::T | PaymentMeans::O => (167, MOST_OTHERWISE, "by bank transfer or otherwise"),
    };
    let size = if total.is_negative() { -total } else { total.clone() };
    if size > Decimal::from(most) { Err(TooHigh { check, most, way }) } else { Ok(()) }
}

/// `errors` with an entry for each number that the text of `s013` lists, in the order of that text.
#[must_use]
pub fn explained(errors: Vec<AuthorityError>) -> Vec<AuthorityError> {
    let explain = |error: AuthorityError| {
        let numbers = if error.code.eq_ignore_ascii_case(RESTRICTIVE) {
            numbers(&error.message)
        } else {
            Vec::new()
        };
        std::iter::once(error).chain(numbers.into_iter().map(|code| {
            let message = meaning(&code).to_owned();
            AuthorityError { code, message }
        }))
    };
    errors.into_iter().flat_map(explain).collect()
}

/// The numbers after the colon of "Račun sadrži restriktivne greške: 168, 180".
fn numbers(text: &str) -> Vec<String> {
    let Some((_, list)) = text.rsplit_once(':') else { return Vec::new() };
    let words = list.split(|c: char| !c.is_ascii_digit());
    words.filter(|word| word.len() == 3).map(str::to_owned).collect()
}

fn meaning(number: &str) -> &'static str {
    match number {
        "164" => "a fee is above 135.00",
        "166" => "the total is not the sum of its parts",
        "167" => "the total is above 150000.00 by bank transfer or otherwise",
        "168" | "185" => "the total is above 10000.00 in cash or by card",
        "176" => "it was issued more than 30 days ago",
        "177" => "its time of issue lies in the future",
        "178" => "its number is 0",
        "179" => "the operator's OIB is not valid",
        "180" => "the buyer's OIB is not valid",
        "181" => "a buyer's OIB does not go with this way of payment",
        _ => "an error that CIS does not take",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_limited_by_the_way_of_payment() {
        use PaymentMeans::{G, K, O, T};
        for (total, means, check) in [
            ("10000.00", G, None),
            ("10000.01", G, Some(168)),
            ("-10000.01", K, Some(168)),
            ("10000.01", T, None),
            ("150000.00", O, None),
            ("-150000.01", T, Some(167)),
        ] {
            let refused = check_total(&total.parse().unwrap(), means).err();
            assert_eq!(refused.map(|too_high| too_high.check), check, "{total} {means:?}");
        }
    }

    #[test]
    fn the_numbers_of_a_text_are_errors_of_their_own() {
        let error = |code: &str, message: &str| AuthorityError {
            code: code.to_owned(),
            message: message.to_owned(),
        };
        let codes = |errors| -> Vec<String> {
            explained(errors).into_iter().map(|error| error.code).collect()
        };
        let text = "Račun sadrži restriktivne greške: 168, 180.";
        assert_eq!(
            codes(vec![error("s013", text), error("s005", "OIB")]),
            ["s013", "168", "180", "s005"]
        );
        assert_eq!(codes(vec![error("S013", "Račun")]), ["S013"]);
        assert_eq!(codes(vec![error("s001", "cvc: 168")]), ["s001"]);
        assert_eq!(codes(Vec::new()), [""; 0]);
    }
}
