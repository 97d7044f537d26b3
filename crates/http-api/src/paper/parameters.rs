//! What a request says of how a document is printed.

use std::sync::LazyLock;

use actix_web::http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderMap};
use racun_delivery::printing::Wanted;
use racun_kernel::{Issue, Issues, PaymentReference};
use racun_paper::{Display, Language, Template};

use crate::error::ApiError;
use crate::request::Query;
use crate::route::Parameter;

/// Of a page behind a link.
pub(crate) const LANGUAGE: &[Parameter] = &[
    Parameter::text("language", "The language: `en`, `de`, `sl` …, or a locale such as `sl-SI`."),
    Parameter::text(
        "locale",
        "The locale that writes numbers and dates; that of the language when absent.",
    ),
];

/// Of a document that is printed.
pub(super) const PRINT: &[Parameter] = &[
    LANGUAGE[0],
    LANGUAGE[1],
    Parameter::text(
        "template",
        "`modern`, `classic`, `condensed`, `minimal`, `fashion`, `timeless_modern_full_data`, \
         `receipt_80` or `receipt_58`; that of the settings when absent.",
    ),
    Parameter::flag(
        "copy",
        "Whether a document in Portugal says that it is a copy: `2.ª via, em conformidade com o \
         original`. Send it for what is printed after the original was handed out; otherwise \
         paper says `Original`.",
    ),
];

/// Of a file behind a link.
pub(super) const FILE: &[Parameter] = &[PRINT[0], PRINT[1], PRINT[2]];

/// Of the codes on it.
pub(crate) const CODES: &[Parameter] = &[
    Parameter::flag(
        "upn_qr_enabled",
        "Whether the UPN QR code is there; as in the settings when absent.",
    ),
    Parameter::text("upn_qr_display_mode", "`qr_only`, or `full_slip` for the whole payment slip."),
    Parameter::flag("epc_qr_enabled", "Whether the EPC QR code is there."),
    Parameter::flag("hub3_qr_enabled", "Whether the HUB3 code is there. Its symbol is PDF417."),
    Parameter::text(
        "hub3_qr_purpose_code",
        "The purpose of the payment, four capitals such as `OTHR`.",
    ),
    Parameter::text(
        "hub3_qr_reference_model",
        "The model of the reference: HR00 to HR10, or HR99. A number with fewer parts than the \
         model wants, or without room for its check digits, becomes one of HR00.",
    ),
];

/// Of a preview.
pub(crate) const PREVIEW: &[Parameter] = &[
    PRINT[0],
    PRINT[1],
    PRINT[2],
    Parameter::flag(
        "partial",
        "Whether the document alone is answered, as a part for a page with a style.",
    ),
];

/// Of a receipt.
pub(super) const RECEIPT: &[Parameter] = &[
    LANGUAGE[0],
    LANGUAGE[1],
    Parameter::text("format", "`escpos`: bytes for a receipt printer."),
    Parameter::text(
        "template",
        "`receipt_80` or `receipt_58`: how wide the paper is; 80 mm when absent.",
    ),
];

