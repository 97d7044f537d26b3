//! DOCX: Office Open XML (ISO/IEC 29500), the parts that a text needs.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::text::plain;
use crate::{Block, RenderError, Table, Text};

const CONTENT_TYPES: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    "\n",
    r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
    r#"<Default Extension="rels" "#,
    r#"ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
    r#"<Default Extension="xml" ContentType="application/xml"/>"#,
    r#"<Override PartName="/word/document.xml" "#,
    r#"ContentType="application/vnd.openxmlformats-officedocument."#,
    r#"wordprocessingml.document.main+xml"/>"#,
    r#"<Override PartName="/word/styles.xml" "#,
    r#"ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>"#,
    r#"<Override PartName="/docProps/core.xml" "#,
    r#"ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>"#,
    "</Types>",
);

const RELATIONS: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    "\n",
    r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    r#"<Relationship Id="rId1" "#,
    r#"Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" "#,
    r#"Target="word/document.xml"/>"#,
    r#"<Relationship Id="rId2" "#,
    r#"Type="http://schemas.openxmlformats.org/package/2006/relationships/"#,
    r#"metadata/core-properties" "#,
    r#"Target="docProps/core.xml"/>"#,
    "</Relationships>",
);

const DOCUMENT_RELATIONS: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    "\n",
    r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    r#"<Relationship Id="rId1" "#,
    r#"Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" "#,
    r#"Target="styles.xml"/>"#,
    "</Relationships>",
);

const NAMESPACE: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#;

/// `text` as a DOCX file.
///
/// # Errors
/// When it cannot be written: a mistake in the program.
pub fn docx(text: &Text) -> Result<Vec<u8>, RenderError> {
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in [
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", RELATIONS.to_owned()),
        ("word/_rels/document.xml.rels", DOCUMENT_RELATIONS.to_owned()),
        ("word/styles.xml", styles(&text.language)),
        ("word/document.xml", document(text)),
        ("docProps/core.xml", properties(text)),
    ] {
        let failed = |reason: String| RenderError::new("DOCX", reason);
        file.start_file(name, stored).map_err(|error| failed(error.to_string()))?;
        file.write_all(content.as_bytes()).map_err(|error| failed(error.to_string()))?;
    }
    let written = file.finish().map_err(|error| RenderError::new("DOCX", error))?;
    Ok(written.into_inner())
}

/// `text` as content of an element.
fn escape(text: &str) -> String {
    let escaped = plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;")
}

fn properties(text: &Text) -> String {
    let (title, language) = (escape(&text.title), escape(&text.language));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <cp:coreProperties \
         xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{title}</dc:title>\
         <dc:creator>Racun</dc:creator><dc:language>{language}</dc:language></cp:coreProperties>"
    )
}

/// Sizes are half points.
fn styles(language: &str) -> String {
    let language = escape(language);
    let style = |id: &str, name: &str, size: u8, before: u16| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>\
             <w:pPr><w:keepNext/><w:spacing w:before=\"{before}\" w:after=\"80\"/></w:pPr>\
             <w:rPr><w:b/><w:sz w:val=\"{size}\"/></w:rPr></w:style>"
        )
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <w:styles {NAMESPACE}><w:docDefaults><w:rPrDefault><w:rPr>\
         <w:rFonts w:ascii=\"Arial\" w:hAnsi=\"Arial\" w:cs=\"Arial\"/><w:sz w:val=\"20\"/>\
         <w:lang w:val=\"{language}\"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>\
         <w:spacing w:after=\"120\"/></w:pPr></w:pPrDefault></w:docDefaults>{}{}</w:styles>",
        style("Title", "Title", 30, 0),
        style("Heading1", "heading 1", 22, 280),
    )
}

fn document(text: &Text) -> String {
    let mut body = paragraph(&text.title, Some("Title"));
    for block in &text.blocks {
        body += &match block {
            Block::Heading(text) => paragraph(text, Some("Heading1")),
            Block::Paragraph(text) => paragraph(text, None),
            Block::Table(rows) => table(rows),
        };
    }
    // A4 with margins of two centimetres, in twentieths of a point.
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <w:document {NAMESPACE}><w:body>{body}<w:sectPr>\
         <w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1134\" w:right=\"1134\" \
         w:bottom=\"1134\" w:left=\"1134\" w:header=\"567\" w:footer=\"567\" w:gutter=\"0\"/>\
         </w:sectPr></w:body></w:document>"
    )
}

fn paragraph(text: &str, style: Option<&str>) -> String {
    let style = style.map(|id| format!("<w:pPr><w:pStyle w:val=\"{id}\"/></w:pPr>"));
    format!("<w:p>{}{}</w:p>", style.unwrap_or_default(), run(text, false))
}

fn run(text: &str, is_bold: bool) -> String {
    let bold = if is_bold { "<w:rPr><w:b/></w:rPr>" } else { "" };
    format!("<w:r>{bold}<w:t xml:space=\"preserve\">{}</w:t></w:r>", escape(text))
}

fn table(table: &Table) -> String {
    let mut written =
        "<w:tbl><w:tblPr><w:tblW w:w=\"5000\" w:type=\"pct\"/><w:tblBorders>".to_owned();
    for side in ["top", "bottom", "insideH"] {
        let _ = write!(written, "<w:{side} w:val=\"single\" w:sz=\"4\" w:color=\"AAAAAA\"/>");
    }
    written += "</w:tblBorders></w:tblPr><w:tblGrid>";
    for (_, share) in &table.columns {
        let _ = write!(written, "<w:gridCol w:w=\"{}\"/>", u16::from(*share) * 100);
    }
    written += "</w:tblGrid>";
    let names: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
    written += &row(table, &names, true);
    for cells in &table.rows {
        written += &row(table, cells, false);
    }
    // A paragraph parts it from a table that follows.
    written + "</w:tbl><w:p/>"
}

fn row(table: &Table, cells: &[String], are_names: bool) -> String {
    let head = if are_names { "<w:trPr><w:tblHeader/></w:trPr>" } else { "" };
    let mut written = format!("<w:tr>{head}");
    for (place, (_, share)) in table.columns.iter().enumerate() {
        let text = cells.get(place).map(String::as_str).unwrap_or_default();
        let width = u16::from(*share) * 100;
        let _ = write!(
            written,
            "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr><w:p>{}</w:p></w:tc>",
            run(text, are_names)
        );
    }
    written + "</w:tr>"
}
