use std::sync::atomic::Ordering;

use proptest::prelude::*;
use racun_catalog::{
    Tax, TaxInput, TaxRateInput, create_tax, get, list, replace_tax, restore, trash, update_tax,
};
use racun_kernel::calendar::{parse_date, parse_instant};
use racun_kernel::{Decimal, Issues, Patch};
use racun_store::testing::stamp;
use racun_store::{Context, RawQuery};
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::world::{World, codes, sent, word};

fn rate(text: &str, valid_from: Option<OffsetDateTime>) -> TaxRateInput {
    TaxRateInput { rate: text.parse().unwrap(), valid_from }
}

/// `22` or `20 22@2013-07-01T00:00:00Z`.
fn rates(text: &str) -> Patch<Vec<TaxRateInput>> {
    let read = |text: &str| match text.split_once('@') {
        Some((percent, from)) => rate(percent, Some(parse_instant(from).unwrap())),
        None => rate(text, None),
    };
    Patch::Value(text.split_whitespace().map(read).collect())
}

fn input(text: &str) -> TaxInput {
    TaxInput { tax_rates: rates(text), ..TaxInput::default() }
}

fn default(text: &str) -> TaxInput {
    TaxInput { is_default: Patch::Value(true), ..input(text) }
}

fn classified(classification: &str) -> TaxInput {
    TaxInput { classification: sent(classification), ..input("22") }
}

fn tax(input: TaxInput) -> Result<Tax, Issues> {
    let stamp = stamp(datetime!(2026-11-20 08:30 UTC));
    input.into_tax(stamp.id(), &stamp)
}

async fn made(world: &World, input: TaxInput) -> Tax {
    create_tax(world.cx(), input).await.unwrap()
}

