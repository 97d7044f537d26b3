//! The order of elements, and elements without content: what a schema and PEPPOL-EN16931-R008 see.

use std::iter::once;

use en16931_formats::{cii, ubl};
use roxmltree::{Document, Node};

use crate::finding::{Finding, Level};
use crate::specification::Syntax;

/// What is wrong with the structure of `tree`. `wants_content`: elements without content are
/// refused.
pub fn findings(tree: &Document<'_>, syntax: Syntax, wants_content: bool) -> Vec<Finding> {
    let order = match syntax {
        Syntax::Ubl => ubl::order::index_of,
        Syntax::Cii => cii::order::index_of,
    };
    let mut found = Vec::new();
    for node in tree.descendants().filter(Node::is_element) {
        if let Some(late) = out_of_order(node, order) {
            found.push(finding("XSD", late, "an element stands behind one that must follow it"));
        }
        if wants_content && is_other_reference(node) {
            let message = "a document that a line refers to is its invoiced object, of type 130";
            found.push(finding("PEPPOL-EN16931-R101", node, message));
        }
        if let Some(rule) = mixed_means(node).filter(|_| wants_content) {
            let message = "the group belongs to another means of payment";
            found.push(finding(rule, node, message));
        }
        if wants_content && is_empty(node) && !may_be_empty(node) {
            found.push(finding("PEPPOL-EN16931-R008", node, "an element must not be empty"));
        }
    }
    found
}

/// The first child that stands behind one that the schema has after it.
fn out_of_order<'a, 'i>(
    parent: Node<'a, 'i>,
    order: fn(&str, &str) -> Option<usize>,
) -> Option<Node<'a, 'i>> {
    let name = parent.tag_name().name();
    let mut last = 0;
    parent.children().filter(Node::is_element).find(|child| {
        let Some(place) = order(name, child.tag_name().name()) else { return false };
        let is_late = place < last;
        last = last.max(place);
        is_late
    })
}

/// The text of the first element called one of `names` in `node`.
pub fn text_of<'a>(node: Node<'a, '_>, names: &[&str]) -> Option<&'a str> {
    let child = node.children().find(|child| names.contains(&child.tag_name().name()))?;
    child.text().map(str::trim)
}

/// Whether a line of UBL refers to another document than its invoiced object.
fn is_other_reference(node: Node<'_, '_>) -> bool {
    let is_of_line = node
        .parent()
        .is_some_and(|line| matches!(line.tag_name().name(), "InvoiceLine" | "CreditNoteLine"));
    let is_reference = node.tag_name().name() == "DocumentReference";
    is_of_line && is_reference && text_of(node, &["DocumentTypeCode"]) != Some("130")
}

/// The rule of KoSIT that a means of payment breaks by a group of another means. The terms have
/// room for one group alone, so they do not show it.
fn mixed_means(node: Node<'_, '_>) -> Option<&'static str> {
    if !matches!(node.tag_name().name(), "PaymentMeans" | "SpecifiedTradeSettlementPaymentMeans") {
        return None;
    }
    let has =
        |names: [&str; 2]| node.children().any(|child| names.contains(&child.tag_name().name()));
    let account = has(["PayeeFinancialAccount", "PayeePartyCreditorFinancialAccount"]);
    let card = has(["CardAccount", "ApplicableTradeSettlementFinancialCard"]);
    let mandate = has(["PaymentMandate", "PayerPartyDebtorFinancialAccount"]);
    match text_of(node, &["PaymentMeansCode", "TypeCode"])? {
        "30" | "58" if card || mandate => Some("BR-DE-23-b"),
        "48" | "54" | "55" if account || mandate => Some("BR-DE-24-b"),
        "59" if account || card => Some("BR-DE-25-b"),
        _ => None,
    }
}

/// CII has the group for deliveries in every document, and KoSIT's rule passes over it.
fn may_be_empty(node: Node<'_, '_>) -> bool {
    node.tag_name().name() == "ApplicableHeaderTradeDelivery"
}

fn is_empty(node: Node<'_, '_>) -> bool {
    let mut inside = node.children();
    !inside
        .any(|child| child.is_element() || child.text().is_some_and(|text| !text.trim().is_empty()))
}

/// The finding of `rule` at the element `node`.
pub fn finding(rule: &str, node: Node<'_, '_>, message: &str) -> Finding {
    let above = node.ancestors().filter(Node::is_element).map(|node| node.tag_name().name());
    let mut names: Vec<&str> = above.collect();
    names.reverse();
    let path: String = names.iter().flat_map(|name| once("/").chain(once(*name))).collect();
    Finding {
        rule: rule.to_owned(),
        level: Level::Fatal,
        path: Vec::new(),
        message: format!("{path}: {message}."),
    }
}
