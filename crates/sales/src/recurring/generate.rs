//! One invoice for one period of a recurring invoice, in one unit; and what a failure leaves.

use racun_access::Entity;
use racun_billing::{BillingError, Feature};
use racun_documents::recurrence::{
    DUE_SCHEDULES, DueSchedule, Happening, InvoiceDates, Period, RECURRING_INVOICES,
    RecurrenceError, RecurringInvoice, TemplateDates,
};
use racun_documents::{Document, DocumentError, DocumentKind};
use racun_fiscalization::{OutsideServices, Ports};
use racun_kernel::{Scope, Stamp, Tenant};
use racun_store::{Actor, Context, Decision, Held, One, Store, StoreError, Writes};
use time::Date;

use super::commands::{changed, no_template, usable};
use crate::billing;
use crate::documents::{Beside, InvoiceCopy};
use crate::error::Error;

/// Where invoices of an entity are made, and when.
pub(super) struct GenerationContext<'a> {
    /// The store.
    pub store: &'a dyn Store,
    /// The services outside that making a document may call.
    pub services: OutsideServices<'a>,
    /// The job's right to act there.
    pub scope: Scope,
    /// The entity.
    pub entity: Entity,
    /// When the job acts.
    pub stamp: Stamp,
    /// Its day, in the entity's zone.
    pub today: Date,
}

/// Why no invoice was made.
pub(super) enum Failure {
    /// The recurring invoice changed, or another worker made the period: read it again.
    Changed,
    /// The store cannot answer now. Whether it wrote the invoice is unknown.
    Unavailable(StoreError),
    /// It cannot be made; the text says why.
    Cause(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Document(DocumentError::ChangedMeanwhile) => Self::Changed,
            Error::Document(DocumentError::Store(error)) => error.into(),
            other => Self::Cause(other.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error),
            other => Self::Cause(other.to_string()),
        }
    }
}

impl From<BillingError> for Failure {
    fn from(error: BillingError) -> Self {
        match error {
            BillingError::Store(error) => error.into(),
            other => Self::Cause(other.to_string()),
        }
    }
}

impl From<RecurrenceError> for Failure {
    fn from(error: RecurrenceError) -> Self {
        match error {
            RecurrenceError::Store(error) => error.into(),
            other => Self::Cause(other.to_string()),
        }
    }
}

impl GenerationContext<'_> {
    fn cx(&self) -> Context<'_> {
        Context::new(self.store, &self.scope, &self.stamp)
    }

    /// The recurring invoice of this id as it is now.
    pub async fn read(&self, id: &str) -> Result<Option<RecurringInvoice>, StoreError> {
        self.cx().get(&RECURRING_INVOICES, id).await
    }

    /// Makes the invoice of `period`; answers the recurring invoice as it is then.
    ///
    /// Invoice, number, the record of the run, the recurring invoice's advance and the row by which
    /// it is found are one unit, which holds the recurring invoice: two workers make one invoice.
    pub async fn generate(
        &self,
        seen: &RecurringInvoice,
        period: Period,
    ) -> Result<RecurringInvoice, Failure> {
        billing::require(self.cx(), &self.entity, &[Feature::Recurring]).await?;
        let template = self.template(seen).await?;
        let (template, dates) = self.dated(seen, period, template);
        let is_draft = seen.terms.create_as_draft;
        let copy = InvoiceCopy { template: &template, dates, is_draft };
        let beside = Self::advance(seen.clone(), period);
        let made =
            copy.make(Ports::with_services(self.cx(), self.services), &self.entity, beside).await?;
        Ok(seen.clone().generated(period, made.id, self.stamp.now())?)
    }

    async fn template(&self, seen: &RecurringInvoice) -> Result<Document, Failure> {
        let (table, id) =
            (racun_documents::table_of(DocumentKind::Invoice), seen.document_id.to_string());
        let found: Option<Document> = self.cx().get(table, &id).await?;
        let template = found.ok_or_else(no_template)?;
        usable(&template)?;
        Ok(template)
    }

    /// The new invoice's dates, and the template with the days on which its lines earn their
    /// revenue moved like those of its service.
    fn dated(
        &self,
        seen: &RecurringInvoice,
        period: Period,
        mut template: Document,
    ) -> (Document, InvoiceDates) {
        let due_days = i64::from(self.entity.settings.default_invoice_due_days());
        let content = &mut template.content;
        let (date, service) = (content.date, content.date_service);
        let of_document =
            TemplateDates { date, date_service: service, date_service_to: content.date_service_to };
        for recognition in
            content.lines.iter_mut().filter_map(|line| line.revenue_recognition.as_mut())
        {
            let of_line = TemplateDates {
                date,
                date_service: recognition.date_from,
                date_service_to: recognition.date_to,
            };
            let moved = seen.plan_invoice(period, of_line, due_days);
            recognition.date_from = moved.date_service;
            recognition.date_to = moved.date_service_to;
        }
        let dates = seen.plan_invoice(period, of_document, due_days);
        (template, dates)
    }

    /// What the invoice's unit writes besides it, as long as the recurring invoice is as `seen`.
    fn advance(seen: RecurringInvoice, period: Period) -> Beside {
        Beside::new(move |unit| {
            let recurring = unit.hold(&RECURRING_INVOICES, seen.id);
            let _due: One<DueSchedule> = unit.hold_of(Tenant::directory(), &DUE_SCHEDULES, seen.id);
            move |invoice: &Document, held: &Held| {
                let actor = held.actor();
                let changed_meanwhile = || Error::from(DocumentError::ChangedMeanwhile);
                let found: Option<RecurringInvoice> = held.find(recurring)?;
                let before = found.filter(|held| *held == seen).ok_or_else(changed_meanwhile)?;
                let run = before.run(period, invoice.id, actor.stamp());
                let after = before.clone().generated(period, invoice.id, actor.now());
                let after = after.map_err(|_| changed_meanwhile())?;
                let mut writes = Writes::default();
                let happening = Happening::InvoiceGenerated;
                if let Decision::Changed { record, beside, events } =
                    changed(&before, after, happening, actor)
                {
                    writes = writes.update(&before, &record).insert(&run);
                    writes = writes.puts(beside).events(events);
                }
                Ok(writes)
            }
        })
    }

    /// Notes that the invoice of `period` cannot be made, and why; it is tried again the next day.
    /// Notes nothing when another worker has made the invoice or noted the failure.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn note_failure(
        &self,
        seen: &RecurringInvoice,
        period: Period,
        cause: String,
    ) -> Result<RecurringInvoice, RecurrenceError> {
        let today = self.today;
        let note = move |before: RecurringInvoice, actor: &Actor| {
            if before.due(today) != Some(period) {
                return Ok(Decision::Unchanged(before));
            }
            let after = before.clone().failed(period, &cause, today, actor.now())?;
            let failed = Happening::GenerationFailed;
            Ok(changed(&before, after, failed, actor))
        };
        self.cx().amend(&RECURRING_INVOICES, seen.id, note).await
    }
}
