//! Money that an account took beside pages of documents becomes an invoice, once.

use racun_access::Entity;
use racun_card_payments::{
    CARD_CHARGES, CardRefusal, Charge, ChargeState, NewCharge, PAYMENT_APPS, PaymentApp,
    ProcessorObject, amount_of, check_object_id,
};
use racun_documents::calculation::CalculationMode;
use racun_documents::{
    CreationSource, Document, DocumentError, DocumentKind, PartyPatch, TextDefaults,
};
use racun_kernel::{Issues, Metadata, Patch, text};
use racun_records::get_document;
use racun_settlement::NewPayment;
use racun_store::{Context, Held, Many, Put, StoreError, UnitBuilder, Writes};

use super::CardServices;
use super::error::CardError;
use super::paying::{PAID_BY, SESSION};
use super::recording::{Taken, failed, page_of, paid, record};
use crate::documents::{
    Beside, Creation, CustomerRequest, DocumentRequest, LineRequest, LineTaxRequest, create_beside,
};
use crate::error::Error;

/// Characters that the note of an invoice may hold.
const MAX_NOTE_CHARS: usize = 2_000;
/// Characters of a description that become the name of a line.
const MAX_NAME_CHARS: usize = 250;
/// The property of an invoice that names what it was made of.
const OBJECT: &str = "card_payment";

/// Makes an issued and paid invoice of the payment or invoice `id` of the entity's account, with
/// `note` in the place of the one of the settings. What has an invoice already answers that one.
///
/// # Errors
/// What is wrong with the input, by path; [`CardRefusal::NoAccount`], [`CardRefusal::NotPaid`],
/// [`CardRefusal::NotRecorded`]; what the processor says; what refuses the invoice.
pub async fn invoice(
    cx: Context<'_>,
    services: CardServices<'_>,
    entity: &Entity,
    id: &str,
    note: Option<String>,
) -> Result<Document, CardError> {
    let mut issues = Issues::default();
    if let Err(issue) = check_object_id(id) {
        issues.push(issue.at("object_id"));
    }
    text::check_field(&mut issues, "note", note.as_deref(), MAX_NOTE_CHARS);
    issues.into_result(())?;
    let run = Run { cx, services, entity, note };
    match run.attempt(id).await? {
        Attempt::Made(document) => Ok(*document),
        Attempt::Refused(_, error) => Err(error),
    }
}

/// Makes the invoice of what the account took by itself; what refuses it is kept with its reason.
///
/// # Errors
/// What says nothing of the money: it is to be told again.
pub(super) async fn invoice_by_itself(
    cx: Context<'_>,
    services: CardServices<'_>,
    entity: &Entity,
    id: &str,
) -> Result<(), CardError> {
    let run = Run { cx, services, entity, note: None };
    match run.attempt(id).await? {
        Attempt::Made(_) => Ok(()),
        Attempt::Refused(_, error) if error.is_of_the_moment() => Err(error),
        Attempt::Refused(Some(charge), refused) => {
            failed(cx, *charge, &refused.to_string()).await?;
            Ok(())
        }
        Attempt::Refused(None, _) => Ok(()),
    }
}

/// What came of one look at an object.
enum Attempt {
    /// Its document, made now or before.
    Made(Box<Document>),
    /// Why there is none, and the money, where some was taken.
    Refused(Option<Box<Charge>>, CardError),
}

struct Run<'a> {
    cx: Context<'a>,
    services: CardServices<'a>,
    entity: &'a Entity,
    note: Option<String>,
}

