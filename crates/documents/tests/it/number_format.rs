//! Number formats: what is accepted, what is refused with which words, and what numbers look like.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use proptest::prelude::*;
use racun_documents::number_format::{
    FormatKind, MAX_LITERAL_CHARS, MAX_PADDING, NumberFormat, series_key,
};
use racun_kernel::id::BusinessUnitId;
use time::Date;
use time::macros::date;

const DAY: Date = date!(2026 - 11 - 20);

fn main_format(text: &str) -> NumberFormat {
    NumberFormat::parse(text, FormatKind::Main).unwrap()
}

fn unit_format(text: &str) -> NumberFormat {
    NumberFormat::parse(text, FormatKind::Unit).unwrap()
}

#[test]
fn tokens_are_replaced_and_other_text_is_copied() {
    for (format, number, written) in [
        ("{yyyy}-{nnnnn}", 7, "2026-00007"),
        ("CN-{yyyy}-{nnnnn}", 12_345, "CN-2026-12345"),
        ("{n}/{yy}", 7, "7/26"),
        ("Račun št. {nnn}", 7, "Račun št. 007"),
        ("{nnnnnnnnn}", 1, "000000001"),
        ("yyyy n u {n}", 3, "yyyy n u 3"),
        ("{nnn}", 1_000, "1000"),
    ] {
        assert_eq!(main_format(format).format(DAY, number, None), written, "{format}");
    }
}

#[test]
fn unit_formats_name_the_unit() {
    for (format, index, written) in [
        ("{yyyy}-{u}-{nnnnn}", Some(3), "2026-3-00007"),
        ("{uuu}/{nn}", Some(3), "003/07"),
        ("{uu}/{nn}", Some(1_234), "1234/07"),
        ("{u}/{nn}", None, "0/07"),
    ] {
        assert_eq!(unit_format(format).format(DAY, 7, index), written, "{format}");
    }
}

#[test]
fn years_keep_their_digits() {
    for (day, long, short) in [
        (date!(0987 - 01 - 01), "0987-1", "87-1"),
        (date!(2007 - 01 - 01), "2007-1", "07-1"),
        (date!(9999 - 12 - 31), "9999-1", "99-1"),
    ] {
        assert_eq!(main_format("{yyyy}-{n}").format(day, 1, None), long);
        assert_eq!(main_format("{yy}-{n}").format(day, 1, None), short);
    }
}

#[test]
fn malformed_formats_are_refused_with_the_reason_and_an_example() {
    for (text, kind, reason) in [
        ("", FormatKind::Main, "{n} stands exactly once"),
        ("{yyyy}", FormatKind::Main, "{n} stands exactly once"),
        ("{n}-{nn}", FormatKind::Main, "{n} stands exactly once"),
        ("{yyyy}{yy}{n}", FormatKind::Main, "{yyyy} or {yy} stands at most once"),
        ("{yyyy}{yyyy}{n}", FormatKind::Main, "{yyyy} or {yy} stands at most once"),
        ("{u}-{n}", FormatKind::Main, "{u} belongs into the formats of business units"),
        ("{n}", FormatKind::Unit, "{u} stands exactly once"),
        ("{u}{uu}{n}", FormatKind::Unit, "{u} stands exactly once"),
        ("{nnnnnnnnnn}", FormatKind::Main, "{nnnnnnnnnn} has 10 digits, and 9 are the most"),
        ("{uuuuuuuuuu}{n}", FormatKind::Unit, "{uuuuuuuuuu} has 10 digits, and 9 are the most"),
        ("{mm}-{n}", FormatKind::Main, "{mm} is no token"),
        ("{yyy}-{n}", FormatKind::Main, "{yyy} is no token"),
        ("{YYYY}-{n}", FormatKind::Main, "{YYYY} is no token"),
        ("{nu}-{n}", FormatKind::Main, "{nu} is no token"),
        ("{n }", FormatKind::Main, "{n } is no token"),
        ("{č}-{n}", FormatKind::Main, "{č} is no token"),
        ("{}-{n}", FormatKind::Main, "{} is no token"),
        ("{{n}}", FormatKind::Main, "{{n} is no token"),
        ("{n}}", FormatKind::Main, "the } does not belong to a token"),
        ("}{n}", FormatKind::Main, "the } does not belong to a token"),
        ("{n}-{", FormatKind::Main, "the { does not belong to a token"),
        ("{n}-{yyyy", FormatKind::Main, "the { does not belong to a token"),
        ("{n}\n", FormatKind::Main, "a number format holds no control characters"),
        ("\u{0}{n}", FormatKind::Main, "a number format holds no control characters"),
    ] {
        let issue = NumberFormat::parse(text, kind).unwrap_err();
        assert_eq!(issue.code, "number_format_invalid", "{text:?}");
        assert!(issue.message.starts_with(reason), "{text:?}: {}", issue.message);
        let example =
            if kind == FormatKind::Main { "{yyyy}-{nnnnn}" } else { "{yyyy}-{u}-{nnnnn}" };
        assert!(issue.message.ends_with(&format!("looks like {example}")), "{}", issue.message);
        assert!(NumberFormat::parse(example, kind).is_ok());
    }
}

