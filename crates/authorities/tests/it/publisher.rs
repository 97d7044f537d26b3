//! Metadata that another program signed.

use std::fs;
use std::path::Path;

use racun_authorities::PublisherSeals;
use racun_einvoicing::network::lookup::Seals;
use time::OffsetDateTime;

/// What is signed: a reference to the whole, as publishers of the network make it.
const TEMPLATE: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    "\n",
    r#"<SignedServiceMetadata xmlns="http://busdox.org/serviceMetadata/publishing/1.0/">"#,
    r#"<ServiceMetadata><Redirect href="https://smp.example"/></ServiceMetadata>"#,
    r#"<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>"#,
    r#"<CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/>"#,
    r#"<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>"#,
    r#"<Reference URI=""><Transforms>"#,
    r#"<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>"#,
    r#"</Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>"#,
    "<DigestValue/></Reference></SignedInfo><SignatureValue/><KeyInfo><X509Data>",
    "<X509SubjectName/><X509Certificate/></X509Data></KeyInfo></Signature>",
    "</SignedServiceMetadata>",
    "\n",
);

fn openssl(folder: &Path, arguments: &str) {
    let status = racun_test_postgres::program("openssl")
        .args(arguments.split('|'))
        .current_dir(folder)
        .output()
        .expect("openssl is installed: apt-get install openssl");
    assert!(status.status.success(), "{arguments}: {}", String::from_utf8_lossy(&status.stderr));
}

/// Metadata signed by a certificate with `unit`, and the certificate of its issuer.
fn signed(unit: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let subject = format!("/C=EU/O=Tests/OU={unit}/CN=PSM000001");
    fs::write(place.join("leaf.ext"), "extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    openssl(
        place,
        "req|-x509|-newkey|rsa:2048|-nodes|-keyout|ca.key|-out|ca.pem|-days|30|-subj|\
                    /C=EU/O=Tests/CN=Publishers CA",
    );
    openssl(
        place,
        &format!("req|-newkey|rsa:2048|-nodes|-keyout|leaf.key|-out|leaf.csr|-subj|{subject}"),
    );
    openssl(
        place,
        "x509|-req|-in|leaf.csr|-CA|ca.pem|-CAkey|ca.key|-CAcreateserial|-days|20|\
                    -extfile|leaf.ext|-out|leaf.pem",
    );
    fs::write(place.join("template.xml"), TEMPLATE).unwrap();
    let output = racun_test_postgres::program("xmlsec1")
        .args(["--sign", "--enabled-reference-uris", "empty"])
        .args(["--privkey-pem", "leaf.key,leaf.pem", "--output", "signed.xml", "template.xml"])
        .current_dir(place)
        .output()
        .expect("xmlsec1 is installed: apt-get install xmlsec1");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(place.join(name)).unwrap();
    (read("signed.xml"), read("ca.pem"))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "openssl dates the certificates by the clock")]
fn publishers_whom_the_network_certified_are_believed_and_no_others() {
    let now = OffsetDateTime::now_utc() + time::Duration::HOUR;
    let (xml, ca) = signed("PEPPOL TEST SMP");
    let seals = PublisherSeals::from_pem(&ca).unwrap();
    assert_eq!(seals.verify(&xml, now), Ok(()));
    for (from, to) in [
        ("smp.example", "evil.example"),
        ("<ServiceMetadata>", "<ServiceMetadata><x/>"),
        ("URI=\"\"", "URI=\"#x\""),
        ("<SignatureValue>", "<SignatureValue>AAAA"),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"?><?beside it?>"),
    ] {
        assert!(xml.contains(from), "{from}");
        assert!(seals.verify(&xml.replacen(from, to, 1), now).is_err(), "{to}");
    }
    assert!(seals.verify(&xml, now + time::Duration::days(60)).is_err(), "it is over");
    let (_, other) = signed("PEPPOL TEST SMP");
    let others = PublisherSeals::from_pem(&other).unwrap();
    assert!(others.verify(&xml, now).unwrap_err().contains("not trusted"));
    let (xml, ca) = signed("PEPPOL TEST AP");
    let doubt = PublisherSeals::from_pem(&ca).unwrap().verify(&xml, now).unwrap_err();
    assert!(doubt.contains("is no publisher"), "{doubt}");
    assert!(PublisherSeals::from_pem("").is_err());
}
