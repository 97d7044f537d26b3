//! Signatures of electronic invoices.

use std::fs;
use std::path::Path;

use racun_authorities::xml::{self, Method};
use racun_fiscal::SigningFailed;
use time::macros::datetime;

use crate::support::{FURS, furs_key, signing, text, xmlsec1};

/// As e-SLOG writes it: line ends, letters and signs that canonical forms write otherwise.
const DOCUMENT: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Invoice xmlns=\"urn:eslog:2.00\"><M_INVOIC Id=\"data\"><S_UNH><D_0062>1</D_0062></S_UNH>\
    <D_4440>Žaga &amp; sin &apos;s.p.&apos; &gt; 2 &#13;\nkonec</D_4440><D_3036/></M_INVOIC>\
    </Invoice>\n";
const PROPERTIES: &str = "http://uri.etsi.org/01903/v1.3.2#:SignedProperties";

/// Whether xmlsec1 verifies `document` by the certificate that it has, and that is trusted.
fn verifies(document: &str, pem: &Path) -> bool {
    let pem = pem.to_str().unwrap();
    let arguments =
        ["--id-attr:Id", PROPERTIES, "--enabled-key-data", "rsa", "--pubkey-cert-pem", pem];
    xmlsec1(document, "urn:eslog:2.00:M_INVOIC", &arguments)
}

#[test]
fn other_programs_verify_a_signature_and_what_it_says_of_itself() {
    let identity = furs_key("pub_a");
    let (signer, certificate) = signing(&identity);
    let at = datetime!(2026-11-24 00:30:05.75 +1);
    let signed = xml::seal(DOCUMENT, "data", &signer, &identity.certificate, at).unwrap();
    let again = xml::seal(DOCUMENT, "data", &signer, &identity.certificate, at).unwrap();
    assert_eq!(signed, again, "the same instant is the same signature");

    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("certificate.pem");
    fs::write(&pem, text(&FURS["keys"]["pub_a"], "cert_pem")).unwrap();
    assert!(verifies(&signed, &pem));
    let time = "2026-11-23T23:30:05Z</xades:SigningTime>";
    for (before, after) in [
        ("sin", "hči"),
        ("Id=\"data\"", "Id=\"date\""),
        (time, "2026-11-23T23:30:06Z</xades:SigningTime>"),
        ("<D_0062>1<", "<D_0062>2<"),
    ] {
        let altered = signed.replacen(before, after, 1);
        assert_ne!(altered, signed, "{before}");
        assert!(!verifies(&altered, &pem), "{before}");
    }

    let (before, after) = signed.split_once("<ds:Signature").unwrap();
    assert!(DOCUMENT.starts_with(before) && DOCUMENT.ends_with("</Invoice>\n"));
    assert!(after.ends_with("</ds:Signature></Invoice>\n"));
    let serial = format!("<ds:X509SerialNumber>{}</ds:X509SerialNumber>", certificate.serial);
    assert!(signed.contains(&serial), "{signed}");
}

#[test]
fn the_properties_are_valid_by_the_schema_of_etsi() {
    let identity = furs_key("pub_a");
    let (signer, _) = signing(&identity);
    let at = datetime!(2026-11-24 00:30:05 UTC);
    let signed = xml::seal(DOCUMENT, "data", &signer, &identity.certificate, at).unwrap();
    let parsed = roxmltree::Document::parse(&signed).unwrap();
    let name = (xml::XADES, "QualifyingProperties");
    let properties = parsed.descendants().find(|node| node.has_tag_name(name)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("properties.xml");
    fs::write(&file, xml::canonicalize(properties, Method::Exclusive, None)).unwrap();
    let schemas = "../einvoicing/tests/it/vectors/xsd/ubl21/common/UBL-XAdESv132-2.1.xsd";
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(schemas);
    let output = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .args([&schema, &file])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn unsignable_documents_are_refused() {
    let identity = furs_key("pub_a");
    let (signer, _) = signing(&identity);
    let at = datetime!(2026-11-24 00:30:05 UTC);
    let bomb = "<!DOCTYPE Invoice [<!ENTITY a 'a'>]><Invoice><M_INVOIC Id='data'/></Invoice>";
    for (document, id, certificate) in [
        (DOCUMENT, "date", identity.certificate.as_slice()),
        (DOCUMENT, "data", b"no certificate"),
        ("<Invoice Id=\"data\"></Invoice>", "data", &identity.certificate),
        ("<Invoice>", "data", &identity.certificate),
        (bomb, "data", &identity.certificate),
    ] {
        let refused = xml::seal(document, id, &signer, certificate, at);
        assert_eq!(refused, Err(SigningFailed), "{document}");
    }
}
