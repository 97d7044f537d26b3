//! Checks XML.

use roxmltree::{Node, NodeType};
use serde_json::{Map, Value};

use super::{Field, Holds, Invalid, Part, Parts};

/// The namespace of FURS.
pub const FURS: &str = "http://www.fu.gov.si/";

/// The namespace of CIS.
pub const FINA: &str = "http://www.apis-it.hr/fin/2012/types/f73";

/// The namespace of signatures.
pub const XMLDSIG: &str = "http://www.w3.org/2000/09/xmldsig#";

/// Checks the content of `element`, whose parts are of `namespace`, or of none when it is empty. A
/// signature that is the last part is not looked at.
///
/// # Errors
/// What is wrong, and where.
pub fn xml(element: Node<'_, '_>, namespace: &str, parts: Parts) -> Result<Value, Invalid> {
    let mut children = elements(element)?;
    if children.last().is_some_and(|last| is(*last, XMLDSIG, "Signature")) {
        children.pop();
    }
    sequence(&children, namespace, parts)
        .map_err(|invalid| invalid.within(element.tag_name().name()))
}

/// Whether `node` is the element of this name.
pub fn is(node: Node<'_, '_>, namespace: &str, name: &str) -> bool {
    node.tag_name().namespace().unwrap_or_default() == namespace && node.tag_name().name() == name
}

fn sequence(children: &[Node<'_, '_>], namespace: &str, parts: Parts) -> Result<Value, Invalid> {
    let mut found = Map::new();
    let mut rest = children;
    for part in parts {
        let field = match part {
            Part::One(field) => Some(field),
            Part::Either(fields) => {
                let next = rest.first();
                fields
                    .iter()
                    .find(|field| next.is_some_and(|next| is(*next, namespace, field.name)))
            }
        };
        let Some(field) = field else {
            let Part::Either(fields) = part else { continue };
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            return Err(Invalid::at(names[0], format!("one of {names:?} is missing here")));
        };
        let count = rest
            .iter()
            .take(field.most)
            .take_while(|child| is(**child, namespace, field.name))
            .count();
        if count < field.least.max(usize::from(matches!(part, Part::Either(_)))) {
            return Err(Invalid::at(field.name, "is missing here"));
        }
        let (these, others) = rest.split_at(count);
        rest = others;
        let values = these
            .iter()
            .map(|child| content(*child, namespace, field))
            .collect::<Result<Vec<Value>, Invalid>>()?;
        put(&mut found, field, values);
    }
    match rest.first() {
        Some(next) => Err(Invalid::at(next.tag_name().name(), "is not expected here")),
        None => Ok(Value::Object(found)),
    }
}

/// Keeps `values` under the field's name: as they are, or as a list where there may be several.
pub(super) fn put(found: &mut Map<String, Value>, field: &Field, mut values: Vec<Value>) {
    if field.most > 1 {
        if !values.is_empty() {
            found.insert(field.name.to_owned(), Value::Array(values));
        }
    } else if let Some(value) = values.pop() {
        found.insert(field.name.to_owned(), value);
    }
}

fn content(element: Node<'_, '_>, namespace: &str, field: &Field) -> Result<Value, Invalid> {
    if let Some(attribute) = element.attributes().next() {
        let path = format!("{}/@{}", field.name, attribute.name());
        return Err(Invalid::at(&path, "is not expected here"));
    }
    match &field.holds {
        Holds::Parts(parts) => elements(element)
            .and_then(|children| sequence(&children, namespace, parts))
            .map_err(|invalid| invalid.within(field.name)),
        Holds::Value(simple) => {
            if element.children().any(|child| child.node_type() != NodeType::Text) {
                return Err(Invalid::at(field.name, "holds something else than text"));
            }
            let text: String = element.children().filter_map(|child| child.text()).collect();
            match simple.fault(&text) {
                Some(fault) => Err(Invalid::at(field.name, fault)),
                None => Ok(Value::String(text)),
            }
        }
    }
}

/// The children that are elements; there may be white space between them, and nothing else.
fn elements<'a, 'input>(element: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, Invalid> {
    let mut children = Vec::new();
    for child in element.children() {
        let text = child.text().unwrap_or_default();
        match child.node_type() {
            NodeType::Element => children.push(child),
            NodeType::Text if text.trim().is_empty() => {}
            NodeType::Comment => {}
            _ => return Err(Invalid::at(element.tag_name().name(), "holds text between elements")),
        }
    }
    Ok(children)
}
