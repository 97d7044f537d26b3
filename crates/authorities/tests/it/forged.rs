//! Answers that were forged, moved or altered.

use racun_authorities::xml::Profile;
use racun_authorities::{SignerName, VerificationError, Verifier, fina, furs};
use racun_fiscal::{MessageId, Reply};
use time::OffsetDateTime;
use time::macros::datetime;

use crate::support::{fina_key, fina_trust, furs_key, furs_trust};
use crate::world::{ID, Way, json_of_furs, signed, soap_of_cis, soap_of_furs, unsigned_of_cis};

const NOW: OffsetDateTime = datetime!(2026-11-20 16:04:30 UTC);
const SENT: &str = "f454e661-11f6-45a2-8e01-f3c1318c3c1d";
/// An id that an attacker would like to see taken.
const FORGED: &str = "ffffffff-ffff-4fff-bfff-ffffffffffff";

fn cis_at(body: &str, now: OffsetDateTime) -> Result<Reply, VerificationError> {
    let verifier = Verifier { trust: fina_trust(), signer: SignerName::CIS_TEST };
    let sent = MessageId::from(SENT.to_owned());
    fina::read(body.as_bytes(), fina::Asked::Receipt, &sent, &verifier, now)
}

pub fn cis(body: &str) -> Result<Reply, VerificationError> {
    cis_at(body, NOW)
}

pub fn furs_soap(body: &str, asked: furs::Asked) -> Result<Reply, VerificationError> {
    let verifier = Verifier { trust: furs_trust(), signer: SignerName::FURS_TEST };
    furs::read_soap(body.as_bytes(), asked, &MessageId::from(SENT.to_owned()), &verifier, NOW)
}

fn furs_json(payload: &str) -> Result<Reply, VerificationError> {
    furs_json_body(&json_of_furs(payload))
}

pub fn furs_json_body(body: &str) -> Result<Reply, VerificationError> {
    let verifier = Verifier { trust: furs_trust(), signer: SignerName::FURS_TEST };
    let sent = MessageId::from(SENT.to_owned());
    furs::read_json(body.as_bytes(), furs::Asked::Invoice, &sent, &verifier, NOW)
}

fn head(id: &str) -> String {
    format!(
        "<tns:Zaglavlje><tns:IdPoruke>{id}</tns:IdPoruke>\
         <tns:DatumVrijeme>20.11.2026T16:04:27</tns:DatumVrijeme></tns:Zaglavlje>"
    )
}

fn jir(jir: &str) -> String {
    format!("<tns:Jir>{jir}</tns:Jir>")
}

const ERRORS: &str = "<tns:Greske><tns:Greska><tns:SifraGreske>s006</tns:SifraGreske>\
                      <tns:PorukaGreske>x</tns:PorukaGreske></tns:Greska></tns:Greske>";

/// The kind of the error.
fn kind(read: &Result<Reply, VerificationError>) -> &'static str {
    match read {
        Ok(_) => "believed",
        Err(VerificationError::Unreadable(_)) => "unreadable",
        Err(VerificationError::Malformed(_)) => "malformed",
        Err(VerificationError::Unsigned) => "unsigned",
        Err(VerificationError::Wrapped(_)) => "wrapped",
        Err(VerificationError::Algorithm(_)) => "algorithm",
        Err(VerificationError::Signature) => "signature",
        Err(VerificationError::Signer(_)) => "signer",
        Err(VerificationError::MessageId(_)) => "message id",
    }
}

