//! Each state meets each event.

use racun_einvoicing::network::{
    Enrollment, EnrollmentEvent, EnrollmentState, Participant, SenderFacts, Standing,
    missing_fields,
};
use racun_store::testing;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use EnrollmentState::{
    EnrollmentPending, MissingEntityData, NotEnabled, ProviderError, Rejected,
    ReverificationRequired, VerificationInProgress, VerificationRequired, Verified,
};

const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

fn sender() -> Participant {
    Participant::read(None, "9949:SI10039856").unwrap()
}

fn at(state: EnrollmentState) -> Enrollment {
    let sender = (state != NotEnabled).then(sender);
    let none = Enrollment::none(testing::stamp(NOW).id(), NOW);
    Enrollment { state, sender, account: Some("7".to_owned()), ..none }
}

fn wanted(missing: &[&str]) -> EnrollmentEvent {
    let missing = missing.iter().map(|field| (*field).to_owned()).collect();
    EnrollmentEvent::Wanted { sender: Some(sender()), missing }
}

#[test]
fn each_state_meets_each_event() {
    let told = EnrollmentEvent::Told;
    let events = [
        EnrollmentEvent::Unwanted,
        wanted(&["city"]),
        wanted(&[]),
        told(Standing::InProgress),
        told(Standing::NeedsVerification(None)),
        told(Standing::Verified),
        told(Standing::Rejected("no".to_owned())),
        EnrollmentEvent::Unreachable("away".to_owned()),
    ];
    let table = [
        (
            NotEnabled,
            [
                NotEnabled,
                MissingEntityData,
                EnrollmentPending,
                NotEnabled,
                NotEnabled,
                NotEnabled,
                NotEnabled,
                NotEnabled,
            ],
        ),
        (
            MissingEntityData,
            [
                NotEnabled,
                MissingEntityData,
                EnrollmentPending,
                MissingEntityData,
                MissingEntityData,
                MissingEntityData,
                MissingEntityData,
                MissingEntityData,
            ],
        ),
        (
            EnrollmentPending,
            [
                NotEnabled,
                MissingEntityData,
                EnrollmentPending,
                VerificationInProgress,
                VerificationRequired,
                Verified,
                Rejected,
                ProviderError,
            ],
        ),
        (
            VerificationRequired,
            [
                NotEnabled,
                MissingEntityData,
                VerificationRequired,
                VerificationInProgress,
                VerificationRequired,
                Verified,
                Rejected,
                ProviderError,
            ],
        ),
        (
            VerificationInProgress,
            [
                NotEnabled,
                MissingEntityData,
                VerificationInProgress,
                VerificationInProgress,
                VerificationRequired,
                Verified,
                Rejected,
                ProviderError,
            ],
        ),
        (
            Verified,
            [
                NotEnabled,
                MissingEntityData,
                Verified,
                VerificationInProgress,
                ReverificationRequired,
                Verified,
                Rejected,
                Verified,
            ],
        ),
        (
            ReverificationRequired,
            [
                NotEnabled,
                MissingEntityData,
                ReverificationRequired,
                VerificationInProgress,
                ReverificationRequired,
                Verified,
                Rejected,
                ProviderError,
            ],
        ),
        (
            Rejected,
            [
                NotEnabled,
                MissingEntityData,
                Rejected,
                VerificationInProgress,
                VerificationRequired,
                Verified,
                Rejected,
                Rejected,
            ],
        ),
        (
            ProviderError,
            [
                NotEnabled,
                MissingEntityData,
                ProviderError,
                VerificationInProgress,
                VerificationRequired,
                Verified,
                Rejected,
                ProviderError,
            ],
        ),
    ];
    assert_eq!(table.len(), EnrollmentState::ALL.len());
    for (state, expected) in table {
        for (event, expected) in events.iter().zip(expected) {
            let after = at(state).after(event.clone(), NOW);
            assert_eq!(after.state, expected, "{state:?} meets {event:?}");
            assert_eq!(after.state.allows_sending(), after.state == Verified);
        }
    }
}

#[test]
fn another_party_is_announced_by_the_same_account() {
    let other = Participant::read(None, "9930:DE136695976").unwrap();
    let wanted = EnrollmentEvent::Wanted { sender: Some(other.clone()), missing: Vec::new() };
    let after = at(Verified).after(wanted, NOW);
    assert_eq!((after.state, &after.sender), (EnrollmentPending, &Some(other)));
    assert_eq!((after.account.as_deref(), after.is_to_open()), (Some("7"), true));
    let verified = after.after(EnrollmentEvent::Told(Standing::Verified), NOW);
    assert!(!verified.is_to_open());
}