/// What `query` wants otherwise than the settings.
///
/// # Errors
/// All parameters that are none.
pub(super) fn wanted(query: &Query) -> Result<Wanted, ApiError> {
    let mut issues = Issues::default();
    let language = read(query, "language", &mut issues, &LANGUAGES, Language::from_code)?;
    let locale = read(query, "locale", &mut issues, &LANGUAGES, Language::from_code)?;
    let template = read(query, "template", &mut issues, PRINT[2].meaning, Template::from_name)?;
    let display = |mode: &str| match mode {
        "qr_only" => Some(Display::CodeOnly),
        "full_slip" => Some(Display::FullSlip),
        _ => None,
    };
    let modes = "`qr_only` or `full_slip`";
    let upn_display = read(query, "upn_qr_display_mode", &mut issues, modes, display)?;
    let code = |code: &str| {
        let is_code = code.len() == 4 && code.bytes().all(|sign| sign.is_ascii_uppercase());
        is_code.then(|| code.to_owned())
    };
    let purpose = "four capitals";
    let hub3_purpose_code = read(query, "hub3_qr_purpose_code", &mut issues, purpose, code)?;
    let model =
        |model: &str| PaymentReference::CROATIAN_MODELS.contains(&model).then(|| model.to_owned());
    let models = "HR00 to HR10, or HR99";
    let hub3_reference_model = read(query, "hub3_qr_reference_model", &mut issues, models, model)?;
    issues.into_result(())?;
    let switch = |name: &'static str| match query.one(name)? {
        None => Ok::<_, ApiError>(None),
        Some(_) => Ok(Some(query.flag(name)?)),
    };
    Ok(Wanted {
        language,
        locale,
        copy: query.flag("copy")?,
        template,
        upn: switch("upn_qr_enabled")?,
        upn_display,
        epc: switch("epc_qr_enabled")?,
        hub3: switch("hub3_qr_enabled")?,
        hub3_purpose_code,
        hub3_reference_model,
    })
}

/// What a file behind a link is asked for with: as files of users, but in the reader's language
/// where it names none.
///
/// # Errors
/// All parameters that are none.
pub(super) fn wanted_of_file(query: &Query, headers: &HeaderMap) -> Result<Wanted, ApiError> {
    let wanted = wanted(query)?;
    let language = wanted.language.or(wanted.locale).or_else(|| of_reader(headers));
    Ok(Wanted { language, ..wanted })
}

/// What a page is asked for with: the language of the link, else the reader's. What is none of the
/// languages is passed over, for anybody writes links.
pub(super) fn wanted_of_page(query: &Query, headers: &HeaderMap) -> Wanted {
    let known = |name| query.one(name).ok().flatten().and_then(Language::from_code);
    let asked = known("language").or_else(|| known("locale"));
    let language = asked.or_else(|| of_reader(headers));
    Wanted { language, locale: known("locale"), ..Wanted::default() }
}

/// What a page is asked for with, for links to it and from it: `language=sl&locale=en-US`. None
/// where it is asked for in no language.
pub(crate) fn asked_of_page(query: &Query, headers: &HeaderMap) -> Option<String> {
    let wanted = wanted_of_page(query, headers);
    wanted.language.map(|language| asked(language.code(), wanted.locale))
}

/// The parameters that ask for `language`, and for `locale` where that was asked for.
pub(super) fn asked(language: &str, locale: Option<Language>) -> String {
    let locale = locale.map(|locale| format!("&locale={}", locale.locale()));
    format!("language={language}{}", locale.unwrap_or_default())
}

/// The first language of `Accept-Language` that there is.
fn of_reader(headers: &HeaderMap) -> Option<Language> {
    let list = headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?;
    let code = |range: &str| {
        let range = range.split(';').next().unwrap_or_default().trim().to_owned();
        let language = range.split('-').next().unwrap_or_default().to_owned();
        // Norwegian is asked for by its general code, too.
        Language::from_code(if language == "no" { "nb" } else { &language })
    };
    list.split(',').take(MOST_RANGES).find_map(code)
}

/// Ranges of `Accept-Language` that are looked at.
const MOST_RANGES: usize = 20;

/// The languages that `language` and `locale` may say.
static LANGUAGES: LazyLock<String> = LazyLock::new(|| {
    let codes = Language::ALL.map(|language| format!("`{}`", language.code()));
    format!("one of {}, or a locale such as `sl-SI`", codes.join(", "))
});

fn read<T>(
    query: &Query,
    name: &'static str,
    issues: &mut Issues,
    expected: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = query.one(name)? else { return Ok(None) };
    let value = read(text);
    if value.is_none() {
        let message = format!("expected {expected}");
        issues.push(Issue::new("invalid_value", message).at(name));
    }
    Ok(value)
}

