//! What holds after any sequence of commands.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use racun_kernel::id::PaymentId;
use racun_kernel::{Decimal, DocumentId};
use racun_settlement::{
    NewPayment, Payment, PaymentType, Settleable, SettleableId, SettleableKind, SettleableStage,
    SettlementEvent,
};
use racun_store::{Record, Value};

use crate::world::{Decided, World, amount, crediting, document as document_id, paying};

/// Documents of each kind in a random world.
const INVOICES: usize = 3;
const ADVANCES: usize = 3;
const CREDIT_NOTES: usize = 2;

/// A random command; numbers choose among what there is, amounts are cents.
#[derive(Debug, Clone)]
enum Command {
    Pay { document: usize, cents: i64 },
    Credit { invoice: usize, credit_note: usize, cents: i64 },
    GiveBack { document: usize, cents: i64 },
    Uncredit { credit_note: usize },
    Change { payment: usize, cents: i64 },
    Trash { payment: usize },
    Restore { payment: usize },
    Erase { payment: usize },
    Link { invoice: usize, advance: usize },
    Unlink { invoice: usize, advance: usize },
    Cover { document: usize, cents: Vec<Option<i64>> },
    CreditAll { invoice: usize, credit_note: usize },
    Issue { advance: usize },
    Revise { document: usize, cents: i64 },
    Void { invoice: usize },
}

fn commands() -> impl Strategy<Value = Command> {
    let (any, cents) = (0..64_usize, 1..=70_i64);
    let (invoice, advance, credit_note) = (0..INVOICES, 0..ADVANCES, 0..64_usize);
    prop_oneof![
        8 => (any.clone(), cents.clone())
            .prop_map(|(document, cents)| Command::Pay { document, cents }),
        2 => (invoice.clone(), credit_note.clone(), cents.clone()).prop_map(
            |(invoice, credit_note, cents)| Command::Credit { invoice, credit_note, cents }
        ),
        4 => (any.clone(), cents.clone())
            .prop_map(|(payment, cents)| Command::Change { payment, cents }),
        6 => (any.clone(), cents)
            .prop_map(|(document, cents)| Command::GiveBack { document, cents }),
        2 => credit_note.clone().prop_map(|credit_note| Command::Uncredit { credit_note }),
        5 => any.clone().prop_map(|payment| Command::Trash { payment }),
        5 => any.clone().prop_map(|payment| Command::Restore { payment }),
        1 => any.clone().prop_map(|payment| Command::Erase { payment }),
        6 => (invoice.clone(), advance.clone())
            .prop_map(|(invoice, advance)| Command::Link { invoice, advance }),
        2 => (invoice.clone(), advance.clone())
            .prop_map(|(invoice, advance)| Command::Unlink { invoice, advance }),
        2 => (any.clone(), vec(proptest::option::of(1..=40_i64), 0..3))
            .prop_map(|(document, cents)| Command::Cover { document, cents }),
        1 => (invoice.clone(), credit_note)
            .prop_map(|(invoice, credit_note)| Command::CreditAll { invoice, credit_note }),
        2 => advance.prop_map(|advance| Command::Issue { advance }),
        2 => (any, -10..=120_i64)
            .prop_map(|(document, cents)| Command::Revise { document, cents }),
        1 => invoice.prop_map(|invoice| Command::Void { invoice }),
    ]
}

fn money(cents: i64) -> String {
    Decimal::new(cents, 2).to_string()
}

/// A world and the ids by which commands name its documents.
#[derive(Clone)]
struct Play {
    world: World,
    invoices: Vec<SettleableId>,
    advances: Vec<SettleableId>,
    credit_notes: Vec<SettleableId>,
    /// Whether an advance may be linked to more than one invoice.
    shared: bool,
}

impl Play {
    fn new(totals: &[i64], shared: bool) -> Self {
        let mut world = World::new();
        let mut totals = totals.iter().map(|cents| money(*cents));
        let mut next = || totals.next().unwrap();
        let invoices = (0..INVOICES).map(|_| world.invoice(&next())).collect();
        let advances = (0..ADVANCES)
            .map(|n| {
                // The first is left to be paid and issued by commands.
                let total = next();
                if n == 0 { world.draft_advance(&total) } else { world.advance(&total) }
            })
            .collect();
        let credit_notes = (0..CREDIT_NOTES).map(|_| world.credit_note(&next())).collect();
        world.expense(&next());
        Self { world, invoices, advances, credit_notes, shared }
    }

    fn document(&self, n: usize) -> SettleableId {
        *self.world.documents.keys().nth(n % self.world.documents.len()).unwrap()
    }

