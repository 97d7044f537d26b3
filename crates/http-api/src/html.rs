//! Pages: what they may load, and that they are neither kept nor indexed.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

/// Keeps pages out of search engines.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The content security policy of a page that has the one style `style` and `images`, such as
/// ` img-src data:;`, and sends forms to its own origin; nothing else.
pub(crate) fn policy(style: &str, images: &str) -> String {
    policy_with_forms(style, images, "'self'")
}

/// The same of a page whose forms may lead to `forms`.
pub(crate) fn policy_with_forms(style: &str, images: &str, forms: &str) -> String {
    let style = STANDARD.encode(digest(&SHA256, style.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}';{images} form-action {forms}; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

/// An answer with the page `html`, unseen by caches and search engines.
pub(crate) fn answer(mut head: HttpResponseBuilder, policy: &str, html: String) -> HttpResponse {
    head.insert_header((CONTENT_SECURITY_POLICY, policy));
    let mut answer = head.content_type(ContentType::html()).body(html);
    unseen(answer.headers_mut());
    answer
}

/// Forbids caches to keep the answer, search engines to index it, and browsers to name its address
/// to others.
pub(crate) fn unseen(headers: &mut HeaderMap) {
    for (name, value) in [
        (X_ROBOTS_TAG, "noindex, nofollow"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
