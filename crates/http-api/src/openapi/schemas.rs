//! Schemas of bodies, as generators of clients need them.
//!
//! What is sent and what is answered is described apart. What is sent is closed: a client that has
//! an enum of all values cannot send another. What is answered is open: a value that a later
//! version adds breaks no client. A type of both sides therefore has two schemas where the sides
//! differ; the sent one is called `…Input`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::formats::{Side, format_of};
use super::meanings::give_meanings;
use crate::route::{Route, Verb};
use crate::schema::{Collected, Described, SETTINGS, settings_schema};

/// Where schemas stand.
const PLACE: &str = "#/components/schemas/";

/// Names that generators write for maps and values of any kind; the schema is inlined instead.
const ANONYMOUS: [&str; 2] = ["BTreeMap", "Value"];

/// The schemas of a side, by name.
type Schemas = BTreeMap<String, Json>;

/// All schemas, and the bodies of each operation.
pub(super) struct Components {
    /// By name.
    pub schemas: Schemas,
    /// What operations take, by their ids.
    taken: BTreeMap<&'static str, Json>,
    /// What they answer.
    answered: BTreeMap<&'static str, Json>,
    /// The body of every refusal.
    pub error: Json,
}

impl Components {
    /// The schemas of what `routes` take and answer, and of `error`.
    pub fn of(routes: &[&'static Route], error: Described) -> Self {
        let (mut sent, mut told) = (Collected::new(), Collected::new());
        let error = json!(error(&mut told));
        let body = |takes: Option<Described>, side: &mut Collected| takes.map(|it| json!(it(side)));
        let mut taken = BTreeMap::new();
        let mut answered = BTreeMap::new();
        for route in routes {
            taken.extend(body(route.takes, &mut sent).map(|body| (route.operation, body)));
            answered.extend(body(route.answers, &mut told).map(|body| (route.operation, body)));
        }
        let (mut sent, mut told) = (tidy(&sent, Side::Sent), tidy(&told, Side::Answered));
        for side in [&mut sent, &mut told] {
            side.insert(SETTINGS.to_owned(), settings_schema());
        }
        require(routes, &mut sent, &mut taken);
        open_all(&mut told);
        let renamed = apart(&sent, &told);
        let rename = |schema: &mut Json| rename(schema, &renamed);
        taken.values_mut().for_each(rename);
        sent.values_mut().for_each(rename);
        told.extend(sent.into_iter().map(|(name, schema)| {
            let name = if renamed.contains(&name) { format!("{name}Input") } else { name };
            (name, schema)
        }));
        let mut components = Self { schemas: told, taken, answered, error };
        components.forget_unused();
        components
    }

    /// What `route` takes.
    pub fn taken(&self, route: &Route) -> Option<&Json> {
        self.taken.get(route.operation)
    }

    /// What `route` answers.
    pub fn answered(&self, route: &Route) -> Option<&Json> {
        self.answered.get(route.operation)
    }

    /// The schema itself, where `schema` only names it.
    pub fn resolve<'a>(&'a self, schema: &'a Json) -> &'a Json {
        named(schema).and_then(|name| self.schemas.get(name)).unwrap_or(schema)
    }

    /// Leaves out what no operation leads to.
    fn forget_unused(&mut self) {
        let roots = self.taken.values().chain(self.answered.values());
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut next: Vec<String> = roots.chain([&self.error]).flat_map(references).collect();
        while let Some(name) = next.pop() {
            next.extend(self.schemas.get(&name).map(references).unwrap_or_default());
            // What was found before leads nowhere new.
            if !found.insert(name.clone()) {
                next.retain(|other| !found.contains(other));
            }
        }
        self.schemas.retain(|name, _| found.contains(name));
    }
}

/// A reference to the schema `name`.
fn reference(name: &str) -> Json {
    json!({ "$ref": format!("{PLACE}{name}") })
}

/// The name of the schema that `schema` refers to.
pub(super) fn named(schema: &Json) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(PLACE)
}

/// The names of all schemas that `schema` refers to.
fn references(schema: &Json) -> Vec<String> {
    let mut names = Vec::new();
    match schema {
        Json::Object(object) => {
            names.extend(named(schema).map(str::to_owned));
            names.extend(object.values().flat_map(references));
        }
        Json::Array(values) => names.extend(values.iter().flat_map(references)),
        _ => {}
    }
    names
}

/// Calls `change` with `schema` and every schema in it, the inner ones first.
pub(super) fn each(schema: &mut Json, change: &mut impl FnMut(&mut Map<String, Json>)) {
    let Json::Object(object) = schema else { return };
    for (keyword, value) in object.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Json::Object(properties)) => {
                properties.values_mut().for_each(|property| each(property, change));
            }
            ("items" | "additionalProperties", value) => each(value, change),
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Json::Array(values)) => {
                values.iter_mut().for_each(|value| each(value, change));
            }
            _ => {}
        }
    }
    change(object);
}

