//! The keys that everybody may know, of Portugal.

/// The authority's, under which passwords go.
pub const AUTHORITY: &str = include_str!("../keys/throw-away-at.pem");
/// Its public half.
pub const AUTHORITY_PUBLIC: &str = include_str!("../keys/throw-away-at-public.pem");
/// That of the program that is certified in sandboxes.
pub const PROGRAM: &str = include_str!("../keys/throw-away-program.pem");
/// Its public half.
pub const PROGRAM_PUBLIC: &str = include_str!("../keys/throw-away-program-public.pem");
