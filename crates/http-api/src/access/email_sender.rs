//! The address that an entity wants its mails to come from.

use actix_web::web::{self, ReqData};
use racun_access::Permission::{ManageEntity, ReadEntity};
use racun_access::{self as access, EmailSender, Entity};
use racun_kernel::{Issue, Patch};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::Json;
use crate::body::Convert;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};
const TAG: &str = "Entities";
const PATH: &str = "/entities/{id}/email-sender";

/// Routes of senders.
pub(crate) const ROUTES: &[Route] = &[
    Route::get(PATH, "getEmailSender", Gate::EntityInPath(ReadEntity), || web::to(get))
        .about(
            TAG,
            "Answers which address an entity wants its mails to come from, and which they do.",
        )
        .answers::<EmailSenderBody>(),
    Route::put(PATH, "setEmailSender", Gate::EntityInPath(ManageEntity), || web::to(set))
        .read_by(&["getEmailSender"])
        .about(
            TAG,
            "Chooses the address, or with null none. It is where answers go; mails come from the \
             server's own address, for domains cannot be verified here.",
        )
        .takes::<SetEmailSenderBody>()
        .answers::<EmailSenderBody>(),
    Route::post(
        "/entities/{id}/email-sender/recheck",
        "recheckEmailSender",
        Gate::EntityInPath(ManageEntity),
        || web::to(recheck),
    )
    .about(
        TAG,
        "Looks again whether the address is a verified user's of the entity or its account.",
    )
    .answers::<EmailSenderBody>(),
];

/// Body of `PUT /entities/{id}/email-sender`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = SetEmailSender)]
struct SetEmailSenderBody {
    /// The address; null for none.
    #[schema(value_type = Option<String>, required = true)]
    #[serde(default)]
    email: Patch<String>,
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SenderVerificationStatus)]
#[serde(rename_all = "snake_case")]
enum StatusBody {
    /// Not there yet.
    Pending,
    /// Done.
    Verified,
}

/// An address that mails may come from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sender)]
struct SenderBody {
    /// The address.
    email: String,
    /// Whether mails come from it: that of the domain.
    verification_status: StatusBody,
    /// Since when.
    #[schema(required = true)]
    verified_at: Option<String>,
    /// What stands behind the at sign.
    #[schema(required = true)]
    domain: Option<String>,
    /// `verified` when a user of the account or of the entity verified this address as their own.
    email_verification_status: StatusBody,
    /// Always `pending`: this service does not query DNS.
    domain_verification_status: StatusBody,
    /// DNS records to set up: none, as DNS is not checked.
    domain_dkim_tokens: Vec<String>,
    /// When the address was looked at last.
    #[schema(required = true)]
    last_checked_at: Option<String>,
}

/// Whose address it is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = SenderSource)]
#[serde(rename_all = "snake_case")]
enum SourceBody {
    /// The server's own.
    Default,
}

/// What mails come from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EffectiveSender)]
struct EffectiveBody {
    /// Whose address it is.
    source: SourceBody,
    /// The address; null for the server's own, which is its operator's matter.
    #[schema(required = true)]
    email: Option<String>,
    /// Whether it may be used; the server's own counts as such.
    verified: bool,
}

/// Which address an entity wants its mails to come from, and which they do.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EmailSender)]
struct EmailSenderBody {
    /// The entity's choice: where answers go, unless a business unit has an address of its own.
    #[schema(required = true)]
    configured: Option<SenderBody>,
    /// The white label's; always null: none names one.
    #[schema(required = true)]
    inherited: Option<SenderBody>,
    /// What mails come from.
    effective: EffectiveBody,
}

impl Convert<SenderBody> for EmailSender {
    fn convert(self) -> SenderBody {
        let domain = Some(self.domain().to_owned());
        let email_verification_status = match self.email_verified_at {
            Some(_) => StatusBody::Verified,
            None => StatusBody::Pending,
        };
        SenderBody {
            domain,
            email: self.email,
            verification_status: StatusBody::Pending,
            verified_at: None,
            email_verification_status,
            domain_verification_status: StatusBody::Pending,
            domain_dkim_tokens: Vec::new(),
            last_checked_at: Some(self.last_checked_at.convert()),
        }
    }
}

fn answer(entity: Entity) -> Json<EmailSenderBody> {
    Json(EmailSenderBody {
        configured: entity.email_sender.convert(),
        inherited: None,
        effective: EffectiveBody { source: SourceBody::Default, email: None, verified: true },
    })
}

async fn get(entity: ReqData<Entity>) -> Json<EmailSenderBody> {
    answer(entity.into_inner())
}

async fn set(
    call: Call,
    body: Body<SetEmailSenderBody>,
) -> Result<Json<EmailSenderBody>, ApiError> {
    let email = match body.0.email {
        Patch::Value(email) => Some(email),
        Patch::Null => None,
        Patch::Absent => {
            let message = "send the address, or null for none";
            return Err(Issue::new("required", message).at("email").into());
        }
    };
    let task = call.run(|call| async move { access::set_email_sender(call.cx(), email).await });
    Ok(answer(task.await?))
}

async fn recheck(call: EntityCall) -> Result<Json<EmailSenderBody>, ApiError> {
    let task = call
        .run(|call| async move { access::recheck_email_sender(call.cx(), call.entity()).await });
    Ok(answer(task.await?))
}
