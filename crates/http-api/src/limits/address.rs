//! Whose address a request counts for.
//!
//! Anybody can write `X-Forwarded-For`, so it is believed only as far as trusted proxies wrote it:
//! from its right end, while the address to the right of an entry is trusted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use actix_web::http::header::HeaderMap;

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
    /// Whether `address` is one of the range.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
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

/// What the request of `peer` is counted under: the peer, or, when the peer is one of `proxies`, the
/// rightmost address of `X-Forwarded-For` that is none of them. An entry that is no address ends the
/// walk there: what stands left of it was seen by nobody who is trusted.
pub(super) fn of(peer: Option<IpAddr>, headers: &HeaderMap, proxies: &[Network]) -> String {
    let Some(peer) = peer else { return "unknown".to_owned() };
    let mut client = peer.to_canonical();
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").map(|line| line.to_str().unwrap_or("?")).collect();
    let mut entries = lines.iter().rev().flat_map(|line| line.rsplit(','));
    while proxies.iter().any(|proxy| proxy.contains(client)) {
        match entries.next().and_then(|entry| read(entry.trim())) {
            Some(before) => client = before.to_canonical(),
            None => break,
        }
    }
    grouped(client)
}

/// An address as proxies write it: alone, or with a port.
fn read(entry: &str) -> Option<IpAddr> {
    let alone = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let with_port = || entry.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    alone.parse().ok().or_else(with_port)
}

/// One customer of a provider has a whole /64 of IPv6.
fn grouped(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() >> 64 << 64);
            format!("{network}/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn only_what_trusted_proxies_wrote_is_believed() {
        let proxies: Vec<Network> =
            ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"].map(|text| text.parse().unwrap()).to_vec();
        let (proxy, client) = ("10.1.2.3", "203.0.113.9");
        for (peer, sent, expected) in [
            (client, &[][..], client),
            (client, &["198.51.100.1"], client),
            (proxy, &[], proxy),
            (proxy, &["198.51.100.1"], "198.51.100.1"),
            (proxy, &["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
            (proxy, &["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
            (proxy, &["6.6.6.6, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            (proxy, &["198.51.100.1, 192.0.2.7", "10.9.9.9"], "198.51.100.1"),
            (proxy, &["10.4.4.4, 10.5.5.5"], "10.4.4.4"),
            (proxy, &["198.51.100.1, rubbish"], proxy),
            (proxy, &["198.51.100.1, rubbish, 10.9.9.9"], "10.9.9.9"),
            (proxy, &["198.51.100.1:4711"], "198.51.100.1"),
            (proxy, &["ž"], proxy),
            (proxy, &[""], proxy),
            ("192.0.2.8", &["198.51.100.1"], "192.0.2.8"),
            ("::ffff:10.1.2.3", &["198.51.100.1"], "198.51.100.1"),
            ("2001:db8::1", &["2a00:1450:4001::5"], "2a00:1450:4001::/64"),
            ("2a00:1450:4001:0:1:2:3:4", &["6.6.6.6"], "2a00:1450:4001::/64"),
            (proxy, &["[2a00:1450:4001::5]:443"], "2a00:1450:4001::/64"),
        ] {
            let mut headers = HeaderMap::new();
            for line in sent {
                let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
                headers.append(HeaderName::from_static("x-forwarded-for"), value);
            }
            let found = of(Some(peer.parse().unwrap()), &headers, &proxies);
            assert_eq!(found, expected, "{peer} {sent:?}");
        }
    }

    #[test]
    fn a_network_is_an_address_and_the_bits_that_count() {
        let contains = |network: &str, address: &str| {
            network.parse::<Network>().unwrap().contains(address.parse().unwrap())
        };
        assert!(contains("0.0.0.0/0", "203.0.113.9") && contains("::/0", "::1"));
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("192.0.2.7/32", "192.0.2.7") && !contains("192.0.2.7", "192.0.2.6"));
        assert!(!contains("0.0.0.0/0", "::1"), "each family has its own");
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/+8", "a/8"] {
            assert_eq!(text.parse::<Network>(), Err(InvalidNetwork), "{text}");
        }
    }
}
