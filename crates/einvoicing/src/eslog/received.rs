//! What is wrong with a received e-SLOG: the rules of EN 16931 that its segments show, to the cent,
//! and those that receivers in Slovenia have beside them.
//!
//! No Schematron of e-SLOG is public. Numbers are those of EN 16931; `ES-…` are those of checks
//! that it does not have. Of the schema it is seen that values are there and dates are days.

use std::collections::BTreeSet;

use racun_kernel::{Currency, Decimal, calendar, iban};
use roxmltree::Node;

use super::elements::{child, children, reference, text};
use crate::finding::{Finding, Level};

/// Types of documents, UNTDID 1001.
const TYPES: [&str; 12] =
    ["380", "381", "383", "384", "386", "325", "326", "389", "82", "83", "80", "81"];
/// What a document says that keeps to the terms of EN 16931.
const SPECIFICATION: &str = "urn:cen.eu:en16931:2017";
/// By how much a line may differ from its price, in cents, before that is worth a warning.
const LINE_CENTS: i64 = 2;

/// Rules that are decided here, and so by nothing else.
const DECIDED: [&str; 28] = [
    "BR-01", "BR-02", "BR-03", "BR-05", "BR-06", "BR-07", "BR-09", "BR-11", "BR-12", "BR-13",
    "BR-14", "BR-15", "BR-16", "BR-21", "BR-22", "BR-23", "BR-24", "BR-25", "BR-26", "BR-CO-04",
    "BR-CO-09", "BR-CO-10", "BR-CO-13", "BR-CO-14", "BR-CO-15", "BR-CO-16", "BR-CO-17", "BR-CO-18",
];

/// Whether `rule` is decided here.
pub fn decides(rule: &str) -> bool {
    let is_of_category = rule.matches('-').count() == 2
        && !rule.starts_with("BR-CO-")
        && (rule.ends_with("-08") || rule.ends_with("-10"));
    rule == "BR-CO-26" || DECIDED.contains(&rule) || is_of_category
}

/// What is wrong with `message`, an `M_INVOIC`.
pub fn findings(message: Node<'_, '_>) -> Vec<Finding> {
    let mut found = Found(Vec::new());
    values(message, &mut found);
    header(message, &mut found);
    for (role, name, country) in [("SE", "BR-06", "BR-09"), ("BY", "BR-07", "BR-11")] {
        party(message, role, (name, country), &mut found);
    }
    let mut bases = Bases(Vec::new());
    lines(message, &mut bases, &mut found);
    sums(message, bases, &mut found);
    found.0
}

struct Found(Vec<Finding>);

impl Found {
    fn add(&mut self, rule: &str, message: impl Into<String>) {
        self.weigh(Level::Fatal, rule, message);
    }

    fn weigh(&mut self, level: Level, rule: &str, message: impl Into<String>) {
        let rule = rule.to_owned();
        self.0.push(Finding { rule, level, path: Vec::new(), message: message.into() });
    }

    fn needed(&mut self, rule: &str, is_there: bool, message: impl FnOnce() -> String) {
        if !is_there {
            self.add(rule, message());
        }
    }
}

/// What lines and allowances come to, by category and rate.
struct Bases(Vec<((String, Decimal), Decimal)>);

impl Bases {
    fn add(&mut self, group: (String, Decimal), amount: &Decimal) {
        match self.0.iter_mut().find(|(known, _)| *known == group) {
            Some((_, base)) => *base += amount,
            None => self.0.push((group, amount.clone())),
        }
    }

    fn of(&self, group: &(String, Decimal)) -> Option<&Decimal> {
        self.0.iter().find(|(known, _)| known == group).map(|(_, base)| base)
    }

    fn all(&self) -> Decimal {
        self.0.iter().map(|(_, base)| base).sum()
    }
}

/// An amount that cannot be read counts as nothing; the reader says that it is none.
fn number(written: Option<String>) -> Decimal {
    written.and_then(|text| text.parse().ok()).unwrap_or_else(Decimal::zero)
}

