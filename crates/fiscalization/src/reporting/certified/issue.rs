//! Inside the unit: a document takes its place in the chain of its series.

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{
    Document, DocumentKind, Line, LineKind, Numbering, Party, PtManual, PtOperatorSnapshot,
    PtRecord, PtReference, PtReport,
};
use racun_kernel::{Decimal, PaymentType, Scope, Stamp};
use racun_portugal::restrictions::{self, Original, RuledLine, RuledTax};
use racun_portugal::{
    Certified, Fresh, ManualNumber, PT_SERIES, PortugalError, PortugalRefusal, Program, PtOperator,
    PtSeries, Purpose, QrFacts, RecoveredForm, Region, Status, WallTime, buyer_number, check_nif,
    region_of, words,
};
use racun_store::{Held, One, Put, StoreError, UnitBuilder};

use super::facts;
use super::figures::Figures;
use super::report;
use super::totals::{check_correction, check_given};

/// All that certifying a document takes besides the document.
pub struct Certifying {
    pub(super) series: PtSeries,
    pub(super) program: Program,
    pub(super) operator: PtOperator,
    pub(super) source_id: String,
    /// The form that it is recovered from.
    pub(super) form: Option<ManualNumber>,
    /// Where the issuer is established.
    pub(super) home: Region,
    /// The issuer's number.
    pub(super) nif: String,
    /// Whether it is reported to the authority at once.
    pub(super) reports: bool,
    pub(super) scope: Scope,
    pub(super) stamp: Stamp,
}

/// The series of a document, as its unit holds it.
pub struct HeldSeries(One<PtSeries>);

/// The series as it was found.
pub type FoundSeries = Option<PtSeries>;

impl HeldSeries {
    /// What is there.
    ///
    /// # Errors
    /// When the row is not what its table keeps.
    pub fn read(self, held: &Held) -> Result<FoundSeries, StoreError> {
        held.find(self.0)
    }
}

impl Certifying {
    /// Which number the document takes.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        let first = self.series.number(self.series.initial_sequence);
        let prefix = format!("{} {}", first.prefix(), first.series());
        let digits = self.series.first_number.as_ref().map_or(0, |first| first.digits().len());
        Numbering::certified(self.series.numbers(), prefix, digits)
    }

    /// Holds the series, in which the last document of the chain is kept.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldSeries {
        HeldSeries(unit.hold(&PT_SERIES, self.series.id))
    }

    /// `document`, which was just given its number, as certified behind the last one of `found`,
    /// and the rows besides it. `means` pay it, and it is linked to `targets`.
    ///
    /// # Errors
    /// What a certified program refuses, and what SAF-T has no place for; a series that was closed
    /// before; a clock that is wrong; a key that does not sign. Nothing is numbered then.
    pub fn issue(
        self,
        document: Document,
        found: FoundSeries,
        means: &[PaymentType],
        targets: &[Document],
    ) -> Result<(Document, Vec<Put>), PortugalError> {
        let before = found.ok_or(PortugalRefusal::SeriesMissing)?;
        let purpose = self.series.document_type;
        let region = self.check(&document, means, targets)?;
        let sequence = document
            .sequence()
            .ok_or(PortugalError::OutOfSequence { expected: before.initial_sequence, shown: 0 })?;
        let wall =
            WallTime::of(self.stamp.now(), self.home.zone()).ok_or(PortugalRefusal::NotSigned)?;
        let Figures { gross: total, taxes, .. } = Figures::of(&document, region)?;
        let date = document.content.date;
        let fresh = Fresh { date, wall, total: total.clone(), form: self.form.clone() };
        let (certified, head) =
            before.certify(before.head.as_ref(), sequence, &fresh, &*self.program.key)?;
        let after = PtSeries { head: Some(head), ..before.clone() };
        let mut puts = vec![Put::update(&before, &after)];
        if let Some(form) = &self.form {
            let at = self.stamp.now();
            let form = RecoveredForm::of(document.entity_id, form.clone(), document.id, at);
            puts.push(Put::insert(&form));
        }
        let customer = document.content.customer.as_ref();
        let country = customer.and_then(facts::country);
        let qr = QrFacts {
            issuer: &self.nif,
            buyer: customer.and_then(|party| party.tax_number.as_deref()),
            buyer_country: country.as_deref(),
            code: purpose.code(),
            status: Status::Normal,
            date,
            number: &certified.number,
            atcud: &certified.atcud,
            taxes: &taxes,
            not_taxed: None,
            stamp_duty: None,
            total: &total,
            withheld: None,
            hash: Some(&certified.hash),
            certificate: self.program.certificate,
            other: None,
        };
        let qr = qr.payload();
        let record = self.record(&document, &after, &certified, qr, region, targets);
        let mut document = Document { pt: Some(Box::new(record)), ..document };
        check_file(&document)?;
        if self.reports
            && let Some(message) = report::message(&document, &self.nif)
        {
            if let Some(record) = &mut document.pt {
                record.report = Some(Box::new(PtReport::pending(message)));
            }
            puts.push(report::job(&document, self.scope.account(), &self.stamp));
        }
        Ok((document, puts))
    }

    /// What a certified program refuses; answers the region whose rates the document has.
    fn check(
        &self,
        document: &Document,
        means: &[PaymentType],
        targets: &[Document],
    ) -> Result<Region, PortugalError> {
        let (content, kind) = (&document.content, document.id.kind());
        let day = content.date_service.unwrap_or(content.date);
        let zero = Decimal::zero();
        let percents: Vec<&Decimal> = content
            .lines
            .iter()
            .flat_map(|line| &line.taxes)
            .map(|tax| if tax.reverse_charge { &zero } else { &tax.rate })
            .collect();
        let region = region_of(&percents, self.home, day).unwrap_or(self.home);
        let lines = content.lines.iter().enumerate();
        let sold = lines.filter(|(_, line)| line.kind != Some(LineKind::Separator));
        let ruled = sold.map(|(place, line)| (place, ruled(line, &zero)));
        restrictions::check_lines(ruled, region, day)?;
        check_given(document)?;
        check_correction(&document.amounts, &content.lines)?;
        content.customer.as_ref().map_or(Ok(()), check_buyer)?;
        restrictions::check_payments(self.series.document_type.code(), means)?;
        if self.series.document_type == Purpose::InvoiceReceipt && !document.paid_in_full() {
            return Err(PortugalRefusal::NotPaid.into());
        }
        if kind == DocumentKind::CreditNote {
            check_credited(&content.lines, targets)?;
        }
        Ok(region)
    }

    fn record(
        &self,
        document: &Document,
        series: &PtSeries,
        certified: &Certified,
        qr: String,
        region: Region,
        targets: &[Document],
    ) -> PtRecord {
        let PtOperator { first_name, last_name, tax_number } = self.operator.clone();
        let reference = |target: &Document| PtReference {
            number: facts::referred_number(target),
            date: target.content.date,
        };
        PtRecord {
            series_id: series.id,
            series_code: series.series_code.to_string(),
            validation_code: series.validation_code.to_string(),
            atcud: certified.atcud.to_string(),
            number: document.sequence().unwrap_or_default(),
            hash: Some(certified.hash.to_string()),
            hash_control: certified.hash_control.to_string(),
            qr,
            printed: self.printed(certified),
            certificate: self.program.certificate,
            code: series.document_type.code().text().to_owned(),
            entered_at: certified.entered_at.to_string(),
            region: region.code().to_owned(),
            manual: self
                .form
                .as_ref()
                .map(|form| PtManual { series: form.series.clone(), number: form.sequence }),
            operator: PtOperatorSnapshot { first_name, last_name, tax_number },
            source_id: self.source_id.clone(),
            references: targets.iter().filter(|own| own.pt.is_some()).map(reference).collect(),
            voided: None,
            report: None,
        }
    }

    /// What paper says of it, in the words of the law. The unique code comes last: right above the
    /// QR code.
    fn printed(&self, certified: &Certified) -> Vec<String> {
        let disclaimer = words::disclaimer(self.series.document_type.code());
        let form = self.form.as_ref().map(words::recovered_line);
        let program = words::program_line(Some(&certified.hash), self.program.certificate);
        let unique = words::atcud_line(&certified.atcud);
        let first = disclaimer.map(str::to_owned).into_iter().chain(form);
        first.chain([program, unique]).collect()
    }
}

