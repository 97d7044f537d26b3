//! White labels and subscriptions, as their clients see them.

use actix_web::test::TestRequest;
use racun_application::Services;
use racun_billing::Catalogue;
use serde_json::{Value, json};

use crate::guards::sign_up_at;
use crate::harness::{Answer, Api, PASSWORD, Who, text};

const HOST: &str = "app.acme.example";

fn catalogue() -> Catalogue {
    let file = json!({"white_labels": [{
        "slug": "acme", "name": "Acme", "hosts": [HOST], "app_name": "Acme Invoices",
        "theme_color": "#123456", "hidden_features": ["pos"], "support_email": "help@acme.example",
        "billing_enabled": true, "trial_days": 14, "default_plan": "start",
        "allowed_payment_providers": ["bank"],
        "coupons": [{"code": "HALF", "percent_off": 50}],
        "add_ons": [{"slug": "more", "name": "More", "price_cents": 300, "documents_per_month": 2}],
        "plans": [
            {"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1,
             "features": ["invoices"], "limits": {"invoices_per_month": 1}},
            {"slug": "start", "name": "Start", "base_price_cents": 900, "annual_price_cents": 9000,
             "display_order": 2, "features": ["invoices", "customers"],
             "limits": {"documents_per_month": 3}},
            {"slug": "business", "name": "Business", "base_price_cents": 2900, "display_order": 3,
             "limits": {"e_invoicing_sends_included": 10, "e_invoicing_send_price_cents": 20}},
        ],
    }]});
    serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap()
}

async fn api_with(catalogue: Catalogue) -> Api {
    Api::with(|services| Services { white_labels: catalogue.into(), ..services }).await
}

/// The owner of an entity whose account signed up at `header`'s host.
pub async fn owner(api: &Api, email: &str, header: Option<(&str, &str)>) -> Who {
    let body = json!({"email": email, "password": PASSWORD});
    let mut request = TestRequest::post().uri("/users/signup").set_json(body.clone());
    if let Some(header) = header {
        request = request.insert_header(header);
    }
    api.call(request).await.with(201);
    let login = api.post("/users/login", &Who::anonymous(), body).await.with(200).json();
    let user = Who::key(&text(&login["id"]));
    let entity = json!({"name": "Pri Ani", "country": "Slovenia", "environment": "sandbox"});
    let entity = api.post("/entities", &user, entity).await.with(201).json();
    user.in_entity(&text(&entity["id"]))
}

async fn subscriber(api: &Api) -> Who {
    owner(api, "ana@example.com", Some(("host", HOST))).await
}

async fn issue(api: &Api, who: &Who) -> Answer {
    let line = json!({"name": "Kava", "quantity": 1, "price": 2});
    api.post("/invoices", who, json!({"items": [line]})).await
}

fn code(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}

