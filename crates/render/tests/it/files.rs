//! Files as programs that open them see them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::io::{Cursor, Read as _};

use racun_render::{Block, Table, Text, docx};
use roxmltree::{Document, Node};
use zip::ZipArchive;

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn text(paragraphs: usize) -> Text {
    let table = Table {
        columns: vec![("Oznaka".to_owned(), 1), ("Naslov & opis".to_owned(), 3)],
        rows: vec![
            vec!["A1".to_owned(), "Čopova <ulica> \"1\"\u{0}\u{b}, Žužemberk".to_owned()],
            vec!["B".to_owned()],
        ],
    };
    let mut blocks = vec![Block::heading("1. Šifrant"), Block::Table(table)];
    blocks.extend((0..paragraphs).map(|n| Block::paragraph(format!("Odstavek {n}: čšž ČŠŽ đć €"))));
    Text { title: "Akt".to_owned(), language: "sl-SI".to_owned(), blocks }
}

fn part(file: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    let mut content = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut content).unwrap();
    content
}

/// The text inside a node.
fn inside(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(|node| node.has_tag_name((W, "t")));
    texts.filter_map(|node| node.text()).collect()
}

#[test]
fn a_docx_holds_every_text_in_parts_that_are_xml() {
    let file = docx(&text(2)).unwrap();
    let names: Vec<String> = {
        let archive = ZipArchive::new(Cursor::new(&file)).unwrap();
        archive.file_names().map(|name| name.unwrap().into_owned()).collect()
    };
    assert_eq!(names.len(), 6, "{names:?}");
    for name in &names {
        let part = part(&file, name);
        Document::parse(&part).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    // Every part that is referred to is there.
    let types = part(&file, "[Content_Types].xml");
    for node in Document::parse(&types).unwrap().descendants() {
        if let Some(name) = node.attribute("PartName") {
            assert!(names.contains(&name[1..].to_owned()), "{name}");
        }
    }
    let content = part(&file, "word/document.xml");
    let content = Document::parse(&content).unwrap();
    let body = content.root_element().first_element_child().unwrap();
    let parts: Vec<(String, String)> = body
        .children()
        .map(|node| (node.tag_name().name().to_owned(), inside(node)))
        .filter(|(name, _)| name != "sectPr")
        .collect();
    let seen: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (&**name, &**text)).collect();
    let table = "OznakaNaslov & opisA1Čopova <ulica> \"1\", ŽužemberkB";
    let expected = [
        ("p", "Akt"),
        ("p", "1. Šifrant"),
        ("tbl", table),
        ("p", ""),
        ("p", "Odstavek 0: čšž ČŠŽ đć €"),
        ("p", "Odstavek 1: čšž ČŠŽ đć €"),
    ];
    assert_eq!(seen, expected);
    let rows = content.descendants().filter(|node| node.has_tag_name((W, "tr")));
    let cells = rows.map(|row| row.children().filter(|c| c.has_tag_name((W, "tc"))).count());
    assert_eq!(cells.collect::<Vec<_>>(), [2, 2, 2], "rows are as wide as the table");
    let styles = part(&file, "word/styles.xml");
    for id in ["Title", "Heading1"] {
        assert!(styles.contains(&format!("w:styleId=\"{id}\"")), "{id}");
    }
}

#[test]
fn the_same_text_is_the_same_file() {
    let text = text(20);
    assert_eq!(docx(&text).unwrap(), docx(&text).unwrap());
}
