//! How a document looks, by the settings of its unit and its entity.

use racun_access::{Entity, Key, SettingValue, Settings, setting};
use racun_paper::{Display, Hub3, Language, Look, ReceiptTexts, Template, Upn};
use serde_json::{Map, Value};

use super::Wanted;

/// How documents of `entity` look: as `wanted`, else as the settings of the unit say, else as those
/// of the entity.
pub(super) fn look(unit: Option<&Map<String, Value>>, entity: &Entity, wanted: &Wanted) -> Look {
    let mut look = wanted.onto(of_settings(unit, &entity.settings));
    let is_portuguese = entity.country_code.as_deref() == Some("PT");
    if is_portuguese && !look.template.is_receipt() {
        look.template = Template::Classic;
    }
    look
}

fn of_settings(unit: Option<&Map<String, Value>>, entity: &Settings) -> Look {
    let of = Layers { unit, entity };
    let is_on = |key: Key<bool>| entity.get(key) == Some(true);
    let text = |key: Key<str>| entity.get(key).map(str::to_owned);
    let plain = Look::default();
    let scale = of.get(setting::LOGO_SCALE_PERCENT).map(|percent| percent.clamp(30, 100));
    Look {
        template: of
            .get(setting::PDF_TEMPLATE)
            .and_then(Template::from_name)
            .unwrap_or(plain.template),
        primary_color: of.get(setting::PRIMARY_COLOR).and_then(six_digits),
        logo_scale_percent: scale
            .and_then(|percent| u8::try_from(percent).ok())
            .unwrap_or(plain.logo_scale_percent),
        negative_credit: of
            .get(setting::CREDIT_NOTE_NEGATIVE_VALUES)
            .unwrap_or(plain.negative_credit),
        shows_payments: of.get(setting::SHOW_PAYMENT_AMOUNTS).unwrap_or(plain.shows_payments),
        upn: is_on(setting::UPN_QR_ENABLED).then(|| {
            let plain = Upn::default();
            Upn {
                display: match entity.get(setting::UPN_QR_DISPLAY_MODE) {
                    Some("full_slip") => Display::FullSlip,
                    _ => plain.display,
                },
                purpose_code: text(setting::UPN_QR_PURPOSE_CODE).unwrap_or(plain.purpose_code),
            }
        }),
        epc: is_on(setting::EPC_QR_ENABLED),
        hub3: is_on(setting::HUB3_QR_ENABLED).then(|| {
            let plain = Hub3::default();
            Hub3 {
                purpose_code: text(setting::HUB3_QR_PURPOSE_CODE).unwrap_or(plain.purpose_code),
                reference_model: text(setting::HUB3_QR_REFERENCE_MODEL)
                    .unwrap_or(plain.reference_model),
            }
        }),
    }
}

/// What receipts of `entity` say in `language` beside their documents.
pub(super) fn receipt_texts(entity: &Entity, language: Language) -> ReceiptTexts {
    let text = |key| entity.settings.text(key, language.locale());
    ReceiptTexts {
        note: text(setting::RECEIPT_NOTE),
        footer: text(setting::RECEIPT_FOOTER),
        signature: text(setting::RECEIPT_SIGNATURE),
    }
}

/// The settings of a unit over those of its entity.
struct Layers<'a> {
    unit: Option<&'a Map<String, Value>>,
    entity: &'a Settings,
}

impl<'a> Layers<'a> {
    fn get<T: SettingValue + ?Sized>(&self, key: Key<T>) -> Option<T::Read<'a>> {
        self.unit.and_then(|unit| key.of(unit)).or_else(|| self.entity.get(key))
    }
}

/// `#RGB` or `#RRGGBB` with six small digits.
fn six_digits(color: &str) -> Option<String> {
    let digits = color.strip_prefix('#')?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let digits = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        6 => digits.to_owned(),
        _ => return None,
    };
    Some(format!("#{}", digits.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(unit: Value, entity: Value) -> Look {
        let entity = entity.as_object().unwrap().clone();
        of_settings(unit.as_object(), &Settings::from(entity))
    }

    #[test]
    fn the_unit_speaks_before_the_entity() {
        let entity = json!({
            "pdf_template": "classic", "primary_color": "#AbC", "logo_scale_percent": 40,
            "upn_qr": {"enabled": true, "display_mode": "full_slip", "purpose_code": "GDSV"},
            "epc_qr": {"enabled": false}, "show_payment_amounts": false,
            "hub3_qr": {"enabled": true, "reference_model": "HR01"},
        });
        let look = found(
            json!({"pdf_template": "minimal", "show_payment_amounts": true,
                   "credit_note_negative_values": true}),
            entity,
        );
        assert_eq!(look.template, Template::Minimal);
        assert_eq!(look.primary_color.as_deref(), Some("#aabbcc"));
        assert_eq!(look.logo_scale_percent, 40);
        let upn = Upn { display: Display::FullSlip, purpose_code: "GDSV".to_owned() };
        assert_eq!(look.upn, Some(upn));
        assert_eq!(look.hub3.map(|hub3| hub3.reference_model).as_deref(), Some("HR01"));
        assert!(!look.epc && look.shows_payments && look.negative_credit);
    }

    #[test]
    fn invalid_settings_count_as_missing() {
        let look = found(
            json!({"pdf_template": null, "primary_color": "red; x", "logo_scale_percent": "7"}),
            json!({"pdf_template": 5, "hub3_qr": {"enabled": "yes"}}),
        );
        assert_eq!(look, Look::default());
        assert_eq!(look.template, Template::Modern);
        assert!(look.shows_payments);
    }
}
