//! Sending documents and reminders by e-mail.

use actix_web::web;
use racun_access::Permission::WriteRecords;
use racun_billing::Feature;
use racun_delivery::mailing::{
    self as application, LetterRequest, MailingError, Reminded, ReminderRequest, SendRequest, Sent,
};
use racun_documents::DocumentId;
use racun_kernel::{Decimal, Issue, check_address};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::Json;
use crate::body::Convert;
use crate::body_limit::RECORD;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::schema::number;
const TAG: &str = "E-mail";

/// Routes that send e-mail.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/email/send", "sendEmail", Gate::Entity(WriteRecords), || web::to(send_any))
        .needs(Feature::EmailSending)
        .about(
            TAG,
            "Sends a document with a link to it, or a plain text, to one to four addresses.",
        )
        .takes_with::<SendEmailBody>(&["to"])
        .up_to(RECORD)
        .answers::<SentBody>(),
    Route::post("/documents/{id}/send", "sendDocument", Gate::Entity(WriteRecords), || {
        web::to(send_document)
    })
    .needs(Feature::EmailSending)
    .about(TAG, "Sends a document with a link to it to one address.")
    .takes_with::<SendDocumentBody>(&["to"])
    .up_to(RECORD)
    .answers::<SentBody>(),
    Route::post(
        "/payment-reminders/send",
        "sendPaymentReminder",
        Gate::Entity(WriteRecords),
        || web::to(remind),
    )
    .needs(Feature::EmailSending)
    .about(TAG, "Reminds a customer of all their overdue unpaid invoices.")
    .takes_with::<ReminderBody>(&["customer_id"])
    .answers::<RemindedBody>(),
];

/// Body of `POST /email/send`.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = SendEmail)]
struct SendEmailBody {
    /// One to four addresses with commas between them.
    to: String,
    /// 1 to 255 characters, with variables such as `{document_number}`. Absent or blank: the
    /// business unit's or the entity's `email_defaults`, or a text of Racun's.
    #[schema(max_length = 255)]
    subject: Option<String>,
    /// Markdown with variables, likewise; `{invoice_link}` is put at the end when it is not used.
    #[schema(max_length = 20000)]
    body_text: Option<String>,
    /// The document; none for a plain text, which says subject and text itself.
    document_id: Option<String>,
    /// Whether the document goes along as PDF, as it is when the mail is delivered.
    #[serde(default)]
    attach_pdf: Option<bool>,
    /// Whether the document goes along as e-SLOG, likewise: in Slovenia, of documents that are
    /// valid as that. Signed when the entity has a certificate for FURS that is valid.
    #[serde(default)]
    attach_eslog: Option<bool>,
    /// Whether delivery is skipped: in the sandbox only.
    #[serde(default)]
    sandbox_skip_delivery: Option<bool>,
    /// The locale of texts, dates and amounts; the entity's when absent.
    locale: Option<String>,
    /// The language, or a locale; `locale` wins.
    language: Option<String>,
}

/// Body of `POST /documents/{id}/send`.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = SendDocument)]
struct SendDocumentBody {
    /// One address.
    to: String,
    /// As in `POST /email/send`; so all below.
    #[schema(max_length = 255)]
    subject: Option<String>,
    /// Markdown with variables.
    #[schema(max_length = 20000)]
    body_text: Option<String>,
    /// Whether the document goes along as PDF, as it is when the mail is delivered.
    #[serde(default)]
    attach_pdf: Option<bool>,
    /// Whether the document goes along as e-SLOG, likewise: in Slovenia, of documents that are
    /// valid as that. Signed when the entity has a certificate for FURS that is valid.
    #[serde(default)]
    attach_eslog: Option<bool>,
    /// Whether delivery is skipped: in the sandbox only.
    #[serde(default)]
    sandbox_skip_delivery: Option<bool>,
    /// The locale of texts, dates and amounts.
    locale: Option<String>,
    /// The language, or a locale.
    language: Option<String>,
}

/// Answer of `POST /email/send` and `POST /documents/{id}/send`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SentEmail)]
struct SentBody {
    /// What tells the mail from others.
    message_id: String,
    /// `sent`: it is on its way, and tried again for a day while the receiver's server is away.
    #[schema(pattern = "^sent$")]
    status: &'static str,
    /// The addresses.
    to: String,
    /// The subject as it is sent.
    subject: String,
    /// Where the document is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    shareable_link: Option<String>,
    /// True when delivery is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    sandbox_skip_delivery: Option<bool>,
}

impl SentBody {
    fn of(sent: Sent, is_simulated: bool) -> Self {
        Self {
            message_id: sent.mail.id.convert(),
            status: "sent",
            to: sent.mail.to.join(", "),
            subject: sent.mail.subject,
            shareable_link: sent.shareable_link,
            sandbox_skip_delivery: is_simulated.then_some(true),
        }
    }
}

