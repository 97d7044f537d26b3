//! The tables against the authorities' own schemas: of many documents that are wrong in one place,
//! none is taken that the schema refuses, and few are refused that it would take.

use std::collections::BTreeSet;
use std::fs;

use racun_authorities::xml::{envelope, parse};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::{FINA, FURS, Parts, fina, furs, json as check_json, xml as check_xml};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/fiscal/");

/// What values are replaced by.
const TEXTS: [&str; 16] = [
    "",
    "0",
    "-1",
    "01",
    "1.5",
    "1.555",
    "100000000000000.00",
    "100000000",
    "abc",
    "a b",
    "false",
    "2026-02-30",
    "2026-13-01T00:00:00",
    "12345678901234567890X",
    "7E46DC0478B9F51A06AD3069ABBA1CE3",
    "24BE947E-8D46-4918-8E87-65F27781FD9D",
];

fn vectors(name: &str) -> Value {
    serde_json::from_slice(&fs::read(format!("{VECTORS}{name}.json")).unwrap()).unwrap()
}

/// A document that is wrong in one place, and the name of that place.
struct Wrong {
    place: String,
    text: String,
}

/// The element `text`, wrong in each way.
fn wrong_documents(text: &str, namespace: &str) -> Vec<Wrong> {
    let document = Document::parse(text).unwrap();
    let mut all = vec![Wrong { place: "nothing".to_owned(), text: text.to_owned() }];
    let is_ours = |node: &Node<'_, '_>| node.tag_name().namespace() == Some(namespace);
    for node in document.root_element().descendants().skip(1).filter(is_ours) {
        let name = node.tag_name().name();
        let range = node.range();
        let mut add = |from: std::ops::Range<usize>, with: &str| {
            let text = [&text[..from.start], with, &text[from.end..]].concat();
            all.push(Wrong { place: name.to_owned(), text });
        };
        let element = &text[range.clone()];
        add(range.clone(), "");
        add(range.clone(), &element.repeat(2));
        add(range.clone(), &element.replace(name, "Foo"));
        add(range.clone(), &format!("{element}text"));
        if let Some(next) = node.next_sibling_element().filter(is_ours) {
            let swapped = format!("{}{element}", &text[next.range()]);
            add(range.start..next.range().end, &swapped);
        }
        if let Some(value) = node.first_child().filter(|child| child.is_text()) {
            for with in TEXTS {
                add(value.range(), with);
            }
        }
    }
    all
}

/// Which of the documents xmllint holds valid.
fn valid_by_xmllint(schema: &str, documents: &[Wrong]) -> Vec<bool> {
    let folder = tempfile::tempdir().unwrap();
    for (number, document) in documents.iter().enumerate() {
        fs::write(folder.path().join(number.to_string()), &document.text).unwrap();
    }
    let output = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(format!("{VECTORS}schemas/{schema}"))
        .args((0..documents.len()).map(|number| number.to_string()))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let valid: BTreeSet<&str> =
        said.lines().filter_map(|line| line.strip_suffix(" validates")).collect();
    assert!(!valid.is_empty(), "{said}");
    (0..documents.len()).map(|number| valid.contains(number.to_string().as_str())).collect()
}

/// Compares verdicts; the places at which the tables are stricter.
fn compare(documents: &[Wrong], by_schema: &[bool], by_table: &[bool]) -> BTreeSet<String> {
    let mut stricter = BTreeSet::new();
    for ((document, schema), table) in documents.iter().zip(by_schema).zip(by_table) {
        assert!(*schema || !table, "taken, but invalid at {}: {}", document.place, document.text);
        if *schema && !table {
            stricter.insert(document.place.clone());
        }
    }
    stricter
}

fn xml_table(text: &str, namespace: &str, parts: Parts) -> bool {
    let Ok(document) = parse(text) else { return false };
    check_xml(document.root_element(), namespace, parts).is_ok()
}

/// The element in the body of an envelope, with its namespace declared.
fn element(envelope_text: &str, prefix: &str, namespace: &str) -> String {
    let document = parse(envelope_text).unwrap();
    let element = &envelope_text[envelope(&document).unwrap().range()];
    if element.contains(&format!("xmlns:{prefix}=")) {
        return element.to_owned();
    }
    element.replacen(" Id=", &format!(" xmlns:{prefix}=\"{namespace}\" Id="), 1)
}

#[test]
fn xml_to_furs_is_checked_as_by_its_schema() {
    let vectors = vectors("furs");
    let mut documents = Vec::new();
    for message in vectors["vectors"]["xml"].as_array().unwrap() {
        let text = element(message["signed_envelope"].as_str().unwrap(), "fu", FURS);
        documents.extend(wrong_documents(&text, FURS));
    }
    let by_schema = valid_by_xmllint("furs/FiscalVerificationSchema.local.xsd", &documents);
    let by_table: Vec<bool> = documents
        .iter()
        .map(|document| {
            let is_premise = document.text.starts_with("<fu:BusinessPremiseRequest");
            let parts = if is_premise { furs::PREMISE_REQUEST } else { furs::INVOICE_REQUEST };
            xml_table(&document.text, FURS, parts)
        })
        .collect();
    let mut stricter = compare(&documents, &by_schema, &by_table);
    // What the JSON schema says beyond the XSD: amounts below 10^14, numbers of buildings not
    // negative, one of the two sorts of invoice. And numbers have no leading zeros (specification).
    stricter.retain(|place| !place.ends_with("Amount"));
    let known = [
        "BuildingNumber",
        "BuildingSectionNumber",
        "CadastralNumber",
        "Invoice",
        "InvoiceNumber",
        "SalesBookInvoice",
    ];
    assert!(stricter.is_subset(&known.map(str::to_owned).into()), "{stricter:?}");
}

