//! Distinguished names, and the ways that authorities want them written.

use x509_parser::x509::X509Name;

/// `CN`.
pub(crate) const COMMON_NAME: &str = "2.5.4.3";
/// `O`.
pub(crate) const ORGANIZATION: &str = "2.5.4.10";
/// `OU`.
pub(crate) const ORGANIZATIONAL_UNIT: &str = "2.5.4.11";
/// `organizationIdentifier`.
pub(crate) const ORGANIZATION_ID: &str = "2.5.4.97";

/// Tag of a `UTF8String`.
const UTF8: u32 = 12;
/// Tags of strings that need no other decoding: UTF8, numeric, printable, IA5.
const STRINGS: [u32; 4] = [UTF8, 18, 19, 22];
/// Tag of a `T61String`, which is read as Latin-1, as everybody does.
const T61: u32 = 20;
/// Tag of a `BMPString`: UTF-16.
const BMP: u32 = 30;

/// Short names that RFC 4514 lists.
const KEYWORDS: &[(&str, &str)] = &[
    ("2.5.4.3", "CN"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("0.9.2342.19200300.100.1.1", "UID"),
];

/// Short names of .NET that differ from those or go beyond them.
const DOTNET_KEYWORDS: &[(&str, &str)] = &[
    ("2.5.4.4", "SN"),
    ("2.5.4.5", "SERIALNUMBER"),
    ("2.5.4.8", "S"),
    ("2.5.4.12", "T"),
    ("2.5.4.42", "G"),
    ("2.5.4.43", "I"),
    ("1.2.840.113549.1.9.1", "E"),
];

/// A part of a relative distinguished name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Attribute {
    /// Dotted decimal.
    kind: String,
    tag: u32,
    text: String,
    /// What the text is made of.
    content: Vec<u8>,
}

/// A distinguished name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(Vec<Vec<Attribute>>);

impl Name {
    pub(crate) fn read(name: &X509Name<'_>) -> Self {
        let attribute = |attribute: &x509_parser::x509::AttributeTypeAndValue<'_>| {
            let tag = attribute.attr_value().tag().0;
            let content = attribute.attr_value().data.to_vec();
            let text = decode(tag, &content);
            Attribute { kind: attribute.attr_type().to_id_string(), tag, text, content }
        };
        Self(name.iter_rdn().map(|rdn| rdn.iter().map(attribute).collect()).collect())
    }

    /// The values of the attribute `kind`, dotted decimal.
    pub fn values<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        let of_kind = move |attribute: &&Attribute| attribute.kind == kind;
        self.0.iter().flatten().filter(of_kind).map(|attribute| attribute.text.as_str())
    }

    /// The values of all attributes.
    pub fn all_values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(|attribute| attribute.text.as_str())
    }

    /// As RFC 4514 writes it, the most specific part first, with values in plain text where the
    /// attribute has no short name: `CN=FISKAL 1,O=PRIMJER,C=HR`.
    #[must_use]
    pub fn rfc4514(&self) -> String {
        self.write(",", "+", |attribute| {
            let name = keyword(KEYWORDS, &attribute.kind).unwrap_or(&attribute.kind);
            format!("{name}={}", escape(&attribute.text))
        })
    }

    /// As Java writes it (`X500Principal`, RFC 2253): what has no short name is hexadecimal DER.
    #[must_use]
    pub fn java(&self) -> String {
        self.write(",", "+", |attribute| match keyword(KEYWORDS, &attribute.kind) {
            Some(name) if STRINGS.contains(&attribute.tag) || attribute.tag == BMP => {
                format!("{name}={}", escape(&attribute.text))
            }
            name => format!("{}=#{}", name.unwrap_or(&attribute.kind), hex_der(attribute)),
        })
    }

    /// As .NET writes it: spaces after commas, quotes around what is special.
    #[must_use]
    pub fn dotnet(&self) -> String {
        self.write(", ", " + ", |attribute| {
            let kind = &attribute.kind;
            let name = keyword(DOTNET_KEYWORDS, kind).or_else(|| keyword(KEYWORDS, kind));
            let name = name.map_or_else(|| format!("OID.{kind}"), str::to_owned);
            format!("{name}={}", quote(&attribute.text))
        })
    }

    fn write(
        &self,
        between_parts: &str,
        between_attributes: &str,
        attribute: impl Fn(&Attribute) -> String,
    ) -> String {
        let part = |part: &Vec<Attribute>| {
            part.iter().map(&attribute).collect::<Vec<_>>().join(between_attributes)
        };
        self.0.iter().rev().map(part).collect::<Vec<_>>().join(between_parts)
    }
}

fn keyword(keywords: &[(&str, &'static str)], kind: &str) -> Option<&'static str> {
    keywords.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
}

fn decode(tag: u32, content: &[u8]) -> String {
    match tag {
        BMP => {
            let units = content.chunks_exact(2).map(|pair| match pair {
                [high, low] => u16::from_be_bytes([*high, *low]),
                _ => 0,
            });
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        T61 => content.iter().copied().map(char::from).collect(),
        _ => String::from_utf8_lossy(content).into_owned(),
    }
}

fn hex_der(attribute: &Attribute) -> String {
    let length = attribute.content.len();
    let length = match u8::try_from(length) {
        Ok(short) if short < 0x80 => vec![short],
        Ok(byte) => vec![0x81, byte],
        Err(_) => {
            let bytes = u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
            [&[0x82], bytes.as_slice()].concat()
        }
    };
    let tag = u8::try_from(attribute.tag).unwrap_or(0);
    std::iter::once(&tag)
        .chain(&length)
        .chain(&attribute.content)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Escapes by RFC 4514, section 2.4.
fn escape(text: &str) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut escaped = String::with_capacity(text.len());
    for (place, c) in text.chars().enumerate() {
        let is_special = match c {
            ',' | '+' | '"' | '\\' | '<' | '>' | ';' => true,
            ' ' => place == 0 || place == last,
            '#' => place == 0,
            _ => false,
        };
        if is_special {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Quotes as .NET does.
fn quote(text: &str) -> String {
    let is_special = |c: char| matches!(c, ',' | '+' | '=' | '"' | '\n' | '<' | '>' | '#' | ';');
    let has_edge = text.starts_with(' ') || text.ends_with(' ') || text.is_empty();
    if has_edge || text.contains(is_special) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