#[actix_web::test]
async fn a_subscription_answers_what_is_specified() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    issue(&api, &ana).await.with(201);
    let answer = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    let plan = json!({
        "id": "plan_start", "slug": "start", "name": "Start", "billing_interval": "monthly",
        "base_price_cents": 900, "features": ["invoices", "customers"], "is_free": false,
        "display_order": 2,
        "limits": {
            "documents_per_month": 3, "invoices_per_month": null, "overage_price_cents": null,
            "e_invoicing_sends_included": null, "e_invoicing_send_price_cents": null,
            "annual_price_cents": 9000, "included_store_count": null,
            "extra_store_price_cents": null, "extra_store_annual_price_cents": null,
            "extra_store_invoices_per_month": null,
        },
    });
    let mut scheduled = answer["scheduled_change"].clone();
    assert_eq!(scheduled["plan"]["slug"], "free");
    scheduled.as_object_mut().unwrap().remove("plan");
    let effective = json!({
        "billing_interval": "monthly", "effective_at": "2026-12-04T08:00:00.000Z",
    });
    assert_eq!(scheduled, effective);
    let mut rest = answer.clone();
    rest.as_object_mut().unwrap().remove("scheduled_change");
    let expected = json!({
        "plan": plan, "status": "trialing", "billing_interval": "monthly",
        "current_period_start": "2026-11-20T08:00:00.000Z",
        "current_period_end": "2026-12-04T08:00:00.000Z",
        "payment_provider": "bank", "platform_managed": false, "currency_code": "EUR",
        "billing_profile": "default", "allowed_payment_providers": ["bank"],
        "card_processor_publishable_key_kind": "default", "bank_reference": null,
        "billing_email": null, "coupon_code": null,
        "trial_ends_at": "2026-12-04T08:00:00.000Z", "trial_days_remaining": 14,
        "trial_started_now": false, "cancel_at": null,
        "payment_method": {"last4": null, "brand": null, "has_card": false},
        "store_billing": {
            "connected_stores": 0, "included_stores": 0, "billable_extra_stores": 0,
            "invoices_included_from_extra_stores": 0, "extra_store_price_cents_monthly": null,
            "extra_store_price_cents_yearly": null,
        },
        "usage": {
            "documents_count": 1, "documents_limit": 3, "invoices_count": 1,
            "invoices_limit": null, "e_invoicing_send_count": 0,
            "e_invoicing_sends_included": null, "period_start": "2026-11-20T08:00:00.000Z",
            "period_end": "2026-12-04T08:00:00.000Z",
        },
    });
    assert_eq!(rest, expected);
}

#[actix_web::test]
async fn plans_features_and_limits_answer_what_is_specified() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    let get = async |path: &str| {
        api.get(&format!("/white-label-subscriptions/{path}"), &ana).await.with(200).json()
    };
    let plans = get("plans").await;
    let slugs: Vec<_> =
        plans["plans"].as_array().unwrap().iter().map(|p| p["slug"].clone()).collect();
    assert_eq!(json!(slugs), json!(["free", "start", "business"]));
    assert!(plans["plans"][2]["limits"].get("e_invoicing_sends_included").is_none());
    assert_eq!(
        (&plans["current_plan_slug"], &plans["currency_code"]),
        (&json!("start"), &json!("EUR"))
    );
    let has = json!({
        "feature": "customers", "allowed": true, "requires_upgrade": false,
        "upgrade_plan_slug": null,
    });
    assert_eq!(get("check-feature/customers").await, has);
    let lacks = json!({
        "feature": "furs", "allowed": false, "requires_upgrade": true,
        "upgrade_plan_slug": "business",
    });
    assert_eq!(get("check-feature/furs").await, lacks);
    issue(&api, &ana).await.with(201);
    let limit = get("check-limit/documents").await;
    assert_eq!(limit["percentage"].to_string(), "33.33");
    let expected = json!({
        "resource": "documents", "allowed": true, "usage": 1, "limit": 3,
        "percentage": limit["percentage"],
    });
    assert_eq!(limit, expected);
    for path in ["check-feature/fax", "check-limit/coffee"] {
        let path = format!("/white-label-subscriptions/{path}");
        assert_eq!(api.get(&path, &ana).await.with(422).issue().1, "invalid_value");
    }
}

#[actix_web::test]
async fn a_limit_that_is_reached_stops_and_a_higher_plan_goes_on() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    for _ in 0..3 {
        issue(&api, &ana).await.with(201);
    }
    let refused = issue(&api, &ana).await.with(403);
    assert_eq!(
        (code(&refused), &refused.json()["code"]),
        ("plan_limit_reached".to_owned(), &json!("forbidden"))
    );
    let told = text(&refused.json()["message"]);
    assert!(told.contains("Start") && told.contains("3 documents a month"), "{told}");
    let path = "/white-label-subscriptions/activate";
    let body = json!({"plan_slug": "business", "billing_interval": "monthly"});
    let done = api.post(path, &ana, body).await.with(200).json();
    assert_eq!(done, json!({"invoice_id": null, "scheduled": false}));
    assert_eq!(issue(&api, &ana).await.with(201).json()["number"], "2026-00004");
    let body = json!({"plan_slug": "start", "billing_interval": "yearly"});
    assert_eq!(api.post(path, &ana, body).await.with(200).json()["scheduled"], true);
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!(
        (&own["plan"]["slug"], &own["scheduled_change"]["billing_interval"]),
        (&json!("business"), &json!("yearly"))
    );
    assert!(own["bank_reference"].is_string());
    let wrong = json!({"plan_slug": "start", "billing_interval": "weekly"});
    api.post(path, &ana, wrong).await.with(422);
}

