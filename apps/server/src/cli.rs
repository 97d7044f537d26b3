//! What the command line asks for.

use std::ffi::OsString;

/// What `racun --help` prints.
pub const HELP: &str = "\
Racun issues invoices over HTTP.

Usage: racun [COMMAND]

Commands:
  serve     Answers requests and works off jobs in one process (the default)
  work      Works off jobs only
  migrate   Creates or upgrades the database, says what it did, and ends
  openapi   Prints the description of the HTTP interface as JSON (OpenAPI 3.1)
  demo      Plays the main job on a private server, one line per step;
            `racun demo --url http://127.0.0.1:8080` plays it on a running one

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
    /// Prints the interface's description.
    Openapi,
    /// Plays the main job.
    Demo {
        /// The running server to play it on; none: a private one.
        url: Option<String>,
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
            ["openapi"] => Ok(Self::Openapi),
            ["demo"] => Ok(Self::Demo { url: None }),
            ["demo", "--url", url] => Ok(Self::Demo { url: Some((*url).to_owned()) }),
            ["demo", "--url"] => Err("--url needs the address of a running server".to_owned()),
            ["-h" | "--help" | "help", ..] | [_, "-h" | "--help"] => Ok(Self::Help),
            ["-V" | "--version"] => Ok(Self::Version),
            [command @ ("serve" | "work" | "migrate" | "openapi" | "demo"), extra, ..] => {
                Err(format!("`{command}` does not take `{extra}`; see `racun --help`"))
            }
            [unknown, ..] => Err(format!("there is no command `{unknown}`; see `racun --help`")),
        }
    }
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
        check("demo", Ok(Command::Demo { url: None }));
        check("demo --url http://h", Ok(Command::Demo { url: Some("http://h".to_owned()) }));
        check("--help", Ok(Command::Help));
        check("serve --help", Ok(Command::Help));
        check("-V", Ok(Command::Version));
    }

    #[test]
    fn anything_else_is_named_in_the_refusal() {
        check("sevre", Err("`sevre`"));
        check("serve now", Err("`now`"));
        check("demo --url", Err("--url"));
        check("demo --link http://h", Err("`--link`"));
        check("--port 80", Err("`--port`"));
    }
}