/// Amounts of e-SLOG have two decimals in all currencies, as those of the euro have.
fn cents(amount: &Decimal) -> Decimal {
    Currency::EUR.round(amount)
}

/// `S_MOA` in `node`: qualifier and amount.
fn money(node: Node<'_, '_>) -> impl Iterator<Item = (String, Decimal)> {
    children(node, "S_MOA").filter_map(|one| {
        let qualifier = text(one, &["C_C516", "D_5025"])?;
        Some((qualifier, number(text(one, &["C_C516", "D_5004"]))))
    })
}

/// The amount with a qualifier in the groups called `group` of `node`.
fn money_of(node: Node<'_, '_>, group: &str, qualifier: &str) -> Option<Decimal> {
    let all = children(node, group).flat_map(money);
    all.filter(|(kind, _)| kind == qualifier).map(|(_, amount)| amount).last()
}

/// Category and rate of the `S_TAX` in `node`.
fn tax(node: Option<Node<'_, '_>>) -> (String, Decimal) {
    let segment = node.and_then(|node| child(node, "S_TAX"));
    let part = |path: &[&str]| segment.and_then(|segment| text(segment, path));
    (part(&["D_5305"]).unwrap_or_default(), number(part(&["C_C243", "D_5278"])))
}

/// Elements without a value, which the schema has not.
fn values(message: Node<'_, '_>, found: &mut Found) {
    let is_value = |node: &Node<'_, '_>| node.tag_name().name().starts_with("D_");
    for node in message.descendants().filter(is_value) {
        if node.text().is_none_or(str::is_empty) {
            found.add("XSD", format!("{} has no value", node.tag_name().name()));
        }
    }
}

fn header(message: Node<'_, '_>, found: &mut Found) {
    let kind = text(message, &["S_BGM", "C_C002", "D_1001"]).unwrap_or_default();
    found.needed("ES-TYPE", TYPES.contains(&kind.as_str()), || {
        format!("{kind:?} is no type of an e-SLOG (BT-3)")
    });
    let number = text(message, &["S_BGM", "C_C106", "D_1004"]);
    found.needed("BR-02", number.is_some(), || "it has no number (BT-1)".to_owned());
    let mut is_dated = false;
    for one in children(message, "S_DTM") {
        is_dated |= text(one, &["C_C507", "D_2005"]).as_deref() == Some("137");
        let day = text(one, &["C_C507", "D_2380"]).unwrap_or_default();
        if day.len() != 10 || calendar::parse_date(&day).is_err() {
            found.add("XSD", format!("{day:?} is no day"));
            found.add("ES-DATE", format!("{day:?} is no day as 2026-11-20"));
        }
    }
    found.needed("BR-03", is_dated, || "it has no date of issue (BT-2)".to_owned());
    let mut stated = children(message, "S_FTX")
        .filter(|one| text(*one, &["D_4451"]).as_deref() == Some("DOC"))
        .filter_map(|one| text(one, &["C_C108", "D_4440"]));
    found.needed("BR-01", stated.any(|text| text == SPECIFICATION), || {
        format!("it does not name {SPECIFICATION} (BT-24)")
    });
    let currency =
        child(message, "G_SG7").and_then(|group| text(group, &["S_CUX", "C_C504", "D_6345"]));
    found.needed("BR-05", currency.is_some(), || "it has no currency (BT-5)".to_owned());
}