#[actix_web::test]
async fn without_payment_by_card_or_bank_a_priced_plan_is_refused() {
    let file = json!({"white_labels": [{
        "slug": "acme", "name": "Acme", "hosts": [HOST], "billing_enabled": true,
        "default_plan": "free", "allowed_payment_providers": ["online_wallet"],
        "plans": [{"slug": "free", "name": "Free", "base_price_cents": 0},
                  {"slug": "start", "name": "Start", "base_price_cents": 900}],
    }]});
    let file = serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap();
    let api = api_with(file).await;
    let ana = subscriber(&api).await;
    let body = json!({"plan_slug": "start", "billing_interval": "monthly"});
    let refused = api.post("/white-label-subscriptions/activate", &ana, body).await.with(422);
    assert_eq!(code(&refused), "no_payment_processor");
    assert!(refused.text.contains("no payment processor is configured"), "{refused:?}");
}

#[actix_web::test]
async fn a_feature_that_the_plan_lacks_is_refused_before_writing_and_still_read() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    api.post("/customers", &ana, json!({"name": "Bor"})).await.with(201);
    for (path, body) in [
        ("/business-units", json!({"name": "Kranj"})),
        ("/financial-categories", json!({"name": "Hrana"})),
        ("/estimates", json!({"items": []})),
        ("/fiscalization/furs/premises/movable", json!({})),
        ("/recurring-invoices", json!({})),
    ] {
        let refused = api.post(path, &ana, body).await.with(403);
        assert_eq!(code(&refused), "feature_not_available", "{path}");
    }
    api.get("/business-units", &ana).await.with(200);
    let key = json!({"name": "shop", "environment": "sandbox"});
    let key = api.post("/account/api-keys", &ana, key).await.with(201).json();
    let key = Who::key(&text(&key["id"])).in_entity(ana.entity());
    assert_eq!(code(&api.get("/customers", &key).await.with(403)), "feature_not_available");
    for path in ["", "/plans", "/check-feature/api_access", "/check-limit/documents"] {
        api.get(&format!("/white-label-subscriptions{path}"), &key).await.with(200);
    }
    let body = json!({"plan_slug": "business", "billing_interval": "monthly"});
    api.post("/white-label-subscriptions/activate", &key, body).await.with(200);
    api.post("/business-units", &ana, json!({"name": "Kranj"})).await.with(201);
    api.get("/customers", &key).await.with(200);
}

#[actix_web::test]
async fn when_a_trial_ends_the_free_plan_follows() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    api.pass(14 * 86_400);
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!((&own["plan"]["slug"], &own["status"]), (&json!("free"), &json!("active")));
    assert_eq!(
        (&own["trial_days_remaining"], &own["scheduled_change"]),
        (&Value::Null, &Value::Null)
    );
    issue(&api, &ana).await.with(201);
    assert_eq!(code(&issue(&api, &ana).await.with(403)), "plan_limit_reached");
    api.post("/customers", &ana, json!({"name": "Bor"})).await.with(403);
}

