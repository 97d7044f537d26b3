//! Reading a document within limits.

use roxmltree::{Document, Node, ParsingOptions};

use super::SOAP;
use crate::VerificationError;

/// Elements inside elements.
const DEEPEST: usize = 64;
/// Attributes and namespaces of one element.
const MOST_ATTRIBUTES: usize = 64;
/// Those of all elements. An answer has some twenty.
const MOST_IN_ALL: usize = 512;
/// Nodes of a document. An answer has some fifty.
const MOST_NODES: u32 = 5_000;

/// Reads `text`.
///
/// # Errors
/// When it is no XML, declares a document type or is beyond the limits: an answer that would take
/// long to read is refused before it is.
pub fn parse(text: &str) -> Result<Document<'_>, VerificationError> {
    check_limits(text).map_err(VerificationError::Unreadable)?;
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..Default::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| VerificationError::Unreadable(format!("it is no XML: {error}")))
}

/// Looks at the tags alone, for the parser compares each attribute with each other.
fn check_limits(text: &str) -> Result<(), String> {
    let mut depth: usize = 0;
    let mut in_all: usize = 0;
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        let (end, attributes) = if let Some(comment) = tag.strip_prefix("!--") {
            rest = after(comment, "-->")?;
            continue;
        } else if let Some(section) = tag.strip_prefix("![CDATA[") {
            rest = after(section, "]]>")?;
            continue;
        } else if let Some(instruction) = tag.strip_prefix('?') {
            rest = after(instruction, "?>")?;
            continue;
        } else if tag.starts_with('!') {
            return Err("it declares a document type".to_owned());
        } else {
            end_of_tag(tag)?
        };
        in_all += attributes;
        if in_all > MOST_IN_ALL {
            return Err(format!("it has more than {MOST_IN_ALL} attributes"));
        }
        let (inside, following) = tag.split_at(end);
        if inside.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !inside.ends_with('/') {
            depth += 1;
        }
        if depth > DEEPEST {
            return Err(format!("its elements are more than {DEEPEST} deep"));
        }
        rest = following;
    }
    Ok(())
}

fn after<'a>(text: &'a str, end: &str) -> Result<&'a str, String> {
    text.split_once(end).map(|(_, rest)| rest).ok_or_else(|| "it ends too early".to_owned())
}

/// Where the tag that `text` begins with ends, and how many attributes it has.
fn end_of_tag(text: &str) -> Result<(usize, usize), String> {
    let mut quote = None;
    let mut values = 0;
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Ok((place, values)),
            (None, b'"' | b'\'') => {
                values += 1;
                if values > MOST_ATTRIBUTES {
                    return Err(format!("an element has more than {MOST_ATTRIBUTES} attributes"));
                }
                quote = Some(byte);
            }
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    Err("it ends inside a tag".to_owned())
}

/// The one element in the body of a SOAP envelope.
///
/// # Errors
/// When the document is anything else than an envelope with at most one header and one body, which
/// holds one element.
pub fn envelope<'a, 'i>(document: &'a Document<'i>) -> Result<Node<'a, 'i>, VerificationError> {
    let root = document.root_element();
    if !root.has_tag_name((SOAP, "Envelope")) {
        return Err(VerificationError::Unreadable("it is no SOAP envelope".to_owned()));
    }
    let parts: Vec<_> = children(root).collect();
    let body = match parts.as_slice() {
        [body] => body,
        [header, body] if header.has_tag_name((SOAP, "Header")) => body,
        _ => {
            return Err(VerificationError::Wrapped(
                "the envelope is not a header and a body".to_owned(),
            ));
        }
    };
    if !body.has_tag_name((SOAP, "Body")) {
        return Err(VerificationError::Unreadable("the envelope has no body".to_owned()));
    }
    let inside: Vec<_> = children(*body).collect();
    match inside.as_slice() {
        [one] => Ok(*one),
        [] => Err(VerificationError::Unreadable("the body is empty".to_owned())),
        _ => Err(VerificationError::Wrapped("the body holds several elements".to_owned())),
    }
}

/// The elements directly inside `element`.
pub fn children<'a, 'i>(element: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    element.children().filter(Node::is_element)
}

/// The one element `name` of `namespace` directly inside `element`.
///
/// # Errors
/// When there is none, or several.
pub fn child<'a, 'i>(
    element: Node<'a, 'i>,
    namespace: &str,
    name: &str,
) -> Result<Node<'a, 'i>, VerificationError> {
    optional_child(element, namespace, name)?
        .ok_or_else(|| VerificationError::Malformed(format!("{name} is missing")))
}

/// The element `name` of `namespace` directly inside `element`, if there is one.
///
/// # Errors
/// When there are several.
pub fn optional_child<'a, 'i>(
    element: Node<'a, 'i>,
    namespace: &str,
    name: &str,
) -> Result<Option<Node<'a, 'i>>, VerificationError> {
    let mut found = children(element).filter(|child| child.has_tag_name((namespace, name)));
    let first = found.next();
    if found.next().is_some() {
        return Err(VerificationError::Malformed(format!("{name} is there more than once")));
    }
    Ok(first)
}

/// The whole text of `element`, also when comments cut it, without spaces around it.
///
/// # Errors
/// When it holds elements.
pub fn element_text(element: Node<'_, '_>) -> Result<String, VerificationError> {
    if children(element).next().is_some() {
        let name = element.tag_name().name();
        return Err(VerificationError::Malformed(format!("{name} holds elements")));
    }
    let text: String =
        element.children().filter(Node::is_text).filter_map(|text| text.text()).collect();
    Ok(text.trim_ascii().to_owned())
}
