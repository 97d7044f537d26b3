//! The file of a period: SAF-T (PT).
//!
//! Documents and receipts are read page by page: to count them, for the customers and products that
//! they name, and to write them. So memory holds one page and the names.

use std::io::Write;

use async_trait::async_trait;
use racun_access::Entity;
use racun_documents::{Document, DocumentKind, table_of};
use racun_kernel::Issue;
use racun_portugal::restrictions::{check_country, check_period};
use racun_portugal::saft::{
    Address, Company, Encoding, Header, SaftError, SaftFile, SaftReceipt, Software, Survey,
};
use racun_portugal::{PortugalError, PortugalRefusal, WallTime};
use racun_records::get_documents;
use racun_store::{Context, ListQuery, StoreError};
use time::Date;

use super::super::Ports;
use super::facts::{customer, products};
use super::pages::{Batch, Reader, Receipts, of_period};
use super::prepare::{home, nif, program};
use super::receipts::saft_receipt;

/// The kinds, in the order of their parts in the file.
const KINDS: [DocumentKind; 5] = [
    DocumentKind::Invoice,
    DocumentKind::AdvanceInvoice,
    DocumentKind::CreditNote,
    DocumentKind::DeliveryNote,
    DocumentKind::Estimate,
];

/// Documents of a period of more than a month that is answered at once, at most.
pub const MOST_AT_ONCE: usize = 1_000;
/// Days of a month, at most.
const MONTH: i64 = 31;

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

impl SaftPeriod {
    /// Whether it has no more days than a month: that is what the authority takes.
    fn is_month(&self) -> bool {
        (self.to - self.from).whole_days() < MONTH
    }
}

/// Who looks on while a file is written.
#[async_trait]
pub trait SaftWatch: Send {
    /// That `rows` documents and receipts were looked at so far; each is, [`LOOKS`] times.
    ///
    /// # Errors
    /// What ends the writing.
    async fn reached(&mut self, rows: usize) -> Result<(), PortugalError>;
}

/// Progress that is not followed.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

#[async_trait]
impl SaftWatch for Unwatched {
    async fn reached(&mut self, _: usize) -> Result<(), PortugalError> {
        Ok(())
    }
}

/// How often each document is looked at: to be counted, for its customer, for its products, and to
/// be written.
pub const LOOKS: usize = 4;

/// Writes the file of `period` to `out`, while `watch` looks on.
///
/// # Errors
/// `invalid_value` for `to`; [`PortugalRefusal::OtherCountry`];
/// [`PortugalRefusal::ProgramMissing`]; what keeps a document from being written; the store's
/// failure; what ends `watch`.
pub async fn write_saft<W: Write + Send>(
    ports: Ports<'_>,
    entity: &Entity,
    period: SaftPeriod,
    out: W,
    watch: &mut dyn SaftWatch,
) -> Result<W, PortugalError> {
    check_saft(entity, period)?;
    let header = header(ports, entity, period)?;
    let cx = ports.cx;
    let mut walk = Pages { cx, period, watch, rows: 0 };
    let mut survey = Survey::default();
    walk.documents(|page, document| {
        survey.customer(&customer(document));
        page.saft(document).map_or(Ok(()), |own| survey.document(&own))
    })
    .await?;
    walk.receipts(|receipt| survey.receipt(&receipt)).await?;
    walk.paid(|document| {
        survey.customer(&customer(document));
        Ok(())
    })
    .await?;
    let mut file = SaftFile::begin(out, period.encoding, &header, survey).map_err(broken)?;
    walk.documents(|_, document| file.customer(&customer(document))).await?;
    walk.paid(|document| file.customer(&customer(document))).await?;
    let sold = |document: &Document, file: &mut SaftFile<W>| {
        products(document).try_for_each(|own| file.product(&own))
    };
    walk.documents(|_, document| sold(document, &mut file)).await?;
    walk.documents(|page, document| page.saft(document).map_or(Ok(()), |own| file.document(&own)))
        .await?;
    walk.receipts(|receipt| file.receipt(&receipt)).await?;
    file.finish().map_err(broken)
}

/// Accepts a file of `period` of `entity`.
///
/// # Errors
/// `invalid_value` for `to`; [`PortugalRefusal::OtherCountry`].
pub fn check_saft(entity: &Entity, period: SaftPeriod) -> Result<(), PortugalError> {
    check_country(entity.country_code.as_deref())?;
    Ok(check_period(period.from, period.to)?)
}

/// Accepts that the file of `period` is written while its caller waits: a month, however much it
/// has, and a longer period of few documents.
///
/// # Errors
/// As [`check_saft`]; `too_many` for `to`; the store's failure.
pub async fn check_at_once(
    cx: Context<'_>,
    entity: &Entity,
    period: SaftPeriod,
) -> Result<(), PortugalError> {
    check_saft(entity, period)?;
    if period.is_month() {
        return Ok(());
    }
    let documents = count_saft(cx, period).await?;
    Ok(check_few(period, documents)?)
}