#[test]
fn an_answer_of_cis_is_believed_only_as_it_was_signed_by_cis() {
    let right = Way::Fina.answer_to(SENT);
    assert_eq!(cis(&right), Ok(Reply::Confirmed(Some(ID.to_owned()))));

    let element = "<tns:RacunOdgovor";
    let end = "</tns:RacunOdgovor>";
    let start = right.find(element).unwrap();
    let finish = right.find(end).unwrap() + end.len();
    let original = &right[start..finish];
    let forged = unsigned_of_cis("RacunOdgovor", &(head(SENT) + &jir(FORGED)));
    let forged = &forged[forged.find(element).unwrap()..forged.find(end).unwrap() + end.len()];
    let renamed = forged.replace("G0x7f4b71d6f100-4D", "other");
    let signature = &right[right.find("<Signature").unwrap()..right.find(end).unwrap()];
    let with_signature = forged.replace(end, &format!("{signature}{end}"));
    let header = |inside: &str, body: &str| {
        let start = format!("<soap:Header>{inside}</soap:Header><soap:Body>");
        right.replace(original, body).replace("<soap:Body>", &start)
    };
    let parameter = "<InclusiveNamespaces xmlns=\"http://www.w3.org/2001/10/xml-exc-c14n#\" \
                     PrefixList=\"tns\"></InclusiveNamespaces></Transform></Transforms>";
    for (name, body, expected) in [
        ("its id was altered", right.replace(ID, FORGED), "signature"),
        ("its context was altered", right.replace(" xmlns:xsi=", " xmlns:xsd="), "signature"),
        ("the original is in the header", header(original, &renamed), "wrapped"),
        ("both have the same id", header(original, forged), "wrapped"),
        ("the signature was copied", right.replace(original, &with_signature), "signature"),
        ("both are signed", header(original, &with_signature), "wrapped"),
        (
            "both are in the body",
            right.replace(original, &[&renamed, original].concat()),
            "wrapped",
        ),
        (
            "it is inside a forged one",
            right.replace(original, &renamed.replace(end, &[original, end].concat())),
            "wrapped",
        ),
        ("the id is there twice", header("<x Id=\"G0x7f4b71d6f100-4D\"/>", original), "wrapped"),
        (
            "the id is there as another",
            header("<x ID=\"G0x7f4b71d6f100-4D\"/>", original),
            "wrapped",
        ),
        (
            "there are two bodies",
            right.replace("</soap:Body>", "</soap:Body><soap:Body/>"),
            "wrapped",
        ),
        (
            "something follows the signature",
            right.replace(end, &[&*jir(FORGED), end].concat()),
            "wrapped",
        ),
        (
            "the reference is to all",
            right.replace("URI=\"#G0x7f4b71d6f100-4D\"", "URI=\"\""),
            "wrapped",
        ),
        ("the reference is to another", right.replace("URI=\"#G0x", "URI=\"#H0x"), "wrapped"),
        ("the signature is gone", right.replace(signature, ""), "unsigned"),
        ("the certificate is gone", cut(&right, "<KeyInfo>", "</KeyInfo>"), "signer"),
        ("the transforms are gone", cut(&right, "<Transforms>", "</Transforms>"), "wrapped"),
        (
            "a transform has a parameter",
            right.replace("</Transform></Transforms>", parameter),
            "algorithm",
        ),
        (
            "a transform is XSLT",
            right.replacen("xmldsig#enveloped-signature", "xslt", 1),
            "algorithm",
        ),
        ("the method is HMAC", right.replace("more#rsa-sha256", "more#hmac-sha256"), "algorithm"),
        (
            "the digest is SHA-1",
            right.replace("2001/04/xmlenc#sha256", "2000/09/xmldsig#sha1"),
            "algorithm",
        ),
        ("it declares a type", right.replace("?>\n", "?>\n<!DOCTYPE r>"), "unreadable"),
        (
            "its envelope is another",
            right.replace("schemas.xmlsoap.org/soap", "example.org/soap"),
            "unreadable",
        ),
    ] {
        assert_ne!(body, right, "{name}");
        let read = cis(&body);
        assert_eq!(kind(&read), expected, "{name}: {read:?}");
    }
    for now in [datetime!(2024-12-31 0:00 UTC), datetime!(2035-01-03 0:00 UTC)] {
        assert_eq!(kind(&cis_at(&right, now)), "signer", "at {now}");
    }
    let taxpayer = fina_key("public_taxpayer");
    let unsigned = unsigned_of_cis("RacunOdgovor", &(head(SENT) + &jir(ID)));
    let read = cis(&signed(&unsigned, Profile::CIS, &taxpayer));
    assert_eq!(kind(&read), "signer", "a taxpayer, certified by the same authority: {read:?}");
}

/// `text` without what is between `start` and `end`, and without these.
fn cut(text: &str, start: &str, end: &str) -> String {
    let (before, rest) = text.split_once(start).unwrap();
    [before, rest.split_once(end).unwrap().1].concat()
}

#[test]
fn a_signed_answer_of_cis_must_be_the_one_to_the_message() {
    for (name, content, expected) in [
        ("another message", head(FORGED) + &jir(ID), "message id"),
        ("no message", head("") + &jir(ID), "message id"),
        ("both", head(SENT) + &jir(ID) + ERRORS, "malformed"),
        ("neither", head(SENT), "malformed"),
        ("two ids", head(SENT) + &jir(ID) + &jir(FORGED), "malformed"),
        ("an empty id", head(SENT) + &jir(""), "malformed"),
        (
            "an id of another form",
            head(SENT) + &jir("8ac94f39d69e43d990100bb3abb2b241"),
            "malformed",
        ),
        ("an id with an element", head(SENT) + &jir(&format!("{ID}<a></a>")), "malformed"),
        ("no errors", head(SENT) + "<tns:Greske></tns:Greske>", "malformed"),
        ("more than it may say", head(SENT) + &jir(ID) + "<tns:Racun></tns:Racun>", "malformed"),
        ("another namespace", head(SENT) + &jir(ID).replace("tns:Jir", "Jir"), "malformed"),
        ("no head", jir(ID), "malformed"),
        ("errors", head(SENT) + ERRORS, "believed"),
        (
            "an id that a comment cuts",
            head(SENT) + &jir(&ID.replacen('-', "<!-- - -->-", 1)),
            "believed",
        ),
    ] {
        let read = cis(&soap_of_cis("RacunOdgovor", &content));
        assert_eq!(kind(&read), expected, "{name}: {read:?}");
        if let Ok(Reply::Confirmed(jir)) = read {
            assert_eq!(jir.as_deref(), Some(ID), "{name}: a comment does not end a text");
        }
    }
    for root in ["PromijeniPodatkeRacunaOdgovor", "EchoResponse", "RacunZahtjev"] {
        let read = cis(&soap_of_cis(root, &(head(SENT) + &jir(ID))));
        assert_eq!(kind(&read), "malformed", "{root}");
    }
}

