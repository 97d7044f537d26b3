//! Codes that were given out, and how they are redeemed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// Codes that are kept at most.
const MOST: usize = 1_000;

/// What a code was given out for.
#[derive(Clone)]
pub struct Given {
    pub person: String,
    pub nonce: String,
    pub challenge: String,
    pub redirect_uri: String,
}

/// The codes that were not redeemed yet.
#[derive(Default)]
pub struct Codes(Mutex<(usize, HashMap<String, Given>)>);

impl Codes {
    /// A new code for `given`.
    pub fn give(&self, given: Given) -> String {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.0 += 1;
        if codes.1.len() >= MOST {
            codes.1.clear();
        }
        let code = format!("code-{}", codes.0);
        codes.1.insert(code.clone(), given);
        code
    }

    /// What `code` was given out for, once, to who knows the verifier.
    pub fn redeem(&self, code: &str, redirect_uri: &str, verifier: &str) -> Option<Given> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let given = codes.1.remove(code)?;
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let is_theirs = given.redirect_uri == redirect_uri && given.challenge == challenge;
        is_theirs.then_some(given)
    }
}
