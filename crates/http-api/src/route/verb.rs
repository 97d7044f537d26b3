//! Methods of HTTP that routes have.

use actix_web::http::Method;

/// A method that changes or reads something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Reads.
    Get,
    /// Makes, or does.
    Post,
    /// Replaces.
    Put,
    /// Changes in part.
    Patch,
    /// Removes.
    Delete,
}

impl Verb {
    /// The method's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The method.
    #[must_use]
    pub const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}
