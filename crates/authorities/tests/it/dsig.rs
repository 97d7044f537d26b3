//! Enveloped XML signatures.

use racun_authorities::xml::{self, Accepted, KeyInfo, Method, Profile, Signature};
use racun_authorities::{Certificate, VerificationError};

use crate::support::{FINA, FURS, fina, fina_key, folder, furs, furs_key, signing, text, xmlsec1};
use crate::world::{ID, Way};

/// Base64 of the SHA-256 of `text`.
fn digest(text: &str) -> String {
    use base64::Engine;
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    base64::engine::general_purpose::STANDARD.encode(digest)
}

/// Verifies by a certificate that is given.
fn verify(document: &str, certificate: &Certificate) -> Result<String, VerificationError> {
    let document = xml::parse(document)?;
    let element = xml::envelope(&document)?;
    let signature = Signature::of(&document, element, Accepted::Sha256)?;
    let verified = signature.verify(certificate.rsa_key.as_ref().unwrap())?;
    Ok(verified.tag_name().name().to_owned())
}

#[test]
fn the_official_sample_of_furs_has_its_official_digest() {
    for vector in furs("xml_reference_digest") {
        let document = xml::parse(text(vector, "document")).unwrap();
        let element = xml::envelope(&document).unwrap();
        let canonical = xml::canonicalize(element, Method::Inclusive, None);
        assert_eq!(canonical, text(vector, "reference_c14n"));
        assert_eq!(digest(&canonical), text(vector, "digest_value"));
    }
}

