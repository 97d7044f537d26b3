//! Codes that the interface names itself.

/// A code that the interface has in the place of the one of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnCode {
    /// 403: an operator's PIN is wrong.
    InvalidPin,
    /// 403: the sender's e-mail address is not verified.
    EmailVerificationRequired,
    /// 429: as many mails were sent as may be.
    EmailRateLimitExceeded,
    /// 409: another device takes the payment of a tab.
    AlreadyClaimed,
    /// 403: another device has the claim that is to be released.
    NotClaimant,
    /// 409: the tab to close is not claimed.
    NotClaimed,
    /// 409: a tab is at another version than the caller saw.
    StaleVersion,
    /// 409: a tab has ended in an invoice.
    TabIssued,
    /// 409: a tab has ended in another invoice.
    TabIssuedOtherwise,
    /// 409: this share of a tab is invoiced.
    ShareInvoiced,
    /// 409: a tab is being invoiced in equal shares.
    SharesOutstanding,
    /// 409: a tab was cancelled.
    TabCancelled,
    /// 409: a key names another request.
    IdempotencyConflict,
    /// 409: the first request of a key has no answer yet.
    RequestInProgress,
}

impl OwnCode {
    /// The `code` of the body.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidPin => "invalid_pin",
            Self::EmailVerificationRequired => "email_verification_required",
            Self::EmailRateLimitExceeded => "email_rate_limit_exceeded",
            Self::AlreadyClaimed => "already_claimed",
            Self::NotClaimant => "not_claimant",
            Self::NotClaimed => "not_claimed",
            Self::StaleVersion => "stale_version",
            Self::TabIssued => "tab_issued",
            Self::TabIssuedOtherwise => "tab_issued_otherwise",
            Self::ShareInvoiced => "share_invoiced",
            Self::SharesOutstanding => "shares_outstanding",
            Self::TabCancelled => "tab_cancelled",
            Self::IdempotencyConflict => "idempotency_conflict",
            Self::RequestInProgress => "request_in_progress",
        }
    }
}
