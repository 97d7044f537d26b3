//! What attackers were answered.

use std::collections::BTreeMap;
use std::io::Result;
use std::sync::{Arc, Mutex, PoisonError};

use crate::wire::Reply;

/// Counts answers by attack and code.
#[derive(Clone, Default)]
pub struct Tally(Arc<Mutex<BTreeMap<(&'static str, String), u64>>>);

impl Tally {
    /// Counts an answer, or that a connection was cut without one; answers its status.
    pub fn count(&self, attack: &'static str, answer: Result<Reply>) -> u16 {
        let (status, code) = match &answer {
            Ok(reply) if reply.status < 400 => (reply.status, reply.status.to_string()),
            Ok(reply) => (reply.status, reply.code()),
            Err(_) => (0, "cut off".to_owned()),
        };
        self.note(attack, code);
        status
    }

    /// Counts something that is no answer.
    pub fn note(&self, attack: &'static str, code: String) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry((attack, code)).or_default() += 1;
    }

    /// Prints all counts.
    pub fn print(&self) {
        println!("what attackers were answered:");
        for ((attack, code), count) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            println!("  {attack:<24} {code:<32} {count:>8}");
        }
    }
}
