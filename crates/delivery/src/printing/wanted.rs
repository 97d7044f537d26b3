//! What a request wants otherwise than the settings.

use racun_access::Entity;
use racun_fiscalization::certified::is_portugal;
use racun_kernel::Issues;
use racun_paper::{Display, Hub3, Language, Look, Template, Upn};
use racun_portugal::restrictions::{check_locale, check_template};

/// What a request says of how a document is printed; what it leaves out is as in the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Language of the labels, and of texts that are translated.
    pub language: Option<Language>,
    /// Whose locale writes numbers and dates.
    pub locale: Option<Language>,
    /// Whether a certified document says that it is a copy. Who prints says so: a file may be read
    /// on a screen, mailed or printed many times, and only they know which paper was handed out
    /// first. So reading it changes nothing, and a file is the same however often it is read.
    pub copy: bool,
    /// The template.
    pub template: Option<Template>,
    /// Whether the UPN QR code is there.
    pub upn: Option<bool>,
    /// How much of the slip is printed beside it.
    pub upn_display: Option<Display>,
    /// Whether the EPC QR code is there.
    pub epc: Option<bool>,
    /// Whether the HUB3 code is there.
    pub hub3: Option<bool>,
    /// Its purpose code.
    pub hub3_purpose_code: Option<String>,
    /// The model of its reference.
    pub hub3_reference_model: Option<String>,
}

impl Wanted {
    /// Accepts what a request wants of documents of `entity`: in Portugal they have one template,
    /// receipts aside, and one language.
    ///
    /// # Errors
    /// `not_in_portugal`, by the parameter.
    pub fn check(&self, entity: &Entity) -> Result<(), Issues> {
        let mut issues = Issues::default();
        if !is_portugal(entity) {
            return Ok(());
        }
        let template = self.template.filter(|template| !template.is_receipt());
        issues.note(check_template(template.map(Template::name), "template").map_err(Issues::from));
        for (field, wanted) in [("language", self.language), ("locale", self.locale)] {
            let checked = check_locale(wanted.map(Language::locale), field);
            issues.note(checked.map_err(Issues::from));
        }
        issues.into_result(())
    }

    /// `look` with what is wanted.
    #[must_use]
    pub fn onto(&self, mut look: Look) -> Look {
        if let Some(template) = self.template {
            look.template = template;
        }
        look.upn = switched(self.upn, look.upn);
        if let (Some(upn), Some(display)) = (&mut look.upn, self.upn_display) {
            *upn = Upn { display, ..upn.clone() };
        }
        look.epc = self.epc.unwrap_or(look.epc);
        look.hub3 = switched(self.hub3, look.hub3);
        if let Some(hub3) = &mut look.hub3 {
            let Hub3 { purpose_code, reference_model } = hub3;
            if let Some(code) = &self.hub3_purpose_code {
                purpose_code.clone_from(code);
            }
            if let Some(model) = &self.hub3_reference_model {
                reference_model.clone_from(model);
            }
        }
        look
    }
}

/// What is set, turned on with what it is by default, or off.
fn switched<T: Default>(wanted: Option<bool>, set: Option<T>) -> Option<T> {
    match wanted {
        None => set,
        Some(true) => Some(set.unwrap_or_default()),
        Some(false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look without codes, and one with all of them, set otherwise than by default.
    fn looks() -> [Look; 2] {
        let set = Look {
            upn: Some(Upn { display: Display::FullSlip, purpose_code: "GDSV".to_owned() }),
            epc: true,
            hub3: Some(Hub3 {
                purpose_code: "COST".to_owned(),
                reference_model: "HR01".to_owned(),
            }),
            ..Look::default()
        };
        [Look::default(), set]
    }

    #[test]
    fn what_is_left_out_is_as_in_the_settings() {
        for look in looks() {
            assert_eq!(Wanted::default().onto(look.clone()), look);
        }
    }

    #[test]
    fn a_code_alone_is_turned_on_as_it_is_by_default_or_as_it_is_set() {
        let [plain, set] = looks();
        for (wanted, on) in [
            (
                Wanted { upn: Some(true), ..Wanted::default() },
                Look { upn: Some(Upn::default()), ..plain.clone() },
            ),
            (Wanted { epc: Some(true), ..Wanted::default() }, Look { epc: true, ..plain.clone() }),
            (
                Wanted { hub3: Some(true), ..Wanted::default() },
                Look { hub3: Some(Hub3::default()), ..plain.clone() },
            ),
        ] {
            assert_eq!(wanted.onto(plain.clone()), on, "{wanted:?}");
            assert_eq!(wanted.onto(set.clone()), set, "{wanted:?}");
        }
    }

    #[test]
    fn a_code_alone_is_turned_off() {
        let [plain, set] = looks();
        for (wanted, off) in [
            (Wanted { upn: Some(false), ..Wanted::default() }, Look { upn: None, ..set.clone() }),
            (Wanted { epc: Some(false), ..Wanted::default() }, Look { epc: false, ..set.clone() }),
            (Wanted { hub3: Some(false), ..Wanted::default() }, Look { hub3: None, ..set.clone() }),
        ] {
            assert_eq!(wanted.onto(set.clone()), off, "{wanted:?}");
            assert_eq!(wanted.onto(plain.clone()), plain, "{wanted:?}");
        }
    }

    #[test]
    fn a_part_of_a_code_alone_changes_that_part_where_the_code_is_on() {
        let [plain, set] = looks();
        let text = |text: &str| Some(text.to_owned());
        let (upn, hub3) = (set.upn.clone().unwrap(), set.hub3.clone().unwrap());
        for (wanted, changed) in [
            (
                Wanted { upn_display: Some(Display::CodeOnly), ..Wanted::default() },
                Look { upn: Some(Upn { display: Display::CodeOnly, ..upn }), ..set.clone() },
            ),
            (
                Wanted { hub3_purpose_code: text("OTHR"), ..Wanted::default() },
                Look {
                    hub3: Some(Hub3 { purpose_code: "OTHR".to_owned(), ..hub3.clone() }),
                    ..set.clone()
                },
            ),
            (
                Wanted { hub3_reference_model: text("HR10"), ..Wanted::default() },
                Look {
                    hub3: Some(Hub3 { reference_model: "HR10".to_owned(), ..hub3 }),
                    ..set.clone()
                },
            ),
            (
                Wanted { template: Some(Template::Minimal), ..Wanted::default() },
                Look { template: Template::Minimal, ..set.clone() },
            ),
        ] {
            assert_eq!(wanted.onto(set.clone()), changed, "{wanted:?}");
            let without = wanted.onto(plain.clone());
            assert_eq!((without.upn, without.hub3), (None, None), "{wanted:?}");
        }
    }
}
