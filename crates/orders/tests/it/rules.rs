//! When an order is processed by itself, and what is made of it.

use racun_kernel::{DocumentId, DocumentKind, Patch, PaymentType};
use racun_orders::{
    Integration, IntegrationInput, Making, Order, OrderInput, OrderRefusal, PaymentStatus, Trigger,
    payment_type,
};
use time::Duration;
use ulid::Ulid;

use crate::world::{START, actor, actor_at, input, integration, invoice, item, made, order};

fn sold(method: &str, status: PaymentStatus) -> OrderInput {
    OrderInput {
        payment_method: Patch::Value(method.to_owned()),
        payment_status: Patch::Value(status),
        ..input()
    }
}

fn making(method: &str, status: PaymentStatus, shop: &Integration) -> Making {
    order(sold(method, status), shop).making(shop).unwrap()
}

#[test]
fn money_by_bank_is_waited_for_unless_the_integration_says_otherwise() {
    use PaymentStatus::{Paid, Unpaid};
    let usual = integration(|_| {});
    let at_once = integration(|input| input.issue_invoice_for_bank = Patch::Value(true));
    let wallet = |input: &mut IntegrationInput| {
        input.default_payment_type = Patch::Value(PaymentType::OnlineWallet);
    };
    let invoice = |paid| Making::Invoice { paid };
    for (method, status, shop, expected) in [
        ("bacs", Unpaid, &usual, Making::Estimate),
        ("Direct bank transfer", Unpaid, &usual, Making::Estimate),
        ("bacs", Unpaid, &at_once, invoice(None)),
        ("bacs", Paid, &usual, invoice(Some(PaymentType::BankTransfer))),
        ("cod", Unpaid, &usual, invoice(None)),
        ("stripe", Paid, &usual, invoice(Some(PaymentType::Card))),
        ("magic", Paid, &usual, invoice(Some(PaymentType::Other))),
        ("magic", Paid, &integration(wallet), invoice(Some(PaymentType::OnlineWallet))),
        ("stripe", PaymentStatus::PartiallyPaid, &usual, invoice(None)),
    ] {
        assert_eq!(making(method, status, shop), expected, "{method} {status:?}");
    }
}

#[test]
fn an_order_has_one_invoice_and_another_only_when_it_changed() {
    let shop = integration(|_| {});
    let estimate = order(sold("bacs", PaymentStatus::Unpaid), &shop);
    let its = DocumentId::new(DocumentKind::Estimate, Ulid::from_parts(1, 1));
    let (estimated, _) = made(estimate.processed(its, None, &actor()));
    assert_eq!((estimated.estimate_id, estimated.invoice_id), (Some(its), None));
    assert_eq!(estimated.making(&shop), Ok(Making::Nothing));
    let paid =
        OrderInput { payment_status: Patch::Value(PaymentStatus::Paid), ..OrderInput::default() };
    let (paid, _) = made(estimated.update(paid, Some(&shop), &actor()).unwrap());
    let by_bank = Some(PaymentType::BankTransfer);
    assert_eq!(paid.making(&shop), Ok(Making::Invoice { paid: by_bank }));
    let (invoiced, _) = made(paid.processed(invoice(1), None, &actor()));
    assert_eq!(invoiced.making(&shop), Ok(Making::Nothing));
    let change =
        OrderInput { items: Patch::Value(vec![item("Tea", "8")]), ..OrderInput::default() };
    let (changed, _) = made(invoiced.update(change, Some(&shop), &actor()).unwrap());
    assert_eq!(changed.making(&shop), Ok(Making::Reissue { paid: by_bank }));
    assert_eq!(changed.process_after, None, "the integration does not make it again by itself");
    let (gone, _) = made(changed.trash(&actor()).unwrap());
    assert_eq!(gone.making(&shop), Err(OrderRefusal::InTrash.into()));
    let (cancelled, _) = made(order(input(), &shop).cancel(&actor()).unwrap());
    assert_eq!(cancelled.making(&shop), Err(OrderRefusal::Cancelled.into()));
}

fn automatic(on: Trigger, set: impl FnOnce(&mut IntegrationInput)) -> Integration {
    integration(|input| {
        input.auto_process = Patch::Value(true);
        input.auto_process_on = Patch::Value(on);
        input.auto_process_delay_seconds = Patch::Value(60);
        set(input);
    })
}

