//! How many connections there are, and which one has to go for a new one.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use futures_util::task::AtomicWaker;

use super::ConnectionLimits;

/// What a connection is doing; the lesser goes first where one has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doing {
    /// It was answered, and its client still sends a body, which is drained.
    Draining,
    /// It sent no request yet.
    Fresh,
    /// It waits for its next request.
    Idle,
    /// A request is under way. It never has to go.
    Working,
}

/// One connection, as others see it.
pub(super) struct Handle {
    doing: AtomicU8,
    is_closed: AtomicBool,
    waker: AtomicWaker,
}

impl Handle {
    fn fresh() -> Self {
        let doing = AtomicU8::new(code(Doing::Fresh));
        Self { doing, is_closed: AtomicBool::new(false), waker: AtomicWaker::new() }
    }

    pub(super) fn doing(&self) -> Doing {
        match self.doing.load(Ordering::Acquire) {
            0 => Doing::Draining,
            1 => Doing::Fresh,
            2 => Doing::Idle,
            _ => Doing::Working,
        }
    }

    pub(super) fn does(&self, doing: Doing) {
        self.doing.store(code(doing), Ordering::Release);
    }

    /// Whether it has to go. `waker` is woken when it has to.
    pub(super) fn is_closed(&self, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.is_closed.load(Ordering::Acquire)
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.waker.wake();
    }
}

const fn code(doing: Doing) -> u8 {
    match doing {
        Doing::Draining => 0,
        Doing::Fresh => 1,
        Doing::Idle => 2,
        Doing::Working => 3,
    }
}

/// All connections of the process, in the order in which they came.
pub(super) struct Registry {
    limits: ConnectionLimits,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    next: u64,
    total: usize,
    by_address: HashMap<IpAddr, BTreeMap<u64, Arc<Handle>>>,
}

/// The place of a connection among all; given up when it is dropped.
pub(super) struct Place {
    registry: Arc<Registry>,
    address: IpAddr,
    number: u64,
    pub(super) handle: Arc<Handle>,
}

impl Registry {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, known: Mutex::default() })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from `address`. Where there is none left, the connection that has
    /// been useless for longest goes; `None` when a request is under way on each.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let canonical = address.to_canonical();
        let is_proxy = self.limits.proxies.iter().any(|proxy| proxy.contains(canonical));
        let address = grouped(canonical);
        let mut known = self.known();
        let own = known.by_address.get(&address).map_or(0, BTreeMap::len);
        if own >= self.limits.per_address && !is_proxy {
            known.dismiss(address)?;
        } else if known.total >= self.limits.total {
            let crowd = known.by_address.iter().max_by_key(|(_, all)| all.len());
            let crowd = *crowd?.0;
            known.dismiss(crowd)?;
        }
        let number = known.next;
        known.next += 1;
        known.total += 1;
        let handle = Arc::new(Handle::fresh());
        known.by_address.entry(address).or_default().insert(number, Arc::clone(&handle));
        Some(Place { registry: Arc::clone(self), address, number, handle })
    }
}

impl Known {
    /// Ends one of the connections of `address`.
    fn dismiss(&mut self, address: IpAddr) -> Option<()> {
        let all = self.by_address.get(&address)?;
        let useless = all
            .iter()
            .map(|(number, handle)| (handle.doing(), *number))
            .filter(|(doing, _)| *doing != Doing::Working)
            .min()?;
        let handle = self.remove(address, useless.1)?;
        handle.close();
        Some(())
    }

    fn remove(&mut self, address: IpAddr, number: u64) -> Option<Arc<Handle>> {
        let all = self.by_address.get_mut(&address)?;
        let handle = all.remove(&number)?;
        if all.is_empty() {
            self.by_address.remove(&address);
        }
        self.total -= 1;
        Some(handle)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.registry.known().remove(self.address, self.number);
    }
}

/// One customer of a provider has a whole /64 of IPv6.
fn grouped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker_ref;

    use super::*;

    fn registry(per_address: usize, total: usize) -> Arc<Registry> {
        let proxies = vec!["10.0.0.0/8".parse().unwrap()];
        Registry::new(ConnectionLimits {
            per_address,
            total,
            proxies,
            ..ConnectionLimits::default()
        })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn has_to_go(place: &Place) -> bool {
        place.handle.is_closed(noop_waker_ref())
    }

    #[test]
    fn the_most_useless_connection_of_an_address_goes_for_a_new_one() {
        let registry = registry(4, 100);
        let own = address("192.0.2.1");
        let places: Vec<Place> = (0..4).map(|_| registry.enter(own).unwrap()).collect();
        for (place, doing) in
            places.iter().zip([Doing::Working, Doing::Idle, Doing::Fresh, Doing::Draining])
        {
            place.handle.does(doing);
        }
        let mut fresh = Vec::new();
        for gone in [3, 2] {
            let place = registry.enter(own).unwrap();
            place.handle.does(Doing::Working);
            fresh.push(place);
            assert!(has_to_go(&places[gone]), "{gone}");
        }
        assert!(!has_to_go(&places[0]) && !has_to_go(&places[1]));
        fresh.push(registry.enter(own).unwrap());
        fresh[2].handle.does(Doing::Working);
        assert!(has_to_go(&places[1]));
        assert!(registry.enter(own).is_none(), "all are at work");
        assert!(registry.enter(address("192.0.2.2")).is_some(), "others are not concerned");
        drop(places);
        assert!(registry.enter(own).is_some(), "one has ended");
        drop(fresh);
        assert_eq!(registry.known().total, 0);
        assert!(registry.known().by_address.is_empty());
    }

    #[test]
    fn an_ipv6_network_counts_as_one_and_a_proxy_does_not_count() {
        let registry = registry(1, 5);
        let first = registry.enter(address("2001:db8::1")).unwrap();
        let _second = registry.enter(address("2001:db8::2")).unwrap();
        assert!(has_to_go(&first));
        let _other = registry.enter(address("2001:db8:0:1::1")).unwrap();
        let proxied: Vec<_> =
            (0..3).map(|_| registry.enter(address("::ffff:10.1.2.3")).unwrap()).collect();
        assert!(proxied.iter().all(|place| !has_to_go(place)));
        let _sixth = registry.enter(address("192.0.2.1")).unwrap();
        assert!(has_to_go(&proxied[0]), "in all there may be five; who has most gives one");
    }
}
