//! Premises and devices: their lives, and where their sequences start.

use racun_fiscal::furs::{MovableKind, PremiseKind, SoftwareMaker};
use racun_fiscal::{
    Actor, Authority, BusinessPremise, Conflict, Device, DeviceId, FiscalError, FiscalRefusal,
    MAX_DEVICES, NewDevice, NewPremise, PremiseId, device_key, premise_key, year_of,
};
use racun_kernel::Patch;
use racun_store::{Decision, Record};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::settings::{NOW, actor, changed, refusal};

fn new(authority: Authority) -> NewPremise {
    let kind = (authority == Authority::Furs).then_some(PremiseKind::Movable(MovableKind::A));
    NewPremise { name: "A1".to_owned(), kind, starting_number: None }
}

fn later(actor: &Actor, by: Duration) -> Actor {
    actor.at(actor.now() + by)
}

/// An open premise.
fn open(authority: Authority, actor: &Actor) -> BusinessPremise {
    let made = new(authority).into_premise(authority, None, actor).unwrap();
    let premise = match made {
        Decision::Changed { record, .. } | Decision::Unchanged(record) => record,
    };
    match authority {
        Authority::Fina => premise,
        Authority::Furs => changed(premise.clone().registered(&premise, actor).unwrap()).0,
    }
}

fn device(premise: &BusinessPremise, name: &str, actor: &Actor) -> Device {
    let new = NewDevice { name: name.to_owned(), starting_number: None };
    changed(new.into_device(premise, &[], "name", actor).unwrap()).0
}

#[test]
fn a_premise_of_furs_is_a_reservation_until_it_is_registered() {
    let actor = actor(NOW);
    let made = new(Authority::Furs).into_premise(Authority::Furs, None, &actor).unwrap();
    let (reserved, events) = changed(made);
    assert!(reserved.is_reservation() && !reserved.is_active && events.is_empty());
    let missing = FiscalError::NotFound { id: reserved.id.to_string() };
    let by = |actor: &Actor| reserved.clone().restart(Patch::Value(2), true, actor).unwrap_err();
    assert_eq!(by(&actor), missing);
    assert_eq!(reserved.clone().begin_closing(&actor).unwrap_err(), missing);
    assert_eq!(reserved.clone().close(Vec::new(), &actor).unwrap_err(), missing);
    let device = NewDevice { name: "1".to_owned(), starting_number: None };
    assert_eq!(device.into_device(&reserved, &[], "name", &actor).unwrap_err(), missing);
    let (premise, events) = changed(reserved.clone().registered(&reserved, &actor).unwrap());
    assert!(premise.is_active && premise.registered_at == Some(NOW));
    assert_eq!(events, ["fiscal_premise.registered"]);
    let twice = premise.registered(&reserved, &actor).unwrap_err();
    assert_eq!(twice, Conflict::Registering.into());
}

#[test]
fn a_name_is_reserved_for_a_minute_and_used_for_ever() {
    let first = actor(NOW);
    let authority = Authority::Furs;
    let (reserved, _) = changed(new(authority).into_premise(authority, None, &first).unwrap());
    let again = |present: &BusinessPremise, by: Duration| {
        new(authority).into_premise(authority, Some(present), &later(&first, by))
    };
    let minute = Duration::MINUTE;
    let early = again(&reserved, minute - Duration::MILLISECOND).unwrap_err();
    assert_eq!(early, Conflict::Registering.into());
    let (taken, _) = changed(again(&reserved, minute).unwrap());
    assert_eq!(taken.id, reserved.id);
    let late = taken.clone().registered(&reserved, &first).unwrap_err();
    assert_eq!(late, Conflict::Registering.into(), "what was taken over is not registered");
    let premise = open(authority, &first);
    let (closed, _) = changed(premise.clone().close(Vec::new(), &first).unwrap());
    for present in [premise, closed] {
        let refused = again(&present, Duration::days(999)).unwrap_err();
        assert_eq!(refused, Conflict::PremiseName.into());
    }
}

