//! From a tree to a type, once around; what is unknown or sent twice is noted and passed over.

use std::cell::RefCell;
use std::collections::BTreeMap;

use racun_kernel::spelling::suggestion;
use racun_kernel::{Issue, Step};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::MOST_ISSUES;
use super::names::Names;
use super::refused::{Refused, one_of};
use super::tree::Tree;

/// What is read in the place of a value that was refused already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing, as if the property had not been sent.
    Left,
    /// The smallest value that the type takes, where it cannot do without one.
    Filled,
    /// A usual value, where a handler cannot do without one.
    Usual(&'static Tree),
}

impl Gap {
    /// What is read in its place; `None` for the smallest value of the type.
    const fn filler(self) -> Option<&'static Tree> {
        match self {
            Self::Usual(tree) => Some(tree),
            Self::Left | Self::Filled => None,
        }
    }
}

/// What is known of a body while it is read.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Values that were refused, by their places.
    pub gaps: BTreeMap<Vec<StepKey>, Gap>,
    /// What is wrong with properties that no type takes: nothing more is to be known of them.
    pub notes: RefCell<Vec<Issue>>,
}

/// A step of a path, in an order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StepKey {
    Key(String),
    Index(usize),
}

impl From<&Step> for StepKey {
    fn from(step: &Step) -> Self {
        match step {
            Step::Key(key) => Self::Key(key.clone()),
            Step::Index(index) => Self::Index(*index),
        }
    }
}

/// A place in a body, as the way there from its root.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyPath<'p> {
    outer: Option<&'p BodyPath<'p>>,
    step: BodyStep<'p>,
}

#[derive(Debug, Clone, Copy)]
enum BodyStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> BodyPath<'p> {
    pub(super) const ROOT: Self = Self { outer: None, step: BodyStep::Root };

    const fn key(&'p self, key: &'p str) -> Self {
        Self { outer: Some(self), step: BodyStep::Key(key) }
    }

    const fn index(&'p self, index: usize) -> Self {
        Self { outer: Some(self), step: BodyStep::Index(index) }
    }

    fn path(&self) -> Vec<Step> {
        let mut path = self.outer.map(BodyPath::path).unwrap_or_default();
        match self.step {
            BodyStep::Root => {}
            BodyStep::Key(key) => path.push(Step::from(key)),
            BodyStep::Index(index) => path.push(Step::from(index)),
        }
        path
    }
}

impl Findings {
    /// The gap at `place`. Bodies in which nothing was refused pay nothing for it.
    fn gap(&self, place: &BodyPath<'_>) -> Option<Gap> {
        if self.gaps.is_empty() {
            return None;
        }
        let path: Vec<StepKey> = place.path().iter().map(StepKey::from).collect();
        self.gaps.get(&path).copied()
    }

    /// The properties of the object at `place` that are filled in although they were not sent.
    fn filled_in(&self, place: &BodyPath<'_>, sent: &[(String, Tree)]) -> Vec<(String, Gap)> {
        if self.gaps.is_empty() {
            return Vec::new();
        }
        let outer: Vec<StepKey> = place.path().iter().map(StepKey::from).collect();
        let inside = self.gaps.iter().filter_map(|(path, gap)| match path.split_last() {
            Some((StepKey::Key(key), rest)) if *gap != Gap::Left && rest == outer => {
                Some((key.clone(), *gap))
            }
            _ => None,
        });
        let is_sent = |key: &String| sent.iter().any(|(name, _)| name == key);
        inside.filter(|(key, _)| !is_sent(key)).collect()
    }

    /// Notes an issue of the property at `place`: no more of them than are answered.
    fn note(&self, code: &'static str, message: impl FnOnce() -> String, place: &BodyPath<'_>) {
        let mut notes = self.notes.borrow_mut();
        if notes.len() == MOST_ISSUES {
            return;
        }
        let issue = Issue { path: place.path(), ..Issue::new(code, message()) };
        if !notes.contains(&issue) {
            notes.push(issue);
        }
    }
}