/// Accepts a month, and a longer period of few documents.
fn check_few(period: SaftPeriod, documents: usize) -> Result<(), Issue> {
    if period.is_month() || documents <= MOST_AT_ONCE {
        return Ok(());
    }
    let message = format!(
        "these are {documents} documents, and of more than a month {MOST_AT_ONCE} at most are \
         answered at once; have a worker write the file by POST /fiscalization/pt/saf-t, or ask \
         for one month"
    );
    Err(Issue::new("too_many", message).at("to"))
}

/// How many documents `period` has.
///
/// # Errors
/// The store's failure.
pub async fn count_saft(cx: Context<'_>, period: SaftPeriod) -> Result<usize, StoreError> {
    let mut total = 0;
    for kind in KINDS {
        let query = ListQuery { limit: 1, count: true, ..of_period(kind, period.from, period.to) };
        let page = cx.page::<Document>(table_of(kind), &query).await?;
        total += usize::try_from(page.pagination.total).unwrap_or(0);
    }
    Ok(total)
}

/// Goes through the pages of a period, and reports each to `watch`.
struct Pages<'a, 'w> {
    cx: Context<'a>,
    period: SaftPeriod,
    watch: &'w mut dyn SaftWatch,
    rows: usize,
}

impl Pages<'_, '_> {
    /// Shows all documents to `show`, in the order of their parts.
    async fn documents(
        &mut self,
        mut show: impl FnMut(&Batch, &Document) -> Result<(), SaftError>,
    ) -> Result<(), PortugalError> {
        for kind in KINDS {
            let mut reader = Reader::new(self.cx, kind, self.period.from, self.period.to);
            while let Some(page) = reader.next().await? {
                page.documents
                    .iter()
                    .try_for_each(|document| show(&page, document))
                    .map_err(broken)?;
                self.rows += page.documents.len();
                self.watch.reached(self.rows).await?;
            }
        }
        Ok(())
    }

    /// Shows all receipts to `show`.
    async fn receipts(
        &mut self,
        mut show: impl FnMut(SaftReceipt) -> Result<(), SaftError>,
    ) -> Result<(), PortugalError> {
        let mut receipts = Receipts::new(self.cx, self.period.from, self.period.to);
        while let Some(page) = receipts.next().await? {
            page.iter().filter_map(saft_receipt).try_for_each(&mut show).map_err(broken)?;
            self.watch.reached(self.rows).await?;
        }
        Ok(())
    }

    /// Shows the documents that receipts are of to `show`: they say the customers of those.
    async fn paid(
        &mut self,
        mut show: impl FnMut(&Document) -> Result<(), SaftError>,
    ) -> Result<(), PortugalError> {
        let cx = self.cx;
        let mut receipts = Receipts::new(cx, self.period.from, self.period.to);
        while let Some(page) = receipts.next().await? {
            let paid = page.iter().filter_map(|payment| payment.document_ids().next());
            let paid = get_documents(cx.store, cx.scope, paid).await?;
            paid.iter().try_for_each(&mut show).map_err(broken)?;
            self.watch.reached(self.rows).await?;
        }
        Ok(())
    }
}

/// What keeps a file from being written: a document that changed since is to be asked again.
fn broken(error: SaftError) -> PortugalError {
    match error {
        SaftError::Changed => StoreError::Unavailable(error.to_string()).into(),
        other => PortugalRefusal::Unwritable { reason: other.to_string() }.into(),
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

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_month_is_answered_at_once_and_a_longer_period_while_it_has_few_documents() {
        let longer = [
            (date!(2026 - 01 - 01), date!(2026 - 12 - 31)),
            (date!(2026 - 02 - 01), date!(2026 - 03 - 04)),
        ];
        let months = [
            (date!(2026 - 01 - 01), date!(2026 - 01 - 31)),
            (date!(2026 - 02 - 01), date!(2026 - 02 - 28)),
            (date!(2026 - 01 - 15), date!(2026 - 02 - 14)),
            (date!(2026 - 05 - 05), date!(2026 - 05 - 05)),
        ];
        let checked = |(from, to), documents| {
            let encoding = Encoding::default();
            check_few(SaftPeriod { from, to, encoding }, documents).map_err(|issue| issue.code)
        };
        for period in longer {
            assert_eq!(checked(period, MOST_AT_ONCE), Ok(()), "{period:?}");
            assert_eq!(checked(period, MOST_AT_ONCE + 1), Err("too_many"), "{period:?}");
        }
        for month in months {
            assert_eq!(checked(month, 100 * MOST_AT_ONCE), Ok(()), "{month:?}");
        }
    }
}
