//! Which route needs which feature of the entity's plan.
//!
//! One table by path, so that a new route of an area needs what the area needs. What an entity has
//! stays readable whatever its plan: features stand before writing, and before what makes files.

use racun_billing::Feature;
use racun_kernel::Principal;

use crate::route::{Route, Verb};

/// Before whatever is not a `GET` under these paths.
const AREAS: &[(&str, Feature)] = &[
    ("/invoices", Feature::Invoices),
    ("/pos/tabs/{id}/invoice", Feature::Invoices),
    ("/advance-invoices", Feature::Invoices),
    ("/credit-notes", Feature::Invoices),
    ("/estimates", Feature::Estimates),
    ("/customers", Feature::Customers),
    ("/items", Feature::Items),
    ("/business-units", Feature::BusinessUnits),
    ("/financial-categories", Feature::FinancialCategories),
    ("/fiscalization/furs", Feature::Furs),
    ("/fiscalization/fina", Feature::Fina),
    ("/recurring-invoices", Feature::Recurring),
    ("/webhooks", Feature::Webhooks),
    ("/email", Feature::EmailSending),
    ("/payment-reminders", Feature::EmailSending),
    ("/eslog", Feature::Eslog),
    ("/e-invoicing", Feature::EInvoicing),
];

/// Before everything of documents whose path has this part, whatever the method.
const PARTS: &[(&str, Feature)] =
    &[("pdf", Feature::PdfExport), ("eslog", Feature::Eslog), ("send", Feature::EmailSending)];

/// Where a plan is looked at and changed: within reach whatever the plan, and also by its keys.
const SUBSCRIPTIONS: &str = "/white-label-subscriptions";

/// Whether `path` is `area` or lies under it.
fn is_in(path: &str, area: &str) -> bool {
    path.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The features that `route` needs when `principal` takes it.
pub(crate) fn needed(route: &Route, principal: Principal) -> Vec<Feature> {
    if is_in(route.path, SUBSCRIPTIONS) {
        return Vec::new();
    }
    let is_key = matches!(principal, Principal::AccountKey(_) | Principal::EntityKey(_));
    let by_key = is_key.then_some(Feature::ApiAccess);
    let of_area =
        AREAS.iter().filter(|(area, _)| route.verb != Verb::Get && is_in(route.path, area));
    let of_part = PARTS.iter().filter(|(part, _)| {
        is_in(route.path, "/documents") && route.path.split('/').any(|own| own == *part)
    });
    by_key.into_iter().chain(of_area.chain(of_part).map(|(_, feature)| *feature)).collect()
}