/// Whether the client shows pages: a browser names `text/html`, and no JSON before it.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let ranges = accepted.flat_map(|value| value.split(','));
    let names = ranges.map(|range| range.split(';').next().unwrap_or_default().trim());
    let first = names.into_iter().find_map(|name| match name {
        "text/html" | "application/xhtml+xml" => Some(true),
        "application/json" => Some(false),
        _ => None,
    });
    first.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn headers(name: actix_web::http::header::HeaderName, value: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        headers
    }

    #[test]
    fn browsers_want_pages_and_programs_do_not() {
        let wants = |accept| wants_page(&headers(ACCEPT, accept));
        assert!(wants("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(!wants("application/json, text/plain, */*"));
        assert!(!wants("application/json, text/html"));
        assert!(!wants("*/*"));
        assert!(!wants_page(&HeaderMap::new()));
    }

    #[test]
    fn a_page_is_in_the_language_of_the_link_or_else_of_its_reader() {
        let of = |query: &str, accept| {
            wanted_of_page(&Query::parse(query), &headers(ACCEPT_LANGUAGE, accept)).language
        };
        assert_eq!(of("language=hr", "de"), Language::from_code("hr"));
        assert_eq!(of("language=xx&utm_source=a", "ru, de-AT;q=0.8"), Language::from_code("de"));
        assert_eq!(of("", "no"), Language::from_code("nb"));
        assert_eq!(of("", "ru"), None);
    }

    #[test]
    fn all_parameters_that_are_none_are_reported() {
        let refused = wanted(&Query::parse("language=xx&template=baroque&hub3_qr_purpose_code=a"));
        let body = refused.unwrap_err().body();
        assert_eq!(body["cause"]["issues"].as_array().map(Vec::len), Some(3), "{body}");
        let good = wanted(&Query::parse("language=sl&upn_qr_enabled=false&template=receipt_58"));
        let good = good.unwrap();
        assert_eq!((good.upn, good.epc), (Some(false), None));
        assert_eq!(good.template, Some(Template::Receipt58));
    }

    #[test]
    fn each_parameter_is_read_into_its_own_place() {
        let of = |query: &str| wanted(&Query::parse(query)).unwrap();
        let all = "language=sl&locale=en-US&copy=true&template=fashion&upn_qr_enabled=true\
                   &upn_qr_display_mode=full_slip&epc_qr_enabled=false&hub3_qr_enabled=true\
                   &hub3_qr_purpose_code=GDSV&hub3_qr_reference_model=HR01";
        let expected = Wanted {
            language: Language::from_code("sl"),
            locale: Language::from_code("en"),
            copy: true,
            template: Some(Template::Fashion),
            upn: Some(true),
            upn_display: Some(Display::FullSlip),
            epc: Some(false),
            hub3: Some(true),
            hub3_purpose_code: Some("GDSV".to_owned()),
            hub3_reference_model: Some("HR01".to_owned()),
        };
        assert_eq!(of(all), expected);
        let (on, none) = (Some(true), Wanted::default());
        assert_eq!(of(""), none);
        assert_eq!(of("upn_qr_enabled=true"), Wanted { upn: on, ..none.clone() });
        assert_eq!(of("epc_qr_enabled=true"), Wanted { epc: on, ..none.clone() });
        assert_eq!(of("hub3_qr_enabled=true"), Wanted { hub3: on, ..none });
    }

    #[test]
    fn a_model_of_references_is_one_that_settings_may_have() {
        let asked =
            |model: &str| wanted(&Query::parse(&format!("hub3_qr_reference_model={model}")));
        for model in PaymentReference::CROATIAN_MODELS {
            let found = asked(model).unwrap().hub3_reference_model;
            assert_eq!(found.as_deref(), Some(model));
        }
        for other in ["HR11", "HR67", "hr01"] {
            let body = asked(other).unwrap_err().body();
            let issue = &body["cause"]["issues"][0];
            assert_eq!(issue["path"], serde_json::json!(["hub3_qr_reference_model"]), "{body}");
        }
    }
}
