//! Which features of the entity's plan a request needs.

use racun_billing::Feature;
use racun_kernel::Principal;

use crate::route::Route;

/// The features that `route` needs when `principal` takes it.
pub(crate) fn needed(route: &Route, principal: Principal) -> Vec<Feature> {
    if route.ignores_plan {
        return Vec::new();
    }
    let is_key = matches!(principal, Principal::AccountKey(_) | Principal::EntityKey(_));
    is_key.then_some(Feature::ApiAccess).into_iter().chain(route.needs).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::route::{Gate, Verb};
    use crate::routes;

    /// Features that no route needs, with the reason.
    const UNNEEDED: [(Feature, &str); 3] = [
        (Feature::CustomTemplates, "there are no templates of one's own"),
        (Feature::ApiAccess, "keys need it, whatever the route"),
        (Feature::PrioritySupport, "people give it"),
    ];

    /// Routes that need what others of their area do not, with the reason.
    const APART: [(&str, &str); 7] = [
        ("exportDocumentsAsEslog", "it makes e-SLOG files"),
        ("exportDocumentsAsPdf", "it makes PDFs"),
        ("invoiceCardPayment", "it makes an invoice"),
        ("invoicePosTab", "it makes an invoice"),
        ("listUsTaxRateEstimates", "the look-up itself is what is sold"),
        ("processOrder", "it makes an invoice"),
        ("sendDocument", "it sends an e-mail"),
    ];

    /// What `route` belongs to: the first part of its path, of fiscalization the first two.
    fn area(route: &Route) -> &'static str {
        let skipped = if route.path.starts_with("/fiscalization/") { 2 } else { 1 };
        let end = route.path.match_indices('/').nth(skipped).map(|(place, _)| place);
        &route.path[..end.unwrap_or(route.path.len())]
    }

    #[test]
    fn an_area_that_a_plan_sells_is_sold_whole() {
        let mut areas: BTreeMap<&str, BTreeSet<Option<Feature>>> = BTreeMap::new();
        let is_apart = |route: &Route| APART.iter().any(|(name, _)| *name == route.operation);
        for route in routes().filter(|route| matches!(route.gate, Gate::Entity(_))) {
            if route.verb == Verb::Get && !is_apart(route) {
                // Every plan reads what the entity has; routes that make a file of it may need a
                // feature.
                assert!(route.needs.is_none() || route.answers_file.is_some(), "{}", route.path);
            } else if !is_apart(route) {
                areas.entry(area(route)).or_default().insert(route.needs);
            }
        }
        for (area, needs) in areas {
            assert_eq!(needs.len(), 1, "{area}: its routes do not agree: {needs:?}");
        }
    }

    #[test]
    fn every_feature_of_a_plan_is_needed_by_a_route() {
        for feature in racun_billing::FEATURES {
            let is_needed = routes().any(|route| route.needs == Some(*feature));
            let reason = UNNEEDED.iter().find(|(unneeded, _)| unneeded == feature);
            assert_ne!(is_needed, reason.is_some(), "{feature}: {reason:?}");
        }
        for (name, _) in APART {
            assert!(routes().any(|route| route.operation == name && route.needs.is_some()));
        }
    }

    #[test]
    fn a_plan_is_changed_whatever_the_plan() {
        for route in routes() {
            let is_of_plans = route.path.starts_with("/white-label-subscriptions");
            assert_eq!(route.ignores_plan, is_of_plans, "{}", route.path);
        }
    }
}
