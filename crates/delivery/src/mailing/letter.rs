//! What mails of an entity have in common: their language, their texts and their limits.

use racun_access::{
    Entity, Key, Localized, Settings, check_may_send, first_outside_sandbox, setting,
};
use racun_kernel::text::LOCALES;
use racun_kernel::{Environment, Issue, Issues, Scope, Stamp};
use racun_mail::{
    NewMail, OutgoingMail, Values, Words, check_variables, fill_line, parse_addresses, to_html,
    to_plain, uses,
};
use racun_store::Context;
use serde_json::{Map, Value as Json};

use super::MailingError;
use crate::outbox::{MAX_SUBJECT_CHARS, locale_of};

/// Characters of a text.
const MAX_BODY_CHARS: usize = 20_000;

/// What a request says of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LetterRequest {
    /// Its subject; the entity's or the built-in one when absent or blank.
    pub subject: Option<String>,
    /// Its text, markdown with variables; likewise.
    pub body_text: Option<String>,
    /// The locale in which texts, dates and amounts are; wins over `language`.
    pub locale: Option<String>,
    /// The language, or a locale.
    pub language: Option<String>,
    /// Whether delivery is skipped; in the sandbox only.
    pub sandbox_skip_delivery: bool,
}

impl LetterRequest {
    /// Notes what is wrong with it.
    pub(super) fn check(&self, scope: &Scope, issues: &mut Issues) {
        let texts = [
            ("subject", &self.subject, MAX_SUBJECT_CHARS),
            ("body_text", &self.body_text, MAX_BODY_CHARS),
        ];
        for (field, text, max) in texts {
            racun_kernel::text::check_field(issues, field, text.as_deref(), max);
            let known = check_variables(text.as_deref().unwrap_or_default());
            issues.collect(field, known.map_err(Issues::from));
        }
        if self.subject.as_ref().is_some_and(|text| text.contains(char::is_control)) {
            let message = "a subject is one line without control characters";
            issues.push(Issue::new("invalid_value", message).at("subject"));
        }
        for (field, value) in [("locale", &self.locale), ("language", &self.language)] {
            if value.as_ref().is_some_and(|value| locale_of(value).is_none()) {
                let message = format!("no such {field}; there are {}", LOCALES.join(", "));
                issues.push(Issue::new("invalid_value", message).at(field));
            }
        }
        if self.sandbox_skip_delivery && scope.environment() == Environment::Live {
            let message = "only mails of the sandbox can be simulated; leave it out, or send false";
            issues.push(Issue::new("sandbox_only", message).at("sandbox_skip_delivery"));
        }
    }

    /// The locale: the one that is asked for, or else the entity's.
    pub(super) fn locale(&self, entity: &Entity) -> String {
        let asked = self.locale.as_deref().or(self.language.as_deref()).and_then(locale_of);
        asked.map_or_else(|| entity.locale.clone(), str::to_owned)
    }

    /// The texts: what is asked for, else the first of `settings` that says something, else
    /// `default`. `keys` are those of subject and body in settings; none where settings say
    /// nothing.
    pub(super) fn words(
        &self,
        settings: &[&Settings],
        keys: Option<[Key<Localized>; 2]>,
        locale: &str,
        default: Words,
    ) -> (String, String) {
        let pick = |asked: &Option<String>, key: Option<Key<Localized>>, default: &str| {
            let said = |text: &String| !text.trim().is_empty();
            let of = |one: &&Settings| one.text(key?, locale).filter(said);
            let set = || settings.iter().find_map(of);
            asked.clone().filter(said).or_else(set).unwrap_or_else(|| default.to_owned())
        };
        let [subject, body] = keys.map_or([None, None], |keys| keys.map(Some));
        (pick(&self.subject, subject, default.subject), pick(&self.body_text, body, default.body))
    }
}

