//! How much is sent: by document or customer, by entity, by account, and to one address.
//!
//! Windows are rows of the unit that sends, so that processes which share a store share them.

use std::collections::BTreeSet;
use std::pin::Pin;

use racun_access::{ACCOUNTS, Account, Digest, Invitation, check_may_send};
use racun_kernel::id::InvitationId;
use racun_kernel::{Environment, Scope, Stamp, Tenant, fold_address};
use racun_mail::{
    Cap, LimitReached, MailLimits, PER_SUBJECT, RESENT, SANDBOX, SEND_WINDOWS, SendWindow,
};
use racun_store::{Context, Held, One, Put, Record as _, StoreError, UnitBuilder, Writes};
use time::OffsetDateTime;

use super::MailingError;

/// How often a unit is tried whose window another process made at the same moment.
const ATTEMPTS: usize = 3;

/// What counts in a window.
#[derive(Debug, Clone)]
enum Count {
    /// Mails, each at its time.
    Mails(&'static [Cap]),
    /// Receivers within a day: at most so many.
    Receivers(u32),
    /// The same, as many as the account may.
    OfAccount,
    /// Mails to one receiver within a day: at most so many.
    ToReceiver(u32),
}

/// The limits of a mail, as rows of the unit that sends it.
#[derive(Debug, Clone)]
pub(super) struct SendLimits {
    account: String,
    limits: MailLimits,
    receivers: u32,
    windows: Vec<(SendWindow, Count)>,
}

impl SendLimits {
    /// Those of a mail about `about` (a document, a customer, an entity) to `receivers`.
    pub fn of_letter(
        scope: &Scope,
        about: String,
        receivers: &[String],
        limits: MailLimits,
        stamp: &Stamp,
    ) -> Self {
        let (entity, account) = (scope.entity(), scope.account());
        let window = SendWindow::new(about, Some(entity), account, stamp.now());
        let mut own = vec![(window, Count::Mails(&PER_SUBJECT))];
        if scope.environment() == Environment::Live {
            own.extend(of_receivers(scope, receivers, limits, stamp));
        }
        Self::of(scope, own, receivers.len(), limits, stamp)
    }

    /// Those of an invitation to `address`, from the account and from all; of one that is sent
    /// again, also its own.
    fn of_invitation(
        scope: &Scope,
        address: &str,
        resent: Option<InvitationId>,
        limits: MailLimits,
        stamp: &Stamp,
    ) -> Self {
        let (entity, account, now) = (scope.entity(), scope.account(), stamp.now());
        let about = format!("invited/{}", digest_of(address));
        let share = SendWindow::new(format!("{account}/{about}"), None, account, now);
        let of_all = SendWindow::shared(about, account, now);
        let mut own = vec![
            (share, Count::Receivers(limits.invitations_of_account())),
            (of_all, Count::Receivers(limits.invitations_per_address)),
        ];
        own.extend(resent.map(|id| {
            let window = SendWindow::new(id.to_string(), Some(entity), account, now);
            (window, Count::Mails(&RESENT[..]))
        }));
        Self::of(scope, own, 1, limits, stamp)
    }

    fn of(
        scope: &Scope,
        mut windows: Vec<(SendWindow, Count)>,
        receivers: usize,
        limits: MailLimits,
        stamp: &Stamp,
    ) -> Self {
        let (entity, account, now) = (scope.entity(), scope.account(), stamp.now());
        match scope.environment() {
            Environment::Sandbox => {
                let window = SendWindow::new(account.to_string(), None, account, now);
                windows.push((window, Count::Mails(&SANDBOX)));
            }
            Environment::Live => {
                let window = SendWindow::new(format!("{entity}/live"), Some(entity), account, now);
                windows.push((window, Count::Receivers(limits.per_entity)));
                let window = SendWindow::new(format!("{account}/live"), None, account, now);
                windows.push((window, Count::OfAccount));
            }
        }
        let receivers = u32::try_from(receivers).unwrap_or(u32::MAX);
        Self { account: account.to_string(), limits, receivers, windows }
    }

