//! SAF-T: files by hand, what is refused, and that our judge finds what others found.

use std::io::Write;

use racun_kernel::Decimal;
use racun_portugal::saft::{
    Customer, Encoding, Header, Product, SaftDocument, SaftError, SaftFile, SaftReceipt, Survey,
    product_code,
};
use racun_portugal::{Class, Code, Level, Purpose, Status};

use crate::key::Key;
use crate::saft_judge::{self, assert_valid, faults, read_file};
use crate::sample::{SeriesChains, customer, header, line, month, product, vat};
use crate::world::{date, decimal, read, vectors};

/// Writes a file of documents and receipts, which come in the order of the file.
pub fn written(
    encoding: Encoding,
    header: &Header,
    customers: &[Customer],
    documents: &[SaftDocument],
    receipts: &[SaftReceipt],
) -> Result<Vec<u8>, SaftError> {
    let mut survey = Survey::default();
    documents.iter().try_for_each(|own| survey.document(own))?;
    receipts.iter().try_for_each(|own| survey.receipt(own))?;
    customers.iter().for_each(|own| survey.customer(own));
    let mut file = SaftFile::begin(Vec::new(), encoding, header, survey)?;
    customers.iter().try_for_each(|own| file.customer(own))?;
    // Products as the lines name them, each many times.
    for line in documents.iter().flat_map(|own| &own.lines) {
        file.product(&product(&line.product_code, &line.product_description))?;
    }
    documents.iter().try_for_each(|own| file.document(own))?;
    receipts.iter().try_for_each(|own| file.receipt(own))?;
    file.finish()
}

fn customers() -> Vec<Customer> {
    vec![customer("cus_0", "Ninguém"), customer("cus_1", "Padaria São João, Lda.")]
}

#[test]
fn a_month_of_everything_is_as_the_schema_and_the_law_want_it() {
    let key = Key::read("test_a");
    let (documents, receipts) = month(&key);
    let file =
        |encoding| written(encoding, &header(), &customers(), &documents, &receipts).unwrap();
    let (windows, utf8) = (file(Encoding::Windows1252), file(Encoding::Utf8));
    assert_valid(&[&windows, &utf8]);
    let text = read_file(&windows, Encoding::Windows1252);
    assert_eq!(faults(&text, Some(&key)), [""; 0]);
    let same = read_file(&utf8, Encoding::Utf8);
    assert_eq!(text.replace("windows-1252", "utf-8"), same);
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"windows-1252\"?>"));
    assert!(text.contains("<CompanyName>Exemplo &amp; Filhos, Lda.</CompanyName>"));
    assert!(text.contains("Padaria São João") && !text.contains("Ninguém"));
    assert!(!windows.starts_with(&[0xef, 0xbb, 0xbf]));
}

#[test]
fn a_customer_is_written_with_the_number_that_was_filled_in_later() {
    let key = Key::read("test_a");
    let (documents, receipts) = month(&key);
    let known = customer("cus_1", "Padaria");
    let unnumbered =
        |number: Option<&str>| Customer { tax_number: number.map(str::to_owned), ..known.clone() };
    // What a consumer's number or an empty one says is that there is none.
    for first in [None, Some(" "), Some("999999990")].map(unnumbered) {
        for (rows, expected) in [
            (vec![first.clone(), known.clone(), first.clone()], "504030108"),
            (vec![known.clone(), first.clone()], "504030108"),
            (vec![first.clone(), first.clone()], "999999990"),
        ] {
            let file = written(Encoding::Utf8, &header(), &rows, &documents, &receipts).unwrap();
            let text = read_file(&file, Encoding::Utf8);
            assert_eq!(faults(&text, Some(&key)), [""; 0]);
            let said: Vec<&str> = text.split("<CustomerTaxID>").skip(1).collect();
            assert_eq!(said.len(), 1, "one row: {text}");
            assert!(said[0].starts_with(&format!("{expected}<")), "{}", said[0]);
        }
    }
}

