//! Errors of the point of sale: some show the tab or the closing that refuses.

use racun_pos::{PosError, RefusedTab, TabRefusal, TableRefusal};

use super::{ClosingBody, TabBody};
use crate::body::Convert;
use crate::error::{ApiError, Kind, OwnCode};

impl From<PosError> for ApiError {
    fn from(error: PosError) -> Self {
        match error {
            PosError::Invalid(issues) => issues.into(),
            PosError::NotFound { id } => Self::not_found(&id),
            PosError::Tab(refused) => (*refused).into(),
            PosError::Table(refusal) => {
                let kind = match refusal {
                    TableRefusal::TooMany => Kind::Unprocessable,
                    TableRefusal::InUse => Kind::Conflict,
                };
                Self::new(kind, refusal.to_string()).caused_by(refusal.code())
            }
            PosError::Invoice(issue) => {
                let code = issue.code;
                Self::from(issue).caused_by(code)
            }
            PosError::DayClosed(closing) => {
                let message = format!(
                    "this day was closed as number {}, see `closing`; what came to it afterwards \
                     is carried over into the next closing",
                    closing.number
                );
                let error = Self::new(Kind::Conflict, message).caused_by("day_closed");
                let body: ClosingBody = (*closing).convert();
                match serde_json::to_value(body) {
                    Ok(closing) => error.carrying("closing", closing),
                    Err(unwritten) => error.detailed(unwritten),
                }
            }
            closed @ PosError::ClosedMeanwhile => {
                Self::new(Kind::Conflict, closed.to_string()).caused_by("changed_meanwhile")
            }
            PosError::Store(error) => error.into(),
        }
    }
}

impl From<RefusedTab> for ApiError {
    /// A refusal shows the tab: it may differ from the state that the caller decided on.
    fn from(RefusedTab { reason, tab, totals }: RefusedTab) -> Self {
        let (kind, code) = match reason {
            TabRefusal::AlreadyClaimed => (Kind::Conflict, OwnCode::AlreadyClaimed),
            TabRefusal::NotClaimant => (Kind::Forbidden, OwnCode::NotClaimant),
            TabRefusal::NotClaimed => (Kind::Conflict, OwnCode::NotClaimed),
            TabRefusal::StaleVersion { .. } => (Kind::Conflict, OwnCode::StaleVersion),
            TabRefusal::Issued => (Kind::Conflict, OwnCode::TabIssued),
            TabRefusal::ShareInvoiced { .. } => (Kind::Conflict, OwnCode::ShareInvoiced),
            TabRefusal::SharesOutstanding { .. } => (Kind::Conflict, OwnCode::SharesOutstanding),
            TabRefusal::IssuedOtherwise => (Kind::Conflict, OwnCode::TabIssuedOtherwise),
            TabRefusal::Cancelled => (Kind::Conflict, OwnCode::TabCancelled),
        };
        let error = Self::new(kind, reason.to_string()).coded(code);
        match serde_json::to_value(TabBody::of(tab, totals)) {
            Ok(tab) => error.carrying("tab", tab),
            Err(unwritten) => error.detailed(unwritten),
        }
    }
}
