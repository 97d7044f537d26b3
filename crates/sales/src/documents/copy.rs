//! An invoice made after another one: what of it is copied, and what is as of the new day.

use racun_access::Entity;
use racun_catalog::Tax;
use racun_documents::recurrence::InvoiceDates;
use racun_documents::{
    CreationSource, Document, DocumentKind, GivenTotals, Line, NewLine, Party, PartyPatch,
    TextDefaults,
};
use racun_fiscalization::certified;
use racun_fiscalization::{FiscalRequest, IssueContext, Ports, Prepared, prepare};
use racun_kernel::{Issue, Issues, Patch};

use super::buyer::{buyer, find_out};
use super::create::{Beside, New, Origin, draft};
use super::gather::gather;
use super::line_records::taxes;
use super::request::{CustomerRequest, DocumentRequest};
use crate::error::Error;

/// An invoice to make after a template.
///
/// Copied: lines, texts, translations, currency, calculation mode, metadata; a custom document's
/// totals. As of now: the issuer, the customer and the business unit by their records, and the
/// rates of taxes that have a record. Not copied: number, payments, links, reference and exchange
/// rate.
pub(crate) struct InvoiceCopy<'a> {
    /// What is copied.
    pub template: &'a Document,
    /// The dates of the new invoice.
    pub dates: InvoiceDates,
    /// Whether it stays a draft.
    pub is_draft: bool,
}

