//! What every e-mail is written with: its rows, in whose name users are written to, and in which
//! language.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_background::jobs::{Job, JobKind, NewJob};
use racun_billing::{Color, WhiteLabel};
use racun_kernel::Stamp;
use racun_kernel::text::LOCALES;
use racun_mail::{Attachment, Brand, OutgoingMail, PRODUCT, SECRET, Values};
use racun_paper::page::escape;
use racun_store::{Put, Record};

use crate::printing::picture;

/// The rows of a mail that is to be delivered: the mail, and the job that does it.
///
/// For use cases that send e-mail: the rows are written in the commit of the change they announce.
#[must_use]
pub fn enqueue(mail: &OutgoingMail, stamp: &Stamp) -> Vec<Put> {
    let job = NewJob {
        kind: JobKind::Mail,
        entity_id: mail.entity_id,
        subject: mail.id.to_string(),
        payload: mail.tenant().as_str().to_owned(),
    };
    vec![Put::insert(mail), Job::new(job, stamp).put()]
}

/// `mail` and its rows: as queued, or as if it had been delivered.
#[must_use]
pub fn posted(mail: OutgoingMail, is_simulated: bool, stamp: &Stamp) -> (OutgoingMail, Vec<Put>) {
    if is_simulated {
        let mail = mail.simulated();
        let put = Put::insert(&mail);
        return (mail, vec![put]);
    }
    let puts = enqueue(&mail, stamp);
    (mail, puts)
}

/// Characters of a subject.
pub(crate) const MAX_SUBJECT_CHARS: usize = 255;

/// The id under which the logo of a mail to a user goes along.
const LOGO: &str = "logo";

/// In whose name users are written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The base of links, without a slash at its end.
    base: String,
    brand: Brand,
}

impl Sender {
    /// Who writes to users of `label`, or to those who came without one.
    #[must_use]
    pub fn of(base: &str, label: Option<&WhiteLabel>) -> Self {
        let brand = Brand {
            product: label.map_or(PRODUCT, WhiteLabel::product).to_owned(),
            logo: label.and_then(WhiteLabel::logo).map(|(url, _)| url.to_owned()),
            color: label.and_then(WhiteLabel::color).map(Color::text),
        };
        Self::branded(base, brand)
    }

    /// Who writes in the name of `brand`.
    pub(crate) fn branded(base: &str, brand: Brand) -> Self {
        Self { base: base.trim_end_matches('/').to_owned(), brand }
    }

    /// In whose name.
    pub(crate) const fn brand(&self) -> &Brand {
        &self.brand
    }

    /// `html`, the text of a mail, as the white label's: below its logo, and below a line of its
    /// colour. Without a white label it is as it was.
    pub(crate) fn dressed(&self, html: String) -> String {
        let Brand { product, logo, color } = &self.brand;
        let logo = logo.as_ref().map(|url| {
            let (url, product) = (escape(url), escape(product));
            format!("<p><img src=\"{url}\" alt=\"{product}\" height=\"48\"></p>\n")
        });
        let html = logo.unwrap_or_default() + &html;
        match color {
            Some(color) => {
                let style = format!("border-top:4px solid {color};padding-top:1em");
                format!("<div style=\"{style}\">\n{html}</div>\n")
            }
            None => html,
        }
    }

    /// What its mails stand for: what the service is called, and the link to `page` in
    /// the language of `locale`. The token is first in it, for programs that cut it out.
    pub(crate) fn values(&self, page: &str, locale: &str) -> Values {
        let mut values = Values::default();
        let language = locale.split('-').next().unwrap_or_default();
        let link = format!("{}/{page}?token={SECRET}&language={language}", self.base);
        values.set("product", Some(&*self.brand.product));
        values.set("link", Some(link));
        values
    }
}

/// `html`, a mail to a user, with its logo apart where that is in the address of the picture: mail
/// programs show only one that goes along.
pub(crate) fn picture_apart(html: &str) -> Option<(String, Attachment)> {
    let (before, rest) = html.split_once("<img src=\"data:")?;
    let (url, after) = rest.split_once('"')?;
    let (media_type, text) = url.split_once(";base64,")?;
    let logo = picture(LOGO, media_type, STANDARD.decode(text).ok()?);
    Some((format!("{before}<img src=\"cid:{LOGO}\"{after}"), logo))
}

/// The locale that a locale or a language names: `sl-SI` of `sl`.
pub(crate) fn locale_of(text: &str) -> Option<&'static str> {
    let of_language = |locale: &&&str| locale.split('-').next() == Some(text);
    let exact = LOCALES.iter().find(|locale| **locale == text);
    exact.or_else(|| LOCALES.iter().find(of_language)).copied()
}

#[cfg(test)]
mod tests {
    use racun_billing::Catalogue;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mail_of_a_white_label_has_its_colour_and_logo() {
        let labels = json!({"white_labels": [{"slug": "a", "name": "A & B",
            "hosts": ["a.example"], "theme_color": "#1A7F37",
            "logo_url": "https://cdn.example.com/logo.png"}]});
        let labels: Catalogue = serde_json::from_value(labels).unwrap();
        let sender = Sender::of("https://a.example/", labels.by_slug("a"));
        let expected = "<div style=\"border-top:4px solid #1a7f37;padding-top:1em\">\n\
            <p><img src=\"https://cdn.example.com/logo.png\" alt=\"A &amp; B\" height=\"48\"></p>\n\
            <p>Hello</p></div>\n";
        assert_eq!(sender.dressed("<p>Hello</p>".to_owned()), expected);
        let plain = Sender::of("https://a.example", None).dressed("<p>Hello</p>".to_owned());
        assert_eq!(plain, "<p>Hello</p>");
    }

    #[test]
    fn a_logo_in_its_address_goes_along_with_the_mail() {
        let png = b"\x89PNG\r\n\x1a\n and more";
        let url = format!("data:image/png;base64,{}", STANDARD.encode(png));
        let labels = json!({"white_labels": [{"slug": "a", "name": "A", "hosts": ["a.example"],
            "logo_url": url}]});
        let labels: Catalogue = serde_json::from_value(labels).unwrap();
        let sender = Sender::of("https://a.example/", labels.by_slug("a"));
        let (html, logo) = picture_apart(&sender.dressed("<p>Hello</p>".to_owned())).unwrap();
        assert_eq!(html, "<p><img src=\"cid:logo\" alt=\"A\" height=\"48\"></p>\n<p>Hello</p>");
        assert_eq!((&*logo.filename, &*logo.media_type), ("logo.png", "image/png"));
        assert_eq!((logo.content_id.as_deref(), logo.content), (Some("logo"), png.to_vec()));
        assert_eq!(picture_apart("<p><img src=\"https://a.example/logo.png\"></p>"), None);
    }
}
