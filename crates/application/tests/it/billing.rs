//! Subscriptions: what is counted, what a limit stops, and what time makes of them, on both stores.

use std::sync::Arc;

use racun_background::jobs::Report;
use racun_billing::{
    BillingError, Catalogue, DUE_SUBSCRIPTIONS, Feature, Interval, NotAllowed, Resource, Status,
    Subscription, USAGE_MONTHS, UsageMonth,
};
use racun_documents::DocumentKind;
use racun_kernel::{Stamp, Tenant};
use racun_sales::Error;
use racun_sales::billing::{self, Choice, LIMITS, run_due};
use racun_sales::documents::{self, Creation, Voiding};
use racun_store::{Context, ListQuery, Store};
use serde_json::json;
use time::Duration;

use crate::fixture::{NOW, Shop, line, request, said};
use crate::takings::{on_postgres, on_sqlite};

fn catalogue() -> Catalogue {
    let file = json!({"white_labels": [{
        "slug": "acme", "name": "Acme", "hosts": ["app.acme.example"],
        "billing_enabled": true, "trial_days": 14, "default_plan": "start",
        "allowed_payment_providers": ["bank"], "coupon_codes": ["TEN"],
        "plans": [
            {"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1,
             "features": ["invoices"], "limits": {"invoices_per_month": 3}},
            {"slug": "start", "name": "Start", "base_price_cents": 900, "display_order": 2,
             "limits": {"documents_per_month": 5}},
            {"slug": "business", "name": "Business", "base_price_cents": 2900, "display_order": 3,
             "limits": {"invoices_per_month": 2, "overage_price_cents": 5}},
        ],
    }]});
    serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap()
}

async fn shop(store: Arc<dyn Store>) -> Shop {
    let stamp = racun_store::testing::stamp(NOW);
    Shop::open_under(&catalogue(), Some("acme"), "Slovenija", store, stamp).await
}

async fn own(shop: &Shop, stamp: &Stamp) -> Subscription {
    billing::get(Context::new(&*shop.store, &shop.scope, stamp), &shop.entity).await.unwrap()
}

async fn choose(
    shop: &Shop,
    slug: &str,
    stamp: &Stamp,
) -> Result<billing::Activated, BillingError> {
    let choice = Choice {
        plan_slug: slug.to_owned(),
        interval: Interval::Monthly,
        coupon_code: None,
        add_ons: None,
    };
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    billing::activate(Context::new(store, scope, stamp), &catalogue(), false, entity, choice).await
}

async fn months(shop: &Shop) -> Vec<UsageMonth> {
    let query = ListQuery::first_page(&USAGE_MONTHS);
    shop.store.page(&USAGE_MONTHS, &shop.scope.tenant(), &query).await.unwrap().rows
}

fn refused(error: Error) -> NotAllowed {
    match error {
        Error::Plan(refused) => refused,
        other => panic!("{other:?}"),
    }
}

