//! Racun at work, played over HTTP as a customer's programs would do it.
//!
//! | Module     | Owns                                                          |
//! | ---------- | ------------------------------------------------------------- |
//! | `main_job` | sign up, catalogue, draft, issue, void                        |
//! | `pos`      | an evening at the point of sale                               |
//! | `fiscal`   | receipts reported to a tax authority                          |
//! | `portugal` | series, a chain of signatures, and SAF-T                      |
//! | `receipt`  | such a receipt, as a till prints it                           |
//! | `qr`       | its code, in characters                                       |
//! | `paper`    | one document of each template, as files                       |
//! | `exports`  | documents as XLSX, CSV and an archive of PDFs                 |
//! | `einvoice` | electronic invoices, as files                                |
//! | `reports`  | a quarter, and the reports that are made of it                |
//! | `player`   | who sends the requests, and what is printed of their answers  |

mod einvoice;
mod exports;
mod fiscal;
mod main_job;
mod paper;
mod player;
mod portugal;
mod pos;
mod qr;
mod receipt;
mod reports;

use player::Player;
use racun_authority_simulator::Running;
use racun_fiscal::Authority;
use racun_paper::Template;
use serde_json::{Value, json};

use crate::{clock, print};

pub use einvoice::write as write_einvoices;

/// The sandbox accounts' password: it guards nothing.
const PASSWORD: &str = "only a demo, 1 of many";

/// What can be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Play {
    /// An account's first invoice.
    MainJob,
    /// An evening at the point of sale.
    Pos,
    /// Receipts reported to the authority of a country.
    Fiscal(Authority),
    /// Documents in Portugal.
    Portugal,
    /// Reports of a quarter.
    Reports,
}

/// Plays `play` on the server at `base` and prints a line per step. `simulator` is the authorities
/// that this server tells, when they are ours to command.
///
/// # Errors
/// The first step that fails, with its answer's body.
pub async fn play(play: Play, base: &str, simulator: Option<&Running>) -> anyhow::Result<()> {
    let mut player = Player::new(base)?;
    match play {
        Play::MainJob => {
            print::line(format_args!("Racun's main job on {base}"));
            main_job::play(&mut player).await?;
        }
        Play::Pos => {
            print::line(format_args!("An evening at the point of sale on {base}"));
            pos::play(&mut player).await?;
        }
        Play::Portugal => {
            print::line(format_args!("A morning in Lisbon on {base}"));
            portugal::play(&mut player, simulator).await?;
        }
        Play::Reports => {
            print::line(format_args!("A quarter and its reports on {base}"));
            reports::play(&mut player).await?;
        }
        Play::Fiscal(authority) => {
            print::line(format_args!("Receipts for {} on {base}", authority.title()));
            fiscal::play(&mut player, authority, simulator).await?;
        }
    }
    print::line(format_args!("Done: {} requests.", player.steps()));
    Ok(())
}

/// Writes one document of each template into `folder`, or into a folder of its own, and what
/// exports of the server at `base` make of a few; says where.
///
/// # Errors
/// When a file cannot be set or written, and the first step that fails.
pub async fn write_paper(folder: Option<&str>, base: &str) -> anyhow::Result<()> {
    let folder = paper::write(folder).await?;
    let exports = exports::write(base, &folder).await?;
    let (documents, exports) = (Template::ALL.len(), exports.len());
    let whole = folder.canonicalize().unwrap_or(folder);
    print::line(format_args!(
        "Done: {documents} documents and {exports} exports in {}",
        whole.display()
    ));
    Ok(())
}

/// An address that no user has.
fn new_email() -> String {
    format!("demo-{}@example.com", clock::stamp().ulid()).to_lowercase()
}

/// As [`open_account_of`], with a company in Ljubljana.
async fn open_account(player: &mut Player) -> anyhow::Result<(String, String)> {
    let entity = json!({
        "name": "Demo d.o.o.", "address": "Slovenska cesta 1", "post_code": "1000",
        "city": "Ljubljana", "country": "Slovenia", "country_code": "SI", "environment": "sandbox",
    });
    open_account_of(player, entity).await
}

/// Signs up, logs in, makes a sandbox entity, and goes on with its account's key.
///
/// Answers the owner's own session and id, for what only a person may do.
async fn open_account_of(player: &mut Player, entity: Value) -> anyhow::Result<(String, String)> {
    let email = new_email();
    let signup = json!({ "email": email, "password": PASSWORD, "company_name": "Demo d.o.o." });
    player.post("sign up", "/users/signup", signup).await?.show(&["email"]);
    let login = json!({ "email": email, "password": PASSWORD });
    let session = player.post("log in", "/users/login", login).await?;
    session.show(&["user_id"]);
    let owner = (session.text("id")?, session.text("user_id")?);
    player.token = Some(owner.0.clone());
    let entity = player.post("make an entity", "/entities", entity).await?;
    entity.show(&["id", "name", "environment"]);
    player.entity = Some(entity.text("id")?);
    let key = json!({ "name": "demo", "environment": "sandbox" });
    let key = player.post("make an account key", "/account/api-keys", key).await?;
    key.show(&["prefix_hint"]);
    player.token = Some(key.text("id")?);
    Ok(owner)
}
