//! File descriptors: how many the process may have, and how many of them are for connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that sockets of clients leave to all else: the store's files or connections,
/// listeners, calls to others, files that are uploaded (64 at once) and mailed.
const KEPT: u64 = 256;

/// Connections that there may be at most, whatever the system allows: each takes some memory.
const MOST_CONNECTIONS: u64 = 10_000;

/// One of so many sockets of clients is no connection that counts: it was accepted and is not
/// looked at yet, is being refused, or is closed in a moment.
const PASSING: u64 = 4;

/// How many descriptors the sockets of clients may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptors {
    /// Connections.
    pub connections: usize,
    /// Sockets beside them.
    pub passing: usize,
}

/// One address may open at most one of so many connections; settings cannot raise that.
const ADDRESSES: usize = 8;

impl Descriptors {
    /// How many connections an address may have where the settings allow `wanted`.
    pub fn per_address(self, wanted: u32) -> usize {
        let most = (self.connections / ADDRESSES).max(1);
        usize::try_from(wanted).map_or(most, |wanted| wanted.min(most))
    }
}

/// Raises the process's limit as far as the system lets it; what there is for clients then.
///
/// The usual soft limit, 1,024, is for programs that put descriptors into bit sets; one client can
/// use it up.
pub fn raise() -> Descriptors {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    of_clients(getrlimit(Resource::Nofile).current)
}

/// What so many descriptors leave to clients; `None` stands for no limit.
fn of_clients(descriptors: Option<u64>) -> Descriptors {
    let sockets = descriptors.map_or(u64::MAX, |all| all - KEPT.min(all / 2));
    let connections = (sockets - sockets / PASSING).min(MOST_CONNECTIONS);
    let passing = (sockets - connections).min(MOST_CONNECTIONS);
    let size = |count| usize::try_from(count).unwrap_or(usize::MAX);
    Descriptors { connections: size(connections), passing: size(passing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sockets_together_leave_some_descriptors_to_the_store() {
        for (descriptors, connections, passing) in [
            (None, 10_000, 10_000),
            (Some(1_048_576), 10_000, 10_000),
            (Some(20_000), 10_000, 9_744),
            (Some(10_100), 7_383, 2_461),
            (Some(1_024), 576, 192),
            (Some(100), 38, 12),
        ] {
            let expected = Descriptors { connections, passing };
            assert_eq!(of_clients(descriptors), expected, "{descriptors:?}");
        }
    }

    #[test]
    fn an_address_has_an_eighth_of_all_connections_at_most() {
        for (descriptors, wanted, expected) in
            [(None, 512, 512), (Some(1_024), 512, 72), (Some(1_024), 40, 40), (Some(8), 512, 1)]
        {
            let found = of_clients(descriptors).per_address(wanted);
            assert_eq!(found, expected, "{descriptors:?} {wanted}");
        }
    }

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        raise();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
