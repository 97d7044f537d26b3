//! A change of a payment's type that a tax authority may have to hear of, and its outcome.

use racun_kernel::id::PaymentId;
use racun_kernel::{DocumentId, PaymentType};

use crate::payment::Payment;

/// A payment on a sales document becomes one of another type, begins to count or no longer does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeChange {
    /// The payment; `None` for one that is recorded now.
    pub payment_id: Option<PaymentId>,
    /// The invoice, advance invoice or credit note that it is attached to.
    pub document_id: DocumentId,
    /// Its type until now; `None` when it is recorded now, or was in the trash.
    pub from: Option<PaymentType>,
    /// Its type to be; `None` when it goes to the trash.
    pub to: Option<PaymentType>,
}

impl TypeChange {
    /// What becomes of a payment that was `before`, if it was there, and is `after`; `None` when it
    /// is attached to no document that is ever fiscalized.
    #[must_use]
    pub fn between(before: Option<&Payment>, after: &Payment) -> Option<Self> {
        let document_id = after.invoice_id.or(after.advance_invoice_id).or(after.credit_note_id)?;
        let kind = |payment: &Payment| payment.deleted_at.is_none().then_some(payment.kind);
        Some(Self {
            payment_id: before.map(|before| before.id),
            document_id,
            from: before.and_then(kind),
            to: kind(after),
        })
    }

    /// Whether a payment that counts becomes one of another type.
    #[must_use]
    pub fn is_of_type(&self) -> bool {
        self.from.is_some() && self.to.is_some() && self.from != self.to
    }
}

/// A rule by which a type may not be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TypeChangeRule {
    /// Slovenia: the invoice was issued under a FURS skip, which is legal for some types only.
    #[error(
        "the invoice was issued without fiscalization, which is legal for some payment types only; \
         fiscalize it by POST /documents/{{id}}/fiscalize with business_premise_name and \
         electronic_device_name, then send the change again"
    )]
    FiscalizationRequired,
    /// Croatia: the authority takes a change on the fiscal issue day only, before midnight in
    /// Europe/Zagreb. Nothing extends that, no failure of the authority either.
    #[error(
        "the tax authority takes a change of payment type only on the day of the fiscal issue, \
         before midnight in Europe/Zagreb; issue a credit note and a corrected invoice"
    )]
    WindowExpired,
    /// Croatia: the invoice was fiscalized before the authority's record of it was retained.
    #[error(
        "the tax authority's record of the invoice was not retained, so the change cannot be \
         reported and is not made; issue a credit note and a corrected invoice"
    )]
    RecordUnavailable,
    /// Croatia: the authority has not confirmed the invoice yet, so it knows of nothing to change.
    #[error(
        "the tax authority has not confirmed the invoice yet, so it takes no change of it; wait \
         for fina.data.jir, or send the invoice again by POST /documents/{{id}}/fiscalize, then \
         send the change again"
    )]
    NotConfirmedYet,
}

impl TypeChangeRule {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::FiscalizationRequired,
        Self::WindowExpired,
        Self::RecordUnavailable,
        Self::NotConfirmedYet,
    ];

    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::FiscalizationRequired => "fiscalization_required_for_payment_type",
            Self::WindowExpired => "fina_payment_change_window_expired",
            Self::RecordUnavailable => "fina_cis_record_unavailable",
            Self::NotConfirmedYet => "fina_receipt_unconfirmed",
        }
    }
}

/// What an authority answered instead of taking a change, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tax authority did not confirm the change, {code}: {message}")]
pub struct ProviderError {
    /// Its code, as received: `s005`.
    pub code: String,
    /// Its message, as received.
    pub message: String,
}

/// Whose fault a provider's error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderFault {
    /// The caller's: the certificate, the OIB, the invoice's data, the day. The change is not made.
    Caller,
    /// Ours: the message was not what the authority understands. The change is not made.
    Message,
    /// The authority's, or not known. Whether the change is made is unknown.
    Unknown,
}

impl ProviderFault {
    /// Whose fault the provider code `code` means, in capitals or not.
    ///
    /// Codes are those of the Croatian CIS. One that is not among them says nothing of what became
    /// of the change.
    #[must_use]
    pub fn of(code: &str) -> Self {
        match code.to_ascii_lowercase().as_str() {
            "s001" | "s004" => Self::Message,
            "s002" | "s003" | "s005" | "s007" | "s008" | "s009" | "s010" | "s011" | "s012"
            | "s013" => Self::Caller,
            _ => Self::Unknown,
        }
    }
}

