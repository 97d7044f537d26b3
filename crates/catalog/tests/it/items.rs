use racun_catalog::{
    FinancialCategory, FinancialCategoryInput, Item, ItemEInvoicing, ItemInput, ItemRules,
    ItemTaxInput, ItemTranslations, References, Tax, TaxInput, TaxRateInput,
    archive_financial_category, create_financial_category, create_item, create_tax, erase, list,
    taxes_of_items, trash, update_item,
};
use racun_kernel::text::LOCALES;
use racun_kernel::{Classification, Currency, Decimal, Issues, Patch};
use racun_store::{Context, RawQuery};
use time::OffsetDateTime;
use time::macros::{date, datetime};

use crate::world::{World, codes, sent, word};

const RULES: ItemRules = ItemRules { max_taxes_per_item: 2, today: date!(2026 - 11 - 20) };

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn coffee() -> ItemInput {
    ItemInput { name: sent("Kava"), price: Patch::Value(decimal("1.5")), ..ItemInput::default() }
}

fn item(world: &World, input: ItemInput) -> Result<Item, Issues> {
    input.into_item(world.scope.entity(), &RULES, &References::default(), &world.stamp)
}

fn tax_input(rates: &[(&str, OffsetDateTime)]) -> TaxInput {
    let rate = |(rate, from): &(&str, OffsetDateTime)| TaxRateInput {
        rate: decimal(rate),
        valid_from: Some(*from),
    };
    TaxInput { tax_rates: Patch::Value(rates.iter().map(rate).collect()), ..TaxInput::default() }
}

async fn tax(world: &World, rate: &str) -> Tax {
    let input = tax_input(&[(rate, OffsetDateTime::UNIX_EPOCH)]);
    create_tax(world.cx(), input).await.unwrap()
}

async fn category(world: &World) -> FinancialCategory {
    let input = FinancialCategoryInput { name: sent("Blago"), ..FinancialCategoryInput::default() };
    create_financial_category(world.cx(), input).await.unwrap()
}

/// The outcome of an item with these taxes.
async fn with_ids(world: &World, ids: &[String]) -> String {
    let input = ItemInput { tax_ids: Patch::Value(ids.to_vec()), ..coffee() };
    word(&create_item(world.cx(), input, &RULES).await)
}

#[test]
fn an_item_has_one_price() {
    let world = World::new();
    let (absent, null) = (Patch::Absent, Patch::Null);
    let value = || Patch::Value(decimal("12.20"));
    for (price, gross_price, expected) in [
        (value(), absent.clone(), ""),
        (absent.clone(), value(), ""),
        (value(), null.clone(), ""),
        (null.clone(), value(), ""),
        (absent.clone(), absent, "price=required"),
        (null.clone(), null, "price=required"),
        (value(), value(), "gross_price=conflicting"),
    ] {
        let input = ItemInput { price, gross_price, ..coffee() };
        let read = item(&world, input.clone());
        let refused = read.map_or_else(|issues| codes(&issues), |_| String::new());
        assert_eq!(refused, expected, "{input:?}");
    }
}

#[tokio::test]
async fn updating_one_price_clears_the_other() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let made = create_item(Context::new(store, scope, stamp), coffee(), &RULES).await.unwrap();
    let update = async |price, gross_price| {
        let input = ItemInput { price, gross_price, ..ItemInput::default() };
        update_item(Context::new(store, scope, stamp), made.id, input, &RULES).await
    };
    let gross = update(Patch::Absent, Patch::Value(decimal("1.83"))).await.unwrap();
    assert_eq!((gross.price, gross.gross_price), (None, Some(decimal("1.83"))));
    let same = update(Patch::Null, Patch::Absent).await.unwrap();
    assert_eq!((same.price, same.gross_price), (None, Some(decimal("1.83"))));
    assert_eq!(word(&update(Patch::Absent, Patch::Null).await), "price=required");
    let net = update(Patch::Value(decimal("1.5")), Patch::Null).await.unwrap();
    assert_eq!((net.price, net.gross_price), (Some(decimal("1.5")), None));
}

