//! All declarations as text.

use std::fmt::Write as _;

use racun_application::{DATA_VERSION, tables};
use racun_store::{Field, Listing, Source, State, Unique};

/// The version of the data, and one line for each field of each table.
pub fn listing() -> String {
    let mut text = format!("version {DATA_VERSION}\n");
    let mut tables = tables();
    tables.sort_by_key(|table| table.name);
    for table in tables {
        let _ = writeln!(text, "\n{}", table.name);
        for field in table.fields {
            let _ = writeln!(text, "  {}", line(field));
        }
    }
    text
}

fn line(field: &Field) -> String {
    let mut line = format!("{}: {:?}", field.name, field.kind);
    match field.source {
        Source::Id => line += " (id)",
        Source::Column(column) if column == field.name => {}
        Source::Column(column) => {
            let _ = write!(line, " in {column}");
        }
        Source::Body(path) => {
            let _ = write!(line, " in /{}", path.join("/"));
        }
    }
    for (holds, word) in [
        (field.search, "searched"),
        (field.unique == Unique::Tenant, "unique"),
        (field.unique == Unique::Everywhere, "unique everywhere"),
        (field.indexed && field.unique == Unique::No, "indexed"),
        (field.listing == Listing::Ordered, "ordered"),
        (field.listing == Listing::Seldom, "seldom"),
        (field.listing == Listing::Long, "long"),
        (field.state == State::Beside, "state"),
        (field.state == State::Leads, "leading state"),
        (!field.public, "hidden"),
    ] {
        if holds {
            let _ = write!(line, ", {word}");
        }
    }
    line
}
