//! The one table of routes.

use crate::route::Route;
use crate::{
    access, activities, billing, catalog, docs, documents, e_invoices, e_invoicing, expenses,
    exports, fiscal, health, jobs, mail, pages, paper, payments, pos, recurring, sandbox,
    transaction_type, webhooks,
};

/// The areas' tables, in the order in which paths are matched.
const AREAS: &[&[&[Route]]] = &[
    &[
        health::ROUTES,
        docs::ROUTES,
        access::users::ROUTES,
        access::recovery::ROUTES,
        pages::LINKED,
        access::own_invitations::ROUTES,
        access::sessions::ROUTES,
        pages::ROUTES,
        access::entity_users::ROUTES,
        access::invitations::ROUTES,
        access::entity_keys::ROUTES,
        access::account::ROUTES,
        access::account_keys::ROUTES,
        access::entities::ROUTES,
        access::email_sender::ROUTES,
        access::operators::ROUTES,
        // Before the paths in which an id stands where these say `export`.
        exports::ROUTES,
        exports::ARCHIVES,
    ],
    catalog::ROUTES,
    &[mail::PUBLIC],
    paper::FILES,
    &[
        mail::SENDING,
        mail::SHARING,
        catalog::files::ROUTES,
        documents::INVOICES,
        documents::ESTIMATES,
        documents::CREDIT_NOTES,
        documents::ADVANCE_INVOICES,
        documents::DELIVERY_NOTES,
        documents::ROUTES,
        e_invoices::ROUTES,
        e_invoicing::ROUTES,
        paper::ROUTES,
        paper::E_INVOICES,
        payments::ROUTES,
        expenses::ROUTES,
        catalog::files::OF_EXPENSES,
        recurring::ROUTES,
        transaction_type::ROUTES,
        pos::tables::ROUTES,
        pos::tabs::ROUTES,
        pos::splitting::ROUTES,
        pos::takings::ROUTES,
        pos::closings::ROUTES,
        fiscal::furs::OWN,
        fiscal::furs::ROUTES,
        fiscal::internal_act::ROUTES,
        fiscal::fina::OWN,
        fiscal::fina::ROUTES,
        webhooks::endpoints::ROUTES,
        webhooks::account::ROUTES,
        webhooks::log::ROUTES,
        webhooks::v1::ROUTES,
        sandbox::ROUTES,
        billing::labels::ROUTES,
        billing::subscriptions::ROUTES,
        activities::ROUTES,
        jobs::ROUTES,
    ],
];

/// Every route that is served: nothing else is, and each has its gate.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    AREAS.iter().copied().flatten().copied().flatten()
}
