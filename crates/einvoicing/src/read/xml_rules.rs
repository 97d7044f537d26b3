//! Rules of KoSIT and OpenPeppol that only the XML shows: the terms have room for one value where a
//! file may have two, and none for a value that is of no type.

use roxmltree::{Document, Node};

use super::structure::{finding, text_of};
use crate::finding::{Finding, Level};
use crate::specification::Syntax;

/// What the rules of XRechnung (`of_kosit`), or those that it shares with Peppol BIS, find in
/// `tree` beside what the terms show.
pub fn findings(tree: &Document<'_>, syntax: Syntax, of_kosit: bool) -> Vec<Finding> {
    let mut found = sums_of_tax(tree, syntax);
    for node in tree.descendants().filter(Node::is_element) {
        if let Some(rule) = no_indicator(node) {
            found.push(finding(rule, node, "the indicator must be 'true' or 'false'"));
        }
        if of_kosit && is_debit_without_mandate(tree, node) {
            let message = "a direct debit needs its mandate, creditor or debited account";
            found.push(finding("BR-DE-25-a", node, message));
        }
        if of_kosit && is_doubtful_address(node) {
            let message = "an e-mail address has one @, and a domain of two parts or more";
            found.push(Finding { level: Level::Warning, ..finding("BR-DE-28", node, message) });
        }
    }
    found
}

fn name_of<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

fn has_child(node: Node<'_, '_>, name: &str) -> bool {
    node.children().any(|child| name_of(child) == name)
}

/// R053 and R054: one sum of tax in the document's currency, and one more only in another.
fn sums_of_tax(tree: &Document<'_>, syntax: Syntax) -> Vec<Finding> {
    let (node, wanted, others) = match syntax {
        Syntax::Ubl => {
            let root = tree.root_element();
            let sums = || root.children().filter(|child| name_of(*child) == "TaxTotal");
            let divided = sums().filter(|sum| has_child(*sum, "TaxSubtotal")).count();
            (root, divided == 1, sums().count() - divided)
        }
        Syntax::Cii => {
            let header = "ApplicableHeaderTradeSettlement";
            let Some(node) = tree.descendants().find(|node| name_of(*node) == header) else {
                return Vec::new();
            };
            let currency = text_of(node, &["InvoiceCurrencyCode"]);
            let summation = "SpecifiedTradeSettlementHeaderMonetarySummation";
            let sums = node
                .children()
                .filter(|child| name_of(*child) == summation)
                .flat_map(|child| child.children())
                .filter(|child| name_of(*child) == "TaxTotalAmount")
                .filter_map(|sum| sum.attribute("currencyID"));
            let (own, others): (Vec<_>, Vec<_>) = sums.partition(|code| Some(*code) == currency);
            (node, own.len() <= 1, others.len())
        }
    };
    let mut found = Vec::new();
    if !wanted {
        let message = "one sum of tax by rates must be given";
        found.push(finding("PEPPOL-EN16931-R053", node, message));
    }
    if others != usize::from(has_child(node, "TaxCurrencyCode")) {
        let message = "one more sum of tax must be given in the accounting currency, and no other";
        found.push(finding("PEPPOL-EN16931-R054", node, message));
        if others == 0 {
            let message = "the sums of tax have one sign, and one is missing";
            found.push(finding("PEPPOL-EN16931-R055", node, message));
            if syntax == Syntax::Cii {
                found.push(finding("BR-DEC-15", node, "the sum of tax is missing"));
            }
        }
    }
    found
}

/// R043: the rule by which an allowance or charge that does not say which it is, is refused.
fn no_indicator(node: Node<'_, '_>) -> Option<&'static str> {
    let indicator = || node.children().find(|child| name_of(*child) == "ChargeIndicator");
    let (rule, said) = match name_of(node) {
        "AllowanceCharge" => ("PEPPOL-EN16931-R043", indicator()),
        name @ ("SpecifiedTradeAllowanceCharge" | "AppliedTradeAllowanceCharge") => {
            let is_of_price = name.starts_with("Applied");
            let rule = if is_of_price { "PEPPOL-EN16931-R043-2" } else { "PEPPOL-EN16931-R043-1" };
            let inner = indicator()
                .and_then(|outer| outer.children().find(|child| name_of(*child) == "Indicator"));
            (rule, inner)
        }
        _ => return None,
    };
    let said = said.and_then(|node| node.text()).map(str::trim);
    (!matches!(said, Some("true" | "false"))).then_some(rule)
}

/// Whether `node` is a payment by direct debit without any of the group BG-19.
fn is_debit_without_mandate(tree: &Document<'_>, node: Node<'_, '_>) -> bool {
    let somewhere = |name: &str| tree.descendants().any(|node| name_of(node) == name);
    match name_of(node) {
        "PaymentMeans" => {
            text_of(node, &["PaymentMeansCode"]) == Some("59") && !has_child(node, "PaymentMandate")
        }
        "SpecifiedTradeSettlementPaymentMeans" => {
            let debited = node
                .children()
                .find(|child| name_of(*child) == "PayerPartyDebtorFinancialAccount")
                .is_some_and(|account| has_child(account, "IBANID"));
            text_of(node, &["TypeCode"]) == Some("59")
                && !debited
                && !somewhere("DirectDebitMandateID")
                && !somewhere("CreditorReferenceID")
        }
        _ => false,
    }
}

/// Whether `node` is the seller's e-mail address, BT-43, and not as KoSIT wants it.
fn is_doubtful_address(node: Node<'_, '_>) -> bool {
    let is_mail = match name_of(node) {
        "ElectronicMail" => true,
        "URIID" => {
            node.parent().is_some_and(|parent| name_of(parent) == "EmailURIUniversalCommunication")
        }
        _ => false,
    };
    let is_sellers = || {
        let seller = ["AccountingSupplierParty", "SellerTradeParty"];
        node.ancestors().any(|above| seller.contains(&name_of(above)))
    };
    is_mail && is_sellers() && !is_plain_address(node.text().unwrap_or_default().trim())
}

/// `^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$`, KoSIT's pattern of e-mail addresses.
pub fn is_plain_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let parts: Vec<&str> = domain.split('.').collect();
    let is_free = !text.contains(char::is_whitespace) && !domain.contains('@');
    is_free && !local.is_empty() && parts.len() >= 2 && parts.iter().all(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged_by_kosits_pattern() {
        for good in ["a@b.de", "ana.novak@pisarna.example.si", "тест@пример.рф"] {
            assert!(is_plain_address(good), "{good}");
        }
        for odd in ["тест@пример", "a@b", "@b.de", "a@@b.de", "a b@c.de", "a@b..de", "a@b.de."]
        {
            assert!(!is_plain_address(odd), "{odd}");
        }
    }
}
