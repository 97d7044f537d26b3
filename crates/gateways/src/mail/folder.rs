//! Mail as files, for operators without a mail server: they open in any mail program.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use racun_mail::{Mail, MailError, Mailbox, Mailer};

use super::message;

/// Writes each mail to a file named by its id, which only the owner of the process can read.
/// Writing the same mail again replaces its file.
pub struct MailFolder {
    folder: PathBuf,
    sender: Mailbox,
}

impl MailFolder {
    /// Writes into `folder`, which is made with the first mail.
    #[must_use]
    pub const fn new(folder: PathBuf, sender: Mailbox) -> Self {
        Self { folder, sender }
    }
}

#[async_trait]
impl Mailer for MailFolder {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let text = message::build(mail, &self.sender)?.formatted();
        let (folder, name) = (self.folder.clone(), format!("{}.eml", mail.id));
        let place = folder.join(&name);
        let written = tokio::task::spawn_blocking(move || write_whole(&folder, &name, &text)).await;
        match written {
            Ok(Ok(())) => {
                tracing::info!(file = %place.display(), "a mail was written, for no server is set");
                Ok(())
            }
            Ok(Err(error)) => Err(MailError::Temporary(format!("{}: {error}", place.display()))),
            Err(error) => Err(MailError::Temporary(error.to_string())),
        }
    }
}

/// Writes a file that is there either whole or not at all, whenever the power fails.
fn write_whole(folder: &Path, name: &str, text: &[u8]) -> io::Result<()> {
    /// Tells apart what several tasks write at once.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = folder.join(format!(".{name}.{}-{count}", std::process::id()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&beside, folder.join(name))?;
    File::open(folder)?.sync_all()
}
