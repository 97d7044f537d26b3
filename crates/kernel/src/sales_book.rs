//! Forms of a bound book (vezana knjiga računov, VKR): crates `fiscal` and `documents` name them.

use serde::{Deserialize, Serialize};

use crate::{Issue, Issues};

/// A form of a bound book, as FURS knows it: `SalesBookIdentifier`.
///
/// Source: technical specification of davčno potrjevanje računov, version 3.2, chapter 4. The
/// number of a set and the serial number of its book are printed on the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SalesBook {
    /// `InvoiceNumber`: the number of the invoice, 1 to 18 digits without leading zeros.
    pub invoice_number: String,
    /// `SetNumber`: the set of copies in the book, two digits.
    pub set_number: String,
    /// `SerialNumber`: the book's, 12 characters as in `5001-0001018`.
    pub serial_number: String,
}

impl SalesBook {
    /// Checks that FURS takes it. FURS takes numbers of 20 digits; those of 18 are counted here.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn check(&self) -> Result<(), Issues> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut issues = Issues::default();
        let mut expect = |is_right: bool, field: &str, message: &str| {
            if !is_right {
                issues.push(Issue::new("invalid_value", message).at(field));
            }
        };
        let expected = "expected 1 to 18 digits without leading zeros";
        expect(self.number().is_some(), "invoice_number", expected);
        let set = &self.set_number;
        let is_set = set.len() == 2 && digits(set) && set != "00";
        expect(is_set, "set_number", "expected two digits, as in 03");
        let (book, serial) = self.serial_number.split_once('-').unwrap_or_default();
        let is_serial = (book.len(), serial.len()) == (4, 7) && digits(book) && digits(serial);
        expect(is_serial, "serial_number", "expected 12 characters, as in 5001-0001018");
        issues.into_result(())
    }

    /// The number of the invoice; `None` when it is none.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        let number = &self.invoice_number;
        let is_one = (1..=18).contains(&number.len())
            && !number.starts_with('0')
            && number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse().ok().filter(|_| is_one)
    }

    /// Which set of which book: `5001-0001018-03`.
    #[must_use]
    pub fn set(&self) -> String {
        format!("{}-{}", self.serial_number, self.set_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(number: &str, set: &str, serial: &str) -> SalesBook {
        let [invoice_number, set_number, serial_number] =
            [number, set, serial].map(ToOwned::to_owned);
        SalesBook { invoice_number, set_number, serial_number }
    }

    #[test]
    fn a_form_has_a_number_a_set_and_a_book() {
        let good = form("612", "03", "5001-0001018");
        assert_eq!((good.check(), good.number()), (Ok(()), Some(612)));
        assert_eq!(good.set(), "5001-0001018-03");
        let longest = "9".repeat(18);
        assert_eq!(form(&longest, "50", "5001-0001018").number(), longest.parse().ok());
    }

    #[test]
    fn values_that_no_form_has_are_refused_by_field() {
        let too_long = "1".repeat(19);
        for number in ["", "0", "012", "-1", "+1", "12a", " 1", &too_long] {
            let refused = form(number, "03", "5001-0001018").check().unwrap_err().to_string();
            assert!(refused.starts_with("invoice_number: "), "{number}: {refused}");
        }
        for set in ["", "3", "003", "0a", "00", "+1"] {
            let refused = form("1", set, "5001-0001018").check().unwrap_err().to_string();
            assert!(refused.starts_with("set_number: "), "{set}: {refused}");
        }
        for serial in ["", "5001", "50010001018", "5001-000101", "501-00010181", "5001-000101a"] {
            let refused = form("1", "03", serial).check().unwrap_err().to_string();
            assert!(refused.starts_with("serial_number: "), "{serial}: {refused}");
        }
        assert_eq!(form("", "", "").check().unwrap_err().to_string().matches(": ").count(), 3);
    }
}
