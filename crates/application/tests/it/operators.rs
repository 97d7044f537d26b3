//! Who issues documents, and what an operator's token does not reach.

use racun_documents::{CreationSource, Document, PartyPatch};
use racun_kernel::{OperatorIdentity, Patch, Person, Principal, Role, Scope};
use racun_sales::documents::{self, Creation, CustomerRequest, DocumentRequest, Voiding};
use racun_sales::expenses::{self, ExpenseCreation, ExpenseRequest, SupplierPatch, TotalsRequest};
use racun_sales::payments;
use racun_settlement::{NewPayment, PaymentType};
use racun_store::Context;

use crate::fixture::{NOW, Shop, decimal, issues, line, request, said};

/// The same shop, used by someone else.
fn used_by(shop: &Shop, principal: Principal, person: Option<Person>) -> Shop {
    let (store, entity, stamp) = (shop.store.clone(), shop.entity.clone(), shop.stamp.clone());
    let (account, environment) = (shop.scope.account(), shop.scope.environment());
    #[expect(clippy::disallowed_methods, reason = "a test lets itself in")]
    let scope = {
        let scope = Scope::grant(account, entity.id, environment, principal, Role::Admin);
        match person {
            Some(person) => scope.used_by(person),
            None => scope,
        }
    };
    Shop { store, scope, entity, stamp }
}

/// The same shop, with Eva at its till.
fn till(shop: &Shop) -> Shop {
    let person = Person {
        user_id: shop.stamp.id(),
        name: Some("Eva".to_owned()),
        email: "eva@klas.example".to_owned(),
        furs: Some(OperatorIdentity {
            number: Some("12345678".to_owned()),
            label: Some("EVA".to_owned()),
        }),
        fina: None,
    };
    used_by(shop, Principal::Operator(person.user_id), Some(person))
}

fn bread() -> DocumentRequest {
    request(vec![line("Kruh", "1", "3")])
}

/// The name of who issued a document.
fn by(document: &Document) -> Option<&str> {
    document.operator.as_ref().and_then(|operator| operator.name.as_deref())
}

#[tokio::test]
async fn a_document_keeps_the_person_who_issued_it() {
    let shop = Shop::open().await;
    let till = till(&shop);
    let key = used_by(&shop, Principal::EntityKey(shop.stamp.id()), None);
    let (system, _) =
        racun_access::enter_as_system(&*shop.store, shop.scope.account(), shop.entity.id)
            .await
            .unwrap();
    let job = Shop { scope: system, ..used_by(&shop, Principal::System, None) };
    for (issuer, name) in [(&shop, Some("Ana")), (&till, Some("Eva")), (&key, None), (&job, None)] {
        let invoice = issuer.create(bread()).await.unwrap();
        assert_eq!(by(&invoice), name);
        let operator = invoice.operator.as_ref();
        assert_eq!(operator, issuer.scope.person(), "with what authorities know them by");
        // The user who finalizes a draft issues it, whichever user made it.
        for maker in [&shop, &till, &key] {
            let draft = maker.draft(bread()).await.unwrap();
            assert_eq!(draft.operator, None);
            let (store, stamp) = (&*issuer.store, &issuer.stamp);
            let issued = documents::finalize(
                Context::new(store, &issuer.scope, stamp),
                &issuer.entity,
                draft.id,
                said(),
            )
            .await;
            assert_eq!(by(&issued.unwrap()), name);
        }
    }
    let invoice = till.create(bread()).await.unwrap();
    let operator = invoice.operator.as_ref().unwrap();
    assert_eq!(Some(operator.user_id), till.scope.principal().user());
    assert_eq!(operator.email, "eva@klas.example");
    let (store, stamp) = (&*shop.store, &shop.stamp);
    let voiding = Voiding::default();
    let voided =
        documents::void(Context::new(store, &shop.scope, stamp), &shop.entity, invoice.id, voiding)
            .await;
    assert_eq!(by(&voided.unwrap()), Some("Eva"), "voiding does not change who issued it");
}

