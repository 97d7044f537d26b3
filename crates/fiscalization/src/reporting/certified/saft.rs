//! The file of a period: SAF-T (PT).
//!
//! Documents are read page by page, three times: to count them, for the customers and products that
//! they name, and to write them. So memory holds one page and the names.

use std::collections::BTreeMap;
use std::io::Write;

use racun_access::Entity;
use racun_documents::{Document, DocumentKind, table_of};
use racun_portugal::restrictions::{check_country, check_period};
use racun_portugal::saft::{
    Address, Company, Encoding, Header, SaftDocument, SaftError, SaftFile, SaftPayment, Software,
    Survey,
};
use racun_portugal::{PortugalError, PortugalRefusal, WallTime};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Clause, Context, ListQuery, Operator, Order, StoreError, Value, Walk};
use time::Date;

use super::super::Ports;
use super::facts::{customer, payment, products, saft_document};
use super::prepare::{home, nif, program};

/// The kinds, in the order of their parts in the file.
const KINDS: [DocumentKind; 5] = [
    DocumentKind::Invoice,
    DocumentKind::AdvanceInvoice,
    DocumentKind::CreditNote,
    DocumentKind::DeliveryNote,
    DocumentKind::Estimate,
];

/// Which documents, and in which letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaftPeriod {
    /// The first day.
    pub from: Date,
    /// The last day, of the same year.
    pub to: Date,
    /// The letters.
    pub encoding: Encoding,
}

/// Writes the file of `period` to `out`.
///
/// # Errors
/// `invalid_value` for `to`; [`PortugalRefusal::OtherCountry`];
/// [`PortugalRefusal::ProgramMissing`]; what keeps a document from being written; the store's
/// failure.
pub async fn write_saft<W: Write>(
    ports: Ports<'_>,
    entity: &Entity,
    period: SaftPeriod,
    out: W,
) -> Result<W, PortugalError> {
    check_country(entity.country_code.as_deref())?;
    check_period(period.from, period.to)?;
    let header = header(ports, entity, period)?;
    let cx = ports.cx;
    let mut survey = Survey::default();
    for kind in KINDS {
        let mut reader = Reader::new(cx, kind, period);
        while let Some(page) = reader.next().await? {
            for document in &page.documents {
                if let Some(own) = page.saft(document) {
                    survey.document(&own).map_err(broken)?;
                }
            }
        }
    }
    let mut file = SaftFile::begin(out, period.encoding, &header, survey).map_err(broken)?;
    each(cx, period, |document| file.customer(&customer(document))).await?;
    each(cx, period, |document| products(document).try_for_each(|own| file.product(&own))).await?;
    for kind in KINDS {
        let mut reader = Reader::new(cx, kind, period);
        while let Some(page) = reader.next().await? {
            for document in &page.documents {
                if let Some(own) = page.saft(document) {
                    file.document(&own).map_err(broken)?;
                }
            }
        }
    }
    file.finish().map_err(broken)
}

/// What keeps a file from being written: a document that changed since is to be asked again.
fn broken(error: SaftError) -> PortugalError {
    match error {
        SaftError::Changed => StoreError::Unavailable(error.to_string()).into(),
        other => PortugalRefusal::Unwritable { reason: other.to_string() }.into(),
    }
}

/// Shows all documents of `period` to `show`.
async fn each(
    cx: Context<'_>,
    period: SaftPeriod,
    mut show: impl FnMut(&Document) -> Result<(), SaftError>,
) -> Result<(), PortugalError> {
    for kind in KINDS {
        let mut reader = Reader::new(cx, kind, period);
        while let Some(page) = reader.next().await? {
            page.documents.iter().try_for_each(&mut show).map_err(broken)?;
        }
    }
    Ok(())
}

/// Reads the certified documents of a kind in the order of their days.
struct Reader<'a> {
    cx: Context<'a>,
    walk: Walk,
}

/// Some documents, with the payments that were made when they were issued.
struct Batch {
    documents: Vec<Document>,
    payments: BTreeMap<String, Vec<SaftPayment>>,
}

impl Batch {
    fn saft(&self, document: &Document) -> Option<SaftDocument> {
        let payments = self.payments.get(&document.id.to_string()).cloned();
        saft_document(document, payments.unwrap_or_default())
    }
}

impl<'a> Reader<'a> {
    fn new(cx: Context<'a>, kind: DocumentKind, period: SaftPeriod) -> Self {
        let table = table_of(kind);
        let on = |operator| Clause::on(table, "date", operator);
        let query = ListQuery {
            clauses: vec![
                on(Operator::Gte(Value::Date(period.from))),
                on(Operator::Lte(Value::Date(period.to))),
                Clause::on(table, "is_draft", Operator::Equals(false.into())),
            ],
            order: vec![Order::on(table, "date", false)],
            ..ListQuery::first_page(table)
        };
        Self { cx, walk: Walk::through(table, cx.tenant(), query) }
    }

    async fn next(&mut self) -> Result<Option<Batch>, StoreError> {
        let Some(mut documents) = self.walk.next::<Document>(self.cx.store).await? else {
            return Ok(None);
        };
        documents.retain(|document| document.pt.is_some());
        let payments = self.payments(&documents).await?;
        Ok(Some(Batch { documents, payments }))
    }

    /// The payments of invoices that were made on the day of their issue.
    async fn payments(
        &self,
        documents: &[Document],
    ) -> Result<BTreeMap<String, Vec<SaftPayment>>, StoreError> {
        let mut found: BTreeMap<String, Vec<SaftPayment>> = BTreeMap::new();
        let invoices: Vec<&Document> = documents
            .iter()
            .filter(|own| {
                own.id.kind() == DocumentKind::Invoice && own.amounts.total_paid.is_positive()
            })
            .collect();
        if invoices.is_empty() {
            return Ok(found);
        }
        let ids: Vec<String> = invoices.iter().map(|own| own.id.to_string()).collect();
        let clause = racun_records::where_in(&PAYMENTS, "invoice_id", &ids);
        let paid: Vec<Payment> =
            racun_records::all_of(self.cx.store, &self.cx.tenant(), &PAYMENTS, clause).await?;
        for own in paid.iter().filter(|own| own.deleted_at.is_none()) {
            let invoice = invoices.iter().find(|invoice| {
                let id = invoice.id.to_string();
                own.documents().any(|named| named == id) && own.date == invoice.content.date
            });
            if let Some(invoice) = invoice {
                let list = found.entry(invoice.id.to_string()).or_default();
                list.push(payment(own.kind, &own.amount, own.date));
            }
        }
        Ok(found)
    }
}

fn header(ports: Ports<'_>, entity: &Entity, period: SaftPeriod) -> Result<Header, PortugalError> {
    let program = program(ports)?;
    let wall = WallTime::of(ports.cx.now(), home(entity).zone());
    Ok(Header {
        company: Company {
            nif: nif(entity).to_owned(),
            registration: None,
            name: entity.name.clone(),
            business_name: None,
            address: Address {
                detail: entity.address.clone(),
                city: entity.city.clone(),
                post_code: entity.post_code.clone(),
                region: entity.state.clone(),
                country: entity.country_code.clone(),
            },
            telephone: entity.phone.clone(),
            email: entity.email.clone(),
            website: entity.website.clone(),
        },
        from: period.from,
        to: period.to,
        created_on: wall.map_or_else(|| ports.cx.now().date(), WallTime::date),
        software: Software {
            maker_tax_number: program.maker_tax_number,
            certificate: program.certificate,
            name: "Racun".to_owned(),
            maker: program.maker,
            version: program.version,
        },
    })
}
