//! How a document looks. `application` reads it from the settings of a unit and its entity.

use crate::model::{Display, Template};

/// How a document looks, and which codes it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The template.
    pub template: Template,
    /// `#` and six hexadecimal digits.
    pub primary_color: Option<String>,
    /// Percent of the logo's size in the template, 30 to 100.
    pub logo_scale_percent: u8,
    /// Whether credit notes show what they give back below zero.
    pub negative_credit: bool,
    /// Whether payments and what is due are shown.
    pub shows_payments: bool,
    /// The UPN QR code, when it is on.
    pub upn: Option<Upn>,
    /// Whether the EPC QR code is on.
    pub epc: bool,
    /// The HUB3 code, when it is on.
    pub hub3: Option<Hub3>,
}

impl Default for Look {
    /// `modern`, with the logo in its size and what is due, without codes.
    fn default() -> Self {
        Self {
            template: Template::default(),
            primary_color: None,
            logo_scale_percent: 100,
            negative_credit: false,
            shows_payments: true,
            upn: None,
            epc: false,
            hub3: None,
        }
    }
}

/// What receipts say beside their documents, in the document's language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiptTexts {
    /// Follows the document's own note.
    pub note: Option<String>,
    /// Takes the place of the document's footer.
    pub footer: Option<String>,
    /// Takes the place of the document's signature in words.
    pub signature: Option<String>,
}

/// How a UPN QR code is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upn {
    /// The code alone, or the whole slip.
    pub display: Display,
    /// Four capitals.
    pub purpose_code: String,
}

impl Default for Upn {
    /// The code alone, of the purpose `OTHR`.
    fn default() -> Self {
        Self { display: Display::CodeOnly, purpose_code: "OTHR".to_owned() }
    }
}

/// How a HUB3 code is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hub3 {
    /// Four capitals.
    pub purpose_code: String,
    /// `HR` and two digits: how a reference is made where the document has none.
    pub reference_model: String,
}

impl Default for Hub3 {
    /// The purpose `OTHR`, the model `HR00`.
    fn default() -> Self {
        Self { purpose_code: "OTHR".to_owned(), reference_model: "HR00".to_owned() }
    }
}