/// Body of `POST /payment-reminders/send`.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = SendPaymentReminder)]
struct ReminderBody {
    /// The customer.
    customer_id: String,
    /// Where it goes; the customer's address when absent.
    recipient_email: Option<String>,
    /// Absent or blank: that of the setting `payment_reminders`, or a text of Racun's.
    #[schema(max_length = 255)]
    subject: Option<String>,
    /// Markdown with variables, likewise; `{invoice_list}` is put at the end when it is not used.
    #[schema(max_length = 20000)]
    body_text: Option<String>,
    /// What `{payment_instructions}` stands for: markdown with variables, likewise; the setting's
    /// when absent.
    #[schema(max_length = 2000)]
    payment_instructions: Option<String>,
    /// Which invoices, for a customer who owes in several currencies.
    currency_code: Option<String>,
    /// The locale of texts, dates and amounts; the entity's when absent.
    locale: Option<String>,
    /// The language, or a locale; `locale` wins.
    language: Option<String>,
    /// Whether delivery is skipped: in the sandbox only.
    #[serde(default)]
    sandbox_skip_delivery: Option<bool>,
}

/// Answer of `POST /payment-reminders/send`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SentPaymentReminder)]
struct RemindedBody {
    /// What tells the mail from others.
    message_id: String,
    /// `sent`: it is on its way.
    #[schema(pattern = "^sent$")]
    status: &'static str,
    /// The address.
    to: String,
    /// The subject as it is sent.
    subject: String,
    /// The invoices, the one that was due first first.
    invoice_ids: Vec<String>,
    /// What is left to pay of all of them.
    #[schema(schema_with = number)]
    total_amount: Decimal,
    /// In this currency.
    currency_code: String,
    /// True when delivery is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    sandbox_skip_delivery: Option<bool>,
}

async fn send_any(call: EntityCall, body: Body<SendEmailBody>) -> Result<Json<SentBody>, ApiError> {
    let body = body.0;
    let read = |id: &String| {
        let unknown = || Issue::new("not_found", "there is no such document in this entity");
        id.parse::<DocumentId>().map_err(|_| ApiError::from(unknown().at("document_id")))
    };
    let request = SendRequest {
        to: body.to,
        document_id: body.document_id.as_ref().map(read).transpose()?,
        letter: LetterRequest {
            subject: body.subject,
            body_text: body.body_text,
            locale: body.locale,
            language: body.language,
            sandbox_skip_delivery: body.sandbox_skip_delivery.unwrap_or(false),
        },
        attach_pdf: body.attach_pdf.unwrap_or(false),
        attach_eslog: body.attach_eslog.unwrap_or(false),
    };
    send(&call, request).await
}

async fn send_document(
    call: EntityCall,
    path: PathText,
    body: Body<SendDocumentBody>,
) -> Result<Json<SentBody>, ApiError> {
    let id: DocumentId = path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))?;
    let body = body.0;
    check_address(body.to.trim()).map_err(|issue| issue.at("to"))?;
    let request = SendRequest {
        to: body.to,
        document_id: Some(id),
        letter: LetterRequest {
            subject: body.subject,
            body_text: body.body_text,
            locale: body.locale,
            language: body.language,
            sandbox_skip_delivery: body.sandbox_skip_delivery.unwrap_or(false),
        },
        attach_pdf: body.attach_pdf.unwrap_or(false),
        attach_eslog: body.attach_eslog.unwrap_or(false),
    };
    send(&call, request).await
}

async fn send(call: &EntityCall, request: SendRequest) -> Result<Json<SentBody>, ApiError> {
    let is_simulated = request.letter.sandbox_skip_delivery;
    let task = call.run(|call| async move {
        let base = &call.public_url;
        let limits = call.guards().mail;
        application::send(call.cx(), base, call.entity(), request, limits).await
    });
    let sent: Result<Sent, MailingError> = task.await;
    Ok(Json(SentBody::of(sent?, is_simulated)))
}

async fn remind(
    call: EntityCall,
    body: Body<ReminderBody>,
) -> Result<Json<RemindedBody>, ApiError> {
    let body = body.0;
    let is_simulated = body.sandbox_skip_delivery.unwrap_or(false);
    if let Some(address) = &body.recipient_email {
        check_address(address.trim()).map_err(|issue| issue.at("recipient_email"))?;
    }
    let request = ReminderRequest {
        customer_id: body.customer_id,
        recipient_email: body.recipient_email,
        payment_instructions: body.payment_instructions,
        currency_code: body.currency_code,
        letter: LetterRequest {
            subject: body.subject,
            body_text: body.body_text,
            locale: body.locale,
            language: body.language,
            sandbox_skip_delivery: is_simulated,
        },
    };
    let task = call.run(|call| async move {
        let limits = call.guards().mail;
        application::remind(call.cx(), call.entity(), request, limits).await
    });
    let reminded: Reminded = task.await?;
    Ok(Json(RemindedBody {
        message_id: reminded.mail.id.convert(),
        status: "sent",
        to: reminded.mail.to.join(", "),
        subject: reminded.mail.subject,
        invoice_ids: reminded.invoice_ids.convert(),
        total_amount: reminded.total.amount,
        currency_code: reminded.total.currency.to_string(),
        sandbox_skip_delivery: is_simulated.then_some(true),
    }))
}
