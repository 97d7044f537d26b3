//! e-SLOG 2.0 by its schema, and what it refuses.

use std::fs;
use std::path::PathBuf;

use racun_einvoicing::{Account, Facts, FactsKind, TaxTotal, eslog, read};
use racun_store::testing::Random;
use time::macros::datetime;

use crate::documents::issued_in_slovenia;
use crate::judge::{judge, vectors};
use crate::sample::{decimal, invoice, priced, some};

/// The sample at a Slovenian rate.
fn slovenian() -> Facts {
    let mut facts = invoice();
    for place in 0..2 {
        let line = priced(&mut facts, place);
        line.taxes[0].rate = decimal("22");
        line.taxes[0].amount = (&line.total * &decimal("22")).percent();
    }
    facts.totals.taxes[0].rate = decimal("22");
    facts.totals.taxes[0].amount = decimal("22");
    facts.totals.total_with_tax = decimal("122");
    facts
}

fn errors(facts: &Facts) -> Vec<String> {
    eslog::judge(facts).errors().map(ToString::to_string).collect()
}

#[test]
fn an_invoice_has_its_terms_in_their_segments() {
    let xml = eslog::write(&slovenian()).unwrap_or_else(|_| panic!("{:#?}", errors(&slovenian())));
    for part in [
        "<Invoice xmlns=\"urn:eslog:2.00\"><M_INVOIC Id=\"data\">",
        "<S_BGM><C_C002><D_1001>380</D_1001></C_C002><C_C106><D_1004>2026-0001</D_1004>",
        "<D_2005>137</D_2005><D_2380>2026-11-20</D_2380>",
        "<D_2005>13</D_2005><D_2380>2026-12-20</D_2380>",
        "<D_1153>PQ</D_1153><D_1154>SI002026-0001</D_1154>",
        "<D_1153>VA</D_1153><D_1154>SI10039856</D_1154>",
        "<D_3194>SI56263300012039086</D_3194>",
        "<D_5025>203</D_5025><D_5004>75.00</D_5004>",
        "<D_5025>124</D_5025><D_5004>5.5</D_5004>",
        "<D_5025>9</D_5025><D_5004>122.00</D_5004>",
        "</M_INVOIC></Invoice>",
    ] {
        assert!(xml.xml.contains(part), "{part} is not in\n{}", xml.xml);
    }
}

#[test]
fn kinds_have_their_codes() {
    for (kind, code) in [
        (FactsKind::Invoice, "380"),
        (FactsKind::CreditNote, "381"),
        (FactsKind::AdvanceInvoice, "386"),
        (FactsKind::Estimate, "325"),
    ] {
        let facts = Facts { kind, ..slovenian() };
        let written = eslog::write(&facts).unwrap_or_else(|_| panic!("{:#?}", errors(&facts)));
        assert!(written.xml.contains(&format!("<D_1001>{code}<")), "{}", written.xml);
    }
}

#[test]
fn documents_that_e_slog_refuses_name_the_rule() {
    let mut facts = slovenian();
    facts.accounts = vec![Account { number: "SI56263300012039087".to_owned(), bic: None }];
    facts.issuer.city = None;
    facts.issuer.tax_number = some("ATU13585627");
    let customer = facts.customer.as_mut().unwrap();
    customer.tax_number = None;
    customer.name = some(&"x".repeat(71));
    customer.address = some(&"x".repeat(150));
    priced(&mut facts, 0).unit = some("šop");
    priced(&mut facts, 1).quantity = decimal("-2.0000001");
    let found = errors(&facts);
    for expected in [
        "issuer.bank_accounts: ESLOG-IBAN",
        "issuer.city: ESLOG-REQUIRED",
        "issuer.tax_number: ESLOG-TAX-NUMBER",
        "customer.tax_number: ESLOG-REQUIRED",
        "customer.name: XSD",
        "customer.address: XSD",
        "items[0].unit: ESLOG-UNIT",
        "items[1].quantity: ESLOG-QUANTITY",
        "items[1].quantity: XSD",
    ] {
        assert!(found.iter().any(|one| one.starts_with(expected)), "{expected}: {found:#?}");
    }
    for (own, stated, is_refused) in [
        ("EUR", "EUR", false),
        ("EUR", "USD", false),
        ("CHF", "EUR", false),
        ("CHF", "CHF", true),
        ("CHF", "USD", true),
    ] {
        let (issuer_currency, currency) = (own.parse().unwrap(), stated.parse().unwrap());
        let found = errors(&Facts { issuer_currency, currency, ..slovenian() });
        let at = "currency_code: ESLOG-CURRENCY: ";
        let is_named = found.iter().any(|one| one.starts_with(at));
        assert_eq!(is_named, is_refused, "{stated} of {own}: {found:#?}");
    }
    let off = Facts { ..invoice() };
    let at = "items[0].taxes[0].rate: ESLOG-RATE";
    assert!(errors(&off).iter().any(|one| one.starts_with(at)), "{:#?}", errors(&off));
}

