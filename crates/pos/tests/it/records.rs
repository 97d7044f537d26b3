//! Rows: what stores keep beside them, and that they read back.

use racun_pos::InvoiceStage;
use racun_store::{Put, Record, Value};

use crate::world::{World, line, table, table_id};

fn reads_back<A: Record + PartialEq + std::fmt::Debug>(record: &A) {
    let row = Put::insert(record);
    assert_eq!(row.values.len(), record.table().fields.len());
    let stored = racun_store::Stored { id: row.id, body: row.body };
    assert_eq!(stored.read::<A>(record.table()).as_ref(), Ok(record));
}

#[test]
fn rows_read_back_in_every_state() {
    let mut world = World::new();
    reads_back(&world.tab);
    let more = racun_pos::LineInput {
        tax_rates: Some(vec![racun_pos::TaxInput { tax_id: None, rate: Some(22.into()) }]),
        ..line(1, "1.5")
    };
    world.append(vec![more, line(2, "0.0000000001")], Some("a")).unwrap();
    reads_back(&world.tab);
    world.claim("A").unwrap();
    reads_back(&world.tab);
    let mut cancelled = world.clone();
    cancelled.cancel(None).unwrap();
    reads_back(&cancelled.tab);
    world.close("inv_1", InvoiceStage::Issued).unwrap();
    reads_back(&world.tab);
    reads_back(&table(1));
}

#[test]
fn a_table_is_occupied_until_its_tab_ends() {
    let mut world = World::new();
    world.tab.table_id = Some(table_id(1));
    let occupied = |world: &World| world.tab.value("occupied_table_id") != Value::Null;
    assert!(occupied(&world));
    world.claim("A").unwrap();
    assert!(occupied(&world));
    assert_eq!(world.tab.value("claimed_by_device"), "A".into());
    world.close("inv_1", InvoiceStage::Issued).unwrap();
    assert!(!occupied(&world));
    assert_eq!(world.tab.value("table_id"), table_id(1).into());
    assert_eq!(world.tab.value("status"), "issued".into());
}

#[test]
fn a_deleted_table_does_not_count() {
    let mut gone = table(1);
    assert_eq!(gone.value("live_of"), gone.entity_id.into());
    gone.deleted_at = Some(gone.created_at);
    assert_eq!(gone.value("live_of"), Value::Null);
}
