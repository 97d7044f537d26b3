//! Canonical XML 1.0 and Exclusive XML Canonicalization 1.0 of one element, without comments.
//!
//! Sources: <https://www.w3.org/TR/2001/REC-xml-c14n-20010315>,
//! <https://www.w3.org/TR/2002/REC-xml-exc-c14n-20020718/>.

use std::collections::HashMap;

use roxmltree::{Attribute, Node, NodeId};

/// The namespace that the prefix `xml` has without being declared.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A way to write an element so that equal elements are equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Canonical XML 1.0: with all namespaces that are in scope, those of ancestors too.
    Inclusive,
    /// Exclusive canonicalization: with those that are used.
    Exclusive,
}

impl Method {
    /// Its identifier.
    #[must_use]
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Inclusive => "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
            Self::Exclusive => "http://www.w3.org/2001/10/xml-exc-c14n#",
        }
    }

    /// The method that `uri` names.
    #[must_use]
    pub fn of(uri: &str) -> Option<Self> {
        [Self::Inclusive, Self::Exclusive].into_iter().find(|method| method.uri() == uri)
    }
}

/// Writes `element` in canonical form in the context of its document, without the element
/// `left_out`.
///
/// `element` must come from [`parse`](super::parse), which bounds its depth, or be ours.
#[must_use]
pub fn canonicalize(element: Node<'_, '_>, method: Method, left_out: Option<NodeId>) -> String {
    let (apex, scope, out) = (element.id(), HashMap::new(), String::new());
    let mut writer = Writer { method, left_out, apex, scope, out };
    writer.node(element);
    writer.out
}

/// A namespace that was written: prefix and URI.
type Declared<'a> = (Option<&'a str>, &'a str);

struct Writer<'a> {
    method: Method,
    left_out: Option<NodeId>,
    apex: NodeId,
    /// What the ancestors that were written declare.
    scope: HashMap<Option<&'a str>, &'a str>,
    out: String,
}

impl<'a> Writer<'a> {
    fn node(&mut self, node: Node<'a, '_>) {
        if Some(node.id()) == self.left_out {
            return;
        }
        if node.is_element() {
            self.element(node);
        } else if node.is_text() {
            escape_text(node.text().unwrap_or_default(), &mut self.out);
        } else if let Some(pi) = node.pi() {
            let value = pi.value.map(|value| format!(" {value}")).unwrap_or_default();
            self.out.push_str(&format!("<?{}{value}?>", pi.target));
        }
    }

    fn element(&mut self, element: Node<'a, '_>) {
        let name = qualified_name(element);
        let mut outer = Vec::new();
        self.out.push('<');
        self.out.push_str(name);
        for (prefix, uri) in self.declarations(element) {
            self.out.push_str(" xmlns");
            if let Some(prefix) = prefix {
                self.out.push(':');
                self.out.push_str(prefix);
            }
            self.out.push_str("=\"");
            escape_attribute(uri, &mut self.out);
            self.out.push('"');
            outer.push((prefix, self.scope.insert(prefix, uri)));
        }
        for attribute in self.attributes(element) {
            self.out.push(' ');
            self.out.push_str(attribute_name(element, &attribute));
            self.out.push_str("=\"");
            escape_attribute(attribute.value(), &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
        for child in element.children() {
            self.node(child);
        }
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        for (prefix, before) in outer {
            match before {
                Some(uri) => self.scope.insert(prefix, uri),
                None => self.scope.remove(&prefix),
            };
        }
    }

    /// The namespaces to declare on `element`, in order.
    fn declarations(&self, element: Node<'a, '_>) -> Vec<Declared<'a>> {
        let mut found: Vec<Declared<'a>> = match self.method {
            Method::Inclusive => {
                let mut all: Vec<Declared<'a>> = element
                    .namespaces()
                    .map(|namespace| (namespace.name(), namespace.uri()))
                    .collect();
                if !all.iter().any(|(prefix, _)| prefix.is_none()) {
                    all.push((None, ""));
                }
                all
            }
            Method::Exclusive => {
                let attributes = element.attributes().filter_map(|attribute| {
                    prefix_of(attribute_name(element, &attribute)).map(Some)
                });
                let mut used: Vec<Option<&str>> =
                    std::iter::once(prefix_of(qualified_name(element))).chain(attributes).collect();
                used.sort_unstable();
                used.dedup();
                let uri =
                    |prefix| (prefix, element.lookup_namespace_uri(prefix).unwrap_or_default());
                used.into_iter().map(uri).collect()
            }
        };
        found.retain(|(prefix, uri)| *prefix != Some("xml") && self.declared(*prefix) != *uri);
        found.sort_unstable();
        found
    }

    /// What `prefix` means where the writer stands; the empty text when nothing.
    fn declared(&self, prefix: Option<&str>) -> &'a str {
        self.scope.get(&prefix).copied().unwrap_or_default()
    }

    /// The attributes of `element` in order: those without a namespace first.
    fn attributes<'i>(&self, element: Node<'a, 'i>) -> Vec<Attribute<'a, 'i>> {
        let mut attributes: Vec<_> = element.attributes().collect();
        if self.method == Method::Inclusive && element.id() == self.apex {
            // Attributes of the prefix `xml` hold for what is inside: the apex takes them along.
            for outer in element.ancestors().skip(1).flat_map(|ancestor| ancestor.attributes()) {
                let is_known = |known: &Attribute<'_, '_>| {
                    known.namespace() == Some(XML) && known.name() == outer.name()
                };
                if outer.namespace() == Some(XML) && !attributes.iter().any(is_known) {
                    attributes.push(outer);
                }
            }
        }
        attributes
            .sort_by_key(|attribute| (attribute.namespace().unwrap_or_default(), attribute.name()));
        attributes
    }
}

/// The name of `element` as written, with its prefix.
pub(super) fn qualified_name<'a>(element: Node<'a, '_>) -> &'a str {
    let source = element.document().input_text();
    let tag = source.get(element.range().start + 1..).unwrap_or_default();
    let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    end.and_then(|end| tag.get(..end)).unwrap_or_default()
}

fn attribute_name<'a>(element: Node<'a, '_>, attribute: &Attribute<'_, '_>) -> &'a str {
    element.document().input_text().get(attribute.range_qname()).unwrap_or_default()
}

fn prefix_of(name: &str) -> Option<&str> {
    name.split_once(':').map(|(prefix, _)| prefix)
}

/// Writes `text` between tags.
pub(super) fn escape_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
}

/// Writes `text` as the value of an attribute in double quotes.
pub(super) fn escape_attribute(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
}
