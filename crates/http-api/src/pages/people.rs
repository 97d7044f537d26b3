//! Routes of pages that links in mails lead to.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use racun_access::AccessError;
use racun_billing::Catalogue;
use utoipa::ToSchema;
use validator::Validate;

use super::html::{Brand, Field, Form as HtmlForm, Page};
use super::words::{Asked, Words, words};
use racun_application::Services;

use crate::access::{accept_invitation, origin_of, reset_password, verify_address};
use crate::billing::labels::label_of;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Form, Query};
use crate::route::{Gate, Parameter, Route};
use crate::security::{self, SecurityEvent};

const TAG: &str = "Pages";

/// Query parameters of the links in mails.
const LINK: &[Parameter] = &[
    Parameter::text("token", "The token that was mailed."),
    Parameter::text("language", "The language of the page: `en`, `sl`, `hr` or `de`."),
];

/// The page at a path of users, which is described with theirs.
pub(crate) const LINKED: &[Route] =
    &[Route::get("/users/verify-email", "followVerificationLink", Gate::Open, || {
        web::to(show_verification)
    })
    .about(
        "Users",
        "Shows a page with a button, for the link in the mail; nothing is verified before it is \
         pressed, for programs that look through mails follow links, too.",
    )
    .linked()
    .reads(LINK)
    .answers_file("text/html")
    .sensitive()];

/// Routes of pages.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/verify-email", "submitVerification", Gate::Open, || web::to(verify))
        .about(TAG, "Verifies an address by the form of its page, and answers a page.")
        .takes_form::<TokenForm>(&["token"])
        .answers_file("text/html")
        .sensitive()
        .seen_as(SecurityEvent::AddressVerified),
    Route::get("/reset-password", "showPasswordReset", Gate::Open, || web::to(show_reset))
        .about(TAG, "Shows a form for a new password, for the link in the mail.")
        .linked()
        .reads(LINK)
        .answers_file("text/html")
        .sensitive(),
    Route::post("/reset-password", "submitPasswordReset", Gate::Open, || web::to(reset))
        .about(TAG, "Sets a new password by that form, and answers a page.")
        .takes_form::<PasswordForm>(&["token", "password"])
        .answers_file("text/html")
        .sensitive()
        .seen_as(SecurityEvent::PasswordChanged),
    Route::get("/accept-invitation", "showInvitation", Gate::Open, || web::to(show_invitation))
        .about(TAG, "Shows a form that accepts an invitation, for the link in the mail.")
        .linked()
        .reads(LINK)
        .answers_file("text/html")
        .sensitive(),
    Route::post("/accept-invitation", "submitInvitation", Gate::Open, || web::to(accept))
        .about(TAG, "Accepts an invitation by that form, and answers a page.")
        .makes_users()
        .takes_form::<InvitationForm>(&["token", "password"])
        .answers_file("text/html")
        .sensitive()
        .seen_as(SecurityEvent::MemberAdded),
];

/// The form of `POST /verify-email`.
#[derive(ToSchema, Validate)]
#[schema(as = VerificationForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct TokenForm {
    /// The token that was mailed.
    token: String,
    /// The language of the answer.
    #[schema(nullable = false)]
    language: Option<String>,
}

/// The form of `POST /reset-password`.
#[derive(ToSchema, Validate)]
#[schema(as = PasswordResetForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct PasswordForm {
    /// The token that was mailed.
    token: String,
    /// The new password.
    password: String,
    /// The language of the answer.
    #[schema(nullable = false)]
    language: Option<String>,
}

/// The form of `POST /accept-invitation`.
#[derive(ToSchema, Validate)]
#[schema(as = InvitationForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct InvitationForm {
    /// The token that was mailed.
    token: String,
    /// A new password; that of the user whom the address has, when it has one.
    password: String,
    /// The person's name.
    #[schema(nullable = false)]
    name: Option<String>,
    /// The language of the answer.
    #[schema(nullable = false)]
    language: Option<String>,
}

async fn show_verification(
    services: Data<Services>,
    request: HttpRequest,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    shown(&*labels_of(&services).await, &request, &query, |words| {
        (&words.verify, "../verify-email", Vec::new())
    })
}

async fn show_reset(
    services: Data<Services>,
    request: HttpRequest,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    shown(&*labels_of(&services).await, &request, &query, |words| {
        (&words.reset, "reset-password", vec![password(words.new_password)])
    })
}

async fn show_invitation(
    services: Data<Services>,
    request: HttpRequest,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    shown(&*labels_of(&services).await, &request, &query, |words| {
        let fields = vec![name(words, String::new()), password(words.password)];
        (&words.invitation, "accept-invitation", fields)
    })
}

async fn verify(
    call: Call<()>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let sent = Sent::read(form)?;
    let proof = verify_address(&call, sent.token.clone()).await;
    let outcome = proof.map(|proof| security::proved(&request, &proof));
    let words = sent.words(&request);
    Ok(told(&*labels_of(&call).await, &request, &sent, &words.verify, outcome, || {
        ("verify-email", Vec::new())
    }))
}

