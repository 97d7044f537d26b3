//! Every state of a tab against every command.

use racun_kernel::{Patch, Principal};
use racun_pos::{InvoiceStage, PosError, TabState, TabStatus};
use racun_store::Decision;
use time::Duration;

use crate::world::{START, World, decimal, device, invoice_id, line, patch, user, word};

/// A tab with one line, in the state that `name` says; device A has the claim.
fn tab_in(name: &str) -> World {
    let mut world = World::new();
    world.append(vec![line(1, "1")], Some("first")).unwrap();
    if name != "open" && name != "cancelled" {
        world.claim("A").unwrap();
    }
    match name {
        "open" | "claimed" => {}
        "expired" => world.pass(Duration::seconds(300)),
        "almost expired" => world.pass(Duration::milliseconds(299_999)),
        "issued" => world.close("inv_1", InvoiceStage::Issued).unwrap(),
        "cancelled" => world.cancel(None).unwrap(),
        other => panic!("no state {other}"),
    }
    world.happened();
    world
}

/// Gives `command` to `world`, with a right version where one is asked for.
fn give(world: &mut World, command: &str) -> Result<(), PosError> {
    let version = world.tab.version;
    let note = |note: &str| Patch::Value(note.to_owned());
    match command {
        "append" => world.append(vec![line(2, "1")], Some("second")),
        "append unnamed" => world.append(vec![line(1, "1")], None),
        "append again" => world.append(vec![line(1, "1")], Some("first")),
        "append nothing" => world.append(Vec::new(), Some("second")),
        "replace" => {
            let items = Patch::Value(vec![line(3, "1")]);
            world.replace(racun_pos::TabPatch { items, ..patch(version) })
        }
        "replace nothing" => world.replace(patch(version)),
        "replace stale" => {
            let note = note("late");
            world.replace(racun_pos::TabPatch { note, ..patch(version - 1) })
        }
        "claim A" => world.claim("A"),
        "claim B" => world.claim("B"),
        "release A" => world.release("A"),
        "release B" => world.release("B"),
        "close" => world.close("inv_1", InvoiceStage::Issued),
        "close other" => world.close("inv_2", InvoiceStage::Issued),
        "close missing" => world.close("inv_3", InvoiceStage::Missing),
        "close draft" => world.close("inv_3", InvoiceStage::Draft),
        "close voided" => world.close("inv_3", InvoiceStage::Voided),
        "close again voided" => world.close("inv_1", InvoiceStage::Voided),
        "cancel" => world.cancel(None),
        "cancel expected" => world.cancel(Some(version)),
        "cancel stale" => world.cancel(Some(version - 1)),
        other => panic!("no command {other}"),
    }
}

/// What becomes of a tab: `status`, what happened; `same` when nothing; or the refusal's code.
fn outcome(state: &str, command: &str) -> String {
    let mut world = tab_in(state);
    let before = world.tab.clone();
    let result = give(&mut world, command);
    if let Err(error) = &result {
        assert_eq!(world.tab, before, "{state}, {command}: refused, but changed");
        assert!(world.events.is_empty(), "{state}, {command}");
        if let PosError::Tab(refused) = error {
            assert_eq!(refused.tab, before, "{state}, {command}: a refusal carries the tab");
        }
        return word(&result);
    }
    if world.tab == before {
        assert!(world.events.is_empty(), "{state}, {command}: nothing changed, but it happened");
        return "same".to_owned();
    }
    assert_eq!(world.tab.version, before.version + 1, "{state}, {command}");
    assert_eq!(world.tab.updated_at, world.now(), "{state}, {command}");
    format!("{} {}", world.tab.status().name(), world.happened()).trim().to_owned()
}

#[test]
fn every_command_on_an_open_tab() {
    for (command, expected) in [
        ("append", "open"),
        ("append unnamed", "open"),
        ("append again", "same"),
        ("append nothing", "items=required"),
        ("replace", "open pos_tab.updated"),
        ("replace nothing", "same"),
        ("replace stale", "stale_version"),
        ("claim A", "issuing pos_tab.claimed"),
        ("release A", "same"),
        ("close", "not_claimed"),
        ("close missing", "not_claimed"),
        ("cancel", "cancelled pos_tab.cancelled"),
        ("cancel expected", "cancelled pos_tab.cancelled"),
        ("cancel stale", "stale_version"),
    ] {
        assert_eq!(outcome("open", command), expected, "{command}");
    }
}

#[test]
fn every_command_under_a_live_claim() {
    for state in ["claimed", "almost expired"] {
        for (command, expected) in [
            ("append", "already_claimed"),
            ("append unnamed", "already_claimed"),
            ("append again", "same"),
            ("replace", "already_claimed"),
            ("replace nothing", "already_claimed"),
            ("replace stale", "already_claimed"),
            ("claim A", "same"),
            ("claim B", "already_claimed"),
            ("release A", "open pos_tab.released"),
            ("release B", "not_claimant"),
            ("close", "issued pos_tab.issued"),
            ("close missing", "invoice_id=not_found"),
            ("close draft", "invoice_id=document_is_draft"),
            ("close voided", "invoice_id=document_voided"),
            ("cancel", "cancelled pos_tab.cancelled"),
            ("cancel expected", "cancelled pos_tab.cancelled"),
            ("cancel stale", "stale_version"),
        ] {
            assert_eq!(outcome(state, command), expected, "{state}, {command}");
        }
    }
}

