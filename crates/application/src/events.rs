//! Every event that there is: what crates declare, in the order in which receivers are shown them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use racun_access::events as access;
use racun_background::jobs::events::job;
use racun_billing::events as billing;
use racun_card_payments::events as cards;
use racun_catalog::events as catalog;
use racun_delivery::exports::archive::events::export_job;
use racun_documents::events as documents;
use racun_fiscal::events as fiscal;
use racun_orders::events as orders;
use racun_portugal::events as portugal;
use racun_pos::events as pos;
use racun_sales::network::events::{e_invoicing, e_invoicing_enrollment};
use racun_settlement::events as settlement;
use racun_store::EventKind;
use racun_webhooks::events as webhooks;

static EVENTS: LazyLock<Vec<EventKind>> = LazyLock::new(|| {
    // In the order of contract 29.1.
    let published = [
        documents::invoice::ALL,
        catalog::customer::ALL,
        settlement::payment::ALL,
        cards::card_payment::ALL,
        documents::estimate::ALL,
        documents::credit_note::ALL,
        documents::advance_invoice::ALL,
        catalog::item::ALL,
        catalog::tax::ALL,
        documents::recurring_invoice::ALL,
        cards::payment_app::ALL,
        orders::order::ALL,
        orders::order_integration::ALL,
        documents::delivery_note::ALL,
        documents::expense::ALL,
        e_invoicing::ALL,
        e_invoicing_enrollment::ALL,
        billing::white_label_subscription::ALL,
    ];
    let in_the_log = [
        catalog::supplier::ALL,
        catalog::financial_category::ALL,
        catalog::business_unit::ALL,
        catalog::file::ALL,
        webhooks::webhook::ALL,
        job::ALL,
        export_job::ALL,
    ];
    [&published[..], &in_the_log, &access::ALL, &pos::ALL, &fiscal::ALL, &portugal::ALL]
        .concat()
        .concat()
});

static BY_NAME: LazyLock<BTreeMap<&'static str, EventKind>> =
    LazyLock::new(|| EVENTS.iter().map(|kind| (kind.name(), *kind)).collect());

/// Every event that there is. Those that are published come first, in the order of the interface's
/// list.
#[must_use]
pub fn events() -> &'static [EventKind] {
    &EVENTS
}

/// The event called `name`.
#[must_use]
pub fn event_named(name: &str) -> Option<EventKind> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use racun_store::Receivers;

    use super::*;

    #[test]
    fn each_event_is_listed_once_under_a_name_of_its_own() {
        assert_eq!(BY_NAME.len(), EVENTS.len());
        let count = |to| EVENTS.iter().filter(|kind| kind.receivers() == Some(to)).count();
        assert_eq!((count(Receivers::Entity), count(Receivers::Account)), (89, 9));
        let find = |name| event_named(name).map(EventKind::is_published);
        assert_eq!(find("invoice.paid"), Some(true));
        assert_eq!(find("white_label_subscription.renewed"), Some(true));
        assert_eq!((find("pos_tab.opened"), find("invoice")), (Some(false), None));
    }

    #[test]
    fn an_event_happens_to_records_that_are_kept() {
        let tables: BTreeSet<_> = crate::tables().iter().map(|table| table.name).collect();
        let without: BTreeSet<_> = EVENTS
            .iter()
            .filter(|kind| kind.table().is_none_or(|table| !tables.contains(table.name)))
            .map(|kind| kind.name().split('.').next().unwrap())
            .collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
