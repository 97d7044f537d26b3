//! What an independent reader says of a file: the schema by xmllint, and what the schema cannot say
//! from what is read back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use encoding_rs::WINDOWS_1252;
use racun_kernel::{Currency, Decimal};
use racun_portugal::chain::verify;
use racun_portugal::saft::Encoding;
use racun_portugal::{Atcud, Hash, Link, Number};
use racun_test_postgres::{program, python_with};
use roxmltree::{Document, Node};

use crate::key::Key;
use crate::world::{date, decimal, vectors, wall};

/// Asserts that each file is valid against the authority's schema of SAF-T.
pub fn assert_valid(files: &[&[u8]]) {
    assert_valid_as("SAFTPT_1_04_01_xsd10.xsd", files);
}

/// Asserts that each file is valid against a schema of the vectors.
pub fn assert_valid_as(schema: &str, files: &[&[u8]]) {
    let (is_valid, said) = judged(schema, files);
    assert!(is_valid, "{said}");
    assert_eq!(said.matches(" validates").count(), files.len(), "{said}");
}

/// Whether a file is valid against the authority's schema of SAF-T, but for its assertions.
pub fn is_valid(file: &[u8]) -> bool {
    judged("SAFTPT_1_04_01_xsd10.xsd", &[file]).0
}

/// Whether xmllint finds all files valid, and what it says.
fn judged(schema: &str, files: &[&[u8]]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().enumerate().map(|(n, file)| {
        let path = folder.path().join(format!("{n}.xml"));
        fs::write(&path, file).unwrap();
        path
    });
    let output = program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(vectors().join("schemas").join(schema))
        .args(paths)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Prints what the assertions of a schema refuse of files.
const ASSERTED: &str = include_str!("saft_asserted.py");

/// Asserts that the assertions of the authority's schema hold for each file; says in one line that
/// it does not, where Python lacks xmlschema: it knows those of XSD 1.1, which xmllint does not.
pub fn assert_asserted(files: &[&[u8]]) {
    let Some(python) = python_with("xmlschema", "the assertions of SAF-T") else { return };
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().enumerate().map(|(n, file)| {
        let path = folder.path().join(format!("{n}.xml"));
        fs::write(&path, file).unwrap();
        path
    });
    let mut command = Command::new(python);
    command.args(["-c", ASSERTED]).arg(vectors().join("schemas/SAFTPT_1_04_01.xsd"));
    let output = command.args(paths).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let failed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}{failed}");
}

/// The text of a file.
pub fn read_file(file: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Utf8 => String::from_utf8(file.to_vec()).unwrap(),
        Encoding::Windows1252 => WINDOWS_1252.decode(file).0.into_owned(),
    }
}

fn find<'a, 'b>(node: Node<'a, 'b>, path: &str) -> Option<Node<'a, 'b>> {
    path.split('/')
        .try_fold(node, |node, name| node.children().find(|child| child.tag_name().name() == name))
}

pub fn text<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    find(node, path).and_then(|node| node.text()).unwrap_or_default()
}

pub fn all<'a, 'b>(node: Node<'a, 'b>, name: &str) -> Vec<Node<'a, 'b>> {
    node.children().filter(|child| child.tag_name().name() == name).collect()
}

fn amount(node: Node<'_, '_>, path: &str) -> Decimal {
    Some(text(node, path)).filter(|text| !text.is_empty()).map_or_else(Decimal::zero, decimal)
}

/// The parts, and what each calls its documents, their numbers, dates and states.
const PARTS: [(&str, &str, &str, &str, &str); 4] = [
    ("SalesInvoices", "Invoice", "InvoiceNo", "InvoiceDate", "InvoiceStatus"),
    ("MovementOfGoods", "StockMovement", "DocumentNumber", "MovementDate", "MovementStatus"),
    ("WorkingDocuments", "WorkDocument", "DocumentNumber", "WorkDate", "WorkStatus"),
    ("Payments", "Payment", "PaymentRefNo", "TransactionDate", "PaymentStatus"),
];

/// What is wrong with a file beyond the schema: counts and sums, references and rows that nothing
/// names, totals, periods, numbers, codes, reasons for exemption, and the chain.
pub fn faults(xml: &str, key: Option<&Key>) -> Vec<String> {
    let document = Document::parse(xml).unwrap();
    let root = document.root_element();
    let masters = find(root, "MasterFiles").unwrap();
    let (from, to) = (text(root, "Header/StartDate"), text(root, "Header/EndDate"));
    let mut judge = Judge { wrong: Vec::new(), named: BTreeMap::new() };
    for (part, item, number, day, status) in PARTS {
        let Some(section) = find(root, "SourceDocuments").and_then(|node| find(node, part)) else {
            continue;
        };
        let documents = all(section, item);
        judge.sums(section, part, &documents, status);
        for own in &documents {
            judge.document(*own, text(*own, number), part);
            let date = text(*own, day);
            judge.expect(from <= date && date <= to, &format!("{date} is outside the period"));
        }
        judge.chains(&documents, number, day, part, key);
    }
    for (kind, row, field) in
        [("CustomerID", "Customer", "CustomerID"), ("ProductCode", "Product", "ProductCode")]
    {
        let rows: Vec<&str> = all(masters, row).iter().map(|own| text(*own, field)).collect();
        let set: BTreeSet<String> = rows.iter().map(|text| (*text).to_owned()).collect();
        judge.expect(set.len() == rows.len(), &format!("a {kind} has two rows"));
        judge.rows(kind, &set);
    }
    let table = find(masters, "TaxTable").map(|table| all(table, "TaxTableEntry"));
    let rows: BTreeSet<String> = table.iter().flatten().map(|row| tax_key(*row)).collect();
    judge.rows("Tax", &rows);
    judge.wrong
}

