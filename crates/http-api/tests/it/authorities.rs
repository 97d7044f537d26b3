//! Tax authorities that answer what a test says, and keep what they were told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use async_trait::async_trait;
use racun_fiscal::{
    Authorities, Authority, AuthorityError, Header, Identity, Message, OpenedCertificate, P12Error,
    Patience, Reply, Signer, SigningFailed, TestCertificate, TestCertificates, Unknown,
};
use racun_kernel::Environment;
use time::OffsetDateTime;
use time::macros::datetime;

/// The passphrase of every file here.
pub const PASSPHRASE: &str = "open sesame";
/// What the private key of every file here is.
pub const PRIVATE_KEY: &str = "the private key";

/// Says `Confirmed` unless told otherwise.
#[derive(Default)]
pub struct Scripted(Mutex<State>);

#[derive(Default)]
struct State {
    answers: VecDeque<Result<Reply, Unknown>>,
    told: Vec<(Environment, Header, Message)>,
    /// Documents so far.
    confirmed: u32,
    /// Where the last file was opened.
    opened_on: Option<ThreadId>,
}

/// Signs with what is signed.
struct Plain;

impl Signer for Plain {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        Ok(message.to_vec())
    }
}

impl Scripted {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// The next messages are answered so.
    pub fn answers(&self, answers: impl IntoIterator<Item = Result<Reply, Unknown>>) {
        self.state().answers.extend(answers);
    }

    /// The thread that opened the last file.
    pub fn opened_on(&self) -> Option<ThreadId> {
        self.state().opened_on
    }

    /// What was told since the last call.
    pub fn told(&self) -> Vec<(Environment, Header, Message)> {
        std::mem::take(&mut self.state().told)
    }
}

pub fn refused(code: &str) -> Result<Reply, Unknown> {
    let (code, message) = (code.to_owned(), format!("text of {code}"));
    Ok(Reply::refused(vec![AuthorityError { code, message }]).unwrap())
}

pub fn unknown() -> Result<Reply, Unknown> {
    Err(Unknown { reason: "connection reset".to_owned(), is_suspicious: false })
}

/// A certificate file: `<tax number or -> <year it starts> <year it ends>`.
pub fn file(tax_number: &str, from: i32, until: i32) -> Vec<u8> {
    format!("p12 {tax_number} {from} {until}").into_bytes()
}

impl TestCertificates for Scripted {
    fn issue(&self, authority: Authority, tax_number: &str, _: &str) -> Option<TestCertificate> {
        let file = file(tax_number, 2025, 2030);
        let certificate = TestCertificate { file, passphrase: PASSPHRASE.to_owned() };
        (authority == Authority::Furs).then_some(certificate)
    }
}

#[async_trait]
impl Authorities for Scripted {
    fn open_p12(
        &self,
        authority: Authority,
        file: &[u8],
        passphrase: &str,
    ) -> Result<OpenedCertificate, P12Error> {
        self.state().opened_on = Some(thread::current().id());
        let text = String::from_utf8_lossy(file);
        let words: Vec<&str> = text.split(' ').collect();
        let [tax_number, from, until] = match words[..] {
            ["p12", tax_number, from, until] => [tax_number, from, until],
            ["p12", "no-key"] => return Err(P12Error::NoIdentity),
            ["p12", "small-key"] => return Err(P12Error::UnsupportedKey),
            ["p12", "endless"] => return Err(P12Error::TooMuch),
            _ => return Err(P12Error::NotP12),
        };
        if passphrase != PASSPHRASE {
            return Err(P12Error::WrongPassphrase);
        }
        let year = |text: &str| {
            datetime!(2000-12-01 00:00 UTC).replace_year(text.parse().unwrap()).unwrap()
        };
        Ok(OpenedCertificate {
            identity: Identity {
                certificate: b"certificate".to_vec(),
                chain: vec![b"issuer".to_vec()],
                private_key: PRIVATE_KEY.as_bytes().to_vec(),
            },
            tax_number: Some(tax_number.to_owned()).filter(|number| number != "-"),
            common_name: format!("Pri Ani ({})", authority.name()),
            subject: format!("CN=Pri Ani,OU={tax_number}"),
            issuer: "CN=Tax CA Test".to_owned(),
            serial: "12345678901234567890123".to_owned(),
            not_before: year(from),
            not_after: year(until),
        })
    }

    fn signer(&self, _: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        Ok(Arc::new(Plain))
    }

    fn sign_xml(
        &self,
        _: &Identity,
        document: &str,
        _: &str,
        _: OffsetDateTime,
    ) -> Result<String, SigningFailed> {
        Ok(document.replace("</Invoice>", "<Signature/></Invoice>"))
    }

    async fn send(
        &self,
        environment: Environment,
        identity: &Identity,
        header: &Header,
        message: &Message,
        _: Patience,
    ) -> Result<Reply, Unknown> {
        assert_eq!(identity.private_key, PRIVATE_KEY.as_bytes(), "the sealed key is opened");
        assert_eq!(identity.certificate, b"certificate");
        assert_eq!(identity.chain, [b"issuer"]);
        let mut state = self.state();
        state.told.push((environment, header.clone(), message.clone()));
        let id = match message {
            Message::FursInvoice { .. } | Message::FursBook(_) | Message::FinaReceipt { .. } => {
                state.confirmed += 1;
                Some(format!("00000000-0000-4000-8000-{:012}", state.confirmed))
            }
            Message::FursPremise(_) | Message::FinaChange(_) | Message::FinaTip(_) => None,
        };
        state.answers.pop_front().unwrap_or(Ok(Reply::Confirmed(id)))
    }
}
