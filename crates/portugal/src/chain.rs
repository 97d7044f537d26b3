//! The chain of signatures over the documents of a series.
//!
//! Source: Portaria 363/2010, articles 6 and 7; Despacho 8632/2014, 2.1 and 4.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_kernel::Decimal;
use racun_kernel::calendar::format_date;
use serde::{Deserialize, Serialize};
use time::Date;

use crate::{ManualNumber, Number, WallTime, amount_text};

/// Bytes of a signature, for the key has 1024 bits: 172 characters of Base64.
const HASH_BYTES: usize = 128;

/// Which characters of a signature are printed, counted from 1.
const PRINTED: [usize; 4] = [1, 11, 21, 31];

/// The key of the certified program could not sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program's private key cannot sign")]
pub struct SigningFailed;

/// The private key of the certified program, which its maker alone knows.
pub trait ProgramKey: Send + Sync {
    /// Its version, from 1: the authority knows each by form 24.
    fn version(&self) -> u32;

    /// The RSASSA-PKCS1-v1_5 signature with SHA-1 of `text`: 128 bytes, for the key has 1024 bits.
    ///
    /// # Errors
    /// When the key is of no use.
    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, SigningFailed>;
}

/// The signature of a document, as Base64 in one line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash(String);

/// The text is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 172 characters of Base64 in one line")]
pub struct InvalidHash;

impl Hash {
    /// The text of a signature of 128 bytes.
    ///
    /// # Errors
    /// For another number of bytes: the key has not 1024 bits.
    pub fn of(signature: &[u8]) -> Result<Self, InvalidHash> {
        STANDARD.encode(signature).parse()
    }

    /// As it is stored, chained and exported.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes of the signature.
    #[must_use]
    pub fn signature(&self) -> Vec<u8> {
        STANDARD.decode(&self.0).unwrap_or_default()
    }

    /// The four characters that paper and the QR code have: the 1st, 11th, 21st and 31st.
    #[must_use]
    pub fn excerpt(&self) -> String {
        PRINTED.iter().filter_map(|place| self.0.chars().nth(place - 1)).collect()
    }
}

impl FromStr for Hash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let is_one = STANDARD.decode(text).is_ok_and(|signature| signature.len() == HASH_BYTES);
        if is_one { Ok(Self(text.to_owned())) } else { Err(InvalidHash) }
    }
}

impl TryFrom<String> for Hash {
    type Error = InvalidHash;

    fn try_from(text: String) -> Result<Self, InvalidHash> {
        text.parse()
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is signed of a document.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// Its date.
    pub date: Date,
    /// When it entered the system.
    pub entered_at: WallTime,
    /// Its number.
    pub number: &'a Number,
    /// Its total with tax in euros, above zero for credit notes too; zero where a document shows no
    /// value.
    pub total: &'a Decimal,
    /// The signature of the document before it in its series; `None` for the first one.
    pub previous: Option<&'a Hash>,
}

impl Signed<'_> {
    /// The text: `InvoiceDate;SystemEntryDate;InvoiceNo;GrossTotal;PreviousHash`. The first of a
    /// series ends in its last semicolon.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { date, entered_at, number, total, previous } = self;
        let (date, total) = (format_date(*date), amount_text(&total.abs()));
        let previous = previous.map_or("", Hash::as_str);
        format!("{date};{entered_at};{number};{total};{previous}")
    }

    /// The signature.
    ///
    /// # Errors
    /// When the key cannot sign, or has not 1024 bits.
    pub fn sign(&self, key: &dyn ProgramKey) -> Result<Hash, SigningFailed> {
        let signature = key.sign(self.text().as_bytes())?;
        Hash::of(&signature).map_err(|_| SigningFailed)
    }
}

/// With which key a document is signed, and where it came from: `HashControl` of SAF-T.
///
/// Source: Portaria 302/2016, field 4.1.4.5; Despacho 8632/2014, 2.4 and 2.5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HashControl {
    /// Made in this program: the version of its key.
    Own(u32),
    /// Recovered from a form that was filled in by hand: `1-FTM V/23`.
    Recovered(u32, ManualNumber),
}

impl fmt::Display for HashControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(version) => write!(f, "{version}"),
            Self::Recovered(version, form) => write!(f, "{version}-{form}"),
        }
    }
}

/// A document as a link of the chain of its series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its date.
    pub date: Date,
    /// When it entered the system.
    pub entered_at: WallTime,
    /// Its number.
    pub number: Number,
    /// Its total with tax in euros.
    pub total: Decimal,
    /// Its signature.
    pub hash: Hash,
}

impl Link {
    /// What is signed of it behind `previous`.
    #[must_use]
    pub const fn signed<'a>(&'a self, previous: Option<&'a Hash>) -> Signed<'a> {
        let Self { date, entered_at, number, total, .. } = self;
        Signed { date: *date, entered_at: *entered_at, number, total, previous }
    }
}

/// Where a chain breaks, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{number}: {fault}")]
pub struct Broken {
    /// The first document that does not hold.
    pub number: Number,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is of another series than the one before it.
    #[error("it is of another series")]
    Series,
    /// Its number does not follow.
    #[error("its number does not follow the one before it")]
    Gap,
    /// Its date is before that of the document before it.
    #[error("its date is before the one before it")]
    Date,
    /// It entered before the document before it.
    #[error("it entered before the one before it")]
    Entry,
    /// The signature is not one of its text.
    #[error("the signature does not fit")]
    Signature,
}

/// Goes over all documents of a series, the first one first; `verify` says whether the second bytes
/// are a signature of the first ones by the program's key.
///
/// # Errors
/// The first document that does not hold.
pub fn verify<'a>(
    links: impl IntoIterator<Item = &'a Link>,
    verify: &dyn Fn(&[u8], &[u8]) -> bool,
) -> Result<(), Broken> {
    let mut last: Option<&Link> = None;
    for link in links {
        let text = link.signed(last.map(|last| &last.hash)).text();
        let order = last.map_or(Ok(()), |last| follows(last, link));
        let fits = order.and_then(|()| {
            let fits = verify(text.as_bytes(), &link.hash.signature());
            if fits { Ok(()) } else { Err(Fault::Signature) }
        });
        fits.map_err(|fault| Broken { number: link.number.clone(), fault })?;
        last = Some(link);
    }
    Ok(())
}

fn follows(last: &Link, next: &Link) -> Result<(), Fault> {
    let series = |link: &Link| (link.number.prefix().to_owned(), link.number.series().to_owned());
    if series(last) != series(next) {
        return Err(Fault::Series);
    }
    let expected = last.number.sequence().and_then(|sequence| sequence.checked_add(1));
    if expected.is_none() || next.number.sequence() != expected {
        return Err(Fault::Gap);
    }
    if next.date < last.date {
        return Err(Fault::Date);
    }
    if next.entered_at < last.entered_at {
        return Err(Fault::Entry);
    }
    Ok(())
}
