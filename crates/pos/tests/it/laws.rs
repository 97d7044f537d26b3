//! Laws over random commands, against a model that only counts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use racun_kernel::{Decimal, Patch};
use racun_pos::{CLAIM_TTL, InvoiceStage, LineInput, TabPatch, TabStatus};
use time::{Duration, OffsetDateTime};

use crate::world::{World, line, patch, word};

/// A line as a law sees it: an item, a note that keeps orders apart, and hundredths of a piece.
type Order = (u128, bool, i64);

#[derive(Debug, Clone)]
enum Command {
    Append { name: Option<u8>, orders: Vec<Order> },
    Replace { stale: bool, orders: Option<Vec<Order>> },
    Claim { device: u8 },
    Release { device: u8 },
    Close { invoice: u8 },
    Cancel { stale: bool },
    Pass { seconds: i64 },
}

fn orders(size: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Order>> {
    prop::collection::vec((1_u128..4, any::<bool>(), 1_i64..500), size)
}

fn command() -> impl Strategy<Value = Command> {
    let stale = || prop::bool::weighted(0.3);
    prop_oneof![
        8 => (prop::option::weighted(0.8, 0_u8..12), orders(0..4))
            .prop_map(|(name, orders)| Command::Append { name, orders }),
        3 => (stale(), prop::option::of(orders(0..4)))
            .prop_map(|(stale, orders)| Command::Replace { stale, orders }),
        4 => (0_u8..3).prop_map(|device| Command::Claim { device }),
        3 => (0_u8..3).prop_map(|device| Command::Release { device }),
        1 => (0_u8..2).prop_map(|invoice| Command::Close { invoice }),
        1 => stale().prop_map(|stale| Command::Cancel { stale }),
        3 => prop_oneof![0_i64..20, 150_i64..320].prop_map(|seconds| Command::Pass { seconds }),
    ]
}

fn sent(orders: &[Order]) -> Vec<LineInput> {
    let input = |(item, iced, hundredths): &Order| LineInput {
        note: iced.then(|| "no ice".to_owned()),
        ..line(*item, &Decimal::new(*hundredths, 2).to_string())
    };
    orders.iter().map(input).collect()
}

/// What is ordered, by item and note.
type Sums = BTreeMap<(u128, bool), Decimal>;

fn add(sums: &mut Sums, orders: &[Order]) {
    for (item, iced, hundredths) in orders {
        let sum = sums.entry((*item, *iced)).or_insert_with(Decimal::zero);
        *sum += &Decimal::new(*hundredths, 2);
    }
}

fn sums_of(world: &World) -> Sums {
    let mut sums = Sums::new();
    for line in &world.tab.lines {
        let key = (line.item_id.unwrap().ulid().random(), line.note.is_some());
        *sums.entry(key).or_insert_with(Decimal::zero) += &line.quantity;
    }
    sums
}

/// The tab as the rules have it, without a line of the code under test.
#[derive(Debug, Clone)]
struct Model {
    version: i64,
    status: TabStatus,
    claim: Option<(u8, OffsetDateTime)>,
    invoice: Option<u8>,
    names: BTreeSet<u8>,
    sums: Sums,
    now: OffsetDateTime,
}

impl Model {
    fn is_live(&self) -> bool {
        self.claim.is_some_and(|(_, since)| self.now - since < CLAIM_TTL)
    }

    /// What the command answers; moves on when it is `ok`.
    fn play(&mut self, command: &Command) -> &'static str {
        let ended = match self.status {
            TabStatus::Issued => Some("tab_issued"),
            TabStatus::Cancelled => Some("tab_cancelled"),
            TabStatus::Open | TabStatus::Issuing => None,
        };
        let is_live = self.is_live();
        let mut moved = true;
        match command {
            Command::Pass { seconds } => {
                self.now += Duration::seconds(*seconds);
                return "ok";
            }
            Command::Append { name: Some(name), .. } if self.names.contains(name) => moved = false,
            Command::Close { invoice } if self.invoice == Some(*invoice) => moved = false,
            Command::Close { .. } if self.invoice.is_some() => return "tab_issued_otherwise",
            _ if ended.is_some() => return ended.unwrap_or_default(),
            Command::Append { .. } | Command::Replace { .. } if is_live => {
                return "already_claimed";
            }
            Command::Replace { stale: true, .. } | Command::Cancel { stale: true } => {
                return "stale_version";
            }
            Command::Append { orders, .. } if orders.is_empty() => return "items=required",
            Command::Append { name, orders } => {
                add(&mut self.sums, orders);
                self.names.extend(name);
                (self.status, self.claim) = (TabStatus::Open, None);
            }
            Command::Replace { orders, .. } => {
                moved = self.claim.is_some();
                if let Some(orders) = orders {
                    moved |= !(self.sums.is_empty() && orders.is_empty());
                    self.sums.clear();
                    add(&mut self.sums, orders);
                }
                (self.status, self.claim) = (TabStatus::Open, None);
            }
            Command::Claim { device } => match self.claim {
                Some((holder, _)) if is_live && holder != *device => return "already_claimed",
                Some(_) if is_live => moved = false,
                _ => (self.status, self.claim) = (TabStatus::Issuing, Some((*device, self.now))),
            },
            Command::Release { device } => match self.claim {
                None => moved = false,
                Some((holder, _)) if is_live && holder != *device => return "not_claimant",
                Some(_) => (self.status, self.claim) = (TabStatus::Open, None),
            },
            Command::Close { invoice } => {
                if self.claim.is_none() {
                    return "not_claimed";
                }
                (self.status, self.claim) = (TabStatus::Issued, None);
                self.invoice = Some(*invoice);
            }
            Command::Cancel { .. } => (self.status, self.claim) = (TabStatus::Cancelled, None),
        }
        self.version += i64::from(moved);
        "ok"
    }
}

