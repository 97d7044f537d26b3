//! What is accepted of an entity.

use racun_kernel::{Principal, Stamp};
use racun_store::testing::stamp;
use serde_json::json;
use time::OffsetDateTime;

use super::*;

fn now() -> Stamp {
    stamp(OffsetDateTime::UNIX_EPOCH)
}

fn account(environment: Option<Environment>) -> AccountScope {
    let stamp = now();
    let principal = Principal::User(stamp.id());
    AccountScope { account: stamp.id(), environment, principal, session: None }
}

fn named(country: &str) -> NewEntity {
    NewEntity {
        name: "Žar d.o.o.".to_owned(), country: country.to_owned(), ..NewEntity::default()
    }
}

fn made(input: NewEntity) -> Result<Entity, String> {
    let environment = input.environment.or(Some(Environment::Live));
    let input = NewEntity { environment, ..input };
    input.into_entity(&account(None), &now()).map_err(|issues| codes(&issues))
}

/// `path code` of each issue.
fn codes(issues: &Issues) -> String {
    let of = |issue: &Issue| {
        let path = Issue { message: String::new(), ..issue.clone() }.to_string();
        format!("{} {}", path.trim_end_matches(": "), issue.code)
    };
    issues.iter().map(of).collect::<Vec<_>>().join(", ")
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[test]
fn a_new_entity_starts_with_its_countrys_defaults() {
    let entity = made(named("Slovenija")).unwrap();
    assert_eq!(entity.country, "Slovenija");
    assert_eq!(entity.country_code.as_deref(), Some("SI"));
    assert_eq!(entity.currency, Currency::EUR);
    assert_eq!((entity.locale.as_str(), entity.timezone.as_str()), ("sl-SI", "Europe/Ljubljana"));
    assert_eq!(entity.environment, Environment::Live);
    assert!(entity.is_tax_subject && entity.is_enabled && entity.settings.as_map().is_empty());
    assert!(entity.country_rules().features.contains(&"furs"));
}

#[test]
fn a_code_wins_over_a_name_and_is_normalised() {
    let input = NewEntity { country_code: text("hr"), ..named("Somewhere warm") };
    assert_eq!(made(input).unwrap().country_code.as_deref(), Some("HR"));
}

#[test]
fn a_session_says_which_environment() {
    let refused = named("Slovenia").into_entity(&account(None), &now()).unwrap_err();
    assert_eq!(codes(&refused), "environment required");
}

#[test]
fn numbers_that_cannot_be_are_reported() {
    let accounts = json!({"bank_accounts": [
        {"iban": "SI56263300012039086"},
        {"iban": "SI00"},
        {"type": "other", "account_number": "SI00", "iban": "SI00"},
    ]});
    let entity = made(NewEntity {
        tax_number: text("SI123"),
        settings: accounts.as_object().cloned(),
        ..named("Slovenia")
    })
    .unwrap();
    assert_eq!(
        codes(&entity.warnings()),
        "tax_number tax_number_form, settings.bank_accounts[1].iban invalid_iban"
    );
    let good = made(NewEntity { tax_number: text("SI10039856"), ..named("Slovenia") }).unwrap();
    assert!(good.warnings().is_empty());
}

#[test]
fn a_key_forces_its_environment() {
    let key = account(Some(Environment::Sandbox));
    let made = named("Slovenia").into_entity(&key, &now()).unwrap();
    assert_eq!(made.environment, Environment::Sandbox);
    let other = NewEntity { environment: Some(Environment::Live), ..named("Slovenia") };
    let refused = other.into_entity(&key, &now()).unwrap_err();
    assert_eq!(codes(&refused), "environment environment_mismatch");
}

#[test]
fn wrong_fields_are_named_and_all_at_once() {
    let long = |chars: usize| Some("ž".repeat(chars));
    let si = || named("Slovenia");
    for (input, expected) in [
        (NewEntity { name: " ".to_owned(), ..si() }, "name too_short"),
        (NewEntity { name: "ž".repeat(256), ..si() }, "name too_long"),
        (named(""), "country required"),
        (named("Atlantis"), "country unknown_country"),
        (NewEntity { country_code: text("ZZ"), ..si() }, "country_code unknown_country"),
        (NewEntity { country: "x".repeat(101), ..si() }, "country too_long"),
        (NewEntity { address: long(501), ..si() }, "address too_long"),
        (NewEntity { post_code: long(21), ..si() }, "post_code too_long"),
        (NewEntity { city: text("a\0b"), ..si() }, "city invalid_value"),
        (NewEntity { tax_number: long(51), ..si() }, "tax_number too_long"),
        (NewEntity { fiscal_region_code: long(11), ..si() }, "fiscal_region_code too_long"),
        (NewEntity { email: text("ana"), ..si() }, "email invalid_email"),
        (NewEntity { currency_code: text("HRK"), ..si() }, "currency_code unknown_currency"),
        (NewEntity { locale: text("slovene!"), ..si() }, "locale invalid_value"),
        (NewEntity { locale: text(""), ..si() }, "locale invalid_value"),
        (NewEntity { timezone: text("Europe/Atlantis"), ..si() }, "timezone unknown_timezone"),
        (
            NewEntity { starting_capital: Some(Decimal::from(-1)), ..si() },
            "starting_capital out_of_range",
        ),
        (
            NewEntity { website: long(501), phone: long(51), ..named("Atlantis") },
            "country unknown_country, phone too_long, website too_long",
        ),
    ] {
        assert_eq!(made(input).unwrap_err(), expected);
    }
    assert!(made(NewEntity { address: long(500), post_code: long(20), ..si() }).is_ok());
}

#[test]
fn settings_are_checked_under_their_path() {
    let sent = serde_json::from_value(serde_json::json!({"logo_scale_percent": 7})).unwrap();
    let input = NewEntity { settings: Some(sent), ..named("Slovenia") };
    assert_eq!(made(input).unwrap_err(), "settings.logo_scale_percent out_of_range");
}

#[test]
fn a_portuguese_entity_is_complete() {
    let missing = made(named("Portugal")).unwrap_err();
    assert_eq!(missing.matches("required").count(), 9, "{missing}");
    let complete = NewEntity {
        tax_number: text("500100144"),
        company_number: text("500100144"),
        phone: text("+351 211 234 567"),
        email: text("ana@example.pt"),
        address: text("Rua Augusta 1"),
        city: text("Lisboa"),
        post_code: text("1100-148"),
        state: text("Lisboa"),
        starting_capital: Some(Decimal::from(5000)),
        name: "Padaria Ana, Lda.".to_owned(),
        ..named("Portugal")
    };
    assert!(made(complete.clone()).is_ok());
    for (input, expected) in [
        (
            NewEntity { tax_number: text("500100145"), ..complete.clone() },
            "tax_number invalid_value",
        ),
        (NewEntity { post_code: text("1100148"), ..complete.clone() }, "post_code invalid_value"),
        (NewEntity { phone: text("211234567"), ..complete.clone() }, "phone invalid_value"),
        (NewEntity { city: text("Лисабон"), ..complete.clone() }, "city invalid_characters"),
        (NewEntity { state: text(" "), ..complete.clone() }, "state required"),
        (NewEntity { name: "日本".to_owned(), ..complete.clone() }, "name invalid_characters"),
    ] {
        assert_eq!(made(input).unwrap_err(), expected);
    }
    let entity = made(complete).unwrap();
    let cleared = EntityPatch { phone: Patch::Null, ..EntityPatch::default() };
    assert_eq!(codes(&cleared.apply(entity, &now()).unwrap_err()), "phone required");
}

#[test]
fn immutable_fields_accept_only_their_present_value() {
    let entity = made(named("Slovenia")).unwrap();
    let value = |text: &str| Patch::Value(text.to_owned());
    let same = EntityPatch {
        country: value("Slovenia"),
        country_code: value("si"),
        environment: Patch::Value(Environment::Live),
        ..EntityPatch::default()
    };
    assert_eq!(same.apply(entity.clone(), &now()).unwrap(), entity);
    let other = EntityPatch {
        country: value("Croatia"),
        country_code: Patch::Null,
        environment: Patch::Value(Environment::Sandbox),
        name: Patch::Null,
        ..EntityPatch::default()
    };
    let refused = other.apply(entity, &now()).unwrap_err();
    let expected = "country not_updatable, country_code not_updatable, environment not_updatable, \
                    name required";
    assert_eq!(codes(&refused), expected);
}

#[test]
fn null_clears_or_gives_the_default_back() {
    let input = NewEntity {
        city: text("Ljubljana"),
        currency_code: text("usd"),
        timezone: text("Europe/Vienna"),
        is_tax_subject: Some(false),
        ..named("Slovenia")
    };
    let entity = made(input).unwrap();
    assert_eq!(entity.currency.code(), "USD");
    let patch = EntityPatch {
        city: Patch::Null,
        currency_code: Patch::Null,
        timezone: Patch::Null,
        is_tax_subject: Patch::Null,
        settings: Patch::Null,
        address: Patch::Value("Nazorjeva 1".to_owned()),
        ..EntityPatch::default()
    };
    let after = patch.apply(entity, &now()).unwrap();
    assert_eq!((after.city, after.address.as_deref()), (None, Some("Nazorjeva 1")));
    assert_eq!((after.currency.code(), after.timezone.as_str()), ("EUR", "Europe/Ljubljana"));
    assert!(after.is_tax_subject);
}