#[tokio::test]
async fn the_price_with_tax_follows_the_rates_of_the_day() {
    let world = World::new();
    let changing = [
        ("20", OffsetDateTime::UNIX_EPOCH),
        ("22", datetime!(2013-07-01 0:00 UTC)),
        ("25", datetime!(2027-01-01 0:00 UTC)),
    ];
    let vat = create_tax(world.cx(), tax_input(&changing)).await;
    let vat = vat.unwrap();
    let levy = tax(&world, "1.5").await;
    let priced = async |price: &str, gross: bool, taxes: &[&Tax]| {
        let value = Patch::Value(decimal(price));
        let (price, gross_price) =
            if gross { (Patch::Absent, value) } else { (value, Patch::Absent) };
        let ids = taxes.iter().map(|tax| tax.id.to_string()).collect();
        let input = ItemInput { price, gross_price, tax_ids: Patch::Value(ids), ..coffee() };
        create_item(world.cx(), input, &RULES).await.unwrap()
    };
    for (price, gross, taxes, day, currency, expected) in [
        ("100", false, &[&vat][..], date!(2013 - 06 - 30), "EUR", "120"),
        ("100", false, &[&vat], date!(2026 - 11 - 20), "EUR", "122"),
        ("100", false, &[&vat], date!(2027 - 01 - 01), "EUR", "125"),
        ("100", false, &[&vat, &levy], date!(2026 - 11 - 20), "EUR", "123.5"),
        ("0.335", false, &[&vat], date!(2026 - 11 - 20), "EUR", "0.41"),
        ("0.25", false, &[], date!(2026 - 11 - 20), "JPY", "0"),
        ("99.5", false, &[], date!(2026 - 11 - 20), "JPY", "100"),
        ("9.99", true, &[&vat], date!(2027 - 01 - 01), "EUR", "9.99"),
        ("-100", false, &[&vat], date!(2026 - 11 - 20), "EUR", "-122"),
    ] {
        let item = priced(price, gross, taxes).await;
        let items = [item];
        let known = taxes_of_items(world.store(), &world.scope.tenant(), &items).await.unwrap();
        let currency: Currency = currency.parse().unwrap();
        let with_tax = items[0].price_with_tax(&known, day, currency);
        assert_eq!(with_tax, decimal(expected), "{price} on {day}");
    }
}

#[tokio::test]
async fn the_taxes_of_a_page_of_items_are_loaded_once_each() {
    let world = World::new();
    let (first, second) = (tax(&world, "22").await, tax(&world, "9.5").await);
    for id in [&first.id, &first.id, &second.id] {
        assert_eq!(with_ids(&world, &[id.to_string()]).await, "ok");
    }
    let page = list::<Item>(world.cx(), &RawQuery::default()).await.unwrap();
    let mut taxes = taxes_of_items(world.store(), &world.scope.tenant(), &page.rows).await.unwrap();
    taxes.sort_by_key(|tax| tax.id);
    assert_eq!(taxes, [first, second]);
}

#[tokio::test]
async fn tax_ids_name_taxes_of_the_entity_each_once() {
    let world = World::new();
    let (first, second, third) =
        (tax(&world, "22").await, tax(&world, "9.5").await, tax(&world, "5").await);
    let foreign = tax(&world.neighbour(), "22").await;
    trash::<Tax>(world.cx(), third.id).await.unwrap();
    let ids = |taxes: &[&Tax]| taxes.iter().map(|tax| tax.id.to_string()).collect::<Vec<_>>();
    for (sent, expected) in [
        (ids(&[]), "ok"),
        (ids(&[&first]), "ok"),
        (ids(&[&second, &first]), "ok"),
        (ids(&[&first, &first]), "tax_ids[1]=duplicate"),
        (ids(&[&first, &foreign]), "tax_ids[1]=not_found"),
        (ids(&[&third]), "tax_ids[0]=not_found"),
        (vec!["x".to_owned(), "tax_\0".to_owned()], "tax_ids[0]=not_found tax_ids[1]=not_found"),
        (ids(&[&first, &second, &foreign]), "tax_ids=too_many"),
    ] {
        assert_eq!(with_ids(&world, &sent).await, expected, "{sent:?}");
    }
}

