//! What a PKCS#12 file holds (RFC 7292), in DER.
//!
//! The nesting is that of the standard and no deeper: what a file nests further stays unread.

use der::asn1::ObjectIdentifier;
use der::{Reader, SliceReader, Tag, TagNumber};
use racun_fiscal::P12Error;

use super::cipher::{self, Budget, Passphrase};
use super::values::{inside, not_p12, value};

const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const ENCRYPTED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.6");
const KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.2");
const CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.3");
const X509: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.22.1");

/// `[0]`, around another value.
const AROUND: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
/// `[0]`, in the place of an octet string's own tag.
const INSTEAD: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

/// Private keys and certificates of a file, in its order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Archive {
    /// Private keys, PKCS#8.
    pub keys: Vec<Vec<u8>>,
    /// Certificates, X.509. Nothing of them is looked at.
    pub certificates: Vec<Vec<u8>>,
}

impl Archive {
    /// Opens `file` within `budget`. A file without a checksum is opened, too.
    pub(super) fn open(
        file: &[u8],
        passphrase: &str,
        budget: &mut Budget,
    ) -> Result<Self, P12Error> {
        let passphrase = Passphrase::new(passphrase);
        let mut pfx = whole(file)?;
        if pfx.decode::<u8>().map_err(not_p12)? != 3 {
            return Err(P12Error::NotP12);
        }
        let mut content = inside(&mut pfx, Tag::Sequence)?;
        if content.decode::<ObjectIdentifier>().map_err(not_p12)? != DATA {
            return Err(P12Error::NotP12);
        }
        let content = data(&mut content)?;
        if !pfx.is_finished() {
            let mac = inside(&mut pfx, Tag::Sequence)?;
            cipher::verify(mac, content, &passphrase, budget)?;
        }
        let mut archive = Self::default();
        let mut safes = whole(content)?;
        while !safes.is_finished() {
            budget.part()?;
            let mut safe = inside(&mut safes, Tag::Sequence)?;
            match safe.decode().map_err(not_p12)? {
                DATA => archive.read(data(&mut safe)?, &passphrase, budget)?,
                ENCRYPTED_DATA => {
                    let opened = opened(&mut inside(&mut safe, AROUND)?, &passphrase, budget)?;
                    archive.read(&opened, &passphrase, budget)?;
                }
                _ => return Err(P12Error::NotP12),
            }
        }
        Ok(archive)
    }

    /// Reads `contents`, a `SafeContents`. Bags of other kinds are left alone.
    fn read(
        &mut self,
        contents: &[u8],
        passphrase: &Passphrase<'_>,
        budget: &mut Budget,
    ) -> Result<(), P12Error> {
        let mut bags = whole(contents)?;
        while !bags.is_finished() {
            budget.part()?;
            let mut bag = inside(&mut bags, Tag::Sequence)?;
            let kind: ObjectIdentifier = bag.decode().map_err(not_p12)?;
            let mut held = inside(&mut bag, AROUND)?;
            match kind {
                KEY => self.keys.push(held.tlv_bytes().map_err(not_p12)?.to_vec()),
                SHROUDED_KEY => {
                    let mut locked = inside(&mut held, Tag::Sequence)?;
                    let algorithm = inside(&mut locked, Tag::Sequence)?;
                    let data = value(&mut locked, Tag::OctetString)?;
                    self.keys.push(cipher::decrypt(algorithm, data, passphrase, budget)?);
                }
                CERTIFICATE => {
                    let mut held = inside(&mut held, Tag::Sequence)?;
                    if held.decode::<ObjectIdentifier>().map_err(not_p12)? == X509 {
                        self.certificates.push(data(&mut held)?.to_vec());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Decrypts an `EncryptedData`.
fn opened(
    around: &mut SliceReader<'_>,
    passphrase: &Passphrase<'_>,
    budget: &mut Budget,
) -> Result<Vec<u8>, P12Error> {
    let mut encrypted = inside(around, Tag::Sequence)?;
    if encrypted.decode::<u8>().map_err(not_p12)? != 0 {
        return Err(P12Error::NotP12);
    }
    let mut info = inside(&mut encrypted, Tag::Sequence)?;
    info.decode::<ObjectIdentifier>().map_err(not_p12)?;
    let algorithm = inside(&mut info, Tag::Sequence)?;
    cipher::decrypt(algorithm, value(&mut info, INSTEAD)?, passphrase, budget)
}

/// The octets of `[0] { OCTET STRING }`.
fn data<'a>(reader: &mut SliceReader<'a>) -> Result<&'a [u8], P12Error> {
    value(&mut inside(reader, AROUND)?, Tag::OctetString)
}

/// The values of `bytes`, one sequence and nothing behind it.
fn whole(bytes: &[u8]) -> Result<SliceReader<'_>, P12Error> {
    let mut reader = SliceReader::new(bytes).map_err(not_p12)?;
    let values = inside(&mut reader, Tag::Sequence)?;
    if reader.is_finished() { Ok(values) } else { Err(P12Error::NotP12) }
}
