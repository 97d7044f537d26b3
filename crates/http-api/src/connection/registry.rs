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
    /// A request is under way and waits for its client: for more of its body, or for taking its
    /// answer.
    Waiting,
    /// A request is being answered. It never has to go.
    Working,
}

impl Doing {
    /// Whether a request is under way.
    pub(super) const fn is_under_way(self) -> bool {
        matches!(self, Self::Waiting | Self::Working)
    }
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
            3 => Doing::Waiting,
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
        Doing::Waiting => 3,
        Doing::Working => 4,
    }
}

/// A /48 of IPv6 may have as many connections as so many of its /64.
const ADDRESSES: usize = 2;

/// All connections of the process, in the order in which they came.
pub(super) struct Registry {
    limits: ConnectionLimits,
    state: Mutex<RegistryState>,
}

#[derive(Default)]
struct RegistryState {
    next: u64,
    total: usize,
    by_network: HashMap<IpAddr, Network>,
}

/// The connections of one IPv4 address, or of one /48 of IPv6: a provider's customer, or an
/// organization.
#[derive(Default)]
struct Network {
    total: usize,
    /// By address, or by /64.
    by_address: HashMap<IpAddr, BTreeMap<u64, Arc<Handle>>>,
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
struct Origin {
    network: IpAddr,
    address: IpAddr,
}

/// The place of a connection among all; given up when it is dropped.
pub(super) struct ConnectionSlot {
    registry: Arc<Registry>,
    origin: Origin,
    number: u64,
    pub(super) handle: Arc<Handle>,
}

impl Registry {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, RegistryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from `address`. Where there is none left, the connection that has
    /// been useless for longest goes; `None` when a request is being answered on each.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let canonical = address.to_canonical();
        let is_proxy = self.limits.proxies.iter().any(|proxy| proxy.contains(canonical));
        let origin = Origin::of(canonical);
        let mut state = self.state();
        let (of_network, of_address) = state.count(origin);
        if of_address >= self.limits.per_address && !is_proxy {
            state.dismiss(origin.network, Some(origin.address))?;
        } else if of_network >= self.limits.per_address.saturating_mul(ADDRESSES) && !is_proxy {
            state.dismiss(origin.network, None)?;
        } else if state.total >= self.limits.total {
            state.dismiss_of_most(of_network)?;
        }
        let number = state.next;
        state.next += 1;
        state.total += 1;
        let handle = Arc::new(Handle::fresh());
        let network = state.by_network.entry(origin.network).or_default();
        network.total += 1;
        network.by_address.entry(origin.address).or_default().insert(number, Arc::clone(&handle));
        Some(ConnectionSlot { registry: Arc::clone(self), origin, number, handle })
    }
}

impl RegistryState {
    /// How many connections the network of `origin` has, and how many its address.
    fn count(&self, origin: Origin) -> (usize, usize) {
        let Some(network) = self.by_network.get(&origin.network) else { return (0, 0) };
        (network.total, network.by_address.get(&origin.address).map_or(0, BTreeMap::len))
    }

    /// Ends one of the connections of the network with the most of them that has one which may go,
    /// of those with as many as `own`.
    fn dismiss_of_most(&mut self, own: usize) -> Option<()> {
        let most = self.by_network.iter().max_by_key(|(_, network)| network.total);
        let most = *most?.0;
        if let Some(done) = self.dismiss(most, None) {
            return Some(done);
        }
        let all = self.by_network.iter().map(|(name, network)| (network.total, *name));
        let mut crowds: Vec<_> = all.filter(|(total, _)| *total >= own).collect();
        crowds.sort_unstable_by_key(|(total, _)| std::cmp::Reverse(*total));
        crowds.into_iter().find_map(|(_, network)| self.dismiss(network, None))
    }

    /// Ends one of the connections of `network`, or of one `address` there: the most useless one.
    fn dismiss(&mut self, network: IpAddr, address: Option<IpAddr>) -> Option<()> {
        let of_network = &self.by_network.get(&network)?.by_address;
        let wanted = of_network.iter().filter(|(own, _)| address.is_none_or(|one| one == **own));
        let useless = wanted
            .flat_map(|(own, all)| all.iter().map(move |one| (own, one)))
            .map(|(own, (number, handle))| (handle.doing(), *number, *own))
            .filter(|(doing, ..)| *doing != Doing::Working)
            .min()?;
        let handle = self.remove(Origin { network, address: useless.2 }, useless.1)?;
        handle.close();
        Some(())
    }

