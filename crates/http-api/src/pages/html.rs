//! A page: one document of HTML, with nothing from elsewhere and no script.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use racun_paper::page::escape;

use crate::html;

/// The style of all pages.
const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;\
padding:0 1rem;color:#1a1a1a;background:#fff}h1{font-size:1.4rem}\
label{display:block;margin:1rem 0 0}\
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #767676;\
border-radius:4px}button{font:inherit;margin-top:1.25rem;padding:.6rem 1.2rem;border:0;\
border-radius:4px;background:#1d4ed8;color:#fff}.problem{color:#b00020}footer{margin-top:3rem;\
color:#595959;font-size:.9rem}";

/// Lets a page have its own style and send forms to where it came from, and nothing else.
static POLICY: LazyLock<String> = LazyLock::new(|| html::policy(STYLE, ""));

/// A field of a form.
pub(super) struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its label; a hidden field has none.
    pub label: Option<&'static str>,
    /// What is in it.
    pub value: String,
    /// Whether what is written is hidden.
    pub is_password: bool,
}

/// A form.
pub(super) struct Form {
    /// Where it is sent, from where the page is.
    pub action: &'static str,
    /// Its fields.
    pub fields: Vec<Field>,
    /// What is on its button.
    pub button: &'static str,
}

/// A page.
pub(super) struct Page<'a> {
    /// Its language.
    pub language: &'static str,
    /// What the service is called.
    pub product: &'a str,
    /// Its heading.
    pub title: &'static str,
    /// What it says.
    pub text: &'a str,
    /// What went wrong.
    pub problem: Option<&'a str>,
    /// What can be done.
    pub form: Option<Form>,
}

impl Page<'_> {
    /// The page as an answer with `status`.
    pub(super) fn answer(&self, status: StatusCode) -> HttpResponse {
        html::answer(HttpResponse::build(status), &POLICY, self.html())
    }

    fn html(&self) -> String {
        let (language, title, product) = (self.language, escape(self.title), escape(self.product));
        let problem = self.problem.map(|problem| {
            format!("<p class=\"problem\" role=\"alert\">{}</p>\n", escape(problem))
        });
        format!(
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} – {product}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n{}<p>{}</p>\n{}</main>\n\
             <footer>{product}</footer>\n</body>\n</html>\n",
            problem.unwrap_or_default(),
            escape(self.text),
            self.form.as_ref().map(Form::html).unwrap_or_default(),
        )
    }
}

impl Form {
    fn html(&self) -> String {
        let fields: String = self.fields.iter().map(Field::html).collect();
        format!(
            "<form method=\"post\" enctype=\"multipart/form-data\" action=\"{}\">\n{fields}\
             <button type=\"submit\">{}</button>\n</form>\n",
            self.action,
            escape(self.button),
        )
    }
}

impl Field {
    fn html(&self) -> String {
        let (name, value) = (self.name, escape(&self.value));
        let Some(label) = self.label else {
            return format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">\n");
        };
        let more = match self.is_password {
            true => "type=\"password\" autocomplete=\"new-password\" required",
            false => "type=\"text\" autocomplete=\"name\" maxlength=\"255\"",
        };
        format!(
            "<label for=\"{name}\">{}</label>\n<input id=\"{name}\" name=\"{name}\" {more} \
             value=\"{value}\">\n",
            escape(label),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_stands_in_a_page_is_text() {
        let evil = "\"><script>alert('&')</script>";
        let field =
            |label| Field { name: "token", label, value: evil.to_owned(), is_password: false };
        let page = Page {
            language: "en",
            product: evil,
            title: "Title",
            text: evil,
            problem: Some(evil),
            form: Some(Form {
                action: "there",
                fields: vec![field(None), field(Some("Name"))],
                button: "Go",
            }),
        };
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains("\"><script"), "{html}");
        assert_eq!(html.matches("&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)").count(), 6);
    }

    #[test]
    fn the_policy_names_the_style_by_its_digest() {
        assert!(POLICY.contains("style-src 'sha256-") && !POLICY.contains("unsafe"));
    }
}
