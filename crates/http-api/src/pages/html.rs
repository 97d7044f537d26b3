//! A page: one document of HTML without scripts, and with nothing from elsewhere but the logo of
//! the white label.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use racun_billing::WhiteLabel;
use racun_paper::page::escape;

use crate::html;

/// The style of all pages.
const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;\
padding:0 1rem;color:#1a1a1a;background:#fff}h1{font-size:1.4rem}\
label{display:block;margin:1rem 0 0}\
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #767676;\
border-radius:4px}button{font:inherit;margin-top:1.25rem;padding:.6rem 1.2rem;border:0;\
border-radius:4px;background:#1d4ed8;color:#fff}.problem{color:#b00020}footer{margin-top:3rem;\
color:#595959;font-size:.9rem}header img{max-height:3rem}";

/// What the service is called where no white label is.
const PRODUCT: &str = "Racun";

/// In whose name a page is shown.
#[derive(Default)]
pub(super) struct Brand<'a>(Option<&'a WhiteLabel>);

impl<'a> Brand<'a> {
    /// That of a white label, or Racun's own.
    pub(super) const fn of(label: Option<&'a WhiteLabel>) -> Self {
        Self(label)
    }

    fn product(&self) -> &'a str {
        self.0.map_or(PRODUCT, WhiteLabel::product)
    }

    /// The style of its pages.
    fn style(&self) -> String {
        let color = self.0.and_then(WhiteLabel::color);
        let own = color.map(|color| {
            let (back, front) = (color.text(), color.text_on());
            format!("button{{background:{back};color:{front}}}")
        });
        format!("{STYLE}{}", own.unwrap_or_default())
    }

    /// Its logo, as a part of a page.
    fn logo(&self) -> String {
        let logo = self.0.and_then(WhiteLabel::logo).map(|(url, _)| {
            let (url, product) = (escape(url), escape(self.product()));
            format!("<header><img src=\"{url}\" alt=\"{product}\"></header>\n")
        });
        logo.unwrap_or_default()
    }

    /// Lets its pages have their style and logo, and send forms to where they came from; nothing
    /// else.
    fn policy(&self, style: &str) -> String {
        let origin = self.0.and_then(WhiteLabel::logo).map(|(_, origin)| origin);
        let images = origin.map(|origin| format!(" img-src {origin};"));
        html::policy(style, &images.unwrap_or_default())
    }
}

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
    /// In whose name it is shown.
    pub brand: Brand<'a>,
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
        let style = self.brand.style();
        let policy = self.brand.policy(&style);
        html::answer(HttpResponse::build(status), &policy, self.html(&style))
    }

    fn html(&self, style: &str) -> String {
        let (language, title) = (self.language, escape(self.title));
        let (product, logo) = (escape(self.brand.product()), self.brand.logo());
        let problem = self.problem.map(|problem| {
            format!("<p class=\"problem\" role=\"alert\">{}</p>\n", escape(problem))
        });
        format!(
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} – {product}</title>\n<style>{style}</style>\n</head>\n\
             <body>\n{logo}<main>\n\
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
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn whatever_a_page_shows_is_text() {
        let evil = "\"><script>alert('&')</script>";
        let field =
            |label| Field { name: "token", label, value: evil.to_owned(), is_password: false };
        let label = label(&json!({"slug": "a", "name": evil, "hosts": ["a.example"]}));
        let page = Page {
            language: "en",
            brand: Brand::of(Some(&label)),
            title: "Title",
            text: evil,
            problem: Some(evil),
            form: Some(Form {
                action: "there",
                fields: vec![field(None), field(Some("Name"))],
                button: "Go",
            }),
        };
        let html = page.html("");
        assert!(!html.contains("<script") && !html.contains("\"><script"), "{html}");
        assert_eq!(html.matches("&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)").count(), 6);
    }

    fn label(one: &Value) -> WhiteLabel {
        serde_json::from_value(one.clone()).unwrap()
    }

    #[test]
    fn the_policy_names_the_style_by_its_digest() {
        let brand = Brand::default();
        let policy = brand.policy(&brand.style());
        assert!(policy.contains("style-src 'sha256-") && !policy.contains("unsafe"));
        assert!(!policy.contains("img-src"), "{policy}");
    }

    #[test]
    fn a_white_label_shows_its_colour_and_logo_and_lets_nothing_else_in() {
        let label = label(&json!({"slug": "a", "name": "A & B", "hosts": ["a.example"],
            "theme_color": "#FFD500", "logo_url": "https://cdn.example.com/logo.png?v=1&w=2"}));
        let brand = Brand::of(Some(&label));
        assert!(brand.style().ends_with("button{background:#ffd500;color:#000}"));
        let expected = "<header><img src=\"https://cdn.example.com/logo.png?v=1&amp;w=2\" \
                        alt=\"A &amp; B\"></header>\n";
        assert_eq!(brand.logo(), expected);
        let policy = brand.policy("");
        assert!(policy.contains("; img-src https://cdn.example.com; form-action"), "{policy}");
        let embedded = self::label(&json!({"slug": "a", "name": "A", "hosts": ["a.example"],
            "logo_url": "data:image/png;base64,iVBORw0KGgo="}));
        let brand = Brand::of(Some(&embedded));
        assert!(brand.logo().contains("src=\"data:image/png;base64,iVBORw0KGgo=\""));
        let policy = brand.policy("");
        assert!(policy.contains("; img-src data:; form-action"), "{policy}");
        let odd = json!({"slug": "a", "name": "A", "hosts": ["a.example"],
            "theme_color": "red;}", "logo_url": "https://a.example/\"onerror=alert(1)"});
        let odd = self::label(&odd);
        let brand = Brand::of(Some(&odd));
        assert_eq!((brand.style(), brand.logo()), (STYLE.to_owned(), String::new()));
    }
}