/// The names of the entity's default taxes.
async fn defaults(world: &World) -> String {
    let raw = RawQuery { limit: Some("100".to_owned()), ..RawQuery::default() };
    let page = list::<Tax>(world.cx(), &raw).await.unwrap();
    let defaults = page.rows.into_iter().filter(|tax| tax.is_default).map(|tax| tax.name);
    defaults.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_tax_without_a_name_is_called_by_its_rate_and_valid_since_ever() {
    let made = tax(input("22")).unwrap();
    assert_eq!(made.name, "22%");
    let stored = serde_json::to_value(&made).unwrap();
    assert_eq!(stored["tax_rates"][0]["valid_from"], "1970-01-01T00:00:00Z");
    assert_eq!(serde_json::from_value::<Tax>(stored).unwrap(), made);
    for (rates, name) in [
        ("9.50", "9.5%"),
        ("0", "0%"),
        ("20 22@2013-07-01T00:00:00Z 25@2030-01-01T00:00:00Z", "22%"),
        ("25@2030-01-01T00:00:00Z 24@2029-01-01T00:00:00Z", "25%"),
    ] {
        assert_eq!(tax(input(rates)).unwrap().name, name, "{rates}");
    }
}

#[test]
fn the_rate_of_a_day_is_the_newest_that_is_valid_by_its_midnight() {
    let made = tax(input(
        "8.5@2002-01-01T00:00:00Z 9.5@2013-07-01T00:00:00+02:00 10@2027-01-01T00:00:00Z",
    ))
    .unwrap();
    for (day, expected) in [
        ("2001-12-31", None),
        ("2002-01-01", Some("8.5")),
        ("2013-06-30", Some("8.5")),
        ("2013-07-01", Some("9.5")),
        ("2026-12-31", Some("9.5")),
        ("2027-01-01", Some("10")),
        ("9999-12-31", Some("10")),
    ] {
        let rate = made.rate_on(parse_date(day).unwrap()).map(ToString::to_string);
        assert_eq!(rate.as_deref(), expected, "{day}");
    }
}

proptest! {
    #[test]
    fn rates_are_kept_newest_first_and_found_in_any_order_sent(
        days in proptest::collection::btree_map(0_i64..20_000, 0_i64..=100, 1..10),
        on in 0_i64..20_000,
        backwards in any::<bool>(),
    ) {
        let from = |day: i64| OffsetDateTime::UNIX_EPOCH + Duration::days(day);
        let mut sent: Vec<TaxRateInput> = days
            .iter()
            .map(|(day, rate)| TaxRateInput {
                rate: Decimal::from(*rate),
                valid_from: Some(from(*day)),
            })
            .collect();
        if backwards {
            sent.reverse();
        }
        let made = tax(TaxInput { tax_rates: Patch::Value(sent), ..TaxInput::default() }).unwrap();
        prop_assert!(made.tax_rates.is_sorted_by(|a, b| a.valid_from > b.valid_from));
        let expected = days.range(..=on).next_back().map(|(_, rate)| Decimal::from(*rate));
        prop_assert_eq!(made.rate_on(from(on).date()), expected.as_ref());
    }
}

#[test]
fn inputs_outside_the_limits_are_refused() {
    let text = |chars: usize| Patch::Value("ž".repeat(chars));
    let many = |count: i64| {
        let from = |n| Some(OffsetDateTime::UNIX_EPOCH + Duration::days(n));
        let rates = (0..count).map(|n| rate("22", from(n))).collect();
        TaxInput { tax_rates: Patch::Value(rates), ..TaxInput::default() }
    };
    let far =
        TaxRateInput { rate: Decimal::from(22), valid_from: Some(datetime!(9999-12-31 23:59 -10)) };
    for (sent, expected) in [
        (TaxInput::default(), "tax_rates=required"),
        (TaxInput { tax_rates: Patch::Null, ..TaxInput::default() }, "tax_rates=required"),
        (input(""), "tax_rates=required"),
        (input("0"), ""),
        (input("100"), ""),
        (input("-0.01"), "tax_rates[0].rate=out_of_range"),
        (input("100.01"), "tax_rates[0].rate=out_of_range"),
        (input("22 101@2020-01-01T00:00:00Z"), "tax_rates[1].rate=out_of_range"),
        (input("22 20"), "tax_rates[1].valid_from=duplicate"),
        (
            input("22@2020-01-01T00:00:00Z 20@2020-01-01T01:00:00+01:00"),
            "tax_rates[1].valid_from=duplicate",
        ),
        (
            TaxInput { tax_rates: Patch::Value(vec![far]), ..TaxInput::default() },
            "tax_rates[0].valid_from=out_of_range",
        ),
        (many(100), ""),
        (many(101), "tax_rates=too_many"),
        (TaxInput { name: text(100), ..input("22") }, ""),
        (TaxInput { name: text(101), ..input("22") }, "name=too_long"),
        (TaxInput { name: text(0), ..input("22") }, "name=required"),
        (TaxInput { classification: text(50), ..input("22") }, ""),
        (TaxInput { classification: text(51), ..input("22") }, "classification=too_long"),
        (
            TaxInput { pt_exemption_reason: text(501), ..input("22") },
            "pt_exemption_reason=too_long",
        ),
    ] {
        let refused = tax(sent.clone()).map_or_else(|issues| codes(&issues), |_| String::new());
        assert_eq!(refused, expected, "{sent:?}");
    }
}

#[tokio::test]
async fn a_new_default_takes_the_place_of_the_former() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let first = made(&world, default("22")).await;
    let second = made(&world, input("9.5")).await;
    assert_eq!(defaults(&world).await, "22%");
    made(&world, default("5")).await;
    assert_eq!(defaults(&world).await, "5%");
    world.events();
    let mark = TaxInput { is_default: Patch::Value(true), ..TaxInput::default() };
    update_tax(Context::new(store, scope, stamp), second.id, mark.clone()).await.unwrap();
    assert_eq!(defaults(&world).await, "9.5%");
    assert_eq!(world.events(), "tax.updated tax.updated");
    update_tax(Context::new(store, scope, stamp), second.id, mark.clone()).await.unwrap();
    assert_eq!(world.events(), "");
    replace_tax(Context::new(store, scope, stamp), first.id, default("25")).await.unwrap();
    assert_eq!(defaults(&world).await, "25%");
    replace_tax(Context::new(store, scope, stamp), first.id, input("25")).await.unwrap();
    assert_eq!(defaults(&world).await, "");
    made(&world.neighbour(), default("17")).await;
    update_tax(Context::new(store, scope, stamp), first.id, mark).await.unwrap();
    assert_eq!(defaults(&world).await, "25%");
}