#[test]
fn a_signed_answer_of_furs_must_be_the_one_to_the_message() {
    const UNREAD: &str = "000000000000000000000000000000000000";
    let head = |id: &str| {
        format!(
            "<fu:Header><fu:DateTime>2026-11-20T16:04:27</fu:DateTime>\
             <fu:MessageID>{id}</fu:MessageID></fu:Header>"
        )
    };
    let eor = format!("<fu:UniqueInvoiceID>{ID}</fu:UniqueInvoiceID>");
    let error = "<fu:Error><fu:ErrorCode>s003</fu:ErrorCode>\
                 <fu:ErrorMessage>x</fu:ErrorMessage></fu:Error>";
    let (invoice, premise) = (furs::Asked::Invoice, furs::Asked::Premise);
    for (name, asked, root, content, expected) in [
        ("an EOR", invoice, "InvoiceResponse", head(SENT) + &eor, "believed"),
        ("capitals", invoice, "InvoiceResponse", head(&SENT.to_uppercase()) + &eor, "believed"),
        ("an error", invoice, "InvoiceResponse", head(SENT) + error, "believed"),
        ("an unread message", invoice, "InvoiceResponse", head(UNREAD) + error, "believed"),
        ("a premise", premise, "BusinessPremiseResponse", head(SENT), "believed"),
        (
            "an EOR for what was unread",
            invoice,
            "InvoiceResponse",
            head(UNREAD) + &eor,
            "message id",
        ),
        ("an unread premise", premise, "BusinessPremiseResponse", head(UNREAD), "message id"),
        ("another message", invoice, "InvoiceResponse", head(FORGED) + &eor, "message id"),
        ("both", invoice, "InvoiceResponse", head(SENT) + &eor + error, "malformed"),
        ("neither", invoice, "InvoiceResponse", head(SENT), "malformed"),
        ("a premise's", invoice, "BusinessPremiseResponse", head(SENT), "malformed"),
        ("an invoice's", premise, "InvoiceResponse", head(SENT) + &eor, "malformed"),
        ("an EOR of a premise", premise, "BusinessPremiseResponse", head(SENT) + &eor, "malformed"),
        ("more", invoice, "InvoiceResponse", head(SENT) + &eor + "<fu:A></fu:A>", "malformed"),
    ] {
        let read = furs_soap(&soap_of_furs(root, &content), asked);
        assert_eq!(kind(&read), expected, "{name}: {read:?}");
        if let Ok(Reply::Refused { code, message, .. }) = read {
            assert_eq!((&*code, &*message), ("S003", "x"), "{name}");
        }
    }
    let right = soap_of_furs("InvoiceResponse", &(head(SENT) + &eor));
    for signer in ["mock_furs_signer_expired", "mock_evil", "pub_a"] {
        let unsigned = cut(&right, "<Signature", "</Signature>");
        let read = furs_soap(&signed(&unsigned, Profile::FURS, &furs_key(signer)), invoice);
        assert_eq!(kind(&read), "signer", "{signer}: {read:?}");
    }

    let answer = |content: &str| {
        let head = format!(r#""Header":{{"MessageID":"{SENT}","DateTime":"2026-11-20T16:04:27"}}"#);
        format!(r#"{{"InvoiceResponse":{{{head}{content}}}}}"#)
    };
    let eor = format!(r#","UniqueInvoiceID":"{ID}""#);
    for (payload, expected) in [
        (answer(&eor), "believed"),
        (answer(&format!(r#"{eor},"More":1"#)), "malformed"),
        (answer(&format!("{eor}{eor}")), "malformed"),
        (answer(&format!(r#"{eor},"Error":null"#)), "believed"),
        (answer(r#","UniqueInvoiceID":7"#), "malformed"),
        (answer(&eor).replace("}}", "}},\"BusinessPremiseResponse\":{}}"), "malformed"),
        (answer(&eor).replace("Header", "Footer"), "malformed"),
        ("[]".to_owned(), "malformed"),
        ("{}".to_owned(), "malformed"),
        (String::new(), "malformed"),
    ] {
        let read = furs_json(&payload);
        assert_eq!(kind(&read), expected, "{payload}: {read:?}");
    }
}