#[tokio::test]
async fn documents_of_operators_have_the_till_as_their_source() {
    let shop = Shop::open().await;
    let till = till(&shop);
    for (maker, source) in [(&shop, CreationSource::Api), (&till, CreationSource::Pos)] {
        assert_eq!(maker.create(bread()).await.unwrap().source, source);
        assert_eq!(maker.draft(bread()).await.unwrap().source, source);
        let totals = documents::CustomTotals {
            total: decimal("3"),
            total_with_tax: decimal("3"),
            total_discount: None,
            taxes: Vec::new(),
        };
        let mut bread = bread();
        for item in bread.items.iter_mut().flatten() {
            (item.total, item.total_with_tax) = (Some(decimal("3")), Some(decimal("3")));
        }
        let creation = Creation { custom: Some(totals), ..Creation::default() };
        let custom = maker.make(bread, creation).await.unwrap();
        assert_eq!(custom.source, CreationSource::Custom, "given totals are told by it");
    }
}

#[tokio::test]
async fn an_operator_keeps_nothing_in_the_catalogue() {
    let shop = Shop::open().await;
    let till = till(&shop);
    let named = |save_customer| {
        let party = PartyPatch { name: Patch::Value("Janez".to_owned()), ..PartyPatch::default() };
        let customer = Patch::Value(CustomerRequest { party, save_customer });
        DocumentRequest { customer, ..bread() }
    };
    for save in [None, Some(false)] {
        let invoice = till.create(named(save)).await.unwrap();
        assert_eq!(invoice.content.customer_id, None);
        let name = invoice.content.customer.and_then(|customer| customer.name);
        assert_eq!(name.as_deref(), Some("Janez"));
    }
    assert_eq!(shop.counts().await, [0, 0, 2]);
    let mut asked = named(Some(true));
    asked.items.iter_mut().flatten().for_each(|item| item.save_item = true);
    let refused = issues(till.create(asked.clone()).await.unwrap_err());
    let paths: Vec<_> = refused.iter().filter_map(|issue| issue.split(':').next()).collect();
    assert_eq!(paths, ["customer.save_customer", "items[0].save_item"], "{refused:?}");
    assert_eq!(shop.counts().await, [0, 0, 2]);
    shop.create(asked).await.unwrap();
    assert_eq!(shop.counts().await, [1, 1, 3]);
}

#[tokio::test]
async fn expenses_are_not_there_for_an_operator() {
    let shop = Shop::open().await;
    let till = till(&shop);
    let (store, stamp) = (&*shop.store, &shop.stamp);
    let expense = {
        let totals = TotalsRequest {
            total: Patch::Value(decimal("10")),
            total_with_tax: Patch::Value(decimal("10")),
            ..TotalsRequest::default()
        };
        let (name, date) = (Patch::Value("Mlin".to_owned()), Patch::Value(NOW.date()));
        let party = SupplierPatch { name, ..SupplierPatch::default() };
        let ask = ExpenseRequest {
            supplier: Patch::Value(party),
            date,
            totals,
            ..ExpenseRequest::default()
        };
        expenses::create(
            Context::new(store, &shop.scope, stamp),
            &shop.entity,
            ask,
            ExpenseCreation::default(),
        )
    };
    let expense = expense.await.unwrap();
    let payment = || NewPayment {
        amount: Some(decimal("1")),
        expense_id: Some(expense.id.to_string()),
        ..NewPayment::new(PaymentType::Cash)
    };
    let refused =
        payments::record(Context::new(store, &till.scope, stamp), &till.entity, payment()).await;
    let gone = racun_store::StoreError::NotFound { id: expense.id.to_string() };
    assert_eq!(refused.unwrap_err(), gone.into());
    let paid = payments::record(Context::new(store, &shop.scope, stamp), &shop.entity, payment())
        .await
        .unwrap();
    for (who, seen) in [(&shop, 1), (&till, 0)] {
        let related =
            payments::related(Context::new(store, &who.scope, stamp), std::slice::from_ref(&paid))
                .await;
        assert_eq!(related.unwrap().expenses.len(), seen);
    }
}
