//! An entity to issue documents of.

use std::sync::Arc;

use racun_access::{Entity, EntityPatch, NewEntity, SignUp};
use racun_application::entities::{create_entity, update_entity};
use racun_billing::Catalogue;
use racun_documents::{Document, DocumentError, DocumentKind};
use racun_fiscalization::FiscalRequest;
use racun_kernel::{Decimal, Environment, Patch, Scope, Stamp};
use racun_sales::Error;
use racun_sales::documents::{self, Creation, DocumentRequest, LineRequest, LineTaxRequest};
use racun_store::{Context, Logged, Store};
use racun_store_sqlite::SqliteStore;
use serde_json::{Value as Json, json};
use time::macros::datetime;

pub const NOW: time::OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

pub struct Shop {
    pub store: Arc<dyn Store>,
    pub scope: Scope,
    pub entity: Entity,
    pub stamp: Stamp,
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

impl Shop {
    /// What use cases take.
    pub fn cx(&self) -> Context<'_> {
        Context::new(&*self.store, &self.scope, &self.stamp)
    }

    /// What happened behind `position`.
    pub async fn logged(&self, position: i64) -> Vec<Logged> {
        let entries = self.store.events_after(position, 10_000).await.unwrap();
        self.store.recall(entries).await.unwrap()
    }

    /// A Slovenian shop in the sandbox.
    pub async fn open() -> Self {
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
        Self::open_on(store, racun_store::testing::stamp(NOW)).await
    }

    pub async fn open_on(store: Arc<dyn Store>, stamp: Stamp) -> Self {
        Self::open_in("Slovenija", store, stamp).await
    }

    pub async fn open_in(country: &str, store: Arc<dyn Store>, stamp: Stamp) -> Self {
        Self::open_under(&Catalogue::default(), None, country, store, stamp).await
    }

    /// A shop whose account signed up under the white label `label` of `catalogue`.
    pub async fn open_under(
        catalogue: &Catalogue,
        label: Option<&str>,
        country: &str,
        store: Arc<dyn Store>,
        stamp: Stamp,
    ) -> Self {
        let sign_up = SignUp {
            email: format!("ana{}@klas.example", stamp.ulid()),
            password: racun_access::hash_password("vrtnica9", &[], &stamp).unwrap(),
            name: Some("Ana".to_owned()),
            company_name: Some("Pekarna Klas".to_owned()),
            locale: None,
            white_label: label.map(str::to_owned),
            settings: None,
            metadata: None,
        };
        let user = racun_access::sign_up(&*store, sign_up, &stamp).await.unwrap();
        let session = racun_access::open_session(&*store, &user, &stamp).await.unwrap();
        let caller = racun_access::authenticate(&*store, &session.secret, &stamp).await.unwrap();
        let account = racun_access::enter_account(&*store, &caller, None).await.unwrap();
        let entity = NewEntity {
            name: "Pekarna Klas d.o.o.".to_owned(),
            country: country.to_owned(),
            environment: Some(Environment::Sandbox),
            ..NewEntity::default()
        };
        let entity =
            create_entity(&*store, catalogue, &caller, &account, entity, &stamp).await.unwrap();
        let id = entity.id.to_string();
        let (scope, entity) = racun_access::enter(&*store, &caller, Some(&id)).await.unwrap();
        Self { store, scope, entity, stamp }
    }

    /// The same shop with `settings` merged into its own.
    pub async fn with_settings(mut self, settings: Json) -> Self {
        self.entity = self.set(settings).await.unwrap();
        self
    }

    pub async fn set(&self, settings: Json) -> Result<Entity, racun_access::AccessError> {
        let Json::Object(settings) = settings else { panic!("settings are an object") };
        let patch = EntityPatch { settings: Patch::Value(settings), ..EntityPatch::default() };
        update_entity(self.cx(), patch).await
    }

    pub async fn create(&self, request: DocumentRequest) -> Result<Document, Error> {
        self.make(request, Creation::default()).await
    }

    pub async fn draft(&self, request: DocumentRequest) -> Result<Document, Error> {
        self.make(request, Creation { is_draft: true, ..Creation::default() }).await
    }

    pub async fn make(
        &self,
        request: DocumentRequest,
        creation: Creation,
    ) -> Result<Document, Error> {
        self.make_of(DocumentKind::Invoice, request, creation).await
    }

    pub async fn make_of(
        &self,
        kind: DocumentKind,
        request: DocumentRequest,
        creation: Creation,
    ) -> Result<Document, Error> {
        documents::create(self.cx(), &self.entity, kind, request, creation).await
    }

    /// How many customers, items and invoices there are.
    pub async fn counts(&self) -> [i64; 3] {
        let tables = [
            &racun_catalog::CUSTOMERS,
            &racun_catalog::ITEMS,
            racun_documents::table_of(DocumentKind::Invoice),
        ];
        let mut counts = [0; 3];
        for (count, table) in counts.iter_mut().zip(tables) {
            let query = racun_store::ListQuery::first_page(table);
            *count = self.store.list(table, &self.scope.tenant(), &query).await.unwrap().1;
        }
        counts
    }
}

pub fn line(name: &str, quantity: &str, price: &str) -> LineRequest {
    LineRequest {
        name: Some(name.to_owned()),
        quantity: Some(decimal(quantity)),
        price: Some(decimal(price)),
        taxes: Some(vec![LineTaxRequest { rate: Some(decimal("22")), ..Default::default() }]),
        ..LineRequest::default()
    }
}

pub fn request(lines: Vec<LineRequest>) -> DocumentRequest {
    DocumentRequest { items: Some(lines), ..DocumentRequest::default() }
}

pub fn issues(error: Error) -> Vec<String> {
    match error {
        Error::Document(DocumentError::Invalid(issues)) => {
            issues.iter().map(ToString::to_string).collect()
        }
        other => panic!("expected issues, got {other:?}"),
    }
}

pub fn number_settings() -> Json {
    json!({ "number_formats": { "invoice": "R-{yy}-{nnn}" } })
}

/// Nothing said of fiscalization.
pub fn said() -> FiscalRequest {
    FiscalRequest::default()
}
