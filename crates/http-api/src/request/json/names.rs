//! Names that were met, each of them once.

use std::collections::HashSet;
use std::hash::Hash;

/// From so many names on they are hashed: before, comparing them all costs less.
const MANY: usize = 16;

/// Names that were met.
#[derive(Debug)]
pub(super) struct Names<K> {
    few: Vec<K>,
    many: HashSet<K>,
}

impl<K> Default for Names<K> {
    fn default() -> Self {
        Self { few: Vec::new(), many: HashSet::new() }
    }
}

impl<K: Eq + Hash> Names<K> {
    /// Adds `name`; `false` when it was met before.
    pub(super) fn add(&mut self, name: K) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(name);
        }
        if self.few.contains(&name) {
            return false;
        }
        self.few.push(name);
        if self.few.len() == MANY {
            self.many.extend(self.few.drain(..));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use super::*;

    /// A name that counts how often it is compared.
    struct Counted<'c>(usize, &'c Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn twice_the_names_cost_about_twice_the_work() {
        let compared = |names: usize| {
            let count = Cell::new(0);
            let mut met = Names::default();
            assert!((0..names).all(|name| met.add(Counted(name, &count))));
            assert!((0..names).all(|name| !met.add(Counted(name, &count))));
            count.get()
        };
        for names in [1, 10, 16, 17, 1_000, 50_000] {
            assert!(compared(names) < 16 * MANY + 2 * names, "{names}");
        }
    }
}
