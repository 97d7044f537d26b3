use std::collections::BTreeSet;

use racun_catalog::{
    BusinessUnit, BusinessUnitInput, MAX_JSON_BYTES, create_business_unit, trash,
    update_business_unit,
};
use racun_kernel::Patch;
use racun_store::Context;
use serde_json::{Map, Value as Json, json};

use crate::world::{World, codes, sent, word};

fn named(name: &str) -> BusinessUnitInput {
    BusinessUnitInput { name: sent(name), ..BusinessUnitInput::default() }
}

fn settings(value: Json) -> BusinessUnitInput {
    let Json::Object(settings) = value else { panic!("settings are an object") };
    BusinessUnitInput { settings: Patch::Value(settings), ..named("Center") }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_units_are_numbered_without_gaps() {
    let world = World::new();
    let tasks: Vec<_> = (0..24)
        .map(|n| {
            let world = world.clone();
            // Every fourth is refused, and must not use a number up.
            let input = if n % 4 == 3 { BusinessUnitInput::default() } else { named("Center") };
            tokio::spawn(async move { create_business_unit(world.cx(), input).await })
        })
        .collect();
    let mut indexes = BTreeSet::new();
    let mut refused = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(unit) => assert!(indexes.insert(unit.numbering_index), "twice"),
            Err(error) => {
                refused += 1;
                assert_eq!(word::<()>(&Err(error)), "name=required");
            }
        }
    }
    assert_eq!((indexes, refused), ((1..=18).collect(), 6));
}

#[tokio::test]
async fn a_number_is_never_used_again_and_belongs_to_one_entity() {
    let world = World::new();
    let index =
        async |world: &World| create_business_unit(world.cx(), named("Center")).await.unwrap();
    let first = index(&world).await;
    assert!(first.is_active);
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let trashed = trash::<BusinessUnit>(Context::new(store, scope, stamp), first.id).await.unwrap();
    assert_eq!((trashed.is_active, trashed.deleted_at), (false, Some(stamp.now())));
    racun_catalog::erase::<BusinessUnit>(Context::new(store, scope, stamp), first.id)
        .await
        .unwrap();
    assert_eq!(index(&world).await.numbering_index, 2);
    assert_eq!(index(&world.neighbour()).await.numbering_index, 1);
}

#[test]
fn settings_are_checked_where_they_are_specified() {
    let world = World::new();
    for (sent, expected) in [
        (json!({"pdf_template": "minimal"}), ""),
        (json!({"pdf_template": null, "logo_scale_percent": null, "email_defaults": null}), ""),
        (json!({"pdf_template": "baroque"}), "settings.pdf_template=invalid_value"),
        (json!({"primary_color": "#abc"}), ""),
        (json!({"primary_color": "#AABBCC"}), ""),
        (json!({"primary_color": "#AABB"}), "settings.primary_color=invalid_value"),
        (json!({"primary_color": "abc"}), "settings.primary_color=invalid_value"),
        (json!({"primary_color": "#ggg"}), "settings.primary_color=invalid_value"),
        (json!({"logo_scale_percent": 30}), ""),
        (json!({"logo_scale_percent": 100}), ""),
        (json!({"logo_scale_percent": 29}), "settings.logo_scale_percent=out_of_range"),
        (json!({"logo_scale_percent": 101}), "settings.logo_scale_percent=out_of_range"),
        (json!({"logo_scale_percent": "50"}), "settings.logo_scale_percent=out_of_range"),
        (json!({"email_defaults": {"invoice_subject": "Račun", "invoice_body": null}}), ""),
        (json!({"email_defaults": []}), "settings.email_defaults=invalid_type"),
        (
            json!({"email_defaults": {"invoice_subject": 1}}),
            "settings.email_defaults.invoice_subject=invalid_type",
        ),
        (json!({"translations": {"note": {"sl-SI": "Hvala"}}, "show_payment_amounts": true}), ""),
        (json!({"note": ["a", {"b": "\0"}]}), "settings.note[1].b=invalid_value"),
    ] {
        let read = settings(sent.clone()).into_business_unit(world.scope.entity(), 1, &world.stamp);
        assert_eq!(
            read.map_or_else(|issues| codes(&issues), |_| String::new()),
            expected,
            "{sent}"
        );
    }
    let unheld: Json = serde_json::from_str(r#"{"n": 1e400}"#).unwrap();
    let read = settings(unheld).into_business_unit(world.scope.entity(), 1, &world.stamp);
    assert_eq!(codes(&read.unwrap_err()), "settings.n=invalid_value");
}

#[test]
fn settings_hold_a_bounded_number_of_bytes() {
    let world = World::new();
    for (bytes, accepted) in [(MAX_JSON_BYTES, true), (MAX_JSON_BYTES + 1, false)] {
        // {"n":"…"} has 8 bytes around its text.
        let sent = settings(json!({"n": "x".repeat(bytes - 8)}));
        let read = sent.into_business_unit(world.scope.entity(), 1, &world.stamp);
        assert_eq!(read.is_ok(), accepted, "{bytes}");
    }
}

#[tokio::test]
async fn settings_are_updated_key_by_key() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let first =
        settings(json!({"pdf_template": "minimal", "email_defaults": {"invoice_body": "a"}}));
    let unit = create_business_unit(Context::new(store, scope, stamp), first).await.unwrap();
    let update = async |input| {
        update_business_unit(Context::new(store, scope, stamp), unit.id, input)
            .await
            .unwrap()
            .settings
    };
    let patched = update(settings(json!({"email_defaults": {"invoice_subject": "b"}}))).await;
    let expected = json!({"pdf_template": "minimal", "email_defaults": {"invoice_subject": "b"}});
    assert_eq!(Json::Object(patched), expected);
    assert_eq!(Json::Object(update(named("Novi center")).await), expected);
    let cleared = BusinessUnitInput { settings: Patch::Null, ..BusinessUnitInput::default() };
    assert_eq!(update(cleared).await, Map::new());
}

#[test]
fn a_file_is_named_by_a_files_id() {
    let world = World::new();
    let input = BusinessUnitInput { logo_file_id: sent("inv_1"), ..named("Center") };
    let read = input.into_business_unit(world.scope.entity(), 1, &world.stamp);
    assert_eq!(codes(&read.unwrap_err()), "logo_file_id=invalid_id");
    let id = world.stamp.id::<racun_kernel::id::File>();
    let input = BusinessUnitInput { logo_file_id: sent(&id.to_string()), ..named("Center") };
    let read = input.into_business_unit(world.scope.entity(), 1, &world.stamp);
    assert_eq!(read.unwrap().logo_file_id, Some(id));
}