#[tokio::test]
async fn taxes_can_be_chosen_by_classification_or_by_the_rate_of_today() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let changing = [("20", OffsetDateTime::UNIX_EPOCH), ("22", datetime!(2013-07-01 0:00 UTC))];
    let old = create_tax(Context::new(store, scope, stamp), tax_input(&changing)).await.unwrap();
    let default = TaxInput {
        is_default: Patch::Value(true),
        ..tax_input(&[("22", OffsetDateTime::UNIX_EPOCH)])
    };
    let default = create_tax(Context::new(store, scope, stamp), default).await.unwrap();
    let first = tax(&world, "9.5").await;
    tax(&world, "9.5").await;
    let books = TaxInput {
        classification: sent("books"),
        ..tax_input(&[("5", OffsetDateTime::UNIX_EPOCH)])
    };
    let books = create_tax(Context::new(store, scope, stamp), books).await.unwrap();
    assert_ne!(old.id, default.id);
    let wanted = |classification: &str, rate: &str| ItemTaxInput {
        classification: Some(classification.to_owned()).filter(|text| !text.is_empty()),
        rate: rate.parse().ok(),
    };
    for (sent, expected) in [
        (vec![wanted("", "22")], Ok(vec![default.id])),
        (vec![wanted("", "9.50")], Ok(vec![first.id])),
        (vec![wanted("books", "")], Ok(vec![books.id])),
        (vec![wanted("books", "22"), wanted("", "9.5")], Ok(vec![books.id, first.id])),
        (vec![], Ok(vec![])),
        (vec![wanted("", "20")], Err("taxes[0]=not_found")),
        (vec![wanted("maps", "22")], Err("taxes[0]=not_found")),
        (vec![wanted("", "")], Err("taxes[0]=required")),
        (vec![wanted("", "101")], Err("taxes[0].rate=out_of_range")),
        (vec![wanted("", "5"), wanted("books", "")], Err("taxes[1]=duplicate")),
        (vec![wanted("", "5"); 3], Err("taxes=too_many")),
        (vec![wanted(&"x".repeat(51), "")], Err("taxes[0].classification=too_long")),
    ] {
        let input = ItemInput { taxes: Patch::Value(sent.clone()), ..coffee() };
        let made = create_item(Context::new(store, scope, stamp), input, &RULES).await;
        let outcome = made.map(|item| item.tax_ids).map_err(|error| word::<()>(&Err(error)));
        assert_eq!(outcome, expected.map_err(str::to_owned), "{sent:?}");
    }
    let both = ItemInput { taxes: Patch::Value(vec![]), tax_ids: Patch::Value(vec![]), ..coffee() };
    let both = create_item(Context::new(store, scope, stamp), both, &RULES).await;
    assert_eq!(word(&both), "taxes=conflicting");
}

