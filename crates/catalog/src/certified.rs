//! What certified documents say of customers and items stays as they say it.
//!
//! Documents of a certified program are never changed, and their master data are read with them: in
//! SAF-T of Portugal a customer has one number and one name, an item one name. A record that such a
//! document names is marked in the document's own commit (`is_certified`), for good.
//!
//! Source: Despacho 8632/2014, 3.3.3 to 3.3.5. We keep names also where the number is known.

use racun_kernel::{Issue, vat_number};

/// The number of customers in Portugal who gave none.
const CONSUMER: &str = "999999990";

/// That `field` of a record, an `item` or a `customer`, does not change.
pub(crate) fn kept(field: &str, record: &str) -> Issue {
    let message = format!(
        "certified documents name this {record}, so its {field} does not change; make another \
         {record}"
    );
    Issue::new("immutable", message).at(field)
}

/// A number that is one.
fn known(number: Option<&str>) -> Option<String> {
    number.map(vat_number::key).filter(|key| !key.is_empty() && key != CONSUMER)
}

/// Name and number of a customer.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The name.
    pub name: Option<&'a str>,
    /// The tax number.
    pub number: Option<&'a str>,
}

impl Named<'_> {
    fn name(&self) -> &str {
        self.name.unwrap_or_default().trim()
    }
}

/// What of `before`, a customer whom certified documents name, may not become `after`: a number
/// that was missing may be filled in.
pub(crate) fn changes(before: Named<'_>, after: Named<'_>) -> Vec<Issue> {
    let own = known(before.number);
    let number =
        (own.is_some() && own != known(after.number)).then(|| kept("tax_number", "customer"));
    let name = (before.name() != after.name()).then(|| kept("name", "customer"));
    number.into_iter().chain(name).collect()
}

/// What a certified document may not say of its customer, the record `own` under whose id it stands
/// in SAF-T: another number, or another name while there is no number to know it by.
#[must_use]
pub fn contradictions(own: Named<'_>, said: Named<'_>) -> Vec<Issue> {
    let number = known(own.number);
    let differs = |field: &str| {
        let message = format!(
            "the customer of customer_id has another {field}, and certified documents name a \
             customer in one way; leave {field} out, or leave customer_id out"
        );
        Issue::new("conflicting", message).at(field)
    };
    let other_number = number.is_some() && number != known(said.number);
    let other_name = number.is_none() && said.name.is_some() && own.name() != said.name();
    let found = [(other_number, "tax_number"), (other_name, "name")];
    found.into_iter().filter(|(is_other, _)| *is_other).map(|(_, field)| differs(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these are the fields that `issues` name.
    fn names(issues: &[Issue], fields: &[&str]) -> bool {
        issues
            .iter()
            .map(|issue| issue.path.clone())
            .eq(fields.iter().map(|own| vec![(*own).into()]))
    }

    const fn named<'a>(name: &'a str, number: Option<&'a str>) -> Named<'a> {
        Named { name: Some(name), number }
    }

    #[test]
    fn a_number_is_filled_in_and_nothing_else_changes() {
        let number = Some("504030108");
        for (before, after, fields) in [
            (named("Bor", number), named("Bor", Some("PT504030108")), &[][..]),
            (named("Bor", number), named("Bor", Some("501442600")), &["tax_number"]),
            (named("Bor", number), named("Bor", None), &["tax_number"]),
            (named("Bor", number), named("Hrast", number), &["name"]),
            (named("Bor", None), named("Bor ", number), &[]),
            (named("Bor", Some("999999990")), named("Bor", number), &[]),
            (named("Bor", None), named("Hrast", number), &["name"]),
        ] {
            assert!(names(&changes(before, after), fields), "{before:?} {after:?}");
        }
    }

    #[test]
    fn documents_name_a_customer_in_one_way() {
        let number = Some("504030108");
        for (own, said, fields) in [
            (named("Bor", number), named("Bor, Lda.", number), &[][..]),
            (named("Bor", number), named("Bor", None), &["tax_number"]),
            (named("Bor", None), named("Hrast", None), &["name"]),
            (named("Bor", None), named("Bor", number), &[]),
            (named("Bor", None), Named { name: None, number: None }, &[]),
        ] {
            assert!(names(&contradictions(own, said), fields), "{own:?} {said:?}");
        }
    }
}
