//! What the authorities took, and what they refused.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use racun_fiscal::Authority;
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;

/// A message that an authority took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// Its place in the ledger, from 1.
    pub position: usize,
    /// Who took it.
    pub authority: Authority,
    /// `invoice`, `sales_book`, `premise`, `change`, `tip`.
    pub operation: String,
    /// `json` or `soap`.
    pub transport: String,
    /// Tax number or OIB.
    pub taxpayer: String,
    /// The premise's mark.
    pub premise: String,
    /// The device's mark.
    pub device: Option<String>,
    /// The document's number.
    pub number: Option<String>,
    /// What numbers run per: `premise` or `device`.
    pub numbering: Option<String>,
    /// The message's own id.
    pub message_id: String,
    /// When it was sent, as the message says.
    pub sent_at: String,
    /// When the document was issued, as the message says.
    pub issued_at: Option<String>,
    /// The year of the document.
    pub year: Option<i16>,
    /// When it was received.
    #[serde(with = "time::serde::rfc3339")]
    pub received_at: OffsetDateTime,
    /// ZOI or ZKI.
    pub mark: Option<String>,
    /// The total, as written.
    pub amount: Option<String>,
    /// `SubsequentSubmit` or `NakDost`.
    pub late: bool,
    /// The id that was given, EOR or JIR.
    pub id: Option<String>,
    /// Serial number of the certificate that signed it, decimal.
    pub certificate: String,
    /// The fault that happened to the answer.
    pub fault: Option<String>,
    /// All that it says.
    pub content: Value,
}

/// A message that an authority refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Who refused it.
    pub authority: Authority,
    /// The message's own id, if it could be read.
    pub message_id: Option<String>,
    /// When it was received.
    #[serde(with = "time::serde::rfc3339")]
    pub received_at: OffsetDateTime,
    /// The code of the answer.
    pub code: String,
    /// The text of the answer.
    pub text: String,
}

/// Which of those taken are asked for; all, when nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Who took it.
    pub authority: Option<Authority>,
    /// The operation.
    pub operation: Option<String>,
    /// Tax number or OIB.
    pub taxpayer: Option<String>,
    /// The premise's mark.
    pub premise: Option<String>,
    /// The device's mark.
    pub device: Option<String>,
    /// The document's number.
    pub number: Option<String>,
    /// ZOI or ZKI.
    pub mark: Option<String>,
    /// The message's own id.
    pub message_id: Option<String>,
    /// Whether it came late.
    pub late: Option<bool>,
    /// Only those after this position.
    pub after: Option<usize>,
}

impl Filter {
    fn fits(&self, taken: &Taken) -> bool {
        fn is<T: PartialEq>(asked: Option<&T>, has: Option<&T>) -> bool {
            asked.is_none() || asked == has
        }
        is(self.authority.as_ref(), Some(&taken.authority))
            && is(self.operation.as_ref(), Some(&taken.operation))
            && is(self.taxpayer.as_ref(), Some(&taken.taxpayer))
            && is(self.premise.as_ref(), Some(&taken.premise))
            && is(self.device.as_ref(), taken.device.as_ref())
            && is(self.number.as_ref(), taken.number.as_ref())
            && is(self.mark.as_ref(), taken.mark.as_ref())
            && is(self.message_id.as_ref(), Some(&taken.message_id))
            && is(self.late.as_ref(), Some(&taken.late))
            && self.after.is_none_or(|after| taken.position > after)
    }
}

/// A sequence of numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Sequence {
    /// Whose rules it is under.
    pub authority: Authority,
    /// Tax number or OIB.
    pub taxpayer: String,
    /// Numbers restart each year.
    pub year: i16,
    /// The premise's mark.
    pub premise: String,
    /// The device's mark, where numbers run per device.
    pub device: Option<String>,
}

/// Whether the numbers of a sequence follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gaps {
    /// Which.
    #[serde(flatten)]
    pub sequence: Sequence,
    /// The lowest number.
    pub first: String,
    /// The highest number.
    pub last: String,
    /// How many numbers were used.
    pub documents: usize,
    /// How many messages there were, repetitions included.
    pub messages: usize,
    /// Numbers between the first and the last that were never sent; the first thousand.
    pub missing: Vec<String>,
    /// Numbers that more than one document has: those whose marks or times of issue differ.
    pub doubled: Vec<String>,
}

/// A business premise that FURS knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Premise {
    /// Tax number.
    pub taxpayer: String,
    /// The premise's mark.
    pub premise: String,
    /// Whether it was closed for good.
    pub is_closed: bool,
    /// What was last said of it.
    pub content: Value,
}