#[test]
fn an_order_is_due_after_its_trigger_and_the_delay() {
    let due = Some(START + Duration::MINUTE);
    let unpaid = |shop: &Integration| order(input(), shop).process_after;
    assert_eq!(unpaid(&automatic(Trigger::Created, |_| {})), due);
    assert_eq!(unpaid(&automatic(Trigger::Paid, |_| {})), None);
    assert_eq!(unpaid(&automatic(Trigger::Fulfilled, |_| {})), None);
    let by_hand = automatic(Trigger::Created, |input| input.auto_process = Patch::Value(false));
    assert_eq!(unpaid(&by_hand), None);
    let shop = automatic(Trigger::Paid, |_| {});
    let paid = |order: Order, later| {
        let change = OrderInput {
            payment_status: Patch::Value(PaymentStatus::Paid),
            customer_name: Patch::Value(format!("Ana {later}")),
            ..OrderInput::default()
        };
        let at = START + Duration::hours(later);
        made(order.update(change, Some(&shop), &actor_at(at)).unwrap()).0
    };
    let first = paid(order(input(), &shop), 1);
    let expected = Some(START + Duration::HOUR + Duration::MINUTE);
    assert_eq!(first.process_after, expected);
    assert_eq!(paid(first, 2).process_after, expected, "a change does not put it off");
}

#[test]
fn a_change_is_invoiced_again_by_itself_where_the_integration_says_so() {
    let shop = automatic(Trigger::Paid, |input| input.auto_reissue_on_update = Patch::Value(true));
    let (done, _) = made(order(sold("stripe", PaymentStatus::Paid), &shop).processed(
        invoice(1),
        None,
        &actor(),
    ));
    assert_eq!(done.process_after, None);
    let change = |status| OrderInput {
        items: Patch::Value(vec![item("Tea", "8")]),
        payment_status: Patch::Value(status),
        ..OrderInput::default()
    };
    let after = |status| {
        made(done.clone().update(change(status), Some(&shop), &actor()).unwrap()).0.process_after
    };
    assert!(after(PaymentStatus::Paid).is_some());
    assert_eq!(after(PaymentStatus::Refunded), None);
}

#[test]
fn methods_are_known_by_their_words() {
    for (words, expected) in [
        ("Cash on delivery (COD)", Some(PaymentType::Cash)),
        ("shopify_payments", Some(PaymentType::Card)),
        ("PayPal Express", Some(PaymentType::OnlineWallet)),
        ("Bank Deposit", Some(PaymentType::BankTransfer)),
        ("gift_card", Some(PaymentType::Coupon)),
        ("stripe checkout", Some(PaymentType::Card)),
        ("QR code", None),
        ("", None),
    ] {
        assert_eq!(payment_type(words), expected, "{words}");
    }
}

#[test]
fn an_invoice_of_before_the_money_is_paid_once_it_comes() {
    let at_once = |auto: bool| {
        integration(|input| {
            input.auto_process = Patch::Value(auto);
            input.auto_process_on = Patch::Value(Trigger::Created);
            input.issue_invoice_for_bank = Patch::Value(true);
        })
    };
    let paid =
        || OrderInput { payment_status: Patch::Value(PaymentStatus::Paid), ..Default::default() };
    for is_automatic in [true, false] {
        let shop = at_once(is_automatic);
        let unpaid = order(sold("bacs", PaymentStatus::Unpaid), &shop);
        assert_eq!(unpaid.making(&shop), Ok(Making::Invoice { paid: None }));
        let (done, _) = made(unpaid.processed(invoice(1), None, &actor()));
        assert_eq!(done.making(&shop), Ok(Making::Nothing));
        let (owed, _) = made(done.update(paid(), Some(&shop), &actor()).unwrap());
        assert_eq!(owed.making(&shop), Ok(Making::Payment { paid: PaymentType::BankTransfer }));
        assert_eq!(owed.process_after.is_some(), is_automatic);
        let (settled, events) = made(owed.paid_up(&actor()));
        assert_eq!((settled.making(&shop), settled.process_after), (Ok(Making::Nothing), None));
        assert_eq!(events, ["order.updated"]);
    }
    let shop = at_once(true);
    let (done, _) =
        made(order(sold("bacs", PaymentStatus::Paid), &shop).processed(invoice(1), None, &actor()));
    assert_eq!(done.making(&shop), Ok(Making::Nothing), "it was paid when it was made");
}