    fn payment(&self, n: usize) -> Option<PaymentId> {
        let payments = &self.world.payments;
        payments.keys().nth(n % payments.len().max(1)).copied()
    }

    /// Plays the command; `None` when there is nothing to play it on.
    fn play(&mut self, command: &Command) -> Option<Decided> {
        let card = PaymentType::Card;
        Some(match command {
            Command::Pay { document, cents } => {
                self.world.record(paying(self.document(*document), &money(*cents), card))
            }
            Command::Credit { invoice, credit_note, cents } => {
                let (invoice, note) = (self.invoices[*invoice], self.note(*credit_note));
                self.world.record(crediting(invoice, note, &money(*cents)))
            }
            Command::GiveBack { document, cents } => {
                let targets = [&self.invoices[..], &self.advances[..]].concat();
                let target = targets[document % targets.len()];
                self.credit_notes.push(self.world.credit(target, &money(*cents))?);
                return None;
            }
            Command::Uncredit { credit_note } => {
                let note = self.note(*credit_note);
                // What a credit note sets free is taken when the invoice is touched next.
                let is_used = !self.world.documents[&note].total_paid.is_zero();
                if is_used || !self.shared || !self.world.credits.contains_key(&note) {
                    return None;
                }
                self.world.void(note)
            }
            Command::Change { payment, cents } => {
                self.world.change(self.payment(*payment)?, amount(&money(*cents)))
            }
            Command::Trash { payment } => self.world.trash(self.payment(*payment)?),
            Command::Restore { payment } => self.world.restore(self.payment(*payment)?),
            Command::Erase { payment } => self.world.erase(self.payment(*payment)?),
            Command::Link { invoice, advance } => {
                let advance = self.advances[*advance];
                let own = if self.shared { *invoice } else { self.owner(advance) };
                // Only issued advance invoices are linked; application sees to that.
                if self.world.documents[&advance].stage != SettleableStage::Issued {
                    return None;
                }
                self.world.link(self.invoices[own], advance)
            }
            Command::Unlink { invoice, advance } => {
                self.world.unlink(self.invoices[*invoice], self.advances[*advance])
            }
            Command::Cover { document, cents } => {
                let payments = cents.iter().map(|cents| NewPayment {
                    amount: cents.map(|cents| Decimal::new(cents, 2)),
                    ..NewPayment::new(card)
                });
                self.world.cover(self.document(*document), payments.collect())
            }
            Command::CreditAll { invoice, credit_note } => {
                let (invoice, note) = (self.invoices[*invoice], self.note(*credit_note));
                self.world.settle_by_credit(invoice, &[note])
            }
            Command::Issue { advance } => self.world.issue_advance(self.advances[*advance]),
            Command::Revise { document, cents } => {
                let id = self.document(*document);
                // As voiding does, a lower credit note sets money free that is taken later.
                if !self.shared && self.world.credits.contains_key(&id) {
                    return None;
                }
                self.world.revise(id, &money(*cents))
            }
            Command::Void { invoice } => {
                let invoice = self.invoices[*invoice];
                // Application refuses it while credit notes stand on the invoice.
                if !self.world.documents[&invoice].total_credited.is_zero() {
                    return None;
                }
                self.world.void(invoice)
            }
        })
    }

    fn note(&self, n: usize) -> SettleableId {
        self.credit_notes[n % self.credit_notes.len()]
    }

    fn owner(&self, advance: SettleableId) -> usize {
        self.advances.iter().position(|id| *id == advance).unwrap() % 2
    }
}

/// The active payments that `document`'s `total_paid` counts.
fn counted<'a>(world: &'a World, document: &'a Settleable) -> impl Iterator<Item = &'a Payment> {
    world.active().filter(|payment| {
        let given = payment.is_allocation() && document.kind == SettleableKind::AdvanceInvoice;
        !given && payment.documents().any(|id| id == document.id)
    })
}

