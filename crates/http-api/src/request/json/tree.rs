//! A body as JSON says it: every property, also one that was sent twice, and every digit.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A JSON value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// The only key of the map as which serde_json hands on a number with all its digits.
const NUMBER: &str = "$serde_json::private::Number";

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Grow)
    }
}

struct Grow;

impl<'de> Visitor<'de> for Grow {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Tree, E> {
        Ok(Tree::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Tree::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut properties: Vec<(String, Tree)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value::<Tree>()?;
            if let (NUMBER, Tree::Text(digits)) = (&*key, &value) {
                return digits.parse().map(Tree::Number).map_err(A::Error::custom);
            }
            properties.push((key, value));
        }
        Ok(Tree::Object(properties))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_and_every_property_stays() {
        let text = r#"{"a": 0.10, "a": [1e3, null, true, "x"]}"#;
        let digits = |text: &str| Tree::Number(text.parse().unwrap());
        let list = vec![digits("1e3"), Tree::Null, Tree::Bool(true), Tree::Text("x".to_owned())];
        let expected = Tree::Object(vec![
            ("a".to_owned(), digits("0.10")),
            ("a".to_owned(), Tree::List(list)),
        ]);
        assert_eq!(serde_json::from_str::<Tree>(text).unwrap(), expected);
    }
}