fn party(
    message: Node<'_, '_>,
    role: &str,
    (name_rule, country_rule): (&str, &str),
    found: &mut Found,
) {
    let is_own = |one: &Node<'_, '_>| text(*one, &["S_NAD", "D_3035"]).as_deref() == Some(role);
    let party = children(message, "G_SG2").filter(is_own).last();
    let has_name = |party: &Node<'_, '_>| text(*party, &["S_NAD", "C_C080", "D_3036"]).is_some();
    let Some(party) = party.filter(has_name) else {
        return found.add(name_rule, format!("there is no {role}, or none with a name"));
    };
    let country = text(party, &["S_NAD", "D_3207"]);
    found.needed(country_rule, country.is_some(), || format!("{role} has no country"));
    let numbers: Vec<(String, String)> = children(party, "G_SG3").filter_map(reference).collect();
    let has_number = numbers.iter().any(|(kind, _)| matches!(kind.as_str(), "VA" | "AHP" | "0199"));
    found.needed("BR-CO-26", has_number || role != "SE", || "the seller has no number".to_owned());
    for (_, number) in numbers.iter().filter(|(kind, _)| kind == "VA") {
        let has_country = number.bytes().take(2).filter(u8::is_ascii_uppercase).count() == 2;
        found.needed("BR-CO-09", has_country, || format!("{number:?} names no country"));
    }
    for account in children(party, "S_FII").filter_map(|bank| text(bank, &["C_C078", "D_3194"])) {
        if iban::check(&account).is_err() {
            found.add("ES-IBAN", format!("{account:?} is no IBAN"));
        }
    }
}

fn lines(message: Node<'_, '_>, bases: &mut Bases, found: &mut Found) {
    let mut known = BTreeSet::new();
    for (place, line) in children(message, "G_SG26").enumerate() {
        let at = |what: &str| format!("line {} {what}", place + 1);
        let id = text(line, &["S_LIN", "D_1082"]);
        let is_own = id.as_ref().is_some_and(|id| !known.contains(id));
        known.extend(id);
        found.needed("BR-21", is_own, || at("has no id of its own (BT-126)"));
        let is_named = children(line, "S_IMD").any(|one| {
            text(one, &["D_7077"]).as_deref() == Some("F")
                && text(one, &["C_C273", "D_7008"]).is_some()
        });
        found.needed("BR-25", is_named, || at("has no name (BT-153)"));
        let quantity = text(line, &["S_QTY", "C_C186", "D_6060"]);
        found.needed("BR-22", quantity.is_some(), || at("has no quantity (BT-129)"));
        let unit = text(line, &["S_QTY", "C_C186", "D_6411"]);
        found.needed("BR-23", unit.is_some(), || at("has no unit (BT-130)"));
        let net = money_of(line, "G_SG27", "203");
        found.needed("BR-24", net.is_some(), || at("has no amount (BT-131)"));
        let price = children(line, "G_SG29")
            .filter_map(|group| child(group, "S_PRI"))
            .filter(|one| text(*one, &["C_C509", "D_5125"]).as_deref() == Some("AAA"))
            .last();
        found.needed("BR-26", price.is_some(), || at("has no price (BT-146)"));
        let group = tax(child(line, "G_SG34"));
        found.needed("BR-CO-04", !group.0.is_empty(), || at("has no category of VAT (BT-151)"));
        let net = net.unwrap_or_else(Decimal::zero);
        if let (Some(quantity), Some(price)) = (quantity, price) {
            let expected = by_price(line, &number(Some(quantity)), price);
            let most = Decimal::new(LINE_CENTS, 2);
            if (&(&expected - &net).abs() - &most).is_positive() {
                let message = at(&format!("states {net}, and its price comes to {expected}"));
                found.weigh(Level::Warning, "ES-LINE", message);
            }
        }
        bases.add(group, &net);
    }
    found.needed("BR-16", !known.is_empty() || child(message, "G_SG26").is_some(), || {
        "it has no line (BG-25)".to_owned()
    });
}

/// What quantity, price, allowances and charges of a line come to.
fn by_price(line: Node<'_, '_>, quantity: &Decimal, price: Node<'_, '_>) -> Decimal {
    let part = |name| text(price, &["C_C509", name]);
    let base = number(part("D_5284").or_else(|| Some("1".to_owned())));
    let mut net = quantity * &number(part("D_5118"));
    net = Currency::EUR.divide(&net, &base).unwrap_or_else(Decimal::zero);
    for one in children(line, "G_SG39") {
        let all = children(one, "G_SG42").flat_map(money);
        let amount: Decimal = all
            .filter(|(kind, _)| matches!(kind.as_str(), "204" | "23"))
            .map(|(_, amount)| amount)
            .fold(Decimal::zero(), |sum, amount| &sum + &amount);
        match text(one, &["S_ALC", "D_5463"]).as_deref() {
            Some("A") => net = &net - &amount,
            _ => net = &net + &amount,
        }
    }
    net
}

