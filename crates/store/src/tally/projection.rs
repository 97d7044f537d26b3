//! Reading the parts of a body that tallies look at, and no others.

use std::fmt;

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::{JsonPath, Part, Tally};

/// The parts of bodies that some tallies look at.
///
/// A report over a day reads thousands of bodies, of which it needs a tenth; the time goes into
/// making values of the rest.
#[derive(Debug, Default)]
pub struct Projection(Node);

/// What is read of a value.
#[derive(Debug, Default)]
struct Node {
    /// The value as it is.
    whole: bool,
    /// What is read of its properties, when it is an object.
    properties: Vec<(&'static str, Node)>,
    /// What is read of its elements, when it is an array.
    elements: Option<Box<Node>>,
}

impl Projection {
    /// All that `tallies` look at.
    #[must_use]
    pub fn of(tallies: &[&Tally]) -> Self {
        let mut root = Node::default();
        for tally in tallies {
            if let Some(path) = tally.each {
                root.at(path).elements.get_or_insert_default();
            }
            for part in tally.parts() {
                match (part, tally.each) {
                    (Part::Body(path, _), _) => root.at(path).whole = true,
                    (Part::Element(path, _), Some(each)) => {
                        root.at(each).elements.get_or_insert_default().at(path).whole = true;
                    }
                    (Part::Element(..), None)
                    | (Part::Field { .. } | Part::Named { .. } | Part::DayOf { .. }, _) => {}
                }
            }
        }
        Self(root)
    }

    /// `body` with these parts; what else is in it may be missing.
    ///
    /// # Errors
    /// `body` is no JSON.
    pub fn read(&self, body: &str) -> Result<Json, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(body);
        let read = self.0.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(read)
    }
}

impl Node {
    fn at(&mut self, path: JsonPath) -> &mut Self {
        path.iter().fold(self, |node, key| {
            let known = node.properties.iter().position(|(name, _)| name == key);
            let place = known.unwrap_or_else(|| {
                node.properties.push((key, Self::default()));
                node.properties.len() - 1
            });
            &mut node.properties[place].1
        })
    }
}

impl<'de> DeserializeSeed<'de> for &Node {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        if self.whole {
            Json::deserialize(deserializer)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

/// Objects and arrays are read in part; every other value is null, for no path leads into it. A
/// number that is no integer of 64 bits is an object to a visitor, of its text.
impl<'de> Visitor<'de> for &Node {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut read = Map::new();
        while let Some(key) = map.next_key_seed(KeySeed(self))? {
            match key {
                Some((name, node)) => {
                    read.insert(name.to_owned(), map.next_value_seed(node)?);
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Json::Object(read))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut read = Vec::new();
        match &self.elements {
            Some(node) => {
                while let Some(element) = elements.next_element_seed(&**node)? {
                    read.push(element);
                }
            }
            None => while elements.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(Json::Array(read))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_str<E>(self, _: &str) -> Result<Json, E> {
        Ok(Json::Null)
    }
}

/// A key: the property that it names, if that is read.
struct KeySeed<'a>(&'a Node);

impl<'de, 'a> DeserializeSeed<'de> for KeySeed<'a> {
    type Value = Option<(&'static str, &'a Node)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for KeySeed<'a> {
    type Value = Option<(&'static str, &'a Node)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        let found = self.0.properties.iter().find(|(name, _)| *name == key);
        Ok(found.map(|(name, node)| (*name, node)))
    }
}
