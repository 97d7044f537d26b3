//! A file of one month that others made is read as facts, and written again: element by element it
//! is the same.

use racun_kernel::Decimal;
use racun_portugal::saft::{
    Address, Customer, Encoding, SaftCurrency, SaftDocument, SaftError, SaftFile, SaftLine,
    SaftPayment, SaftReceipt, SaftTax, Settled, State, Survey, Withheld,
};
use racun_portugal::{Code, Level, Mechanism, Origin, Region, Status, WallTime};
use roxmltree::{Document, Node};

use crate::saft_judge::{all, read_file, text};
use crate::sample::{header, product};
use crate::world::{date, decimal, vectors};

fn amount(node: Node<'_, '_>, name: &str) -> Decimal {
    decimal(text(node, name))
}

fn time(node: Node<'_, '_>, name: &str) -> WallTime {
    text(node, name).parse().unwrap()
}

fn some(node: Node<'_, '_>, name: &str) -> Option<String> {
    Some(text(node, name)).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn state(node: Node<'_, '_>, part: &str, source: &str) -> (State, Origin) {
    let at = |name: &str| format!("DocumentStatus/{name}");
    let origin = match text(node, &at(source)) {
        "P" => Origin::Program,
        "M" => Origin::Manual,
        other => panic!("{other}"),
    };
    let state = State {
        status: Status::from_letter(text(node, &at(&format!("{part}Status")))).unwrap(),
        since: time(node, &at(&format!("{part}StatusDate"))),
        reason: some(node, &at("Reason")),
        by: text(node, &at("SourceID")).to_owned(),
    };
    (state, origin)
}

fn mechanism(code: &str) -> Mechanism {
    let all = [Mechanism::Cc, Mechanism::Nu, Mechanism::Tb];
    all.into_iter().find(|own| own.code() == code).unwrap()
}

fn payments(node: Node<'_, '_>, name: &str) -> Vec<SaftPayment> {
    let one = |node: Node<'_, '_>| SaftPayment {
        mechanism: mechanism(text(node, "PaymentMechanism")),
        amount: amount(node, "PaymentAmount"),
        date: date(text(node, "PaymentDate")),
    };
    all(node, name).into_iter().map(one).collect()
}

fn line(node: Node<'_, '_>) -> SaftLine {
    let exemption = some(node, "TaxExemptionCode").zip(some(node, "TaxExemptionReason"));
    let side = if text(node, "DebitAmount").is_empty() { "CreditAmount" } else { "DebitAmount" };
    let owned = |name: &str| text(node, name).to_owned();
    let references = all(node, "References").into_iter();
    SaftLine {
        product_code: owned("ProductCode"),
        product_description: owned("ProductDescription"),
        description: owned("Description"),
        quantity: amount(node, "Quantity"),
        unit: owned("UnitOfMeasure"),
        unit_price: amount(node, "UnitPrice"),
        supplied_on: date(text(node, "TaxPointDate")),
        amount: amount(node, side),
        discount: None,
        orders: Vec::new(),
        rectifies: references
            .map(|own| (text(own, "Reference").to_owned(), text(own, "Reason").to_owned()))
            .collect(),
        tax: SaftTax::Vat {
            region: Region::from_code(text(node, "Tax/TaxCountryRegion")).unwrap(),
            level: Level::from_code(text(node, "Tax/TaxCode")).unwrap(),
            percent: amount(node, "Tax/TaxPercentage"),
            exemption,
        },
    }
}

fn document(node: Node<'_, '_>, number: &str, part: &str) -> SaftDocument {
    let (state, origin) = state(node, part, "SourceBilling");
    let totals = all(node, "DocumentTotals").remove(0);
    let currency = all(totals, "Currency").pop().map(|own| SaftCurrency {
        code: text(own, "CurrencyCode").to_owned(),
        amount: amount(own, "CurrencyAmount"),
        rate: amount(own, "ExchangeRate"),
    });
    let withheld = |own: Node<'_, '_>| Withheld {
        kind: if text(own, "WithholdingTaxType") == "IRC" { "IRC" } else { "IRS" },
        description: text(own, "WithholdingTaxDescription").to_owned(),
        amount: amount(own, "WithholdingTaxAmount"),
    };
    SaftDocument {
        code: Code::from_text(text(node, &format!("{part}Type"))).unwrap(),
        number: text(node, number).parse().unwrap(),
        atcud: text(node, "ATCUD").parse().ok(),
        state,
        origin,
        hash: text(node, "Hash").parse().unwrap(),
        hash_control: text(node, "HashControl").to_owned(),
        date: date(text(node, &format!("{part}Date"))),
        entered_at: time(node, "SystemEntryDate"),
        by: text(node, "SourceID").to_owned(),
        customer_id: text(node, "CustomerID").to_owned(),
        shipping: None,
        lines: all(node, "Line").into_iter().map(line).collect(),
        tax: amount(totals, "TaxPayable"),
        net: amount(totals, "NetTotal"),
        gross: amount(totals, "GrossTotal"),
        currency,
        payments: payments(totals, "Payment"),
        withheld: all(node, "WithholdingTax").into_iter().map(withheld).collect(),
    }
}

fn receipt(node: Node<'_, '_>) -> SaftReceipt {
    let (state, origin) = state(node, "Payment", "SourcePayment");
    let settled = |own: Node<'_, '_>| Settled {
        number: text(own, "SourceDocumentID/OriginatingON").to_owned(),
        date: date(text(own, "SourceDocumentID/InvoiceDate")),
        amount: amount(own, "CreditAmount"),
        is_credit_note: false,
        tax: None,
    };
    SaftReceipt {
        code: Code::from_text(text(node, "PaymentType")).unwrap(),
        number: text(node, "PaymentRefNo").parse().unwrap(),
        atcud: text(node, "ATCUD").parse().ok(),
        state,
        origin,
        date: date(text(node, "TransactionDate")),
        entered_at: time(node, "SystemEntryDate"),
        by: text(node, "SourceID").to_owned(),
        customer_id: text(node, "CustomerID").to_owned(),
        payments: payments(node, "PaymentMethod"),
        lines: all(node, "Line").into_iter().map(settled).collect(),
        tax: amount(node, "DocumentTotals/TaxPayable"),
        net: amount(node, "DocumentTotals/NetTotal"),
        gross: amount(node, "DocumentTotals/GrossTotal"),
    }
}

fn customer(node: Node<'_, '_>) -> Customer {
    let at = |name: &str| some(node, &format!("BillingAddress/{name}"));
    Customer {
        id: text(node, "CustomerID").to_owned(),
        tax_number: some(node, "CustomerTaxID"),
        name: some(node, "CompanyName"),
        address: Address {
            detail: at("AddressDetail"),
            city: at("City"),
            post_code: at("PostalCode"),
            region: None,
            country: at("Country"),
        },
        telephone: None,
        email: None,
    }
}

/// All elements of a part with their texts, numbers by their value. A month of a receipt may be
/// left out, and the sample leaves it out.
fn leaves(root: Node<'_, '_>, part: &str) -> Vec<(String, String)> {
    let section = root.descendants().find(|node| node.tag_name().name() == part).unwrap();
    let is_leaf =
        |node: &Node<'_, '_>| node.is_element() && !node.children().any(|child| child.is_element());
    let is_month = |node: &Node<'_, '_>| {
        node.tag_name().name() == "Period"
            && node.parent().is_some_and(|node| node.tag_name().name() == "Payment")
    };
    section
        .descendants()
        .filter(|node| is_leaf(node) && !is_month(node))
        .map(|node| {
            let text = node.text().unwrap_or_default();
            let number = text.contains('.').then(|| text.parse::<Decimal>().ok()).flatten();
            let is_number = number.is_some() || text.bytes().all(|byte| byte.is_ascii_digit());
            let value = if is_number { text.parse::<Decimal>().ok() } else { None };
            let value = value.map_or_else(|| text.to_owned(), |value| value.to_string());
            (node.tag_name().name().to_owned(), value)
        })
        .collect()
}

#[test]
fn the_sample_of_the_authority_is_reproduced() -> Result<(), SaftError> {
    let file = std::fs::read(vectors().join("samples/saft_2026_10_own.xml")).unwrap();
    let sample = read_file(&file, Encoding::Windows1252);
    let sample = Document::parse(&sample).unwrap();
    let root = sample.root_element();
    let named =
        |name: &'static str| root.descendants().filter(move |node| node.tag_name().name() == name);
    let sales = named("Invoice").map(|node| document(node, "InvoiceNo", "Invoice"));
    let working = named("WorkDocument").map(|node| document(node, "DocumentNumber", "Work"));
    let documents: Vec<SaftDocument> = sales.chain(working).collect();
    let is_receipt = |node: &Node<'_, '_>| !text(*node, "PaymentRefNo").is_empty();
    let receipts: Vec<SaftReceipt> = named("Payment").filter(is_receipt).map(receipt).collect();
    assert_eq!((documents.len(), receipts.len()), (11, 2));

    let mut survey = Survey::default();
    documents.iter().try_for_each(|own| survey.document(own))?;
    receipts.iter().try_for_each(|own| survey.receipt(own))?;
    let mut file = SaftFile::begin(Vec::new(), Encoding::Windows1252, &header(), survey)?;
    named("Customer").try_for_each(|node| file.customer(&customer(node)))?;
    named("Product").try_for_each(|node| {
        file.product(&product(text(node, "ProductCode"), text(node, "ProductDescription")))
    })?;
    documents.iter().try_for_each(|own| file.document(own))?;
    receipts.iter().try_for_each(|own| file.receipt(own))?;
    let written = read_file(&file.finish()?, Encoding::Windows1252);
    let written = Document::parse(&written).unwrap();
    for part in ["SalesInvoices", "WorkingDocuments", "Payments"] {
        let own = leaves(written.root_element(), part);
        assert!(own.len() > 20);
        assert_eq!(own, leaves(root, part), "{part}");
    }
    // The rows of the table have no order.
    let rows = |root: Node<'_, '_>| {
        let all = leaves(root, "TaxTable");
        all.chunks(5).map(<[_]>::to_vec).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(rows(written.root_element()), rows(root));
    let rows = |root: Node<'_, '_>| {
        root.descendants().filter(|node| node.tag_name().name() == "Customer").count()
    };
    assert_eq!(rows(written.root_element()), rows(root));
    Ok(())
}
