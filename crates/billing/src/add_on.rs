//! What is sold beside a plan: more of what it limits, and features that it lacks.

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};

use crate::plan::check_slug;
use crate::{Feature, Limits};

/// More than this of one add-on is a mistake.
const MOST: i64 = 1_000;

/// Something that a white label sells beside its plans, by the month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddOn {
    /// What requests name it by.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// The price of one, in a month.
    pub price_cents: i64,
    /// Documents in a month that one adds, where the plan limits them.
    #[serde(default)]
    pub documents_per_month: i64,
    /// Invoices in a month that one adds, where the plan limits them.
    #[serde(default)]
    pub invoices_per_month: i64,
    /// Electronic invoices in a month that one adds, where the plan limits them.
    #[serde(default)]
    pub e_invoicing_sends: i64,
    /// Features that come with it.
    #[serde(default)]
    pub features: Vec<Feature>,
}

/// An add-on that an entity has, with its terms as they were when it was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenAddOn {
    /// The add-on.
    pub add_on: AddOn,
    /// How many there are.
    pub quantity: i64,
    /// The most that there were in the current month: so many are charged.
    pub most: i64,
}

impl AddOn {
    /// Notes what is wrong with it.
    pub(crate) fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        check_slug(&mut issues, &self.slug);
        if self.name.trim().is_empty() {
            issues.push(Issue::new("too_short", "at least one character").at("name"));
        }
        for (name, amount) in [
            ("price_cents", self.price_cents),
            ("documents_per_month", self.documents_per_month),
            ("invoices_per_month", self.invoices_per_month),
            ("e_invoicing_sends", self.e_invoicing_sends),
        ] {
            if amount < 0 {
                let message = "expected a whole number, 0 or above";
                issues.push(Issue::new("invalid_value", message).at(name));
            }
        }
        issues.into_result(())
    }

    /// Adds `quantity` of it to `limits`. What is not limited stays so.
    pub(crate) fn raise(&self, limits: &mut Limits, quantity: i64) {
        for (limit, more) in [
            (&mut limits.documents_per_month, self.documents_per_month),
            (&mut limits.invoices_per_month, self.invoices_per_month),
            (&mut limits.e_invoicing_sends_included, self.e_invoicing_sends),
        ] {
            *limit = limit.map(|limit| limit.saturating_add(more.saturating_mul(quantity)));
        }
    }
}

/// The add-ons `wanted`, each by its slug with how many, of those that are `sold`.
///
/// # Errors
/// Issues at the place of each that is not sold, is there twice, or is of no such number.
pub fn choose_add_ons(
    sold: &[AddOn],
    wanted: &[(String, i64)],
) -> Result<Vec<(AddOn, i64)>, Issues> {
    let (mut issues, mut chosen) = (Issues::default(), Vec::<(AddOn, i64)>::new());
    for (n, (slug, quantity)) in wanted.iter().enumerate() {
        if !(0..=MOST).contains(quantity) {
            let message = format!("expected a whole number from 0 to {MOST}");
            issues.push(Issue::new("out_of_range", message).at("quantity").at(n));
        }
        if chosen.iter().any(|(known, _)| known.slug == *slug) {
            issues.push(Issue::new("duplicate", "stands there twice").at("slug").at(n));
        }
        match sold.iter().find(|one| one.slug == *slug) {
            Some(one) => chosen.push((one.clone(), *quantity)),
            None => {
                let known: Vec<&str> = sold.iter().map(|one| one.slug.as_str()).collect();
                let message = format!("no such add-on; there are {}", known.join(", "));
                issues.push(Issue::new("invalid_value", message).at("slug").at(n));
            }
        }
    }
    issues.into_result(chosen)
}
