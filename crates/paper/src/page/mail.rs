//! The model around the text of a mail.
//!
//! Mail programs know few styles, and mostly none of a style sheet: each element says its own, and
//! places are rows of tables, as programs of all ages show them. Nothing is fetched: the logo goes
//! along with the mail.

use super::Service;
use super::html::Html;
use crate::model::{Emphasis, Fact, Paper, Picture, Total};
use crate::words::{Language, Word};

/// The id under which the issuer's logo goes along.
const LOGO: &str = "logo";

/// The id under which the logo of who serves the issuer goes along.
const SERVICE: &str = "service";

/// A mail as HTML, and what goes along with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter<'a> {
    /// The whole document of HTML.
    pub html: String,
    /// The pictures that the HTML shows, each with the id by which it names them.
    pub pictures: Vec<(&'static str, &'a Picture)>,
}

const FONT: &str = "font-family:system-ui,Arial,sans-serif;font-size:16px;line-height:1.5;\
                    color:#1a1a1a";
const PALE: &str = "padding:2px 12px 2px 0;color:#595959;vertical-align:top";
const PLAIN: &str = "padding:2px 0;text-align:right";
const STRONG: &str = "padding:2px 0;text-align:right;font-weight:700;font-size:20px";

impl Paper {
    /// A mail about the document: `text`, which is HTML already, in the issuer's colour and under
    /// its logo, and beside it what of the document has to be seen: its number, what is to be paid
    /// and until when; and below it the logo of `service`, else its name.
    #[must_use]
    pub fn letter<'a>(&'a self, text: &str, service: Option<&'a Service>) -> Letter<'a> {
        let language = Language::from_code(self.language).unwrap_or(Language::ENGLISH);
        let color = self.color(service);
        let mut pictures = Vec::new();
        let mut html = Html::default();
        html.markup("<!doctype html>\n");
        html.open("html", &[("lang", language.code())]);
        html.open("head", &[]);
        html.void("meta", &[("charset", "utf-8")]);
        html.void("meta", &[("name", "viewport"), ("content", "width=device-width")]);
        html.element("title", &[], &self.subject());
        html.close("head");
        html.open("body", &[("style", "margin:0;padding:16px;background:#f2f3f5")]);
        let sheet = format!(
            "max-width:600px;margin:0 auto;background:#fff;border-top:8px solid {color};{FONT}"
        );
        html.open("table", &[LAYOUT, ("width", "100%"), ("style", &sheet)]);
        if let Some(logo) = self.logo.as_ref().filter(|logo| is_shown(&logo.media_type)) {
            cell(&mut html, |html| picture(LOGO, logo, html));
            pictures.push((LOGO, logo));
        }
        cell(&mut html, |html| html.markup(text));
        cell(&mut html, |html| self.summary(color, html));
        cell(&mut html, |html| self.sender(html));
        if let Some(service) = service {
            match service.logo.as_ref().filter(|logo| is_shown(&logo.media_type)) {
                Some(logo) => {
                    cell(&mut html, |html| picture(SERVICE, logo, html));
                    pictures.push((SERVICE, logo));
                }
                None => cell(&mut html, |html| pale(&service.name, html)),
            }
        }
        html.close("table");
        html.close("body");
        html.close("html");
        Letter { html: html.text, pictures }
    }

    /// The kind and the number.
    fn subject(&self) -> String {
        format!("{} {}", self.title, self.number.as_deref().unwrap_or_default()).trim().to_owned()
    }

    /// What has to be seen of the document.
    fn summary(&self, color: &str, html: &mut Html) {
        let style = format!("border-top:3px solid {color};{FONT}");
        html.open("table", &[LAYOUT, ("width", "100%"), ("style", &style)]);
        html.open("tr", &[]);
        let head = [("colspan", "2"), ("style", "padding:8px 0;font-weight:700")];
        html.element("td", &head, &self.subject());
        html.close("tr");
        for banner in &self.banners {
            html.open("tr", &[]);
            html.element("td", &[("colspan", "2"), ("style", PLAIN)], &banner.text);
            html.close("tr");
        }
        if let Some(Total { label, text, .. }) = self.what_counts() {
            row(label, text, STRONG, html);
        }
        let until = [Word::DateDue, Word::DateValidTill].map(Word::key);
        for Fact { label, text, .. } in self.facts.iter().filter(|fact| until.contains(&fact.key)) {
            row(label, text, PLAIN, html);
        }
        html.close("table");
    }

    /// The total that is read first: what is due, else what the document comes to.
    fn what_counts(&self) -> Option<&Total> {
        let of = |emphasis| self.totals.iter().rfind(|total| total.emphasis == emphasis);
        of(Emphasis::Main).or_else(|| of(Emphasis::Strong))
    }

    /// Who sends it.
    fn sender(&self, html: &mut Html) {
        let lines = [&self.issuer.name].into_iter().chain(&self.issuer.address);
        lines.filter(|line| !line.is_empty()).for_each(|line| pale(line, html));
    }
}

/// How many pixels high a picture of the whole size is, at most.
const MOST_HEIGHT: u32 = 80;

/// A picture that goes along under `id`, in its part of the size.
fn picture(id: &str, picture: &Picture, html: &mut Html) {
    let percent = picture.scale_percent;
    let most = u32::from(percent) * MOST_HEIGHT / 100;
    let style = format!("max-width:{percent}%;max-height:{most}px;height:auto;border:0");
    let source = format!("cid:{id}");
    html.void("img", &[("src", &source), ("alt", &picture.alt), ("style", &style)]);
}

/// A line that stays behind the others.
fn pale(line: &str, html: &mut Html) {
    html.element("div", &[("style", "color:#595959;font-size:14px")], line);
}

/// A table that only places things.
const LAYOUT: (&str, &str) = ("role", "presentation");

/// A row of one cell.
fn cell(html: &mut Html, fill: impl FnOnce(&mut Html)) {
    html.open("tr", &[]);
    html.open("td", &[("style", "padding:16px 24px;overflow-wrap:anywhere")]);
    fill(html);
    html.close("td");
    html.close("tr");
}

fn row(label: &str, text: &str, style: &str, html: &mut Html) {
    html.open("tr", &[]);
    html.element("td", &[("style", PALE)], label);
    html.element("td", &[("style", style)], text);
    html.close("tr");
}

/// Whether mail programs show pictures of the type.
fn is_shown(media_type: &str) -> bool {
    ["image/png", "image/jpeg", "image/gif"].contains(&media_type)
}
