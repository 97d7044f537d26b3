//! Which fields of a stored body changed.

use std::collections::BTreeMap;

use serde_json::Value;

/// Fields that say when or how often a record was changed: no change by themselves.
const ASIDE: [&str; 2] = ["updated_at", "version"];

/// The names of the fields that differ between two bodies of one record, in their order.
///
/// Bodies are cut into the texts of their fields, and only those whose texts differ are read: a
/// store may answer a body with other spaces and another order of keys than it was given.
pub(super) fn names(before: &str, after: &str) -> Vec<String> {
    let before: BTreeMap<&str, &str> = fields(before).collect();
    let after: BTreeMap<&str, &str> = fields(after).collect();
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let there = after.iter().filter(|(name, now)| {
        before.get(*name).map_or(**now != "null", |then| !is_same(then, now))
    });
    let mut names: Vec<&str> = gone.copied().chain(there.map(|(name, _)| *name)).collect();
    names.retain(|name| !ASIDE.contains(name));
    names.sort_unstable();
    names.into_iter().map(str::to_owned).collect()
}

fn is_same(before: &str, after: &str) -> bool {
    let is_nested = |text: &str| text.starts_with(['{', '[']);
    before == after
        || (is_nested(before)
            && is_nested(after)
            && serde_json::from_str::<Value>(before).ok() == serde_json::from_str(after).ok())
}

/// The fields of an object, as the texts of name and value. `body` is valid JSON: a store or serde
/// wrote it. Names of fields hold nothing that JSON escapes.
fn fields(body: &str) -> impl Iterator<Item = (&str, &str)> {
    let inside = body.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut rest = inside.unwrap_or("");
    std::iter::from_fn(move || {
        let (field, behind) = rest.split_at(end_of_field(rest));
        rest = behind.strip_prefix(',').unwrap_or(behind);
        let (name, value) = field.trim_start().strip_prefix('"')?.split_once('"')?;
        Some((name, value.trim_start().strip_prefix(':')?.trim()))
    })
}

/// Where the first field of `text` ends: at the first comma that is in nothing, or at the end.
fn end_of_field(text: &str) -> usize {
    let (mut depth, mut in_text, mut escaped) = (0_u32, false, false);
    for (place, byte) in text.bytes().enumerate() {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return place,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn names_of_what_differs_are_reported() {
        let before =
            r#"{"a": "x, \"}{", "b": {"k": [1, 2.50], "l": null}, "c": 1, "updated_at": 1}"#;
        for (after, expected) in [
            (r#"{"updated_at":2,"c":1,"b":{"l":null,"k":[1,2.50]},"a":"x, \"}{"}"#, vec![]),
            (r#"{"a":"x, \"}{","b":{"l":null,"k":[1,2.5]},"c":1}"#, vec!["b"]),
            (r#"{"a":"y","b":{"l":null,"k":[1,2.50]},"d":null}"#, vec!["a", "c"]),
            (r#"{"a":"x, \"}{","b":null,"c":1,"d":[]}"#, vec!["b", "d"]),
            ("{}", vec!["a", "b", "c"]),
        ] {
            assert_eq!(names(before, after), expected, "{after}");
        }
    }

    /// Values with everything that makes it hard to find where one ends.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            r#"[a-c,:{}\[\]"\\ \n]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[a-c]", inner, 0..3).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn bodies_are_cut_as_json_is_read(
            before in prop::collection::btree_map("[a-e]", value(), 0..5),
            after in prop::collection::btree_map("[a-e]", value(), 0..5),
        ) {
            let pretty = serde_json::to_string_pretty(&before).unwrap();
            let plain = serde_json::to_string(&after).unwrap();
            let (before, after): (Map<_, _>, Map<_, _>) =
                (before.into_iter().collect(), after.into_iter().collect());
            let differs = |name: &String| match (before.get(name), after.get(name)) {
                (None, now) => now.is_some_and(|now| !now.is_null()),
                (then, now) => then != now,
            };
            let all = ["a", "b", "c", "d", "e"].map(str::to_owned);
            let expected: Vec<String> = all.into_iter().filter(differs).collect();
            prop_assert_eq!(names(&pretty, &plain), expected);
        }
    }
}
