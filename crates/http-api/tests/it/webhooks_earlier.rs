//! Webhooks of the earlier generation over HTTP.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Who, text};
use crate::webhooks::World;

fn path(world: &World) -> String {
    format!("/v1/Organizations/{}/webhooks", world.owner.entity())
}

async fn make(world: &World, body: Value) -> Value {
    world.api.post(&path(world), &world.owner, body).await.with(200).json()
}

fn encoded(value: &Value) -> String {
    value.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[actix_web::test]
async fn a_webhook_goes_through_all_seven_operations() {
    let world = World::new().await;
    let (api, owner) = (&world.api, &world.owner);
    let events = json!([{"event": "customer.created"}]);
    let made = make(&world, json!({"url": "http://example.com/1", "events": events})).await;
    let id = text(&made["id"]);
    for (field, expected) in [
        ("url", json!("http://example.com/1")),
        ("enabled", json!(true)),
        ("events", events),
        ("organizationId", json!(owner.entity())),
        ("deletedAt", json!(null)),
        ("_isDeleted", json!(false)),
        ("deletedId", json!(null)),
    ] {
        assert_eq!(made[field], expected, "{field}");
    }
    assert!(made["createdAt"].is_string() && made.get("secret").is_none(), "{made}");
    let one = format!("/v1/Webhooks/{id}");
    // The path names no entity, and none is needed.
    let person = Who { entity: None, ..owner.clone() };
    assert_eq!(api.get(&one, &person).await.with(200).json(), made);
    assert_eq!(api.get(&path(&world), &person).await.with(200).json(), json!([made]));
    let count = format!("{}/count", path(&world));
    assert_eq!(api.get(&count, &person).await.with(200).json(), json!({"count": 1}));

    let patch = json!({"url": "http://example.com/2", "enabled": false});
    let patched = api.patch(&one, &person, patch).await.with(200).json();
    assert_eq!((&patched["enabled"], &patched["events"]), (&json!(false), &made["events"]));
    let put = json!({"url": "http://example.com/3"});
    let replaced = api.put(&one, &person, put).await.with(200).json();
    assert_eq!((&replaced["enabled"], &replaced["events"]), (&json!(true), &json!([])));
    api.put(&one, &person, json!({})).await.with(422);

    let stranger = api.owner("stranger@example.com").await;
    api.get(&one, &stranger).await.with(404);
    api.delete(&one, &stranger).await.with(404);
    api.get(&path(&world), &stranger).await.with(404);
    assert_eq!(api.delete(&one, &person).await.with(200).json(), json!({"count": 1}));
    api.get(&one, &person).await.with(404);
}

#[actix_web::test]
async fn a_token_comes_without_bearer_too_and_the_generations_do_not_mix() {
    let world = World::new().await;
    let made = make(&world, json!({"url": "http://example.com/1"})).await;
    let one = format!("/v1/Webhooks/{}", text(&made["id"]));
    let token = world.owner.token.clone().unwrap();
    let request = TestRequest::get().uri(&one).insert_header(("authorization", token));
    world.api.call(request).await.with(200);
    world.api.get(&format!("/webhooks/{}", text(&made["id"])), &world.owner).await.with(404);
    let current = world.endpoint(&["customer.created"]).await;
    let id = text(&current["id"]);
    world.api.get(&format!("/v1/Webhooks/{id}"), &world.owner).await.with(404);
    let list = world.api.get(&path(&world), &world.owner).await.json();
    assert_eq!(list.as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn filters_choose_rows_and_properties() {
    let world = World::new().await;
    for (n, enabled) in [(1, true), (2, false), (3, true)] {
        make(&world, json!({"url": format!("http://example.com/{n}"), "enabled": enabled})).await;
        world.api.pass(1);
    }
    let list = path(&world);
    for (filter, expected) in [
        (json!({"where": {"enabled": true}, "order": "createdAt DESC", "fields": ["url"]}), "31"),
        (json!({"limit": 1, "skip": 1, "fields": {"url": true}}), "2"),
    ] {
        let uri = format!("{list}?filter={}", encoded(&filter));
        let found = world.api.get(&uri, &world.owner).await.with(200).json();
        let found = found.as_array().unwrap();
        let urls: String = found.iter().map(|row| text(&row["url"])[19..].to_owned()).collect();
        assert_eq!(urls, expected, "{filter}");
        assert!(found.iter().all(|row| row.as_object().unwrap().len() == 1), "{found:?}");
    }
    let included = format!("{list}?filter={}", encoded(&json!({"include": "organization"})));
    let found = world.api.get(&included, &world.owner).await.with(200).json();
    assert_eq!(found[0]["organization"]["id"], world.owner.entity());
    let count = format!("{list}/count?where={}", encoded(&json!({"enabled": false})));
    let found = world.api.get(&count, &world.owner).await.with(200).json();
    assert_eq!(found, json!({"count": 1}));
    let wrong = format!("{list}?filter={}", encoded(&json!({"where": {"secret": 1}})));
    world.api.get(&wrong, &world.owner).await.with(422);
}

#[actix_web::test]
async fn deliveries_follow_the_earlier_rule_and_are_not_signed() {
    let world = World::new().await;
    let made = make(&world, json!({"url": "http://example.com/1"})).await;
    world.courier.answers([404, 301, 500, 500]);
    world.customer("first").await;
    world.listen().await;
    for pass in [120, 120, 240, 0] {
        assert_eq!(world.deliver().await, 1);
        world.api.pass(pass - 1);
        assert_eq!(world.deliver().await, 0, "not before its time");
        world.api.pass(1);
    }
    assert_eq!(world.deliver().await, 0);
    let posts = world.courier.posts();
    assert_eq!(posts.len(), 4);
    for post in posts {
        let names: Vec<_> = post.headers.iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"X-Webhook-Event") && !names.contains(&"X-Webhook-Signature"));
    }
    let one = format!("/v1/Webhooks/{}", text(&made["id"]));
    assert_eq!(world.api.get(&one, &world.owner).await.json()["enabled"], false);
}