/// Why an authority did not confirm a change that was reported to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A rule came in the way before anything was sent.
    #[error(transparent)]
    Refused(TypeChangeRule),
    /// It answered an error.
    #[error(transparent)]
    Provider(ProviderError),
    /// It could not be reached, did not answer in time, or answered what cannot be trusted.
    #[error("the tax authority did not answer: {0}")]
    Unreachable(
        /// For the log.
        String,
    ),
}

impl ReportError {
    /// Whether it is certain that the change is not made and will not be. When it is not, the
    /// authority may have taken it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Provider(error) => match ProviderFault::of(&error.code) {
                ProviderFault::Caller | ProviderFault::Message => true,
                ProviderFault::Unknown => false,
            },
            Self::Unreachable(_) => false,
        }
    }
}

/// Why a change of a payment's type was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypeChangeError {
    /// It may not be made.
    #[error(transparent)]
    Refused(TypeChangeRule),
    /// The authority answered an error. The payment is as it was.
    #[error(transparent)]
    Provider(ProviderError),
    /// The authority gave no answer. The payment is as it was, the attempt is recorded.
    #[error(
        "the tax authority could not be reached; the payment is unchanged, a new one is not \
         recorded, and the attempt is: send the same change again"
    )]
    Unreachable(
        /// For the log.
        String,
    ),
    /// Whether an earlier change was made is not known yet.
    #[error(
        "whether the change of {} from {from} to {to} was made is not confirmed by the tax \
         authority yet; {}", named(*payment_id), way_out(*wait)
    )]
    Unconfirmed {
        /// The payment of the earlier change; `None` for one that was to be recorded.
        payment_id: Option<PaymentId>,
        /// Its type until then.
        from: String,
        /// Its type to be.
        to: String,
        /// For how many seconds at most the authority is still being told; `None` when it is not.
        wait: Option<u32>,
    },
    /// The authority took the change, and then it could not be recorded here.
    #[error(
        "the tax authority accepted the change, but it could not be recorded here; send the same \
         change again"
    )]
    Unrecorded(
        /// For the log.
        String,
    ),
}

fn named(payment: Option<PaymentId>) -> String {
    payment.map_or_else(|| "a new payment".to_owned(), |id| format!("payment {id}"))
}

const fn way_out(wait: Option<u32>) -> &'static str {
    match wait {
        Some(_) => "it is just being told, wait for its answer and send the request again then",
        None => "send that change again first",
    }
}

impl TypeChangeError {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(rule) => rule.code(),
            Self::Provider(_) => "fiscalization_provider_error",
            Self::Unreachable(_) => "fina_unreachable",
            Self::Unconfirmed { .. } => "fina_payment_change_unconfirmed",
            Self::Unrecorded(_) => "fina_payment_change_unrecorded",
        }
    }
}

impl From<ReportError> for TypeChangeError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Refused(rule) => Self::Refused(rule),
            ReportError::Provider(error) => Self::Provider(error),
            ReportError::Unreachable(reason) => Self::Unreachable(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_code_tells_whose_fault_it_is_and_whether_the_outcome_is_known() {
        use ProviderFault::{Caller, Message, Unknown};
        for (codes, fault, is_final) in [
            (&["s001", "s004", "S001", "S004"][..], Message, true),
            (&["s002", "s003", "s005", "S005", "s007", "s008"], Caller, true),
            (&["s009", "s010", "s011", "s012", "s013"], Caller, true),
            (
                &["s006", "S006", "s000", "s014", "s099", "s0051", "v105", "", "oops"],
                Unknown,
                false,
            ),
        ] {
            for code in codes {
                let (code, message) = ((*code).to_owned(), "Poruka".to_owned());
                assert_eq!(ProviderFault::of(&code), fault, "{code}");
                let error = ReportError::Provider(ProviderError { code, message });
                assert_eq!(error.is_final(), is_final, "{error}");
            }
        }
        assert!(TypeChangeRule::ALL.into_iter().all(|rule| ReportError::Refused(rule).is_final()));
        assert!(!ReportError::Unreachable("timed out".to_owned()).is_final());
    }

    #[test]
    fn a_refusal_names_the_way_out() {
        let remedies = TypeChangeRule::ALL.map(|rule| rule.to_string());
        let [fiscalize, expired, unavailable, unconfirmed] = &remedies;
        let words =
            ["/documents/{id}/fiscalize", "business_premise_name", "electronic_device_name"];
        assert!(words.iter().all(|word| fiscalize.contains(word)), "{fiscalize}");
        assert!(expired.contains("credit note"), "{expired}");
        assert!(unavailable.contains("credit note"), "{unavailable}");
        assert!(unconfirmed.contains("/documents/{id}/fiscalize"), "{unconfirmed}");
    }
}
