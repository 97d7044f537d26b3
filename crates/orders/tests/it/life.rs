//! The states of an order.

use racun_kernel::{Issue, Patch};
use racun_orders::{
    MAX_ITEMS, Order, OrderError, OrderInput, OrderRefusal, PaymentStatus, SourceKind, Status,
};
use time::Duration;

use crate::world::{
    SHOPIFY, START, actor, actor_at, decimal, incoming, input, integration, item, made, order,
};

fn codes(refused: OrderError) -> Vec<String> {
    let OrderError::Invalid(issues) = refused else { panic!("{refused}") };
    issues.iter().map(Issue::to_string).collect()
}

#[test]
fn an_order_needs_what_it_sells() {
    let shop = integration(|_| {});
    let refused = Order::new(OrderInput::default(), &shop, &actor()).unwrap_err();
    let said = codes(refused).join("\n");
    for field in ["source_id", "currency_code", "total", "total_with_tax", "items"] {
        assert!(said.contains(&format!("{field}:")), "{field} in {said}");
    }
    let bad = OrderInput {
        currency_code: Patch::Value("XXX".into()),
        customer_email: Patch::Value("ana".into()),
        items: Patch::Value(vec![racun_orders::ItemInput {
            quantity: 0.into(),
            discount: Some(decimal("-1")),
            tax_rates: Some(vec![decimal("101")]),
            ..item("", "1")
        }]),
        ..input()
    };
    let said = codes(Order::new(bad, &shop, &actor()).unwrap_err()).join("\n");
    for place in [
        "currency_code",
        "customer_email",
        "items[0].name",
        "items[0].quantity",
        "items[0].discount",
        "items[0].taxes[0].rate",
    ] {
        assert!(said.contains(place), "{place} in {said}");
    }
    for count in [0, MAX_ITEMS + 1] {
        let items = Patch::Value(vec![item("Tea", "1"); count]);
        assert!(Order::new(OrderInput { items, ..input() }, &shop, &actor()).is_err());
    }
    let other = OrderInput { source: Patch::Value(SourceKind::Shopify), ..input() };
    assert!(codes(Order::new(other, &shop, &actor()).unwrap_err())[0].starts_with("source:"));
    let off = integration(|input| input.is_active = Patch::Value(false));
    let refused = Order::new(input(), &off, &actor()).unwrap_err();
    assert_eq!(refused, OrderRefusal::Inactive.into());
}

#[test]
fn a_failure_is_kept_until_the_order_is_mended() {
    let shop = integration(|_| {});
    let (failed, events) = made(order(input(), &shop).failed("no such item", &actor()));
    assert_eq!((failed.status, events), (Status::Failed, vec!["order.failed".to_owned()]));
    assert_eq!(failed.error.as_deref(), Some("no such item"));
    let mended =
        OrderInput { items: Patch::Value(vec![item("Tea", "12")]), ..OrderInput::default() };
    let (pending, _) = made(failed.update(mended, Some(&shop), &actor()).unwrap());
    assert_eq!((pending.status, pending.error), (Status::Pending, None));
}

#[test]
fn a_processed_order_remembers_that_it_changed() {
    let shop = integration(|_| {});
    let (done, events) = made(order(input(), &shop).processed("inv_1", true, None, &actor()));
    assert_eq!(events, ["order.processed"]);
    assert_eq!(done.cancel_error(), OrderRefusal::Invoiced);
    let attached = [("a".to_owned(), "b".to_owned())].into();
    let change = OrderInput { metadata: Patch::Value(attached), ..OrderInput::default() };
    let (same, _) = made(done.update(change, Some(&shop), &actor()).unwrap());
    assert!(!same.items_changed_after_processing, "what a caller attaches sells nothing");
    let change =
        OrderInput { items: Patch::Value(vec![item("Tea", "9")]), ..OrderInput::default() };
    let (changed, _) = made(same.update(change, Some(&shop), &actor()).unwrap());
    assert!(changed.items_changed_after_processing);
    let (again, _) = made(changed.processed("inv_2", true, None, &actor()));
    assert_eq!(again.invoice_id.as_deref(), Some("inv_2"));
    assert!(!again.items_changed_after_processing);
}

trait CancelError {
    fn cancel_error(&self) -> OrderRefusal;
}

impl CancelError for Order {
    fn cancel_error(&self) -> OrderRefusal {
        match self.clone().cancel(&actor()) {
            Err(OrderError::Refused(refusal)) => refusal,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_trash_keeps_an_order_from_commands() {
    let shop = integration(|_| {});
    let kept = order(input(), &shop);
    assert_eq!(kept.must_be_in_trash(), Err(OrderRefusal::NotInTrash.into()));
    let (gone, events) = made(kept.trash(&actor()).unwrap());
    assert_eq!(events, ["order.deleted"]);
    assert!(matches!(gone.clone().trash(&actor()), Err(OrderError::NotFound { .. })));
    assert_eq!(gone.cancel_error(), OrderRefusal::InTrash);
    let refused = gone.clone().update(OrderInput::default(), None, &actor()).unwrap_err();
    assert_eq!(refused, OrderRefusal::InTrash.into());
    let (back, events) = made(gone.restore(&actor()).unwrap());
    assert_eq!((back.deleted_at, events), (None, vec!["order.restored".to_owned()]));
    let (cancelled, events) = made(back.cancel(&actor()).unwrap());
    assert_eq!(events, ["order.cancelled"]);
    assert!(made(cancelled.cancel(&actor()).unwrap()).1.is_empty());
}

#[test]
fn an_order_stays_with_its_source() {
    let shop = integration(|_| {});
    let moved = OrderInput { source_id: Patch::Value("2".into()), ..OrderInput::default() };
    let refused = order(input(), &shop).update(moved, Some(&shop), &actor()).unwrap_err();
    assert!(codes(refused)[0].starts_with("source_id:"));
}

#[test]
fn a_payment_that_a_caller_tells_of_has_its_time() {
    let shop = integration(|_| {});
    let paid =
        OrderInput { payment_status: Patch::Value(PaymentStatus::Paid), ..OrderInput::default() };
    let later = START + Duration::HOUR;
    let (paid, _) =
        made(order(input(), &shop).update(paid, Some(&shop), &actor_at(later)).unwrap());
    assert_eq!(paid.facts.paid_at, Some(later));
}

#[test]
fn what_comes_again_or_late_changes_nothing() {
    let shop = integration(|input| input.source = Patch::Value(SourceKind::Shopify));
    let first = incoming(SourceKind::Shopify, SHOPIFY);
    let (order, events) = made(Order::received(first.clone(), &shop, &actor()));
    assert_eq!(events, ["order.created"]);
    let (same, events) = made(order.clone().receive(first.clone(), &shop, &actor()));
    assert!(events.is_empty() && same == order);
    let mut older = first.clone();
    older.updated_at = older.updated_at.map(|at| at - Duration::SECOND);
    older.content.total_with_tax = decimal("1");
    assert!(made(order.clone().receive(older, &shop, &actor())).1.is_empty());
    let mut cancelled = first;
    cancelled.updated_at = cancelled.updated_at.map(|at| at + Duration::SECOND);
    cancelled.facts.cancelled_at = Some(START);
    let (order, events) = made(order.receive(cancelled, &shop, &actor()));
    assert_eq!((order.status, events), (Status::Cancelled, vec!["order.cancelled".to_owned()]));
}
