//! What to change when a document breaks a rule: for the rules that our documents can break.

/// Rules, and what mends a document that breaks them.
const REMEDIES: [(&str, &str); 43] = [
    ("BR-07", "Name the customer."),
    ("BR-09", "Say the issuer's country by its two letters."),
    ("BR-11", "Say the customer's country by its two letters."),
    ("BR-16", "Add a line with a price."),
    ("BR-25", "Name what the line sells."),
    ("BR-29", "The last day of the service must not be before the first."),
    ("BR-45", "The taxes do not belong to the lines: let them be calculated."),
    ("BR-50", "Give the account an IBAN or a number."),
    ("BR-53", "Give the document an exchange rate into the entity's currency."),
    ("BR-CO-09", "Write the number with the letters of its country ahead, such as DE."),
    ("BR-CO-10", "The lines do not come to the total: let the totals be calculated."),
    ("BR-CO-13", "The lines do not come to the total: let the totals be calculated."),
    ("BR-CO-14", "The taxes do not come to their sum: let the totals be calculated."),
    ("BR-CO-15", "Total and taxes do not come to the total with tax: let them be calculated."),
    ("BR-CO-17", "The tax is not what its rate makes of the base: let it be calculated."),
    ("BR-CO-25", "Say when the document is due, or its payment terms."),
    ("BR-CO-26", "The issuer needs a VAT number or a company number."),
    ("BR-CL-14", "Use two letters of ISO 3166-1."),
    ("BR-CL-23", "Use a code of UN/ECE Recommendation 20, such as C62, HUR or KGM."),
    ("BR-CL-25", "Use a scheme of the EAS code list, such as 9930, or leave the field out."),
    ("BR-62", "Say the scheme of the issuer's address in peppol_scheme_id."),
    ("BR-63", "Say the scheme of the customer's address in peppol_scheme_id."),
    ("BR-AE-02", "Reverse charge needs the VAT numbers of both sides."),
    ("BR-IC-02", "A supply to another member state needs the VAT numbers of both sides."),
    ("BR-IC-11", "Say on which day the goods were supplied."),
    ("BR-IC-12", "Say to which country the goods went."),
    ("BR-S-02", "Give the issuer's VAT number or tax number."),
    ("BR-G-02", "An export needs the issuer's VAT number."),
    ("BR-E-10", "Say why no VAT is charged: in the tax clause, or as reason of the tax."),
    ("BR-O-12", "Put lines that are not subject to VAT on a document of their own."),
    ("BR-DE-1", "Give the issuer a bank account, or say how the document was paid."),
    ("BR-DE-3", "Add the issuer's city."),
    ("BR-DE-4", "Add the issuer's post code."),
    ("BR-DE-6", "Add the issuer's telephone number."),
    ("BR-DE-7", "Add the issuer's e-mail address."),
    ("BR-DE-8", "Add the customer's city."),
    ("BR-DE-9", "Add the customer's post code."),
    ("BR-DE-15", "Ask the customer for the Leitweg-ID, or another reference, and send it."),
    ("BR-DE-16", "Give the issuer's VAT number or tax number."),
    ("BR-DE-18", "Write early payment as #SKONTO#TAGE=14#PROZENT=2.00#, on a line of its own."),
    ("PEPPOL-EN16931-R003", "Ask the customer for a reference, and send it."),
    ("PEPPOL-EN16931-R010", "Add the customer's address in the network, or an e-mail address."),
    ("PEPPOL-EN16931-R020", "Add the issuer's address in the network, or an e-mail address."),
];

/// What mends a document that breaks `rule`, where we know.
pub fn remedy(rule: &str) -> Option<&'static str> {
    REMEDIES.iter().find(|(known, _)| *known == rule).map(|(_, remedy)| *remedy)
}

#[cfg(test)]
mod tests {
    use en16931::validation::rules::explain;

    use super::*;

    #[test]
    fn each_rule_exists() {
        let specifications = crate::Specification::ALL;
        let checks = specifications.map(crate::Specification::check);
        let known: Vec<&str> =
            checks.iter().flat_map(|check| check.profile().check_ids()).collect();
        for (rule, _) in REMEDIES {
            assert!(known.contains(&rule) || explain(rule).is_some(), "{rule}");
        }
    }
}