#[test]
fn a_month_without_documents_says_so() {
    let file = written(Encoding::default(), &header(), &customers(), &[], &[]).unwrap();
    assert_valid(&[&file]);
    let text = read_file(&file, Encoding::default());
    assert!(text.contains("<SalesInvoices><NumberOfEntries>0</NumberOfEntries>"), "{text}");
    for absent in ["<Customer>", "<Product>", "<TaxTable>", "<Payments>", "<MovementOfGoods>"] {
        assert!(!text.contains(absent), "{absent}");
    }
}

#[test]
fn the_judge_takes_known_files_and_their_totals() {
    let totals = read("samples/expected_totals.json");
    for (name, key) in [("saft_2026_10_own.xml", "test_a"), ("at_demo_599999999.xml", "at_demo")] {
        let file = std::fs::read(vectors().join("samples").join(name)).unwrap();
        assert_valid(&[&file]);
        let text = read_file(&file, Encoding::Windows1252);
        let key = Key::read(key);
        let found = faults(&text, Some(&key));
        if name.starts_with("saft") {
            assert_eq!(found, [""; 0], "{name}");
        } else {
            // The demonstration is older than ATCUD, and has rows and series of all sorts.
            let chains: Vec<&String> =
                found.iter().filter(|own| own.ends_with("signature does not fit")).collect();
            assert_eq!(chains, Vec::<&String>::new());
            for total in ["TotalDebit", "TotalCredit", "entries", "number of lines", "quantity"] {
                let wrong: Vec<&String> = found.iter().filter(|own| own.contains(total)).collect();
                assert_eq!(wrong, Vec::<&String>::new());
            }
        }
        assert_totals(&text, &totals[name], name);
    }
}

/// Asserts that the parts of a file state `totals`, which the judge finds in their lines.
fn assert_totals(file: &str, totals: &serde_json::Value, name: &str) {
    let document = roxmltree::Document::parse(file).unwrap();
    let parts = totals.as_object().unwrap();
    assert!(parts.len() >= 3, "{name}");
    for (part, totals) in parts {
        let node = document.descendants().find(|node| node.tag_name().name() == part).unwrap();
        for (field, expected) in totals.as_object().unwrap() {
            let expected = expected.as_str().map_or_else(|| expected.to_string(), str::to_owned);
            let stated = decimal(saft_judge::text(node, field));
            assert_eq!(stated, decimal(&expected), "{name}: {field} of {part}");
        }
    }
}

