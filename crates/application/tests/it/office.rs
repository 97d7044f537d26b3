//! Tax authorities that answer after a script, and a shop that they know.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use racun_documents::{Document, DocumentKind, FiscalRecord, Fiscalization};
use racun_fiscal::{
    Authorities, Authority, AuthorityError, BusinessPremise, Certificate, Device, DeviceId,
    EXCHANGES, Exchange, FiscalSettings, Header, Identity, Message, Numbering, OpenedCertificate,
    P12Error, Patience, PremiseId, Reply, ReportContent, Retry, Signer, SigningFailed, Unknown,
};
use racun_fiscalization::{
    FinaRequest, Fiscal, FiscalRequest, FiscalizeRequest, FursRequest, LIMITS, Ports, Report,
};
use racun_kernel::{CannotOpen, Environment, Stamp, Vault};
use racun_records::get_document;
use racun_sales::Error;
use racun_sales::documents::{self, Creation, DocumentRequest, Voiding};
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentType};
use racun_store::{Clause, Context, ListQuery, Operator, Put, Store, Value};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::Value as Json;
use time::{Duration, OffsetDateTime};
use tokio::sync::Notify;

use crate::fixture::{Shop, line, request};

/// A key of the known answers, PKCS#8 DER.
static KEY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/fiscal/furs.json");
    let file: Json = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let pem = file["keys"]["pub_a"]["private_key_pkcs8_pem"].as_str().unwrap();
    let text: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    STANDARD.decode(text).unwrap()
});

struct Rsa(RsaKeyPair);

impl Signer for Rsa {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| SigningFailed)?;
        Ok(signature)
    }
}

/// Opens what it sealed, which is the one key of these tests.
struct Drawer;

impl Vault for Drawer {
    fn seal(&self, owner: &str, _: &[u8], _: &Stamp) -> String {
        owner.to_owned()
    }

    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen> {
        if owner == sealed { Ok(KEY.clone()) } else { Err(CannotOpen) }
    }
}

/// What was sent.
#[derive(Debug, Clone)]
pub struct Heard {
    pub certificate: Vec<u8>,
    pub header: Header,
    pub message: Message,
    pub patience: Patience,
}

impl Heard {
    /// Whether the message says that the document was handed out before.
    pub fn is_late(&self) -> bool {
        match &self.message {
            Message::FursInvoice { subsequent, .. } => *subsequent,
            Message::FursBook(_) => false,
            Message::FinaReceipt { late, .. } => *late,
            other => panic!("no document: {other:?}"),
        }
    }

    /// What is said of the document.
    pub fn content(&self) -> ReportContent {
        match &self.message {
            Message::FursInvoice { invoice, .. } => ReportContent::Furs(invoice.clone()),
            Message::FursBook(form) => ReportContent::FursBook(form.clone()),
            Message::FinaReceipt { receipt, .. } => ReportContent::Fina(receipt.clone()),
            other => panic!("no document: {other:?}"),
        }
    }
}

type PendingReply = Pin<Box<dyn Future<Output = Result<Reply, Unknown>> + Send>>;

/// The fake authorities, with scripted answers. Without a script they confirm everything, with an
/// id of its own each time.
#[derive(Default)]
pub struct FakeAuthorities {
    answers: Mutex<VecDeque<PendingReply>>,
    heard: Mutex<Vec<Heard>>,
    hears: Notify,
    confirmed: AtomicUsize,
}

pub fn unknown(reason: &str) -> Result<Reply, Unknown> {
    Err(Unknown { reason: reason.to_owned(), is_suspicious: false })
}

impl FakeAuthorities {
    /// To the next message that is not scripted yet it answers `answer`.
    pub fn then(&self, answer: impl Future<Output = Result<Reply, Unknown>> + Send + 'static) {
        self.answers.lock().unwrap().push_back(Box::pin(answer));
    }

    pub fn then_confirms(&self, id: &str) {
        let id = id.to_owned();
        self.then(async move { Ok(Reply::Confirmed(Some(id))) });
    }

