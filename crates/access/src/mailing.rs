//! Who may send e-mail, and to whom the sandbox does.

use racun_kernel::id::UserId;
use racun_kernel::{Environment, Principal, Tenant};
use racun_store::{Context, Store};

use crate::email::check_email;
use crate::member::find_membership;
use crate::session::find_user;
use crate::{ACCOUNTS, AccessError, Account, Forbidden, USERS, User};

/// Accepts that `scope` sends e-mail to people outside: a person whose own address is verified, or
/// a key of an account one of whose own users verified theirs. Nothing else waits for that.
///
/// # Errors
/// [`Forbidden::EmailUnverified`], or the store's failure.
pub async fn check_may_send(cx: Context<'_>) -> Result<(), AccessError> {
    let directory = Tenant::directory();
    let may = match cx.scope.principal() {
        Principal::User(user) | Principal::Operator(user) => {
            let user: Option<User> = cx.store.get(&USERS, &directory, &user.to_string()).await?;
            user.is_some_and(|user| user.email_verified)
        }
        Principal::AccountKey(_) | Principal::EntityKey(_) => {
            let id = cx.scope.account().to_string();
            let account: Option<Account> = cx.store.get(&ACCOUNTS, &directory, &id).await?;
            account.is_some_and(|account| account.has_verified_user)
        }
        Principal::System => true,
    };
    if may { Ok(()) } else { Err(Forbidden::EmailUnverified.into()) }
}

/// Whether adding the owner of this address to an entity invites them. A verified user of the
/// account is let in at once.
///
/// # Errors
/// What is wrong with the address, or the store's failure.
pub async fn is_to_be_invited(cx: Context<'_>, address: &str) -> Result<bool, AccessError> {
    Ok(find_colleague(cx, address).await?.is_none())
}

/// The verified user of the account of `scope` whose address it is.
///
/// # Errors
/// What is wrong with the address, or the store's failure.
pub(crate) async fn find_colleague(
    cx: Context<'_>,
    address: &str,
) -> Result<Option<User>, AccessError> {
    check_email(address).map_err(|issue| issue.at("email"))?;
    let is_own = |user: &User| user.email_verified && user.account_id == cx.scope.account();
    Ok(find_user(cx.store, address).await?.filter(is_own))
}

/// The language of the user with this address, when there is one who chose a language.
///
/// # Errors
/// The store's failure.
pub async fn find_mail_locale(
    store: &dyn Store,
    address: &str,
) -> Result<Option<String>, AccessError> {
    Ok(find_user(store, address).await?.and_then(|user| user.locale))
}

/// The first of `addresses` to which the sandbox does not send, as it is not a verified user's of
/// the account or of the entity. A live entity sends to all.
///
/// # Errors
/// The store's failure.
pub async fn first_outside_sandbox<'a>(
    cx: Context<'_>,
    addresses: &'a [String],
) -> Result<Option<&'a str>, AccessError> {
    if cx.scope.environment() != Environment::Sandbox {
        return Ok(None);
    }
    for address in addresses {
        if !is_inside(cx, address).await? {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

/// The person `user`, as long as what the entity has may be mailed to them: their address is
/// verified, and the account is their own or they belong to the entity.
///
/// # Errors
/// The store's failure.
pub async fn find_insider(cx: Context<'_>, user: UserId) -> Result<Option<User>, AccessError> {
    let id = user.to_string();
    let found: Option<User> = cx.store.get(&USERS, &Tenant::directory(), &id).await?;
    let Some(user) = found else { return Ok(None) };
    Ok(is_inside(cx, &user.email).await?.then_some(user))
}

/// Whether `address` is a verified user's of the account or of the entity.
pub(crate) async fn is_inside(cx: Context<'_>, address: &str) -> Result<bool, AccessError> {
    let user = find_user(cx.store, address).await?.filter(|user| user.email_verified);
    Ok(match user {
        Some(user) if user.account_id == cx.scope.account() => true,
        Some(user) => find_membership(cx.store, cx.scope.entity(), user.id).await?.is_some(),
        None => false,
    })
}