async fn reset(call: Call<()>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let sent = Sent::read(form)?;
    let (token, typed) = (sent.token.clone(), sent.password.clone());
    let proof = reset_password(&call, token, typed, false, origin_of(&request)).await;
    let outcome = proof.map(|proof| security::proved(&request, &proof));
    let words = sent.words(&request);
    let fields = || ("reset-password", vec![password(words.new_password)]);
    Ok(told(&*labels_of(&call).await, &request, &sent, &words.reset, outcome, fields))
}

async fn accept(
    call: Call<()>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let sent = Sent::read(form)?;
    let named = Some(sent.name.clone()).filter(|name| !name.trim().is_empty());
    let (token, typed) = (sent.token.clone(), sent.password.clone());
    let origin = origin_of(&request);
    let outcome = accept_invitation(&call, token, typed, named, origin).await.map(|_| ());
    let words = sent.words(&request);
    let fields = || {
        let fields = vec![name(words, sent.name.clone()), password(words.password)];
        ("accept-invitation", fields)
    };
    Ok(told(&*labels_of(&call).await, &request, &sent, &words.invitation, outcome, fields))
}

/// What a form says.
struct Sent {
    token: String,
    password: String,
    name: String,
    language: String,
}

impl Sent {
    fn read(mut form: Form) -> Result<Self, ApiError> {
        Ok(Self {
            token: form.text("token")?,
            password: form.text("password")?,
            name: form.text("name")?,
            language: form.text("language")?,
        })
    }

    fn words(&self, request: &HttpRequest) -> &'static Words {
        words(Some(&self.language), request.headers())
    }
}

fn password(label: &'static str) -> Field {
    Field { name: "password", label: Some(label), value: String::new(), is_password: true }
}

fn name(words: &'static Words, value: String) -> Field {
    Field { name: "name", label: Some(words.name), value, is_password: false }
}

fn hidden(name: &'static str, value: &str) -> Field {
    Field { name, label: None, value: value.to_owned(), is_password: false }
}

/// The form of a page, with the token and the language that it was shown for.
fn form(
    asked: &Asked,
    (action, visible): (&'static str, Vec<Field>),
    token: &str,
    language: &str,
) -> HtmlForm {
    let known = [hidden("token", token), hidden("language", language)];
    let fields = known.into_iter().chain(visible).collect();
    HtmlForm { action, fields, button: asked.button }
}

/// A page with a form, for a link.
fn shown(
    labels: &Catalogue,
    request: &HttpRequest,
    query: &Query,
    of: impl FnOnce(&'static Words) -> (&'static Asked, &'static str, Vec<Field>),
) -> Result<HttpResponse, ApiError> {
    let words = words(query.one("language")?, request.headers());
    let (asked, action, fields) = of(words);
    let token = query.one("token")?.unwrap_or_default();
    let page = Page {
        language: words.language,
        brand: brand(labels, request),
        title: asked.title,
        text: if token.is_empty() { words.bad_token } else { asked.text },
        problem: None,
        form: (!token.is_empty()).then(|| form(asked, (action, fields), token, words.language)),
    };
    Ok(page.answer(StatusCode::OK))
}

/// The page that tells what became of a form; what can be mended is asked for again.
fn told(
    labels: &Catalogue,
    request: &HttpRequest,
    sent: &Sent,
    asked: &'static Asked,
    outcome: Result<(), AccessError>,
    again: impl FnOnce() -> (&'static str, Vec<Field>),
) -> HttpResponse {
    let words = sent.words(request);
    let brand = brand(labels, request);
    let refused = match outcome {
        Ok(()) => {
            let page = Page {
                language: words.language,
                brand,
                title: asked.done,
                text: asked.done_text,
                problem: None,
                form: None,
            };
            return page.answer(StatusCode::OK);
        }
        Err(refused) => refused,
    };
    let (problem, can_mend) = problem(words, &refused);
    let page = Page {
        language: words.language,
        brand,
        title: asked.title,
        text: if can_mend { asked.text } else { "" },
        problem: Some(problem),
        form: can_mend.then(|| form(asked, again(), &sent.token, words.language)),
    };
    let error = ApiError::from(refused);
    if let Some(event) = error.event() {
        security::note_event(request, event);
    }
    page.answer(error.kind().status())
}

/// The text of a refusal for people, and whether the same form can be resubmitted.
fn problem(words: &'static Words, refused: &AccessError) -> (&'static str, bool) {
    match refused {
        AccessError::BadCredentials => (words.wrong_password, true),
        // What an invitation's token is answered that leads nowhere, or to one that is over.
        AccessError::Unauthorized | AccessError::Conflict(_) | AccessError::Refused(_) => {
            (words.bad_token, false)
        }
        AccessError::Invalid(issues) => {
            let at_token = issues.iter().any(|issue| issue.code == "invalid_token");
            if at_token { (words.bad_token, false) } else { (words.weak_password, true) }
        }
        _ => (words.failed, false),
    }
}

/// The white labels; none where they cannot be read, for a page is shown in any case.
async fn labels_of(services: &Services) -> Arc<Catalogue> {
    services.labels().await.unwrap_or_default()
}

fn brand<'a>(labels: &'a Catalogue, request: &HttpRequest) -> Brand<'a> {
    Brand::of(label_of(request, labels).ok().flatten())
}