/// Issues one document more than the plan lets through, many at once.
async fn race(store: Arc<dyn Store>) {
    let shop = Arc::new(shop(store).await);
    for _ in 0..4 {
        shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    }
    let tasks: Vec<_> = (0..16)
        .map(|n| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move {
                let asked = request(vec![line("Kruh", "1", "3")]);
                let kind = if n % 2 == 0 { DocumentKind::Invoice } else { DocumentKind::Estimate };
                let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
                let creation = Creation::default();
                documents::create(
                    Context::new(store, scope, &shop.stamp),
                    entity,
                    kind,
                    asked,
                    creation,
                )
                .await
            })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert_eq!(refused(error).code(), "plan_limit_reached"),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(own(&shop, &shop.stamp).await.usage.documents, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_sixteen_at_once_exactly_one_takes_the_last_document_on_sqlite() {
    race(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_sixteen_at_once_exactly_one_takes_the_last_document_on_postgresql() {
    let (store, _database) = on_postgres().await;
    race(store).await;
}

/// A subscription through its trial, its free plan and a bought one, with the account's events.
async fn story(store: Arc<dyn Store>) {
    let shop = shop(store).await;
    assert!(shop.entity.is_subscribed);
    let trial = own(&shop, &shop.stamp).await;
    assert_eq!((trial.status, trial.trial_days_remaining(NOW)), (Status::Trialing, Some(14)));
    shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();

    let later = shop.stamp.at(NOW + Duration::days(15));
    let read = own(&shop, &later).await;
    assert_eq!((read.status, &*read.plan.slug), (Status::Active, "free"), "before any worker ran");
    let store = &*shop.store;
    let (first, second) =
        tokio::join!(run_due(store, &later, LIMITS), run_due(store, &later, LIMITS),);
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.problems.len(), second.problems.len()), (0, 0));
    assert!(first.done + second.done >= 1);
    assert_eq!(run_due(store, &later, LIMITS).await.unwrap().done, 0);
    let used: Vec<_> = months(&shop).await.iter().map(|month| month.usage.documents).collect();
    assert_eq!(used, [1], "each month is noted once");

    let bought = choose(&shop, "business", &later).await.unwrap();
    assert!(!bought.is_scheduled);
    let shop = Shop { stamp: later.clone(), ..shop };
    for _ in 0..3 {
        shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    }
    assert!(choose(&shop, "free", &later).await.unwrap().is_scheduled);
    let much_later = shop.stamp.at(NOW + Duration::days(60));
    run_due(&*shop.store, &much_later, LIMITS).await.unwrap();
    let last = own(&shop, &much_later).await;
    assert_eq!((&*last.plan.slug, last.status), ("free", Status::Active));
    let beyond = months(&shop).await.into_iter().map(|month| (month.plan_slug, month.beyond));
    assert!(beyond.collect::<Vec<_>>().contains(&("business".to_owned(), 1)), "what is charged");
    let (table, query) = (&DUE_SUBSCRIPTIONS, ListQuery::first_page(&DUE_SUBSCRIPTIONS));
    let due = shop.store.list(table, &Tenant::directory(), &query).await.unwrap().1;
    assert_eq!(due, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_lives_through_trial_free_plan_and_bought_plan_on_sqlite() {
    story(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_lives_through_trial_free_plan_and_bought_plan_on_postgresql() {
    let (store, _database) = on_postgres().await;
    story(store).await;
}

#[tokio::test]
async fn drafts_are_free_and_count_when_they_are_issued() {
    let shop = shop(on_sqlite()).await;
    let draft = shop.draft(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    assert_eq!(own(&shop, &shop.stamp).await.usage.documents, 0);
    for _ in 0..5 {
        shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    }
    let issue = || async {
        let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
        documents::finalize(Context::new(store, scope, &shop.stamp), entity, draft.id, said()).await
    };
    let NotAllowed::LimitReached { resource, limit, usage, .. } =
        refused(issue().await.unwrap_err())
    else {
        panic!("another refusal");
    };
    assert_eq!((resource, limit, usage), (Resource::Documents, 5, 5));
    choose(&shop, "business", &shop.stamp).await.unwrap();
    assert_eq!(issue().await.unwrap().number(), "2026-00006", "no number was lost");
    let usage = own(&shop, &shop.stamp).await.usage;
    assert_eq!((usage.documents, usage.invoices), (1, 1));
}

#[tokio::test]
async fn refusals_write_nothing_and_limits_never_stop_voiding() {
    let mut shop = shop(on_sqlite()).await;
    // There an invoice ends by a credit note.
    shop.entity.country_code = Some("PT".to_owned());
    let mut invoices = Vec::new();
    for _ in 0..5 {
        invoices.push(shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap());
    }
    let before = shop.counts().await;
    let mut asked = request(vec![line("Potica", "1", "3")]);
    asked.items.as_mut().unwrap()[0].save_item = true;
    assert_eq!(refused(shop.create(asked).await.unwrap_err()).code(), "plan_limit_reached");
    assert_eq!(shop.counts().await, before);
    let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
    let id = invoices[0].id;
    documents::void(Context::new(store, scope, &shop.stamp), entity, id, Voiding::default())
        .await
        .unwrap();
    assert_eq!(own(&shop, &shop.stamp).await.usage.documents, 6, "its credit note counts");
}

#[tokio::test]
async fn without_a_subscription_nothing_is_limited() {
    for label in [None, Some("gone")] {
        let stamp = racun_store::testing::stamp(NOW);
        let shop = Shop::open_under(&catalogue(), label, "Slovenija", on_sqlite(), stamp).await;
        assert!(!shop.entity.is_subscribed);
        for _ in 0..7 {
            shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
        }
        let (store, scope, entity) = (&*shop.store, &shop.scope, &shop.entity);
        let found = billing::get(Context::new(store, scope, &shop.stamp), entity).await;
        assert_eq!(found, Err(BillingError::NoSubscription));
        let all =
            billing::require(Context::new(store, scope, &shop.stamp), entity, &[Feature::Furs])
                .await;
        assert_eq!(all, Ok(()));
        assert_eq!(run_due(store, &shop.stamp, LIMITS).await.unwrap(), Report::default());
    }
}

#[tokio::test]
async fn a_new_month_starts_at_nothing() {
    let shop = shop(on_sqlite()).await;
    for _ in 0..5 {
        shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    }
    // Thirty days on, the trial is over and the free plan's first month runs.
    let later = Shop { stamp: shop.stamp.at(NOW + Duration::days(30)), ..shop };
    for _ in 0..3 {
        later.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    }
    let last = later.create(request(vec![line("Kruh", "1", "3")])).await.unwrap_err();
    assert_eq!(refused(last).code(), "plan_limit_reached");
    let usage = own(&later, &later.stamp).await.usage;
    assert_eq!((usage.invoices, usage.documents), (3, 3), "a new month starts at nothing");
}

#[tokio::test]
async fn a_choice_that_cannot_be_is_refused_by_its_field() {
    let shop = shop(on_sqlite()).await;
    let (store, scope, entity, stamp) = (&*shop.store, &shop.scope, &shop.entity, &shop.stamp);
    let choose = |slug: &str, interval, coupon: Option<&str>| {
        let choice = Choice {
            plan_slug: slug.to_owned(),
            interval,
            coupon_code: coupon.map(str::to_owned),
            add_ons: None,
        };
        async move {
            let catalogue = catalogue();
            let chosen = billing::activate(
                Context::new(store, scope, stamp),
                &catalogue,
                false,
                entity,
                choice,
            );
            chosen.await.map_err(|error| error.to_string())
        }
    };
    for (slug, interval, coupon, field) in [
        ("gone", Interval::Monthly, None, "plan_slug"),
        ("start", Interval::Yearly, None, "billing_interval"),
        ("start", Interval::Monthly, Some("NONE"), "coupon_code"),
    ] {
        let told = choose(slug, interval, coupon).await.unwrap_err();
        assert!(told.starts_with(field), "{told}");
    }
    assert_eq!(own(&shop, &shop.stamp).await.status, Status::Trialing, "nothing changed");
    let chosen = choose("start", Interval::Monthly, Some("TEN")).await.unwrap().subscription;
    assert_eq!((chosen.status, chosen.coupon_code.as_deref()), (Status::Active, Some("TEN")));
}

#[tokio::test]
async fn bills_go_where_an_address_says() {
    let shop = shop(on_sqlite()).await;
    let set = |email: Option<&str>| {
        let (cx, entity) = (shop.cx(), &shop.entity);
        let email = email.map(str::to_owned);
        async move { billing::set_billing_email(cx, entity, email).await }
    };
    let wrong = set(Some("nobody")).await.unwrap_err().to_string();
    assert!(wrong.starts_with("billing_email"), "{wrong}");
    let set_to = set(Some("bills@klas.example")).await.unwrap().billing_email;
    assert_eq!(set_to.as_deref(), Some("bills@klas.example"));
    assert_eq!(set(None).await.unwrap().billing_email, None);
}
