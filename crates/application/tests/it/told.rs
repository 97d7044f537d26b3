//! Which operation leaves which entries in the log (contract 29.1, "event → operation map").

use racun_application::event_named;
use racun_catalog::{Customer, CustomerInput};
use racun_documents::DocumentKind;
use racun_kernel::Patch;
use racun_sales::documents::{self, DocumentRequest, Edit, Voiding};
use racun_sales::payments;
use racun_store::Context;

use crate::fixture::Shop;
use crate::settling::{linked, worth};

/// The kinds of what happened since the position, and the new position.
async fn since(shop: &Shop, position: &mut i64) -> String {
    let new = shop.logged(*position).await;
    *position = new.last().map_or(*position, |logged| logged.position);
    let mut kinds = Vec::new();
    for logged in new {
        let kind = event_named(&logged.activity.kind).unwrap();
        assert_eq!(logged.snapshot.is_some(), kind.is_published(), "{}", logged.activity.kind);
        kinds.push(logged.activity.kind);
    }
    kinds.join(" ")
}

fn noted() -> DocumentRequest {
    DocumentRequest { reference: Patch::Value("A-1".to_owned()), ..DocumentRequest::default() }
}

#[tokio::test]
async fn operations_on_documents_tell_the_kinds_that_they_cause() {
    let shop = Shop::open().await;
    let Shop { store, scope, entity, stamp } = &shop;
    let store = &**store;
    let mut at = 0;
    since(&shop, &mut at).await;

    let draft = shop.draft(worth("100")).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "invoice.created");
    documents::update(
        Context::new(store, scope, stamp),
        entity,
        draft.id,
        noted(),
        Edit::default(),
    )
    .await
    .unwrap();
    assert_eq!(since(&shop, &mut at).await, "invoice.updated");
    documents::delete(Context::new(store, scope, stamp), draft.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "invoice.deleted");
    documents::restore(Context::new(store, scope, stamp), draft.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "invoice.restored");

    let invoice = shop.invoice("100").await;
    assert_eq!(since(&shop, &mut at).await, "invoice.created invoice.finalized");
    let payment = shop.pay(&invoice, "100").await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "payment.received invoice.paid");
    payments::trash(Context::new(store, scope, stamp), entity, payment.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "payment.deleted");
    payments::restore(Context::new(store, scope, stamp), entity, payment.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "payment.restored invoice.paid");
    payments::trash(Context::new(store, scope, stamp), entity, payment.id).await.unwrap();
    payments::erase(Context::new(store, scope, stamp), payment.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "payment.deleted payment.permanently_deleted");
    let voiding = Voiding::default();
    documents::void(Context::new(store, scope, stamp), entity, invoice.id, voiding).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "invoice.voided invoice.cancelled");

    let advance = shop.advance("50").await;
    let told = since(&shop, &mut at).await;
    for kind in ["advance_invoice.created", "advance_invoice.paid", "payment.received"] {
        assert!(told.contains(kind), "{told}");
    }
    let request = linked(worth("100"), &[&advance]);
    shop.issue(DocumentKind::Invoice, request, Vec::new()).await.unwrap();
    let told = since(&shop, &mut at).await;
    for kind in ["invoice.created", "invoice.finalized", "advance_invoice.applied"] {
        assert!(told.contains(kind), "{told}");
    }
    shop.issue(DocumentKind::CreditNote, worth("40"), Vec::new()).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "credit_note.created credit_note.issued");
    let bought = shop.issue(DocumentKind::DeliveryNote, worth("40"), Vec::new()).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "delivery_note.created delivery_note.finalized");
    documents::void(Context::new(store, scope, stamp), entity, bought.id, Voiding::default())
        .await
        .unwrap();
    assert_eq!(since(&shop, &mut at).await, "delivery_note.voided delivery_note.cancelled");
    let estimate = shop.issue(DocumentKind::Estimate, worth("40"), Vec::new()).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "estimate.created estimate.finalized");
    documents::accept(Context::new(store, scope, stamp), entity, estimate.id).await.unwrap();
    assert_eq!(since(&shop, &mut at).await, "estimate.accepted");
}

#[tokio::test]
async fn a_change_of_a_customer_says_which_fields_and_who() {
    let shop = Shop::open().await;
    let Shop { store, scope, stamp, .. } = &shop;
    let named = |name: &str| CustomerInput {
        name: Patch::Value(name.to_owned()),
        ..CustomerInput::default()
    };
    let customer: Customer =
        racun_catalog::create_customer(Context::new(&**store, scope, stamp), named("Klas"))
            .await
            .unwrap();
    racun_catalog::update_customer(
        Context::new(&**store, scope, stamp),
        customer.id,
        named("Žaga"),
    )
    .await
    .unwrap();
    let all = shop.logged(0).await;
    let last = all.last().unwrap();
    assert_eq!(last.activity.fields, ["name"]);
    assert_eq!(last.activity.actor_id, Some(scope.principal().id()));
    let left: Customer = serde_json::from_str(last.snapshot.as_deref().unwrap()).unwrap();
    assert_eq!(left.name, "Žaga");
}