    pub fn then_refuses(&self, code: &str) {
        self.then_refuses_with(&[(code, "Napaka")]);
    }

    pub fn then_refuses_with(&self, errors: &[(&str, &str)]) {
        let error = |(code, message): &(&str, &str)| AuthorityError {
            code: (*code).to_owned(),
            message: (*message).to_owned(),
        };
        let refused = Reply::refused(errors.iter().map(error).collect()).unwrap();
        self.then(async move { Ok(refused) });
    }

    pub fn then_is_silent(&self) {
        self.then(async { unknown("timed out") });
    }

    /// Next it never answers.
    pub fn then_hangs(&self) {
        self.then(std::future::pending());
    }

    /// Runs `work` until its next message has been sent, which is never answered, and ends it there
    /// as the death of its process would.
    pub async fn dies_sending<T>(&self, work: impl Future<Output = T>) {
        self.then_hangs();
        let sent = self.hears.notified();
        tokio::select! {
            biased;
            _ = work => panic!("it ended without an answer"),
            () = sent => {}
        }
    }

    /// Forgets what was scripted and not asked for.
    pub fn forget(&self) {
        self.answers.lock().unwrap().clear();
    }

    /// What was sent since the last call.
    pub fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }
}

#[async_trait]
impl Authorities for FakeAuthorities {
    fn open_p12(&self, _: Authority, _: &[u8], _: &str) -> Result<OpenedCertificate, P12Error> {
        Err(P12Error::NotP12)
    }

    fn signer(&self, identity: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        let key = RsaKeyPair::from_pkcs8(&identity.private_key).map_err(|_| SigningFailed)?;
        Ok(Arc::new(Rsa(key)))
    }

    fn sign_xml(
        &self,
        _: &Identity,
        _: &str,
        _: &str,
        _: OffsetDateTime,
    ) -> Result<String, SigningFailed> {
        Err(SigningFailed)
    }

    async fn send(
        &self,
        environment: Environment,
        identity: &Identity,
        header: &Header,
        message: &Message,
        patience: Patience,
    ) -> Result<Reply, Unknown> {
        assert_eq!(environment, Environment::Sandbox, "the shop is one of the sandbox");
        self.heard.lock().unwrap().push(Heard {
            certificate: identity.certificate.clone(),
            header: header.clone(),
            message: message.clone(),
            patience,
        });
        self.hears.notify_waiters();
        let answer = self.answers.lock().unwrap().pop_front();
        match answer {
            Some(answer) => answer.await,
            None => {
                let n = self.confirmed.fetch_add(1, Ordering::Relaxed);
                Ok(Reply::Confirmed(Some(format!("id-{n}"))))
            }
        }
    }
}

/// A shop that fiscalizes, with one premise P1 and one device, B1 in Slovenia and 1 in Croatia.
pub struct Fiscalizing {
    pub shop: Shop,
    pub office: Arc<FakeAuthorities>,
    pub fiscal: Fiscal,
    pub authority: Authority,
}

/// Tax number or OIB of who issues, by the entity's settings.
pub const OPERATORS: [&str; 2] = ["10039856", "69435151530"];

fn pick<T>(authority: Authority, values: [T; 2]) -> T {
    let [furs, fina] = values;
    match authority {
        Authority::Furs => furs,
        Authority::Fina => fina,
    }
}

impl Fiscalizing {
    pub async fn open(authority: Authority, store: Arc<dyn Store>, stamp: Stamp) -> Self {
        let country = pick(authority, ["Slovenija", "Hrvatska"]);
        let shop = Shop::open_in(country, store, stamp).await;
        let office = Arc::new(FakeAuthorities::default());
        let authorities: Arc<dyn Authorities> = Arc::<FakeAuthorities>::clone(&office);
        let retry = Retry::default();
        let fiscal = Fiscal { authorities, vault: Arc::new(Drawer), retry };
        let own = Self { shop, office, fiscal, authority };
        own.store_settings(&own.settings()).await;
        own.open_place("P1", pick(authority, ["B1", "1"])).await;
        own
    }

