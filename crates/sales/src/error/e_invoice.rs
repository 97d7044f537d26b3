//! Why a document has no electronic invoice.

use racun_documents::EInvoiceForm;
use racun_kernel::Issues;

/// Why a document has no electronic invoice, or is not issued for want of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EInvoiceRefused {
    /// It has to be valid and is not; the issues name the fields to change, of all forms that are
    /// required. `form` is the first of them.
    #[error("the document is not valid as {}: {issues}", form.name())]
    Invalid {
        /// The form.
        form: EInvoiceForm,
        /// What is wrong.
        issues: Issues,
    },
    /// The last check did not find it valid, or there was none.
    #[error(
        "the document is not valid as {}; its {}.validation_errors say what to change, once it is \
         checked", .0.name(), .0.name()
    )]
    NotValid(EInvoiceForm),
    /// The entity is of another country.
    #[error("{} is for entities with the country_code {} only", .0.name(), .0.country())]
    OtherCountry(EInvoiceForm),
}

impl EInvoiceRefused {
    /// Stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { form, .. } | Self::NotValid(form) => match form {
                EInvoiceForm::Eslog => "eslog_invalid",
                EInvoiceForm::Ujp => "ujp_invalid",
                EInvoiceForm::XRechnung => "xrechnung_invalid",
                EInvoiceForm::Zugferd => "zugferd_invalid",
            },
            Self::OtherCountry(_) => "country_not_supported",
        }
    }
}
