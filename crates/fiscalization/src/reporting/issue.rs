//! Inside the unit: a document takes its mark, and the content of its report is frozen.

use std::sync::Arc;

use racun_documents::{
    Document, DocumentError, DocumentKind, FiscalRecord, Fiscalization, Numbering,
};
use racun_fiscal::{
    Authority, BusinessPremise, Device, Exchange, FISCAL_DEVICES, FISCAL_PREMISES, FiscalSettings,
    Identity, Means, MessageId, PlaceOfIssue, ReportContent, Signer, SigningFailed, Start, due_put,
    fina, form_series, furs, series, year_of,
};
use racun_kernel::{Decimal, Issue, Issues, PaymentType, Scope, Stamp, Tenant};
use racun_store::{Held, One, Put, StoreError, UnitBuilder};
use time::{Date, OffsetDateTime};

use super::certified::{FoundSeries, HeldSeries};
use super::deliver::Sending;
use super::error::{FiscalizationError, FiscalizationRefused};
use super::operator::Operator;
use super::paper::Paper;
use super::sale::{Paid, corrections, name_of, sale};
use super::schemes::check_outside_vat;

/// All that issuing a fiscalized document takes besides the document.
pub struct Issuing {
    pub(super) settings: FiscalSettings,
    pub(super) premise: BusinessPremise,
    /// None for a form of a bound book.
    pub(super) device: Option<Device>,
    pub(super) operator: Operator,
    pub(super) payment_type: Option<Means>,
    /// What it was written on while the device did not work.
    pub(super) paper: Option<Paper>,
    /// Whether it takes another document back.
    pub(super) takes_back: bool,
    pub(super) identity: Identity,
    pub(super) signer: Arc<dyn Signer>,
    pub(super) scope: Scope,
    pub(super) stamp: Stamp,
}

/// What the unit knows of a document that it issues.
pub struct Facts<'a> {
    /// How it is paid.
    pub means: Vec<PaymentType>,
    /// What advances settle of it, in its own currency.
    pub settled: Decimal,
    /// What it is linked to.
    pub targets: &'a [Document],
    /// Where it is issued.
    pub place: Option<FoundPlace>,
    /// The time on the store's clock, where it has one.
    pub now: Option<OffsetDateTime>,
}

/// Where a document is issued, as its unit holds it.
pub enum HeldPlace {
    /// A premise, and a device in it.
    Premise(One<BusinessPremise>, Option<One<Device>>),
    /// A series in Portugal.
    Series(HeldSeries),
}

/// The same as it was found.
pub enum FoundPlace {
    /// The premise and the device.
    Premise(Option<BusinessPremise>, Option<Device>),
    /// The series.
    Series(FoundSeries),
}

impl HeldPlace {
    /// What is there.
    pub fn read(self, held: &Held) -> Result<FoundPlace, StoreError> {
        Ok(match self {
            Self::Premise(premise, device) => {
                FoundPlace::Premise(held.find(premise)?, held.find(device)?)
            }
            Self::Series(series) => FoundPlace::Series(series.read(held)?),
        })
    }
}

/// A document as its unit writes it.
pub struct Issued {
    /// The document.
    pub document: Document,
    /// The rows besides it.
    pub puts: Vec<Put>,
    /// What is to be sent when that is stored.
    pub sending: Option<Sending>,
}

impl Issuing {
    pub(super) const fn authority(&self) -> Authority {
        self.settings.authority
    }

    fn place(&self) -> PlaceOfIssue {
        let device = self.device.as_ref().map(|device| device.name.clone()).unwrap_or_default();
        let (premise, numbering) = (self.premise.name.clone(), self.settings.numbering);
        PlaceOfIssue { premise, device, numbering }
    }

    /// When the document is issued, or was on paper.
    fn issued_at(&self) -> OffsetDateTime {
        self.paper.as_ref().map_or_else(|| self.stamp.now(), Paper::issued_at)
    }

    /// Which number the document takes.
    pub fn numbering(&self) -> Numbering {
        let tenant = self.scope.tenant();
        if let Some(Paper::Form { book, .. }) = &self.paper {
            return Numbering::form(form_series(tenant, book), book);
        }
        let (authority, start) = (self.authority(), self.start());
        numbering(tenant, authority, self.place(), start, self.issued_at())
    }

    /// Where the sequence of its numbers starts.
    fn start(&self) -> Start {
        start(self.settings.numbering, &self.premise, self.device.as_ref())
    }

