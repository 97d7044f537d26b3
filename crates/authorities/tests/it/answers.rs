//! Answers of the authorities: those of the vectors, and forged ones.

use racun_authorities::{SignerName, Trust, VerificationError, Verifier, fina, furs};
use racun_fiscal::{MessageId, Reply};
use serde_json::Value;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::support::{self, der, fina_trust, furs_trust, text};

/// When the vectors of FINA were made.
const NOW: OffsetDateTime = datetime!(2026-11-20 16:04:30 UTC);

fn of_furs() -> Verifier {
    Verifier { trust: furs_trust(), signer: SignerName::FURS_TEST }
}

fn of_cis() -> Verifier {
    Verifier { trust: fina_trust(), signer: SignerName::CIS_TEST }
}

fn id(text: &str) -> MessageId {
    MessageId::from(text.to_owned())
}

/// Checks an outcome as the vectors of FURS name it.
fn check_furs(read: Result<Reply, VerificationError>, expected: &Value, name: &str) {
    let outcome = text(expected, "outcome");
    let is_right = match &read {
        Ok(Reply::Confirmed(Some(eor))) => {
            outcome == "confirmed" && expected["eor"] == eor.as_str()
        }
        Ok(Reply::Confirmed(None)) => outcome == "premise_accepted",
        Ok(Reply::Refused { code, .. }) => {
            outcome.ends_with("rejected") && expected["code"] == code.as_str()
        }
        Err(VerificationError::Signature) => outcome == "invalid_signature",
        Err(VerificationError::Signer(_)) => outcome == "untrusted_signer",
        Err(VerificationError::Algorithm(_)) => outcome == "rejected_algorithm",
        Err(VerificationError::MessageId(_)) => outcome == "message_id_mismatch",
        Err(VerificationError::Malformed(_) | VerificationError::Wrapped(_)) => {
            outcome == "malformed"
        }
        Err(VerificationError::Unreadable(_) | VerificationError::Unsigned) => false,
    };
    assert!(is_right, "{name}: {read:?}, expected {expected}");
}

#[test]
fn answers_of_furs_in_json_are_read_as_the_vectors_say() {
    for vector in support::furs("responses") {
        let name = text(vector, "id");
        let is_premise = name.contains("premise-ok") || name.contains("premise-s005");
        let asked = if is_premise { furs::Asked::Premise } else { furs::Asked::Invoice };
        let id = id(text(vector, "request_message_id"));
        let now = support::time(vector, "verify_at");
        let body = text(vector, "http_body").as_bytes();
        check_furs(furs::read_json(body, asked, &id, &of_furs(), now), &vector["expect"], name);
    }
}

#[test]
fn official_answers_of_furs_are_believed_by_its_official_certificates() {
    let built_in = concat!(
        include_str!("../../certificates/si-trust-root.pem"),
        include_str!("../../certificates/sigov-ca.pem")
    );
    let verifier =
        Verifier { trust: Trust::from_pem(built_in).unwrap(), signer: SignerName::FURS_TEST };
    for vector in support::furs("official_responses") {
        let name = text(vector, "id");
        let is_premise = name.contains("premise");
        let asked = if is_premise { furs::Asked::Premise } else { furs::Asked::Invoice };
        let expected = &vector["expect"];
        let id = id(text(expected, "message_id"));
        let body = format!(r#"{{"token":"{}"}}"#, text(vector, "token"));
        let read =
            |verifier: &Verifier, now| furs::read_json(body.as_bytes(), asked, &id, verifier, now);
        check_furs(read(&verifier, support::time(vector, "verify_at")), expected, name);
        // Years later its certificate has expired, and the other system's signer is another one.
        assert!(matches!(read(&verifier, NOW), Err(VerificationError::Signer(_))), "{name}");
        let production = Verifier { signer: SignerName::FURS, ..verifier.clone() };
        let then = support::time(vector, "verify_at");
        assert!(matches!(read(&production, then), Err(VerificationError::Signer(_))), "{name}");
    }
}

#[test]
fn answers_of_furs_in_xml_are_read_as_the_vectors_say() {
    for vector in support::furs("soap_responses") {
        let name = text(vector, "id");
        let id = id(text(vector, "request_message_id"));
        let now = support::time(vector, "verify_at");
        let body = text(vector, "document").as_bytes();
        let read = furs::read_soap(body, furs::Asked::Invoice, &id, &of_furs(), now);
        check_furs(read, &vector["expect"], name);
    }
}

fn read_cis(vector: &Value, id: &MessageId) -> Result<Reply, VerificationError> {
    let asked = match text(vector, "operation_root") {
        "PromijeniPodatkeRacunaOdgovor" => fina::Asked::Change,
        _ => fina::Asked::Receipt,
    };
    fina::read(text(vector, "http_body").as_bytes(), asked, id, &of_cis(), NOW)
}

#[test]
fn answers_of_cis_are_read_as_the_vectors_say() {
    for vector in support::fina("responses") {
        let (name, expected) = (text(vector, "name"), &vector["expected"]);
        let sent = id(text(vector, "request_id_poruke"));
        let read = read_cis(vector, &sent);
        let is_right = match (text(expected, "outcome"), &read) {
            ("jir", Ok(Reply::Confirmed(Some(jir)))) => expected["jir"] == jir.as_str(),
            ("accepted", Ok(Reply::Confirmed(None))) => true,
            ("errors", Ok(Reply::Refused { code, message, .. })) => {
                let all = expected["restrictive"].as_array();
                let named = all.is_none_or(|all| message.contains(all[0].as_str().unwrap()));
                expected["codes"][0] == code.as_str() && named
            }
            ("reject", Err(error)) => error.is_suspicious(),
            ("transport_unknown", Err(error)) => !error.is_suspicious(),
            // An echo is not signed, and no signature is expected.
            ("echo", Err(VerificationError::Malformed(_))) => true,
            _ => false,
        };
        assert!(is_right, "{name}: {read:?}, expected {expected}");
        if read.is_ok() {
            let other = id("00000000-0000-4000-8000-000000000000");
            assert!(
                matches!(read_cis(vector, &other), Err(VerificationError::MessageId(_))),
                "{name}"
            );
        }
    }
}

#[test]
fn the_real_signers_are_certified_by_the_built_in_authorities() {
    let fina = Trust::from_pem(concat!(
        include_str!("../../certificates/fina-demo-root-ca.pem"),
        include_str!("../../certificates/fina-demo-ca-2020.pem")
    ))
    .unwrap();
    let sample = support::folder().join("fina_official/resp_promijeni_podatke_p005.xml");
    let sample = std::fs::read_to_string(sample).unwrap();
    let start = sample.find("<X509Certificate>").unwrap() + "<X509Certificate>".len();
    let end = sample.find("</X509Certificate>").unwrap();
    let pem = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        &sample[start..end]
    );
    let chain = [der(&pem)];
    let (certificate, _) = fina.key_of(&chain, datetime!(2025-12-05 13:02 UTC)).unwrap();
    assert_eq!(SignerName::CIS_TEST.check(&certificate), Ok(()));
    assert!(SignerName::CIS.check(&certificate).is_err());
    assert!(fina.key_of(&chain, datetime!(2026-07-11 0:00 UTC)).is_err(), "it has expired");
    assert!(of_furs().trust.key_of(&chain, datetime!(2025-12-05 13:02 UTC)).is_err());
    assert!(fina.key_of(&[], NOW).is_err());
    for pem in ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(Trust::from_pem(pem).is_err(), "{pem}");
    }
}
