//! Every field of an input lands in the record's field of the same name, and in its column.

use racun_catalog::{
    BusinessUnitInput, ContactType, CustomerInput, FinancialCategoryInput, ItemInput, ItemRules,
    References, SupplierInput, TaxInput, TaxRateInput,
};
use racun_kernel::{Classification, Decimal, Patch};
use racun_store::{FieldKind, Record, Value};
use serde_json::Value as Json;
use time::macros::date;

use crate::world::{World, sent};

/// An input whose plain texts are all sent as the name of their field.
macro_rules! self_named {
    ($input:ident { $($field:ident)* }, $rest:expr) => {
        $input { $($field: sent(stringify!($field)),)* ..$rest }
    };
}

/// The record holds what was sent, and lists see what it holds.
fn check<A: Record>(record: &A, texts: &str, others: Json) {
    let stored = serde_json::to_value(record).unwrap();
    for field in texts.split_whitespace() {
        assert_eq!(stored[field], field, "{field}");
    }
    for (field, expected) in others.as_object().unwrap() {
        assert_eq!(&stored[field], expected, "{field}");
    }
    let values = record.values();
    assert_eq!(values.len(), record.table().fields.len());
    for (field, value) in record.table().fields.iter().zip(values) {
        if !field.public {
            continue;
        }
        let seen = match value {
            Value::Null => Json::Null,
            Value::Text(text) => text.into(),
            Value::Bool(value) => value.into(),
            Value::Number(number) => serde_json::to_value(number).unwrap(),
            Value::Map(map) => serde_json::to_value(map).unwrap(),
            Value::List(list) => list.into(),
            Value::Instant(instant) => {
                assert_eq!(field.kind, FieldKind::Instant);
                let text = instant.format(&time::format_description::well_known::Rfc3339);
                text.unwrap().into()
            }
            Value::Date(date) => panic!("no date is declared, but {date}"),
        };
        assert_eq!(seen, stored[field.name], "{}", field.name);
    }
}

#[test]
fn customers_hold_what_was_sent() {
    let world = World::new();
    let input = self_named!(
        CustomerInput {
            name address address_2 post_code city state country tax_number company_number peppol_id
            peppol_scheme_id
        },
        CustomerInput {
            country_code: sent("si"),
            email: sent("a@b.si"),
            contact_type: Patch::Value(ContactType::Supplier),
            is_tax_subject: Patch::Value(false),
            is_end_consumer: Patch::Value(true),
            metadata: Patch::Value([("k".to_owned(), "v".to_owned())].into()),
            ..CustomerInput::default()
        }
    );
    check(
        &input.into_customer(world.scope.entity(), &world.stamp).unwrap(),
        "name address address_2 post_code city state country tax_number company_number peppol_id \
         peppol_scheme_id",
        serde_json::json!({
            "country_code": "SI", "email": "a@b.si", "contact_type": "supplier",
            "is_tax_subject": false, "is_end_consumer": true, "metadata": {"k": "v"},
            "entity_id": world.scope.entity(),
        }),
    );
}

#[test]
fn suppliers_hold_what_was_sent() {
    let world = World::new();
    let input = self_named!(
        SupplierInput {
            name address address_2 post_code city state country tax_number company_number peppol_id
            phone
        },
        SupplierInput {
            country_code: sent("HR"),
            email: sent("a@b.hr"),
            is_tax_subject: Patch::Value(false),
            metadata: Patch::Value([("k".to_owned(), "v".to_owned())].into()),
            ..SupplierInput::default()
        }
    );
    check(
        &input.into_supplier(world.scope.entity(), &world.stamp).unwrap(),
        "name address address_2 post_code city state country tax_number company_number peppol_id \
         phone",
        serde_json::json!({
            "country_code": "HR", "email": "a@b.hr", "is_tax_subject": false,
            "metadata": {"k": "v"},
        }),
    );
}

#[test]
fn business_units_hold_what_was_sent() {
    let world = World::new();
    let file = world.stamp.id::<racun_kernel::id::File>().to_string();
    let input = self_named!(
        BusinessUnitInput {
            name address address_2 post_code city state country phone website
        },
        BusinessUnitInput {
            country_code: sent("SI"),
            email: sent("a@b.si"),
            signature_file_id: sent(&file),
            ..BusinessUnitInput::default()
        }
    );
    check(
        &input.into_business_unit(world.scope.entity(), 7, &world.stamp).unwrap(),
        "name address address_2 post_code city state country phone website",
        serde_json::json!({
            "country_code": "SI", "email": "a@b.si", "signature_file_id": file,
            "logo_file_id": null, "numbering_index": 7, "is_active": true, "settings": {},
        }),
    );
}

#[test]
fn items_hold_what_was_sent() {
    let world = World::new();
    let input = self_named!(
        ItemInput { name description unit },
        ItemInput {
            classification: Patch::Value(Classification::Advance),
            gross_price: Patch::Value(Decimal::new(1220, 2)),
            metadata: Patch::Value([("k".to_owned(), "v".to_owned())].into()),
            ..ItemInput::default()
        }
    );
    let rules = ItemRules { max_taxes_per_item: 1, today: date!(2026 - 11 - 20) };
    let known = References::default();
    let item = input.into_item(world.scope.entity(), &rules, &known, &world.stamp).unwrap();
    check(
        &item,
        "name description unit",
        serde_json::json!({
            "classification": "advance", "price": null, "tax_ids": [], "metadata": {"k": "v"},
        }),
    );
}

#[test]
fn taxes_and_categories_hold_what_was_sent() {
    let world = World::new();
    let rates = vec![TaxRateInput { rate: Decimal::from(22), valid_from: None }];
    let input = self_named!(
        TaxInput { name classification pt_exemption_code pt_exemption_reason },
        TaxInput {
            tax_rates: Patch::Value(rates),
            is_default: Patch::Value(true),
            ..TaxInput::default()
        }
    );
    check(
        &input.into_tax(world.scope.entity(), &world.stamp).unwrap(),
        "name classification pt_exemption_code pt_exemption_reason",
        serde_json::json!({"is_default": true, "metadata": {}}),
    );
    let input = self_named!(
        FinancialCategoryInput { name color },
        FinancialCategoryInput { sort_order: Patch::Value(-3), ..Default::default() }
    );
    check(
        &input.into_financial_category(world.scope.entity(), &world.stamp).unwrap(),
        "name color",
        serde_json::json!({"sort_order": -3, "archived_at": null}),
    );
}
