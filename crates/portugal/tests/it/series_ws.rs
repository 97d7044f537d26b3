//! Texts to and from the authority's service of series.

use racun_portugal::series_ws::{Meaning, Request, SeriesReply, SeriesType, State};
use racun_portugal::soap::{envelope, is_sub_user, security_header};
use racun_portugal::{Code, NewSeries, Purpose, SeriesCode, ValidationCode};
use roxmltree::{Document, Node};

use crate::series::series;
use crate::world::{date, group, read, text};

/// The elements with a text, by their names, in their order.
fn leaves(xml: &str) -> Vec<(String, String)> {
    let document = Document::parse(xml).unwrap();
    let leaf = |node: &Node<'_, '_>| node.is_element() && !node.children().any(|c| c.is_element());
    let named = |node: Node<'_, '_>| {
        (node.tag_name().name().to_owned(), node.text().unwrap_or_default().to_owned())
    };
    let root = document.root_element();
    assert_eq!(root.tag_name().namespace(), Some("http://at.gov.pt/"));
    let mut found = vec![(root.tag_name().name().to_owned(), String::new())];
    found.extend(root.descendants().filter(leaf).map(named));
    found
}

fn sample(id: &str) -> String {
    let file = read("series_ws_samples.json");
    let found = group(&file, "valid").iter().find(|own| text(own, "id") == id);
    text(found.unwrap(), "body").to_owned()
}

fn identifier(text: &str) -> SeriesCode {
    SeriesCode::new(text).unwrap()
}

#[test]
fn requests_are_as_the_samples() {
    let register = |series: &str, code: Code, from: &str, certificate: u16| Request::Register {
        series: identifier(series),
        kind: SeriesType::Normal,
        code,
        first: 1,
        from: date(from),
        certificate,
    };
    let finalise = Request::Finalise {
        series: identifier("2026A"),
        code: Code::Ft,
        validation: ValidationCode::new("AAJFB7NT").unwrap(),
        last: 120,
        justification: Some("Fim do ano".to_owned()),
    };
    let consult = Request::Consult {
        series: Some(identifier("2026A")),
        code: Some(Code::Ft),
        state: Some(State::Active),
    };
    for (id, request) in [
        ("registar", register("2026A", Code::Ft, "2026-11-23", 9999)),
        ("registar-recibo", register("RG26", Code::Rg, "2026-12-01", 0)),
        ("finalizar", finalise),
        ("consultar", consult),
    ] {
        assert_eq!(leaves(&request.body()), leaves(&sample(id)), "{id}");
    }
}

#[test]
fn a_series_is_registered_from_today_on_and_forms_as_recovered() {
    let new = |is_manual: bool, start: &str| {
        let new = NewSeries {
            document_type: Purpose::CreditNote,
            series_code: "2026A".to_owned(),
            validation_code: None,
            first_number: None,
            start_date: date(start),
            is_manual,
            initial_sequence: Some(5),
        };
        let checked = new.check(&[]).unwrap();
        leaves(&Request::register(&checked, 9999, date("2026-11-23")).body())
    };
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let past = new(false, "2026-01-01");
    for own in [
        field("tipoSerie", "N"),
        field("tipoDoc", "NC"),
        field("numInicialSeq", "5"),
        field("dataInicioPrevUtiliz", "2026-11-23"),
    ] {
        assert!(past.contains(&own), "{own:?} in {past:?}");
    }
    let ahead = new(true, "2027-01-01");
    assert!(ahead.contains(&field("tipoSerie", "R")));
    assert!(ahead.contains(&field("dataInicioPrevUtiliz", "2027-01-01")));
}

#[test]
fn a_series_ends_with_its_last_document_or_as_an_error() {
    let ended = leaves(&Request::to_end(&series(), Some(7)).body());
    assert!(ended.contains(&("seqUltimoDocEmitido".into(), "7".into())), "{ended:?}");
    let annulled: Vec<String> =
        leaves(&Request::to_end(&series(), None).body()).into_iter().map(|own| own.0).collect();
    let expected = [
        "anularSerie",
        "serie",
        "classeDoc",
        "tipoDoc",
        "codValidacaoSerie",
        "motivo",
        "declaracaoNaoEmissao",
    ];
    assert_eq!(annulled, expected);
}

#[test]
fn answers_are_read_with_what_they_mean() {
    let done = SeriesReply::read(&sample("resposta-2001")).unwrap();
    assert_eq!((done.code, done.meaning()), (2001, Meaning::Done));
    let [own] = done.series.as_slice() else { panic!("{done:?}") };
    assert_eq!(
        (own.series.as_str(), own.code, own.validation.as_str(), own.state, own.first, own.last),
        ("2026A", Code::Ft, "AAJFB7NT", State::Active, 1, None)
    );
    assert_eq!(own.registered_on, date("2026-11-22"));
    for (id, code, meaning) in
        [("resposta-4001", 4001, Meaning::Known), ("resposta-finalizada", 4047, Meaning::Wrong)]
    {
        let answer = SeriesReply::read(&sample(id)).unwrap();
        assert_eq!((answer.code, answer.meaning()), (code, meaning));
        assert!(!answer.message.is_empty() && answer.series.is_empty());
    }
    let failed = SeriesReply { code: 5000, message: String::new(), series: Vec::new() };
    assert_eq!(failed.meaning(), Meaning::Failed);
    let wrapped = envelope("", &sample("resposta-2001").replace("<?xml version=\"1.0\"?>", ""));
    assert_eq!(SeriesReply::read(&wrapped).unwrap(), done);
}

#[test]
fn other_texts_are_not_read_as_answers() {
    let good = sample("resposta-2001");
    for wrong in [
        String::new(),
        "<html/>".to_owned(),
        good.replace("<tipoDoc>FT", "<tipoDoc>NN"),
        good.replace("<classeDoc>SI", "<classeDoc>WD"),
        good.replace("2001<", "x<"),
        good.replace("AAJFB7NT<", "A<"),
        format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{good}"),
        format!("{good}{}", " ".repeat(1024 * 1024)),
    ] {
        assert!(SeriesReply::read(&wrong).is_err(), "{}", &wrong[..wrong.len().min(200)]);
    }
}

#[test]
fn the_header_names_the_sub_user() {
    let header = security_header("508025338/1", "bm9uY2U=", "cGFzcw==", "bm93");
    let message = envelope(&header, "<a/>");
    let document = Document::parse(&message).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| {
            node.tag_name().namespace() == Some("http://schemas.xmlsoap.org/ws/2002/12/secext")
        })
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(texts, ["508025338/1", "bm9uY2U=", "cGFzcw==", "bm93"]);
    for (user, is_one) in [
        ("508025338/1", true),
        ("508025338/1234", true),
        ("508025338/", false),
        ("508025338/12345", false),
        ("508025339/1", false),
        ("508025338", false),
        ("508025338/a", false),
    ] {
        assert_eq!(is_sub_user(user, "508025338"), is_one, "{user}");
    }
}