fn sums(message: Node<'_, '_>, mut bases: Bases, found: &mut Found) {
    let of_lines = cents(&bases.all());
    for one in children(message, "G_SG16") {
        let amount = money_of(one, "G_SG20", "204").or_else(|| money_of(one, "G_SG20", "23"));
        let amount = amount.unwrap_or_else(Decimal::zero);
        let is_allowance = text(one, &["S_ALC", "D_5463"]).as_deref() == Some("A");
        let amount = if is_allowance { -&amount } else { amount };
        bases.add(tax(child(one, "G_SG22")), &amount);
    }
    let vat = breakdown(message, &bases, found);
    let total = |qualifier: &str| money_of(message, "G_SG50", qualifier);
    for (qualifier, rule) in [("79", "BR-12"), ("389", "BR-13"), ("388", "BR-14"), ("9", "BR-15")] {
        found.needed(rule, total(qualifier).is_some(), || format!("{qualifier} is missing"));
    }
    let of = |qualifier: &str| total(qualifier).unwrap_or_else(Decimal::zero);
    let tax = total("176").unwrap_or_else(|| vat.clone());
    for (qualifier, rule, expected) in [
        ("79", "BR-CO-10", of_lines),
        ("389", "BR-CO-13", &(&of("79") - &of("260")) + &of("259")),
        ("176", "BR-CO-14", vat),
        ("388", "BR-CO-15", &of("389") + &tax),
        ("9", "BR-CO-16", &(&of("388") - &of("113")) + &of("366")),
    ] {
        if let Some(stated) = total(qualifier).filter(|stated| *stated != expected) {
            found.add(rule, format!("{qualifier} is {stated}, and its parts come to {expected}"));
        }
    }
}

/// The breakdown of VAT: all taxes of it.
fn breakdown(message: Node<'_, '_>, bases: &Bases, found: &mut Found) -> Decimal {
    let has_reason = children(message, "S_FTX")
        .filter(|one| text(*one, &["D_4451"]).as_deref() == Some("AGM"))
        .any(|one| {
            let code = text(one, &["C_C107", "D_4441"]);
            code.is_some_and(|code| code.starts_with("VATEX"))
                || text(one, &["C_C108", "D_4440"]).is_some()
        });
    let (mut vat, mut is_there) = (Decimal::zero(), false);
    for one in children(message, "G_SG52") {
        is_there = true;
        let group = tax(Some(one));
        let of = |qualifier: &str| {
            let all = money(one).filter(|(kind, _)| kind == qualifier);
            all.map(|(_, amount)| amount).last().unwrap_or_else(Decimal::zero)
        };
        let (base, tax) = (of("125"), of("124"));
        vat += &tax;
        let (category, rate) = &group;
        let expected = cents(&(&base * rate).percent());
        if tax != expected {
            found.add("BR-CO-17", format!("{rate} % of {base} is {expected}, and not {tax}"));
        }
        let name = if category == "K" { "IC" } else { category.as_str() };
        if bases.of(&group).map(cents).as_ref() != Some(&base) {
            let message = format!("{base} is not what the lines of {rate} % come to");
            found.add(&format!("BR-{name}-08"), message);
        }
        if matches!(name, "AE" | "IC" | "G" | "E" | "O") && !has_reason {
            found.add(&format!("BR-{name}-10"), "there is no reason of exemption");
        }
    }
    found.needed("BR-CO-18", is_there, || "there is no breakdown of VAT (BG-23)".to_owned());
    vat
}
