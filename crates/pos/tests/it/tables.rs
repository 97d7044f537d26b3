//! Tables: their fields, their number and their end.

use racun_kernel::Patch;
use racun_pos::{MAX_TABLES, PosTable, PosTableInput};
use racun_store::Decision;

use crate::world::{World, table, word};

fn labelled(label: &str) -> PosTableInput {
    PosTableInput { label: Patch::Value(label.to_owned()), ..PosTableInput::default() }
}

fn changed(decision: Decision<PosTable>) -> Option<(PosTable, &'static str)> {
    match decision {
        Decision::Unchanged(_) => None,
        Decision::Changed { record, events, .. } => Some((record, events[0].kind.name())),
    }
}

#[test]
fn a_new_table_has_defaults() {
    let actor = World::new().actor();
    let (table, events) = labelled("Terrace 1").into_table(0, &actor).unwrap();
    assert_eq!(events[0].kind, "pos_table.created");
    assert_eq!((table.label.as_str(), table.sort_order, table.is_active), ("Terrace 1", 0, true));
}

#[test]
fn mistakes_in_a_table_are_named() {
    let actor = World::new().actor();
    let long = "ž".repeat(201);
    for (input, expected) in [
        (PosTableInput::default(), "label=required"),
        (PosTableInput { label: Patch::Null, ..PosTableInput::default() }, "label=required"),
        (labelled(" "), "label=required"),
        (labelled(&long[2..]), "ok"),
        (labelled(&long), "label=too_long"),
        (labelled("a\0"), "label=invalid_value"),
    ] {
        assert_eq!(word(&input.into_table(0, &actor)), expected);
    }
}

#[test]
fn an_entity_has_at_most_200_tables() {
    let actor = World::new().actor();
    assert_eq!(word(&labelled("Last").into_table(MAX_TABLES - 1, &actor)), "ok");
    assert_eq!(word(&labelled("Next").into_table(MAX_TABLES, &actor)), "too_many_tables");
}

#[test]
fn a_table_changes_in_part_or_not_at_all() {
    let actor = World::new().actor();
    let sort_order = Patch::Value(7);
    let input = PosTableInput { sort_order, ..PosTableInput::default() };
    let (after, event) = changed(table(1).update(input.clone(), &actor).unwrap()).unwrap();
    assert_eq!(
        (after.sort_order, after.label.as_str(), event),
        (7, "Table 1", "pos_table.updated")
    );
    assert!(changed(after.update(input, &actor).unwrap()).is_none());
    let nameless = PosTableInput { label: Patch::Null, ..PosTableInput::default() };
    assert_eq!(word(&table(1).update(nameless, &actor)), "label=required");
}

#[test]
fn a_table_in_use_stays_and_a_deleted_one_is_gone() {
    let actor = World::new().actor();
    assert_eq!(word(&table(1).delete(true, &actor)), "table_in_use");
    let (gone, event) = changed(table(1).delete(false, &actor).unwrap()).unwrap();
    assert_eq!((gone.deleted_at, event), (Some(actor.now()), "pos_table.deleted"));
    assert_eq!(word(&gone.clone().delete(false, &actor)), "not_found");
    assert_eq!(word(&gone.update(labelled("Again"), &actor)), "not_found");
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
        world.references.table = held;
        let opened = racun_pos::Tab::open(Some(&id), &world.references, &world.actor());
        assert_eq!(word(&opened), expected, "{change:?}");
    }
    let opened = racun_pos::Tab::open(Some("ptab_1"), &world.references, &world.actor());
    assert_eq!(word(&opened), "table_id=invalid_id");
}
