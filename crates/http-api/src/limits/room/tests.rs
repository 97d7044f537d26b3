//! Parts of a room, and who makes room for whom.

use futures_util::FutureExt as _;

use super::*;

const MIB: usize = 1024 * 1024;
const SMALL: usize = 16 * 1024;

fn room(total: usize, reserved: usize, part: usize) -> &'static Room {
    let (of_sender, of_address) = (part, part * 4);
    let shares = Shares { total, reserved, of_sender, of_address, small: SMALL };
    Box::leak(Box::new(Room::new(shares)))
}

fn enter(room: &'static Room, sender: &str, address: &str) -> Share {
    room.enter(Guest { sender: sender.to_owned(), address: address.to_owned() })
}

fn of(room: &'static Room, account: &str) -> Share {
    enter(room, account, "an address")
}

fn from(room: &'static Room, address: &str) -> Share {
    enter(room, &format!("somebody at {address}"), address)
}

#[test]
fn an_account_has_a_part_and_one_body_always_fits_in_it() {
    let room = room(100 * MIB, 0, MIB);
    let first = of(room, "ana");
    first.grow(2 * MIB).unwrap();
    let second = of(room, "ana");
    assert_eq!(second.grow(SMALL + 1), Err(Full::Part));
    of(room, "bor").grow(MIB).unwrap();
    first.grow(MIB / 2).unwrap();
    second.grow(MIB / 2).unwrap();
    assert!(second.grow(MIB / 2 + 1).is_err());
    // An address has four parts.
    let others = ["c", "d", "e"].map(|account| of(room, account));
    assert!(others.iter().all(|body| body.grow(MIB).is_ok()));
    assert!(of(room, "f").grow(SMALL + 1).is_err());
    enter(room, "f", "elsewhere").grow(MIB).unwrap();
    drop((first, second, others));
    assert_empty(room);
}

fn assert_empty(room: &Room) {
    let taken = room.lock().taken;
    let is_empty = [&taken.long, &taken.small]
        .iter()
        .all(|parts| parts.by_sender.is_empty() && parts.by_address.is_empty());
    assert!(taken.all == 0 && is_empty && taken.holders.is_empty(), "{taken:?}");
}

#[test]
fn a_part_is_kept_for_small_bodies() {
    let room = room(2 * MIB, MIB, 10 * MIB);
    let long = of(room, "ana");
    long.grow(MIB).unwrap();
    assert!(long.grow(MIB + 1).is_err());
    assert!(of(room, "bor").grow(SMALL + 1).is_err());
    let small: Vec<_> = (0..MIB / SMALL).map(|_| of(room, "bor")).collect();
    assert!(small.iter().all(|body| body.grow(SMALL).is_ok()));
    assert!(of(room, "bor").grow(1).is_err());
    drop(long);
    of(room, "bor").grow(SMALL).unwrap();
}

#[test]
fn long_bodies_of_an_account_and_an_address_keep_out_no_small_ones() {
    let room = room(100 * MIB, 0, MIB);
    let of_address: Vec<_> = ["a", "b", "c", "d"].map(|account| of(room, account)).into();
    assert!(of_address.iter().all(|body| body.grow(MIB).is_ok()));
    for account in ["a", "e"] {
        assert!(of(room, account).grow(SMALL + 1).is_err());
        of(room, account).grow(SMALL).unwrap();
    }
    // One that grows long counts among the long ones.
    let growing = of(room, "a");
    growing.grow(SMALL).unwrap();
    assert!(growing.grow(SMALL + 1).is_err());
    drop(of_address);
    growing.grow(SMALL + 1).unwrap();
    assert!(room.lock().taken.small.by_sender.is_empty());
    assert!(of(room, "a").grow(MIB).is_err());
    drop(growing);
    assert_empty(room);
}

