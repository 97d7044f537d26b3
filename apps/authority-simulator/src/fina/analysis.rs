//! What CIS does not refuse and reports afterwards, and `provjera` at once: the analysis codes.
//!
//! Source: technical specification 2.7, the list of checks. Not there are those that look at what a
//! taxpayer sent before, at the time of sending (101 to 104, 152, 153), and 112 to 114, 120 to 122
//! and 126 to 134, of which no public text says how they are counted.

use serde_json::Value;

use super::restrictive::{cents, lines, text};

/// Rates of VAT in Croatia, in hundredths of a percent.
const VAT_RATES: [i128; 4] = [2_500, 1_300, 500, 0];
/// The highest rate of the tax on consumption.
const MOST_PNP: i128 = 300;
/// By how much a tax may differ from base times rate, in cents.
const TOLERANCE: i128 = 10;

/// The numbers of all remarks on `receipt`, in order.
pub fn remarks(receipt: &Value) -> Vec<u16> {
    let (vat, pnp) = (lines(receipt, "Pdv", "Porez"), lines(receipt, "Pnp", "Porez"));
    let rate = |line: &Value| cents(line, "Stopa").unwrap_or_default();
    let has = |name: &str| receipt.get(name).is_some();
    let outside = matches!(text(receipt, "USustPdv"), "false" | "0");
    let number = receipt.get("BrRac").unwrap_or(&Value::Null);
    let differs = |lines: &[Value], too_high: bool| {
        lines.iter().any(|line| excess(line) > TOLERANCE && is_too_high(line) == too_high)
    };
    let checks = [
        (106, text(number, "BrOznRac").len() > 6),
        (110, vat.iter().any(|line| !VAT_RATES.contains(&rate(line)))),
        (117, pnp.iter().any(|line| rate(line) < 0)),
        (118, pnp.iter().any(|line| rate(line) > MOST_PNP)),
        (125, has("OstaliPor")),
        (141, has("SpecNamj")),
        (142, outside && has("Pdv")),
        (143, outside && has("IznosOslobPdv")),
        (144, outside && has("IznosMarza")),
        (145, outside && has("IznosNePodlOpor")),
        (160, differs(vat, false)),
        (161, differs(vat, true)),
        (162, differs(pnp, false)),
        (163, differs(pnp, true)),
    ];
    checks.into_iter().filter(|(_, is_so)| *is_so).map(|(number, _)| number).collect()
}

/// What the tax should be, in cents times ten thousand.
fn due(line: &Value) -> i128 {
    cents(line, "Osnovica").unwrap_or_default() * cents(line, "Stopa").unwrap_or_default()
}

/// What it is, likewise.
fn stated(line: &Value) -> i128 {
    cents(line, "Iznos").unwrap_or_default() * 10_000
}

/// By how many cents, begun ones counted, the tax differs from base times rate.
fn excess(line: &Value) -> i128 {
    let difference = (stated(line) - due(line)).abs();
    difference / 10_000 + i128::from(difference % 10_000 > 0)
}

/// Whether the tax is more than it should be, of a receipt or of what takes one back.
fn is_too_high(line: &Value) -> bool {
    stated(line).abs() > due(line).abs()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn receipt(changes: &[(&str, Value)]) -> Value {
        let mut receipt = json!({
            "USustPdv": "true", "BrRac": { "BrOznRac": "1" },
            "Pdv": { "Porez": [{ "Stopa": "25.00", "Osnovica": "100.00", "Iznos": "25.00" }] },
        });
        for (name, value) in changes {
            receipt[*name] = value.clone();
        }
        receipt
    }

    #[test]
    fn each_remark_has_its_number() {
        let tax = |rate: &str, base: &str, amount: &str| {
            let tax = json!({ "Stopa": rate, "Osnovica": base, "Iznos": amount });
            json!({ "Porez": [tax] })
        };
        type Case<'a> = (&'a [(&'a str, Value)], &'a [u16]);
        let table: &[Case<'_>] = &[
            (&[], &[]),
            (&[("BrRac", json!({ "BrOznRac": "1234567" }))], &[106]),
            (&[("Pdv", tax("22.00", "100.00", "22.00"))], &[110]),
            (&[("Pnp", tax("3.00", "100.00", "3.00"))], &[]),
            (&[("Pnp", tax("3.01", "100.00", "3.01"))], &[118]),
            (&[("Pnp", tax("-1.00", "100.00", "-1.00"))], &[117]),
            (&[("OstaliPor", json!({ "Porez": [] }))], &[125]),
            (&[("SpecNamj", json!("x"))], &[141]),
            (&[("USustPdv", json!("false"))], &[142]),
            (
                &[
                    ("USustPdv", json!("0")),
                    ("IznosOslobPdv", json!("1.00")),
                    ("IznosMarza", json!("1.00")),
                    ("IznosNePodlOpor", json!("1.00")),
                ],
                &[142, 143, 144, 145],
            ),
            (&[("Pdv", tax("25.00", "100.00", "25.10"))], &[]),
            (&[("Pdv", tax("25.00", "100.00", "25.11"))], &[161]),
            (&[("Pdv", tax("25.00", "100.00", "24.89"))], &[160]),
            // 60 lines of 1.99, each rounded by itself.
            (&[("Pdv", tax("25.00", "119.40", "30.00"))], &[161]),
            (&[("Pdv", tax("25.00", "-100.00", "-25.11"))], &[161]),
            (&[("Pnp", tax("3.00", "100.00", "3.11"))], &[163]),
            (&[("Pnp", tax("3.00", "100.00", "2.89"))], &[162]),
        ];
        for (changes, numbers) in table {
            assert_eq!(remarks(&receipt(changes)), *numbers, "{changes:?}");
        }
    }
}