/// What to say of the property `key` where only `known` are.
pub(crate) fn unknown(what: &str, key: &str, known: &[&str]) -> String {
    match (suggestion(key, known), known) {
        (Some(near), _) => format!("there is no such {what}; did you mean `{near}`?"),
        (None, []) => format!("there is no such {what}; none is taken here"),
        (None, known) if known.len() <= FEW => {
            format!("there is no such {what}; expected {}", one_of(known))
        }
        (None, _) => format!("there is no such {what}; GET /docs lists those that there are"),
    }
}

/// How many known names a refusal lists.
const FEW: usize = 24;

/// Reads the value at a place.
pub(super) struct Reader<'t, 'p> {
    /// What was sent; a filler where nothing was, or what was refused.
    pub tree: Option<&'t Tree>,
    pub place: BodyPath<'p>,
    pub findings: &'p Findings,
}

impl<'t> Reader<'t, '_> {
    fn path(&self) -> Vec<Step> {
        self.place.path()
    }

    fn refuse<T>(&self, expected: &str) -> Result<T, Refused> {
        Err(Refused::other_type(&expected).at(|| self.path()))
    }

    fn object<V: Visitor<'t>>(
        &self,
        properties: &'t [(String, Tree)],
        known: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let filled = self.findings.filled_in(&self.place, properties);
        let names = Names::default();
        let object = Object { reader: self, properties, at: 0, known, names, filled, value: None };
        visitor.visit_map(object).map_err(|refused| refused.at(|| self.path()))
    }
}

impl<'t> Deserializer<'t> for Reader<'t, '_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        let read = match self.tree {
            None => visitor.visit_u64(0),
            Some(Tree::Null) => visitor.visit_unit(),
            Some(Tree::Bool(value)) => visitor.visit_bool(*value),
            Some(Tree::Number(number)) => {
                number.deserialize_any(visitor).map_err(serde::de::Error::custom)
            }
            Some(Tree::Text(text)) if text.contains('\0') => {
                Err(Refused::new("invalid_value", "text cannot hold a NUL character"))
            }
            Some(Tree::Text(text)) => visitor.visit_borrowed_str(text),
            Some(Tree::List(elements)) => {
                visitor.visit_seq(List { reader: &self, elements, at: 0 })
            }
            Some(Tree::Object(properties)) => return self.object(properties, None, visitor),
        };
        read.map_err(|refused| refused.at(|| self.path()))
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.tree {
            None | Some(Tree::Null) => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.tree {
            None => visitor.visit_map(Filler { reader: &self, known, at: 0 }),
            Some(Tree::Object(properties)) => self.object(properties, Some(known), visitor),
            // A derived reader takes an array's elements for a type's fields, in their order.
            Some(_) => self.refuse("an object"),
        }
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.tree {
            None => self.object(&[], None, visitor),
            Some(Tree::Object(properties)) => self.object(properties, None, visitor),
            Some(_) => self.refuse("an object"),
        }
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let word = match self.tree {
            None => words.first().copied().unwrap_or_default(),
            Some(Tree::Text(word)) => word,
            Some(_) => return self.refuse(&one_of(words)),
        };
        let word: StrDeserializer<'_, Refused> = word.into_deserializer();
        visitor.visit_enum(word).map_err(|refused| refused.at(|| self.path()))
    }

    fn deserialize_bool<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.tree {
            None => visitor.visit_bool(false),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.tree {
            None => visitor.visit_borrowed_str("").map_err(|refused: Refused| {
                let path = self.path();
                refused.at(|| path)
            }),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.tree {
            None => visitor.visit_seq(List { reader: &self, elements: &[], at: 0 }),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_unit()
    }

    fn deserialize_f32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'t>>
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char bytes byte_buf unit unit_struct
        tuple tuple_struct identifier
    }
}

