//! The operator's invoice of a bill that was collected: the white label names the entity that
//! issues it.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{Entity, enter_as_recipient};
use racun_background::clock::Clock;
use racun_background::jobs::{Ending, Handler, Job, JobKind, NewJob, Outcome};
use racun_billing::{
    Charge, ChargeKind, CollectionState, SUBSCRIPTIONS, Subscription, USAGE_MONTHS, UsageMonth,
    subscription_id,
};
use racun_catalog::VatRegistry;
use racun_documents::{Document, DocumentError, DocumentKind, PartyPatch};
use racun_fiscalization::{Fiscal, OutsideServices, Ports};
use racun_kernel::id::{EntityId, UsageMonthId};
use racun_kernel::{Decimal, Metadata, Patch, PaymentType, Stamp};
use racun_portugal::Portugal;
use racun_settlement::NewPayment;
use racun_store::{Context, Held, One, Store, StoreError, Writes};

use crate::billing::LabelSource;
use crate::documents::{
    self, Beside, Creation, CustomerRequest, DocumentRequest, LineRequest, LineTaxRequest,
};
use crate::error::Error;

/// Issues invoices of bills that were collected.
pub struct InvoiceHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Where the white labels come from.
    pub labels: LabelSource,
    /// What fiscalizing takes.
    pub fiscal: Option<Fiscal>,
    /// The register of VAT numbers.
    pub vat: Arc<dyn VatRegistry>,
    /// Who certifies documents in Portugal; `None` where they cannot be.
    pub portugal: Option<Arc<dyn Portugal>>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for InvoiceHandler {
    fn kind(&self) -> JobKind {
        JobKind::SubscriptionInvoice
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.attempt(job).await {
            Ok(()) => Outcome::Ends(Ending::Done),
            Err(error) => Outcome::Ends(Ending::Failed { error, wait: None }),
        }
    }
}