/// Accepts texts of mails among the settings of an entity or a business unit: their variables there
/// are.
///
/// # Errors
/// `unknown_placeholder` for each text with one that there is not, by its path.
pub fn check_mail_texts(settings: &Map<String, Json>) -> Result<(), Issues> {
    let mut issues = Issues::default();
    let defaults = settings.get(setting::EMAIL_DEFAULTS.name());
    issues.collect(setting::EMAIL_DEFAULTS.name(), check_texts(defaults, check_variables));
    let texts = [setting::REMINDER_SUBJECT, setting::REMINDER_BODY, setting::PAYMENT_INSTRUCTIONS];
    for key in [setting::OVERDUE_NOTIFICATIONS, setting::PAYMENT_REMINDERS] {
        let (group, said) = (key.name(), key.of(settings));
        for field in texts.map(Key::name) {
            let known = check_texts(said.and_then(|said| said.get(field)), check_of(field));
            issues.collect(group, known.map_err(|found| found.at(field)));
        }
    }
    let translations = setting::TRANSLATIONS.of(settings);
    for group in [setting::EMAIL_DEFAULTS, setting::PAYMENT_REMINDERS].map(Key::name) {
        let texts = translations.and_then(|texts| texts.get(group)).and_then(Json::as_object);
        for (name, texts) in texts.into_iter().flatten() {
            let known = check_texts(Some(texts), check_of(name));
            let known = known.map_err(|found| found.at(name.as_str()).at(group));
            issues.collect(setting::TRANSLATIONS.name(), known);
        }
    }
    issues.into_result(())
}

/// How to pay: a text inside of other texts.
pub(super) const INSTRUCTIONS: &str = setting::PAYMENT_INSTRUCTIONS.name();

/// Accepts a text of how to pay: its variables are there, and it is not one of them.
///
/// # Errors
/// `unknown_placeholder` for the first that stands for nothing.
pub(super) fn check_instructions(text: &str) -> Result<(), Issue> {
    check_variables(text)?;
    if uses(text, INSTRUCTIONS) {
        let message = "{payment_instructions} is this text itself; leave it out";
        return Err(Issue::new("unknown_placeholder", message));
    }
    Ok(())
}

/// What accepts a text.
type Check = fn(&str) -> Result<(), Issue>;

/// What accepts the text called `name`.
fn check_of(name: &str) -> Check {
    if name == INSTRUCTIONS { check_instructions } else { check_variables }
}

/// Accepts a text, or an object of texts.
fn check_texts(texts: Option<&Json>, check: Check) -> Result<(), Issues> {
    let mut issues = Issues::default();
    match texts {
        Some(Json::String(text)) => check(text)?,
        Some(Json::Object(texts)) => {
            for (name, text) in texts {
                let text = text.as_str().unwrap_or_default();
                issues.collect(name.as_str(), check(text).map_err(Issues::from));
            }
        }
        _ => {}
    }
    issues.into_result(())
}

/// A letter that is about to be sent, in plain texts.
#[derive(Debug, Clone)]
pub(super) struct Letter {
    /// Everything but subject, text and HTML, which are empty.
    pub envelope: NewMail,
    /// The subject's template.
    pub subject: String,
    /// The body's template.
    pub body: String,
    /// A variable that is put at the end when the body does not use it: what the mail is for.
    pub must_use: Option<&'static str>,
}

impl Letter {
    /// The mail, filled with `values`.
    pub fn filled(self, values: &Values, stamp: &Stamp) -> OutgoingMail {
        let mut body = self.body;
        if let Some(name) = self.must_use.filter(|name| !uses(&body, name)) {
            body.push_str(&format!("\n\n{{{name}}}"));
        }
        let new = NewMail {
            subject: fill_line(&self.subject, values, MAX_SUBJECT_CHARS),
            text: to_plain(&body, values),
            html: Some(to_html(&body, values)),
            ..self.envelope
        };
        OutgoingMail::queued(new, stamp)
    }
}

/// Accepts addresses that a caller with `scope` may send to.
///
/// # Errors
/// What is wrong with `to`; in the sandbox also the first address that is not a verified user's.
pub(super) async fn receivers(
    cx: Context<'_>,
    to: &str,
    field: &str,
    is_simulated: bool,
) -> Result<Vec<String>, MailingError> {
    check_may_send(cx).await?;
    let addresses = parse_addresses(to).map_err(|issue| issue.at(field))?;
    if !is_simulated {
        let outside = first_outside_sandbox(cx, &addresses).await?;
        if let Some(address) = outside {
            let message = format!(
                "the sandbox sends to verified users of the account only, and {address} is \
                 none; set sandbox_skip_delivery to simulate the mail"
            );
            return Err(Issue::new("sandbox_recipient", message).at(field).into());
        }
    }
    Ok(addresses)
}