/// The properties of an object that are known and whole.
struct Object<'t, 'r, 'p> {
    reader: &'r Reader<'t, 'p>,
    properties: &'t [(String, Tree)],
    at: usize,
    /// The names that are taken; any when `None`.
    known: Option<&'static [&'static str]>,
    /// Those of its names that were read.
    names: Names<&'t str>,
    /// Names of properties that are filled, after those that were sent.
    filled: Vec<(String, Gap)>,
    /// The property that is read now.
    value: Option<(Key<'t>, Option<&'t Tree>)>,
}

enum Key<'t> {
    Sent(&'t str),
    Filled(String),
}

impl Key<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Sent(key) => key,
            Self::Filled(key) => key,
        }
    }
}

impl<'t> Object<'t, '_, '_> {
    /// The next property, and what is read of it.
    fn next(&mut self) -> Option<(Key<'t>, Option<&'t Tree>)> {
        while let Some((key, tree)) = self.properties.get(self.at) {
            self.at += 1;
            let place = self.reader.place.key(key);
            let findings = self.reader.findings;
            if let Some(known) = self.known.filter(|known| !known.contains(&key.as_str())) {
                findings.note("unknown_field", || unknown("property", key, known), &place);
            } else if !self.names.add(key) {
                findings.note("duplicate_field", || "send this property once".to_owned(), &place);
            } else if key.contains('\0') {
                let message = || "a name cannot hold a NUL character".to_owned();
                findings.note("invalid_value", message, &place);
            } else {
                match findings.gap(&place) {
                    None => return Some((Key::Sent(key), Some(tree))),
                    Some(Gap::Left) => {}
                    Some(gap) => return Some((Key::Sent(key), gap.filler())),
                }
            }
        }
        self.filled.pop().map(|(key, gap)| (Key::Filled(key), gap.filler()))
    }
}

impl<'t> MapAccess<'t> for Object<'t, '_, '_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        let Some((key, tree)) = self.next() else { return Ok(None) };
        let read = match &key {
            Key::Sent(key) => seed.deserialize(serde::de::value::BorrowedStrDeserializer::new(key)),
            Key::Filled(key) => {
                let key: StrDeserializer<'_, Refused> = key.as_str().into_deserializer();
                seed.deserialize(key)
            }
        };
        let place = self.reader.place.key(key.as_str());
        let read = read.map_err(|refused: Refused| refused.at(|| place.path()))?;
        self.value = Some((key, tree));
        Ok(Some(read))
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let Some((key, tree)) = self.value.take() else {
            return Err(Refused::new("invalid_value", "a value without a name"));
        };
        let place = self.reader.place.key(key.as_str());
        let reader = Reader { tree, place, findings: self.reader.findings };
        seed.deserialize(reader).map_err(|refused| refused.at(|| place.path()))
    }
}

/// The elements of an array.
struct List<'t, 'r, 'p> {
    reader: &'r Reader<'t, 'p>,
    elements: &'t [Tree],
    at: usize,
}

impl<'t> SeqAccess<'t> for List<'t, '_, '_> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        let Some(tree) = self.elements.get(self.at) else { return Ok(None) };
        let place = self.reader.place.index(self.at);
        self.at += 1;
        let findings = self.reader.findings;
        // An element that is left out would move the others to places that are not theirs.
        let tree = findings.gap(&place).is_none().then_some(tree);
        let read = seed.deserialize(Reader { tree, place, findings });
        read.map(Some).map_err(|refused| refused.at(|| place.path()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len() - self.at)
    }
}

/// All properties of a type, each filled.
struct Filler<'t, 'r, 'p> {
    reader: &'r Reader<'t, 'p>,
    known: &'static [&'static str],
    at: usize,
}

impl<'t> MapAccess<'t> for Filler<'t, '_, '_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        let Some(key) = self.known.get(self.at) else { return Ok(None) };
        let key: StrDeserializer<'_, Refused> = (*key).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let key = self.known.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        let place = self.reader.place.key(key);
        let reader = Reader { tree: None, place, findings: self.reader.findings };
        seed.deserialize(reader).map_err(|refused| refused.at(|| place.path()))
    }
}
