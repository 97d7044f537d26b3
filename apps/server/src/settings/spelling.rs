//! Names that are meant as settings and are none: `RACUN_DATABASE_URL`, with one underscore for
//! two.

use racun_kernel::spelling::nearest;

use super::{InvalidSetting, PREFIX, SEPARATOR, names};

/// Beginnings of names that others set: tests, and Kubernetes and Docker for a service called
/// `racun`.
const FOREIGN: [&str; 4] = ["TEST_", "SERVICE_", "PORT_", "ENV_"];

/// Refuses the first of `names` that begins as a setting does, but for its second underscore: it
/// would be ignored, and Racun would run with another setting than the operator meant.
///
/// # Errors
/// How it is spelled.
pub(super) fn check(names: impl Iterator<Item = String>) -> Result<(), InvalidSetting> {
    let begin = format!("{PREFIX}_");
    let mut wrong: Vec<String> = names.filter(|name| is_misspelled(name, &begin)).collect();
    wrong.sort_unstable();
    let Some(name) = wrong.into_iter().next() else { return Ok(()) };
    let reason = match spelled(&name[begin.len()..]) {
        Some(right) => format!("no such setting; it is spelled {right}, with two underscores"),
        None => format!(
            "no such setting; names of settings have two underscores between their parts, as in \
             {PREFIX}{SEPARATOR}DATABASE{SEPARATOR}URL"
        ),
    };
    Err(InvalidSetting { name: format!("setting {name}"), reason })
}

fn is_misspelled(name: &str, begin: &str) -> bool {
    let upper = name.to_uppercase();
    let Some(rest) = upper.strip_prefix(begin) else { return false };
    let is_foreign = rest == "PORT" || FOREIGN.iter().any(|foreign| rest.starts_with(foreign));
    !rest.starts_with('_') && !is_foreign
}

/// The setting that `rest`, the text behind the prefix, is meant for.
fn spelled(rest: &str) -> Option<String> {
    let names = names::all();
    let near = nearest(rest, names.iter().map(String::as_str))?;
    Some(format!("{PREFIX}{SEPARATOR}{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_underscore_is_noticed_and_the_name_is_spelled() {
        for (name, part) in [
            ("RACUN_DATABASE_URL", "RACUN__DATABASE__URL,"),
            ("RACUN_SERVER_LISTEN", "RACUN__SERVER__LISTEN,"),
            ("racun_rate_limits_per_token", "RACUN__RATE_LIMITS__PER_TOKEN,"),
            ("RACUN_DATABASE__URL", "RACUN__DATABASE__URL,"),
            ("RACUN_FURS_TEST_URL", "RACUN__FURS__TEST__URL,"),
            ("RACUN_FILES_S3_BUCKET", "RACUN__FILES__S3__BUCKET,"),
            ("RACUN_ACCESS_SIGNUP", "RACUN__ACCESS__SIGNUP,"),
            ("RACUN_EMAIL_LIMITS_PER_ACCOUNT", "RACUN__EMAIL__LIMITS__PER_ACCOUNT,"),
            ("RACUN_STORAGE_PER_ACOUNT", "RACUN__STORAGE__PER_ACCOUNT,"),
            ("RACUN_DATABASE_COLOUR", "two underscores between their parts"),
            ("RACUN_DEMO", "two underscores between their parts"),
        ] {
            let refused = check(std::iter::once(name.to_owned())).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("setting {name}: ")), "{refused}");
            assert!(refused.contains(part), "{refused}");
        }
    }

    /// The names in the first column of the page of settings, with what they abbreviate.
    fn names_of_the_page() -> Vec<String> {
        let page = include_str!("../../../../docs/settings.md");
        let mut found = Vec::new();
        for row in page.lines().filter(|line| line.starts_with("| `RACUN__")) {
            let cell = row.split('|').nth(1).unwrap_or_default();
            let mut before = String::new();
            for name in cell.split('`').skip(1).step_by(2) {
                let section = before.rsplit_once(SEPARATOR).map_or("", |(section, _)| section);
                before = name.replacen('…', section, usize::from(name.starts_with('…')));
                found.push(before.clone());
            }
        }
        found
    }

    #[test]
    fn the_page_has_every_setting_and_each_is_spelled_when_an_underscore_is_missing() {
        let page = names_of_the_page();
        assert!(page.len() > 50, "{page:?}");
        let begin = format!("{PREFIX}{SEPARATOR}");
        let declared: Vec<String> =
            names::all().iter().map(|name| format!("{begin}{name}")).collect();
        for name in &page {
            if let Some(section) = name.strip_suffix('…') {
                assert!(declared.iter().any(|it| it.starts_with(section)), "{name}");
            } else {
                assert!(declared.contains(name), "{name} is no setting");
            }
        }
        for name in &declared {
            let is_in = |row: &String| match row.strip_suffix('…') {
                Some(section) => name.starts_with(section),
                None => row == name,
            };
            assert!(page.iter().any(is_in), "docs/settings.md lacks {name}");
            let wrong = name.replace(SEPARATOR, "_");
            let refused = check(std::iter::once(wrong.clone())).unwrap_err().to_string();
            assert!(refused.contains(&format!(" {name},")), "{wrong}: {refused}");
        }
    }

    #[test]
    fn names_of_others_are_let_be() {
        for name in [
            "RACUN__DATABASE__URL",
            "RACUN_TEST_DATABASE_URL",
            "RACUN_SERVICE_HOST",
            "RACUN_PORT",
            "RACUN_PORT_8080_TCP",
            "RACUNOVODSTVO_URL",
            "PATH",
        ] {
            assert_eq!(check(std::iter::once(name.to_owned())), Ok(()), "{name}");
        }
    }
}
