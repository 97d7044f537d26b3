//! JSON Web Signatures.

use racun_authorities::jws::{self, Token};
use racun_authorities::{RsaSigner, VerificationError};
use racun_fiscal::Signer;

use crate::support::{furs, furs_key, signing, text};

#[test]
fn a_token_is_the_vectors_byte_by_byte() {
    for vector in furs("messages") {
        let (signer, certificate) = signing(&furs_key(text(vector, "key")));
        let header = jws::header(&certificate);
        assert_eq!(header, text(vector, "jws_header_json"));
        let token = jws::sign(&header, text(vector, "payload_json"), &signer).unwrap();
        assert_eq!(token, text(vector, "jws_token"));

        let read = Token::parse(&token).unwrap();
        assert_eq!(read.serial(), Some(&*certificate.serial));
        let payload = read.verify(certificate.rsa_key.as_ref().unwrap()).unwrap();
        assert_eq!(payload, text(vector, "payload_json").as_bytes());
    }
}

#[test]
fn a_token_of_another_key_or_with_other_bytes_does_not_verify() {
    let (signer, certificate) = signing(&furs_key("pub_a"));
    let (other, _) = signing(&furs_key("pub_b"));
    let token = jws::sign(r#"{"alg":"RS256"}"#, r#"{"a":1}"#, &signer).unwrap();
    let read = Token::parse(&token).unwrap();
    assert!(read.verify(certificate.rsa_key.as_ref().unwrap()).is_ok());
    assert_eq!(read.verify(other.public_key()), Err(VerificationError::Signature));

    // Any other character anywhere is refused, whether or not it can be read.
    for place in (0..token.len()).step_by(7) {
        let mut altered = token.clone().into_bytes();
        altered[place] = if altered[place] == b'A' { b'B' } else { b'A' };
        let altered = String::from_utf8(altered).unwrap();
        let verified = Token::parse(&altered)
            .and_then(|token| token.verify(signer.public_key()).map(<[u8]>::to_vec));
        assert!(verified.is_err(), "character {place}");
    }
}

#[test]
fn only_one_algorithm_is_accepted() {
    let (signer, _) = signing(&furs_key("pub_a"));
    let algorithm = |name: &str| VerificationError::Algorithm(name.to_owned());
    for (header, error) in [
        (r#"{"alg":"none"}"#, algorithm("none")),
        (r#"{"alg":"HS256"}"#, algorithm("HS256")),
        (r#"{"alg":"rs256"}"#, algorithm("rs256")),
        (r#"{"alg":"RS256","crit":["b64"],"b64":false}"#, algorithm("critical extensions")),
    ] {
        let token = jws::sign(header, "{}", &signer).unwrap();
        assert_eq!(Token::parse(&token).unwrap_err(), error, "{header}");
    }
    for token in ["", "a.b", "a.b.c", "e30.e30.e30.e30", "e30.e30."] {
        assert!(matches!(Token::parse(token), Err(VerificationError::Unreadable(_))), "{token}");
    }
    // A header that names its algorithm twice can be read in two ways.
    let token = jws::sign(r#"{"alg":"none","alg":"RS256"}"#, "{}", &signer).unwrap();
    assert!(matches!(Token::parse(&token), Err(VerificationError::Unreadable(_))));
}

#[test]
fn a_key_that_is_not_rsa_does_not_sign() {
    assert!(RsaSigner::new(b"no key").is_err());
    let (signer, _) = signing(&furs_key("pub_a"));
    assert_eq!(signer.sign(b"text").unwrap().len(), 256);
}