impl InvoiceCopy<'_> {
    /// Makes the invoice, and writes what is decided beside it in the same unit.
    ///
    /// # Errors
    /// What the template names and is gone: a business unit, a tax or its rate of the day; what
    /// numbering refuses; what `beside` refuses; or the store's failure. Nothing is then written.
    pub async fn make(
        &self,
        ports: Ports<'_>,
        entity: &Entity,
        beside: Beside,
    ) -> Result<Document, Error> {
        let cx = ports.cx;
        certified::check_draft(ports, entity, self.is_draft).map_err(Issues::from)?;
        let content = &self.template.content;
        let mut request = self.request();
        let mut gathered = gather(cx.store, entity, &request, None, cx.stamp).await?;
        if gathered.customer.is_none()
            && let Some(party) = &content.customer
        {
            request.customer_id = Patch::Absent;
            request.customer = written(party.clone().into());
        }
        let named =
            content.lines.iter().flat_map(|line| &line.taxes).any(|tax| tax.tax_id.is_some());
        let taxes = if named { taxes(cx.store, &cx.tenant()).await? } else { Vec::new() };
        let origin = self.origin(&taxes)?;
        let kind = DocumentKind::Invoice;
        let fiscal = if self.is_draft {
            Prepared::Plain
        } else {
            let said = FiscalRequest::default();
            let context = IssueContext::issue(kind, Vec::new(), Vec::new(), said);
            prepare(ports, entity, context).await?
        };
        // A late run is dated as the law lets it be, and is due no earlier.
        let date = fiscal.date_for(self.dates.date);
        let today = fiscal.day().unwrap_or(gathered.today);
        gathered.redate(cx.store, &mut request, date, today).await?;
        request.date_due = Patch::Value(self.dates.date_due.max(date));
        let customer = buyer(&request, &gathered, None);
        gathered.finding = find_out(ports, entity, customer.as_ref(), || Ok(())).await?;
        let (draft, catalogue) = draft(&cx.actor(), kind, &request, &gathered, origin)?;
        let (links, payments) = (Vec::new(), Vec::new());
        let is_draft = self.is_draft;
        let new = New { draft, catalogue, is_draft, links, forced: false, payments, fiscal };
        new.commit(ports, &gathered, beside).await
    }

    fn request(&self) -> DocumentRequest {
        let content = &self.template.content;
        let texts = &content.texts;
        // An empty text means none; an absent one would mean the default.
        let text = |text: &Option<String>| Patch::Value(text.clone().unwrap_or_default());
        DocumentRequest {
            date: Some(self.dates.date),
            date_due: Patch::Value(self.dates.date_due),
            date_service: self.dates.date_service.into(),
            date_service_to: self.dates.date_service_to.into(),
            customer_id: content.customer_id.map(|id| id.to_string()).into(),
            customer: match &content.customer {
                Some(party) => written(beyond_record(party)),
                None => Patch::Null,
            },
            business_unit_id: content.business_unit_id.map(|id| id.to_string()).into(),
            texts: TextDefaults {
                note: text(&texts.note),
                payment_terms: text(&texts.payment_terms),
                tax_clause: text(&texts.tax_clause),
                footer: text(&texts.footer),
                signature: text(&texts.signature),
            },
            translations: Some(content.translations.clone()),
            calculation_mode: Some(self.template.mode),
            currency_code: Some(content.currency.code().to_owned()),
            metadata: Patch::Value(content.metadata.clone()),
            e_invoices: content.e_invoices.clone(),
            ..DocumentRequest::default()
        }
    }

    fn origin(&self, taxes: &[Tax]) -> Result<Origin, Issues> {
        let lines = &self.template.content.lines;
        if self.template.source == CreationSource::Custom {
            let amounts = &self.template.amounts;
            let totals = GivenTotals {
                total: amounts.total.clone(),
                total_with_tax: amounts.total_with_tax.clone(),
                total_discount: amounts.total_discount.clone(),
                taxes: amounts.taxes.iter().map(|amounts| amounts.tax.clone()).collect(),
            };
            let given = |line: &Line| Some((line.total.clone(), line.total_with_tax.clone()));
            let lines =
                lines.iter().map(|line| NewLine { given: given(line), ..unsaved_copy(line) });
            return Ok(Origin::Template(lines.collect(), Some(totals)));
        }
        let mut issues = Issues::default();
        let mut copied = Vec::with_capacity(lines.len());
        for (n, line) in lines.iter().enumerate() {
            copied.extend(issues.collect(n, self.retaxed(unsaved_copy(line), taxes)));
        }
        let mut outer = Issues::default();
        outer.extend_at("items", issues);
        outer.into_result(Origin::Template(copied, None))
    }

    /// The line with the rates of the new invoice's day.
    fn retaxed(&self, mut line: NewLine, taxes: &[Tax]) -> Result<NewLine, Issues> {
        let mut issues = Issues::default();
        for (n, tax) in line.taxes.iter_mut().enumerate() {
            let Some(id) = tax.tax_id else { continue };
            let record = taxes.iter().find(|record| record.id == id);
            match record.and_then(|record| record.rate_on(self.dates.date)) {
                Some(rate) => tax.rate = rate.clone(),
                None => {
                    let message = "this tax is gone, or has no rate on the invoice's date; restore \
                                   it, or make another recurring invoice after a new template";
                    issues.push(Issue::new("no_rate", message).at("tax_id").at(n).at("taxes"));
                }
            }
        }
        issues.into_result(line)
    }
}

/// The line as a new one, under an id of its own.
fn unsaved_copy(line: &Line) -> NewLine {
    NewLine { id: None, ..line.again() }
}

/// A customer that is not to be kept in the catalogue.
fn written(party: PartyPatch) -> Patch<CustomerRequest> {
    Patch::Value(CustomerRequest { party, save_customer: Some(false) })
}

/// What a document can say of its customer and a record of the catalogue cannot.
fn beyond_record(party: &Party) -> PartyPatch {
    let text = |text: &Option<String>| text.clone().map_or(Patch::Absent, Patch::Value);
    PartyPatch {
        unit_name: text(&party.unit_name),
        tax_number_2: text(&party.tax_number_2),
        phone: text(&party.phone),
        buyer_reference: text(&party.buyer_reference),
        bank_account: party.bank_account.clone().map_or(Patch::Absent, Patch::Value),
        ..PartyPatch::default()
    }
}