impl Run<'_> {
    async fn attempt(&self, id: &str) -> Result<Attempt, CardError> {
        if let Some(document) = self.recorded(id).await? {
            return Ok(Attempt::Made(Box::new(document)));
        }
        let app: Option<PaymentApp> = self.cx.get(&PAYMENT_APPS, self.entity.id).await?;
        let app = app.ok_or(CardRefusal::NoAccount)?;
        let account = app.account.clone().ok_or(CardRefusal::NoAccount)?.id;
        let environment = self.entity.environment;
        let object = self.services.cards.object(environment, &account, id).await?;
        if !object.is_paid || object.amount <= 0 {
            return Ok(Attempt::Refused(None, CardRefusal::NotPaid { id: id.to_owned() }.into()));
        }
        if let Some(document) = self.on_page(&object, &account).await? {
            return Ok(Attempt::Made(Box::new(document)));
        }
        if let Some(other) = &object.counterpart
            && let Some(document) = self.recorded(other).await?
        {
            return Ok(Attempt::Made(Box::new(document)));
        }
        let new = NewCharge {
            id: id.to_owned(),
            entity_id: self.entity.id,
            account,
            paid: None,
            amount: object.amount,
            currency: object.currency,
        };
        let charge = Charge::new(new, self.cx.now());
        match self.make(&app, &object, charge.clone()).await {
            Ok(document) => Ok(Attempt::Made(Box::new(document))),
            // Another one was faster.
            Err(Error::Card(CardRefusal::Recorded)) => self.found(&object).await,
            Err(error) => Ok(Attempt::Refused(Some(Box::new(charge)), error.into())),
        }
    }

    /// What another run recorded of `object` before this one.
    async fn found(&self, object: &ProcessorObject) -> Result<Attempt, CardError> {
        for id in [Some(&object.id), object.counterpart.as_ref()].into_iter().flatten() {
            if let Some(document) = self.recorded(id).await? {
                return Ok(Attempt::Made(Box::new(document)));
            }
        }
        Err(DocumentError::ChangedMeanwhile.into())
    }

    /// The document that says the money `id`, when there is one. What was paid on a page and could
    /// not be recorded is tried again.
    async fn recorded(&self, id: &str) -> Result<Option<Document>, CardError> {
        let Some(charge) = self.cx.get::<Charge>(&CARD_CHARGES, id).await? else {
            return Ok(None);
        };
        let charge = match (charge.state, charge.session_id) {
            (ChargeState::Recorded, _) => charge,
            // No event told yet that another card paid.
            (ChargeState::Declined, _) => return Ok(None),
            (_, Some(_)) => record(self.cx, self.services, self.entity, charge).await?,
            (_, None) => return Ok(None),
        };
        match (charge.state, charge.document_id) {
            (ChargeState::Recorded, Some(document)) => {
                Ok(Some(get_document(self.cx, document).await?))
            }
            _ => Err(CardRefusal::NotRecorded(charge.error.unwrap_or_default()).into()),
        }
    }

    /// The document that `object` paid on its page, which no event told of yet.
    async fn on_page(
        &self,
        object: &ProcessorObject,
        account: &str,
    ) -> Result<Option<Document>, CardError> {
        let (store, named) = (self.cx.store, object.metadata.get(SESSION));
        let page = page_of(store, named, account).await?;
        let Some(page) = page.filter(|page| page.entity_id == self.entity.id) else {
            return Ok(None);
        };
        let (amount, currency) = (object.amount, object.currency);
        let taken = Taken { account, payment: &object.id, amount, currency };
        let (environment, stamp) = (self.entity.environment, self.cx.stamp);
        paid(store, self.services, environment, &page, &taken, stamp).await?;
        self.recorded(&object.id).await
    }

    /// Makes the invoice, in the commit that notes it on its money.
    async fn make(
        &self,
        app: &PaymentApp,
        object: &ProcessorObject,
        charge: Charge,
    ) -> Result<Document, Error> {
        let note = self.note.clone().or_else(|| app.settings.default_note.clone());
        let request = request(app, object, note)?;
        let payment = NewPayment { reference: Some(object.id.clone()), ..NewPayment::new(PAID_BY) };
        let source = Some(CreationSource::PaymentApp);
        let creation = Creation { payments: vec![payment], source, ..Creation::default() };
        let (entity, counterpart) = (self.entity.id, object.counterpart.clone());
        let beside = Beside::new(move |unit| {
            let noting = Noting::hold(unit, charge, counterpart, entity);
            move |document: &Document, held: &Held| noting.decide(document, held)
        });
        let ports = self.services.documents(self.cx);
        create_beside(ports, self.entity, DocumentKind::Invoice, request, creation, beside).await
    }
}