fn audit(world: &World) {
    for document in world.documents.values() {
        let sum: Decimal = counted(world, document).map(|payment| &payment.amount).sum();
        assert_eq!(document.total_paid, sum, "total_paid is the sum of active payments");
        assert!(!document.total_paid.is_negative());
        let most = document.total_with_tax.clone().max(Decimal::zero());
        assert!(document.total_paid <= most, "nothing is settled beyond its total");
        let applied: Decimal = world
            .active()
            .filter(|p| p.is_allocation())
            .filter(|p| p.advance_invoice_id.map(SettleableId::Document) == Some(document.id))
            .map(|payment| &payment.amount)
            .sum();
        assert_eq!(document.total_applied, applied, "total_applied is the sum of allocations");
        assert!(applied.is_zero() || applied <= document.total_with_tax);
        let is_advance = document.kind == SettleableKind::AdvanceInvoice;
        if is_advance && document.stage == SettleableStage::Issued {
            assert_eq!(document.total_paid, document.total_with_tax, "coverage is exact");
        }
        let credits = world.credits.iter().filter(|(_, (target, _))| *target == document.id);
        let (mut credited, mut spent) = (Decimal::zero(), Decimal::zero());
        for (note, (_, amount)) in credits {
            credited += amount;
            spent += &world.documents[note].total_paid;
        }
        assert_eq!(document.total_credited, credited, "total_credited is the sum of credit");
        let given = &credited + &applied;
        assert!(given.is_zero() || given <= document.total_with_tax, "money leaves once: {given}");
        assert!(!is_advance || &spent + &applied <= document.total_paid, "more than was paid in");
        let left = &(&document.total_with_tax - &credited) - &applied;
        let is_issued = document.stage == SettleableStage::Issued;
        let left = if is_issued { left.max(Decimal::zero()) } else { Decimal::zero() };
        assert_eq!(document.remaining(), left, "nothing is swallowed");
    }
    for settlement in world.active().filter(|payment| payment.is_credit_settlement()) {
        let stage = |id: SettleableId| world.documents[&id].stage;
        let ends = settlement.documents().all(|id| stage(id) == SettleableStage::Issued);
        assert!(ends, "credit is held by nothing that ended");
    }
    let mut pairs = BTreeMap::new();
    for payment in world.payments.values() {
        assert!(payment.amount.is_positive());
        let is_active = payment.is_allocation() && payment.deleted_at.is_none();
        let named = payment.invoice_id.filter(|_| is_active).map(|id| id.to_string());
        assert_eq!(payment.value("allocation_of"), named.map_or(Value::Null, Value::from));
        if payment.is_allocation() {
            let pair = (payment.invoice_id, payment.advance_invoice_id);
            assert_eq!(pairs.insert(pair, payment.id), None, "one allocation per link");
        }
    }
}

/// What each advance gives to the invoices that it is linked to, when no two invoices share one.
fn expected_allocations(world: &World) -> Vec<(DocumentId, DocumentId, Decimal)> {
    let mut expected = Vec::new();
    for (invoice, links) in &world.links {
        let document = &world.documents[invoice];
        let by_hand: Decimal = counted(world, document)
            .filter(|payment| !payment.is_allocation())
            .map(|payment| &payment.amount)
            .sum();
        let mut room = &document.total_with_tax - &by_hand;
        for advance in links {
            let advanced = &world.documents[advance];
            let has = &advanced.total_with_tax - &advanced.total_credited;
            let given = has.min(room.clone());
            if document.stage == SettleableStage::Issued && given.is_positive() {
                room -= &given;
                expected.push((document_id(*invoice), document_id(*advance), given));
            }
        }
    }
    expected.sort();
    expected
}

/// All figures there are, without ids and times of payments.
fn figures(world: &World) -> (Vec<Settleable>, Vec<(DocumentId, DocumentId, Decimal)>) {
    (world.documents.values().cloned().collect(), world.allocations())
}

fn totals() -> impl Strategy<Value = Vec<i64>> {
    let invoices = vec(-5..=100_i64, INVOICES);
    let others = vec(1..=80_i64, ADVANCES + CREDIT_NOTES + 1);
    (invoices, others).prop_map(|(invoices, others)| [invoices, others].concat())
}

/// The active payments that can be trashed; allocations come and go by themselves.
fn by_hand(world: &World) -> Vec<PaymentId> {
    world
        .active()
        .filter(|payment| !payment.is_system_managed())
        .map(|payment| payment.id)
        .collect()
}

