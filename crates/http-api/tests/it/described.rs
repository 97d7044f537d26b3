//! Whatever a test is answered, the description has for that operation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actix_web::http::Method;
use serde_json::Value;

/// The statuses that each operation is described with one by one.
const STATUSES: [u16; 8] = [400, 401, 403, 404, 409, 422, 429, 503];

/// Operations by path and method.
static PATHS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let mut description = racun_http_api::openapi();
    serde_json::from_value(description["paths"].take()).unwrap()
});

/// The path of the description that `path` is one of: literal steps go before parameters.
fn template(path: &str) -> Option<&'static Value> {
    let fits = |template: &str| {
        let (template, given) = (template.split('/'), path.split('/'));
        template.clone().count() == given.clone().count()
            && template.zip(given).all(|(step, given)| step == given || step.starts_with('{'))
    };
    let fitting = PATHS.iter().filter(|(template, _)| fits(template));
    fitting.min_by_key(|(template, _)| template.matches('{').count()).map(|(_, item)| item)
}

/// Fails where the operation is not described with the status of its answer.
pub fn check(method: &Method, path: &str, status: u16) {
    let Some(item) = template(path) else { return };
    let method = if method == Method::HEAD { Method::GET } else { method.clone() };
    let operation = &item[method.as_str().to_lowercase()];
    if operation.is_object() && STATUSES.contains(&status) {
        let is_described = operation["responses"].get(status.to_string()).is_some();
        assert!(is_described, "{method} {path} answers {status}, which is not described");
    }
}
