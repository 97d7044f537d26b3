//! What can be done about an authority's refusal.

/// What can be done about a refusal. [`crate::furs::class`] and [`crate::fina::class`] tell it of a
/// code.
///
/// A code that no specification names counts as [`ErrorClass::Retry`]. To repeat is safe, as both
/// authorities take the same document again, and the alarm before the deadline calls a person. To
/// give up would leave a document unreported because of what may be a passing fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The message is refused for what it says; the same message will be refused again.
    Permanent,
    /// The certificate or the settings are wrong; the same message may be taken when they are
    /// mended.
    Config,
    /// The business premise is not registered, or closed.
    PremiseUnknown,
    /// A fault that passes: the same document is to be sent again.
    Retry,
}

impl ErrorClass {
    /// Whether the document has failed: it is not sent again unless a user requests it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Permanent | Self::Config | Self::PremiseUnknown => true,
            Self::Retry => false,
        }
    }
}