/// Schemas as JSON, without what generators stumble over, and with formats.
fn tidy(collected: &Collected, side: Side) -> Schemas {
    let all: Schemas = collected.iter().map(|(name, it)| (name.clone(), json!(it))).collect();
    let mut tidied = all.clone();
    for schema in tidied.values_mut() {
        each(schema, &mut |object| {
            expand(object, &all);
            lift_description(object);
            object.remove("propertyNames");
            if let Some(Json::String(text)) = object.get_mut("description") {
                *text = flow(text);
            }
        });
        each(schema, &mut |object| {
            give_formats(object, side);
            give_meanings(object);
        });
    }
    tidied
}

/// One line per paragraph.
fn flow(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Puts what an anonymous schema says in the place of a reference to it.
fn expand(object: &mut Map<String, Json>, all: &Schemas) {
    let Some(name) = object.get("$ref").and_then(Json::as_str) else { return };
    let name = name.trim_start_matches(PLACE);
    if let (true, Some(Json::Object(meant))) = (ANONYMOUS.contains(&name), all.get(name)) {
        let meant = meant.clone();
        object.remove("$ref");
        object.extend(meant);
        object.remove("propertyNames");
    }
}

/// Moves what is said beside a reference in a choice to the choice: some generators take the words
/// there for a type of its own.
fn lift_description(object: &mut Map<String, Json>) {
    let mut lifted = None;
    let Some(Json::Array(choices)) = object.get_mut("oneOf") else { return };
    let is_optional = choices.iter().any(|choice| choice["type"] == "null");
    for choice in choices.iter_mut().filter_map(Json::as_object_mut) {
        if choice.contains_key("$ref")
            && let Some(words) = choice.remove("description")
            && is_optional
        {
            lifted = Some(words);
        }
    }
    // A reference first: that is what is meant.
    choices.sort_by_key(|choice| choice["type"] == "null");
    if let Some(words) = lifted {
        object.entry("description").or_insert(words);
    }
}

/// Says of each text among the properties what form it has.
fn give_formats(object: &mut Map<String, Json>, side: Side) {
    let Some(Json::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut() {
        let Json::Object(property) = property else { continue };
        let is_text = match property.get("type") {
            Some(Json::String(kind)) => kind == "string",
            Some(Json::Array(kinds)) => kinds.contains(&json!("string")),
            _ => false,
        };
        let is_plain = !property.contains_key("format") && !property.contains_key("enum");
        if let (true, true, Some(format)) = (is_text, is_plain, format_of(name, side)) {
            property.insert("format".to_owned(), format.into());
            // The format says more, and generators that know it do not match text.
            property.remove("pattern");
        }
    }
}

/// Says in the schemas themselves what operations cannot do without: in the body's own schema where
/// all that take it agree, in one named after the operation otherwise.
fn require(
    routes: &[&'static Route],
    sent: &mut Schemas,
    taken: &mut BTreeMap<&'static str, Json>,
) {
    let mut bodies: BTreeMap<String, Vec<&Route>> = BTreeMap::new();
    for route in routes {
        if let Some(name) = taken.get(route.operation).and_then(named) {
            bodies.entry(name.to_owned()).or_default().push(route);
        }
    }
    for (name, routes) in bodies {
        let Some(base) = sent.get(&name).cloned() else { continue };
        let agree = routes.windows(2).all(|pair| pair[0].requires == pair[1].requires);
        let mut variants: Vec<(&[&str], String)> = Vec::new();
        for route in routes.iter().filter(|route| !route.requires.is_empty()) {
            let known = variants.iter().find(|(requires, _)| *requires == route.requires);
            let variant = match known {
                Some((_, variant)) => variant.clone(),
                None if agree => name.clone(),
                None => variant_name(route),
            };
            taken.insert(route.operation, reference(&variant));
            sent.insert(variant.clone(), requiring(base.clone(), route.requires));
            variants.push((route.requires, variant));
        }
    }
}

/// What a body is called that only some operations take: `CreateCustomer`.
fn variant_name(route: &Route) -> String {
    let mut letters = route.operation.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    match route.verb {
        Verb::Post | Verb::Put | Verb::Patch => name,
        Verb::Get | Verb::Delete => format!("{name}Body"),
    }
}

/// `schema`, of which the properties `required` can be neither absent nor null.
fn requiring(mut schema: Json, required: &[&str]) -> Json {
    let listed = schema["required"].as_array().cloned().unwrap_or_default();
    let mut all: Vec<String> = listed.iter().filter_map(Json::as_str).map(str::to_owned).collect();
    for name in required {
        if !all.iter().any(|known| known == name) {
            all.push((*name).to_owned());
        }
        if let Some(Json::Object(property)) = schema.pointer_mut(&format!("/properties/{name}")) {
            never_null(property);
        }
    }
    schema["required"] = json!(all);
    schema
}

/// Takes null out of what a property may be.
fn never_null(property: &mut Map<String, Json>) {
    if let Some(Json::Array(kinds)) = property.get("type").cloned() {
        let kinds: Vec<_> = kinds.into_iter().filter(|kind| kind != "null").collect();
        let kinds = match <[Json; 1]>::try_from(kinds) {
            Ok([kind]) => kind,
            Err(kinds) => kinds.into(),
        };
        property.insert("type".to_owned(), kinds);
    }
    if let Some(Json::Array(choices)) = property.get("oneOf").cloned()
        && let [choice, null] = choices.as_slice()
        && null["type"] == "null"
        && let Some(name) = choice.get("$ref")
    {
        property.remove("oneOf");
        property.insert("$ref".to_owned(), name.clone());
    }
}

/// Opens what is answered: no enum and no object is closed.
fn open_all(told: &mut Schemas) {
    let enums: Schemas = told
        .iter()
        .filter(|(_, it)| it["enum"].is_array())
        .map(|(n, it)| (n.clone(), it.clone()))
        .collect();
    told.retain(|name, _| !enums.contains_key(name));
    for schema in told.values_mut() {
        each(schema, &mut |object| open(object, &enums));
    }
}

fn open(object: &mut Map<String, Json>, enums: &Schemas) {
    if object.get("additionalProperties") == Some(&Json::Bool(false)) {
        object.remove("additionalProperties");
    }
    let name = object.get("$ref").and_then(Json::as_str).map(|it| it.trim_start_matches(PLACE));
    if let Some(Json::Object(closed)) = name.and_then(|name| enums.get(name)) {
        let closed = closed.clone();
        object.remove("$ref");
        for (keyword, value) in closed {
            object.entry(keyword).or_insert(value);
        }
    }
    if let Some(Json::Array(mut values)) = object.remove("enum") {
        values.retain(|value| !value.is_null());
        let listed: Vec<String> = values.iter().map(|value| format!("`{}`", bare(value))).collect();
        let words = object.get("description").and_then(Json::as_str).unwrap_or_default();
        let known =
            format!("{words} Known values: {}; later versions may add some.", listed.join(", "));
        object.insert("description".to_owned(), known.trim_start().into());
        object.insert("x-extensible-enum".to_owned(), values.into());
    }
    flatten_optional_text(object);
}

/// A choice between an open text and null is one text that may be null.
fn flatten_optional_text(object: &mut Map<String, Json>) {
    let Some(Json::Array(choices)) = object.get("oneOf") else { return };
    let [text, null] = choices.as_slice() else { return };
    if null["type"] != "null" || text.get("x-extensible-enum").is_none() {
        return;
    }
    let text = text.clone();
    object.remove("oneOf");
    let own = object.remove("description");
    if let Json::Object(text) = text {
        object.extend(text);
    }
    if let (Some(Json::String(own)), Some(Json::String(words))) =
        (own, object.get_mut("description"))
    {
        let known = words.find("Known values:").map(|start| words[start..].to_owned());
        *words = format!("{own} {}", known.unwrap_or_default()).trim_end().to_owned();
    }
    object.insert("type".to_owned(), json!(["string", "null"]));
}

fn bare(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The names that mean one thing when sent and another when answered, so that they need two
/// schemas: they differ, or lead to something that does.
fn apart(sent: &Schemas, told: &Schemas) -> BTreeSet<String> {
    let differs =
        |(name, schema): &(&String, &Json)| told.get(*name).is_some_and(|it| it != *schema);
    let mut names: BTreeSet<String> =
        sent.iter().filter(differs).map(|(name, _)| name.clone()).collect();
    loop {
        let leads = |(name, schema): &(&String, &Json)| {
            told.contains_key(*name) && references(schema).iter().any(|it| names.contains(it))
        };
        let more: BTreeSet<String> =
            sent.iter().filter(leads).map(|(name, _)| name.clone()).collect();
        if more.is_subset(&names) {
            return names;
        }
        names.extend(more);
    }
}

/// Leads references to `names` to their sent forms.
fn rename(schema: &mut Json, names: &BTreeSet<String>) {
    match schema {
        Json::Object(object) => {
            if let Some(Json::String(target)) = object.get_mut("$ref")
                && target.strip_prefix(PLACE).is_some_and(|name| names.contains(name))
            {
                target.push_str("Input");
            }
            object.values_mut().for_each(|value| rename(value, names));
        }
        Json::Array(values) => values.iter_mut().for_each(|value| rename(value, names)),
        _ => {}
    }
}
