//! A tax authority that is away for three days, a weekend among them, told over the network by the
//! clients that production has: what the law gives is enough, and the alarm comes in time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use racun_access::{Entity, MasterVault};
use racun_authorities::{Clients, Endpoint, Endpoints, Systems};
use racun_authority_simulator::{
    Fault, Filter, Options, Page, Running, Simulator, WantedTaxpayer, When,
};
use racun_documents::{Document, DocumentId, DocumentKind, FiscalStatus};
use racun_fiscal::furs::{MovableKind, PremiseKind};
use racun_fiscal::{
    Authorities, Authority, Days, NewDevice, NewPremise, Numbering, Retry, SettingsInput, deadline,
};
use racun_fiscalization::setup::registering::Registry;
use racun_fiscalization::setup::{devices, premises, settings};
use racun_fiscalization::{
    Alarm, FinaRequest, Fiscal, FiscalRequest, FursRequest, LIMITS, Ports, Report,
};
use racun_kernel::{Patch, Stamp};
use racun_records::get_document;
use racun_sales::documents::{self, Creation};
use racun_settlement::PaymentType;
use racun_store::{Context, Store};
use racun_store_sqlite::SqliteStore;
use tempfile::TempDir;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::fixture::Shop;
use crate::office::{OPERATORS, fiscal, paid, record, worth_100};

/// A Friday, ten in the morning where the authorities are.
const BEGIN: OffsetDateTime = datetime!(2026-11-20 09:00 UTC);

/// The next Monday at the same time.
const END: OffsetDateTime = datetime!(2026-11-23 09:00 UTC);

const PREMISES: [&str; 3] = ["P1", "P2", "P3"];
const DEVICES: [&str; 2] = ["1", "2"];

/// Invoices of each device while the authority is away: 102.
const EACH: i32 = 17;

/// After so many invoices, as many runs follow as it takes to try all that wait.
const BURST: i32 = 24;

/// A taxpayer, the authority, and the one clock of them all.
struct Town {
    office: Running,
    clock: Arc<Mutex<OffsetDateTime>>,
    authority: Authority,
    shop: Shop,
    entity: Entity,
    fiscal: Fiscal,
    _folder: TempDir,
}

/// The clients of the office, as a process makes them when it starts.
fn clients(office: &Running, clock: &Arc<Mutex<OffsetDateTime>>) -> Arc<dyn Authorities> {
    let test = |url: &str| {
        let ca_pem = Some(office.ca_pem.clone());
        Systems { test: Some(Endpoint { ca_pem, ..Endpoint::new(url) }), production: None }
    };
    let endpoints = Endpoints { furs: test(&office.furs_url), fina: test(&office.fina_url) };
    let clock = Arc::clone(clock);
    Arc::new(Clients::new(&endpoints, Arc::new(move || *clock.lock().unwrap())).unwrap())
}