#[test]
fn closing_ends_a_premise_and_its_devices_once() {
    let actor = actor(NOW);
    for authority in [Authority::Furs, Authority::Fina] {
        let premise = open(authority, &actor);
        let on = device(&premise, "1", &actor);
        let (off, events) = changed(device(&premise, "2", &actor).deactivate(&actor).unwrap());
        assert_eq!(events, ["fiscal_device.deactivated"]);
        assert_eq!(
            refusal(off.clone().deactivate(&actor).unwrap_err()),
            FiscalRefusal::DeviceInactive
        );
        let closed = premise.clone().close(vec![on.clone(), off.clone()], &actor).unwrap();
        let Decision::Changed { record: closed, beside, events } = closed else { panic!("open") };
        assert!(!closed.is_active && closed.closed_at == Some(NOW));
        assert_eq!(beside.iter().map(|put| put.id.clone()).collect::<Vec<_>>(), [on.id()]);
        let kinds: Vec<_> = events.iter().map(|event| event.kind.name()).collect();
        assert_eq!(kinds, ["fiscal_premise.closed", "fiscal_device.deactivated"]);
        for refused in [
            closed.clone().close(Vec::new(), &actor).unwrap_err(),
            closed.clone().begin_closing(&actor).unwrap_err(),
            closed.clone().restart(Patch::Null, true, &actor).unwrap_err(),
            NewDevice { name: "3".to_owned(), starting_number: None }
                .into_device(&closed, &[], "name", &actor)
                .unwrap_err(),
        ] {
            assert_eq!(refusal(refused), FiscalRefusal::PremiseClosed);
        }
        assert_eq!(
            refusal(off.restart(Patch::Null, true, &actor).unwrap_err()),
            FiscalRefusal::DeviceInactive
        );
    }
}

#[test]
fn furs_gets_the_day_in_ljubljana() {
    let late = datetime!(2026-12-31 23:30 UTC);
    let premise = open(Authority::Furs, &actor(late));
    for is_closing in [false, true] {
        let maker = SoftwareMaker::TaxNumber("24564444".to_owned());
        let told = premise.message("10039856", is_closing, maker.clone(), &actor(late)).unwrap();
        assert_eq!(told.valid_from, time::macros::date!(2027 - 01 - 01));
        assert_eq!((told.is_closing, &*told.name, told.software_maker), (is_closing, "A1", maker));
    }
    assert_eq!(
        open(Authority::Fina, &actor(late)).message(
            "69435151530",
            false,
            SoftwareMaker::default(),
            &actor(late)
        ),
        None
    );
}

/// Sets a start of a premise, and answers it.
fn restart(
    premise: &BusinessPremise,
    sent: Patch<i64>,
    is_unused: bool,
    at: OffsetDateTime,
) -> Result<BusinessPremise, FiscalError> {
    let decision = premise.clone().restart(sent, is_unused, &actor(at))?;
    Ok(match decision {
        Decision::Unchanged(premise) | Decision::Changed { record: premise, .. } => premise,
    })
}