    /// Holds the windows. The account's row stands for windows that may not be there yet; what the
    /// mail is about does the same for its own, and is held by the caller.
    pub fn hold(self, unit: &mut UnitBuilder<'_>) -> HeldLimits {
        let account = unit.hold_of(Tenant::directory(), &ACCOUNTS, &self.account);
        let windows = self
            .windows
            .iter()
            .map(|(window, _)| unit.hold_of(window.tenant(), &SEND_WINDOWS, window.id()));
        HeldLimits { account, windows: windows.collect(), limits: self }
    }
}

/// [`SendLimits`], and what their unit holds.
pub(super) struct HeldLimits {
    limits: SendLimits,
    account: One<Account>,
    windows: Vec<One<SendWindow>>,
}

impl HeldLimits {
    /// The windows with another mail in them.
    pub fn count(self, held: &Held) -> Result<Vec<Put>, MailingError> {
        let (limits, now) = (self.limits, held.actor().now());
        let account = held.find(self.account)?;
        let since = account.map_or(now, |account| account.created_at);
        let mut puts = Vec::new();
        let mut reached: Option<LimitReached> = None;
        for ((fresh, count), window) in limits.windows.into_iter().zip(self.windows) {
            let before = held.find(window)?;
            let window = before.clone().unwrap_or(fresh);
            let counted = match count {
                Count::Mails(caps) => window.with_another(caps, now),
                Count::Receivers(most) => window.with_receivers(limits.receivers, most, now),
                Count::OfAccount => {
                    let most = limits.limits.of_account(since, now);
                    window.with_receivers(limits.receivers, most, now)
                }
                Count::ToReceiver(most) => window.with_receivers(1, most, now),
            };
            match counted {
                Ok(after) => puts.push(Put::write(before.as_ref(), &after)),
                // The one that lets the next mail go last decides when to come back.
                Err(limit) => {
                    let later = reached.is_none_or(|other| other.retry_after < limit.retry_after);
                    reached = if later { Some(limit) } else { reached };
                }
            }
        }
        match reached {
            Some(limit) => Err(limit.into()),
            None => Ok(puts),
        }
    }
}

/// The window of how often `invitation` is sent again, with its first mail in it.
pub(super) fn first_mail(invitation: &Invitation, now: OffsetDateTime) -> Option<Put> {
    let (entity, account) = (invitation.entity_id, invitation.account_id);
    let window = SendWindow::new(invitation.id.to_string(), Some(entity), account, now);
    window.with_another(&RESENT, now).ok().map(|window| Put::insert(&window))
}

/// What stands for `address` in windows, which keep no address: the same however it is written.
fn digest_of(address: &str) -> String {
    Digest::of(&fold_address(address.trim())).as_str().to_owned()
}

/// The windows of `receivers`, of the account and of all accounts, which keep no address. A store
/// holds them in one order.
fn of_receivers(
    scope: &Scope,
    receivers: &[String],
    limits: MailLimits,
    stamp: &Stamp,
) -> Vec<(SendWindow, Count)> {
    let (account, now) = (scope.account(), stamp.now());
    let to: BTreeSet<_> =
        receivers.iter().map(|address| format!("to/{}", digest_of(address))).collect();
    let own = to.iter().map(|to| {
        let window = SendWindow::new(format!("{account}/{to}"), None, account, now);
        (window, Count::ToReceiver(limits.per_receiver))
    });
    let of_all = to.iter().map(|to| {
        let window = SendWindow::shared(to.clone(), account, now);
        (window, Count::ToReceiver(limits.per_receiver_from_all))
    });
    own.chain(of_all).collect()
}

/// What `send` comes to, which is tried up to [`ATTEMPTS`] times while another unit makes the same
/// window, such as a receiver's from all accounts, at the same moment.
pub(super) async fn retried<'a, T>(
    send: impl Fn() -> Pin<Box<dyn Future<Output = Result<T, MailingError>> + Send + 'a>>,
) -> Result<T, MailingError> {
    let mut attempt = 1;
    loop {
        match send().await {
            Err(MailingError::Store(StoreError::Duplicate { .. })) if attempt < ATTEMPTS => {
                attempt += 1;
            }
            done => return done,
        }
    }
}

/// Counts an invitation that is about to be mailed to `address`, or to be mailed again.
///
/// It is counted before it is written: an invitation that is refused then has been counted, too.
///
/// # Errors
/// [`MailingError::Access`] for callers whose own address is not verified, [`MailingError::Limit`],
/// or the store's failure.
pub(super) async fn count_invitation(
    cx: Context<'_>,
    address: &str,
    resent: Option<InvitationId>,
    limits: MailLimits,
) -> Result<(), MailingError> {
    check_may_send(cx).await?;
    let limits = SendLimits::of_invitation(cx.scope, address, resent, limits, cx.stamp);
    retried(|| Box::pin(count_once(cx, limits.clone()))).await
}

async fn count_once(cx: Context<'_>, limits: SendLimits) -> Result<(), MailingError> {
    let mut unit = cx.unit();
    let limits = limits.hold(&mut unit);
    let counted = unit.decide(move |held| {
        Ok::<_, MailingError>(((), Writes::default().puts(limits.count(held)?)))
    });
    counted.await
}
