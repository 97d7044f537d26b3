//! A mail as the text that is sent (RFC 5322, MIME).

use lettre::message::header::ContentType;
use lettre::message::{Attachment, MultiPart, SinglePart};
use lettre::{Address, Message};
use racun_mail::{Attachment as File, Mail, MailError, Mailbox};

/// The text of `mail`, with `sender` where it names none.
///
/// # Errors
/// [`MailError::Refused`] for what could only become another mail than the one that was meant: a
/// line end in a header, an address that is none.
pub fn build(mail: &Mail, sender: &Mailbox) -> Result<Message, MailError> {
    let mut builder = Message::builder()
        .message_id(Some(message_id(mail, sender)?))
        .from(mailbox(mail.from.as_ref().unwrap_or(sender))?)
        .subject(one_line("the subject", &mail.subject)?);
    if let Some(reply_to) = &mail.reply_to {
        builder = builder.reply_to(mailbox(reply_to)?);
    }
    for receiver in &mail.to {
        builder = builder.to(mailbox(receiver)?);
    }
    let (shown, kept): (Vec<&File>, Vec<&File>) =
        mail.attachments.iter().partition(|file| file.content_id.is_some());
    let content = match (&mail.html, &*kept) {
        (None, []) => return builder.singlepart(plain(mail)).map_err(|error| refused(&error)),
        (Some(html), []) => alternative(mail, html, &shown)?,
        (None, files) => with_files(MultiPart::mixed().singlepart(plain(mail)), files)?,
        (Some(html), files) => {
            with_files(MultiPart::mixed().multipart(alternative(mail, html, &shown)?), files)?
        }
    };
    builder.multipart(content).map_err(|error| refused(&error))
}

/// The same in each attempt, so that who gets a mail twice can tell.
fn message_id(mail: &Mail, sender: &Mailbox) -> Result<String, MailError> {
    if !is_file_name(&mail.id) {
        return Err(MailError::Refused("its id has other signs than those of ids".to_owned()));
    }
    Ok(format!("<{}@{}>", mail.id, domain(sender)))
}

/// What stands after the `@`.
pub fn domain(mailbox: &Mailbox) -> &str {
    mailbox.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain)
}

/// Whether `id` can be a part of a `Message-ID` and the name of a file as it is.
fn is_file_name(id: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
    !id.is_empty() && id.len() <= 128 && id.chars().all(is_plain)
}

fn mailbox(mailbox: &Mailbox) -> Result<lettre::message::Mailbox, MailError> {
    let address: Address = mailbox
        .address
        .parse()
        .map_err(|error| MailError::Refused(format!("{:?}: {error}", mailbox.address)))?;
    let name = mailbox.name.as_deref().map(|name| one_line("a name", name)).transpose()?;
    Ok(lettre::message::Mailbox::new(name, address))
}

fn plain(mail: &Mail) -> SinglePart {
    SinglePart::plain(mail.text.clone())
}

/// Plain text, or HTML with the pictures in it.
fn alternative(mail: &Mail, html: &str, shown: &[&File]) -> Result<MultiPart, MailError> {
    if shown.is_empty() {
        return Ok(MultiPart::alternative_plain_html(mail.text.clone(), html.to_owned()));
    }
    let html = MultiPart::related().singlepart(SinglePart::html(html.to_owned()));
    let html = with_files(html, shown)?;
    Ok(MultiPart::alternative().singlepart(plain(mail)).multipart(html))
}

fn with_files(mut content: MultiPart, files: &[&File]) -> Result<MultiPart, MailError> {
    for file in files {
        let kind = ContentType::parse(&one_line("a file's type", &file.media_type)?);
        let kind = kind.map_err(|error| refused(&error))?;
        let name = one_line("a file's name", &file.filename)?;
        let part = match &file.content_id {
            Some(id) if !is_file_name(id) => {
                return Err(MailError::Refused("the id of a picture has other signs".to_owned()));
            }
            Some(id) => Attachment::new_inline_with_name(id.clone(), name),
            None => Attachment::new(name),
        };
        content = content.singlepart(part.body(file.content.clone(), kind));
    }
    Ok(content)
}

/// `text`, unless a header that it goes into would end in it.
fn one_line(what: &str, text: &str) -> Result<String, MailError> {
    if text.contains(char::is_control) {
        return Err(MailError::Refused(format!("{what} holds a line end or another control sign")));
    }
    Ok(text.to_owned())
}

fn refused(error: &dyn std::error::Error) -> MailError {
    MailError::Refused(error.to_string())
}
