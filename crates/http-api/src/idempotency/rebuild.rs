//! The answer of a request whose effect is committed and whose process died before it had one.
//!
//! What a request that changes something answers is the thing as it is then, and so does the route
//! that reads the thing. So the reader's handler is asked, and answers with the status of the first
//! request. It passes no gate of its own: a caller who may write a record may read it.

use actix_web::body::BoxBody;
use actix_web::dev::{
    ResourceDef, Service as _, ServiceFactory as _, ServiceRequest, ServiceResponse, Url,
};
use actix_web::http::header::IF_NONE_MATCH;
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::{Error, HttpResponse, ResponseError as _};
use racun_background::idempotency::{AnswerTo, KeyedRequest};

use super::Keyed;
use super::keep::lost;
use crate::answer;
use crate::error::ApiError;
use crate::route::Route;
use crate::routes;

/// The status of a success with nothing to tell.
const NO_CONTENT: u16 = 204;
/// The status of a success that made something.
const CREATED: u16 = 201;

/// Answers the request that `held` is the effect of, and keeps the answer.
///
/// # Errors
/// As actix hands them on; what is refused is an answer.
pub(crate) async fn rebuild(
    mut request: ServiceRequest,
    keyed: Keyed,
    held: KeyedRequest,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let status = StatusCode::from_u16(keyed.route.status).map_err(ApiError::internal)?;
    if keyed.route.status == NO_CONTENT {
        let answer = keyed.keep_rebuilt(HttpResponse::new(status)).await?;
        return Ok(request.into_response(answer));
    }
    if keyed.route.shows_secret {
        // Reading the resource does not show its secret.
        return Ok(request.into_response(lost(&held.subjects).error_response()));
    }
    let path = request.path().to_owned();
    let own = request.match_info().get("id").map(str::to_owned);
    for (reader, path) in readers(keyed.route, &path, own.as_deref(), &held.subjects) {
        let read = read(request, reader, &path).await?;
        if read.status().is_server_error() {
            return Ok(read);
        }
        let is_found = read.status() == StatusCode::OK;
        let (http, mut answer) = read.into_parts();
        if is_found {
            *answer.status_mut() = status;
            let answer = keyed.keep_rebuilt(answer).await?;
            return Ok(ServiceResponse::new(http, answer));
        }
        request = ServiceRequest::from_request(http);
    }
    Ok(request.into_response(lost(&held.subjects).error_response()))
}

impl Keyed {
    async fn keep_rebuilt(
        &self,
        answer: HttpResponse<BoxBody>,
    ) -> Result<HttpResponse<BoxBody>, ApiError> {
        let mut answer = self.keep(answer, AnswerTo::Effect).await?.into_answer();
        self.mark(&mut answer);
        Ok(answer)
    }
}

/// What `reader` answers to a request for `path`.
async fn read(
    mut request: ServiceRequest,
    reader: &Route,
    path: &str,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let uri: Uri = path.parse().map_err(ApiError::internal)?;
    let head = request.head_mut();
    (head.method, head.uri) = (Method::GET, uri.clone());
    head.headers_mut().remove(IF_NONE_MATCH);
    request.match_info_mut().set(Url::new(uri));
    ResourceDef::new(reader.path).capture_match_info(request.match_info_mut());
    let handler = (reader.handler)().new_service(()).await;
    let handler = handler.map_err(|()| ApiError::internal("a handler cannot be made"))?;
    Ok(answer::written(handler.call(request).await?).await)
}

/// The routes that read what a request to `route` at `path` made or changed, with the paths to ask
/// them for, the most likely first.
fn readers(
    route: &Route,
    path: &str,
    own: Option<&str>,
    subjects: &[String],
) -> Vec<(&'static Route, String)> {
    let own = own.filter(|_| route.status != CREATED);
    let ids: Vec<&str> = own.into_iter().chain(subjects.iter().map(String::as_str)).collect();
    let named = |name: &&str| routes().find(|reader| reader.operation == *name);
    let readers = route.read_by.iter().filter_map(named);
    let places = |reader| places(route, path, reader, &ids).into_iter().map(move |at| (reader, at));
    readers.flat_map(places).collect()
}

