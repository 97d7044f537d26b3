//! A signed message that can be sent, and how its answer is read.

use racun_fiscal::{Header, Message, Reply, Signer, SigningFailed};
use time::OffsetDateTime;

use crate::settings::Transport;
use crate::system::System;
use crate::transport::{Format, Request};
use crate::{Certificate, VerificationError, Verifier, fina, furs};

/// Who sends.
pub(crate) struct Sender<'a> {
    pub(crate) signer: &'a dyn Signer,
    pub(crate) certificate: &'a Certificate,
    /// The certificate, DER.
    pub(crate) der: &'a [u8],
}

/// A signed message that can be sent.
pub(crate) struct SignedMessage {
    pub(crate) request: Request,
    pub(crate) asked: Asked,
}

/// What was asked for, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked {
    FursJson(furs::Asked),
    FursSoap(furs::Asked),
    Fina(fina::Asked),
}

impl SignedMessage {
    /// Writes and signs `message`.
    pub(crate) fn new(
        system: &System,
        header: &Header,
        message: &Message,
        sender: &Sender<'_>,
    ) -> Result<Self, SigningFailed> {
        match (message, system.transport) {
            (Message::FursInvoice { invoice, subsequent }, Transport::Json) => {
                let payload = invoice.json(header, *subsequent);
                Self::furs_json(furs::Asked::Invoice, &payload, system, sender)
            }
            (Message::FursInvoice { invoice, subsequent }, Transport::Soap) => {
                let root = invoice.xml(header, *subsequent);
                Self::furs_soap(furs::Asked::Invoice, &root, system, sender)
            }
            (Message::FursBook(form), Transport::Json) => {
                Self::furs_json(furs::Asked::Invoice, &form.json(header), system, sender)
            }
            (Message::FursBook(form), Transport::Soap) => {
                Self::furs_soap(furs::Asked::Invoice, &form.xml(header), system, sender)
            }
            (Message::FursPremise(premise), Transport::Json) => {
                Self::furs_json(furs::Asked::Premise, &premise.json(header), system, sender)
            }
            (Message::FursPremise(premise), Transport::Soap) => {
                Self::furs_soap(furs::Asked::Premise, &premise.xml(header), system, sender)
            }
            (Message::FinaReceipt { receipt, late }, _) => {
                Self::fina(fina::Asked::Receipt, &receipt.xml(header, *late), system, sender)
            }
            (Message::FinaChange(change), _) => {
                Self::fina(fina::Asked::Change, &change.xml(header), system, sender)
            }
            (Message::FinaTip(tip), _) => {
                Self::fina(fina::Asked::Tip, &tip.xml(header), system, sender)
            }
        }
    }

    fn furs_json(
        asked: furs::Asked,
        payload: &str,
        system: &System,
        sender: &Sender<'_>,
    ) -> Result<Self, SigningFailed> {
        let request = Request {
            url: system.url_of(asked.path()),
            format: Format::Json,
            action: None,
            body: furs::sign_json(payload, sender.signer, sender.certificate)?,
            reads_errors: false,
        };
        Ok(Self { request, asked: Asked::FursJson(asked) })
    }

    fn furs_soap(
        asked: furs::Asked,
        root: &str,
        system: &System,
        sender: &Sender<'_>,
    ) -> Result<Self, SigningFailed> {
        let request = Request {
            url: system.url_of(furs::PATH),
            format: Format::Xml,
            action: Some(asked.action().to_owned()),
            body: furs::sign_soap(root, sender.signer, sender.certificate)?,
            reads_errors: false,
        };
        Ok(Self { request, asked: Asked::FursSoap(asked) })
    }

    fn fina(
        asked: fina::Asked,
        root: &str,
        system: &System,
        sender: &Sender<'_>,
    ) -> Result<Self, SigningFailed> {
        let request = Request {
            url: system.url(),
            format: Format::Xml,
            action: Some(asked.action()),
            body: fina::sign(root, sender.signer, sender.certificate, sender.der)?,
            reads_errors: true,
        };
        Ok(Self { request, asked: Asked::Fina(asked) })
    }
}

impl Asked {
    /// Reads the body of the answer to the message under `header`.
    pub(crate) fn read(
        self,
        body: &[u8],
        header: &Header,
        verifier: &Verifier,
        now: OffsetDateTime,
    ) -> Result<Reply, VerificationError> {
        let id = &header.message_id;
        match self {
            Self::FursJson(asked) => furs::read_json(body, asked, id, verifier, now),
            Self::FursSoap(asked) => furs::read_soap(body, asked, id, verifier, now),
            Self::Fina(asked) => fina::read(body, asked, id, verifier, now),
        }
    }
}