#[derive(Default)]
struct Entries {
    taken: VecDeque<Taken>,
    /// How many messages were taken ever.
    position: usize,
    refused: VecDeque<Refused>,
    premises: BTreeMap<(String, String), Premise>,
}

/// The ledger of both authorities.
pub struct Ledger {
    entries: Mutex<Entries>,
    most: usize,
}

impl Ledger {
    /// A ledger that keeps the latest `most` messages of each kind.
    pub fn new(most: usize) -> Self {
        Self { entries: Mutex::default(), most }
    }

    /// Notes a message that was taken. Its position is set here.
    pub fn take(&self, mut taken: Taken) {
        let mut entries = self.lock();
        entries.position += 1;
        taken.position = entries.position;
        entries.taken.push_back(taken);
        if entries.taken.len() > self.most {
            entries.taken.pop_front();
        }
    }

    /// Notes a message that was refused.
    pub fn refuse(&self, refused: Refused) {
        let mut entries = self.lock();
        entries.refused.push_back(refused);
        if entries.refused.len() > self.most {
            entries.refused.pop_front();
        }
    }

    /// Keeps what was said of a premise.
    pub fn put_premise(&self, premise: Premise) {
        let key = (premise.taxpayer.clone(), premise.premise.clone());
        self.lock().premises.insert(key, premise);
    }

    /// What is known of a premise.
    pub fn premise(&self, taxpayer: &str, premise: &str) -> Option<Premise> {
        self.lock().premises.get(&(taxpayer.to_owned(), premise.to_owned())).cloned()
    }

    /// All premises.
    pub fn premises(&self) -> Vec<Premise> {
        self.lock().premises.values().cloned().collect()
    }

    /// What was taken, in order.
    pub fn taken(&self, filter: &Filter) -> Vec<Taken> {
        self.lock().taken.iter().filter(|taken| filter.fits(taken)).cloned().collect()
    }

    /// What was refused, in order.
    pub fn refused(&self) -> Vec<Refused> {
        self.lock().refused.iter().cloned().collect()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.lock() = Entries::default();
    }

    /// Each sequence with what is missing or doubled in it.
    pub fn gaps(&self, filter: &Filter) -> Vec<Gaps> {
        let mut sequences: BTreeMap<Sequence, BTreeMap<u128, Vec<Taken>>> = BTreeMap::new();
        for taken in self.taken(filter) {
            let number = taken.number.as_deref().and_then(|number| number.parse().ok());
            if let (Some(sequence), Some(number)) = (sequence(&taken), number) {
                sequences.entry(sequence).or_default().entry(number).or_default().push(taken);
            }
        }
        sequences.into_iter().map(|(sequence, numbers)| gaps(sequence, &numbers)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sequence that a document's number is of; `None` for messages that have none of their own.
fn sequence(taken: &Taken) -> Option<Sequence> {
    let device = match (&*taken.operation, taken.numbering.as_deref()) {
        ("invoice", Some("premise")) => None,
        ("invoice", Some(_)) => taken.device.clone(),
        _ => return None,
    };
    Some(Sequence {
        authority: taken.authority,
        taxpayer: taken.taxpayer.clone(),
        year: taken.year?,
        premise: taken.premise.clone(),
        device,
    })
}

fn gaps(sequence: Sequence, numbers: &BTreeMap<u128, Vec<Taken>>) -> Gaps {
    const MOST: usize = 1_000;
    let first = numbers.keys().next().copied().unwrap_or_default();
    let last = numbers.keys().next_back().copied().unwrap_or_default();
    let mut missing = Vec::new();
    let mut next = first;
    for number in numbers.keys() {
        let room = MOST - missing.len();
        missing.extend((next..*number).take(room).map(|number| number.to_string()));
        next = number + 1;
    }
    let is_doubled = |messages: &Vec<Taken>| {
        let is_other = |other: &Taken| {
            let first = &messages[0];
            // `CHSEQ#…` marks the change of an invoice that was not handed out yet.
            let notes = other.content.get("SpecialNotes").and_then(Value::as_str);
            if notes.is_some_and(|notes| notes.contains("CHSEQ#")) {
                return false;
            }
            (&other.mark, &other.issued_at, &other.device)
                != (&first.mark, &first.issued_at, &first.device)
        };
        messages.iter().any(is_other)
    };
    let doubled = numbers.iter().filter(|(_, messages)| is_doubled(messages));
    Gaps {
        sequence,
        first: first.to_string(),
        last: last.to_string(),
        documents: numbers.len(),
        messages: numbers.values().map(Vec::len).sum(),
        missing,
        doubled: doubled.map(|(number, _)| number.to_string()).collect(),
    }
}