/// The same catalogue, with a default white label for all other hosts.
fn catalogue_with_default() -> Catalogue {
    let label = json!({
        "slug": "acme", "name": "Acme", "hosts": [HOST], "is_default": true,
        "billing_enabled": true, "default_plan": "free",
        "plans": [{"slug": "free", "name": "Free", "base_price_cents": 0,
                   "limits": {"invoices_per_month": 1}}],
    });
    let other = json!({"slug": "other", "name": "Other", "hosts": ["other.example"]});
    let file = json!({"white_labels": [label, other]});
    serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap()
}

#[actix_web::test]
async fn no_host_and_no_origin_leads_around_the_plans() {
    let api = api_with(catalogue()).await;
    for (host, origin) in [("x", ""), ("racun.example", "https://app.acme.example")] {
        sign_up_at(&api, host, origin, "bor@example.com").await.with(404);
    }
    let api = api_with(catalogue_with_default()).await;
    for (n, origin) in ["", "https://other.example"].into_iter().enumerate() {
        let email = format!("bor{n}@example.com");
        sign_up_at(&api, "x", origin, &email).await.with(201);
        let body = json!({"email": email, "password": PASSWORD});
        let login = api.post("/users/login", &Who::anonymous(), body).await.with(200).json();
        let user = Who::key(&text(&login["id"]));
        let entity = json!({"name": "Pri Boru", "country": "Slovenia", "environment": "sandbox"});
        let entity = api.post("/entities", &user, entity).await.with(201).json();
        let bor = user.in_entity(&text(&entity["id"]));
        issue(&api, &bor).await.with(201);
        assert_eq!(code(&issue(&api, &bor).await.with(403)), "plan_limit_reached");
    }
}

#[actix_web::test]
async fn users_whom_a_subscriber_invites_have_the_same_white_label() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    let invited = json!({"email": "eva@example.com", "send_invite": false});
    let invited = api.post("/entities/users", &ana, invited).await.with(201).json();
    let path = format!("/invitations/accept?token={}", text(&invited["token"]));
    let accepted =
        api.post(&path, &Who::anonymous(), json!({"password": PASSWORD})).await.with(200);
    let eva = Who::key(&text(&accepted.json()["access_token"]));
    let entity = json!({"name": "Pri Evi", "country": "Slovenia", "environment": "sandbox"});
    let entity = api.post("/entities", &eva, entity).await.with(201).json();
    let eva = eva.in_entity(&text(&entity["id"]));
    let own = api.get("/white-label-subscriptions", &eva).await.with(200).json();
    assert_eq!(own["plan"]["slug"], "start");
}

#[actix_web::test]
async fn bills_go_to_an_address_or_to_none() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    let path = "/white-label-subscriptions/billing-email";
    let email = json!({"billing_email": "bills@example.com"});
    assert_eq!(api.patch(path, &ana, email.clone()).await.with(200).json(), email);
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!(own["billing_email"], "bills@example.com");
    let none = json!({"billing_email": null});
    assert_eq!(api.patch(path, &ana, none.clone()).await.with(200).json(), none);
    for (body, code) in [(json!({}), "required"), (json!({"billing_email": "x"}), "invalid_email")]
    {
        let issue = api.patch(path, &ana, body).await.with(422).issue();
        assert_eq!(issue, ("[\"billing_email\"]".to_owned(), code.to_owned()));
    }
}

