//! Ranges of network addresses.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// A range of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// The text is no range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address or a range of addresses, as in 10.0.0.0/8")]
pub struct InvalidNetwork;

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let one = || text.parse::<IpAddr>().map(IpNet::from);
        text.parse().or_else(|_| one()).map(Self).map_err(|_| InvalidNetwork)
    }
}

impl Network {
    /// Whether all of `other` is in the range.
    pub(crate) fn covers(&self, other: Self) -> bool {
        self.0.contains(&other.0)
    }

    /// Whether `address` is in the range.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

/// The network that `place` is in, which a provider gives its customers addresses of: the /24 of an
/// IPv4 address, and the /48 of an IPv6 address or its /64.
pub(crate) fn neighbourhood(place: &str) -> String {
    let address = place.split_once('/').map_or(place, |(address, _)| address);
    let network = address
        .parse::<IpAddr>()
        .ok()
        .and_then(|address| IpNet::new(address, if address.is_ipv4() { 24 } else { 48 }).ok());
    network.map_or_else(|| place.to_owned(), |network| network.trunc().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_neighbourhood() {
        for (place, expected) in [
            ("203.0.113.7", "203.0.113.0/24"),
            ("2001:db8:1:2::/64", "2001:db8:1::/48"),
            ("2001:db8:1:2::7", "2001:db8:1::/48"),
            ("unknown", "unknown"),
        ] {
            assert_eq!(neighbourhood(place), expected);
        }
    }
}
