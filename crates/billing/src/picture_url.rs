//! Addresses of pictures that pages and mails show.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_kernel::PictureFormat;
use serde::{Deserialize, Serialize};

/// Characters of an address.
const MAX_URL: usize = 2_048;

/// Bytes of a picture that goes along: half a dozen kinds of pages and mails carry it.
const MAX_PICTURE: usize = 24 * 1024;

/// The address of a picture, or the picture itself in an address (RFC 2397).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PictureUrl(String);

/// Where a picture is.
#[derive(Debug)]
enum Place {
    /// At an address, whose origin has so many bytes.
    Elsewhere { origin: usize },
    /// In the address: these bytes.
    Here(PictureFormat, Vec<u8>),
}

impl From<String> for PictureUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<PictureUrl> for String {
    fn from(url: PictureUrl) -> Self {
        url.0
    }
}

impl PictureUrl {
    /// Its text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether pages and mails may name it: a picture itself, or by https, with a host, and of
    /// characters that end neither an attribute nor a policy.
    pub(crate) fn is_good(&self) -> bool {
        find(&self.0).is_some()
    }

    /// What a policy of a page has to let in for it: the origin of the address, or `data:` where
    /// the picture is in it. `None` for an address that may not be named.
    pub(crate) fn source(&self) -> Option<&str> {
        match find(&self.0)? {
            Place::Elsewhere { origin } => self.0.get(..origin),
            Place::Here(..) => Some("data:"),
        }
    }

    /// The picture that is in it.
    pub(crate) fn picture(&self) -> Option<(PictureFormat, Vec<u8>)> {
        match find(&self.0)? {
            Place::Elsewhere { .. } => None,
            Place::Here(format, bytes) => Some((format, bytes)),
        }
    }
}

/// Where the picture of `url` is; `None` for an address that may not be named.
fn find(url: &str) -> Option<Place> {
    if let Some(rest) = url.strip_prefix("data:") {
        return decode(rest);
    }
    let is_sane = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#@!$&*+=%".contains(&b);
    let is_of_host = |b: u8| b.is_ascii_alphanumeric() || b".-:".contains(&b);
    let scheme = "https://";
    let host = url.strip_prefix(scheme)?.split('/').next()?;
    let is_host = !host.is_empty() && host.bytes().all(is_of_host);
    let is_good = is_host && url.len() <= MAX_URL && url.bytes().all(is_sane);
    is_good.then_some(Place::Elsewhere { origin: scheme.len() + host.len() })
}

/// The picture in the `rest` of an address: a PNG or a JPEG, which every mail program shows.
fn decode(rest: &str) -> Option<Place> {
    let (media_type, text) = rest.split_once(";base64,")?;
    let is_short = text.len() <= MAX_PICTURE.div_ceil(3) * 4;
    let bytes = is_short.then(|| STANDARD.decode(text))?.ok()?;
    let format = PictureFormat::of(&bytes)?;
    let is_shown = matches!(format, PictureFormat::Png | PictureFormat::Jpeg);
    let is_good = is_shown && media_type == format.media_type() && bytes.len() <= MAX_PICTURE;
    is_good.then_some(Place::Here(format, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> PictureUrl {
        PictureUrl::from(text.to_owned())
    }

    #[test]
    fn an_address_of_a_picture_ends_no_attribute_and_no_policy() {
        for (url, origin) in [
            ("https://example.com/logo.png", "https://example.com"),
            ("https://cdn.example.com:8443/a?b=c&d=%20", "https://cdn.example.com:8443"),
        ] {
            assert_eq!((of(url).source(), of(url).picture()), (Some(origin), None), "{url}");
        }
        for url in [
            "http://example.com/logo.png",
            "https:///logo.png",
            "https://user@example.com/logo.png",
            "https://example.com/a b",
            "https://example.com/a\"b",
            "https://example.com/a;script-src",
            "https://example.com/a,b",
            "https://example.com/a'b",
            "javascript:alert(1)",
            "",
        ] {
            assert!(!of(url).is_good(), "{url}");
        }
    }

    #[test]
    fn a_picture_in_an_address_is_one_of_its_media_type_and_small() {
        let url = |media_type: &str, bytes: &[u8]| {
            of(&format!("data:{media_type};base64,{}", STANDARD.encode(bytes)))
        };
        let formats = [
            (PictureFormat::Png, &b"\x89PNG\r\n\x1a\n"[..], "image/jpeg"),
            (PictureFormat::Jpeg, b"\xff\xd8\xff", "image/png"),
        ];
        for (format, head, other) in formats {
            let media_type = format.media_type();
            let mut bytes = head.to_vec();
            bytes.resize(MAX_PICTURE, 7);
            let whole = url(media_type, &bytes);
            assert_eq!(whole.picture(), Some((format, bytes.clone())));
            assert_eq!(whole.source(), Some("data:"));
            bytes.push(7);
            assert!(!url(media_type, &bytes).is_good(), "too long");
            assert!(!url(media_type, b"<svg onload=\"alert(1)\">").is_good());
            assert!(!url("image/svg+xml", head).is_good());
            assert!(!url(other, head).is_good());
            assert!(!of(&format!("{}\"><script>", url(media_type, head).text())).is_good());
        }
        assert!(!url("image/gif", b"GIF89a").is_good());
        for url in ["data:", "data:image/png,x", "data:image/png;base64,", "data:;base64,iVBORw=="]
        {
            assert!(!of(url).is_good(), "{url}");
        }
    }
}
