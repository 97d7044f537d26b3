//! National rules of Peppol BIS: documents of each country whose companies send, beside the
//! official rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use racun_einvoicing::network::Participant;
use racun_einvoicing::{
    Facts, FactsKind, PaidBy, Party, Preceding, Specification, Syntax, Verdict, judge, read, write,
};

use crate::judge::judge as judge_officially;
use crate::sample::{buyer, decimal, invoice, seller, some};

/// A number of each country whose companies send over the network, and of Greece, whose do not.
const NUMBERS: [(&str, &str); 25] = [
    ("AT", "ATU13585627"),
    ("BE", "BE0202239951"),
    ("BG", "BG103873594"),
    ("CY", "CY10259033P"),
    ("CZ", "CZ25123891"),
    ("DE", "DE136695976"),
    ("EE", "EE100931558"),
    ("ES", "ESB64717838"),
    ("FI", "FI09826511"),
    ("FR", "FRK7399859412"),
    ("GR", "EL094259216"),
    ("HR", "HR33392005961"),
    ("HU", "HU12892312"),
    ("IE", "IE6433435F"),
    ("IT", "IT01404480202"),
    ("LT", "LT119511515"),
    ("LU", "LU15027442"),
    ("LV", "LV40003521600"),
    ("MT", "MT16134207"),
    ("NL", "NL002455799B11"),
    ("PL", "PL5211355116"),
    ("PT", "PT500019720"),
    ("RO", "RO1630615123457"),
    ("SI", "SI50223054"),
    ("SK", "SK2022749619"),
];

/// The sample between two parties in `country`, whose number is `number`.
fn domestic(country: &str, number: &str) -> Facts {
    let address = Participant::of_vat_number(Some(country), number).unwrap();
    let side = |party: Party| Party {
        country_code: some(country),
        tax_number: some(number),
        company_number: some("12345678"),
        peppol_id: some(&address.to_string()),
        ..party
    };
    Facts { issuer: side(seller()), customer: Some(side(buyer())), ..invoice() }
}

fn customer(facts: &mut Facts) -> &mut Party {
    facts.customer.as_mut().unwrap()
}

