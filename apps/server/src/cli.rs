//! What the command line asks for.

use std::ffi::OsString;

use racun_application::rekey::Lost;
use racun_fiscal::Authority;

use crate::demo::Play;
use crate::import::Data;

/// What `racun --help` prints.
pub const HELP: &str = "\
Racun issues invoices over HTTP.

Usage: racun [COMMAND]

Commands:
  serve     Answers requests and works off jobs in one process (the default)
  work      Works off jobs only
  migrate   Creates or upgrades the database, says what it did, and ends
  rekey     Makes a new master key, or takes the first of those in
            RACUN__SECRETS__MASTER_KEY, and seals all secrets under it; stop the
            servers first, and run it again when it was interrupted;
            `racun rekey --lost` begins with a new key where the old one is lost
            for good: upload certificates, rotate webhooks' secrets and set
            PINs again afterwards
  registry import FILE
            Takes the companies of a public register out of a CSV file, in the
            place of those that its countries had
  tax-rates import FILE
            Takes estimated rates of sales tax of the United States out of a CSV
            file, in the place of those that its states had
  rates import FILE
            Takes reference rates out of a file of the European Central Bank, for
            a server that cannot reach it; all three need the embedded database
            for themselves: stop the server first
  openapi   Prints the description of the HTTP interface as JSON (OpenAPI 3.1)
  demo      Plays the main job on a private server, one line per step;
            `racun demo pos` plays an evening at the point of sale;
            `racun demo si` and `racun demo hr` issue receipts that the tax
            authority of Slovenia or Croatia is told of, its outage included;
            `racun demo pt` issues documents that are signed in a chain;
            `racun demo reports` sells for a quarter and asks for its reports;
            `--url http://127.0.0.1:8080` plays on a running server;
            `racun demo paper [FOLDER]` writes one document of each template
            as PDF, and exports as XLSX, CSV and ZIP;
            `racun demo einvoice [FOLDER]` writes XRechnung, ZUGFeRD, e-SLOG,
            a package for UJP and Peppol BIS

Options:
  -h, --help      Prints this
  -V, --version   Prints the version

Settings come from racun.toml in the current folder and from the environment
(RACUN__SECTION__KEY), which wins. They are listed in docs/settings.md.";

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Answers requests.
    Serve,
    /// Works off jobs.
    Work,
    /// Creates or upgrades the database.
    Migrate,
    /// Seals all secrets under another master key.
    Rekey {
        /// Whether the key that they are under is lost.
        lost: Lost,
    },
    /// Takes public data out of a file.
    Import {
        /// What the file holds.
        data: Data,
        /// Where it is.
        file: String,
    },
    /// Prints the interface's description.
    Openapi,
    /// Plays one of the demos.
    Demo {
        /// Which one.
        play: Play,
        /// The running server to play it on; none: a private one.
        url: Option<String>,
    },
    /// Writes one document of each template.
    Paper {
        /// Into which folder; none: one of its own.
        folder: Option<String>,
    },
    /// Issues electronic invoices and writes their files.
    EInvoice {
        /// Into which folder; none: one of its own.
        folder: Option<String>,
    },
    /// Prints [`HELP`].
    Help,
    /// Prints the version.
    Version,
}

