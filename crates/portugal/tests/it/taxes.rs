//! Numbers of taxpayers, rates, reasons for exemption, means of payment.

use racun_kernel::{PaymentType, vat_rates};
use racun_portugal::{
    CONSUMER, Exemption, Level, Mechanism, Region, buyer_number, check_buyer_number,
    check_zero_rate, exemptions, is_nif, rate_on, region_of,
};

use crate::world::{date, decimal, faults, group, read, text};

#[test]
fn numbers_of_taxpayers_have_a_known_beginning_and_a_check_digit() {
    let file = read("nif_vectors.json");
    for vector in group(&file, "valid") {
        assert!(is_nif(text(vector, "nif")), "{vector}");
    }
    for vector in group(&file, "invalid") {
        assert!(!is_nif(text(vector, "nif")), "{vector}");
    }
    for other in ["", "PT508025338", "50802533a", "５０８０２５３３８", "508 025 338"] {
        assert!(!is_nif(other), "{other}");
    }
}

#[test]
fn a_number_of_a_buyer_is_portuguese_unless_another_country_is_named() {
    for (number, country, fits) in [
        ("508025338", Some("PT"), true),
        (" PT508025338 ", Some("pt"), true),
        ("508025339", Some("PT"), false),
        ("508 025 338", Some("PT"), false),
        ("508025338", None, true),
        ("PT508025338", None, true),
        ("508025339", None, false),
        ("508 025 339", None, false),
        ("508.025.338", None, false),
        ("PT508025339", None, false),
        ("pt508025338", None, false),
        ("50802533", None, true),
        ("5080253390", None, true),
        ("B12345678", None, true),
        ("é", None, true),
        ("508025339", Some("PL"), true),
        ("PT508025339", Some("PL"), false),
    ] {
        let found = check_buyer_number(number, country);
        let expected = if fits { Ok(()) } else { Err("invalid_value") };
        assert_eq!(found.map_err(|issue| issue.code), expected, "{number} {country:?}");
    }
}

#[test]
fn a_buyer_without_a_number_is_a_consumer() {
    for (number, expected) in [
        (None, CONSUMER),
        (Some(""), CONSUMER),
        (Some(" "), CONSUMER),
        (Some("PT504030108"), "504030108"),
        (Some("504030108"), "504030108"),
        (Some("IE6388047V"), "IE6388047V"),
        (Some("PTX"), "PTX"),
    ] {
        assert_eq!(buyer_number(number), expected, "{number:?}");
    }
}

#[test]
fn rates_follow_the_region_and_the_day() {
    let file = read("tax_rates.json");
    for row in group(&file, "rates") {
        let region = Region::from_code(text(row, "region")).unwrap();
        let level = Level::from_code(text(row, "code")).unwrap();
        let day = row["valid_to"].as_str().or(row["valid_from"].as_str()).unwrap_or("2026-11-23");
        let (day, percent) = (date(day), decimal(text(row, "percent")));
        assert_eq!(rate_on(region, level, day), Some(percent.clone()), "{row}");
        assert_eq!(Level::of(region, &percent, day), level, "{row}");
        assert!(vat_rates::may_be("PT", &percent, day), "kernel knows it, too: {row}");
    }
    let madeira = |day: &str| rate_on(Region::Madeira, Level::Red, date(day)).unwrap();
    assert_eq!(madeira("2024-09-30"), decimal("5"));
    assert_eq!(madeira("2024-10-01"), decimal("4"));
    let level = |percent: &str| Level::of(Region::Mainland, &decimal(percent), date("2026-11-23"));
    assert_eq!((level("0"), level("22"), level("23.00")), (Level::Ise, Level::Out, Level::Nor));
    assert_eq!(rate_on(Region::Mainland, Level::Nor, date("2010-12-31")), None);
}

