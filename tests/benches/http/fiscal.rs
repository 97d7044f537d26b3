//! Invoices that are reported to a tax authority before they are answered, beside the same invoices
//! of entities that do not fiscalize. The authority is simulated in this process, on the same
//! processors, and answers after 50 ms.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Duration;

use racun_authority_simulator::{Filter, Options, Running, Simulator, WantedTaxpayer};
use racun_fiscal::Authority;
use racun_tests::{Account, Racun};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::exchanging;
use crate::load::{Rate, measure, request};
use crate::report::{aim, line, ratio, thousandths};
use crate::{INVOICE, told};

/// Clients at once. Each waits for the authority most of the time: this many allow 128 / 0.05 s =
/// 2,560 answers a second, more than the processors do.
const CLIENTS: usize = 128;

/// Devices when there are many.
pub const DEVICES: usize = 20;

/// How long the authority holds each answer back.
const DELAY: Duration = Duration::from_millis(50);

/// A well-formed tax number, which all taxpayers here share; their certificates and premises
/// differ.
pub const TAX_NUMBER: &str = "10039856";
pub const PASSPHRASE: &str = "bench";

/// The first premise that is opened.
pub const PREMISE: &str = "P0";

/// The simulated authority.
pub struct Authorities {
    pub simulator: Running,
    ca: NamedTempFile,
}

impl Authorities {
    pub fn start() -> Self {
        let options = Options { most_kept: 100_000, ..Options::default() };
        let simulator = Simulator::start(&options).expect("the simulator starts");
        let mut ca = NamedTempFile::new().expect("a temporary file");
        ca.write_all(simulator.ca_pem.as_bytes()).expect("the issuers are written");
        Self { simulator, ca }
    }

    /// The settings of a server that tells it.
    pub fn settings(&self) -> Vec<(String, String)> {
        let ca = self.ca.path().to_str().expect("a path in UTF-8");
        vec![
            ("RACUN__FURS__TEST__URL".to_owned(), self.simulator.furs_url.clone()),
            ("RACUN__FURS__TEST__CA_FILE".to_owned(), ca.to_owned()),
        ]
    }

    /// A new certificate.
    pub fn p12(&self) -> Vec<u8> {
        let wanted = WantedTaxpayer::new(Authority::Furs, TAX_NUMBER, PASSPHRASE);
        self.simulator.issue(&wanted).expect("a certificate").p12
    }
}

/// Who issues on how many devices, fiscalized and not.
pub struct Sellers {
    address: String,
    one: Pair,
    devices: Pair,
    taxpayers: Pair,
}

/// The same requests, one for each client, of those who fiscalize and of those who do not.
struct Pair {
    fiscal: Vec<Vec<u8>>,
    plain: Vec<Vec<u8>>,
}

impl Pair {
    /// Invoices of taxpayers `from..until`, which each have `devices`, by turns.
    async fn open(
        racun: &Racun,
        authorities: &Authorities,
        [from, until]: [usize; 2],
        devices: usize,
    ) -> Self {
        let [mut fiscal, mut plain] = [Vec::new(), Vec::new()];
        for taxpayer in from..until {
            let premise = format!("P{taxpayer}");
            let shop = Account::sign_up(racun).await;
            open(authorities, &shop, &premise, devices).await;
            let other = Account::sign_up(racun).await;
            for device in 1..=devices {
                let body = invoice(&premise, device);
                fiscal.push(request("POST", "/invoices", &shop.key, &body));
                // An entity that does not fiscalize ignores the place of issue.
                plain.push(request("POST", "/invoices", &other.key, &body));
            }
        }
        let all = |some: Vec<Vec<u8>>| some.into_iter().cycle().take(CLIENTS).collect();
        Self { fiscal: all(fiscal), plain: all(plain) }
    }

    fn measure(&self, address: &str) -> [Rate; 2] {
        [measure(address, &self.plain), measure(address, &self.fiscal)]
    }
}

/// Switches fiscalization on, with a premise and its devices, each with a sequence of its own.
async fn open(authorities: &Authorities, shop: &Account, premise: &str, devices: usize) {
    let furs = "/fiscalization/furs";
    let parts = [("file", &authorities.p12()[..]), ("passphrase", PASSPHRASE.as_bytes())];
    shop.api.upload(&format!("{furs}/settings/certificate"), &parts).await.expect(201);
    let wanted = json!({
        "business_premise_name": premise, "movable_premise": { "premise_type": "C" },
    });
    let made = shop.api.create(&format!("{furs}/premises/movable"), &wanted).await;
    let id = made["id"].as_str().expect("an id");
    for device in 1..=devices {
        let path = format!("{furs}/premises/{id}/devices");
        shop.api.create(&path, &json!({ "name": device.to_string() })).await;
    }
    let settings = json!({
        "enabled": true, "numbering_strategy": "B", "operator_label": "Ana",
        "operator_tax_number": TAX_NUMBER,
    });
    shop.api.put(&format!("{furs}/settings"), &settings).await.expect(200);
}

