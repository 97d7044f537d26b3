//! The texts of a document: their limits, their translations and where their defaults come from.

use std::collections::BTreeMap;

use racun_kernel::text::{check_field, check_localized};
use racun_kernel::{Issues, Patch};
use serde::{Deserialize, Serialize};

/// A text by locale.
pub type Localized = BTreeMap<String, String>;

/// The texts of a document. `None` means that the document has no such text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Texts {
    /// Note, at most [`Texts::MAX_NOTE_CHARS`].
    pub note: Option<String>,
    /// Payment terms.
    pub payment_terms: Option<String>,
    /// Tax clause.
    pub tax_clause: Option<String>,
    /// Footer, at most [`Texts::MAX_FOOTER_CHARS`].
    pub footer: Option<String>,
    /// Signature.
    pub signature: Option<String>,
}

/// What a request says of a document's texts, or what the defaults are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextDefaults {
    /// Note.
    pub note: Patch<String>,
    /// Payment terms.
    pub payment_terms: Patch<String>,
    /// Tax clause.
    pub tax_clause: Patch<String>,
    /// Footer.
    pub footer: Patch<String>,
    /// Signature.
    pub signature: Patch<String>,
}

impl Texts {
    /// Characters that a note or tax clause may hold.
    pub const MAX_NOTE_CHARS: usize = 10_000;
    /// Characters that a tax clause may hold.
    pub const MAX_CLAUSE_CHARS: usize = 2000;
    /// Characters that payment terms may hold.
    pub const MAX_TERMS_CHARS: usize = 500;
    /// Characters that a footer may hold.
    pub const MAX_FOOTER_CHARS: usize = 500;
    /// Characters that a signature may hold.
    pub const MAX_SIGNATURE_CHARS: usize = 1000;

    /// The texts of a new document: those of the request, else the defaults.
    ///
    /// An omitted text and null take the default; an empty text means none.
    #[must_use]
    pub fn of_new(request: TextDefaults, defaults: Self) -> Self {
        let pick = |sent: Patch<String>, default: Option<String>| match sent {
            Patch::Absent | Patch::Null => default,
            Patch::Value(text) => Some(text).filter(|text| !text.is_empty()),
        };
        Self {
            note: pick(request.note, defaults.note),
            payment_terms: pick(request.payment_terms, defaults.payment_terms),
            tax_clause: pick(request.tax_clause, defaults.tax_clause),
            footer: pick(request.footer, defaults.footer),
            signature: pick(request.signature, defaults.signature),
        }
    }

    /// These texts with what an update says: an omitted text stays, null and an empty text mean
    /// none.
    #[must_use]
    pub fn updated(mut self, request: TextDefaults) -> Self {
        let none_when_empty = |text: &mut Option<String>, sent: Patch<String>| {
            sent.apply(text);
            *text = text.take().filter(|text| !text.is_empty());
        };
        none_when_empty(&mut self.note, request.note);
        none_when_empty(&mut self.payment_terms, request.payment_terms);
        none_when_empty(&mut self.tax_clause, request.tax_clause);
        none_when_empty(&mut self.footer, request.footer);
        none_when_empty(&mut self.signature, request.signature);
        self
    }

    /// Checks the limits.
    ///
    /// # Errors
    /// One issue for each text that is too long.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        check_field(&mut issues, "note", self.note.as_deref(), Self::MAX_NOTE_CHARS);
        check_field(
            &mut issues,
            "payment_terms",
            self.payment_terms.as_deref(),
            Self::MAX_TERMS_CHARS,
        );
        check_field(&mut issues, "tax_clause", self.tax_clause.as_deref(), Self::MAX_CLAUSE_CHARS);
        check_field(&mut issues, "footer", self.footer.as_deref(), Self::MAX_FOOTER_CHARS);
        check_field(&mut issues, "signature", self.signature.as_deref(), Self::MAX_SIGNATURE_CHARS);
        issues.into_result(())
    }
}

/// `DocumentTranslations` of the interface: the texts by locale.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Translations {
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Localized>,
    /// Payment terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_terms: Option<Localized>,
    /// Tax clauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_clause: Option<Localized>,
    /// Footers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<Localized>,
    /// Signatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Localized>,
}

impl Translations {
    /// Checks locales and limits.
    ///
    /// # Errors
    /// One issue for each text or locale that is wrong.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let texts = [
            ("note", &self.note, Texts::MAX_NOTE_CHARS),
            ("payment_terms", &self.payment_terms, Texts::MAX_TERMS_CHARS),
            ("tax_clause", &self.tax_clause, Texts::MAX_CLAUSE_CHARS),
            ("footer", &self.footer, Texts::MAX_FOOTER_CHARS),
            ("signature", &self.signature, Texts::MAX_SIGNATURE_CHARS),
        ];
        for (field, localized, max) in texts {
            if let Some(localized) = localized {
                issues.collect(field, check_localized(localized, max));
            }
        }
        issues.into_result(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_documents_text_is_the_requests_else_the_default() {
        let default = || Texts { note: Some("Hvala".to_owned()), ..Texts::default() };
        let note =
            |sent| Texts::of_new(TextDefaults { note: sent, ..Default::default() }, default()).note;
        assert_eq!(note(Patch::Absent).as_deref(), Some("Hvala"));
        assert_eq!(note(Patch::Null).as_deref(), Some("Hvala"));
        assert_eq!(note(Patch::Value(String::new())), None);
        assert_eq!(note(Patch::Value("Lep pozdrav".to_owned())).as_deref(), Some("Lep pozdrav"));
    }

    #[test]
    fn an_update_clears_by_null_and_by_empty_text() {
        let before = Texts { note: Some("Hvala".to_owned()), ..Texts::default() };
        let note =
            |sent| before.clone().updated(TextDefaults { note: sent, ..Default::default() }).note;
        assert_eq!(note(Patch::Absent).as_deref(), Some("Hvala"));
        assert_eq!(note(Patch::Null), None);
        assert_eq!(note(Patch::Value(String::new())), None);
    }

    #[test]
    fn texts_and_translations_are_limited() {
        let footer = Texts { footer: Some("ž".repeat(501)), ..Texts::default() };
        assert_eq!(footer.check().unwrap_err().to_string(), "footer: at most 500 characters");
        let unknown = Translations {
            note: Some(Localized::from([("xx-XX".to_owned(), String::new())])),
            ..Translations::default()
        };
        assert_eq!(unknown.check().unwrap_err().iter().next().unwrap().code, "unknown_locale");
    }
}
