//! Checks for electronic invoices, both ways.

use racun_documents::{
    Document, EInvoiceForm, EInvoiceOptions, Validation, ValidationOption, ValidationStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::{Convert, names};

/// What is wanted of a check for electronic invoices.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EInvoiceValidationInput)]
pub(crate) struct ValidationInputBody {
    /// Whether the document is checked when it is issued or changed; the entity's setting when
    /// absent.
    validation_enabled: Option<bool>,
    /// Whether it is issued, or changed, only when it is valid. When absent it is in Germany where
    /// the entity's settings have the form enabled, else not.
    validation_required: Option<bool>,
}

/// Whether a document is sent as an electronic invoice.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EInvoiceSendingInput)]
pub(crate) struct SendingInputBody {
    /// Whether it is sent on issue where the entity sends its documents; true when absent.
    send_enabled: Option<bool>,
}

/// What a request wants of electronic invoices.
pub(crate) struct EInvoiceInput {
    pub eslog: Option<ValidationInputBody>,
    pub ujp: Option<ValidationInputBody>,
    pub xrechnung: Option<ValidationInputBody>,
    pub zugferd: Option<ValidationInputBody>,
    pub e_invoicing: Option<SendingInputBody>,
}

impl Convert<EInvoiceOptions> for EInvoiceInput {
    fn convert(self) -> EInvoiceOptions {
        let options = [
            (EInvoiceForm::Eslog, self.eslog),
            (EInvoiceForm::Ujp, self.ujp),
            (EInvoiceForm::XRechnung, self.xrechnung),
            (EInvoiceForm::Zugferd, self.zugferd),
        ];
        let said = |(form, option): (EInvoiceForm, Option<ValidationInputBody>)| {
            let ValidationInputBody { validation_enabled, validation_required } = option?;
            let (enabled, required) = (validation_enabled, validation_required);
            Some((form, ValidationOption { enabled, required }))
        };
        EInvoiceOptions {
            validation: options.into_iter().filter_map(said).collect(),
            send_enabled: self.e_invoicing.and_then(|option| option.send_enabled),
        }
    }
}

names! {
    /// What a check said.
    ValidationStatusBody as EInvoiceValidationStatus of ValidationStatus {
        Valid, Invalid, NotValidated
    }
}

/// The check of a document for a form of electronic invoices.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoiceValidation)]
pub(crate) struct ValidationBody {
    /// Whether it is checked whenever it is issued or changed.
    validation_enabled: bool,
    /// What the last check said.
    validation_status: ValidationStatusBody,
    /// What to change, each with the field: `customer.city: BR-DE-8: …`.
    validation_errors: Vec<String>,
    /// What a receiver may object to, in the same form.
    validation_warnings: Vec<String>,
    /// When it was checked.
    #[schema(required = true)]
    validated_at: Option<String>,
}

impl ValidationBody {
    /// The check of `document` for `form`; `None` when there is none.
    pub fn of(document: &Document, form: EInvoiceForm) -> Option<Self> {
        document.validation(form).cloned().convert()
    }
}

impl Convert<ValidationBody> for Validation {
    fn convert(self) -> ValidationBody {
        ValidationBody {
            validation_enabled: self.enabled,
            validation_status: self.status.convert(),
            validation_errors: self.errors,
            validation_warnings: self.warnings,
            validated_at: self.at.convert(),
        }
    }
}
