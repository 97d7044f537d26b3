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
use racun_application::idempotency::{AnswerTo, KeyedRequest};

use super::Keyed;
use super::keep::lost;
use crate::answer;
use crate::documents;
use crate::error::ApiError;
use crate::openapi::same_body;
use crate::route::{Route, Verb};
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
        // Whoever reads the thing is not shown its secret.
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

/// The routes that may read what a request to `route` at `path` made or changed, with the paths to
/// ask them for, the most likely first: the thing beneath the list that it was made in, or the
/// thing that the path names; else whatever answers the same body.
fn readers(
    route: &Route,
    path: &str,
    own: Option<&str>,
    subjects: &[String],
) -> Vec<(&'static Route, String)> {
    let mut found: Vec<(&'static Route, String)> = Vec::new();
    let ids: Vec<&str> = match route.status {
        CREATED => subjects.iter().map(String::as_str).collect(),
        _ => own.into_iter().chain(subjects.iter().map(String::as_str)).collect(),
    };
    if route.status == CREATED {
        let reader = reader(route, &format!("{}/{{id}}", route.path));
        let path = |id: &&str| format!("{path}/{id}");
        found.extend(reader.into_iter().flat_map(|it| ids.iter().map(move |id| (it, path(id)))));
    } else {
        let mut places = (route.path, path);
        while let (Some((pattern, _)), Some((path, _))) =
            (places.0.rsplit_once('/'), places.1.rsplit_once('/'))
        {
            if places.0.ends_with('}') || places.0 == route.path {
                let reader = reader(route, places.0);
                found.extend(reader.map(|reader| (reader, places.1.to_owned())));
            }
            places = (pattern, path);
        }
    }
    for reader in routes().filter(|reader| answers_like(route, reader)) {
        let Some(list) = reader.path.strip_suffix("/{id}").filter(|list| !list.contains('{'))
        else {
            continue;
        };
        found.extend(ids.iter().map(|id| (reader, format!("{list}/{id}"))));
    }
    found
}

/// The route that reads at `pattern` what `route` answers.
fn reader(route: &Route, pattern: &str) -> Option<&'static Route> {
    routes().find(|reader| reader.path == pattern && answers_like(route, reader))
}

/// Whether `reader` reads what `route` answers, for those who pass the gate of `route`.
fn answers_like(route: &Route, reader: &Route) -> bool {
    let is_reader = reader.verb == Verb::Get && reader.status == 200;
    let same_gate = std::mem::discriminant(&reader.gate) == std::mem::discriminant(&route.gate);
    let same = same_body(route.answers, reader.answers) || documents::answers_one(route, reader);
    is_reader && same_gate && same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_or_changed_is_read_where_it_is() {
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