/// Where `reader` may read it: its path with the ids that the request's own path has in the same
/// places, and each of `ids` in the place that is left. What was made has an id of its own.
fn places(route: &Route, path: &str, reader: &Route, ids: &[&str]) -> Vec<String> {
    let parts: Vec<&str> = reader.path.split('/').collect();
    let shared = route.path.split('/').zip(&parts).take_while(|(own, part)| own == *part).count();
    let shared = if route.status == CREATED { shared.min(parts.len() - 1) } else { shared };
    let own = path.split('/').take(shared);
    let (_, rest) = parts.split_at(shared);
    if rest.iter().all(|part| !part.starts_with('{')) {
        return vec![own.chain(rest.iter().copied()).collect::<Vec<_>>().join("/")];
    }
    let with = |id: &str| {
        let parts = rest.iter().map(|part| if part.starts_with('{') { id } else { *part });
        own.clone().map(str::to_owned).chain(parts.map(str::to_owned)).collect::<Vec<_>>()
    };
    ids.iter().map(|id| with(id).join("/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{Gate, Verb};
    use crate::schema::same_body;

    /// Operations whose answers are not made again, with the reason. Their effect is there; a
    /// repeated request is answered that it is.
    const UNREAD: &[(&str, &str)] = &[
        ("authorizePaymentApp", CHANGES_NOTHING),
        ("authorizeShopify", CHANGES_NOTHING),
        ("connectPaymentApp", "it is done by any signed-in user, and read in the entity"),
        ("syncOrderIntegration", TELLS_THE_STEP),
        ("calculateDocument", CHANGES_NOTHING),
        ("linkMyIdentity", "identities are read in a list"),
        ("checkTransactionType", CHANGES_NOTHING),
        ("getEInvoicingVerificationLink", CHANGES_NOTHING),
        ("checkEInvoicingRecipient", CHANGES_NOTHING),
        ("searchEInvoicingCustomer", CHANGES_NOTHING),
        ("queryStats", CHANGES_NOTHING),
        ("reviewNormirani", CHANGES_NOTHING),
        ("checkVies", CHANGES_NOTHING),
        ("createEntity", "it is made in an account, and read in the entity"),
        ("v1CreateWebhook", "it is made in an entity, and read by any signed-in user"),
        ("v1DeleteWebhook", TELLS_THE_STEP),
        ("categorizeDocumentItem", "a line is read with its document"),
        ("categorizeDocumentItems", "lines are read with their documents"),
        ("updateEntityUser", "members are read in a list"),
        ("acceptMyInvitation", "members are read in a list"),
        ("createPosTable", "tables are read in a list"),
        ("updatePosTable", "tables are read in a list"),
        ("retryJob", "jobs are read in a list"),
        ("setMyFinaSettings", "they are read with the user"),
        ("setMyFursSettings", "they are read with the user"),
        ("setMyPtSettings", "they are read with the user"),
        ("validateEslog", "the check is read with the document"),
        ("validateUjp", "the check is read with the document"),
        ("shareDocument", "the link is read with the document"),
        ("setBillingEmail", "it is read with the subscription"),
        ("cancelSubscription", "it is read with the subscription"),
        ("resumeShopifyInstall", TELLS_THE_STEP),
        ("activatePlan", TELLS_THE_STEP),
        ("giveCard", "the card is read with the subscription"),
        ("checkOutPlan", "pages of the processor are read there"),
        ("openBillingPortal", CHANGES_NOTHING),
        ("backfillRevenueRecognition", TELLS_THE_STEP),
        ("backfillExpenseRecognition", TELLS_THE_STEP),
        ("advanceTestClock", TELLS_THE_STEP),
        ("recheckEmailSender", TELLS_THE_STEP),
        ("sendDocument", TELLS_THE_STEP),
        ("sendEInvoice", "submissions are read in a list"),
        ("sendEmail", TELLS_THE_STEP),
        ("sendPaymentReminder", TELLS_THE_STEP),
        ("replayWebhook", TELLS_THE_STEP),
        ("replayAccountWebhook", TELLS_THE_STEP),
        ("testAccountWebhook", "an account's log is not read"),
        ("createFinaPremise", TELLS_THE_STEP),
        ("createFursMovablePremise", TELLS_THE_STEP),
        ("createFursRealEstatePremise", TELLS_THE_STEP),
        ("deactivateFinaPremise", TELLS_THE_STEP),
        ("closeFursPremise", TELLS_THE_STEP),
        ("createFinaDevice", TELLS_THE_STEP),
        ("createFursDevice", TELLS_THE_STEP),
        ("deactivateFinaDevice", TELLS_THE_STEP),
        ("deactivateFursDevice", TELLS_THE_STEP),
        ("uploadFinaCertificate", "its reader may lack a certificate"),
        ("uploadFursCertificate", "its reader may lack a certificate"),
        ("issueFinaSandboxCertificate", "its reader may lack a certificate"),
        ("issueFursSandboxCertificate", "its reader may lack a certificate"),
        ("deleteFinaCertificate", TELLS_THE_STEP),
        ("deleteFursCertificate", TELLS_THE_STEP),
    ];
    const CHANGES_NOTHING: &str = "it changes nothing";
    const TELLS_THE_STEP: &str = "it tells what was done, which is not kept";

    /// Whether a request to `route` with a key leaves an answer that may have to be made again.
    fn is_made_again(route: &Route) -> bool {
        let has_answer = route.answers.is_some() && route.status != NO_CONTENT;
        let has_key = route.verb != Verb::Get && route.gate != Gate::Open;
        has_key && has_answer && !route.shows_secret
    }

    #[test]
    fn a_route_names_what_reads_its_effect() {
        let (mut unnamed, mut needless) = (Vec::new(), Vec::new());
        for route in routes() {
            let is_unread = UNREAD.iter().any(|(name, _)| *name == route.operation);
            let has_reader = !route.read_by.is_empty();
            if is_made_again(route) && has_reader == is_unread {
                unnamed.push(route.operation);
            } else if !is_made_again(route) && (has_reader || is_unread) {
                needless.push(route.operation);
            }
        }
        assert!(unnamed.is_empty(), "name their readers, or list them as unread: {unnamed:?}");
        assert!(needless.is_empty(), "they need no reader: {needless:?}");
        for (name, _) in UNREAD {
            assert!(routes().any(|route| route.operation == *name), "{name} is no operation");
        }
    }

    #[test]
    fn a_reading_route_answers_the_same_body_to_all_callers() {
        for route in routes() {
            for name in route.read_by {
                let found = routes().find(|reader| reader.operation == *name);
                let reader = found.unwrap_or_else(|| panic!("{}: {name}", route.operation));
                assert_eq!((reader.verb, reader.status), (Verb::Get, 200), "{name}");
                let kind = |route: &Route| std::mem::discriminant(&route.gate);
                assert_eq!(kind(reader), kind(route), "{} {name}", route.operation);
                let is_of_any_kind = route.read_by.len() > 1;
                let is_same = same_body(route.answers, reader.answers);
                assert!(is_same || is_of_any_kind, "{} {name}", route.operation);
            }
        }
    }

    #[test]
    fn answers_are_rebuilt_by_the_route_that_reads_the_record() {
        let subjects = ["evt_1", "inv_1"].map(str::to_owned);
        for (operation, path, own, expected) in [
            ("createInvoice", "/invoices", None, "/invoices/inv_1"),
            ("createCustomInvoice", "/invoices/custom", None, "/invoices/inv_1"),
            ("updateInvoice", "/invoices/inv_1", Some("inv_1"), "/invoices/inv_1"),
            ("finalizeDocument", "/documents/inv_1/finalize", Some("inv_1"), "/invoices/inv_1"),
            ("openPosTab", "/pos/tabs", None, "/pos/tabs/inv_1"),
            ("closePosTab", "/pos/tabs/ptab_1/close", Some("ptab_1"), "/pos/tabs/ptab_1"),
            ("invoicePosTab", "/pos/tabs/ptab_1/invoice", Some("ptab_1"), "/invoices/inv_1"),
            ("movePosTabLines", "/pos/tabs/ptab_1/move-lines", Some("ptab_1"), "/pos/tabs/ptab_1"),
            ("restoreItem", "/items/item_1/restore", Some("item_1"), "/items/item_1"),
            ("createPayment", "/payments", None, "/payments/inv_1"),
            ("updateEntity", "/entities/ent_1", Some("ent_1"), "/entities/ent_1"),
            (
                "updateFursSettings",
                "/fiscalization/furs/settings",
                None,
                "/fiscalization/furs/settings",
            ),
        ] {
            let route = routes().find(|route| route.operation == operation).unwrap();
            let found = readers(route, path, own, &subjects);
            let paths: Vec<&str> = found.iter().map(|(_, path)| &**path).collect();
            assert!(paths.contains(&expected), "{operation}: {paths:?}");
            assert!(found.iter().all(|(reader, _)| reader.verb == Verb::Get), "{operation}");
        }
    }
}
