//! The gateways that settings configure: to receivers of events, a mail server, a storage of files,
//! an identity provider, the register of VAT numbers, the network of electronic invoices and a card
//! processor.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use racun_access::IdentityProvider;
use racun_catalog::{FileStorage, VatRegistry};
use racun_einvoicing::network::EInvoicingNetwork;
use racun_gateways::{
    Ecb, EcbOptions, Files, HttpCourier, MailFolder, OpenId, OpenIdOptions, Options, ShopOptions,
    ShopifyApp, Shops, SmtpMailer, Vies, ViesOptions,
};
use racun_lookups::RateSource;
use racun_mail::Mailer;
use racun_orders::ShopPlatforms;
use racun_webhooks::{Courier, Schedule};

use crate::settings::{ServiceUrl, Settings};
use crate::{cards, network};

/// The folder of mail in the data folder.
const MAIL: &str = "mail";

/// The folder of files in the data folder.
const FILES: &str = "files";

/// How long an identity provider has for an answer.
const PROVIDER_PATIENCE: Duration = Duration::from_secs(10);

/// The gateways to services outside this process.
#[derive(Clone)]
pub struct Gateways {
    /// Posts to receivers of events.
    pub courier: Arc<dyn Courier>,
    /// When deliveries of events are tried, and for how long.
    pub webhook_schedule: Schedule,
    /// Delivers mail.
    pub mailer: Arc<dyn Mailer>,
    /// Stores the bytes of files.
    pub files: Arc<dyn FileStorage>,
    /// By whom people may sign in; `None` where the operator names no one.
    pub identity_provider: Option<Arc<dyn IdentityProvider>>,
    /// The register of VAT numbers.
    pub vat_registry: Arc<dyn VatRegistry>,
    /// Who publishes reference rates of exchange; `None` where none is asked.
    pub rates: Option<Arc<dyn RateSource>>,
    /// The network of electronic invoices.
    pub network: Arc<dyn EInvoicingNetwork>,
    /// Who takes payments by card.
    pub cards: Arc<cards::Connected>,
    /// The platforms that shops run on.
    pub shops: Arc<dyn ShopPlatforms>,
    /// The base of links to this server.
    pub public_url: String,
}

/// Makes the gateways that settings configure. No call is made yet, and no folder.
///
/// # Errors
/// When a setting is of no use: one line that names it.
pub fn connect(settings: &Settings) -> anyhow::Result<Gateways> {
    let allow_private_addresses = settings.webhooks.allow_private_addresses;
    let exchange = settings.webhooks.timeout();
    let usual = Options::default();
    let connect = usual.connect.min(exchange);
    let reach = settings.outbound.reach();
    let options = Options { allow_private_addresses, reach, connect, exchange };
    let courier = HttpCourier::new(options)
        .map_err(|reason| anyhow!(reason))
        .context("the gateway to receivers of events cannot be set up")?;
    let public_url = match &settings.server.public_url {
        Some(url) => url.as_str().to_owned(),
        None => format!("http://{}", settings.server.listen),
    };
    Ok(Gateways {
        courier: Arc::new(courier),
        webhook_schedule: settings.webhooks.schedule(),
        mailer: mailer(settings)?,
        files: files(settings)?,
        identity_provider: identity_provider(settings)?,
        vat_registry: vat_registry(settings)?,
        rates: rates(settings)?,
        network: Arc::new(network::connect(settings)?),
        cards: Arc::new(cards::connect(settings)?),
        shops: shops(settings)?,
        public_url,
    })
}

fn mailer(settings: &Settings) -> anyhow::Result<Arc<dyn Mailer>> {
    let sender = settings.email.sender(settings.server.public_url.as_ref());
    match &settings.email.smtp_url {
        Some(url) => {
            settings.outbound.check("RACUN__EMAIL__SMTP_URL", url.is_loopback())?;
            let mailer = SmtpMailer::new(url.as_str(), sender);
            Ok(Arc::new(mailer.context("setting RACUN__EMAIL__SMTP_URL")?))
        }
        None => Ok(Arc::new(MailFolder::new(settings.database.dir.join(MAIL), sender))),
    }
}