#[actix_web::test]
async fn the_current_white_label_is_that_of_the_host_and_else_of_the_page() {
    let api = api_with(catalogue()).await;
    let ask = async |headers: &[(&'static str, &'static str)]| {
        let mut request = TestRequest::get().uri("/white-labels/current");
        for header in headers {
            request = request.insert_header(*header);
        }
        api.call(request).await
    };
    let label = ask(&[("host", "APP.acme.example:443")]).await.with(200).json();
    let expected = json!({
        "slug": "acme", "name": "Acme", "environment": null, "app_name": "Acme Invoices",
        "short_name": null, "logo_url": null, "favicon_url": null, "theme_color": "#123456",
        "hidden_features": ["pos"], "hide_new_features_by_default": false,
        "reviewed_feature_catalog_ids": [], "billing_enabled": true,
        "account_users_full_ui_enabled": false, "analytics": {},
        "support_email": "help@acme.example",
    });
    assert_eq!(label, expected);
    for origin in ["https://app.acme.example", "https://APP.acme.example:8443"] {
        let from_page = ask(&[("host", "api.racun.example"), ("origin", origin)]).await;
        assert_eq!(from_page.with(200).json(), expected, "{origin}");
    }
    // The host comes first, and what is no page of a white label says nothing.
    let host = ask(&[("host", HOST), ("origin", "https://other.example")]).await.with(200);
    assert_eq!(host.json(), expected);
    for origin in ["https://other.example", "null", "app.acme.example"] {
        ask(&[("host", "racun.example"), ("origin", origin)]).await.with(404);
    }
    ask(&[("host", "racun.example")]).await.with(404);
    ask(&[("host", "racun.example"), ("x-forwarded-host", HOST)]).await.with(404);
    let ana = subscriber(&api).await;
    let listed = api.get("/white-labels", &ana).await.with(200).json();
    assert_eq!(listed["data"][0], expected);
}

#[actix_web::test]
async fn months_are_billed_with_add_ons_and_coupons() {
    let api = api_with(catalogue()).await;
    let ana = subscriber(&api).await;
    let path = "/white-label-subscriptions/activate";
    let activate = async |more: Value| {
        let mut body = json!({"plan_slug": "start", "billing_interval": "monthly"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        api.post(path, &ana, body).await
    };
    let wrong = activate(json!({"add_ons": [{"slug": "none", "quantity": 1}]})).await.with(422);
    assert_eq!(wrong.issue().0, "[\"add_ons\",0,\"slug\"]");
    assert_eq!(
        activate(json!({"coupon_code": "NONE"})).await.with(422).issue().0,
        "[\"coupon_code\"]"
    );
    let extras = json!({"coupon_code": "HALF", "add_ons": [{"slug": "more", "quantity": 2}]});
    activate(extras).await.with(200);
    let own = api.get("/white-label-subscriptions", &ana).await.with(200).json();
    assert_eq!(
        (&own["coupon_code"], &own["usage"]["documents_limit"]),
        (&json!("HALF"), &json!(7))
    );
    assert_eq!(own["add_ons"][0]["quantity"], 2, "{own}");
    let plans = api.get("/white-label-subscriptions/plans", &ana).await.with(200).json();
    assert_eq!(plans["add_ons"][0]["price_cents"], 300);
    let limit = "/white-label-subscriptions/check-limit/documents";
    assert_eq!(api.get(limit, &ana).await.with(200).json()["limit"], 7);
    let bills = async |who: &Who| {
        let answer = api.get("/white-label-subscriptions/bills", who).await.with(200).json();
        answer["data"].as_array().unwrap().clone()
    };
    // The trial was cut short, and cost nothing.
    assert_eq!(
        bills(&ana).await.iter().map(|bill| bill["total_cents"].clone()).collect::<Vec<_>>(),
        [0]
    );
    api.pass(31 * 86_400);
    let ana = api.log_in("ana@example.com").await.in_entity(ana.entity());
    issue(&api, &ana).await.with(201);
    let bills = bills(&ana).await;
    assert_eq!(bills.len(), 2, "{bills:?}");
    let amounts = |bill: &Value| {
        let lines = bill["lines"].as_array().unwrap();
        let pair = |line: &Value| (text(&line["kind"]), line["amount_cents"].as_i64().unwrap());
        lines.iter().map(pair).collect::<Vec<_>>()
    };
    let expected = [("plan", 900), ("add_on", 600), ("coupon", -750)];
    assert_eq!(amounts(&bills[0]), expected.map(|(kind, cents)| (kind.to_owned(), cents)));
    assert_eq!(
        (&bills[0]["total_cents"], &bills[0]["currency_code"]),
        (&json!(750), &json!("EUR"))
    );
}