#[tokio::test]
async fn a_default_in_the_trash_is_none_and_comes_back_as_none() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let first = made(&world, default("22")).await;
    trash::<Tax>(Context::new(store, scope, stamp), first.id).await.unwrap();
    made(&world, default("25")).await;
    restore::<Tax>(Context::new(store, scope, stamp), first.id).await.unwrap();
    assert_eq!(defaults(&world).await, "25%");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixteen_concurrent_defaults_one_remains() {
    let world = World::new();
    let tasks: Vec<_> = (1..=16)
        .map(|percent| {
            let world = world.clone();
            tokio::spawn(async move { made(&world, default(&percent.to_string())).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let names = defaults(&world).await;
    assert_eq!(names.split(' ').filter(|name| name.ends_with('%')).count(), 1, "{names}");
}

#[tokio::test]
async fn a_lost_race_for_the_default_is_decided_again() {
    let world = World::new();
    world.store.races.store(3, Ordering::SeqCst);
    made(&world, default("22")).await;
    assert_eq!(defaults(&world).await, "22%");
    world.store.races.store(1000, Ordering::SeqCst);
    let lost = create_tax(world.cx(), default("25")).await;
    assert!(matches!(
        lost,
        Err(racun_catalog::CatalogError::Store(racun_store::StoreError::Unavailable(_)))
    ));
}

#[tokio::test]
async fn a_classification_is_taken_until_its_tax_goes_to_the_trash() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let first = made(&world, classified("standard")).await;
    made(&world, input("22")).await;
    made(&world, input("22")).await;
    let again = create_tax(Context::new(store, scope, stamp), classified("standard")).await;
    assert_eq!(word(&again), "conflict:classification");
    let other = made(&world, classified("reduced")).await;
    let renamed =
        replace_tax(Context::new(store, scope, stamp), other.id, classified("standard")).await;
    assert_eq!(word(&renamed), "conflict:classification");
    assert_eq!(get::<Tax>(Context::new(store, scope, stamp), other.id).await.unwrap(), other);
    made(&world.neighbour(), classified("standard")).await;
    trash::<Tax>(Context::new(store, scope, stamp), first.id).await.unwrap();
    made(&world, classified("standard")).await;
    let restored = restore::<Tax>(Context::new(store, scope, stamp), first.id).await;
    assert_eq!(word(&restored), "conflict:classification");
}

#[tokio::test]
async fn an_update_changes_rates_and_default_and_refuses_the_rest() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let made = made(&world, TaxInput { is_default: Patch::Value(true), ..classified("s") }).await;
    let refused = TaxInput {
        name: sent("x"),
        classification: Patch::Null,
        pt_exemption_code: sent("M01"),
        pt_exemption_reason: sent("x"),
        metadata: Patch::Null,
        tax_rates: Patch::Null,
        ..TaxInput::default()
    };
    assert_eq!(
        word(&update_tax(Context::new(store, scope, stamp), made.id, refused).await),
        "name=not_updatable classification=not_updatable pt_exemption_code=not_updatable \
         pt_exemption_reason=not_updatable metadata=not_updatable tax_rates=required"
    );
    let changed = input("25@2027-01-01T00:00:00Z 22");
    let changed = update_tax(Context::new(store, scope, stamp), made.id, changed).await.unwrap();
    assert_eq!(changed.rate_on(date!(2026 - 12 - 31)), Some(&Decimal::from(22)));
    assert_eq!(changed.rate_on(date!(2027 - 01 - 01)), Some(&Decimal::from(25)));
    assert_eq!((changed.name.as_str(), changed.is_default), ("22%", true));
    let unmarked = TaxInput { is_default: Patch::Null, ..TaxInput::default() };
    let unmarked = update_tax(Context::new(store, scope, stamp), made.id, unmarked).await.unwrap();
    assert_eq!(unmarked, Tax { is_default: false, ..changed });
}

#[tokio::test]
async fn a_replacement_keeps_the_id_and_the_metadata_and_nothing_else() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let full = TaxInput {
        name: sent("DDV"),
        is_default: Patch::Value(true),
        pt_exemption_code: sent("M01"),
        pt_exemption_reason: sent("Artigo 16"),
        metadata: Patch::Value([("k".to_owned(), "v".to_owned())].into()),
        ..classified("standard")
    };
    let before = made(&world, full).await;
    let after =
        replace_tax(Context::new(store, scope, stamp), before.id, input("9.5")).await.unwrap();
    let fresh = tax(input("9.5")).unwrap();
    let expected =
        Tax { id: before.id, entity_id: before.entity_id, metadata: before.metadata, ..fresh };
    assert_eq!(after, expected);
}
