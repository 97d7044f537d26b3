//! FURS's business rules on a file of the VAT books, as far as a file alone shows them: an
//! independent reader, which has to find what is wrong with the known bad files.

use racun_kernel::Decimal;
use roxmltree::{Document, Node};
use time::Date;

use crate::world::{date, decimal};

const UNION: [&str; 30] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GR", "HR", "HU", "IE",
    "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI", "XX",
];

pub fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let mut children = node.children();
    children.find(|child| child.tag_name().name() == name).map(|node| node.text().unwrap_or(""))
}

/// The rows of a file.
pub fn rows<'a, 'b>(file: &'a Document<'b>, list: &str) -> Vec<Node<'a, 'b>> {
    let lists = file.root_element().children().filter(|node| node.tag_name().name() == list);
    lists.flat_map(|list| list.children().filter(Node::is_element)).collect()
}

/// All rules that `file` breaks on the day `today`, warnings too.
pub fn broken(file: &str, today: Date) -> Vec<String> {
    let file = Document::parse(file).unwrap();
    let mut broken = Vec::new();
    let head = file.root_element().first_element_child().unwrap();
    let (from, to) =
        ["OBDOBJE_OD", "OBDOBJE_DO"].map(|name| date(text(head, name).unwrap())).into();
    let months = u8::from(to.month()) + 1 - u8::from(from.month());
    let whole = from.day() == 1 && to.next_day().unwrap().day() == 1 && from.year() == to.year();
    let begins = months == 1 || (u8::from(from.month()) - 1).is_multiple_of(3);
    if !whole || ![1, 3].contains(&months) || !begins {
        broken.push("period".to_owned());
    }
    let code = format!("{:02}{:02}", u8::from(from.month()), u8::from(to.month()));
    for (list, flag, state, number, days) in [
        ("Lista_KIR", "KIR", "P6", "P6DS", &["P2", "P4"][..]),
        ("Lista_KPR", "KPR", "P7", "P7DS", &["P2", "P4", "P5"]),
    ] {
        let rows = rows(&file, list);
        if !rows.is_empty() && text(head, flag) != Some("true") {
            broken.push(format!("{flag} is not marked"));
        }
        for (n, row) in rows.into_iter().enumerate() {
            let mut say = |what: &str| broken.push(format!("{list}[{n}]: {what}"));
            if text(row, "ZAPST") != Some(&*(n + 1).to_string()) {
                say("ZAPST");
            }
            if text(row, "OBDOBJE") != Some(&*code) {
                say("OBDOBJE");
            }
            let is_ahead = |name: &str| text(row, name).is_none_or(|day| date(day) > today);
            for name in days.iter().filter(|name| is_ahead(name)) {
                say(&format!("{name} after today"));
            }
            let (state, number) = (text(row, state), text(row, number));
            if state.is_some_and(|state| !UNION[..29].contains(&state)) {
                say("state");
            }
            if (list == "Lista_KIR" || state.is_some()) && state.is_some() != number.is_some() {
                say("state and number");
            }
            if let Some(number) = number {
                let in_union = |number: &str| {
                    let prefixed = UNION[..29].iter().any(|state| {
                        number.strip_prefix(state).is_some_and(|rest| rest.len() >= 8)
                    });
                    let sign = |sign: char| sign.is_ascii_alphanumeric() || "+*".contains(sign);
                    prefixed || !number.chars().all(sign) || number.is_empty()
                };
                if number.chars().count() > 25 || (state.is_some() && in_union(number)) {
                    say("number");
                }
            }
            let is_of_union = text(row, "P10").is_some() || text(row, "P11").is_some();
            if state == Some("SI") && is_of_union && list == "Lista_KIR" {
                say("P10 with SI");
            }
            if amounts(row).any(|amount| !amount.fits_scale(2)) {
                say("decimals");
            }
            if ["1", "2", "3"].iter().all(|known| text(row, "OBRAVNAVA") != Some(known)) {
                say("OBRAVNAVA");
            }
        }
    }
    broken
}

/// The amounts of a row's columns from 7 or 8 on.
pub fn amounts<'a>(row: Node<'a, '_>) -> impl Iterator<Item = Decimal> {
    let texts = row.children().filter_map(|node| {
        let column: u8 = node.tag_name().name().strip_prefix('P')?.parse().ok()?;
        (column >= 7).then(|| node.text().unwrap_or_default().to_owned())
    });
    texts
        .filter(|text| text.contains('.'))
        .map(|text| decimal(&text))
        .collect::<Vec<_>>()
        .into_iter()
}