fn invoice(premise: &str, device: usize) -> String {
    let mut body: Value = serde_json::from_str(INVOICE).expect("the invoice is JSON");
    let device = device.to_string();
    body["furs"] = json!({ "business_premise_name": premise, "electronic_device_name": device });
    body.to_string()
}

/// What was measured: plain and fiscalized, of each who sells.
pub struct Rates {
    alone: [Rate; 2],
    one: [Rate; 2],
    devices: [Rate; 2],
    taxpayers: [Rate; 2],
    exchanges: Rate,
}

impl Sellers {
    pub async fn open(racun: &Racun, authorities: &Authorities) -> Self {
        authorities.simulator.set_delay(Duration::ZERO);
        Self {
            address: racun.address().to_owned(),
            one: Pair::open(racun, authorities, [0, 1], 1).await,
            devices: Pair::open(racun, authorities, [1, 2], DEVICES).await,
            taxpayers: Pair::open(racun, authorities, [2, 2 + DEVICES], 1).await,
        }
    }

    pub async fn measure(&self, authorities: &Authorities) -> Rates {
        authorities.simulator.set_delay(DELAY);
        let address = &self.address;
        let first = |pair: &[Vec<u8>]| measure(address, &pair[..1]);
        let (alone, one) = ([first(&self.one.plain), first(&self.one.fiscal)], &self.one);
        let (one, devices) = (one.measure(address), self.devices.measure(address));
        let taxpayers = self.taxpayers.measure(address);
        authorities.check();
        let exchanges = exchanging::measure(authorities).await;
        Rates { alone, one, devices, taxpayers, exchanges }
    }
}

impl Authorities {
    /// Every document that was told was told once, and taken: what was measured is confirmations,
    /// not waits that were given up.
    fn check(&self) {
        let refused = self.simulator.refused();
        assert!(refused.is_empty(), "the authority refused {:?}", refused.first());
        let taken = self.simulator.taken(&Filter::default());
        let invoices = || taken.iter().filter(|taken| taken.operation == "invoice");
        let documents: BTreeSet<_> =
            invoices().map(|taken| (&taken.premise, &taken.device, &taken.number)).collect();
        assert_eq!(documents.len(), invoices().count(), "some documents were told twice");
    }
}

impl Rates {
    pub fn best_of(self, other: Self) -> Self {
        let best =
            |own: [Rate; 2], other: [Rate; 2]| [own[0].best_of(other[0]), own[1].best_of(other[1])];
        Self {
            alone: best(self.alone, other.alone),
            one: best(self.one, other.one),
            devices: best(self.devices, other.devices),
            taxpayers: best(self.taxpayers, other.taxpayers),
            exchanges: self.exchanges.best_of(other.exchanges),
        }
    }

    pub fn print(&self) {
        let rows = [
            ("one device", 1, self.alone),
            ("one device", CLIENTS, self.one),
            ("20 devices of a taxpayer", CLIENTS, self.devices),
            ("20 taxpayers with a device", CLIENTS, self.taxpayers),
        ];
        for (who, clients, [plain, fiscal]) in rows {
            line(&told(&format!("plain, {who}"), clients), plain);
            line(&told(&format!("fiscalized, {who}"), clients), fiscal);
        }
        line("mark and exchange alone, at once, 20 clients", self.exchanges);
        println!(
            "\nfiscalized beside plain, by {CLIENTS} clients; the authority, which signs each \
             answer on the same\nprocessors, answers after {} ms",
            DELAY.as_millis()
        );
        self.beside("one device", self.one);
        self.beside("20 devices of a taxpayer", self.devices);
        self.beside("20 taxpayers with a device", self.taxpayers);
    }

    fn beside(&self, who: &str, [plain, fiscal]: [Rate; 2]) {
        let (plain, fiscal) = (plain.per_second, fiscal.per_second);
        aim(who, &ratio(fiscal, plain), ">= 0.7", thousandths(fiscal, plain) >= 700);
        // The machine does both for each document: a document takes as long as the two together.
        let exchanges = self.exchanges.per_second;
        let both = (plain * exchanges).checked_div(plain + exchanges).unwrap_or(0);
        println!(
            "  of the {both} that plain issuing, marks and exchanges leave each other: {}",
            ratio(fiscal, both)
        );
    }
}
