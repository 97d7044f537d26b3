use proptest::prelude::*;
use racun_mail::{
    VARIABLES, Values, check_variables, fill, fill_line, parse_addresses, to_html, to_plain, uses,
};

fn values() -> Values {
    let mut values = Values::default();
    values.set("name", Some("Bor & <sin>"));
    values.set("nothing", None::<String>);
    values.set("bank_account.iban", Some("SI56"));
    values.set("evil", Some("{name} **x** [a](javascript:x) <script>\r\nBcc: x"));
    values.set("link", Some("https://x.si/?a=1&b=\"2\""));
    values
}

#[test]
fn variables_are_put_in_once_and_what_is_unknown_stays() {
    for (template, expected) in [
        ("Dear {name}", "Dear Bor & <sin>"),
        ("{nothing}|{bank_account.iban}", "|SI56"),
        ("{unknown} {Name} { name } {name", "{unknown} {Name} { name } {name"),
        ("{{name}}", "{Bor & <sin>}"),
        ("{evil}", "{name} **x** [a](javascript:x) <script>\r\nBcc: x"),
        ("{}", "{}"),
    ] {
        assert_eq!(fill(template, &values()), expected, "{template}");
    }
    assert_eq!(
        fill_line("Re: {evil}", &values(), 60),
        "Re: {name} **x** [a](javascript:x) <script>  Bcc: x"
    );
    assert_eq!(fill_line(&"ž".repeat(300), &values(), 255).chars().count(), 255);
    assert!(uses("a {link} b", "link") && !uses("a {links} b", "link"));
}

#[test]
fn marks_become_html_and_html_becomes_text() {
    for (template, expected) in [
        ("a\nb\n\nc", "<p>a<br>\nb</p>\n<p>c</p>\n"),
        ("**b** *i* * no *", "<p><strong>b</strong> <em>i</em> * no *</p>\n"),
        ("***both***", "<p><em><strong>both</strong></em></p>\n"),
        ("2*3*4 un*usual*ly", "<p>2*3*4 un<em>usual</em>ly</p>\n"),
        ("# T\n- a\n- b\nend", "<h1>T</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>end</p>\n"),
        ("#### x", "<p>#### x</p>\n"),
        ("<b>&\"'", "<p>&lt;b&gt;&amp;&quot;&#39;</p>\n"),
        ("[t](https://x.si)", "<p><a href=\"https://x.si\">t</a></p>\n"),
        ("[t](javascript:alert(1))", "<p>[t](javascript:alert(1))</p>\n"),
        ("[t](data:x)", "<p>[t](data:x)</p>\n"),
        ("see https://x.si/a.", "<p>see <a href=\"https://x.si/a\">https://x.si/a</a>.</p>\n"),
        ("{name}", "<p>Bor &amp; &lt;sin&gt;</p>\n"),
        (
            "**{evil}**",
            "<p><strong>{name} **x** [a](javascript:x) &lt;script&gt;<br>\nBcc: x</strong></p>\n",
        ),
        ("[t]({evil})", "<p>[t]({name} **x** [a](javascript:x) &lt;script&gt;<br>\nBcc: x)</p>\n"),
        ("[pay]({link})", "<p><a href=\"https://x.si/?a=1&amp;b=&quot;2&quot;\">pay</a></p>\n"),
        (
            "{link}",
            "<p><a href=\"https://x.si/?a=1&amp;b=&quot;2&quot;\">\
             https://x.si/?a=1&amp;b=&quot;2&quot;</a></p>\n",
        ),
        ("\u{e000}0\u{e000}{name}", "<p>0Bor &amp; &lt;sin&gt;</p>\n"),
    ] {
        assert_eq!(to_html(template, &values()), expected, "{template}");
    }
}

#[test]
fn plain_text_holds_no_marks() {
    for (template, expected) in [
        ("račun **KAV1** *danes*\n\nkonec", "račun KAV1 danes\n\nkonec"),
        ("# T\n* a\n- b", "T\n- a\n- b"),
        ("[t](https://x.si)", "t (https://x.si)"),
        ("[https://x.si](https://x.si)", "https://x.si"),
        ("[pay]({link}) {link}", "pay (https://x.si/?a=1&b=\"2\") https://x.si/?a=1&b=\"2\""),
        ("2 * 3 = 6 & <b>", "2 * 3 = 6 & <b>"),
        ("**{name}**", "Bor & <sin>"),
        ("***both***", "both"),
        ("2*3*4 un*usual*ly", "2*3*4 unusually"),
        ("{evil}", "{name} **x** [a](javascript:x) <script>\r\nBcc: x"),
        ("see https://x.si/a_b.", "see https://x.si/a_b."),
    ] {
        assert_eq!(to_plain(template, &values()), expected, "{template}");
    }
}

