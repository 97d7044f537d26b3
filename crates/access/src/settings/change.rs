//! How a partial update of the settings merges.

use racun_kernel::iban::BANK_ACCOUNTS;
use racun_kernel::id::BankAccount;
use racun_kernel::spelling::nearest;
use racun_kernel::{Issue, Issues, Stamp, Step};
use serde_json::{Map, Value as Json};

use super::known::SETTINGS;
use super::value_type::{check_properties, slip};
use super::{Settings, setting};

/// Keys with endpoints of their own; an update of the entity leaves them alone, and
/// [`passed_over`] says so.
const PROTECTED: [&str; 6] =
    ["furs", "fina", "slovenia", "e_invoicing", "revenue_recognition", "expense_recognition"];

/// Bytes of JSON that the settings hold at most.
const MAX_BYTES: usize = 512 * 1024;

impl Settings {
    /// The settings with `value` under `key`, which has an endpoint of its own that checked it.
    #[must_use]
    pub(crate) fn with(&self, key: &str, value: Json) -> Self {
        let mut all = self.0.clone();
        all.insert(key.to_owned(), value);
        Self(all)
    }

    /// The settings after the partial update `changes`.
    ///
    /// Each key that is sent replaces the stored one whole, and null removes it. Two keys merge
    /// deeper: `translations` by its own keys, and `unit_number_sequence_starts` by kind and unit;
    /// null removes there too. Keys with endpoints of their own are ignored. Bank accounts that
    /// come without an id get one. A key that is near to a known one is refused, unless it is
    /// stored and sent back as it is, or removed.
    ///
    /// # Errors
    /// What is wrong with the values sent; paths are relative to the settings.
    pub fn merged(&self, mut changes: Map<String, Json>, stamp: &Stamp) -> Result<Self, Issues> {
        changes.retain(|key, _| !PROTECTED.contains(&key.as_str()));
        let mut issues = self.without_stored(&changes, check_properties(&SETTINGS, &changes));
        for (key, value) in &changes {
            let is_foreign = SETTINGS.iter().all(|known| known.name != *key);
            let is_stored = value.is_null() || self.0.get(key) == Some(value);
            if let Some(near) = nearest(key, PROTECTED).filter(|_| is_foreign && !is_stored) {
                issues.push(slip(near).at(key.as_str()));
            }
        }
        for (key, value) in &changes {
            if holds_nul(value) || key.contains('\0') {
                let message = "text cannot hold a NUL character";
                issues.push(Issue::new("invalid_value", message).at(key.as_str()));
            }
        }
        if let Some(accounts) = changes.get_mut(BANK_ACCOUNTS).and_then(Json::as_array_mut) {
            issues.extend_at(BANK_ACCOUNTS, identify(accounts, stamp));
        }
        issues.into_result(())?;
        let mut merged = self.0.clone();
        for (key, value) in changes {
            let deep = [(setting::TRANSLATIONS, 1), (setting::UNIT_STARTS_BY_KIND, 2)];
            let depth = deep.into_iter().find(|(deep, _)| deep.name() == key);
            let depth = depth.map_or(0, |(_, depth)| depth);
            merge(&mut merged, key, value, depth);
        }
        if serde_json::to_string(&merged).is_ok_and(|json| json.len() > MAX_BYTES) {
            let message = format!("settings hold at most {MAX_BYTES} bytes of JSON");
            return Err(Issue::new("too_long", message).into());
        }
        Ok(Self(merged))
    }

    /// `issues` of `changes` without slips in what is stored as it is sent: settings are sent back
    /// as they were read.
    fn without_stored(&self, changes: &Map<String, Json>, issues: Issues) -> Issues {
        let is_stored = |issue: &Issue| match issue.path.first() {
            Some(Step::Key(key)) => changes.get(key).is_some_and(|it| self.0.get(key) == Some(it)),
            _ => false,
        };
        let mut left = Issues::default();
        issues
            .iter()
            .filter(|issue| issue.code != "unknown_field" || !is_stored(issue))
            .for_each(|issue| left.push(issue.clone()));
        left
    }
}