#[test]
fn every_command_when_the_claim_ran_out() {
    for (command, expected) in [
        ("append", "open pos_tab.released"),
        ("append again", "same"),
        ("append nothing", "items=required"),
        ("replace", "open pos_tab.released pos_tab.updated"),
        ("replace stale", "stale_version"),
        ("claim A", "issuing pos_tab.claimed"),
        ("claim B", "issuing pos_tab.claimed"),
        ("release A", "open pos_tab.released"),
        ("release B", "open pos_tab.released"),
        ("close", "issued pos_tab.issued"),
        ("cancel", "cancelled pos_tab.cancelled"),
    ] {
        assert_eq!(outcome("expired", command), expected, "{command}");
    }
}

#[test]
fn a_tab_that_ended_never_changes() {
    let changes =
        ["append", "replace", "replace stale", "claim A", "release A", "cancel", "cancel stale"];
    for command in changes {
        assert_eq!(outcome("issued", command), "tab_issued", "{command}");
        assert_eq!(outcome("cancelled", command), "tab_cancelled", "{command}");
    }
    for state in ["issued", "cancelled"] {
        assert_eq!(outcome(state, "append again"), "same", "{state}");
    }
    assert_eq!(outcome("issued", "close"), "same");
    assert_eq!(outcome("issued", "close again voided"), "same");
    assert_eq!(outcome("issued", "close other"), "tab_issued_otherwise");
    assert_eq!(outcome("cancelled", "close"), "tab_cancelled");
}

#[test]
fn a_tab_is_opened_empty_at_version_1() {
    let mut world = World::new();
    assert_eq!(world.happened(), "pos_tab.opened");
    let tab = &world.tab;
    assert_eq!((tab.version, tab.status(), tab.lines.len()), (1, TabStatus::Open, 0));
    assert_eq!((tab.opened_by_user_id, tab.updated_by_user_id), (Some(user()), Some(user())));
    assert_eq!((tab.created_at, tab.updated_at), (START, START));
}

#[test]
fn states_hold_when_and_by_whom() {
    let mut world = tab_in("open");
    world.pass(Duration::minutes(1));
    world.claim("A").unwrap();
    let claim = world.tab.claimant().unwrap().clone();
    assert_eq!((claim.device, claim.claimed_at), (device("A"), world.now()));
    world.pass(Duration::minutes(5));
    world.claim("B").unwrap();
    let claim = world.tab.claimant().unwrap().clone();
    assert_eq!((claim.device, claim.claimed_at), (device("B"), world.now()));
    world.pass(Duration::minutes(1));
    world.close("inv_7", InvoiceStage::Issued).unwrap();
    let issued = TabState::Issued {
        invoice_id: invoice_id("inv_7"),
        issued_at: world.now(),
        totals: None,
        invoice_difference: None,
    };
    assert_eq!(world.tab.state, issued);
    assert_eq!(world.tab.claimant(), None);
}

#[test]
fn an_invoice_of_another_total_is_noted_and_reported() {
    for (tab, before, invoice, expected, told) in [
        ("12.60", "0", "9.20", "-3.4", "pos_tab.issued pos_tab.invoice_differs"),
        ("12.60", "9.20", "9.20", "-12.6", "pos_tab.issued pos_tab.invoice_differs"),
        ("12.60", "9.20", "21.80", "0", "pos_tab.issued"),
        ("12.60", "0", "21.80", "9.2", "pos_tab.issued pos_tab.invoice_differs"),
    ] {
        let mut world = tab_in("claimed");
        let reckoning = racun_pos::Reckoning {
            totals: Some(racun_pos::TabTotals {
                gross: decimal(tab),
                ..racun_pos::TabTotals::nothing()
            }),
            invoice_total: Some(decimal(invoice)),
            closed_before: decimal(before),
        };
        world.close_by("inv_1", InvoiceStage::Issued, reckoning).unwrap();
        let TabState::Issued { invoice_difference, totals, .. } = &world.tab.state else {
            panic!()
        };
        assert_eq!(invoice_difference, &Some(decimal(expected)), "{tab} {before} {invoice}");
        assert_eq!(totals.as_ref().unwrap().gross, decimal(tab));
        assert_eq!(world.tab.invoices[0].invoice_id, invoice_id("inv_1"));
        assert_eq!(world.happened(), told);
    }
}

#[test]
fn a_claim_is_not_prolonged_by_claiming_again() {
    let mut world = tab_in("almost expired");
    world.claim("A").unwrap();
    world.pass(Duration::milliseconds(1));
    world.claim("B").unwrap();
    assert_eq!(world.tab.claimant().unwrap().device, device("B"));
}

#[test]
fn a_clock_that_went_back_leaves_a_claim_alive() {
    let mut world = tab_in("claimed");
    world.pass(Duration::minutes(-10));
    assert_eq!(word(&world.claim("B")), "already_claimed");
}

#[test]
fn programs_are_not_operators() {
    let mut world = tab_in("open");
    let program = world.actor_as(Principal::System);
    let tab = world.tab.clone();
    let decided =
        tab.append(vec![line(2, "1")], racun_pos::Naming::Unnamed, &world.references, &program);
    assert!(matches!(&decided, Ok(Decision::Changed { .. })));
    world.apply(decided).unwrap();
    assert_eq!(world.tab.opened_by_user_id, Some(user()));
    assert_eq!(world.tab.updated_by_user_id, None);
    assert_eq!(world.tab.lines[0].added_by_user_id, Some(user()));
    assert_eq!(world.tab.lines[1].added_by_user_id, None);
}

#[test]
fn a_device_has_a_name() {
    use racun_pos::DeviceId;
    for (name, expected) in [
        ("till-1", "ok"),
        ("", "device_id=required"),
        (" ", "device_id=required"),
        ("a\0", "device_id=invalid_value"),
        (&"ž".repeat(100), "ok"),
        (&"ž".repeat(101), "device_id=too_long"),
    ] {
        assert_eq!(word(&DeviceId::parse(name.to_owned())), expected, "{name}");
    }
}