impl Command {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    /// One sentence when they are no command.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let words: Vec<String> =
            arguments.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] | ["serve"] => Ok(Self::Serve),
            ["work"] => Ok(Self::Work),
            ["migrate"] => Ok(Self::Migrate),
            ["rekey"] => Ok(Self::Rekey { lost: Lost::Keep }),
            ["rekey", "--lost"] => Ok(Self::Rekey { lost: Lost::GiveUp }),
            ["openapi"] => Ok(Self::Openapi),
            ["-h" | "--help" | "help", ..] | [_, "-h" | "--help"] => Ok(Self::Help),
            ["-V" | "--version"] => Ok(Self::Version),
            ["registry", rest @ ..] => Self::import(Data::Registry, "registry", rest),
            ["tax-rates", rest @ ..] => Self::import(Data::TaxRates, "tax-rates", rest),
            ["rates", rest @ ..] => Self::import(Data::Rates, "rates", rest),
            ["demo", "paper"] => Ok(Self::Paper { folder: None }),
            ["demo", "paper", folder] if !folder.starts_with('-') => {
                Ok(Self::Paper { folder: Some((*folder).to_owned()) })
            }
            ["demo", "paper", _, extra, ..] | ["demo", "paper", extra] => {
                Err(does_not_take("demo paper", extra))
            }
            ["demo", "einvoice"] => Ok(Self::EInvoice { folder: None }),
            ["demo", "einvoice", folder] if !folder.starts_with('-') => {
                Ok(Self::EInvoice { folder: Some((*folder).to_owned()) })
            }
            ["demo", "einvoice", _, extra, ..] | ["demo", "einvoice", extra] => {
                Err(does_not_take("demo einvoice", extra))
            }
            ["demo", "pos", rest @ ..] => Self::demo(Play::Pos, rest),
            ["demo", "si", rest @ ..] => Self::demo(Play::Fiscal(Authority::Furs), rest),
            ["demo", "hr", rest @ ..] => Self::demo(Play::Fiscal(Authority::Fina), rest),
            ["demo", "pt", rest @ ..] => Self::demo(Play::Portugal, rest),
            ["demo", "reports", rest @ ..] => Self::demo(Play::Reports, rest),
            ["demo", rest @ ..] => Self::demo(Play::MainJob, rest),
            [command @ ("serve" | "work" | "migrate" | "rekey" | "openapi"), extra, ..] => {
                Err(does_not_take(command, extra))
            }
            [unknown, ..] => Err(format!("there is no command `{unknown}`; see `racun --help`")),
        }
    }

    fn import(data: Data, name: &str, words: &[&str]) -> Result<Self, String> {
        match words {
            ["import", file] => Ok(Self::Import { data, file: (*file).to_owned() }),
            _ => Err(format!("say `racun {name} import FILE`; see `racun --help`")),
        }
    }

    fn demo(play: Play, words: &[&str]) -> Result<Self, String> {
        match words {
            [] => Ok(Self::Demo { play, url: None }),
            ["--url", url] => Ok(Self::Demo { play, url: Some((*url).to_owned()) }),
            ["--url"] => Err("--url needs the address of a running server".to_owned()),
            ["--url", _, extra, ..] | [extra, ..] => Err(does_not_take("demo", extra)),
        }
    }
}

fn does_not_take(command: &str, extra: &str) -> String {
    format!("`{command}` does not take `{extra}`; see `racun --help`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Command, &str>) {
        let parsed = Command::parse(line.split_whitespace().map(OsString::from));
        match expected {
            Ok(command) => assert_eq!(parsed, Ok(command), "{line}"),
            Err(part) => {
                let error = parsed.expect_err(line);
                assert!(error.contains(part), "{line}: {error}");
            }
        }
    }

    #[test]
    fn each_command_is_one_word_and_serve_is_the_default() {
        check("", Ok(Command::Serve));
        check("serve", Ok(Command::Serve));
        check("work", Ok(Command::Work));
        check("migrate", Ok(Command::Migrate));
        check("openapi", Ok(Command::Openapi));
        check("rekey", Ok(Command::Rekey { lost: Lost::Keep }));
        check("rekey --lost", Ok(Command::Rekey { lost: Lost::GiveUp }));
        let url = || Some("http://h".to_owned());
        check("demo", Ok(Command::Demo { play: Play::MainJob, url: None }));
        check("demo --url http://h", Ok(Command::Demo { play: Play::MainJob, url: url() }));
        check("demo pos", Ok(Command::Demo { play: Play::Pos, url: None }));
        check("demo pos --url http://h", Ok(Command::Demo { play: Play::Pos, url: url() }));
        let fiscal = |authority, url| Ok(Command::Demo { play: Play::Fiscal(authority), url });
        check("demo si", fiscal(Authority::Furs, None));
        check("demo hr --url http://h", fiscal(Authority::Fina, url()));
        check("demo pt", Ok(Command::Demo { play: Play::Portugal, url: None }));
        check("demo reports", Ok(Command::Demo { play: Play::Reports, url: None }));
        check("--help", Ok(Command::Help));
        check("serve --help", Ok(Command::Help));
        check("-V", Ok(Command::Version));
    }

    #[test]
    fn anything_else_is_named_in_the_refusal() {
        check("sevre", Err("`sevre`"));
        check("serve now", Err("`now`"));
        check("rekey now", Err("`now`"));
        check("demo paper", Ok(Command::Paper { folder: None }));
        check("demo paper out", Ok(Command::Paper { folder: Some("out".to_owned()) }));
        check("demo paper --url", Err("`--url`"));
        check("demo paper out more", Err("`more`"));
        check("demo einvoice", Ok(Command::EInvoice { folder: None }));
        check("demo einvoice out", Ok(Command::EInvoice { folder: Some("out".to_owned()) }));
        check("demo einvoice --url", Err("`--url`"));
        check("demo --url", Err("--url"));
        check("demo --link http://h", Err("`--link`"));
        check("demo bar", Err("`bar`"));
        check("demo --url http://h now", Err("`now`"));
        check("--port 80", Err("`--port`"));
    }
}
