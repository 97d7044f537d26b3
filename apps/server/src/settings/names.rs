//! The names of all settings, as their sections declare them.

use serde::de::value::Error;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize as _, forward_to_deserialize_any};

use super::{SEPARATOR, Settings};

/// All names, in the order of the alphabet and without the prefix: `SERVER__LISTEN`.
pub(super) fn all() -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(path) = open.pop() {
        match fields(&path) {
            Some(fields) => open.extend(fields.iter().map(|field| [&path[..], &[*field]].concat())),
            None => names.push(path.join(SEPARATOR).to_uppercase()),
        }
    }
    names.sort_unstable();
    names
}

/// The fields of the section at `path`; `None` where a setting is.
fn fields(path: &[&'static str]) -> Option<&'static [&'static str]> {
    let mut fields = None;
    match Settings::deserialize(Probe { path, fields: &mut fields }) {
        // It reads no value, so it always ends in an error.
        Ok(_) | Err(_) => fields,
    }
}

/// Reads nothing but the declaration of the section at a path.
struct Probe<'a> {
    path: &'a [&'static str],
    fields: &'a mut Option<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("a setting"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        declared: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.path.split_first() {
            None => {
                *self.fields = Some(declared);
                Err(Error::custom("a section"))
            }
            Some((name, rest)) => {
                let inner = Probe { path: rest, fields: self.fields };
                visitor.visit_map(Field { name: Some(name), inner: Some(inner) })
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// A section in which one field is set.
struct Field<'a> {
    name: Option<&'static str>,
    inner: Option<Probe<'a>>,
}

impl<'de> MapAccess<'de> for Field<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.name.take().map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let inner = self.inner.take().ok_or_else(|| Error::custom("a value without a name"))?;
        seed.deserialize(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn sections_within_sections_are_found() {
        let names = all();
        for name in ["SERVER__LISTEN", "FURS__SOFTWARE_MAKER__NAME", "FILES__S3__BUCKET"] {
            assert!(names.iter().any(|it| it == name), "{name}: {names:?}");
        }
        assert!(names.len() > 50, "{names:?}");
    }
}
