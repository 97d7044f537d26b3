//! A document reported to a tax authority, as a till prints it.

use anyhow::Context as _;
use racun_fiscal::Authority;
use serde_json::Value;

use super::player::plain;
use super::qr;
use crate::print;

/// What receipts are framed by.
const RULE: &str = "    ----------------------------------------------------------------";

/// What the authority's part of a document is called, its mark and its confirmation.
const fn words(authority: Authority) -> [&'static str; 3] {
    match authority {
        Authority::Furs => ["furs", "zoi", "eor"],
        Authority::Fina => ["fina", "zki", "jir"],
    }
}

/// What `authority` knows of `document`.
///
/// # Errors
/// When the document is not reported to it.
pub(super) fn told(authority: Authority, document: &Value) -> anyhow::Result<&Value> {
    let [part, ..] = words(authority);
    let told = document.get(part).filter(|told| !told.is_null());
    told.with_context(|| format!("{} is not told of the document: {document}", authority.title()))
}

/// The document's report in words for the line of a step: its number, its status and the
/// confirmation.
pub(super) fn in_words(authority: Authority, document: &Value) -> anyhow::Result<String> {
    let told = told(authority, document)?;
    let [.., confirmation] = words(authority);
    let (number, status) = (plain(&document["number"]), plain(&told["status"]));
    let id = match &told["data"][confirmation] {
        Value::Null => "none yet".to_owned(),
        id => plain(id),
    };
    Ok(format!("number {number}, {status}, {} {id}", confirmation.to_uppercase()))
}

/// Prints the receipt of `document`, which may correct the one with the number `corrects`.
///
/// # Errors
/// When it is not reported to `authority`, or its code cannot be drawn.
pub(super) fn print(
    authority: Authority,
    document: &Value,
    corrects: Option<&str>,
) -> anyhow::Result<()> {
    let data = &told(authority, document)?["data"];
    let [_, mark, confirmation] = words(authority);
    let currency = plain(&document["currency_code"]);
    print::line(RULE);
    match corrects {
        None => field("Invoice", &plain(&document["number"])),
        Some(number) => {
            field("Credit", &format!("{} for invoice {number}", plain(&document["number"])));
        }
    }
    for line in document["items"].as_array().into_iter().flatten() {
        let what = format!("{} × {}", plain(&line["quantity"]), plain(&line["name"]));
        field("", &format!("{what:<24} {:>8}", plain(&line["total_with_tax"])));
    }
    let total = format!("{} {currency}", plain(&document["total_with_tax"]));
    field("Total", &total);
    field("Operator", &plain(&data["operator_label"]));
    field(&mark.to_uppercase(), &plain(&data[mark]));
    // A receipt that the authority does not know yet says nothing here.
    if let Some(id) = data[confirmation].as_str() {
        field(&confirmation.to_uppercase(), id);
    }
    let code = data["qr"].as_str().context("the document has no code to print")?;
    for line in qr::lines(authority, code)? {
        print::line(format_args!("    {line}"));
    }
    field("QR", code);
    print::line(RULE);
    Ok(())
}

fn field(name: &str, value: &str) {
    print::line(format_args!("    {name:<9} {value}"));
}
