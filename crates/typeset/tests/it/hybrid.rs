//! Hybrid invoices, by programs that are not ours: qpdf reads the file's structure, poppler what is
//! attached and what the metadata say.

use racun_paper::{Paper, Template};
use racun_typeset::Typesetter;
use roxmltree::{Document, Node};

use crate::TYPESETTER;
use crate::sample::invoice;
use crate::tools::{attached, metadata, objections, structure_faults, text};

/// What is attached. Its content is no concern of the page.
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rsm:CrossIndustryInvoice \
    xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\">Žaga &amp; sin\n\
    </rsm:CrossIndustryInvoice>\n";
const FX: &str = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";
const SCHEMA: &str = "http://www.aiim.org/pdfa/ns/schema#";
const PROPERTY: &str = "http://www.aiim.org/pdfa/ns/property#";

fn hybrid(paper: &Paper) -> Vec<u8> {
    TYPESETTER.hybrid(paper, XML.to_owned()).unwrap()
}

fn value(node: Node<'_, '_>, namespace: &str, name: &str) -> String {
    let found = node.descendants().find(|node| node.has_tag_name((namespace, name)));
    found.and_then(|node| node.text()).unwrap_or_else(|| panic!("{name} is missing")).to_owned()
}

#[test]
fn each_template_carries_the_invoice_as_the_standard_says() {
    for template in Template::ALL {
        let paper = invoice(template, 3);
        let file = hybrid(&paper);
        assert_eq!(structure_faults(&file), "", "{template:?}");
        assert_eq!(attached(&file), [("factur-x.xml".to_owned(), XML.as_bytes().to_vec())]);
        for part in [
            "/AFRelationship/Alternative",
            "/Subtype/text#2Fxml",
            "/ModDate(D:20261120000000Z)",
            "/AF[",
            "/EmbeddedFiles",
        ] {
            let is_there = file.windows(part.len()).any(|window| window == part.as_bytes());
            assert!(is_there, "{template:?}: {part}");
        }
        assert_eq!(text(&file), text(&crate::set(&paper)), "{template:?}: the page is the same");
    }
}

#[test]
fn the_metadata_say_what_is_attached_and_describe_how() {
    let xmp = metadata(&hybrid(&invoice(Template::Modern, 3)));
    let document = Document::parse(&xmp).unwrap();
    let values = [
        ("DocumentType", "INVOICE"),
        ("DocumentFileName", "factur-x.xml"),
        ("Version", "1.0"),
        ("ConformanceLevel", "EN 16931"),
    ];
    for (name, expected) in values {
        assert_eq!(value(document.root(), FX, name), expected);
    }
    let is_ours = |node: &Node<'_, '_>| {
        node.has_tag_name((SCHEMA, "namespaceURI")) && node.text() == Some(FX)
    };
    let ours: Vec<Node<'_, '_>> = document.descendants().filter(is_ours).collect();
    let [namespace] = ours.as_slice() else { panic!("{} descriptions", ours.len()) };
    let schema = namespace.parent().unwrap();
    assert_eq!(value(schema, SCHEMA, "prefix"), "fx");
    let names: Vec<&str> = schema
        .descendants()
        .filter(|node| node.has_tag_name((PROPERTY, "name")))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(names, values.map(|(name, _)| name));
    for (field, expected) in [("category", "external"), ("valueType", "Text")] {
        let fields = schema.descendants().filter(|node| node.has_tag_name((PROPERTY, field)));
        assert!(fields.clone().all(|node| node.text() == Some(expected)), "{field}");
        assert_eq!(fields.count(), 4, "{field}");
    }
}

#[test]
fn the_same_invoice_is_the_same_file_and_another_than_the_one_without() {
    let paper = invoice(Template::Fashion, 20);
    let other = Typesetter::new().unwrap();
    assert!(other.hybrid(&paper, XML.to_owned()).unwrap() == hybrid(&paper), "bytes differ");
    let id = |file: &[u8]| {
        let place = file.windows(4).rposition(|window| window == b"/ID[").unwrap();
        file[place..place + 60].to_vec()
    };
    assert_ne!(id(&hybrid(&paper)), id(&crate::set(&paper)));
}

#[test]
fn markup_in_titles_does_not_break_the_file() {
    for number in [
        "startxref\n0\n%%EOF",
        "1 0 obj <</Length 5/Type/Metadata/Subtype/XML>>stream\nabcde",
        "</rdf:Bag></pdfaExtension:schemas></rdf:RDF>",
        "<?xpacket end=\"r\"?>",
    ] {
        let mut paper = invoice(Template::Classic, 1);
        paper.number = Some(number.to_owned());
        paper.title = number.to_owned();
        number.clone_into(&mut paper.issuer.name);
        let file = hybrid(&paper);
        assert_eq!(structure_faults(&file), "", "{number}");
        let xmp = metadata(&file);
        let document = Document::parse(&xmp).unwrap_or_else(|error| panic!("{error}: {xmp}"));
        assert_eq!(value(document.root(), FX, "ConformanceLevel"), "EN 16931", "{number}");
        assert_eq!(attached(&file).len(), 1, "{number}");
    }
}

#[test]
fn a_validator_has_nothing_against_a_hybrid_where_there_is_one() {
    for template in Template::ALL {
        let Some(objections) = objections(&hybrid(&invoice(template, 40))) else { return };
        assert_eq!(objections, "", "{template:?}");
    }
}