#[test]
fn a_tax_that_is_off_by_a_cent_is_refused_and_says_what_to_ask_for() {
    let mut facts = slovenian();
    facts.totals.taxes[0].amount = decimal("22.01");
    facts.totals.total_with_tax = decimal("122.01");
    let found = errors(&facts);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("expected_total_with_tax: BR-CO-17: 22 % of 100"), "{found:#?}");
    assert!(found[0].ends_with("ask for a total of 122"), "{found:#?}");
    assert!(eslog::write(&facts).is_err());
    // Of several, a total mends the largest tax alone.
    let line = priced(&mut facts, 1);
    line.taxes[0].rate = decimal("9.5");
    let tax = |rate: &str, amount: &str| TaxTotal {
        rate: decimal(rate),
        reverse_charge: false,
        amount: decimal(amount),
    };
    facts.totals.taxes = vec![tax("22", "16.5"), tax("9.5", "2.37")];
    facts.totals.total_with_tax = decimal("118.87");
    let found = errors(&facts);
    assert!(found[0].starts_with("items[1].taxes: BR-CO-17: 9.5 % of 25"), "{found:#?}");
}

#[test]
fn a_cent_beside_the_rate_is_refused_by_the_judge_too() {
    let mut xml = eslog::write(&slovenian()).unwrap().xml;
    // Two lines at 22 %, of 16.50 and 5.50, of which the document says 22.01, and all else fits.
    for (from, to) in [
        ("<D_5025>124</D_5025><D_5004>22.00<", "<D_5025>124</D_5025><D_5004>22.01<"),
        ("<D_5025>176</D_5025><D_5004>22.00<", "<D_5025>176</D_5025><D_5004>22.01<"),
        ("<D_5025>388</D_5025><D_5004>122.00<", "<D_5025>388</D_5025><D_5004>122.01<"),
        ("<D_5025>9</D_5025><D_5004>122.00<", "<D_5025>9</D_5025><D_5004>122.01<"),
    ] {
        assert!(xml.contains(from), "{from} is not in\n{xml}");
        xml = xml.replace(from, to);
    }
    let ours = read(xml.as_bytes()).unwrap();
    let ours: Vec<&str> = ours.verdict.errors().map(|one| one.rule.as_str()).collect();
    assert_eq!(ours, ["BR-CO-17"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cent.xml");
    fs::write(&file, xml).unwrap();
    let Some(said) = judge(&[("eslog", file.clone())]) else { return };
    let fatal = said[&file].iter().filter(|one| one.level == "fatal");
    assert_eq!(fatal.map(|one| one.rule.as_str()).collect::<Vec<_>>(), ["BR-CO-17"]);
}

/// Random documents that are judged, as e-SLOG and as that in an envelope.
const DOCUMENTS: usize = 400;
/// Of how many at most; the others e-SLOG refuses.
const TRIED: usize = 2_000;

/// The same to a budget user.
fn to_budget_user(mut facts: Facts) -> Facts {
    facts.accounts =
        vec![Account { number: "SI56263300012039086".to_owned(), bic: some("LJBASI2X") }];
    let customer = facts.customer.as_mut().unwrap();
    // Every other one is known by its tax number alone.
    customer.company_number = customer.company_number.take().map(|_| "1234567000".to_owned());
    customer.tax_number.get_or_insert_with(|| "SI50000004".to_owned());
    customer.account =
        Some(Account { number: "SI56011006370171132".to_owned(), bic: some("UJPLSI2DICL") });
    facts
}

#[test]
fn random_documents_are_valid_by_what_receivers_check() {
    let folder = tempfile::tempdir().unwrap();
    let mut choices = Random::new(200);
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    let attached = [eslog::Attached { name: "a.xml", kind: "xml", bytes: 4096 }];
    let now = datetime!(2026-11-20 12:00:05 +1);
    let count = |files: &[(&str, PathBuf)], wanted: &str| {
        files.iter().filter(|(kind, _)| *kind == wanted).count()
    };
    let least = |files: &[(&str, PathBuf)]| count(files, "eslog").min(count(files, "ujp"));
    for n in 0..TRIED {
        if least(&files) >= DOCUMENTS {
            break;
        }
        let facts = issued_in_slovenia(&mut choices, n);
        let mut add = |kind: &'static str, xml: String| {
            let file = folder.path().join(format!("{n}-{kind}.xml"));
            fs::write(&file, xml).unwrap();
            files.push((kind, file));
        };
        if let Ok(written) = eslog::write(&facts) {
            add("eslog", written.xml);
        }
        let facts = to_budget_user(facts);
        if let Ok(envelope) = eslog::envelope(&facts, &attached, now) {
            add("ujp", envelope);
            add("eslog-ujp", eslog::write_ujp(&facts).unwrap().xml);
        }
    }
    println!("{} e-SLOG, {} for UJP", count(&files, "eslog"), count(&files, "ujp"));
    assert!(least(&files) >= DOCUMENTS, "{} files", files.len());
    let Some(said) = judge(&files) else { return };
    for (file, said) in said {
        let fatal: Vec<_> = said.iter().filter(|one| one.level == "fatal").collect();
        assert!(fatal.is_empty(), "{}: {fatal:#?}", file.display());
    }
}

#[test]
fn the_judge_of_envelopes_finds_what_samples_are_named_for() {
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    for kind in ["ujp", "facturx-pdf"] {
        for verdict in ["valid", "invalid"] {
            let place = vectors().join("samples").join(kind).join(verdict);
            files.extend(fs::read_dir(place).unwrap().map(|file| (kind, file.unwrap().path())));
        }
    }
    let Some(said) = judge(&files) else { return };
    for (file, said) in said {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let fatal: Vec<&str> =
            said.iter().filter(|one| one.level == "fatal").map(|one| one.rule.as_str()).collect();
        match name.split_once("__") {
            Some((_, rule)) => assert!(fatal.contains(&rule), "{name}: {fatal:?}"),
            None => assert!(fatal.is_empty(), "{name}: {fatal:?}"),
        }
    }
}

#[test]
fn identifiers_of_an_envelope_have_room() {
    let mut facts = to_budget_user(slovenian());
    assert!(eslog::judge_ujp(&facts).is_valid(), "{:#?}", eslog::judge_ujp(&facts));
    facts.customer.as_mut().unwrap().tax_number = some(&"1".repeat(36));
    let bic = &mut facts.customer.as_mut().unwrap().account.as_mut().unwrap().bic;
    *bic = some("UJPLSI1OICL");
    let refused = eslog::judge_ujp(&facts);
    let found: Vec<String> = refused.errors().map(ToString::to_string).collect();
    for expected in
        ["customer.tax_number: UJP: the envelope has room", "customer.ujp.receiver_agent: UJP"]
    {
        assert!(found.iter().any(|one| one.starts_with(expected)), "{expected}: {found:#?}");
    }
}

#[test]
fn a_budget_user_is_in_the_envelope_as_its_routing_names_it() {
    let routed = |name: &str, identifier: &str| {
        let mut facts = to_budget_user(slovenian());
        let customer = facts.customer.as_mut().unwrap();
        (customer.receiver_name, customer.receiver_identifier) = (some(name), some(identifier));
        facts
    };
    let now = datetime!(2026-11-20 12:00:05 +1);
    let attached = [eslog::Attached { name: "a.xml", kind: "xml", bytes: 4096 }];
    let facts = routed("Ministrstvo za primere", "SI47429518");
    let xml = eslog::envelope(&facts, &attached, now)
        .unwrap_or_else(|verdict| panic!("{:#?}", verdict.findings()));
    let identifier = "<receiver_identifier>SI47429518</receiver_identifier>";
    assert!(xml.contains("<receiver><name>Ministrstvo za primere</name>"), "{xml}");
    assert!(xml.contains(identifier), "{xml}");
    let invoice = eslog::write_ujp(&facts).unwrap().xml;
    assert!(!invoice.contains("Ministrstvo") && !invoice.contains("47429518"), "{invoice}");

    assert!(eslog::judge_ujp(&routed(&"x".repeat(70), &"1".repeat(35))).is_valid());
    let (name, identifier) = ("x".repeat(71), "1".repeat(36));
    let mut facts = routed(&name, &identifier);
    // What the envelope does not have of the customer need not fit into it.
    facts.customer.as_mut().unwrap().tax_number = some(&identifier);
    let found: Vec<String> = eslog::judge_ujp(&facts).errors().map(ToString::to_string).collect();
    let expected = [
        "customer.ujp.receiver_identifier: UJP: the envelope has room for 35 characters",
        "customer.ujp.receiver_name: UJP: the envelope has room for 70 characters",
    ];
    assert_eq!(found.len(), 2, "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
    assert!(eslog::judge(&facts).is_valid(), "they are of the envelope alone");
    let blank = routed(" ", " ");
    assert!(
        eslog::envelope(&blank, &attached, now).unwrap().contains("<name>Beispielstadt</name>")
    );
}

#[test]
fn the_name_of_a_business_unit_is_refused_at_the_unit() {
    let of_unit = |name: String| {
        let mut facts = slovenian();
        facts.issuer.contact = Some(name);
        errors(&facts)
    };
    assert_eq!(of_unit("x".repeat(256)), Vec::<String>::new());
    let found = of_unit("x".repeat(257));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("business_unit_id: XSD: e-SLOG has room for 256"), "{found:#?}");
}

#[test]
fn a_budget_users_account_and_bank_are_refused_at_their_own_fields() {
    let judged = |number: &str, bic: Option<&str>, is_routed: bool| {
        let mut facts = to_budget_user(slovenian());
        let customer = facts.customer.as_mut().unwrap();
        let bic = bic.map(str::to_owned);
        customer.account = Some(Account { number: number.to_owned(), bic });
        customer.is_routed = is_routed;
        let verdict = eslog::judge_ujp(&facts);
        let paths = verdict.errors().map(|one| one.to_string());
        paths.map(|one| one.split_once(": ").unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let (good, bank) = ("SI56011006370171132", Some("UJPLSI2DICL"));
    for (number, bic, is_routed, expected) in [
        (good, bank, true, &[][..]),
        (good, None, true, &["customer.ujp.receiver_agent"]),
        (good, Some("BAD"), true, &["customer.ujp.receiver_agent"]),
        (good, None, false, &["customer.ujp.receiver_agent"]),
        ("XX", bank, true, &["customer.ujp.receiver_mailbox"]),
        ("XX", bank, false, &["customer.bank_account"]),
        ("DE89370400440532013000", bank, true, &["customer.ujp.receiver_mailbox"]),
        ("XX", None, true, &["customer.ujp.receiver_agent", "customer.ujp.receiver_mailbox"]),
    ] {
        let mut found = judged(number, bic, is_routed);
        found.sort();
        assert_eq!(found, expected, "{number} {bic:?} {is_routed}");
    }
}

#[test]
fn a_budget_user_is_known_by_its_tax_number_or_its_company_number() {
    let mut facts = to_budget_user(slovenian());
    let customer = facts.customer.as_mut().unwrap();
    (customer.company_number, customer.tax_number) = (None, some("SI50000004"));
    let xml = eslog::write_ujp(&facts).unwrap_or_else(|it| panic!("{:#?}", it.findings())).xml;
    assert!(xml.contains("<D_1153>0199</D_1153><D_1154>50000004<"), "{xml}");
    assert!(!eslog::write(&facts).unwrap().xml.contains("<D_1154>50000004<"));
    let customer = facts.customer.as_mut().unwrap();
    (customer.tax_number, customer.is_end_consumer) = (None, true);
    let found: Vec<String> = eslog::judge_ujp(&facts).errors().map(ToString::to_string).collect();
    assert!(found[0].starts_with("customer.tax_number: UJP: "), "{found:#?}");
    assert_eq!(found.len(), 1, "{found:#?}");
    facts.customer.as_mut().unwrap().company_number = some("1234567000");
    assert!(eslog::judge_ujp(&facts).is_valid());
}

#[test]
fn a_budget_user_gets_it_in_an_envelope() {
    let mut facts = slovenian();
    let refused = eslog::judge_ujp(&facts);
    let found: Vec<String> = refused.errors().map(ToString::to_string).collect();
    for expected in
        ["issuer.bank_accounts: UJP: UJP needs the BIC", "customer.ujp.receiver_mailbox: UJP"]
    {
        assert!(found.iter().any(|one| one.starts_with(expected)), "{expected}: {found:#?}");
    }
    facts.accounts[0].bic = some("LJBASI2X");
    let customer = facts.customer.as_mut().unwrap();
    customer.company_number = some("1234567000");
    customer.account =
        Some(Account { number: "SI56011006370171132".to_owned(), bic: some("UJPLSI2DICL") });
    let attached = [
        eslog::Attached { name: "2026-0001.xml", kind: "xml", bytes: 4096 },
        eslog::Attached { name: "2026-0001.pdf", kind: "pdf", bytes: 8192 },
    ];
    let now = datetime!(2026-11-20 12:00:05 +1);
    let xml = eslog::envelope(&facts, &attached, now)
        .unwrap_or_else(|verdict| panic!("{:#?}", verdict.findings()));
    for part in [
        "<sender_agent>LJBASI2XXXX</sender_agent><sender_mailbox>SI56263300012039086<",
        "<receiver_agent>UJPLSI2DICL</receiver_agent><receiver_mailbox>SI56011006370171132<",
        "<timestamp>2026-11-20T12:00:05</timestamp>",
        "<requested_execution_date>2026-12-20</requested_execution_date><amount>122.00</amount>",
        "<creditor_structured_reference>SI002026-0001</creditor_structured_reference>",
        "<count>2</count>",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
}