fn give(world: &mut World, command: &Command) -> String {
    let seen = |stale: bool| world.tab.version - i64::from(stale);
    let result = match command {
        Command::Append { name, orders } => {
            let name = name.map(|name| name.to_string());
            world.append(sent(orders), name.as_deref())
        }
        Command::Replace { stale, orders } => {
            let items = orders.as_deref().map_or(Patch::Absent, |o| Patch::Value(sent(o)));
            world.replace(TabPatch { items, ..patch(seen(*stale)) })
        }
        Command::Claim { device } => world.claim(&device.to_string()),
        Command::Release { device } => world.release(&device.to_string()),
        Command::Close { invoice } => world.close(&invoice.to_string(), InvoiceStage::Issued),
        Command::Cancel { stale } => world.cancel(Some(seen(*stale))),
        Command::Pass { seconds } => {
            world.pass(Duration::seconds(*seconds));
            Ok(())
        }
    };
    word(&result)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Versions rise by one with each change; each append of one name is applied once; quantities
    /// are the sums of what was accepted since the last replacement; nothing is added under a live
    /// claim, of which there is one at most; what ended stays.
    #[test]
    fn a_tab_does_what_the_model_does(commands in prop::collection::vec(command(), 1..60)) {
        let mut world = World::new();
        let mut model = Model {
            version: 1,
            status: TabStatus::Open,
            claim: None,
            invoice: None,
            names: BTreeSet::new(),
            sums: Sums::new(),
            now: world.now(),
        };
        for command in &commands {
            let before = world.tab.clone();
            let expected = model.play(command);
            prop_assert_eq!(give(&mut world, command), expected, "{:?}", command);
            prop_assert_eq!(world.tab.version, model.version, "{:?}", command);
            prop_assert_eq!(world.tab == before, world.tab.version == before.version);
            prop_assert_eq!(world.tab.status(), model.status, "{:?}", command);
            prop_assert_eq!(sums_of(&world), model.sums.clone(), "{:?}", command);
            prop_assert_eq!(world.accepted.len(), model.names.len(), "{:?}", command);
            let claim = world.tab.claimant();
            let claim = claim.map(|claim| (claim.device.as_str().to_owned(), claim.claimed_at));
            let held = model.claim.map(|(device, since)| (device.to_string(), since));
            prop_assert_eq!(claim, held, "{:?}", command);
        }
    }
}