    /// Settings that are switched on, with a certificate of ten years.
    pub fn settings(&self) -> FiscalSettings {
        let now = self.shop.stamp.now();
        let own = FiscalSettings::new(self.authority, self.shop.entity.id, now);
        FiscalSettings {
            enabled: true,
            operator_number: Some(pick(self.authority, OPERATORS).to_owned()),
            operator_label: Some("Ana".to_owned()),
            certificate: Some(self.certificate("first", Duration::days(3650))),
            ..own
        }
    }

    pub fn certificate(&self, name: &str, lasts: Duration) -> Certificate {
        let now = self.shop.stamp.now();
        let owner = format!("fiscal_settings/{}/{}", self.shop.entity.id, self.authority.name());
        Certificate {
            file_id: self.shop.stamp.id(),
            sealed_key: owner,
            certificate: STANDARD.encode(name),
            chain: Vec::new(),
            tax_number: pick(self.authority, OPERATORS).to_owned(),
            common_name: name.to_owned(),
            subject: String::new(),
            issuer: String::new(),
            serial: "17".to_owned(),
            not_before: now - Duration::days(1),
            not_after: now + lasts,
            uploaded_at: now,
        }
    }

    pub async fn store_settings(&self, settings: &FiscalSettings) {
        let store = &*self.shop.store;
        let found: Option<FiscalSettings> = store
            .get(
                &racun_fiscal::FISCAL_SETTINGS,
                &self.shop.scope.tenant(),
                settings.authority.name(),
            )
            .await
            .unwrap();
        let put = match found {
            Some(before) => Put::update(&before, settings),
            None => Put::insert(settings),
        };
        store.insert(vec![put], Vec::new()).await.unwrap();
    }

    /// An open premise with an active device.
    pub async fn open_place(&self, premise: &str, device: &str) -> (BusinessPremise, Device) {
        let (stamp, now) = (&self.shop.stamp, self.shop.stamp.now());
        let entity_id = self.shop.entity.id;
        let premise = BusinessPremise {
            id: PremiseId::new(self.authority, stamp),
            entity_id,
            name: premise.to_owned(),
            kind: None,
            is_active: true,
            environment: Environment::Sandbox,
            starting_number: None,
            starting_year: None,
            registered_at: Some(now),
            closed_at: None,
            closing_since: None,
            created_at: now,
            updated_at: now,
        };
        let device = Device {
            id: DeviceId::new(self.authority, stamp),
            entity_id,
            premise_id: premise.id,
            name: device.to_owned(),
            is_active: true,
            starting_number: None,
            starting_year: None,
            created_at: now,
            updated_at: now,
        };
        let puts = vec![Put::insert(&premise), Put::insert(&device)];
        self.shop.store.insert(puts, Vec::new()).await.unwrap();
        (premise, device)
    }

