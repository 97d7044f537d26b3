//! Which addresses may be called on a tenant's request.
//!
//! The server runs in a network whose other machines trust it: a database, the cloud's metadata
//! service, its own ports. A tenant that names such an address as a receiver of events must not
//! reach it. So names are resolved here, every address that a name has is checked, and the
//! connection goes to those addresses and no others: nothing is resolved a second time, which is
//! what a name that answers differently each time (DNS rebinding) lives on.
//!
//! With [`Reach::ThisMachine`] no other machine is called, and no name is looked up: tests run so.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// A longer address is refused, as by the interface.
const MAX_URL_BYTES: usize = 2_048;

/// Ports below this belong to other protocols, but for those of HTTP. A request is text that a mail
/// server or a printer might take for commands.
const FIRST_FREE_PORT: u16 = 1_024;

/// Why an address may not be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no address of HTTP.
    #[error(
        "it must be an absolute http or https URL of at most 2048 bytes, without user name and \
         password"
    )]
    Malformed,
    /// It is one of this machine, of a private network, or of none.
    #[error("it leads to an address that is not public")]
    NotPublic,
    /// Another protocol lives there.
    #[error("its port must be 80, 443 or one from 1024 on")]
    Port,
}

/// How far the server calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// As far as the guard lets it.
    #[default]
    Everywhere,
    /// No further than the machine that it runs on.
    ThisMachine,
}

/// An address that is not called, because only this machine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is on another machine, and RACUN__OUTBOUND__LOOPBACK_ONLY lets none be called")]
pub struct OutOfReach;

impl Reach {
    /// Lets `address` through when it is near enough.
    ///
    /// # Errors
    /// [`OutOfReach`].
    pub fn check(self, address: IpAddr) -> Result<(), OutOfReach> {
        match self {
            Self::ThisMachine if !address.to_canonical().is_loopback() => Err(OutOfReach),
            Self::ThisMachine | Self::Everywhere => Ok(()),
        }
    }
}

/// Looks up names.
#[async_trait]
pub trait Names: Send + Sync {
    /// All addresses of `name`.
    ///
    /// # Errors
    /// When there are none.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// What the system knows: the file of hosts, and the servers of names.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The names that this machine knows by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnNames;

#[async_trait]
impl Names for OwnNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        match name.eq_ignore_ascii_case("localhost") {
            true => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            false => Err(io::Error::new(io::ErrorKind::HostUnreachable, OutOfReach)),
        }
    }
}

/// The guard: it reads URLs, and is the resolver of the client that calls them.
#[derive(Clone)]
pub struct Guard {
    names: Arc<dyn Names>,
    allows_private: bool,
    reach: Reach,
}

impl Guard {
    /// A guard; with `allows_private` one that lets everything through but what is malformed.
    pub fn new(names: Arc<dyn Names>, allows_private: bool, reach: Reach) -> Self {
        Self { names, allows_private, reach }
    }

    /// Lets the address in `url` through when it is near enough. A name is judged when it is looked
    /// up.
    ///
    /// # Errors
    /// [`OutOfReach`].
    pub fn check_reach(&self, url: &Url) -> Result<(), OutOfReach> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.reach.check(address.into()),
            Some(Host::Ipv6(address)) => self.reach.check(address.into()),
            Some(Host::Domain(_)) | None => Ok(()),
        }
    }

    /// The URL that `text` is, as far as it can be judged without looking up its name.
    ///
    /// Numbers are read as browsers read them, so that `http://2130706433/` and `http://0x7f.1/`
    /// are found to be 127.0.0.1.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn read(&self, text: &str) -> Result<Url, Refused> {
        let url = Url::parse(text).map_err(|_| Refused::Malformed)?;
        let is_of_http = matches!(url.scheme(), "http" | "https");
        let has_user = !url.username().is_empty() || url.password().is_some();
        if text.len() > MAX_URL_BYTES || !is_of_http || has_user {
            return Err(Refused::Malformed);
        }
        // A name is judged by its addresses, in `resolve`.
        let literal = match url.host().ok_or(Refused::Malformed)? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        if self.allows_private {
            return Ok(url);
        }
        if literal.is_some_and(|address| !is_public(address)) {
            return Err(Refused::NotPublic);
        }
        match url.port_or_known_default() {
            Some(80 | 443 | FIRST_FREE_PORT..) => Ok(url),
            _ => Err(Refused::Port),
        }
    }

    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
        let addresses = self.names.addresses(name).await?;
        // One of them is enough: who calls the next when one does not answer would get there.
        if !self.allows_private && !addresses.iter().copied().all(is_public) {
            return Err(Refused::NotPublic.into());
        }
        for address in &addresses {
            self.reach.check(*address)?;
        }
        Ok(addresses)
    }
}

/// Why a name leads nowhere, for reqwest, which wants one box for all reasons.
type Unresolved = Box<dyn std::error::Error + Send + Sync>;

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = guard.addresses(name.as_str()).await?;
            // Port 0 stands for the URL's.
            let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok::<Addrs, _>(Box::new(addresses))
        })
    }
}

/// Whether everybody on the internet means the same machine by `address`, as the registries of
/// special addresses of IANA have it (RFC 6890 and what followed).
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        // This network; private; of this machine; multicast, reserved and broadcast.
        [0 | 10 | 127 | 224..=255, ..]
            // Shared by customers of one provider (RFC 6598).
            | [100, 64..=127, ..]
            // Link-local, where clouds have their metadata.
            | [169, 254, ..]
            // Private.
            | [172, 16..=31, ..]
            | [192, 168, ..]
            // Protocol assignments; the first documentation; relays of 6to4.
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            // Benchmarks; further documentation.
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

/// What is outside of 2000::/3 is not public: unspecified, loopback, private, link-local and
/// multicast addresses, and IPv4 addresses in every dress but 6to4 and Teredo, which are among the
/// exceptions inside.
const fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let is_global_unicast = matches!(segments, [0x2000..=0x3fff, ..]);
    let is_special = matches!(
        segments,
        // Protocol assignments, with Teredo, benchmarks and ORCHID (2001::/23); documentation.
        [0x2001, 0x0000..=0x01ff, ..]
            | [0x2001, 0x0db8, ..]
            | [0x3fff, 0x0000..=0x0fff, ..]
            // 6to4, in which an IPv4 address stands.
            | [0x2002, ..]
            // The first test network of IPv6, given back long ago.
            | [0x3ffe, ..]
    );
    is_global_unicast && !is_special
}
