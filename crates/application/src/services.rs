//! What use cases work with: the store, the ports to what is outside, and the settings of both.

use std::sync::Arc;

use racun_access::{Digest, IdentityProvider, PinKey};
use racun_background::budget::StorageLimits;
use racun_billing::Catalogue;
use racun_card_payments::CardProcessor;
use racun_catalog::{FileStorage, VatRegistry};
use racun_delivery::printing::PrintPdf;
use racun_delivery::webhooks::Webhooks;
use racun_einvoicing::network::EInvoicingNetwork;
use racun_exports::Spreadsheets;
use racun_fiscal::{Authorities, Retry, TestCertificates};
use racun_fiscalization::{Fiscal, TaxAuthority};
use racun_kernel::{Entropy, Stamp, Vault};
use racun_mail::Mailer;
use racun_orders::ShopPlatforms;
use racun_portugal::Portugal;
use racun_sales::billing::LabelSource;
use racun_store::{Store, StoreError};
use racun_webhooks::{Courier, Schedule};
use time::OffsetDateTime;

/// What use cases work with, whether a request or a job runs them. A clone shares everything with
/// its original.
#[derive(Clone)]
pub struct Services {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Who has to hear of a payment's change of type; `NoAuthority` where nothing is fiscalized.
    pub tax_authority: Arc<dyn TaxAuthority>,
    /// Who reads certificates, and tells the authorities that fiscalize.
    pub authorities: Arc<dyn Authorities>,
    /// The certified program of Portugal, and its authority. Without it documents there are not
    /// certified: for what calculates only.
    pub portugal: Option<Arc<dyn Portugal>>,
    /// The issuer of certificates for entities of the sandbox; `None` where there is none.
    pub test_certificates: Option<Arc<dyn TestCertificates>>,
    /// What keeps private keys unreadable at rest; `None` where the process was given no master
    /// key, and can keep none.
    pub vault: Option<Arc<dyn Vault>>,
    /// How long a document waits before it is sent again to a tax authority that gave no answer.
    pub fiscal_retry: Retry,
    /// Who posts to receivers of events.
    pub courier: Arc<dyn Courier>,
    /// When deliveries of events are tried.
    pub webhook_schedule: Schedule,
    /// Who carries mail.
    pub mailer: Arc<dyn Mailer>,
    /// Where the bytes of files are.
    pub files: Arc<dyn FileStorage>,
    /// By whom people may sign in beside their passwords; `None` where there is no such provider.
    pub identity_provider: Option<Arc<dyn IdentityProvider>>,
    /// The register of VAT numbers (VIES).
    pub vat_registry: Arc<dyn VatRegistry>,
    /// The network that electronic invoices are sent over.
    pub network: Arc<dyn EInvoicingNetwork>,
    /// The platforms that shops run on.
    pub shops: Arc<dyn ShopPlatforms>,
    /// Who takes payments by card.
    pub cards: Arc<dyn CardProcessor>,
    /// Who writes exports as XLSX.
    pub spreadsheets: Arc<dyn Spreadsheets>,
    /// Who sets documents as PDF.
    pub press: Arc<dyn PrintPdf>,
    /// The base of links to the server: `https://invoices.example.com`, without a slash at its
    /// end.
    pub public_url: Arc<str>,
    /// Where the white labels come from, with what they sell.
    pub white_labels: LabelSource,
    /// The digest of the key by which the operator manages them; `None` where they do not.
    pub operator_key: Option<Digest>,
    /// What time it is.
    pub clock: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
    /// Where ids and secrets come from.
    pub entropy: Arc<dyn Entropy>,
    /// What PINs are kept under; `None` where the process was given no master key, and has no PINs.
    pub pins: Option<PinKey>,
    /// How much accounts may store.
    pub storage: StorageLimits,
}

impl Services {
    /// The same on `store`.
    #[must_use]
    pub fn with(&self, store: Arc<dyn Store>) -> Self {
        Self { store, ..self.clone() }
    }

    /// A stamp for one request or job: its time, and the source of what it makes.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::new((self.clock)(), Arc::clone(&self.entropy))
    }

    /// The white labels as they are now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn labels(&self) -> Result<Arc<Catalogue>, StoreError> {
        self.white_labels.read(&*self.store).await
    }

    /// What fiscalizing takes; `None` where private keys cannot be kept.
    #[must_use]
    pub fn fiscal(&self) -> Option<Fiscal> {
        let (authorities, retry) = (Arc::clone(&self.authorities), self.fiscal_retry);
        let vault = self.vault.clone()?;
        Some(Fiscal { authorities, vault, retry })
    }

    /// What webhooks take.
    #[must_use]
    pub fn webhooks(&self) -> Webhooks {
        let (vault, courier) = (self.vault.clone(), Arc::clone(&self.courier));
        let (schedule, events) = (self.webhook_schedule.clone(), crate::events());
        Webhooks { vault, courier, schedule, events }
    }
}
