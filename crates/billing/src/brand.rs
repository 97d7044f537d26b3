//! How a white label looks: its colour and its logo, where they are of use on pages and in mails.

use racun_kernel::{Issue, Issues};

use crate::WhiteLabel;

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
        let url = self.logo_url.as_ref()?;
        Some((url.text(), url.source()?))
    }

    /// The media type and the bytes of a logo that needs not be fetched.
    #[must_use]
    pub fn embedded_logo(&self) -> Option<(&'static str, Vec<u8>)> {
        let (format, bytes) = self.logo_url.as_ref()?.picture()?;
        Some((format.media_type(), bytes))
    }

    /// Notes what is wrong with how it looks.
    pub(crate) fn check_brand(&self, issues: &mut Issues) {
        if self.theme_color.as_deref().is_some_and(|text| Color::read(text).is_none()) {
            let message = "expected a colour as in #1a7f37";
            issues.push(Issue::new("invalid_value", message).at("theme_color"));
        }
        for (path, url) in [("logo_url", &self.logo_url), ("favicon_url", &self.favicon_url)] {
            if url.as_ref().is_some_and(|url| !url.is_good()) {
                let message = "expected an address as in https://example.com/logo.png, or a PNG \
                               or JPEG of at most 24 KiB as in data:image/png;base64,iVBO…";
                issues.push(Issue::new("invalid_url", message).at(path));
            }
        }
    }
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
}
