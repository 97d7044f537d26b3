//! What makes a PDF a hybrid invoice, ZUGFeRD in Germany and Factur-X in France, beside the
//! attached XML: properties in its metadata that say what the XML is, and their description,
//! without which PDF/A takes no property that it does not know.
//!
//! typst attaches the file, and has no place for such properties. So they are put into the stream
//! of metadata that it wrote, and what points behind that stream is moved along: the file stays one
//! of a single revision.
//!
//! Source: Factur-X 1.09.2 and ZUGFeRD 2.5.2, the part on the PDF; ISO 32000-1, 7.5.

use std::ops::Range;

/// Where templates find the XML; its last part is what the standard calls the attached file.
pub(crate) const PATH: &str = "/factur-x.xml";

/// The namespace of the properties.
const NAMESPACE: &str = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";
/// The properties: name, value, description. The profile is the one of the standard EN 16931.
const PROPERTIES: [[&str; 3]; 4] = [
    ["DocumentType", "INVOICE", "The type of the hybrid document"],
    ["DocumentFileName", "factur-x.xml", "The name of the attached XML"],
    ["Version", "1.0", "The version of the schema of the attached XML"],
    ["ConformanceLevel", "EN 16931", "The profile of the attached XML"],
];

/// What ends the descriptions of properties in XMP, and what ends the properties.
const DESCRIPTIONS_END: &str = "</rdf:Bag></pdfaExtension:schemas>";
const PROPERTIES_END: &str = "</rdf:RDF>";

/// What stands ahead of the stream of metadata, before and behind its length. It is not compressed.
const AHEAD: [&[&str]; 2] =
    [&["obj", "<<", "/Length"], &["/Type", "/Metadata", "/Subtype", "/XML", ">>", "stream"]];

/// Bytes of an entry in the table of objects.
const ENTRY: usize = 20;
/// Of these, digits of the place of its object.
const PLACE: usize = 10;

/// `pdf`, as typst writes it, with the properties; `None` when it is written in another way.
pub(crate) fn declared(pdf: &[u8]) -> Option<Vec<u8>> {
    let table = Table::of(pdf)?;
    let mut places = table.entries.chunks(ENTRY).filter_map(place_of);
    let stream = places.find_map(|place| Stream::at(pdf, place))?;
    let data = stream.begins..stream.begins + stream.length;
    let metadata = with_properties(str::from_utf8(pdf.get(data.clone())?).ok()?)?;
    let mut made = Vec::with_capacity(pdf.len() + 4_096);
    made.extend(pdf.get(..stream.digits.start)?);
    made.extend(metadata.len().to_string().as_bytes());
    made.extend(pdf.get(stream.digits.end..data.start)?);
    made.extend(metadata.as_bytes());
    made.extend(pdf.get(data.end..table.begins)?);
    let moved = made.len() - table.begins;
    made.extend(table.head);
    for entry in table.entries.chunks(ENTRY) {
        match place_of(entry).filter(|place| *place > data.start) {
            Some(place) => {
                made.extend(format!("{:010}", place + moved).as_bytes());
                made.extend(entry.get(PLACE..)?);
            }
            None => made.extend(entry),
        }
    }
    made.extend(table.trailer);
    made.extend(format!("startxref\n{}\n%%EOF", table.begins + moved).as_bytes());
    Some(made)
}