/// Warnings of what `sent` asks of keys with endpoints of their own, and is not so by the settings
/// as they are `answered`. Settings that are sent back as they were read ask for nothing.
#[must_use]
pub fn passed_over(sent: &Map<String, Json>, answered: &Map<String, Json>) -> Issues {
    let mut issues = Issues::default();
    for key in PROTECTED {
        let (sent, is) = (sent.get(key), answered.get(key).unwrap_or(&Json::Null));
        if sent.is_none_or(|sent| is_said(sent, is)) {
            continue;
        }
        let remedy = match key {
            "furs" => "PUT /fiscalization/furs/settings sets it",
            "fina" => "PUT /fiscalization/fina/settings sets it",
            "slovenia" => "PATCH /tax-reports/si/profile sets it",
            "revenue_recognition" => "PATCH /revenue-recognition/settings sets it",
            "expense_recognition" => "PATCH /expense-recognition/settings sets it",
            _ => "it is not set through the entity",
        };
        let message = format!("what is sent here is passed over; {remedy}");
        issues.push(Issue::new("not_updatable", message).at(key));
    }
    issues
}

/// Whether `value` says already what `sent` does: all properties of an object that are sent.
fn is_said(sent: &Json, value: &Json) -> bool {
    match (sent, value) {
        (Json::Object(sent), Json::Object(map)) => {
            sent.iter().all(|(key, sent)| is_said(sent, map.get(key).unwrap_or(&Json::Null)))
        }
        (Json::Object(sent), Json::Null) => sent.is_empty(),
        (sent, value) => sent == value,
    }
}

/// Puts `value` under `key`: whole, or by its own keys `depth` levels down. Null removes.
fn merge(into: &mut Map<String, Json>, key: String, value: Json, depth: u8) {
    match value {
        Json::Null => {
            into.remove(&key);
        }
        Json::Object(changes) if depth > 0 => {
            let stored = into.entry(key).or_insert_with(|| Json::Object(Map::new()));
            if !stored.is_object() {
                *stored = Json::Object(Map::new());
            }
            if let Json::Object(stored) = stored {
                for (key, value) in changes {
                    merge(stored, key, value, depth - 1);
                }
            }
        }
        value => {
            into.insert(key, value);
        }
    }
}

/// Gives every bank account an id of its own, and lets at most one be the default.
fn identify(accounts: &mut [Json], stamp: &Stamp) -> Issues {
    let mut issues = Issues::default();
    let mut ids: Vec<String> = Vec::new();
    let mut has_default = false;
    for (index, account) in accounts.iter_mut().enumerate() {
        let Json::Object(account) = account else {
            // Null passes for "not set" elsewhere; an account that is not there is none.
            issues.push(Issue::new("invalid_type", "expected an object").at(index));
            continue;
        };
        let id = account.get("id").and_then(Json::as_str).filter(|id| !id.is_empty());
        let id = id.map_or_else(|| stamp.id::<BankAccount>().to_string(), str::to_owned);
        if ids.contains(&id) {
            let message = "another bank account has this id; leave it out for a new one";
            issues.push(Issue::new("duplicate", message).at("id").at(index));
        }
        account.insert("id".to_owned(), Json::String(id.clone()));
        ids.push(id);
        let is_default = account.get("is_default") == Some(&Json::Bool(true));
        if is_default && has_default {
            let message = "only one bank account can be the default";
            issues.push(Issue::new("duplicate", message).at("is_default").at(index));
        }
        has_default |= is_default;
    }
    issues
}