#[test]
fn the_region_of_a_document_has_all_its_rates() {
    let find = |percents: &[&str], home: Region| {
        let percents: Vec<_> = percents.iter().map(|percent| decimal(percent)).collect();
        let percents: Vec<_> = percents.iter().collect();
        region_of(&percents, home, date("2026-11-23"))
    };
    for (percents, home, expected) in [
        (&["23", "6", "0"][..], Region::Mainland, Some(Region::Mainland)),
        (&["22"], Region::Mainland, Some(Region::Madeira)),
        (&["4"], Region::Azores, Some(Region::Azores)),
        (&["4"], Region::Madeira, Some(Region::Madeira)),
        (&["16"], Region::Mainland, Some(Region::Azores)),
        (&["23", "22"], Region::Mainland, None),
        (&[], Region::Madeira, Some(Region::Madeira)),
    ] {
        assert_eq!(find(percents, home), expected, "{percents:?}");
    }
}

#[test]
fn a_post_code_tells_its_region_and_a_region_its_clocks() {
    for (code, expected) in [
        ("7000-500", Some(Region::Mainland)),
        ("9000-060", Some(Region::Madeira)),
        ("9400-001", Some(Region::Madeira)),
        ("9500-321", Some(Region::Azores)),
        ("9980-024", Some(Region::Azores)),
        ("0999", None),
        ("Lisboa", None),
    ] {
        assert_eq!(Region::of_post_code(code), expected, "{code}");
    }
    for region in Region::ALL {
        assert!(racun_kernel::calendar::is_time_zone(region.zone()));
        assert_eq!(serde_json::to_value(region).unwrap(), region.code());
    }
}

#[test]
fn reasons_for_exemption_are_those_of_the_law() {
    let file = read("exemption_codes.json");
    let listed = group(&file, "codes");
    assert_eq!(exemptions().count(), listed.len());
    for row in listed {
        let own = Exemption::find(text(row, "code")).unwrap();
        assert_eq!((own.mention, own.norm), (text(row, "mention"), text(row, "norm")));
        assert_eq!(own.since, date(text(row, "valid_from")));
        let length = own.reason.chars().count();
        assert!((6..=60).contains(&length), "{} has {length} characters", own.code);
        let reason = row["saft_reason"].as_str().unwrap_or(own.mention);
        assert_eq!(own.reason, reason);
    }
    for gone in ["M03", "M08", "m07", ""] {
        assert_eq!(Exemption::find(gone), None, "{gone}");
    }
}

#[test]
fn no_tax_needs_code_and_reason_and_tax_has_neither() {
    let (today, law) = (date("2026-11-23"), "Isento artigo 9.º do CIVA");
    let long = "a".repeat(61);
    for (percent, code, reason, expected) in [
        ("23", None, None, &[][..]),
        ("0", Some("M07"), Some(law), &[]),
        ("0", None, None, &["pt_exemption_code: required", "pt_exemption_reason: required"]),
        ("0", Some("M03"), Some(law), &["pt_exemption_code: invalid_value"]),
        ("0", Some("M07"), None, &["pt_exemption_reason: required"]),
        ("0", Some("M07"), Some("short"), &["pt_exemption_reason: invalid_value"]),
        ("0", Some("M07"), Some(&long), &["pt_exemption_reason: invalid_value"]),
        (
            "6",
            Some("M07"),
            Some(law),
            &["pt_exemption_code: invalid_value", "pt_exemption_reason: invalid_value"],
        ),
    ] {
        let found = check_zero_rate(&decimal(percent), code, reason, today);
        let found = found.map_or_else(|issues| faults(&issues), |_| Vec::new());
        assert_eq!(found, expected, "{percent} {code:?} {reason:?}");
    }
    let early =
        check_zero_rate(&decimal("0"), Some("M45"), Some("isento aqui"), date("2025-01-01"));
    assert_eq!(faults(&early.unwrap_err()), ["pt_exemption_code: invalid_value"]);
}

#[test]
fn payments_have_the_mechanisms_that_the_interface_names() {
    let file = read("enums.json");
    let listed = &file["racun_payment_types"];
    for kind in PaymentType::ALL {
        let code = Mechanism::from(kind).code();
        assert!(text(listed, kind.name()).starts_with(code), "{kind:?}");
        assert!(file["payment_mechanism"][code].is_string(), "{code}");
    }
}
