//! PKCS#12 files.

use p12_keystore::error::Error;
use p12_keystore::{Certificate as Held, Pkcs12Archive};
use racun_fiscal::{Authority, Identity, OpenedCertificate, P12Error};

use crate::{Certificate, RsaSigner};

/// A larger file is none that an authority gave. The parser's work grows with it.
const MOST_BYTES: usize = 256 * 1_024;
/// `rsaEncryption`.
const RSA: &str = "1.2.840.113549.1.1.1";

/// Opens `file`, modern (PBES2) or legacy (RC2, 3DES). The certificate is the one whose key the file
/// holds; the tax number is read of its subject as `authority` writes it.
///
/// # Errors
/// Why the file is of no use.
pub fn open(
    authority: Authority,
    file: &[u8],
    passphrase: &str,
) -> Result<OpenedCertificate, P12Error> {
    if file.len() > MOST_BYTES {
        return Err(P12Error::NotP12);
    }
    let archive = Pkcs12Archive::from_pkcs12(file, passphrase).map_err(|error| match error {
        Error::MacError(_) | Error::Pkcs5Error(_) | Error::UnpadError => P12Error::WrongPassphrase,
        _ => P12Error::NotP12,
    })?;
    let [key] = archive.keys.as_slice() else { return Err(P12Error::NoIdentity) };
    if key.key.oid().to_string() != RSA {
        return Err(P12Error::UnsupportedKey);
    }
    let private_key = key.key.as_der();
    let signer = RsaSigner::new(private_key).map_err(|_| P12Error::UnsupportedKey)?;
    let held: Vec<&Held> = archive.certs.iter().map(|bag| &bag.cert).collect();
    let mut read =
        held.iter().filter_map(|held| Some((*held, Certificate::from_der(held.as_der())?)));
    let (leaf, certificate) = read
        .find(|(_, certificate)| certificate.rsa_key.as_deref() == Some(signer.public_key()))
        .ok_or(P12Error::NoIdentity)?;
    let number = match authority {
        Authority::Furs => certificate.tax_number(),
        Authority::Fina => certificate.oib(),
    };
    Ok(OpenedCertificate {
        tax_number: number.map(str::to_owned),
        common_name: certificate.common_name().to_owned(),
        subject: certificate.subject.rfc4514(),
        issuer: certificate.issuer.rfc4514(),
        identity: Identity {
            certificate: leaf.as_der().to_vec(),
            chain: chain(leaf, &held),
            private_key: private_key.to_vec(),
        },
        serial: certificate.serial,
        not_before: certificate.not_before,
        not_after: certificate.not_after,
    })
}

/// The issuers of `leaf` among `held`, each before its own issuer, without the root.
fn chain(leaf: &Held, held: &[&Held]) -> Vec<Vec<u8>> {
    let mut chain: Vec<Vec<u8>> = Vec::new();
    let mut last = leaf;
    let is_issuer_of = |last: &Held, issuer: &Held| {
        issuer.subject() == last.issuer() && issuer.subject() != issuer.issuer()
    };
    while let Some(issuer) = held.iter().find(|issuer| is_issuer_of(last, issuer)) {
        if chain.iter().any(|known| known == issuer.as_der()) {
            break;
        }
        chain.push(issuer.as_der().to_vec());
        last = issuer;
    }
    chain
}
