//! Schemes and identifiers.

use racun_einvoicing::network::{Participant, ParticipantFault};

fn read(scheme: Option<&str>, id: &str) -> Result<String, ParticipantFault> {
    Participant::read(scheme, id).map(|participant| participant.to_string())
}

#[test]
fn a_scheme_stands_ahead_or_beside() {
    for (scheme, id) in [
        (None, "9949:SI10039856"),
        (Some("9949"), "SI10039856"),
        (Some("9949"), "9949:si10039856"),
        (Some(" "), " 9949:SI10039856 "),
    ] {
        assert_eq!(read(scheme, id), Ok("9949:SI10039856".to_owned()), "{scheme:?} {id}");
    }
    let two = read(Some("9930"), "9949:SI10039856").unwrap_err();
    assert!(matches!(two, ParticipantFault::TwoSchemes { .. }) && two.is_of_scheme());
    assert_eq!(read(None, "SI10039856"), Err(ParticipantFault::NoScheme));
    assert_eq!(read(None, ""), Err(ParticipantFault::Empty));
    assert_eq!(read(Some("9949"), ""), Err(ParticipantFault::Empty));
}

#[test]
fn identifiers_are_checked_by_their_scheme() {
    for (id, is_good) in [
        ("0088:4012345000009", true),
        ("0088:4012345000008", false),
        ("0204:04011000-12345-03", true),
        ("0204:PO-4711", false),
        ("0208:0471497796", true),
        ("0208:0471497797", false),
        ("0192:974760673", true),
        ("0192:974760674", false),
        ("0007:5560360793", true),
        ("0007:5560360794", false),
        ("0106:60881119", true),
        ("0106:6088111", false),
        ("9930:DE136695976", true),
        ("9930:136695976", true),
        ("9930:DE136695977", false),
        ("9930:SI10039856", false),
        ("9949:SI10039856", true),
        ("9949:SI10039857", false),
        ("9933:EL094259216", true),
        ("9927:CHE123456789", true),
        ("0130:whatever-it-is", true),
        ("0130:with space", false),
        ("0130:a/b", false),
    ] {
        let read = read(None, id);
        assert_eq!(read.is_ok(), is_good, "{id}: {read:?}");
    }
    let long = format!("0130:{}", "a".repeat(Participant::MAX_ID + 1));
    assert_eq!(read(None, &long), Err(ParticipantFault::Form));
}

#[test]
fn unknown_and_withdrawn_schemes_say_what_there_is() {
    for (scheme, hint) in
        [("EM", "four digits"), ("9958", "0204"), ("1234", "1234"), ("99", "four")]
    {
        let fault = read(Some(scheme), "x").unwrap_err();
        assert!(fault.is_of_scheme() && fault.to_string().contains(hint), "{scheme}: {fault}");
    }
}

#[test]
fn a_vat_number_is_an_identifier_of_its_state() {
    for (country, number, expected) in [
        (Some("SI"), "10039856", Some("9949:SI10039856")),
        (Some("DE"), "DE 136695976", Some("9930:DE136695976")),
        (Some("GR"), "094259216", Some("9933:EL094259216")),
        (Some("SI"), "10039857", None),
        (None, "12-3456789", None),
    ] {
        let read = Participant::of_vat_number(country, number).map(|one| one.to_string());
        assert_eq!(read.as_deref(), expected, "{number}");
    }
}
