//! The network: a provider that answers well, badly and not at all, and the network's directory.

mod directory;
mod provider;