#[test]
fn the_judge_finds_what_was_made_wrong() {
    let file = std::fs::read(vectors().join("samples/saft_2026_10_own.xml")).unwrap();
    let text = read_file(&file, Encoding::Windows1252);
    let key = Key::read("test_a");
    for (from, to) in [
        ("<TotalCredit>3297.40", "<TotalCredit>3297.41"),
        ("<NumberOfEntries>9", "<NumberOfEntries>8"),
        ("<GrossTotal>123.00", "<GrossTotal>124.00"),
        ("<CustomerID>C-1</CustomerID>", "<CustomerID>C-9</CustomerID>"),
        ("<ATCUD>AAJFB7NT-2<", "<ATCUD>AAJFB7NT-3<"),
        ("<TaxExemptionCode>M07</TaxExemptionCode>", ""),
        ("2026-10-02T09:15:00</SystemEntryDate>", "2026-10-02T09:15:01</SystemEntryDate>"),
        ("<StartDate>2026-10-01", "<StartDate>2026-10-03"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        assert_ne!(faults(&wrong, Some(&key)), [""; 0], "{from}");
    }
}

fn one(change: impl FnOnce(&mut SaftDocument)) -> Result<Vec<u8>, SaftError> {
    let key = Key::read("test_a");
    let price = decimal("10");
    let mut document = SeriesChains::new(&key).issue(
        Purpose::Invoice,
        2,
        vec![line("P1", 1, &price, vat(Level::Nor))],
    );
    change(&mut document);
    written(Encoding::default(), &header(), &customers(), &[document], &[])
}

/// What is made wrong with a document.
type Change = Box<dyn FnOnce(&mut SaftDocument)>;

#[test]
fn values_that_saf_t_cannot_hold_are_refused_with_document_and_field() {
    assert!(one(|_| {}).is_ok());
    let below = || decimal("-1");
    let refused: [(&str, Change); 12] = [
        ("InvoiceType", Box::new(|own| own.code = Code::Rg)),
        ("Reason", Box::new(|own| own.state.status = Status::Voided)),
        ("SourceID", Box::new(|own| own.by = "a".repeat(31))),
        ("CustomerID", Box::new(|own| own.customer_id = "Žiga".to_owned())),
        ("ProductCode", Box::new(|own| own.lines[0].product_code = String::new())),
        ("NetTotal", Box::new(move |own| own.net = below())),
        ("GrossTotal", Box::new(|own| own.gross = decimal("1"))),
        ("Line", Box::new(|own| own.lines.clear())),
        ("CreditAmount", Box::new(move |own| own.lines[0].amount = below())),
        (
            "TaxExemptionReason",
            Box::new(|own| {
                let mut tax = vat(Level::Ise);
                if let racun_portugal::saft::SaftTax::Vat { exemption, .. } = &mut tax {
                    *exemption = None;
                }
                own.lines[0].tax = tax;
            }),
        ),
        ("References", Box::new(|own| own.code = Code::Nc)),
        ("SettlementAmount", Box::new(move |own| own.lines[0].discount = Some(below()))),
    ];
    for (expected, change) in refused {
        match one(change).unwrap_err() {
            SaftError::Document { of, field, .. } => {
                assert_eq!((&*of, field), ("FT 2026A/1", expected));
            }
            other => panic!("{expected}: {other}"),
        }
    }
}

#[test]
fn a_header_is_of_a_taxpayer_and_of_one_year() {
    let wrong = |change: fn(&mut Header)| {
        let mut header = header();
        change(&mut header);
        match written(Encoding::default(), &header, &[], &[], &[]) {
            Err(SaftError::Document { field, .. }) => field,
            other => panic!("{:?}", other.is_ok()),
        }
    };
    assert_eq!(wrong(|own| own.company.nif = "508025339".into()), "TaxRegistrationNumber");
    assert_eq!(wrong(|own| own.to = date("2027-01-01")), "EndDate");
    assert_eq!(wrong(|own| own.from = date("2026-11-01")), "EndDate");
    assert_eq!(wrong(|own| own.company.address.post_code = Some("7000".into())), "PostalCode");
}

#[test]
fn parts_come_in_their_order_and_nothing_is_missing() {
    let key = Key::read("test_a");
    let (documents, receipts) = month(&key);
    let counted = || {
        let mut survey = Survey::default();
        documents.iter().try_for_each(|own| survey.document(own)).unwrap();
        receipts.iter().try_for_each(|own| survey.receipt(own)).unwrap();
        survey
    };
    let begin = || SaftFile::begin(Vec::new(), Encoding::default(), &header(), counted()).unwrap();
    let mut file = begin();
    let error = file.document(&documents[0]).unwrap_err();
    assert_eq!(error.to_string(), "CustomerID cus_1 is named by documents, and was not given");
    let all = |file: &mut SaftFile<Vec<u8>>| {
        file.customer(&customer("cus_1", "A")).unwrap();
        for line in documents.iter().flat_map(|own| &own.lines) {
            file.product(&product(&line.product_code, "B")).unwrap();
        }
    };
    all(&mut file);
    file.document(&documents[6]).unwrap();
    assert!(matches!(file.document(&documents[0]), Err(SaftError::Order { .. })));
    assert!(matches!(file.customer(&customers()[0]), Err(SaftError::Order { .. })));
    assert!(matches!(file.product(&product("P1", "B")), Err(SaftError::Order { .. })));
    assert!(matches!(file.finish(), Err(SaftError::Changed)));
    // A document was voided between the two walks.
    let mut file = begin();
    all(&mut file);
    for document in &documents {
        let changed = crate::sample::voided(document.clone());
        file.document(if document.code == Code::Nc { &changed } else { document }).unwrap();
    }
    receipts.iter().try_for_each(|own| file.receipt(own)).unwrap();
    assert!(matches!(file.finish(), Err(SaftError::Changed)));
    let survey = counted();
    assert!(survey.names_customer("cus_1") && !survey.names_customer("cus_0"));
    assert!(survey.names_product("ADV") && !survey.names_product("X"));
    assert_eq!(survey.entries(Class::Sales), 4);
    assert_eq!(survey.sums(Class::Payments), (decimal("20"), decimal("100")));
}

#[test]
fn a_disk_that_is_full_is_an_error() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let begun = SaftFile::begin(Full(100), Encoding::default(), &header(), Survey::default());
    assert!(matches!(begun.err(), Some(SaftError::Io(_))));
    let file = SaftFile::begin(Full(2_000), Encoding::default(), &header(), Survey::default());
    assert!(file.unwrap().finish().is_ok());
}

