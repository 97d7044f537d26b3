//! The QR code: known contents, and what is refused.

use std::sync::LazyLock;

use racun_kernel::Decimal;
use racun_portugal::{
    Atcud, Code, Hash, Level, Number, QrFacts, QrFields, Region, Status, TaxTotal, read_qr,
};
use time::macros::format_description;

use crate::world::{decimal, group, read, text};

/// A signature whose four printed characters are these.
fn hash(excerpt: &str) -> Hash {
    let mut signs = vec!['A'; 171];
    for (place, sign) in [0, 10, 20, 30].into_iter().zip(excerpt.chars()) {
        signs[place] = sign;
    }
    format!("{}=", signs.into_iter().collect::<String>()).parse().unwrap()
}

/// The taxes that the fields of a code tell.
fn taxes(fields: &QrFields) -> Vec<TaxTotal> {
    let mut found = Vec::new();
    for space in ["I", "J", "K"] {
        let Some(region) =
            fields.get(&format!("{space}1")).and_then(|code| Region::from_code(code))
        else {
            continue;
        };
        let amount = |place: u8| fields.get(&format!("{space}{place}")).map(|own| decimal(own));
        let tax = |place: u8| if place == 2 { None } else { amount(place + 1) };
        for (level, place) in [(Level::Ise, 2), (Level::Red, 3), (Level::Int, 5), (Level::Nor, 7)] {
            if let Some(base) = amount(place) {
                let tax = tax(place).unwrap_or_else(Decimal::zero);
                found.push(TaxTotal { region, level, base, tax });
            }
        }
    }
    found
}

#[test]
fn known_documents_have_their_known_codes() {
    let file = read("qr_vectors.json");
    for vector in group(&file, "valid") {
        let payload = text(vector, "payload");
        let fields = read_qr(payload).unwrap_or_else(|issues| panic!("{payload}: {issues}"));
        if let Some(expected) = vector["fields"].as_object() {
            let expected: QrFields = expected
                .iter()
                .map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned()))
                .collect();
            assert_eq!(fields, expected);
        }
        let own = |key: &str| fields.get(key).map(String::as_str);
        let amount = |key: &str| own(key).map(decimal);
        let number: Number = own("G").unwrap().parse().unwrap();
        let atcud: Atcud = own("H").unwrap().parse().unwrap();
        let taxes = taxes(&fields);
        let hash = own("Q").filter(|text| *text != "0").map(hash);
        let (not_taxed, stamp, withheld) = (amount("L"), amount("M"), amount("P"));
        let form = format_description!("[year][month][day]");
        let facts = QrFacts {
            issuer: own("A").unwrap(),
            buyer: own("B").filter(|text| *text != "999999990"),
            buyer_country: own("C"),
            code: Code::from_text(own("D").unwrap()).unwrap(),
            status: Status::from_letter(own("E").unwrap()).unwrap(),
            date: time::Date::parse(own("F").unwrap(), form).unwrap(),
            number: &number,
            atcud: &atcud,
            taxes: &taxes,
            not_taxed: not_taxed.as_ref(),
            stamp_duty: stamp.as_ref(),
            total: &amount("O").unwrap(),
            withheld: withheld.as_ref(),
            hash: hash.as_ref(),
            certificate: own("R").unwrap().parse().unwrap(),
            other: own("S"),
        };
        assert_eq!(facts.payload(), payload);
        assert_eq!(payload.len(), usize::try_from(vector["length"].as_u64().unwrap()).unwrap());
    }
}

#[test]
fn faulty_codes_are_refused() {
    let file = read("qr_vectors.json");
    for vector in group(&file, "invalid") {
        let payload = text(vector, "payload");
        assert!(read_qr(payload).is_err(), "{}: {payload}", text(vector, "why"));
    }
}

static NUMBER: LazyLock<Number> = LazyLock::new(|| "FT 2026A/1".parse().unwrap());
static ATCUD: LazyLock<Atcud> = LazyLock::new(|| "AAJFB7NT-1".parse().unwrap());
static TOTAL: LazyLock<Decimal> = LazyLock::new(|| decimal("123"));

/// A document that says as little as one may.
fn facts() -> QrFacts<'static> {
    QrFacts {
        issuer: "PT508025338",
        buyer: None,
        buyer_country: None,
        code: Code::Ft,
        status: Status::Normal,
        date: crate::world::date("2026-01-05"),
        number: &NUMBER,
        atcud: &ATCUD,
        taxes: &[],
        not_taxed: None,
        stamp_duty: None,
        total: &TOTAL,
        withheld: None,
        hash: None,
        certificate: 9999,
        other: None,
    }
}

#[test]
fn values_are_cut_and_cannot_break_the_qr_code() {
    let buyer = "X".repeat(40);
    let (buyer, country) = (Some(&*buyer), Some("Deutschland"));
    let own = QrFacts { buyer, buyer_country: country, other: Some("a*b"), ..facts() };
    let text = own.payload();
    assert!(text.contains(&format!("*B:{}*C:Desconhecido*", "X".repeat(30))), "{text}");
    assert!(text.ends_with("*S:a b"), "{text}");
    let long = "é".repeat(70);
    let text = QrFacts { other: Some(&long), ..facts() }.payload();
    assert_eq!(text.rsplit(':').next().unwrap().chars().count(), 65);
    let text = QrFacts { other: Some(" "), ..facts() }.payload();
    assert!(text.ends_with("*R:9999"), "{text}");
}

#[test]
fn credit_notes_are_above_zero_and_equal_rates_stand_together() {
    let tax = |level: Level, base: &str, tax: &str| TaxTotal {
        region: Region::Azores,
        level,
        base: decimal(base),
        tax: decimal(tax),
    };
    let taxes =
        [tax(Level::Nor, "-100", "-16"), tax(Level::Nor, "-50", "-8"), tax(Level::Ise, "-1", "0")];
    let total = decimal("-175");
    let text = QrFacts { taxes: &taxes, total: &total, ..facts() }.payload();
    let expected = "*I1:PT-AC*I2:1.00*I7:150.00*I8:24.00*N:24.00*O:175.00*";
    // The taxes of a document have one sign; the sum of N is written without it, too.
    assert!(text.contains(expected), "{text}");
    assert!(text.starts_with("A:508025338*B:999999990*C:PT*D:FT*"), "{text}");
}
