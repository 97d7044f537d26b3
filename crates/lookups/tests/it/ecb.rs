//! The files of the European Central Bank.

use racun_lookups::{DayRates, ecb};

const DAILY: &str = include_str!("../data/ecb_daily_2026-07-09.xml");
const RECENT: &str = include_str!("../data/ecb_hist_90d_sample.xml");
const ALL: &str = include_str!("../data/ecb_hist_sample.csv");

fn rate(day: &DayRates, code: &str) -> Option<String> {
    day.per_euro.get(&code.parse().unwrap()).map(ToString::to_string)
}

#[test]
fn a_daily_file_has_one_day() {
    let days = ecb::read_xml(DAILY.as_bytes()).unwrap();
    assert_eq!(days.len(), 1);
    assert_eq!((days[0].date.to_string(), days[0].per_euro.len()), ("2026-07-09".into(), 5));
    assert_eq!(rate(&days[0], "JPY").as_deref(), Some("185.72"));
    let quoted = DAILY.replace('\'', "\"");
    assert_eq!(ecb::read_xml(quoted.as_bytes()).unwrap(), days);
}

#[test]
fn both_forms_of_the_history_say_the_same() {
    let (xml, csv) = (ecb::read_xml(RECENT.as_bytes()).unwrap(), ecb::read_csv(ALL.as_bytes()));
    let csv = csv.unwrap();
    assert_eq!(xml, csv);
    assert_eq!(xml.first().unwrap().date.to_string(), "2026-10-09");
    assert_eq!(rate(&csv[0], "JPY"), None, "N/A is no rate");
    let spaced = ALL.replace(',', ", ");
    assert_eq!(ecb::read_csv(spaced.as_bytes()).unwrap(), csv);
}

#[test]
fn the_order_of_days_does_not_matter() {
    let mut lines: Vec<&str> = ALL.lines().collect();
    lines[1..].reverse();
    let turned = format!("{}\n", lines.join("\n"));
    assert_eq!(ecb::read_csv(turned.as_bytes()), ecb::read_csv(ALL.as_bytes()));
}

#[test]
fn what_is_not_whole_or_cannot_be_is_refused() {
    for (from, to) in [
        ("rate='1.1435'", "rate='0'"),
        ("rate='1.1435'", "rate='-1'"),
        ("rate='1.1435'", "rate='1e400'"),
        ("rate='1.1435'", ""),
        ("currency='USD'", "currency='US'"),
        ("currency='USD'", "currency='EUR'"),
        ("currency='USD'", "currency='JPY'"),
        ("2026-07-09", "2026-07-32"),
        ("2026-07-09", "1998-07-09"),
        ("<gesmes:subject>", "<!DOCTYPE a><gesmes:subject>"),
        ("</gesmes:Envelope>", ""),
        ("gesmes:Envelope", "html"),
    ] {
        assert!(DAILY.contains(from));
        let altered = DAILY.replace(from, to);
        assert!(ecb::read_xml(altered.as_bytes()).is_err(), "{from} as {to}");
    }
    for (from, to) in [
        ("Date", "Day"),
        ("USD", "Dollar"),
        ("0.8690,\n", "0.8690,"),
        ("0.8690,\n", "0.8690,1,\n"),
        ("0.8690,\n", "\n"),
        ("2026-10-02", "2026-10-07"),
        ("1.1500", "x"),
    ] {
        assert!(ALL.contains(from));
        let altered = ALL.replacen(from, to, 1);
        assert!(ecb::read_csv(altered.as_bytes()).is_err(), "{from} as {to}");
    }
    let long = vec![b' '; ecb::MAX_BYTES + 1];
    assert!(ecb::read_xml(&long).is_err() && ecb::read_csv(&long).is_err());
}
