//! From a business term to the field of the interface whose change mends what is wrong with it.

use en16931::bt::Group;
use racun_kernel::Step;

use super::price_field;
use crate::facts::Facts;
use crate::model::Model;

/// A finding on the terms, with what they are made of.
pub struct FindingContext<'a> {
    /// What the document says.
    pub facts: &'a Facts,
    /// Its terms.
    pub model: &'a Model,
    /// What a rule says of them.
    pub finding: &'a en16931::Finding,
}

/// A path of keys.
pub fn keys(keys: &[&str]) -> Vec<Step> {
    keys.iter().map(|key| Step::from(*key)).collect()
}

/// Fields of terms that a document has once.
const FIELDS: [(u16, &[&str]); 57] = [
    (1, &["number"]),
    (2, &["date"]),
    (3, &["type"]),
    (5, &["currency_code"]),
    (6, &["currency_code"]),
    (9, &["date_due"]),
    (10, &["customer", "e_invoicing", "buyer_reference"]),
    (13, &["customer", "e_invoicing", "buyer_reference"]),
    (16, &["linked_documents"]),
    (20, &["payment_terms"]),
    (21, &["note"]),
    (22, &["note"]),
    (25, &["linked_documents"]),
    (26, &["linked_documents"]),
    (27, &["issuer", "name"]),
    (29, &["issuer", "company_number"]),
    (30, &["issuer", "company_number"]),
    (31, &["issuer", "tax_number"]),
    (32, &["issuer", "tax_number"]),
    (34, &["issuer", "peppol_id"]),
    (35, &["issuer", "address"]),
    (36, &["issuer", "address_2"]),
    (37, &["issuer", "city"]),
    (38, &["issuer", "post_code"]),
    (39, &["issuer", "state"]),
    (40, &["issuer", "country_code"]),
    (41, &["issuer", "name"]),
    (42, &["issuer", "phone"]),
    (43, &["issuer", "email"]),
    (44, &["customer", "name"]),
    (46, &["customer", "company_number"]),
    (47, &["customer", "company_number"]),
    (48, &["customer", "tax_number"]),
    (49, &["customer", "peppol_id"]),
    (50, &["customer", "address"]),
    (51, &["customer", "address_2"]),
    (52, &["customer", "city"]),
    (53, &["customer", "post_code"]),
    (54, &["customer", "state"]),
    (55, &["customer", "country_code"]),
    (57, &["customer", "phone"]),
    (58, &["customer", "email"]),
    (72, &["date_service"]),
    (73, &["date_service"]),
    (74, &["date_service_to"]),
    (77, &["customer", "city"]),
    (78, &["customer", "post_code"]),
    (80, &["customer", "country_code"]),
    (81, &["issuer", "bank_accounts"]),
    (83, &["reference"]),
    (84, &["issuer", "bank_accounts"]),
    (86, &["issuer", "bank_accounts"]),
    (109, &["total"]),
    (110, &["taxes"]),
    (111, &["exchange_rate"]),
    (112, &["total_with_tax"]),
    (113, &["payments"]),
];

impl FindingContext<'_> {
    /// The field; empty when no field alone is to blame.
    pub fn path(&self) -> Vec<Step> {
        self.of_rule().unwrap_or_else(|| self.of_term())
    }

    /// Rules whose term is not what has to change.
    fn of_rule(&self) -> Option<Vec<Step>> {
        let rule = self.finding.rule.as_str();
        let buyer_has_number = self.model.invoice.buyer.vat_identifier.is_some();
        Some(match rule {
            // Both sides have to be known to VAT.
            "BR-AE-02" | "BR-AE-03" | "BR-AE-04" | "BR-IC-02" | "BR-IC-03" | "BR-IC-04"
                if !buyer_has_number =>
            {
                keys(&["customer", "tax_number"])
            }
            "BR-CO-26" => keys(&["issuer", "company_number"]),
            "BR-IC-11" => keys(&["date_service"]),
            "BR-IC-12" => keys(&["customer", "country_code"]),
            "BR-DE-1" => keys(&["issuer", "bank_accounts"]),
            "BR-DE-TMP-32" => keys(&["date_service"]),
            "BR-E-10" => keys(&["tax_clause"]),
            "IT-R-001" if self.is_second_number() => keys(&["issuer", "tax_number_2"]),
            _ if rule.starts_with("GR-R-") => keys(&["issuer", "country_code"]),
            _ if rule.ends_with("-02") && is_category_rule(rule) => keys(&["issuer", "tax_number"]),
            _ => return None,
        })
    }

    /// Whether the seller's number that is no VAT identifier, BT-32, is its second one.
    fn is_second_number(&self) -> bool {
        let second = self.facts.issuer.tax_number_2.as_deref().map(str::trim);
        second.is_some() && self.model.invoice.seller.tax_registration.as_deref() == second
    }

    fn of_term(&self) -> Vec<Step> {
        let path = self.finding.path;
        let term = path.term.map(|term| term.0);
        let index = path.index.unwrap_or(0);
        match path.group {
            Group::Line => match (path.index, self.model.places.get(index)) {
                (Some(_), Some(place)) => self.of_line(*place, term),
                _ => keys(&["items"]),
            },
            Group::VatBreakdown => match (path.index, self.model.group_places.get(index)) {
                (Some(_), Some(place)) => {
                    vec!["items".into(), (*place).into(), "taxes".into()]
                }
                _ => keys(&["items"]),
            },
            Group::DocumentAllowance | Group::DocumentCharge => keys(&["expected_total_with_tax"]),
            group => {
                let field = FIELDS.iter().find(|(number, _)| Some(*number) == term);
                field.map_or_else(|| of_group(group), |(_, field)| keys(field))
            }
        }
    }

    fn of_line(&self, place: usize, term: Option<u16>) -> Vec<Step> {
        let mut path = vec![Step::from("items"), place.into()];
        match term {
            Some(129) => path.push("quantity".into()),
            Some(130 | 150) => path.extend(keys(&["e_invoicing", "unit_code"])),
            Some(131 | 146..=149) => path.push(price_field(self.facts, place).into()),
            Some(136..=145) => path.push("discounts".into()),
            Some(151 | 152) => path.push("taxes".into()),
            Some(153) => path.push("name".into()),
            Some(154) => path.push("description".into()),
            _ => {}
        }
        path
    }
}

fn of_group(group: Group) -> Vec<Step> {
    match group {
        Group::Seller => keys(&["issuer"]),
        Group::Buyer => keys(&["customer"]),
        Group::Payment => keys(&["issuer", "bank_accounts"]),
        Group::Delivery => keys(&["date_service"]),
        Group::Totals => keys(&["items"]),
        _ => Vec::new(),
    }
}

/// Whether the rule is of a family of VAT categories: BR-S-02, BR-IC-02 and others.
fn is_category_rule(rule: &str) -> bool {
    let families = ["S", "Z", "E", "AE", "IC", "G", "O"];
    let family = rule.strip_prefix("BR-").and_then(|rest| rest.split('-').next());
    family.is_some_and(|family| families.contains(&family))
}