#[tokio::test]
async fn an_update_keeps_clears_or_replaces_references() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let vat = tax(&world, "22").await;
    let goods = category(&world).await;
    let input = ItemInput {
        tax_ids: Patch::Value(vec![vat.id.to_string()]),
        financial_category_id: sent(&goods.id.to_string()),
        ..coffee()
    };
    let made = create_item(Context::new(store, scope, stamp), input, &RULES).await.unwrap();
    assert_eq!(made.financial_category_id, Some(goods.id));
    // What the item refers to may go; the item stays as it is.
    trash::<Tax>(Context::new(store, scope, stamp), vat.id).await.unwrap();
    erase::<Tax>(Context::new(store, scope, stamp), vat.id).await.unwrap();
    archive_financial_category(Context::new(store, scope, stamp), goods.id).await.unwrap();
    let renamed = ItemInput { name: sent("Čaj"), ..ItemInput::default() };
    let renamed =
        update_item(Context::new(store, scope, stamp), made.id, renamed, &RULES).await.unwrap();
    assert_eq!(renamed, Item { name: "Čaj".to_owned(), ..made.clone() });
    let cleared = ItemInput {
        tax_ids: Patch::Null,
        financial_category_id: Patch::Null,
        ..ItemInput::default()
    };
    let cleared =
        update_item(Context::new(store, scope, stamp), made.id, cleared, &RULES).await.unwrap();
    assert_eq!((cleared.tax_ids, cleared.financial_category_id), (vec![], None));
}

#[tokio::test]
async fn a_category_must_be_the_entitys_own_and_not_archived() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let foreign = category(&world.neighbour()).await.id.to_string();
    let archived = category(&world).await.id;
    archive_financial_category(Context::new(store, scope, stamp), archived).await.unwrap();
    for id in [foreign, archived.to_string(), "x\0".to_owned(), world.scope.entity().to_string()] {
        let input = ItemInput { financial_category_id: sent(&id), ..coffee() };
        let refused = create_item(Context::new(store, scope, stamp), input, &RULES).await;
        assert_eq!(word(&refused), "financial_category_id=not_found", "{id:?}");
    }
}

#[test]
fn texts_outside_the_limits_are_refused() {
    let world = World::new();
    let text = |chars: usize| "ž".repeat(chars);
    let localized = |locale: &str, chars: usize| [(locale.to_owned(), text(chars))].into();
    let translated = |name, description| Patch::Value(ItemTranslations { name, description });
    let unit_code = |chars| Patch::Value(ItemEInvoicing { unit_code: Some(text(chars)) });
    for (input, expected) in [
        (ItemInput { description: Patch::Value(text(4000)), ..coffee() }, ""),
        (ItemInput { description: Patch::Value(text(10_001)), ..coffee() }, "description=too_long"),
        (ItemInput { name: Patch::Absent, ..coffee() }, "name=required"),
        (ItemInput { unit: Patch::Value(text(501)), ..coffee() }, "unit=too_long"),
        (ItemInput { e_invoicing: unit_code(500), ..coffee() }, ""),
        (ItemInput { e_invoicing: unit_code(501), ..coffee() }, "e_invoicing.unit_code=too_long"),
        (
            ItemInput {
                translations: translated(localized("sl-SI", 500), localized("is-IS", 2000)),
                ..coffee()
            },
            "",
        ),
        (
            ItemInput {
                translations: translated(localized("sl-SI", 501), localized("is-IS", 10_001)),
                ..coffee()
            },
            "translations.name.sl-SI=too_long translations.description.is-IS=too_long",
        ),
        (
            ItemInput {
                translations: translated(localized("sl", 1), Default::default()),
                ..coffee()
            },
            "translations.name.sl=unknown_locale",
        ),
    ] {
        let read = item(&world, input).map_or_else(|issues| codes(&issues), |_| String::new());
        assert_eq!(read, expected);
    }
    assert_eq!(LOCALES.len(), 18);
}

#[test]
fn a_stored_item_reads_back_as_it_was() {
    let world = World::new();
    let written = item(
        &world,
        ItemInput {
            classification: Patch::Value(Classification::Service),
            price: Patch::Value(decimal("140737488355327.1234567891")),
            e_invoicing: Patch::Value(ItemEInvoicing { unit_code: Some("C62".to_owned()) }),
            ..coffee()
        },
    )
    .unwrap();
    let stored = serde_json::to_value(&written).unwrap();
    assert_eq!(stored["price"].to_string(), "140737488355327.1234567891");
    assert_eq!(stored["translations"], serde_json::json!({}));
    assert_eq!(serde_json::from_value::<Item>(stored).unwrap(), written);
}
