//! Mails to users: sign-up, new passwords, verified addresses, invitations.
//!
//! No row holds a token. A mail holds its place, [`SECRET`](racun_mail::SECRET); the token is made
//! on delivery.

use racun_access::{
    self as access, AccessError, AddEntityUser, Added, Entity, FirstAccount, IdentityLogin,
    Invitation, InvitationStatus, SignUp, User,
};
use racun_kernel::id::AccountId;
use racun_kernel::{Issues, Stamp, check_address};
use racun_mail::{
    MailKind, MailLimits, NewMail, OutgoingMail, Values, Wording, defused, fill_line, to_html,
    to_plain,
};
use racun_store::{Context, Event, Put, Store};

use super::MailingError;
use super::limits::{count_invitation, first_mail};
use crate::outbox::{MAX_SUBJECT_CHARS, Sender, enqueue};

/// The page where a new password is set.
pub(super) const RESET_PAGE: &str = "reset-password";

/// Signs a user up; the same commit writes the mail that lets them verify their address.
///
/// # Errors
/// As [`access::sign_up`].
pub async fn sign_up(
    store: &dyn Store,
    sender: &Sender,
    input: SignUp,
    is_first: bool,
    stamp: &Stamp,
) -> Result<User, AccessError> {
    let (user, mut puts, events) = access::sign_up_writes(input, stamp)?;
    puts.extend(is_first.then(|| FirstAccount::mark(&user)));
    puts.extend(enqueue(&verification(&user, sender, stamp), stamp));
    store.insert(puts, events).await?;
    Ok(user)
}

/// Signs a user up for whom an identity provider vouches, as [`access::sign_up_writes_by`] makes
/// them; the same commit writes the mail that lets them verify their address, unless the provider's
/// word proved it.
///
/// # Errors
/// As [`access::sign_up`].
pub async fn sign_up_by_identity(
    store: &dyn Store,
    sender: &Sender,
    made: (IdentityLogin, Vec<Put>, Vec<Event>),
    is_first: bool,
    stamp: &Stamp,
) -> Result<IdentityLogin, AccessError> {
    let (login, mut puts, events) = made;
    puts.extend(is_first.then(|| FirstAccount::mark(&login.user)));
    if !login.user.email_verified {
        puts.extend(enqueue(&verification(&login.user, sender, stamp), stamp));
    }
    store.insert(puts, events).await?;
    Ok(login)
}

/// Sends the mail again that lets a user verify their address; nothing when it is verified.
///
/// # Errors
/// The store's failure.
pub async fn resend_verification(
    store: &dyn Store,
    sender: &Sender,
    user: &User,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    if !user.email_verified {
        let puts = enqueue(&verification(user, sender, stamp), stamp);
        store.insert(puts, Vec::new()).await?;
    }
    Ok(())
}

/// Requests the mail that lets the owner of this address set a new password. It is written in the
/// name of `sender`, where the request was made.
///
/// What is done, and how long it takes, is the same for known and unknown addresses: a mail is
/// queued, and who it is for is looked up on delivery.
///
/// # Errors
/// What is wrong with the address, or the store's failure.
pub async fn request_password_reset(
    store: &dyn Store,
    sender: &Sender,
    email: &str,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    check_address(email).map_err(|issue| Issues::from(issue.at("email")))?;
    let values = sender.values(RESET_PAGE, "en");
    // The user is not known yet, so neither is their language: the words are chosen on delivery.
    let envelope = envelope(None, MailKind::PasswordReset, Vec::new(), email);
    let mail = written(envelope, Wording::PasswordReset, "en", &values, sender, stamp);
    let mail = mail.branded(sender.brand().clone());
    store.insert(enqueue(&mail, stamp), Vec::new()).await?;
    Ok(())
}