    /// The day of issue in the authority's zone. The reported day is stated on the document (XSD of
    /// FURS, `IssueDateTime`; technical specification of CIS 2.7, `DatVrijeme`), and its number is
    /// unique in that day's year.
    pub fn day(&self) -> Date {
        self.authority().local(self.issued_at()).date()
    }

    /// Holds the premise and the device, for a closed one issues nothing.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldPlace {
        let premise = unit.hold(&FISCAL_PREMISES, self.premise.id);
        let device = self.device.as_ref().map(|device| unit.hold(&FISCAL_DEVICES, device.id));
        HeldPlace::Premise(premise, device)
    }

    fn check_open(&self, place: Option<FoundPlace>) -> Result<(), FiscalizationError> {
        let (premise, device) = match place {
            Some(FoundPlace::Premise(premise, device)) => (premise, device),
            Some(FoundPlace::Series(_)) | None => (None, None),
        };
        let device = device.filter(|own| own.is_active);
        let is_missing = device.is_some() != self.device.is_some();
        let Some(premise) = premise.filter(|own| own.is_active && !is_missing) else {
            let message = "the business premise or the electronic device was just closed";
            let issue = Issue::new("not_found", message).at("business_premise_name");
            return Err(Issues::from(issue.at(self.authority().name())).into());
        };
        let starts = |premise: &BusinessPremise, device: Option<&Device>| {
            (premise.start(), device.map(Device::start))
        };
        if starts(&premise, device.as_ref()) == starts(&self.premise, self.device.as_ref()) {
            Ok(())
        } else {
            Err(DocumentError::ChangedMeanwhile.into())
        }
    }

    /// `document`, which was just given its number, with the content of its report.
    ///
    /// # Errors
    /// A premise or device that has been closed; a form that was entered before; amounts that are
    /// in no currency that the authority takes.
    pub fn issue(self, document: Document, facts: Facts<'_>) -> Result<Issued, FiscalizationError> {
        self.check_open(facts.place)?;
        let Some(number) = document.sequence() else {
            return Err(DocumentError::ChangedMeanwhile.into());
        };
        self.check_form(number)?;
        if !self.settings.in_vat_system {
            let is_note = document.id.kind() == DocumentKind::CreditNote;
            let corrected = facts.targets.iter().filter(|_| is_note);
            check_outside_vat(&document.content, self.authority(), corrected)?;
        }
        let paid = Paid { means: facts.means, settled: facts.settled };
        let content = self.content(&document, number, paid, facts.targets)?;
        let now = facts.now.unwrap_or_else(|| self.stamp.now());
        let message_id = MessageId::new(&self.stamp);
        let exchange = Exchange::open(
            document.id,
            document.entity_id,
            content.clone(),
            message_id.clone(),
            now,
        );
        let is_late = content.is_late(true);
        let record = self.record(&content, number, &message_id);
        let fiscal = Fiscalization::pending(self.authority(), record);
        let document = Document { fiscal: Some(Box::new(fiscal)), ..document };
        let mut puts = vec![Put::insert(&exchange)];
        let (account, environment) = (self.scope.account(), self.scope.environment());
        puts.extend(due_put(None, &exchange, account, environment));
        let sending = Sending {
            document_id: document.id,
            content,
            message_id,
            is_late,
            identity: self.identity,
        };
        Ok(Issued { document, puts, sending: Some(sending) })
    }

    /// Refuses a form that another document was entered from: the sequence of a form hands its
    /// number out once.
    fn check_form(&self, number: i64) -> Result<(), Issues> {
        let Some(Paper::Form { book, .. }) = &self.paper else { return Ok(()) };
        if book.number() == Some(number) {
            return Ok(());
        }
        let message = format!(
            "the form {}-{} of the bound book was entered before; look at the number on the form",
            book.set(),
            book.invoice_number
        );
        let issue = Issue::new("sales_book_form_used", message).at("invoice_number");
        Err(issue.at("sales_book_identifier").at(self.authority().name()).into())
    }

    /// The content of the report to the authority.
    fn content(
        &self,
        document: &Document,
        number: i64,
        paid: Paid,
        targets: &[Document],
    ) -> Result<ReportContent, FiscalizationError> {
        let authority = self.authority();
        let corrects = corrections(document, targets.iter(), authority);
        let sale = sale(document, paid, corrects, authority)?;
        let certificate = self.settings.certificate.as_ref();
        let certificate = certificate.ok_or(FiscalizationRefused::CertificateMissing)?;
        let (place, issued_at) = (self.place(), self.issued_at());
        let taxpayer = certificate.tax_number.clone();
        let unusable = |_: SigningFailed| FiscalizationRefused::CertificateUnusable;
        Ok(match (authority, &self.paper) {
            (Authority::Furs, Some(Paper::Form { book, on })) => {
                let (book, premise) = (book.clone(), place.premise);
                let form = furs::BookInvoice::of(&sale, taxpayer, premise, book, *on);
                ReportContent::FursBook(Box::new(form))
            }
            (Authority::Furs, _) => {
                let operator = self.operator.number.clone();
                let arguments = furs::IssueArguments {
                    sale: &sale,
                    tax_number: taxpayer,
                    place,
                    number,
                    issued_at,
                    operator: operator.map_or(furs::Operator::Foreign, furs::Operator::TaxNumber),
                    special_notes: None,
                };
                let invoice = furs::Invoice::issue(arguments, &*self.signer).map_err(unusable)?;
                ReportContent::Furs(Box::new(invoice))
            }
            (Authority::Fina, paper) => {
                let paragon = match paper {
                    Some(Paper::Paragon { number, .. }) => Some(number.clone()),
                    Some(Paper::Form { .. }) | None => None,
                };
                let arguments = fina::IssueArguments {
                    sale: &sale,
                    payment_type: self.payment_type,
                    operator_oib: self.operator.number.clone().unwrap_or_else(|| taxpayer.clone()),
                    oib: taxpayer,
                    in_vat_system: self.settings.in_vat_system,
                    place,
                    number,
                    issued_at,
                    certificate: certificate.serial.clone(),
                    paragon,
                };
                let receipt = fina::Receipt::issue(arguments, &*self.signer).map_err(unusable)?;
                self.check_total(&receipt)?;
                ReportContent::Fina(Box::new(receipt))
            }
        })
    }

    /// Refuses what CIS is known to refuse, before it takes a number. What takes a receipt back may
    /// be as high as that was.
    fn check_total(&self, receipt: &fina::Receipt) -> Result<(), Issues> {
        if self.takes_back {
            return Ok(());
        }
        fina::check_total(&receipt.total, receipt.means).map_err(|too_high| {
            let issue = Issue::new("fina_total_too_high", too_high.to_string());
            match self.payment_type {
                Some(_) => issue.at("payment_type").at("fina").into(),
                None => issue.at("payments").into(),
            }
        })
    }

    fn record(&self, content: &ReportContent, number: i64, message_id: &MessageId) -> FiscalRecord {
        let (mark, qr) = match content {
            ReportContent::Furs(invoice) => (invoice.zoi.to_string(), invoice.qr()),
            ReportContent::FursBook(_) => (String::new(), String::new()),
            ReportContent::Fina(receipt) => (receipt.zki.to_string(), receipt.qr(None)),
        };
        let (book, paragon, payment_type) = match content {
            ReportContent::Furs(_) => (None, None, None),
            ReportContent::FursBook(form) => (Some(form.book.clone()), None, None),
            ReportContent::Fina(receipt) => {
                let means = self.payment_type.unwrap_or_else(|| receipt.means.shown());
                (None, receipt.paragon.clone(), Some(name_of(means)))
            }
        };
        FiscalRecord {
            premise: self.premise.name.clone(),
            device: self.device.as_ref().map(|device| device.name.clone()),
            number,
            issued_at: self.authority().local(self.issued_at()),
            mark,
            confirmations: Vec::new(),
            qr,
            operator_number: self.operator.number.clone(),
            operator_label: self.operator.label.clone(),
            environment: self.scope.environment(),
            message_id: message_id.to_string(),
            is_late: content.is_late(true),
            special_notes: None,
            payment_type,
            book,
            paragon,
        }
    }
}

/// Where the sequence of `premise`, or of `device` in it, starts.
pub(super) fn start(
    per: racun_fiscal::Numbering,
    premise: &BusinessPremise,
    device: Option<&Device>,
) -> Start {
    match per {
        racun_fiscal::Numbering::PerPremise => premise.start(),
        racun_fiscal::Numbering::PerDevice => device.map(Device::start).unwrap_or_default(),
    }
}

/// How what is issued at `place` at the time `at` is numbered, in a sequence that starts at
/// `start`.
pub(super) fn numbering(
    tenant: Tenant,
    authority: Authority,
    place: PlaceOfIssue,
    start: Start,
    at: OffsetDateTime,
) -> Numbering {
    let series = series(tenant, authority, &place, year_of(authority, at), start);
    Numbering::fiscal(series, authority, place.premise, place.device)
}