/// Refuses a document that no file of its month could hold: it would be signed, and would keep the
/// file from being written for good.
fn check_file(document: &Document) -> Result<(), PortugalError> {
    let refused = |reason: String| PortugalRefusal::Unwritable { reason };
    let own = facts::saft_document(document, Vec::new()).ok_or_else(|| {
        refused(format!("{} is not what a certified document is", document.number()))
    })?;
    Ok(own.check().map_err(|error| refused(error.to_string()))?)
}

/// Refuses a Portuguese number of a buyer that cannot be one.
fn check_buyer(buyer: &Party) -> Result<(), PortugalError> {
    let number = buyer.tax_number.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let Some(number) = number else { return Ok(()) };
    let is_own = buyer.country_code.as_deref().is_some_and(|code| code.eq_ignore_ascii_case("PT"));
    if !is_own && !number.starts_with("PT") {
        return Ok(());
    }
    let checked = check_nif(buyer_number(Some(number)));
    Ok(checked.map_err(|issue| issue.at("tax_number").at("customer"))?)
}

/// A line, as far as the rules look at it.
fn ruled<'a>(line: &'a Line, zero: &'a Decimal) -> RuledLine<'a> {
    let percent_of = |discount: &'a Discount| {
        (discount.kind == DiscountKind::Percent).then_some(&discount.value)
    };
    RuledLine {
        quantity: &line.quantity,
        price: line.price.as_ref().or(line.gross_price.as_ref()).unwrap_or(zero),
        discount_percents: line.discounts.iter().filter_map(percent_of).collect(),
        total: &line.total,
        taxes: line
            .taxes
            .iter()
            .map(|tax| RuledTax {
                percent: if tax.reverse_charge { zero } else { &tax.rate },
                exemption_code: tax.pt_exemption_code.as_deref(),
                exemption_reason: tax.pt_exemption_reason.as_deref(),
            })
            .collect(),
    }
}

/// A credit note names what it gives back of, which is not voided, and gives back no more of it.
fn check_credited(lines: &[Line], targets: &[Document]) -> Result<(), PortugalError> {
    let credited = targets.iter().filter(|target| {
        matches!(target.id.kind(), DocumentKind::Invoice | DocumentKind::AdvanceInvoice)
    });
    let (mut found, mut sold) = (false, Vec::new());
    for target in credited {
        found = true;
        sold.extend(target.content.lines.iter().map(quantity));
        let Ok(number) = target.number().parse() else { continue };
        let is_voided = target.voided_at().is_some();
        let original = Original { number: &number, is_voided, is_rectified: false };
        restrictions::check_credit(Some(&original))?;
    }
    if !found {
        return restrictions::check_credit(None);
    }
    let given = lines.iter().map(quantity).enumerate();
    Ok(restrictions::check_credited_quantities(given, &sold)?)
}

fn quantity(line: &Line) -> restrictions::Quantity<'_> {
    (&line.name, &line.quantity)
}
