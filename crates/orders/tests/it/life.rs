//! The states of an order.

use racun_kernel::{Issue, Patch};
use racun_orders::platform::Hook;
use racun_orders::{
    MAX_ITEMS, Making, Order, OrderError, OrderInput, OrderRefusal, PaymentStatus, SourceKind,
    Status, Told, Trigger,
};
use time::Duration;

use crate::world::{
    SHOPIFY, START, WOO, actor, actor_at, decimal, hook, incoming, input, integration, invoice,
    item, made, order,
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
    for field in ["source", "source_id", "currency_code", "total", "total_with_tax", "items"] {
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
    let (failed, events) = made(order(input(), &shop).failed("no such item", &shop, &actor()));
    assert_eq!((failed.status, events), (Status::Failed, vec!["order.failed".to_owned()]));
    assert_eq!(failed.error.as_deref(), Some("no such item"));
    let mended =
        OrderInput { items: Patch::Value(vec![item("Tea", "12")]), ..OrderInput::default() };
    let (pending, _) = made(failed.update(mended, Some(&shop), &actor()).unwrap());
    assert_eq!((pending.status, pending.error), (Status::Pending, None));
}

#[test]
fn what_failed_is_tried_again_later_and_later_and_then_left() {
    let shop = integration(|input| {
        input.auto_process = Patch::Value(true);
        input.auto_process_on = Patch::Value(Trigger::Created);
    });
    let (mut failed, mut waits, mut now) = (order(input(), &shop), Vec::new(), START);
    loop {
        failed = made(failed.failed("refused", &shop, &actor_at(now))).0;
        let Some(at) = failed.process_after else { break };
        waits.push((at - now).whole_minutes());
        now = at;
    }
    assert_eq!(waits, [5, 30, 180, 720, 1_440]);
    let off = made(failed.clone().retried(&integration(|_| {}), &actor_at(now)));
    assert_eq!(off, (failed.clone(), Vec::new()));
    let (again, _) = made(failed.clone().retried(&shop, &actor_at(now)));
    assert_eq!((again.process_after, again.failures), (Some(now), 0));
    let mended = OrderInput { items: Patch::Value(vec![item("Tea", "12")]), ..Default::default() };
    let (pending, _) = made(failed.update(mended, Some(&shop), &actor_at(now)).unwrap());
    assert_eq!((pending.status, pending.process_after), (Status::Pending, Some(now)));
    let by_hand = integration(|_| {});
    let (failed, _) = made(order(input(), &by_hand).failed("refused", &by_hand, &actor()));
    assert_eq!(failed.process_after, None, "it was not processed by itself");
}

#[test]
fn what_refuses_another_invoice_leaves_the_one_that_there_is() {
    let shop = integration(|input| input.auto_reissue_on_update = Patch::Value(true));
    let (done, _) = made(order(input(), &shop).processed(invoice(1), None, &actor()));
    let change = |gross| OrderInput {
        items: Patch::Value(vec![item("Tea", gross)]),
        ..OrderInput::default()
    };
    let (changed, _) = made(done.update(change("9"), Some(&shop), &actor()).unwrap());
    let (failed, _) = made(changed.failed("99 is not 9", &shop, &actor()));
    assert_eq!((failed.status, failed.invoice_id), (Status::Failed, Some(invoice(1))));
    assert!(failed.process_after.is_some() && failed.items_changed_after_processing);
    assert_eq!(failed.making(&shop), Ok(Making::Reissue { paid: None }));
    let (mended, _) = made(failed.update(change("8"), Some(&shop), &actor()).unwrap());
    assert_eq!((mended.status, mended.error.as_deref()), (Status::Processed, None));
    assert_eq!(mended.making(&shop), Ok(Making::Reissue { paid: None }));
}

#[test]
fn a_processed_order_remembers_that_it_changed() {
    let shop = integration(|_| {});
    let (done, events) = made(order(input(), &shop).processed(invoice(1), None, &actor()));
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
    let (again, _) = made(changed.processed(invoice(2), None, &actor()));
    assert_eq!(again.invoice_id, Some(invoice(2)));
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

#[test]
fn of_what_changed_within_one_second_what_goes_on_counts_whatever_comes_first() {
    let shop = integration(|input| input.source = Patch::Value(SourceKind::Shopify));
    let paid = incoming(SourceKind::Shopify, SHOPIFY);
    let mut unpaid = paid.clone();
    unpaid.content.payment_status = PaymentStatus::Unpaid;
    unpaid.facts.paid_at = None;
    let mut sent = paid.clone();
    sent.facts.fulfilled_at = Some(START);
    for come in [[&unpaid, &paid, &sent], [&sent, &unpaid, &paid], [&paid, &sent, &unpaid]] {
        let (mut order, _) = made(Order::received(come[0].clone(), &shop, &actor()));
        for incoming in [come[1], come[2], come[0], come[2]] {
            order = made(order.receive(incoming.clone(), &shop, &actor())).0;
        }
        assert!(order.is_complete(), "{:?}", order.facts);
    }
    let (kept, _) = made(Order::received(unpaid.clone(), &shop, &actor()));
    let mut edited = unpaid;
    edited.content.items.truncate(1);
    let (kept, events) = made(kept.receive(edited.clone(), &shop, &actor()));
    assert_eq!((kept.content.items.len(), events.len()), (1, 1), "what came last counts");
    assert!(made(kept.receive(edited, &shop, &actor())).1.is_empty());
}

#[test]
fn a_shop_takes_back_what_it_cancelled_and_not_what_a_caller_did() {
    let shop = integration(|input| {
        input.source = Patch::Value(SourceKind::Woocommerce);
        input.auto_process = Patch::Value(true);
    });
    let first = incoming(SourceKind::Woocommerce, WOO);
    let at = |seconds: i64, change: fn(&mut racun_orders::platform::Incoming)| {
        let mut later = first.clone();
        later.updated_at = later.updated_at.map(|at| at + Duration::seconds(seconds));
        change(&mut later);
        later
    };
    let cancelled = at(1, |it| it.facts.cancelled_at = Some(START));
    let paid = at(2, |it| {
        it.facts.paid_at = Some(START);
        it.content.payment_status = PaymentStatus::Paid;
    });
    let (order, _) = made(Order::received(first.clone(), &shop, &actor()));
    let (order, events) = made(order.receive(cancelled.clone(), &shop, &actor()));
    assert_eq!((order.status, events), (Status::Cancelled, vec!["order.cancelled".to_owned()]));
    let (order, events) = made(order.receive(paid.clone(), &shop, &actor()));
    assert_eq!((order.status, events), (Status::Pending, vec!["order.updated".to_owned()]));
    assert_eq!((order.process_after, order.facts.cancelled_at), (Some(START), None));
    // One that came cancelled is taken back, too.
    let (order, _) = made(Order::received(cancelled, &shop, &actor()));
    let (order, _) = made(order.receive(paid.clone(), &shop, &actor()));
    assert_eq!(order.status, Status::Pending);
    let (ours, _) = made(Order::received(first, &shop, &actor()));
    let (ours, _) = made(ours.cancel(&actor()).unwrap());
    let (ours, _) = made(ours.receive(paid, &shop, &actor()));
    assert_eq!((ours.status, ours.process_after), (Status::Cancelled, None));
    assert_eq!(ours.facts.cancelled_at, Some(START));
}

#[test]
fn an_order_comes_back_from_the_trash_of_its_shop() {
    let shop = integration(|input| {
        input.source = Patch::Value(SourceKind::Woocommerce);
        input.auto_process = Patch::Value(true);
        input.auto_process_on = Patch::Value(Trigger::Created);
    });
    let Hook::Restored(restored) = hook(SourceKind::Woocommerce, "order.restored", WOO) else {
        panic!("it is restored");
    };
    let (order, _) = made(Order::received(incoming(SourceKind::Woocommerce, WOO), &shop, &actor()));
    let (gone, _) = made(order.removed(&Told::default(), &actor()));
    assert!(gone.deleted_at.is_some() && gone.process_after.is_none());
    let (back, events) = made(gone.brought_back((*restored).clone(), &shop, &actor()));
    assert_eq!((back.deleted_at, events), (None, vec!["order.restored".to_owned()]));
    assert_eq!(back.process_after, Some(START));
    let again = made(back.clone().brought_back(*restored, &shop, &actor()));
    assert_eq!(again, (back, Vec::new()));
}

#[test]
fn what_a_platform_told_before_moves_no_order_again() {
    let shop = integration(|input| input.source = Patch::Value(SourceKind::Woocommerce));
    let told = |id: &str| Told { id: Some(id.to_owned()), at: None };
    let Hook::Restored(restored) = hook(SourceKind::Woocommerce, "order.restored", WOO) else {
        panic!("it is restored");
    };
    let (order, _) = made(Order::received(incoming(SourceKind::Woocommerce, WOO), &shop, &actor()));
    // The shop restored an order that was not in the trash here.
    let (order, events) = made(order.brought_back((*restored).clone(), &shop, &actor()));
    assert!(events.is_empty());
    let (gone, events) = made(order.removed(&told("d-1"), &actor()));
    assert_eq!(events, ["order.deleted"]);
    let again = made(gone.clone().brought_back((*restored).clone(), &shop, &actor()));
    assert_eq!(again, (gone.clone(), Vec::new()));
    // One that was told while it was in the trash is known as well.
    let (gone, events) = made(gone.removed(&told("d-2"), &actor()));
    assert!(events.is_empty());
    let (back, _) = made(gone.restore(&actor()).unwrap());
    for repeat in ["d-1", "d-2"] {
        let again = made(back.clone().removed(&told(repeat), &actor()));
        assert_eq!(again, (back.clone(), Vec::new()), "{repeat}");
    }
    let (gone, _) = made(back.removed(&told("d-3"), &actor()));
    assert!(gone.deleted_at.is_some());
    let mut newer = *restored;
    newer.event_id = Some("r-2".to_owned());
    let (back, events) = made(gone.brought_back(newer, &shop, &actor()));
    assert_eq!((back.deleted_at, events), (None, vec!["order.restored".to_owned()]));
}
