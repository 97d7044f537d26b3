//! Rules as short plays: what is declared, done, and then the case.

use std::collections::BTreeMap;

use racun_kernel::id::PaymentId;
use racun_settlement::{Figures, SettleableId, SettleableStage, SettlementError};

use crate::world::{Decided, World, amount, crediting};

/// Plays `script`, statements apart by `;`.
///
/// - `invoice a 100`, `credit c 50`, `expense e 30`, `advance v 80` (issued and paid): a document
///   by a name of its own. A `?` before the kind makes it a draft, a `!` a voided one.
/// - `pay p a 60`: a payment by card, called p. `settle p a c 40`: the same by a credit note.
/// - `change p 50`, `trash p`, `restore p`, `erase p`, `link a v`, `unlink a v`, `void a`,
///   `issue v`, `revise a 90`: the commands.
/// - `back c a 30`: a credit note c gives back 30 of a. `back c a 30 -> too_much`: a has less left.
/// - `a = 60`: what is paid on a. `v gives 40`: what is allocated of v. `v has 20`: what is left.
/// - `… -> code` or `… -> code total paid amount maximum`: the command is refused so.
#[track_caller]
pub fn check(script: &str) {
    let mut play = Play { world: World::new(), names: BTreeMap::new(), payments: BTreeMap::new() };
    for statement in script.split(';').map(str::trim) {
        match statement.split_once(" -> ") {
            None => play.play(statement),
            Some((command, "too_much")) => assert!(!play.back(command), "{command} in: {script}"),
            Some((command, refusal)) => {
                let decided = play.command(command).unwrap();
                assert_eq!(refused(decided), refusal, "{statement} in: {script}");
            }
        }
    }
}

/// The refusal as a script writes it.
pub fn refused(decided: Decided) -> String {
    match decided {
        Ok(_) => "ok".to_owned(),
        Err(SettlementError::Refused(refusal)) => match refusal.figures() {
            None => refusal.code().to_owned(),
            Some(Figures { total_with_tax, total_paid, amount, maximum }) => {
                let code = refusal.code();
                format!("{code} {total_with_tax} {total_paid} {amount} {maximum}")
            }
        },
        Err(SettlementError::Invalid(issues)) => {
            let issues = issues.iter().map(|issue| {
                let at = racun_kernel::Issue { message: String::new(), ..issue.clone() };
                format!("{at}{}", issue.code)
            });
            issues.collect::<Vec<_>>().join(", ")
        }
        Err(SettlementError::NotFound { .. }) => "not_found".to_owned(),
        Err(SettlementError::Store(error)) => panic!("there is no store: {error}"),
    }
}

struct Play {
    world: World,
    names: BTreeMap<String, SettleableId>,
    payments: BTreeMap<String, PaymentId>,
}

impl Play {
    #[track_caller]
    fn play(&mut self, statement: &str) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words[..] {
            [name, "=", paid] => assert_eq!(self.world.paid(self.id(name)), paid, "{statement}"),
            [name, "gives", applied] => {
                assert_eq!(self.world.applied(self.id(name)), applied, "{statement}");
            }
            [name, "has", left] => {
                let document = &self.world.documents[&self.id(name)];
                assert_eq!(document.remaining().to_string(), left, "{statement}");
            }
            ["back", ..] => assert!(self.back(statement), "{statement}"),
            _ => match self.command(statement) {
                Some(decided) => assert_eq!(refused(decided), "ok", "{statement}"),
                None => self.declare(words[0], words[1], words[2]),
            },
        }
    }

    fn declare(&mut self, kind: &str, name: &str, total: &str) {
        let world = &mut self.world;
        let id = match kind.trim_start_matches(['?', '!']) {
            "invoice" => world.invoice(total),
            "credit" => world.credit_note(total),
            "expense" => world.expense(total),
            "advance" if kind.starts_with('?') => world.draft_advance(total),
            "advance" => world.advance(total),
            other => panic!("unknown statement {other}"),
        };
        match kind.chars().next() {
            Some('?') => world.stage(id, SettleableStage::Draft),
            Some('!') => world.stage(id, SettleableStage::Voided),
            _ => {}
        }
        self.names.insert(name.to_owned(), id);
    }

    /// Plays `back`, and answers whether there was as much.
    fn back(&mut self, statement: &str) -> bool {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let [_, name, target, total] = words[..] else { panic!("{statement}") };
        let note = self.world.credit(self.id(target), total);
        note.map(|id| self.names.insert(name.to_owned(), id)).is_some()
    }

    fn id(&self, name: &str) -> SettleableId {
        self.names[name]
    }

    /// Plays a command; `None` when it is none.
    fn command(&mut self, statement: &str) -> Option<Decided> {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let names = self.names.clone();
        let id = |name: &str| names[name];
        let payment = words.get(1).and_then(|name| self.payments.get(*name)).copied();
        let world = &mut self.world;
        let decided = match words[..] {
            ["pay", _, document, sum] => world.pay(id(document), sum),
            ["settle", _, invoice, note, sum] => {
                world.record(crediting(id(invoice), id(note), sum))
            }
            ["change", _, sum] => world.change(payment.unwrap(), amount(sum)),
            ["trash", _] => world.trash(payment.unwrap()),
            ["restore", _] => world.restore(payment.unwrap()),
            ["erase", _] => world.erase(payment.unwrap()),
            ["link", invoice, advance] => world.link(id(invoice), id(advance)),
            ["unlink", invoice, advance] => world.unlink(id(invoice), id(advance)),
            ["void", invoice] => world.void(id(invoice)),
            ["issue", advance] => world.issue_advance(id(advance)),
            ["revise", document, total] => world.revise(id(document), total),
            _ => return None,
        };
        if let (Ok(applied), Some(name)) = (&decided, words.get(1)) {
            let payment = applied.0.payment.as_ref().map(|payment| payment.id);
            self.payments.extend(payment.map(|id| ((*name).to_owned(), id)));
        }
        Some(decided)
    }
}