impl Town {
    async fn open(authority: Authority) -> Self {
        let options = Options { now: Some(BEGIN), ..Options::default() };
        let office = Simulator::start(&options).unwrap();
        let clock = Arc::new(Mutex::new(BEGIN));
        let authorities = clients(&office, &clock);
        let vault = Arc::new(MasterVault::derive(&[7; 32]));
        let fiscal = Fiscal { authorities, vault, retry: Retry::default() };
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("racun.sqlite");
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&file, &racun_application::tables(), 1).unwrap());
        let (country, number) = match authority {
            Authority::Furs => ("Slovenija", OPERATORS[0]),
            Authority::Fina => ("Hrvatska", OPERATORS[1]),
        };
        let shop = Shop::open_in(country, store, racun_store::testing::stamp(BEGIN)).await;
        let entity = Entity { tax_number: Some(number.to_owned()), ..shop.entity.clone() };
        let own = Self { office, clock, authority, shop, entity, fiscal, _folder: folder };
        own.certify(number).await;
        for premise in PREMISES {
            own.open_premise(premise).await;
        }
        own
    }

    /// Fiscalization is switched on, with a certificate.
    async fn certify(&self, number: &str) {
        let Shop { store, scope, stamp, .. } = &self.shop;
        let wanted = WantedTaxpayer::new(self.authority, number, "x");
        let p12 = self.office.issue(&wanted).unwrap().p12;
        let opened = self.fiscal.authorities.open_p12(self.authority, &p12, "x").unwrap();
        let (vault, authority) = (&*self.fiscal.vault, self.authority);
        settings::set_certificate(
            Context::new(&**store, scope, stamp),
            vault,
            &self.entity,
            authority,
            opened,
        )
        .await
        .unwrap();
        let numbering = match authority {
            Authority::Furs => Numbering::PerDevice,
            Authority::Fina => Numbering::PerPremise,
        };
        let input = SettingsInput {
            enabled: Patch::Value(true),
            numbering: Patch::Value(numbering),
            operator_number: Patch::Value(number.to_owned()),
            operator_label: Patch::Value("Ana".to_owned()),
            ..SettingsInput::default()
        };
        settings::update(Context::new(&**store, scope, stamp), &self.entity, authority, input)
            .await
            .unwrap();
    }

    async fn open_premise(&self, name: &str) {
        let Shop { store, scope, stamp, .. } = &self.shop;
        let (store, entity, name) = (&**store, &self.entity, name.to_owned());
        let premise = match self.authority {
            Authority::Furs => {
                let (vault, authorities) = (&*self.fiscal.vault, &*self.fiscal.authorities);
                let cx = Context::new(store, scope, stamp);
                let registry = Registry { cx, vault, authorities };
                let kind = Some(PremiseKind::Movable(MovableKind::C));
                let new = NewPremise { name, kind, starting_number: None };
                registry.register(entity, new).await
            }
            Authority::Fina => {
                let new = NewPremise { name, kind: None, starting_number: None };
                premises::create(Context::new(store, scope, stamp), entity, self.authority, new)
                    .await
            }
        };
        let premise = premise.unwrap().id;
        for device in DEVICES {
            let new = NewDevice { name: device.to_owned(), starting_number: None };
            devices::create(Context::new(store, scope, stamp), entity, premise, new).await.unwrap();
        }
    }

    /// It is `now`, for everybody.
    fn turn_to(&self, now: OffsetDateTime) -> Stamp {
        *self.clock.lock().unwrap() = now;
        self.office.set_now(now);
        self.shop.stamp.at(now)
    }

    async fn sell(&self, premise: &str, device: &str, stamp: &Stamp) -> Document {
        let premise = Some(premise.to_owned());
        let device = Some(device.to_owned());
        let said = match self.authority {
            Authority::Furs => FiscalRequest {
                furs: FursRequest {
                    business_premise_name: premise,
                    electronic_device_name: device,
                    ..FursRequest::default()
                },
                ..FiscalRequest::default()
            },
            Authority::Fina => FiscalRequest {
                fina: FinaRequest {
                    business_premise_name: premise,
                    electronic_device_name: device,
                    ..FinaRequest::default()
                },
                ..FiscalRequest::default()
            },
        };
        let payments = paid(&[PaymentType::Cash]);
        let creation = Creation { payments, fiscal: said, ..Creation::default() };
        let kind = DocumentKind::Invoice;
        let cx = Context::new(&*self.shop.store, &self.shop.scope, stamp);
        let ports = Ports::new(cx, Some(&self.fiscal));
        documents::create(ports, &self.entity, kind, worth_100(), creation).await.unwrap()
    }

    async fn work(&self, stamp: &Stamp) -> Report {
        let store = &*self.shop.store;
        racun_fiscalization::run_due(store, &self.fiscal, &|| stamp.clone(), LIMITS).await.unwrap()
    }

    /// Three days without the authority: what was issued, and the alarms with their times.
    async fn outage(&self) -> (Vec<Document>, Vec<(OffsetDateTime, Alarm)>) {
        self.office.add_fault(Fault::Refuse, When::default()).unwrap();
        let places: Vec<(&str, &str)> =
            PREMISES.iter().flat_map(|premise| DEVICES.map(|device| (*premise, device))).collect();
        let count = EACH * i32::try_from(places.len()).unwrap();
        let step = (END - BEGIN) / count;
        let (mut issued, mut alarms) = (Vec::new(), Vec::new());
        for (turn, (premise, device)) in (0..count).zip(places.iter().cycle()) {
            let stamp = self.turn_to(BEGIN + step * turn);
            let document = self.sell(premise, device, &stamp).await;
            assert_eq!(fiscal(&document).status, FiscalStatus::Pending);
            assert_eq!(record(&document).number, self.number(turn));
            issued.push(document);
            loop {
                let report = self.work(&stamp).await;
                assert_eq!(report.done, 0, "{report:?}");
                alarms.extend(report.alarms.into_iter().map(|alarm| (stamp.now(), alarm)));
                // A run leaves an authority alone that is silent. In time, all come to their turn.
                if !(report.has_more && turn % BURST == BURST - 1) {
                    break;
                }
            }
        }
        (issued, alarms)
    }

    /// The number of the invoice that is issued as the `turn`th, by turns on all devices.
    fn number(&self, turn: i32) -> i64 {
        let devices = i32::try_from(DEVICES.len()).unwrap();
        let round = devices * i32::try_from(PREMISES.len()).unwrap();
        i64::from(match self.authority {
            Authority::Furs => turn / round + 1,
            Authority::Fina => turn / round * devices + turn % devices + 1,
        })
    }

    /// The authority is back, with one answer in ten a failure: what is left to be told is, five
    /// minutes after the other.
    async fn deliver(&mut self, count: usize) -> OffsetDateTime {
        self.office.clear_faults();
        let now_and_then = When { percent: Some(10), ..When::default() };
        self.office.add_fault(Fault::Page(Page::ServerError), now_and_then).unwrap();
        // A process that starts now. The old one would leave the authority alone for some seconds
        // of real time.
        self.fiscal.authorities = clients(&self.office, &self.clock);
        let (mut now, mut confirmed) = (END, 0);
        while confirmed < count {
            assert!(now < END + Duration::hours(6), "{confirmed} of {count} are confirmed");
            let report = self.work(&self.turn_to(now)).await;
            confirmed += report.done;
            now += Duration::minutes(5);
        }
        now
    }

    /// The last moment at which `document` may be reported.
    fn deadline(&self, document: &Document) -> OffsetDateTime {
        let last = deadline(self.authority, Days::Connection, record(document).issued_at.date());
        last.next_day().unwrap().midnight().assume_offset(self.authority.local(END).offset())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_days_and_a_weekend_furs_has_every_report_in_time() {
    everything_is_reported_in_time(Authority::Furs).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_days_and_a_weekend_cis_has_every_report_in_time() {
    everything_is_reported_in_time(Authority::Fina).await;
}

async fn everything_is_reported_in_time(authority: Authority) {
    let mut own = Town::open(authority).await;
    let (issued, alarms) = own.outage().await;
    let done = own.deliver(issued.len()).await;

    let filter = Filter { operation: Some("invoice".to_owned()), ..Filter::default() };
    let taken = own.office.taken(&filter);
    for document in &issued {
        let (shop, mark) = (&own.shop, &record(document).mark);
        let told = get_document(shop.cx(), document.id).await.unwrap();
        assert_eq!(fiscal(&told).status, FiscalStatus::Success);
        assert_eq!((&record(&told).mark, told.number()), (mark, document.number()));
        let its: Vec<_> = taken.iter().filter(|one| one.mark.as_ref() == Some(mark)).collect();
        assert!(!its.is_empty(), "{told:?}");
        for one in its {
            assert!(one.late && one.id.as_ref() == fiscal(&told).confirmation(), "{one:?}");
            let until = own.deadline(document);
            assert!(one.received_at < until, "after {until}: {one:?}");
        }
    }
    let ids: BTreeSet<&str> = taken.iter().map(|one| &*one.message_id).collect();
    assert_eq!((ids.len(), taken.len()), (issued.len(), issued.len()));
    let gaps = own.office.gaps(&filter);
    assert_eq!(gaps.len(), if authority == Authority::Furs { 6 } else { 3 });
    for gaps in gaps {
        assert!(gaps.missing.is_empty() && gaps.doubled.is_empty(), "{gaps:?}");
        assert_eq!(gaps.first, "1");
    }
    check_alarms(&own, &issued, &alarms);
    assert_eq!(own.work(&own.turn_to(done + Duration::days(1))).await, Report::default());
}

/// There is one alarm for each document whose last day began without an alarm, with at least half
/// of that day left; for no other.
fn check_alarms(own: &Town, issued: &[Document], alarms: &[(OffsetDateTime, Alarm)]) {
    for (at, alarm) in alarms {
        let own_document = |document: &&Document| document.id == alarm.document_id;
        let document = issued.iter().find(own_document).unwrap();
        let left = own.deadline(document) - *at;
        assert!(left >= Duration::hours(12), "{left} before the deadline: {alarm:?}");
        assert_eq!(alarm.authority, own.authority);
    }
    let alarmed: BTreeSet<DocumentId> = alarms.iter().map(|(_, alarm)| alarm.document_id).collect();
    assert_eq!(alarmed.len(), alarms.len(), "each alarm is raised once");
    let is_near = |document: &&Document| own.deadline(document) - END < Duration::DAY;
    let near = issued.iter().filter(is_near).count();
    match own.authority {
        // Friday's have until Tuesday.
        Authority::Furs => assert_eq!((near, alarmed.len()), (0, 0)),
        // Friday is the first working day, Monday the second.
        Authority::Fina => {
            assert!(near > 0, "none of Friday");
            assert_eq!(alarmed.len(), near);
        }
    }
}