#[test]
fn requests_to_furs_are_the_vectors_byte_by_byte_and_other_programs_verify_them() {
    for vector in furs("xml") {
        let (signer, certificate) = signing(&furs_key(text(vector, "key")));
        let canonicalization = Method::of(text(vector, "canonicalization")).unwrap();
        let profile = Profile { canonicalization, ..Profile::FURS };
        let (issuer, subject) = (certificate.issuer.dotnet(), certificate.subject.dotnet());
        let key = KeyInfo {
            issuer_serial: Some((&issuer, &certificate.serial)),
            subject: Some(&subject),
            ..KeyInfo::default()
        };
        let unsigned = text(vector, "unsigned_envelope");
        let signed = xml::sign(unsigned, profile, &signer, &key).unwrap();
        let expected = text(vector, "signed_envelope");
        assert_eq!(
            expected.strip_suffix(&signed),
            Some("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        );

        let root = text(vector, "request_root");
        assert_eq!(verify(&signed, &certificate).as_deref(), Ok(root));
        let folder = tempfile::tempdir().unwrap();
        let pem = folder.path().join("certificate.pem");
        std::fs::write(&pem, text(&FURS["keys"][text(vector, "key")], "cert_pem")).unwrap();
        let arguments = ["--enabled-key-data", "rsa", "--pubkey-cert-pem", pem.to_str().unwrap()];
        let element = format!("http://www.fu.gov.si/:{root}");
        assert!(xmlsec1(&signed, &element, &arguments), "{}", text(vector, "id"));
        assert!(!xmlsec1(&signed.replacen("2026", "2025", 1), &element, &arguments));
    }
}

#[test]
fn requests_to_fina_have_the_vectors_digests_and_signatures_and_other_programs_verify_them() {
    let folder = tempfile::tempdir().unwrap();
    let [root, sub] = ["root_ca_pem", "sub_ca_pem"].map(|name| {
        let file = folder.path().join(name);
        std::fs::write(&file, text(&FINA["trust"], name)).unwrap();
        file.to_str().unwrap().to_owned()
    });
    for vector in fina("requests") {
        let identity = fina_key(text(vector, "key"));
        let (signer, certificate) = signing(&identity);
        let issuer = certificate.issuer.rfc4514();
        let key = KeyInfo {
            certificate: Some(&identity.certificate),
            issuer_serial: Some((&issuer, &certificate.serial)),
            ..KeyInfo::default()
        };
        let unsigned = format!(
            "<soapenv:Envelope xmlns:soapenv=\"{}\">\
             <soapenv:Body>{}</soapenv:Body></soapenv:Envelope>",
            xml::SOAP,
            text(vector, "unsigned_canonical_xml")
        );
        let signed = xml::sign(&unsigned, Profile::FINA, &signer, &key).unwrap();
        for (element, field) in
            [("DigestValue", "digest_value"), ("SignatureValue", "signature_value")]
        {
            let expected = format!("<{element}>{}</{element}>", text(vector, field));
            assert!(signed.contains(&expected), "{element} of {}", text(vector, "name"));
        }
        let root_element = text(vector, "root");
        for document in [&*signed, text(vector, "soap_envelope")] {
            assert_eq!(verify(document, &certificate).as_deref(), Ok(root_element));
        }
        let element = format!("http://www.apis-it.hr/fin/2012/types/f73:{root_element}");
        let arguments =
            ["--enabled-key-data", "x509", "--trusted-pem", &root, "--untrusted-pem", &sub];
        assert!(xmlsec1(&signed, &element, &arguments), "{}", text(vector, "name"));
    }
}

#[test]
fn messages_that_cis_signed_verify_as_it_signed_them() {
    for (file, root) in [
        ("req_racun_oib_primatelja_1.xml", "RacunZahtjev"),
        ("req_racun_oib_primatelja_2.xml", "RacunZahtjev"),
        ("resp_promijeni_podatke_p005.xml", "PromijeniPodatkeRacunaOdgovor"),
        ("resp_promijeni_podatke_s012.xml", "PromijeniPodatkeRacunaOdgovor"),
        ("resp_racun_s013_180.xml", "RacunOdgovor"),
    ] {
        let sample = std::fs::read_to_string(folder().join("fina_official").join(file)).unwrap();
        let document = xml::parse(&sample).unwrap();
        let element = xml::envelope(&document).unwrap();
        // They are of 2025 and signed with SHA-1, which is no longer accepted.
        let today = Signature::of(&document, element, Accepted::Sha256);
        assert!(matches!(today, Err(VerificationError::Algorithm(_))), "{file}");
        let signature = Signature::of(&document, element, Accepted::Historic).unwrap();
        let certificate = Certificate::from_der(&signature.certificates()[0]).unwrap();
        assert_eq!(signature.serial(), Some(&*certificate.serial));
        let verified = signature.verify(certificate.rsa_key.as_ref().unwrap()).unwrap();
        assert_eq!(verified.tag_name().name(), root, "{file}");
        let altered = sample.replacen("202", "203", 3);
        let document = xml::parse(&altered).unwrap();
        let element = xml::envelope(&document).unwrap();
        let signature = Signature::of(&document, element, Accepted::Historic).unwrap();
        let verified = signature.verify(certificate.rsa_key.as_ref().unwrap());
        assert_eq!(verified.map(|_| ()), Err(VerificationError::Signature), "{file}");
    }
}

#[test]
fn other_programs_verify_the_answers_that_simulators_sign() {
    let folder = tempfile::tempdir().unwrap();
    let pem = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let of_furs = |name: &str| pem(name, text(&FURS["keys"][name], "cert_pem"));
    let of_fina = |name: &str| pem(name, text(&FINA["trust"], name));
    for (way, element, root, sub) in [
        (
            Way::FursSoap,
            "http://www.fu.gov.si/:InvoiceResponse",
            of_furs("mock_root"),
            of_furs("mock_sigov_ca"),
        ),
        (
            Way::Fina,
            "http://www.apis-it.hr/fin/2012/types/f73:RacunOdgovor",
            of_fina("root_ca_pem"),
            of_fina("sub_ca_pem"),
        ),
    ] {
        let answer = way.answer_to("f454e661-11f6-45a2-8e01-f3c1318c3c1d");
        let arguments =
            ["--enabled-key-data", "x509", "--trusted-pem", &root, "--untrusted-pem", &sub];
        assert!(xmlsec1(&answer, element, &arguments), "{way:?}");
        assert!(!xmlsec1(&answer.replace(ID, "0"), element, &arguments), "{way:?}");
    }
}

#[test]
fn canonical_forms_follow_the_recommendations() {
    let source = "<!-- before --><a:r xmlns:a='urn:a' xmlns='urn:d' xmlns:x='urn:x' xml:lang='sl'>\
        <a:e  b='2' a='1' x:c='3' t=\"&quot;&#9;&#10;&#13;&lt;&amp;>'\"><!-- gone -->\
        <inner xmlns=''>1 &lt; 2 &amp; 3 &gt; 2 &#13;<![CDATA[<cdata>]]></inner><?p  v ?>\
        <x:f xmlns:x='urn:other'/></a:e></a:r>";
    let document = xml::parse(source).unwrap();
    let element = document.root_element().first_element_child().unwrap();
    let attributes = "a=\"1\" b=\"2\" t=\"&quot;&#x9;&#xA;&#xD;&lt;&amp;>'\" x:c=\"3\"";
    let attributes = attributes.to_owned();
    let inner = "1 &lt; 2 &amp; 3 &gt; 2 &#xD;&lt;cdata&gt;</inner><?p v ?>";
    let last = "<x:f xmlns:x=\"urn:other\"></x:f></a:e>";
    let inclusive = format!(
        "<a:e xmlns=\"urn:d\" xmlns:a=\"urn:a\" xmlns:x=\"urn:x\" \
         a=\"1\" b=\"2\" t=\"&quot;&#x9;&#xA;&#xD;&lt;&amp;>'\" xml:lang=\"sl\" x:c=\"3\">\
         <inner xmlns=\"\">{inner}{last}"
    );
    let exclusive =
        format!("<a:e xmlns:a=\"urn:a\" xmlns:x=\"urn:x\" {attributes}><inner>{inner}{last}");
    assert_eq!(xml::canonicalize(element, Method::Inclusive, None), inclusive);
    assert_eq!(xml::canonicalize(element, Method::Exclusive, None), exclusive);
}

#[test]
fn a_document_beyond_the_limits_is_refused_before_it_is_read() {
    let attributes: String = (0..80_000).map(|n| format!(" a{n}=''")).collect();
    let namespaces: String = (0..80_000).map(|n| format!(" xmlns:a{n}='u{n}'")).collect();
    let bomb = "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><r>&b;</r>";
    for text in [
        format!("<r{attributes}/>"),
        format!("<r{namespaces}/>"),
        "<r>".repeat(65) + &"</r>".repeat(65),
        format!("<r>{}</r>", "<e/>".repeat(100_000)),
        format!("<r>{}</r>", "<e xmlns:a='u'/>".repeat(513)),
        bomb.to_owned(),
        "<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r/>".to_owned(),
        "<html><body><p>Request Rejected</body></html>".to_owned(),
        "<r><!-- never closed </r>".to_owned(),
        "<r a='never closed></r>".to_owned(),
        String::new(),
    ] {
        assert!(matches!(xml::parse(&text), Err(VerificationError::Unreadable(_))), "{text:.80}");
    }
    assert!(xml::parse(&("<r>".repeat(64) + &"</r>".repeat(64))).is_ok());
}
