//! Handing mail to a server over SMTP.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Code;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use racun_mail::{Mail, MailError, Mailbox, Mailer};
use url::{Host, Url};

use super::message;

/// For each step of the conversation, and what RFC 5321 would give a server is longer: a mail that
/// waits is sent again.
const STEP: Duration = Duration::from_secs(20);
/// For the whole of it.
const EXCHANGE: Duration = Duration::from_secs(60);

/// The address of the server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is not smtp://user:password@host:587 or smtps://…, with ?tls=required or \
     ?tls=opportunistic at most"
)]
pub struct BadSmtpUrl;

/// Hands mail to the server that the settings name. Each mail has a connection of its own.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
    exchange: Duration,
}

impl SmtpMailer {
    /// Hands mail to the server at `url`, from `sender` where a mail does not say otherwise.
    ///
    /// `smtps` speaks TLS from the start. `smtp` does so after `STARTTLS` with `?tls=required`, or
    /// with `?tls=opportunistic` when the server offers it. Without either a password is not sent
    /// in the clear but to this machine: `required` is meant. A path is the name to greet with,
    /// instead of the sender's domain.
    ///
    /// # Errors
    /// [`BadSmtpUrl`].
    pub fn new(url: &str, sender: Mailbox) -> Result<Self, BadSmtpUrl> {
        let mut url = Url::parse(url).map_err(|_| BadSmtpUrl)?;
        if url.scheme() == "smtp" && url.password().is_some() && says_nothing_of_tls(&url) {
            url.query_pairs_mut().append_pair("tls", "required");
        }
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str());
        let mut transport = transport.map_err(|_| BadSmtpUrl)?.timeout(Some(STEP));
        if url.path().len() <= 1 {
            // Many servers mistrust clients that greet by an address, which is lettre's default.
            transport = transport.hello_name(ClientId::Domain(message::domain(&sender).to_owned()));
        }
        Ok(Self { transport: transport.build(), sender, exchange: EXCHANGE })
    }

    /// The same, with another limit for the whole of handing over one mail.
    #[must_use]
    pub fn within(self, exchange: Duration) -> Self {
        Self { exchange, ..self }
    }
}

fn says_nothing_of_tls(url: &Url) -> bool {
    let is_here = match url.host() {
        // A scheme that is not the web's: addresses are not told from names.
        Some(Host::Domain(name)) => name == "localhost" || name.starts_with("127."),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    !is_here && !url.query_pairs().any(|(name, _)| name == "tls")
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = message::build(mail, &self.sender)?;
        match tokio::time::timeout(self.exchange, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(read(&error)),
            Err(_) => Err(MailError::Temporary(format!("not taken within {:?}", self.exchange))),
        }
    }
}

/// What an error means for the mail. An error of our account, such as a wrong password, is
/// temporary: the mail can be sent when the operator corrects it.
fn read(error: &lettre::transport::smtp::Error) -> MailError {
    let text = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    if error.is_permanent() && error.status().is_some_and(is_about_the_mail) {
        MailError::Refused(text)
    } else {
        MailError::Temporary(text)
    }
}

/// Whether a permanent refusal is about this mail. Not about it are commands that the server does
/// not know (500, 502 to 504) or that it takes no mail (521), and who logs in how (530, 534,
/// 535, 538).
fn is_about_the_mail(code: Code) -> bool {
    !matches!(u16::from(code), 500 | 502..=504 | 521 | 530 | 534 | 535 | 538)
}
