//! Typed keys: what Racun reads of settings, each declared among the known ones.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde_json::{Map, Value as Json};

use super::as_whole;
use super::known::{SETTINGS, TRANSLATIONS};
use super::value_type::{Property, ValueType};

/// The key of a setting that reads as a `T`.
///
/// Its path leads through the declared settings to one of such a form: where it does not, the
/// constant does not compile.
pub struct Key<T: ?Sized> {
    path: &'static [&'static str],
    value: PhantomData<fn() -> T>,
}

impl<T: ?Sized> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Key<T> {}

/// A text that has translations beside it, under `translations`.
pub enum Localized {}
/// An object: the declared properties of a group, or keys of the caller's.
pub enum Group {}
/// An array.
pub enum List {}

/// What the JSON of a setting reads as.
pub trait SettingValue {
    /// What is read.
    type Read<'a>;

    /// Reads `value`; `None` where it is of another type, null among them.
    fn read(value: &Json) -> Option<Self::Read<'_>>;
}

impl SettingValue for bool {
    type Read<'a> = Self;

    fn read(value: &Json) -> Option<Self> {
        value.as_bool()
    }
}

impl SettingValue for i64 {
    type Read<'a> = Self;

    fn read(value: &Json) -> Option<Self> {
        as_whole(value)
    }
}

impl SettingValue for str {
    type Read<'a> = &'a Self;

    fn read(value: &Json) -> Option<&Self> {
        value.as_str()
    }
}

impl SettingValue for Localized {
    type Read<'a> = &'a str;

    fn read(value: &Json) -> Option<&str> {
        value.as_str()
    }
}

impl SettingValue for Group {
    type Read<'a> = &'a Map<String, Json>;

    fn read(value: &Json) -> Option<&Map<String, Json>> {
        value.as_object()
    }
}

impl SettingValue for List {
    type Read<'a> = &'a [Json];

    fn read(value: &Json) -> Option<&[Json]> {
        value.as_array().map(Vec::as_slice)
    }
}

impl<T: SettingValue + ?Sized> Key<T> {
    /// What `settings` say; `None` where they do not.
    #[must_use]
    pub fn of(self, settings: &Map<String, Json>) -> Option<T::Read<'_>> {
        T::read(at(settings, self.path)?)
    }
}

impl<T: ?Sized> Key<T> {
    const fn new(path: &'static [&'static str]) -> Self {
        Self { path, value: PhantomData }
    }

    /// The names that lead to it.
    #[must_use]
    pub const fn path(self) -> &'static [&'static str] {
        self.path
    }

    /// The first of the names that lead to it: the key of the settings that it is, or is in.
    #[must_use]
    pub const fn top(self) -> &'static str {
        match self.path {
            [name, ..] => name,
            [] => "",
        }
    }

    /// The last of the names that lead to it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.path {
            [.., name] => name,
            [] => "",
        }
    }
}

impl Key<bool> {
    pub(super) const fn flag(path: &'static [&'static str]) -> Self {
        assert!(
            matches!(declared(&SETTINGS, path), ValueType::Bool),
            "it is declared as another type"
        );
        Self::new(path)
    }
}

impl Key<i64> {
    pub(super) const fn whole(path: &'static [&'static str]) -> Self {
        let is_whole = matches!(declared(&SETTINGS, path), ValueType::Whole(..));
        assert!(is_whole, "it is declared as another type");
        Self::new(path)
    }
}

impl Key<str> {
    pub(super) const fn text(path: &'static [&'static str]) -> Self {
        let value_type = declared(&SETTINGS, path);
        let is_text =
            matches!(value_type, ValueType::Text(_) | ValueType::OneOf(_) | ValueType::Form(..));
        assert!(is_text, "it is declared as another type");
        Self::new(path)
    }
}

impl Key<Localized> {
    pub(super) const fn localized(path: &'static [&'static str]) -> Self {
        let is_text = matches!(declared(&SETTINGS, path), ValueType::Text(_));
        assert!(is_text, "it is declared as another type");
        let is_localized = matches!(declared(&TRANSLATIONS, path), ValueType::Localized(_));
        assert!(is_localized, "it is declared without translations");
        Self::new(path)
    }

    /// What `settings` say of it in `locale`: a translation (of the locale, or else of its
    /// language), or else the plain text.
    pub(super) fn in_locale<'a>(
        self,
        settings: &'a Map<String, Json>,
        locale: &str,
    ) -> Option<&'a str> {
        let texts = self.translated(settings);
        texts.and_then(|texts| translation(texts, locale)).or_else(|| self.of(settings))
    }

    /// Its translations, by locale.
    pub(super) fn translations(self, settings: &Map<String, Json>) -> BTreeMap<String, String> {
        let texts = self.translated(settings).into_iter().flatten();
        texts
            .filter_map(|(locale, text)| Some((locale.clone(), text.as_str()?.to_owned())))
            .collect()
    }

    fn translated(self, settings: &Map<String, Json>) -> Option<&Map<String, Json>> {
        let translations = super::setting::TRANSLATIONS.of(settings);
        translations.and_then(|all| at(all, self.path)).and_then(Json::as_object)
    }
}

impl Key<Group> {
    pub(super) const fn group(path: &'static [&'static str]) -> Self {
        let is_group =
            matches!(declared(&SETTINGS, path), ValueType::Object(_) | ValueType::Each(_));
        assert!(is_group, "it is declared as another type");
        Self::new(path)
    }
}

impl Key<List> {
    pub(super) const fn list(path: &'static [&'static str]) -> Self {
        assert!(matches!(declared(&SETTINGS, path), ValueType::List(..)), "it is of another type");
        Self::new(path)
    }
}

/// What is declared under `path`, which constants name: it is looked for when they are compiled.
const fn declared(properties: &'static [Property], path: &[&str]) -> &'static ValueType {
    let [name, rest @ ..] = path else { panic!("a path has names") };
    let mut place = 0;
    while place < properties.len() {
        let Property { name: known, value_type, .. } = &properties[place];
        if is_same(known, name) {
            return match (rest, value_type) {
                ([], value_type) => value_type,
                (rest, ValueType::Object(within)) => declared(within, rest),
                _ => panic!("nothing is declared within this setting"),
            };
        }
        place += 1;
    }
    panic!("there is no such setting")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

fn at<'a>(settings: &'a Map<String, Json>, path: &[&str]) -> Option<&'a Json> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(settings.get(*first)?, |value, key| value.get(key))
}

/// The text for `locale` among `texts`, or one of the same language.
fn translation<'a>(texts: &'a Map<String, Json>, locale: &str) -> Option<&'a str> {
    let language = |locale: &str| locale.split('-').next().unwrap_or_default().to_owned();
    let wanted = language(locale);
    let related = || texts.iter().find(|(key, text)| language(key) == wanted && text.is_string());
    let exact = texts.get(locale).filter(|text| text.is_string());
    exact.or_else(|| related().map(|(_, text)| text))?.as_str()
}