#[test]
fn xml_to_cis_is_checked_as_by_its_schema() {
    let vectors = vectors("fina");
    let mut documents = Vec::new();
    for request in vectors["public"]["requests"].as_array().unwrap() {
        // xmllint holds serial numbers of more than 24 digits invalid: without the signature.
        let text = request["unsigned_canonical_xml"].as_str().unwrap();
        documents.extend(wrong_documents(text, FINA));
    }
    let by_schema = valid_by_xmllint("fina/FiskalizacijaSchema.xsd", &documents);
    let by_table: Vec<bool> = documents
        .iter()
        .map(|document| {
            let root = &document.text[..40];
            let parts = match () {
                () if root.contains("RacunZahtjev") => fina::RECEIPT_REQUEST,
                () if root.contains("Napojnica") => fina::TIP_REQUEST,
                () => fina::CHANGE_REQUEST,
            };
            xml_table(&document.text, FINA, parts)
        })
        .collect();
    let stricter = compare(&documents, &by_schema, &by_table);
    // No leading zeros in numbers (specification), which the XSD does not say.
    let known = ["BrOznRac", "OznNapUr"];
    assert!(stricter.is_subset(&known.map(str::to_owned).into()), "{stricter:?}");
}

/// The official JSON schema, without the ids that break its references.
fn json_schema() -> jsonschema::Validator {
    fn without_ids(schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                fields.retain(|name, value| name != "id" || !value.is_string());
                fields.values_mut().for_each(without_ids);
            }
            Value::Array(items) => items.iter_mut().for_each(without_ids),
            _ => {}
        }
    }
    let file = format!("{VECTORS}schemas/furs/FiscalVerificationSchema.v3.2.json");
    let mut schema: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    without_ids(&mut schema);
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft4)
        .should_validate_formats(false)
        .build(&schema)
        .unwrap()
}

/// The paths to all values in `value`.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(place, it)| (place.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    for (name, child) in children {
        let at = format!("{at}/{name}");
        pointers(child, &at, all);
        all.push(at);
    }
}

fn remove(value: &mut Value, at: &str) {
    let (parent, name) = at.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => panic!("{at} has no parent"),
    }
}

#[test]
fn json_to_furs_is_checked_as_by_its_schema() {
    let schema = json_schema();
    let vectors = vectors("furs");
    let mut stricter = BTreeSet::new();
    let mut compared = 0;
    let numbers = ["0", "1", "-1", "1.5", "1.55", "1.555", "100000000000000", "99999999.99"];
    let mut values: Vec<Value> = TEXTS.iter().map(|text| json!(text)).collect();
    values.extend(numbers.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()));
    values.extend([json!(null), json!(true), json!([]), json!({}), json!([{}])]);
    for message in vectors["vectors"]["messages"].as_array().unwrap() {
        let good: Value = serde_json::from_str(message["payload_json"].as_str().unwrap()).unwrap();
        let mut all = Vec::new();
        pointers(&good, "", &mut all);
        let mut check = |document: &Value, at: &str| {
            let (root, content) = document.as_object().unwrap().iter().next().unwrap();
            let parts = match &**root {
                "InvoiceRequest" => furs::INVOICE_REQUEST,
                _ => furs::PREMISE_REQUEST,
            };
            let is_taken = check_json(root, content, parts).is_ok();
            let is_valid = schema.is_valid(document);
            assert!(is_valid || !is_taken, "taken, but invalid at {at}: {document}");
            if is_valid && !is_taken {
                stricter.insert(
                    at.rsplit('/')
                        .find(|part| part.parse::<u8>().is_err())
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            compared += 1;
        };
        check(&good, "");
        for at in all.iter().filter(|at| at.matches('/').count() > 1) {
            let mut document = good.clone();
            remove(&mut document, at);
            check(&document, at);
            for value in &values {
                let mut document = good.clone();
                *document.pointer_mut(at).unwrap() = value.clone();
                check(&document, at);
            }
            if let Some(Value::Object(fields)) = good.pointer(at) {
                let mut fields = fields.clone();
                fields.insert("Foo".to_owned(), json!(1));
                let mut document = good.clone();
                *document.pointer_mut(at).unwrap() = Value::Object(fields);
                check(&document, at);
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
    // What the XSD says beyond the JSON schema: dates and times, UUIDs from end to end, numbers of
    // digits.
    let known = [
        "BuildingNumber",
        "BuildingSectionNumber",
        "CadastralNumber",
        "DateTime",
        "InvoiceNumber",
        "IssueDate",
        "IssueDateTime",
        "MessageID",
        "ReferenceInvoiceIssueDateTime",
        "ReferenceSalesBookIssueDate",
        "SalesBookIdentifier",
        "SoftwareSupplier",
        "SpecialNotes",
        "ValidityDate",
    ];
    assert!(stricter.is_subset(&known.map(str::to_owned).into()), "{stricter:?}");
}