/// Notes an invoice on the money that it was made of. The app is held, so that two runs on an
/// invoice of the processor and on its payment do not both make one.
struct Noting {
    app: racun_store::One<PaymentApp>,
    known: Many<Charge>,
    charge: Charge,
}

impl Noting {
    fn hold(
        unit: &mut UnitBuilder<'_>,
        charge: Charge,
        counterpart: Option<String>,
        entity: racun_kernel::id::EntityId,
    ) -> Self {
        let app = unit.hold(&PAYMENT_APPS, entity);
        let ids = [Some(charge.id.clone()), counterpart].into_iter().flatten();
        let known = unit.hold_each(ids.map(|id| (&CARD_CHARGES, id)));
        Self { app, known, charge }
    }

    fn decide(self, document: &Document, held: &Held) -> Result<Writes, Error> {
        let Self { app, known, charge } = self;
        let app: PaymentApp = held.one(app)?;
        if app.account.as_ref().is_none_or(|own| own.id != charge.account) {
            return Err(CardRefusal::NoAccount.into());
        }
        let known: Vec<Charge> = held.all(known)?;
        if known.iter().any(|known| known.state == ChargeState::Recorded) {
            return Err(CardRefusal::Recorded.into());
        }
        let taken = amount_of(charge.amount, charge.currency);
        if document.amounts.total_with_tax != taken {
            let total = &document.amounts.total_with_tax;
            let why = format!("the invoice would come to {total}, and {taken} was taken");
            return Err(CardRefusal::NotRecorded(why).into());
        }
        let before = known.into_iter().find(|known| known.id == charge.id);
        let after = before.clone().unwrap_or(charge).invoiced(document.id, held.actor().now());
        Ok(Writes::default().put(Put::write(before.as_ref(), &after)))
    }
}

/// The invoice of `object`: one line that comes to what was taken, tax included.
fn request(
    app: &PaymentApp,
    object: &ProcessorObject,
    note: Option<String>,
) -> Result<DocumentRequest, StoreError> {
    let amount = amount_of(object.amount, object.currency);
    let rate = app.settings.default_tax_rate.clone();
    let of_rate = |rate| vec![LineTaxRequest { rate: Some(rate), ..LineTaxRequest::default() }];
    let line = LineRequest {
        name: Some(name(object)),
        gross_price: Some(amount.clone()),
        taxes: rate.map(of_rate),
        ..LineRequest::default()
    };
    let entry = [(OBJECT.to_owned(), object.id.clone())];
    let metadata = Metadata::new(entry.into())
        .map_err(|_| StoreError::Unavailable("a processor's id is no property".to_owned()))?;
    Ok(DocumentRequest {
        customer: Patch::from(customer(object)),
        currency_code: Some(object.currency.code().to_owned()),
        calculation_mode: Some(CalculationMode::B2cGrossDiscount),
        texts: TextDefaults {
            note: note.map_or(Patch::Absent, Patch::Value),
            ..TextDefaults::default()
        },
        metadata: Patch::Value(metadata),
        items: Some(vec![line]),
        expected_total_with_tax: Some(amount),
        ..DocumentRequest::default()
    })
}

/// What the line is called: as the processor has it, else by the payment's id.
fn name(object: &ProcessorObject) -> String {
    let said = object.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    said.unwrap_or(&object.id)
        .chars()
        .filter(|sign| !sign.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}

/// Who paid; `None` where nothing is known of them.
fn customer(object: &ProcessorObject) -> Option<CustomerRequest> {
    let name = object.name.clone().or_else(|| object.email.clone())?;
    let text = |text: &Option<String>| text.clone().map_or(Patch::Absent, Patch::Value);
    Some(CustomerRequest {
        party: PartyPatch {
            name: Patch::Value(name),
            email: text(&object.email),
            country_code: text(&object.country),
            ..PartyPatch::default()
        },
        save_customer: Some(true),
    })
}
