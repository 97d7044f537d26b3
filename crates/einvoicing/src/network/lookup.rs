//! Who receives what, as the network's own directory says it.
//!
//! A participant's name in the DNS (SML) leads to the server that publishes what it receives (SMP),
//! which answers signed XML. Sources: Peppol Policy for Service Metadata Locator 1.3.0 and Service
//! Metadata Publishing 1.4.0; OASIS BDXL 1.0 (U-NAPTR); OASIS SMP 1.0. Since November 2025 names
//! are by SHA-256 and NAPTR alone.

use data_encoding::BASE32_NOPAD;
use racun_kernel::calendar;
use ring::digest;
use roxmltree::{Document, Node, ParsingOptions};
use time::OffsetDateTime;

use super::{Capability, NetworkDocument, Participant};

/// The zone in which the production network keeps the names of participants.
pub const ZONE: &str = "participant.sml.prod.tech.peppol.org";
/// The service of the NAPTR records that lead to an SMP.
pub const SERVICE: &str = "Meta:SMP";
/// The way of transport that the network speaks.
pub const TRANSPORT: &str = "peppol-transport-as4-v2_0";
/// The process of invoices without a response.
pub const PROCESS: &str = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";
/// The scheme of documents in names of the network.
const DOCUMENTS: &str = "busdox-docid-qns";

const SMP: &str = "http://busdox.org/serviceMetadata/publishing/1.0/";
const IDS: &str = "http://busdox.org/transport/identifiers/1.0/";

/// The name by which the DNS of `zone` knows `participant`.
#[must_use]
pub fn name(participant: &Participant, zone: &str) -> String {
    let value = participant.to_string().to_lowercase();
    let hash = digest::digest(&digest::SHA256, value.as_bytes());
    let label = BASE32_NOPAD.encode(hash.as_ref()).to_lowercase();
    format!("{label}.{}.{zone}", Participant::META_SCHEME)
}

/// The address in the `regexp` of a NAPTR record with the flag `U`: `!^.*$!https://smp.example!`.
/// Patterns that look into the name are not used by the network, and are no answer.
#[must_use]
pub fn address_of(regexp: &str) -> Option<String> {
    let mark = regexp.chars().next().filter(|sign| !sign.is_alphanumeric() && *sign != '\\')?;
    let mut parts = regexp.split(mark);
    let (_, pattern, address) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = matches!(pattern, "^.*$" | ".*" | "^(.*)$");
    let is_plain = !address.is_empty() && !address.contains('\\');
    (is_whole && is_plain).then(|| address.trim_end_matches('/').to_owned())
}

/// The network's name for a kind of document, by Peppol BIS Billing 3.0.
#[must_use]
pub fn document_type(document: NetworkDocument) -> String {
    let name = match document {
        NetworkDocument::Invoice => "Invoice",
        NetworkDocument::CreditNote => "CreditNote",
    };
    let specification = crate::Specification::Peppol.identifier();
    format!("urn:oasis:names:specification:ubl:schema:xsd:{name}-2::{name}##{specification}::2.1")
}

/// What an SMP is asked for, behind its address: all that `participant` receives.
#[must_use]
pub fn group_path(participant: &Participant) -> String {
    format!("/{}", encoded(&format!("{}::{participant}", Participant::META_SCHEME)))
}

/// The same: how `participant` receives a `document`.
#[must_use]
pub fn service_path(participant: &Participant, document: NetworkDocument) -> String {
    let kind = format!("{DOCUMENTS}::{}", document_type(document));
    format!("{}/services/{}", group_path(participant), encoded(&kind))
}

/// `text` as one segment of a path, by RFC 3986.
fn encoded(text: &str) -> String {
    let mut path = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                path.push(char::from(byte));
            }
            other => path.push_str(&format!("%{other:02X}")),
        }
    }
    path
}

/// What signed metadata say, once their signature was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metadata {
    /// Whether the participant receives the document.
    Service(Capability),
    /// Another SMP knows it: at this address.
    Elsewhere(String),
}

/// Reads the metadata of `participant` for a `document`, at `now`.
///
/// # Errors
/// When it is no such metadata: then nothing is known.
pub fn read(
    xml: &str,
    participant: &Participant,
    document: NetworkDocument,
    now: OffsetDateTime,
) -> Result<Metadata, String> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let tree = Document::parse_with_options(xml, options).map_err(|error| error.to_string())?;
    let root = tree.root_element();
    if !root.has_tag_name((SMP, "SignedServiceMetadata")) {
        return Err("it is no SignedServiceMetadata".to_owned());
    }
    let metadata = child(root, SMP, "ServiceMetadata").ok_or("it holds no ServiceMetadata")?;
    if let Some(redirect) = child(metadata, SMP, "Redirect") {
        let address = redirect.attribute("href").ok_or("a redirect without an address")?;
        return Ok(Metadata::Elsewhere(address.to_owned()));
    }
    let service = child(metadata, SMP, "ServiceInformation").ok_or("it describes no service")?;
    let named = |name: &str, scheme: &str, value: &str| {
        child(service, IDS, name).is_some_and(|id| {
            id.attribute("scheme") == Some(scheme)
                && id.text().map(str::trim).is_some_and(|text| text.eq_ignore_ascii_case(value))
        })
    };
    let (who, what) = (participant.to_string(), document_type(document));
    if !named("ParticipantIdentifier", Participant::META_SCHEME, &who) {
        return Err("it is about another participant".to_owned());
    }
    if !named("DocumentIdentifier", DOCUMENTS, &what) {
        return Err("it is about another document".to_owned());
    }
    let processes = child(service, SMP, "ProcessList")
        .into_iter()
        .flat_map(|list| list.children().filter(|node| node.has_tag_name((SMP, "Process"))));
    let is_ours = |process: &Node<'_, '_>| {
        let id = child(*process, IDS, "ProcessIdentifier").and_then(|id| id.text());
        id.map(str::trim) == Some(PROCESS)
    };
    let can_receive = processes
        .filter(is_ours)
        .filter_map(|process| child(process, SMP, "ServiceEndpointList"))
        .flat_map(|list| list.children().filter(|node| node.has_tag_name((SMP, "Endpoint"))))
        .any(|endpoint| is_open(endpoint, now));
    Ok(Metadata::Service(Capability { is_registered: true, can_receive }))
}

/// Whether an endpoint speaks the network's transport and is in service.
fn is_open(endpoint: Node<'_, '_>, now: OffsetDateTime) -> bool {
    let instant = |name: &str| {
        let text = child(endpoint, SMP, name).and_then(|node| node.text()).map(str::trim)?;
        let day = calendar::parse_date(text.get(..10)?).ok()?;
        Some(day)
    };
    let today = now.date();
    endpoint.attribute("transportProfile") == Some(TRANSPORT)
        && instant("ServiceActivationDate").is_none_or(|day| day <= today)
        && instant("ServiceExpirationDate").is_none_or(|day| today <= day)
}

fn child<'a, 'i>(parent: Node<'a, 'i>, namespace: &str, name: &str) -> Option<Node<'a, 'i>> {
    parent.children().find(|node| node.has_tag_name((namespace, name)))
}

/// Who tells whether the metadata of an SMP are signed by one that the network certified.
pub trait Seals: Send + Sync {
    /// Verifies the signature of `xml` at `now`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn verify(&self, xml: &str, now: OffsetDateTime) -> Result<(), String>;
}