    fn remove(&mut self, origin: Origin, number: u64) -> Option<Arc<Handle>> {
        let network = self.by_network.get_mut(&origin.network)?;
        let all = network.by_address.get_mut(&origin.address)?;
        let handle = all.remove(&number)?;
        if all.is_empty() {
            network.by_address.remove(&origin.address);
        }
        network.total -= 1;
        if network.total == 0 {
            self.by_network.remove(&origin.network);
        }
        self.total -= 1;
        Some(handle)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.registry.state().remove(self.origin, self.number);
    }
}

impl Origin {
    /// One customer of a provider has a whole /64 of IPv6, and may have a /48.
    fn of(address: IpAddr) -> Self {
        let first = |address: Ipv6Addr, bits: u32| {
            let rest = 128 - bits;
            IpAddr::from(Ipv6Addr::from_bits(address.to_bits() >> rest << rest))
        };
        match address {
            IpAddr::V4(_) => Self { network: address, address },
            IpAddr::V6(address) => {
                Self { network: first(address, 48), address: first(address, 64) }
            }
        }
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

    fn has_to_go(place: &ConnectionSlot) -> bool {
        place.handle.is_closed(noop_waker_ref())
    }

    #[test]
    fn the_most_useless_connection_of_an_address_goes_for_a_new_one() {
        let registry = registry(4, 100);
        let own = address("192.0.2.1");
        let places: Vec<ConnectionSlot> = (0..4).map(|_| registry.enter(own).unwrap()).collect();
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
        assert_eq!(registry.state().total, 0);
        assert!(registry.state().by_network.is_empty());
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

    #[test]
    fn a_connection_that_waits_for_its_client_goes_after_the_idle_ones() {
        let registry = registry(2, 100);
        let own = address("192.0.2.1");
        let slow = registry.enter(own).unwrap();
        slow.handle.does(Doing::Waiting);
        let idle = registry.enter(own).unwrap();
        idle.handle.does(Doing::Idle);
        let third = registry.enter(own).unwrap();
        assert!(has_to_go(&idle) && !has_to_go(&slow));
        third.handle.does(Doing::Working);
        let _fourth = registry.enter(own).unwrap();
        assert!(has_to_go(&slow) && !has_to_go(&third));
    }

    #[test]
    fn a_48_of_ipv6_has_no_more_than_two_of_its_64() {
        let registry = registry(2, 100);
        let places: Vec<_> = (0..4)
            .map(|n| registry.enter(address(&format!("2001:db8:0:{n}::1"))).unwrap())
            .collect();
        assert!(places.iter().all(|place| !has_to_go(place)));
        let _fifth = registry.enter(address("2001:db8:0:9::1")).unwrap();
        assert!(has_to_go(&places[0]));
        let _other = registry.enter(address("2001:db8:1::1")).unwrap();
        assert!(places[1..].iter().all(|place| !has_to_go(place)));
    }

    #[test]
    fn where_the_most_crowded_work_the_next_ones_give_way_and_the_small_ones_do_not() {
        let registry = registry(4, 7);
        let crowd = |text: &str, doing: Doing, count: usize| -> Vec<ConnectionSlot> {
            let places: Vec<_> =
                (0..count).map(|_| registry.enter(address(text)).unwrap()).collect();
            places.iter().for_each(|place| place.handle.does(doing));
            places
        };
        let _working = crowd("192.0.2.1", Doing::Working, 4);
        let idle = crowd("192.0.2.2", Doing::Idle, 3);
        let mut kept = vec![registry.enter(address("192.0.2.3")).unwrap()];
        assert!(has_to_go(&idle[0]) && !has_to_go(&idle[1]));
        kept[0].handle.does(Doing::Working);
        // Who has more takes nothing from who has less.
        assert!(registry.enter(address("192.0.2.1")).is_none(), "the address has its part");
        kept.push(registry.enter(address("192.0.2.3")).unwrap());
        assert!(has_to_go(&idle[1]) && !has_to_go(&idle[2]));
        kept[1].handle.does(Doing::Working);
        assert!(registry.enter(address("192.0.2.3")).is_none());
        assert!(!has_to_go(&idle[2]));
    }
}
