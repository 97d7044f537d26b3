//! The certificates that the simulator serves and signs with, made again at each start, so that
//! none of them expires.

use time::{Duration, OffsetDateTime};

use super::certificate::{Identity, Key, Use, Wanted, random};
use super::name::{Kind, Name};
use crate::fault::Twist;

/// Bytes of a throw-away key.
macro_rules! key {
    ($name:literal) => {
        Key::embedded(include_bytes!(concat!("../../keys/throw-away-", $name, ".pem")))
    };
}

/// All that signs in the name of an authority.
pub struct Authorities {
    root: Identity,
    issuing: Identity,
    /// Serves TLS, for both.
    pub server: Identity,
    /// The same name, but another issuer.
    pub wrong_server: Identity,
    /// Signs replies of FURS.
    pub furs: Signers,
    /// Signs replies of CIS.
    pub cis: Signers,
    /// Issues the certificates of taxpayers in Slovenia.
    pub tax_ca: Identity,
    /// Issues the certificates of taxpayers in Croatia.
    pub fina_ca: Identity,
}

/// Who signs replies: the right one, and some who must not be believed.
pub struct Signers {
    pub right: Identity,
    /// The right name and issuer, but its time is over.
    pub expired: Identity,
    /// The right name, but another issuer.
    pub untrusted: Identity,
    /// The right issuer, but another name.
    pub other: Identity,
}

impl Signers {
    /// Who signs, when `twist` goes wrong.
    pub const fn of(&self, twist: Option<Twist>) -> &Identity {
        match twist {
            Some(Twist::UntrustedSigner) => &self.untrusted,
            Some(Twist::ExpiredSigner) => &self.expired,
            Some(Twist::OtherSigner) => &self.other,
            _ => &self.right,
        }
    }
}

impl Authorities {
    /// Makes all of them, valid from 400 days before `now` for some twelve years.
    pub fn new(now: OffsetDateTime) -> Self {
        let maker = Maker { now };
        let root_name = Name::new(&[
            (Kind::Country, "SI"),
            (Kind::Organization, "Racun authority simulator"),
            (Kind::CommonName, "Racun Simulator Root CA"),
        ]);
        let root = maker.root(key!("root"), &root_name);
        let issuing_name = Name::new(&[
            (Kind::Country, "SI"),
            (Kind::Organization, "Racun authority simulator"),
            (Kind::CommonName, "Racun Simulator Issuing CA"),
        ]);
        let issuing = maker.issue(&root, key!("issuing"), &issuing_name, Use::Issue);
        let server_name = Name::new(&[
            (Kind::Organization, "Racun authority simulator"),
            (Kind::CommonName, "localhost"),
        ]);
        let server = maker.issue(&issuing, key!("tls"), &server_name, Use::Serve);
        let rogue = maker.root(key!("rogue"), &issuing_name);
        let wrong_server = maker.issue(&rogue, key!("tls"), &server_name, Use::Serve);
        let tax_ca_name = Name::new(&[
            (Kind::Country, "SI"),
            (Kind::Organization, "state-institutions"),
            (Kind::CommonName, "Tax CA Test"),
        ]);
        let fina_ca_name = Name::new(&[
            (Kind::Country, "HR"),
            (Kind::Organization, "Financijska agencija"),
            (Kind::CommonName, "Fina Demo CA 2020"),
        ]);
        Self {
            furs: maker.signers(
                &issuing,
                || key!("furs-signer"),
                &furs_signer("DavPotRacTEST"),
                &furs_signer("somebody else"),
                Use::Sign,
            ),
            cis: maker.signers(
                &issuing,
                || key!("cis-signer"),
                &cis_signer("fiskalcistest"),
                &cis_signer("somebody else"),
                Use::Fiscal,
            ),
            tax_ca: maker.root(key!("tax-ca"), &tax_ca_name),
            fina_ca: maker.root(key!("fina-ca"), &fina_ca_name),
            server,
            wrong_server,
            root,
            issuing,
        }
    }

    /// What a client has to trust, for TLS and for the signers of replies: root and issuing CA,
    /// PEM.
    pub fn ca_pem(&self) -> String {
        format!("{}{}", self.root.pem(), self.issuing.pem())
    }

    /// The certificate of who issued the server's.
    pub fn issuing(&self) -> &Identity {
        &self.issuing
    }
}

/// The name in replies of FURS. Its last set has two attributes, as the official one.
fn furs_signer(common_name: &str) -> Name {
    Name::new(&[
        (Kind::Country, "SI"),
        (Kind::Organization, "state authorities"),
        (Kind::Unit, "systems"),
    ])
    .and(&[(Kind::CommonName, common_name), (Kind::SerialNumber, "1237997210028")])
}

fn cis_signer(common_name: &str) -> Name {
    Name::new(&[
        (Kind::Country, "HR"),
        (Kind::Organization, "APIS IT D.O.O."),
        (Kind::OrganizationIdentifier, "HR02994650199"),
        (Kind::Locality, "ZAGREB"),
        (Kind::CommonName, common_name),
    ])
}

struct Maker {
    now: OffsetDateTime,
}

impl Maker {
    fn root(&self, key: Key, subject: &Name) -> Identity {
        Identity::self_signed(key, &self.wanted(subject, &serial(), Use::Issue))
    }

    fn issue(&self, issuer: &Identity, key: Key, subject: &Name, purpose: Use) -> Identity {
        issuer.issue(key, &self.wanted(subject, &serial(), purpose))
    }

    fn signers(
        &self,
        issuing: &Identity,
        key: impl Fn() -> Key,
        name: &Name,
        other: &Name,
        purpose: Use,
    ) -> Signers {
        let over = self.now - Duration::days(400);
        let serial_of_expired = serial();
        let expired = Wanted {
            not_before: over - Duration::days(1_000),
            not_after: over,
            ..self.wanted(name, &serial_of_expired, purpose)
        };
        let rogue = self.root(key!("rogue"), &issuing.subject);
        Signers {
            right: self.issue(issuing, key(), name, purpose),
            expired: issuing.issue(key(), &expired),
            untrusted: self.issue(&rogue, key!("rogue"), name, purpose),
            other: self.issue(issuing, key(), other, purpose),
        }
    }

    fn wanted<'a>(&self, subject: &'a Name, serial: &'a [u8], purpose: Use) -> Wanted<'a> {
        Wanted {
            subject,
            serial,
            not_before: self.now - Duration::days(400),
            not_after: self.now + Duration::days(4_000),
            purpose,
        }
    }
}

/// A serial number of some 96 bits, as FURS has them: more than fits a machine's word.
fn serial() -> [u8; 12] {
    let mut serial = random::<12>();
    serial[0] = serial[0] & 0x7f | 0x40;
    serial
}
