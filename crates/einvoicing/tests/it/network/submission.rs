//! Each state meets each event.

use racun_einvoicing::network::{
    NO_ANSWER, NO_OUTCOME, NetworkDocument, NewSubmission, Participant, Submission,
    SubmissionEvent, SubmissionState, id_of_key, key_of,
};
use racun_kernel::Environment;
use racun_kernel::id::EInvoiceSubmissionId;
use racun_store::testing;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use ulid::Ulid;

use SubmissionState::{Created, Delivered, Failed, Sending, Submitted};

const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

fn new() -> Submission {
    let stamp = testing::stamp(NOW);
    let party = |id| Participant::read(None, id).unwrap();
    let document_id = format!("inv_{}", stamp.ulid().to_string().to_lowercase()).parse().unwrap();
    let new = NewSubmission {
        id: stamp.id(),
        entity_id: stamp.id(),
        environment: Environment::Sandbox,
        document_id,
        document: NetworkDocument::Invoice,
        sender: party("9949:SI10039856"),
        account: "7".to_owned(),
        recipient: Some(party("9930:DE136695976")),
        recipient_name: None,
        xml: "<Invoice/>".to_owned(),
    };
    Submission::new(new, NOW)
}

fn refused() -> SubmissionEvent {
    SubmissionEvent::Refused { code: "bad".to_owned(), message: "no".to_owned() }
}

fn undelivered() -> SubmissionEvent {
    SubmissionEvent::Undelivered { code: "late".to_owned(), message: "no".to_owned() }
}

fn unanswered() -> SubmissionEvent {
    SubmissionEvent::Unanswered("away".to_owned())
}

fn taken() -> SubmissionEvent {
    SubmissionEvent::Taken(Some("r-1".to_owned()))
}

/// A submission in a state; the failed one for certain, and for want of an answer.
fn at(name: &str) -> Submission {
    let after = |events: Vec<SubmissionEvent>| {
        events.into_iter().fold(new(), |submission, event| submission.after(event, NOW))
    };
    match name {
        "created" => new(),
        "sending" => after(vec![SubmissionEvent::Begun]),
        "submitted" => after(vec![SubmissionEvent::Begun, taken()]),
        "delivered" => after(vec![SubmissionEvent::Begun, taken(), SubmissionEvent::Delivered]),
        "refused" => after(vec![SubmissionEvent::Begun, refused()]),
        "refused later" => {
            after(vec![SubmissionEvent::Begun, unanswered(), SubmissionEvent::Begun, refused()])
        }
        "refused after a death" => {
            after(vec![SubmissionEvent::Begun, SubmissionEvent::Begun, refused()])
        }
        _ => after((0..24).flat_map(|_| [SubmissionEvent::Begun, unanswered()]).collect()),
    }
}

#[test]
fn each_state_meets_each_event() {
    let events = [
        SubmissionEvent::Begun,
        taken(),
        refused(),
        unanswered(),
        SubmissionEvent::Delivered,
        undelivered(),
        SubmissionEvent::UnderWay,
    ];
    let table = [
        ("created", [Sending, Submitted, Failed, Sending, Delivered, Failed, Created]),
        ("sending", [Sending, Submitted, Failed, Sending, Delivered, Failed, Sending]),
        ("submitted", [Submitted, Submitted, Submitted, Submitted, Delivered, Failed, Submitted]),
        ("delivered", [Delivered; 7]),
        ("refused", [Failed; 7]),
        ("refused later", [Failed, Submitted, Failed, Failed, Delivered, Failed, Failed]),
        ("refused after a death", [Failed, Submitted, Failed, Failed, Delivered, Failed, Failed]),
        ("unanswered", [Failed, Submitted, Failed, Failed, Delivered, Failed, Failed]),
    ];
    for (name, expected) in table {
        for (event, expected) in events.iter().zip(expected) {
            let after = at(name).after(event.clone(), NOW);
            assert_eq!(after.state, expected, "{name} meets {event:?}");
            assert_eq!(after.due_at.is_none(), after.state.is_over(), "{name} meets {event:?}");
            assert_eq!(after.ended_at.is_some(), after.state.is_over(), "{name} meets {event:?}");
        }
    }
}

#[test]
fn only_what_failed_for_certain_makes_room_for_another() {
    for (name, is_free) in [
        ("created", false),
        ("sending", false),
        ("submitted", false),
        ("delivered", false),
        ("unanswered", false),
        ("refused later", false),
        ("refused after a death", false),
        ("refused", true),
    ] {
        let submission = at(name);
        assert_eq!(submission.may_be_replaced(), is_free, "{name}");
        assert_eq!(submission.document_key().is_none(), is_free, "{name}");
    }
    let lost = at("unanswered");
    assert_eq!(lost.error.as_ref().map(|error| error.code.as_str()), Some(NO_ANSWER));
    let again = lost.clone().ordered_again(NOW);
    assert_eq!((again.state, again.id, again.sendings), (Created, lost.id, 0));
    let refused = again.after(SubmissionEvent::Begun, NOW).after(refused(), NOW);
    assert!(!refused.may_be_replaced(), "a sending before this order may have been taken");
    for name in ["created", "submitted", "delivered", "refused"] {
        assert_eq!(at(name).ordered_again(NOW), at(name), "{name}");
    }
}

#[test]
fn what_the_provider_has_is_looked_after_until_it_says_what_became_of_it() {
    let mut submission = at("submitted");
    let mut now = NOW;
    let mut longest = Duration::ZERO;
    while let Some(due) = submission.due_at {
        assert!(due > now, "a look follows another after a while");
        longest = longest.max(due - now);
        now = due;
        submission = submission.after(SubmissionEvent::UnderWay, now);
    }
    assert_eq!(submission.state, Failed);
    assert!(now - NOW > Duration::days(14) && now - NOW < Duration::days(15), "{now}");
    assert_eq!(longest, Duration::hours(6));
    assert_eq!(submission.error.as_ref().unwrap().code, NO_OUTCOME);
    assert!(!submission.may_be_replaced(), "the receiver may have it");
    let again = submission.clone().ordered_again(now);
    assert_eq!(again.state, Submitted, "it is looked after again, and not sent");
    let late = submission.after(SubmissionEvent::Delivered, now);
    assert_eq!((late.state, late.error), (Delivered, None));
}

#[test]
fn a_lost_answer_is_made_good_by_the_next_one() {
    let submission = at("sending").after(unanswered(), NOW);
    assert_eq!(submission.error.as_ref().unwrap().message, "away");
    let submission = submission.after(SubmissionEvent::Begun, NOW);
    assert_eq!(submission.sendings, 2);
    let taken = submission.after(SubmissionEvent::Taken(None), NOW);
    assert_eq!((taken.state, &taken.provider_reference, &taken.error), (Submitted, &None, &None));
    let named = taken.after(SubmissionEvent::Taken(Some("r-1".to_owned())), NOW);
    assert_eq!(named.provider_reference.as_deref(), Some("r-1"));
    let kept = named.after(SubmissionEvent::Taken(None), NOW);
    assert_eq!(kept.provider_reference.as_deref(), Some("r-1"));
}

#[test]
fn the_key_is_the_id_as_a_uuid() {
    let id = EInvoiceSubmissionId::new(Ulid::from(0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128));
    assert_eq!(key_of(id), "01234567-89ab-cdef-0011-223344556677");
    assert_eq!(id_of_key(&key_of(id)), Some(id));
    for key in
        ["", "0123", "01234567-89ab-cdef-0011-22334455667", "z1234567-89ab-cdef-0011-223344556677"]
    {
        assert_eq!(id_of_key(key), None, "{key}");
    }
}
