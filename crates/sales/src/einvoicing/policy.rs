//! For which forms a document is checked, and whether it has to be valid.

use racun_access::{Entity, setting};
use racun_documents::{DocumentKind, EInvoiceForm, EInvoiceOptions, ValidationOption};
use racun_kernel::{Issue, Issues};

/// What an entity's country and settings say of checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    country: Option<String>,
    has_feature: bool,
    /// The forms that its settings name.
    named: Vec<EInvoiceForm>,
}

/// A check of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The form.
    pub form: EInvoiceForm,
    /// Whether the document is issued only when it is valid.
    pub is_required: bool,
}

impl Policy {
    /// What `entity` says.
    #[must_use]
    pub fn of(entity: &Entity) -> Self {
        let is_on = |key| entity.settings.get(key).unwrap_or(false);
        let eslog = is_on(setting::ESLOG_VALIDATION_ENABLED);
        let named = EInvoiceForm::ALL.into_iter().filter(|form| match form {
            EInvoiceForm::Eslog => eslog,
            EInvoiceForm::Ujp => eslog && is_on(setting::UJP_VALIDATION_ENABLED),
            EInvoiceForm::XRechnung => is_on(setting::XRECHNUNG_ENABLED),
            EInvoiceForm::Zugferd => is_on(setting::ZUGFERD_ENABLED),
        });
        Self {
            named: named.collect(),
            has_feature: entity.country_rules().features.contains(&"e_invoicing"),
            country: entity.country_code.clone(),
        }
    }

    /// Whether the entity's documents can have `form`: it is of its country.
    #[must_use]
    pub fn has(&self, form: EInvoiceForm) -> bool {
        self.has_feature && self.country.as_deref() == Some(form.country())
    }

    /// The checks of a document of `kind` whose requests said `options`.
    ///
    /// What the entity's settings name in Germany is required, unless the request says that it is
    /// not. In Slovenia the settings check, and a request requires.
    #[must_use]
    pub fn wanted(&self, kind: DocumentKind, options: &EInvoiceOptions) -> Vec<Wanted> {
        let wanted = |form: EInvoiceForm| {
            let ValidationOption { enabled, required } = options.of(form);
            let is_named = self.named.contains(&form);
            let requires = matches!(form, EInvoiceForm::XRechnung | EInvoiceForm::Zugferd);
            let is_required = required.unwrap_or(is_named && requires);
            let is_wanted = is_required || enabled.unwrap_or(is_named);
            (is_wanted && form.is_of(kind) && self.has(form))
                .then_some(Wanted { form, is_required })
        };
        EInvoiceForm::ALL.into_iter().filter_map(wanted).collect()
    }

    /// What of `options` cannot be for a document of `kind`, each at its field. A check that a kind
    /// has no form for is left out: it is refused only where it is required.
    #[must_use]
    pub fn refused(&self, kind: DocumentKind, options: &EInvoiceOptions) -> Issues {
        let mut found = Issues::default();
        for (form, option) in &options.validation {
            let name = form.name();
            if option.enabled == Some(false) && option.required == Some(true) {
                let message = "what is not checked cannot be required: leave one of the two out";
                found.push(Issue::new("conflicting", message).at("validation_required").at(name));
            }
            let asks = option.enabled == Some(true) || option.required == Some(true);
            if asks && !self.has(*form) {
                let message = format!(
                    "{name} is for entities with the country_code {}: leave it out",
                    form.country(),
                );
                found.push(Issue::new("not_allowed", message).at(name));
            } else if option.required == Some(true) && !form.is_of(kind) {
                let message =
                    format!("there is no {name} of a document of this kind: leave it out");
                let issue = Issue::new("not_allowed", message).at("validation_required");
                found.push(issue.at(name));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use EInvoiceForm::{Eslog, Ujp, XRechnung, Zugferd};

    use super::*;

    fn policy(country: &str, named: &[EInvoiceForm]) -> Policy {
        Policy { country: Some(country.to_owned()), has_feature: true, named: named.to_vec() }
    }

    fn said(form: EInvoiceForm, enabled: Option<bool>, required: Option<bool>) -> EInvoiceOptions {
        let validation = [(form, ValidationOption { enabled, required })].into();
        EInvoiceOptions { validation, send_enabled: None }
    }

    #[test]
    fn settings_require_in_germany_and_check_in_slovenia() {
        let none = EInvoiceOptions::default();
        let german = policy("DE", &[XRechnung, Zugferd, Eslog]);
        let both = [XRechnung, Zugferd].map(|form| Wanted { form, is_required: true });
        assert_eq!(german.wanted(DocumentKind::Invoice, &none), both);
        assert_eq!(german.wanted(DocumentKind::CreditNote, &none), both);
        // XRechnung has no code of an advance invoice.
        assert_eq!(german.wanted(DocumentKind::AdvanceInvoice, &none), both[1..]);
        let slovenian = policy("SI", &[Eslog, Ujp, XRechnung]);
        let both = [Eslog, Ujp].map(|form| Wanted { form, is_required: false });
        assert_eq!(slovenian.wanted(DocumentKind::Invoice, &none), both);
        assert_eq!(slovenian.wanted(DocumentKind::Estimate, &none), both[..1]);
        assert_eq!(policy("FR", &[XRechnung]).wanted(DocumentKind::Invoice, &none), []);
    }

    #[test]
    fn a_request_says_more_than_the_settings() {
        let wanted = |named: &[EInvoiceForm], enabled, required| {
            let options = said(XRechnung, enabled, required);
            let all = policy("DE", named).wanted(DocumentKind::Invoice, &options);
            all.first().map(|wanted| wanted.is_required)
        };
        for (named, enabled, required, expected) in [
            (&[][..], None, None, None),
            (&[], Some(true), None, Some(false)),
            (&[], None, Some(true), Some(true)),
            (&[XRechnung], None, Some(false), Some(false)),
            (&[XRechnung], Some(false), None, Some(true)),
            (&[XRechnung], Some(false), Some(false), None),
            (&[], Some(true), Some(true), Some(true)),
        ] {
            assert_eq!(wanted(named, enabled, required), expected, "{named:?} {enabled:?}");
        }
    }

    #[test]
    fn e_invoices_that_a_document_cannot_have_are_refused_at_their_field() {
        let codes = |policy: &Policy, kind, options: &EInvoiceOptions| -> Vec<String> {
            let found = policy.refused(kind, options);
            found.iter().map(|issue| format!("{issue} {}", issue.code)).collect()
        };
        let german = policy("DE", &[]);
        let asks = said(Eslog, Some(true), None);
        let refused = codes(&german, DocumentKind::Invoice, &asks);
        assert!(refused[0].starts_with("eslog: ") && refused[0].ends_with("not_allowed"));
        let both = said(XRechnung, Some(false), Some(true));
        let refused = codes(&german, DocumentKind::Invoice, &both);
        assert!(refused[0].starts_with("xrechnung.validation_required: "), "{refused:?}");
        let none = said(Eslog, Some(false), Some(false));
        assert_eq!(codes(&german, DocumentKind::Invoice, &none), Vec::<String>::new());
        let note = said(Eslog, None, Some(true));
        let slovenian = policy("SI", &[]);
        assert_eq!(codes(&slovenian, DocumentKind::DeliveryNote, &note).len(), 1);
        assert_eq!(codes(&slovenian, DocumentKind::Estimate, &note).len(), 0);
    }
}
