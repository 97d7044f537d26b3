//! Receipts of payments: numbered in the unit that records the payment, where the entity has a
//! series for them. They are not signed.

use racun_access::Entity;
use racun_documents::Document;
use racun_kernel::{Currency, Decimal, PaymentType, Stamp};
use racun_portugal::saft::{SaftPayment, SaftReceipt, Settled, State};
use racun_portugal::{
    Class, Code, Mechanism, Number as DocumentNumber, Origin, PT_SERIES, PortugalError,
    PortugalRefusal, PtSeries, Purpose, QrFacts, Receipted, Region, Status, WallTime, entry_time,
    last_entry, source_id, words,
};
use racun_settlement::{Payment, PaymentReceipt, ReceiptVoided};
use racun_store::{Held, Number, One, Put, StoreError, UnitBuilder};

use super::super::Ports;
use super::facts::{country, customer_id, referred_number};
use super::is_portugal;
use super::prepare::{active_series, home, nif, program};

/// Why a receipt is voided: SAF-T wants a reason, and payments are deleted without one.
const VOIDED: &str = "Pagamento anulado";

/// All that issuing a receipt takes besides the payment and its document.
#[derive(Clone)]
pub struct Receipting {
    series: PtSeries,
    certificate: u16,
    nif: String,
    home: Region,
    source_id: String,
    /// When the last document entered that was seen before the unit, of any series.
    last_entry: Option<WallTime>,
    stamp: Stamp,
}

/// How the receipt of a payment is going to be issued; `None` where there are none: in other
/// countries, and without an active series of the type `payment`.
///
/// # Errors
/// When the store fails.
pub async fn receipting(
    ports: Ports<'_>,
    entity: &Entity,
) -> Result<Option<Receipting>, StoreError> {
    let cx = ports.cx;
    if !is_portugal(entity) {
        return Ok(None);
    }
    let Ok(program) = program(ports) else { return Ok(None) };
    let present = active_series(cx.store, &cx.tenant()).await?;
    let found = PtSeries::choose(&present, None, Purpose::Payment, false).ok();
    Ok(found.map(|series| Receipting {
        series: series.clone(),
        certificate: program.certificate,
        nif: nif(entity).to_owned(),
        home: home(entity),
        source_id: source_id(&cx.scope.principal().id()),
        last_entry: last_entry(&present),
        stamp: cx.stamp.clone(),
    }))
}

/// The series of receipts and its next number, as a unit holds them.
pub struct HeldReceipts {
    series: One<PtSeries>,
    number: Number,
}

/// The series as it was found, and the number that is next.
pub struct FoundReceipts {
    series: Option<PtSeries>,
    number: i64,
}

impl HeldReceipts {
    /// What is there.
    ///
    /// # Errors
    /// When the row is not what its table keeps.
    pub fn read(self, held: &Held) -> Result<FoundReceipts, StoreError> {
        Ok(FoundReceipts { series: held.find(self.series)?, number: held.number(&self.number)? })
    }
}

impl Receipting {
    /// Holds the series, and its number.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldReceipts {
        let number = unit.number(self.series.numbers());
        HeldReceipts { series: unit.hold(&PT_SERIES, self.series.id), number }
    }

    /// The receipt of `payment` on `document`, and the series behind it; `None` for what has none:
    /// settlements, and what is no certified invoice, or is its own receipt.
    ///
    /// # Errors
    /// A series that was closed before; a clock that is wrong; an issue at `date` for money that
    /// is still to come.
    pub fn issue(
        &self,
        found: FoundReceipts,
        payment: &Payment,
        document: &Document,
    ) -> Result<Option<(PaymentReceipt, Put)>, PortugalError> {
        if !has_receipt(payment, document) {
            return Ok(None);
        }
        let before = found.series.ok_or(PortugalRefusal::SeriesMissing)?;
        let wall =
            WallTime::of(self.stamp.now(), self.home.zone()).ok_or(PortugalRefusal::NotSigned)?;
        entry_time(wall, self.last_entry)?;
        racun_portugal::check_date(payment.date, wall, payment.date, None)?;
        let (own, head) = before.receipt(before.head.as_ref(), found.number, wall)?;
        let after = PtSeries { head: Some(head), ..before.clone() };
        let euros = euros(payment, document)?;
        let receipt = self.receipt(&own, &euros, found.number, document);
        Ok(Some((receipt, Put::update(&before, &after))))
    }

    fn receipt(
        &self,
        own: &Receipted,
        euros: &Decimal,
        sequence: i64,
        document: &Document,
    ) -> PaymentReceipt {
        let (series, code) = (&self.series, self.series.document_type.code());
        let customer = document.content.customer.as_ref();
        let country = customer.and_then(country);
        let qr = QrFacts {
            issuer: &self.nif,
            buyer: customer.and_then(|party| party.tax_number.as_deref()),
            buyer_country: country.as_deref(),
            code,
            status: Status::Normal,
            date: own.entered_at.date(),
            number: &own.number,
            atcud: &own.atcud,
            taxes: &[],
            not_taxed: None,
            stamp_duty: None,
            total: euros,
            withheld: None,
            hash: None,
            certificate: self.certificate,
            other: None,
        };
        PaymentReceipt {
            series_id: series.id,
            series_code: series.series_code.to_string(),
            validation_code: series.validation_code.to_string(),
            number: own.number.to_string(),
            sequence,
            atcud: own.atcud.to_string(),
            qr: qr.payload(),
            printed: vec![
                words::program_line(None, self.certificate),
                words::atcud_line(&own.atcud),
            ],
            certificate: self.certificate,
            code: code.text().to_owned(),
            date: own.entered_at.date(),
            entered_at: own.entered_at.to_string(),
            source_id: self.source_id.clone(),
            euros: euros.clone(),
            customer_id: customer_id(document),
            document_number: referred_number(document),
            document_date: document.content.date,
            voided: None,
        }
    }
}

