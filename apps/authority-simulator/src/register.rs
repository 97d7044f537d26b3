//! The series and the reports that AT knows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use racun_authorities::portugal::{ProgramPublicKey, RsaPrivateKey};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::keys;

/// A series that was registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownSeries {
    /// The taxpayer's number.
    pub taxpayer: String,
    /// Its identifier.
    pub series: String,
    /// `N`, `F` or `R`.
    pub kind: String,
    /// The class of its documents.
    pub class: String,
    /// The type of its documents.
    pub code: String,
    /// Its first number.
    pub first: u64,
    /// Its last number, once it is closed.
    pub last: Option<u64>,
    /// The day from which it is used.
    pub from: String,
    /// The number of the program's certificate.
    pub certificate: String,
    /// Its validation code.
    pub validation: String,
    /// The day on which it was registered.
    pub registered_on: String,
    /// `A` active, `F` closed, `N` annulled.
    pub state: String,
    /// Since when.
    pub since: String,
}

/// An invoice that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reported {
    /// The taxpayer's number.
    pub taxpayer: String,
    /// Its number.
    pub number: String,
    /// Its unique code.
    pub atcud: String,
    /// Its state: `N`, or `A` when it was voided.
    pub status: String,
    /// The four characters of its signature.
    pub excerpt: String,
    /// When it was received first.
    #[serde(with = "time::serde::rfc3339")]
    pub received_at: OffsetDateTime,
    /// How often it was reported.
    pub times: u64,
    /// All that was said of it.
    pub content: Value,
}

/// A message that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AtRefused {
    /// `series`, `invoice` or `status`.
    pub operation: String,
    /// When it was received.
    #[serde(with = "time::serde::rfc3339")]
    pub received_at: OffsetDateTime,
    /// The code of the answer.
    pub code: String,
    /// Its text.
    pub text: String,
}

/// Taxpayer, identifier in capitals, and type: what the authority tells series apart by.
pub type SeriesKey = (String, String, String);

/// All that is remembered.
#[derive(Default)]
pub struct Kept {
    pub series: BTreeMap<SeriesKey, KnownSeries>,
    pub reported: BTreeMap<(String, String), Reported>,
    order: VecDeque<(String, String)>,
    refused: VecDeque<AtRefused>,
    nonces: BTreeSet<String>,
    used: VecDeque<String>,
    passwords: BTreeMap<String, String>,
    most: usize,
}

impl Kept {
    /// Whether no request had this key before. It has one now.
    pub fn is_new_nonce(&mut self, nonce: &str) -> bool {
        if !self.nonces.insert(nonce.to_owned()) {
            return false;
        }
        self.used.push_back(nonce.to_owned());
        if self.used.len() > self.most
            && let Some(oldest) = self.used.pop_front()
        {
            self.nonces.remove(&oldest);
        }
        true
    }

    /// Whether `password` is the sub-user's: any, unless one was set.
    pub fn is_password(&self, user: &str, password: &str) -> bool {
        self.passwords.get(user).is_none_or(|own| own == password)
    }

    /// Sets the password of a sub-user.
    pub fn set_password(&mut self, user: &str, password: &str) {
        self.passwords.insert(user.to_owned(), password.to_owned());
    }

    /// Keeps a report.
    pub fn report(&mut self, reported: Reported) {
        let key = (reported.taxpayer.clone(), reported.number.clone());
        if self.reported.insert(key.clone(), reported).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.reported.remove(&oldest);
        }
    }

    /// Notes a refusal.
    pub fn refuse(&mut self, refused: AtRefused) {
        self.refused.push_back(refused);
        if self.refused.len() > self.most {
            self.refused.pop_front();
        }
    }

    /// What was reported, in the order in which it came first.
    pub fn reports(&self) -> Vec<Reported> {
        self.order.iter().filter_map(|key| self.reported.get(key)).cloned().collect()
    }

    /// What was refused, in order.
    pub fn refusals(&self) -> Vec<AtRefused> {
        self.refused.iter().cloned().collect()
    }

    /// All series.
    pub fn known(&self) -> Vec<KnownSeries> {
        self.series.values().cloned().collect()
    }
}

/// The authority's keys, and what it keeps.
pub struct Register {
    /// Opens the keys of requests.
    pub key: RsaPrivateKey,
    /// The public key of the certified program.
    pub program: Mutex<ProgramPublicKey>,
    kept: Mutex<Kept>,
}

impl Register {
    /// An empty register that keeps the latest `most` reports.
    ///
    /// # Errors
    /// When a key that this program carries is none, as text.
    pub fn new(most: usize) -> Result<Self, String> {
        let told = |error: racun_authorities::portugal::BadKey| error.to_string();
        let key = RsaPrivateKey::from_pem(keys::AUTHORITY).map_err(told)?;
        let program = ProgramPublicKey::from_pem(keys::PROGRAM_PUBLIC).map_err(told)?;
        let kept = Mutex::new(Kept { most, ..Kept::default() });
        Ok(Self { key, program: Mutex::new(program), kept })
    }

    /// What is remembered, for one look or change.
    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The public key of the certified program.
    pub fn program(&self) -> ProgramPublicKey {
        self.program.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another certified program.
    pub fn set_program(&self, key: ProgramPublicKey) {
        *self.program.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }
}
