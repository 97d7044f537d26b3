//! The body of a request: a form, in which brackets nest.

use std::collections::BTreeMap;

use url::form_urlencoded::Serializer;

/// A form.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// One of these fields.
    pub fn of(fields: &[(&str, &str)]) -> Self {
        let mut form = Self::default();
        for (name, value) in fields {
            form.add(name, value);
        }
        form
    }

    /// Adds a field.
    pub fn add(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Adds a field where there is a value.
    pub fn add_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Adds metadata under `name`.
    pub fn add_metadata(&mut self, name: &str, metadata: &BTreeMap<String, String>) {
        for (key, value) in metadata {
            self.add(&format!("{name}[{key}]"), value);
        }
    }

    /// As it is sent.
    pub fn encode(&self) -> String {
        Serializer::new(String::new()).extend_pairs(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_a_form_are_escaped() {
        let mut form = Form::of(&[("name", "Ana & Bor=1")]);
        form.add_some("customer", None);
        form.add_metadata("metadata", &BTreeMap::from([("a".to_owned(), "č".to_owned())]));
        assert_eq!(form.encode(), "name=Ana+%26+Bor%3D1&metadata%5Ba%5D=%C4%8D");
    }
}
