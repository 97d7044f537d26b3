//! What the answers of both authorities have in common.

use racun_fiscal::{MessageId, Reply};
use roxmltree::Node;

use crate::VerificationError;
use crate::xml::{self, DSIG};

/// Reads bytes as text.
pub(crate) fn utf8(body: &[u8]) -> Result<&str, VerificationError> {
    std::str::from_utf8(body)
        .map_err(|_| VerificationError::Unreadable("it is no UTF-8".to_owned()))
}

/// Checks that `element` holds nothing but elements of these names and its signature.
pub(crate) fn check_children(
    element: Node<'_, '_>,
    namespace: &str,
    names: &[&str],
) -> Result<(), VerificationError> {
    let is_known = |child: &Node<'_, '_>| {
        child.has_tag_name((DSIG, "Signature"))
            || names.iter().any(|name| child.has_tag_name((namespace, *name)))
    };
    match xml::children(element).find(|child| !is_known(child)) {
        Some(other) => {
            let (parent, name) = (element.tag_name().name(), other.tag_name().name());
            Err(VerificationError::Malformed(format!("{parent} holds {name}")))
        }
        None => Ok(()),
    }
}

/// Checks that the message `answered` is the one that was sent.
pub(crate) fn check_id(answered: &str, sent: &MessageId) -> Result<(), VerificationError> {
    if answered.eq_ignore_ascii_case(&sent.to_string()) {
        return Ok(());
    }
    Err(VerificationError::MessageId(answered.chars().take(64).collect()))
}

/// Checks that `id` is a UUID.
pub(crate) fn check_uuid(id: String) -> Result<String, VerificationError> {
    let is_right = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if id.len() == 36 && id.bytes().enumerate().all(is_right) {
        return Ok(id);
    }
    Err(VerificationError::Malformed("the id that it gives is no UUID".to_owned()))
}

/// An answer confirms or refuses, and not both.
pub(crate) fn one_of(
    confirmed: Option<Reply>,
    refused: Option<Reply>,
) -> Result<Reply, VerificationError> {
    match (confirmed, refused) {
        (Some(reply), None) | (None, Some(reply)) => Ok(reply),
        (Some(_), Some(_)) => {
            Err(VerificationError::Malformed("it confirms and refuses".to_owned()))
        }
        (None, None) => {
            Err(VerificationError::Malformed("it neither confirms nor refuses".to_owned()))
        }
    }
}
