//! Whether the chains of a file of SAF-T hold, by the public key of the certified program.

use std::collections::BTreeMap;

use racun_authorities::portugal::ProgramPublicKey;
use racun_portugal::chain::verify;
use racun_portugal::{Hash, Link, Number, WallTime};
use roxmltree::{Document, Node};
use serde::Serialize;

/// What a file came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Signed documents, by series.
    pub series: BTreeMap<String, usize>,
    /// The first fault of each series that does not hold.
    pub faults: Vec<String>,
}

/// Checks the chains of `file`, UTF-8 or windows-1252, in which each series is from its first
/// document on.
///
/// # Errors
/// When it is no such file, as text.
pub fn check(file: &[u8], key: &ProgramPublicKey) -> Result<Checked, String> {
    let text = match str::from_utf8(file) {
        Ok(text) => text.to_owned(),
        // Numbers, dates and signatures are ASCII: what else a letter is does not matter here.
        Err(_) => file.iter().map(|byte| char::from(*byte)).collect(),
    };
    let document = Document::parse(&text).map_err(|error| error.to_string())?;
    let mut chains: BTreeMap<String, Vec<Link>> = BTreeMap::new();
    for node in document.descendants().filter(|node| text_of(*node, "Hash").is_some()) {
        let link = link(node).ok_or_else(|| {
            let place = document.text_pos_at(node.range().start);
            format!("the document at {place} is not whole")
        })?;
        let series = format!("{} {}", link.number.prefix(), link.number.series());
        chains.entry(series).or_default().push(link);
    }
    let mut checked = Checked { series: BTreeMap::new(), faults: Vec::new() };
    for (series, mut links) in chains {
        links.sort_by_key(|link| link.number.sequence());
        let holds = verify(&links, &|text, signature| key.verifies(text, signature));
        checked.faults.extend(holds.err().map(|broken| broken.to_string()));
        checked.series.insert(series, links.len());
    }
    Ok(checked)
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.tag_name().name() == name)?.text()
}

fn link(node: Node<'_, '_>) -> Option<Link> {
    let any = |names: [&str; 3]| names.iter().find_map(|name| text_of(node, name));
    let number: Number = any(["InvoiceNo", "DocumentNumber", "PaymentRefNo"])?.parse().ok()?;
    let date = any(["InvoiceDate", "MovementDate", "WorkDate"])?;
    let entered_at: WallTime = text_of(node, "SystemEntryDate")?.parse().ok()?;
    let totals = node.children().find(|child| child.tag_name().name() == "DocumentTotals")?;
    let hash: Hash = text_of(node, "Hash")?.parse().ok()?;
    Some(Link {
        date: parse_date(date)?,
        entered_at,
        number,
        total: text_of(totals, "GrossTotal")?.parse().ok()?,
        hash,
    })
}

fn parse_date(text: &str) -> Option<time::Date> {
    time::Date::parse(text, time::macros::format_description!("[year]-[month]-[day]")).ok()
}
