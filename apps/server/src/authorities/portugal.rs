//! The certified program in Portugal, and its authority: those that settings name, and for a
//! sandbox without them a program and a simulator of our own.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, ensure};
use async_trait::async_trait;
use racun_authorities::portugal::{PtClient, RsaProgramKey, Services};
use racun_authority_simulator::{PROGRAM_KEY_PEM, Running};
use racun_kernel::Environment;
use racun_portugal::{Patience, Portugal, Program, SubUser, Unanswered, invoice_ws, series_ws};

use super::Connected;
use crate::clock;
use crate::settings::{PortugalService, Settings};

/// The number of the certificate of the sandbox's program: that of tests.
const SANDBOX_CERTIFICATE: u16 = 9_999;
/// Who made the program, where settings do not say.
const MAKER: &str = "Racun";
/// The number of who made it, where settings do not say.
const UNKNOWN: &str = "999999990";
/// The password of the sandbox's sub-users: the simulator takes any.
const PASSWORD: &str = "sandbox";

/// What settings name.
pub struct Named {
    /// The program that issues live documents.
    program: Option<Program>,
    /// The sandbox's own.
    sandbox: Program,
    test: Option<PtClient>,
    production: Option<PtClient>,
}

impl Named {
    /// Reads what settings name.
    ///
    /// # Errors
    /// When a file cannot be read, one with a private key can be read by others, or a setting is of
    /// no use: one line that names it.
    pub fn of(settings: &Settings) -> anyhow::Result<Self> {
        let own = &settings.portugal;
        for (name, service) in [("TEST", &own.test), ("PRODUCTION", &own.production)] {
            for (which, url) in
                [("SERIES", &service.series_url), ("INVOICES", &service.invoices_url)]
            {
                let is_own = service.authority_key_file.is_some() && url.is_none();
                let is_here = !is_own && url.as_ref().is_none_or(|url| url.is_loopback());
                let setting = format!("RACUN__PORTUGAL__{name}__{which}_URL");
                settings.outbound.check(&setting, is_here)?;
            }
        }
        let maker = || (own.maker_name.as_ref(), own.maker_tax_number.as_ref());
        let program = |key: RsaProgramKey, certificate: u16| {
            let (name, number) = maker();
            Program {
                key: Arc::new(key),
                certificate,
                maker: name.map_or_else(|| MAKER.to_owned(), |name| name.0.clone()),
                maker_tax_number: number.map_or_else(|| UNKNOWN.to_owned(), |own| own.0.clone()),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            }
        };
        let live = match &own.key_file {
            None => None,
            Some(path) => {
                let pem = read_private("RACUN__PORTUGAL__KEY_FILE", path)?;
                let key = RsaProgramKey::from_pem(&pem, u32::from(own.key_version.0))
                    .map_err(|error| anyhow!("setting RACUN__PORTUGAL__KEY_FILE: {error}"))?;
                let number = own.certificate_number.ok_or_else(|| {
                    anyhow!(
                        "setting RACUN__PORTUGAL__CERTIFICATE_NUMBER: the program's key is set, \
                         and not the number of its certificate"
                    )
                })?;
                Some(program(key, number.0))
            }
        };
        let key = RsaProgramKey::from_pem(PROGRAM_KEY_PEM, 1).map_err(|error| anyhow!(error))?;
        Ok(Self {
            program: live,
            sandbox: program(key, SANDBOX_CERTIFICATE),
            test: client("TEST", &own.test, Services::TEST)?,
            production: client("PRODUCTION", &own.production, Services::PRODUCTION)?,
        })
    }
}

/// The text of the file at `path`, which `setting` names and which has a private key. It is for the
/// server's user alone: who reads it signs as the program does, or calls the authority in its name.
fn read_private(setting: &str, path: &Path) -> anyhow::Result<String> {
    let unread = || format!("setting {setting}: it cannot be read");
    let mut file = File::open(path).with_context(unread)?;
    let mode = file.metadata().with_context(unread)?.permissions().mode();
    ensure!(
        mode & 0o077 == 0,
        "setting {setting}: {} is open to others than its user: `chmod 600` it",
        path.display()
    );
    let mut pem = String::new();
    file.read_to_string(&mut pem).with_context(unread)?;
    Ok(pem)
}