/// Whether a text anywhere in `value` holds a NUL, which no store keeps. Requests of more than 128
/// levels are refused when they are read, so this ends.
fn holds_nul(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
        Json::String(text) => text.contains('\0'),
        Json::Array(values) => values.iter().any(holds_nul),
        Json::Object(map) => map.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::*;
    use racun_store::testing::stamp;
    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;

    fn merged(stored: &Json, sent: &Json) -> Result<Json, String> {
        let stored: Settings = serde_json::from_value(stored.clone()).unwrap();
        let sent: Map<String, Json> = serde_json::from_value(sent.clone()).unwrap();
        let merged = stored.merged(sent, &stamp(OffsetDateTime::UNIX_EPOCH));
        merged.map(|after| serde_json::to_value(after).unwrap()).map_err(|issues| {
            issues.iter().map(|one| format!("{one} [{}]", one.code)).collect::<Vec<_>>().join("; ")
        })
    }

    #[test]
    fn each_key_merges_as_it_should() {
        let stored = json!({
            "document_footer": "old", "furs": {"enabled": true}, "mine": {"a": 1, "b": 2},
            "calculation": {"default_mode": "b2b_standard"},
            "translations": {"document_footer": {"de-DE": "alt", "sl-SI": "staro"},
                             "receipt_note": {"de-DE": "Beleg"}},
            "unit_number_sequence_starts": {"invoice": {"unit_a": 1, "unit_b": 2},
                                            "estimate": {"1": 5}},
        });
        let with = |changes: &[(&str, Json)]| {
            let mut expected = stored.clone();
            for (pointer, value) in changes {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                let parent = expected.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                match value {
                    Json::Null => parent.remove(key),
                    value => parent.insert(key.to_owned(), value.clone()),
                };
            }
            expected
        };
        let german = json!({"de-DE": "neu"});
        for (sent, expected) in [
            (json!({}), with(&[])),
            (json!({"document_footer": "new"}), with(&[("/document_footer", json!("new"))])),
            (json!({"document_footer": null}), with(&[("/document_footer", Json::Null)])),
            (json!({"mine": {"c": 3}}), with(&[("/mine", json!({"c": 3}))])),
            (json!({"furs": {"enabled": false}, "fina": {}, "slovenia": 1}), with(&[])),
            (json!({"furs": null}), with(&[])),
            (
                json!({"translations": {"document_footer": german}}),
                with(&[("/translations/document_footer", german.clone())]),
            ),
            (
                json!({"translations": {"document_footer": null}}),
                with(&[("/translations/document_footer", Json::Null)]),
            ),
            (json!({"translations": null}), with(&[("/translations", Json::Null)])),
            (
                json!({"unit_number_sequence_starts": {"invoice": {"unit_b": 7, "unit_c": 8}}}),
                with(&[
                    ("/unit_number_sequence_starts/invoice/unit_b", json!(7)),
                    ("/unit_number_sequence_starts/invoice/unit_c", json!(8)),
                ]),
            ),
            (
                json!({"unit_number_sequence_starts": {"invoice": {"unit_a": null}}}),
                with(&[("/unit_number_sequence_starts/invoice/unit_a", Json::Null)]),
            ),
            (
                json!({"unit_number_sequence_starts": {"estimate": null}}),
                with(&[("/unit_number_sequence_starts/estimate", Json::Null)]),
            ),
        ] {
            assert_eq!(merged(&stored, &sent), Ok(expected), "{sent}");
        }
    }

    #[test]
    fn nothing_is_left_of_a_deep_null_on_empty_settings() {
        let sent = json!({"unit_number_sequence_starts": {"invoice": {"unit_a": null}}});
        let expected = json!({"unit_number_sequence_starts": {"invoice": {}}});
        assert_eq!(merged(&json!({}), &sent), Ok(expected));
    }

    #[test]
    fn known_keys_are_checked_with_their_path() {
        let long = "x".repeat(501);
        for (sent, expected) in [
            (json!({"pdf_template": "baroque"}), "pdf_template: expected one of"),
            (json!({"logo_scale_percent": 101}), "logo_scale_percent: expected a whole number"),
            (json!({"logo_scale_percent": 29}), "[out_of_range]"),
            (json!({"logo_scale_percent": 50.5}), "[out_of_range]"),
            (json!({"primary_color": "red"}), "primary_color: expected #RGB"),
            (json!({"number_sequence_starts": {"invoice": 0}}), "number_sequence_starts.invoice"),
            (
                json!({"unit_number_sequence_starts": {"invoice": {"unit_a": 0}}}),
                "unit_number_sequence_starts.invoice.unit_a",
            ),
            (json!({"number_formats": {"invoice": 3}}), "number_formats.invoice: expected text"),
            (json!({"calculation": {"default_mode": "x"}}), "calculation.default_mode"),
            (json!({"document_footer": long}), "document_footer: at most 500 characters"),
            (json!({"document_footer": "a\u{0}"}), "document_footer: text cannot hold a NUL"),
            (json!({"mine": ["a\u{0}"]}), "mine: text cannot hold a NUL"),
            (
                json!({"translations": {"receipt_note": {"xx": "a"}}}),
                "translations.receipt_note.xx",
            ),
            (json!({"translations": []}), "translations: expected an object [invalid_type]"),
            (json!({"upn_qr": {"display_mode": "qr_only"}}), "upn_qr.enabled: this is needed"),
            (json!({"upn_qr": {"enabled": true, "purpose_code": "othr"}}), "upn_qr.purpose_code"),
            (json!({"hub3_qr": {"enabled": 1}}), "hub3_qr.enabled: expected true or false"),
            (json!({"hub3_qr": {"enabled": true, "reference_model": "HR0"}}), "reference_model"),
            (json!({"pt": {"operator_tax_number": "12"}}), "pt.operator_tax_number"),
            (json!({"overdue_notifications": {"threshold_days": [7, 0]}}), "threshold_days[1]"),
            (json!({"bank_accounts": [{"type": "cash"}]}), "bank_accounts[0].type"),
            (json!({"bank_accounts": [null]}), "bank_accounts[0]: expected an object"),
            (
                json!({"bank_accounts": [{"is_default": true}, {"is_default": true}]}),
                "bank_accounts[1].is_default: only one",
            ),
            (json!({"bank_accounts": [{"id": "a"}, {"id": "a"}]}), "bank_accounts[1].id"),
            (json!({"big": "x".repeat(MAX_BYTES)}), "settings hold at most"),
        ] {
            let refused = merged(&json!({}), &sent).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn a_slip_is_refused_wherever_keys_are_known() {
        for (sent, expected) in [
            (
                json!({"unit_number_sequence_starts": {"invoise": {"unit_a": 1}}}),
                "unit_number_sequence_starts.invoise: there is no such setting; did you mean \
                 `invoice`?",
            ),
            (
                json!({"translations": {"tax_clause_defaults": {"exprot": {"de-DE": "a"}}}}),
                "translations.tax_clause_defaults.exprot: there is no such setting; did you mean \
                 `export`?",
            ),
            (json!({"invoice_due_days": 5}), "did you mean `default_invoice_due_days`?"),
            (json!({"color": "#fff"}), "did you mean `primary_color`?"),
            (json!({"upn_qr": {"enabled": true, "mode": "x"}}), "upn_qr.mode: there is no such"),
            (json!({"expense_recogniton": {}}), "did you mean `expense_recognition`?"),
        ] {
            let refused = merged(&json!({}), &sent).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
        // What is like no known key is the caller's.
        let foreign = json!({
            "erp_terms": 5, "unit_number_sequence_starts": {"quotation": {"unit_a": 1}},
        });
        assert_eq!(merged(&json!({}), &foreign), Ok(foreign));
    }

    #[test]
    fn a_slip_that_is_stored_is_sent_back_or_removed() {
        let stored = json!({
            "invoice_due_days": 5, "upn_qr": {"enabled": true, "mode": "x"}, "slovenja": {},
            "unit_number_sequence_starts": {"invoise": {"unit_a": 1}},
        });
        assert_eq!(merged(&stored, &stored), Ok(stored.clone()));
        let removed = json!({
            "invoice_due_days": null, "slovenja": null, "upn_qr": {"enabled": true},
            "unit_number_sequence_starts": {"invoise": null},
        });
        let expected = json!({"upn_qr": {"enabled": true}, "unit_number_sequence_starts": {}});
        assert_eq!(merged(&stored, &removed), Ok(expected));
        for changed in [
            json!({"invoice_due_days": 6}),
            json!({"upn_qr": {"enabled": false, "mode": "x"}}),
            json!({"slovenja": {"a": 1}}),
            json!({"unit_number_sequence_starts": {"invoise": {"unit_a": 2}}}),
        ] {
            let refused = merged(&stored, &changed).unwrap_err();
            assert!(refused.contains("[unknown_field]"), "{refused}");
        }
    }

    #[test]
    fn null_is_accepted_for_every_known_key_and_number_spelling_does_not_matter() {
        for property in &SETTINGS {
            assert_eq!(merged(&json!({}), &json!({property.name: null})), Ok(json!({})));
        }
        let sent: Json = serde_json::from_str(r#"{"logo_scale_percent": 3.0e1}"#).unwrap();
        assert!(merged(&json!({}), &sent).is_ok());
    }

    #[test]
    fn bank_accounts_get_ids_and_keep_them() {
        let sent = json!({"bank_accounts": [{"iban": "SI56"}, {"id": "ba_mine"}]});
        let after = merged(&json!({}), &sent).unwrap();
        assert!(after["bank_accounts"][0]["id"].as_str().unwrap().starts_with("ba_"));
        assert_eq!(after["bank_accounts"][1]["id"], "ba_mine");
    }

    /// Settings with few keys, so that updates meet what is stored: text, nulls, and the two keys
    /// that merge deeper.
    fn any_settings() -> impl Strategy<Value = Map<String, Json>> {
        let text = || prop_oneof![Just(Json::Null), "[a-c]".prop_map(Json::from)];
        let start = || prop_oneof![Just(Json::Null), (1..4_i64).prop_map(Json::from)];
        let texts = btree_map("(de-DE|sl-SI)", text(), 0..3);
        let namespaces = btree_map("(receipt_note|document_footer)", texts, 0..3);
        let units = btree_map("unit_[ab]", start(), 0..3);
        let kinds = btree_map("(invoice|estimate)", units, 0..3);
        let plain = btree_map("(receipt_note|document_footer|mine)", text(), 0..4);
        (plain, namespaces, kinds).prop_map(|(plain, namespaces, kinds)| {
            let mut map: Map<String, Json> = plain.into_iter().collect();
            map.insert("translations".to_owned(), json!(namespaces));
            map.insert("unit_number_sequence_starts".to_owned(), json!(kinds));
            map
        })
    }

    proptest! {
        #[test]
        fn an_update_that_is_repeated_changes_nothing(
            first in any_settings(),
            second in any_settings(),
        ) {
            let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
            let stored = Settings::default().merged(first, &stamp).unwrap();
            let once = stored.merged(second.clone(), &stamp).unwrap();
            prop_assert_eq!(once.merged(second, &stamp).unwrap(), once);
        }

        #[test]
        fn an_update_touches_no_key_that_it_does_not_name(
            first in any_settings(),
            second in any_settings(),
        ) {
            let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
            let before = Settings::default().merged(first, &stamp).unwrap();
            let after = before.merged(second.clone(), &stamp).unwrap();
            let untouched = |map: &Settings| -> Map<String, Json> {
                let entries = map.as_map().iter().filter(|(key, _)| !second.contains_key(*key));
                entries.map(|(key, value)| (key.clone(), value.clone())).collect()
            };
            prop_assert_eq!(untouched(&before), untouched(&after));
            for (kind, units) in second["unit_number_sequence_starts"].as_object().unwrap() {
                for (unit, start) in units.as_object().unwrap() {
                    let stored = after.get(setting::UNIT_STARTS_BY_KIND);
                    let stored = stored.and_then(|kinds| kinds.get(kind)?.get(unit));
                    prop_assert_eq!(stored.unwrap_or(&Json::Null), start);
                }
            }
        }
    }
}
