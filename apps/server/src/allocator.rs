//! The allocator: what a large request took goes back to the system with it.
//!
//! glibc maps blocks of 128 KiB and more apart from all others and unmaps them when they are freed.
//! But with the first one that is freed it raises that size, up to 32 MiB. From then on bodies,
//! pages and forms lie between the small blocks of connections, in the arenas of many threads,
//! where their room is kept. A size that was set stays (ADR 0019).
//!
//! A program sets it by `mallopt`, which takes `unsafe`, or by a variable that glibc reads at the
//! start of the process. So the process sets the variable and executes itself once more.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use glibc::keep_large_blocks_apart;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::env::{args_os, current_exe, var_os};
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    /// Variables by which an operator chooses sizes; then ours are not set.
    const CHOSEN: [&str; 2] = ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"];

    /// The size with which glibc starts, in bytes.
    const SIZE: &str = "131072";

    /// Executes the process once more with the size set, unless one is. Call it before any thread
    /// is started. When it does not work the process goes on as it is, and takes more memory.
    pub fn keep_large_blocks_apart() {
        if CHOSEN.iter().any(|name| var_os(name).is_some()) {
            return;
        }
        let Ok(program) = current_exe() else { return };
        let mut command = Command::new(program);
        let mut arguments = args_os();
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let error = command.args(arguments).env(CHOSEN[0], SIZE).exec();
        eprintln!("racun: memory of large requests is kept: {error}");
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_large_blocks_apart() {}
