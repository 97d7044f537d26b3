//! What the network's directory says.

use racun_einvoicing::network::lookup::{
    Metadata, ZONE, address_of, group_path, name, read, service_path,
};
use racun_einvoicing::network::{Capability, NetworkDocument, Participant};
use time::OffsetDateTime;
use time::macros::datetime;

const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

fn participant(id: &str) -> Participant {
    Participant::read(None, id).unwrap()
}

/// The name of a participant whose value is hashed in the Policy for SML 1.3.0, section 3.1.
#[test]
fn names_are_by_sha_256_of_the_value_in_small_letters() {
    let upper = name(&participant("9949:SI10039856"), ZONE);
    let label = upper.split('.').next().unwrap();
    assert_eq!(label.len(), 52, "256 bits in base 32, without filling");
    assert!(label.bytes().all(|sign| matches!(sign, b'a'..=b'z' | b'2'..=b'7')), "{label}");
    assert!(upper.ends_with(".iso6523-actorid-upis.participant.sml.prod.tech.peppol.org"));
    let known = name(&participant("0088:4012345000009"), "zone.example");
    assert_eq!(known, KNOWN);
}

/// `printf 0088:4012345000009 | sha256sum`, in base 32.
const KNOWN: &str =
    "l2bnbf7zwzz4yf7rnjrkxj7php6sm45jh7g5hptrrc4t5nigku6a.iso6523-actorid-upis.zone.example";

#[test]
fn addresses_are_those_of_records_that_take_the_whole_name() {
    for (regexp, address) in [
        ("!^.*$!https://smp.example!", Some("https://smp.example")),
        ("!.*!https://smp.example/!", Some("https://smp.example")),
        ("/^.*$/https:..smp/", Some("https:..smp")),
        ("!^(.*)$!https://smp.example/x!i", Some("https://smp.example/x")),
        ("!^(.*)$!https://\\1.example!", None),
        ("!^9949.*$!https://smp.example!", None),
        ("!^.*$!!", None),
        ("", None),
        ("!", None),
        ("plain", None),
    ] {
        assert_eq!(address_of(regexp).as_deref(), address, "{regexp}");
    }
}

#[test]
fn paths_are_encoded_segment_by_segment() {
    let who = participant("9949:SI10039856");
    assert_eq!(group_path(&who), "/iso6523-actorid-upis%3A%3A9949%3ASI10039856");
    let path = service_path(&who, NetworkDocument::CreditNote);
    let kind = "/services/busdox-docid-qns%3A%3Aurn%3Aoasis%3Anames%3Aspecification%3Aubl%3Aschema\
                %3Axsd%3ACreditNote-2%3A%3ACreditNote%23%23urn%3Acen.eu%3Aen16931%3A2017%23\
                compliant%23urn%3Afdc%3Apeppol.eu%3A2017%3Apoacc%3Abilling%3A3.0%3A%3A2.1";
    assert!(path.ends_with(kind), "{path}");
}

fn metadata(changed: &[(&str, &str)]) -> String {
    let xml = include_str!("metadata.xml").to_owned();
    changed.iter().fold(xml, |xml, (from, to)| {
        assert!(xml.contains(from), "{from}");
        xml.replace(from, to)
    })
}

#[test]
fn metadata_say_whether_a_document_is_received() {
    let who = participant("9949:SI10039856");
    let ask =
        |changed: &[(&str, &str)]| read(&metadata(changed), &who, NetworkDocument::Invoice, NOW);
    let receives =
        |can_receive| Ok(Metadata::Service(Capability { is_registered: true, can_receive }));
    assert_eq!(ask(&[]), receives(true));
    assert_eq!(ask(&[("9949:si10039856", "9949:SI10039856")]), receives(true));
    assert_eq!(ask(&[("as4-v2_0", "as2-v1p0")]), receives(false));
    assert_eq!(ask(&[("2030-01-01", "2026-11-25")]), receives(false));
    assert_eq!(ask(&[("2020-01-01", "2026-11-27")]), receives(false));
    assert_eq!(ask(&[("billing:01:1.0", "ordering:01:1.0")]), receives(false));
    for (from, to) in [
        ("9949:si10039856", "9949:si20000006"),
        ("Invoice-2::Invoice", "CreditNote-2::CreditNote"),
        ("SignedServiceMetadata", "ServiceGroup"),
        ("iso6523-actorid-upis", "other"),
    ] {
        assert!(ask(&[(from, to)]).is_err(), "{to}");
    }
    let dtd = format!("<!DOCTYPE x [<!ENTITY a \"b\">]>{}", metadata(&[]));
    assert!(read(&dtd, &who, NetworkDocument::Invoice, NOW).is_err());
    assert!(read("", &who, NetworkDocument::Invoice, NOW).is_err());
}

#[test]
fn a_redirect_names_another_publisher() {
    let xml = "<SignedServiceMetadata xmlns=\"http://busdox.org/serviceMetadata/publishing/1.0/\">\
               <ServiceMetadata><Redirect href=\"https://other.example/x\"/></ServiceMetadata>\
               </SignedServiceMetadata>";
    let read = read(xml, &participant("9949:SI10039856"), NetworkDocument::Invoice, NOW);
    assert_eq!(read, Ok(Metadata::Elsewhere("https://other.example/x".to_owned())));
}