#[test]
fn texts_of_any_length_and_letters_fit_the_schema() {
    let key = Key::read("test_a");
    let (mut documents, receipts) = month(&key);
    let long = "Čđ日本 <&>\"' Щ\u{0}\u{b}\n".repeat(60);
    let mut header = header();
    let company = &mut header.company;
    company.name.clone_from(&long);
    company.business_name = Some(long.clone());
    company.registration = Some("sem número".to_owned());
    company.website = Some(long.clone());
    company.telephone = Some(long.clone());
    company.address.detail = Some(long.clone());
    company.address.city = None;
    header.software.name = "a/b".to_owned();
    header.software.maker = String::new();
    for own in &mut documents {
        own.state.reason = Some(long.clone());
        for line in &mut own.lines {
            line.description.clone_from(&long);
            line.product_description = "\u{1}".to_owned();
            line.unit = String::new();
        }
    }
    let mut buyer = customer("cus_1", &long);
    buyer.tax_number = Some(long.clone());
    buyer.address.country = Some("XX".to_owned());
    let nameless = Customer { id: "cus_1".to_owned(), ..Customer::default() };
    for encoding in [Encoding::Windows1252, Encoding::Utf8] {
        for buyer in [&buyer, &nameless] {
            let buyers = std::slice::from_ref(buyer);
            let file = written(encoding, &header, buyers, &documents, &receipts).unwrap();
            assert_valid(&[&file]);
            assert_eq!(faults(&read_file(&file, encoding), Some(&key)), [""; 0]);
        }
    }
}

#[test]
fn every_currency_is_in_the_schema_or_left_out() {
    let key = Key::read("test_a");
    let price = decimal("10");
    let lines = || vec![line("P1", 1, &price, vat(Level::Nor))];
    let mut chains = SeriesChains::new(&key);
    let documents: Vec<SaftDocument> = (b'A'..=b'Z')
        .flat_map(|a| (b'A'..=b'Z').flat_map(move |b| (b'A'..=b'Z').map(move |c| [a, b, c])))
        .filter_map(|code| String::from_utf8(code.to_vec()).ok())
        .filter(|code| code.parse::<racun_kernel::Currency>().is_ok())
        .map(|code| {
            let mut own = chains.issue(Purpose::Invoice, 2, lines());
            let (amount, rate) = (decimal("1"), decimal("0.1"));
            own.currency = Some(racun_portugal::saft::SaftCurrency { code, amount, rate });
            own
        })
        .collect();
    assert!(documents.len() > 150);
    let file = written(Encoding::default(), &header(), &customers(), &documents, &[]).unwrap();
    assert_valid(&[&file]);
}

#[test]
fn lines_without_an_item_have_a_code_of_their_text() {
    assert_eq!(product_code("Café"), product_code(" Café "));
    assert_ne!(product_code("Café"), product_code("Chá"));
    let code = product_code(&"a".repeat(1_000));
    assert_eq!(code.len(), 18);
    let own = Product { code, ..product("", "Café") };
    assert!(!own.code.contains(' ') && Decimal::zero().is_zero());
}
