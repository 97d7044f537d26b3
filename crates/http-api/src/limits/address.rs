//! Whose address a request counts for.
//!
//! Anybody can write `X-Forwarded-For`, so it is believed only as far as trusted proxies wrote it:
//! from its right end, while the address to the right of an entry is trusted.

use std::net::{IpAddr, Ipv6Addr};

use actix_web::http::header::HeaderMap;
use racun_access::Network;

/// What the request of `peer` is counted under: the peer, or, when the peer is one of `proxies`,
/// the rightmost address of `X-Forwarded-For` that is none of them. An entry that is no address
/// ends the walk there: no trusted proxy saw the entries to its left.
pub(super) fn of(peer: Option<IpAddr>, headers: &HeaderMap, proxies: &[Network]) -> String {
    client(peer, headers, proxies).map_or_else(|| "unknown".to_owned(), grouped)
}

/// That address itself.
pub(super) fn client(
    peer: Option<IpAddr>,
    headers: &HeaderMap,
    proxies: &[Network],
) -> Option<IpAddr> {
    let peer = peer?;
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
    Some(client)
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
    use racun_access::InvalidNetwork;

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
