//! What is sent to CIS, and what it answers.
//!
//! Sources: technical specification of fiskalizacija, version 2.7; its schema, version 1.9.

use racun_fiscal::{AuthorityError, MessageId, Reply, Signer, SigningFailed};
use roxmltree::Node;
use time::OffsetDateTime;

use crate::reply::{check_children, check_id, check_uuid, one_of, utf8};
use crate::xml::{self, KeyInfo, Profile};
use crate::{Certificate, VerificationError, Verifier};

/// Namespace of the messages.
pub const NAMESPACE: &str = "http://www.apis-it.hr/fin/2012/types/f73";
/// What `SOAPAction` begins with.
const ACTIONS: &str =
    "http://e-porezna.porezna-uprava.hr/fiskalizacija/2012/services/FiskalizacijaService/";
/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A receipt's JIR.
    Receipt,
    /// Another means of payment.
    Change,
    /// Tips.
    Tip,
}

impl Asked {
    /// `SOAPAction`, in quotes.
    #[must_use]
    pub fn action(self) -> String {
        let operation = match self {
            Self::Receipt => "racuni",
            Self::Change => "promijeniPodatkeRacuna",
            Self::Tip => "napojnica",
        };
        format!("\"{ACTIONS}{operation}\"")
    }

    /// The root of its answer.
    const fn response(self) -> &'static str {
        match self {
            Self::Receipt => "RacunOdgovor",
            Self::Change => "PromijeniPodatkeRacunaOdgovor",
            Self::Tip => "NapojnicaOdgovor",
        }
    }

    /// The element of its answer when the message was taken.
    const fn result(self) -> &'static str {
        match self {
            Self::Receipt => "Jir",
            Self::Change | Self::Tip => "PorukaOdgovora",
        }
    }

    /// The code by which CIS confirms it; a receipt is confirmed by its JIR.
    const fn success(self) -> Option<&'static str> {
        match self {
            Self::Receipt => None,
            Self::Change => Some("p005"),
            Self::Tip => Some("p002"),
        }
    }
}

/// Signs `root`, the element of a message: the body of a SOAP request. `certificate` is what `der`
/// says.
///
/// # Errors
/// When the key cannot sign, or `root` is no element with an `Id`.
pub fn sign(
    root: &str,
    signer: &dyn Signer,
    certificate: &Certificate,
    der: &[u8],
) -> Result<String, SigningFailed> {
    let envelope = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
         <soapenv:Envelope xmlns:soapenv=\"{}\">\
         <soapenv:Body>{root}</soapenv:Body></soapenv:Envelope>",
        xml::SOAP
    );
    let key = KeyInfo {
        certificate: Some(der),
        issuer_serial: Some((&certificate.issuer.rfc4514(), &certificate.serial)),
        subject: None,
    };
    xml::sign(&envelope, Profile::FINA, signer, &key)
}

/// Reads the body of an answer to the message `id`.
///
/// # Errors
/// Why it is not believed.
pub fn read(
    body: &[u8],
    asked: Asked,
    id: &MessageId,
    verifier: &Verifier,
    now: OffsetDateTime,
) -> Result<Reply, VerificationError> {
    let document = xml::parse(utf8(body)?)?;
    let element = xml::envelope(&document)?;
    if element.has_tag_name((xml::SOAP, "Fault")) {
        return Err(VerificationError::Unreadable("it is a SOAP fault".to_owned()));
    }
    if !element.has_tag_name((NAMESPACE, asked.response())) {
        return Err(VerificationError::Malformed(format!("it is no {}", asked.response())));
    }
    let element = verifier.element(&document, element, now)?;
    check_children(element, NAMESPACE, &["Zaglavlje", asked.result(), "Greske"])?;
    let head = xml::child(element, NAMESPACE, "Zaglavlje")?;
    check_children(head, NAMESPACE, &["IdPoruke", "DatumVrijeme"])?;
    check_id(&xml::element_text(xml::child(head, NAMESPACE, "IdPoruke")?)?, id)?;

    let result = xml::optional_child(element, NAMESPACE, asked.result())?;
    let confirmed = result.map(|result| match asked.success() {
        None => check_uuid(xml::element_text(result)?).map(Some),
        Some(code) => check_success(result, code).map(|()| None),
    });
    let errors = xml::optional_child(element, NAMESPACE, "Greske")?;
    one_of(confirmed.transpose()?.map(Reply::Confirmed), errors.map(refused).transpose()?)
}

fn check_success(result: Node<'_, '_>, expected: &str) -> Result<(), VerificationError> {
    check_children(result, NAMESPACE, &["SifraPoruke", "Poruka"])?;
    let code = xml::element_text(xml::child(result, NAMESPACE, "SifraPoruke")?)?;
    if code.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(VerificationError::Malformed(format!("it confirms by {code}, not by {expected}")))
}

fn refused(errors: Node<'_, '_>) -> Result<Reply, VerificationError> {
    check_children(errors, NAMESPACE, &["Greska"])?;
    let mut read = Vec::new();
    for error in xml::children(errors) {
        check_children(error, NAMESPACE, &["SifraGreske", "PorukaGreske"])?;
        let code = xml::element_text(xml::child(error, NAMESPACE, "SifraGreske")?)?;
        let message = xml::element_text(xml::child(error, NAMESPACE, "PorukaGreske")?)?;
        read.push(AuthorityError { code: code.to_ascii_lowercase(), message });
    }
    Reply::refused(read).ok_or_else(|| VerificationError::Malformed("it names no error".to_owned()))
}
