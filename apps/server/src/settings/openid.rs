//! `RACUN__OPENID__…`: the identity provider by which people may sign in.

use racun_access::ProviderDescription;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{BaseUrl, Secret, Setting, Word, optional, required};

/// `RACUN__OPENID__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct OpenId {
    /// Who makes its tokens; absent: there is no provider.
    #[serde(deserialize_with = "optional")]
    issuer: Option<Issuer>,
    /// What it calls this server.
    #[serde(deserialize_with = "optional")]
    client_id: Option<Word>,
    /// What this server proves itself by; absent: by the code's verifier alone.
    #[serde(deserialize_with = "optional")]
    client_secret: Option<Secret>,
    /// What people call it; absent: the host of the issuer.
    #[serde(deserialize_with = "optional")]
    name: Option<Name>,
    /// Where it sends people back to.
    #[serde(deserialize_with = "required")]
    redirect_uris: RedirectUris,
    /// The domains whose addresses it gives out itself.
    #[serde(deserialize_with = "required")]
    trusted_domains: Domains,
}

impl OpenId {
    /// Without issuer, client and an address to come back to no person could sign in, and all else
    /// would say nothing.
    pub fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let own = Self::deserialize(source)?;
        let needed =
            [own.issuer.is_some(), own.client_id.is_some(), !own.redirect_uris.0.is_empty()];
        match needed {
            [true, true, true] => Ok(own),
            _ => Err(D::Error::custom("issuer, client_id and redirect_uris go together")),
        }
    }

    /// What the operator says of the provider, with the base of its addresses.
    pub fn description(&self) -> Option<(ProviderDescription, &BaseUrl)> {
        let (issuer, client_id) = (self.issuer.as_ref()?, self.client_id.as_ref()?);
        let host = || issuer.base.domain().unwrap_or_else(|| issuer.text.clone());
        let description = ProviderDescription {
            name: self.name.as_ref().map_or_else(host, |name| name.0.clone()),
            issuer: issuer.text.clone(),
            client_id: client_id.as_str().to_owned(),
            redirect_uris: self.redirect_uris.0.clone(),
            trusted_domains: self.trusted_domains.0.clone(),
        };
        Some((description, &issuer.base))
    }

    /// What this server proves itself by.
    pub fn client_secret(&self) -> Option<String> {
        self.client_secret.as_ref().map(|secret| secret.as_str().to_owned())
    }
}

/// An issuer, which is compared letter by letter: a slash at its end is a part of it.
#[derive(Debug)]
struct Issuer {
    text: String,
    base: BaseUrl,
}

impl Setting for Issuer {
    const EXPECTED: &'static str = BaseUrl::EXPECTED;

    fn read(text: &str) -> Option<Self> {
        BaseUrl::read(text).map(|base| Self { text: text.to_owned(), base })
    }
}

/// What people call a provider.
#[derive(Debug)]
struct Name(String);

impl Setting for Name {
    const EXPECTED: &'static str = "a name of at most 100 characters";

    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_name = !text.is_empty() && text.chars().count() <= 100;
        (is_name && !text.contains(char::is_control)).then(|| Self(text.to_owned()))
    }
}

/// Addresses of applications.
#[derive(Debug, Default)]
struct RedirectUris(Vec<String>);

impl Setting for RedirectUris {
    const EXPECTED: &'static str =
        "addresses as in https://app.example.com/signed-in, without fragments, separated by commas";

    fn read(text: &str) -> Option<Self> {
        let uri = |text: &str| {
            let url = reqwest::Url::parse(text).ok().filter(|url| url.fragment().is_none());
            url.map(|_| text.to_owned())
        };
        text.split(',').map(str::trim).map(uri).collect::<Option<_>>().map(Self)
    }
}

/// Domains of addresses, in small letters.
#[derive(Debug, Default)]
struct Domains(Vec<String>);

impl Setting for Domains {
    const EXPECTED: &'static str = "domains as in example.com, separated by commas";

    fn read(text: &str) -> Option<Self> {
        let domain = |text: &str| {
            let is_part =
                |part: &str| !part.is_empty() && !part.contains(['@', '/', ':', '*', ' ']);
            let is_domain = text.contains('.') && text.split('.').all(is_part);
            is_domain.then(|| text.to_lowercase())
        };
        text.split(',').map(str::trim).map(domain).collect::<Option<_>>().map(Self)
    }
}
