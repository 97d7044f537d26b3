//! Limits of what callers send.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal, Issue, Issues, Metadata, Patch, text};

/// Characters that a text may hold where the interface names no other limit.
pub const MAX_TEXT_CHARS: usize = 500;
/// Characters that a note may hold.
pub const MAX_NOTE_CHARS: usize = 2_000;
/// Characters that the id of a record at the source may hold.
pub const MAX_SOURCE_CHARS: usize = 255;

/// Collects what is wrong while values are taken over.
#[derive(Default)]
pub struct Check(pub Issues);

impl Check {
    /// A text that may be missing, of at most `max` characters.
    pub fn text(
        &mut self,
        field: &str,
        sent: Patch<String>,
        kept: &mut Option<String>,
        max: usize,
    ) {
        text::check_field(&mut self.0, field, sent.value().map(String::as_str), max);
        sent.map(|text| text.trim().to_owned()).apply(kept);
        *kept = kept.take().filter(|text| !text.is_empty());
    }

    /// Several such texts of the usual length.
    pub fn texts<const N: usize>(
        &mut self,
        fields: [(&str, Patch<String>, &mut Option<String>); N],
    ) {
        for (field, sent, kept) in fields {
            self.text(field, sent, kept, MAX_TEXT_CHARS);
        }
    }

    /// A text that has to be there, and not blank; what is kept is empty before it is said.
    pub fn name(&mut self, field: &str, sent: Patch<String>, kept: &mut String, max: usize) {
        if let Patch::Absent = sent
            && !kept.is_empty()
        {
            return;
        }
        match sent.value().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) {
            Some(text) => {
                text::check_field(&mut self.0, field, Some(&text), max);
                *kept = text;
            }
            None => self.0.push(required(field)),
        }
    }

    /// An amount that is zero where it is missing.
    pub fn amount(&mut self, sent: Patch<Decimal>, kept: &mut Decimal) {
        sent.apply_or(kept, Decimal::zero());
    }

    /// The currency's code.
    pub fn currency(&mut self, sent: &Patch<String>, kept: &mut Option<Currency>) {
        match sent {
            Patch::Absent if kept.is_some() => {}
            Patch::Absent | Patch::Null => self.0.push(required("currency_code")),
            Patch::Value(code) => match code.parse() {
                Ok(currency) => *kept = Some(currency),
                Err(error) => {
                    let issue = Issue::new("invalid_currency", format!("{error}"));
                    self.0.push(issue.at("currency_code"));
                }
            },
        }
    }

    /// What the caller attaches, replaced as a whole.
    pub fn metadata(&mut self, sent: Patch<BTreeMap<String, String>>, kept: &mut Metadata) {
        if let Some(sent) = self.0.collect("metadata", sent.try_map(Metadata::checked)) {
            sent.apply_or(kept, Metadata::default());
        }
    }
}

/// The issue of a field that must be given.
pub fn required(field: &str) -> Issue {
    Issue::new("required", format!("{field} is needed and must not be blank")).at(field)
}