/// The invoice of a payment that was put in the trash and could come back.
fn trash_and_restore(world: &mut World, id: PaymentId) -> Option<Option<SettleableId>> {
    world.trash(id).ok()?;
    audit(world);
    world.restore(id).expect("what was just there fits again");
    Some(world.payments[&id].invoice_id.map(SettleableId::Document))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn figures_agree_after_every_command(
        totals in totals(),
        commands in vec(commands(), 1..40),
        shared in any::<bool>(),
    ) {
        let mut play = Play::new(&totals, shared);
        audit(&play.world);
        for command in &commands {
            let before = figures(&play.world);
            match play.play(command) {
                Some(Ok(_)) => audit(&play.world),
                Some(Err(_)) => prop_assert_eq!(figures(&play.world), before),
                None => {}
            }
        }
    }

    #[test]
    fn allocations_depend_on_payments_and_links_alone(
        totals in totals(),
        commands in vec(commands(), 1..40),
    ) {
        let mut play = Play::new(&totals, false);
        for command in &commands {
            play.play(command);
            prop_assert_eq!(play.world.allocations(), expected_allocations(&play.world));
        }
    }

    #[test]
    fn trash_and_restore_change_nothing(
        totals in totals(),
        commands in vec(commands(), 1..40),
    ) {
        let mut play = Play::new(&totals, false);
        for command in &commands {
            play.play(command);
        }
        let ids = by_hand(&play.world);
        for id in ids {
            let before = figures(&play.world);
            trash_and_restore(&mut play.world, id);
            prop_assert_eq!(figures(&play.world), before);
        }
    }

    #[test]
    fn with_shared_advances_trash_and_restore_do_what_settling_does(
        totals in totals(),
        commands in vec(commands(), 1..40),
    ) {
        let mut play = Play::new(&totals, true);
        for command in &commands {
            play.play(command);
        }
        let ids = by_hand(&play.world);
        for id in ids {
            let mut settled = play.world.clone();
            let Some(invoice) = trash_and_restore(&mut play.world, id) else { continue };
            if let Some(invoice) = invoice {
                settled.settle(invoice).unwrap();
            }
            prop_assert_eq!(figures(&play.world), figures(&settled));
        }
    }

    #[test]
    fn a_settled_invoice_leaves_no_room_while_an_advance_has_money(
        totals in totals(),
        commands in vec(commands(), 1..40),
        invoice in 0..INVOICES,
    ) {
        let mut play = Play::new(&totals, true);
        for command in &commands {
            play.play(command);
        }
        let world = &mut play.world;
        let id = play.invoices[invoice];
        world.settle(id).unwrap();
        let document = &world.documents[&id];
        let is_issued = document.stage == SettleableStage::Issued;
        let is_full = document.total_paid >= document.total_with_tax;
        let links = world.links.get(&id).into_iter().flatten();
        let is_spent = |advance: &SettleableId| {
            world.documents[advance].remaining().is_zero()
        };
        prop_assert!(!is_issued || is_full || links.into_iter().all(is_spent));
    }

    #[test]
    fn the_order_of_payments_and_links_does_not_matter(
        total in 20..=100_i64,
        advances in vec(1..=60_i64, 1..4),
        payments in vec(1..=25_i64, 0..4),
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        prop_assume!(payments.iter().sum::<i64>() <= total);
        let mut world = World::new();
        let invoice = world.invoice(&money(total));
        let advances: Vec<SettleableId> =
            advances.iter().map(|cents| world.advance(&money(*cents))).collect();
        let mut shuffled = world.clone();
        // In order: links, then payments. Links keep their order among each other.
        for advance in &advances {
            world.link(invoice, *advance).unwrap();
        }
        for cents in &payments {
            world.pay(invoice, &money(*cents)).unwrap();
        }
        let mut links = advances.iter();
        for n in order {
            if n < payments.len() {
                shuffled.pay(invoice, &money(payments[n])).unwrap();
            } else if let Some(advance) = links.next() {
                shuffled.link(invoice, *advance).unwrap();
            }
        }
        for advance in links {
            shuffled.link(invoice, *advance).unwrap();
        }
        prop_assert_eq!(figures(&world), figures(&shuffled));
    }

    #[test]
    fn an_invoice_is_reported_paid_when_it_becomes_so(
        totals in totals(),
        commands in vec(commands(), 1..40),
    ) {
        let mut play = Play::new(&totals, true);
        for command in &commands {
            let paid = |world: &World| -> Vec<SettleableId> {
                let is_paid = |document: &&Settleable| {
                    document.kind == SettleableKind::Invoice
                        && document.stage == SettleableStage::Issued
                        && document.is_paid()
                };
                world.documents.values().filter(is_paid).map(|d| d.id).collect()
            };
            let before = paid(&play.world);
            if let Some(Ok(applied)) = play.play(command) {
                let told = applied.0.events.into_iter().filter_map(|event| match event {
                    SettlementEvent::InvoicePaid(id) => Some(SettleableId::Document(id)),
                    _ => None,
                });
                let mut news = paid(&play.world);
                news.retain(|id| !before.contains(id));
                prop_assert_eq!(told.collect::<Vec<_>>(), news);
            }
        }
    }
}
