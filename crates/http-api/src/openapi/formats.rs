//! What form a text has, told by its property's name: the interface names alike what is alike.

/// Which way a body goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// From the client.
    Sent,
    /// To the client.
    Answered,
}

/// Days: of documents they are read as days and answered as that day's midnight.
const DAYS_OF_DOCUMENTS: [&str; 4] = ["date", "date_due", "date_received", "date_valid_till"];

/// Days on both sides.
const DAYS: [&str; 10] = [
    "date_from",
    "date_service",
    "date_service_to",
    "date_to",
    "end_date",
    "issue_date",
    "last_date",
    "last_run_date",
    "next_run_date",
    "start_date",
];

/// Instants whose names do not end as others' do.
const INSTANTS: [&str; 9] = [
    "advance_to",
    "at",
    "certificate_expiry",
    "current_period_end",
    "current_period_start",
    "period_end",
    "period_start",
    "updated_since",
    "updated_until",
];

/// Addresses of mail.
const MAILBOXES: [&str; 4] = ["billing_email", "email", "recipient_email", "support_email"];

/// Addresses of what can be fetched, or posted to.
const ADDRESSES: [&str; 8] = [
    "favicon_url",
    "logo_url",
    "secure_url",
    "shareable_link",
    "signature_url",
    "support_url",
    "url",
    "webhook_url",
];

/// The `format` of a text called `name`.
pub(super) fn format_of(name: &str, side: Side) -> Option<&'static str> {
    if MAILBOXES.contains(&name) {
        return Some("email");
    }
    if ADDRESSES.contains(&name) {
        return Some("uri");
    }
    if DAYS.contains(&name) {
        return Some("date");
    }
    if DAYS_OF_DOCUMENTS.contains(&name) {
        return Some(if side == Side::Sent { "date" } else { "date-time" });
    }
    // Sent as a day or as an instant.
    if name == "valid_from" {
        return (side == Side::Answered).then_some("date-time");
    }
    // As in `created_at`, and `createdAt` of the earlier generation.
    let is_instant = name.ends_with("_at") || name.ends_with("At") || INSTANTS.contains(&name);
    is_instant.then_some("date-time")
}