fn tax_key(node: Node<'_, '_>) -> String {
    let parts = ["TaxType", "TaxCountryRegion", "TaxCode"].map(|name| text(node, name));
    format!("{} {}", parts.join(" "), amount(node, "TaxPercentage"))
}

/// How a fault ends that files of others may have: their programs write all rows that they know.
pub const UNNAMED: &str = "are named by nothing";

struct Judge {
    wrong: Vec<String>,
    named: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Judge {
    fn expect(&mut self, holds: bool, what: &str) {
        if !holds {
            self.wrong.push(what.to_owned());
        }
    }

    fn name(&mut self, kind: &'static str, name: String) {
        self.named.entry(kind).or_default().insert(name);
    }

    /// That the rows of `kind` are those that documents name.
    fn rows(&mut self, kind: &'static str, rows: &BTreeSet<String>) {
        let named = self.named.remove(kind).unwrap_or_default();
        let (missing, more) = (&named - rows, rows - &named);
        self.expect(missing.is_empty(), &format!("rows of {kind} {missing:?} are missing"));
        self.expect(more.is_empty(), &format!("rows of {kind} {more:?} {UNNAMED}"));
    }

    fn sums(
        &mut self,
        section: Node<'_, '_>,
        part: &str,
        documents: &[Node<'_, '_>],
        status: &str,
    ) {
        let state = |own: &Node<'_, '_>| text(*own, &format!("DocumentStatus/{status}")).to_owned();
        let counts = |own: &&Node<'_, '_>| {
            let state = state(own);
            state != "A" && !(part == "SalesInvoices" && state == "F")
        };
        let lines: Vec<Node<'_, '_>> =
            documents.iter().filter(counts).flat_map(|own| all(*own, "Line")).collect();
        let sum = |name: &str| {
            lines.iter().fold(Decimal::zero(), |sum, line| &sum + &amount(*line, name))
        };
        if part == "MovementOfGoods" {
            // Lines of voided documents are counted; what they moved is not.
            let count: usize = documents.iter().map(|own| all(*own, "Line").len()).sum();
            let stated = text(section, "NumberOfMovementLines");
            self.expect(stated == count.to_string(), "the number of lines");
            let (stated, moved) = (amount(section, "TotalQuantityIssued"), sum("Quantity"));
            // The demonstration file rounds it.
            let fits = stated == moved || stated == Currency::EUR.round(&moved);
            self.expect(fits, "the quantity");
            return;
        }
        let entries = text(section, "NumberOfEntries");
        self.expect(entries == documents.len().to_string(), &format!("entries of {part}"));
        for (total, name) in [("TotalDebit", "DebitAmount"), ("TotalCredit", "CreditAmount")] {
            let (stated, found) = (amount(section, total), sum(name));
            self.expect(stated == found, &format!("{total} of {part}: {stated}, found {found}"));
        }
    }

    fn document(&mut self, own: Node<'_, '_>, number: &str, part: &str) {
        self.name("CustomerID", text(own, "CustomerID").to_owned());
        let totals = ["NetTotal", "TaxPayable", "GrossTotal"]
            .map(|name| amount(own, &format!("DocumentTotals/{name}")));
        let [net, tax, gross] = &totals;
        self.expect(&(net + tax) == gross, &format!("{number}: the gross total"));
        let mut sum = Decimal::zero();
        for line in all(own, "Line") {
            sum += &(&amount(line, "CreditAmount") - &amount(line, "DebitAmount"));
            if part != "Payments" {
                self.name("ProductCode", text(line, "ProductCode").to_owned());
            }
            let Some(tax) = find(line, "Tax") else { continue };
            self.name("Tax", tax_key(tax));
            let (code, reason) = (text(line, "TaxExemptionCode"), text(line, "TaxExemptionReason"));
            let is_exempt = amount(tax, "TaxPercentage").is_zero();
            let fits = is_exempt != code.is_empty() && code.is_empty() == reason.is_empty();
            self.expect(fits, &format!("{number}: code and reason of exemption"));
        }
        let fits = part != "SalesInvoices" || Currency::EUR.round(&sum.abs()) == *net;
        self.expect(fits, &format!("{number}: the net total"));
        let atcud: Option<Atcud> = text(own, "ATCUD").parse().ok();
        let number: Number = number.parse().unwrap();
        let fits = atcud.is_some_and(|atcud| atcud.is_of(&number));
        self.expect(fits, &format!("{number}: the ATCUD"));
    }

    fn chains(
        &mut self,
        documents: &[Node<'_, '_>],
        number: &str,
        day: &str,
        part: &str,
        key: Option<&Key>,
    ) {
        let Some(key) = key.filter(|_| part != "Payments") else { return };
        let mut series: BTreeMap<String, Vec<Link>> = BTreeMap::new();
        for own in documents {
            let number: Number = text(*own, number).parse().unwrap();
            let Ok(hash) = text(*own, "Hash").parse::<Hash>() else {
                self.wrong.push(format!("{number}: the signature is none"));
                continue;
            };
            let link = Link {
                date: date(text(*own, day)),
                entered_at: wall(text(*own, "SystemEntryDate")),
                total: amount(*own, "DocumentTotals/GrossTotal"),
                number,
                hash,
            };
            let name = format!("{} {}", link.number.prefix(), link.number.series());
            series.entry(name).or_default().push(link);
        }
        let judge = |text: &[u8], signature: &[u8]| key.verifies(text, signature);
        for links in series.values() {
            if let Err(broken) = verify(links, &judge) {
                self.wrong.push(broken.to_string());
            }
        }
    }
}
