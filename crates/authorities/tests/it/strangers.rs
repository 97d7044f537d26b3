//! Answers of strangers: an address that the authorities' name leads to by mistake or by malice.

use proptest::prelude::*;
use racun_authorities::furs::Asked;

use crate::forged::{cis, furs_json_body, furs_soap};
use crate::world::Way;

const SENT: &str = "f454e661-11f6-45a2-8e01-f3c1318c3c1d";

/// Reads `body` as each kind of answer.
fn read(body: &str) {
    let _ = cis(body);
    let _ = furs_soap(body, Asked::Invoice);
    let _ = furs_json_body(body);
}

/// Marks that an answer in XML or JSON is made of.
fn mark() -> impl Strategy<Value = String> {
    let marks = [
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<!DOCTYPE x [",
        "&lt;",
        "&#0;",
        "&x;",
        "\"",
        "'",
        "=",
        " ",
        ":",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\\u0000",
        "xmlns:a=\"b\"",
        " Id=\"x\"",
        "<a>",
        "</a>",
        "<soap:Body>",
        "<Signature>",
        "<Transforms>",
        "<Reference/>",
        "",
        "\u{feff}",
        "ž",
        ".",
        "eyJ",
        "==",
    ];
    let known = prop::sample::select(marks.to_vec()).prop_map(str::to_owned);
    prop_oneof![8 => known, 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn marks_in_any_order_end_in_an_error(marks in prop::collection::vec(mark(), 0..200)) {
        read(&marks.concat());
    }

    #[test]
    fn altered_answers_end_in_a_reply_or_an_error(
        way in prop::sample::select(vec![Way::FursSoap, Way::FursJson, Way::Fina]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), mark()),
            1..5,
        ),
    ) {
        let mut body: Vec<char> = way.answer_to(SENT).chars().collect();
        for (one, other, mark) in changes {
            let (one, other) = (one.index(body.len()), other.index(body.len()));
            // Few characters give way to the mark, or all between two places.
            let end = if one < other && other - one < 400 { other } else { one };
            body.splice(one..end, mark.chars());
            if body.is_empty() {
                break;
            }
        }
        read(&body.into_iter().collect::<String>());
    }
}

#[test]
fn answers_that_take_long_to_read_are_refused() {
    let wide: String = (0..100_000).map(|n| format!(" a{n}=\"\"")).collect();
    let spaces: String = (0..600).map(|n| format!("<a xmlns:n{n}=\"u{n}\">")).collect();
    for body in [
        "<a>".repeat(1_000_000),
        "<a/>".repeat(1_000_000),
        format!("<a{wide}/>"),
        spaces,
        format!("<a>{}</a>", "<b></b>".repeat(500_000)),
        "<!--".repeat(1_000_000),
        "<![CDATA[".repeat(500_000),
        "<".repeat(1_000_000),
        "[".repeat(1_000_000),
        "{\"a\":".repeat(200_000),
    ] {
        assert!(cis(&body).is_err() && furs_soap(&body, Asked::Invoice).is_err());
        assert!(furs_json_body(&body).is_err());
    }
}