/// Lets someone into the entity. An invitation is written with the mail of `sender`; without one
/// the admin hands the token over.
///
/// Mails go from those alone whose own address is verified, and as many as `limits` say.
///
/// # Errors
/// As [`access::add_entity_user`], and [`MailingError::Limit`].
pub async fn add_entity_user(
    cx: Context<'_>,
    sender: Option<&Sender>,
    entity: &Entity,
    input: AddEntityUser,
    limits: MailLimits,
) -> Result<Added, MailingError> {
    if sender.is_some() && access::is_to_be_invited(cx, &input.email).await? {
        count_invitation(cx, &input.email, None, limits).await?;
    }
    let mail = |invitation: &Invitation| match sender {
        Some(sender) => {
            let (name, locale) = (&entity.name, &entity.locale);
            let mut puts = invitation_puts(invitation, sender, name, locale, cx.stamp);
            puts.extend(first_mail(invitation, cx.now()));
            puts
        }
        None => Vec::new(),
    };
    Ok(access::add_entity_user_with(cx, input, mail).await?)
}

/// Sends an invitation again, for another seven days; once an hour.
///
/// # Errors
/// As [`access::resend_invitation`], and [`MailingError::Limit`].
pub async fn resend_invitation(
    cx: Context<'_>,
    sender: &Sender,
    entity: &Entity,
    id: &str,
    limits: MailLimits,
) -> Result<Invitation, MailingError> {
    let invitation = access::get_invitation(cx, id).await?;
    if invitation.status != InvitationStatus::Accepted {
        let (address, resent) = (&invitation.email, Some(invitation.id));
        count_invitation(cx, address, resent, limits).await?;
    }
    let (name, locale, at) = (entity.name.clone(), entity.locale.clone(), cx.stamp.clone());
    let sender = sender.clone();
    let mail =
        move |invitation: &Invitation| invitation_puts(invitation, &sender, &name, &locale, &at);
    let shown = access::resend_invitation_with(cx, id, mail).await?;
    Ok(shown.record)
}

fn invitation_puts(
    invitation: &Invitation,
    sender: &Sender,
    entity_name: &str,
    locale: &str,
    stamp: &Stamp,
) -> Vec<Put> {
    let mut values = sender.values("accept-invitation", locale);
    values.set("entity_name", Some(defused(entity_name)));
    let about = vec![invitation.id.to_string()];
    let account = Some(invitation.account_id);
    let envelope = NewMail {
        entity_id: Some(invitation.entity_id),
        ..envelope(account, MailKind::Invitation, about, &invitation.email)
    };
    enqueue(&written(envelope, Wording::Invitation, locale, &values, sender, stamp), stamp)
}

fn verification(user: &User, sender: &Sender, stamp: &Stamp) -> OutgoingMail {
    let locale = user.locale.as_deref().unwrap_or("en");
    let values = sender.values("users/verify-email", locale);
    let about = vec![user.id.to_string()];
    let envelope = envelope(Some(user.account_id), MailKind::Verification, about, &user.email);
    written(envelope, Wording::Verification, locale, &values, sender, stamp)
}

fn envelope(
    account_id: Option<AccountId>,
    kind: MailKind,
    about: Vec<String>,
    to: &str,
) -> NewMail {
    NewMail {
        account_id,
        entity_id: None,
        kind,
        about,
        sender_name: None,
        reply_to: None,
        to: vec![to.to_owned()],
        subject: String::new(),
        text: String::new(),
        html: None,
    }
}

fn written(
    envelope: NewMail,
    wording: Wording,
    locale: &str,
    values: &Values,
    sender: &Sender,
    stamp: &Stamp,
) -> OutgoingMail {
    let words = wording.words(locale);
    let new = NewMail {
        subject: fill_line(words.subject, values, MAX_SUBJECT_CHARS),
        text: to_plain(words.body, values),
        html: Some(sender.dressed(to_html(words.body, values))),
        ..envelope
    };
    OutgoingMail::queued(new, stamp)
}