#[test]
fn a_company_that_was_refused_is_announced_again_when_it_sends_as_another_party() {
    let other = Participant::read(None, "9930:DE136695976").unwrap();
    let wanted = || EnrollmentEvent::Wanted { sender: Some(other.clone()), missing: Vec::new() };
    let no = EnrollmentEvent::Told(Standing::Rejected("no".to_owned()));
    let refused = at(EnrollmentPending).after(no, NOW);
    let off = refused.clone().after(EnrollmentEvent::Unwanted, NOW);
    // As those are that were stored before it was noted that the account is refused.
    let of_old = Enrollment { is_refused: false, ..refused.clone() };
    for before in [refused.clone(), off, of_old] {
        let after = before.after(wanted(), NOW);
        assert_eq!((after.state, &after.account), (EnrollmentPending, &None));
        assert!(after.is_to_open());
        let opened = after.after(EnrollmentEvent::Registered("8".to_owned()), NOW);
        let verified = opened.after(EnrollmentEvent::Told(Standing::Verified), NOW);
        assert_eq!((verified.state, verified.account.as_deref()), (Verified, Some("8")));
        assert!(!verified.is_to_open() && !verified.is_refused);
    }
    // The same party is offered again by the same account: it may have become free.
    let same = refused.after(self::wanted(&[]), NOW);
    assert_eq!(same.account.as_deref(), Some("7"));
}

#[test]
fn an_account_is_opened_by_one_at_a_time_and_step_by_step() {
    let nothing = Enrollment { account: None, ..at(EnrollmentPending) };
    assert!(nothing.is_to_open() && !nothing.is_being_opened(NOW));
    let begun = nothing.after(EnrollmentEvent::Opening, NOW);
    assert!(begun.is_being_opened(NOW) && !begun.is_being_opened(NOW + Duration::minutes(1)));
    let opened = begun.clone().after(EnrollmentEvent::Registered("8".to_owned()), NOW);
    assert_eq!((opened.account.as_deref(), opened.is_to_open()), (Some("8"), true));
    let second = opened.clone().after(EnrollmentEvent::Registered("9".to_owned()), NOW);
    assert_eq!(second.account.as_deref(), Some("8"), "of two the first stays");
    let lost = opened.clone().after(EnrollmentEvent::Unreachable("away".to_owned()), NOW);
    assert!(lost.is_to_open() && !lost.is_being_opened(NOW));
    let refused = EnrollmentEvent::Told(Standing::Rejected("taken".to_owned()));
    assert!(opened.clone().after(refused, NOW).is_to_open(), "it is offered again");
    let told = opened.after(EnrollmentEvent::Told(Standing::Verified), NOW);
    assert!(!told.is_to_open() && !told.is_being_opened(NOW));
    // An account that was opened is kept whatever the settings say by then.
    let off = begun.after(EnrollmentEvent::Unwanted, NOW);
    let kept = off.after(EnrollmentEvent::Registered("8".to_owned()), NOW);
    assert_eq!((kept.account.as_deref(), kept.state), (Some("8"), NotEnabled));
}

#[test]
fn what_the_provider_said_is_shown_until_it_says_something_else() {
    let page = "https://provider.example/verify".to_owned();
    let needs = EnrollmentEvent::Told(Standing::NeedsVerification(Some(page.clone())));
    let after = at(EnrollmentPending).after(needs, NOW);
    assert_eq!(after.verification_url, Some(page));
    assert_eq!(after.refreshed_at, Some(NOW));
    let refused = EnrollmentEvent::Told(Standing::Rejected("x\0".repeat(1_000)));
    let after = after.after(refused, NOW);
    assert_eq!(after.verification_url, None);
    assert_eq!(after.provider_error.map(|text| text.len()), Some(500));
    let after = at(Verified).after(EnrollmentEvent::Unreachable("away".to_owned()), NOW);
    assert_eq!(after.provider_error.as_deref(), Some("away"));
    let after = after.after(EnrollmentEvent::Told(Standing::Verified), NOW);
    assert_eq!(after.provider_error, None);
}

#[test]
fn what_is_missing_is_named_as_the_interface_names_it() {
    let all = SenderFacts {
        name: Some("Ana s.p."),
        address: Some("Cesta 1"),
        post_code: Some("1000"),
        city: Some("Ljubljana"),
        country_code: Some("SI"),
        is_supported: true,
        has_sender: true,
    };
    assert!(missing_fields(&all).is_empty());
    let none = SenderFacts {
        name: None,
        address: Some(" "),
        post_code: None,
        city: None,
        country_code: None,
        is_supported: false,
        has_sender: false,
    };
    let expected =
        ["name", "address", "post_code", "city", "country_code", "e_invoicing.sender_identifier"];
    assert_eq!(missing_fields(&none), expected);
    let elsewhere = SenderFacts { is_supported: false, ..all };
    assert_eq!(missing_fields(&elsewhere), ["provider_supported_country"]);
}
