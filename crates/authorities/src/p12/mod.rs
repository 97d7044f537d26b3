//! PKCS#12 files of strangers, opened at a bounded cost.
//!
//! The reader is our own, for a file says itself how long opening it takes, also in the parts that
//! are encrypted: a library that opens a file whole cannot be bounded from outside (ADR 0017).

mod archive;
mod cipher;
#[cfg(test)]
mod tests;
mod values;

use racun_fiscal::{Authority, Identity, OpenedCertificate, P12Error};

use self::archive::Archive;
use self::cipher::Budget;
use crate::{Certificate, RsaSigner};

/// A larger file is none that an authority gave: theirs have less than 10 KiB.
const MOST_BYTES: usize = 64 * 1_024;

/// Opens `file`, modern (PBES2) or legacy (RC2, 3DES). The certificate is the one whose key the
/// file holds; the tax number is read of its subject as `authority` writes it.
///
/// It hashes at most four million times, reads at most 64 KiB and 64 parts, and computes for about
/// a second at most: call it off the threads that serve.
///
/// # Errors
/// Why the file is of no use.
pub fn open(
    authority: Authority,
    file: &[u8],
    passphrase: &str,
) -> Result<OpenedCertificate, P12Error> {
    if file.len() > MOST_BYTES {
        return Err(P12Error::TooMuch);
    }
    let archive = Archive::open(file, passphrase, &mut Budget::default())?;
    let [private_key] = archive.keys.as_slice() else { return Err(P12Error::NoIdentity) };
    let signer = RsaSigner::new(private_key).map_err(|_| P12Error::UnsupportedKey)?;
    let mut held: Vec<Held> = archive.certificates.into_iter().filter_map(Held::read).collect();
    let is_leaf = |held: &Held| held.read.rsa_key.as_deref() == Some(signer.public_key());
    let leaf = held.iter().position(is_leaf).ok_or(P12Error::NoIdentity)?;
    let leaf = held.swap_remove(leaf);
    let chain = chain(&leaf, &held);
    let certificate = leaf.read;
    let number = match authority {
        Authority::Furs => certificate.tax_number(),
        Authority::Fina => certificate.oib(),
    };
    Ok(OpenedCertificate {
        tax_number: number.map(str::to_owned),
        common_name: certificate.common_name().to_owned(),
        subject: certificate.subject.rfc4514(),
        issuer: certificate.issuer.rfc4514(),
        identity: Identity { certificate: leaf.der, chain, private_key: private_key.clone() },
        serial: certificate.serial,
        not_before: certificate.not_before,
        not_after: certificate.not_after,
    })
}

/// A certificate of the file.
struct Held {
    der: Vec<u8>,
    read: Certificate,
}

impl Held {
    fn read(der: Vec<u8>) -> Option<Self> {
        Certificate::from_der(&der).map(|read| Self { der, read })
    }
}

/// The issuers of `leaf` among `held`, each before its own issuer, without the root.
fn chain(leaf: &Held, held: &[Held]) -> Vec<Vec<u8>> {
    let mut chain: Vec<Vec<u8>> = Vec::new();
    let mut last = &leaf.read;
    let is_issuer_of = |last: &Certificate, issuer: &Certificate| {
        issuer.subject == last.issuer && issuer.subject != issuer.issuer
    };
    while let Some(issuer) = held.iter().find(|held| is_issuer_of(last, &held.read)) {
        if chain.contains(&issuer.der) {
            break;
        }
        chain.push(issuer.der.clone());
        last = &issuer.read;
    }
    chain
}