#[test]
fn slow_small_bodies_make_room_for_small_ones_of_their_account_or_address() {
    let room = room(100 * MIB, 0, 16 * SMALL);
    let held: Vec<_> = (0..4).map(|_| of(room, "a")).collect();
    assert!(held.iter().all(|body| body.grow(SMALL).is_ok()));
    held[0].stay().unwrap();
    of(room, "a").grow(10).unwrap();
    assert!(held[1].dismissed().now_or_never().is_some(), "the oldest that still arrives");
    assert!(held[1].grow(SMALL).is_err());
    assert!([0, 2, 3].iter().all(|n| held[*n].dismissed().now_or_never().is_none()));
    held[2].stay().unwrap();
    held[3].stay().unwrap();
    let last = of(room, "a");
    last.grow(SMALL).unwrap();
    last.stay().unwrap();
    assert!(of(room, "a").grow(1).is_err(), "all of them have arrived");
    // Of an address, too.
    let others: Vec<_> = (0..12).map(|n: usize| of(room, &format!("other {}", n / 4))).collect();
    assert!(others.iter().all(|body| body.grow(SMALL).is_ok()));
    of(room, "z").grow(SMALL).unwrap();
    assert!(others[0].dismissed().now_or_never().is_some());
    drop((held, last, others));
    assert_empty(room);
}

#[test]
fn the_largest_holder_makes_room_for_a_smaller_one() {
    let room = room(8 * MIB, 0, 4 * MIB);
    let held: Vec<_> =
        ["b", "a", "a", "a", "b", "a", "c", "a"].map(|address| from(room, address)).into();
    assert!(held.iter().all(|body| body.grow(MIB).is_ok() || body.number == 7));
    let seventh = from(room, "d");
    seventh.grow(MIB).unwrap();
    assert!(held.iter().all(|body| body.dismissed().now_or_never().is_none()), "one was free");

    held[1].stay().unwrap();
    let guest = from(room, "e");
    guest.grow(MIB).unwrap();
    // The oldest one of the crowd that had not arrived went.
    assert!(held[2].dismissed().now_or_never().is_some());
    assert!(held[2].grow(1).is_err() && held[2].stay().is_err());
    assert_eq!(room.taken_size(), 8 * MIB);
    // No body makes room for an address that would have more.
    assert!(guest.grow(4 * MIB).is_err());
    assert_eq!(room.taken_size(), 8 * MIB);
    drop((held, seventh, guest));
    assert_empty(room);
}

#[tokio::test]
async fn a_waiter_gets_released_room() {
    let (room, patience) = (room(MIB, 0, MIB / 2), Duration::from_secs(60));
    let first = of(room, "ana");
    first.grow(MIB / 2).unwrap();
    let second = of(room, "ana");
    assert_eq!(second.wait_for(MIB / 2, Duration::ZERO).await, Err(Full::Part));
    let mut waiting = Box::pin(second.wait_for(MIB / 2, patience));
    assert!(waiting.as_mut().now_or_never().is_none());
    first.grow(MIB / 4).unwrap();
    assert!(waiting.as_mut().now_or_never().is_none(), "that was too little");
    drop(first);
    assert_eq!(waiting.await, Ok(()));
    drop(second);
    assert_empty(room);
}

#[test]
fn without_small_ones_places_are_counted_and_go_from_the_most_crowded_address() {
    let shares = Shares { total: 6, reserved: 0, of_sender: 2, of_address: 4, small: 0 };
    let room: &'static Room = Box::leak(Box::new(Room::new(shares)));
    let held: Vec<_> = ["a", "a", "b", "b"].map(|sender| enter(room, sender, "crowd")).into();
    assert!(held.iter().all(|one| one.grow(1).is_ok()));
    assert_eq!(enter(room, "a", "elsewhere").grow(1), Err(Full::Part), "of the account");
    assert_eq!(enter(room, "c", "crowd").grow(1), Err(Full::Part), "of the address");
    let others: Vec<_> = (0..3).map(|n| enter(room, &format!("o{n}"), "other")).collect();
    assert!(others.iter().all(|one| one.grow(1).is_ok()));
    assert!(held[0].dismissed().now_or_never().is_some());
    assert!(held[1].dismissed().now_or_never().is_none());
    assert_eq!(held[0].stay(), Err(Full::Room));
}
