//! `RACUN__ACCESS__…`: who may sign up.

use std::net::SocketAddr;

use racun_http_api::SignUpMode;
use serde::Deserialize;

use super::value::{BaseUrl, Setting, optional};

/// `RACUN__ACCESS__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Access {
    /// Who may sign up; absent: everybody on a server of this machine alone, and elsewhere the
    /// first person and those who are invited.
    #[serde(deserialize_with = "optional")]
    signup: Option<SignUp>,
}

#[derive(Debug, Clone, Copy)]
struct SignUp(SignUpMode);

impl Setting for SignUp {
    const EXPECTED: &'static str = "open, invited or closed";

    fn read(text: &str) -> Option<Self> {
        match text {
            "open" => Some(Self(SignUpMode::Open)),
            "invited" => Some(Self(SignUpMode::Invited)),
            "closed" => Some(Self(SignUpMode::Closed)),
            _ => None,
        }
    }
}

impl Access {
    /// Who may sign up at a server that listens on `listen` and is known by `public_url`.
    pub fn sign_up(&self, listen: SocketAddr, public_url: Option<&BaseUrl>) -> SignUpMode {
        let is_own = listen.ip().is_loopback() && public_url.is_none_or(BaseUrl::is_loopback);
        match self.signup {
            Some(SignUp(mode)) => mode,
            None if is_own => SignUpMode::Open,
            None => SignUpMode::Invited,
        }
    }

    /// Whether everybody may sign up though the operator said neither so nor where the server is
    /// known: behind a proxy of this machine that is a server for the world.
    pub fn is_open_unsaid(&self, listen: SocketAddr, public_url: Option<&BaseUrl>) -> bool {
        self.signup.is_none() && public_url.is_none() && listen.ip().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_sign_up_where_the_operator_says_so_and_on_ones_own_machine() {
        let set = |mode| Access { signup: Some(SignUp(mode)) };
        for (access, listen, url, expected) in [
            (Access::default(), "127.0.0.1:8080", None, SignUpMode::Open),
            (Access::default(), "[::1]:8080", Some("http://localhost:8080"), SignUpMode::Open),
            (Access::default(), "127.0.0.1:80", Some("http://127.0.0.1"), SignUpMode::Open),
            (Access::default(), "127.0.0.1:80", Some("https://r.example"), SignUpMode::Invited),
            (Access::default(), "0.0.0.0:8080", None, SignUpMode::Invited),
            (set(SignUpMode::Open), "0.0.0.0:8080", Some("https://r.example"), SignUpMode::Open),
            (set(SignUpMode::Closed), "127.0.0.1:8080", None, SignUpMode::Closed),
        ] {
            let url = url.map(|url| BaseUrl::read(url).unwrap());
            let listen = listen.parse().unwrap();
            let mode = access.sign_up(listen, url.as_ref());
            assert_eq!(mode, expected, "{listen} {url:?}");
            let is_unsaid = access.is_open_unsaid(listen, url.as_ref());
            let expected = url.is_none() && access.signup.is_none() && mode == SignUpMode::Open;
            assert_eq!(is_unsaid, expected, "{listen} {url:?}");
        }
    }
}
