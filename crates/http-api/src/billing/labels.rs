//! White labels, and which one a request comes under.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderName, ORIGIN};
use actix_web::web::{self, Data, ReqData};
use racun_access::AccountScope;
use racun_application::Services;
use racun_billing::{Catalogue, WhiteLabel};
use racun_kernel::Environment;
use racun_sales::billing;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::answer::Json;
use crate::body::AllBody;
use crate::error::{ApiError, Kind};
use crate::route::{Gate, Route};

const TAG: &str = "White labels";

/// Routes of white labels.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/white-labels/current", "getCurrentWhiteLabel", Gate::Open, || web::to(current))
        .about(
            TAG,
            "Answers the white label of the host that the request is sent to; else that of the \
             page that sends it, by `Origin`.",
        )
        .may_lack()
        .answers::<WhiteLabelBody>(),
    Route::get("/white-labels", "listWhiteLabels", Gate::Account, || web::to(list))
        .about(TAG, "Lists the white label that the account signed up under, when it has one.")
        .answers::<AllBody<WhiteLabelBody>>(),
];

/// Racun under the name of another company.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhiteLabel)]
pub(crate) struct WhiteLabelBody {
    /// What it is known by.
    slug: String,
    /// Its name.
    name: String,
    /// The environment that it sells in; null for both.
    #[schema(required = true)]
    environment: Option<&'static str>,
    /// What its application is called.
    #[schema(required = true)]
    app_name: Option<String>,
    /// The same, where there is little room.
    #[schema(required = true)]
    short_name: Option<String>,
    /// Where its logo is.
    #[schema(required = true)]
    logo_url: Option<String>,
    /// Where its small icon is.
    #[schema(required = true)]
    favicon_url: Option<String>,
    /// Its colour.
    #[schema(required = true)]
    theme_color: Option<String>,
    /// Features that clients hide. They can still be reached.
    hidden_features: Vec<String>,
    /// Whether clients hide features that have not been reviewed.
    hide_new_features_by_default: bool,
    /// Features that have been reviewed.
    reviewed_feature_catalog_ids: Vec<String>,
    /// Whether entities that are made under it subscribe to its plans.
    billing_enabled: bool,
    /// Whether users of the account see the whole application.
    account_users_full_ui_enabled: bool,
    /// What clients measure with.
    analytics: Map<String, Value>,
    /// Where people get help.
    #[schema(required = true)]
    support_email: Option<String>,
}

impl WhiteLabelBody {
    fn of(label: &WhiteLabel) -> Self {
        let label = label.clone();
        Self {
            slug: label.slug,
            name: label.name,
            environment: label.environment.map(Environment::name),
            app_name: label.app_name,
            short_name: label.short_name,
            logo_url: label.logo_url.map(String::from),
            favicon_url: label.favicon_url.map(String::from),
            theme_color: label.theme_color,
            hidden_features: label.hidden_features,
            hide_new_features_by_default: label.hide_new_features_by_default,
            reviewed_feature_catalog_ids: label.reviewed_feature_catalog_ids,
            billing_enabled: label.billing_enabled,
            account_users_full_ui_enabled: label.account_users_full_ui_enabled,
            analytics: label.analytics,
            support_email: label.support_email,
        }
    }
}

/// The white label of the host that `request` is sent to; `None` where there are no white labels.
/// The `Origin` of a page is not believed: a caller can send any, and the plan depends on it.
///
/// # Errors
/// 404 where there are white labels, and none is at the host and none is the default.
pub(crate) fn label_of<'a>(
    request: &HttpRequest,
    catalogue: &'a Catalogue,
) -> Result<Option<&'a WhiteLabel>, ApiError> {
    if catalogue.is_empty() {
        return Ok(None);
    }
    let label = at_host(request, catalogue).or_else(|| catalogue.default_label());
    label.ok_or_else(none_here).map(Some)
}

fn header(request: &HttpRequest, name: HeaderName) -> Option<&str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// The white label of the host that `request` is sent to.
fn at_host<'a>(request: &HttpRequest, catalogue: &'a Catalogue) -> Option<&'a WhiteLabel> {
    let host = header(request, HOST).or_else(|| request.uri().host());
    catalogue.at_host(host?)
}

/// The white label of the page that sends `request`. It says how the page is to look and no more,
/// so it does no harm that a caller can send any.
fn at_origin<'a>(request: &HttpRequest, catalogue: &'a Catalogue) -> Option<&'a WhiteLabel> {
    let (_, host) = header(request, ORIGIN)?.split_once("://")?;
    catalogue.at_host(host)
}

fn none_here() -> ApiError {
    ApiError::new(Kind::NotFound, "there is no white label at this address")
}

async fn current(
    services: Data<Services>,
    request: HttpRequest,
) -> Result<Json<WhiteLabelBody>, ApiError> {
    let labels = services.labels().await?;
    let label = at_host(&request, &labels).or_else(|| at_origin(&request, &labels));
    let label = label.or_else(|| labels.default_label());
    Ok(Json(WhiteLabelBody::of(label.ok_or_else(none_here)?)))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<AccountScope>,
) -> Result<Json<AllBody<WhiteLabelBody>>, ApiError> {
    let (store, labels) = (&*services.store, services.labels().await?);
    let label = billing::label_of(store, &labels, scope.account).await?;
    Ok(Json(AllBody::of(label.map(WhiteLabelBody::of).into_iter().collect())))
}
