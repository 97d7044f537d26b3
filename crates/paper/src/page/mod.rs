//! The model as a page: preview, and what a customer sees behind a link; and around mails.
//!
//! | Module  | Owns                                             |
//! | ------- | ------------------------------------------------ |
//! | `html`  | writing HTML, everything escaped                 |
//! | `style` | the style sheet                                  |
//! | `templates` | what the style has of the template           |
//! | `parts` | the parts of the model                           |
//! | `mail`  | mails about a document                           |
//!
//! A page has no script and takes nothing from elsewhere: pictures and codes are in it.

mod html;
mod mail;
mod parts;
mod style;
mod templates;

pub use html::escape;
pub use mail::Letter;

use html::Html;

use crate::model::{PLAIN_COLOR, Paper, Picture};
use crate::words::{Language, Word};

/// A page, and the style sheet in it, whose digest a content security policy names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The whole document of HTML.
    pub html: String,
    /// The text of its `style` element.
    pub style: String,
}

/// Who serves the issuer, where that is a white label: pages and mails name it below the document,
/// by its logo where that goes along, and are in its colour where the issuer has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// What people call it.
    pub name: String,
    /// Its colour, as in `#1a7f37`.
    pub color: Option<String>,
    /// Its logo.
    pub logo: Option<Picture>,
}

/// What stands around a document on its page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Where its PDF is, from where the page is.
    pub pdf: Option<String>,
    /// Where an estimate is accepted and rejected by a form, while that is possible.
    pub reply: Option<Reply>,
    /// Where what is due is paid by card, by a form, while that is possible.
    pub pay: Option<String>,
    /// What is said of what was done before.
    pub notice: Option<Notice>,
    /// Who serves the issuer.
    pub service: Option<Service>,
}

/// What a page says of what was done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A reply could not be taken.
    ReplyRefused,
    /// The document could not be paid by card.
    PayRefused,
    /// Somebody paid, and the payment is not recorded yet.
    PaymentPending,
}

impl Notice {
    /// What it says, how it looks, and whether it interrupts who listens.
    const fn parts(self) -> (Word, &'static str, &'static str) {
        match self {
            Self::ReplyRefused => (Word::ReplyRefused, "problem", "alert"),
            Self::PayRefused => (Word::PayRefused, "problem", "alert"),
            Self::PaymentPending => (Word::PaymentPending, "pending", "status"),
        }
    }
}

/// Where forms are sent, from where the page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// To accept.
    pub accept: String,
    /// To reject.
    pub reject: String,
}

impl Paper {
    /// The document as a page of its own.
    #[must_use]
    pub fn page(&self, around: &Around) -> Page {
        let language = Language::from_code(self.language).unwrap_or(Language::ENGLISH);
        let mut body = Html::default();
        body.open("main", &[]);
        if let Some(notice) = around.notice {
            let (word, class, role) = notice.parts();
            body.element("p", &[("class", class), ("role", role)], word.text(language));
        }
        parts::article(self, &mut body);
        if around.pdf.is_some() || around.reply.is_some() || around.pay.is_some() {
            body.open("div", &[("class", "actions")]);
            if let Some(reply) = &around.reply {
                body.open("section", &[("aria-label", Word::Reply.text(language))]);
                for (action, word, class) in
                    [(&reply.accept, Word::Accept, "main"), (&reply.reject, Word::Reject, "other")]
                {
                    body.open("form", &[("method", "post"), ("action", action)]);
                    body.element("button", &[("class", class)], word.text(language));
                    body.close("form");
                }
                body.close("section");
            }
            if let Some(pay) = &around.pay {
                body.open("form", &[("method", "post"), ("action", pay)]);
                body.element("button", &[("class", "main")], Word::PayByCard.text(language));
                body.close("form");
            }
            if let Some(pdf) = &around.pdf {
                let word = Word::Download.text(language);
                body.element("a", &[("class", "download"), ("href", pdf)], word);
            }
            body.close("div");
        }
        if let Some(service) = &around.service {
            body.open("footer", &[]);
            match &service.logo {
                Some(logo) => parts::picture(logo, "service", &mut body),
                None => body.element("p", &[], &service.name),
            }
            body.close("footer");
        }
        body.close("main");
        let number = self.number.as_deref().unwrap_or_default();
        let title = format!("{} {number} - {}", self.title, self.issuer.name);
        let color = self.color(around.service.as_ref());
        let logo_percent = self.logo.as_ref().map_or(100, |logo| logo.scale_percent);
        let style = style::sheet(color, logo_percent, templates::rules(self.template));
        whole(language, &title, style, &body.text)
    }

    /// The colour of lines, `#` and six digits: the issuer's, else that of who serves the issuer,
    /// where there is one, else the template's.
    #[must_use]
    pub fn color<'a>(&'a self, service: Option<&'a Service>) -> &'a str {
        let of_service = || service.and_then(|service| service.color.as_deref());
        let found = self.primary_color.as_deref().or_else(of_service);
        // It is checked again here, as it goes into styles as it is.
        let is_color = |color: &&str| {
            let digits = color.strip_prefix('#').unwrap_or_default().as_bytes();
            digits.len() == 6 && digits.iter().all(u8::is_ascii_hexdigit)
        };
        found.filter(is_color).unwrap_or(self.template.color())
    }

    /// The document as a part of another site's page, without a style.
    #[must_use]
    pub fn fragment(&self) -> String {
        let mut body = Html::default();
        parts::article(self, &mut body);
        body.text
    }
}

/// The page of a link that leads nowhere.
#[must_use]
pub fn gone(language: Language) -> Page {
    let mut body = Html::default();
    body.open("main", &[]);
    body.open("article", &[]);
    body.element("h1", &[], Word::Gone.text(language));
    body.element("p", &[], Word::GoneText.text(language));
    body.close("article");
    body.close("main");
    let style = style::sheet(PLAIN_COLOR, 100, "");
    whole(language, Word::Gone.text(language), style, &body.text)
}

fn whole(language: Language, title: &str, style: String, body: &str) -> Page {
    let html = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex, nofollow\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        language.code(),
        escape(title.trim_matches(['-', ' '])),
    );
    Page { html, style }
}
