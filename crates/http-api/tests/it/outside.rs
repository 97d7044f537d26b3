//! The world outside: a storage of files in memory, a register of VAT numbers, and silence else.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use racun_catalog::{FileStorage, NoAnswer, StorageError, VatAnswer, VatQuery, VatRegistry};
use racun_delivery::printing::{CannotPrint, PrintPdf};
use racun_mail::{Mail, MailError, Mailer};
use racun_paper::{Modules, Paper, Picture};
use racun_render::{Block, Text};
use racun_webhooks::{Courier, Post, ReceiverResponse, Undelivered};

/// No receiver answers, and no mail is taken.
pub struct Unreachable;

#[async_trait]
impl Courier for Unreachable {
    async fn post(&self, _: &Post) -> Result<ReceiverResponse, Undelivered> {
        Err(Undelivered::Failed("nobody listens".to_owned()))
    }
}

#[async_trait]
impl Mailer for Unreachable {
    async fn send(&self, _: &Mail) -> Result<(), MailError> {
        Err(MailError::Temporary("nobody listens".to_owned()))
    }
}

/// Prints words alone: how pages look is for others to test.
pub struct Titles;

#[async_trait]
impl PrintPdf for Titles {
    async fn print(&self, paper: Paper) -> Result<Vec<u8>, CannotPrint> {
        Ok(format!("%PDF-\n{}\n{}\n%%EOF\n", paper.title, paper.texts().join("\n")).into_bytes())
    }

    async fn print_hybrid(&self, paper: Paper, invoice: String) -> Result<Vec<u8>, CannotPrint> {
        Ok(format!("%PDF-\n{}\n{invoice}\n%%EOF\n", paper.title).into_bytes())
    }

    async fn print_text(&self, text: Text) -> Result<Vec<u8>, CannotPrint> {
        let lines = text.blocks.iter().map(|block| match block {
            Block::Heading(line) | Block::Paragraph(line) => line.clone(),
            Block::Table(table) => {
                let rows: Vec<String> = table.rows.iter().map(|row| row.join("|")).collect();
                rows.join("\n")
            }
        });
        let lines: Vec<String> = lines.collect();
        let printed = format!("%PDF-\n{}\n{}\n%%EOF\n", text.title, lines.join("\n"));
        Ok(printed.into_bytes())
    }

    /// One byte of it.
    async fn small(&self, picture: Picture) -> Option<Picture> {
        let bytes = picture.bytes[..1].to_vec();
        Some(Picture { bytes, ..picture })
    }

    /// A square of eight dark dots on each side, where there is room.
    async fn dots(&self, _: Picture, most: (u32, u32)) -> Option<Modules> {
        let square = Modules { width: 8, dark: vec![true; 64], quiet: 0, row: 1 };
        (most >= (8, 8)).then_some(square)
    }
}

/// Keeps the bytes of files as long as the test lasts.
#[derive(Default)]
pub struct Memory(pub Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl FileStorage for Memory {
    async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.0.lock().unwrap().insert(key.to_owned(), content);
        Ok(())
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }

    async fn delete(&self, key: &str) -> Result<(), StorageError> {
        self.0.lock().unwrap().remove(key);
        Ok(())
    }
}

/// A register of VAT numbers that a test scripts: each number is valid unless the test says
/// otherwise.
#[derive(Default)]
pub struct Register {
    /// What it answers of a number, `DE136695976`.
    pub answers: Mutex<HashMap<String, Result<VatAnswer, NoAnswer>>>,
    /// Whether it is away.
    pub is_away: AtomicBool,
    /// What it was asked, in that order.
    pub asked: Mutex<Vec<VatQuery>>,
}

impl Register {
    /// Says of `number` whether it is valid.
    pub fn says(&self, number: &str, valid: bool) {
        let answer = VatAnswer {
            valid,
            name: valid.then(|| "Bäckerei GmbH".to_owned()),
            address: None,
            consultation_number: Some(format!("WAPI-{number}")),
        };
        self.answers.lock().unwrap().insert(number.to_owned(), Ok(answer));
    }

    /// Gives no answer any more, or does again.
    pub fn go_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    /// How often it was asked.
    pub fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl VatRegistry for Register {
    async fn ask(&self, query: &VatQuery) -> Result<VatAnswer, NoAnswer> {
        self.asked.lock().unwrap().push(query.clone());
        if self.is_away.load(Ordering::SeqCst) {
            return Err(NoAnswer { reason: "MS_UNAVAILABLE".to_owned() });
        }
        let number = query.number.to_string();
        let told = self.answers.lock().unwrap().get(&number).cloned();
        let valid = VatAnswer { valid: true, name: None, address: None, consultation_number: None };
        told.unwrap_or(Ok(valid))
    }
}
