//! Inside the unit: a document takes its place in the chain of its series.

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{
    Document, DocumentKind, Line, LineKind, Numbering, Party, PtManual, PtOperatorSnapshot,
    PtRecord, PtReference, PtReport,
};
use racun_kernel::{Decimal, PaymentType, Scope, Stamp};
use racun_portugal::restrictions::{self, GivenBack, Piece, RuledLine, RuledTax};
use racun_portugal::{
    Certified, Fresh, ManualNumber, PT_SERIES, PortugalError, PortugalRefusal, Program, PtOperator,
    PtSeries, Purpose, QrFacts, RecoveredForm, Region, Status, WallTime, check_buyer_number,
    entry_time, region_of, words,
};
use racun_store::{Held, One, Put, StoreError, UnitBuilder};
use time::Date;

use super::credits::{Credited, FoundCredited, HeldCredited};
use super::facts::{self, Beside};
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
    /// What a credit note is over.
    pub(super) credited: Credited,
    /// When the last document entered that was seen before the unit, of any series.
    pub(super) last_entry: Option<WallTime>,
    pub(super) scope: Scope,
    pub(super) stamp: Stamp,
}

/// The series of a document, and what a credit note is over, as its unit holds them.
pub struct HeldSeries(One<PtSeries>, Option<HeldCredited>);

/// The same as they were found.
#[derive(Default)]
pub struct FoundSeries {
    series: Option<PtSeries>,
    credited: FoundCredited,
}

impl HeldSeries {
    /// What is there.
    ///
    /// # Errors
    /// When the row is not what its table keeps.
    pub fn read(self, held: &Held) -> Result<FoundSeries, StoreError> {
        let credited = self.1.map(|credited| credited.read(held)).transpose()?.unwrap_or_default();
        Ok(FoundSeries { series: held.find(self.0)?, credited })
    }
}

impl FoundSeries {
    /// Whether another credit note came between the look before the unit and this one.
    #[must_use]
    pub const fn is_changed(&self) -> bool {
        self.credited.has_unseen
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

    /// The first date from `planned` on that a document of the series may have now: not before the
    /// series is used, nor before its last document, nor after today.
    pub fn date_for(&self, planned: Date) -> Date {
        let today = WallTime::of(self.stamp.now(), self.home.zone()).map(WallTime::date);
        let last = self.series.head.as_ref().map(|head| head.date);
        let first = planned.max(self.series.start_date).max(last.unwrap_or(planned));
        today.map_or(first, |today| first.min(today))
    }

    /// Holds the series, in which the last document of the chain is kept.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldSeries {
        HeldSeries(unit.hold(&PT_SERIES, self.series.id), self.credited.hold(unit))
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
        let FoundSeries { series, credited } = found;
        let before = series.ok_or(PortugalRefusal::SeriesMissing)?;
        let purpose = self.series.document_type;
        let region = self.check(&document, means, targets, &credited)?;
        let sequence = document
            .sequence()
            .ok_or(PortugalError::OutOfSequence { expected: before.initial_sequence, shown: 0 })?;
        let wall =
            WallTime::of(self.stamp.now(), self.home.zone()).ok_or(PortugalRefusal::NotSigned)?;
        entry_time(wall, self.last_entry)?;
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
        credited: &FoundCredited,
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
        let sold = lines.filter(|(_, line)| !is_heading(line));
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
            check_credited(&content.lines, targets, credited)?;
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
    let own = facts::saft_document(document, Beside::default()).ok_or_else(|| {
        refused(format!("{} is not what a certified document is", document.number()))
    })?;
    Ok(own.check().map_err(|error| refused(error.to_string()))?)
}

/// Refuses a Portuguese number of a buyer that cannot be one. Who names another country has a
/// number of its own.
fn check_buyer(buyer: &Party) -> Result<(), PortugalError> {
    let number = buyer.tax_number.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let Some(number) = number else { return Ok(()) };
    let country = facts::country(buyer);
    Ok(check_buyer_number(number, country.as_deref())
        .map_err(|issue| issue.at("tax_number").at("customer"))?)
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

/// A credit note names what it gives back of, which is not voided, and gives back no more of it
/// than earlier notes left.
fn check_credited(
    lines: &[Line],
    targets: &[Document],
    credited: &FoundCredited,
) -> Result<(), PortugalError> {
    let targets = targets.iter().filter(|target| {
        matches!(target.id.kind(), DocumentKind::Invoice | DocumentKind::AdvanceInvoice)
    });
    let (zero, mut is_over_one) = (Decimal::zero(), false);
    for target in targets.clone() {
        is_over_one = true;
        let Ok(number) = target.number().parse() else { continue };
        restrictions::check_credit(Some(&GivenBack {
            number: &number,
            is_voided: target.voided_at().is_some(),
            total: &target.amounts.total_with_tax,
            given: credited.given.get(&target.id).unwrap_or(&zero),
        }))?;
    }
    if !is_over_one {
        return restrictions::check_credit(None);
    }
    let pieces = |document| pieces(document, &zero);
    let sold: Vec<Piece<'_>> = targets.chain(&credited.others).flat_map(pieces).collect();
    let earlier: Vec<Piece<'_>> = credited.notes.iter().flat_map(pieces).collect();
    let given = lines.iter().enumerate().filter(|(_, line)| !is_heading(line));
    let given = given.map(|(place, line)| (place, piece(line, &zero)));
    Ok(restrictions::check_credited(given, &earlier, &sold)?)
}

fn is_heading(line: &Line) -> bool {
    line.kind == Some(LineKind::Separator)
}

/// What the lines of `document` sell or give back.
fn pieces<'a>(document: &'a Document, zero: &'a Decimal) -> impl Iterator<Item = Piece<'a>> {
    let lines = document.content.lines.iter().filter(|line| !is_heading(line));
    lines.map(|line| piece(line, zero))
}

fn piece<'a>(line: &'a Line, zero: &'a Decimal) -> Piece<'a> {
    let percent = line.taxes.first().filter(|tax| !tax.reverse_charge).map(|tax| &tax.rate);
    Piece { name: &line.name, percent: percent.unwrap_or(zero), quantity: &line.quantity }
}
