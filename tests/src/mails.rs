//! The mails in a server's folder.

use std::fs;
use std::time::{Duration, Instant};

use crate::Racun;

/// The mails in the server's folder that hold `what`, once there are `count`.
///
/// # Panics
/// When there are not as many in time, or more.
pub async fn mails(racun: &Racun, what: &str, count: usize) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let found = mails_so_far(racun, what);
        if found.len() >= count || Instant::now() > deadline {
            assert_eq!(found.len(), count, "mails with {what}: {found:?}");
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The mails in the server's folder that hold `what`.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn mails_so_far(racun: &Racun, what: &str) -> Vec<String> {
    let Ok(files) = fs::read_dir(racun.folder().join("data/mail")) else { return Vec::new() };
    let paths = files.filter_map(|file| file.ok().map(|file| file.path()));
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "eml"));
    let texts = paths.map(|path| match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("a mail is text: {}: {error}", path.display()),
    });
    // Lines that quoted-printable broke are whole again.
    let whole = texts.map(|text| text.replace("=\r\n", "").replace("=3D", "="));
    whole.filter(|text| text.contains(what)).collect()
}

/// The token that begins with `prefix` in the text of a mail.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn token_in(text: &str, prefix: &str) -> String {
    let from = text.find(prefix).unwrap_or_else(|| panic!("no {prefix} in {text}"));
    let sane = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '-';
    text[from..].chars().take_while(sane).collect()
}
