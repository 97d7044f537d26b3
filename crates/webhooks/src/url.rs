//! Which URLs an endpoint can have, as far as their text tells. Where they lead, the courier
//! judges.

use racun_kernel::Issue;

/// Characters that a URL may have.
pub const MAX_URL_CHARS: usize = 2_048;

/// Which schemes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schemes {
    /// `http` and `https`.
    Both,
    /// `https` alone: what is posted tells of an account's money.
    HttpsOnly,
}

/// Accepts the text of an absolute URL without user name, password and fragment.
///
/// # Errors
/// What is wrong with it; its path is that of the field.
pub fn check_url(url: &str, schemes: Schemes) -> Result<(), Issue> {
    if url.chars().count() > MAX_URL_CHARS {
        return Err(Issue::new("too_long", format!("at most {MAX_URL_CHARS} characters")));
    }
    let is_text_of_url = url.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let is_https = scheme.eq_ignore_ascii_case("https");
    let is_http = scheme.eq_ignore_ascii_case("http") && schemes == Schemes::Both;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        let message = "a URL of a webhook holds no user name and no password; the signature tells \
                       the receiver who sends";
        return Err(Issue::new("invalid_url", message));
    }
    let has_host = !authority.is_empty() && !authority.starts_with(':');
    if is_text_of_url && has_host && !rest.contains('#') && (is_https || is_http) {
        return Ok(());
    }
    let message = match schemes {
        Schemes::Both => "expected a URL such as https://example.com/hooks, over http or https",
        Schemes::HttpsOnly => "expected a URL such as https://example.com/hooks, over https",
    };
    Err(Issue::new("invalid_url", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_urls_of_http_without_credentials_are_taken() {
        for url in ["https://example.com", "https://example.com:8443/a?b=c", "HTTPS://[::1]/x"] {
            assert_eq!(check_url(url, Schemes::Both), Ok(()), "{url}");
            assert_eq!(check_url(url, Schemes::HttpsOnly), Ok(()), "{url}");
        }
        assert_eq!(check_url("http://example.com/", Schemes::Both), Ok(()));
        for url in [
            "",
            "example.com",
            "//example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "https://",
            "https:///path",
            "https://:80/",
            "https://user@example.com/",
            "https://user:password@example.com/",
            "https://example.com@127.0.0.1/",
            "https://exa mple.com/",
            "https://example.com/\n",
            "https://example.com/#part",
            "https://ex\\ample.com/",
            "https://éxample.com/",
            "javascript:alert(1)",
        ] {
            assert_eq!(check_url(url, Schemes::Both).unwrap_err().code, "invalid_url", "{url}");
        }
        let code = check_url("http://example.com/", Schemes::HttpsOnly).unwrap_err().code;
        assert_eq!(code, "invalid_url");
    }

    #[test]
    fn the_limit_of_length_holds_at_its_edge() {
        let url = |chars: usize| format!("https://example.com/{}", "a".repeat(chars - 20));
        assert_eq!(check_url(&url(2_048), Schemes::Both), Ok(()));
        assert_eq!(check_url(&url(2_049), Schemes::Both).unwrap_err().code, "too_long");
    }
}