/// Whether `payment` is money for `document`, an invoice that is not its own receipt.
fn has_receipt(payment: &Payment, document: &Document) -> bool {
    let moves = !matches!(payment.kind, PaymentType::CreditNote | PaymentType::Advance);
    let code = document.pt.as_deref().and_then(|record| Code::from_text(&record.code));
    let is_owed = code
        .is_some_and(|code| code.class() == Class::Sales && !code.is_debit() && code != Code::Fr);
    moves && is_owed
}

/// What `payment` comes to in euros, by the rate of its document.
fn euros(payment: &Payment, document: &Document) -> Result<Decimal, PortugalError> {
    if document.content.currency == Currency::EUR {
        return Ok(payment.amount.clone());
    }
    let rate = document.content.exchange_rate.as_ref().map(|exchange| &exchange.rate);
    let rate = rate.ok_or(PortugalRefusal::NotSigned)?;
    Ok(Currency::EUR.round(&(&payment.amount * rate)))
}

/// Notes on the receipt of `payment`, which was just deleted, that it is voided.
pub fn void_receipt(
    payment: &mut Payment,
    entity: &Entity,
    scope: &racun_kernel::Scope,
    at: &Stamp,
) {
    let Some(receipt) = &mut payment.receipt else { return };
    let wall = WallTime::of(at.now(), home(entity).zone());
    let at = wall.map_or_else(|| receipt.entered_at.clone(), |wall| wall.to_string());
    receipt.voided = Some(ReceiptVoided { at, by: source_id(&scope.principal().id()) });
}

/// Accepts a payment on `document`: credit notes in Portugal take none.
///
/// # Errors
/// `not_in_portugal`, for `credit_note_id`.
pub fn check_paid(payment: &Payment, document: &Document) -> Result<(), PortugalError> {
    let code = document.pt.as_deref().and_then(|record| Code::from_text(&record.code));
    let Some(code) = code.filter(|_| payment.kind != PaymentType::CreditNote) else {
        return Ok(());
    };
    let checked = racun_portugal::restrictions::check_payments(code, &[payment.kind]);
    Ok(checked.map_err(|issue| {
        racun_kernel::Issue::new(issue.code, issue.message).at("credit_note_id")
    })?)
}

/// The receipt of `payment` as SAF-T has it; `None` where there is none.
pub(super) fn saft_receipt(payment: &Payment) -> Option<SaftReceipt> {
    let receipt = payment.receipt.as_deref()?;
    let entered_at: WallTime = receipt.entered_at.parse().ok()?;
    let state = match &receipt.voided {
        None => State {
            status: Status::Normal,
            since: entered_at,
            reason: None,
            by: receipt.source_id.clone(),
        },
        Some(voided) => State {
            status: Status::Voided,
            since: voided.at.parse().unwrap_or(entered_at),
            reason: Some(VOIDED.to_owned()),
            by: voided.by.clone(),
        },
    };
    let amount = receipt.euros.clone();
    Some(SaftReceipt {
        code: Code::from_text(&receipt.code)?,
        number: receipt.number.parse::<DocumentNumber>().ok()?,
        atcud: receipt.atcud.parse().ok(),
        state,
        origin: Origin::Program,
        date: receipt.date,
        entered_at,
        by: receipt.source_id.clone(),
        customer_id: receipt.customer_id.clone(),
        payments: vec![SaftPayment {
            mechanism: Mechanism::from(payment.kind),
            amount: amount.clone(),
            date: payment.date,
        }],
        lines: vec![Settled {
            number: receipt.document_number.clone(),
            date: receipt.document_date,
            amount: amount.clone(),
            is_credit_note: false,
            tax: None,
        }],
        tax: Decimal::zero(),
        net: amount.clone(),
        gross: amount,
    })
}
