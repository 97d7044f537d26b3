//! The binary `racun`: settings, telemetry and wiring. It decides nothing about invoices.
//!
//! | Module           | Owns                                                 |
//! | ---------------- | ---------------------------------------------------- |
//! | `cli`            | the commands                                         |
//! | `settings`       | `racun.toml` and `RACUN__…`                          |
//! | `telemetry`      | log records, traces, metrics                         |
//! | `clock`          | the clock and the source of randomness               |
//! | `data_folder`    | the embedded store's folder and the master key in it |
//! | `store`          | opening the store that the settings name             |
//! | `serve`          | `racun serve`, `work` and `migrate`                  |
//! | `rekey`          | `racun rekey`                                        |
//! | `import`         | `racun registry import` and its like                 |
//! | `jobs`           | what is done without a request                       |
//! | `workers`        | the consumers of the log, and the worker of jobs     |
//! | `demo`           | `racun demo`                                         |
//! | `allocator`      | how memory is given back to the system               |
//! | `descriptors`    | how many connections the system lets it have         |
//! | `private_server` | its server when no other is named                    |
//! | `authorities`    | the tax authorities that get reports                 |
//! | `gateways`       | receivers of events, mail, and the storage of files  |
//! | `white_labels`   | the white labels of the operator's file              |
//! | `press`          | documents set as PDF, off the threads of requests    |
//! | `print`          | lines on standard output                             |
//! | `management`     | `/metrics` in the text of Prometheus, and `/health`  |
//! | `stop`           | the signals that end the process                     |

mod allocator;
mod authorities;
mod cards;
mod cli;
mod clock;
mod data_folder;
mod demo;
mod descriptors;
mod gateways;
mod import;
mod jobs;
mod management;
mod network;
mod press;
mod print;
mod private_server;
mod rekey;
mod serve;
mod settings;
mod stop;
mod store;
mod telemetry;
mod webhooks;
mod white_labels;
mod workers;

use std::process::ExitCode;

use cli::Command;
use racun_access::MasterKeyError;
use settings::Settings;
use telemetry::Telemetry;

/// Why the process ends without having done what was asked.
enum Failure {
    /// The command, a setting or the master key is wrong: status 2.
    Asked(String),
    /// It did not work: status 1.
    Met(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Met(error)
    }
}

fn main() -> ExitCode {
    allocator::keep_large_blocks_apart();
    start()
}

#[tokio::main]
async fn start() -> ExitCode {
    // Before anybody makes a client: the one of the telemetry looks for it too.
    racun_gateways::use_ring();
    let (text, status) = match run().await {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Asked(text)) => (text, 2),
        Err(Failure::Met(error)) => (format!("{error:#}"), 1),
    };
    eprintln!("racun: {}", text.lines().collect::<Vec<_>>().join(" "));
    ExitCode::from(status)
}

async fn run() -> Result<(), Failure> {
    match Command::parse(std::env::args_os().skip(1)).map_err(Failure::Asked)? {
        Command::Help => print::line(cli::HELP),
        Command::Version => print::line(concat!("racun ", env!("CARGO_PKG_VERSION"))),
        Command::Openapi => print_openapi()?,
        Command::Demo { play, url: Some(url) } => demo::play(play, &url, None).await?,
        Command::Demo { play, url: None } => private_server::demo(play).await?,
        Command::Paper { folder } => private_server::paper(folder.as_deref()).await?,
        Command::EInvoice { folder } => private_server::einvoice(folder.as_deref()).await?,
        Command::Serve => with_settings(async |settings| serve::serve(settings).await).await?,
        Command::Work => with_settings(async |settings| serve::work(settings).await).await?,
        Command::Rekey { lost } => {
            with_settings(async |settings| rekey::rekey(settings, lost).await).await?;
        }
        Command::Import { data, file } => {
            with_settings(async |settings| import::import(settings, data, &file).await).await?;
        }
        Command::Migrate => with_settings(async |settings| serve::migrate(settings).await).await?,
    }
    Ok(())
}

/// Runs what needs settings and telemetry, between their start and their end.
async fn with_settings(
    job: impl AsyncFnOnce(&Settings) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let settings = Settings::load().map_err(|error| Failure::Asked(error.to_string()))?;
    let telemetry = Telemetry::start(&settings.log, &settings.metrics)?;
    let outcome = job(&settings).await;
    telemetry.finish();
    outcome.map_err(|error| match error.downcast_ref::<MasterKeyError>() {
        Some(MasterKeyError::Store(_)) | None => Failure::Met(error),
        Some(wrong) => Failure::Asked(wrong.to_string()),
    })
}

fn print_openapi() -> anyhow::Result<()> {
    print::line(serde_json::to_string_pretty(&racun_http_api::openapi())?);
    Ok(())
}