/// What a document lacks or says oddly, by name.
type Change = (&'static str, fn(&mut Facts));

const CHANGES: [Change; 18] = [
    ("whole", |_| {}),
    ("no phone", |facts| facts.issuer.phone = None),
    ("no e-mail", |facts| facts.issuer.email = None),
    ("odd phone", |facts| facts.issuer.phone = some("x")),
    ("no account", |facts| facts.accounts.clear()),
    ("no address", |facts| facts.issuer.address = None),
    ("no city", |facts| facts.issuer.city = None),
    ("no post code", |facts| facts.issuer.post_code = None),
    ("customer without address", |facts| customer(facts).address = None),
    ("customer without city", |facts| customer(facts).city = None),
    ("customer without post code", |facts| customer(facts).post_code = None),
    ("odd company number", |facts| facts.issuer.company_number = some("HRB 1")),
    ("odd number of the customer", |facts| customer(facts).company_number = some("HRB 1")),
    ("second tax number", |facts| facts.issuer.tax_number_2 = some("12/345")),
    ("Skonto of one decimal", |facts| {
        facts.texts.payment_terms = some("#SKONTO#TAGE=14#PROZENT=2.5#");
    }),
    ("paid in cash", |facts| {
        (facts.paid_by, facts.totals.paid) = (Some(PaidBy::Cash), decimal("119"));
    }),
    ("half paid in cash, and no account", |facts| {
        (facts.paid_by, facts.totals.paid) = (Some(PaidBy::Cash), decimal("60"));
        facts.accounts.clear();
    }),
    ("credit note that names no invoice", |facts| facts.kind = FactsKind::CreditNote),
];

/// All that may be missing at once.
fn bare(facts: &mut Facts) {
    for party in [&mut facts.issuer, facts.customer.as_mut().unwrap()] {
        (party.phone, party.email, party.address) = (None, None, None);
        (party.city, party.post_code, party.company_number) = (None, None, None);
    }
    facts.accounts.clear();
    facts.texts.payment_terms = some("#SKONTO#TAGE=14#PROZENT=2#");
}

/// The changes that are tried in `country`: all where it has rules of its own.
fn changes(country: &str) -> Vec<Change> {
    let bare: Change = ("bare", bare);
    match country {
        "DE" | "GR" | "IT" | "NL" => CHANGES.into_iter().chain([bare]).collect(),
        _ => vec![CHANGES[0], bare],
    }
}

/// The file, also of a document that Peppol refuses: that is its file by EN 16931 alone, which
/// says that it is one of Peppol.
fn file(facts: &Facts) -> String {
    if let Ok(written) = write(facts, Specification::Peppol, Syntax::Ubl) {
        return written.xml;
    }
    let written = write(facts, Specification::En16931, Syntax::Ubl).unwrap();
    let plain = Specification::En16931.identifier();
    let from = format!("<cbc:CustomizationID>{plain}</cbc:CustomizationID>");
    assert!(written.xml.contains(&from), "{}", written.xml);
    let to = format!(
        "<cbc:CustomizationID>{}</cbc:CustomizationID><cbc:ProfileID>{}</cbc:ProfileID>",
        Specification::Peppol.identifier(),
        Specification::Peppol.process().unwrap(),
    );
    written.xml.replace(&from, &to)
}

fn fatal(verdict: &Verdict) -> BTreeSet<String> {
    verdict.errors().map(|one| one.rule.clone()).collect()
}

#[test]
fn documents_of_each_country_break_the_rules_that_the_official_judge_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    let mut ours: BTreeMap<PathBuf, [BTreeSet<String>; 2]> = BTreeMap::new();
    for (country, number) in NUMBERS {
        for (name, change) in changes(country) {
            let mut facts = domestic(country, number);
            change(&mut facts);
            let path = folder.path().join(format!("{country} {name}.xml"));
            let xml = file(&facts);
            let judged = fatal(&judge(&facts, Specification::Peppol));
            let received = fatal(&read(xml.as_bytes()).unwrap().verdict);
            ours.insert(path.clone(), [judged, received]);
            fs::write(&path, xml).unwrap();
            files.push(("peppol", path));
        }
    }
    let Some(said) = judge_officially(&files) else { return };
    let mut differences = Vec::new();
    for (path, said) in &said {
        let official: BTreeSet<String> =
            said.iter().filter(|one| one.level == "fatal").map(|one| one.rule.clone()).collect();
        let name = path.file_stem().unwrap().to_str().unwrap();
        for own in &ours[path] {
            // Of Greece it is enough that nothing leaves, by rules that are broken.
            let agrees = match name.starts_with("GR") {
                true => !own.is_empty() && own.is_subset(&official),
                false => *own == official,
            };
            if !agrees {
                differences.push(format!("{name}: {official:?}, ours {own:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn national_rules_name_the_field_that_mends_it() {
    for (country, name, expected) in [
        ("DE", "no phone", "issuer.phone: DE-R-006: "),
        ("DE", "no e-mail", "issuer.email: DE-R-007: "),
        ("DE", "no account", "issuer.bank_accounts: DE-R-001: "),
        ("DE", "no city", "issuer.city: DE-R-003: "),
        ("DE", "customer without city", "customer.city: DE-R-008: "),
        ("DE", "customer without post code", "customer.post_code: DE-R-009: "),
        ("DE", "Skonto of one decimal", "payment_terms: DE-R-018: "),
        ("NL", "no address", "issuer.address: NL-R-002: "),
        ("NL", "no account", "issuer.bank_accounts: NL-R-007: "),
        ("NL", "odd company number", "issuer.company_number: NL-R-003: "),
        ("NL", "odd number of the customer", "customer.company_number: NL-R-005: "),
        ("NL", "customer without city", "customer.city: NL-R-004: "),
        ("NL", "half paid in cash, and no account", "issuer.bank_accounts: NL-R-008: "),
        ("NL", "credit note that names no invoice", "linked_documents: NL-R-001: "),
        ("IT", "no address", "issuer.address: IT-R-002: "),
        ("IT", "no city", "issuer.city: IT-R-003: "),
        ("IT", "no post code", "issuer.post_code: IT-R-004: "),
        ("IT", "second tax number", "issuer.tax_number_2: IT-R-001: "),
        ("GR", "whole", "issuer.country_code: GR-R-001-1: "),
        ("GR", "whole", "issuer.country_code: GR-R-004-1: "),
    ] {
        let (_, number) = NUMBERS.iter().find(|(known, _)| *known == country).unwrap();
        let mut facts = domestic(country, number);
        let (_, change) = CHANGES.iter().find(|(known, _)| *known == name).unwrap();
        change(&mut facts);
        let verdict = judge(&facts, Specification::Peppol);
        let found: Vec<String> = verdict.errors().map(ToString::to_string).collect();
        assert!(found.iter().any(|one| one.starts_with(expected)), "{expected}{found:#?}");
        let others = judge(&facts, Specification::En16931);
        assert!(others.is_valid(), "they are rules of Peppol: {:#?}", others.findings());
    }
}

#[test]
fn rules_of_germany_hold_between_german_parties_alone() {
    let mut facts = domestic("DE", "DE136695976");
    facts.issuer.phone = some("x");
    let warned = judge(&facts, Specification::Peppol);
    let warned: Vec<&str> = warned.warnings().map(|one| one.rule.as_str()).collect();
    assert!(warned.contains(&"DE-R-027"), "{warned:?}");
    bare(&mut facts);
    customer(&mut facts).country_code = some("AT");
    customer(&mut facts).tax_number = some("ATU13585627");
    facts.texts.payment_terms = None;
    let found = judge(&facts, Specification::Peppol);
    assert!(found.is_valid(), "{:#?}", found.findings());
    // A means of payment with a card beside it is wrong in Germany only.
    let card = "<cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID>\
                <cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount><cac:PayeeFinancialAccount>";
    for (country, number, expected) in
        [("DE", "DE136695976", &["DE-R-023-2"][..]), ("SI", "SI50223054", &[])]
    {
        let xml = file(&domestic(country, number));
        let xml = xml.replacen("<cac:PayeeFinancialAccount>", card, 1);
        let found = fatal(&read(xml.as_bytes()).unwrap().verdict);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{country}");
    }
}

#[test]
fn a_dutch_companys_number_says_what_register_it_is_of() {
    for (number, expected) in [
        ("12345678", "<cbc:CompanyID schemeID=\"0106\">12345678</cbc:CompanyID>"),
        ("1234 5678", "<cbc:CompanyID schemeID=\"0106\">12345678</cbc:CompanyID>"),
        (
            "00000001234567890000",
            "<cbc:CompanyID schemeID=\"0190\">00000001234567890000</cbc:CompanyID>",
        ),
    ] {
        let mut facts = domestic("NL", "NL002455799B11");
        facts.issuer.company_number = some(number);
        let written = write(&facts, Specification::Peppol, Syntax::Ubl);
        let xml = written.unwrap_or_else(|verdict| panic!("{:#?}", verdict.findings())).xml;
        assert!(xml.contains(expected), "{expected} is not in {xml}");
    }
    let mut refund = domestic("NL", "NL002455799B11");
    refund.kind = FactsKind::CreditNote;
    refund.preceding = vec![Preceding { number: "2026-1".to_owned(), date: None }];
    assert!(judge(&refund, Specification::Peppol).is_valid());
}
