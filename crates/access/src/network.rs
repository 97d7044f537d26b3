//! Ranges of network addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A range of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// The text is no range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address or a range of addresses, as in 10.0.0.0/8")]
pub struct InvalidNetwork;

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let is_plain = |bits: &&str| bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = match bits {
            Some(bits) => Some(bits).filter(is_plain).and_then(|bits| bits.parse().ok()),
            None => Some(most),
        };
        match bits.filter(|bits| *bits <= most) {
            Some(bits) => Ok(Self { address, bits }),
            None => Err(InvalidNetwork),
        }
    }
}

impl Network {
    /// Whether all of `other` is in the range.
    pub(crate) fn covers(&self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }

    /// Whether `address` is in the range.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let shift = 32 - u32::from(self.bits);
                let part = |address: Ipv4Addr| address.to_bits().checked_shr(shift).unwrap_or(0);
                part(own) == part(other)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let shift = 128 - u32::from(self.bits);
                let part = |address: Ipv6Addr| address.to_bits().checked_shr(shift).unwrap_or(0);
                part(own) == part(other)
            }
            _ => false,
        }
    }
}

/// The network that `place` is in, which a provider gives its customers addresses of: the /24 of an
/// IPv4 address, and the /48 of an IPv6 address or its /64.
pub(crate) fn neighbourhood(place: &str) -> String {
    let address = place.split_once('/').map_or(place, |(address, _)| address);
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            format!("{}/24", Ipv4Addr::from_bits(address.to_bits() >> 8 << 8))
        }
        Ok(IpAddr::V6(address)) => {
            format!("{}/48", Ipv6Addr::from_bits(address.to_bits() >> 80 << 80))
        }
        Err(_) => place.to_owned(),
    }
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
