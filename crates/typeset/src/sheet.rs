//! A document as data and files for its template.

use racun_paper::{Code, Paper, Picture, Row, Template, modules};
use racun_render::{Block, Text};
use serde_json::{Value, json};
use time::Date;
use time::macros::date;
use typst::foundations::Bytes;

use crate::TypesetError;
use crate::hybrid;
use crate::lengths::measure;
use crate::letters::make_printable;
use crate::picture::{ON_PAPER, Pictures};
use crate::world::Workshop;

/// Where templates find the data.
const DATA: &str = "/data.json";
/// Where they find the table of what is sold: typst hashes the data at most calls of a function,
/// and this table once, where it is read.
const LINES: &str = "/lines.json";

/// Rows of a document that is not long.
const MOST_ROWS: usize = 100;

/// What of a document is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All.
    Everything,
    /// Letters whose shapes hang on their neighbours are shown as unknown.
    PlainLetters,
    /// Without pictures, too.
    PlainLettersAlone,
}

/// What a template is given.
pub(crate) struct Sheet {
    /// The template.
    pub template: &'static str,
    /// The document's own date: the one in the file's properties.
    pub date: Date,
    /// What tells the document from others.
    pub ident: String,
    /// Whether it has more than [`MOST_ROWS`], or may have.
    pub is_long: bool,
    data: Value,
    /// Codes and pictures, by the paths in the data.
    files: Vec<(String, Bytes)>,
}

impl Sheet {
    /// A document of the interface.
    pub(crate) fn of_paper(paper: &Paper, pictures: &Pictures) -> Result<Self, TypesetError> {
        let mut data = serde_json::to_value(paper).map_err(|e| TypesetError::new(e.to_string()))?;
        if let Some(data) = data.as_object_mut() {
            data.insert("primary_color".to_owned(), Value::from(paper.color(None)));
            if !is_long(&paper.lines.rows) {
                data.insert("carried_label".to_owned(), Value::Null);
            }
        }
        let number = paper.number.as_deref().unwrap_or_default();
        let (title, issuer) = (&paper.title, &paper.issuer.name);
        let mut sheet = Self {
            template: template(paper.template),
            date: paper.date,
            ident: [title, number, issuer].join("\n"),
            is_long: paper.lines.rows.len() > MOST_ROWS,
            data,
            files: Vec::new(),
        };
        let logo = paper.logo.as_ref();
        sheet.picture("/logo", logo, "logo", pictures);
        let signature = paper.signature.as_ref().and_then(|signature| signature.picture.as_ref());
        sheet.picture("/signature/picture", signature, "signature", pictures);
        let codes = paper.payment.iter().flat_map(|payment| &payment.codes);
        for (number, code) in codes.enumerate() {
            sheet.code(&format!("/payment/codes/{number}"), code, &format!("payment-{number}"))?;
        }
        for (number, marks) in paper.marks.iter().enumerate() {
            if let Some(code) = &marks.code {
                sheet.code(&format!("/marks/{number}/code"), code, &format!("mark-{number}"))?;
            }
        }
        Ok(sheet)
    }

    /// With `invoice` attached, XML that says the same.
    pub(crate) fn with_invoice(mut self, invoice: String) -> Self {
        if let Some(data) = self.data.as_object_mut() {
            data.insert("attached".to_owned(), Value::from(hybrid::PATH));
        }
        self.files.push((hybrid::PATH.to_owned(), Bytes::from_string(invoice)));
        // It is another file than the one without.
        self.ident.push_str("\nfactur-x");
        self
    }

    /// A text with tables. It is dated by its words alone, so its file has a fixed date.
    pub(crate) fn of_text(text: &Text) -> Self {
        let block = |block: &Block| match block {
            Block::Heading(text) => json!({"type": "heading", "text": text}),
            Block::Paragraph(text) => json!({"type": "paragraph", "text": text}),
            Block::Table(table) => {
                json!({"type": "table", "columns": table.columns, "rows": table.rows})
            }
        };
        let blocks: Vec<Value> = text.blocks.iter().map(block).collect();
        let data = json!({"title": text.title, "language": text.language, "blocks": blocks});
        Self {
            template: "text",
            date: date!(2000 - 01 - 01),
            ident: text.title.clone(),
            is_long: true,
            data,
            files: Vec::new(),
        }
    }

    /// Names the picture's file in the data; a picture that does not decode is left out.
    fn picture(&mut self, at: &str, picture: Option<&Picture>, name: &str, pictures: &Pictures) {
        let Some(place) = self.data.pointer_mut(at) else { return };
        let ready = picture.and_then(|picture| pictures.ready(&picture.bytes, ON_PAPER));
        let Some((ready, object)) = ready.zip(place.as_object_mut()) else {
            *place = Value::Null;
            return;
        };
        let path = format!("/{name}.{}", ready.ending);
        object.insert("file".to_owned(), Value::from(&*path));
        self.files.push((path, ready.bytes));
    }

    /// Names the code's file in the data, and how wide it is with what is light beside it: in
    /// thousandths of the code alone.
    fn code(&mut self, at: &str, code: &Code, name: &str) -> Result<(), TypesetError> {
        let modules = modules(code.symbol, &code.payload).map_err(TypesetError::new)?;
        let path = format!("/{name}.svg");
        if let Some(object) = self.data.pointer_mut(at).and_then(Value::as_object_mut) {
            let width = modules.width_with_quiet() * 1000 / modules.width;
            object.insert("file".to_owned(), Value::from(&*path));
            object.insert("with_quiet".to_owned(), Value::from(width));
        }
        self.files.push((path, Bytes::from_string(modules.svg())));
        Ok(())
    }

    /// All files of this document.
    pub(crate) fn files(
        &self,
        workshop: &Workshop,
        kept: Kept,
    ) -> Result<Vec<(String, Bytes)>, TypesetError> {
        let mut data = self.data.clone();
        make_printable(&mut data, workshop, kept != Kept::Everything);
        measure(&mut data, workshop);
        if kept == Kept::PlainLettersAlone {
            for at in ["/logo", "/signature/picture"] {
                if let Some(place) = data.pointer_mut(at) {
                    *place = Value::Null;
                }
            }
        }
        let lines = data.as_object_mut().and_then(|data| data.remove("lines"));
        let mut files = self.files.clone();
        for (path, data) in [(DATA, Some(data)), (LINES, lines)] {
            let Some(data) = data else { continue };
            let data = serde_json::to_vec(&data).map_err(|e| TypesetError::new(e.to_string()))?;
            files.push((path.to_owned(), Bytes::new(data)));
        }
        Ok(files)
    }
}

/// Whether a table may go on on another page, by about how many lines of text its rows have.
fn is_long(rows: &[Row]) -> bool {
    let lines = |row: &Row| {
        let (name, description) = match row {
            Row::Heading { name, description } => (Some(name), description),
            Row::Cells { cells, description, .. } => (cells.get(1), description),
        };
        let of_name = name.map_or(1, |name| name.len().div_ceil(60).max(1));
        of_name + description.as_ref().map_or(0, |text| text.len().div_ceil(50))
    };
    rows.iter().map(lines).sum::<usize>() > 12
}

/// The source that sets a template.
const fn template(template: Template) -> &'static str {
    match template {
        Template::Receipt80 | Template::Receipt58 => "receipt",
        paper => paper.name(),
    }
}
