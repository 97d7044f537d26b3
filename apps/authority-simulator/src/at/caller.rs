//! Who calls: the header with the sub-user, its password encrypted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_authorities::portugal::opened_ecb;
use racun_portugal::{is_nif, soap};
use roxmltree::Document;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::state::{MessageError, State};

/// A request that was made earlier, or later, is refused.
const FRESH: Duration = Duration::minutes(10);

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The taxpayer's number.
    pub nif: String,
    /// The sub-user: `508025338/1`.
    pub user: String,
}

/// Reads who calls, and whether the password is theirs. The codes are those of the service of
/// invoices.
pub fn read(state: &State, document: &Document<'_>) -> Result<Caller, MessageError> {
    let text = |name: &str| {
        let named = |node: &roxmltree::Node<'_, '_>| node.has_tag_name((soap::SECURITY, name));
        let node = document.descendants().find(named);
        let said = node.and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty());
        let missing = || MessageError::new("2", format!("The header has no {name}."));
        said.map(str::to_owned).ok_or_else(missing)
    };
    let (user, nonce) = (text("Username")?, text("Nonce")?);
    let (password, created) = (text("Password")?, text("Created")?);
    let nif = user.split('/').next().unwrap_or_default().to_owned();
    if !is_nif(&nif) || !soap::is_sub_user(&user, &nif) {
        return Err(MessageError::new("3", "The user is no sub-user: NIF, a slash and a number."));
    }
    let bytes = |text: &str| STANDARD.decode(text).ok();
    let key = bytes(&nonce).and_then(|sealed| state.at.key.decrypt(&sealed));
    let key: Option<[u8; 16]> = key.and_then(|key| key.try_into().ok());
    let key =
        key.ok_or_else(|| MessageError::new("16", "The key of the request cannot be opened."))?;
    let opened = |sealed: &str| {
        let text = bytes(sealed).and_then(|sealed| opened_ecb(&key, &sealed));
        text.and_then(|text| String::from_utf8(text).ok())
            .ok_or_else(|| MessageError::new("17", "Password or Created cannot be opened."))
    };
    let (password, created) = (opened(&password)?, opened(&created)?);
    let created = OffsetDateTime::parse(&created, &Rfc3339)
        .map_err(|_| MessageError::new("4", "Created is no time of UTC."))?;
    if (state.clock.now() - created).abs() > FRESH {
        return Err(MessageError::new("4", "Created is more than ten minutes away."));
    }
    let mut kept = state.at.kept();
    if !kept.is_new_nonce(&nonce) {
        return Err(MessageError::new("5", "The key of the request was used before."));
    }
    if !kept.is_password(&user, &password) {
        return Err(MessageError::new("33", "The password is not that of the sub-user."));
    }
    Ok(Caller { nif, user })
}
