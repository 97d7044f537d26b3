//! Routes of the network of electronic invoices: settings, enrollment, recipients, sending.
//!
//! `supplier` has those of the earlier generation, by which an entity is enrolled with its data.

pub(crate) mod supplier;

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, web};
use racun_access::Permission::{ManageEntity, ReadEntity, ReadRecords, WriteRecords};
use racun_billing::Feature;
use racun_documents::DocumentId;
use racun_einvoicing::network::{
    Enrollment, EnrollmentState, NetworkDocument, Submission, SubmissionState,
};
use racun_kernel::Patch;
use racun_sales::network::{
    self as application, NetworkSettings, NetworkSettingsInput, RecipientRequest, SendRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::{self, Accepted, Json, NoContent};
use crate::body::{Convert, ListBody, names};
use crate::call::{Call, EntityCall};
use crate::documents::input::DocumentKindBody;
use crate::error::{ApiError, Kind};
use crate::request::{Body, MaybeBody, PathText, Query};
use crate::route::{Gate, LIST, Route};

const TAG: &str = "E-invoicing";
const CHECK: &str = "/e-invoicing/recipients/check";
const SETTINGS: &str = "/e-invoicing/settings";

/// Routes of the network.
pub(crate) const ROUTES: &[Route] = &[
    Route::get(SETTINGS, "getEInvoicingSettings", Gate::Entity(ReadEntity), || {
        web::to(get_settings)
    })
    .about(TAG, "Answers whether documents are sent over the network, and how it stands.")
    .answers::<SettingsBody>(),
    Route::put(SETTINGS, "updateEInvoicingSettings", Gate::Entity(ManageEntity), || {
        web::to(put_settings)
    })
    .needs(Feature::EInvoicing)
    .read_by(&["getEInvoicingSettings"])
    .about(TAG, "Changes what is sent of the settings.")
    .explained(
        "An entity sends as its VAT number. The provider is told of it by a job; \
         `enrollment.missing_fields` names what the entity lacks for that. In the sandbox it is \
         `verified` within half a minute.",
    )
    .takes::<SettingsInputBody>()
    .answers::<SettingsBody>(),
    Route::post(
        "/e-invoicing/enrollment/refresh",
        "refreshEInvoicingEnrollment",
        Gate::Entity(ManageEntity),
        || web::to(refresh),
    )
    .needs(Feature::EInvoicing)
    .read_by(&["getEInvoicingSettings"])
    .about(TAG, "Tells the provider of the entity as it is now, or asks how it stands.")
    .answers::<SettingsBody>(),
    Route::post(
        "/e-invoicing/enrollment/verification-link",
        "getEInvoicingVerificationLink",
        Gate::Entity(ManageEntity),
        || web::to(verification_link),
    )
    .needs(Feature::EInvoicing)
    .about(TAG, "Answers the page on which a person verifies the company, where that is wanted.")
    .answers::<LinkBody>(),
    Route::post(CHECK, "checkEInvoicingRecipient", Gate::Entity(ReadRecords), || web::to(check))
        .needs(Feature::EInvoicing)
        .about(TAG, "Tells whether a party of the network receives a document.")
        .explained(
            "In the sandbox identifiers stand for outcomes: SI20000006 is not known, SI21000000 \
             receives nothing, SI40000001 does not take what it is sent, SI41000005 is refused \
             at once, SI50000004 is slow; all others receive.",
        )
        .takes_with::<CheckBody>(&["peppol_id"])
        .answers::<RecipientBody>(),
    Route::post(
        "/e-invoicing/documents/{id}/send",
        "sendEInvoice",
        Gate::Entity(WriteRecords),
        || web::to(send),
    )
    .needs(Feature::EInvoicing)
    .about(TAG, "Sends an issued invoice or credit note over the network.")
    .explained(
        "As Peppol BIS Billing 3.0, to the customer's `peppol_id` unless the request says to whom. \
         A document goes out once: when it was sent before, its first submission is answered. One \
         whose submission failed may be sent again.",
    )
    .takes::<SendBody>()
    .accepts::<SubmissionBody>(),
    Route::get(
        "/e-invoicing/documents/{id}/submissions",
        "listEInvoiceSubmissions",
        Gate::Entity(ReadRecords),
        || web::to(submissions),
    )
    .about(TAG, "Lists how often a document was sent, and what became of it.")
    .reads(LIST)
    .answers::<ListBody<SubmissionBody>>(),
    Route::post(
        "/e-invoicing/customer-search",
        "searchEInvoicingCustomer",
        Gate::Entity(ReadRecords),
        || web::to(check),
    )
    .needs(Feature::EInvoicing)
    .about(TAG, "Tells whether a party of the network receives a document.")
    .superseded_by(CHECK)
    .takes_with::<CheckBody>(&["peppol_id"])
    .answers::<RecipientBody>(),
    Route::post("/e-invoicing/provider/notices", "noticeOfEInvoicingProvider", Gate::Open, || {
        web::to(notice)
    })
    .about(TAG, "Takes what the provider tells of a document that it sent.")
    .explained(
        "`Authorization: Bearer` shows the secret that the operator gave the provider. What is \
         about nothing that is followed is taken, too.",
    )
    .takes::<NoticeBody>()
    .checks_sender(),
];

names! {
    /// How an enrollment stands.
    EnrollmentStateBody as EInvoicingEnrollmentState of EnrollmentState {
        NotEnabled, MissingEntityData, EnrollmentPending, VerificationRequired,
        VerificationInProgress, Verified, ReverificationRequired, Rejected, ProviderError
    }
}

names! {
    /// What the network calls a document.
    NetworkDocumentBody as EInvoicingDocumentType of NetworkDocument { Invoice, CreditNote }
}

/// How a submission stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EInvoiceSubmissionStatus)]
pub(crate) enum SubmissionStatusBody {
    /// It is to be sent, or being sent.
    Created,
    /// The provider has it.
    Submitted,
    /// The receiver has it.
    Delivered,
    /// It was not delivered.
    Failed,
}

/// What settings of the network say.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoicingSettings)]
struct SettingsBody {
    /// Whether documents are sent.
    enabled: bool,
    /// Whether they are sent when they are issued.
    auto_send: bool,
    /// The scheme of recipients' identifiers that say none.
    #[schema(required = true)]
    default_scheme_id: Option<String>,
    /// How the entity stands with the provider.
    enrollment: EnrollmentBody,
}

/// How an entity stands with the provider.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoicingEnrollment)]
pub(crate) struct EnrollmentBody {
    /// Its state.
    state: EnrollmentStateBody,
    /// Whether documents can be sent.
    sending_allowed: bool,
    /// Fields that the entity lacks.
    missing_fields: Vec<String>,
    /// The identifier that it sends as, its scheme ahead.
    #[schema(required = true)]
    participant_id: Option<String>,
    /// The page on which a person verifies the company.
    #[schema(required = true)]
    verification_url: Option<String>,
    /// What the provider said last that is in the way.
    #[schema(required = true)]
    provider_error: Option<String>,
}

impl Convert<EnrollmentBody> for Enrollment {
    fn convert(self) -> EnrollmentBody {
        EnrollmentBody {
            sending_allowed: self.state.allows_sending(),
            state: self.state.convert(),
            missing_fields: self.missing_fields,
            participant_id: self.sender.map(|sender| sender.to_string()),
            verification_url: self.verification_url,
            provider_error: self.provider_error,
        }
    }
}

impl Convert<SettingsBody> for NetworkSettings {
    fn convert(self) -> SettingsBody {
        let Self { enabled, auto_send, enrollment } = self;
        let default_scheme_id = enrollment.default_scheme_id.clone();
        SettingsBody { enabled, auto_send, default_scheme_id, enrollment: enrollment.convert() }
    }
}

/// What is changed of the settings.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = EInvoicingSettingsInput)]
struct SettingsInputBody {
    /// Whether documents are sent.
    enabled: Option<bool>,
    /// Whether they are sent when they are issued, unless their request says no.
    auto_send: Option<bool>,
    /// The scheme of recipients' identifiers that say none: four digits. Null removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    default_scheme_id: Patch<String>,
}

/// A page for a person.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoicingVerificationLink)]
struct LinkBody {
    /// Its address.
    verification_url: String,
}

/// A party of the network, as it is asked for.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = EInvoicingRecipientCheck)]
struct CheckBody {
    /// The identifier: `9949:SI10039856`, or without its scheme.
    peppol_id: String,
    /// Its scheme, four digits; as the identifier or the settings say when absent.
    #[validate(length(min = 1, max = 10))]
    scheme_id: Option<String>,
    /// What it is to receive; an invoice when absent.
    document_type: Option<NetworkDocumentBody>,
}

/// Whether a party receives.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoicingRecipient)]
struct RecipientBody {
    /// Whether the network knows the party.
    registered: bool,
    /// Whether it receives documents of the type.
    can_receive: bool,
    /// The identifier, its scheme ahead.
    participant_id: String,
    /// The scheme.
    scheme_id: String,
    /// The type of document.
    document_type: NetworkDocumentBody,
}

/// To whom a document is sent; what is absent the document says.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = SendEInvoice)]
struct SendBody {
    /// The recipient's identifier; the customer's `peppol_id` when absent.
    recipient_peppol_id: Option<String>,
    /// Its scheme, four digits.
    #[validate(length(max = 10))]
    recipient_scheme_id: Option<String>,
    /// The recipient's name; the customer's when absent.
    #[validate(length(max = 255))]
    recipient_name: Option<String>,
}

/// A document on its way.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EInvoiceSubmission)]
pub(crate) struct SubmissionBody {
    /// Its id.
    id: String,
    /// The document.
    document_id: String,
    /// Its type.
    document_type: DocumentKindBody,
    /// How it stands.
    status: SubmissionStatusBody,
    /// The recipient's identifier; null when it could not be told, and the submission failed.
    #[schema(required = true)]
    recipient_peppol_id: Option<String>,
    /// Its scheme.
    #[schema(required = true)]
    recipient_scheme_id: Option<String>,
    /// The recipient's name.
    #[schema(required = true)]
    recipient_name: Option<String>,
    /// The provider's name for it.
    #[schema(required = true)]
    provider_reference: Option<String>,
    /// Why it failed, or what came in the way last.
    #[schema(required = true)]
    error: Option<String>,
    /// The same for programs.
    #[schema(required = true)]
    error_code: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<SubmissionBody> for Submission {
    fn convert(self) -> SubmissionBody {
        let (error_code, error) = match self.error {
            Some(error) => (Some(error.code), Some(error.message)),
            None => (None, None),
        };
        SubmissionBody {
            id: self.id.convert(),
            document_id: self.document_id.to_string(),
            document_type: self.document_id.kind().convert(),
            status: match self.state {
                SubmissionState::Created | SubmissionState::Sending => {
                    SubmissionStatusBody::Created
                }
                SubmissionState::Submitted => SubmissionStatusBody::Submitted,
                SubmissionState::Delivered => SubmissionStatusBody::Delivered,
                SubmissionState::Failed => SubmissionStatusBody::Failed,
            },
            recipient_peppol_id: self.recipient.as_ref().map(|one| one.id().to_owned()),
            recipient_scheme_id: self.recipient.as_ref().map(|one| one.scheme().to_owned()),
            recipient_name: self.recipient_name,
            provider_reference: self.provider_reference,
            error,
            error_code,
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}

/// What the provider tells: its own properties, of any number.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(as = EInvoicingProviderNotice)]
struct NoticeBody(Value);

impl Validate for NoticeBody {
    fn validate(&self) -> Result<(), validator::ValidationErrors> {
        Ok(())
    }
}

/// The path's id, of a kind of document that there is.
fn id_of(path: &PathText) -> Result<DocumentId, ApiError> {
    path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))
}

async fn get_settings(call: EntityCall) -> Result<Json<SettingsBody>, ApiError> {
    let found = application::get(call.cx(), call.entity()).await?;
    Ok(Json(found.convert()))
}

async fn put_settings(
    call: EntityCall,
    body: Body<SettingsInputBody>,
) -> Result<Json<SettingsBody>, ApiError> {
    let SettingsInputBody { enabled, auto_send, default_scheme_id } = body.0;
    let input = NetworkSettingsInput { enabled, auto_send, default_scheme_id };
    let task = call.run(|call| async move {
        application::update(call.cx(), call.network.clone(), input).await
    });
    Ok(Json(task.await?.convert()))
}

async fn refresh(call: EntityCall) -> Result<Json<SettingsBody>, ApiError> {
    let task = call.run(|call| async move {
        application::refresh(call.cx(), call.network.clone(), call.entity()).await
    });
    Ok(Json(task.await?.convert()))
}

async fn verification_link(call: EntityCall) -> Result<Json<LinkBody>, ApiError> {
    let task = call.run(|call| async move {
        application::verification_link(call.cx(), call.network.clone(), call.entity()).await
    });
    Ok(Json(LinkBody { verification_url: task.await? }))
}

async fn check(call: EntityCall, body: Body<CheckBody>) -> Result<Json<RecipientBody>, ApiError> {
    let CheckBody { peppol_id, scheme_id, document_type } = body.0;
    let settings = application::get(call.cx(), call.entity()).await?;
    let asked = RecipientRequest {
        id: &peppol_id,
        scheme: scheme_id.as_deref(),
        id_field: "peppol_id",
        scheme_field: "scheme_id",
    };
    let recipient = asked.read(settings.enrollment.default_scheme_id.as_deref())?;
    let document = document_type.map_or(NetworkDocument::Invoice, Convert::convert);
    let found = application::check(call.cx(), &*call.network, &recipient, document).await?;
    Ok(Json(RecipientBody {
        registered: found.is_registered,
        can_receive: found.can_receive,
        participant_id: recipient.to_string(),
        scheme_id: recipient.scheme().to_owned(),
        document_type: document.convert(),
    }))
}

async fn send(
    call: EntityCall,
    path: PathText,
    body: MaybeBody<SendBody>,
) -> Result<Accepted<SubmissionBody>, ApiError> {
    let id = id_of(&path)?;
    let sent = body.0;
    let request = SendRequest {
        recipient_peppol_id: sent.recipient_peppol_id,
        recipient_scheme_id: sent.recipient_scheme_id,
        recipient_name: sent.recipient_name,
    };
    let task = call.run(move |call| async move {
        application::send(call.cx(), call.entity(), id, request).await
    });
    Ok(Accepted(task.await?.submission.convert()))
}

async fn submissions(call: Call, path: PathText, query: Query) -> Result<answer::Page, ApiError> {
    let (id, raw) = (id_of(&path)?, query.list()?);
    let page = call.page(move |call| async move {
        let page = application::submissions(call.cx(), id, &raw).await?;
        Ok::<ListBody<SubmissionBody>, _>(page.convert())
    });
    page.await
}

async fn notice(
    call: Call<()>,
    request: HttpRequest,
    body: Body<NoticeBody>,
) -> Result<NoContent, ApiError> {
    let shown = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bytes = serde_json::to_vec(&body.0.0).map_err(ApiError::internal)?;
    let heard = call.network.notice(shown, &bytes);
    let heard = heard.map_err(|error| ApiError::new(Kind::Unauthorized, error.to_string()))?;
    if let Some(notice) = heard {
        let task = call.run(move |call| async move {
            application::hear(call.store(), &notice, call.stamp()).await
        });
        task.await?;
    }
    Ok(NoContent)
}