#[test]
fn a_start_holds_for_one_year_and_until_the_first_number() {
    let premise = open(Authority::Fina, &actor(NOW));
    let set = restart(&premise, Patch::Value(500), true, NOW).unwrap();
    assert_eq!((set.starting_number_in(2026), set.starting_number_in(2027)), (Some(500), None));
    for (sent, expected) in [
        (Patch::Absent, Some(500)),
        (Patch::Value(500), Some(500)),
        (Patch::Value(1), Some(1)),
        (Patch::Null, None),
        (Patch::Value(999_999_999), Some(999_999_999)),
    ] {
        let unused = restart(&set, sent, true, NOW).unwrap();
        assert_eq!(unused.starting_number_in(2026), expected, "{sent:?}");
        let used = restart(&set, sent, false, NOW);
        match expected {
            Some(500) => assert_eq!(used.unwrap().starting_number_in(2026), Some(500)),
            _ => assert_eq!(refusal(used.unwrap_err()), FiscalRefusal::StartingNumberLocked),
        }
    }
    for wrong in [0, -1, 1_000_000_000, i64::MIN] {
        for is_unused in [true, false] {
            let refused = restart(&set, Patch::Value(wrong), is_unused, NOW).unwrap_err();
            let FiscalError::Invalid(issues) = refused else { panic!("{refused:?}") };
            assert!(issues.to_string().starts_with("starting_number: "), "{issues}");
        }
    }
    // The year begins in Zagreb before it does in UTC; what was set for the old one is history.
    let new_year = datetime!(2026-12-31 23:00 UTC);
    assert_eq!(year_of(Authority::Fina, new_year), 2027);
    assert_eq!(year_of(Authority::Fina, new_year - Duration::SECOND), 2026);
    let refused = restart(&set, Patch::Value(500), false, new_year).unwrap_err();
    assert_eq!(refusal(refused), FiscalRefusal::StartingNumberLocked);
    assert!(restart(&set, Patch::Null, false, new_year).is_ok(), "1 is where it started");
    let next = restart(&set, Patch::Value(500), true, new_year).unwrap();
    assert_eq!((next.starting_number_in(2026), next.starting_number_in(2027)), (None, Some(500)));
}

#[test]
fn a_device_is_named_once_in_its_premise_and_there_are_so_many() {
    let actor = actor(NOW);
    let premise = open(Authority::Fina, &actor);
    let named = |name: &str, present: &[Device]| {
        let new = NewDevice { name: name.to_owned(), starting_number: None };
        new.into_device(&premise, present, "electronic_device_name", &actor)
    };
    let (one, _) = changed(named("1", &[]).unwrap());
    let (gone, _) = changed(one.clone().deactivate(&actor).unwrap());
    for present in [one.clone(), gone] {
        let refused = named("1", &[present]).unwrap_err();
        assert_eq!(refused, Conflict::DeviceName.into());
    }
    let many: Vec<Device> =
        (0..MAX_DEVICES).map(|n| Device { name: format!("1{n}"), ..one.clone() }).collect();
    assert!(named("9", &many[1..]).is_ok());
    assert_eq!(refusal(named("9", &many).unwrap_err()), FiscalRefusal::TooManyDevices);
    let FiscalError::Invalid(issues) = named("B1", &[]).unwrap_err() else { panic!("a name") };
    assert!(issues.to_string().starts_with("electronic_device_name: "), "{issues}");
}

#[test]
fn rows_are_found_by_names_and_ids_tell_the_authority() {
    let actor = actor(NOW);
    for (authority, prefix, of_device) in [
        (Authority::Furs, "premise_", "device_"),
        (Authority::Fina, "fina_premise_", "fina_device_"),
    ] {
        let premise = open(authority, &actor);
        let device = device(&premise, "1", &actor);
        assert!(premise.id().starts_with(prefix) && device.id().starts_with(of_device));
        assert_eq!(premise.id().parse(), Ok(premise.id));
        assert_eq!(device.id().parse(), Ok(device.id));
        assert!(
            premise.id().parse::<DeviceId>().is_err() && device.id().parse::<PremiseId>().is_err()
        );
        assert_eq!(premise.value("key"), premise_key(authority, "A1").into());
        assert_eq!(device.value("key"), device_key(premise.id, "1").into());
        assert_eq!(device.value("premise_id"), premise.id().into());
        assert_eq!(premise.values().len(), premise.table().fields.len());
        assert_eq!(device.values().len(), device.table().fields.len());
        let read: BusinessPremise =
            serde_json::from_str(&serde_json::to_string(&premise).unwrap()).unwrap();
        assert_eq!(read, premise);
    }
}
