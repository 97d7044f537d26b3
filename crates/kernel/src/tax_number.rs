//! The numbers by which tax authorities know people and businesses.

/// Whether `text` is a Slovenian tax number as messages carry it: eight digits, the first of which
/// is no zero.
#[must_use]
pub fn is_slovenian(text: &str) -> bool {
    is_digits(text, 8) && !text.starts_with('0')
}

/// Whether the last digit of a Slovenian tax number is the one that the others make: eleven less
/// their sum weighted 8 to 2, modulo eleven; ten counts as zero.
///
/// A number that fails may still be in use, as those of the authority's own examples are: a reason
/// to warn, none to refuse.
#[must_use]
pub fn is_slovenian_with_check_digit(text: &str) -> bool {
    if !is_slovenian(text) {
        return false;
    }
    let digits: Vec<u32> = text.bytes().map(|byte| u32::from(byte - b'0')).collect();
    let sum: u32 = digits.iter().zip((2..=8).rev()).map(|(digit, weight)| digit * weight).sum();
    let check = match 11 - sum % 11 {
        10 => Some(0),
        11 => None,
        check => Some(check),
    };
    check == digits.last().copied()
}

/// Whether `text` is an OIB, by which Croatia knows everybody: eleven digits, of which the last one
/// is what ISO 7064, MOD 11,10 makes of the others.
#[must_use]
pub fn is_oib(text: &str) -> bool {
    if !is_digits(text, 11) {
        return false;
    }
    let mut digits = text.bytes().map(|byte| u32::from(byte - b'0'));
    let Some(last) = digits.next_back() else { return false };
    let rest = digits.fold(10, |rest, digit| {
        let sum = (rest + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - rest) % 10 == last
}

/// Whether `text` is `count` digits of ASCII.
fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slovenian_numbers_are_eight_digits_and_a_check_digit_is_only_advised() {
        for (text, accepted, checked) in [
            ("10039856", true, true),
            ("99999862", true, true),
            // From the examples of the authority's specification.
            ("12345678", true, false),
            ("24564444", true, false),
            ("82730341", true, false),
            ("01234567", false, false),
            ("1234567", false, false),
            ("123456789", false, false),
            ("SI12345678", false, false),
            ("１２３４５６７８", false, false),
        ] {
            assert_eq!(is_slovenian(text), accepted, "{text}");
            assert_eq!(is_slovenian_with_check_digit(text), checked, "{text}");
        }
    }

    #[test]
    fn an_oib_is_eleven_digits() {
        // The first is the worked example of the authority's page.
        assert!(is_oib("69435151530"));
        for text in
            ["69435151531", "6943515153", "694351515300", "HR69435151530", "", "6943515153a"]
        {
            assert!(!is_oib(text), "{text}");
        }
    }

    #[test]
    fn a_wrong_digit_of_an_oib_is_noticed_wherever_it_stands() {
        let good = "69435151530";
        for place in 0..good.len() {
            for digit in '0'..='9' {
                let mut digits: Vec<char> = good.chars().collect();
                digits[place] = digit;
                let text: String = digits.into_iter().collect();
                assert_eq!(is_oib(&text), text == good, "{text}");
            }
        }
    }
}
