//! Law: whatever is ordered, moved and invoiced in whatever order, what was ordered is what is left
//! on the tabs and what was invoiced, once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use racun_kernel::Decimal;
use racun_pos::{InvoiceTerms, LineChoice, Moved, Moving, Naming, Part, PosError, Tab, TabStatus};

use crate::world::{World, decimal, line};

#[derive(Debug, Clone)]
enum Command {
    Order { tab: usize, item: u128, tenths: i64 },
    InvoiceLine { tab: usize, nth: usize, tenths: Option<i64> },
    InvoiceWhole { tab: usize },
    Move { from: usize, nth: usize, tenths: Option<i64>, again: bool },
}

fn commands() -> impl Strategy<Value = Command> {
    let tenths = || proptest::option::of(1..40_i64);
    prop_oneof![
        4 => (0..2_usize, 1..5_u128, 1..40_i64)
            .prop_map(|(tab, item, tenths)| Command::Order { tab, item, tenths }),
        3 => (0..2_usize, 0..6_usize, tenths())
            .prop_map(|(tab, nth, tenths)| Command::InvoiceLine { tab, nth, tenths }),
        1 => (0..2_usize).prop_map(|tab| Command::InvoiceWhole { tab }),
        4 => (0..2_usize, 0..6_usize, tenths(), any::<bool>())
            .prop_map(|(from, nth, tenths, again)| Command::Move { from, nth, tenths, again }),
    ]
}

type Sums = BTreeMap<String, Decimal>;

fn add(sums: &mut Sums, lines: &[racun_pos::TabLine]) {
    for line in lines {
        *sums.entry(line.name.clone()).or_insert_with(Decimal::zero) += &line.quantity;
    }
}

fn choice(tab: &Tab, nth: usize, tenths: Option<i64>) -> Vec<LineChoice> {
    let line = tab.lines.get(nth);
    let line_id = line.map_or_else(|| "line_1".to_owned(), |line| line.line_id.to_string());
    vec![LineChoice { line_id, quantity: tenths.map(|tenths| Decimal::new(tenths, 1)) }]
}

/// Two tabs, and what was ordered and invoiced.
struct Evening {
    tabs: [World; 2],
    ordered: Sums,
    invoiced: Sums,
    invoices: usize,
}

impl Evening {
    fn new() -> Self {
        let mut tabs = [World::new(), World::new()];
        tabs[1].tab.id = tabs[0].actor().stamp().id();
        Self { tabs, ordered: Sums::new(), invoiced: Sums::new(), invoices: 0 }
    }

    fn invoice(&mut self, tab: usize, part: &Part) {
        let world = &mut self.tabs[tab];
        let expected_version = Some(world.tab.version);
        let terms = InvoiceTerms { device: None, expected_version };
        let Ok(picked) = world.tab.pick(part, &terms, world.now()) else { return };
        self.invoices += 1;
        world.invoice(part, &format!("inv_{}", self.invoices), "1", &terms).unwrap();
        add(&mut self.invoiced, &picked);
    }

    fn move_lines(&mut self, from: usize, lines: Vec<LineChoice>) -> Result<bool, PosError> {
        let naming = Naming::Unnamed;
        let moving = Moving { lines, expected_version: None, to_expected_version: None, naming };
        let (left, right) = (self.tabs[from].tab.clone(), self.tabs[1 - from].tab.clone());
        match left.move_lines(right, moving, &self.tabs[from].actor())? {
            Moved::Before(_) => Ok(false),
            Moved::Now { from: left, to, .. } => {
                self.tabs[from].tab = *left;
                self.tabs[1 - from].tab = *to;
                Ok(true)
            }
        }
    }

    fn play(&mut self, command: &Command) {
        match command {
            Command::Order { tab, item, tenths } => {
                let quantity = Decimal::new(*tenths, 1);
                let order = line(*item, &quantity.to_string());
                if self.tabs[*tab].append(vec![order], None).is_ok() {
                    let name = format!("Item {item}");
                    *self.ordered.entry(name).or_insert_with(Decimal::zero) += &quantity;
                }
            }
            Command::InvoiceLine { tab, nth, tenths } => {
                let lines = choice(&self.tabs[*tab].tab, *nth, *tenths);
                self.invoice(*tab, &Part::Lines(lines));
            }
            Command::InvoiceWhole { tab } => self.invoice(*tab, &Part::Whole),
            Command::Move { from, nth, tenths, again } => {
                let lines = choice(&self.tabs[*from].tab, *nth, *tenths);
                let moved = self.move_lines(*from, lines.clone());
                let is_gone = |tab: &Tab| {
                    tab.lines.iter().all(|line| line.line_id.to_string() != lines[0].line_id)
                };
                if moved == Ok(true) && *again && is_gone(&self.tabs[*from].tab) {
                    assert_eq!(self.move_lines(*from, lines), Ok(false), "it moves once");
                }
            }
        }
    }

    /// What is left on the tabs, and what was invoiced.
    fn accounted(&self) -> Sums {
        let mut sums = self.invoiced.clone();
        let running = |world: &&World| world.tab.status() == TabStatus::Open;
        self.tabs.iter().filter(running).for_each(|world| add(&mut sums, &world.tab.lines));
        sums
    }
}

proptest! {
    #[test]
    fn every_order_is_open_or_invoiced_exactly_once(
        commands in prop::collection::vec(commands(), 1..60),
    ) {
        let mut evening = Evening::new();
        for command in &commands {
            evening.play(command);
            prop_assert_eq!(&evening.accounted(), &evening.ordered, "{:?}", command);
            let named = evening.tabs.iter().flat_map(|world| &world.tab.invoices).count();
            prop_assert_eq!(named, evening.invoices);
            for line in evening.tabs.iter().flat_map(|world| &world.tab.lines) {
                prop_assert!(line.quantity > decimal("0"));
            }
        }
    }
}
