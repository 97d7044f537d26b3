//! What the authority's web services have in common: the envelope, and the header that says who
//! calls.
//!
//! The password of the sub-user goes encrypted: AES-128 in ECB mode with PKCS#5 padding under a key
//! of its own for each request, which goes as the nonce under the authority's RSA key. Who calls
//! does that; here are the texts.
//!
//! Source: AT, "Comunicação de Séries Documentais", general aspects, 1.0 of July 2021.

use roxmltree::{Document, Node};

/// The namespace of the header that says who calls.
pub const SECURITY: &str = "http://schemas.xmlsoap.org/ws/2002/12/secext";
/// The longest answer that is read, in bytes.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// The header that says who calls: the sub-user (`NIF/number`), and three texts of Base64.
#[must_use]
pub fn security_header(user: &str, nonce: &str, password: &str, created: &str) -> String {
    let user = escaped(user);
    format!(
        "<wss:Security xmlns:wss=\"{SECURITY}\"><wss:UsernameToken>\
         <wss:Username>{user}</wss:Username><wss:Nonce>{nonce}</wss:Nonce>\
         <wss:Password>{password}</wss:Password><wss:Created>{created}</wss:Created>\
         </wss:UsernameToken></wss:Security>"
    )
}

/// The whole message: `header` of [`security_header`], and the body of a request.
#[must_use]
pub fn envelope(header: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><S:Envelope \
         xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\"><S:Header>{header}</S:Header>\
         <S:Body>{body}</S:Body></S:Envelope>"
    )
}

/// Whether `user` names a sub-user of the taxpayer `nif`: `508025338/1`.
#[must_use]
pub fn is_sub_user(user: &str, nif: &str) -> bool {
    let number = user.strip_prefix(nif).and_then(|rest| rest.strip_prefix('/'));
    number.is_some_and(|number| {
        (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// What was answered is no answer of the service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no answer of the authority's service: {0}")]
pub struct Unreadable(
    /// What is wrong with it, for the log.
    pub String,
);

/// The document that `text` is.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Unreadable> {
    if text.len() > MAX_ANSWER_BYTES {
        return Err(Unreadable("it is longer than 1 MiB".to_owned()));
    }
    Document::parse(text).map_err(|error| Unreadable(error.to_string()))
}

/// The text of a child of `node`.
pub(crate) fn child<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|own| own.tag_name().name() == name)?.text().map(str::trim)
}

/// `text` between tags.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    crate::saft::escape(text, &mut safe);
    safe
}
