//! The texts that documents have by default, in the entity's language and translated.

use racun_access::{Entity, Key, Localized as LocalizedSetting, Settings, setting};
use racun_documents::{
    Content, DocumentKind, Localized, Texts, TransactionType, Translations, UnitSnapshot,
};

/// What a document says where its request says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DefaultTexts {
    /// The texts: the business unit's, else the entity's, in the entity's language, else none.
    pub texts: Texts,
    /// The same in other languages, from where the texts are from.
    pub translations: Translations,
}

/// The default texts of documents of `kind`.
pub(super) fn default_texts(
    kind: DocumentKind,
    entity: &Entity,
    unit: Option<&UnitSnapshot>,
    transaction_type: TransactionType,
) -> DefaultTexts {
    let of_unit = unit.map(|unit| Settings::from(unit.settings.clone()));
    let layers = || of_unit.iter().chain([&entity.settings]);
    let text = |key: Key<LocalizedSetting>| {
        let found = layers().find_map(|layer| Some((layer.text(key, &entity.locale)?, layer)));
        let Some((text, layer)) = found else { return (None, None) };
        let mut others = layer.translations(key);
        others.remove(&entity.locale);
        (Some(text), Some(others).filter(|others| !others.is_empty()))
    };
    let (note, payment_terms) = match kind {
        DocumentKind::Invoice => (setting::INVOICE_NOTE, Some(setting::INVOICE_PAYMENT_TERMS)),
        DocumentKind::Estimate => (setting::ESTIMATE_NOTE, Some(setting::ESTIMATE_PAYMENT_TERMS)),
        DocumentKind::CreditNote => {
            (setting::CREDIT_NOTE_NOTE, Some(setting::CREDIT_NOTE_PAYMENT_TERMS))
        }
        DocumentKind::AdvanceInvoice => (setting::ADVANCE_INVOICE_NOTE, None),
        DocumentKind::DeliveryNote => (setting::DELIVERY_NOTE_NOTE, None),
    };
    let clause = match transaction_type {
        TransactionType::Domestic => setting::CLAUSE_DOMESTIC,
        TransactionType::IntraEuB2b => setting::CLAUSE_INTRA_EU_B2B,
        TransactionType::IntraEuB2c => setting::CLAUSE_INTRA_EU_B2C,
        TransactionType::ThirdCountryB2b => setting::CLAUSE_THIRD_COUNTRY_B2B,
        TransactionType::ThirdCountryB2c => setting::CLAUSE_THIRD_COUNTRY_B2C,
        TransactionType::Export => setting::CLAUSE_EXPORT,
    };
    let (note, notes) = text(note);
    let (payment_terms, terms) = payment_terms.map(text).unwrap_or_default();
    let (tax_clause, clauses) = text(clause);
    let (footer, footers) = text(setting::DOCUMENT_FOOTER);
    let (signature, signatures) = text(setting::DOCUMENT_SIGNATURE);
    DefaultTexts {
        texts: Texts { note, payment_terms, tax_clause, footer, signature },
        translations: Translations {
            note: notes,
            payment_terms: terms,
            tax_clause: clauses,
            footer: footers,
            signature: signatures,
        },
    }
}

impl DefaultTexts {
    /// The translations of a new document with `texts`, of which it gives some itself: a default
    /// text comes with its own.
    pub fn translations_of(self, texts: &Texts, given: Translations) -> Translations {
        let of = |given: Option<Localized>, text: &Option<String>, default, own| {
            given.or(if *text == default { own } else { None })
        };
        let (own, default) = (self.translations, self.texts);
        Translations {
            note: of(given.note, &texts.note, default.note, own.note),
            payment_terms: of(
                given.payment_terms,
                &texts.payment_terms,
                default.payment_terms,
                own.payment_terms,
            ),
            tax_clause: of(given.tax_clause, &texts.tax_clause, default.tax_clause, own.tax_clause),
            footer: of(given.footer, &texts.footer, default.footer, own.footer),
            signature: of(given.signature, &texts.signature, default.signature, own.signature),
        }
    }

    /// Takes the translations of these defaults from `content` where another text took the place of
    /// the one that it had `before`: they say what it says no more.
    pub fn forget(self, before: &Texts, content: &mut Content) {
        let (texts, own) = (&content.texts, self.translations);
        let translated = &mut content.translations;
        for (is_same, translations, own) in [
            (texts.note == before.note, &mut translated.note, own.note),
            (
                texts.payment_terms == before.payment_terms,
                &mut translated.payment_terms,
                own.payment_terms,
            ),
            (texts.tax_clause == before.tax_clause, &mut translated.tax_clause, own.tax_clause),
            (texts.footer == before.footer, &mut translated.footer, own.footer),
            (texts.signature == before.signature, &mut translated.signature, own.signature),
        ] {
            if !is_same && *translations == own {
                *translations = None;
            }
        }
    }
}
