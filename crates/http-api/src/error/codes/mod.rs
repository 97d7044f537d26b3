//! All codes that an answer can hold, with what each means and what to do about it.
//!
//! An answer that is not a success says its codes in fixed places: `code` is that of its status, or
//! one of those that the interface has in its place; `cause.code` is the most specific there is,
//! always; `cause.issues[]` say path, message and code of what is wrong with single fields. A test
//! compares the table with the sources of all crates, and `docs/errors.md` with [`markdown`].

#[macro_use]
mod table;
mod issues;

use std::fmt::Write as _;

use self::issues::ISSUES;
use self::table::{ANSWERS, REASONS};
use super::Kind;

/// A code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Its text.
    pub name: &'static str,
    /// Where it stands.
    pub level: Level,
    /// The statuses of the answers that hold it.
    pub statuses: &'static [u16],
    /// Whether it says nothing against the request: the same one may succeed later, so its answer
    /// is not kept under an idempotency key.
    pub is_for_now: bool,
    /// What it means, and what to do about it.
    pub meaning: &'static str,
}

/// The position of a code in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// In `code`.
    Answer,
    /// In `cause.code`: the rule that refuses.
    Reason,
    /// In `cause.issues[].code`: what is wrong with a field. The first is in `cause.code` as well.
    Issue,
}

/// All codes, by level.
pub const CODES: [&[Code]; 3] = [ANSWERS, REASONS, ISSUES];

/// The codes that `code` of an answer can be.
pub fn of_answers() -> impl Iterator<Item = &'static Code> {
    ANSWERS.iter()
}

/// The codes that `cause.code` can be: of rules, of issues, and those of [`of_answers`] that say
/// more than their status.
pub fn of_causes() -> impl Iterator<Item = &'static Code> {
    let says_more = |code: &&Code| {
        let kind = Kind::ALL.iter().find(|kind| kind.code() == code.name);
        kind.is_none_or(|kind| *kind == Kind::Locked)
    };
    ANSWERS.iter().filter(says_more).chain(REASONS).chain(of_issues())
}

/// The codes that `cause.issues[].code` can be.
pub fn of_issues() -> impl Iterator<Item = &'static Code> {
    ISSUES.iter()
}

/// Whether the code `name` says nothing against the request: see [`Code::is_for_now`].
pub(super) fn is_for_now(name: &str) -> bool {
    CODES.into_iter().flatten().any(|code| code.name == name && code.is_for_now)
}

/// The table as a page to read: `docs/errors.md`.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    for (level, codes) in [Level::Answer, Level::Reason, Level::Issue].into_iter().zip(CODES) {
        let (title, text) = section(level);
        // Nothing fails to be written into memory.
        let _ = write!(
            page,
            "\n## {title}\n{text}\n\n| Code | Status | Meaning |\n| --- | --- | --- |\n"
        );
        for code in codes {
            let statuses: Vec<String> = code.statuses.iter().map(ToString::to_string).collect();
            let statuses = statuses.join(", ");
            let _ = writeln!(page, "| `{}` | {statuses} | {} |", code.name, code.meaning);
        }
    }
    page
}

const INTRODUCTION: &str = "\
# Errors

Every answer that is not a success has one body:

```json
{
  \"code\": \"unprocessable_entity\",
  \"message\": \"custmer: there is no such property; did you mean `customer`?\",
  \"cause\": {
    \"code\": \"unknown_field\",
    \"issues\": [
      {\"path\": [\"custmer\"], \"message\": \"…\", \"code\": \"unknown_field\"}
    ]
  }
}
```

`code` is that of the status, or one of the few that the interface has in its place. `cause.code`
is there whenever there is a specific reason, and is always the most specific one: that of the rule
that refuses, or that of the first issue, or `code` itself where that is specific. `cause.issues`
names all that is wrong with the request's fields at once, each with its path. Programs decide by
`cause.code`, people read `message`. Some rules add figures to `cause`; answers of the point of sale
add `tab`.

Some checks wait for others: the body for the query parameters; properties for text that is JSON; a
rule without a field (`expected_total_mismatch`, `payment_exceeds_total`) for all fields; a
comparison of amounts or days for what they are made of; the rest of a tab's change for its
`expected_version`; a check of a record or an element until that can be read. An issue hides what
only follows from it: a line whose `item_id` is unknown does not lack a name. The answer to a body
longer than 256 KiB, to a form, and to a request that changes a password or hands over a till lists
the issues of the first check. An answer lists at most 50 issues.

Send again, with the same `Idempotency-Key`, what was answered 408, 429, 500 or 503, what bears
`Retry-After`, and what `cause.code` says to send again: such answers are not kept under the key.

This page is made from the table in `crates/http-api/src/error/codes`, by
`cargo run -p racun-http-api --example errors > docs/errors.md`.
";

const fn section(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Answer => ("`code`", "One for each status, and those that stand in its place."),
        Level::Reason => {
            ("`cause.code`", "The rule that refuses; the codes of the next table stand there, too.")
        }
        Level::Issue => (
            "`cause.issues[].code`",
            "What is wrong with a field. The first is `cause.code` as well.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_ask_to_wait_or_to_send_again_are_for_now_and_no_others() {
        for code in CODES.into_iter().flatten() {
            let mut parts = code.meaning.split(['.', ';']).flat_map(|part| part.split(" or "));
            let says_again = parts.any(|part| {
                let sends = part.contains("Send ") || part.contains("send ");
                part.contains("Wait ") || part.contains("wait ") || sends && part.contains(" again")
            });
            assert_eq!(code.is_for_now, says_again, "{}: {}", code.name, code.meaning);
        }
    }

    #[test]
    fn every_code_that_is_for_now_asks_again_whatever_its_status() {
        for code in CODES.into_iter().flatten().filter(|code| code.level == Level::Reason) {
            for kind in Kind::ALL.into_iter().filter(|kind| {
                code.statuses.contains(&kind.status().as_u16()) && !kind.asks_again()
            }) {
                let error = super::super::ApiError::new(kind, "refused").caused_by(code.name);
                assert_eq!(error.asks_again(), code.is_for_now, "{}", code.name);
            }
        }
    }
}
