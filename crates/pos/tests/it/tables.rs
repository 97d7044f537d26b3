//! Tables: their fields, their number and their end.

use racun_kernel::{Decision, Patch};
use racun_pos::{MAX_TABLES, PosTable, PosTableInput};

use crate::world::{World, table, word};

fn labelled(label: &str) -> PosTableInput {
    PosTableInput { label: Patch::Value(label.to_owned()), ..PosTableInput::default() }
}

fn changed(decision: Decision<PosTable>) -> Option<(PosTable, &'static str)> {
    match decision {
        Decision::Unchanged(_) => None,
        Decision::Changed { record, events, .. } => Some((record, events[0].kind)),
    }
}

#[test]
fn a_new_table_has_defaults() {
    let act = World::new().act();
    let (table, events) = labelled("Terrace 1").into_table(0, &act).unwrap();
    assert_eq!(events[0].kind, "pos_table.created");
    assert_eq!((table.label.as_str(), table.sort_order, table.is_active), ("Terrace 1", 0, true));
}

#[test]
fn what_is_wrong_with_a_table_is_named() {
    let act = World::new().act();
    let long = "ž".repeat(201);
    for (input, expected) in [
        (PosTableInput::default(), "label=required"),
        (PosTableInput { label: Patch::Null, ..PosTableInput::default() }, "label=required"),
        (labelled(" "), "label=required"),
        (labelled(&long[2..]), "ok"),
        (labelled(&long), "label=too_long"),
        (labelled("a\0"), "label=invalid_value"),
    ] {
        assert_eq!(word(&input.into_table(0, &act)), expected);
    }
}

#[test]
fn an_entity_has_at_most_200_tables() {
    let act = World::new().act();
    assert_eq!(word(&labelled("Last").into_table(MAX_TABLES - 1, &act)), "ok");
    assert_eq!(word(&labelled("Next").into_table(MAX_TABLES, &act)), "too_many_tables");
}

#[test]
fn a_table_changes_in_part_or_not_at_all() {
    let act = World::new().act();
    let sort_order = Patch::Value(7);
    let input = PosTableInput { sort_order, ..PosTableInput::default() };
    let (after, event) = changed(table(1).update(input.clone(), &act).unwrap()).unwrap();
    assert_eq!(
        (after.sort_order, after.label.as_str(), event),
        (7, "Table 1", "pos_table.updated")
    );
    assert!(changed(after.update(input, &act).unwrap()).is_none());
    let nameless = PosTableInput { label: Patch::Null, ..PosTableInput::default() };
    assert_eq!(word(&table(1).update(nameless, &act)), "label=required");
}

#[test]
fn a_table_in_use_stays_and_a_deleted_one_is_gone() {
    let act = World::new().act();
    assert_eq!(word(&table(1).delete(true, &act)), "table_in_use");
    let (gone, event) = changed(table(1).delete(false, &act).unwrap()).unwrap();
    assert_eq!((gone.deleted_at, event), (Some(act.now()), "pos_table.deleted"));
    assert_eq!(word(&gone.clone().delete(false, &act)), "not_found");
    assert_eq!(word(&gone.update(labelled("Again"), &act)), "not_found");
}

#[test]
fn a_tab_is_opened_on_an_active_table_only() {
    let mut world = World::new();
    let id = table(1).id.to_string();
    for (change, expected) in [
        (None, "ok"),
        (Some("inactive"), "table_id=table_inactive"),
        (Some("deleted"), "table_id=not_found"),
        (Some("missing"), "table_id=not_found"),
    ] {
        let mut held = Some(table(1));
        match change {
            Some("inactive") => held.as_mut().unwrap().is_active = false,
            Some("deleted") => held.as_mut().unwrap().deleted_at = Some(world.now()),
            Some(_) => held = None,
            None => {}
        }
        world.known.table = held;
        let opened = racun_pos::Tab::open(Some(&id), &world.known, &world.act());
        assert_eq!(word(&opened), expected, "{change:?}");
    }
    let opened = racun_pos::Tab::open(Some("ptab_1"), &world.known, &world.act());
    assert_eq!(word(&opened), "table_id=invalid_id");
}