    pub fn ports(&self) -> Ports<'_> {
        self.ports_at(&self.shop.stamp)
    }

    fn ports_at<'a>(&'a self, stamp: &'a Stamp) -> Ports<'a> {
        let shop = &self.shop;
        Ports::new(Context::new(&*shop.store, &shop.scope, stamp), Some(&self.fiscal))
    }

    /// The same shop at another time.
    pub fn at(&self, now: OffsetDateTime) -> Stamp {
        self.shop.stamp.at(now)
    }

    pub async fn make(
        &self,
        kind: DocumentKind,
        request: DocumentRequest,
        creation: Creation,
        stamp: &Stamp,
    ) -> Result<Document, Error> {
        let entity = &self.shop.entity;
        documents::create(self.ports_at(stamp), entity, kind, request, creation).await
    }

    /// An invoice of 100 and 22 % of tax, paid by `kinds` of payment.
    pub async fn sell(
        &self,
        kinds: &[PaymentType],
        said: FiscalRequest,
    ) -> Result<Document, Error> {
        let creation = Creation { payments: paid(kinds), fiscal: said, ..Creation::default() };
        let kind = DocumentKind::Invoice;
        self.make(kind, worth_100(), creation, &self.shop.stamp).await
    }

    pub async fn invoice(&self) -> Document {
        self.sell(&[PaymentType::Cash], FiscalRequest::default()).await.unwrap()
    }

    pub async fn finalize(&self, draft: &Document) -> Result<Document, Error> {
        self.finalize_as(draft, FiscalRequest::default()).await
    }

    pub async fn finalize_as(
        &self,
        draft: &Document,
        said: FiscalRequest,
    ) -> Result<Document, Error> {
        documents::finalize(self.ports(), &self.shop.entity, draft.id, said).await
    }

    pub async fn void(&self, document: &Document) -> Result<Document, Error> {
        let how = Voiding::default();
        documents::void(self.ports(), &self.shop.entity, document.id, how).await
    }

    pub async fn fiscalize(
        &self,
        document: &Document,
        request: FiscalizeRequest,
        stamp: &Stamp,
    ) -> Result<Document, Error> {
        let entity = &self.shop.entity;
        let ports = self.ports_at(stamp);
        Ok(racun_fiscalization::fiscalize(ports, entity, document.id, request).await?)
    }

    pub async fn work(&self, now: OffsetDateTime) -> Report {
        let stamp = self.at(now);
        let store = &*self.shop.store;
        racun_fiscalization::run_due(store, &self.fiscal, &|| stamp.clone(), LIMITS).await.unwrap()
    }

    pub async fn reread(&self, document: &Document) -> Document {
        get_document(self.shop.cx(), document.id).await.unwrap()
    }

    pub async fn exchange(&self, document: &Document) -> Option<Exchange> {
        let (store, tenant) = (&*self.shop.store, self.shop.scope.tenant());
        store.get(&EXCHANGES, &tenant, &document.id.to_string()).await.unwrap()
    }

    /// The payments on an invoice that are in no trash.
    pub async fn payments_of(&self, invoice: &Document) -> Vec<Payment> {
        let id = Operator::Equals(Value::from(invoice.id.to_string()));
        let query = ListQuery {
            clauses: vec![Clause::on(&PAYMENTS, "invoice_id", id)],
            ..ListQuery::first_page(&PAYMENTS)
        };
        self.shop.store.page(&PAYMENTS, &self.shop.scope.tenant(), &query).await.unwrap().rows
    }

    /// The last number of each fiscal sequence.
    pub async fn series(&self) -> Vec<(String, i64)> {
        let mut all = self.shop.store.series(&self.shop.scope.tenant()).await.unwrap();
        all.retain(|(key, _)| key.starts_with("fur") || key.starts_with("fin"));
        all
    }
}

pub fn worth_100() -> DocumentRequest {
    request(vec![line("Kruh", "1", "100")])
}

/// One payment of each kind: all of 10, the last of the rest.
pub fn paid(kinds: &[PaymentType]) -> Vec<NewPayment> {
    let last = kinds.len().saturating_sub(1);
    let payment = |(n, kind): (usize, &PaymentType)| NewPayment {
        amount: (n != last).then(|| crate::fixture::decimal("10")),
        ..NewPayment::new(*kind)
    };
    kinds.iter().enumerate().map(payment).collect()
}

pub fn furs(furs: FursRequest) -> FiscalRequest {
    FiscalRequest { furs, ..FiscalRequest::default() }
}

pub fn fina(fina: FinaRequest) -> FiscalRequest {
    FiscalRequest { fina, ..FiscalRequest::default() }
}

pub fn skip() -> FiscalRequest {
    furs(FursRequest { skip: Some(true), ..FursRequest::default() })
}

pub fn fiscal(document: &Document) -> &Fiscalization {
    document.fiscal.as_deref().unwrap()
}

pub fn record(document: &Document) -> &FiscalRecord {
    document.fiscal_record().unwrap()
}

/// The numbering of settings that count by device.
pub const PER_DEVICE: Numbering = Numbering::PerDevice;
