//! Names that are meant as settings and are none: `RACUN_DATABASE_URL`, with one underscore for
//! two.

use super::{InvalidSetting, PREFIX, SEPARATOR};

/// The sections of settings.
const SECTIONS: [&str; 14] = [
    "SERVER",
    "DATABASE",
    "SECRETS",
    "LOG",
    "FURS__TEST",
    "FURS__PRODUCTION",
    "FINA__TEST",
    "FINA__PRODUCTION",
    "FISCALIZATION__RETRY",
    "WEBHOOKS",
    "EMAIL",
    "FILES__S3",
    "RATE_LIMITS",
    "BILLING",
];

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

/// The setting that `rest`, what stands behind the prefix, is meant for.
fn spelled(rest: &str) -> Option<String> {
    let rest = rest.to_uppercase().replace(SEPARATOR, "_");
    SECTIONS.iter().find_map(|section| {
        let own = rest.strip_prefix(&section.replace(SEPARATOR, "_"))?.strip_prefix('_')?;
        (!own.is_empty()).then(|| format!("{PREFIX}{SEPARATOR}{section}{SEPARATOR}{own}"))
    })
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
            ("RACUN_DEMO", "two underscores between their parts"),
        ] {
            let refused = check(std::iter::once(name.to_owned())).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("setting {name}: ")), "{refused}");
            assert!(refused.contains(part), "{refused}");
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