#[test]
fn a_text_in_a_text_has_marks_and_variables_of_its_own() {
    let mut values = values();
    values.set_text("how", Some("**Pay** to {bank_account.iban}, {name} {evil} {how}{unknown}"));
    values.set_text("none", None::<String>);
    let evil = "{name} **x** [a](javascript:x) <script>";
    let plain = format!("a Pay to SI56, Bor & <sin> {evil}\r\nBcc: x {{unknown}}|.");
    assert_eq!(to_plain("a {how}|{none}.", &values), plain);
    let html = "<p>a <strong>Pay</strong> to SI56, Bor &amp; &lt;sin&gt; {name} **x** \
                [a](javascript:x) &lt;script&gt;<br>\nBcc: x {unknown}|.</p>\n";
    assert_eq!(to_html("a {how}|{none}.", &values), html);
    assert_eq!(fill_line("{how}", &values, 22), "**Pay** to SI56, Bor &");
    values.set_text("how", Some("# Pay\n- a\n- b"));
    let lists = "<p>x</p>\n<h1>Pay</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>y</p>\n";
    assert_eq!(to_html("x\n\n{how}\n\ny", &values), lists);
}

#[test]
fn a_variable_that_there_is_not_is_refused_with_the_nearest() {
    for name in VARIABLES {
        assert_eq!(check_variables(&format!("a {{{name}}} b")), Ok(()), "{name}");
    }
    for text in ["", "{}", "{ }", "{1}", "a { b", "body{color:red}", "{a b}", "{\"a\": 1}"] {
        assert_eq!(check_variables(text), Ok(()), "{text}");
    }
    for (text, part) in [
        ("Dear {nonsense}", "there is no {nonsense}: there are entity_name"),
        ("{custmer_name}", "there is no {custmer_name}: did you mean {customer_name}?"),
        ("{Customer_Name}", "did you mean {customer_name}?"),
        ("{ customer_name }", "there is no { customer_name }: did you mean {customer_name}?"),
        ("{customer_name} {document-number}", "did you mean {document_number}?"),
    ] {
        let issue = check_variables(text).unwrap_err();
        assert_eq!(issue.code, "unknown_placeholder");
        assert!(issue.message.contains(part), "{text}: {}", issue.message);
    }
}

proptest! {
    /// Whatever a value holds, it opens no tag and no attribute.
    #[test]
    fn no_value_and_no_template_makes_a_tag_of_its_own(
        template in "[a-z*#\\[\\]()<>\"'&{} \n\u{e000}-]{0,60}",
        value in "[a-z*#\\[\\]()<>\"'&{}:/ \n\u{e000}-]{0,40}",
    ) {
        let mut values = Values::default();
        values.set("v", Some(value));
        let html = to_html(&format!("{template}{{v}}[{{v}}]({{v}})"), &values);
        for tag in html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let plain = [
                "p", "/p", "br", "strong", "/strong", "em", "/em", "ul", "/ul", "li", "/li",
                "h1", "/h1", "h2", "/h2", "h3", "/h3", "/a",
            ];
            let link = tag.strip_prefix("a href=\"").and_then(|rest| rest.strip_suffix('"'));
            let is_link = link.is_some_and(|url| {
                !url.contains('"') && ["http", "mailto:"].iter().any(|one| url.starts_with(one))
            });
            prop_assert!(plain.contains(&tag) || is_link, "{tag} in {html}");
        }
    }
}

/// What texts of mails are made of, in any order.
fn mark() -> impl Strategy<Value = String> {
    let marks = [
        "*",
        "**",
        "[",
        "]",
        "(",
        ")",
        "](",
        "{",
        "}",
        "{v}",
        "{customer_name}",
        "#",
        "# ",
        "- ",
        "\n",
        "\r\n",
        " ",
        "http://",
        "https://a",
        "mailto:",
        "javascript:",
        "<",
        "\u{e000}",
        "ž",
        ",",
        "@",
        "a@b.si",
    ];
    let known = prop::sample::select(marks.to_vec()).prop_map(str::to_owned);
    prop_oneof![8 => known, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn marks_and_braces_of_strangers_become_text(marks in prop::collection::vec(mark(), 0..300)) {
        let text = marks.concat();
        let mut values = Values::default();
        values.set("v", Some("https://example.com/a b"));
        let (html, plain) = (to_html(&text, &values), to_plain(&text, &values));
        // A character is at most six, a value is written as a link, a line has its tags.
        prop_assert!(html.len() <= 100 * (text.len() + 1));
        prop_assert!(plain.len() <= 20 * (text.len() + 1));
        let _ = (check_variables(&text), parse_addresses(&text));
    }
}