/// XMP with the properties and their description.
fn with_properties(metadata: &str) -> Option<String> {
    let (before, rest) = metadata.split_once(DESCRIPTIONS_END)?;
    let (between, after) = rest.split_once(PROPERTIES_END)?;
    let described: String = PROPERTIES
        .iter()
        .map(|[name, _, description]| {
            format!(
                "<rdf:li rdf:parseType=\"Resource\"><pdfaProperty:category>external\
                 </pdfaProperty:category><pdfaProperty:description>{description}\
                 </pdfaProperty:description><pdfaProperty:name>{name}</pdfaProperty:name>\
                 <pdfaProperty:valueType>Text</pdfaProperty:valueType></rdf:li>"
            )
        })
        .collect();
    let values: String = PROPERTIES
        .iter()
        .map(|[name, value, _]| format!("<fx:{name}>{value}</fx:{name}>"))
        .collect();
    Some(format!(
        "{before}<rdf:li rdf:parseType=\"Resource\">\
         <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>\
         <pdfaSchema:namespaceURI>{NAMESPACE}</pdfaSchema:namespaceURI>\
         <pdfaSchema:prefix>fx</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>{described}\
         </rdf:Seq></pdfaSchema:property></rdf:li>{DESCRIPTIONS_END}{between}\
         <rdf:Description rdf:about=\"\" xmlns:fx=\"{NAMESPACE}\">{values}</rdf:Description>\
         {PROPERTIES_END}{after}"
    ))
}

/// The stream of metadata.
struct Stream {
    /// Bytes of its data.
    length: usize,
    /// Where that number is written.
    digits: Range<usize>,
    /// Where its data begin.
    begins: usize,
}

impl Stream {
    /// The object at `place`, when it is the stream of metadata.
    fn at(pdf: &[u8], place: usize) -> Option<Self> {
        let mut reader = Reader { file: pdf, at: place };
        let (_number, _generation) = (reader.number()?, reader.number()?);
        AHEAD[0].iter().try_for_each(|part| reader.part(part))?;
        let (length, digits) = reader.number()?;
        AHEAD[1].iter().try_for_each(|part| reader.part(part))?;
        reader.end_of_line()?;
        Some(Self { length, digits, begins: reader.at })
    }
}

/// The table of objects, which ends a file.
struct Table<'a> {
    /// Where it begins.
    begins: usize,
    /// What is ahead of its entries.
    head: &'a [u8],
    /// Its entries.
    entries: &'a [u8],
    /// What is between them and the note of where it begins.
    trailer: &'a [u8],
}

impl<'a> Table<'a> {
    fn of(pdf: &'a [u8]) -> Option<Self> {
        let note = b"startxref";
        let end = pdf.windows(note.len()).rposition(|window| window == note)?;
        let mut reader = Reader { file: pdf, at: end + note.len() };
        let (begins, _) = reader.number()?;
        reader.at = begins;
        reader.part("xref")?;
        let (_first, (count, _)) = (reader.number()?, reader.number()?);
        reader.end_of_line()?;
        let (from, to) = (reader.at, reader.at + count * ENTRY);
        let (head, entries) = (pdf.get(begins..from)?, pdf.get(from..to)?);
        Some(Self { begins, head, entries, trailer: pdf.get(to..end)? })
    }
}

/// Where the object of an entry is; `None` when it is of none.
fn place_of(entry: &[u8]) -> Option<usize> {
    let is_used = entry.get(PLACE..)?.contains(&b'n');
    let place = str::from_utf8(entry.get(..PLACE)?).ok()?.parse().ok()?;
    is_used.then_some(place)
}

/// Reads a file from a place on.
struct Reader<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.file.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Goes on behind `part`, which must come next.
    fn part(&mut self, part: &str) -> Option<()> {
        self.skip_blanks();
        self.rest().starts_with(part.as_bytes()).then(|| self.at += part.len())
    }

    /// The number that comes next, and where it is written.
    fn number(&mut self) -> Option<(usize, Range<usize>)> {
        self.skip_blanks();
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(self.rest().get(..digits)?).ok()?.parse().ok()?;
        let place = self.at..self.at + digits;
        self.at = place.end;
        Some((number, place))
    }

    /// Goes on in the next line.
    fn end_of_line(&mut self) -> Option<()> {
        let ends = ["\r\n", "\n"];
        let end = ends.into_iter().find(|end| self.rest().starts_with(end.as_bytes()))?;
        self.at += end.len();
        Some(())
    }
}
