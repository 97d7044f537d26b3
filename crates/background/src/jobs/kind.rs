//! The kinds of jobs.

use serde::{Deserialize, Serialize};
use time::Duration;

/// What sort of work a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Telling a receiver what happened.
    WebhookDelivery,
    /// Sending an e-mail.
    Mail,
    /// Looking whether an invoice is overdue.
    InvoiceOverdue,
    /// Reporting the tips of a receipt to CIS.
    FiscalTips,
    /// Telling the authority of Portugal of a document.
    PtReport,
    /// Putting documents into an archive.
    DocumentExport,
    /// Removing an archive after its time.
    ExportExpiry,
    /// Making the document of an order.
    OrderProcessing,
    /// Reading a shop's earlier orders.
    OrderSync,
    /// Mailing the document of an order to who ordered.
    OrderMail,
    /// Telling the provider of an entity that wants to send electronic invoices.
    EInvoiceEnrollment,
    /// Sending a document because it was issued.
    EInvoiceAutoSend,
    /// Sending an electronic invoice, and following it to its end.
    EInvoiceSubmission,
    /// Spreading the revenue of earlier documents over their days of service.
    RecognitionBackfill,
    /// Collecting a bill of a subscription by card.
    SubscriptionCollection,
    /// Issuing the operator's invoice of a bill that was collected.
    SubscriptionInvoice,
    /// Mailing who subscribes that a card was declined, or the operator's invoice.
    SubscriptionMail,
}

const DELIVERY_WAITS: [Duration; 4] =
    [Duration::minutes(1), Duration::minutes(5), Duration::minutes(30), Duration::hours(2)];

const MAIL_WAITS: [Duration; 6] = [
    Duration::minutes(1),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::hours(1),
    Duration::hours(4),
    Duration::hours(12),
];

/// Soon at first, and for two weeks: the authority takes what is reported by the fifth of the next
/// month.
const REPORT_WAITS: [Duration; 14] = [
    Duration::seconds(30),
    Duration::minutes(2),
    Duration::minutes(10),
    Duration::hours(1),
    Duration::hours(4),
    Duration::hours(12),
    Duration::days(1),
    Duration::days(1),
    Duration::days(1),
    Duration::days(2),
    Duration::days(2),
    Duration::days(2),
    Duration::days(2),
    Duration::days(2),
];

/// Short, for a person waits for the archive.
const EXPORT_WAITS: [Duration; 5] = [
    Duration::seconds(10),
    Duration::minutes(1),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::minutes(30),
];

impl JobKind {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::WebhookDelivery,
        Self::Mail,
        Self::InvoiceOverdue,
        Self::FiscalTips,
        Self::PtReport,
        Self::DocumentExport,
        Self::ExportExpiry,
        Self::OrderProcessing,
        Self::OrderSync,
        Self::OrderMail,
        Self::EInvoiceEnrollment,
        Self::EInvoiceAutoSend,
        Self::EInvoiceSubmission,
        Self::RecognitionBackfill,
        Self::SubscriptionCollection,
        Self::SubscriptionInvoice,
        Self::SubscriptionMail,
    ];

    /// Its name, on the wire and in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebhookDelivery => "webhook_delivery",
            Self::Mail => "mail",
            Self::InvoiceOverdue => "invoice_overdue",
            Self::FiscalTips => "fiscal_tips",
            Self::PtReport => "pt_report",
            Self::DocumentExport => "document_export",
            Self::ExportExpiry => "export_expiry",
            Self::OrderProcessing => "order_processing",
            Self::OrderSync => "order_sync",
            Self::OrderMail => "order_mail",
            Self::EInvoiceEnrollment => "e_invoice_enrollment",
            Self::EInvoiceAutoSend => "e_invoice_auto_send",
            Self::EInvoiceSubmission => "e_invoice_submission",
            Self::RecognitionBackfill => "recognition_backfill",
            Self::SubscriptionCollection => "subscription_collection",
            Self::SubscriptionInvoice => "subscription_invoice",
            Self::SubscriptionMail => "subscription_mail",
        }
    }

    /// How long a worker has for one attempt, or for one part of it where it says that it goes on.
    /// After that others take it for dead.
    #[must_use]
    pub const fn lease(self) -> Duration {
        match self {
            Self::WebhookDelivery
            | Self::InvoiceOverdue
            | Self::FiscalTips
            | Self::PtReport
            | Self::ExportExpiry
            | Self::OrderProcessing
            | Self::OrderSync
            | Self::OrderMail
            | Self::EInvoiceEnrollment
            | Self::EInvoiceAutoSend
            | Self::RecognitionBackfill
            | Self::SubscriptionCollection
            | Self::SubscriptionInvoice
            | Self::SubscriptionMail => Duration::minutes(2),
            // A call to the provider takes 20 seconds at most.
            Self::EInvoiceSubmission => Duration::seconds(30),
            Self::DocumentExport => Duration::minutes(1),
            Self::Mail => Duration::minutes(5),
        }
    }

    /// How long a job waits after its first failed attempt, its second, and so on. Deliveries: the
    /// retry policy of the interface.
    #[must_use]
    pub const fn waits(self) -> &'static [Duration] {
        match self {
            Self::WebhookDelivery | Self::InvoiceOverdue | Self::ExportExpiry => &DELIVERY_WAITS,
            Self::PtReport => &REPORT_WAITS,
            Self::DocumentExport
            | Self::EInvoiceEnrollment
            | Self::EInvoiceAutoSend
            | Self::RecognitionBackfill => &EXPORT_WAITS,
            // Attempts that got no answer do not count: submissions and collections have waits of
            // their own.
            Self::SubscriptionCollection
            | Self::SubscriptionInvoice
            | Self::SubscriptionMail
            | Self::Mail
            | Self::FiscalTips
            | Self::OrderProcessing
            | Self::OrderSync
            | Self::OrderMail
            | Self::EInvoiceSubmission => &MAIL_WAITS,
        }
    }

    /// How often it is attempted, unless its [`Job`](super::Job) says otherwise.
    #[must_use]
    pub fn attempts(self) -> u32 {
        u32::try_from(self.waits().len()).unwrap_or(u32::MAX).saturating_add(1)
    }
}
