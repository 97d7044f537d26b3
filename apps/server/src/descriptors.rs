//! File descriptors: how many the process may have, and how many of them are for connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that connections of clients leave to all else: the store's files, listeners, calls
/// to others, files that are uploaded and mailed.
const KEPT: u64 = 256;

/// Connections that there may be at most, whatever the system allows: each takes some memory.
const MOST_CONNECTIONS: u64 = 10_000;

/// Raises the process's limit as far as the system lets it; how many connections there may be then.
///
/// The usual soft limit, 1,024, is for programs that put descriptors into bit sets; one client can
/// use it up.
pub fn raise() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    connections(getrlimit(Resource::Nofile).current)
}

/// How many of so many descriptors are for connections; `None` stands for no limit.
fn connections(descriptors: Option<u64>) -> usize {
    let allowed = descriptors.map_or(MOST_CONNECTIONS, |all| {
        let kept = KEPT.min(all / 2);
        (all - kept).min(MOST_CONNECTIONS)
    });
    usize::try_from(allowed).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_descriptors_are_kept_for_the_store() {
        for (descriptors, expected) in [
            (None, 10_000),
            (Some(1_048_576), 10_000),
            (Some(10_100), 9_844),
            (Some(1_024), 768),
            (Some(100), 50),
        ] {
            assert_eq!(connections(descriptors), expected, "{descriptors:?}");
        }
    }

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        raise();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
