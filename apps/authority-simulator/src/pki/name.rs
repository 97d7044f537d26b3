//! Names of subjects and issuers.

use super::der;

/// A kind of attribute in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    CommonName,
    SerialNumber,
    Country,
    Locality,
    Organization,
    Unit,
    OrganizationIdentifier,
}

impl Kind {
    const fn arc(self) -> u32 {
        match self {
            Self::CommonName => 3,
            Self::SerialNumber => 5,
            Self::Country => 6,
            Self::Locality => 7,
            Self::Organization => 10,
            Self::Unit => 11,
            Self::OrganizationIdentifier => 97,
        }
    }
}

/// A name: sets of attributes, the most general first, as a certificate holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(Vec<Vec<(Kind, String)>>);

impl Name {
    /// A name of single attributes.
    pub fn new(attributes: &[(Kind, &str)]) -> Self {
        Self(attributes.iter().map(|(kind, text)| vec![(*kind, (*text).to_owned())]).collect())
    }

    /// The name with one more set, of several attributes, in the order of their encodings.
    pub fn and(mut self, together: &[(Kind, &str)]) -> Self {
        self.0.push(together.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect());
        self
    }

    pub fn der(&self) -> Vec<u8> {
        let attribute = |(kind, text): &(Kind, String)| {
            der::sequence(&[der::oid(&[2, 5, 4, kind.arc()]), string(*kind, text)])
        };
        let set =
            |set: &Vec<(Kind, String)>| der::set(&set.iter().map(attribute).collect::<Vec<_>>());
        der::sequence(&self.0.iter().map(set).collect::<Vec<_>>())
    }
}

fn string(kind: Kind, text: &str) -> Vec<u8> {
    const UTF8: u8 = 0x0c;
    const PRINTABLE: u8 = 0x13;
    let tag = if matches!(kind, Kind::Country | Kind::SerialNumber) { PRINTABLE } else { UTF8 };
    der::value(tag, text.as_bytes())
}
