//! What is deprecated, and until when it is served.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, LINK};

use crate::route::Route;

/// Since when deprecated operations are so, in seconds since 1970: 2026-11-22.
pub const SINCE: i64 = 1_795_305_600;

/// When they will be gone, as HTTP writes dates (RFC 9110, 5.6.7): two years later.
pub const SUNSET: &str = "Wed, 22 Nov 2028 00:00:00 GMT";

/// The headers that say so: RFC 9745, RFC 8594 and RFC 8288.
pub(crate) const HEADERS: [&str; 3] = ["Deprecation", "Sunset", "Link"];

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET_NAME: HeaderName = HeaderName::from_static("sunset");

/// What takes the place of the route that answered, where something does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Successor(&'static str);

impl Successor {
    /// That of `route`.
    pub fn of(route: &Route) -> Option<Self> {
        route.successor.map(Self)
    }

    /// Writes it into an answer.
    pub fn write(self, headers: &mut HeaderMap) {
        let link = format!(
            "<{}>; rel=\"successor-version\", </docs>; rel=\"deprecation\"; type=\"text/html\"",
            self.0
        );
        let values = [
            (DEPRECATION, HeaderValue::try_from(format!("@{SINCE}"))),
            (SUNSET_NAME, HeaderValue::try_from(SUNSET)),
            (LINK, HeaderValue::try_from(link)),
        ];
        for (name, value) in values {
            if let Ok(value) = value {
                headers.append(name, value);
            }
        }
    }
}
