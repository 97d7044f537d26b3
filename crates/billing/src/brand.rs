//! How a white label looks: its colour and its logo, where they are of use on pages and in mails.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_kernel::{Issue, Issues};

use crate::WhiteLabel;

/// Characters of an address.
const MAX_URL: usize = 2_048;

/// Bytes of a picture that goes along: half a dozen kinds of pages and mails carry it.
const MAX_PICTURE: usize = 24 * 1024;

/// The media types of pictures that go along, each with the bytes that such a file begins with.
const PICTURES: [(&str, &[u8]); 2] =
    [("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff")];

/// A colour as three parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    /// The colour that `text` names, as in `#1a7f37`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let is_plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_plain.then_some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// Its text.
    #[must_use]
    pub fn text(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The colour of text on it: black or white, whichever differs more. The weights are those of
    /// WCAG 2, with squares for the exponent of 2.2.
    #[must_use]
    pub fn text_on(self) -> &'static str {
        let [red, green, blue] = self.0.map(u64::from);
        let light = 2_126 * red * red + 7_152 * green * green + 722 * blue * blue;
        // A fifth of white: where contrast with black and with white are equal.
        if light > 10_000 * 255 * 255 / 5 { "#000" } else { "#fff" }
    }
}

impl WhiteLabel {
    /// What people call it.
    #[must_use]
    pub fn product(&self) -> &str {
        self.app_name.as_deref().unwrap_or(&self.name)
    }

    /// Its colour.
    #[must_use]
    pub fn color(&self) -> Option<Color> {
        self.theme_color.as_deref().and_then(Color::read)
    }

    /// Where its logo is, and what a policy of a page has to let in for it: the origin of that
    /// address, or `data:` where the logo itself is in it.
    #[must_use]
    pub fn logo(&self) -> Option<(&str, &str)> {
        let url = self.logo_url.as_deref().filter(|url| is_picture(url))?;
        let Some(rest) = url.strip_prefix("https://") else { return Some((url, "data:")) };
        let host = rest.split('/').next()?;
        Some((url, &url[.."https://".len() + host.len()]))
    }

    /// The media type and the bytes of a logo that needs not be fetched.
    #[must_use]
    pub fn embedded_logo(&self) -> Option<(&'static str, Vec<u8>)> {
        self.logo_url.as_deref().and_then(embedded)
    }

    /// Notes what is wrong with how it looks.
    pub(crate) fn check_brand(&self, issues: &mut Issues) {
        if self.theme_color.as_deref().is_some_and(|text| Color::read(text).is_none()) {
            let message = "expected a colour as in #1a7f37";
            issues.push(Issue::new("invalid_value", message).at("theme_color"));
        }
        for (path, url) in [("logo_url", &self.logo_url), ("favicon_url", &self.favicon_url)] {
            if url.as_deref().is_some_and(|url| !is_picture(url)) {
                let message = "expected an address as in https://example.com/logo.png, or a PNG \
                               or JPEG of at most 24 KiB as in data:image/png;base64,iVBO…";
                issues.push(Issue::new("invalid_url", message).at(path));
            }
        }
    }
}

/// The picture that is in `url`, an address as of RFC 2397.
fn embedded(url: &str) -> Option<(&'static str, Vec<u8>)> {
    let (media_type, text) = url.strip_prefix("data:")?.split_once(";base64,")?;
    let (media_type, head) = PICTURES.into_iter().find(|(known, _)| *known == media_type)?;
    let bytes = (text.len() <= MAX_PICTURE.div_ceil(3) * 4).then(|| STANDARD.decode(text))?.ok()?;
    (bytes.len() <= MAX_PICTURE && bytes.starts_with(head)).then_some((media_type, bytes))
}

/// Whether `url` is an address that pages and mails may name: a picture itself, or by https, with a
/// host, and of characters that end neither an attribute nor a policy.
fn is_picture(url: &str) -> bool {
    if url.starts_with("data:") {
        return embedded(url).is_some();
    }
    let is_sane = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#@!$&*+=%".contains(&b);
    let host = url.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    let is_host = |host: &str| {
        let sane = |b: u8| b.is_ascii_alphanumeric() || b".-:".contains(&b);
        !host.is_empty() && host.bytes().all(sane)
    };
    url.len() <= MAX_URL && url.bytes().all(is_sane) && host.is_some_and(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_text_on_them_can_be_read() {
        for (text, on) in [
            ("#000000", "#fff"),
            ("#FFFFFF", "#000"),
            ("#1a7f37", "#fff"),
            ("#ffd500", "#000"),
            ("#1d4ed8", "#fff"),
            ("#ff0000", "#000"),
        ] {
            let color = Color::read(text).unwrap();
            assert_eq!((color.text(), color.text_on()), (text.to_lowercase(), on));
        }
        for text in ["", "1a7f37", "#1a7f3", "#1a7f377", "#1a7fg7", "green", "#+1+1+1", "#žžž"] {
            assert_eq!(Color::read(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_of_a_picture_ends_no_attribute_and_no_policy() {
        for url in ["https://example.com/logo.png", "https://cdn.example.com:8443/a?b=c&d=%20"] {
            assert!(is_picture(url), "{url}");
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
            assert!(!is_picture(url), "{url}");
        }
    }

    #[test]
    fn a_picture_in_an_address_is_one_of_its_media_type_and_small() {
        let url = |media_type: &str, bytes: &[u8]| {
            format!("data:{media_type};base64,{}", STANDARD.encode(bytes))
        };
        for (media_type, head) in PICTURES {
            let mut bytes = head.to_vec();
            bytes.resize(MAX_PICTURE, 7);
            let whole = url(media_type, &bytes);
            assert_eq!(embedded(&whole), Some((media_type, bytes.clone())));
            assert!(is_picture(&whole));
            bytes.push(7);
            assert!(!is_picture(&url(media_type, &bytes)), "too long");
            assert!(!is_picture(&url(media_type, b"<svg onload=\"alert(1)\">")));
            assert!(!is_picture(&url("image/svg+xml", head)));
            assert!(!is_picture(&format!("{}\"><script>", url(media_type, head))));
        }
        for url in ["data:", "data:image/png,x", "data:image/png;base64,", "data:;base64,iVBORw=="]
        {
            assert!(!is_picture(url), "{url}");
        }
    }
}
