//! Rules of CEN, KoSIT and OpenPeppol on the XML itself: elements that the schema wants, and what
//! the terms, once read, no longer show.

use roxmltree::{Document, Node};

use super::structure::{finding, text_of};
use crate::finding::Finding;
use crate::specification::Syntax;

/// Elements of UBL, and children that its schema wants of each.
const WANTED: [(&str, &[&str]); 12] = [
    ("Invoice", &["ID", "IssueDate", "InvoiceLine", "LegalMonetaryTotal"]),
    ("CreditNote", &["ID", "IssueDate", "CreditNoteLine", "LegalMonetaryTotal"]),
    ("InvoiceLine", &["ID", "LineExtensionAmount", "Item"]),
    ("CreditNoteLine", &["ID"]),
    ("LegalMonetaryTotal", &["PayableAmount"]),
    ("PaymentMeans", &["PaymentMeansCode"]),
    ("PartyIdentification", &["ID"]),
    ("AllowanceCharge", &["ChargeIndicator", "Amount"]),
    ("TaxTotal", &["TaxAmount"]),
    ("TaxSubtotal", &["TaxAmount", "TaxCategory"]),
    ("Price", &["PriceAmount"]),
    ("OrderReference", &["ID"]),
];
/// Elements of UBL that are days.
const DAYS: [&str; 6] =
    ["IssueDate", "DueDate", "TaxPointDate", "StartDate", "EndDate", "ActualDeliveryDate"];

/// Which specification judges, beside EN 16931.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// None.
    Nothing,
    /// XRechnung.
    Kosit,
    /// Peppol BIS.
    Peppol,
    /// Peppol BIS between parties in Germany, where KoSIT's rules hold, too.
    PeppolInGermany,
}

impl Beside {
    const fn is_peppol(self) -> bool {
        matches!(self, Self::Peppol | Self::PeppolInGermany)
    }

    /// Whether KoSIT's rules hold.
    pub const fn is_german(self) -> bool {
        matches!(self, Self::Kosit | Self::PeppolInGermany)
    }
}

/// What these rules find in `tree`.
pub fn findings(tree: &Document<'_>, syntax: Syntax, beside: Beside) -> Vec<Finding> {
    let mut found = Vec::new();
    for node in tree.descendants().filter(Node::is_element) {
        match syntax {
            Syntax::Ubl => of_ubl(tree, node, beside, &mut found),
            Syntax::Cii => of_cii(node, beside, &mut found),
        }
    }
    found
}

fn name_of<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| name_of(*child) == name)
}

/// The text at the end of `path` in `node`, where there is some.
fn text<'a>(node: Node<'a, '_>, path: &[&str]) -> Option<&'a str> {
    let (last, above) = path.split_last()?;
    let end = above.iter().try_fold(node, |node, name| child(node, name))?;
    text_of(end, &[last]).filter(|text| !text.is_empty())
}

fn of_ubl(tree: &Document<'_>, node: Node<'_, '_>, beside: Beside, found: &mut Vec<Finding>) {
    let mut add = |rule: &str, message: &str| found.push(finding(rule, node, message));
    let name = name_of(node);
    let wanted = WANTED.iter().find(|(parent, _)| *parent == name);
    let is_there = |wanted: &&str| child(node, wanted).is_some();
    if wanted.is_some_and(|(_, wanted)| !wanted.iter().all(is_there)) {
        add("XSD", "an element is missing that must be there");
    }
    match name {
        "PartyTaxScheme"
            if text(node, &["TaxScheme", "ID"]).is_some() && child(node, "CompanyID").is_none() =>
        {
            add("UBL-SR-53", "a tax scheme is named without a number of it");
        }
        "BillingReference" => {
            let number = child(node, "InvoiceDocumentReference");
            if number.is_none_or(|reference| child(reference, "ID").is_none()) {
                add("UBL-SR-07", "an earlier invoice has no number");
                add("BR-55", "an earlier invoice has no number");
            }
        }
        "PayeeParty" if !is_another_payee(tree, node) => {
            for rule in ["UBL-SR-19", "UBL-SR-20", "UBL-SR-21"] {
                add(rule, "who is paid is named when it is not the seller");
            }
        }
        "InvoiceLine" | "CreditNoteLine" if child(node, "LineExtensionAmount").is_none() => {
            add("BR-24", "a line has no amount");
        }
        _ if name.ends_with("Amount") && !is_of_price(node) && decimals(node) > 2 => {
            add("UBL-DT-01", "an amount has more than two decimals");
        }
        _ => {}
    }
    if beside.is_peppol() {
        if DAYS.contains(&name) && !is_day(node.text().unwrap_or_default()) {
            add("PEPPOL-EN16931-F001", "a day is written as 2026-11-20");
        }
        let currency = node.attribute("currencyID");
        if currency.is_some_and(|code| !is_expected_currency(tree, node, code)) {
            add("PEPPOL-EN16931-R051", "an amount is in another currency than the invoice");
        }
    }
    if beside.is_german() && name == "PaymentMeans" {
        of_mixed_debit(tree, node, found);
    }
}

/// Whether who is paid has a name that is not the seller's.
fn is_another_payee(tree: &Document<'_>, payee: Node<'_, '_>) -> bool {
    let path = ["AccountingSupplierParty", "Party", "PartyLegalEntity", "RegistrationName"];
    let seller = text(tree.root_element(), &path);
    let own = text(payee, &["PartyName", "Name"]);
    own.is_some() && seller.is_some() && own != seller
}

/// Prices, and what is taken off them, have as many decimals as they want.
fn is_of_price(node: Node<'_, '_>) -> bool {
    let is_price = |above: Node<'_, '_>| name_of(above) == "Price";
    name_of(node) == "PriceAmount" || node.ancestors().any(is_price)
}

