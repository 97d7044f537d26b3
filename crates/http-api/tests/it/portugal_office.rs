//! The tax authority of Portugal in these tests, and the certified program.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_authorities::portugal::RsaProgramKey;
use racun_kernel::Environment;
use racun_portugal::series_ws::{Request, SeriesInfo, SeriesReply, State};
use racun_portugal::{
    Patience, Portugal, Program, ProgramKey, SigningFailed, SubUser, Unanswered, ValidationCode,
    invoice_ws,
};
use time::macros::date;

/// A key of the vectors.
const KEY: &str = include_str!("../../../../tests/vectors/portugal/keys/test_a_private.pem");

/// The program's key.
pub fn key() -> RsaProgramKey {
    RsaProgramKey::from_pem(KEY, 1).unwrap()
}

/// A key that signs nothing.
struct Useless;

impl ProgramKey for Useless {
    fn version(&self) -> u32 {
        1
    }

    fn sign(&self, _: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        Err(SigningFailed)
    }
}

/// The authority: it takes all series until a test says otherwise, and is silent about invoices
/// until a test says what it answers. A sandbox has a program and a test user; a live entity has a
/// program once a test says so, and never a test user.
#[derive(Default)]
pub struct Office {
    codes: AtomicU64,
    /// Whether the key of the program signs nothing.
    pub signs_nothing: AtomicBool,
    /// Whether there is a program for live documents.
    pub has_live_program: AtomicBool,
    /// The next answers to messages about invoices.
    replies: Mutex<VecDeque<i32>>,
    told: Mutex<Vec<String>>,
    /// The next answer to a request about series, where it is no success.
    says: Mutex<Option<Result<u16, ()>>>,
    asked: Mutex<Vec<&'static str>>,
    /// Who called each service.
    callers: Mutex<Vec<Caller>>,
    /// The series that it registered.
    known: Mutex<Vec<SeriesInfo>>,
    /// Whether its next answer about a series is lost.
    loses: AtomicBool,
}

/// Who called: from which environment, with which user and password.
pub type Caller = (Environment, String, String);

impl Office {
    /// The operations on series since the last look.
    pub fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    /// Who called since the last look.
    pub fn callers(&self) -> Vec<Caller> {
        std::mem::take(&mut self.callers.lock().unwrap())
    }

    /// Answers the next messages about invoices by these codes.
    pub fn reply(&self, codes: &[i32]) {
        self.replies.lock().unwrap().extend(codes);
    }

    /// The messages about invoices since the last look.
    pub fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap())
    }

    /// Loses the next answer about a series, after what was asked is done.
    pub fn lose(&self) {
        self.loses.store(true, Ordering::Relaxed);
    }

    /// Answers the next request about a series by this code, or not at all, and does nothing.
    pub fn say(&self, answer: Result<u16, ()>) {
        *self.says.lock().unwrap() = Some(answer);
    }

    fn called(&self, environment: Environment, user: &SubUser) {
        let caller = (environment, user.username.clone(), user.password.clone());
        self.callers.lock().unwrap().push(caller);
    }

    /// Does what `request` wants: the code of the answer, and its series.
    fn settle(&self, request: &Request) -> (u16, Vec<SeriesInfo>) {
        let mut known = self.known.lock().unwrap();
        let mut end = |validation: &ValidationCode, done: u16, state: State| {
            let of = |own: &&mut SeriesInfo| own.validation == *validation;
            match known.iter_mut().find(of).filter(|own| own.state == State::Active) {
                Some(own) => {
                    own.state = state;
                    (done, Vec::new())
                }
                None => (4005, Vec::new()),
            }
        };
        match request {
            Request::Register { series, code, first, .. } => {
                let is_it = |own: &SeriesInfo| {
                    own.series.eq_ignore_ascii_case(series.as_str()) && own.code == *code
                };
                if known.iter().any(|own| is_it(own) && own.state != State::Annulled) {
                    return (4001, Vec::new());
                }
                let number = self.codes.fetch_add(1, Ordering::Relaxed);
                let own = SeriesInfo {
                    series: series.as_str().to_owned(),
                    code: *code,
                    validation: ValidationCode::new(&format!("AAAAAAA{number}")).unwrap(),
                    state: State::Active,
                    first: *first,
                    last: None,
                    registered_on: date!(2026 - 11 - 20),
                };
                known.push(own.clone());
                (2001, vec![own])
            }
            Request::Finalise { validation, .. } => end(validation, 2004, State::Closed),
            Request::Annul { validation, .. } => end(validation, 2003, State::Annulled),
            Request::Consult { series, code, state } => {
                let is_wanted = |own: &&SeriesInfo| {
                    series.as_ref().is_none_or(|series| own.series == series.as_str())
                        && code.is_none_or(|code| own.code == code)
                        && state.is_none_or(|state| own.state == state)
                };
                (2002, known.iter().filter(is_wanted).cloned().collect())
            }
        }
    }
}

#[async_trait]
impl Portugal for Office {
    fn program(&self, environment: Environment) -> Option<Program> {
        let signs_nothing = self.signs_nothing.load(Ordering::Relaxed);
        let is_there =
            environment == Environment::Sandbox || self.has_live_program.load(Ordering::Relaxed);
        is_there.then(|| Program {
            key: if signs_nothing { Arc::new(Useless) } else { Arc::new(key()) },
            certificate: 9999,
            maker_tax_number: "508025338".to_owned(),
            maker: "Exemplo".to_owned(),
            version: "1".to_owned(),
        })
    }

    fn test_user(&self, environment: Environment, nif: &str) -> Option<SubUser> {
        let is_sandbox = environment == Environment::Sandbox;
        is_sandbox.then(|| SubUser { username: format!("{nif}/1"), password: "x".to_owned() })
    }

    async fn series(
        &self,
        environment: Environment,
        user: &SubUser,
        request: &Request,
        _: Patience,
    ) -> Result<SeriesReply, Unanswered> {
        self.asked.lock().unwrap().push(request.operation());
        self.called(environment, user);
        let message = "Mensagem".to_owned();
        let loses = self.loses.swap(false, Ordering::Relaxed);
        match self.says.lock().unwrap().take() {
            Some(Ok(code)) => return Ok(SeriesReply { code, message, series: Vec::new() }),
            Some(Err(())) => return Err(Unanswered { reason: "silence".to_owned() }),
            None => {}
        }
        let (code, series) = self.settle(request);
        if loses {
            return Err(Unanswered { reason: "a lost answer".to_owned() });
        }
        Ok(SeriesReply { code, message, series })
    }

    async fn invoice(
        &self,
        environment: Environment,
        user: &SubUser,
        body: &str,
        _: Patience,
    ) -> Result<invoice_ws::InvoiceReply, Unanswered> {
        self.told.lock().unwrap().push(body.to_owned());
        self.called(environment, user);
        let code = self.replies.lock().unwrap().pop_front();
        let code = code.ok_or_else(|| Unanswered { reason: "silence".to_owned() })?;
        Ok(invoice_ws::InvoiceReply { code, message: format!("Mensagem {code}") })
    }
}