impl InvoiceHandler {
    async fn attempt(&self, job: &Job) -> Result<(), String> {
        let ids = (job.payload.parse::<EntityId>(), job.subject.parse::<UsageMonthId>());
        let (Ok(buyer), Ok(bill), Some(issuer)) = (ids.0, ids.1, job.entity_id) else {
            return Err("a job names no bill".to_owned());
        };
        let (store, stamp) = (&*self.store, (self.stamp)());
        let told = |error: StoreError| error.to_string();
        let gone = |id: EntityId| format!("the entity {id} is disabled, or not there");
        let place = enter_as_recipient(store, issuer).await.map_err(told)?;
        let (scope, issuer) = place.ok_or_else(|| gone(issuer))?;
        let place = enter_as_recipient(store, buyer).await.map_err(told)?;
        let (of, buyer) = place.ok_or_else(|| gone(buyer))?;
        // Money of the sandbox is none, and a live entity issues no invoice of it.
        if issuer.environment != buyer.environment {
            return Ok(());
        }
        let cx = Context::new(store, &of, &stamp);
        let found = cx.get::<UsageMonth>(&USAGE_MONTHS, bill).await.map_err(told)?;
        let is_open =
            |bill: &UsageMonth| bill.invoice_id.is_none() && bill.state() == CollectionState::Paid;
        let Some(bill) = found.filter(is_open) else { return Ok(()) };
        let own: Option<Subscription> =
            cx.get(&SUBSCRIPTIONS, subscription_id(buyer.id)).await.map_err(told)?;
        let own = own.ok_or_else(|| "the subscription is gone".to_owned())?;
        let labels = self.labels.read(store).await.map_err(told)?;
        let rate =
            labels.by_slug(&own.white_label).and_then(|label| label.billing_tax_rate.clone());
        let services = OutsideServices {
            fiscal: self.fiscal.as_ref(),
            vat: Some(&*self.vat),
            portugal: self.portugal.as_deref(),
        };
        let ports = Ports::with_services(Context::new(store, &scope, &stamp), services);
        let request = request(&bill, &own, &buyer, rate.as_ref());
        match issue(ports, &issuer, bill, request).await {
            // Another worker issued it.
            Err(Error::Document(DocumentError::ChangedMeanwhile)) | Ok(()) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Issues the invoice, notes it on the bill and leaves the job that mails it, in the same commit:
/// once, however often it is repeated.
async fn issue(
    ports: Ports<'_>,
    issuer: &Entity,
    bill: UsageMonth,
    request: DocumentRequest,
) -> Result<(), Error> {
    let collection = bill.collection.as_ref();
    // Who was never charged paid by bank.
    let is_by_card = collection.is_some_and(|one| one.attempts > 0);
    let kind = if is_by_card { PaymentType::Card } else { PaymentType::BankTransfer };
    let payment = NewPayment {
        date: collection.and_then(|one| one.paid_at).map(|at| at.date()),
        reference: collection.and_then(|one| one.payment.clone()),
        ..NewPayment::new(kind)
    };
    let creation = Creation { payments: vec![payment], ..Creation::default() };
    let issued_by = issuer.id;
    let beside = Beside::new(move |unit| {
        let tenant = racun_kernel::Tenant::entity(bill.entity_id);
        let row: One<UsageMonth> = unit.hold_of(tenant, &USAGE_MONTHS, bill.id);
        move |document: &Document, held: &Held| {
            let before: UsageMonth = held.one(row)?;
            if before.invoice_id.is_some() {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            let after = UsageMonth { invoice_id: Some(document.id), ..before.clone() };
            let mail = mail_job(document, issued_by, &after, held.actor().stamp());
            Ok(Writes::default().update(&before, &after).put(mail.put()))
        }
    });
    let kind = DocumentKind::Invoice;
    documents::create_beside(ports, issuer, kind, request, creation, beside).await?;
    Ok(())
}

/// The job that mails the invoice of `bill` to who subscribes.
fn mail_job(document: &Document, issuer: EntityId, bill: &UsageMonth, stamp: &Stamp) -> Job {
    let new = NewJob {
        kind: JobKind::SubscriptionMail,
        entity_id: Some(issuer),
        subject: document.id.to_string(),
        payload: bill.entity_id.to_string(),
    };
    Job::new(new, stamp)
}

/// The invoice of `bill`: its lines, for the entity that subscribes. Its total has to be what was
/// collected.
fn request(
    bill: &UsageMonth,
    own: &Subscription,
    buyer: &Entity,
    rate: Option<&Decimal>,
) -> DocumentRequest {
    let month = bill.usage.month;
    let named = [("subscription_id", own.id.to_string()), ("bill_id", bill.id.to_string())];
    let named = named.map(|(name, value)| (name.to_owned(), value));
    let credit = Some(bill.credit_used_cents).filter(|cents| *cents > 0);
    let credit = credit.map(|cents| ("Credit of earlier months".to_owned(), 1, -cents));
    let lines = bill.charges.iter().map(priced).chain(credit);
    DocumentRequest {
        customer: Patch::Value(customer(own, buyer)),
        currency_code: Some(own.currency.clone()),
        date_service: Patch::Value(month.start.date()),
        date_service_to: Patch::Value(month.end.date()),
        metadata: Patch::Value(Metadata::new(named.into()).unwrap_or_default()),
        items: Some(lines.map(|line| item(line, rate)).collect()),
        expected_total_with_tax: Some(cents(bill.due_cents())),
        ..DocumentRequest::default()
    }
}

fn cents(cents: i64) -> Decimal {
    Decimal::new(cents, 2)
}

/// What a line is called, with how many and the price of each.
fn priced(charge: &Charge) -> (String, i64, i64) {
    let name = &charge.name;
    let name = match charge.kind {
        ChargeKind::Plan | ChargeKind::AddOn => name.clone(),
        ChargeKind::CutShort => format!("{name}: what was left of the period before"),
        ChargeKind::Coupon => format!("Coupon {name}"),
        ChargeKind::Stores => format!("{name}: stores beyond those included"),
        ChargeKind::Documents => format!("{name}: documents beyond the limit"),
        ChargeKind::EInvoicingSends => format!("{name}: electronic invoices beyond the limit"),
        ChargeKind::Carried => "Carried over from earlier bills".to_owned(),
    };
    (name, charge.quantity, charge.unit_cents)
}

fn item((name, quantity, unit_cents): (String, i64, i64), rate: Option<&Decimal>) -> LineRequest {
    let tax =
        |rate: &Decimal| LineTaxRequest { rate: Some(rate.clone()), ..LineTaxRequest::default() };
    LineRequest {
        name: Some(name),
        quantity: Some(Decimal::from(quantity)),
        gross_price: Some(cents(unit_cents)),
        taxes: Some(rate.map(tax).into_iter().collect()),
        ..LineRequest::default()
    }
}

fn customer(own: &Subscription, buyer: &Entity) -> CustomerRequest {
    let text = |text: &Option<String>| text.clone().map_or(Patch::Absent, Patch::Value);
    let email = own.billing_email.clone().or_else(|| buyer.email.clone());
    CustomerRequest {
        party: PartyPatch {
            name: Patch::Value(buyer.name.clone()),
            email: text(&email),
            phone: text(&buyer.phone),
            tax_number: text(&buyer.tax_number),
            company_number: text(&buyer.company_number),
            is_end_consumer: Patch::Value(false),
            address: text(&buyer.address),
            address_2: text(&buyer.address_2),
            post_code: text(&buyer.post_code),
            city: text(&buyer.city),
            state: text(&buyer.state),
            country: Patch::Value(buyer.country.clone()),
            country_code: text(&buyer.country_code),
            ..PartyPatch::default()
        },
        save_customer: Some(false),
    }
}