fn client(
    system: &str,
    service: &PortugalService,
    own: [&str; 2],
) -> anyhow::Result<Option<PtClient>> {
    let name = |key: &str| format!("RACUN__PORTUGAL__{system}__{key}");
    let read = |key: &str, path: &Option<std::path::PathBuf>| {
        let read = path.as_ref().map(fs::read_to_string).transpose();
        read.with_context(|| format!("setting {}: it cannot be read", name(key)))
    };
    let Some(authority_key_pem) = read("AUTHORITY_KEY_FILE", &service.authority_key_file)? else {
        return Ok(None);
    };
    let [series, invoices] = own;
    let url = |set: &Option<crate::settings::WholeUrl>, own: &str| {
        set.as_ref().map_or_else(|| own.to_owned(), |url| url.as_str().to_owned())
    };
    let certificate = service.certificate_file.as_deref();
    let certificate = certificate.map(|path| read_private(&name("CERTIFICATE_FILE"), path));
    let services = Services {
        series_url: url(&service.series_url, series),
        invoices_url: url(&service.invoices_url, invoices),
        authority_key_pem,
        ca_pem: read("CA_FILE", &service.ca_file)?,
        certificate_pem: certificate.transpose()?,
        timeout: service.timeout_seconds.duration(),
    };
    let client = PtClient::new(&services, Arc::new(clock::now));
    let told = |error: racun_authorities::portugal::BadService| {
        anyhow!("setting {}: {}", name(&error.setting.to_uppercase()), error.reason)
    };
    client.map(Some).map_err(told)
}

/// The client that reaches the simulator.
///
/// # Errors
/// What is wrong with its address or key, in words.
pub fn of_simulator(simulator: &Running) -> Result<PtClient, String> {
    let services = Services {
        series_url: simulator.series_url(),
        invoices_url: simulator.invoices_url(),
        authority_key_pem: simulator.authority_key_pem().to_owned(),
        ca_pem: Some(simulator.ca_pem.clone()),
        certificate_pem: None,
        timeout: PortugalService::default().timeout_seconds.duration(),
    };
    PtClient::new(&services, Arc::new(clock::now)).map_err(|error| error.to_string())
}

impl Connected {
    /// The client that reaches the authority from `environment`.
    fn portugal(&self, environment: Environment) -> Result<&PtClient, Unanswered> {
        let named = self.named_portugal();
        match environment {
            Environment::Live => named.production.as_ref().ok_or_else(|| Unanswered {
                reason: "the operator has set no RACUN__PORTUGAL__PRODUCTION__AUTHORITY_KEY_FILE"
                    .to_owned(),
            }),
            Environment::Sandbox => match &named.test {
                Some(client) => Ok(client),
                None => self.simulated_portugal().map_err(|reason| Unanswered {
                    reason: format!("the built-in simulator does not run: {reason}"),
                }),
            },
        }
    }
}

#[async_trait]
impl Portugal for Connected {
    fn program(&self, environment: Environment) -> Option<Program> {
        let named = self.named_portugal();
        match environment {
            Environment::Live => named.program.clone(),
            // A test system of the authority's knows the operator's key, and none of ours.
            Environment::Sandbox => {
                let own = named.program.as_ref().filter(|_| named.test.is_some());
                Some(own.unwrap_or(&named.sandbox).clone())
            }
        }
    }

    fn test_user(&self, environment: Environment, nif: &str) -> Option<SubUser> {
        let is_ours = environment == Environment::Sandbox && self.named_portugal().test.is_none();
        is_ours.then(|| SubUser { username: format!("{nif}/1"), password: PASSWORD.to_owned() })
    }

    async fn series(
        &self,
        environment: Environment,
        user: &SubUser,
        request: &series_ws::Request,
        patience: Patience,
    ) -> Result<series_ws::SeriesReply, Unanswered> {
        self.portugal(environment)?.series(user, request, patience).await
    }

    async fn invoice(
        &self,
        environment: Environment,
        user: &SubUser,
        body: &str,
        patience: Patience,
    ) -> Result<invoice_ws::InvoiceReply, Unanswered> {
        self.portugal(environment)?.invoice(user, body, patience).await
    }
}
