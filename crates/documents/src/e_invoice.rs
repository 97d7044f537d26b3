//! Electronic invoices of a document: what a request wants of its checks, and what they said.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Document, DocumentKind};

/// A form of electronic invoices that documents are checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EInvoiceForm {
    /// e-SLOG 2.0, in Slovenia.
    Eslog,
    /// e-SLOG in the envelope of UJP, to budget users in Slovenia.
    Ujp,
    /// XRechnung 3.0, in Germany.
    XRechnung,
    /// ZUGFeRD 2 of the profile EN 16931, in Germany.
    Zugferd,
}

impl EInvoiceForm {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Eslog, Self::Ujp, Self::XRechnung, Self::Zugferd];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eslog => "eslog",
            Self::Ujp => "ujp",
            Self::XRechnung => "xrechnung",
            Self::Zugferd => "zugferd",
        }
    }

    /// Whose entities have it, ISO 3166-1 alpha-2.
    #[must_use]
    pub const fn country(self) -> &'static str {
        match self {
            Self::Eslog | Self::Ujp => "SI",
            Self::XRechnung | Self::Zugferd => "DE",
        }
    }

    /// Whether documents of `kind` have it (contract 5, 23 and 24).
    ///
    /// A prepayment invoice has the code 386. The profile EN 16931 of ZUGFeRD takes it; XRechnung
    /// does not name it among its types (BR-DE-17), and UJP takes invoices and credit notes.
    #[must_use]
    pub const fn is_of(self, kind: DocumentKind) -> bool {
        match (self, kind) {
            (_, DocumentKind::Invoice | DocumentKind::CreditNote) => true,
            (Self::Eslog, kind) => !matches!(kind, DocumentKind::DeliveryNote),
            (Self::Zugferd, DocumentKind::AdvanceInvoice) => true,
            (Self::Ujp | Self::XRechnung | Self::Zugferd, _) => false,
        }
    }
}

/// What a request says of the check for one form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ValidationOption {
    /// Whether the document is checked; the entity's setting when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether it is issued only when it is valid; as the entity's settings say when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

/// What requests said of a document's electronic invoices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EInvoiceOptions {
    /// Of its checks, by form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub validation: BTreeMap<EInvoiceForm, ValidationOption>,
    /// Whether it is sent on issue where the entity sends its documents; so when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_enabled: Option<bool>,
}

impl EInvoiceOptions {
    /// What was said of `form`.
    #[must_use]
    pub fn of(&self, form: EInvoiceForm) -> ValidationOption {
        self.validation.get(&form).copied().unwrap_or_default()
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same of a document that the law requires: it is issued whatever its checks say.
    #[must_use]
    pub fn by_law(mut self) -> Self {
        self.validation.values_mut().for_each(|option| option.required = Some(false));
        self
    }

    /// These with what a later request says.
    #[must_use]
    pub fn with(mut self, later: Self) -> Self {
        self.validation.extend(later.validation);
        self.send_enabled = later.send_enabled.or(self.send_enabled);
        self
    }
}

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationStatus {
    /// The document may leave.
    Valid,
    /// It breaks a rule.
    Invalid,
    /// It was not checked yet.
    NotValidated,
}

/// The check of a document for one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// Whether it is checked whenever it is issued or changed.
    pub enabled: bool,
    /// What it said.
    pub status: ValidationStatus,
    /// What makes the document invalid, each with the field to change: `customer.city: BR-DE-8: …`.
    /// At most [`Validation::MOST`], and one more that counts the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What a receiver may object to; as many, and in the same form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// When; `None` when it was not.
    #[serde(with = "time::serde::rfc3339::option", default)]
    pub at: Option<OffsetDateTime>,
}

impl Validation {
    /// Errors and warnings that are kept.
    pub const MOST: usize = 50;

    /// A check that is still to come.
    #[must_use]
    pub const fn to_come() -> Self {
        Self {
            enabled: true,
            status: ValidationStatus::NotValidated,
            errors: Vec::new(),
            warnings: Vec::new(),
            at: None,
        }
    }

    /// Whether it says the same as `other`, whenever.
    #[must_use]
    pub fn says_as(&self, other: &Self) -> bool {
        *self == Self { at: self.at, ..other.clone() }
    }
}

/// The checks of a document, by form; those that were made or are to come.
pub type Validations = BTreeMap<EInvoiceForm, Validation>;

impl Document {
    /// The document with what a later request wants of its electronic invoices.
    #[must_use]
    pub fn wanting(mut self, options: EInvoiceOptions) -> Self {
        self.content.e_invoices = self.content.e_invoices.with(options);
        self
    }

    /// The check for `form`.
    #[must_use]
    pub fn validation(&self, form: EInvoiceForm) -> Option<&Validation> {
        self.validations.get(&form)
    }

    /// Whether the last check for `form` found it valid.
    #[must_use]
    pub fn is_valid_as(&self, form: EInvoiceForm) -> bool {
        self.validation(form).is_some_and(|check| check.status == ValidationStatus::Valid)
    }

    /// The document with `validations`. It is no change of the document itself, so `updated_at`
    /// stays.
    #[must_use]
    pub fn with_validations(self, validations: Validations) -> Self {
        Self { validations, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_of_the_kinds_that_have_them() {
        use DocumentKind::{AdvanceInvoice, CreditNote, DeliveryNote, Estimate, Invoice};
        for (form, kinds) in [
            (EInvoiceForm::Eslog, vec![Invoice, Estimate, CreditNote, AdvanceInvoice]),
            (EInvoiceForm::Ujp, vec![Invoice, CreditNote]),
            (EInvoiceForm::XRechnung, vec![Invoice, CreditNote]),
            (EInvoiceForm::Zugferd, vec![Invoice, CreditNote, AdvanceInvoice]),
        ] {
            for kind in DocumentKind::ALL {
                assert_eq!(form.is_of(kind), kinds.contains(&kind), "{form:?} {kind:?}");
            }
            assert!(!form.is_of(DeliveryNote), "{form:?}");
        }
    }

    #[test]
    fn a_later_request_changes_what_it_names() {
        let option = |required| ValidationOption { enabled: None, required: Some(required) };
        let before = EInvoiceOptions {
            validation: [(EInvoiceForm::Eslog, option(true)), (EInvoiceForm::Ujp, option(true))]
                .into(),
            send_enabled: Some(false),
        };
        let later = EInvoiceOptions {
            validation: [(EInvoiceForm::Ujp, option(false))].into(),
            send_enabled: None,
        };
        let both = before.clone().with(later);
        assert_eq!(both.of(EInvoiceForm::Eslog), option(true));
        assert_eq!(both.of(EInvoiceForm::Ujp), option(false));
        assert_eq!(both.send_enabled, Some(false));
        assert_eq!(before.clone().with(EInvoiceOptions::default()), before);
    }
}