fn decimals(node: Node<'_, '_>) -> usize {
    let text = node.text().unwrap_or_default().trim();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

fn is_day(text: &str) -> bool {
    let fits = |(place, sign): (usize, char)| match place {
        4 | 7 => sign == '-',
        _ => sign.is_ascii_digit(),
    };
    text.len() == 10 && text.chars().enumerate().all(fits)
}

/// All amounts are in the invoice's currency, but for the sum of tax in another.
fn is_expected_currency(tree: &Document<'_>, node: Node<'_, '_>, code: &str) -> bool {
    let root = tree.root_element();
    let is_sum_of_tax = name_of(node) == "TaxAmount"
        && node.parent().is_some_and(|parent| name_of(parent) == "TaxTotal");
    text(root, &["DocumentCurrencyCode"]) == Some(code)
        || is_sum_of_tax && text(root, &["TaxCurrencyCode"]) == Some(code)
}

/// A direct debit beside another way, of which the terms have room for one: what its group lacks.
fn of_mixed_debit(tree: &Document<'_>, node: Node<'_, '_>, found: &mut Vec<Finding>) {
    let is_debit = text_of(node, &["PaymentMeansCode"]) == Some("59");
    let is_mixed =
        ["PayeeFinancialAccount", "CardAccount"].iter().any(|one| child(node, one).is_some());
    let Some(mandate) = child(node, "PaymentMandate").filter(|_| is_debit && is_mixed) else {
        return;
    };
    let is_creditor =
        |one: Node<'_, '_>| name_of(one) == "ID" && one.attribute("schemeID") == Some("SEPA");
    if !tree.descendants().any(is_creditor) {
        found.push(finding("BR-DE-30", node, "a direct debit names its creditor"));
    }
    if text(mandate, &["PayerFinancialAccount", "ID"]).is_none() {
        found.push(finding("BR-DE-31", node, "a direct debit names the account"));
    }
}

fn of_cii(node: Node<'_, '_>, beside: Beside, found: &mut Vec<Finding>) {
    let mut add = |rule: &str, message: &str| found.push(finding(rule, node, message));
    match name_of(node) {
        "ApplicableHeaderTradeSettlement" => {
            let groups = node.children().filter(|group| name_of(*group) == "ApplicableTradeTax");
            let days = groups.flat_map(|group| group.children());
            if days.filter(|day| name_of(*day) == "TaxPointDate").count() > 1 {
                add("CII-SR-461", "there is more than one tax point date");
            }
            let other = text(node, &["TaxCurrencyCode"]);
            if other.is_some() && other == text(node, &["InvoiceCurrencyCode"]) {
                add("BR-53", "the accounting currency of tax is the invoice's");
            }
        }
        "URIUniversalCommunication" => {
            let scheme = child(node, "URIID").and_then(|id| id.attribute("schemeID"));
            let rule = match node.parent().map(|parent| name_of(parent)) {
                Some("SellerTradeParty") => "BR-62",
                Some("BuyerTradeParty") => "BR-63",
                _ => return,
            };
            if scheme.is_none_or(|scheme| scheme.trim().is_empty()) {
                add(rule, "an electronic address has no scheme");
            }
        }
        "AppliedTradeAllowanceCharge"
            if beside == Beside::Kosit
                && text(node, &["ChargeIndicator", "Indicator"]) != Some("false") =>
        {
            add("PEPPOL-EN16931-R044", "a price has allowances alone");
        }
        _ => {}
    }
}

/// Findings that an authority's own tests pass over, for what they would judge is not there:
/// another rule says that already.
pub fn without_consequences(
    tree: &Document<'_>,
    syntax: Syntax,
    mut found: Vec<Finding>,
) -> Vec<Finding> {
    let names = |name: &str| tree.descendants().any(|node| name_of(node) == name);
    let broken: Vec<String> = found.iter().map(|finding| finding.rule.clone()).collect();
    let is_broken = |rule: &str| broken.iter().any(|known| known == rule);
    let mut passed: Vec<&str> = Vec::new();
    for (is_so, rules) in [
        // In no currency nothing is added up; UBL's total is looked for in the one that it names.
        (is_broken("BR-CL-04") || is_broken("BR-05"), &["BR-CO-14"][..]),
        (is_broken("BR-CL-04") && syntax == Syntax::Cii || is_broken("BR-05"), &["BR-CO-15"]),
        // The element is there, though it holds no day.
        (child(tree.root_element(), "IssueDate").is_some() || names("IssueDateTime"), &["BR-03"]),
        // An amount of three decimals is wrong by that.
        (is_broken("BR-DEC-18"), &["BR-CO-16"]),
        // A group without a rate is of no rate.
        (is_broken("BR-48"), &["BR-S-08"]),
        // A contact that is not there has no parts.
        (is_broken("BR-DE-2"), &["BR-DE-5", "BR-DE-6", "BR-DE-7"]),
        // Of two ways of payment the terms have one.
        (is_broken("BR-DE-23-b"), &["BR-61", "BR-DE-23-a"]),
        (is_broken("BR-DE-25-b"), &["BR-DE-25-a", "PEPPOL-EN16931-R061"]),
        (is_broken("BR-DE-25-a") && !is_broken("BR-DE-25-b"), &["BR-DE-30", "BR-DE-31"]),
        // A representative answers for the seller's number.
        (
            names("TaxRepresentativeParty") || names("SellerTaxRepresentativeTradeParty"),
            &["BR-DE-16"],
        ),
    ] {
        if is_so {
            passed.extend(rules);
        }
    }
    found.retain(|finding| !passed.contains(&finding.rule.as_str()));
    found
}
