//! What exports make of a few documents, as files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::Method;
use serde_json::{Value, json};

use super::open_account;
use super::player::Player;
use crate::print;

/// Between two looks at an archive that is put together.
const PAUSE: Duration = Duration::from_millis(200);
/// Looks before it is given up: two minutes.
const LOOKS: u32 = 600;

/// Who buys, in which months of a year.
const SALES: [(&str, &str, &str); 4] = [
    ("Čevljarstvo Žagar s.p.", "2026-01-20", "Svetovanje"),
    ("Kupec d.o.o.", "2026-02-14", "Oblikovanje kataloga"),
    ("=SUM(A1:A9)", "2026-03-02", "Tisk vabil"),
    ("Čevljarstvo Žagar s.p.", "2026-03-30", "Dostava"),
];

/// Issues documents on the server at `base`, exports them into `folder` as XLSX, as CSV and as an
/// archive of PDFs, and answers where.
///
/// # Errors
/// The first step that fails, with its answer's body; a file that cannot be written.
pub async fn write(base: &str, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut player = Player::new(base)?;
    open_account(&mut player).await?;
    for (customer, date, item) in SALES {
        let invoice = json!({
            "date": date,
            "customer": { "name": customer },
            "items": [{ "name": item, "quantity": 2, "price": 80, "taxes": [{ "rate": 22 }] }],
        });
        let made = player.post("issue an invoice", "/invoices", invoice).await?;
        made.show(&["number", "total_with_tax"]);
    }
    let days = "date_from=2026-01-01&date_to=2026-12-31";
    let mut written = Vec::new();
    for format in ["xlsx", "csv"] {
        let path = format!("/documents/export?format={format}&{days}");
        let file = player.file("export documents", &path).await?;
        written.push(put(folder, &format!("documents.{format}"), &file)?);
    }
    let wanted =
        json!({ "types": ["invoice"], "date_from": "2026-01-01", "date_to": "2026-12-31" });
    let begun = player.post("export PDFs", "/documents/export/pdf", wanted).await?;
    begun.show(&["id", "total_docs"]);
    let archive = completed(&player, &begun.text("id")?).await?;
    written.push(put(folder, "documents.zip", &archive)?);
    Ok(written)
}

/// The archive of the export `id`, once there is one.
async fn completed(player: &Player, id: &str) -> anyhow::Result<Vec<u8>> {
    let path = format!("/documents/export/jobs/{id}");
    for _ in 0..LOOKS {
        let job = player.send("look at the archive", Method::GET, &path, None).await?;
        match job.body.get("status").and_then(Value::as_str) {
            Some("completed") => {
                job.show(&["status", "progress"]);
                return player.file("download it", &format!("{path}/download")).await;
            }
            Some("pending" | "processing") => tokio::time::sleep(PAUSE).await,
            _ => bail!("the archive is not put together: {}", job.body),
        }
    }
    bail!("the archive of {id} is not complete in two minutes")
}

fn put(folder: &Path, name: &str, file: &[u8]) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, file).with_context(|| format!("{} cannot be written", path.display()))?;
    print::line(path.display());
    Ok(path)
}
