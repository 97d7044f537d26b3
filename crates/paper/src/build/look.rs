//! How a document looks, by the settings of its unit and its entity.

use serde_json::{Map, Value};

use crate::model::{Display, Template};

/// How a document looks, and which codes it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The template.
    pub template: Template,
    /// `#` and six hexadecimal digits.
    pub primary_color: Option<String>,
    /// Percent of the logo's size in the template, 30 to 100.
    pub logo_scale_percent: u8,
    /// Whether credit notes show what they give back below zero.
    pub negative_credit: bool,
    /// Whether payments and what is due are shown.
    pub shows_payments: bool,
    /// The UPN QR code, when it is on.
    pub upn: Option<Upn>,
    /// Whether the EPC QR code is on.
    pub epc: bool,
    /// The HUB3 code, when it is on.
    pub hub3: Option<Hub3>,
}

/// How a UPN QR code is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upn {
    /// The code alone, or the whole slip.
    pub display: Display,
    /// Four capitals.
    pub purpose_code: String,
}

impl Default for Upn {
    /// The code alone, of the purpose `OTHR`.
    fn default() -> Self {
        Self { display: Display::CodeOnly, purpose_code: "OTHR".to_owned() }
    }
}

/// How a HUB3 code is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hub3 {
    /// Four capitals.
    pub purpose_code: String,
    /// `HR` and two digits: how a reference is made where the document has none.
    pub reference_model: String,
}

impl Default for Hub3 {
    /// The purpose `OTHR`, the model `HR00`.
    fn default() -> Self {
        Self { purpose_code: "OTHR".to_owned(), reference_model: "HR00".to_owned() }
    }
}

impl Look {
    /// What the settings of a unit say, else those of its entity. A value that is none of the
    /// interface's counts as missing.
    #[must_use]
    pub fn of(unit: Option<&Map<String, Value>>, entity: &Map<String, Value>) -> Self {
        let setting = |key: &str| {
            let own = unit.and_then(|unit| unit.get(key)).filter(|value| !value.is_null());
            own.or_else(|| entity.get(key)).filter(|value| !value.is_null())
        };
        let text = |key: &str| setting(key).and_then(Value::as_str);
        let flag = |key: &str| setting(key).and_then(Value::as_bool);
        let is_on = |key: &str| {
            setting(key).filter(|code| code.get("enabled").and_then(Value::as_bool) == Some(true))
        };
        let of_code = |code: &Value, key: &str, default: &str| {
            code.get(key).and_then(Value::as_str).unwrap_or(default).to_owned()
        };
        let scale = setting("logo_scale_percent").and_then(Value::as_u64);
        let scale = scale.unwrap_or(100).clamp(30, 100);
        Self {
            template: text("pdf_template").and_then(Template::from_name).unwrap_or_default(),
            primary_color: text("primary_color").and_then(color),
            logo_scale_percent: u8::try_from(scale).unwrap_or(100),
            negative_credit: flag("credit_note_negative_values").unwrap_or(false),
            shows_payments: flag("show_payment_amounts").unwrap_or(true),
            upn: is_on("upn_qr").map(|code| Upn {
                display: match code.get("display_mode").and_then(Value::as_str) {
                    Some("full_slip") => Display::FullSlip,
                    _ => Display::CodeOnly,
                },
                purpose_code: of_code(code, "purpose_code", "OTHR"),
            }),
            epc: is_on("epc_qr").is_some(),
            hub3: is_on("hub3_qr").map(|code| Hub3 {
                purpose_code: of_code(code, "purpose_code", "OTHR"),
                reference_model: of_code(code, "reference_model", "HR00"),
            }),
        }
    }
}

/// `#RGB` or `#RRGGBB` with six small digits.
fn color(text: &str) -> Option<String> {
    let digits = text.strip_prefix('#')?;
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

    fn look(unit: Value, entity: Value) -> Look {
        Look::of(unit.as_object(), entity.as_object().unwrap())
    }

    #[test]
    fn the_unit_speaks_before_the_entity() {
        let entity = json!({
            "pdf_template": "classic", "primary_color": "#AbC", "logo_scale_percent": 110,
            "upn_qr": {"enabled": true, "display_mode": "full_slip", "purpose_code": "GDSV"},
            "epc_qr": {"enabled": true},
        });
        let found = look(json!({"pdf_template": "minimal", "epc_qr": {"enabled": false}}), entity);
        assert_eq!(found.template, Template::Minimal);
        assert_eq!(found.primary_color.as_deref(), Some("#aabbcc"));
        assert_eq!(found.logo_scale_percent, 100);
        let upn = Upn { display: Display::FullSlip, purpose_code: "GDSV".to_owned() };
        assert_eq!(found.upn, Some(upn));
        assert!(!found.epc, "the unit turned it off");
        assert_eq!(found.hub3, None);
    }

    #[test]
    fn what_is_no_setting_counts_as_missing() {
        let found = look(
            json!({"pdf_template": null, "primary_color": "red; x", "logo_scale_percent": "7"}),
            json!({"pdf_template": 5, "hub3_qr": {"enabled": "yes"}}),
        );
        assert_eq!(found, Look::of(None, &Map::new()));
        assert_eq!(found.template, Template::Modern);
        assert!(found.shows_payments);
    }
}
