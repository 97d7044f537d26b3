use std::collections::BTreeMap;

use racun_catalog::{
    ContactType, Customer, CustomerInput, FinancialCategoryInput, Supplier, SupplierInput,
    create_customer, update_customer,
};
use racun_kernel::{BankAccount, Issues, Patch, Stamp, UjpRouting};
use racun_store::Context;
use racun_store::testing::stamp;
use time::macros::datetime;

use crate::world::{World, codes, sent};

fn now() -> Stamp {
    stamp(datetime!(2026-11-20 08:30 UTC))
}

fn ana() -> CustomerInput {
    CustomerInput { name: sent("Ana"), ..CustomerInput::default() }
}

fn customer(input: CustomerInput) -> Result<Customer, Issues> {
    input.into_customer(now().id(), &now())
}

fn refusals(input: CustomerInput) -> String {
    customer(input).map_or_else(|issues| codes(&issues), |_| String::new())
}

fn metadata(entries: &[(&str, &str)]) -> Patch<BTreeMap<String, String>> {
    Patch::Value(entries.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
}

#[test]
fn a_customer_of_a_name_alone_has_the_specified_defaults() {
    let stored = serde_json::to_value(customer(ana()).unwrap()).unwrap();
    let nulls = [
        "address",
        "address_2",
        "post_code",
        "city",
        "state",
        "country",
        "country_code",
        "tax_number",
        "company_number",
        "peppol_id",
        "peppol_scheme_id",
        "bank_accounts",
        "email",
        "ujp",
        "vies",
        "deleted_at",
    ];
    for field in nulls {
        assert_eq!(stored[field], serde_json::Value::Null, "{field}");
    }
    assert_eq!(stored["name"], "Ana");
    assert_eq!(stored["contact_type"], "buyer");
    assert_eq!(stored["is_tax_subject"], true);
    assert_eq!(stored["is_end_consumer"], false);
    assert_eq!(stored["metadata"], serde_json::json!({}));
}

#[test]
fn a_stored_customer_reads_back_as_it_was() {
    let ujp = UjpRouting { receiver_agent: Some("BSLJSI2X".to_owned()), ..Default::default() };
    let account = BankAccount { iban: Some("SI56".to_owned()), ..Default::default() };
    let written = customer(CustomerInput {
        ujp: Patch::Value(ujp),
        bank_accounts: Patch::Value(vec![account]),
        metadata: metadata(&[("order.id", "7")]),
        ..ana()
    })
    .unwrap();
    let body = serde_json::to_string(&written).unwrap();
    assert_eq!(serde_json::from_str::<Customer>(&body).unwrap(), written);
}

#[test]
fn limits_hold_at_their_edge_and_refuse_one_past_it() {
    let text = |chars: usize| Patch::Value("ž".repeat(chars));
    let email = |chars: usize| Patch::Value(format!("{}@example.com", "a".repeat(chars - 12)));
    let accounts = |n: usize| Patch::Value(vec![BankAccount::default(); n]);
    let keys = |n: usize| Patch::Value((0..n).map(|n| (n.to_string(), String::new())).collect());
    let value = |n: usize| metadata(&[("k", &"ž".repeat(n))]);
    let key = |n: usize| metadata(&[(&"k".repeat(n), "")]);
    assert_eq!(refusals(CustomerInput { name: text(500), ..ana() }), "");
    assert_eq!(refusals(CustomerInput { name: text(501), ..ana() }), "name=too_long");
    assert_eq!(refusals(CustomerInput { address_2: text(500), ..ana() }), "");
    assert_eq!(refusals(CustomerInput { address_2: text(501), ..ana() }), "address_2=too_long");
    assert_eq!(refusals(CustomerInput { email: email(255), ..ana() }), "");
    assert_eq!(refusals(CustomerInput { email: email(256), ..ana() }), "email=too_long");
    assert_eq!(refusals(CustomerInput { bank_accounts: accounts(50), ..ana() }), "");
    let too_many = refusals(CustomerInput { bank_accounts: accounts(51), ..ana() });
    assert_eq!(too_many, "bank_accounts=too_many");
    assert_eq!(refusals(CustomerInput { metadata: keys(50), ..ana() }), "");
    let too_many = refusals(CustomerInput { metadata: keys(51), ..ana() });
    assert_eq!(too_many, "metadata=too_many_properties");
    assert_eq!(refusals(CustomerInput { metadata: value(250), ..ana() }), "");
    assert_eq!(refusals(CustomerInput { metadata: value(251), ..ana() }), "metadata.k=too_long");
    assert_eq!(refusals(CustomerInput { metadata: key(250), ..ana() }), "");
    assert!(refusals(CustomerInput { metadata: key(251), ..ana() }).ends_with("=too_long"));

    let category = |name| {
        let input = FinancialCategoryInput { name, ..FinancialCategoryInput::default() };
        input.into_financial_category(now().id(), &now()).map_err(|issues| codes(&issues))
    };
    assert!(category(text(200)).is_ok());
    assert_eq!(category(text(201)), Err("name=too_long".to_owned()));
    assert_eq!(category(sent("")), Err("name=required".to_owned()));
}

#[test]
fn all_that_is_wrong_is_named_at_once() {
    let ujp = UjpRouting { receiver_name: Some(String::new()), ..Default::default() };
    let account = BankAccount { bic: Some("x".repeat(501)), ..Default::default() };
    let input = CustomerInput {
        name: sent(" \t"),
        city: sent("Kra\0nj"),
        country_code: sent("SLO"),
        email: sent("ana"),
        bank_accounts: Patch::Value(vec![BankAccount::default(), account]),
        ujp: Patch::Value(ujp),
        metadata: metadata(&[("k", "a\0")]),
        ..CustomerInput::default()
    };
    assert_eq!(
        refusals(input),
        "name=required city=invalid_value country_code=invalid_country_code email=invalid_email \
         bank_accounts[1].bic=too_long ujp.receiver_name=required metadata.k=invalid_value"
    );
}

#[test]
fn a_name_is_needed_once_and_cannot_be_taken_away() {
    let mut ana = customer(ana()).unwrap();
    assert_eq!(refusals(CustomerInput::default()), "name=required");
    let cleared = CustomerInput { name: Patch::Null, ..CustomerInput::default() };
    assert_eq!(codes(&cleared.apply(&mut ana.clone()).unwrap_err()), "name=required");
    assert_eq!(CustomerInput::default().apply(&mut ana), Ok(()));
    assert_eq!(ana.name, "Ana");
}

#[test]
fn emails_are_checked_for_sanity() {
    for (address, accepted) in [
        ("ana@example.com", true),
        ("ana.novak+racuni@mail.example.si", true),
        ("živa@žito.si", true),
        ("", false),
        ("ana", false),
        ("ana@", false),
        ("@example.com", false),
        ("ana@localhost", false),
        ("ana@example.", false),
        ("ana@.com", false),
        ("ana@a@example.com", false),
        ("ana novak@example.com", false),
        ("ana@example.com\r\nBcc: b@example.com", false),
    ] {
        let refused = refusals(CustomerInput { email: sent(address), ..ana() });
        assert_eq!(refused.is_empty(), accepted, "{address:?}: {refused}");
    }
}

#[test]
fn country_codes_are_two_letters_kept_in_capitals() {
    for (code, kept) in
        [("si", Some("SI")), ("HR", Some("HR")), ("", None), ("S", None), ("S1", None), ("ž", None)]
    {
        let read = customer(CustomerInput { country_code: sent(code), ..ana() }).ok();
        assert_eq!(read.and_then(|customer| customer.country_code).as_deref(), kept, "{code}");
    }
}

#[tokio::test]
async fn a_patch_tells_absent_from_null_from_a_value() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let input = CustomerInput {
        city: sent("Kranj"),
        email: sent("ana@example.com"),
        contact_type: Patch::Value(ContactType::Both),
        is_tax_subject: Patch::Value(false),
        is_end_consumer: Patch::Value(true),
        metadata: metadata(&[("a", "1"), ("b", "2")]),
        ..ana()
    };
    let made = create_customer(Context::new(store, scope, stamp), input).await.unwrap();
    let untouched = CustomerInput::default();
    let same =
        update_customer(Context::new(store, scope, stamp), made.id, untouched).await.unwrap();
    assert_eq!(same, made);
    let values = CustomerInput {
        city: sent("Celje"),
        metadata: metadata(&[("c", "3")]),
        ..CustomerInput::default()
    };
    let changed =
        update_customer(Context::new(store, scope, stamp), made.id, values).await.unwrap();
    assert_eq!(changed.city.as_deref(), Some("Celje"));
    assert_eq!(changed.email, made.email);
    assert_eq!(changed.metadata.entries().len(), 1);
    let nulls = CustomerInput {
        city: Patch::Null,
        contact_type: Patch::Null,
        is_tax_subject: Patch::Null,
        is_end_consumer: Patch::Null,
        metadata: Patch::Null,
        ..CustomerInput::default()
    };
    let cleared = update_customer(Context::new(store, scope, stamp), made.id, nulls).await.unwrap();
    let fresh = customer(CustomerInput { email: sent("ana@example.com"), ..ana() }).unwrap();
    let expected = Customer { id: made.id, entity_id: made.entity_id, ..fresh };
    assert_eq!(cleared, expected);
}

#[test]
fn a_supplier_of_a_name_alone_is_a_tax_subject() {
    let input = SupplierInput { name: sent("Mlin"), ..SupplierInput::default() };
    let supplier = input.into_supplier(now().id(), &now()).unwrap();
    assert!(supplier.is_tax_subject);
    let read: Supplier = serde_json::from_value(serde_json::to_value(&supplier).unwrap()).unwrap();
    assert_eq!(read, supplier);
}