fn files(settings: &Settings) -> anyhow::Result<Arc<dyn FileStorage>> {
    match settings.files.bucket() {
        Some(bucket) => {
            let is_here = settings.files.is_here();
            settings.outbound.check("RACUN__FILES__S3__ENDPOINT", is_here)?;
            let files = Files::in_bucket(&bucket);
            Ok(Arc::new(files.context("settings RACUN__FILES__S3__…")?))
        }
        None => Ok(Arc::new(Files::in_folder(settings.database.dir.join(FILES)))),
    }
}

fn identity_provider(settings: &Settings) -> anyhow::Result<Option<Arc<dyn IdentityProvider>>> {
    let Some((description, issuer)) = settings.openid.description() else { return Ok(None) };
    settings.outbound.check("RACUN__OPENID__ISSUER", issuer.is_loopback())?;
    let client_secret = settings.openid.client_secret();
    let (reach, patience) = (settings.outbound.reach(), PROVIDER_PATIENCE);
    let provider = OpenId::new(OpenIdOptions { description, client_secret, reach, patience });
    let provider = provider.map_err(|reason| anyhow!(reason));
    Ok(Some(Arc::new(provider.context("settings RACUN__OPENID__…")?)))
}

fn vat_registry(settings: &Settings) -> anyhow::Result<Arc<dyn VatRegistry>> {
    let reach = settings.outbound.reach();
    let usual = ViesOptions::default();
    let url = service(settings, "RACUN__VIES__URL", settings.vies.url.as_ref(), usual.url)?;
    let vies = Vies::new(ViesOptions { url, reach, patience: usual.patience });
    let vies = vies.map_err(|reason| anyhow!(reason)).context("VIES cannot be asked");
    Ok(Arc::new(vies?))
}

fn shops(settings: &Settings) -> anyhow::Result<Arc<dyn ShopPlatforms>> {
    let own = &settings.shopify;
    let shopify = own.client_id.as_ref().zip(own.client_secret.as_ref());
    let shopify = shopify.map(|(id, secret)| ShopifyApp {
        client_id: id.as_str().to_owned(),
        client_secret: secret.as_str().to_owned(),
    });
    let reach = settings.outbound.reach();
    let shops = Shops::new(ShopOptions { shopify, reach, ..ShopOptions::default() });
    let shops = shops.map_err(|reason| anyhow!(reason)).context("shops cannot be asked");
    Ok(Arc::new(shops?))
}

fn rates(settings: &Settings) -> anyhow::Result<Option<Arc<dyn RateSource>>> {
    let (reach, usual) = (settings.outbound.reach(), EcbOptions::default());
    let url = service(settings, "RACUN__RATES__URL", settings.rates.url.as_ref(), usual.url)?;
    if url.is_none() {
        return Ok(None);
    }
    let bank = Ecb::new(EcbOptions { url, reach, patience: usual.patience });
    let bank = bank.map_err(|reason| anyhow!(reason));
    Ok(Some(Arc::new(bank.context("rates of exchange cannot be fetched")?)))
}

/// The address of a public service that the setting `name` says, or the `usual` one; `None` where
/// it is not called.
fn service(
    settings: &Settings,
    name: &'static str,
    set: Option<&ServiceUrl>,
    usual: Option<String>,
) -> anyhow::Result<Option<String>> {
    match set {
        Some(ServiceUrl::At(url)) => {
            settings.outbound.check(name, url.is_loopback())?;
            Ok(Some(url.as_str().to_owned()))
        }
        Some(ServiceUrl::Off) => Ok(None),
        None => Ok(usual.filter(|_| !settings.outbound.loopback_only)),
    }
}
