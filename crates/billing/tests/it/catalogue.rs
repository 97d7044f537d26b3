//! What the operator's file may say.

use racun_billing::{Catalogue, FEATURES, Feature, Interval, PaymentProvider};
use racun_kernel::Environment;
use serde_json::{Value, json};
use time::macros::datetime;

use crate::world::{catalogue, file, label, start};

fn wrong(change: impl FnOnce(&mut Value)) -> String {
    let read = serde_json::from_value::<Catalogue>(file(change));
    read.map_or_else(|error| error.to_string(), |read| read.complete().unwrap_err().to_string())
}

#[test]
fn mistakes_are_named_by_their_path() {
    let check = |change: fn(&mut Value), expected: &str| {
        let told = wrong(change);
        assert!(told.contains(expected), "{expected}: {told}");
    };
    check(|l| l["slug"] = json!("Acme!"), "white_labels[0].slug");
    check(|l| l["hosts"] = json!([]), "white_labels[0].hosts");
    check(|l| l["hosts"] = json!(["https://a"]), "white_labels[0].hosts[0]");
    check(|l| l["currency"] = json!("HRK"), "white_labels[0].currency");
    check(|l| l["default_plan"] = json!("gone"), "white_labels[0].default_plan");
    check(|l| l["plans"][1]["slug"] = json!("business"), "white_labels[0].plans[1].slug");
    check(|l| l["plans"][0]["id"] = json!("p1"), "white_labels[0].plans[0].id");
    check(|l| l["plans"][0]["name"] = json!(" "), "white_labels[0].plans[0].name");
    check(|l| l["plans"][0]["base_price_cents"] = json!(-1), "plans[0].base_price_cents");
    let limit = |l: &mut Value| l["plans"][0]["limits"]["documents_per_month"] = json!(-1);
    check(limit, "plans[0].limits.documents_per_month");
    check(|l| l["plans"][0]["features"] = json!(["fax"]), "unknown variant `fax`");
    check(|l| l["colour"] = json!("red"), "unknown field `colour`");
}

#[test]
fn plans_are_completed_and_in_their_order() {
    let label = label(|_| ());
    let ids: Vec<_> = label.plans.iter().map(|plan| plan.id.as_str()).collect();
    assert_eq!(ids, ["plan_free", "plan_start", "plan_business"]);
    assert_eq!(label.free_plan().unwrap().slug, "free");
}

#[test]
fn a_host_is_found_whatever_its_port_and_capitals() {
    let catalogue = catalogue(|_| ());
    for (host, is_there) in [
        ("app.acme.example", true),
        ("APP.acme.example:8443", true),
        ("acme.example", false),
        ("app.acme.example.evil.example", false),
        ("", false),
    ] {
        assert_eq!(catalogue.at_host(host).is_some(), is_there, "{host}");
    }
}

#[test]
fn only_who_bills_in_an_environment_starts_a_subscription_there() {
    for (bills, environment, live, sandbox) in [
        (true, None, true, true),
        (false, None, false, false),
        (true, Some("live"), true, false),
        (true, Some("sandbox"), false, true),
    ] {
        let label = label(|l| {
            l["billing_enabled"] = json!(bills);
            l["environment"] = json!(environment);
        });
        assert_eq!(label.starts_with(Environment::Live).is_some(), live);
        assert_eq!(label.starts_with(Environment::Sandbox).is_some(), sandbox);
    }
}

#[test]
fn a_plan_is_chosen_by_an_interval_that_it_is_sold_by() {
    let label = label(|l| {
        l["plans"][1].as_object_mut().unwrap().remove("annual_price_cents");
    });
    let issue = |slug, interval| match label.choose(slug, interval) {
        Ok(_) => String::new(),
        Err(issues) => issues.to_string(),
    };
    assert_eq!(issue("business", Interval::Yearly), "");
    assert_eq!(issue("free", Interval::Yearly), "");
    assert!(issue("start", Interval::Yearly).starts_with("billing_interval: "));
    assert!(issue("gone", Interval::Monthly).starts_with("plan_slug: "));
}

#[test]
fn a_feature_that_is_missing_names_the_lowest_plan_that_has_it() {
    let catalogue = catalogue(|l| l["default_plan"] = json!("free"));
    let now = datetime!(2026-11-21 10:00 UTC);
    let own = start(catalogue.by_slug("acme").unwrap(), now);
    let slug = |feature| {
        let check = catalogue.check(&own, feature);
        (check.allowed, check.upgrade_plan_slug)
    };
    assert_eq!(slug(Feature::Invoices), (true, None));
    assert_eq!(slug(Feature::Estimates), (false, Some("start".to_owned())));
    assert_eq!(slug(Feature::Furs), (false, Some("business".to_owned())));
}

#[test]
fn every_feature_is_read_by_its_slug() {
    for feature in FEATURES {
        assert_eq!(feature.slug().parse::<Feature>().unwrap(), *feature);
        assert_eq!(serde_json::to_value(feature).unwrap(), feature.slug());
    }
    assert_eq!("fax".parse::<Feature>().unwrap_err().code, "invalid_value");
}

#[test]
fn ways_to_pay_have_neutral_names_and_those_of_before_are_read() {
    let read = |name: &str| serde_json::from_value::<PaymentProvider>(json!(name)).unwrap();
    for (provider, name, before) in [
        (PaymentProvider::CardProcessor, "card_processor", "stripe"),
        (PaymentProvider::OnlineWallet, "online_wallet", "paypal"),
        (PaymentProvider::Bank, "bank", "bank"),
        (PaymentProvider::LegacyGateway, "legacy_gateway", "braintree"),
    ] {
        assert_eq!((read(name), read(before), provider.name()), (provider, provider, name));
        assert_eq!(serde_json::to_value(provider).unwrap(), name);
    }
}