#[test]
fn the_longest_format_gives_numbers_that_documents_keep() {
    let longest = format!("{}{{yyyy}}{{u}}{{n}}", "ž".repeat(MAX_LITERAL_CHARS));
    let number = unit_format(&longest).format(DAY, i64::MAX, Some(i64::MAX));
    assert_eq!(number.chars().count(), 100);
    let refused = NumberFormat::parse(&format!("{longest}-"), FormatKind::Unit).unwrap_err();
    assert!(refused.message.starts_with("at most 58 characters"), "{}", refused.message);
    let endless = NumberFormat::parse(&"{".repeat(87), FormatKind::Main).unwrap_err();
    assert!(endless.message.starts_with("a number format has at most 86"), "{}", endless.message);
}

#[test]
fn a_series_is_named_by_kind_year_and_unit() {
    let unit: BusinessUnitId = format!("unit_{:026}", 1).parse().unwrap();
    for (has_year, unit, key) in [
        (true, None, "invoice/2026".to_owned()),
        (false, None, "invoice/all".to_owned()),
        (true, Some(unit), format!("invoice/2026/{unit}")),
        (false, Some(unit), format!("invoice/all/{unit}")),
    ] {
        assert_eq!(series_key("invoice", DAY, has_year, unit), key);
    }
}

#[test]
fn only_formats_with_a_year_token_have_a_year() {
    for (format, has_year) in
        [("{yyyy}-{n}", true), ("{yy}-{n}", true), ("{n}", false), ("yyyy-{n}", false)]
    {
        assert_eq!(main_format(format).has_year(), has_year, "{format}");
    }
}

/// Well-formed main formats: text around and between a sequence token and perhaps a year.
fn formats() -> impl Strategy<Value = String> {
    let text = "[-A-Za-z0-9/. ž]{0,8}";
    let year = prop::sample::select(vec!["", "{yy}", "{yyyy}"]);
    (text, year, text, 1..=MAX_PADDING, text, any::<bool>()).prop_map(
        |(a, year, b, padding, c, year_first)| {
            let sequence = format!("{{{}}}", "n".repeat(padding));
            let (one, two) = if year_first { (year, &*sequence) } else { (&*sequence, year) };
            format!("{a}{one}{b}{two}{c}")
        },
    )
}

proptest! {
    #[test]
    fn numbers_of_one_series_are_unique_and_in_order(
        format in formats(), one in 1_i64..2_000_000_000, other in 1_i64..2_000_000_000,
        apart in 1_i64..200,
    ) {
        let format = main_format(&format);
        let written = |number| format.format(DAY, number, None);
        // Numbers grow beyond their padding, so longer ones stand later.
        let key = |text: String| (text.chars().count(), text);
        for (a, b) in [(one, other), (one, one + apart)] {
            prop_assert_eq!(a.cmp(&b), key(written(a)).cmp(&key(written(b))));
        }
    }

    #[test]
    fn numbers_within_the_padding_sort_as_text(
        (padding, one, other) in (1..=MAX_PADDING).prop_flat_map(|padding| {
            let end = 10_i64.pow(padding.try_into().unwrap());
            (Just(padding), 0..end, 0..end)
        }),
    ) {
        let format = main_format(&format!("{{yyyy}}-{{{}}}", "n".repeat(padding)));
        let (a, b) = (format.format(DAY, one, None), format.format(DAY, other, None));
        prop_assert_eq!(one.cmp(&other), a.cmp(&b));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[{}nuy\\PC]{0,20}") {
        for kind in [FormatKind::Main, FormatKind::Unit] {
            if let Ok(format) = NumberFormat::parse(&text, kind) {
                let number = format.format(DAY, 1, Some(1));
                prop_assert!(!number.contains(['{', '}']), "{}", number);
                prop_assert!(number.chars().count() <= 100);
            }
        }
    }
}
